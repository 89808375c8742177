//! Macros, names and where they are visible, sizes of classes, sides of `?:`.

use super::source::Writer;

/// Macros whose replacements bind with the text beside them, and conditions on them.
pub(super) fn macros(writer: &mut Writer<'_>) {
    let tag = writer.between(0, 999_999_999);
    let mut objects: Vec<String> = Vec::new();
    let mut functions: Vec<String> = Vec::new();
    for index in 0..writer.between(2, 5) {
        let name = format!("MACRO_{tag}_{index}");
        let (a, b) = (writer.between(1, 9), writer.between(1, 9));
        let known = match objects.last() {
            Some(known) if writer.one_in(2) => known.clone(),
            _ => b.to_string(),
        };
        if writer.one_in(3) {
            let bodies = [
                format!("x + {a}"),
                format!("(x + {a})"),
                "x".to_owned(),
                "((x) * (x))".to_owned(),
                "x * x".to_owned(),
                format!("(x) - {known}"),
                format!("f(x, {a})"),
                format!("{known} * x"),
            ];
            let body = &bodies[writer.between(0, 7) as usize];
            writer.line(format!("#define {name}(x) {body}"));
            functions.push(name);
        } else {
            let bodies = [
                a.to_string(),
                format!("{a} + {b}"),
                format!("({a} + {b})"),
                format!("-{a}"),
                format!("{known} - {a}"),
                known.clone(),
                format!("{a} < {b}"),
                format!("f({a}, {known})"),
            ];
            let last = if writer.one_in(4) { 7 } else { 6 };
            let body = &bodies[writer.between(0, last) as usize];
            writer.line(format!("#define {name} {body}"));
            objects.push(name);
        }
    }
    writer.line("constexpr int f(int a, int b) { return 10 * a + b; }");
    if writer.one_in(3) {
        writer.line(format!("#define VA_{tag}(a, ...) f(a, ##__VA_ARGS__)"));
        writer.line("constexpr int f(int a) { return a; }");
        writer.probe("int", &format!("VA_{tag}(3)"));
        writer.probe("int", &format!("VA_{tag}(3, 4)"));
    }
    if writer.one_in(3) {
        writer.line(format!("#define PASTE_{tag}(a, b) a##b"));
        writer.line("constexpr int joined = 17;");
        writer.probe("int", &format!("PASTE_{tag}(joi, ned) * 2"));
    }
    let use_of = |writer: &mut Writer<'_>| -> String {
        if !functions.is_empty() && writer.one_in(3) {
            let at = writer.between(0, functions.len() as i64 - 1) as usize;
            let argument = match writer.between(0, 2) {
                0 => "3".to_owned(),
                1 => "1 + 2".to_owned(),
                _ => objects.first().cloned().unwrap_or_else(|| "4".to_owned()),
            };
            format!("{}({argument})", functions[at])
        } else if objects.is_empty() {
            "5".to_owned()
        } else {
            objects[writer.between(0, objects.len() as i64 - 1) as usize].clone()
        }
    };
    for _ in 0..writer.between(2, 5) {
        let (one, two) = (use_of(writer), use_of(writer));
        let n = writer.between(1, 9);
        let text = match writer.between(0, 8) {
            0 => format!("{one} * {n}"),
            1 => format!("{n} * {one}"),
            2 => format!("{one} + {two}"),
            3 => format!("({one}) * ({two})"),
            4 => format!("{n} - {one}"),
            5 => format!("{one} == {n} ? {one} : {two} * 2"),
            6 => format!("-{one}"),
            7 => format!("f({one}, {two} * 2)"),
            _ => one,
        };
        writer.probe("int", &text);
    }
    if let Some(known) = objects.first() {
        branches(writer, known, tag);
    }
    if let Some(known) = objects.last()
        && writer.one_in(3)
    {
        let n = writer.between(10, 20);
        let text = format!("{known} * 2");
        writer.line(format!("#undef {known}"));
        writer.line(format!("#define {known} {n} + 1"));
        writer.probe("int", &text);
    }
}

