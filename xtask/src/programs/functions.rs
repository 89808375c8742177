//! The function that a call means, and the results of functions with loops and recursion.

use super::source::Writer;

/// Sets of overloads, and calls of them.
pub(super) fn overloads(writer: &mut Writer<'_>) {
    writer.line("struct Base {}; struct Derived : Base {}; struct Further : Derived {};");
    writer.line("struct ToInt { constexpr operator int() const { return 1; } };");
    writer.line("struct FromInt { constexpr FromInt(int) {} };");
    writer.line("enum Plain { kPlain }; enum class Scoped { kScoped };");
    writer.line("template <class T> struct Box { T t{}; };");
    let all = [
        "constexpr int f(int) { return 1; }",
        "constexpr int f(long) { return 2; }",
        "constexpr int f(double) { return 3; }",
        "constexpr int f(unsigned) { return 4; }",
        "constexpr int f(bool) { return 5; }",
        "constexpr int f(char) { return 6; }",
        "template <class T> constexpr int f(T) { return 7; }",
        "template <class T> constexpr int f(T const&) { return 8; }",
        "constexpr int f(Base const&) { return 9; }",
        "constexpr int f(Derived const&) { return 10; }",
        "template <class T> constexpr int f(Box<T> const&) { return 11; }",
        "constexpr int f(Box<int> const&) { return 12; }",
        "constexpr int f(FromInt) { return 13; }",
        "constexpr int f(...) { return 14; }",
        "template <class T> constexpr int f(T*) { return 15; }",
        "constexpr int f(void const*) { return 16; }",
        "template <class... T> constexpr int f(T...) { return 17; }",
        "constexpr int f(short) { return 18; }",
        "constexpr int f(Scoped) { return 19; }",
        "template <class T> constexpr int f(Box<T*> const&) { return 20; }",
        "template <> constexpr int f<int>(int) { return 21; }",
        "constexpr int f(int, int = 2) { return 22; }",
        "template <class T, class U> constexpr int f(T, U) { return 23; }",
        "template <class T> constexpr int f(T, T) { return 24; }",
        "constexpr int f(int, double) { return 25; }",
        "constexpr int f(float) { return 26; }",
        "constexpr int f(std::nullptr_t) { return 27; }",
    ];
    let by_value = writer.one_in(2);
    for _ in 0..writer.between(2, 7) {
        let text = writer.pick(&all).to_owned();
        let is_other_form = text.contains(if by_value { "(T const&)" } else { "(T)" });
        let is_twice = writer.has(&text);
        // A specialisation is behind its template, and without another of the same form.
        if is_twice
            || is_other_form
            || (text.contains("<>") && !by_value)
            || (text.contains("<>")
                && !writer.has("template <class T> constexpr int f(T) { return 7; }"))
        {
            continue;
        }
        writer.line(text);
    }
    writer.line("constexpr int f(Further const*, int, int, int) { return 0; }");
    writer.line("constexpr int gi = 3; constexpr Box<int> bi{}; constexpr Box<long> bl{};");
    let calls = [
        "f(1)",
        "f(1u)",
        "f(1L)",
        "f(1.0)",
        "f(1.0f)",
        "f('a')",
        "f(true)",
        "f(short(1))",
        "f(Base{})",
        "f(Derived{})",
        "f(Further{})",
        "f(ToInt{})",
        "f(kPlain)",
        "f(Scoped::kScoped)",
        "f(bi)",
        "f(bl)",
        "f(Box<int*>{})",
        "f(&gi)",
        "f(nullptr)",
        "f(1, 2)",
        "f(1, 2.0)",
        "f(1L, 2)",
        "f(gi)",
        "f<int>(1)",
        "f<long>(1)",
        "f(sizeof(int))",
        "f(1ull)",
        "f((unsigned char)1)",
    ];
    for _ in 0..writer.between(3, 7) {
        let call = writer.pick(&calls).to_owned();
        writer.probe("int", &call);
    }
}

