// Objects that change. Behind a line stands what g++ computes: `= 5` is known, `? 5` is not known or is that.
#include <array>
#include <tuple>
#include <utility>

struct Counter {
  int n = 0;
  int step = 2;
  void set(int x) { n = x; }
  void advance() { ++n; }
  void leap() { n += step; }
  void both(int x) { set(x); step = x + 1; }
  int get() const { return n; }
  int next() { return ++n; }
  Counter& with(int x) { n = x; return *this; }
  int& ref() { return n; }
  void maybe(bool really) { if (really) n = 9; }
  void pointed() { this->n = 4; }
  void outside(int x);
  int operator()(int x) { n = x; return x; }
};
void Counter::outside(int x) { n = x * 2; }

void methods(bool yes) {
  Counter c;
  int a = c.n;  // = 0
  c.set(3);
  int b = c.n;  // = 3
  c.advance();
  c.advance();
  int d = c.n;  // = 5
  c.leap();
  int e = c.n;  // = 7
  c.both(11);
  int f = c.n;  // ? 11
  int g = c.step;  // = 12
  int h = c.get();  // ? 11
  c.pointed();
  int i = c.n;  // = 4
  c.outside(3);
  int j = c.n;  // ? 6
  c.maybe(true);
  int k = c.n;  // ? 9
  c.with(8).step = 5;
  int l = c.n;  // ? 8
  int m = c.step;  // ? 5
  c.ref() = 6;
  int o = c.n;  // ? 6
  int p = c.next();  // ? 7
  int q = c.n;  // ? 7
  c(2);
  int r = c.n;  // = 2
  if (yes) c.set(1);
  int s = c.n;  // ? 1
  for (int t = 0; t < 3; ++t) c.advance();
  int u = c.n;  // ? 4
  int v = u - s;  // ? 3
}

struct Inner { int a = 1; void put(int x) { a = x; } };
struct Outer {
  Inner in;
  std::array<int, 2> pair{1, 2};
  void fill(int x) { in.put(x); pair[1] = x; }
  void wipe() { *this = Outer{}; }
};

void nested() {
  Outer o;
  o.in.put(5);
  int a = o.in.a;  // ? 5
  Outer* p = &o;
  p->in.a = 6;
  int b = o.in.a;  // ? 6
  p->fill(7);
  int c = o.in.a;  // ? 7
  int d = o.pair[1];  // ? 7
  o.pair[0] = 9;
  int e = o.pair[0];  // ? 9
  o.wipe();
  int f = o.pair[0];  // ? 1
  Outer copy = o;
  copy.in.a = 3;
  int g = o.in.a;  // ? 1
}

struct Base { int k = 3; void raise(int x) { k = x; } };
struct Derived : Base { int z = 1; void lift() { k = 8; z = 2; } };

void inherited() {
  Derived d;
  int a = d.k;  // = 3
  d.raise(7);
  int b = d.k;  // ? 7
  d.lift();
  int c = d.k;  // ? 8
  int e = d.z;  // ? 2
  Derived other;
  int f = other.k - a;  // = 0
}

struct Acts { int k = 0; Acts() { k = 5; } };
struct Lists { int k; Lists() : k(5) {} };
struct Takes { int n; Takes(int x) { n = x * 2; } };

void constructed() {
  Acts a;
  int b = a.k;  // ? 5
  Lists l;
  int c = l.k;  // ? 5
  Takes one(1);
  Takes two(2);
  int d = two.n - one.n;  // ? 2
}

void by_reference(int& x) { x = 4; }
int& same(int& x) { return x; }

void references() {
  int g = 7;
  int& r = g;
  r = 8;
  int a = g;  // ? 8
  int* p = &g;
  *p = 12;
  int b = g;  // ? 12
  int c = b - a;  // ? 4
  int* q = p;
  *q = 13;
  int d = g - b;  // ? 1
  int& s = same(g);
  int e = g;  // ? 13
  s = 20;
  int f = g - e;  // ? 7
  by_reference(g);
  int h = g;  // ? 4
  int i = 1;
  *&i = 5;
  int j = i;  // ? 5
  static_cast<int&>(i) = 6;
  int k = i;  // ? 6
  const int& w = i;
  i = 9;
  int l = w;  // ? 9
  struct Pair { int a; int b; } pair{1, 2};
  auto& [u, v] = pair;
  u = 99;
  int m = pair.a;  // ? 99
  pair.b = 98;
  int n = v;  // ? 98
  by_reference(pair.a);
  int o = pair.a;  // ? 4
  auto [copied, other] = pair;
  copied = 3;
  int t = pair.a;  // ? 4
  int x = 1, y = 2;
  (g > 0 ? x : y) = 7;
  int z = x;  // ? 7
  std::swap(x, y);
  int aa = x;  // ? 2
  std::tie(x, y) = std::make_tuple(4, 5);
  int bb = y;  // ? 5
  auto& pa = pair.a;
  pa += 2;
  int cc = pair.a;  // ? 6
}

