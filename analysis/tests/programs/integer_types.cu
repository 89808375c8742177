// Integer types that are deduced: of arguments, members, elements and decltype.
#include <type_traits>
#include <cstdint>
#include <limits>
#include <utility>
#include <array>
#include <tuple>
#include <cstddef>
namespace n1 {
constexpr auto size_of = [](auto x) { return static_cast<int>(sizeof(decltype(x))); };
constexpr int q1 = size_of(static_cast<uint8_t>(3));  // = 1
constexpr int q2 = size_of(static_cast<short>(3));  // = 2
constexpr int q3 = size_of(3LL);  // = 8
constexpr int q4 = size_of('a');  // = 1
constexpr int q5 = size_of(true);  // = 1
template <class T> constexpr int width(T) { using U = T; return sizeof(U); }
constexpr int q6 = width(static_cast<uint8_t>(1));  // = 1
constexpr int q7 = width(static_cast<uint16_t>(1));  // = 2
template <class T> constexpr auto add1(T x) { using U = T; return static_cast<U>(x + 1); }
constexpr int q8 = add1(static_cast<uint8_t>(255));  // = 0
constexpr int q9 = add1(static_cast<int8_t>(127));  // = -128
template <class T> constexpr bool is_u8(T) { using U = T; return std::is_same_v<U, uint8_t>; }
constexpr int q10 = is_u8(static_cast<uint8_t>(1));  // = 1
constexpr int q11 = is_u8(1);  // = 0
constexpr auto inc = [](auto x) { decltype(x) y = x + 1; return y; };
constexpr int q12 = inc(static_cast<uint8_t>(255));  // = 0
constexpr int q13 = inc(static_cast<uint16_t>(65535));  // = 0
constexpr auto wrap = [](auto x) { using T = decltype(x); return static_cast<T>(x * 2); };
constexpr int q14 = wrap(static_cast<uint8_t>(200));  // = 144
constexpr auto lim = [](auto x) -> long long { return std::numeric_limits<decltype(x)>::max(); };
constexpr long q15 = lim(static_cast<uint8_t>(1));  // = 255
constexpr long q16 = lim(short(1));  // = 32767
constexpr long q17 = lim(1);  // = 2147483647
}
namespace n2 {
template <typename T> constexpr int f(T x) { T y = x + 1; return y; }
constexpr int q1 = f(uint8_t(255));  // = 0
constexpr int q2 = f(static_cast<int8_t>(127));  // = -128
constexpr int q3 = f<uint8_t>(511);  // = 0
template <typename T> constexpr int g(const T &x) { T y = x; y += 10; return y; }
constexpr uint8_t u = 250;
constexpr int q4 = g(u);  // = 4
template <typename T> constexpr int h(T &&x) { std::decay_t<T> y = x; y += 10; return y; }
constexpr int q5 = h(u);  // ? 4
constexpr int q6 = h(uint8_t(250));  // ? 4
template <typename T> constexpr int k(T x) { std::make_signed_t<T> y = x; return y; }
constexpr int q7 = k(uint8_t(200));  // ? -56
constexpr int q8 = k(uint16_t(65535));  // ? -1
template <typename A, typename B> constexpr int m(A a, B b) { using C = std::common_type_t<A, B>; return static_cast<C>(a + b) ; }
constexpr int q9 = m(uint8_t(200), uint8_t(100));  // ? 44
constexpr int q10 = m(uint8_t(200), 100);  // ? 300
template <typename A, typename B> constexpr auto n(A a, B b) -> decltype(a + b) { return a + b; }
constexpr int q11 = n(uint8_t(200), uint8_t(100));  // = 300
template <typename A> constexpr A o(A a) { return a * a; }
constexpr int q12 = o(uint8_t(20));  // = 144
constexpr int q13 = o(int8_t(20));  // = -112
template <typename A> constexpr A p(A a, A b) { return a + b; }
constexpr int q14 = p<uint8_t>(200, 100);  // = 44
constexpr int q15 = p<uint8_t>(200, 300);  // = 244
}
namespace n3 {
struct S { uint8_t a; uint16_t b; int8_t c; };
constexpr S s{250, 65530, 120};
constexpr int q1 = static_cast<decltype(s.a)>(s.a + 10);  // = 4
constexpr int q2 = static_cast<decltype(S::b)>(s.b + 10);  // = 4
constexpr int q3 = static_cast<decltype(S::c)>(s.c + 10);  // = -126
constexpr auto a = s.a;
constexpr auto b = a + 10;
constexpr int q4 = b;  // = 260
constexpr int q7 = std::is_same_v<decltype(s.a), uint8_t>;  // = 1
constexpr int q8 = std::is_same_v<decltype((s.a)), const uint8_t &>;  // ? 1
constexpr int q9 = sizeof(S);  // = 6
constexpr int q10 = alignof(S);  // = 2

}
namespace n4 {
constexpr uint8_t arr[] = {250, 251, 252};
constexpr int q1 = static_cast<std::remove_cv_t<std::remove_extent_t<decltype(arr)>>>(arr[0] + 10);  // = 4
constexpr int q2 = sizeof(arr) / sizeof(arr[0]);  // ? 3
constexpr int q3 = std::extent_v<decltype(arr)>;  // = 3
constexpr int q4 = std::size(arr);  // = 3
constexpr std::array<uint8_t, 3> sa{250, 251, 252};
constexpr int q5 = static_cast<decltype(sa)::value_type>(sa[0] + 10);  // ? 4
constexpr int q6 = sa.size();  // = 3
constexpr int q7 = std::tuple_size_v<std::array<uint8_t, 3>>;  // = 3
constexpr int q8 = sizeof(sa);  // ? 3
template <class T, std::size_t N> constexpr int sum(const T (&a)[N]) { T s = 0; for (auto v : a) s += v; return s; }
constexpr int q9 = sum(arr);  // = 241
template <class T, std::size_t N> constexpr int sum2(const std::array<T, N> &a) { T s = 0; for (auto v : a) s += v; return s; }
constexpr int q10 = sum2(sa);  // ? 241
template <class C> constexpr int sum3(const C &c) { typename C::value_type s = 0; for (auto v : c) s += v; return s; }
constexpr int q11 = sum3(sa);  // ? 241
constexpr auto tup = std::make_tuple(uint8_t(250), 3);
constexpr int q12 = static_cast<std::tuple_element_t<0, std::remove_cv_t<decltype(tup)>>>(std::get<0>(tup) + 10);  // ? 4
constexpr std::pair<uint8_t, int> pr{250, 7};
constexpr int q13 = static_cast<decltype(pr.first)>(pr.first + 10);  // ? 4
constexpr int q14 = static_cast<decltype(pr)::first_type>(pr.first + pr.second);  // ? 1
}
namespace n5 {
constexpr auto twice = []<class T>(T x) { return static_cast<T>(x + x); };
constexpr int q1 = twice(uint8_t(200));  // = 144
constexpr auto fold = [](auto... xs) { return (static_cast<uint8_t>(xs) + ...); };
constexpr int q2 = fold(255, 255, 3);  // = 513
constexpr auto cap = [k = uint8_t(250)](int x) { return static_cast<decltype(k)>(k + x); };
constexpr int q3 = cap(10);  // ? 4
constexpr auto ret = [](auto x) { return x; };
constexpr int q5 = sizeof(ret(uint8_t(3)));  // ? 1
constexpr int q6 = std::is_same_v<decltype(ret(uint8_t(3))), uint8_t>;  // ? 1
constexpr int q7 = sizeof(+uint8_t(3));  // = 4
constexpr int q8 = sizeof(uint8_t(3) << 1);  // = 4
constexpr int q9 = sizeof(true ? uint8_t(3) : uint8_t(4));  // = 1
constexpr int q10 = sizeof(true ? uint8_t(3) : 4);  // = 4
constexpr int q11 = sizeof(true ? 3 : 4L);  // = 8
constexpr int q12 = sizeof(uint8_t(3), 4L);  // = 8
constexpr int q13 = (true ? -1 : 0u) > 0;  // = 1
constexpr int q14 = (uint8_t(255) + uint8_t(1)) >> 8;  // = 1
constexpr int q15 = static_cast<int8_t>(0x80) >> 1;  // = -64
constexpr int q16 = (unsigned(-1) >> 28);  // = 15
constexpr int q17 = (-1 >> 28);  // = -1
constexpr long q18 = ~0u;  // = 4294967295
constexpr long q19 = -1u;  // = 4294967295
constexpr long q20 = ~uint8_t(0);  // = -1
constexpr long q21 = ~0ull >> 60;  // ? 15
constexpr int q22 = !uint8_t(256);  // = 1
}
namespace m1 {
struct Config { uint8_t stages; int16_t tile[2]; unsigned flags : 3; };
constexpr Config c{4, {64, 128}, 5};
template <auto V> struct Val { static constexpr auto value = V; using type = decltype(V); };
constexpr int q1 = sizeof(Val<uint8_t(3)>::type);  // ? 1
constexpr int q2 = sizeof(Val<c.stages>::type);  // ? 1
constexpr int q3 = sizeof(decltype(Val<c.stages>::value));  // ? 1
constexpr int q4 = Val<uint8_t(255)>::value + 1;  // = 256
constexpr int q5 = static_cast<Val<uint8_t(255)>::type>(Val<uint8_t(255)>::value + 1);  // ? 0
constexpr int q6 = std::is_same_v<Val<3u>::type, unsigned>;  // ? 1
constexpr int q7 = std::is_same_v<Val<'a'>::type, char>;  // = 1
constexpr int q8 = std::is_same_v<Val<true>::type, bool>;  // = 1
constexpr int q9 = std::is_same_v<Val<3>::type, unsigned>;  // ? 0
constexpr int q10 = sizeof(c.tile);  // = 4
constexpr int q11 = sizeof(c.tile[0]);  // ? 2
constexpr int q12 = sizeof(Config::tile) / sizeof(Config::tile[0]);  // ? 2
constexpr int q13 = c.flags;  // = 5
constexpr int q14 = sizeof(Config);  // = 8
}
namespace m2 {
template <class T> struct Traits;
template <> struct Traits<uint8_t> { static constexpr int bits = 8; };
template <> struct Traits<int> { static constexpr int bits = 32; };
template <> struct Traits<uint16_t> { static constexpr int bits = 16; };
template <> struct Traits<long> { static constexpr int bits = 64; };
struct P { uint8_t a; uint16_t b; };
constexpr P p{1, 2};
constexpr int q1 = Traits<decltype(p.a)>::bits;  // = 8
constexpr int q2 = Traits<std::remove_cv_t<decltype(P::b)>>::bits;  // = 16
constexpr auto v = p.a;
constexpr int q3 = Traits<std::remove_const_t<decltype(v)>>::bits;  // = 8
constexpr auto w = p.a + p.b;
constexpr int q4 = Traits<std::remove_const_t<decltype(w)>>::bits;  // = 32
template <class T> constexpr int bits_of(T) { return Traits<T>::bits; }
constexpr int q5 = bits_of(p.a);  // = 8
constexpr int q6 = bits_of(p.b);  // = 16
constexpr int q7 = bits_of(v);  // = 8
constexpr int q8 = bits_of(p.a + 0);  // = 32
constexpr auto lam = [](auto x) { return Traits<decltype(x)>::bits; };
constexpr int q9 = lam(p.a);  // = 8
constexpr int q10 = lam(p.b);  // = 16
constexpr int q11 = lam(7);  // = 32
constexpr int q12 = lam(7L);  // = 64
constexpr uint16_t arr[3] = {1, 2, 3};
constexpr int q13 = bits_of(arr[1]);  // = 16
constexpr int q14 = lam(arr[1]);  // ? 16
template <class T, std::size_t N> constexpr int elem(const T (&)[N]) { return Traits<T>::bits * 10 + N; }
constexpr int q15 = elem(arr);  // = 163
constexpr std::array<uint8_t, 4> sa{1, 2, 3, 4};
constexpr int q16 = bits_of(sa[0]);  // = 8
template <class T, std::size_t N> constexpr int elem2(const std::array<T, N> &) { return Traits<T>::bits * 10 + N; }
constexpr int q17 = elem2(sa);  // ? 84
constexpr auto tp = std::make_tuple(uint8_t(1), 2, 3L);
constexpr int q18 = bits_of(std::get<0>(tp));  // = 8
constexpr int q19 = bits_of(std::get<2>(tp));  // = 64
constexpr int q20 = Traits<std::tuple_element_t<0, std::remove_cv_t<decltype(tp)>>>::bits;  // ? 8
}
namespace m3 {
constexpr int f(int) { return 1; }
constexpr int f(unsigned) { return 2; }
constexpr int f(long) { return 3; }
constexpr int f(uint8_t) { return 4; }
constexpr int f(bool) { return 5; }
constexpr int f(char) { return 6; }
constexpr int f(double) { return 7; }
struct P { uint8_t a; unsigned b; bool c; char d; long e; };
constexpr P p{1, 2, true, 'x', 5};
constexpr int q1 = f(p.a);  // = 4
constexpr int q2 = f(p.b);  // = 2
constexpr int q3 = f(p.c);  // = 5
constexpr int q4 = f(p.d);  // = 6
constexpr int q5 = f(p.e);  // = 3
constexpr int q6 = f(p.a + p.a);  // = 1
constexpr int q7 = f(p.a * p.b);  // = 2
constexpr int q8 = f(+p.c);  // = 1
constexpr int q9 = f(p.c ? p.a : p.a);  // = 4
constexpr int q10 = f(p.c ? p.a : 1);  // = 1
constexpr int q11 = f(p.c && p.a);  // = 5
constexpr auto g = [](auto x) { return f(x); };
constexpr int q12 = g(p.a);  // = 4
constexpr int q13 = g(p.b);  // = 2
constexpr int q14 = g(p.d);  // = 6
constexpr auto h = [](auto x, auto y) { return f(x + y); };
constexpr int q15 = h(p.a, p.b);  // = 2
constexpr int q16 = h(p.a, p.a);  // = 1
constexpr int q17 = h(p.e, p.a);  // = 3
template <class T> constexpr int k(T x) { auto y = x; return f(y); }
constexpr int q18 = k(p.a);  // = 4
constexpr int q19 = k(p.d);  // = 6
template <class... T> constexpr int m(T... x) { return (f(x) + ...); }
constexpr int q20 = m(p.a, p.b, p.c);  // = 11
constexpr auto n = [](auto... x) { int r = 0; ((r = r * 10 + f(x)), ...); return r; };
constexpr int q21 = n(p.a, p.b, p.c, p.d, p.e);  // ? 42563
constexpr int q22 = [](auto x) { auto y = x; return f(y); }(p.a);  // = 4
constexpr int q23 = [](auto const &x) { return f(x); }(p.a);  // = 4
constexpr int q24 = [](auto &&x) { return f(x); }(p.b);  // = 2
constexpr int q25 = f(1.5f);  // = 7
constexpr int q26 = f('a' + 0);  // = 1
constexpr int q27 = f(sizeof(int) > 2);  // = 5
}
namespace m4 {
template <class T> struct Box { T v; constexpr T get() const { return v; } constexpr T twice() const { return v + v; } };
template <class T> Box(T) -> Box<T>;
constexpr Box b{uint8_t(200)};
constexpr int q1 = b.twice();  // ? 144
constexpr int q2 = sizeof(b);  // ? 1
constexpr int q3 = sizeof(b.v);  // ? 1
constexpr int q4 = sizeof(b.get());  // ? 1
constexpr Box<int8_t> s{100};
constexpr int q5 = s.twice();  // = -56
constexpr auto mk = [](auto x) { return Box<decltype(x)>{x}; };
constexpr int q6 = mk(uint8_t(200)).twice();  // = 144
constexpr int q7 = mk(200).twice();  // = 400
template <class T> constexpr auto wrap(T x) { return Box<T>{x}; }
constexpr int q8 = wrap(uint8_t(200)).twice();  // = 144
constexpr int q9 = wrap(uint16_t(40000)).twice();  // = 14464
struct Acc { uint8_t t = 0; constexpr Acc &add(int x) { t += x; return *this; } };
constexpr int q10 = Acc{}.add(200).add(100).t;  // = 44
struct Sat { uint8_t t; constexpr operator int() const { return t; } };
constexpr int q11 = Sat{uint8_t(300)} + 1;  // = 45
constexpr int q12 = static_cast<int>(Sat{200}) + 100;  // = 300
}
int main() {}
