// Macros whose replacement is no operand, conditions of `#if`, and where names are in sight. Behind a line stands what g++ says.
#include <cstddef>
#include <type_traits>
#define SUM 1 + 2
#define ALIAS SUM
#define NEGATIVE -1
#define WRAPPED (1 + 2)
#define CHOICE true ? 3 : 4
#define SAME(x) x
#define SQUARE(x) x * x
#define SAFE(x) ((x) * (x))
#define TWICE(x) (2 * x)
#define NESTED(x) SQUARE(x) + SUM
#define SHIFT 1 << 2
#define LESS 1 < 2
#define MEMBER pair.b
#define CONST_OF(x) int(x)
#define COMMA(a, ...) f2(a, ##__VA_ARGS__)
#define ONLY(...) f2(__VA_ARGS__)
constexpr int f2(int a) { return a; }
constexpr int f2(int a, int b) { return 10 * a + b; }
constexpr int m0 = SUM * 2;  // = 5
constexpr int m1 = 2 * SUM;  // = 4
constexpr int m2 = ALIAS * 2;  // = 5
constexpr int m3 = 2 - NEGATIVE;  // = 3
constexpr int m4 = WRAPPED * 2;  // = 6
constexpr int m5 = SAME(1 + 2) * 3;  // = 7
constexpr int m6 = SQUARE(1 + 2);  // = 5
constexpr int m7 = SAFE(1 + 2) * 2;  // = 18
constexpr int m8 = TWICE(SUM) + 1;  // = 5
constexpr int m9 = NESTED(2) * 2;  // = 9
constexpr int m10 = (SUM) * 2;  // = 6
constexpr int m11 = -SUM;  // = 1
constexpr int m12 = 5 - SUM;  // = 6
constexpr int m13 = SHIFT + 1;  // = 8
constexpr int m14 = SUM == 3 ? SUM * 3 : 0;  // = 7
constexpr int m15 = SUM;  // = 3
constexpr int m16 = COMMA(3);  // = 3
constexpr int m17 = COMMA(3, 4);  // = 34
constexpr int m18 = ONLY(5, 6);  // = 56
constexpr int m19 = SAME(SUM) * SAME(SUM);  // = 5
constexpr int m20 = 0 + CHOICE;  // = 3
constexpr int m21 = 10 % SUM * 2;  // = 4
constexpr bool m22 = !LESS;  // = true
constexpr int m23 = f2(SUM * 2, SUM);  // = 53
constexpr int m24 = (int)SUM * 2;  // = 5
constexpr int m25 = SQUARE(SQUARE(1 + 1));  // ? 5
struct Pair { int a; int b; };
constexpr Pair pair{3, 4};
constexpr int m26 = MEMBER * 2;  // = 8
template <int N> struct Of { static constexpr int value = N; };
constexpr int m27 = Of<SUM * 2>::value;  // = 5
#define LATE 4
#if SUM * 2 == 5
constexpr int c0 = 1;  // = 1
#else
constexpr int c0 = 0;
#endif
#if SAFE(2) == 4 && defined(LATE) && !defined NOTHING
constexpr int c1 = 1;  // = 1
#else
constexpr int c1 = 0;
#endif
#if NOTHING || (LATE & 4) == 0
constexpr int c2 = 0;
#elif LATE / 2 == 2
constexpr int c2 = 2;  // = 2
#else
constexpr int c2 = 3;
#endif
#if -1 > 0u
constexpr int c3 = 1;  // = 1
#else
constexpr int c3 = 0;
#endif
#if LATE > 3 ? 0 : 1
constexpr int c4 = 0;
#else
constexpr int c4 = 1;  // = 1
#endif
#if __has_include(<cstddef>) && __cplusplus > 201402L
constexpr int c5 = 1;  // = 1
#endif
#if ALIAS - 3
constexpr int c6 = 0;
#else
constexpr int c6 = 1;  // = 1
#endif
#if 'A' == 65 && 0x10 == 020
constexpr int c7 = 1;  // = 1
#else
constexpr int c7 = 0;
#endif
struct Conditional {
#if LATE * 4 == 16
  int a, b;
#else
  char c;
#endif
};
constexpr size_t c8 = sizeof(Conditional);  // = 8
constexpr int outer = 1;
constexpr int which(long) { return 1; }
struct Kind { static constexpr int value = 1; };
using Number = char;
namespace first {
constexpr int n0 = outer;  // = 1
constexpr int n1 = which(0);  // = 1
constexpr int n2 = Kind::value;  // = 1
constexpr size_t n3 = sizeof(Number);  // = 1
constexpr int early() { return outer + which(0); }
constexpr int outer = 2;
constexpr int which(int) { return 2; }
struct Kind { static constexpr int value = 2; };
using Number = long;
constexpr int late() { return outer + which(0); }
constexpr int n4 = outer;  // = 2
constexpr int n5 = which(0);  // = 2
constexpr int n6 = Kind::value;  // = 2
constexpr size_t n7 = sizeof(Number);  // = 8
constexpr int n8 = early();  // = 2
constexpr int n9 = late();  // = 4
namespace second {
constexpr int n10 = outer;  // = 2
constexpr int outer = 3;
constexpr int n11 = outer;  // = 3
constexpr int n12 = first::outer;  // = 2
constexpr int n13 = ::outer;  // = 1
}
}
constexpr int n14 = first::second::n10;  // = 2
constexpr int picked(long) { return 1; }
constexpr int before() { return picked(1); }
constexpr int picked(int) { return 2; }
constexpr int n15 = before();  // = 1
constexpr int n16 = picked(1);  // = 2
constexpr size_t t0 = sizeof(decltype(true ? 1 : 1L));  // = 8
constexpr size_t t1 = sizeof(true ? 'a' : 'b');  // = 1
constexpr size_t t2 = sizeof(decltype(1 + 1L));  // = 8
constexpr bool t3 = std::is_same_v<decltype(1 + 1L), long>;  // = true
constexpr bool t4 = std::is_same_v<long, long long>;  // = false
constexpr bool t5 = std::is_same_v<decltype(1u * 1), unsigned>;  // = true
constexpr bool t6 = std::is_same_v<decltype('a' + 'b'), int>;  // = true
constexpr bool t7 = std::is_same_v<int const, int>;  // = false
constexpr bool t8 = std::is_same_v<int&, int>;  // = false
constexpr bool t9 = std::is_same_v<decltype(outer), int>;  // = false
constexpr bool t10 = std::is_same_v<decltype(outer), int const>;  // = true
constexpr bool t11 = std::is_same_v<decltype((outer)), int const&>;  // = true
constexpr bool t12 = std::is_integral_v<bool>;  // = true
constexpr bool t13 = std::is_integral_v<char>;  // = true
constexpr bool t14 = std::is_integral_v<float>;  // = false
constexpr bool t15 = std::is_same_v<decltype(1LL + 1L), long long>;  // = true
constexpr size_t t16 = sizeof(true ? short(1) : short(2));  // = 2
constexpr int t17 = false ? true : 5;  // = 5
constexpr int t18 = true ? true : 5;  // = 1

