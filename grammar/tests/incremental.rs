//! The law of every editor session: what is extracted after a chain of edits equals what is
//! extracted from the final text opened afresh.

#![allow(clippy::expect_used)] // A test may stop where its premise fails.

use proptest::prelude::*;
use tree_sitter_cute::tree::Unit;
use tree_sitter_cute::{Budget, Host, Syntax};

const KERNEL: &str = include_str!("fixtures/kernel.cu");
const RUST: &str = include_str!("fixtures/kernel.rs");

/// Texts that people type, paste and half-type.
const SNIPPETS: &[&str] = &[
    "x",
    "_8",
    "(",
    ")",
    "{",
    "}",
    "<",
    ">",
    ",",
    ";",
    "\"",
    "'",
    "/*",
    "*/",
    "//",
    "\n",
    " ",
    "#if 1\n",
    "#endif\n",
    "auto ",
    "Int<8>{}",
    "Layout<Shape<_32,_8>>{}",
    "make_layout(make_shape(_4{}, M))",
    "Layout<Shape<_4, _8>, Stride<_8, _1>>",
    "typename K::X{}",
    "dim3 g(M, N);",
    "f(x);",
    "template <class T> ",
    "decltype(m){}",
    "CUTE_UNROLL ",
    "\u{e9}\u{1f600}",
    "a < b > (c)",
    "::",
    ".",
];

/// One edit: where (as a fraction of the text), how many bytes go, what comes.
#[derive(Debug, Clone)]
struct Edit {
    place: u32,
    removed: usize,
    inserted: &'static str,
}

fn edit() -> impl Strategy<Value = Edit> {
    (
        any::<u32>(),
        prop_oneof![Just(0), 0..4_usize, 0..60_usize],
        prop::sample::select(SNIPPETS),
    )
        .prop_map(|(place, removed, inserted)| Edit {
            place,
            removed,
            inserted,
        })
}