/// Constraints: concepts, `requires`, candidates dropped by substitution.
pub(super) fn constraints(writer: &mut Writer<'_>) {
    writer.line("struct Nothing {}; struct WithX { using X = int; int foo() const { return 1; } static constexpr int size = 3; };");
    writer.line(
        "struct WithY { using Y = long; int y = 0; constexpr int bar(int) const { return 2; } };",
    );
    writer.line("struct Both : WithX { using Y = char; int y = 0; };");
    let pool = [
        "template <class T, class = void> struct Has { static constexpr int value = 0; }; template <class T> struct Has<T, std::void_t<typename T::X>> { static constexpr int value = 1; };",
        "template <class T, class = void> struct Has { static constexpr int value = 0; }; template <class T> struct Has<T, decltype((void)std::declval<T>().foo(), void())> { static constexpr int value = 1; };",
        "template <class T, class = void> struct Has : std::false_type {}; template <class T> struct Has<T, std::void_t<decltype(std::declval<T>().y)>> : std::true_type {};",
        "template <class T> concept Meets = requires { typename T::X; }; template <class T> struct Has { static constexpr int value = 0; }; template <Meets T> struct Has<T> { static constexpr int value = 1; };",
        "template <class T> struct Has { static constexpr int value = 0; }; template <class T> requires (sizeof(T) == 4) struct Has<T> { static constexpr int value = 4; };",
        "template <class T> concept Meets = requires(T t) { t.foo(); }; template <class T> struct Has { static constexpr int value = Meets<T> ? 5 : 6; };",
        "template <class T> struct Has { template <class U> static constexpr int test(typename U::X*) { return 1; } template <class U> static constexpr int test(...) { return 2; } static constexpr int value = test<T>(nullptr); };",
        "template <class T> constexpr auto probe_of(T const& t, int) -> decltype(t.bar(1), 0) { return 1; } template <class T> constexpr int probe_of(T const&, long) { return 2; } template <class T> struct Has { static constexpr int value = probe_of(T{}, 0); };",
        "template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0> constexpr int chosen(T) { return 1; } template <class T, std::enable_if_t<!std::is_integral_v<T>, int> = 0> constexpr int chosen(T) { return 2; } template <class T> struct Has { static constexpr int value = chosen(T{}); };",
        "template <class T> constexpr int chosen(T) requires std::is_class_v<T> { return 1; } template <class T> constexpr int chosen(T) { return 2; } template <class T> struct Has { static constexpr int value = chosen(T{}); };",
        "template <class T> concept Small = sizeof(T) <= 4; template <class T> concept SmallInt = Small<T> && std::is_integral_v<T>; template <Small T> constexpr int chosen(T) { return 1; } template <SmallInt T> constexpr int chosen(T) { return 2; } template <class T> constexpr int chosen(T) { return 3; } template <class T> struct Has { static constexpr int value = chosen(T{}); };",
        "template <class T> struct Has { static constexpr int value = [] { if constexpr (requires { T::size; }) { return 8; } else { return 9; } }(); };",
        "template <class T> constexpr int branch() { if constexpr (std::is_same_v<T, int>) { return 1; } else if constexpr (std::is_class_v<T>) { return 2; } else { return 3; } } template <class T> struct Has { static constexpr int value = branch<T>(); };",
        "template <class T> struct Has { static constexpr int value = std::is_base_of_v<WithX, T> ? 1 : 2; };",
    ];
    let chosen = writer.pick(&pool).to_owned();
    writer.line(chosen);
    for ty in [
        "Nothing", "WithX", "WithY", "Both", "int", "long", "char", "double",
    ] {
        if writer.one_in(2) {
            writer.probe("int", &format!("Has<{ty}>::value"));
        }
    }
    writer.probe("int", "Has<WithX>::value");
}