void lambdas() {
  int v = 10;
  auto g = [&v](int a) { return a + v; };
  auto h = [&](int a) { return a + v; };
  auto kept = [v](int a) { return a + v; };
  v = 20;
  int a = g(1);  // ? 21
  int b = h(1);  // ? 21
  int c = kept(1);  // = 11
  int n = 0;
  auto bump = [&n] { n += 2; };
  bump();
  int d = n;  // ? 2
  bump();
  int e = n - d;  // ? 2
  auto set = [&](int x) { n = x; };
  set(5);
  int f = n;  // ? 5
  auto twice = [&] { bump(); bump(); };
  twice();
  int i = n - f;  // ? 4
  for (int j = 0; j < 2; ++j) bump();
  int k = n;  // ? 13
  Counter o;
  auto change = [&] { o.set(6); };
  change();
  int l = o.n;  // ? 6
  auto alias = [&r = v] { r = 30; };
  alias();
  int m = v;  // ? 30
}

void plain_parts() {
  Outer o;
  o.in.put(5);
  int a = o.in.a;  // = 5
  o.pair[1] = 7;
  int b = o.pair[1];  // ? 7
  std::array<int, 3> r{1, 2, 3};
  r[1] = 8;
  int c = r[1];  // = 8
  int d = r[2];  // = 3
  r.fill(4);
  int e = r[2];  // = 4
  int n = 4;
  n += 3;
  ++n;
  int f = n;  // = 8
  n *= f;
  int g = n--;  // ? 64
  int h = n;  // ? 63
  unsigned char small = 250;
  small += 10;
  int i = small;  // ? 4
}

void arrays() {
  std::array<int, 3> a{1, 2, 3};
  a[1] = 8;
  int b = a[1];  // ? 8
  int c = a[2];  // ? 3
  a.fill(4);
  int d = a[2];  // ? 4
  int e = a.size();  // = 3
  a.at(0) = 9;
  int f = a[0];  // ? 9
  a.front() = 10;
  int g = a[0];  // ? 10
  for (auto& x : a) x = 7;
  int h = a[1];  // ? 7
  auto& first = a[0];
  first = 2;
  int i = a[0];  // ? 2
  int at = 1;
  a[at] = 5;
  int j = a[1];  // ? 5
  std::array<int, 4> zero{};
  int k = zero.size();  // = 4
  int l = std::size(zero);  // = 4
}

constexpr auto squares() {
  std::array<int, 3> r{};
  for (int i = 0; i < 3; ++i) r[i] = i * i + 1;
  return r;
}
constexpr auto made = squares();
constexpr int third = made[2];  // ? 5
constexpr std::array<int, 3> listed{4, 5, 6};
constexpr int how_many = listed.size();  // = 3

int outside = 7;
void bump_outside() { outside = 11; }

void globals() {
  int a = outside;  // ? 7
  outside = 9;
  int b = outside - a;  // ? 2
  bump_outside();
  int c = outside - 9;  // ? 2
}

int counted() {
  static int count = 3;
  count = count + 1;
  return count;
}

void statics() {
  int a = counted();  // ? 4
  int b = counted();  // ? 5
  int c = b - a;  // ? 1
}

struct Worker {
  int n = 1;
  int run() {
    n = 5;
    int a = n;  // = 5
    helper();
    int b = n;  // ? 6
    this->n = 7;
    int c = n;  // = 7
    int n = 2;
    int d = n;  // = 2
    return this->n;
  }
  void helper() { n = 6; }
};

struct Callable { int n = 1; int m = 2; int& operator()(int i) { return i == 0 ? n : m; } };
void called() {
  Callable c;
  c(0) += 20;
  int called_0 = c.n;  // ? 21
  Callable d;
  d(1) = 7;
  int called_1 = d.m;  // ? 7
  Callable e;
  ++e(0);
  int called_2 = e.n;  // ? 2
}

int main() {
  methods(true);
  nested();
  inherited();
  constructed();
  references();
  lambdas();
  plain_parts();
  arrays();
  globals();
  statics();
  Worker{}.run();
}
