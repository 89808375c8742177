//! Objects that change: by calls of their members, through references and pointers, in arrays.

use super::source::Writer;

/// A class whose members change it, and the value of an object after some calls.
pub(super) fn members(writer: &mut Writer<'_>) {
    let (a, b) = (writer.between(0, 9), writer.between(0, 9));
    let factor = writer.between(2, 5);
    let constructed = writer.one_in(3);
    writer.line("struct Counter {");
    writer.line(format!("  int n = {a};"));
    writer.line(format!("  int m = {b};"));
    if constructed {
        writer.line("  constexpr Counter() {}");
        writer.line("  constexpr Counter(int x) : n(x), m(x + 1) {}");
    }
    writer.line("  constexpr void set(int x) { n = x; }");
    writer.line("  constexpr Counter& add(int x) { n += x; return *this; }");
    writer.line(format!(
        "  constexpr void grow() {{ m = n * {factor}; ++n; }}"
    ));
    writer.line("  constexpr int total() const { return n + m; }");
    writer.line("  constexpr int next() { return ++n; }");
    writer.line("  constexpr int& at(int i) { return i == 0 ? n : m; }");
    writer.line("  constexpr int operator[](int i) const { return i == 0 ? n : m; }");
    writer.line("  constexpr int& operator()(int i) { if (i == 0) { return n; } return m; }");
    writer.line(
        "  constexpr Counter& operator+=(Counter const& o) { n += o.n; m += o.m; return *this; }",
    );
    writer.line("  constexpr void swap_with(Counter& o) { int t = n; n = o.n; o.n = t; }");
    writer.line("  constexpr int kind() const { return 1; }");
    writer.line("  constexpr int kind() { return 2; }");
    writer.line("};");
    let constant = writer.one_in(3);
    if constant {
        writer.line("constexpr int made(int x) {");
        writer.line("  Counter c{};");
        for _ in 0..writer.between(1, 4) {
            let call = member_call(writer, "c", "c");
            writer.line(format!("  {call}"));
        }
        writer.line("  return c.total() + x;");
        writer.line("}");
        let x = writer.between(0, 9);
        writer.probe("int", &format!("made({x})"));
    }
    writer.run();
    let made = if constructed && writer.one_in(2) {
        "Counter c(5);"
    } else {
        "Counter c;"
    };
    writer.line(made);
    writer.line("Counter d{};");
    for _ in 0..writer.between(2, 6) {
        let call = member_call(writer, "c", "d");
        writer.line(call);
        if writer.one_in(2) {
            let seen = writer.pick(&["c.n", "c.m", "c.total()", "c[1]", "d.n", "c.kind()"]);
            writer.probe("int", seen);
        }
    }
    if writer.one_in(3) {
        writer.line("const Counter e = c;");
        writer.line("c.set(77);");
        writer.probe("int", "e.n");
        writer.probe("int", "e.kind()");
    }
    writer.probe("int", "c.n");
    writer.probe("int", "c.m");
    writer.probe("int", "d.total()");
    writer.end();
}

fn member_call(writer: &mut Writer<'_>, this: &str, other: &str) -> String {
    let x = writer.between(0, 20);
    match writer.between(0, 10) {
        0 => format!("{this}.set({x});"),
        1 => format!("{this}.add({x}).add(1);"),
        2 => format!("{this}.grow();"),
        3 => format!("{this}.at({}) = {x};", x % 2),
        4 => format!("{this}({}) += {x};", x % 2),
        5 => format!("{this} += {other};"),
        6 => format!("{this}.swap_with({other});"),
        7 => format!("{this}.m = {this}.next() + {x};"),
        8 => format!("for (int i = 0; i < {}; ++i) {{ {this}.add(i); }}", x % 4),
        9 => format!("if ({this}.n > {x}) {{ {this}.set(1); }} else {{ {this}.grow(); }}"),
        _ => format!("{this} = Counter{{}};"),
    }
}

