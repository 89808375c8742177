// Which function is called. Behind a line stands what g++ computes: `= 5` is known, `? 5` is not known or is that.
#include <cstddef>

template <class T> constexpr int nt(T, T) { return 1; }
constexpr int nt(int, double) { return 2; }
constexpr int nt_1 = nt(1, 2);  // = 1
constexpr int nt_2 = nt(1, 2.0);  // = 2

template <class T> constexpr int same(T, T) { return 1; }
constexpr int same(double, double) { return 2; }
constexpr int same_1 = same(1L, 2);  // = 2
constexpr int same_2 = same(1, 2);  // = 1
constexpr int same_3 = same<int>(1, 2);  // = 1
template <class T> constexpr int two_refs(T const&, T const&) { return 1; }
constexpr int two_refs(...) { return 2; }
constexpr int two_refs_1 = two_refs(1u, 2);  // = 2
constexpr int two_refs_2 = two_refs(1u, 2u);  // = 1

template <class T> constexpr int to(T*) { return 1; }
constexpr int to(...) { return 2; }
int global = 0;
constexpr int fixed = 0;
constexpr int to_1 = to(nullptr);  // = 2
constexpr int to_2 = to(&global);  // = 1
constexpr int to_3 = to(&fixed);  // = 1
constexpr int by(int const*) { return 1; }
constexpr int by(int*) { return 2; }
constexpr int by_1 = by(&global);  // ? 2
constexpr int by_2 = by(&fixed);  // ? 1
template <class T> constexpr int any(T const&) { return 1; }
template <class T> constexpr int any(T const*) { return 2; }
constexpr int any_1 = any(&global);  // ? 1
constexpr int any_2 = any(&fixed);  // ? 2
constexpr int null(int*) { return 1; }
constexpr int null(bool) { return 2; }
constexpr int null_1 = null(nullptr);  // = 1
using Constant = const int;
constexpr int alias(Constant*) { return 1; }
constexpr int alias(...) { return 2; }
constexpr int alias_1 = alias(&fixed);  // ? 1
constexpr int alias_2 = alias(&global);  // ? 1
enum class Colour { kRed };
template <class T> constexpr int of_type(T) { return 1; }
template <> constexpr int of_type<int>(int) { return 2; }
constexpr int of_type_1 = of_type(Colour::kRed);  // ? 1
constexpr int of_type_2 = of_type(7);  // = 2
enum Plain { kPlain };
enum Wide : long { kWide };
enum Large { kLarge = 1u << 31 };
constexpr int promoted(int) { return 1; }
constexpr int promoted(double) { return 2; }
constexpr int promoted_1 = promoted(kPlain);  // = 1
constexpr int by_kind(Colour) { return 1; }
constexpr int by_kind(unsigned) { return 2; }
constexpr int by_kind_1 = by_kind(1);  // = 2
constexpr int by_kind_2 = by_kind(Colour::kRed);  // = 1
constexpr int by_kind_3 = by_kind(kPlain);  // = 2
constexpr int wide(int) { return 1; }
constexpr int wide(long) { return 2; }
constexpr int wide_1 = wide(kWide);  // ? 2
constexpr int wide_2 = wide(kPlain);  // = 1
constexpr int large(int) { return 1; }
constexpr int large(unsigned) { return 2; }
constexpr int large_1 = large(kLarge);  // ? 2
template <class T> constexpr int any_enum(T) { return 1; }
constexpr int any_enum(int) { return 2; }
constexpr int any_enum_1 = any_enum(kPlain);  // = 1
constexpr int any_enum_2 = any_enum(Colour::kRed);  // = 1
template <class T> constexpr int given(T) { return 1; }
template <class T> constexpr int given(T*) { return 2; }
constexpr int given_1 = given<long>(kPlain);  // = 1
constexpr int empty(std::nullptr_t) { return 1; }
constexpr int empty(double) { return 2; }
constexpr int empty_1 = empty(nullptr);  // = 1
constexpr int empty_2 = empty(1);  // = 2
constexpr int empty_3 = empty(kPlain);  // = 2
constexpr int zero(std::nullptr_t) { return 1; }
constexpr int zero(...) { return 2; }
constexpr int zero_1 = zero(0);  // = 1
constexpr int zero_2 = zero(false);  // = 2
constexpr int literal(int const*) { return 1; }
constexpr int literal(...) { return 2; }
constexpr int literal_1 = literal(0);  // = 1
constexpr int literal_2 = literal(1);  // = 2
constexpr int literal_3 = literal(fixed);  // = 2
constexpr int null_or(int const*, int = 1) { return 1; }
constexpr int null_or(double) { return 2; }
constexpr int null_or_1 = null_or(2);  // = 2
template <class T> constexpr int pointed(T*) { return 1; }
template <class T> constexpr int pointed(...) { return 2; }
constexpr int pointed_1 = pointed<int>(0);  // = 1
constexpr int pointed_2 = pointed<int>(nullptr);  // = 1
template <class T> constexpr int both(T*, T) { return 1; }
constexpr int both(...) { return 2; }
constexpr int both_1 = both(nullptr, 1);  // = 2
constexpr int both_2 = both<int>(nullptr, 1);  // = 1
constexpr Plain held = kPlain;
constexpr int of_variable(Plain) { return 1; }
constexpr int of_variable(int) { return 2; }
constexpr int of_variable_1 = of_variable(held);  // ? 1
namespace shadow {
enum Plain { kOther };
constexpr int inner(Plain) { return 1; }
constexpr int inner(int) { return 2; }
constexpr int inner_1 = inner(kOther);  // ? 1
constexpr int inner_2 = inner(kPlain);  // ? 2
}  // namespace shadow
constexpr int flag(bool) { return 1; }
constexpr int flag(...) { return 2; }
constexpr int flag_1 = flag(&global);  // = 1

