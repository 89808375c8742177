//! Python sources: what they are lowered to, and that an edit leaves no trace.

#![allow(clippy::expect_used)] // A test may stop where its premise fails.

use proptest::prelude::*;
use tree_sitter_cute::tree::Unit;
use tree_sitter_cute::{Budget, Host, Syntax};

const KERNEL: &str = include_str!("fixtures/kernel.py");

fn parse(text: &str, old: Option<&Syntax>) -> Syntax {
    Syntax::parse(Host::Python, text, old, Budget::unlimited()).expect("within the limits")
}

fn lowered(text: &str) -> Unit {
    parse(text, None).lower(text)
}

#[test]
fn a_source_with_most_idioms() {
    let unit = lowered(KERNEL);
    assert_eq!(unit.errors, []);
    insta::assert_snapshot!(unit.to_string());
}

#[test]
fn comments_are_found_wherever_they_stand() {
    let text = "# one\nx = (4,  # two\n  8)\ndef f():\n    ## three\n    pass\n";
    let contents: Vec<&str> = lowered(text)
        .comments
        .iter()
        .map(|comment| comment.content.text(text).trim())
        .collect();
    assert_eq!(contents, ["one", "two", "three"]);
}

#[test]
fn what_stands_around_an_error_is_lowered() {
    let unit = lowered("a = 4\nb = (3,\nc = f(8)\n");
    assert!(!unit.errors.is_empty());
    assert!(unit.to_string().contains("var a: auto = 4"), "{unit}");
}

#[test]
fn hostile_sources_cost_bounded_depth_and_time() {
    let deep = |open: &str, close: &str, count: usize| {
        ["x = ", &open.repeat(count), "1", &close.repeat(count), "\n"].concat()
    };
    for text in [
        deep("(", ")", 20_000),
        deep("f(", ")", 20_000),
        deep("[", "", 20_000),
        deep("-", "", 20_000),
        deep("", "+1", 20_000),
        deep("", ".a", 20_000),
        deep("", " < 2", 20_000),
        ["if x:\n  a = 1\n", &"elif y:\n  a = 2\n".repeat(5_000)].concat(),
        (0..300)
            .map(|depth| " ".repeat(depth) + "if x:\n")
            .collect(),
    ] {
        lowered(&text);
    }
}

/// Texts that people type, paste and half-type.
const SNIPPETS: &[&str] = &[
    "x",
    "8",
    "(",
    ")",
    "[",
    "]",
    ",",
    ":",
    "=",
    "\"",
    "'''",
    "#",
    "\n",
    "    ",
    "\n    ",
    "\t",
    " ",
    "if x:\n",
    "else:\n",
    "def f(a, b=4):\n    return a\n",
    "import cutlass.cute as cute\n",
    "cute.make_layout((4, 8), stride=(8, 1))",
    "@cute.jit\n",
    "f\"{x}\"",
    "for i in range(4):\n",
    "lambda a: a",
    "*",
    ".",
    "\u{e9}\u{1f600}",
    "None",
];

fn edit() -> impl Strategy<Value = (u32, usize, &'static str)> {
    (
        any::<u32>(),
        prop_oneof![Just(0), 0..4_usize, 0..60_usize],
        prop::sample::select(SNIPPETS),
    )
}

/// `text` after an edit, cut at character borders.
fn apply(text: &str, (place, removed, inserted): &(u32, usize, &str)) -> String {
    let border = |mut at: usize| {
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = border((*place as usize) % (text.len() + 1));
    let end = border((start + removed).min(text.len())).max(start);
    [&text[..start], inserted, &text[end..]].concat()
}

#[test]
fn a_splat_before_a_member_is_read_as_in_a_fresh_source() {
    let (before, after) = ("@a.b\ndef f():\n    pass\n", "@*a.b\ndef f():\n    pass\n");
    let edited = parse(after, Some(&parse(before, None)));
    assert_eq!(edited.lower(after), lowered(after));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn incremental_extraction_is_fresh_extraction(edits in prop::collection::vec(edit(), 1..16)) {
        let mut text = KERNEL.to_owned();
        let mut syntax = parse(&text, None);
        for edit in edits {
            text = apply(&text, &edit);
            syntax = parse(&text, Some(&syntax));
            prop_assert!(syntax.lower(&text) == lowered(&text), "after {edit:?}");
        }
    }

    #[test]
    fn an_undone_edit_leaves_no_trace(edits in prop::collection::vec(edit(), 1..16)) {
        let mut syntax = parse(KERNEL, None);
        let expected = syntax.lower(KERNEL);
        for edit in edits {
            let text = apply(KERNEL, &edit);
            syntax = parse(&text, Some(&syntax));
            prop_assert!(syntax.lower(&text) == lowered(&text), "after {edit:?}");
            syntax = parse(KERNEL, Some(&syntax));
            prop_assert!(syntax.lower(KERNEL) == expected, "after undoing {edit:?}");
        }
    }
}
