//! The pieces of a source.

use super::*;
use crate::cuda::tokens;

fn shown(source: &str, outline: &Outline, parts: &[Part]) -> String {
    let text = |piece: usize| {
        outline.pieces[piece]
            .span
            .text(source)
            .trim()
            .replace('\n', " ")
    };
    let parts = parts.iter().map(|part| match part {
        Part::Piece(piece) => format!("`{}`", text(*piece)),
        Part::Namespace { names, parts, .. } => {
            let names: Vec<_> = names.iter().map(|name| name.name.as_str()).collect();
            format!("{}[{}]", names.join("::"), shown(source, outline, parts))
        }
        Part::Conditional { branches, .. } => {
            let branches = branches.iter().map(|branch| {
                let condition = branch.condition.map_or("#else".to_owned(), text);
                format!("{condition}[{}]", shown(source, outline, &branch.parts))
            });
            branches.collect::<Vec<_>>().concat()
        }
    });
    parts.collect::<Vec<_>>().join(" ")
}

fn check(source: &str, expected: &str) {
    let outline = outline(source, &tokens::scan(source).tokens);
    assert_eq!(shown(source, &outline, &outline.parts), expected);
}

#[test]
fn declarations_are_pieces() {
    check(
        "int a; void f() { g(); } int b = 3;",
        "`int a;` `void f() { g(); }` `int b = 3;`",
    );
    check(
        "auto x = T{} + U{}; int b;",
        "`auto x = T{} + U{};` `int b;`",
    );
    check(
        "A::A() : a{1}, b{2} {} int b;",
        "`A::A() : a{1}, b{2} {}` `int b;`",
    );
    check(
        "struct A { int a; } x; int b;",
        "`struct A { int a; } x;` `int b;`",
    );
    check(
        "template <class T> void f() {} int b;",
        "`template <class T> void f() {}` `int b;`",
    );
    check(
        "template <class T> struct A {}; int b;",
        "`template <class T> struct A {};` `int b;`",
    );
}

#[test]
fn namespaces_and_conditionals_hold_parts() {
    check(
        "namespace a::b { int c; } int d;",
        "a::b[`int c;`] `int d;`",
    );
    check("namespace { } inline namespace v { }", "[] v[]");
    check("namespace a = b; int c;", "`namespace a = b;` `int c;`");
    check("#include <a>\nint b;", "`#include <a>` `int b;`");
    check(
        "#ifdef A\nint a;\n#elif B\nint b;\n#else\nint c;\n#endif\n",
        "#ifdef A[`int a;`]#elif B[`int b;`]#else[`int c;`]",
    );
}

#[test]
fn a_conditional_inside_a_declaration_stays_there() {
    let text = "void f() {\n#if A\n  if (a) {\n#else\n  {\n#endif\n  }\n}\nint b;";
    let piece = text
        .strip_suffix("\nint b;")
        .map(|text| text.replace('\n', " "));
    check(text, &format!("`{}` `int b;`", piece.unwrap_or_default()));
}

#[test]
fn an_error_stays_in_its_declaration() {
    check("void f() { g(1; } int b;", "`void f() { g(1; }` `int b;`");
    check(
        "void f() {\n  if (a) {\n}\nvoid g() {}\n",
        "`void f() {   if (a) { }` `void g() {}`",
    );
    check("namespace a { int b } int c;", "a[`int b`] `int c;`");
}

#[test]
fn what_does_not_nest_stays_together() {
    let text = "#if A\nvoid f() {\n#else\nvoid g() {\n#endif\n}";
    check(text, &format!("`{}`", text.replace('\n', " ")));
}