template <class T> constexpr int h(T) { return 1; }
constexpr int h(int) { return 3; }
constexpr int h_1 = h(1.0);  // = 1
constexpr int h_2 = h(1);  // = 3
constexpr int h_3 = h('a');  // = 1
constexpr int h_4 = h(1u);  // = 1
constexpr int h_5 = h(true);  // = 1

constexpr int width(int) { return 1; }
constexpr int width(long) { return 2; }
constexpr int width(unsigned) { return 3; }
constexpr int width(double) { return 4; }
constexpr int width_1 = width(1);  // = 1
constexpr int width_2 = width(1L);  // = 2
constexpr int width_3 = width(1u);  // = 3
constexpr int width_4 = width(1.5f);  // = 4
constexpr int width_5 = width('a');  // = 1
constexpr int width_6 = width(sizeof(int) > 2);  // = 1
constexpr short small = 3;
constexpr int width_7 = width(small);  // ? 1

struct Base {};
struct Middle : Base {};
struct Derived : Middle {};
constexpr int q(Base const&) { return 1; }
template <class T> constexpr int q(T const&) { return 2; }
constexpr int q_1 = q(Derived{});  // = 2
constexpr int q_2 = q(Base{});  // = 1
constexpr int near(Base const&) { return 1; }
constexpr int near(Middle const&) { return 2; }
constexpr int near_1 = near(Derived{});  // = 2
constexpr int near_2 = near(Base{});  // = 1

template <class T> constexpr int s(T) { return 1; }
template <> constexpr int s<float>(float) { return 2; }
template <> constexpr int s(char) { return 3; }
constexpr int s_1 = s(1.f);  // = 2
constexpr int s_2 = s('c');  // = 3
constexpr int s_3 = s(1.0);  // = 1
constexpr int s_4 = s<float>(1);  // = 2
template <int N> constexpr int number() { return N * 10; }
template <> constexpr int number<3>() { return 7; }
constexpr int number_1 = number<3>();  // = 7
constexpr int number_2 = number<4>();  // = 40

template <class T> struct S {
  static constexpr int f() { return 1; }
  constexpr int g(int x) const { return x; }
  static const int v;
};
template <class T> const int S<T>::v = 1;
template <> constexpr int S<int>::f() { return 2; }
template <> constexpr int S<float>::g(int x) const { return x + 10; }
template <> const int S<char>::v = 5;
constexpr int member_1 = S<int>::f();  // = 2
constexpr int member_2 = S<char>::f();  // = 1
constexpr int member_3 = S<float>{}.g(1);  // = 11
constexpr int member_4 = S<int>{}.g(1);  // = 1
constexpr int member_5 = S<char>::v;  // ? 5
constexpr int member_6 = S<int>::v;  // ? 1