/// Class templates and their specialisations.
pub(super) fn templates(writer: &mut Writer<'_>) {
    let (a, b) = (writer.between(1, 9), writer.between(1, 9));
    let pool: Vec<(String, Vec<String>)> = vec![
        (
            format!("template <class T> struct K {{ static constexpr int value = 1; }}; template <class T> struct K<T*> {{ static constexpr int value = 2; }}; template <> struct K<int> {{ static constexpr int value = {a}; }};"),
            ["K<int>", "K<long>", "K<int*>", "K<char>", "K<int**>"].map(|it| format!("{it}::value")).to_vec(),
        ),
        (
            format!("template <int N> struct F {{ static constexpr int value = N * F<N - 1>::value; }}; template <> struct F<0> {{ static constexpr int value = {a}; }};"),
            vec!["F<0>::value".into(), "F<4>::value".into(), format!("F<{}>::value", b % 6)],
        ),
        (
            "template <int... N> struct Sum { static constexpr int value = (N + ... + 0); static constexpr int count = sizeof...(N); };".to_owned(),
            vec![format!("Sum<1, 2, {a}>::value"), "Sum<>::value".into(), format!("Sum<{a}, {b}>::count")],
        ),
        (
            format!("template <class T, int N = {a}> struct D {{ static constexpr int value = N; }}; template <class T> struct D<T, {b}> {{ static constexpr int value = 100; }};"),
            vec!["D<int>::value".into(), format!("D<int, {b}>::value"), "D<long, 77>::value".into()],
        ),
        (
            "template <class A, class B> struct P { static constexpr int value = 1; }; template <class A> struct P<A, A> { static constexpr int value = 2; }; template <class B> struct P<int, B> { static constexpr int value = 3; }; template <> struct P<int, int> { static constexpr int value = 4; };".to_owned(),
            vec!["P<int, int>::value".into(), "P<long, long>::value".into(), "P<int, long>::value".into(), "P<long, int>::value".into()],
        ),
        (
            format!("template <class T> constexpr int of(T) {{ return {a}; }} template <> constexpr int of<float>(float) {{ return {b}; }} template <> constexpr int of(long) {{ return 50; }}"),
            vec!["of(1)".into(), "of(1.f)".into(), "of(1L)".into(), "of<float>(1)".into()],
        ),
        (
            format!("template <class T> struct M {{ static constexpr int f() {{ return {a}; }} constexpr int g() const {{ return f() + 1; }} }}; template <> constexpr int M<int>::f() {{ return {b} + 20; }}"),
            vec!["M<int>::f()".into(), "M<long>::f()".into(), "M<int>{}.g()".into()],
        ),
        (
            "template <class... T> struct First; template <class T, class... R> struct First<T, R...> { using type = T; static constexpr int rest = sizeof...(R); };".to_owned(),
            vec!["First<int, long>::rest".into(), "int(sizeof(First<char, long>::type))".into()],
        ),
        (
            format!("template <int N> constexpr int v = N * {a}; template <> constexpr int v<{b}> = 5;"),
            vec![format!("v<{b}>"), "v<20>".into(), "v<0>".into()],
        ),
        (
            "template <template <class> class C> struct T1 { static constexpr int value = C<int>::value; }; template <class T> struct One { static constexpr int value = sizeof(T); };".to_owned(),
            vec!["T1<One>::value".into()],
        ),
        (
            "template <class T> struct Outer { template <class U> struct Inner { static constexpr int value = sizeof(T) * 10 + sizeof(U); }; using Same = Inner<T>; };".to_owned(),
            vec!["Outer<int>::Inner<char>::value".into(), "Outer<char>::Same::value".into()],
        ),
        (
            format!("template <class T, int N> constexpr int len(T const (&)[N]) {{ return N; }} constexpr int three[{a}] = {{}};"),
            vec!["len(three)".into()],
        ),
        (
            "template <class D> struct Crtp { constexpr int get() const { return static_cast<D const&>(*this).value() + 1; } }; struct Own : Crtp<Own> { constexpr int value() const { return 7; } };".to_owned(),
            vec!["Own{}.get()".into(), "Own{}.value()".into()],
        ),
    ];
    for _ in 0..2 {
        let (text, probes) = &pool[writer.between(0, pool.len() as i64 - 1) as usize];
        if writer.has(text) {
            continue;
        }
        writer.line(text.clone());
        for probe in probes {
            writer.probe("int", probe);
        }
    }
}

