//! The descriptor page: every example of its grammar, every invariant, and the round trip.

#![allow(clippy::expect_used)] // A test may stop where its premise fails.

use proptest::prelude::*;
use tree_sitter_cute::notation::{Descriptor, Entry, normalise, parse, parse_partial};

fn normal(text: &str) -> Descriptor {
    normalise(&parse(text).expect(text)).expect(text)
}

fn refused(text: &str) -> String {
    match parse(text).and_then(|expr| normalise(&expr)) {
        Ok(descriptor) => format!("read as {descriptor}"),
        Err(error) => error.to_string(),
    }
}

/// The offset of a coordinate in the layout for each of its bases, in order: the sum for each dimension that a basis
/// names.
fn offset(descriptor: &Descriptor, coordinates: &[i64]) -> Vec<(Vec<usize>, i64)> {
    let mut sums: Vec<(Vec<usize>, i64)> = Vec::new();
    for (basis, coordinate) in descriptor.bases().iter().zip(coordinates) {
        let step = basis.count * coordinate;
        match sums.iter_mut().find(|(dims, _)| *dims == basis.dims) {
            Some((_, sum)) => *sum += step,
            None => sums.push((basis.dims.clone(), step)),
        }
    }
    sums
}

#[test]
fn every_example_of_the_page_parses() {
    for (text, normal_form) in [
        ("(1@0, 1@1)", Some("(1@0, 1@1)")),
        ("(16@0, 1@1)", Some("(16@0, 1@1)")),
        ("((1@0, 8@1), 1@2)", Some("((1@0, 8@1), 1@2)")),
        ("(1/2@0, 4@1)", None),
        ("(1@0@1)", Some("(1@0@1)")),
        ("()", Some("()")),
    ] {
        let expr = parse(text).expect(text);
        let normal = normalise(&expr).ok().map(|normal| normal.to_string());
        assert_eq!(normal.as_deref(), normal_form, "{text}");
    }
}

#[test]
fn white_space_is_ignored() {
    assert_eq!(
        normal("(\t( 1 @ 0 ,-8@1 ) , 4 / 2 @ 2 @ 0 )"),
        normal("((1@0,-8@1),2@2@0)")
    );
}

#[test]
fn impossible_bases_are_rejected_with_their_place() {
    for (text, message) in [
        (
            "(1/2@0, 4@1)",
            "expected an integral count, found `1/2` at byte 1",
        ),
        (
            "(4@0, (1@1, -3/2@2))",
            "expected an integral count, found `-3/2` at byte 12",
        ),
        (
            "(1@0, 1/0@1)",
            "expected a denominator other than zero, found `0` at byte 8",
        ),
        ("(M@0)", "expected an integral count, found `M` at byte 1"),
    ] {
        assert_eq!(refused(text), message);
    }
}

/// "Malformed descriptors must surface as invalid attributes with a precise diagnostic, never as a
/// silently manufactured default layout."
#[test]
fn malformed_descriptors_are_precise_failures() {
    for (text, message) in [
        ("(1@0", "expected `,` or `)` at the end"),
        ("(1@)", "expected the number of a mode, found `)` at byte 3"),
        (
            "(1@-1)",
            "expected the number of a mode, found `-` at byte 3",
        ),
        (
            "(1@0) x",
            "expected an operator or the end, found `x` at byte 6",
        ),
        (
            "(1@0,)",
            "expected a layout, a tuple, an integer or a name, found `)` at byte 5",
        ),
        (
            "1@0",
            "expected a group of bases in parentheses, found `1@0` at byte 0",
        ),
        (
            "(1@0, 4)",
            "expected a basis such as `8@1`, or a group of bases, found `4` at byte 6",
        ),
    ] {
        assert_eq!(refused(text), message, "{text}");
    }
    // What is partly understood is not a descriptor either.
    let (partial, errors) = parse_partial("(1@0, $)");
    assert!(!errors.is_empty() && normalise(&partial).is_err());
}

