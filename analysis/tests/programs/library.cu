// The standard library: pairs, tuples, arrays, traits. Behind a line stands what g++ computes.
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
struct Made { int k; constexpr Made() : k(1) {} constexpr Made(int) : k(2) {} constexpr Made(std::initializer_list<int> l) : k(7 + l.size()) {} constexpr Made(int, int) : k(3) {} };
constexpr int q1 = Made{}.k;  // = 1
constexpr int q2 = Made{5}.k;  // ? 8
constexpr int q3 = Made(5).k;  // = 2
constexpr int q4 = Made{5, 6}.k;  // ? 9
constexpr int q5 = Made(5, 6).k;  // = 3
constexpr int q6 = Made().k;  // = 1
}
namespace p1 {
constexpr std::array<int, 3> arr{4, 5, 6}; constexpr std::array deduced{1, 2, 3, 9};
constexpr int q1 = int(arr.size());  // = 3
constexpr int q2 = arr.back();  // = 6
constexpr int q3 = arr[1];  // = 5
constexpr int q4 = arr.front();  // = 4
constexpr int q5 = deduced[3];  // ? 9
constexpr int q6 = sizeof(std::array<short, 5>);  // = 10
constexpr int q7 = int(deduced.size());  // ? 4
}
namespace p2 {
constexpr int q1 = std::tuple_size_v<std::array<int, 7>>;  // = 7
constexpr int q2 = std::integral_constant<int, 5>::value;  // = 5
constexpr int q3 = std::integral_constant<int, 5>{};  // = 5
constexpr int q4 = std::integral_constant<int, 5>{}();  // ? 5
constexpr int q5 = sizeof(std::conditional_t<(2 > 3), char, long>);  // = 8
constexpr int q6 = std::is_same<int, long>::value;  // = 0
constexpr int q7 = sizeof(std::pair<char, int>);  // ? 8
}
namespace p3 {
constexpr std::pair<int, long> pr{3, 4}; constexpr auto made = std::make_pair(5, 'a');
constexpr int q1 = pr.first;  // = 3
constexpr int q2 = pr.second;  // = 4
constexpr int q3 = made.first;  // = 5
}
namespace p4 {
template <int... N> constexpr int squares(std::integer_sequence<int, N...>) { return ((N * N) + ... + 0); } template <std::size_t... N> constexpr int counted(std::index_sequence<N...>) { return sizeof...(N); } template <std::size_t... N> constexpr int digits(std::index_sequence<N...>) { int s = 0; ((s = s * 10 + N), ...); return s; }
constexpr int q1 = squares(std::make_integer_sequence<int, 5>{});  // ? 30
constexpr int q2 = counted(std::make_index_sequence<4>{});  // = 4
constexpr int q3 = digits(std::make_index_sequence<4>{});  // = 123
constexpr int q4 = counted(std::index_sequence<4, 5>{});  // = 2
}
namespace p5 {
constexpr int q1 = std::is_same_v<int const, int>;  // = 0
constexpr int q2 = std::is_same_v<std::remove_cvref_t<int const&>, int>;  // = 1
constexpr int q3 = std::is_same_v<std::remove_reference_t<int const&>, int>;  // = 0
constexpr int q4 = std::is_same_v<std::common_type_t<int, long>, long>;  // = 1
constexpr int q5 = std::is_same_v<std::make_unsigned_t<int>, unsigned>;  // = 1
constexpr int q6 = std::is_same_v<std::decay_t<int const&>, int>;  // = 1
}
namespace p6 {
constexpr int q1 = std::is_integral_v<long>;  // = 1
constexpr int q2 = std::is_signed_v<short>;  // = 1
constexpr int q3 = std::is_unsigned_v<bool>;  // = 1
constexpr int q4 = std::is_arithmetic_v<float>;  // = 1
constexpr int q5 = std::is_pointer_v<int*>;  // = 1
constexpr int q6 = std::is_convertible_v<int, double>;  // = 1
constexpr int q7 = std::is_base_of_v<int, int>;  // = 0
constexpr int q8 = std::is_floating_point_v<float>;  // = 1
}
namespace p7 {
constexpr int lesser = std::min(3, 4); constexpr int greater = std::max(3, 4);
constexpr int q1 = lesser * 10 + greater;  // = 34
constexpr int q2 = std::max(lesser, 4);  // = 4
constexpr int q3 = std::min(greater, 3);  // = 3
}
namespace p8 {
constexpr int q1 = std::is_void_v<void>;  // = 1
constexpr int q2 = std::is_class_v<std::array<int, 2>>;  // = 1
constexpr int q3 = std::is_enum_v<int>;  // = 0
constexpr int q4 = std::is_array_v<int[3]>;  // = 1
constexpr int q5 = std::is_reference_v<int&>;  // = 1
constexpr int q6 = std::is_const_v<int const>;  // = 1
}
namespace p9 {
constexpr int q1 = std::rank_v<int[3][4]>;  // = 2
constexpr int q2 = std::extent_v<int[3][4]>;  // = 3
constexpr int q3 = std::extent_v<int[3][4], 1>;  // = 4
constexpr int q4 = std::is_same_v<std::remove_extent_t<int[3]>, int>;  // = 1
constexpr int q5 = std::numeric_limits<int>::max();  // = 2147483647
constexpr int q6 = std::numeric_limits<short>::max();  // = 32767
constexpr int q7 = std::numeric_limits<unsigned char>::max();  // = 255
constexpr int q8 = std::numeric_limits<int>::min();  // = -2147483648
constexpr int q9 = std::numeric_limits<int>::digits;  // = 31
constexpr int q10 = std::numeric_limits<int>::is_signed;  // = 1
constexpr int q11 = std::is_same_v<int, signed>;  // = 1
constexpr int q12 = std::is_same_v<char, signed char>;  // = 0
constexpr int q13 = std::is_same_v<long, long long>;  // = 0
constexpr int q14 = std::is_same_v<std::size_t, unsigned long>;  // = 1
constexpr int q15 = std::is_same_v<std::remove_pointer_t<int*>, int>;  // = 1
constexpr int q16 = std::is_same_v<std::add_pointer_t<int>, int*>;  // = 1
constexpr int q17 = std::is_same_v<std::add_lvalue_reference_t<int>, int&>;  // = 1
constexpr int q18 = std::is_same_v<std::remove_const_t<int const>, int>;  // = 1
constexpr int q19 = std::is_same_v<std::add_const_t<int>, int const>;  // = 1
constexpr int q20 = std::is_same_v<std::underlying_type_t<std::byte>, unsigned char>;  // ? 1
constexpr int q21 = std::conjunction_v<std::true_type, std::false_type>;  // = 0
constexpr int q22 = std::disjunction_v<std::true_type, std::false_type>;  // = 1
constexpr int q23 = std::negation_v<std::true_type>;  // = 0
constexpr int q24 = std::bool_constant<true>::value;  // = 1
constexpr int q25 = std::true_type::value;  // ? 1
constexpr int q26 = std::false_type{};  // = 0
constexpr int q27 = std::true_type();  // = 1
constexpr int q28 = std::clamp(5, 1, 3);  // = 3
constexpr int q29 = std::min({4, 2, 9});  // = 2
constexpr int q30 = std::max({4, 2, 9});  // = 9
constexpr int q31 = std::get<1>(std::pair<int, long>{3, 4});  // = 4
constexpr int q32 = std::get<0>(std::make_tuple(7, 8));  // = 7
constexpr int q33 = std::get<2>(std::array<int, 3>{1, 2, 3});  // = 3
constexpr int q34 = std::tuple_size_v<std::tuple<int, long>>;  // = 2
constexpr int q35 = std::tuple_size<std::pair<int, long>>::value;  // = 2
constexpr int q36 = sizeof(std::tuple_element_t<1, std::tuple<int, char>>);  // = 1
constexpr int q37 = std::is_same_v<std::tuple_element_t<0, std::pair<int, char>>, int>;  // = 1
constexpr int q38 = std::is_trivially_copyable_v<int>;  // = 1
constexpr int q39 = std::is_empty_v<std::true_type>;  // ? 1
constexpr int q40 = std::alignment_of_v<long>;  // = 8
}
namespace p10 {
inline void run() {
auto [a, b] = std::pair<int, int>{3, 4};
int q1 = a * 10 + b;  // = 34
auto [c, d, e] = std::make_tuple(1, 2, 3);
int q2 = c + d * 10 + e * 100;  // = 321
std::array<int, 2> v{7, 8}; auto& [f, g] = v; f = 9;
int q3 = v[0] + g;  // = 17
int arr[2] = {5, 6}; auto [h, i] = arr; arr[0] = 1;
int q4 = h * 10 + i;  // = 56
std::pair<int, int> p{1, 2}; p.first = 8; std::swap(p.first, p.second);
int q5 = p.first * 10 + p.second;  // = 28
int x = 3, y = 4; std::swap(x, y);
int q6 = x * 10 + y;  // = 43
std::tie(x, y) = std::make_pair(5, 6);
int q7 = x * 10 + y;  // = 56
int z = std::exchange(x, 9);
int q8 = z * 10 + x;  // = 59
int q9 = std::size(arr);  // = 2
int q10 = *std::begin(arr);  // = 1
int q11 = std::min(x, y);  // = 6
}
}

int main() { p10::run(); }
