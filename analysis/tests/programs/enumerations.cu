// Enumerations: the types that hold their values, those of classes, and those that a typedef names.
#include <cstdint>
#include <type_traits>
#include <array>
namespace e1 {
enum Flags : unsigned char { A = 1, B = 2, C = 252 };
constexpr int q1 = Flags(260);  // = 4
constexpr int q2 = (Flags)260;  // = 4
constexpr int q3 = static_cast<Flags>(260);  // = 4
constexpr int q4 = static_cast<int>(static_cast<Flags>(300));  // = 44
constexpr Flags f = Flags(300);
constexpr int q5 = f;  // = 44
constexpr int q6 = A - B;  // = -1
constexpr int q7 = sizeof(Flags) + sizeof(A);  // = 2
constexpr int g(int x) { return Flags(x) + 1; }
constexpr int q8 = g(260);  // = 5
constexpr int h(int x) { auto v = (Flags)x; v = Flags(v + 255); return v; }
constexpr int q9 = h(2);  // = 1
}
namespace e2 {
enum class S : std::int8_t { A = 1, B = -1 };
constexpr int q1 = (int)S(200);  // = -56
constexpr int q2 = (int)static_cast<S>(300);  // = 44
constexpr int g(int x) { return (int)S(x); }
constexpr int q3 = g(200);  // = -56
constexpr int q4 = static_cast<int>(S{5});  // = 5
constexpr int q5 = sizeof(S);  // = 1
template <S s> struct T { static constexpr int v = (int)s * 2; };
constexpr int q6 = T<S::B>::v;  // = -2
constexpr int q7 = T<static_cast<S>(200)>::v;  // = -112
}
namespace e4 {
struct H { enum Kind : std::uint8_t { a = 250, b = 251 }; Kind k; constexpr int next() const { return Kind(k + 10); } };
constexpr int q1 = H{H::b}.next();  // = 5
template <int N> struct W { enum : std::uint16_t { value = N }; };
constexpr int q2 = W<100>::value;  // = 100
template <int N> constexpr int w() { enum Local : unsigned char { z = 3 }; return Local(N); }
constexpr int q3 = w<259>();  // = 3
using K = H::Kind;
constexpr int q4 = K(257);  // = 1
template <class E> constexpr int u(int x) { return static_cast<int>(static_cast<E>(x)); }
constexpr int q5 = u<H::Kind>(257);  // = 1
constexpr int q6 = u<K>(258);  // = 2
}
namespace e5 {
struct H { enum class Kind : std::uint8_t { a = 250, b = 251 }; Kind k; };
constexpr int q1 = (int)H::Kind(257);  // = 1
constexpr int q2 = (int)H{H::Kind::b}.k;  // = 251
constexpr int q3 = sizeof(H) * 10 + sizeof(H::Kind);  // = 11
enum Old { x = 5, y };
constexpr int q4 = Old(6) + y;  // = 12
constexpr int q5 = (int)static_cast<Old>(7);  // = 7
typedef enum : unsigned short { t1 = 1 } Ty;
constexpr int q6 = Ty(65537);  // = 1
template <class T> struct Tr { enum : unsigned char { n = sizeof(T) }; };
constexpr int q7 = Tr<double>::n + 1;  // = 9
template <class T> struct Tq { enum Z : T { z = 3 }; static constexpr int v = (int)Z(259); };
constexpr int q8 = Tq<unsigned char>::v;  // = 3
constexpr int q9 = Tq<int>::v;  // = 259
enum class F : char; 
constexpr int q10 = (int)F(300);  // ? 44
constexpr int cast(unsigned long v) { return (int)(F)v; }
constexpr int q11 = cast(513);  // ? 1
constexpr int q12 = std::is_same_v<std::underlying_type_t<F>, char>;  // ? 1
}
namespace f1 {
typedef enum { F16, BF16, F8 = 7, F4 } DType;
constexpr int q1 = F8 + F4;  // = 15
constexpr DType d = BF16;
constexpr int q2 = d;  // = 1
constexpr int bits(DType t) { switch (t) { case F16: case BF16: return 16; case F8: return 8; default: return 4; } }
constexpr int q3 = bits(F4) + bits(d) * 100;  // = 1604
template <DType D> struct Tr { static constexpr int v = D == F8 ? 1 : 2; };
constexpr int q4 = Tr<F8>::v * 10 + Tr<d>::v;  // = 12
}
namespace f2 {
enum class Op { add, mul };
template <Op op> struct Apply;
template <> struct Apply<Op::add> { static constexpr int run(int a, int b) { return a + b; } };
template <> struct Apply<Op::mul> { static constexpr int run(int a, int b) { return a * b; } };
constexpr int q1 = Apply<Op::add>::run(3, 4) * 100 + Apply<Op::mul>::run(3, 4);  // = 712
constexpr Op pick(bool b) { return b ? Op::mul : Op::add; }
constexpr int q2 = Apply<pick(true)>::run(5, 6);  // = 30
template <class T> constexpr int kind(T) { if constexpr (std::is_enum_v<T>) return 1; else return 2; }
constexpr int q3 = kind(Op::add) * 10 + kind(3);  // ? 12
struct Pol { enum class Mode { a = 3, b = 5 }; static constexpr Mode mode = Mode::b; };
template <class P> struct Use { static constexpr int v = P::mode == P::Mode::b ? 7 : 8; };
constexpr int q4 = Use<Pol>::v;  // = 7
constexpr int q5 = (int)Pol::mode;  // = 5
template <Pol::Mode M> constexpr int mm() { return (int)M; }
constexpr int q6 = mm<Pol::Mode::a>();  // = 3
constexpr int q7 = [](Pol::Mode m) { return m == Pol::Mode::a ? 1 : 2; }(Pol::Mode::b);  // = 2
constexpr int q8 = Pol::Mode::a < Pol::Mode::b;  // = 1
struct Inner { struct Deep { enum class X : unsigned char { p = 200, q }; }; };
constexpr int q9 = (int)Inner::Deep::X::q;  // = 201
}
namespace e6 {
struct Cfg { enum class Swizzle { none, b32 = 1, b64, b128 }; static constexpr Swizzle swizzle = Swizzle::b128; };
constexpr int bytes(Cfg::Swizzle s, int rows) { switch (s) { case Cfg::Swizzle::none: return rows * 16; case Cfg::Swizzle::b128: return rows * 128; default: return 0; } }
template <int N> struct Tile { static constexpr int v = N; };
constexpr int q1 = Tile<bytes(Cfg::swizzle, 8)>::v;  // = 1024
constexpr int q2 = Tile<bytes(Cfg::Swizzle::none, 2)>::v;  // = 32
template <class C> constexpr int width() { if constexpr (C::swizzle == C::Swizzle::b128) return 3; else return 0; }
constexpr int q3 = width<Cfg>();  // = 3
}
namespace e7 {
template <class E> struct Cast { static constexpr int v = static_cast<int>(static_cast<E>(300)); };
constexpr int narrow() { enum Mode : unsigned char { a }; return Cast<Mode>::v; }
constexpr int wide() { enum Mode : int { a }; return Cast<Mode>::v; }
constexpr int q1 = narrow();  // = 44
constexpr int q2 = wide();  // = 300
}
int main() {}
