//! Classes: members of bases, hidden and qualified ones, bit-fields, unions, operators, conversions, initialisers.

use super::source::Writer;

/// Declarations, and values that are requested of them.
pub(super) type Entry = (String, Vec<String>);

/// Writes some entries of a pool, each once.
pub(super) fn write_some(writer: &mut Writer<'_>, pool: &[Entry], count: usize) {
    for _ in 0..count {
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

/// An entry.
pub(super) fn entry(text: impl Into<String>, probes: &[&str]) -> Entry {
    let probes = probes.iter().map(|probe| (*probe).to_owned());
    (text.into(), probes.collect())
}

/// Classes and constants made of them, or objects in a function.
pub(super) fn structures(writer: &mut Writer<'_>) {
    if writer.one_in(3) {
        return objects(writer);
    }
    let n: [i64; 4] = std::array::from_fn(|_| writer.between(1, 30));
    let pool: Vec<Entry> = bases(n).into_iter().chain(members(n)).collect();
    write_some(writer, &pool, 3);
}

/// Members in bits, and classes with bases.
fn bases([a, b, c, d]: [i64; 4]) -> Vec<Entry> {
    vec![
        entry(
            format!(
                "struct Bits {{ unsigned x : 3; int y : 4; unsigned z : 6; }}; constexpr Bits bits{{{a}, {b}, {c}}};"
            ),
            &["sizeof(Bits)", "bits.x", "bits.y + bits.z"],
        ),
        entry(
            "struct Wide { unsigned a : 20; unsigned b : 20; }; struct Narrow { char a : 1; int b : 3; }; struct Cut { int a : 3; int : 0; int b : 3; };",
            &["sizeof(Wide)", "sizeof(Narrow)", "sizeof(Cut)"],
        ),
        entry(
            format!(
                "struct Low {{ int v = {a}; constexpr int f() const {{ return {b}; }} constexpr int g() const {{ return f() + 10; }} }}; struct High : Low {{ int w = {c}; constexpr int f() const {{ return {d}; }} }}; constexpr int by_reference(Low const& x) {{ return x.f() + x.v; }} constexpr int by_value(Low x) {{ return x.f(); }}"
            ),
            &[
                "by_reference(High{})",
                "by_value(High{})",
                "High{}.g()",
                "High{}.f()",
                "High{}.Low::f()",
                "High{}.v + High{}.w",
            ],
        ),
        entry(
            format!(
                "struct One {{ int both = {a}; static constexpr int kept = {c}; }}; struct Two {{ int both = {b}; static constexpr int kept = {d}; }}; struct Each : One, Two {{ int own = 7; }};"
            ),
            &[
                "Each{}.One::both",
                "Each{}.Two::both",
                "Each::Two::kept",
                "Each::One::kept",
                "Each{}.own",
                "sizeof(Each)",
            ],
        ),
        entry(
            format!(
                "struct Top {{ static constexpr int v = {a}; using T = char; }}; struct Mid : Top {{ static constexpr int v = {b}; }}; struct Bottom : Mid {{ using T = long; }};"
            ),
            &[
                "Bottom::v",
                "sizeof(Bottom::T)",
                "sizeof(Mid::T)",
                "Bottom::Top::v",
                "Bottom{}.v",
            ],
        ),
    ]
}

/// Unions, members with values, operators, enumerations.
fn members([a, b, c, d]: [i64; 4]) -> Vec<Entry> {
    vec![
        entry(
            "union Either { int i; char c[8]; }; union Other { long l; short s; }; struct alignas(32) Aligned { char c; };",
            &["sizeof(Either)", "alignof(Other)", "sizeof(Aligned)"],
        ),
        entry(
            format!(
                "struct Inner {{ int a = {a}; int b = {b}; }}; struct Nest {{ int a; Inner in; int c = {c}; }}; constexpr Nest n1{{1}}; constexpr Nest n2{{1, {{{d}}}, 3}};"
            ),
            &[
                "n1.in.b + n1.c",
                "n2.in.a * 100 + n2.in.b",
                "n2.c",
                "Nest{4}.in.a",
            ],
        ),
        entry(
            format!(
                "struct Named {{ int a = {a}; int b = {b}; int c = {c}; }}; constexpr Named d1{{.a = 5, .b = 6}}; constexpr Named d2{{.b = {d}}};"
            ),
            &["d1.a * 100 + d1.b", "d1.c", "d2.a", "d2.b"],
        ),
        entry(
            "struct Op { int v; constexpr int operator()(int x, int y = 3) const { return v + x * y; } constexpr int operator*() const { return -v; } constexpr int operator-(Op o) const { return v - o.v; } constexpr int operator[](int i) const { return v * i; } constexpr bool operator==(Op o) const { return v % 5 == o.v % 5; } };".to_string(),
            &[
                "Op{4}(2)",
                "Op{4}(2, 5)",
                "Op{9} - Op{1}",
                "Op{4}[3]",
                "Op{4} == Op{9}",
            ],
        ),
        entry(
            format!(
                "struct Friends {{ int a, b; friend constexpr int operator+(Friends x, Friends y) {{ return x.a * y.b + {a}; }} friend constexpr int sum_of(Friends x) {{ return x.a + {b}; }} }};"
            ),
            &["Friends{3, 5} + Friends{2, 4}", "sum_of(Friends{3, 5})"],
        ),
        entry(
            format!(
                "enum Small : unsigned char {{ s0, s1 = {a}, s2, s3 = s1 + 10 }}; enum class Kind : short {{ p = -1, q, r = {b} }};"
            ),
            &[
                "s2 * 100 + s3",
                "sizeof(Small)",
                "sizeof(Kind)",
                "int(Kind::q)",
                "static_cast<int>(Kind::r)",
            ],
        ),
        entry(
            format!(
                "struct Stat {{ static constexpr int f(int) {{ return {a}; }} }}; struct Hides : Stat {{ static constexpr int f(char) {{ return {b}; }} }}; struct Takes : Stat {{ using Stat::f; static constexpr int f(char) {{ return {b}; }} }};"
            ),
            &["Hides::f(1)", "Takes::f(1)", "Takes::f('a')"],
        ),
    ]
}

/// Objects of derived classes that are seen through their bases.
fn objects(writer: &mut Writer<'_>) {
    let (a, b) = (writer.between(1, 30), writer.between(1, 30));
    writer.line(format!("struct Low {{ int v = {a}; int both = 5; int f() const {{ return {b}; }} int seen() const {{ return v; }} void set(int x) {{ v = x; }} }};"));
    writer.line("struct High : Low { int w = 2; int f() const { return 77; } };");
    writer.line("struct Hides : Low { int both = 6; };");
    writer
        .line("struct Base { int k = 1; virtual int id() const { return 1; } int call() const { return id(); } };");
    writer.line("struct Derived : Base { int id() const override { return 2; } };");
    writer.run();
    writer.line("High d; Low& r = d; Low* p = &d; Low c = d; Hides h; Low& l = h;");
    writer.line("Derived w; Base& base = w; Base cut = w;");
    for _ in 0..writer.between(2, 6) {
        let x = writer.between(31, 60);
        let text = match writer.between(0, 8) {
            0 => format!("r.v = {x};"),
            1 => format!("p->v = {x};"),
            2 => format!("d.set({x});"),
            3 => format!("r.set({x});"),
            4 => format!("c.v = {x};"),
            5 => format!("d.w = {x};"),
            6 => format!("h.both = {x};"),
            7 => format!("l.both = {x};"),
            _ => "c = d;".to_owned(),
        };
        writer.line(text);
        let seen = writer.pick(&[
            "d.v",
            "r.v",
            "p->v",
            "c.v",
            "d.w",
            "d.f()",
            "r.f()",
            "p->f()",
            "c.f()",
            "d.seen()",
            "d.Low::f()",
            "h.both",
            "l.both",
            "w.call()",
            "base.id()",
            "cut.id()",
            "r.seen()",
        ]);
        writer.probe("int", seen);
    }
    writer.probe("int", "d.w");
    writer.end();
}
