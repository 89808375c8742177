//! Effects that hide in expressions, declarations and other functions: assignments as values, static data, constant
//! methods, lambdas that are given references, exceptions, cases that macros make.

use super::source::{Statements, Writer};

/// Declarations before them, with numbers that differ from program to program.
fn declarations(a: i64, b: i64) -> Vec<String> {
    vec![
        "#define PICK(n) case n: return n * 10;".to_owned(),
        "#define SET(n) case n: r = n + 20; break;".to_owned(),
        "#define FALL(n) case n: r += n;".to_owned(),
        "constexpr int picked(int k) { switch (k) { PICK(1) PICK(2) default: break; } return 5; }"
            .to_owned(),
        "constexpr int set(int k) { int r = 7; switch (k) { SET(1) SET(3) } return r; }".to_owned(),
        "constexpr int fallen(int k) { int r = 100; switch (k) {".to_owned(),
        "  FALL(1)".to_owned(),
        "  FALL(2)".to_owned(),
        "  } return r; }".to_owned(),
        format!("int counted = {a};"),
        format!("struct Held {{ mutable int n = {a}; int m = {b};"),
        "  int get() const { n += m; return n; } int peek() const { return n; } };".to_owned(),
        format!("struct Kept {{ static inline int n = {b};"),
        "  static void up() { n += 3; } Kept() { n += 1; } ~Kept() { counted += 2; } };".to_owned(),
        "inline int stepped() { static int n = 3; return n += 2; }".to_owned(),
        "inline int tried(int x) { try { if (x > 5) throw x; return 1; } catch (int e) { return e * 10; } }"
            .to_owned(),
        "inline int triple(int x) { return x * 3; } inline int twice(int x) { return x * 2; }".to_owned(),
        "struct Named { int (*fn)(int); };".to_owned(),
        "inline int assigned(int x) { return x *= 3; }".to_owned(),
        "template <class F> void handed(int& x, int& y, F f) { f(x, y); }".to_owned(),
    ]
}

fn statements(a: i64, b: i64) -> Vec<Statements> {
    let mut all = of_assignments(a, b);
    all.extend(of_control(a, b));
    all.extend(of_others(a, b));
    all
}

/// Values of assignments.
fn of_assignments(a: i64, b: i64) -> Vec<Statements> {
    vec![
        (
            format!("int x = {a}; int y = (x += {b}); int z = x -= 2;"),
            &["x", "y", "z"],
        ),
        (
            format!("int x = {a}; unsigned char c; int y = (c = x + 300);"),
            &["x", "y", "int(c)"],
        ),
        (
            format!("int x = {a}; int y = -(x *= {b}) + 1; bool z = (x %= 4) > 1;"),
            &["x", "y", "int(z)"],
        ),
        (
            format!("int x = {a}; int y = assigned(x += {b});"),
            &["x", "y", "assigned(y)"],
        ),
        (
            format!("int v[2] = {{{a}, {b}}}; int y = v[0] += v[1]; int z = (v[1] <<= 1);"),
            &["v[0]", "v[1]", "y", "z"],
        ),
        (
            format!("signed char c = {a}; int y = (c += 120); int z = c;"),
            &["y", "z"],
        ),
    ]
}

/// Conditions that are declarations, and cases.
fn of_control(a: i64, b: i64) -> Vec<Statements> {
    vec![
        (
            format!("int x = {a}; while (int d = x % 4) {{ x -= d; }}"),
            &["x"],
        ),
        (
            format!("int x = 0; for (int i = {a}; int d = i % 5; --i) {{ x += d + {b}; }}"),
            &["x"],
        ),
        (
            format!("int x = picked(1) + picked({a}); int y = set({b}); int z = set(3);"),
            &["x", "y", "z"],
        ),
        (
            format!("int x = fallen({a}); int y = fallen(1); int z = fallen(2);"),
            &["x", "y", "z", "picked(2)"],
        ),
        (
            format!(
                "int x = {a}; try {{ x = 1; if (x < {b}) throw 1; x = 2; }} catch (int) {{ x += 10; }}"
            ),
            &["x"],
        ),
        (
            format!("int x = tried({a}); int y = tried(9);"),
            &["x", "y"],
        ),
    ]
}

/// Changes by other functions.
fn of_others(a: i64, b: i64) -> Vec<Statements> {
    vec![
        (
            "Held h; h.get(); const Held c; c.get();".to_owned(),
            &["h.n", "h.peek()", "c.peek()", "h.m"],
        ),
        (
            format!("int x = Kept::n; {{ Kept k; Kept::up(); }} int y = Kept::n - x; int z = {a};"),
            &["y", "z"],
        ),
        (
            format!("int x = counted; {{ Kept k; }} int y = counted - x; int z = {b};"),
            &["y", "z"],
        ),
        (
            format!("int x = stepped(); int y = stepped() - x; int z = {a} + {b};"),
            &["y", "z"],
        ),
        (
            format!("Named n{{triple}}; int y = n.fn({a}); n.fn = twice; int z = n.fn({b});"),
            &["y", "z"],
        ),
        (
            format!("int x = {a}, y = {b}; handed(x, y, [](int& p, int q) {{ p = q + 1; }});"),
            &["x", "y"],
        ),
        (
            format!(
                "int x = {a}, y = {b}; auto pick = [&](int i) -> int& {{ if (i) return x; return y; }}; pick(0) = 33; pick(1) += 4;"
            ),
            &["x", "y"],
        ),
        (
            format!(
                "int x = {a}; auto get = [&]() -> decltype(auto) {{ return (x); }}; int y = x; get() = {b};"
            ),
            &["x", "x - y"],
        ),
        (
            format!(
                "cute::array<int, 2> v{{{a}, {b}}}; auto p = v.begin(); *p = 44; int y = v[1];"
            ),
            &["v[0]", "y"],
        ),
    ]
}

/// A program of some of these statements.
pub(super) fn effects(writer: &mut Writer<'_>) {
    let (a, b) = (writer.between(1, 9), writer.between(1, 9));
    for line in declarations(a, b) {
        writer.line(line);
    }
    let pool = statements(a, b);
    writer.run();
    for _ in 0..writer.between(1, 3) {
        let (statements, probes) = writer.one_of(&pool);
        writer.line(format!("{{ {statements}"));
        for probe in *probes {
            writer.probe("int", probe);
        }
        writer.line("}");
    }
    writer.end();
}