/// A constant that an `#if` on a macro decides.
fn branches(writer: &mut Writer<'_>, known: &str, tag: i64) {
    let n = writer.between(0, 9);
    let condition = match writer.between(0, 6) {
        0 => format!("{known} > {n}"),
        1 => format!("{known} * 2 >= {n}"),
        2 => format!("defined({known}) && {known} != {n}"),
        3 => format!("!defined(NOT_{tag}) && ({known}) % 3 == 0"),
        4 => format!("{known} == {n} || NOT_{tag}"),
        5 => format!("-{n} < 0u + {known} * 0"),
        _ => format!("({known} + 1) / 2 < {n}"),
    };
    let name = writer.name("branch");
    writer.line(format!("#if {condition}"));
    writer.line(format!("constexpr int {name} = 1;"));
    writer.line(format!("#elif defined {known} && {known} == 4"));
    writer.line(format!("constexpr int {name} = 2;"));
    writer.line("#else");
    writer.line(format!("constexpr int {name} = 3;"));
    writer.line("#endif");
    writer.probe("int", &name);
}

/// Names that hide one another, before and behind where they are declared.
pub(super) fn names(writer: &mut Writer<'_>) {
    let mut n = 0;
    let mut number = |writer: &mut Writer<'_>| {
        n += writer.random.between(1, 5);
        n
    };
    let first = number(writer);
    writer.line(format!("constexpr int x = {first};"));
    writer.line(format!("constexpr int g(long) {{ return {first}; }}"));
    writer.line(format!("struct S {{ static constexpr int v = {first}; }};"));
    let other = number(writer);
    writer.line(format!("namespace other {{ constexpr int y = {other}; constexpr int z = x + 1; constexpr int g(int) {{ return 90; }} }}"));
    let depth = writer.between(1, 3);
    for level in 0..depth {
        let is_inline = writer.one_in(5);
        writer.open(&format!("n{level}"), is_inline);
        for _ in 0..writer.between(1, 4) {
            name_step(writer, &mut number, level);
        }
    }
    for _ in 0..depth {
        writer.close();
    }
    let path: Vec<String> = (0..depth).map(|level| format!("n{level}")).collect();
    writer.probe("int", &format!("{}::last{}", path.join("::"), depth - 1));
    writer.run();
    let local = number(writer);
    writer.line(format!("int x = 2 + {local};"));
    let hidden = number(writer);
    writer.line(format!("{{ int x = {hidden}; (void)x; }}"));
    writer.probe("int", "x");
    let inner = number(writer);
    writer.line(format!(
        "for (int x = 0; x < 2; ++x) {{ int y = x + {inner}; (void)y; }}"
    ));
    writer.probe("int", "x + 1");
    if writer.one_in(2) {
        writer.line("using namespace other;");
        writer.probe("int", "y + z");
        writer.probe("int", "g(1)");
    } else {
        writer.line("using other::z;");
        writer.probe("int", "z");
        writer.probe("int", "other::y");
    }
    let member = number(writer);
    writer.line(format!("struct S {{ int v = {member}; }};"));
    writer.line("S s;");
    writer.probe("int", "s.v");
    writer.line("auto l = [x](int y) { return x * 2 + y; };");
    writer.line("x = 50;");
    writer.probe("int", "l(1)");
    writer.end();
}

