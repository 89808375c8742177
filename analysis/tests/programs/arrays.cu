// Arrays by reference and by value, their rows and their lengths.
#include <type_traits>
#include <utility>
namespace n1 {
inline float tile[4][8];
constexpr int q1 = sizeof(tile[0]);  // = 32
constexpr int q2 = sizeof(tile) / sizeof(tile[0]);  // = 4
constexpr int q3 = sizeof(*tile);  // = 32
constexpr int q4 = sizeof(tile[0][0]);  // = 4
constexpr int q5 = sizeof(&tile[0]);  // = 8
constexpr int q6 = sizeof(tile[0] + 1);  // = 8
constexpr int q7 = sizeof(**tile);  // = 4
constexpr int q8 = sizeof(+tile[0]);  // = 8
}
namespace n2 {
template <class T> constexpr int of_reference(T& t) { return sizeof(T); }
template <class T> constexpr int of_value(T t) { return sizeof(T); }
template <class T> constexpr int of_const(T const& t) { return sizeof(T); }
template <class T> constexpr int of_forward(T&& t) { return sizeof(t); }
inline short a[6];
constexpr int q1 = of_reference(a);  // = 12
constexpr int q2 = of_value(a);  // = 8
constexpr int q3 = of_const(a);  // = 12
constexpr int q4 = of_forward(a);  // = 12
}
namespace n3 {
template <class T, int N> constexpr int count(T (&)[N]) { return N; }
inline double a[7];
struct S { int x[3][5]; };
inline S s;
constexpr int q1 = count(a);  // = 7
constexpr int q2 = count(s.x);  // = 3
constexpr int q3 = count(s.x[1]);  // = 5
}
namespace n4 {
struct S { char bytes[3][16]; short counts[4]; float* rows[5]; };
inline S s;
constexpr int q1 = sizeof(s.bytes[0]);  // = 16
constexpr int q2 = sizeof(s.bytes[1][2]);  // = 1
constexpr int q3 = sizeof(s.rows[0]);  // = 8
constexpr int q4 = sizeof(s.counts);  // = 8
constexpr int q5 = sizeof(S::bytes[0]);  // ? 16
constexpr int q6 = sizeof(s.rows[0][0]);  // = 4
constexpr int q7 = sizeof(*s.bytes);  // = 16
constexpr int q8 = sizeof(s.bytes) / sizeof(s.bytes[0]);  // = 3
}
namespace n5 {
inline int m[3][4];
inline auto& r = m;
inline auto& row = m[1];
inline auto p = m[1];
inline auto* pp = m;
constexpr int q1 = sizeof(r);  // ? 48
constexpr int q2 = sizeof(row);  // ? 16
constexpr int q3 = sizeof(p);  // ? 8
constexpr int q4 = sizeof(*pp);  // = 16
constexpr int q5 = sizeof(r[0]);  // = 16
constexpr int q6 = sizeof(row[0]);  // = 4
constexpr int q7 = sizeof(p[0]);  // = 4
}
namespace n6 {
using Row = float[8];
inline Row a;
inline Row b[3];
constexpr int q1 = sizeof(Row);  // = 32
constexpr int q2 = sizeof(a);  // = 32
constexpr int q3 = sizeof(b);  // = 96
constexpr int q4 = sizeof(b[0]);  // = 32
constexpr int q5 = sizeof(b[0][0]);  // = 4
template <class T> constexpr int f() { return sizeof(T); }
constexpr int q6 = f<Row>();  // = 32
constexpr int q7 = f<decltype(a)>();  // = 32
constexpr int q8 = f<float[3]>();  // = 12
}
namespace n7 {
inline int at(float (&a)[4]) { return sizeof(a); }
constexpr int by_ref(float (&a)[4]) { return sizeof(a); }
constexpr int by_ptr(float a[4]) { return sizeof(a); }
inline float x[4];
constexpr int q1 = by_ref(x);  // = 16
constexpr int q2 = by_ptr(x);  // = 8
constexpr int q3 = sizeof(decltype(x));  // = 16
constexpr int q4 = sizeof(decltype((x)));  // = 16
constexpr int q5 = sizeof(decltype(x[0]));  // ? 4
}
namespace n8 {
inline int a[2][3];
constexpr int f() { auto& r = a[0]; return sizeof(r); }
constexpr int g() { auto r = a[0]; return sizeof(r); }
constexpr int h() { int local[5][6] = {}; auto& r = local[2]; return sizeof(local) + sizeof(local[0]) + sizeof(r); }
constexpr int q1 = f();  // = 12
constexpr int q2 = g();  // = 8
constexpr int q3 = h();  // = 168
template <class T> constexpr int k() { T t[3] = {}; auto& r = t; return sizeof(r) / sizeof(r[0]); }
constexpr int q4 = k<short>();  // = 3
}
namespace n9 {
struct Box { int data[4];
constexpr int size() const { return sizeof(data); }
constexpr int rows() const { return sizeof(data) / sizeof(data[0]); } };
constexpr Box b{};
constexpr int q1 = b.size();  // = 16
constexpr int q2 = b.rows();  // = 4
constexpr int q3 = sizeof(b.data);  // = 16
constexpr int q4 = sizeof(Box{}.data);  // = 16
}
namespace n10 {
auto l = [](auto& x) { return sizeof(x); };
inline long z[3];
constexpr int q1 = [](auto& x) { return int(sizeof(x)); }(z);  // = 24
constexpr int q2 = [](auto x) { return int(sizeof(x)); }(z);  // = 8
constexpr int q3 = [](auto const& x) { return int(sizeof(x)); }(z);  // = 24
}
namespace n11 {
template <class T, class U> constexpr bool same(T const&, U const&) { return std::is_same_v<T, U>; }
inline float a[4];
inline float b[4];
inline float c[5];
inline float* p;
constexpr int q1 = same(a, b);  // = 1
constexpr int q2 = same(a, c);  // = 0
constexpr int q3 = same(a, p);  // ? 0
constexpr int q4 = same(p, p);  // ? 1
}
namespace n12 {
template <class T> struct Holder { static constexpr int size = sizeof(T); };
template <class T> constexpr int f(T& t) { return Holder<T>::size; }
template <class T> constexpr int g(T t) { return Holder<T>::size; }
inline char a[9];
constexpr int q1 = f(a);  // = 9
constexpr int q2 = g(a);  // = 8
constexpr int q3 = Holder<decltype(a)>::size;  // = 9
}
namespace n13 {
template <class T, int N> constexpr int total(T const (&a)[N]) { int s = 0; for (int i = 0; i < N; ++i) s += a[i]; return s; }
constexpr int xs[] = {1, 2, 3};
constexpr int q1 = total(xs);  // = 6
template <class T, unsigned long N> constexpr unsigned long len(T const (&)[N]) { return N; }
constexpr int q2 = len(xs);  // = 3
constexpr int q3 = len("abc");  // ? 4
constexpr int q4 = len({1, 2, 3, 4});  // ? 4
}
namespace n14 {
template <class T> constexpr int kind(T*) { return 1; }
template <class T, int N> constexpr int kind(T (&)[N]) { return 2; }
inline int a[3];
constexpr int* p = nullptr;
constexpr int q2 = kind(p);  // ? 1
template <class T> constexpr int which(T const&) { return 1; }
template <class T> constexpr int which(T const*) { return 2; }
constexpr int q3 = which(a);  // ? 1
template <int N> constexpr int size(float (&)[N]) { return N; }
template <int N> constexpr int size(double (&)[N]) { return 10 * N; }
inline float f[3];
inline double d[3];
constexpr int q4 = size(f);  // = 3
constexpr int q5 = size(d);  // = 30
}
namespace n15 {
constexpr int over(float (&)[4]) { return 4; }
constexpr int over(float (&)[8]) { return 8; }
inline float a[4];
inline float b[8];
constexpr int q1 = over(a);  // = 4
constexpr int q2 = over(b);  // = 8
}
namespace n16 {
template <class T> constexpr int dims(T const&) { return 0; }
template <class T, int N> constexpr int dims(T const (&a)[N]) { return 1 + dims(a[0]); }
inline int a[2][3][4];
constexpr int q1 = dims(a);  // ? 3
constexpr int q2 = std::extent_v<decltype(a)>;  // = 2
constexpr int q3 = std::extent_v<decltype(a), 1>;  // = 3
constexpr int q4 = std::rank_v<decltype(a)>;  // = 3
constexpr int q5 = sizeof(std::remove_extent_t<decltype(a)>);  // ? 48
constexpr int q6 = std::is_array_v<decltype(a)>;  // = 1
constexpr int q7 = std::is_pointer_v<decltype(a)>;  // = 0
constexpr int q8 = std::is_pointer_v<std::decay_t<decltype(a)>>;  // = 1
}
namespace n17 {
template <class T> constexpr int f(T&& t) { using U = std::remove_reference_t<T>; return sizeof(U); }
inline short a[5];
constexpr int q1 = f(a);  // = 10
template <class T> constexpr int g(T&& t) { using U = std::decay_t<T>; return sizeof(U); }
constexpr int q2 = g(a);  // = 8
template <class... T> constexpr int all(T const&... t) { return (int(sizeof(t)) + ... + 0); }
constexpr int q3 = all(a, a[0], 3.0);  // ? 20
template <class... T> constexpr int copies(T... t) { return (int(sizeof(t)) + ... + 0); }
constexpr int q4 = copies(a, 3.0);  // = 16
}
namespace n18 {
struct View { float* data; int n; };
inline float buf[12];
constexpr View make() { return View{buf, sizeof(buf) / sizeof(buf[0])}; }
constexpr int q1 = make().n;  // = 12
constexpr int q2 = sizeof(make().data);  // = 8
struct Two { View a; float raw[3]; };
inline Two t;
constexpr int q3 = sizeof(t.raw);  // = 12
constexpr int q4 = sizeof(t.a.data);  // = 8
constexpr int q5 = sizeof(t.a.data[0]);  // = 4
constexpr int q6 = sizeof(Two);  // = 32
}
namespace n19 {
inline int a[4];
constexpr auto get() { return a; }
constexpr int q1 = sizeof(get());  // = 8
constexpr auto& ref() { return a; }
constexpr int q2 = sizeof(ref());  // = 16
inline auto pick = [] { return a; };
constexpr int q3 = sizeof(true ? a : a);  // = 16
constexpr int q4 = sizeof(true ? a : nullptr);  // = 8
constexpr int q5 = sizeof(a + 0);  // = 8
constexpr int q6 = sizeof((a));  // = 16
constexpr int q7 = sizeof(static_cast<int*>(a));  // = 8
constexpr int q8 = sizeof((int*)a);  // = 8
constexpr int q9 = sizeof(std::move(a));  // ? 16
}
namespace n20 {
struct S { int v[6]; int* p = v; };
inline S s;
constexpr int q1 = sizeof(s.p);  // = 8
template <class T> constexpr int of_member(T S::*) { return sizeof(T); }
constexpr int q2 = of_member(&S::v);  // ? 24
constexpr int q3 = sizeof(&s.v);  // = 8
constexpr int q4 = sizeof(*&s.v);  // = 24
auto& [v, p] = s;
constexpr int q5 = sizeof(v);  // ? 24
constexpr int q6 = sizeof(p);  // ? 8
}
namespace n21 {
constexpr int table[2][3] = {{1, 2, 3}, {4, 5, 6}};
template <int R, int C> constexpr int sum(int const (&t)[R][C]) { int s = 0; for (auto& row : t) for (int x : row) s += x; return s * 100 + R * 10 + C; }
constexpr int q1 = sum(table);  // ? 2123
template <int N> constexpr int last(int const (&t)[N]) { return t[N - 1]; }
constexpr int q2 = last(table[1]);  // ? 6
}
namespace n22 {
template <class T> struct Traits { static constexpr int v = 0; };
template <class T, int N> struct Traits<T[N]> { static constexpr int v = N; };
template <class T> struct Traits<T*> { static constexpr int v = -1; };
inline float a[5];
inline float* p;
constexpr int q1 = Traits<decltype(a)>::v;  // ? 5
constexpr int q2 = Traits<decltype(p)>::v;  // ? -1
template <class T> constexpr int of(T&) { return Traits<T>::v; }
constexpr int q3 = of(a);  // ? 5
constexpr int q4 = of(p);  // ? -1
template <class T> constexpr int val(T) { return Traits<T>::v; }
constexpr int q5 = val(a);  // ? -1
}
int main() {}