/// `text` after `edit`, cut at character borders.
fn apply(text: &str, edit: &Edit) -> String {
    let border = |mut at: usize| {
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = border((edit.place as usize) % (text.len() + 1));
    let end = border((start + edit.removed).min(text.len())).max(start);
    [&text[..start], edit.inserted, &text[end..]].concat()
}

fn parse(host: Host, text: &str, old: Option<&Syntax>) -> Syntax {
    Syntax::parse(host, text, old, Budget::unlimited()).expect("within the limits")
}

/// The first item in which two units differ, as text.
fn first_difference(left: &Unit, right: &Unit) -> String {
    let lines = |unit: &Unit| {
        unit.to_string()
            .lines()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let (left, right) = (lines(left), lines(right));
    let at = left.iter().zip(&right).position(|(a, b)| a != b);
    let line = |lines: &[String]| at.and_then(|at| lines.get(at).cloned());
    format!("incremental {:?}, fresh {:?}", line(&left), line(&right))
}

fn check_chain(host: Host, start: &str, edits: &[Edit]) -> Result<(), TestCaseError> {
    let mut text = start.to_owned();
    let mut syntax = parse(host, &text, None);
    for edit in edits {
        text = apply(&text, edit);
        syntax = parse(host, &text, Some(&syntax));
        let (incremental, fresh) = (syntax.lower(&text), parse(host, &text, None).lower(&text));
        prop_assert!(
            incremental == fresh,
            "after {edit:?}: {}",
            first_difference(&incremental, &fresh)
        );
    }
    Ok(())
}

/// Edits and their undoing in some order, so that the text is free of errors again and again.
fn check_undone(host: Host, start: &str, edits: &[Edit]) -> Result<(), TestCaseError> {
    let mut syntax = parse(host, start, None);
    let expected = syntax.lower(start);
    for edit in edits {
        let text = apply(start, edit);
        syntax = parse(host, &text, Some(&syntax));
        let fresh = parse(host, &text, None).lower(&text);
        prop_assert!(syntax.lower(&text) == fresh, "after {edit:?}");
        syntax = parse(host, start, Some(&syntax));
        let again = syntax.lower(start);
        prop_assert!(
            again == expected,
            "after undoing {edit:?}: {}",
            first_difference(&again, &expected)
        );
    }
    Ok(())
}

/// A chain of those edits only that leave the text free of errors.
fn check_valid_chain(host: Host, start: &str, edits: &[Edit]) -> Result<(), TestCaseError> {
    let mut text = start.to_owned();
    let mut syntax = parse(host, &text, None);
    for edit in edits {
        let edited = apply(&text, edit);
        let fresh = parse(host, &edited, None).lower(&edited);
        if !fresh.errors.is_empty() {
            continue;
        }
        syntax = parse(host, &edited, Some(&syntax));
        text = edited;
        let incremental = syntax.lower(&text);
        prop_assert!(
            incremental == fresh,
            "after {edit:?}: {}",
            first_difference(&incremental, &fresh)
        );
    }
    Ok(())
}

/// Edits that often leave a valid text: names, arguments, whole statements, white space.
const VALID: &[&str] = &[
    " ",
    "\n",
    "x",
    "8",
    "_",
    "/* c */",
    "// c\n",
    " + y",
    ", z",
    "int q = 3;",
    "f(x);",
    "dim3 g(M, N);",
    "auto w = Layout<Shape<_32,_8>>{};",
    "<_1, X>",
    "::type",
    "(a, b)",
    "{}",
    "Shape<_4,_8>{}, ",
    "using L = decltype(make_layout(Shape<_32,Int<8>>{}));",
    "(x < y) && ",
    "a<b>(c), ",
    "T t(a * b);",
];

/// The same for Rust, valid and not.
const RUST_SNIPPETS: &[&str] = &[
    " ",
    "\n",
    "x",
    "8",
    "_",
    "/* c */",
    "// c\n",
    " + y",
    ", z",
    "{",
    "}",
    "(",
    ")",
    "<",
    ">",
    "\"",
    "'",
    "'a",
    "r#\"",
    "/*",
    "let q = 3;",
    "f(x);",
    "::<4>",
    "&mut ",
    "mod m {",
    "\nfn f() {}\n",
    "\npub const N: usize = { 4 };\n",
    "layout!((4,8):(1,4))",
    "C<8>, ",
    "?",
    ".await",
    "#[cfg(x)]",
    "match x { _ => 1 }",
    "|a| a + 1",
    "\u{e9}\u{1f600}",
    "use a::{b, c as d};",
];

fn rust_edit() -> impl Strategy<Value = Edit> {
    (
        any::<u32>(),
        prop_oneof![3 => Just(0), 1 => 1..40_usize],
        prop::sample::select(RUST_SNIPPETS),
    )
        .prop_map(|(place, removed, inserted)| Edit {
            place,
            removed,
            inserted,
        })
}

fn valid_edit() -> impl Strategy<Value = Edit> {
    (
        any::<u32>(),
        prop_oneof![3 => Just(0), 1 => 1..3_usize],
        prop::sample::select(VALID),
    )
        .prop_map(|(place, removed, inserted)| Edit {
            place,
            removed,
            inserted,
        })
}

/// `f (g()) { .. }` in a body may declare a function `g` in needless parentheses, or be a macro with a block. The parser
/// takes the one or the other, by what it parsed before.
#[test]
fn a_macro_with_a_block_is_the_same_after_an_edit() {
    let before = "void g() { if (a) { y(); } else if (thread0()) { x(); } else return; }\n";
    for (what, with) in [
        ("else if", "else if(x);f"),
        ("else if", "else f"),
        ("if (thread0", "int q = 3;f (thread0"),
        ("else if", "i f(x);f"),
    ] {
        let after = before.replacen(what, with, 1);
        let syntax = parse(Host::CudaCpp, before, None);
        let again = parse(Host::CudaCpp, &after, Some(&syntax)).lower(&after);
        let fresh = parse(Host::CudaCpp, &after, None).lower(&after);
        assert_eq!(again.to_string(), fresh.to_string(), "{after}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn incremental_extraction_is_fresh_extraction(edits in prop::collection::vec(edit(), 1..12)) {
        check_chain(Host::CudaCpp, KERNEL, &edits)?;
    }

    #[test]
    fn an_undone_edit_leaves_no_trace(edits in prop::collection::vec(edit(), 1..12)) {
        check_undone(Host::CudaCpp, KERNEL, &edits)?;
    }

    #[test]
    fn valid_edits_add_up(edits in prop::collection::vec(valid_edit(), 40..80)) {
        check_valid_chain(Host::CudaCpp, KERNEL, &edits)?;
    }

    #[test]
    fn incremental_extraction_of_rust_is_fresh_extraction(edits in prop::collection::vec(rust_edit(), 1..12)) {
        check_chain(Host::Rust, RUST, &edits)?;
    }

    #[test]
    fn an_undone_edit_of_rust_leaves_no_trace(edits in prop::collection::vec(rust_edit(), 1..12)) {
        check_undone(Host::Rust, RUST, &edits)?;
    }

    #[test]
    fn valid_edits_of_rust_add_up(edits in prop::collection::vec(rust_edit(), 15..30)) {
        check_valid_chain(Host::Rust, RUST, &edits)?;
    }
}
