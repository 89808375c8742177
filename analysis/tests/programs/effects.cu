// Initialisers and arguments that change something are evaluated once. Behind a line stands what g++ computes: `= 5` is known,
// `? 5` is not known or is that.

constexpr int next(int& c) { return ++c; }
struct W { int v; constexpr W(int x) : v(x) {} };
struct P { int v; };
struct Pair { int a; int b; };
constexpr int twice_ref() { int c = 0; int const& r = next(c); return c * 10 + r; }
constexpr long twice_ref_1 = twice_ref();  // = 11
constexpr int twice_ctor() { int c = 0; W w(next(c)); return c * 10 + w.v; }
constexpr long twice_ctor_1 = twice_ctor();  // = 11
constexpr int twice_ctor2() { int c = 0; W w = ++c; return c * 10 + w.v; }
constexpr long twice_ctor2_1 = twice_ctor2();  // = 11
constexpr int twice_ctor3() { int c = 0; W w{next(c)}; return c * 10 + w.v; }
constexpr long twice_ctor3_1 = twice_ctor3();  // = 11
constexpr int twice_agg() { int c = 0; P w{next(c)}; return c * 10 + w.v; }
constexpr long twice_agg_1 = twice_agg();  // = 11
constexpr int twice_index() { int c = 0; int a[3] = {1, 2, 3}; int& r = a[c++]; r = 7; return c * 100 + a[0] * 10 + a[1]; }
constexpr long twice_index_1 = twice_index();  // = 172
constexpr int twice_auto() { int c = 0; auto& r = next(c) > 0 ? c : c; r += 5; return c; }
constexpr long twice_auto_1 = twice_auto();  // = 6
constexpr int twice_row() { int c = 0; int a[2][2] = {{1, 2}, {3, 4}}; int* p = a[c++]; return c * 10 + p[0]; }
constexpr long twice_row_1 = twice_row();  // = 11
constexpr int twice_row2() { int c = 0; int a[2][2] = {{1, 2}, {3, 4}}; auto p = a[c++]; return c * 10 + p[0]; }
constexpr long twice_row2_1 = twice_row2();  // = 11
constexpr int copy_lambda() { int n = 0; auto f = [n]() mutable { return ++n; }; auto g = f; f(); f(); return g(); }
constexpr long copy_lambda_1 = copy_lambda();  // ? 1
template <class F> constexpr int call(F f) { f(); return f(); }
constexpr int pass_lambda() { int n = 0; auto f = [n]() mutable { return ++n; }; call(f); return f(); }
constexpr long pass_lambda_1 = pass_lambda();  // ? 1
constexpr int ref_to_ref() { int a = 1; int& b = a; auto c = b; c = 5; return a * 10 + c; }
constexpr long ref_to_ref_1 = ref_to_ref();  // = 15
constexpr int struct_copy() { Pair p{1, 2}; Pair q = p; q.a = 9; return p.a * 10 + q.a; }
constexpr long struct_copy_1 = struct_copy();  // = 19
constexpr int ret_ref_helper(int& x) { return x += 3; }
constexpr int mixed() { int c = 1; int d = ret_ref_helper(c) + 0; return c * 10 + d; }
constexpr long mixed_1 = mixed();  // = 44
constexpr W make(int& c) { return W(++c); }
constexpr int from_call() { int c = 0; W w = make(c); return c * 10 + w.v; }
constexpr long from_call_1 = from_call();  // = 11
constexpr int from_call2() { int c = 0; W w(make(c)); return c * 10 + w.v; }
constexpr long from_call2_1 = from_call2();  // = 11
constexpr int from_call3() { int c = 0; auto w = make(c); return c * 10 + w.v; }
constexpr long from_call3_1 = from_call3();  // = 11
constexpr int from_call4() { int c = 0; W const& w = make(c); return c * 10 + w.v; }
constexpr long from_call4_1 = from_call4();  // = 11
constexpr int assign_obj() { int c = 0; W w(0); w = W(++c); return c * 10 + w.v; }
constexpr long assign_obj_1 = assign_obj();  // = 11
constexpr int pass_obj_by(W w) { return w.v; }
constexpr int implicit_arg() { int c = 0; int r = pass_obj_by(++c); return c * 10 + r; }
constexpr long implicit_arg_1 = implicit_arg();  // ? 11
struct N { int a[2]; P p; };
constexpr int nested() { int c = 0; N n{{next(c), 5}, {next(c)}}; return c * 1000 + n.a[0] * 100 + n.a[1] * 10 + n.p.v; }
constexpr long nested_1 = nested();  // = 2152
constexpr int tern() { int c = 0; unsigned u = 7; long r = (c ? u : -1); return r > 0; }
constexpr long tern_1 = tern();  // = 1
constexpr long tern2() { int c = 0; return (c ? 7u : next(c) - 2); }
constexpr long tern2_1 = tern2();  // ? 4294967295
constexpr int loop_ref() { int s = 0; int a[3] = {1, 2, 3}; for (int const& x : a) s += x; for (int& x : a) x *= 2; return s * 100 + a[0] + a[1] + a[2]; }
constexpr long loop_ref_1 = loop_ref();  // = 612
constexpr int sw(int x) { int r = 0; switch (x) { case 1: r += 1; case 2: r += 2; break; default: r += 4; } return r; }
constexpr long sw_1 = sw(1);  // = 3
constexpr long sw_2 = sw(3);  // = 4
constexpr int struct_ref_member() { Pair p{1, 2}; auto& [x, y] = p; x = 5; auto [z, w] = p; z = 8; return p.a * 100 + y * 10 + z; }
constexpr long struct_ref_member_1 = struct_ref_member();  // = 528
constexpr int add(int a, int b) { return a * 10 + b; }
struct Wide { int v; constexpr Wide(int x) : v(x) {} constexpr Wide(int a, int b) : v(a * 10 + b) {} constexpr operator int() const { return v; } };
struct M { int n = 0; constexpr int inc() { return ++n; } constexpr M& self() { return *this; } constexpr int twice() { return inc() + 10 * inc(); } };
struct Q { int d[3] = {1, 2, 3}; constexpr int& at(int i) { return d[i]; } constexpr int const& at(int i) const { return d[i]; } constexpr int sum() const { int s = 0; for (int x : d) s += x; return s; } };
constexpr int case_1() { int c = 0; Wide w(next(c), 5); return c * 100 + w.v; }
constexpr long case_1_1 = case_1();  // ? 115
constexpr int case_2() { int c = 0; Wide w{next(c), next(c)}; return c * 100 + w.v; }
constexpr long case_2_1 = case_2();  // ? 212
constexpr int case_3() { M m; int r = m.inc(); m.self().inc(); return m.n * 10 + r; }
constexpr long case_3_1 = case_3();  // = 21
constexpr int case_4() { M m; M k = m; k.inc(); return m.n * 10 + k.n; }
constexpr long case_4_1 = case_4();  // = 1
constexpr int case_5() { M a; M& r = a; M* p = &a; r.inc(); p->inc(); (*p).inc(); return a.n; }
constexpr long case_5_1 = case_5();  // = 3
constexpr int case_6() { Q q; q.at(1) = 7; Q const& c = q; return c.at(1) * 10 + q.sum(); }
constexpr long case_6_1 = case_6();  // = 81
constexpr int case_7() { int a[3] = {}; int i = 0; a[i++] = 4; a[i++] = 5; return a[0] * 100 + a[1] * 10 + i; }
constexpr long case_7_1 = case_7();  // = 452
constexpr int case_8() { int x = 1; { int x = 5; x++; } return x; }
constexpr long case_8_1 = case_8();  // = 1
constexpr int case_9() { int s = 0; for (int i = 0, j = 10; i < j; ++i, --j) { if (i == 2) continue; if (i == 4) break; s += j; } return s; }
constexpr long case_9_1 = case_9();  // = 26
constexpr int case_10() { int n = 0; do { n += 3; } while (n < 10); while (true) { if (++n > 15) return n; } }
constexpr long case_10_1 = case_10();  // = 16
constexpr int case_11() { int n = 0; auto f = [&](int k) { n += k; return n; }; int r = f(1); r += f(2); return n * 100 + r; }
constexpr long case_11_1 = case_11();  // = 304
constexpr int case_12() { int n = 1; auto f = [n](int k) { return n * k; }; n = 9; return f(5) * 10 + n; }
constexpr long case_12_1 = case_12();  // = 59
constexpr int case_13() { int n = 1; auto f = [&n] { auto g = [&] { n *= 3; return n; }; return g() + g(); }; n = 2; return f() * 100 + n; }
constexpr long case_13_1 = case_13();  // ? 2418
constexpr int case_14() { unsigned char u = 250; u += 10; signed char s = 100; s += 100; return u * 1000 + s; }
constexpr long case_14_1 = case_14();  // = 3944
constexpr int case_15() { short s = 32767; int i = s + 1; unsigned v = 0; v -= 1; return i + (v > 5 ? 1 : 0); }
constexpr long case_15_1 = case_15();  // = 32769
constexpr int case_16() { int a = 5; int* p = &a; int** q = &p; **q = 8; int b = 2; *q = &b; *p = 3; return a * 10 + b; }
constexpr long case_16_1 = case_16();  // = 83
constexpr int case_17() { int a[4] = {1, 2, 3, 4}; int* p = a; ++p; p[1] = 9; *(p + 2) = 7; return a[2] * 10 + a[3] + (p == &a[1]); }
constexpr long case_17_1 = case_17();  // = 98
struct Lst { int v; Lst* nx; };
constexpr int case_18() { Lst a{1, nullptr}; Lst b{2, &a}; b.nx->v = 6; int s = 0; for (Lst* p = &b; p; p = p->nx) s = s * 10 + p->v; return s; }
constexpr long case_18_1 = case_18();  // = 26
constexpr int case_19() { bool b = 5; b += 3; int k = b; char c = 'a' + 1; return k * 1000 + c; }
constexpr long case_19_1 = case_19();  // = 1098
constexpr int case_20(int d = 3) { int c = d; d = 4; return c * 10 + d; }
constexpr long case_20_1 = case_20();  // = 34
constexpr int g0 = 4;
constexpr int case_21(int x = g0 * 2) { return x; }
constexpr long case_21_1 = case_21();  // = 8
template <class T> constexpr T sq(T& t) { t += 1; return t * t; }
constexpr int case_22() { int a = 2; int r = sq(a); return a * 100 + r; }
constexpr long case_22_1 = case_22();  // = 309
template <class T> constexpr int ov(T const&) { return 1; }
constexpr int ov(int&) { return 2; }
constexpr int ov(int const&) { return 3; }
constexpr int case_23() { int a = 0; int const b = 0; return ov(a) * 1000 + ov(b) * 100 + ov(5) * 10 + ov(2.0f); }
constexpr long case_23_1 = case_23();  // = 2331
constexpr int case_24() { int a = 3; a = a++ + 1; return a; }
constexpr long case_24_1 = case_24();  // = 4
constexpr int case_25() { int x = 1, y = 2; int t = (x = y, y = 5, x + y); return t; }
constexpr long case_25_1 = case_25();  // ? 7
constexpr int case_26() { int i = 0; bool r = (i++ > 0) && (i++ > 0); r = r || (++i > 1); return i * 10 + r; }
constexpr long case_26_1 = case_26();  // = 21
constexpr int case_27() { Q q; auto& [a, b, c] = q.d; b = 8; return q.d[1] + a + c; }
constexpr long case_27_1 = case_27();  // = 12
constexpr int case_28() { int m[2][3] = {{1, 2, 3}, {4, 5, 6}}; int s = 0; for (auto& row : m) for (int& x : row) { x += 1; s += x; } return s * 10 + m[1][2]; }
constexpr long case_28_1 = case_28();  // = 277
constexpr int case_29() { int v = 7; int const& r = v; v = 8; int const k = r; v = 9; return r * 10 + k; }
constexpr long case_29_1 = case_29();  // = 98
constexpr int case_30() { long v = 7; int const& r = v; v = 8; return r * 10 + int(v); }
constexpr long case_30_1 = case_30();  // = 78
struct Op { int v; constexpr Op operator+(Op o) const { return Op{v + o.v}; } constexpr Op& operator++() { ++v; return *this; } constexpr Op operator++(int) { Op o = *this; ++v; return o; } constexpr bool operator==(Op o) const { return v == o.v; } };
constexpr int case_31() { Op a{1}, b{2}; Op c = a + b; ++c; Op d = c++; return c.v * 100 + d.v * 10 + (a == b); }
constexpr long case_31_1 = case_31();  // ? 540
constexpr int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
constexpr int case_32() { return fib(10); }
constexpr long case_32_1 = case_32();  // = 55
constexpr int case_33() { Wide w = 4; int k = w; Wide u = w; return k * 10 + u.v; }
constexpr long case_33_1 = case_33();  // ? 44
constexpr int byval(M m) { m.inc(); return m.n; }
constexpr int case_34() { M m; int a = byval(m); int b = byval(m); return m.n * 100 + a * 10 + b; }
constexpr long case_34_1 = case_34();  // = 11
constexpr int arr(int a[3]) { a[0] = 9; return a[1]; }
constexpr int case_35() { int x[3] = {1, 2, 3}; int r = arr(x); return x[0] * 10 + r; }
constexpr long case_35_1 = case_35();  // = 92
constexpr int case_36() { int s = 0; for (int i = 0; i < 3; ++i) { static_assert(true); int t = i; auto f = [t] { return t; }; s = s * 10 + f(); } return s; }
constexpr long case_36_1 = case_36();  // = 12
constexpr int case_37() { int a = 1; int& r = a; int b = 5; r = b; b = 7; return a * 10 + r; }
constexpr long case_37_1 = case_37();  // = 55
constexpr int case_38() { int i = 5; int j = i-- - --i; return j * 10 + i; }
constexpr long case_38_1 = case_38();  // ? 23
constexpr int case_39() { int c = 0; int a[2] = {next(c), next(c)}; return a[0] * 10 + a[1]; }
constexpr long case_39_1 = case_39();  // = 12
constexpr int case_40() { M m; return m.twice(); }
constexpr long case_40_1 = case_40();  // ? 21