/// Functions that the compiler runs.
pub(super) fn loops(writer: &mut Writer<'_>) {
    for _ in 0..2 {
        let f = writer.name("f");
        let n: Vec<i64> = (0..5).map(|_| writer.between(1, 6)).collect();
        let (a, b, c, d, e) = (n[0], n[1], n[2], n[3], n[4]);
        let text = match writer.between(0, 15) {
            0 => format!(
                "constexpr int {f}(int n) {{ int s = {a}; for (int i = 0; i < n; ++i) {{ s += i * {b}; }} return s; }}"
            ),
            1 => format!(
                "constexpr int {f}(int n) {{ int s = 0; for (int i = n; i > 0; i -= {a}) {{ if (i % {} == 0) continue; s += i; }} return s; }}",
                b + 1
            ),
            2 => format!(
                "constexpr int {f}(int n) {{ int s = 1; while (s < n * {a}) {{ s = s * 2 + {b}; }} return s; }}"
            ),
            3 => format!(
                "constexpr int {f}(int n) {{ int c = 0; do {{ ++c; n -= {a}; }} while (n > 0); return c; }}"
            ),
            4 => format!("constexpr int {f}(int n) {{ return n <= 1 ? {a} : {b} + {f}(n - 1); }}"),
            5 => format!(
                "constexpr int {f}(int n) {{ if (n <= 1) {{ return 1; }} return n * {f}(n - 1) % 1000; }}"
            ),
            6 => format!(
                "constexpr int {f}(int n) {{ return n < 2 ? n : {f}(n - 1) + {f}(n - 2); }}"
            ),
            7 => format!(
                "constexpr int {f}(int n) {{ int s = 0; for (int i = 0; i < n; ++i) {{ for (int j = 0; j < i; ++j) {{ if (j == {a}) break; s += {b}; }} }} return s; }}"
            ),
            8 => format!(
                "constexpr int {f}(int n) {{ switch (n % 4) {{ case 0: return {a}; case 1: n += {b}; case 2: return n * {c}; default: break; }} return {d}; }}"
            ),
            9 => format!(
                "constexpr int {f}(int a, int b = {a}) {{ while (b != 0) {{ int t = a % b; a = b; b = t; }} return a; }}"
            ),
            10 => format!(
                "constexpr int {f}(int n) {{ int v[8] = {{}}; v[0] = {a}; for (int i = 1; i < 8; ++i) {{ v[i] = v[i - 1] + {b}; }} return v[n % 8]; }}"
            ),
            11 => format!(
                "constexpr unsigned {f}(unsigned n) {{ unsigned s = 0; for (unsigned i = n; i-- > 0;) {{ s ^= i << {a}; }} return s; }}"
            ),
            12 => format!(
                "constexpr int {f}(int n) {{ int bits = 0; while ((1 << bits) < n) {{ ++bits; }} return bits; }}"
            ),
            13 => format!(
                "constexpr int {f}(int n) {{ int s = 0, i = 0; for (;;) {{ if (i >= n) break; s += i++; if (s > {}) return s; }} return s + {e}; }}",
                10 * a
            ),
            14 => format!(
                "constexpr int {f}(int n) {{ int s = {a}; for (int i = 0, j = n; i < j; ++i, --j) {{ s += j - i; }} return s; }}"
            ),
            _ => format!(
                "template <int N> constexpr int {f}t() {{ if constexpr (N <= 0) {{ return {a}; }} else {{ return N + {f}t<N - 1>(); }} }} constexpr int {f}(int n) {{ return n + {f}t<{b}>(); }}"
            ),
        };
        writer.line(text);
        for _ in 0..2 {
            let argument = writer.between(0, 9);
            writer.probe("int", &format!("{f}({argument})"));
        }
        if writer.one_in(2) {
            writer.run_once(&format!("int k = {a}; k += 2;"), &format!("{f}(k)"));
        }
    }
}
