//! Rust texts that no one would write on purpose: no panic, no exhausted stack, linear time; and names
//! that are where the tree says.

#![allow(clippy::expect_used)] // A test may stop where its premise fails.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use tree_sitter_cute::tree::{Ident, Unit, Visitor, walk_unit};
use tree_sitter_cute::{Budget, Host, Syntax};

const KERNEL: &str = include_str!("fixtures/kernel.rs");

fn lower(text: &str) -> Unit {
    let syntax = Syntax::parse(Host::Rust, text, None, Budget::unlimited());
    syntax.expect("within the limits").lower(text)
}

/// The names whose span holds another text.
struct Untrue<'t>(&'t str, Vec<String>);

impl Visitor for Untrue<'_> {
    fn ident(&mut self, ident: &Ident) {
        let written = ident.span.text(self.0);
        let numbered = ident.name.bytes().all(|byte| byte.is_ascii_digit());
        if written.strip_prefix("r#").unwrap_or(written) != ident.name
            && ident.name != ".."
            && !numbered
        {
            self.1.push(format!("{} at {:?}", ident.name, ident.span));
        }
    }
}

fn check(text: &str) {
    let unit = lower(text);
    let mut untrue = Untrue(text, Vec::new());
    walk_unit(&mut untrue, &unit);
    assert_eq!(untrue.1, Vec::<String>::new());
    let spans = unit.errors.iter().copied();
    for span in spans.chain(unit.comments.iter().map(|comment| comment.content)) {
        assert!(text.get(span.start..span.end).is_some());
    }
}

#[test]
fn names_stand_where_the_tree_says() {
    check(KERNEL);
}

const TOKENS: &[&str] = &[
    "fn",
    "f",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    "::",
    "let",
    "=",
    ";",
    "mod",
    "impl",
    "match",
    "=>",
    "|",
    "x",
    "8",
    "'a",
    "'x'",
    "\"",
    "r#\"",
    "//",
    "/*",
    "*/",
    "#",
    "!",
    "layout!",
    "(4,8):(1,4)",
    "if",
    "else",
    "use",
    "as",
    "*",
    "&mut",
    "?",
    ".",
    ",",
    "struct",
    "const",
    "\n",
    "\u{1f600}",
    "self",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_of_tokens_is_lowered(
        tokens in prop::collection::vec(prop::sample::select(TOKENS), 0..60),
    ) {
        check(&tokens.join(" "));
    }

    #[test]
    fn a_file_cut_anywhere_is_lowered(end in 0..KERNEL.len(), start in 0..KERNEL.len()) {
        check(KERNEL.get(..end).unwrap_or_default());
        check(KERNEL.get(start..).unwrap_or_default());
    }
}

#[test]
fn depth_and_length_are_bounded() {
    let levels = 100_000;
    let start = Instant::now();
    for (open, close) in [
        ("(", ")"),
        ("{", "}"),
        ("if x {", "}"),
        ("L<", ">"),
        ("|x| ", ""),
        ("-", ""),
        ("x!(", ")"),
        ("f(", ")"),
        ("a + ", ""),
        ("a::", ""),
    ] {
        let nested = [open.repeat(levels), "x".to_owned(), close.repeat(levels)].concat();
        check(&format!("fn f() {{ let y = {nested}; }}"));
    }
    check(&format!(
        "use {}a{};",
        "a::{".repeat(levels),
        "}".repeat(levels)
    ));
    check(&"mod m {".repeat(levels));
    check(&"a".repeat(1_000_000));
    check(&format!("const X: &str = \"{}\";", "\\n ".repeat(300_000)));
    check(&"'".repeat(1_000_000));
    check(&"}".repeat(300_000));
    assert!(
        start.elapsed() < Duration::from_secs(60),
        "{:?}",
        start.elapsed()
    );
}