struct First { int x = 1; int y = x + 1; constexpr First() = default; constexpr First(int k) : y(k) {} };
struct Second { First a; int z[2]; };
struct Third { int v; constexpr Third& operator=(int k) { v = k * 2; return *this; } };
struct Fourth { int v = 0; constexpr Fourth& operator<<(int k) { v = v * 10 + k; return *this; } constexpr int operator-() const { return -v; } constexpr bool operator!() const { return v == 0; } };
struct Fifth { static constexpr int k = 5; int n = k; enum { q = 9 }; constexpr int f() const { return n + q; } };
struct Node { Node* self; int v; constexpr Node(int k) : self(this), v(k) {} };
struct Cp { int v; constexpr Cp(int k) : v(k) {} constexpr Cp(Cp const& o) : v(o.v + 100) {} };
struct Ex { int v; constexpr explicit operator bool() const { return v > 2; } };
struct Sh { int x; constexpr int g() { int x = 3; this->x += x; return this->x; } };
template <int N> struct Arr { int d[N]; constexpr int& operator[](int i) { return d[i]; } constexpr int size() const { return N; } };
constexpr int body_c1() { First a; First b(7); First c = b; c.x = 9; return a.y * 1000 + b.y * 100 + b.x * 10 + c.x; }
constexpr long body_c1_1 = body_c1();  // ? 2719
constexpr int body_c2() { Second b{}; b.a.x = 5; b.z[1] = 3; Second d = b; d.z[1] = 4; d.a.x += b.z[1]; return d.a.x * 100 + b.z[1] * 10 + d.z[1]; }
constexpr long body_c2_1 = body_c2();  // ? 834
constexpr int body_c3() { Third c{1}; c = 4; int r = c.v; c = c.v; return r * 100 + c.v; }
constexpr long body_c3_1 = body_c3();  // ? 816
constexpr int body_c4() { Fourth d; d << 1 << 2 << 3; return d.v; }
constexpr long body_c4_1 = body_c4();  // ? 123
constexpr int body_c5() { Fifth e; return e.f() * 10 + Fifth::k; }
constexpr long body_c5_1 = body_c5();  // = 145
constexpr int body_c6() { Node n(3); n.self->v = 8; return n.v; }
constexpr long body_c6_1 = body_c6();  // ? 8
constexpr int body_c7() { Cp a(1); Cp b = a; Cp c(b); return c.v; }
constexpr long body_c7_1 = body_c7();  // ? 201
constexpr int body_c8() { Ex e{3}; if (e) return 1; return e ? 2 : 3; }
constexpr long body_c8_1 = body_c8();  // ? 1
constexpr int body_c9() { Sh s{1}; int r = s.g(); return r * 10 + s.x; }
constexpr long body_c9_1 = body_c9();  // = 44
constexpr int body_c10() { Arr<3> a{{1, 2, 3}}; a[1] = 9; int s = 0; for (int i = 0; i < a.size(); ++i) s = s * 10 + a[i]; return s; }
constexpr long body_c10_1 = body_c10();  // ? 193
constexpr int body_c11() { int x = 5; int& r = x; int* p = &r; int& q = *p; q = 7; return x; }
constexpr long body_c11_1 = body_c11();  // = 7
constexpr int inner(int& a, int b) { a = b; b = 3; return a + b; }
constexpr int body_c12() { int a = 1; int r = inner(a, a + 4); return r * 10 + a; }
constexpr long body_c12_1 = body_c12();  // = 85
constexpr int body_c13() { int a = 1; int r = inner(a, a); return r * 10 + a; }
constexpr long body_c13_1 = body_c13();  // = 41
constexpr int body_c14() { int t = 0; for (int i = 0; i < 3; ++i) { for (int j = 0; j < 3; ++j) { if (j == i) continue; if (j > i) break; t += i * 10 + j; } } return t; }
constexpr long body_c14_1 = body_c14();  // = 51
constexpr int body_c15() { int s = 0; int i = 10; while (i --> 0) { switch (i % 3) { case 0: continue; case 1: s += 1; break; default: s += 10; } s += 100; } return s; }
constexpr long body_c15_1 = body_c15();  // = 633
constexpr unsigned body_c16() { unsigned x = 1u << 31; x <<= 1; unsigned y = ~0u; y >>= 28; return x * 100 + y; }
constexpr long body_c16_1 = body_c16();  // = 15
constexpr long body_c17() { int x = -7; long r = x / 2; r = r * 100 + x % 3; r = r * 10 + (x >> 1); return r; }
constexpr long body_c17_1 = body_c17();  // = -3014
constexpr int body_c18() { auto f = [](auto a, auto b) { return a * 10 + b; }; return f(1, 2); }
constexpr long body_c18_1 = body_c18();  // = 12
constexpr int body_c19() { int n = 3; auto add = [&n](int k) -> int& { n += k; return n; }; add(1) = 10; return n; }
constexpr long body_c19_1 = body_c19();  // = 10
constexpr int body_c20() { int a[3] = {3, 1, 2}; for (int i = 0; i < 2; ++i) for (int j = 0; j < 2 - i; ++j) if (a[j] > a[j + 1]) { int t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; } return a[0] * 100 + a[1] * 10 + a[2]; }
constexpr long body_c20_1 = body_c20();  // = 123
constexpr int body_c21() { int c = 0; int r = next(c) + next(c) * 10; return r; }
constexpr long body_c21_1 = body_c21();  // ? 21
constexpr int body_c22() { int c = 0; int r = (next(c), next(c)); return r; }
constexpr long body_c22_1 = body_c22();  // = 2
constexpr int body_c23() { bool b = false; int c = 0; b |= next(c) > 0; b &= c == 1; return b * 10 + c; }
constexpr long body_c23_1 = body_c23();  // = 11
constexpr int body_c24() { int x = 3; { int& y = x; y *= 2; } auto z = x; auto& w = x; w++; return z * 10 + x; }
constexpr long body_c24_1 = body_c24();  // = 67
constexpr int body_c25() { char s[] = {'a', 'b', 0}; int n = 0; for (char* p = s; *p; ++p) n += *p; return n; }
constexpr long body_c25_1 = body_c25();  // = 195
constexpr int body_c26() { int v = 1; auto f = [v]() { return v; }; v = 2; auto g = [=] { return v; }; v = 3; auto h = [&] { return v; }; v = 4; return f() * 100 + g() * 10 + h(); }
constexpr long body_c26_1 = body_c26();  // = 124
constexpr int many(int n) { int r = 0; for (int i = 0; i < n; ++i) { if (i % 2) continue; r += i; } return r; }
constexpr int body_c27() { return many(100); }
constexpr long body_c27_1 = body_c27();  // = 2450
constexpr int body_c28() { int const k = 4; int a[k] = {1}; return a[0] * 10 + a[3]; }
constexpr long body_c28_1 = body_c28();  // ? 10
constexpr int body_c29() { signed char c = -1; unsigned u = c; return u > 100 ? 1 : 0; }
constexpr long body_c29_1 = body_c29();  // = 1
constexpr int body_c31() { int x = 1; x += x++ * 2; return x; }
constexpr long body_c31_1 = body_c31();  // = 4
constexpr int body_c32() { int i = 0; int a[3] = {}; a[i] = ++i; return a[0] * 10 + a[1]; }
constexpr long body_c32_1 = body_c32();  // = 1
constexpr int body_c33() { long long big = 1; for (int i = 0; i < 40; ++i) big *= 2; return int(big >> 35); }
constexpr long body_c33_1 = body_c33();  // = 32
constexpr int body_c34() { First arr[2]; arr[1].x = 7; First& r = arr[1]; r.y = 3; return arr[0].x * 100 + arr[1].x * 10 + arr[1].y; }
constexpr long body_c34_1 = body_c34();  // ? 173
constexpr int body_c35() { int x = 2; int y = x == 2 ? x = 5, 1 : 0; return x * 10 + y; }
constexpr long body_c35_1 = body_c35();  // ? 51
template <class T, int N> constexpr int total(T (&a)[N]) { T s = 0; for (T x : a) s += x; a[0] = 0; return s * 10 + N; }
constexpr int body_c36() { int a[3] = {1, 2, 3}; int r = total(a); return r * 10 + a[0]; }
constexpr long body_c36_1 = body_c36();  // ? 630
constexpr int body_c37() { int x = 0; int* p = &x; int*& q = p; int y = 5; q = &y; *p = 6; return x * 10 + y; }
constexpr long body_c37_1 = body_c37();  // = 6
constexpr int body_c38() { struct L { int a; constexpr int f() { return a++; } }; L l{4}; int r = l.f(); return r * 10 + l.a; }
constexpr long body_c38_1 = body_c38();  // = 45