template <int N> struct Num {};
template <int N, int M> constexpr int two(Num<N>, Num<M>) { return 1; }
template <int N> constexpr int two(Num<N>, Num<N>) { return 2; }
constexpr int two_1 = two(Num<3>{}, Num<5>{});  // = 1
constexpr int two_2 = two(Num<3>{}, Num<3>{});  // = 2
template <class T> constexpr int pointer(T) { return 1; }
template <class T> constexpr int pointer(T*) { return 2; }
constexpr int value = 4;
constexpr int pointer_1 = pointer(&value);  // = 2
constexpr int pointer_2 = pointer(value);  // = 1
template <class... Ts> constexpr int many(Ts...) { return 1; }
template <class T> constexpr int many(T) { return 2; }
template <class T, class U> constexpr int many(T, U) { return 3; }
constexpr int many_1 = many(1);  // = 2
constexpr int many_2 = many(1, 2);  // = 3
constexpr int many_3 = many(1, 2, 3);  // = 1

struct Access {
  constexpr int f() const { return 1; }
  constexpr int f() { return 2; }
  template <class T> constexpr int g(T) const { return 4; }
  constexpr int g(int) const { return 3; }
};
void objects() {
  Access const fixed{};
  int a = fixed.f();  // = 1
  Access open;
  int b = open.f();  // = 2
  Access const& seen = open;
  int c = seen.f();  // = 1
  int d = open.g(1.5);  // = 4
  int e = open.g(1);  // = 3
}

constexpr int by(int&) { return 1; }
constexpr int by(int const&) { return 2; }
constexpr int by(int&&) { return 3; }
void references() {
  int x = 1;
  int const y = 2;
  int a = by(x);  // = 1
  int b = by(y);  // = 2
  int c = by(3);  // = 3
}

namespace mine {
constexpr int get(int i) { return i * 100; }
template <int I, class T> constexpr int get(T const&) { return I * 7; }
}
constexpr int mine_1 = mine::get<3>(1);  // = 21
constexpr int mine_2 = mine::get(2);  // = 200

constexpr int declared(int);
constexpr int declared(int x) { return x + 1; }
constexpr int declared_1 = declared(1);  // = 2
constexpr int dots(...) { return 1; }
constexpr int dots(int) { return 2; }
constexpr int dots_1 = dots(1);  // = 2
constexpr int dots_2 = dots(Base{});  // = 1

struct Convertible { constexpr operator int() const { return 4; } };
constexpr int made_of(Convertible) { return 1; }
constexpr int made_of(int) { return 2; }
constexpr int made_of_1 = made_of(Convertible{});  // = 1
template <class T> constexpr int from(T) { return 1; }
constexpr int from(long) { return 2; }
constexpr int from_1 = from(Convertible{});  // = 1

constexpr int defaulted(int, int = 5) { return 1; }
constexpr int defaulted(double) { return 2; }
constexpr int defaulted_1 = defaulted(1.0);  // = 2
constexpr int defaulted_2 = defaulted(1);  // = 1

namespace references_and_values {
struct Base {};
struct Derived : Base {};
struct Number { constexpr operator int() const { return 1; } };
constexpr int f(Derived const&) { return 1; }
template <class T> constexpr int f(T) { return 2; }
constexpr int rv0 = f(Derived{});  // = 1
constexpr int rv1 = f(Base{});  // = 2
template <class T> constexpr int g(T const&) { return 1; }
template <class... T> constexpr int g(T...) { return 2; }
constexpr int rv2 = g('a');  // = 1
constexpr int rv3 = g(1, 2);  // = 2
constexpr int rv4 = g<long>(1);  // ? 1
enum class Scoped { kScoped };
constexpr int h(int) { return 1; }
constexpr int h(...) { return 2; }
constexpr int rv5 = h(Scoped::kScoped);  // ? 2
constexpr int rv6 = h(Number{});  // ? 1
template <class T> constexpr int of(T) { return 1; }
template <> constexpr int of<float>(float) { return 2; }
template <> constexpr int of(long) { return 3; }
constexpr int rv7 = of(1);  // = 1
constexpr int rv8 = of(1L);  // = 3
constexpr int rv9 = of(1.f);  // = 2
template <class T> constexpr unsigned long width(T) { return sizeof(T); }
constexpr int rv10 = width(1L);  // = 8
constexpr int rv11 = width((unsigned char)1);  // = 1
}
namespace m_one { template <class T> struct M { static constexpr int f() { return 1; } }; template <> constexpr int M<int>::f() { return 2; } }
namespace m_two { template <class T> struct M { static constexpr int f() { return 3; } }; template <> constexpr int M<int>::f() { return 4; } }
constexpr int ns0 = m_one::M<int>::f();  // = 2
constexpr int ns1 = m_two::M<int>::f();  // = 4
constexpr int ns2 = m_two::M<long>::f();  // = 3

int main() { objects(); references(); }
