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

int main() {}
