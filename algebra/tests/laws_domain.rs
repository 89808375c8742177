//! Common domains of shapes, hierarchical unzip, and images, against their definitions.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod generators;

use cute_algebra::image::{image, is_bijective, is_surjective};
use cute_algebra::ops::shape_arithmetic::compatible;
use cute_algebra::{Int, Layout, Parse, Reading, Rule, Shape, Tiler, Tuple, ops};
use generators::{integer_layout, table};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn shape(text: &str) -> Shape {
    Shape::parse(text, Reading::Plain).unwrap()
}

fn refines(coarse: &Shape, fine: &Shape) -> bool {
    compatible(coarse.view(), fine.view()).unwrap().value() == Some(1)
}

/// The leaves grouped two by two at the given places.
fn nested(leaves: &[i64], cuts: &[usize]) -> Shape {
    let mut nodes: Vec<Shape> = leaves.iter().map(|n| Tuple::leaf(Int::fixed(*n))).collect();
    for cut in cuts {
        if nodes.len() > 1 {
            let at = cut % (nodes.len() - 1);
            let pair = Tuple::group(nodes[at..at + 2].to_vec()).unwrap();
            nodes.splice(at..at + 2, [pair]);
        }
    }
    Tuple::group(nodes).unwrap()
}

/// Every shape that is compatible with this one, coarser or the same.
fn coarsenings(of: &Shape) -> Vec<Shape> {
    let mut all = vec![Tuple::leaf(of.size().unwrap())];
    if of.is_leaf() {
        return all;
    }
    let mut groups: Vec<Vec<Shape>> = vec![Vec::new()];
    for mode in of.modes() {
        let choices = coarsenings(&mode.to_tuple());
        groups = groups
            .iter()
            .flat_map(|group| {
                choices.iter().map(move |choice| {
                    let mut group = group.clone();
                    group.push(choice.clone());
                    group
                })
            })
            .collect();
    }
    all.extend(groups.into_iter().map(|group| Tuple::group(group).unwrap()));
    all
}

/// The flat shape with neighbours multiplied, except at the cuts.
fn merged(digits: &[i64], cuts: u8) -> Shape {
    let mut extents: Vec<i64> = Vec::new();
    for (i, digit) in digits.iter().enumerate() {
        match extents.last_mut() {
            Some(last) if cuts & (1 << i) == 0 => *last *= digit,
            _ => extents.push(*digit),
        }
    }
    Tuple::flat(extents.into_iter().map(Int::fixed)).unwrap()
}

/// The products of leading extents.
fn radices(shape: &Shape) -> BTreeSet<i64> {
    let mut product = 1;
    shape
        .leaves()
        .iter()
        .map(|extent| {
            product *= extent.value().unwrap();
            product
        })
        .chain([1])
        .collect()
}

#[test]
fn common_domains_of_the_paper_and_where_there_is_none() {
    // Paper §2.2.1: (2,(3,5)) and ((3,2),5) "share a common compatible shape of 30".
    let (a, b) = (shape("(2,(3,5))"), shape("((3,2),5)"));
    assert_eq!(ops::common_coarsening(a.view(), b.view()), Ok(shape("30")));
    assert_eq!(
        ops::common_refinement(a.view(), b.view()).unwrap_err().rule,
        Rule::NoSuchLayout
    );
    assert_eq!(
        ops::common_domain(a.view(), b.view()).unwrap_err().rule,
        Rule::ShapeDivisibility
    );
    let (m, tiled) = (shape("(M,8)"), shape("(M,(2,4))"));
    assert_eq!(
        ops::common_domain(m.view(), tiled.view()),
        Ok(shape("(M,2,4)"))
    );
    assert_eq!(
        ops::common_refinement(m.view(), tiled.view()),
        Ok(tiled.clone())
    );
    let other = shape("(N,8)");
    assert_eq!(
        ops::common_domain(m.view(), other.view()).unwrap_err().rule,
        Rule::NotProvable
    );
    let smaller = shape("(2,3)");
    for f in [
        ops::common_domain,
        ops::common_coarsening,
        ops::common_refinement,
    ] {
        let refusal = f(smaller.view(), a.view()).unwrap_err();
        assert_eq!(refusal.rule, Rule::NoSuchLayout);
        assert_eq!(refusal.number("left_size"), Some(&6_i64.into()));
    }
}