fn name_step(writer: &mut Writer<'_>, number: &mut dyn FnMut(&mut Writer<'_>) -> i64, level: i64) {
    let n = number(writer);
    let is_new = |writer: &Writer<'_>, text: &str| !writer.has_here(text);
    match writer.between(0, 7) {
        0 if is_new(writer, "constexpr int x = ") => {
            writer.probe("int", "x");
            writer.line(format!("constexpr int x = {n};"));
            writer.probe("int", "x");
        }
        1 if is_new(writer, "constexpr int g(") => {
            writer.probe("int", "g(1)");
            writer.line(format!("constexpr int g(int) {{ return {n}; }}"));
            writer.probe("int", "g(1)");
            writer.probe("int", "g(1L)");
        }
        2 if is_new(writer, "struct S ") => {
            writer.probe("int", "S::v");
            writer.line(format!(
                "struct S {{ static constexpr int v = {n}; static constexpr int w = v + x; }};"
            ));
            writer.probe("int", "S::v");
            writer.probe("int", "S::w");
        }
        3 if is_new(writer, "constexpr int early") => {
            writer.line(format!(
                "constexpr int early{level}() {{ return x * 100 + g(1); }}"
            ));
            writer.probe("int", &format!("early{level}()"));
        }
        4 if is_new(writer, "using namespace other;") && is_new(writer, "constexpr int x = ") => {
            writer.line("using namespace other;");
            writer.probe("int", "y + z");
        }
        5 if is_new(writer, "enum ") => {
            writer.line(format!("enum E{level} {{ A{level} = {n}, B{level} }};"));
            writer.probe("int", &format!("B{level}"));
        }
        6 if is_new(writer, "constexpr int hides") => {
            writer.line(format!("constexpr int hides{level}(int x) {{ int r = x; {{ int x = {n}; r += x; }} return r + x; }}"));
            writer.probe("int", &format!("hides{level}(3)"));
        }
        _ => {
            writer.probe("int", "x + 1");
        }
    }
    if is_new(writer, "constexpr int last") {
        writer.line(format!("constexpr int last{level} = x + {n};"));
    }
}

/// Classes and their sizes.
pub(super) fn sizes(writer: &mut Writer<'_>) {
    writer.line("struct Empty {}; struct Other {}; template <class T> struct Of { T t; };");
    let simple = ["Empty", "Other", "Of<char>", "Of<double>"];
    let mut known: Vec<String> = simple.map(str::to_owned).to_vec();
    let mut unions: Vec<String> = Vec::new();
    for _ in 0..writer.between(3, 6) {
        let (name, is_union) = class(writer, &known, &unions);
        if is_union {
            unions.push(name.clone());
        }
        known.push(name);
    }
    if writer.one_in(4) {
        writer.line("#pragma pack(push, 1)");
        writer.line("struct Tight { char c; int i; };");
        writer.line("#pragma pack(pop)");
        writer.line("struct Loose { char c; int i; };");
        writer.probe("size_t", "sizeof(Tight)");
        writer.probe("size_t", "sizeof(Loose)");
    }
}

