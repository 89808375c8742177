// Integer arithmetic in the types of C++. Behind a line stands what g++ computes: `= 5` is known, `? 5` is not known or is that.
#include <cstddef>
#include <cstdint>
constexpr int l0 = (-1 < 1u) ? 4 : 8;  // = 8
constexpr int l1 = -1 / 2u > 5 ? 1 : 2;  // = 1
constexpr int l2 = -1 % 4u;  // = 3
constexpr int l3 = -1 > sizeof(int) ? 1 : 2;  // = 1
constexpr bool l4 = sizeof(int) - 5 > 100;  // ? true
constexpr unsigned u0 = -1;  // = 4294967295
constexpr unsigned u1 = 3u - 5u;  // = 4294967294
constexpr uint8_t c0 = 300;  // = 44
constexpr int c1 = uint8_t(300);  // = 44
constexpr int c2 = static_cast<unsigned char>(-1);  // = 255
constexpr int c3 = (signed char)200;  // = -56
constexpr short s0 = 40000;  // = -25536
constexpr int h0 = 0xffffffff > -1 ? 1 : 2;  // = 2
constexpr int h1 = 0x7fffffff > -1 ? 1 : 2;  // = 1
constexpr int h2 = 4294967295 > -1 ? 1 : 2;  // = 1
constexpr int t0 = sizeof(0xffffffff);  // = 4
constexpr int t1 = sizeof(4294967295);  // = 8
constexpr int t2 = sizeof(1ull);  // = 8
constexpr int t3 = sizeof('a' + 'b');  // = 4
constexpr unsigned n0 = ~0u;  // = 4294967295
constexpr int n1 = ~0u > 5 ? 1 : 2;  // = 1
constexpr int n2 = ~uint8_t(0);  // ? -1
constexpr unsigned g0 = -1u;  // = 4294967295
constexpr int g1 = -uint8_t(1);  // ? -1
constexpr int b0 = true + true;  // = 2
constexpr bool b1 = 5;  // = true
constexpr int b2 = bool(5) + 1;  // = 2
constexpr unsigned sh0 = 0xffffffffu << 4;  // = 4294967280
constexpr int sh1 = -16 >> 2;  // = -4
constexpr int sh2 = (0u - 16) >> 28;  // = 15
constexpr unsigned sh3 = 1u << 31;  // = 2147483648
template <unsigned N> struct U { static constexpr unsigned value = N; static constexpr bool less = N - 3 > 100; static constexpr int f() { return N - 4 > 100u ? 1 : 2; } };
constexpr bool p0 = U<2>::less;  // ? true
constexpr int p1 = U<2>::f();  // ? 1
constexpr unsigned low(unsigned x) { return x; }
constexpr unsigned q0 = low(-1);  // = 4294967295
constexpr uint8_t narrow(int x) { return x; }
constexpr int q1 = narrow(257);  // = 1
constexpr bool cmp(unsigned x, int y) { return x > y; }
constexpr bool q2 = cmp(1, -1);  // = false
struct M { uint8_t a; unsigned b = -1; };
constexpr M m0{200};
constexpr int m1 = m0.a + 100;  // = 300
constexpr bool m2 = m0.b > 5;  // = true
enum E : uint8_t { kA = 250, kB, kC };
constexpr int e0 = kC;  // = 252
enum class F : unsigned { A = 3 };
constexpr bool e1 = static_cast<unsigned>(F::A) - 4 > 0;  // = true
constexpr int e2 = static_cast<int>(F::A) - 4;  // = -1
constexpr size_t z0 = 5;
constexpr bool z1 = z0 - 6 > 0;  // ? true
constexpr int z2 = int(z0) - 6;  // = -1
constexpr int z3 = z0 - 6;  // ? -1
constexpr auto z4 = uint16_t(65535) * 2;  // = 131070
constexpr long long w0 = 4294967296LL / 2;  // ? 2147483648
constexpr int w1 = 4294967296LL;  // = 0
constexpr unsigned w2 = 65536u * 65536u;  // = 0
constexpr unsigned w3 = 65537u * 65537u;  // = 131073
constexpr bool w4 = (1u == -4294967295LL);  // = false
constexpr bool w5 = (-1 == 4294967295u);  // = true
constexpr int d0 = -7 / 2;  // = -3
constexpr int d1 = -7 % 2;  // = -1
constexpr int d2 = (true ? -1 : 1u) > 0;  // = 1
template <class T> constexpr T top() { return T(-1); }
constexpr int d3 = top<uint8_t>();  // = 255
template <class T, T V> struct IC { static constexpr T value = V; };
constexpr bool d4 = IC<unsigned, 3>::value - 4 > 0;  // ? true
constexpr int d5 = 'a' + 1;  // ? 98
constexpr int d6 = '\n';  // ? 10
constexpr int d7 = 07 + 0b11;  // = 10
constexpr int d8 = 1'000;  // = 1000
void f() {
  unsigned a = 3;
  unsigned b = a - 5;  // ? 4294967294
  int c = a - 5;  // ? -2
  bool d = a - 5 > 0;  // ? true
  unsigned char e = 255;
  e += 2;
  int g = e;  // ? 1
  unsigned h = 0;
  --h;
  bool i = h > 5;  // ? true
  unsigned j = 1;
  j -= 2;
  bool k = j > 5;  // ? true
  int l = -1;
  bool m = l < a;  // ? false
  auto n = a * l;
  bool o = n > 5;  // ? true
  size_t p = 2;
  for (int q = 0; q < 1; ++q) {
    bool r = q - p > 5;  // ? true
  }
  uint8_t t{7};
  auto u = t - 8;
  int v = u;  // ? -1
  int w = sizeof(u);  // = 4
}

int main() { f(); }

// Both sides of `?:` decide its type, whichever is taken.
constexpr int sides_1 = -4 <= (true ? true : -1ul);  // = 0
constexpr int sides_2 = -4 <= (true ? true : -1);  // = 1
constexpr int sides_3 = -4 <= (true ? true : false);  // = 1
constexpr int sides_4 = -4 < (true ? 1 : 1u);  // = 0