fn divisors(of: i64) -> Vec<i64> {
    (1..=of).filter(|n| of % n == 0).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_common_coarsening_is_the_greatest_lower_bound(
        leaves in proptest::collection::vec(1_i64..5, 1..5),
        (left, right) in (proptest::collection::vec(0_usize..8, 0..3), proptest::collection::vec(0_usize..8, 0..3))
    ) {
        let (a, b) = (nested(&leaves, &left), nested(&leaves, &right));
        let meet = ops::common_coarsening(a.view(), b.view()).unwrap();
        prop_assert!(refines(&meet, &a) && refines(&meet, &b));
        for other in coarsenings(&a).iter().filter(|other| refines(other, &b)) {
            prop_assert!(refines(other, &meet), "{other} of {a} and {b} is not below {meet}");
        }
        prop_assert_eq!(ops::common_coarsening(b.view(), a.view()).unwrap(), meet);
    }

    #[test]
    fn the_common_refinement_is_the_least_upper_bound(
        leaves in proptest::collection::vec(1_i64..5, 1..5),
        cuts in proptest::collection::vec(0_usize..8, 0..3),
        (first, second) in (any::<prop::sample::Index>(), any::<prop::sample::Index>())
    ) {
        // Two coarsenings of one shape have it as an upper bound.
        let whole = nested(&leaves, &cuts);
        let all = coarsenings(&whole);
        let (a, b) = (first.get(&all), second.get(&all));
        let join = ops::common_refinement(a.view(), b.view()).unwrap();
        prop_assert!(refines(a, &join) && refines(b, &join));
        for upper in all.iter().filter(|upper| refines(a, upper) && refines(b, upper)) {
            prop_assert!(refines(&join, upper), "{join} of {a} and {b} is not below {upper}");
        }
    }

    #[test]
    fn the_common_domain_has_the_digits_of_both(
        digits in proptest::collection::vec(2_i64..6, 1..6), left in any::<u8>(), right in any::<u8>(),
        steps in proptest::collection::vec(0_i64..50, 6)
    ) {
        let (a, b) = (merged(&digits, left), merged(&digits, right));
        let common = ops::common_domain(a.view(), b.view()).unwrap();
        let both: BTreeSet<i64> = radices(&a).union(&radices(&b)).copied().collect();
        prop_assert_eq!(radices(&common), both);
        let strides = Tuple::flat(steps.into_iter().take(a.rank()).map(cute_algebra::Delta::fixed)).unwrap();
        let layout = Layout::new(a, strides).unwrap();
        let walked = ops::composition(&layout, &Layout::left(common).unwrap()).unwrap();
        prop_assert_eq!(table(&walked), table(&layout));
    }

    #[test]
    fn a_common_domain_is_refused_exactly_where_digits_overlap(
        a in prop::sample::select(divisors(360)), b in prop::sample::select(divisors(360))
    ) {
        let flat = |n: i64| Tuple::flat([Int::fixed(n), Int::fixed(360 / n)]).unwrap();
        let divides = a % b == 0 || b % a == 0;
        prop_assert_eq!(ops::common_domain(flat(a).view(), flat(b).view()).is_ok(), divides);
    }

    #[test]
    fn hierarchical_unzip_of_a_divide_is_the_zipped_divide(
        a in integer_layout(), tiles in proptest::collection::vec(1_i64..5, 1..4)
    ) {
        let tiles = tiles.into_iter().take(a.rank()).map(|n| Tiler::Int(Int::fixed(n)));
        let tiler = Tiler::Modes(tiles.collect());
        let zipped = ops::zipped_divide(&a, &tiler);
        let unzipped = ops::hier_unzip(&ops::logical_divide, &a, &tiler);
        prop_assert_eq!(zipped.is_ok(), unzipped.is_ok());
        if let (Ok(zipped), Ok(unzipped)) = (zipped, unzipped) {
            prop_assert_eq!(zipped, unzipped);
        }
        if let Ok(product) = ops::zipped_product(&a, &tiler) {
            prop_assert_eq!(ops::hier_unzip(&ops::logical_product, &a, &tiler).unwrap(), product);
        }
    }

    #[test]
    fn the_image_lists_each_offset_once_in_ascending_order(a in integer_layout()) {
        let offsets: BTreeSet<i64> = table(&a).into_iter().collect();
        match image(&a) {
            Ok(image) => prop_assert_eq!(table(&image), offsets.into_iter().collect::<Vec<_>>()),
            Err(refusal) => prop_assert!(matches!(refusal.rule, Rule::NegativeStride | Rule::NoSuchLayout)),
        }
    }

    #[test]
    fn surjective_and_bijective_are_what_the_offsets_say(a in integer_layout(), target in 1_i64..64) {
        let offsets = table(&a);
        let distinct: BTreeSet<i64> = offsets.iter().copied().collect();
        let onto = (0..target).all(|k| distinct.contains(&k));
        if let Ok(decision) = is_surjective(&a, target) {
            prop_assert_eq!(decision.holds, Some(onto));
            let exact = onto && offsets.len() == usize::try_from(target).unwrap();
            prop_assert_eq!(is_bijective(&a, target).unwrap().holds, Some(exact));
        }
    }
}
