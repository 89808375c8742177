// Questions about types that template parameters are bound to, and values that only have a type.
#include <concepts>
#include <type_traits>
#include <utility>
struct WithX { using X = int; int foo() const { return 1; } int y=0; };
struct WithO { long operator+(int) const; };
namespace n0 {
template<class T, class=void> struct Add { static constexpr int v = 0; };
template<class T> struct Add<T, std::void_t<decltype(std::declval<T>() + 1)>> { static constexpr int v = sizeof(std::declval<T>() + 1); };
constexpr int q0 = Add<int>::v;  // = 4
constexpr int q1 = Add<long>::v;  // = 8
constexpr int q2 = Add<char>::v;  // = 4
constexpr int q3 = Add<float>::v;  // = 4
constexpr int q4 = Add<double>::v;  // = 8
constexpr int q5 = Add<WithX>::v;  // ? 0
constexpr int q6 = Add<WithO>::v;  // ? 8
constexpr int q7 = Add<int*>::v;  // = 8
}
namespace n1 {
template<class A, class B> using sum_t = decltype(std::declval<A>() + std::declval<B>());
constexpr int q0 = sizeof(sum_t<int,long>);  // = 8
constexpr int q1 = sizeof(sum_t<char,char>);  // = 4
constexpr int q2 = std::is_same_v<sum_t<short,short>, int>;  // = 1
constexpr int q3 = std::is_same_v<sum_t<unsigned,short>, int>;  // = 0
constexpr int q4 = std::is_same_v<sum_t<float,int>, float>;  // = 1
constexpr int q5 = std::is_same_v<sum_t<float,double>, double>;  // = 1
constexpr int q6 = std::is_integral_v<sum_t<float,double>>;  // = 0
}
namespace n2 {
template<class T> constexpr auto f(T t) -> decltype(t.foo(), 0) { return 1; }
constexpr int f(...) { return 2; }
constexpr int q0 = f(3);  // = 2
constexpr int q1 = f(WithX{});  // = 1
constexpr int q2 = f(2.0);  // = 2
template<class T> using deref_t = decltype(*std::declval<T>());
constexpr int q3 = sizeof(deref_t<int*>);  // ? 4
constexpr int q4 = sizeof(std::remove_reference_t<deref_t<double*>>);  // ? 8
constexpr int q5 = sizeof(decltype(std::declval<WithX>().y));  // = 4
constexpr int q6 = sizeof(decltype(std::declval<WithX>().foo()));  // ? 4
constexpr int q7 = sizeof(decltype(std::declval<short>()));  // = 2
}
namespace n3 {
template<class T> struct V { static constexpr int v = std::is_class_v<T> * 8 + std::is_pointer_v<T>*4 + std::is_arithmetic_v<T>*2 + std::is_scalar_v<T>; static constexpr int w = std::is_fundamental<T>::value * 8 + std::is_enum<T>::value*4 + std::is_union_v<T>*2 + std::is_void_v<T>; static constexpr int x= std::is_object_v<T>; static constexpr int y = std::is_const_v<T>*4+std::is_reference_v<T>; };
union U {int a; float b;};
enum E { a, b}; enum class F : char { c };
constexpr int q0 = V<int>::v;  // = 3
constexpr int q1 = V<WithX>::v;  // ? 8
constexpr int q2 = V<U>::v;  // ? 0
constexpr int q3 = V<int*>::v;  // ? 5
constexpr int q4 = V<E>::v;  // ? 1
constexpr int q5 = V<F>::v;  // ? 1
constexpr int q6 = V<double>::v;  // = 3
constexpr int q7 = V<void>::v;  // = 0
constexpr int q8 = V<std::integral_constant<int,3>>::v;  // ? 8
constexpr int q10 = V<int>::w;  // = 8
constexpr int q11 = V<WithX>::w;  // = 0
constexpr int q12 = V<U>::w;  // ? 2
constexpr int q13 = V<int*>::w;  // = 0
constexpr int q14 = V<E>::w;  // ? 4
constexpr int q15 = V<F>::w;  // ? 4
constexpr int q16 = V<double>::w;  // = 8
constexpr int q17 = V<void>::w;  // = 9
constexpr int q20 = V<int>::x;  // = 1
constexpr int q21 = V<WithX>::x;  // ? 1
constexpr int q22 = V<void>::x;  // = 0
constexpr int q23 = V<const int*>::y;  // ? 0
constexpr int q24 = V<int>::y;  // = 0
constexpr int q25 = V<bool>::v;  // = 3
constexpr int q26 = V<std::pair<int,int>>::v;  // ? 8
constexpr int q27 = V<const int*>::v;  // ? 5
}
namespace n4 {
template<class T> constexpr int kind() { if constexpr (std::is_floating_point_v<T>) return 1; else if constexpr (std::is_unsigned_v<T>) return 2; else if constexpr (std::is_signed_v<T>) return 3; else return 4; }
constexpr int q0 = kind<float>();  // = 1
constexpr int q1 = kind<unsigned>();  // = 2
constexpr int q2 = kind<long>();  // = 3
constexpr int q3 = kind<WithX>();  // = 4
constexpr int q4 = kind<bool>();  // = 2
constexpr int q5 = kind<int*>();  // = 4
constexpr int q6 = std::is_same_v<std::conditional_t<std::is_class_v<WithX>, char, int>, char>;  // = 1
}
namespace n3a {
constexpr int k = 3; constexpr int arr[2] = {1, 2};
template<class T> constexpr int c(T*) { return std::is_const_v<T>; }
constexpr int q0 = c(&k);  // ? 1
template<class T> constexpr int d(T*) { return std::is_same_v<T, int>; }
constexpr int q1 = d(&k);  // ? 0
template<class T, int N> constexpr int e(T (&)[N]) { return std::is_const_v<T>*10 + std::is_same_v<T,int>; }
constexpr int q2 = e(arr);  // ? 10
template<class T> constexpr int f(T) { return std::is_const_v<std::remove_pointer_t<T>>; }
constexpr int q3 = f(&k);  // ? 1
constexpr int q4 = f(arr);  // ? 1
template<class T> constexpr int g(T const*) { return std::is_const_v<T>; }
constexpr int q5 = g(&k);  // = 0
template<class T> struct P { static constexpr int v = std::is_const_v<T>; };
template<class T> constexpr int h(T*) { return P<T>::v; }
constexpr int q6 = h(&k);  // ? 1
constexpr int q7 = h(arr);  // ? 1
constexpr int m() { int b[3] = {}; return h(b) + e(b); }
constexpr int q8 = m();  // ? 1
struct S { int x; };
constexpr S s{1};
constexpr int q9 = h(&s) + c(&s);  // ? 2
template<class T> constexpr int i(T&) { return std::is_const_v<T>; }
constexpr int q10 = i(s);  // ? 1
template<class T> constexpr int j(T&&) { return std::is_const_v<std::remove_reference_t<T>> + 2 * std::is_lvalue_reference_v<T>; }
constexpr int q11 = j(s);  // ? 3
constexpr int q12 = j(S{2});  // ? 0
template<class T> constexpr int l(T&) { return std::is_class_v<T>*2 + std::is_reference_v<T>; }
constexpr int q13 = l(s);  // ? 2
template<class T> constexpr int n(T&&) { return std::is_class_v<T>*2 + std::is_reference_v<T>; }
constexpr int q14 = n(s);  // ? 1
constexpr int q15 = n(S{3});  // ? 2
template<class T> constexpr int o(T const& t) { return P<T>::v + std::is_class_v<T> * 2; }
constexpr int q16 = o(s);  // ? 2
template<class... T> constexpr int pk(T&&...) { return (std::is_class_v<T> + ... + 0); }
constexpr int q17 = pk(s, S{1}, 3);  // ? 1
constexpr int ya() { S z{1}; S const& r = z; return i(r) * 10 + j(r) + n(z); }
constexpr int q18 = ya();  // ? 14
template<class T> struct C { static constexpr int f() { return std::is_const_v<T> + 2*std::is_class_v<T>; } };
constexpr int q19 = C<const S>::f() + 10 * C<S>::f() + 100 * C<S&>::f();  // ? 23
constexpr int q20 = C<decltype(s)>::f();  // ? 3
constexpr int q21 = C<decltype((s))>::f();  // ? 0
using CS = const S;
constexpr int q22 = C<CS>::f();  // ? 3
constexpr int q23 = C<std::add_const_t<S>>::f();  // ? 3
template<class T> using cr = T const&;
constexpr int q24 = C<cr<S>>::f();  // ? 0
template<class T, class U = const T> struct D { static constexpr int v = std::is_const_v<U> + std::is_class_v<U> * 2; };
constexpr int q25 = D<S>::v;  // ? 3
}
namespace n4a {
struct S { int x; }; constexpr S s{1};
template<class T> constexpr int a(T&) { return std::is_same_v<T, S>; }
constexpr int q0 = a(s);  // ? 0
template<class T> constexpr int b(T&&) { return std::is_same_v<T, S>; }
constexpr int q1 = b(s);  // ? 0
constexpr int q2 = b(S{1});  // = 1
template<class T> constexpr int c(T*) { return std::is_same_v<T, S>; }
constexpr int q3 = c(&s);  // ? 0
template<class T> constexpr int d(T const&) { return std::is_same_v<T, S>; }
constexpr int q4 = d(s);  // = 1
template<class T> struct K { static constexpr int v = std::is_same_v<T, S>; };
constexpr int q5 = K<S const>::v + 10 * K<S&>::v + 100 * K<S>::v;  // ? 100
constexpr int q6 = K<decltype(s)>::v;  // ? 0
template<class T> struct L { static constexpr int v = 1; };
template<class T> struct L<T const> { static constexpr int v = 2; };
template<class T> struct L<T&> { static constexpr int v = 3; };
constexpr int q7 = L<S const>::v + 10 * L<S&>::v + 100 * L<S>::v;  // ? 132
template<class T> constexpr int e(T&&) { return L<T>::v; }
constexpr int q8 = e(s);  // ? 3
constexpr int q9 = e(S{1});  // ? 1
template<class T> constexpr int f(T&) { return L<T>::v; }
constexpr int q10 = f(s);  // ? 2
template<class T> constexpr int g(T&&) { return std::is_pointer_v<T>; }
constexpr int q11 = [] { int x = 0; int* p = &x; return g(p); }();  // ? 0
template<class T> constexpr int h(T&&) { return std::is_pointer<std::decay_t<T>>::value; }
constexpr int q12 = [] { int x = 0; int* p = &x; return h(p); }();  // = 1
template<class T, class U> constexpr int i(T, U) { return std::is_same_v<T, U>; }
constexpr int q13 = i(s, S{1});  // = 1
constexpr int q14 = i(1, 1L);  // = 0
template<class T, class U> constexpr int j(T&&, U&&) { return std::is_same_v<T, U>; }
constexpr int q15 = j(s, S{1});  // ? 0
template<class T> constexpr int k(T (&)[2]) { return std::is_same_v<T, S>; }
constexpr S arr[2] = {{1},{2}};
constexpr int q16 = k(arr);  // ? 0
template<class T> constexpr bool l(T&&) { return std::is_lvalue_reference_v<T>; }
constexpr int q17 = l(s);  // ? 1
constexpr int q18 = l(S{1});  // ? 0
constexpr int q19 = l(3);  // = 0
constexpr int z = 3; constexpr int q20 = l(z);
}
namespace n0g {
constexpr int k = 3; struct S { int x; }; constexpr S s{1};
template<class T> struct B : std::is_same<T, int> {};
template<class T> constexpr int f(T*) { return B<T>::value; }
constexpr int q0 = f(&k);  // ? 0
template<class T> struct C { static constexpr bool v = std::is_const<T>::value; };
template<class T> constexpr int g(T&&) { return C<std::remove_reference_t<T>>::v; }
constexpr int q1 = g(s);  // ? 1
template<class T> constexpr int h(T&&) { return sizeof(T) + std::is_class_v<std::decay_t<T>>; }
constexpr int q2 = h(s);  // ? 5
template<class T> constexpr int j(T& t) { return std::is_same_v<decltype(t), S&>; }
constexpr int q4 = j(s);  // ? 0
template<class T, class U> constexpr int l(T&, U&) { return std::is_same_v<T, U>; }
constexpr int q5 = [] { S z{1}; return l(z, s); }();  // ? 0
template<class T> constexpr int m(T* p) { return sizeof(*p) + sizeof(T); }
constexpr int q6 = m(&k) + m(&s);  // ? 16
template<class T> struct V { static constexpr int n = 16 / sizeof(T); };
template<class T> constexpr int o(T* p) { return V<T>::n; }
constexpr int q7 = o(&k);  // = 4
}
namespace concepts {
struct S { int x; };
template <class T> constexpr int kind(T) { return 1; }
template <std::integral T> constexpr int kind(T) { return 2; }
template <std::floating_point T> constexpr int kind(T) { return 3; }
constexpr int q0 = kind(S{1});  // = 1
constexpr int q1 = kind(3);  // = 2
constexpr int q2 = kind(3.0);  // = 3
template <class T> constexpr int sign() { if constexpr (std::unsigned_integral<T>) return 1; else if constexpr (std::signed_integral<T>) return 2; else return 3; }
constexpr int q3 = sign<unsigned>() * 100 + sign<long>() * 10 + sign<S>();  // ? 123
constexpr int q4 = sign<float>();  // ? 3
}
int main() { return 0; }
