// Classes and their bases, templates, pointers to functions. Behind a line stands what g++ computes: `= 5` is known, `? 5` is not
// known or is that.

#include <array>
#include <cstddef>
#include <initializer_list>
#include <tuple>
#include <type_traits>
#include <utility>

namespace p0 {
struct B { unsigned x : 3; int y : 4; unsigned z : 6; };
struct B2 { char a : 1; int b : 3; }; struct B3 { unsigned a : 20; unsigned b : 20; }; struct B4 { int a : 3; int : 0; int b : 3; };
constexpr int s1 = sizeof(B);  // = 4
constexpr int s2 = sizeof(B2);  // = 4
constexpr int s3 = sizeof(B3);  // = 8
constexpr int s4 = sizeof(B4);  // = 8
constexpr B g{9, 9, 70};
constexpr int g1 = g.x;  // ? 1
constexpr int g2 = g.y;  // ? -7
constexpr int f(int n) { B b{}; b.x = n; b.y = n; b.x += 5; return b.x * 100 + b.y; }
constexpr int f1 = f(13);  // ? 197
inline void run() { B b{1,2,3}; b.x = 9; b.x++;
int q1 = b.x;  // ? 2
b.x += 7;
int q2 = b.x;  // ? 1
B c{9,17,64};
int q3 = c.x;  // ? 1
int q4 = c.y + c.z;  // ? 1
}
}
namespace p1 {
struct Base { int v = 1; constexpr int f() const { return 1; } constexpr int g() const { return f() + 10; } int both = 5; };
struct Der : Base { int w = 2; constexpr int f() const { return 2; } int both = 6; };
constexpr int byref(Base const& b) { return b.f(); }
constexpr int byval(Base b) { return b.f(); }
constexpr int bothof(Base const& b) { return b.both; }
constexpr int a1 = byref(Der{});  // = 1
constexpr int a2 = byval(Der{});  // = 1
constexpr int a3 = Der{}.g();  // = 11
constexpr int a4 = Der{}.Base::f();  // = 1
constexpr int a5 = Der{}.both;  // ? 6
constexpr int a6 = Der{}.Base::both;  // ? 5
constexpr int a7 = bothof(Der{});  // ? 5
inline void run() { Der d; Base& b = d; Base* p = &d; Base c = d;
int q1 = b.f();  // = 1
int q2 = p->f();  // = 1
int q3 = d.f();  // = 2
int q4 = b.both;  // ? 5
int q5 = d.both;  // ? 6
int q6 = d.Base::both;  // ? 5
int q7 = c.f();  // = 1
b.both = 50;
int q8 = d.both;  // ? 6
int q9 = static_cast<Base&>(d).both;  // ? 50
int q10 = static_cast<Base const&>(d).f();  // = 1
}
}
namespace p2 {
struct V { int k; constexpr V() : k(0) { k = id(); } constexpr virtual int id() const { return 1; } constexpr int call() const { return id(); } };
struct W : V { constexpr int id() const override { return 2; } };
inline void run() { W w; V& v = w; V c = w; V* p = &w;
int q1 = w.k;  // ? 1
int q2 = v.id();  // ? 2
int q3 = w.call();  // ? 2
int q4 = c.id();  // ? 1
int q5 = c.call();  // ? 1
int q6 = p->id();  // ? 2
int q7 = w.V::id();  // ? 1
int q8 = v.call();  // ? 2
}
}
namespace p3 {
struct AA { int both = 1; static constexpr int st = 3; int hidden() const { return 1; } int hidden(int) const { return 2; } }; struct BB { int both = 2; static constexpr int st = 4; };
struct DD : AA, BB { int own = 7; int hidden() const { return 3; } };
inline void run() { DD d;
int q1 = d.AA::both;  // ? 1
int q2 = d.BB::both;  // ? 2
int q3 = DD{}.BB::both;  // ? 2
int q4 = DD::AA::st;  // ? 3
int q5 = DD::BB::st;  // ? 4
int q6 = d.hidden();  // = 3
int q7 = d.AA::hidden(1);  // = 2
d.BB::both = 9;
int q8 = d.BB::both;  // ? 9
int q9 = static_cast<AA&>(d).both;  // ? 1
int q10 = static_cast<BB&>(d).both;  // ? 9
}
}
namespace p4 {
struct A1 { static constexpr int v = 1; using T = char; }; struct A2 : A1 { static constexpr int v = 2; }; struct A3 : A2 { using T = long; };
constexpr int b1 = A3::v;  // = 2
constexpr int b2 = sizeof(A3::T);  // = 8
constexpr int b3 = sizeof(A2::T);  // = 1
constexpr int b4 = A3::A1::v;  // ? 1
constexpr int b5 = A3{}.v;  // = 2
template <class T> struct TB { static constexpr int v = 5; int m = 8; }; template <class T> struct TD : TB<T> { static constexpr int w = TB<T>::v + 1; int n = this->m + 1; };
constexpr int b6 = TD<int>::w;  // = 6
constexpr int b7 = TD<int>{}.n;  // ? 9
union U { int i; char c[8]; }; union U2 { long l; short s; };
constexpr int b8 = sizeof(U);  // = 8
constexpr int b9 = alignof(U2);  // = 8
constexpr U u{7};
constexpr int b10 = u.i;  // = 7
constexpr int uu() { U2 u{5}; u.s = 3; return u.s; }
constexpr int b11 = uu();  // = 3
struct N { int a; struct In { int a = 4; int b = 5; } in; int c = 6; };
constexpr N n{1};
constexpr int b12 = n.in.b + n.c;  // = 11
constexpr N n2{1, {2}, 3};
constexpr int b13 = n2.in.a * 100 + n2.in.b * 10 + n2.c;  // = 253
constexpr N n3{1, 2, 3};
constexpr int b14 = n3.in.a * 100 + n3.in.b * 10 + n3.c;  // ? 236
constexpr N n4{.a = 4, .c = 9};
constexpr int b15 = n4.a * 100 + n4.in.a * 10 + n4.c;  // ? 449
}
namespace p5 {
template <class T> constexpr auto pick() { if constexpr (sizeof(T) == 1) { return char(1); } else if constexpr (sizeof(T) == 4) { return 2L; } else { return short(3); } }
constexpr int a1 = sizeof(pick<char>());  // ? 1
constexpr int a2 = sizeof(pick<int>());  // ? 8
constexpr int a3 = sizeof(pick<long>());  // ? 2
constexpr int a4 = sizeof(decltype(pick<int>()));  // ? 8
constexpr bool a5 = std::is_same_v<decltype(pick<long>()), short>;  // ? true
constexpr int a6 = pick<int>();  // = 2
template <class... T> struct Seq { static constexpr int n = sizeof...(T); };
template <class A, class B> struct Cat; template <class... A, class... B> struct Cat<Seq<A...>, Seq<B...>> { using type = Seq<A..., B...>; static constexpr int n = sizeof...(A) * 10 + sizeof...(B); };
constexpr int a7 = Cat<Seq<int, char>, Seq<long>>::n;  // = 21
constexpr int a8 = Cat<Seq<int, char>, Seq<long>>::type::n;  // = 3
template <class... A, class... B> constexpr int two(Seq<A...>, Seq<B...>) { return sizeof...(A) * 10 + sizeof...(B); }
constexpr int a9 = two(Seq<int, char>{}, Seq<long>{});  // = 21
template <int... N> struct Is { static constexpr int sum = (N + ... + 0); static constexpr int l = (... - N); static constexpr int r = (N - ...); static constexpr int li = (100 - ... - N); static constexpr int ri = (N - ... - 100); static constexpr int dv = (1000 / ... / N); static constexpr bool all = (... && (N > 0)); static constexpr bool any = ((N > 3) || ...); static constexpr int lt = (... < N); static constexpr int cm = (N, ...); static constexpr int sh = (1 << ... << N); static constexpr int mx = (N * ...); static constexpr int md = (... % N);};
constexpr int b1 = Is<7, 3, 2>::l;  // ? 2
constexpr int b2 = Is<7, 3, 2>::r;  // ? 6
constexpr int b3 = Is<7, 3, 2>::li;  // ? 88
constexpr int b4 = Is<7, 3, 2>::ri;  // ? -94
constexpr int b5 = Is<7, 3, 2>::dv;  // ? 23
constexpr bool b6 = Is<7, 3, 2>::all;  // ? true
constexpr bool b7 = Is<1, 3, 2>::any;  // ? false
constexpr int b8 = Is<7, 3, 2>::lt;  // ? 1
constexpr int b9 = Is<7, 3, 2>::cm;  // ? 2
constexpr int b10 = Is<1, 3, 2>::sh;  // ? 64
constexpr int b11 = Is<7, 3, 2>::md;  // ? 1
template <class... T> constexpr int fold(T... t) { int s = 1; ((s = s * 2 + t), ...); return s; }
constexpr int b12 = fold(1, 2, 3);  // ? 19
template <class... T> constexpr int fold2(T... t) { return (... - t); }
template <class... T> constexpr int fold3(T... t) { return (t - ...); }
template <class... T> constexpr int fold4(T... t) { return (t - ... - 5); }
constexpr int b13 = fold2(10, 3, 2);  // ? 5
constexpr int b14 = fold3(10, 3, 2);  // ? 9
constexpr int b15 = fold4(10, 3, 2);  // ? 4
template <int... N> constexpr int weigh() { int s = 0; int i = 0; ((s += N * ++i), ...); return s; }
constexpr int b16 = weigh<5, 6, 7>();  // ? 38
}
namespace p6 {
template <class T> struct K { static constexpr int v = 0; };
template <class T> struct K<T*> { static constexpr int v = 1; };
template <class T> struct K<T const> { static constexpr int v = 2; };
template <class T> struct K<T&> { static constexpr int v = 3; };
template <class T> struct K<T const&> { static constexpr int v = 4; };
template <class T> struct K<T&&> { static constexpr int v = 5; };
template <class T, int N> struct K<T[N]> { static constexpr int v = 6; };
template <class T> struct K<T[]> { static constexpr int v = 7; };
template <class T> struct K<T const*> { static constexpr int v = 8; };
template <class R, class... A> struct K<R(A...)> { static constexpr int v = 9 + sizeof...(A); };
template <class T, class C> struct K<T C::*> { static constexpr int v = 20; };
constexpr int c1 = K<int>::v;  // ? 0
constexpr int c2 = K<int*>::v;  // ? 1
constexpr int c3 = K<int const>::v;  // ? 2
constexpr int c4 = K<int* const>::v;  // ? 2
constexpr int c5 = K<int const*>::v;  // ? 8
constexpr int c6 = K<int const* const>::v;  // ? 2
constexpr int c7 = K<int&>::v;  // ? 3
constexpr int c8 = K<int const&>::v;  // ? 4
constexpr int c9 = K<int&&>::v;  // ? 5
constexpr int c10 = K<int[3]>::v;  // ? 6
constexpr int c11 = K<int[]>::v;  // ? 7
constexpr int c12 = K<const int>::v;  // ? 2
constexpr int c13 = K<int(char, long)>::v;  // ? 11
struct Cl {};
constexpr int c14 = K<int Cl::*>::v;  // ? 20
constexpr int c15 = K<int**>::v;  // ? 1
constexpr int c16 = K<int*&>::v;  // ? 3
constexpr int c17 = K<volatile int>::v;  // ? 0
template <class T> struct OnlyP { static constexpr int v = 0; }; template <class T> struct OnlyP<T*> { static constexpr int v = 1; };
constexpr int c18 = OnlyP<int* const>::v;  // ? 0
constexpr int c19 = OnlyP<int const*>::v;  // = 1
template <class T> struct OnlyI { static constexpr int v = 0; }; template <> struct OnlyI<int> { static constexpr int v = 1; };
constexpr int c20 = OnlyI<int const>::v;  // ? 0
constexpr int c21 = OnlyI<int&>::v;  // ? 0
constexpr int ci = 3;
constexpr int c22 = OnlyI<decltype(ci)>::v;  // ? 0
template <class T> constexpr int ded(T) { return OnlyI<T>::v; }
constexpr int c23 = ded(ci);  // = 1
template <class T> constexpr int dedr(T&) { return OnlyI<T>::v; }
template <class T> constexpr int dedf(T&&) { return OnlyI<T>::v; }
constexpr int c26 = dedf(3);  // = 1
template <class T> constexpr int ispc(T const*) { return sizeof(T); }
constexpr bool c27 = std::is_same_v<int const, int>;  // = false
constexpr bool c28 = std::is_same_v<decltype(ci), int>;  // = false
constexpr bool c29 = std::is_const_v<int* const>;  // ? true
constexpr bool c30 = std::is_const_v<int const*>;  // ? false
constexpr bool c31 = std::is_same_v<std::remove_const_t<int* const>, int*>;  // = true
constexpr bool c32 = std::is_same_v<std::decay_t<int const&>, int>;  // = true
constexpr bool c33 = std::is_same_v<std::remove_cvref_t<int const&>, int>;  // = true
}
namespace p7 {
constexpr int f1(int x) { return x + 1; } constexpr int f2(int x) { return x * 10; } struct P { int a, b; };
inline void run() {
int y = 3, x = 0; x = (y += 4, y * 2);
int (*f)(int) = f1;
int q2 = f(2);  // = 3
f = f2;
int q3 = f(2);  // ? 20
P p = {.b = 3};
int q4 = p.a;  // ? 0
P r = {.a = 4, .b = 3};
int q5 = r.a * 10 + r.b;  // = 43
char s[] = "abc";
int q6 = sizeof(s);  // ? 4
int q7 = sizeof(L'a') + sizeof(u'a');  // ? 6
}
}

int main() { p0::run(); p1::run(); p2::run(); p3::run(); p7::run(); }
