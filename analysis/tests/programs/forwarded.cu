// Arguments that are passed on by reference.
#include <type_traits>
#include <utility>
namespace n1 {
template <class A> constexpr auto id(A&& a) { return static_cast<A&&>(a); }
template <class A> constexpr auto fw(A&& a) { return std::forward<A>(a); }
template <class A> constexpr auto plus1(A&& a) { return a + 1; }
template <class A> constexpr int size(A&& a) { return sizeof(a); }
template <class A> constexpr int sizeT(A&& a) { using U = std::remove_reference_t<A>; return sizeof(U); }
constexpr unsigned char c = 255;
constexpr int q1 = id(c);  // = 255
constexpr int q2 = fw(c);  // = 255
constexpr int q3 = plus1(c);  // = 256
constexpr int q4 = size(c);  // ? 1
constexpr int q5 = sizeT(c);  // ? 1
constexpr int q6 = sizeof(id(c));  // ? 1
constexpr int q7 = sizeof(fw(c));  // ? 1
constexpr int q8 = sizeof(plus1(c));  // ? 4
constexpr int q9 = id(4000000000u) > 0;  // = 1
constexpr int q10 = fw(4000000000u) + 300000000u < 10000000u;  // = 1
constexpr int q11 = plus1(4294967295u) == 0;  // = 1
}
namespace n2 {
template <class A> constexpr auto twice(A&& a) { auto b = a; b *= 2; return b; }
constexpr unsigned short s = 40000;
constexpr int q1 = twice(s);  // = 14464
constexpr int q2 = twice(40000);  // = 80000
template <class A> constexpr auto dec(A&& a) { std::decay_t<A> b = a; b += 200; return b; }
constexpr unsigned char c = 100;
constexpr int q3 = dec(c);  // ? 44
constexpr int q4 = dec(100);  // = 300
template <class A> constexpr auto neg(A const& a) { return -a; }
constexpr int q5 = neg(5u) > 0;  // = 1
constexpr int q6 = neg(5) > 0;  // = 0
constexpr int q7 = neg(s);  // = -40000
}
namespace n3 {
template <class F, class... A> constexpr auto call(F&& f, A&&... a) { return std::forward<F>(f)(std::forward<A>(a)...); }
constexpr int q1 = call([](auto x, auto y) { return x * 10 + y; }, 3, 4);  // = 34
constexpr unsigned char c = 200;
constexpr int q2 = call([](auto x) { return sizeof(x); }, c);  // ? 1
constexpr int q3 = call([](auto x) { decltype(x) y = x + x; return y; }, c);  // ? 144
constexpr int q4 = call([](int x) { return x + x; }, c);  // = 400
constexpr int q5 = call([](auto... x) { return (sizeof(x) + ...); }, c, 1, 2.0, 'a');  // ? 14
constexpr int q6 = call([](signed char x) { return x; }, 200);  // = -56
}
namespace n4 {
template <class T> constexpr auto mv(T x) { return std::move(x); }
constexpr unsigned char c = 255;
constexpr int q1 = mv(c);  // = 255
constexpr int q2 = sizeof(mv(c));  // ? 1
constexpr int q3 = sizeof(std::move(3ll));  // ? 8
struct S { int a[4]; char b; };
constexpr S s{{1, 2, 3, 4}, 'x'};
constexpr int q4 = std::move(s).a[2];  // = 3
constexpr int q5 = mv(s).a[1];  // = 2
constexpr int q6 = sizeof(std::as_const(s));  // = 20
constexpr int q7 = std::move(c) + 1;  // = 256
constexpr int f() { int x = 1; int y = std::move(x); x = 5; return x * 10 + y; }
constexpr int q8 = f();  // = 51
template <class T> constexpr int g(T&& x) { x += 1; return x; }
constexpr int h() { int v = 3; int w = g(v); return v * 10 + w; }
constexpr int q9 = h();  // = 44
constexpr int k() { int v = 3; int w = g(std::move(v)); return v * 10 + w; }
constexpr int q10 = k();  // = 44
}
namespace n5 {
template <class T> constexpr int lref(T&&) { return std::is_lvalue_reference_v<T>; }
inline int i = 0;
constexpr int q1 = lref(3);  // = 0
inline short sh = 1;
template <class T> constexpr int isint(T&&) { return std::is_same_v<T, int>; }
constexpr int q2 = isint(3);  // = 1
template <class T> constexpr int isint2(T&& t) { return std::is_same_v<decltype(t), int&&>; }
constexpr int q3 = isint2(3);  // ? 1
template <class T> constexpr auto pass(T&& t) { return isint(std::forward<T>(t)); }
constexpr int q4 = pass(3);  // ? 1
constexpr int ci = 4;
constexpr int q5 = pass(ci);  // ? 0
constexpr int q6 = isint(std::move(ci));  // ? 0
template <class T> constexpr int val(T t) { return std::is_same_v<T, int>; }
constexpr int q7 = val(std::move(ci));  // ? 1
template <class T> constexpr auto pv(T&& t) { return val(std::forward<T>(t)); }
constexpr int q8 = pv(ci);  // ? 1
constexpr int q9 = pv(2u);  // ? 0
constexpr int q10 = pv((short)2);  // ? 0
}
namespace n6 {
constexpr int over(int&) { return 1; }
constexpr int over(int const&) { return 2; }
constexpr int over(int&&) { return 3; }
constexpr int c = 1;
constexpr int q1 = over(c);  // ? 2
constexpr int q2 = over(1);  // = 3
constexpr int q3 = over(std::move(c));  // ? 2
constexpr int f() { int x = 0; return over(x) * 10 + over(std::move(x)); }
constexpr int q4 = f();  // ? 13
constexpr int g() { int x = 0; return over(std::as_const(x)); }
constexpr int q5 = g();  // ? 2
template <class T> constexpr int fwd(T&& t) { return over(std::forward<T>(t)); }
constexpr int h() { int x = 0; return fwd(x) * 100 + fwd(c) * 10 + fwd(5); }
constexpr int q6 = h();  // ? 123
}
int main() {}
