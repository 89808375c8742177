// Sizes of classes. Behind a line stands what g++ says: `= 5` is known, `? 5` is not known or is that.
#include <cstddef>
struct Empty {};
struct Other {};
struct Virtual { virtual int f(); int x; };
struct Overrides : Virtual { int f() override; char c; };
struct Adds : Empty { char c; virtual void g(); };
struct Two : Empty, Virtual { int y; };
struct Late : Other { virtual ~Late() {} double d; };
struct Inherits : Overrides { char d; };
template <class T> struct Of { virtual void h(T); T t; };
constexpr size_t v0 = sizeof(Virtual);  // = 16
constexpr size_t v1 = sizeof(Overrides);  // = 16
constexpr size_t v2 = sizeof(Adds);  // = 16
constexpr size_t v3 = sizeof(Two);  // = 16
constexpr size_t v4 = sizeof(Late);  // = 16
constexpr size_t v5 = sizeof(Inherits);  // = 16
constexpr size_t v6 = sizeof(Of<char>);  // = 16
constexpr size_t v7 = alignof(Adds);  // = 8
struct VirtualBase : virtual Virtual { int y; };
struct Diamond : public virtual Empty { int y; };
constexpr size_t b0 = sizeof(VirtualBase);  // ? 32
constexpr size_t b1 = sizeof(Diamond);  // ? 16
struct __attribute__((packed)) Packed { char c; int i; };
struct Behind { char c; int i; } __attribute__((packed));
struct [[gnu::packed]] Standard { char c; double d; };
struct PackedMember { char c; int i __attribute__((packed)); };
constexpr size_t p0 = sizeof(Packed);  // ? 5
constexpr size_t p1 = sizeof(Behind);  // ? 5
constexpr size_t p2 = sizeof(Standard);  // ? 9
constexpr size_t p3 = sizeof(PackedMember);  // ? 5
#pragma pack(push, 1)
struct Pushed { char c; int i; double d; };
struct Outer { struct Inner { char c; int i; } inner; char c; };
#pragma pack(pop)
struct Popped { char c; int i; };
#pragma pack(2)
struct Halves { char c; int i; };
#pragma pack()
struct Whole { char c; int i; };
#pragma pack(push)
struct Same { char c; int i; };
#pragma pack(pop)
struct Inside {
  char c;
#pragma pack(push, 1)
  struct In { char c; int i; } in;
#pragma pack(pop)
};
constexpr size_t k0 = sizeof(Pushed);  // ? 13
constexpr size_t k1 = sizeof(Outer);  // ? 6
constexpr size_t k2 = sizeof(Popped);  // = 8
constexpr size_t k3 = sizeof(Halves);  // ? 6
constexpr size_t k4 = sizeof(Whole);  // = 8
constexpr size_t k5 = sizeof(Same);  // = 8
constexpr size_t k6 = sizeof(Inside);  // ? 6
struct __attribute__((aligned(64))) Aligned { int x; };
struct AlignedMember { char c; int x __attribute__((aligned(16))); };
struct [[gnu::aligned(32)]] Gnu { int x; };
struct alignas(8) Both { char c; } __attribute__((aligned(16)));
struct __attribute__((aligned)) Most { char c; };
typedef int Wide __attribute__((aligned(16)));
typedef float Vector __attribute__((vector_size(16)));
struct OfWide { char c; Wide w; };
constexpr size_t a0 = sizeof(Aligned);  // = 64
constexpr size_t a1 = sizeof(AlignedMember);  // = 32
constexpr size_t a2 = sizeof(Gnu);  // = 32
constexpr size_t a3 = sizeof(Both);  // = 16
constexpr size_t a4 = sizeof(Most);  // ? 16
constexpr size_t a5 = sizeof(OfWide);  // ? 32
constexpr size_t a6 = sizeof(Vector);  // ? 16
struct Shared { [[no_unique_address]] Empty e; int x; };
struct SharedTwice { [[no_unique_address]] Empty a; [[no_unique_address]] Empty b; char c; };
struct SharedOthers { [[no_unique_address]] Empty a; [[no_unique_address]] Other b; char c; };
struct OnlyShared { [[no_unique_address]] Empty a; };
struct Constructed { Constructed() {} int x; char c; };
struct SharedTail { [[no_unique_address]] Constructed c; char d; };
struct PlainTail { [[no_unique_address]] Whole w; char d; };
struct FromShared : Shared { char c; };
constexpr size_t n0 = sizeof(Shared);  // = 4
constexpr size_t n1 = sizeof(SharedTwice);  // = 2
constexpr size_t n2 = sizeof(SharedOthers);  // = 1
constexpr size_t n3 = sizeof(OnlyShared);  // = 1
constexpr size_t n4 = sizeof(SharedTail);  // = 8
constexpr size_t n5 = sizeof(PlainTail);  // = 12
constexpr size_t n6 = sizeof(FromShared);  // = 8
struct Plain { int x; char c; };
class Private { int x; char c; };
class Protected { protected: int x; char c; };
class Opened { public: int x; char c; private: static int count; void hide(); };
struct Mixed { int x; private: char c; };
struct Destroyed { ~Destroyed() {} int x; char c; };
struct Assigned { Assigned& operator=(Assigned const&); int x; char c; };
struct AssignedOther { AssignedOther& operator=(int); int x; char c; };
struct Refers { int& r; char c; };
struct Holds { Constructed c; char d; };
struct Defaulted { Defaulted() = default; int x; char c; };
struct Initialised { int x = 1; char c; };
struct FromPlain : Plain { char d; };
struct FromPrivate : Private { char d; };
struct FromProtected : Protected { char d; };
struct FromOpened : Opened { char d; };
struct FromMixed : Mixed { char d; };
struct FromDestroyed : Destroyed { char d; };
struct FromAssigned : Assigned { char d; };
struct FromAssignedOther : AssignedOther { char d; };
struct FromRefers : Refers { char d; };
struct FromHolds : Holds { char d; };
struct FromDefaulted : Defaulted { char d; };
struct FromInitialised : Initialised { char d; };
struct Again : FromPlain { char e; };
constexpr size_t t0 = sizeof(FromPlain);  // = 12
constexpr size_t t1 = sizeof(FromPrivate);  // = 8
constexpr size_t t2 = sizeof(FromProtected);  // = 8
constexpr size_t t3 = sizeof(FromOpened);  // = 12
constexpr size_t t4 = sizeof(FromMixed);  // = 8
constexpr size_t t5 = sizeof(FromDestroyed);  // = 8
constexpr size_t t6 = sizeof(FromAssigned);  // = 8
constexpr size_t t7 = sizeof(FromAssignedOther);  // = 12
constexpr size_t t8 = sizeof(FromRefers);  // = 16
constexpr size_t t9 = sizeof(FromHolds);  // = 12
constexpr size_t t10 = sizeof(FromDefaulted);  // ? 8
constexpr size_t t11 = sizeof(FromInitialised);  // ? 8
constexpr size_t t12 = sizeof(Again);  // = 12
using Longer = long;
constexpr size_t u0 = sizeof(Longer((6 % 4)));  // ? 8
constexpr size_t u1 = sizeof(((size_t)(4L)));  // = 8
constexpr size_t u2 = sizeof(size_t((6 % 4)));  // = 8
constexpr int narrow(long) { return 1; }
constexpr size_t u3 = sizeof(narrow(1L));  // ? 4
namespace results {
struct S { short v; constexpr S(int u) : v(u) {} constexpr auto get() const { return v; } constexpr short typed() const { return v; } };
constexpr int q0 = sizeof(S(7).get());  // ? 2
constexpr int q1 = sizeof(S{7}.get());  // ? 2
constexpr int q2 = sizeof(S(7).typed());  // ? 2
constexpr int q3 = sizeof(S(7).v);  // = 2
template <class T> struct W { T v; template <class U> constexpr W(U u) : v(T(u)) {} constexpr auto get() const { return v; } };
constexpr int q4 = sizeof(W<char>(3).get());  // ? 1
}
namespace without_lengths {
constexpr int tiles[] = {64, 128, 256};
constexpr int n = sizeof(tiles) / sizeof(tiles[0]);
constexpr int q0 = n;  // = 3
constexpr int q1 = tiles[n - 1];  // = 256
struct Config { static constexpr short k[] = {7, 8}; static constexpr int bytes = sizeof(k); };
constexpr int q2 = Config::bytes;  // = 4
constexpr int in_function() { constexpr long steps[] = {1, 2, 3, 4}; return sizeof(steps); }
constexpr int q3 = in_function();  // ? 32
constexpr int rows[][2] = {{1, 2}, {3, 4}, {5, 6}};
constexpr int q4 = sizeof(rows);  // = 24
constexpr int flat[][2] = {1, 2, 3, 4};
constexpr int q5 = sizeof(flat);  // ? 16
struct Pair { int a, b; };
constexpr Pair elided[] = {1, 2, 3, 4};
constexpr int q6 = sizeof(elided);  // ? 16
constexpr Pair pairs[] = {{1, 2}, {3, 4}, {5, 6}};
constexpr int q7 = sizeof(pairs);  // = 24
template <int... Is> struct List { static constexpr int all[] = {Is...}; static constexpr int bytes = sizeof(all); };
constexpr int q8 = List<1, 2, 3>::bytes;  // ? 12
constexpr char text[] = "abc";
constexpr int q9 = sizeof(text);  // ? 4
}
int main() {}

