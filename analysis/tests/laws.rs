//! The values of expressions in a source are those of the algebra: generated layouts are printed as C++ and as
//! notation, evaluated, and compared.

#![allow(clippy::expect_used, reason = "a failed check panics")]

mod support;

use std::fmt::Write as _;
use std::sync::Arc;

use cute_algebra::{Delta, Int, Layout, Shape, Tiler, Tuple, judge, ops};
use cute_analysis::{Alone, Analysis, Memo, Options, SourceFile, Value, analyse_edited, evaluate};
use proptest::prelude::*;
use support::analysed;
use tree_sitter_cute::{Budget, Host, Syntax, cuda, notation};

fn shape() -> impl Strategy<Value = Shape> {
    let leaf = (1_i64..9).prop_map(|extent| Tuple::leaf(Int::fixed(extent)));
    leaf.prop_recursive(2, 6, 3, |inner| {
        // A type with one argument inside another, `Shape<_5, Shape<_1>>`, is read as a comparison.
        prop::collection::vec(inner, 2..4).prop_map(|modes| Tuple::group(modes).expect("small"))
    })
}

fn layout() -> impl Strategy<Value = Layout> {
    (shape(), prop::collection::vec(0_i64..40, 32)).prop_map(|(shape, steps)| {
        let mut steps = steps.into_iter();
        let stride = shape.map(|_| Delta::fixed(steps.next().unwrap_or(1)));
        Layout::new(shape, stride).expect("congruent")
    })
}

/// A tuple of static integers as a C++ type.
fn as_type(name: &str, value: &Value) -> String {
    match value {
        Value::Tuple(items) => {
            let items: Vec<String> = items.iter().map(|item| as_type(name, item)).collect();
            format!("{name}<{}>", items.join(", "))
        }
        other => other.to_string(),
    }
}

/// A layout as C++ writes its type, and as a call that makes it.
fn spellings(layout: &Layout) -> [String; 2] {
    let (shape, stride) = (
        Value::of_shape(&layout.shape()),
        Value::of_stride(&layout.stride()),
    );
    let (shape_type, stride_type) = (as_type("Shape", &shape), as_type("Stride", &stride));
    [
        format!("Layout<{shape_type}, {stride_type}>{{}}"),
        format!(
            "make_layout({}, {})",
            as_call("make_shape", &shape),
            as_call("make_stride", &stride)
        ),
    ]
}

fn as_call(name: &str, value: &Value) -> String {
    match value {
        Value::Tuple(items) => {
            let items: Vec<String> = items.iter().map(|item| as_call(name, item)).collect();
            format!("{name}({})", items.join(", "))
        }
        Value::Int(int) => format!("Int<{int:#}>{{}}"),
        other => other.to_string(),
    }
}

/// The value of a C++ expression, alone and as the initialiser of a variable in a function.
fn values(expression: &str) -> [String; 2] {
    let expr = cuda::parse_expression(expression).expect(expression);
    let alone = evaluate(&expr, &Options::default()).value.to_string();
    let source = format!("using namespace cute;\nvoid f() {{ auto x = {expression}; }}\n");
    let analysis = analysed(
        &source,
        &Options {
            remedies: false,
            ..Options::default()
        },
    );
    [alone, analysis.facts[0].value.to_string()]
}