#define CHANGING 4
#define ALSO_CHANGING CHANGING
constexpr int r0 = CHANGING * 2;  // = 8
#define TIMES(x) x * CHANGING
constexpr int r1 = TIMES(2);  // = 8
#undef CHANGING
#define CHANGING 5 + 1
constexpr int r2 = CHANGING * 2;  // = 7
constexpr int r3 = ALSO_CHANGING;  // = 6
constexpr int r4 = TIMES(2);  // = 11
#undef TIMES
#define TIMES(x) x + 1
constexpr int r5 = TIMES(2) * 3;  // = 5
namespace directives {
constexpr int x = 1;
constexpr int g(long) { return 1; }
namespace other { constexpr int y = 5; constexpr int g(int) { return 90; } }
constexpr int d0 = g(1);  // = 1
namespace inner {
constexpr int early() { return g(1); }
using namespace other;
constexpr int d1 = g(1);  // = 90
constexpr int d2 = y;  // = 5
constexpr int d3 = early();  // = 1
}
inline void in_function() {
  using namespace other;
  int d4 = g(1);  // = 90
}
inline namespace shown { constexpr int z = 3; }
constexpr int d6 = z;  // = 3
}
constexpr bool flag_of_type = true;
constexpr unsigned char byte_of_type = 3;
constexpr size_t s0 = sizeof(flag_of_type);  // = 1
constexpr size_t s1 = sizeof(byte_of_type);  // = 1
constexpr size_t s2 = sizeof(byte_of_type + 1);  // = 4
constexpr size_t s3 = sizeof((unsigned char)(byte_of_type + 1));  // = 1

namespace udir {
namespace other { constexpr int g(int) { return 90; }  constexpr int h(int) { return 91; } }
namespace n0 {
constexpr int g(int) { return 13; }
namespace n1 {
using namespace other;
constexpr int ud0 = g(1);  // = 13
constexpr int ud1 = h(1);  // = 91
namespace n2 {
constexpr int ud2 = g(1);  // = 13
}
constexpr int ud3 = n2::ud2;  // = 13
}
inline namespace n3 {
using namespace other;
constexpr int early() { return 2 * g(1); }
constexpr int ud4 = early();  // = 26
}
constexpr int ud5 = n1::h(1);  // = 91
}
}

int main() {}
