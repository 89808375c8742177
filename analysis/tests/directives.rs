//! Directives: the same in every language, and never silently ignored.

#![allow(clippy::expect_used)] // A test may stop where its premise fails.

mod support;

use cute_analysis::{Alone, DirectiveKind, Options, RunKind, SourceFile, analyse, directives};
use support::{analysed, annotated, findings, findings_in};
use tree_sitter_cute::{Budget, Host, Syntax};

fn value_of(name: &str, text: &str, host: Host) -> String {
    let options = Options {
        host,
        ..Options::default()
    };
    let analysis = analysed(text, &options);
    let fact = analysis.facts.iter().find(|fact| &*fact.name == name);
    fact.expect(name).value.to_string()
}

#[test]
fn a_truth_value_and_a_member_are_assumed_where_the_object_is_named() {
    let text = "using namespace cute;\nstruct P { bool wide; int n; };\n\
        void f(P const& p, bool flag) {\n  // cute: assume p.wide = 1, p.n = 8, flag = 0\n  \
        auto a = make_layout(make_shape(p.wide ? 4 : 2, p.n, flag ? 4 : 2));\n}\n\
        void g(P const& p) {\n  auto b = make_layout(make_shape(p.n));\n}\n";
    let analysis = analysed(text, &Options::default());
    let of = |name: &str| {
        let fact = analysis.facts.iter().find(|fact| &*fact.name == name);
        fact.map(|fact| fact.value.to_string()).unwrap_or_default()
    };
    assert_eq!(of("a"), "(4,8,2):(_1,4,32)");
    assert_eq!(of("b"), "(p.n):(_1)");
}

#[test]
fn facts_hold_in_the_comments_of_every_language() {
    for comment in [
        "// cute: assume m=8",
        "/* cute: assume m = 8 */",
        "/// cute: assume m == 8",
    ] {
        let text = format!("void f(int m) {{\n  {comment}\n  auto row = make_layout(m);\n}}\n");
        assert_eq!(value_of("row", &text, Host::CudaCpp), "8:_1", "{comment}");
    }
    let text = "import cutlass\nimport cutlass.cute as cute\ndef f(m: cutlass.Int32):\n    # cute: assume m=8\n    row = cute.make_layout(m)\n";
    assert_eq!(value_of("row", text, Host::Python), "8:_1");
}

#[test]
fn a_rule_that_does_not_exist_is_reported_with_the_nearest() {
    let found = findings(
        "
// cute: allow(over-covers, shared-rase)
auto a = make_layout(_8{});
// cute: allow(tile)
auto b = make_layout(_8{});
// cute: allow(over-covers, not-divisible)
auto c = make_layout(_8{});
",
    );
    assert!(
        found.contains("expected a rule; the nearest is `shared-race`"),
        "{found}"
    );
    assert!(
        found.contains("expected the name of a rule, such as `over-covers`"),
        "{found}"
    );
    assert_eq!(found.matches("malformed-directive").count(), 2, "{found}");
}

#[test]
fn what_cannot_be_read_is_reported_at_its_place() {
    insta::assert_snapshot!(findings(
        r"
void f(int m, int n) {
  // cute: assume m
  // cute: assume m=8, n % 0 == 0
  /* cute: allow over-covers */
  // cute: allow(Over Covers)
  // cute: allow(over-covers
  // cute: instantiate g
  // cute: instantiate g<1>
  // cute: run copy n=4
  // cute: forget m
  // cute:
  // cute::make_layout is no directive
  auto row = make_layout(m);
}
"
    ));
    insta::assert_snapshot!(findings_in(
        Host::Python,
        "# cute: assume m ~ 8\nm = 8  # cute: allow()\n"
    ));
}

#[test]
fn a_fact_that_nothing_asks_for_is_reported_quietly() {
    insta::assert_snapshot!(findings(
        r"
// cute: assume k=4
void f(int m) {
  // cute: assume n=8, m >= 64
  auto row = make_layout(m);
}
void g(int n) {
  // cute: assume m % 8 == 0
  auto row = make_layout(n);
}
"
    ));
}

#[test]
fn what_is_assumed_is_no_precondition() {
    let preconditions = |fact: &str| {
        let text = format!(
            "void f(int m) {{\n  // cute: assume {fact}\n  auto t = composition(make_layout(make_shape(m, _4{{}})), make_layout(_8{{}}));\n}}\n"
        );
        let found = analysed(&text, &Options::default()).preconditions;
        let numbers = found.into_iter().map(|finding| finding.numbers);
        numbers
            .map(|numbers| format!("{numbers:?}"))
            .collect::<Vec<_>>()
    };
    assert_ne!(preconditions("m >= 4"), [""; 0]);
    assert_eq!(preconditions("m >= 8"), [""; 0]);
    assert_eq!(preconditions("m % 64 == 0"), [""; 0]);
}

#[test]
fn an_instance_is_shown_in_addition() {
    insta::assert_snapshot!(annotated(
        r"
namespace kernels {
// cute: instantiate tile<_128, 2>
template <class M, int Stages>
void tile(int n) {
  auto smem = make_layout(make_shape(M{}, Int<Stages>{}));
}
// cute: instantiate Traits<64>
template <int K>
struct Traits {
  using Layout = decltype(make_layout(Int<K>{}));
};
}
"
    ));
}

#[test]
fn an_order_to_run_belongs_to_the_next_line() {
    let text = "void f() {\n  // cute: run copy dst=smem n=64\n  auto row = make_layout(_8{});\n  auto next = row;\n}\n";
    let syntax = Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited()).expect("parsed");
    let file = SourceFile::analysed("test.cu", text, syntax.lower(text));
    let found = directives(&file);
    let [order] = found.as_slice() else {
        panic!("{found:?}");
    };
    let DirectiveKind::Run(run) = &order.kind else {
        panic!("{order:?}");
    };
    let destination = "smem".to_owned();
    assert_eq!(run.kind, RunKind::Copy { destination });
    assert_eq!(run.samples, Some(64));
    let analysis = analyse(&file, &Alone, &Options::default());
    let bound = analysis.facts.iter();
    let bound: Vec<&str> = bound
        .filter(|fact| order.covers(fact.name_span.start))
        .map(|fact| &*fact.name)
        .collect();
    assert_eq!(bound, ["row"]);
}

#[test]
fn an_assumption_above_a_function_is_for_that_one() {
    let text = "using namespace cute;\nint first;\n// cute: assume n=8\n\nvoid f(int n) {\n  auto a = make_layout(n);\n}\n\
        void g(int n) {\n  auto b = make_layout(n);\n}\n";
    let analysis = analysed(text, &Options::default());
    let of = |name: &str| {
        let fact = analysis.facts.iter().find(|fact| &*fact.name == name);
        fact.map(|fact| fact.value.to_string()).unwrap_or_default()
    };
    assert_eq!((of("a").as_str(), of("b").as_str()), ("8:_1", "n:_1"));
    // Above something else it is for nothing.
    let other = text.replace("\n\nvoid f", "\nint second;\nvoid f");
    assert_eq!(value_of("a", &other, Host::CudaCpp), "n:_1");
}