/// Variables that change through other names of theirs.
pub(super) fn references(writer: &mut Writer<'_>) {
    writer.line("struct Pair { int a; int b; };");
    writer.line("constexpr void put(int& x, int v) { x = v; }");
    writer.line("constexpr void by_value(int x, int v) { x = v; }");
    writer.line("constexpr void by_pointer(int* x, int v) { *x = v; }");
    writer.line("constexpr int& larger(int& x, int& y) { return x < y ? y : x; }");
    writer.line(
        "constexpr int& part(Pair& p, bool first) { if (first) { return p.a; } return p.b; }",
    );
    writer.line("constexpr void exchange(int& x, int& y) { int t = x; x = y; y = t; }");
    writer.line("constexpr void reset(Pair& p) { p.a = 0; p.b = 1; }");
    writer.line("constexpr int bump(int& x) { return ++x; }");
    writer.line("struct Box { int v; constexpr Box(int k) : v(k) {} };");
    writer.line("constexpr Box boxed(int& x) { return Box(x++); }");
    let constant = writer.one_in(3);
    if constant {
        writer.line("constexpr int run_once() {");
    } else {
        writer.run();
    }
    let numbers: Vec<i64> = (0..4).map(|_| writer.between(0, 30)).collect();
    writer.line(format!("int x = {};", numbers[0]));
    writer.line(format!("int y = {};", numbers[1]));
    writer.line(format!("Pair p{{{}, {}}};", numbers[2], numbers[3]));
    writer.line("int v[3] = {1, 2, 3};");
    for _ in 0..writer.between(2, 7) {
        for text in step(writer) {
            writer.line(text);
        }
        if !constant && writer.one_in(2) {
            let seen = writer.pick(&["x", "y", "p.a", "p.b", "v[1]", "x + y"]);
            writer.probe("int", seen);
        }
    }
    if constant {
        writer.line("return x + 100 * y + 3 * p.a + 5 * p.b + 7 * v[0] + 11 * v[1] + 13 * v[2];");
        writer.line("}");
        writer.probe("int", "run_once()");
        return;
    }
    for seen in ["x", "y", "p.a", "p.b", "v[0]", "v[2]"] {
        writer.probe("int", seen);
    }
    writer.end();
}

fn step(writer: &mut Writer<'_>) -> Vec<String> {
    let n = writer.between(0, 40);
    let target = writer.pick(&["x", "y", "p.a", "p.b", "v[0]", "v[1]", "v[2]"]);
    let name = writer.name("r");
    let lines: Vec<String> = match writer.between(0, 25) {
        0 => vec![format!("int& {name} = {target};"), format!("{name} = {n};")],
        1 => vec![
            format!("int* {name} = &{target};"),
            format!("*{name} += {n};"),
        ],
        2 => vec![format!("put({target}, {n});")],
        3 => vec![format!("by_value({target}, {n});")],
        4 => vec![format!("by_pointer(&{target}, {n});")],
        5 => vec!["exchange(x, y);".to_owned()],
        6 => vec![format!("larger(x, y) = {n};")],
        7 => vec![format!(
            "part(p, {}) = {n};",
            if n % 2 == 0 { "true" } else { "false" }
        )],
        8 => vec![
            format!("auto {name} = [&](int k) {{ {target} = k; return k + x; }};"),
            format!("y = {name}({n});"),
        ],
        9 => vec![
            format!("auto {name} = [=](int k) {{ return k + x; }};"),
            format!("x = {n};"),
            format!("y = {name}(1);"),
        ],
        10 => vec![
            format!("auto {name} = [&x](int k) {{ return k + x; }};"),
            format!("x = {n};"),
            format!("y = {name}(1);"),
        ],
        11 => {
            let other = writer.name("r");
            vec![
                format!("auto& [{name}, {other}] = p;"),
                format!("{name} = {n};"),
                format!("y = {other};"),
            ]
        }
        12 => {
            let other = writer.name("r");
            vec![
                format!("auto [{name}, {other}] = p;"),
                format!("{name} = {n};"),
                format!("x = {name} + {other};"),
            ]
        }
        13 => vec![format!("for (auto& {name} : v) {{ {name} += {n}; }}")],
        14 => vec![format!("for (int i = 0; i < 3; ++i) {{ v[i] = i + {n}; }}")],
        15 => vec![
            format!("Pair {name} = p;"),
            format!("{name}.a = {n};"),
            format!("y = {name}.a + p.a;"),
        ],
        16 => vec![
            format!("Pair& {name} = p;"),
            format!("{name}.b = {n};"),
            format!("reset({name});"),
        ],
        17 => vec![
            format!("int* {name} = &x;"),
            format!("if (x > {n}) {{ {name} = &y; }}"),
            format!("*{name} = {n};"),
        ],
        18 => vec![
            format!("Pair* {name} = &p;"),
            format!("{name}->a = {n};"),
            format!("{name}->b += {name}->a;"),
        ],
        19..=24 => changing_initialiser(writer, &name, target, n),
        _ => vec![
            format!("int const& {name} = x;"),
            format!("x = {n};"),
            format!("y = {name};"),
        ],
    };
    lines
}

