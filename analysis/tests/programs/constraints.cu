// Constraints and detection. Behind a line stands what g++ computes: `= 5` is known, `? 5` is not known or is that.
#include <concepts>
#include <type_traits>
#include <utility>

struct Plain {};
struct Tagged { using Tag = int; int foo() { return 1; } int size = 3; };

template <class T> concept HasTag = requires { typename T::Tag; };
template <class T> struct Cs { static constexpr int v = 0; };
template <HasTag T> struct Cs<T> { static constexpr int v = 1; };
constexpr int cs_1 = Cs<Plain>::v;  // = 0
constexpr int cs_2 = Cs<Tagged>::v;  // = 1

template <class T> struct Sized { static constexpr int v = 0; };
template <class T> requires (sizeof(T) == 4) struct Sized<T> { static constexpr int v = 4; };
constexpr int sized_1 = Sized<char>::v;  // = 0
constexpr int sized_2 = Sized<float>::v;  // = 4

template <class T> concept HasFoo = requires(T t) { t.foo(); };
template <class T> concept Both = HasTag<T> && HasFoo<T>;
template <class T> concept Neither = !HasTag<T> && !HasFoo<T>;
template <class T> concept Any = HasTag<T> || sizeof(T) == 1;
constexpr bool both_1 = Both<Tagged>;  // = true
constexpr bool both_2 = Both<Plain>;  // = false
constexpr bool neither_1 = Neither<Plain>;  // = true
constexpr bool any_1 = Any<Plain>;  // = true
constexpr bool any_2 = Any<Tagged>;  // = true

template <class T> constexpr int f(T) { return 1; }
template <HasTag T> constexpr int f(T) { return 2; }
constexpr int f_1 = f(Plain{});  // = 1
constexpr int f_2 = f(Tagged{});  // = 2
template <class T> requires HasTag<T> constexpr int g(T const&) { return 1; }
template <class T> requires (!HasTag<T>) constexpr int g(T const&) { return 2; }
constexpr int g_1 = g(Plain{});  // = 2
constexpr int g_2 = g(Tagged{});  // = 1
template <class T> constexpr int trailing(T) requires (sizeof(T) > 4) { return 1; }
template <class T> constexpr int trailing(T) requires (sizeof(T) <= 4) { return 2; }
constexpr int trailing_1 = trailing(1.0);  // = 1
constexpr int trailing_2 = trailing(1.0f);  // = 2
constexpr int placeholder(HasTag auto) { return 1; }
constexpr int placeholder(auto) { return 2; }
constexpr int placeholder_1 = placeholder(Plain{});  // ? 2
constexpr int abbreviated(HasTag auto x) { return 1; }
constexpr int abbreviated(auto x) { return 2; }
constexpr int abbreviated_1 = abbreviated(Plain{});  // = 2
constexpr int abbreviated_2 = abbreviated(Tagged{});  // ? 1

template <class T, class = void> struct Mem { static constexpr int v = 0; };
template <class T> struct Mem<T, decltype((void)std::declval<T>().foo(), void())> { static constexpr int v = 1; };
constexpr int mem_1 = Mem<Plain>::v;  // = 0
constexpr int mem_2 = Mem<Tagged>::v;  // ? 1
template <class T, class = void> struct HasX { static constexpr int v = 0; };
template <class T> struct HasX<T, std::void_t<typename T::Tag>> { static constexpr int v = 1; };
constexpr int has_1 = HasX<Plain>::v;  // = 0
constexpr int has_2 = HasX<Tagged>::v;  // = 1
template <class T, class = void> struct HasSize { static constexpr int v = 0; };
template <class T> struct HasSize<T, std::void_t<decltype(std::declval<T>().size)>> { static constexpr int v = 1; };
constexpr int size_1 = HasSize<Plain>::v;  // = 0
constexpr int size_2 = HasSize<Tagged>::v;  // ? 1

template <class T> constexpr auto try_tag(int) -> decltype(typename T::Tag{}, 1) { return 1; }
template <class T> constexpr int try_tag(long) { return 2; }
constexpr int try_1 = try_tag<Plain>(0);  // ? 2
constexpr int try_2 = try_tag<Tagged>(0);  // ? 1
template <class T, std::enable_if_t<sizeof(T) == 1, int> = 0> constexpr int en(T) { return 1; }
template <class T, std::enable_if_t<sizeof(T) != 1, int> = 0> constexpr int en(T) { return 2; }
constexpr int en_1 = en('a');  // = 1
constexpr int en_2 = en(1.0);  // = 2

template <std::floating_point T> constexpr int std_f(T) { return 1; }
template <std::integral T> constexpr int std_f(T) { return 2; }
constexpr int std_1 = std_f(1.0);  // ? 1
constexpr int std_2 = std_f(1);  // ? 2
template <class T> struct Kind { static constexpr int v = 0; };
template <std::floating_point T> struct Kind<T> { static constexpr int v = 1; };
constexpr int kind_1 = Kind<float>::v;  // ? 1
constexpr int kind_2 = Kind<Plain>::v;  // ? 0

template <class T> constexpr int sub(T) requires HasTag<T> { return 1; }
template <class T> constexpr int sub(T) requires HasTag<T> && HasFoo<T> { return 2; }
constexpr int sub_1 = sub(Tagged{});  // ? 2

struct WithNested { using X = int; };
struct WithoutNested {};
template <class T> struct ByPointer {
  template <class U> static constexpr int test(typename U::X*) { return 1; }
  template <class U> static constexpr int test(...) { return 2; }
  static constexpr int value = test<T>(nullptr);
};
constexpr int by_pointer_0 = ByPointer<WithNested>::value;  // = 1
constexpr int by_pointer_1 = ByPointer<WithoutNested>::value;  // = 2
constexpr int by_pointer_2 = ByPointer<int>::value;  // = 2

int main() {}