/// "Basis order and meaning must not change"; fractions and groups may.
#[test]
fn normal_forms() {
    for (text, normal_form) in [
        ("(4/2@0, -6/3@1)", "(2@0, -2@1)"),
        ("(0/5@0)", "(0@0)"),
        ("((1@0))", "(1@0)"),
        ("(((1@0, 8@1)))", "(1@0, 8@1)"),
        ("((1@0), ((8@1, 1@2)))", "(1@0, (8@1, 1@2))"),
        ("(1@1, 1@0)", "(1@1, 1@0)"),
        ("((), 1@0)", "((), 1@0)"),
        ("(())", "()"),
    ] {
        assert_eq!(normal(text).to_string(), normal_form, "{text}");
    }
}

/// A descriptor as people write it: with white space, fractions, needless groups.
fn descriptor() -> impl Strategy<Value = String> {
    let basis = (
        -9..10_i64,
        prop::option::of(prop_oneof![-3..0_i64, 1..4_i64]),
        prop::collection::vec(0..4_usize, 1..4),
        "[ \t]{0,2}",
    );
    let basis = basis.prop_map(|(count, denominator, dims, space)| {
        let count = match denominator {
            Some(denominator) => format!("{}{space}/{denominator}", count * denominator),
            None => count.to_string(),
        };
        let dims: Vec<String> = dims.iter().map(ToString::to_string).collect();
        let dims = format!("@{space}{}", dims.join(&format!("@{space}")));
        format!("{space}{count}{space}{dims}")
    });
    let group = |entries: Vec<String>| format!("({})", entries.join(","));
    let nested = basis.prop_recursive(3, 12, 4, move |inner| {
        prop::collection::vec(inner, 0..4).prop_map(group)
    });
    prop::collection::vec(nested, 0..4).prop_map(group)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// "A valid descriptor should round-trip through parse, normalize, print, and parse again
    /// without changing the represented layout."
    #[test]
    fn descriptors_round_trip(text in descriptor(), coordinates in prop::collection::vec(-5..6_i64, 40)) {
        let first = normal(&text);
        let printed = first.to_string();
        let second = normal(&printed);
        prop_assert_eq!(&second, &first, "{}", printed);
        prop_assert_eq!(offset(&second, &coordinates), offset(&first, &coordinates));
    }

    /// "Normalization may simplify hierarchy but must not change the layout function": the bases of
    /// the text, whose counts are computed here, are those of the normal form, in order.
    #[test]
    fn normalisation_keeps_the_bases(text in descriptor()) {
        let written = bases_as_written(&text);
        let descriptor = normal(&text);
        let normal: Vec<(i64, Vec<usize>)> = descriptor
            .bases()
            .iter()
            .map(|basis| (basis.count, basis.dims.clone()))
            .collect();
        prop_assert_eq!(normal, written);
    }

    /// No group of a normal form has a group as its only entry, nor is a basis alone in a group.
    #[test]
    fn normal_forms_have_no_needless_groups(text in descriptor()) {
        fn is_needless(entry: &Entry) -> bool {
            match entry {
                Entry::Group(entries) => entries.len() == 1 || entries.iter().any(is_needless),
                Entry::Basis(_) => false,
            }
        }
        let descriptor = normal(&text);
        prop_assert!(!descriptor.entries.iter().any(is_needless), "{}", descriptor);
        prop_assert!(!matches!(descriptor.entries.as_slice(), [Entry::Group(_)]), "{}", descriptor);
    }
}

/// The bases of a text, read piece by piece: count with its division done, dimensions.
fn bases_as_written(text: &str) -> Vec<(i64, Vec<usize>)> {
    let dense: String = text.split([' ', '\t']).collect();
    let pieces = dense
        .split(['(', ')', ','])
        .filter(|piece| !piece.is_empty());
    let read = |piece: &str| {
        let mut parts = piece.split('@');
        let count = parts.next().expect("a count");
        let count = match count.split_once('/') {
            Some((above, below)) => number(above) / number(below),
            None => number(count),
        };
        (
            count,
            parts.map(|dim| dim.parse().expect("a dimension")).collect(),
        )
    };
    pieces.map(read).collect()
}

fn number(text: &str) -> i64 {
    text.parse().expect("an integer")
}
