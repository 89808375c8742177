//! What is written in a source is worth what the algebra says of it: generated layouts are printed
//! as C++ and as notation, evaluated, and compared.

#![allow(clippy::expect_used, reason = "a failed check panics")]

mod support;

use cute_algebra::{Delta, Int, Layout, Shape, Tiler, Tuple, judge, ops};
use cute_analysis::{Options, Value, evaluate};
use proptest::prelude::*;
use support::analysed;
use tree_sitter_cute::{cuda, notation};

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