/// Variables whose initialisers change another one: each is evaluated once.
fn changing_initialiser(writer: &mut Writer<'_>, name: &str, target: &str, n: i64) -> Vec<String> {
    match writer.between(0, 5) {
        0 => vec![
            format!("int const& {name} = bump({target});"),
            format!("y = {name};"),
        ],
        1 => vec![
            format!("Box {name}(bump({target}));"),
            format!("y = {name}.v;"),
        ],
        2 => vec![
            format!("Box {name} = ++{target};"),
            format!("x = {name}.v;"),
        ],
        3 => vec![
            format!("auto {name} = boxed({target});"),
            format!("p.a = {name}.v;"),
        ],
        4 => vec![
            format!("Pair {name}{{bump({target}), bump({target})}};"),
            format!("p.b = 10 * {name}.a + {name}.b;"),
        ],
        _ => vec![
            format!("int {name} = 0;"),
            format!("int& {name}_of = v[{name}++];"),
            format!("{name}_of = {n} + {name};"),
        ],
    }
}

/// Arrays of the libraries.
pub(super) fn arrays(writer: &mut Writer<'_>) {
    let of = writer.pick(&["std::array", "cute::array"]).to_owned();
    let count = writer.between(2, 5);
    let (a, b) = (writer.between(0, 9), writer.between(1, 9));
    writer.line(format!("constexpr auto squares() {{ {of}<int, {count}> r{{}}; for (int i = 0; i < {count}; ++i) {{ r[i] = i * i + {a}; }} return r; }}"));
    writer.line(format!("constexpr int sum({of}<int, {count}> const& r) {{ int s = 0; for (int i = 0; i < {count}; ++i) {{ s += r[i]; }} return s; }}"));
    writer.line(format!("constexpr int each({of}<int, {count}> r) {{ int s = {b}; for (auto x : r) {{ s = s * 2 + x; }} return s; }}"));
    writer.line(format!(
        "constexpr void double_all({of}<int, {count}>& r) {{ for (auto& x : r) {{ x *= 2; }} }}"
    ));
    writer.line("constexpr auto table = squares();");
    let last = count - 1;
    writer.probe("int", &format!("table[{last}]"));
    writer.probe("int", "sum(squares())");
    writer.probe("int", "each(table)");
    writer.probe("int", "int(table.size())");
    writer.run();
    let written: Vec<String> = (0..writer.between(1, count))
        .map(|i| (i * b).to_string())
        .collect();
    writer.line(format!("{of}<int, {count}> z{{{}}};", written.join(", ")));
    for _ in 0..writer.between(1, 5) {
        let n = writer.between(0, 20);
        let text = match writer.between(0, 9) {
            0 => format!("z.fill({n});"),
            1 => format!("z[{}] = {n};", n % count),
            2 => format!("for (int i = 0; i < {count}; ++i) {{ z[i] += i; }}"),
            3 => "double_all(z);".to_owned(),
            4 => format!("z.front() = {n};"),
            5 => format!("z.back() += {n};"),
            6 => "z = squares();".to_owned(),
            7 => format!("for (auto& e : z) {{ e += {n}; }}"),
            8 => format!("auto& e{n}_{count} = z[0]; e{n}_{count} = {n};"),
            _ => format!("z[{}]++;", n % count),
        };
        writer.line(if text.starts_with("auto&") {
            format!("{{ {text} }}")
        } else {
            text
        });
        if writer.one_in(2) {
            let at = writer.between(0, last);
            writer.probe("int", &format!("z[{at}]"));
        }
    }
    writer.line("auto copy = z;");
    writer.line(format!("copy[0] = {b};"));
    writer.probe("int", "z[0]");
    writer.probe("int", "copy[0]");
    writer.probe("int", &format!("z[{last}]"));
    writer.probe("int", "sum(z)");
    writer.end();
}
