// Effects that hide in expressions, declarations, macros and other functions. Behind a line stands what g++ computes.
#include <array>
#include <tuple>
#include <utility>

// Cases that macros and `#if` make.
#define PICK(n) case n: return n * 10;
#define SET(n) case n: r = n + 20; break;
#define FALL(n) case n: r += n;
#define RET(n) case n: return n * 2;
constexpr int picked(int k) { switch (k) { PICK(1) PICK(2) } return -1; }
constexpr int set(int k) { int r = 7; switch (k) { SET(1) SET(2) default: r = 5; } return r; }
constexpr int fallen(int k) { int r = 100; switch (k) {
  FALL(1)
  FALL(2)
  break;
  FALL(3)
  }
  return r; }
constexpr int in_one_line(int k) { switch (k) { RET(3) RET(4) return 1; } return 0; }
constexpr int in_lines(int k) {
  switch (k) {
    PICK(4)
    PICK(5)
    default: return 9;
  }
}
constexpr int under_a_condition(int k) {
  switch (k) {
#if 1
    case 1: return 11;
#else
    case 1: return 12;
#endif
#ifdef NOT_DEFINED
    case 3: return 33;
#endif
    case 2: return 22;
  }
  return 99;
}
constexpr int nested(int k) { int r = 0; switch (k) { case 2: { int b = 3; r = b; } default: r += 3; } return r; }
constexpr int into_a_loop(int n) {
  int r = 0;
  switch (n % 4) {
    case 0: do { r += 1;
    case 3: r += 10;
    case 2: r += 100;
    case 1: r += 1000;
    } while ((n -= 4) > 0);
  }
  return r;
}
constexpr int case_1 = picked(1);  // = 10
constexpr int case_2 = picked(2);  // = 20
constexpr int case_3 = picked(3);  // = -1
constexpr int case_4 = set(2);  // = 22
constexpr int case_5 = set(3);  // = 5
constexpr int case_6 = fallen(1);  // = 103
constexpr int case_7 = fallen(2);  // = 102
constexpr int case_8 = fallen(3);  // = 103
constexpr int case_9 = fallen(4);  // = 100
constexpr int case_10 = in_one_line(3);  // = 6
constexpr int case_11 = in_one_line(4);  // = 8
constexpr int case_12 = in_one_line(5);  // = 0
constexpr int case_13 = in_lines(4);  // = 40
constexpr int case_14 = in_lines(5);  // = 50
constexpr int case_15 = in_lines(6);  // = 9
constexpr int case_16 = under_a_condition(1);  // = 11
constexpr int case_17 = under_a_condition(2);  // = 22
constexpr int case_18 = under_a_condition(3);  // = 99
constexpr int case_19 = nested(2);  // = 6
constexpr int case_20 = into_a_loop(7);  // ? 2221
constexpr int case_21 = into_a_loop(4);  // ? 1111

int counted = 0;
struct Held { mutable int n = 0; int m = 3; int get() const { n += m; return n; } int peek() const { return n; } };
int handed(Held const& h) { return h.get(); }
struct Kept { static inline int n = 5; static void up() { n += 3; } Kept() { n += 1; } ~Kept() { counted += 2; } };
struct Derived : Kept {};
namespace space { int n = 3; }
int stepped() { static int n = 3; return n += 2; }
int tripled(int x) { return x *= 3; }
int& larger(int& x, int& y) { return x < y ? y : x; }
int triple(int x) { return x * 3; }
int twice(int x) { return x * 2; }
struct Named { int (*fn)(int); };
void rename(Named& n) { n.fn = twice; }
int tried(int x) { try { if (x > 2) throw x; return 1; } catch (int e) { return e * 10; } }
int around(int x) try { if (x) throw 1; return 2; } catch (...) { return 4; }

// A value that is assigned is that of its target.
namespace assigned {
inline void run() {
int x = 4; int y = (x += 2);
int a1 = y;  // = 6
int a2 = x;  // = 6
unsigned char c; int z = (c = 300);
int a3 = z;  // = 44
int a4 = (x -= 1) * 2;  // = 10
int a5 = tripled(5);  // = 15
int a6 = tripled(x += 1);  // = 18
int v[2] = {3, 4}; int w = v[0] += v[1];
int a7 = w;  // = 7
bool a8 = (x %= 4) > 0;  // = true
unsigned char u = 250; int t = (u += 10);
int a9 = t;  // = 4
int a10 = -(x = 9);  // = -9
}
}
// Conditions that are declarations are made again for each pass.
namespace conditions {
inline void run() {
int x = 22; while (int d = x % 4) { x -= d; }
int b1 = x;  // = 20
int s = 0; int k = 9; while (int d = k / 2) { if (d == 1) { k = 0; continue; } k = d; }
int b3 = k;  // = 0
if (int q = x + 1; q > 3) { s = q; } else { s = 0; }
int b4 = s;  // = 21
}
}
// Data that other functions change.
namespace elsewhere {
inline void run() {
Held h; h.get();
int c1 = h.n;  // = 3
int c2 = h.peek();  // = 3
const Held k; k.get();
int c3 = k.peek();  // = 3
Held g; handed(g);
int c4 = g.n;  // = 3
int b = Kept::n; { Kept q; Kept::up(); }
int c5 = Kept::n - b;  // ? 4
int d = counted; { Kept q; }
int c6 = counted - d;  // ? 2
int e = Derived::n; Kept::n = 60;
int c7 = Derived::n - e > 40;  // ? 1
int o = space::n; space::n = 8;
int c8 = space::n - o;  // ? 5
int s = stepped();
int c9 = stepped() - s;  // ? 2
Named n{triple}; n.fn = twice;
int c10 = n.fn(1);  // ? 2
Named m{triple}; rename(m);
int c11 = m.fn(1);  // ? 2
Named l{triple}; l = Named{twice};
int c12 = l.fn(1);  // ? 2
Named i{triple}; auto change = [&] { i.fn = twice; }; change();
int c13 = i.fn(1);  // ? 2
}
}
// Results of functions and lambdas that are variables.
namespace variables {
inline void run() {
int a = 1, b = 2; auto pick = [&](bool c) -> auto& { return c ? a : b; }; pick(false) += 7;
int d1 = b;  // = 9
auto select = [&](int i) -> int& { if (i) return a; return b; }; select(0) = 33;
int d2 = b;  // = 33
auto give = [&]() -> decltype(auto) { return (a); }; int before = a; give() = 9;
int d3 = a - before;  // ? 8
larger(a, b) = 5;
int d4 = b;  // ? 5
std::array<int, 2> v{5, 6}; auto at = v.begin(); *at = 44;
int d5 = v[0];  // ? 44
std::array<int, 2> w{1, 2}; std::apply([](int& x, int& y) { x = y + 2; }, w);
int d6 = w[0];  // ? 4
auto t = std::make_tuple(1, 2); std::apply([](auto&... x) { ((x += 5), ...); }, t);
int d7 = std::get<0>(t);  // ? 6
}
}
// What is thrown is not followed.
namespace thrown {
inline void run() {
int e1 = tried(1);  // ? 1
int e2 = tried(5);  // ? 50
int e3 = around(1);  // ? 4
int a = 0; try { a = 1; if (e1) throw 3; a = 2; } catch (int e) { a += e * 10; }
int e4 = a;  // ? 31
int b = 5; try { b = 6; } catch (...) { b = 7; }
int e5 = b;  // ? 6
}
}

int main() { assigned::run(); conditions::run(); elsewhere::run(); variables::run(); thrown::run(); }
