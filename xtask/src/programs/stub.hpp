// What the programs use of CuTe, for the compiler that says the truth.
#include <array>
#include <cstdio>
#include <type_traits>
#include <utility>

template <class T> void report(int line, T value) {
  if constexpr (std::is_unsigned_v<T>) {
    std::printf("%d %llu\n", line, static_cast<unsigned long long>(value));
  } else {
    std::printf("%d %lld\n", line, static_cast<long long>(value));
  }
}

namespace cute {
template <auto v> struct C {
  static constexpr auto value = v;
  using value_type = decltype(v);
  constexpr operator value_type() const { return v; }
};
template <int n> using Int = C<n>;
using _1 = Int<1>;
using _2 = Int<2>;
using _4 = Int<4>;
using _8 = Int<8>;
template <auto a, auto b> constexpr C<a + b> operator+(C<a>, C<b>) { return {}; }
template <auto a, auto b> constexpr C<a - b> operator-(C<a>, C<b>) { return {}; }
template <auto a, auto b> constexpr C<a * b> operator*(C<a>, C<b>) { return {}; }
template <auto a, auto b> constexpr C<a / b> operator/(C<a>, C<b>) { return {}; }
template <auto a, auto b> constexpr C<(a < b)> operator<(C<a>, C<b>) { return {}; }
template <auto a, auto b> constexpr C<(a == b)> operator==(C<a>, C<b>) { return {}; }
template <class T> struct is_static : std::false_type {};
template <auto v> struct is_static<C<v>> : std::true_type {};
template <class T, int n> using array = std::array<T, n>;
}
