//! Pointers to objects, functions and members; lambdas that keep references; expressions with effects inside them.

use super::source::{Statements, Writer};

/// Statements, and the values behind them.
pub(super) fn pointers(writer: &mut Writer<'_>) {
    writer.line("struct P { int a, b; };");
    writer.line(
        "constexpr int plus(int x) { return x + 1; } constexpr int times(int x) { return x * 10; }",
    );
    let (a, b) = (writer.between(1, 20), writer.between(1, 20));
    let pool: Vec<Statements> = of_objects(a, b)
        .into_iter()
        .chain(of_functions(a, b))
        .collect();
    let (statements, probes) = writer.one_of(&pool);
    if writer.one_in(3) {
        return in_a_constant(writer, statements, probes);
    }
    writer.run();
    writer.line(statements.clone());
    for probe in *probes {
        writer.probe("int", probe);
    }
    writer.end();
}

/// The same in a function that makes a constant, which mixes the values.
fn in_a_constant(writer: &mut Writer<'_>, statements: &str, probes: &[&str]) {
    writer.line("constexpr int run_once() {");
    writer.line(statements);
    let sum: Vec<String> = probes.iter().map(|it| format!("int({it})")).collect();
    writer.line(format!(
        "unsigned sum = 0; for (unsigned k : {{0u, {}}}) sum = sum * 31 + k;",
        sum.iter()
            .map(|it| format!("unsigned({it})"))
            .collect::<Vec<_>>()
            .join(", ")
    ));
    writer.line("return int(sum % 10007u);");
    writer.line("}");
    writer.probe("int", "run_once()");
}

/// Objects that change through pointers, elements and references.
fn of_objects(a: i64, b: i64) -> Vec<Statements> {
    vec![
        (
            format!("int y = {a}, x = 0; x = (y += {b}, y * 2);"),
            &["x", "y"],
        ),
        (
            format!("P p{{{a}, {b}}}; p.b += p.a -= 8;"),
            &["p.a", "p.b"],
        ),
        (
            format!("P p{{{a}, {b}}}; int P::*m = &P::a; p.*m = 7; m = &P::b; p.*m = 8;"),
            &["p.a", "p.b"],
        ),
        (
            format!("int v[5] = {{1, 2, 3, 4, {a}}}; int* r = v; r += 2; *r++ = {b};"),
            &["v[2]", "*r", "r[-1]"],
        ),
        (
            format!("int v[5] = {{1, 2, 3, 4, {a}}}; int* s = &v[4]; --s; *s = {b};"),
            &["v[3]", "s[1]", "*s"],
        ),
        (
            format!(
                "int m[2][2] = {{{{1, 2}}, {{3, {a}}}}}; m[1][0] = {b}; int* r = m[1]; r[1] = 8;"
            ),
            &["m[1][0]", "m[1][1]", "m[0][1]"],
        ),
        (
            format!("int x = 1, y = {a}; int* p = &y; int*& r = p; r = &x; *p = {b};"),
            &["x", "y"],
        ),
        (
            format!("int n = {a}; auto add = [&n](int k) {{ n += k; return n; }}; add({b});"),
            &["n", "add(1)", "n"],
        ),
        (
            format!("int n = {a}; auto kept = [n](int k) {{ return n + k; }}; n = {b};"),
            &["kept(1)", "n"],
        ),
        (
            format!("int i = 2; int w[4] = {{0, 1, 2, 3}}; w[i++] = {a};"),
            &["w[2]", "i", "w[3]"],
        ),
        (format!("int i = {a}; int t = i++ + {b};"), &["t", "i"]),
        (
            format!("int c = 1; int d = c == 1 || (c = {a}); int e = c == 2 && (c = {b});"),
            &["c", "d", "e"],
        ),
        (
            format!("int c = {a}, x = 2, y = 3; (c > 10 ? x : y) = {b};"),
            &["x", "y"],
        ),
        (
            format!("int x = {a}; int h = (x = 3) + {b}; h <<= 2; h ^= 5; h &= ~1; h %= 50;"),
            &["h", "x"],
        ),
        (
            format!("int a = 1, b = 2, c = {a}; a = b = c; (c += 5) *= 2;"),
            &["a", "b", "c"],
        ),
    ]
}

/// Pointers to functions, lambdas, and expressions with effects inside of them.
fn of_functions(a: i64, b: i64) -> Vec<Statements> {
    vec![
        (
            format!("int (*f)(int) = plus; f = times; auto g = plus; if (g({a}) > 1) g = times;"),
            &["f(2)", "g(2)"],
        ),
        (
            "int (*f)(int) = &plus; int (&g)(int) = times; auto call = [](auto h, int x) { return h(x); };".to_string(),
            &["f(2)", "g(3)", "call(times, 2)"],
        ),
        (
            format!("int x = {a}; auto m = [z = x + 1] {{ return z; }}; x = {b};"),
            &["m()", "x"],
        ),
        (
            format!("int x = {a}; auto m = [x]() mutable {{ return ++x; }}; m();"),
            &["x", "m()"],
        ),
        (
            format!("int a = {a}; int b = a++ * 2; int c = --a;"),
            &["a", "b", "c"],
        ),
        (
            format!("int m = {a}; int r = (m - 28) / 8;"),
            &["r", "(m - 28) % 8", "(m - 28) >> 1", "-m / 3"],
        ),
        (
            format!("int k = {a}; struct R {{ int& r; }}; R s{{k}}; s.r = {b};"),
            &["k", "s.r"],
        ),
        (
            format!("int k = {a}; int const& c = k; k = {b};"),
            &["c", "k"],
        ),
        (
            format!("int k = {a}; int&& c = k + 1; c = {b};"),
            &["k", "c"],
        ),
        ("P p = {.b = 3};".to_owned(), &["p.a", "p.b"]),
        (
            format!("P ps[2] = {{{{1, 2}}, {{3, {a}}}}}; P* q = ps; (++q)->a = {b}; q[-1].b = 22;"),
            &["ps[1].a", "ps[0].b"],
        ),
        (
            format!("P p{{1, {a}}}; P q = p; q.a++; P* r = &q; r->b = r->a + {b}; p = *r;"),
            &["p.a", "p.b"],
        ),
        (
            format!("int x = 3; int* p = nullptr; if (p) x = 4; p = &x; if (p) *p += {a};"),
            &["x"],
        ),
        (
            format!("int s = 0; for (int i = 0, j = {a}; i < j; i += 2, --j) s += j;"),
            &["s"],
        ),
        (
            format!(
                "unsigned char c = 250; c += {a}; signed char k = 120; k += {b}; unsigned u = 0; --u;"
            ),
            &["c", "k", "u > 5"],
        ),
    ]
}
