// Classes, their bases, operators and conversions, and functions with packs. Behind a line stands what g++ computes.
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
struct Bits { unsigned x : 3; int y : 4; unsigned z : 6; }; constexpr Bits bits{9, 12, 30};
constexpr int q1 = sizeof(Bits);  // = 4
constexpr int q2 = bits.x;  // = 1
constexpr int q3 = bits.y + bits.z;  // = 26
}
namespace p1 {
struct Wide { unsigned a : 20; unsigned b : 20; }; struct Narrow { char a : 1; int b : 3; }; struct Cut { int a : 3; int : 0; int b : 3; };
constexpr int q1 = sizeof(Wide);  // = 8
constexpr int q2 = sizeof(Narrow);  // = 4
constexpr int q3 = sizeof(Cut);  // = 8
}
namespace p2 {
struct Low { int v = 11; constexpr int f() const { return 12; } constexpr int g() const { return f() + 10; } }; struct High : Low { int w = 13; constexpr int f() const { return 14; } }; constexpr int by_reference(Low const& x) { return x.f() + x.v; } constexpr int by_value(Low x) { return x.f(); }
constexpr int q1 = by_reference(High{});  // = 23
constexpr int q2 = by_value(High{});  // = 12
constexpr int q3 = High{}.g();  // = 22
constexpr int q4 = High{}.f();  // = 14
constexpr int q5 = High{}.Low::f();  // = 12
constexpr int q6 = High{}.v + High{}.w;  // = 24
}
namespace p3 {
struct One { int both = 1; static constexpr int kept = 2; }; struct Two { int both = 3; static constexpr int kept = 4; }; struct Each : One, Two { int own = 7; };
constexpr int q1 = Each{}.One::both;  // = 1
constexpr int q2 = Each{}.Two::both;  // = 3
constexpr int q3 = Each::Two::kept;  // = 4
constexpr int q4 = Each::One::kept;  // = 2
constexpr int q5 = Each{}.own;  // = 7
constexpr int q6 = sizeof(Each);  // = 12
}
namespace p4 {
struct Top { static constexpr int v = 1; using T = char; }; struct Mid : Top { static constexpr int v = 2; }; struct Bottom : Mid { using T = long; };
constexpr int q1 = Bottom::v;  // = 2
constexpr int q2 = sizeof(Bottom::T);  // = 8
constexpr int q3 = sizeof(Mid::T);  // = 1
constexpr int q4 = Bottom::Top::v;  // = 1
constexpr int q5 = Bottom{}.v;  // = 2
}
namespace p5 {
union Either { int i; char c[8]; }; union Other { long l; short s; }; struct alignas(32) Aligned { char c; };
constexpr int q1 = sizeof(Either);  // = 8
constexpr int q2 = alignof(Other);  // = 8
constexpr int q3 = sizeof(Aligned);  // = 32
}
namespace p6 {
struct Inner { int a = 1; int b = 2; }; struct Nest { int a; Inner in; int c = 3; }; constexpr Nest n1{1}; constexpr Nest n2{1, {4}, 3};
constexpr int q1 = n1.in.b + n1.c;  // = 5
constexpr int q2 = n2.in.a * 100 + n2.in.b;  // = 402
constexpr int q3 = n2.c;  // = 3
constexpr int q4 = Nest{4}.in.a;  // = 1
}
namespace p7 {
struct Named { int a = 1; int b = 2; int c = 3; }; constexpr Named d1{.a = 5, .b = 6}; constexpr Named d2{.b = 4};
constexpr int q1 = d1.a * 100 + d1.b;  // = 506
constexpr int q2 = d1.c;  // = 3
constexpr int q3 = d2.a;  // = 1
constexpr int q4 = d2.b;  // = 4
}
namespace p8 {
struct Op { int v; constexpr int operator()(int x, int y = 3) const { return v + x * y; } constexpr int operator*() const { return -v; } constexpr int operator-(Op o) const { return v - o.v; } constexpr int operator[](int i) const { return v * i; } constexpr bool operator==(Op o) const { return v % 5 == o.v % 5; } };
constexpr int q1 = Op{4}(2);  // = 10
constexpr int q2 = Op{4}(2, 5);  // = 14
constexpr int q3 = Op{9} - Op{1};  // = 8
constexpr int q4 = Op{4}[3];  // ? 12
constexpr int q5 = Op{4} == Op{9};  // = 1
constexpr int q6 = *Op{4};  // = -4
}
namespace p9 {
struct Friends { int a, b; friend constexpr int operator+(Friends x, Friends y) { return x.a * y.b + 1; } friend constexpr int sum_of(Friends x) { return x.a + 2; } };
constexpr int q1 = Friends{3, 5} + Friends{2, 4};  // ? 13
constexpr int q2 = sum_of(Friends{3, 5});  // ? 5
}
namespace p10 {
enum Small : unsigned char { s0, s1 = 3, s2, s3 = s1 + 10 }; enum class Kind : short { p = -1, q, r = 4 };
constexpr int q1 = s2 * 100 + s3;  // = 413
constexpr int q2 = sizeof(Small);  // = 1
constexpr int q3 = sizeof(Kind);  // = 2
constexpr int q4 = int(Kind::q);  // = 0
constexpr int q5 = static_cast<int>(Kind::r);  // = 4
}
namespace p11 {
struct Stat { static constexpr int f(int) { return 1; } }; struct Hides : Stat { static constexpr int f(char) { return 2; } }; struct Takes : Stat { using Stat::f; static constexpr int f(char) { return 2; } };
constexpr int q1 = Hides::f(1);  // = 2
constexpr int q2 = Takes::f(1);  // ? 1
constexpr int q3 = Takes::f('a');  // ? 2
}
namespace p12 {
struct Low { int v = 11; int both = 5; int f() const { return 12; } int seen() const { return v; } void set(int x) { v = x; } };
struct High : Low { int w = 2; int f() const { return 77; } };
struct Hides : Low { int both = 6; };
struct Base { int k = 1; virtual int id() const { return 1; } int call() const { return id(); } };
struct Derived : Base { int id() const override { return 2; } };
inline void run() {
High d; Low& r = d; Low* p = &d; Low c = d; Hides h; Low& l = h;
Derived w; Base& base = w; Base cut = w;
int q1 = d.v;  // = 11
r.v = 31;
int q2 = d.v;  // = 31
p->v = 32;
int q3 = d.v;  // = 32
int q4 = r.v;  // = 32
d.set(33);
int q5 = r.v;  // = 33
int q6 = p->v;  // = 33
int q7 = c.v;  // = 11
int q8 = d.w;  // = 2
int q9 = d.f();  // = 77
int q10 = r.f();  // = 12
int q11 = p->f();  // = 12
int q12 = c.f();  // = 12
int q13 = d.seen();  // = 33
int q14 = d.Low::f();  // = 12
h.both = 44;
l.both = 45;
int q15 = h.both;  // = 44
int q16 = l.both;  // = 45
int q17 = w.call();  // = 2
int q18 = base.id();  // = 2
int q19 = cut.id();  // = 1
int q20 = r.seen();  // = 33
c = d;
int q21 = c.v;  // = 33
}
}
namespace p13 {
struct V { int x, y; constexpr V operator+(V o) const { return {x + o.x, y + o.y}; } constexpr V& operator+=(int k) { x += k; y += k; return *this; } constexpr bool operator<(V const& o) const { return x < o.x; } constexpr V operator-() const { return V{-x, -y}; } constexpr V& operator++() { ++x; return *this; } constexpr V operator++(int) { V old = *this; ++x; return old; } };
constexpr V operator*(V a, int k) { return V{a.x * k, a.y * k}; }
constexpr V operator*(int k, V a) { return V{a.x * k + 1, a.y * k}; }
constexpr V sum = V{1, 2} + V{3, 4};
constexpr int q1 = sum.x * 10 + sum.y;  // = 46
constexpr int q2 = (V{1, 2} * 3).y;  // = 6
constexpr int q3 = (3 * V{1, 2}).x;  // = 4
constexpr int q4 = (-V{1, 2}).y;  // = -2
constexpr int q5 = V{1, 2} < V{2, 1};  // = 1
inline void run() {
V v{1, 2}; v += 5; ++v; V w = v++;
int q6 = v.x;  // = 8
int q7 = w.x;  // = 7
int q8 = w.y;  // = 7
V a = v + w; a = a * 2;
int q9 = a.x;  // = 30
bool b = a < v;
int q10 = b;  // = 0
}
}
namespace p14 {
struct Conv { int v; constexpr operator int() const { return v * 2; } }; struct Bo { int v; constexpr explicit operator bool() const { return v > 3; } };
constexpr int q1 = Conv{4};  // = 8
constexpr int q2 = Conv{4} + 1;  // = 9
constexpr int q3 = (Bo{5} ? 1 : 2);  // = 1
constexpr int q4 = (Bo{1} && true);  // = 0
inline void run() {
Conv c{3}; int k = c; k += c;
int q5 = k;  // = 12
int s = 0; if (Bo b{7}) s = 1; else s = 2;
int q6 = s;  // ? 1
}
}
namespace p15 {
struct Base { int b; constexpr Base(int x) : b(x) {} constexpr int twice() const { return b * 2; } };
struct Der : Base { int d; constexpr Der(int x) : Base(x + 1), d(x) {} constexpr Der() : Der(9) {} constexpr int all() const { return twice() + d; } };
constexpr Der e{5}; constexpr Der f;
constexpr int q1 = e.b * 100 + e.d;  // = 605
constexpr int q2 = e.all();  // = 17
constexpr int q3 = f.b * 100 + f.d;  // = 1009
constexpr int q4 = Der(3).twice();  // = 8
}
namespace p16 {
struct Shape { virtual int area() const { return 0; } int doubled() const { return area() * 2; } virtual ~Shape() = default; };
struct Sq : Shape { int s; Sq(int x) : s(x) {} int area() const override { return s * s; } };
struct Rect : Sq { int h; Rect(int a, int b) : Sq(a), h(b) {} int area() const override { return s * h + Sq::area(); } };
inline void run() {
Sq q(3); Rect r(2, 5); Shape* p = &q; Shape& t = r; Sq cut = r;
int q1 = p->area();  // = 9
int q2 = t.area();  // = 14
int q3 = r.doubled();  // = 28
int q4 = cut.area();  // = 4
p = &r;
int q5 = p->doubled();  // = 28
int q6 = r.Sq::area();  // = 4
}
}
namespace p17 {
struct Shape { int k = 1; virtual int area() const { return 7; } int doubled() const { return area() * 2; } };
struct Sq : Shape { int s = 0; Sq(int x) { s = x; } int area() const override { return s * s; } };
struct Rect : Sq { int h = 0; Rect(int a, int b) : Sq(a), h(b) {} int area() const override { return s * h + Sq::area(); } };
inline void run() {
Sq q(3); Rect r(2, 5); Shape* p = &q; Shape& t = r; Sq cut = r;
int q1 = p->area();  // = 9
int q2 = t.area();  // = 14
int q3 = r.doubled();  // = 28
int q4 = cut.area();  // = 4
p = &r;
int q5 = p->doubled();  // = 28
int q6 = r.Sq::area();  // = 4
}
}
namespace p18 {
template <class... T> constexpr int sum(T... t) { return (t + ...); }
template <class... T> constexpr int subl(T... t) { return (... - t); }
template <class... T> constexpr int subr(T... t) { return (t - ...); }
template <class... T> constexpr bool all(T... t) { return (... && (t > 2)); }
template <class... T> constexpr int count(T... t) { return sizeof...(t) * 10 + sizeof...(T); }
template <int... N> constexpr int arr(int i) { int v[] = {N...}; return v[i]; }
template <class F, class... A> constexpr int apply(F f, A... a) { return f(a...); }
template <class... A> constexpr int fwd(A... a) { int v[] = {a * 2 ...}; int s = 0; for (int x : v) s += x; return s; }
constexpr int q1 = sum(1, 2, 3);  // = 6
constexpr int q2 = subl(10, 3, 2);  // = 5
constexpr int q3 = subr(10, 3, 2);  // = 9
constexpr int q4 = all(3, 4);  // = 1
constexpr int q5 = all(3, 1);  // = 0
constexpr int q6 = count(1, 'a');  // = 22
constexpr int q7 = arr<4, 5, 6>(1);  // = 5
constexpr int q8 = apply([](int a, int b) { return a * 10 + b; }, 3, 4);  // = 34
constexpr int q9 = fwd(1, 2, 3);  // = 12
}
namespace p19 {
template <int... N> struct S { static constexpr int sum = (N + ... + 0); static constexpr int prod = (N * ... * 1); static constexpr bool any = ((N > 5) || ...); static constexpr int last = (N, ...); };
constexpr int q1 = S<1, 2, 3>::sum;  // = 6
constexpr int q2 = S<2, 3>::prod;  // = 6
constexpr int q3 = S<2, 7>::any;  // = 1
constexpr int q4 = S<>::sum;  // = 0
constexpr int q5 = S<4, 9>::last;  // = 9
}
namespace p20 {
constexpr int tab[4] = {1, 2, 3, 4}; constexpr int mat[2][3] = {{1, 2, 3}, {4, 5, 6}};
constexpr int total() { int s = 0; for (int x : tab) s += x; return s; }
constexpr int nested() { int s = 0; for (auto& row : mat) for (int x : row) s = s * 2 + x; return s; }
struct T { static constexpr int data[3] = {7, 8, 9}; static constexpr int at(int i) { return data[i]; } };
constexpr int q1 = total();  // = 10
constexpr int q2 = nested();  // = 120
constexpr int q3 = tab[2];  // = 3
constexpr int q4 = mat[1][2];  // = 6
constexpr int q5 = T::at(1);  // = 8
constexpr int q6 = T::data[2];  // = 9
}
namespace p21 {
enum class Op { add, mul = 5, sub }; enum Flags : unsigned { A = 1, B = 2, C = 4 };
constexpr int run(Op o, int a, int b) { switch (o) { case Op::add: return a + b; case Op::mul: return a * b; default: return a - b; } }
constexpr unsigned mask(bool x) { unsigned m = A; if (x) m |= C; return m | B; }
constexpr int q1 = run(Op::add, 3, 4);  // = 7
constexpr int q2 = run(Op::mul, 3, 4);  // = 12
constexpr int q3 = run(Op::sub, 3, 4);  // = -1
constexpr int q4 = int(Op::sub);  // = 6
constexpr int q5 = mask(true);  // = 7
constexpr int q6 = mask(false);  // = 3
constexpr int q7 = sizeof(Op);  // = 4
constexpr int q8 = sizeof(Flags);  // = 4
constexpr int q9 = static_cast<int>(Op::mul) + 1;  // = 6
constexpr int q10 = A | C;  // = 5
}
namespace p22 {
constexpr int twice(int x) { return 2 * x; } constexpr int inc(int x) { return x + 1; }
constexpr int use(int (*f)(int), int x) { return f(f(x)); }
constexpr int q1 = use(twice, 3);  // = 12
constexpr int q2 = use(&inc, 3);  // = 5
constexpr int (*pf)(int) = inc;
constexpr int q3 = pf(4);  // = 5
inline void run() {
int (*t[2])(int) = {twice, inc};
int q4 = t[0](5);  // ? 10
int q5 = t[1](5);  // ? 6
}
}
namespace p23 {
constexpr auto add = [](int a, int b) { return a + b; };
constexpr int f(int n) { int acc = 0; auto step = [&acc](int k) { acc += k; }; for (int i = 0; i < n; ++i) step(i); return acc; }
constexpr int g() { int x = 1; auto c = [x]() mutable { x += 2; return x; }; c(); auto d = c; d(); return c() * 100 + d() * 10 + x; }
constexpr int h() { int a = 2; auto outer = [a](int b) { auto inner = [a, b](int c) { return a * 100 + b * 10 + c; }; return inner(5); }; return outer(3); }
constexpr int i() { int a = 2; auto o = [&] { auto in = [&] { a *= 5; }; in(); return a + 1; }; int r = o(); return r * 100 + a; }
constexpr int j() { auto m = [z = 3, w = 4] { return z * 10 + w; }; return m(); }
constexpr int q1 = add(3, 4);  // = 7
constexpr int q2 = f(5);  // = 10
constexpr int q3 = g();  // ? 571
constexpr int q4 = h();  // = 235
constexpr int q5 = i();  // = 1110
constexpr int q6 = j();  // = 34
}
// Each constant is made of the one before it: once.
namespace chain {
struct V { int x; constexpr V operator+(V o) const { return V{x + o.x}; } };
constexpr V c0{1};
constexpr V c1 = c0 + V{1};
constexpr V c2 = c1 + V{2};
constexpr V c3 = c2 + V{0};
constexpr V c4 = c3 + V{1};
constexpr V c5 = c4 + V{2};
constexpr V c6 = c5 + V{0};
constexpr V c7 = c6 + V{1};
constexpr V c8 = c7 + V{2};
constexpr V c9 = c8 + V{0};
constexpr V c10 = c9 + V{1};
constexpr V c11 = c10 + V{2};
constexpr V c12 = c11 + V{0};
constexpr V c13 = c12 + V{1};
constexpr V c14 = c13 + V{2};
constexpr V c15 = c14 + V{0};
constexpr V c16 = c15 + V{1};
constexpr V c17 = c16 + V{2};
constexpr V c18 = c17 + V{0};
constexpr V c19 = c18 + V{1};
constexpr V c20 = c19 + V{2};
constexpr V c21 = c20 + V{0};
constexpr V c22 = c21 + V{1};
constexpr V c23 = c22 + V{2};
constexpr V c24 = c23 + V{0};
constexpr V c25 = c24 + V{1};
constexpr V c26 = c25 + V{2};
constexpr V c27 = c26 + V{0};
constexpr V c28 = c27 + V{1};
constexpr V c29 = c28 + V{2};
constexpr V c30 = c29 + V{0};
constexpr V c31 = c30 + V{1};
constexpr V c32 = c31 + V{2};
constexpr V c33 = c32 + V{0};
constexpr V c34 = c33 + V{1};
constexpr V c35 = c34 + V{2};
constexpr V c36 = c35 + V{0};
constexpr V c37 = c36 + V{1};
constexpr V c38 = c37 + V{2};
constexpr V c39 = c38 + V{0};
constexpr V c40 = c39 + V{1};
constexpr int last = c40.x;  // = 41
}

int main() { p12::run(); p13::run(); p14::run(); p16::run(); p17::run(); p22::run(); }
