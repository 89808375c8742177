// Functions that run. Behind a line stands what g++ computes.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <tuple>
#include <type_traits>
#include <utility>
#include <limits>
namespace p0 {
struct S { int v; constexpr S& set(int x) { v = x; return *this; } constexpr int get() const { return v; } constexpr S plus(int k) const { return {v + k}; } };
inline void run() {
S s{1}; s.set(4).set(5);
int q1 = s.v;  // = 5
S& r = s.set(9); r.v++;
int q2 = s.get();  // = 10
S c = s; c.set(1);
int q3 = s.v * 10 + c.v;  // = 101
int q4 = s.plus(3).get();  // = 13
S* p = &s; p->set(2).v += 5;
int q5 = s.v;  // = 7
(*p).v -= 1;
int q6 = p->get();  // = 6
S a[2] = {{1}, {2}}; a[1].set(7); for (auto& e : a) e.v *= 2;
int q7 = a[0].v + a[1].v;  // = 16
std::array<S, 2> b{S{3}, S{4}}; b[0].v = 6; auto& f = b.back(); f.v = 8;
int q8 = b[0].v * 10 + b[1].v;  // = 68
}
}
namespace p1 {
inline void run() {
int x = 1; int& a = x; int& b = a; b = 5; int c = a; a++; 
int q1 = x;  // = 6
int q2 = c;  // = 5
int y = 2; int* p = &x; int** pp = &p; **pp = 8; *pp = &y; *p += 1;
int q3 = x;  // = 8
int q4 = y;  // = 3
const int& k = y; y = 40;
int q5 = k;  // = 40
int z[3] = {1, 2, 3}; int (&rz)[3] = z; rz[1] = 9; int* q = z + 1; q[1] = 7; *(q - 1) = 5;
int q6 = z[0] * 100 + z[1] * 10 + z[2];  // ? 597
int q7 = q - z;  // ? 1
int q8 = *q++ + *q;  // ? 16
}
}
namespace p2 {
inline void run() {
int n = 3; auto f = [n](int x) { return n * x; }; n = 10; auto g = [&n](int x) { return n * x; }; n = 20;
int q1 = f(2);  // = 6
int q2 = g(2);  // = 40
auto h = [m = n * 2, &r = n] { return m + r; }; n = 1;
int q3 = h();  // ? 41
auto k = [=]() mutable { n += 5; return n; };
int q4 = k();  // = 6
int q5 = k();  // = 11
int q6 = n;  // = 1
int t = [&] { int s = 0; for (int i = 0; i < 4; ++i) s += i * n; return s; }();
int q7 = t;  // = 6
}
}
namespace p3 {
struct C { int n = 1; int f() { auto l = [this] { return ++n; }; l(); return l() + n; } int g() const { auto l = [*this] { return n + 1; }; return l(); } };
inline void run() {
C c; int r = c.f();
int q1 = r;  // ? 6
int q2 = c.n;  // ? 3
int q3 = c.g();  // ? 4
}
}
namespace p4 {
constexpr int fib(int n) { int a = 0, b = 1; for (int i = 0; i < n; ++i) { int t = a + b; a = b; b = t; } return a; }
constexpr int gcd(int a, int b) { return b ? gcd(b, a % b) : a; }
constexpr int pw(int b, unsigned e) { int r = 1; while (e) { if (e & 1) r *= b; b *= b; e >>= 1; } return r; }
constexpr int digits(int n) { int c = 0; for (; n; n /= 10) ++c; return c; }
constexpr bool prime(int n) { for (int i = 2; i * i <= n; ++i) if (n % i == 0) return false; return n > 1; }
constexpr int collatz(int n) { int s = 0; while (n != 1) { n = n % 2 ? 3 * n + 1 : n / 2; ++s; } return s; }
constexpr int bits(unsigned x) { int c = 0; for (; x; x &= x - 1) ++c; return c; }
constexpr int sortmid(int a, int b, int c) { int v[3] = {a, b, c}; for (int i = 0; i < 3; ++i) for (int j = i + 1; j < 3; ++j) if (v[j] < v[i]) { int t = v[i]; v[i] = v[j]; v[j] = t; } return v[1]; }
constexpr int tern(int x) { return x < 0 ? -1 : x == 0 ? 0 : 1; }
constexpr int q1 = fib(10);  // = 55
constexpr int q2 = gcd(48, 36);  // = 12
constexpr int q3 = pw(3, 5);  // = 243
constexpr int q4 = digits(12345);  // = 5
constexpr int q5 = prime(97) * 10 + prime(91);  // = 10
constexpr int q6 = collatz(27);  // = 111
constexpr int q7 = bits(0xF0F);  // = 8
constexpr int q8 = sortmid(9, 2, 5);  // = 5
constexpr int q9 = tern(-4) * 100 + tern(0) * 10 + tern(8);  // = -99
}
namespace p5 {
template <class T> struct Is { static constexpr int v = 0; }; template <> struct Is<int> { static constexpr int v = 1; }; template <> struct Is<int const> { static constexpr int v = 2; }; template <> struct Is<int&> { static constexpr int v = 3; };
template <class T> constexpr int of(T&&) { return Is<T>::v; } template <class T> constexpr int lv(T&) { return Is<T>::v; } template <class T> constexpr int ex() { return Is<T>::v; } template <class T> struct Wrap { static constexpr int v = Is<T>::v; using R = T&; static constexpr int w = Is<R>::v; };
constexpr int c = 1; inline int g = 2;
constexpr int q1 = of(g);  // ? 3
constexpr int q2 = of(5);  // ? 1
constexpr int q3 = lv(g);  // ? 1
constexpr int q4 = lv(c);  // ? 2
constexpr int q5 = ex<int>();  // ? 1
constexpr int q6 = ex<int const>();  // ? 2
constexpr int q7 = ex<int&>();  // ? 3
constexpr int q8 = Wrap<int>::v;  // ? 1
constexpr int q9 = Wrap<int const>::v;  // ? 2
constexpr int q10 = Wrap<int&>::v;  // ? 3
constexpr int q11 = Wrap<int>::w;  // ? 3
constexpr int q12 = Is<decltype(c)>::v;  // ? 2
constexpr int q13 = Is<decltype(g)>::v;  // ? 1
constexpr int q14 = Is<decltype((g))>::v;  // ? 3
}
namespace p6 {
struct A { virtual int f() const { return 1; } virtual int g() { return 10; } int h() { return f() + g(); } }; struct B : A { int f() const override { return 2; } }; struct C : B { int g() override { return 30; } int f() const final { return A::f() + 4; } };
inline void run() {
A a; B b; C c; A* p = &b; A& r = c; B* q = &c;
int q1 = a.h();  // = 11
int q2 = p->h();  // = 12
int q3 = r.h();  // = 35
int q4 = q->f();  // = 5
int q5 = c.B::f();  // = 2
int q6 = b.g();  // = 10
p = &c;
int q7 = p->h();  // = 35
A s = c;
int q8 = s.h();  // = 11
}
}
namespace p7 {
struct Node { int v; Node* next; };
inline void run() {
Node c{3, nullptr}, b{2, &c}, a{1, &b}; int s = 0; for (Node* n = &a; n; n = n->next) s = s * 10 + n->v;
int q1 = s;  // = 123
a.next->next->v = 9;
int q2 = c.v;  // = 9
b.next = nullptr; s = 0; for (Node* n = &a; n != nullptr; n = n->next) ++s;
int q3 = s;  // = 2
}
}
namespace p8 {
struct T { int a[3]; int b; }; 
inline void run() {
T t{{1, 2, 3}, 4}; T u = t; u.a[1] = 9; t.a[0] += u.a[1];
int q1 = t.a[0] * 10 + t.a[1];  // = 102
auto [x, y] = t; x[2] = 50;
int q2 = t.a[2];  // = 3
int q3 = y;  // = 4
T arr[2]{}; arr[1].a[2] = 6; arr[0] = arr[1];
int q4 = arr[0].a[2];  // = 6
int q5 = arr[0].b;  // ? 0
}
}
namespace p9 {
inline void run() {
std::pair<int, char> p(3, 'a'); auto q = p; q.first++; std::swap(p, q);
int q1 = p.first;  // = 4
auto [a, b] = q;
int q2 = a + b;  // = 100
std::tuple<int, long, short> t{1, 2, 3}; std::get<1>(t) = 50; auto& [u, v, w] = t; w += 4;
int q3 = std::get<1>(t) + std::get<2>(t);  // = 57
int m = 0, n = 0; std::tie(m, n) = std::make_pair(7, 8);
int q4 = m * 10 + n;  // = 78
auto mx = std::max({3, 9, 4}); int mn = std::min(m, n);
int q5 = mx * 10 + mn;  // = 97
std::array<std::array<int, 2>, 2> g{{{1, 2}, {3, 4}}}; g[1][0] = 7;
int q6 = g[1][0] + g[0][1];  // = 9
int acc = 0; for (auto& row : g) for (int e : row) acc += e;
int q7 = acc;  // = 14
}
}
namespace p10 {
template <int N> struct Arr { int d[N]; constexpr int& operator[](int i) { return d[i]; } constexpr int operator[](int i) const { return d[i]; } constexpr int size() const { return N; } constexpr int const* begin() const { return d; } constexpr int const* end() const { return d + N; } };
constexpr int sum() { Arr<4> a{}; for (int i = 0; i < a.size(); ++i) a[i] = i * i; int s = 0; for (int x : a) s += x; return s; }
constexpr int cc() { const Arr<2> a{{5, 6}}; return a[0] * 10 + a[1]; }
constexpr int q1 = sum();  // ? 14
constexpr int q2 = cc();  // = 56
}
namespace p11 {
struct Vec { int x = 0, y = 0; friend constexpr Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y}; } friend constexpr int dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y; } };
template <class T> constexpr int dot(T, T) { return -1; }
constexpr int q1 = dot(Vec{1, 2}, Vec{3, 4});  // ? 11
constexpr int q2 = dot(1, 2);  // = -1
constexpr int q3 = (Vec{1, 2} + Vec{5, 6}).y;  // ? 8
}
namespace p12 {
constexpr int over(int) { return 1; } constexpr int over(unsigned) { return 2; } constexpr int over(long) { return 3; } constexpr int over(double) { return 4; } constexpr int over(char) { return 5; } constexpr int over(bool) { return 6; } constexpr int over(void*) { return 7; } constexpr int over(std::nullptr_t) { return 8; }
constexpr int q1 = over(1);  // = 1
constexpr int q2 = over(1u);  // = 2
constexpr int q3 = over('a');  // = 5
constexpr int q4 = over(true);  // = 6
constexpr int q5 = over(2 > 1);  // = 6
constexpr int q6 = over('a' + 'b');  // = 1
constexpr int q7 = over(1u + 1);  // = 2
constexpr int q8 = over(1L * 1);  // = 3
constexpr int q9 = over(sizeof(int) > 3);  // = 6
constexpr int q10 = over(nullptr);  // = 8
constexpr int q11 = over(1.5f);  // = 4
constexpr int q12 = over(short(1));  // = 1
constexpr int q13 = over(~0u);  // = 2
constexpr int q14 = over(true ? 1 : 'a');  // ? 1
constexpr int q15 = over(!5);  // = 6
}
namespace p13 {
inline void run() {
unsigned a = 3; int b = -5; 
int q1 = a + b > 0;  // = 1
int q2 = a * b < 0;  // = 0
int q3 = (b < a);  // = 0
int q4 = b / 2 * 2 == b;  // = 0
int q5 = b % 3;  // = -2
int q6 = (b >> 1);  // = -3
int q7 = a - 4 > 100;  // = 1
unsigned char c = 200; c += 100; 
int q8 = c;  // = 44
c = c << 3;
int q9 = c;  // = 96
short s = 32767; s++;
int q10 = s;  // = -32768
long l = 1L << 40; int t = l >> 35;
int q11 = t;  // = 32
int sh = 1; sh <<= 5; sh |= sh >> 2;
int q12 = sh;  // = 40
bool f = 7; 
int q13 = f + 1;  // = 2
char ch = 'x' + 1;
int q14 = ch;  // = 121
unsigned long ul = -1; 
int q15 = ul > 0;  // ? 1
int neg = -7; neg /= 2; neg %= 2;
int q16 = neg;  // ? -1
}
}

int main() { p0::run(); p1::run(); p2::run(); p3::run(); p6::run(); p7::run(); p8::run(); p9::run(); p13::run(); }