fn shown<T: ToString, E>(result: Result<T, E>) -> String {
    result.map_or_else(|_| "?".to_owned(), |value| value.to_string())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_layout_is_worth_itself_in_every_spelling(layout in layout()) {
        for spelling in spellings(&layout) {
            for value in values(&spelling) {
                prop_assert_eq!(&value, &layout.to_string(), "{}", spelling);
            }
        }
        let text = layout.to_string();
        let expr = notation::parse(&text).expect("what is printed parses");
        let value = evaluate(&expr, &Options::default()).value;
        prop_assert_eq!(value.to_string(), text);
    }

    #[test]
    fn calls_are_the_operations_of_the_algebra(
        a in layout(),
        b in layout(),
        tile in 1_i64..9,
        cotarget in 1_i64..200,
    ) {
        let [a_text, _] = spellings(&a);
        let [_, b_text] = spellings(&b);
        let tiler = Tiler::Int(Int::fixed(tile));
        let any: cute_algebra::AnyLayout = a.clone().into();
        let wanted = [
            (
                format!("composition({a_text}, {b_text})"),
                shown(judge::composition(&any, &Tiler::Layout(b.clone())).result),
            ),
            (format!("coalesce({a_text})"), shown(ops::coalesce(&a))),
            (format!("filter({a_text})"), shown(ops::filter(&a))),
            (format!("flatten({a_text})"), shown(ops::flatten(&a))),
            (
                format!("complement({a_text}, Int<{cotarget}>{{}})"),
                shown(judge::complement(&a, Some(&Tuple::leaf(Int::fixed(cotarget)))).result),
            ),
            (
                format!("logical_divide({a_text}, Int<{tile}>{{}})"),
                shown(ops::logical_divide(&a, &tiler)),
            ),
            (
                format!("zipped_divide({a_text}, _{tile}{{}})"),
                shown(ops::zipped_divide(&a, &tiler)),
            ),
            (
                format!("logical_product({a_text}, {b_text})"),
                shown(ops::logical_product(&a, &Tiler::Layout(b.clone()))),
            ),
            (format!("size({a_text})"), shown(a.size())),
            (format!("cosize({a_text})"), shown(a.cosize())),
            (format!("shape({a_text})"), Value::of_shape(&a.shape()).to_string()),
        ];
        for (expression, wanted) in wanted {
            for value in values(&expression) {
                prop_assert_eq!(&value, &wanted, "{}", expression);
            }
        }
    }
}

/// A source whose declarations hang together in several ways: by calls, classes, macros, names that
/// are declared twice, directives, namespaces, `#if`.
const CONNECTED: &str = r#"// cute: assume K % 8 == 0
#include <cute/tensor.hpp>
#define TILE _128{}
#define SIZED(n) make_layout(Int<n>{}, stride())
using namespace cute;
auto stride() { return Int<4>{}; }
constexpr int kStages = 3;
template <int N> struct Traits {
  static constexpr int kN = N;
  using Layout = decltype(make_layout(make_shape(Int<N>{}, Int<kStages>{})));
};
template <class L> void kernel(L layout, int K) {
  auto tiles = logical_divide(layout, Int<32>{});
  auto rows = make_layout(make_shape(K, _8{}));
}
void launch(int K) {
  kernel(make_layout(make_shape(TILE, _8{})), K);
  kernel(typename Traits<64>::Layout{}, K);
}
namespace inner {
void alone(int M) {
  // cute: assume M = 64
  auto tile = make_layout(make_shape(M, _16{}));
  auto part = logical_divide(tile, make_tile(_32{}));
}
}
#if defined(FAST)
void choice() { auto way = make_layout(_1{}); }
#else
void choice() { auto way = make_layout(_2{}); }
#endif
#ifndef FLAVOUR
#error "which flavour?"
#endif
#if FLAVOUR == 1
void flavoured() { auto taste = make_layout(_4{}); }
#endif
void says() { printf("tile (_4,_8):(_8,_1)\n"); auto said = make_layout(_3{}); } // said: _4:_1
extern "C" { void plain() { auto c = make_layout(_7{}); } }
void through_a_macro() { auto sized = SIZED(32); }
void wrong() { auto bad = composition(make_layout(make_shape(_4{}, _6{}), make_stride(_2{}, _3{})), make_layout(_6{}, _3{})); }
struct Params { int m; Traits<16>::Layout layout; };
void with(Params params) { auto copy = params.layout; auto n = Traits<8>::kN; }
"#;

