// What functions of the library do to arrays that they are given by iterators, and lambdas with template parameters.
#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <type_traits>
#include <utility>
namespace p0 {
constexpr int f() { std::array<int, 4> a{4, 3, 2, 1}; std::sort(a.begin(), a.end()); return a[0] * 10 + a[3]; }
constexpr int q1 = f();  // ? 14
constexpr int g() { std::array<int, 4> a{1, 2, 3, 4}; std::reverse(a.begin(), a.end()); return a[0] * 10 + a[3]; }
constexpr int q2 = g();  // ? 41
constexpr int h() { std::array<int, 4> a{}; std::fill(a.begin(), a.end(), 7); return a[2]; }
constexpr int q3 = h();  // ? 7
constexpr int i() { std::array<int, 3> a{1, 2, 3}, b{}; std::copy(a.begin(), a.end(), b.begin()); return b[2]; }
constexpr int q4 = i();  // ? 3
constexpr int j() { std::array<int, 3> a{1, 2, 3}; std::transform(a.begin(), a.end(), a.begin(), [](int x) { return x * x; }); return a[2]; }
constexpr int q5 = j();  // ? 9
constexpr int k() { std::array<int, 3> a{1, 2, 3}; std::rotate(a.begin(), a.begin() + 1, a.end()); return a[0]; }
constexpr int q6 = k();  // ? 2
constexpr int l() { int a[4] = {1, 2, 3, 4}; std::partial_sum(a + 1, a + 4, a + 1); return a[3]; }
constexpr int q7 = l();  // ? 9
constexpr int m() { std::array<int, 4> a{}; std::iota(std::begin(a), std::end(a), 5); return a[3]; }
constexpr int q8 = m();  // ? 8
constexpr int n() { std::array<int, 3> a{1, 2, 3}; int s = 0; for (int i = 0; i < 2; ++i) { std::fill(a.begin(), a.end(), i); s += a[0]; } return s * 10 + a[2]; }
constexpr int q9 = n();  // ? 11
}
namespace p1 {
struct V { int x, y; constexpr explicit operator bool() const { return x != 0; } constexpr auto operator<=>(V const&) const = default; };
constexpr V a{1, 2}, b{3, 4}, c{1, 5};
constexpr int q1 = (a < b) + (b < a) * 10 + (a < c) * 100 + (c < a) * 1000;  // = 101
constexpr int q2 = (a == b) + (a == a) * 10 + (a != c) * 100 + (a >= c) * 1000;  // = 110
struct W { V v; int z; constexpr bool operator==(W const&) const = default; };
constexpr W u{{1, 2}, 3}, w{{1, 2}, 4};
constexpr int q3 = (u == w) + (u == u) * 10 + (u != w) * 100;  // = 110
}
namespace p2 {
constexpr int f() { auto add = []<class T>(T a, T b) { return a + b; }; return add(3, 4) + add.template operator()<int>(1, 2); }
constexpr int q1 = f();  // = 10
constexpr int g() { auto f = []<int N>() { return N * 10; }; return f.template operator()<3>() + f.operator()<4>(); }
constexpr int q2 = g();  // = 70
constexpr int h() { auto f = []<int... I>(std::integer_sequence<int, I...>) { return (I + ... + 0); }; return f(std::make_integer_sequence<int, 5>{}); }
constexpr int q3 = h();  // = 10
constexpr auto size = []<class T>(T) { return int(sizeof(T)); };
constexpr int q4 = size(short(1)) + size(1.0) * 10;  // = 82
constexpr int q5 = []<bool B, int X = 5>() { return B ? X : -X; }.template operator()<false>();  // = -5
constexpr int i() { auto fib = [](auto self, int n) -> int { return n < 2 ? n : self(self, n - 1) + self(self, n - 2); }; return fib(fib, 12); }
constexpr int q6 = i();  // = 144
template <class F> constexpr int fix(F f, int n) { return f(f, n); }
constexpr int q7 = fix([](auto self, int n) -> int { return n ? n + self(self, n - 1) : 0; }, 10);  // = 55
template <int... I> constexpr int poly(std::integer_sequence<int, I...>, int x) { int r = 0; ((r = r * x + I), ...); return r; }
constexpr int q8 = poly(std::make_integer_sequence<int, 4>{}, 10);  // = 123
}
namespace p3 {
template <class T> constexpr int width = sizeof(T) * 8;
template <> constexpr int width<bool> = 1;
template <class A, class B> struct Pair {};
template <class A, class B> constexpr int width<Pair<A, B>> = width<A> + width<B>;
constexpr int q1 = width<int> + width<bool> * 100;  // = 132
constexpr int q2 = width<Pair<Pair<bool, char>, int>>;  // = 41
}
namespace p4 {
constexpr int f(int n) { switch (int k = n % 4; k) { case 0: return 10; case 1: return 5; default: n *= 2; } return n; }
constexpr int q1 = f(4) + f(5) * 100 + f(6) * 1000;  // = 12510
constexpr int g(int n) { switch (int k = n % 3) { case 0: return 1; case 2: return k; } return 7; }
constexpr int q2 = g(3) + g(4) * 10 + g(5) * 100;  // = 271
template <class T> struct Outer { template <class U> constexpr int f(U) const { return sizeof(T) * 10 + sizeof(U); } };
template <class T> Outer(T) -> Outer<T>;
constexpr int q3 = Outer<char>{}.f(1.0);  // = 18
}
namespace p5 {
namespace in { constexpr int v = 1; constexpr int f(int) { return 5; } struct S { int x = 3; }; }
constexpr int v = 9; constexpr int f(double) { return 6; } struct S { int x = 4; };
constexpr int g() { using in::v; return v; }
constexpr int q1 = g();  // = 1
constexpr int h() { using in::f; return f(1.5); }
constexpr int q2 = h();  // = 5
constexpr int k() { using in::S; return S{}.x; }
constexpr int q3 = k();  // = 3
constexpr int m() { int r = v; { using in::v; r = r * 10 + v; } return r * 10 + v; }
constexpr int q4 = m();  // ? 919
}
namespace p6 {
struct G { int n; constexpr explicit G(int k) : n(k) {} constexpr G(double) : n(-1) {} };
constexpr int take(G g) { return g.n; }
constexpr int q1 = take(3);  // ? -1
constexpr int q2 = take(G(3));  // = 3
}
namespace p7 {
template <class T, int K> using Rows = T[K];
template <class T> using Two = T[2];
template <class T> using Nested = Two<Two<T>>;
template <class T> constexpr int bytes() { return sizeof(T); }
constexpr int q1 = sizeof(Rows<short, 7>);  // = 14
constexpr int q2 = sizeof(Nested<char>);  // ? 4
constexpr int q3 = bytes<int[6]>() + bytes<Two<char>>() * 100;  // ? 224
constexpr int q4 = sizeof(std::conditional_t<true, char[7], int>);  // ? 7
constexpr int q5 = sizeof(std::remove_cv_t<char[7]>) + sizeof(std::decay_t<char[7]>) * 10;  // ? 87
}

int main() {}
