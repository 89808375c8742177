//! Texts that no one would write on purpose: no panic, no exhausted stack, linear time.

#![allow(clippy::expect_used)] // A test may stop where its premise fails.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use tree_sitter_cute::tree::Unit;
use tree_sitter_cute::{Budget, Host, Syntax, cuda, limits, notation, parse_any_expression};

const KERNEL: &str = include_str!("fixtures/kernel.cu");

fn lower(text: &str) -> Unit {
    let syntax = Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited());
    syntax.expect("within the limits").lower(text)
}

/// Every span of a tree fits its text; printing visits every node.
fn check(text: &str) {
    let unit = lower(text);
    let _ = unit.to_string();
    assert!(
        unit.errors
            .iter()
            .all(|span| text.get(span.start..span.end).is_some())
    );
    assert!(unit.comments.iter().all(|comment| {
        text.get(comment.content.start..comment.content.end)
            .is_some()
    }));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_lowered(text in "\\PC{0,200}") {
        check(&text);
        let _ = notation::parse(&text);
        let _ = cuda::parse_expression(&text);
    }

    #[test]
    fn any_sequence_of_tokens_is_lowered(
        tokens in prop::collection::vec(prop::sample::select(TOKENS), 0..80),
    ) {
        let text = tokens.join(" ");
        check(&text);
        let _ = parse_any_expression(&text);
    }

    #[test]
    fn a_file_cut_anywhere_is_lowered(end in 0..KERNEL.len(), start in 0..KERNEL.len()) {
        if let Some(text) = KERNEL.get(..end) {
            check(text);
        }
        if let Some(text) = KERNEL.get(start..) {
            check(text);
        }
    }

    #[test]
    fn the_notation_answers_every_sequence_of_its_tokens(
        tokens in prop::collection::vec(prop::sample::select(NOTATION), 0..40),
    ) {
        let text = tokens.concat();
        match notation::parse(&text) {
            Ok(expr) => prop_assert!(text.get(expr.span.start..expr.span.end).is_some()),
            Err(error) => prop_assert!(text.get(error.span.start..error.span.end).is_some()),
        }
    }
}

const TOKENS: &[&str] = &[
    "template",
    "<",
    ">",
    "class",
    "T",
    "typename",
    "::",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ",",
    ";",
    "=",
    "auto",
    "int",
    "void",
    "const",
    "constexpr",
    "static",
    "if",
    "else",
    "for",
    "while",
    "return",
    "struct",
    "using",
    "namespace",
    "decltype",
    "operator",
    "x",
    "_8",
    "8",
    "...",
    "*",
    "&",
    "&&",
    "->",
    ".",
    "?",
    ":",
    "+",
    "\n#if 1\n",
    "\n#else\n",
    "\n#endif\n",
    "\n#define X ",
    "<<<",
    ">>>",
    "enum",
    "'",
    "\"",
    "CUTE_UNROLL",
    "__global__",
    "__shared__",
    "asm",
    "switch",
    "case",
    "default",
    "extern",
    "typedef",
];

const NOTATION: &[&str] = &[
    "(",
    ")",
    ",",
    ":",
    "_",
    "8",
    "_8",
    "-",
    "@",
    "/",
    "?",
    "{div=",
    "}",
    "Sw<",
    "3,",
    ">",
    "<",
    "[",
    "]",
    ";",
    " o ",
    "\u{2218}",
    "\u{2298}",
    "e1",
    "f5",
    "A",
    "smem_ptr[16b](",
    "E<0",
    "*",
    "+",
    "99999999999999999999",
    " ",
];

#[test]
fn nesting_of_every_kind_is_bounded() {
    let deep = 20_000;
    for (open, close) in [
        ("(", ")"),
        ("f(", ")"),
        ("{", "}"),
        ("[", "]"),
        ("A<", ">"),
        ("-", ""),
        ("!", ""),
        ("*", ""),
        ("(int)", ""),
        ("x ? y : ", ""),
        ("a::", ""),
        ("[&]{ return ", ";}"),
        ("decltype(", ")"),
    ] {
        check(&format!(
            "void f() {{ auto x = {}1{}; }}",
            open.repeat(deep),
            close.repeat(deep)
        ));
    }
    for (open, close) in [
        ("namespace a { ", "}"),
        ("struct A { ", "};"),
        ("#if 1\n", "#endif\n"),
        ("if (x) ", ";"),
        ("if (x) {} else ", ";"),
        ("template <class T> ", "struct A;"),
        ("int ", "x;"),
        ("a+", "b;"),
        ("x.y", ";"),
        ("g()", ";"),
        ("case 1: ", ";"),
    ] {
        check(&format!(
            "{}{}",
            open.repeat(deep / 10),
            close.repeat(deep / 10)
        ));
    }
    check(&format!("int {}x;", "*".repeat(deep)));
    check(&format!("int x{};", "[1]".repeat(deep)));
    check(&format!("int {}x{};", "(".repeat(deep), ")".repeat(deep)));
}

#[test]
fn a_hundred_thousand_parentheses_are_answered() {
    let nested = format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000));
    check(&format!("auto x = {nested};"));
    assert!(notation::parse(&nested).is_err());
    // To C++ they only group, so what they enclose is found or too deep, but never a crash.
    assert!(cuda::parse_expression(&nested).is_ok());
}

#[test]
fn nesting_is_lowered_up_to_the_limit() {
    let nested =
        |levels: usize| format!("auto x = {}1{};", "f(".repeat(levels), ")".repeat(levels));
    let lowered = |levels| lower(&nested(levels)).to_string();
    assert!(!lowered(limits::DEPTH - 50).contains("beyond the limits"));
    assert!(lowered(limits::DEPTH + 1).contains("beyond the limits"));
}

#[test]
fn a_file_of_five_megabytes_takes_linear_time() {
    let time = |copies: usize| {
        let text = KERNEL.repeat(copies);
        let start = Instant::now();
        let unit = lower(&text);
        assert!(unit.errors.is_empty());
        start.elapsed()
    };
    let copies = 1_000_000 / KERNEL.len();
    // Warm; then five times the text takes five times as long, generously measured.
    time(copies / 10);
    let (one, five) = (time(copies), time(5 * copies));
    assert!(
        five < one * 15 + Duration::from_secs(1),
        "1 MB {one:?}, 5 MB {five:?}"
    );
}
