// What else the language has. Behind a line stands what g++ computes.
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
constexpr int f(int n) { int i = n; int r = i++ * 10; r += --i; return r * 100 + i; }
constexpr int q1 = f(3);  // = 3303
}
namespace p1 {
constexpr int f() { int a = 5; int& r = a; r += 3; r *= 2; r -= 1; r /= 3; r %= 4; r <<= 3; r >>= 1; r |= 9; r &= 13; r ^= 6; return a; }
constexpr int q1 = f();  // = 11
}
namespace p2 {
constexpr int f(int n) { int s = 0; switch (n) { case 1: s += 1; [[fallthrough]]; case 2: s += 10; break; case 3: { s += 100; } default: s += 1000; } return s; }
constexpr int q1 = f(1);  // = 11
constexpr int q2 = f(2);  // = 10
constexpr int q3 = f(3);  // = 1100
constexpr int q4 = f(9);  // = 1000
}
namespace p3 {
constexpr int f(int n) { int s = 0; do { s += n; if (s > 20) break; if (s % 2) continue; s += 1; } while (--n > 0); return s; }
constexpr int q1 = f(3);  // = 7
constexpr int q2 = f(9);  // = 24
}
namespace p4 {
int f(int n) { int s = 0; again: s += n; if (--n > 0) goto again; return s; }
inline void run() {
int q = f(4);
int q1 = q;  // ? 10
int s = 0, k = 3; loop: s += k; if (--k) goto loop;
int q2 = s;  // ? 6
int q3 = k;  // ? 0
}
}
namespace p5 {
struct D { int a = 1; int b = a + 2; int c = b * a; };
constexpr D d; constexpr D e{5}; constexpr D g{.b = 7};
constexpr int q1 = d.c;  // = 3
constexpr int q2 = e.c;  // = 35
constexpr int q3 = e.b;  // = 7
constexpr int q4 = g.c;  // = 7
}
namespace p6 {
struct S { static int count; static constexpr int arr[] = {3, 1, 4, 1, 5}; static constexpr int n = sizeof(arr) / sizeof(arr[0]); int id; }; int S::count = 0;
constexpr int q1 = S::n;  // ? 5
constexpr int q2 = S::arr[4];  // = 5
constexpr int q3 = S::arr[S::arr[1]];  // = 1
inline void run() {
S::count = 5; S::count += 2;
int q4 = S::count;  // ? 7
S s; s.count++;
int q5 = S::count;  // ? 8
}
}
namespace p7 {
enum class E : unsigned char { a = 3, b, c = a + b }; enum F { x = -2, y, z };
constexpr int q1 = int(E::c);  // = 7
constexpr int q2 = y;  // = -1
constexpr int q3 = z;  // = 0
constexpr int q4 = static_cast<int>(E::b) * 2;  // = 8
constexpr int q5 = sizeof(E);  // = 1
constexpr int q6 = E::a < E::b;  // = 1
constexpr int q7 = x < 0u;  // ? 0
}
namespace p8 {
template <class T, int N = sizeof(T), class U = T> struct A { static constexpr int v = N * 10 + sizeof(U); }; template <class T> struct A<T, 4> { static constexpr int v = 7; }; template <class T, class U> struct A<T*, 8, U> { static constexpr int v = 8; };
constexpr int q1 = A<int>::v;  // = 7
constexpr int q2 = A<char>::v;  // = 11
constexpr int q3 = A<int*>::v;  // = 8
constexpr int q4 = A<char, 2, long>::v;  // = 28
constexpr int q5 = A<short, 4>::v;  // = 7
}
namespace p9 {
template <template <class, class> class P, class X> struct Ap { static constexpr int v = P<X, char>::v; }; template <class A, class B> struct Sz { static constexpr int v = sizeof(A) * 10 + sizeof(B); };
constexpr int q1 = Ap<Sz, int>::v;  // = 41
}
namespace p10 {
template <class T> constexpr int width = sizeof(T); template <class T> constexpr int width<T*> = 100; template <int N> constexpr int fact = N * fact<N - 1>; template <> constexpr int fact<0> = 1;
constexpr int q1 = width<int>;  // ? 4
constexpr int q2 = width<int*>;  // ? 100
constexpr int q3 = fact<5>;  // ? 120
}
namespace p11 {
template <class... T> constexpr int cnt = sizeof...(T); template <class... T> constexpr int tot = (sizeof(T) + ... + 0);
constexpr int q1 = cnt<int, char>;  // = 2
constexpr int q2 = tot<int, char, long>;  // = 13
constexpr int q3 = tot<>;  // = 0
}
namespace p12 {
template <class T> concept Sm = sizeof(T) < 4; template <class T> concept In = std::is_integral_v<T>; template <class T> constexpr int k(T) { return 0; } template <Sm T> constexpr int k(T) { return 1; } template <class T> requires (Sm<T> && In<T>) constexpr int k(T) { return 2; }
constexpr int q1 = k(1);  // = 0
constexpr int q2 = k('a');  // ? 2
constexpr int q3 = k(1.0);  // = 0
}
namespace p13 {
template <class T> constexpr int g(T t) { if constexpr (requires { t.size(); }) return 1; else if constexpr (requires { t + 1; }) return 2; else return 3; } struct Has { int size() const; }; struct None {};
constexpr int q1 = g(Has{});  // ? 1
constexpr int q2 = g(4);  // ? 2
constexpr int q3 = g(None{});  // ? 3
}
namespace p14 {
template <class D> struct Base { constexpr int run() const { return self().impl() * 2; } constexpr D const& self() const { return static_cast<D const&>(*this); } }; struct X : Base<X> { int n = 4; constexpr int impl() const { return n + 1; } };
constexpr int q1 = X{}.run();  // = 10
inline void run() {
X x; x.n = 9;
int q2 = x.run();  // = 20
}
}
namespace p15 {
namespace lib { struct T { int v; }; constexpr int get(T t) { return t.v; } constexpr int get(int) { return -1; } namespace deep { constexpr int k = 3; } } namespace al = lib::deep; using lib::T; namespace ver { inline namespace v2 { constexpr int n = 2; } namespace v1 { constexpr int n = 1; } }
constexpr int q1 = get(lib::T{5});  // ? 5
constexpr int q2 = get(T{6});  // ? 6
constexpr int q3 = al::k;  // = 3
constexpr int q4 = ver::n;  // = 2
constexpr int q5 = ver::v1::n;  // = 1
constexpr int q6 = lib::get(3);  // = -1
}
namespace p16 {
struct R { int n, d; explicit constexpr R(int a, int b = 1) : n(a), d(b) {} constexpr operator int() const { return n / d; } constexpr R operator*(R o) const { return R(n * o.n, d * o.d); } constexpr bool operator==(R const& o) const { return n * o.d == d * o.n; } constexpr bool operator<(R const& o) const { return n * o.d < d * o.n; } };
constexpr int q1 = R(7, 2);  // = 3
constexpr int q2 = (R(3, 2) * R(4)).n;  // = 12
constexpr int q3 = R(1, 2) == R(2, 4);  // = 1
constexpr int q4 = R(1, 2) != R(2, 4);  // = 0
constexpr int q5 = R(1, 3) < R(1, 2);  // = 1
constexpr int q6 = int(R(9, 2)) + 1;  // = 5
}
namespace p17 {
struct L { int n = 0; constexpr L(std::initializer_list<int> l) { for (int x : l) n = n * 10 + x; } constexpr L(int a, int b) : n(a - b) {} };
constexpr int q1 = L{1, 2}.n;  // ? 12
constexpr int q2 = L(1, 2).n;  // = -1
constexpr int q3 = L{4}.n;  // ? 4
}
namespace p18 {
union U { int i; unsigned u; char c; }; struct V { union { int a; float b; }; int k; };
constexpr int q1 = sizeof(U);  // = 4
constexpr int q2 = sizeof(V);  // = 8
constexpr int q3 = alignof(U);  // = 4
inline void run() {
U u; u.i = 7;
int q4 = u.i;  // = 7
}
}
namespace p19 {
constexpr int q1 = ~5;  // = -6
constexpr int q2 = -7 / 2;  // = -3
constexpr int q3 = -7 % 3;  // = -1
constexpr int q4 = -8 >> 1;  // = -4
constexpr int q5 = (1 << 4) | 3;  // = 19
constexpr int q6 = 0x1F & 0b1010;  // = 10
constexpr int q7 = 017 + 1;  // = 16
constexpr int q8 = 1'000'000 / 1'000;  // = 1000
constexpr int q9 = 'b' - 'a';  // = 1
constexpr int q10 = '\n';  // = 10
constexpr int q11 = '\x41';  // = 65
constexpr int q12 = u'A' + 0;  // ? 65
constexpr int q13 = 5u - 6u > 0;  // = 1
constexpr int q14 = sizeof(1ull);  // = 8
constexpr int q15 = sizeof(1.0f);  // = 4
constexpr int q16 = sizeof('a');  // = 1
constexpr int q17 = sizeof(true + true);  // = 4
constexpr int q18 = sizeof(short(1) + short(1));  // = 4
constexpr int q19 = sizeof(L'a');  // ? 4
}
namespace p20 {
constexpr int q1 = (unsigned char)300;  // = 44
constexpr int q2 = (signed char)200;  // = -56
constexpr int q3 = (short)70000;  // = 4464
constexpr int q4 = short(40000) < 0;  // = 1
constexpr int q5 = (unsigned char)250 + (unsigned char)10;  // = 260
constexpr int q6 = -1 < 1u;  // = 0
constexpr int q7 = -1L < 1u;  // = 1
constexpr int q8 = (unsigned)-1 > 5;  // = 1
constexpr int q9 = 3 / 2 * 2.0;  // ? 2
constexpr int q10 = int(3.9);  // ? 3
constexpr int q11 = int(-3.9);  // ? -3
constexpr int q12 = true + true;  // = 2
constexpr int q13 = !5 + 2;  // = 2
constexpr int q14 = 7 & 3 == 3;  // = 1
constexpr int q15 = 1 + 2 << 3;  // = 24
constexpr int q16 = 10 - 3 - 2;  // = 5
constexpr int q17 = 2 * 3 % 4;  // = 2
constexpr int q18 = 5 > 3 > 1;  // = 0
constexpr int q19 = 1 ? 2 : 3 ? 4 : 5;  // = 2
constexpr int q20 = (5, 6);  // = 6
constexpr int q21 = 0 || 2 && 0;  // = 0
}
namespace p21 {
constexpr unsigned u = 0xFFFFFFFFu; constexpr unsigned long ul = -1; constexpr int mn = -2147483647 - 1; constexpr unsigned char uc = 255;
constexpr int q1 = u + 1 == 0;  // = 1
constexpr int q2 = u * u;  // = 1
constexpr int q3 = ul == 0xFFFFFFFFFFFFFFFFul;  // ? 1
constexpr int q4 = uc + 1;  // = 256
constexpr int q5 = (unsigned char)(uc + 1);  // = 0
constexpr int q6 = mn < 0;  // = 1
constexpr int q7 = u >> 31;  // = 1
constexpr int q8 = (int)u;  // = -1
constexpr int q9 = ~uc;  // = -256
constexpr int q10 = -u;  // = 1
constexpr int q11 = uc << 4;  // = 4080
}
namespace p22 {
struct P { char a; int b; short c; double d; char e[3]; };
constexpr int q1 = sizeof(P);  // = 32
constexpr int q2 = offsetof(P, b);  // = 4
constexpr int q3 = offsetof(P, c);  // = 8
constexpr int q4 = offsetof(P, d);  // = 16
constexpr int q5 = offsetof(P, e);  // = 24
constexpr int q6 = alignof(P);  // = 8
constexpr int q7 = sizeof(P::e);  // ? 3
constexpr int q8 = sizeof(P[2]);  // ? 64
constexpr int q9 = sizeof(((P*)0)->d);  // = 8
constexpr int q10 = alignof(double);  // = 8
constexpr int q11 = sizeof(int(*)(int));  // = 8
constexpr int q12 = sizeof(int&);  // = 4
constexpr int q13 = sizeof(P*);  // = 8
constexpr int q14 = sizeof(char[7]);  // = 7
constexpr int q15 = alignof(std::max_align_t);  // ? 16
}
namespace p23 {
#define AA 3
#define BB (AA * 2)
#if BB > 5 && defined(AA) && !defined(CC)
constexpr int r = 1;
#else
constexpr int r = 2;
#endif
#if AA == 3 ? 0 : 1
constexpr int t = 1;
#elif (AA << 2) == 12
constexpr int t = 2;
#endif
#ifndef AA
constexpr int w = 1;
#else
constexpr int w = 2;
#endif
#if -1 > 0u
constexpr int z = 1;
#else
constexpr int z = 2;
#endif
constexpr int q1 = r;  // = 1
constexpr int q2 = t;  // ? 2
constexpr int q3 = w;  // = 2
constexpr int q4 = z;  // = 1
}
namespace p24 {
#define EMPTY
#define REPEAT(m) m(1) m(2) m(3)
#define ADD(n) + n
#define DEF(n) constexpr int val##n = n * n;
REPEAT(DEF)
constexpr int q1 = 0 REPEAT(ADD);  // ? 6
constexpr int q2 = val2 + val3;  // = 13
constexpr int q3 = 5 EMPTY - 2;  // = 3
}
namespace p25 {
#define CAT(a, b) a##b
#define CAT2(a, b) CAT(a, b)
#define N1 4
#define N14 99
#define SUM(...) sum(__VA_ARGS__)
#define FIRST(a, ...) a
#define COUNT(...) COUNT_(__VA_ARGS__, 3, 2, 1)
#define COUNT_(a, b, c, n, ...) n
#define SQ(x) x * x
#define MAX(a, b) ((a) > (b) ? (a) : (b))
constexpr int sum(int a, int b = 0, int c = 0) { return a + b * 10 + c * 100; }
constexpr int q1 = CAT(N, 1);  // = 4
constexpr int q2 = CAT2(N1, 4);  // = 44
constexpr int q3 = SUM(1, 2, 3);  // = 321
constexpr int q4 = FIRST(7, 8, 9);  // ? 7
constexpr int q5 = COUNT(a, b);  // ? 2
constexpr int q6 = SQ(1 + 2);  // = 5
constexpr int q7 = MAX(3, 2 + 4) * 2;  // = 12
#undef N1
#define N1 5
constexpr int q8 = N1;  // = 5
#define N2 N1 + 1
constexpr int q9 = N2 * 2;  // = 7
#undef N1
#define N1 7
constexpr int q10 = N2 * 2;  // = 9
}
namespace p26 {
template <class T> constexpr int kind(T&) { return std::is_const_v<T> ? 1 : 2; } template <class T> constexpr int fw(T&&) { return std::is_lvalue_reference_v<T> ? 1 : std::is_same_v<T, int> ? 2 : 3; } template <class T> constexpr int val(T) { return std::is_const_v<T> ? 1 : std::is_same_v<T, int> ? 2 : 3; }
constexpr int ci = 4; inline int gi = 5;
constexpr int q1 = kind(ci);  // ? 1
constexpr int q2 = fw(3);  // ? 2
constexpr int q3 = fw(ci);  // ? 1
constexpr int q4 = val(ci);  // ? 2
constexpr int q5 = val(3L);  // ? 3
inline void run() {
int li = 5; 
int q6 = kind(li);  // ? 2
int q7 = fw(li);  // ? 1
int q8 = val(li);  // ? 2
int q9 = fw(li + 1);  // ? 2
}
}
namespace p27 {
inline void run() {
int y = 4; int x = 0; x = (y += 5);
int q1 = x;  // = 9
int q2 = y;  // = 9
}
}
namespace p28 {
inline void run() {
int y = 4; int x = 0; x = (y = 5, y * 2);
int q1 = x;  // = 10
int q2 = y;  // = 5
}
}
namespace p29 {
inline void run() {
int y = 4; int x = (y = 5, y * 2);
int q1 = x;  // = 10
int q2 = y;  // = 5
}
}
namespace p30 {
inline void run() {
int y = 4; int x = (y += 5, y * 2);
int q1 = x;  // = 18
int q2 = y;  // = 9
}
}
namespace p31 {
inline void run() {
int y = 4; int x = 0; y++, x = y;
int q1 = x;  // = 5
int q2 = y;  // = 5
}
}
namespace p32 {
inline void run() {
int y = 4; int x = 0; x = y += 3;
int q1 = x;  // = 7
int q2 = y;  // = 7
}
}
namespace p33 {
inline void run() {
int y = 4; int x = 1; y += x += 3;
int q1 = x;  // = 4
int q2 = y;  // = 8
}
}
namespace p34 {
inline void run() {
int y = 4; int x = (y = 5, 7);
int q1 = x;  // = 7
int q2 = y;  // = 5
}
}
namespace p35 {
inline void run() {
int y = 4; int x = (y = 5, y);
int q1 = x;  // = 5
int q2 = y;  // = 5
}
}
namespace p36 {
inline void run() {
int y = 4, z = 1; int x = (z = 5, y);
int q1 = x;  // = 4
int q2 = y;  // = 4
int q3 = z;  // = 5
}
}
namespace p37 {
inline void run() {
int y = 4, z = 1; int x = (z = 5, y * 2);
int q1 = x;  // = 8
int q2 = y;  // = 4
int q3 = z;  // = 5
}
}
namespace p38 {
inline void run() {
int y = 4, z = 1; int x = (z = 5, y + 2);
int q1 = x;  // = 6
int q2 = y;  // = 4
int q3 = z;  // = 5
}
}
namespace p39 {
constexpr int f(int y) { int x = (y = 5, y * 2); return x * 100 + y; }
constexpr int q1 = f(4);  // = 1005
}
namespace p40 {
constexpr int f(int y) { int x = 0; x = y = 5; return x * 100 + y; }
constexpr int q1 = f(4);  // = 505
}
namespace p41 {
constexpr int f(int y) { int x = 0; y = 5, x = y; return x * 100 + y; }
constexpr int q1 = f(4);  // = 505
}
namespace p42 {
struct Op { int v; constexpr int operator[](int i) const { return v * i; } };
constexpr Op o{4};
constexpr int g(Op x) { return x[3]; }
constexpr int q1 = o[3];  // = 12
constexpr int q2 = g(o);  // = 12
constexpr int q3 = Op{4}[3];  // ? 12
}
namespace p43 {
constexpr int f(int y) { int x = (y++, y = 7, y * 2); return x * 100 + y; }
constexpr int q1 = f(4);  // = 1407
}
// Extents of arrays that a call deduces, and sizes of arrays outside of functions.
namespace extents {
template <class T, int N> constexpr int len(T (&)[N]) { return N; }
template <class T, std::size_t N> constexpr int of_constants(T const (&)[N]) { return N; }
template <int N> constexpr int sum(int const (&a)[N]) { int s = 0; for (int x : a) s += x; return s; }
template <class T, std::size_t N> constexpr int last(T (&a)[N]) { return a[N - 1]; }
constexpr int arr[5] = {1, 2, 3, 4, 5};
constexpr int q0 = len(arr);  // = 5
constexpr int q1 = of_constants(arr);  // = 5
constexpr int q2 = sum(arr);  // = 15
constexpr int q3 = sizeof(arr);  // = 20
constexpr int h() { int b[3] = {4, 5, 6}; return len(b) * 10 + last(b); }
constexpr int q4 = h();  // = 36
constexpr int q5 = sum({1, 2, 3});  // ? 6
constexpr int fixed(int const (&a)[3]) { return a[0] + a[2]; }
constexpr int i() { int b[3] = {4, 5, 6}; return fixed(b); }
constexpr int q6 = i();  // = 10
}
// A block gives a namespace another name.
namespace renamed {
namespace deep { namespace er { constexpr int k = 6; constexpr int f(int a) { return a * k; } } }
namespace other { constexpr int k = 7; }
namespace x = other;
constexpr int f() { int s = x::k; { namespace x = deep::er; s = s * 100 + x::f(2) + x::k; } return s * 10 + x::k; }
constexpr int q0 = f();  // = 7187
}

namespace returned {
constexpr auto narrow = [](unsigned char x) -> signed char { return x + 100; };
constexpr int q0 = narrow(100);  // = -56
constexpr auto wide = [](int x) -> unsigned char { return x; };
constexpr int q1 = wide(300);  // = 44
enum class Op { add, mul };
constexpr Op chosen(bool is_product) { return is_product ? Op::mul : Op::add; }
template <Op op> struct Place { static constexpr int v = static_cast<int>(op) + 5; };
constexpr int q2 = Place<chosen(true)>::v;  // = 6
constexpr int q3 = Place<chosen(false)>::v;  // = 5
}
int main() { p4::run(); p6::run(); p14::run(); p18::run(); p26::run(); p27::run(); p28::run(); p29::run(); p30::run(); p31::run(); p32::run(); p33::run(); p34::run(); p35::run(); p36::run(); p37::run(); p38::run(); }
