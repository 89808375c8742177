//! Calls of `macro_rules!` macros, against what the compiler makes of them.

use tree_sitter_cute::rust::{RulesCall, RulesText};

/// The definitions of a source, by name.
fn definition<'t>(source: &'t str, name: &str) -> Option<RulesText<'t>> {
    let start = source.find(&format!("macro_rules! {name} "))?;
    let rest = source.get(start..)?;
    let end = rest.find("\n}").map_or(rest.len(), |at| at + 2);
    Some(RulesText {
        text: rest.get(..end)?,
        start,
    })
}

fn call<'t>(source: &'t str, name: &str, call: &'t str) -> Option<RulesCall<'t>> {
    Some(RulesCall {
        rules: definition(source, name)?,
        call,
        call_start: 10_000,
    })
}

/// The expression that a call is; "" where it is none.
fn expression(source: &str, text: &str) -> String {
    let name = text.split('!').next().unwrap_or_default();
    let call = call(source, name, text);
    let found = call.and_then(|call| call.expression(&|name| definition(source, name)));
    found.map(|expr| expr.to_string()).unwrap_or_default()
}

const KINDS: &str = "
macro_rules! kind {
    () => { none() };
    ($l:lifetime) => { lifetime() };
    (- $l:literal) => { minus($l) };
    ($l:literal) => { literal($l) };
    ($i:ident) => { ident($i) };
    ([$($x:expr),* $(,)?]) => { list($($x),*) };
    ({ $t:tt }) => { tree($t) };
    ($a:expr => $b:expr) => { arrow($a, $b) };
    (as $t:ty; $n:expr) => { array::<$t>($n) };
    (path $p:path) => { $p(1) };
    (fn $v:vis $n:ident) => { named($n) };
    ($($k:ident = $v:expr);+ ;) => { pairs($($k + $v),+) };
    ($a:expr, $b:expr) => { both($a, $b) };
    ($a:expr) => { only($a) };
}
macro_rules! nested {
    ($($name:ident: [$($x:expr),*]),*) => { all($(list!($name $(, $x)*)),*) };
}
macro_rules! list {
    ($name:ident $(, $x:expr)*) => { [$name $(, $x)*] };
}
macro_rules! circle {
    ($x:expr) => { circle!($x) };
}
macro_rules! double {
    ($x:expr) => { double!($x) + double!($x) };
}
";

#[test]
fn the_first_rule_that_matches_is_taken() {
    for (text, expected) in [
        ("kind!()", "none()"),
        ("kind!(-3)", "minus(3)"),
        ("kind!(\"a, b\")", "literal(\"a, b\")"),
        ("kind!('x')", "literal('x')"),
        ("kind!('a)", "lifetime()"),
        ("kind!(x)", "ident(x)"),
        ("kind![[1, 2 + 3,]]", "list(1, (2 + 3))"),
        ("kind!([])", "list()"),
        ("kind!({ (1, 2) })", "tree((1, 2))"),
        ("kind!(a + 1 => b)", "arrow((a + 1), b)"),
        ("kind!(fn pub(crate) f)", "named(f)"),
        ("kind!(fn f)", "named(f)"),
        ("kind!(x = 1; y = 2 * 3;)", "pairs((x + 1), (y + (2 * 3)))"),
        ("kind!(f::<A, B>(1), 2)", "both(f<A, B>(1), 2)"),
        ("kind!(a < b, c > d)", "both((a < b), (c > d))"),
        ("kind!(x == 1)", "only((x == 1))"),
        ("kind!(a, b, c)", ""),
    ] {
        assert_eq!(expression(KINDS, text), expected, "{text}");
    }
    assert!(expression(KINDS, "kind!(as [f32; 4]; 2)").starts_with("array<"));
    assert_eq!(expression(KINDS, "kind!(path a::b)"), "a::b(1)");
}

#[test]
fn repetitions_are_in_one_another() {
    assert_eq!(
        expression(KINDS, "nested!(a: [1, 2], b: [])"),
        "all({a, 1, 2}, {b})"
    );
}

#[test]
fn a_macro_without_an_end_is_no_expression() {
    assert_eq!(expression(KINDS, "circle!(1)"), "");
    assert_eq!(expression(KINDS, "double!(1)"), "");
}

#[test]
fn brackets_without_partners_are_no_expression() {
    let many = "(".repeat(100_000);
    for text in [
        "kind!(",
        "kind!(a))",
        "kind!",
        "kind!([)]",
        &format!("kind!{many}"),
    ] {
        assert_eq!(expression(KINDS, text), "", "{text:.40}");
    }
}

#[test]
fn places_are_those_of_the_sources() {
    let call = call(KINDS, "kind", "kind!(a + 1 => b)");
    let found = call.and_then(|call| call.expression(&|_| None));
    let text = format!("{:?}", found.expect("an expression").span);
    assert!(text.contains("10000"), "{text}");
}