/// A class with some of those before it as bases and members, and its size; its name, and whether it is a union.
fn class(writer: &mut Writer<'_>, known: &[String], unions: &[String]) -> (String, bool) {
    let name = writer.name("K");
    let key = writer
        .pick(&["struct", "struct", "struct", "class", "union"])
        .to_owned();
    let is_union = key == "union";
    let mut heads = vec![key.clone()];
    match writer.between(0, 11) {
        0 => heads.push("alignas(16)".to_owned()),
        1 => heads.push("__attribute__((aligned(32)))".to_owned()),
        2 if !is_union => heads.push("__attribute__((packed))".to_owned()),
        _ => {}
    }
    heads.push(name.clone());
    let mut bases: Vec<String> = Vec::new();
    if !is_union {
        for _ in 0..writer.between(0, 2) {
            let base = known[writer.between(0, known.len() as i64 - 1) as usize].clone();
            if !bases.contains(&base) && !unions.contains(&base) {
                bases.push(base);
            }
        }
    }
    let head = heads.join(" ");
    let clause = if bases.is_empty() {
        String::new()
    } else {
        format!(
            " : {}",
            bases
                .iter()
                .map(|base| format!("public {base}"))
                .collect::<Vec<_>>()
                .join(", ")
        )
    };
    let mut members = Vec::new();
    for index in 0..writer.between(0, 4) {
        let ty = match writer.between(0, 9) {
            0..=6 => writer
                .pick(&[
                    "char",
                    "short",
                    "int",
                    "long",
                    "double",
                    "float",
                    "bool",
                    "int*",
                    "unsigned char",
                ])
                .to_owned(),
            _ => known[writer.between(0, known.len() as i64 - 1) as usize].clone(),
        };
        let member = match writer.between(0, 11) {
            0 => format!("{ty} m{index}[{}];", writer.between(1, 4)),
            1 if !is_union => format!("[[no_unique_address]] {ty} m{index};"),
            2 => format!("unsigned m{index} : {};", writer.between(1, 9)),
            3 => format!("alignas(8) {ty} m{index};"),
            4 if !is_union => format!("static {ty} m{index};"),
            5 if !is_union => format!("public: {ty} m{index};"),
            6 if !is_union => format!("private: {ty} m{index};"),
            _ => format!("{ty} m{index};"),
        };
        members.push(member);
    }
    if !is_union {
        match writer.between(0, 11) {
            0 => members.push("public: virtual int f();".to_owned()),
            1 => members.push(format!("public: {name}() {{}}")),
            2 => members.push("public: int g() const { return 1; }".to_owned()),
            3 => members.push(format!("public: ~{name}() {{}}")),
            4 => members.push("public: using Inner = int; enum { kA, kB };".to_owned()),
            _ => {}
        }
    }
    if is_union
        && (members.is_empty()
            || members
                .iter()
                .any(|member| known.iter().any(|class| member.contains(class.as_str()))))
    {
        members = vec!["int a;".to_owned(), "char b[5];".to_owned()];
    }
    writer.line(format!("{head}{clause} {{ {} }};", members.join(" ")));
    writer.probe("size_t", &format!("sizeof({name})"));
    writer.probe("size_t", &format!("alignof({name})"));
    (name, is_union)
}

/// Sides of `?:` and facts known while compiling.
pub(super) fn choices(writer: &mut Writer<'_>) {
    writer.line("using namespace cute;");
    writer.line("template <int N> constexpr int kind(Int<N>) { return 1000 + N; }");
    writer.line("constexpr int kind(int) { return 1; }");
    writer.line(
        "template <class T> constexpr int fixed(T const&) { return is_static<T>::value ? 1 : 2; }",
    );
    let sides = [
        "_4{}",
        "_8{}",
        "_4{}",
        "8",
        "4",
        "Int<3>{}",
        "_2{} + _2{}",
        "_2{} * 2",
        "n",
        "_8{} / _2{}",
    ];
    let conditions = [
        "true",
        "false",
        "flag",
        "n > 2",
        "n == 0",
        "kind(n) == 1",
        "!flag",
    ];
    let (n, flag) = (
        writer.between(0, 5),
        writer.pick(&["true", "false"]).to_owned(),
    );
    let outside = writer.one_in(2);
    if outside {
        writer.line(format!("constexpr int n = {n};"));
        writer.line(format!("constexpr bool flag = {flag};"));
    } else {
        writer.run();
        writer.line(format!("int n = {n};"));
        writer.line(format!("bool flag = {flag};"));
    }
    for _ in 0..writer.between(3, 6) {
        let condition = writer.pick(&conditions).to_owned();
        let (a, b) = (
            writer.pick(&sides).to_owned(),
            writer.pick(&sides).to_owned(),
        );
        let choice = format!("({condition} ? {a} : {b})");
        let text = match writer.between(0, 4) {
            0 => format!("kind({choice})"),
            1 => format!("fixed({choice})"),
            2 => format!("{choice} + 1"),
            3 => format!("kind({a})"),
            _ => choice,
        };
        writer.probe("int", &text);
    }
    if !outside {
        writer.end();
    }
}