/// Pieces of text that edits put anywhere.
const TYPED: &[&str] = &[
    " ",
    "\n",
    "\n// a comment\n",
    "2",
    ";",
    "}",
    "{",
    "_4{}",
    "kernel(",
    "TILE",
    "stride()",
    "auto x = make_layout(_8{});",
    "void more() { auto y = stride(); }\n",
    "#define TILE _64{}\n",
    "void kernel(int n) { auto z = make_layout(n); }\n",
    "// cute: assume K = 64\n",
    "kStages",
    "#undef TILE\n",
    "#error \"not so\"\n",
    "#define FLAVOUR 1\n",
    "\"(2,4):(4,1)\"",
    "// tile: (_9,_8):(_8,_1)\n",
    "MAKES_ONE(made)\n",
    "#define MAKES_ONE(name) void name() { auto one = make_layout(_1{}); }\n",
    "extern \"C\" {\n",
    "operator",
    "/*",
    "*/",
    "using namespace inner;\n",
    "#if 0\n",
    "#endif\n",
    "template <int N> ",
];

fn as_file(text: &str, before: Option<&Syntax>) -> (SourceFile, Syntax) {
    let syntax =
        Syntax::parse(Host::CudaCpp, text, before, Budget::unlimited()).expect("within the limits");
    let file = SourceFile::parsed("test.cu", text, Arc::new(syntax.clone()));
    (file, syntax)
}

fn without_remedies() -> Options {
    Options {
        remedies: false,
        ..Options::default()
    }
}

/// The visible results of an analysis, one line each.
fn seen(analysis: &Analysis) -> String {
    let mut seen = String::new();
    for fact in &analysis.facts {
        let (span, instance) = (fact.name_span, &fact.instance);
        let _ = writeln!(seen, "{span:?} {} = {} {instance:?}", fact.name, fact.value);
    }
    for mention in analysis.mentions() {
        let _ = writeln!(
            seen,
            "{:?} {} {:?}",
            mention.span, mention.value, mention.instance
        );
    }
    for finding in analysis.findings.iter().chain(&analysis.preconditions) {
        let _ = writeln!(
            seen,
            "{:?} {} {:?}",
            finding.span, finding.message, finding.related
        );
    }
    let _ = writeln!(seen, "{:?}", analysis.nominals);
    seen
}

/// An edit: the place, the number of removed bytes, and the inserted text.
fn edit() -> impl Strategy<Value = (usize, usize, &'static str)> {
    (0_usize..4_000, 0_usize..24, prop::sample::select(TYPED))
}

