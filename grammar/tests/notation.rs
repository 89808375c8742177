//! The notation's law: what is printed is read back as the same tree.
#![allow(clippy::expect_used)] // A test may stop where its premise fails.

use proptest::prelude::*;
use tree_sitter_cute::notation;
use tree_sitter_cute::tree::{
    Engine, Expr, ExprKind, Ident, Path, Qualifier, Rational, Segment, Span,
};

fn at_nowhere(kind: ExprKind) -> Expr {
    Expr::new(kind, Span::default())
}

fn name(name: &str) -> ExprKind {
    let name = Ident {
        name: name.to_owned(),
        span: Span::default(),
    };
    let segments = vec![Segment { name, args: None }];
    ExprKind::Name(Path {
        qualifier: Qualifier::None,
        segments,
    })
}

/// Integers, static integers, symbols, unknowns.
fn leaf() -> impl Strategy<Value = Expr> {
    prop_oneof![
        (0..1_000_000_i64).prop_map(ExprKind::Int),
        (-64..64_i64).prop_map(ExprKind::Static),
        prop::sample::select(&["M", "N", "ldA", "kBlockM"][..]).prop_map(name),
        prop::option::of(1..64_i64).prop_map(ExprKind::Unknown),
    ]
    .prop_map(at_nowhere)
}

fn stride_leaf() -> impl Strategy<Value = Expr> {
    let coefficient = prop_oneof![
        leaf(),
        (1..9_i64, 2..9_i64).prop_map(|(numerator, denominator)| {
            at_nowhere(ExprKind::Rational(Rational {
                numerator,
                denominator,
            }))
        }),
    ];
    prop_oneof![
        3 => leaf(),
        2 => (coefficient, prop::collection::vec(0..4_usize, 1..4))
            .prop_map(|(value, path)| at_nowhere(ExprKind::Basis(Box::new(value), path))),
        1 => (0..64_i64).prop_map(|mask| at_nowhere(ExprKind::Xor(mask))),
    ]
}

fn tuple(leaf: impl Strategy<Value = Expr> + 'static) -> impl Strategy<Value = Expr> {
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop::collection::vec(inner, 0..4).prop_map(|modes| at_nowhere(ExprKind::Tuple(modes)))
    })
}

fn layout() -> impl Strategy<Value = Expr> {
    (tuple(leaf()), tuple(stride_leaf()))
        .prop_map(|(shape, stride)| at_nowhere(ExprKind::Layout(Box::new(shape), Box::new(stride))))
}

fn swizzle() -> impl Strategy<Value = Expr> {
    (0..5_i64, 0..5_i64, -5..5_i64)
        .prop_map(|(bits, base, shift)| at_nowhere(ExprKind::Swizzle(bits, base, shift)))
}

fn engine() -> impl Strategy<Value = Expr> {
    let swizzle = prop::option::of((0..5_i64, 0..5_i64, -5..5_i64));
    let space = prop::sample::select(&["smem_ptr", "gmem_ptr", "ptr", "tmem_"][..]);
    let address = prop::sample::select(&["unset", "PTR", "0x7f00", "PTR.0000"][..]);
    (swizzle, space, 4..64_i64, address).prop_map(|(swizzle, space, bits, address)| {
        let (space, address) = (space.to_owned(), address.to_owned());
        at_nowhere(ExprKind::Engine(Engine {
            swizzle,
            space,
            bits,
            address,
        }))
    })
}

fn expression() -> impl Strategy<Value = Expr> {
    let tiler = prop::collection::vec(
        prop_oneof![layout(), Just(at_nowhere(ExprKind::Underscore)), leaf()],
        0..4,
    );
    let simple = prop_oneof![
        4 => layout(),
        2 => tuple(stride_leaf()),
        1 => swizzle(),
        1 => tiler.prop_map(|modes| at_nowhere(ExprKind::Tiler(modes))),
    ];
    simple.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            (prop_oneof![swizzle(), engine(), leaf()], leaf(), layout()).prop_map(
                |(outer, offset, inner)| {
                    at_nowhere(ExprKind::Composition(vec![outer, offset, inner]))
                }
            ),
            (inner.clone(), inner.clone()).prop_map(|(left, right)| {
                at_nowhere(ExprKind::Divide(Box::new(left), Box::new(right)))
            }),
            (inner.clone(), inner.clone()).prop_map(|(left, right)| {
                at_nowhere(ExprKind::Product(Box::new(left), Box::new(right)))
            }),
            prop::collection::vec(inner, 0..3).prop_map(|args| {
                at_nowhere(ExprKind::Call(
                    Box::new(at_nowhere(name("composition"))),
                    args,
                ))
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 20_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn what_is_printed_is_read_back(expr in expression()) {
        let printed = expr.to_string();
        let read = notation::parse(&printed);
        prop_assert!(read.is_ok(), "{printed}: {read:?}");
        let read = read.expect("just checked");
        prop_assert_eq!(read.to_string(), printed.clone());
        prop_assert_eq!(read.span.text(&printed).len(), printed.len());
        // Printed text without white space says the same.
        let dense: String = printed.split(' ').collect();
        if !printed.contains(" o ") {
            let dense = notation::parse(&dense).expect("white space is free");
            prop_assert_eq!(dense.to_string(), printed);
        }
    }
}