// What may be a type is one: these ask for the size of a function, which g++ takes for 1.
constexpr short short_x = 3;
constexpr int function_1 = sizeof(long(short(short_x)));  // ? 1
constexpr int function_2 = sizeof(int());  // ? 1
constexpr int function_3 = sizeof(long(short()));  // ? 1
constexpr int converted_1 = sizeof(long(short_x));  // = 8
constexpr int converted_2 = sizeof(long(short(3)));  // = 8
constexpr int converted_3 = sizeof(long(short(short_x) + 1));  // = 8
constexpr int converted_4 = sizeof(short(short_x));  // = 2

// An alias of an array has the size of the array.
using Row = float[16];
typedef float Line[16];
using SameRow = Row;
using Rows = float[4][8];
using Fixed = const float[5];
struct Held { using Own = float[4]; Own own; Row row; int last; };
struct Derived : Held { Own more; };
template <int N> struct Sized { using Part = int[N]; Part part; char c; };
constexpr size_t array_of_local() { using Local = float[3]; return sizeof(Local); }
constexpr size_t array_1 = sizeof(Row);  // = 64
constexpr size_t array_2 = sizeof(Line);  // = 64
constexpr size_t array_3 = sizeof(SameRow);  // = 64
constexpr size_t array_4 = sizeof(Rows);  // = 128
constexpr size_t array_5 = sizeof(Fixed);  // = 20
constexpr size_t array_6 = sizeof(Held);  // = 84
constexpr size_t array_7 = offsetof(Held, row);  // = 16
constexpr size_t array_8 = offsetof(Held, last);  // = 80
constexpr size_t array_9 = sizeof(Held::Own);  // = 16
constexpr size_t array_10 = sizeof(Derived);  // = 100
constexpr size_t array_11 = sizeof(Sized<3>);  // = 16
constexpr size_t array_12 = sizeof(Sized<3>::Part);  // = 12
constexpr size_t array_13 = array_of_local();  // = 12
constexpr size_t array_14 = sizeof(Row*);  // = 8
constexpr size_t array_15 = sizeof(Row[2]);  // ? 128
