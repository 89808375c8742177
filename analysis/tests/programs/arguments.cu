// Template arguments that are elements of constant arrays, members of constant objects, and computed with them.
#include <array>
#include <tuple>
#include <utility>
namespace j1 {
template <int N> struct I { static constexpr int v = N; };
constexpr int t[] = {8, 16, 32};
constexpr int u[2][2] = {{1, 2}, {3, 4}};
constexpr std::array<int, 3> a{5, 6, 7};
struct Cfg { int bm; int bn; int st[2]; };
constexpr Cfg c{64, 128, {2, 3}};
constexpr Cfg cs[] = {{1, 2, {3, 4}}, {5, 6, {7, 8}}};
constexpr std::pair<int, int> p{9, 10};
constexpr std::tuple<int, int> tp{11, 12};
struct S { static constexpr int t[] = {21, 22}; static constexpr Cfg c{31, 32, {33, 34}}; };
constexpr int q1 = I<t[1]>::v;  // = 16
constexpr int q2 = I<u[1][0]>::v;  // = 3
constexpr int q3 = I<a[2]>::v;  // = 7
constexpr int q4 = I<c.bm>::v;  // = 64
constexpr int q5 = I<c.st[1]>::v;  // = 3
constexpr int q6 = I<cs[1].bn>::v;  // ? 6
constexpr int q7 = I<cs[1].st[0]>::v;  // = 7
constexpr int q8 = I<p.second>::v;  // ? 10
constexpr int q9 = I<std::get<1>(tp)>::v;  // = 12
constexpr int q10 = I<S::t[1]>::v;  // = 22
constexpr int q11 = I<S::c.bn>::v;  // = 32
constexpr int q12 = I<S::c.st[1]>::v;  // = 34
constexpr int q13 = I<t[u[0][1]]>::v;  // = 32
constexpr int q14 = I<t[2] / 4 + a[0]>::v;  // = 13
constexpr int q15 = I<(t[0] > 4 ? t[1] : t[2])>::v;  // = 16
template <int K> constexpr int f() { return I<t[K]>::v + I<u[K][1]>::v; }
constexpr int q16 = f<1>();  // = 20
template <int K> struct F { static constexpr int v = I<t[K]>::v; using T = I<u[K][0]>; };
constexpr int q17 = F<1>::v + F<0>::T::v;  // = 17
constexpr int g() { constexpr int l[] = {3, 4, 5}; constexpr Cfg d{7, 8, {9, 10}}; return I<l[1]>::v * 1000 + I<d.bn>::v * 100 + I<d.st[1]>::v; }
constexpr int q18 = g();  // = 4810
template <class C> constexpr int h() { return I<C::t[0]>::v + I<C::c.st[0]>::v; }
constexpr int q19 = h<S>();  // = 54
template <class C> struct H { static constexpr int v = I<C::t[1]>::v; static constexpr int w = I<C::c.bm>::v; };
constexpr int q20 = H<S>::v + H<S>::w;  // = 53
constexpr Cfg mk(int m) { return {m, m * 2, {m + 1, m + 2}}; }
constexpr int q21 = I<mk(4).bn>::v;  // ? 8
constexpr int q22 = I<mk(4).st[1]>::v;  // = 6
constexpr int q23 = I<a.size()>::v;  // = 3
constexpr int q24 = I<std::size(t)>::v;  // = 3
constexpr int q25 = I<sizeof(t) / sizeof(t[0])>::v;  // ? 3
constexpr auto arr = std::array{1, 2, 3};
constexpr int q26 = I<arr[1]>::v;  // ? 2
template <auto &T, int K> struct R { static constexpr int v = T[K]; };
constexpr int q27 = R<t, 2>::v;  // ? 32
template <int... Is> constexpr int all(std::integer_sequence<int, Is...>) { return (I<t[Is]>::v + ...); }
constexpr int q28 = all(std::make_integer_sequence<int, 3>{});  // = 56
}
int main() {}