fn edited(text: &str, (at, removed, typed): (usize, usize, &str)) -> String {
    let border = |mut at: usize| {
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = border(at % (text.len() + 1));
    let end = border((start + removed).min(text.len())).max(start);
    [&text[..start], typed, &text[end..]].concat()
}

/// Edits one after the other, each analysed with what is known of the version before.
fn check_edits(text: &str, edits: &[(usize, usize, &str)]) -> Result<(), TestCaseError> {
    let (mut text, mut memo, mut syntax) = (text.to_owned(), Memo::default(), None);
    for edit in std::iter::once(None).chain(edits.iter().map(Some)) {
        if let Some(edit) = edit {
            text = edited(&text, *edit);
        }
        let (file, parsed) = as_file(&text, syntax.as_ref());
        let known = analyse_edited(&file, &Alone, &without_remedies(), &mut memo);
        let fresh = analysed(&text, &without_remedies());
        prop_assert!(
            known == fresh,
            "after {edit:?}\n{text}\n{}\n{}",
            seen(&known),
            seen(&fresh)
        );
        syntax = Some(parsed);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_is_known_of_an_edited_file_is_what_a_fresh_analysis_finds(
        edits in prop::collection::vec(edit(), 1..12),
    ) {
        check_edits(CONNECTED, &edits)?;
    }

    #[test]
    fn an_edited_example_is_worth_what_a_fresh_one_is(
        edits in prop::collection::vec(edit(), 1..5),
    ) {
        check_edits(include_str!("../../examples/tiled_gemm.cu"), &edits)?;
    }

    #[test]
    fn declarations_that_do_not_mention_each_other_cannot_see_each_other(
        edits in prop::collection::vec(edit(), 0..3),
    ) {
        let text = edits.iter().fold(CONNECTED.to_owned(), |text, edit| edited(&text, *edit));
        // With an operator in it a file is evaluated as a whole.
        let whole = format!("{text}\nbool operator==(int a, int b);\n");
        let apart = format!("{text}\nbool equal_____(int a, int b);\n");
        // What is read of a text with errors may hang on its end.
        prop_assume!(as_file(&apart, None).0.unit().errors.is_empty());
        let (whole, apart) = (
            seen(&analysed(&whole, &without_remedies())),
            seen(&analysed(&apart, &without_remedies())),
        );
        let mut lines = apart.lines().zip(whole.lines());
        let differing = lines.find(|(apart, whole)| apart != whole);
        prop_assert!(apart == whole, "{differing:?}\n{text}");
    }
}

/// Number of groups of declarations that an edit has evaluated, and the number of all.
fn evaluated_after(text: &str, edit: impl Fn(&str) -> String) -> (usize, usize) {
    let mut memo = Memo::default();
    let (file, syntax) = as_file(text, None);
    analyse_edited(&file, &Alone, &without_remedies(), &mut memo);
    assert_eq!(memo.evaluated(), memo.groups());
    let text = edit(text);
    let (file, _) = as_file(&text, Some(&syntax));
    analyse_edited(&file, &Alone, &without_remedies(), &mut memo);
    (memo.evaluated(), memo.groups())
}

#[test]
fn an_edit_evaluates_what_it_can_change_and_nothing_else() {
    let mut text = "#define N 8\nusing namespace cute;\n".to_owned();
    for index in 0..20 {
        let _ = writeln!(
            text,
            "void f{index}() {{ auto x = make_layout(Int<N>{{}}); }}"
        );
    }
    let _ = writeln!(
        text,
        "auto g(int n) {{ return make_layout(n); }}\nvoid h() {{ auto x = g(4); }}"
    );
    let replaced = |what: &'static str, with: &'static str| {
        evaluated_after(&text, move |text| text.replacen(what, with, 1))
    };
    // The body of one function.
    assert_eq!(
        replaced("f7() { auto", "f7() { auto y = _1{}; auto"),
        (1, 21)
    );
    // A function that another one calls: both. They tell lines, since one is an instance.
    assert_eq!(replaced("make_layout(n)", "make_layout(n, _2{})"), (1, 21));
    // A comment between two functions moves the others only.
    assert_eq!(replaced("void f7", "/* a comment */ void f7"), (0, 21));
    // The environment is everybody's.
    assert_eq!(replaced("N 8", "N 4"), (21, 21));
}

#[test]
fn what_fills_a_file_is_found_by_every_version() {
    let text = "using namespace cute;\n#ifdef WITH_A\nusing A = Layout<_4>;\n#endif\nusing B = Layout<_8>;\n";
    let b = text.find("using B").expect("it is there");
    // The only declaration outside goes, comes back, and what is inside changes.
    let edits = [
        (b, 21, ""),
        (b, 0, "using B = Layout<_2>;"),
        (b, 21, ""),
        (40, 0, " "),
    ];
    if let Err(differs) = check_edits(text, &edits) {
        panic!("{differs}");
    }
}

#[test]
fn a_string_in_what_cannot_be_read_is_found_by_every_version() {
    let edits = [(0, 8, "kernel("), (3940, 0, "\"(2,4):(4,1)\"")];
    if let Err(differs) = check_edits(CONNECTED, &edits) {
        panic!("{differs}");
    }
}

/// Shared memory behind the end of a function is that of its file.
#[test]
fn a_brace_that_ends_a_kernel_is_read_alike_by_every_version() -> Result<(), TestCaseError> {
    let text = include_str!("../../examples/tiled_gemm.cu");
    let at = text.find("auto block = make_coord(blockIdx");
    let at = at.ok_or_else(|| TestCaseError::fail("the statement is not there"))?;
    check_edits(text, &[(at + 1, 3, "}")])
}

#[test]
fn a_define_inside_of_parentheses_is_read_alike_by_every_version() {
    let edits = [(719, 6, "#define FLAVOUR 1\n")];
    if let Err(differs) = check_edits(CONNECTED, &edits) {
        panic!("{differs}");
    }
}
