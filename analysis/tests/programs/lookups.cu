// Names that several scopes declare: which one a use means ([basic.lookup.unqual], [namespace.udecl], [temp.dep]). Behind a line
// stands what g++ computes.

namespace merged {
namespace a { constexpr int f(int) { return 1; } constexpr int g(int) { return 5; } }
namespace b { constexpr int g(double) { return 6; } constexpr int g(char) { return 7; } }
namespace c {
using a::f;
constexpr int f(double) { return 2; }
using a::g;
using b::g;
}
constexpr int q0 = c::f(1);  // = 1
constexpr int q1 = c::f(1.5);  // = 2
constexpr int q2 = c::g(1);  // = 5
constexpr int q3 = c::g(1.5);  // = 6
constexpr int q4 = c::g('x');  // = 7
}

namespace later {
namespace a { constexpr int f(int) { return 1; } }
constexpr int f(double) { return 2; }
constexpr int q0 = f(1);  // = 2
using a::f;
constexpr int q1 = f(1);  // = 1
inline namespace newest { constexpr int k = 5; }
namespace older { constexpr int k = 9; }
constexpr int q2 = k;  // = 5
using older::k;
}

namespace dependent {
constexpr int k = 7;
constexpr int f() { return 70; }
template <class T> struct Base { static constexpr int k = sizeof(T); static constexpr int own = 3; static constexpr int f() { return 8; } };
template <class T> struct Derived : Base<T> {
  static constexpr int outside = k;
  static constexpr int inside = Derived::k;
  static constexpr int called = f();
  static constexpr int through = Base<T>::f();
  static constexpr int sum() { return k + Derived::own; }
};
constexpr int q0 = Derived<char>::outside;  // = 7
constexpr int q1 = Derived<char>::inside;  // = 1
constexpr int q2 = Derived<char>::called;  // = 70
constexpr int q3 = Derived<char>::through;  // = 8
constexpr int q4 = Derived<char>::sum();  // = 10
template <class T> struct Using : Base<T> { using Base<T>::k; static constexpr int v = k; };
constexpr int q5 = Using<short>::v;  // = 2
template <class T> struct Own : Base<T> { static constexpr int k = 4; static constexpr int v = k; };
constexpr int q6 = Own<short>::v;  // = 4
struct Plain : Base<int> { static constexpr int v = k; };
constexpr int q7 = Plain::v;  // = 4
template <class T> struct Fixed : Base<long> { static constexpr int v = k; };
constexpr int q8 = Fixed<char>::v;  // = 8
}

namespace nested {
constexpr int k = 1;
namespace inner { constexpr int before = k; constexpr int k = 5; constexpr int behind = k; }
constexpr int q0 = inner::before;  // = 1
constexpr int q1 = inner::behind;  // = 5
struct A { static constexpr int k = 2; };
struct B : A { static constexpr int both = k * 10 + A::k; };
constexpr int q2 = B::both;  // = 22
struct C : B { static constexpr int k = 3; static constexpr int v = k + B::k; };
constexpr int q3 = C::v;  // = 5
}
namespace used_in_functions {
namespace a {
template <int N> struct T { static constexpr int x = N; };
template <int N> constexpr int f() { return N; }
}
template <int N> struct T { static constexpr int x = 10 * N; };
template <int N> constexpr int f() { return 10 * N; }
constexpr int of_class() { using a::T; return T<2>::x; }
constexpr int q0 = of_class();  // = 2
constexpr int of_function() { using a::f; return f<3>(); }
constexpr int q1 = of_function();  // ? 3
constexpr int outside() { return T<2>::x + f<3>(); }
constexpr int q2 = outside();  // = 50
constexpr int in_a_block() { int all = 0; { using a::T; all += T<1>::x; } return all + T<1>::x; }
constexpr int q3 = in_a_block();  // = 11
}
int main() {}