struct Stream { int v; constexpr Stream(int k) : v(k) {} constexpr Stream& operator<<(Stream& o) { o.v += v; v = 0; return *this; } constexpr Stream& operator+=(Stream& o) { v += o.v; o.v = 1; return *this; } constexpr bool operator==(Stream const& o) const { return v == o.v; } constexpr int operator*(int k) const { return v * k; } };
struct Itself { Itself* me; int v; constexpr Itself(int k) : me(this), v(k) {} constexpr bool ok() { return me == this; } };
struct Register { int* slot; constexpr Register(int& s) : slot(&s) { *slot += 1; } };
struct Inner { int v; int* p; constexpr Inner() : v(3), p(&v) {} };
constexpr int body_d1() { Stream a(1), b(2); a << b; return a.v * 10 + b.v; }
constexpr long body_d1_1 = body_d1();  // ? 3
constexpr int body_d2() { Stream a(1), b(2); a += b; return a.v * 10 + b.v; }
constexpr long body_d2_1 = body_d2();  // = 31
constexpr int body_d3() { Stream a(4); int r = a * 3 + (a == Stream(4)); return r; }
constexpr long body_d3_1 = body_d3();  // = 13
constexpr int body_d4() { Itself s(3); return s.ok() ? 1 : 2; }
constexpr long body_d4_1 = body_d4();  // ? 1
constexpr int body_d5() { Itself s(3); s.me->v = 9; return s.v; }
constexpr long body_d5_1 = body_d5();  // ? 9
constexpr int body_d6() { int k = 5; Register r(k); *r.slot += 10; return k; }
constexpr long body_d6_1 = body_d6();  // = 16
constexpr int body_d7() { Inner i; *i.p = 8; return i.v; }
constexpr long body_d7_1 = body_d7();  // ? 8
constexpr int body_d8() { Inner i; Inner j = i; *j.p = 8; return i.v * 10 + j.v; }
constexpr long body_d8_1 = body_d8();  // ? 83
constexpr int body_d9() { Stream a(1); Stream& r = (a << a); r.v = 7; return a.v; }
constexpr long body_d9_1 = body_d9();  // = 7
constexpr int body_d10() { Stream a[2] = {Stream(1), Stream(2)}; a[0] << a[1]; return a[0].v * 10 + a[1].v; }
constexpr long body_d10_1 = body_d10();  // = 3
constexpr int body_d11() { Stream a(2); Stream b = a; b.v++; Stream* p = &b; p->v += 5; return (*p).v * 10 + a.v; }
constexpr long body_d11_1 = body_d11();  // = 82
constexpr int body_d12() { int x = 3; int y = 4; (x < y ? x : y) += 10; return x * 10 + y; }
constexpr long body_d12_1 = body_d12();  // = 134
constexpr int body_d13() { int x = 3; int& r = (x += 2); r *= 2; return x; }
constexpr long body_d13_1 = body_d13();  // = 10
constexpr int body_d14() { int a = 1, b = 2, c = 3; a = b = c; b += a -= 1; return a * 100 + b * 10 + c; }
constexpr long body_d14_1 = body_d14();  // = 253
constexpr int body_d15() { int a[3] = {1, 2, 3}; auto p = &a[0]; auto q = p + 2; int n = *p++; return n * 100 + *p * 10 + *q; }
constexpr long body_d15_1 = body_d15();  // = 123
constexpr int pw(int& r, int k = 2) { r *= k; return r; }
constexpr int body_d17() { int a = 3; int b = pw(a) + pw(a, 3) * 0; return a * 100 + b; }
constexpr long body_d17_1 = body_d17();  // ? 1806
constexpr int body_d18() { auto mk = [](int k) { return [k](int j) { return k * 10 + j; }; }; return mk(4)(2); }
constexpr long body_d18_1 = body_d18();  // = 42
constexpr int body_d20() { struct P { int x, y; }; P ps[2] = {{1, 2}, {3, 4}}; for (auto& [x, y] : ps) { x += y; } for (auto [x, y] : ps) { x = 0; } return ps[0].x * 10 + ps[1].x; }
constexpr long body_d20_1 = body_d20();  // = 37

// Operators that change their operands.
struct Log { int v = 0; constexpr Log& operator<<(int k) { v = v * 10 + k; return *this; } };
struct Field { int v; };
constexpr Field& operator<<(Field& f, int k) { f.v = k; return f; }
constexpr int operator+(Field const& f, int k) { return f.v + k; }
constexpr int operator%(int k, Field& f) { f.v += k; return f.v; }
constexpr int logged() { Log d; d << 1; return d.v; }
constexpr int logged_1 = logged();  // ? 1
constexpr int written() { Field f{3}; f << 8; return f.v; }
constexpr int written_1 = written();  // ? 8
constexpr int only_read() { Field f{3}; f + 8; return f.v; }
constexpr int only_read_1 = only_read();  // = 3
constexpr int right_written() { Field f{3}; 8 % f; return f.v; }
constexpr int right_written_1 = right_written();  // ? 11

int main() {}
