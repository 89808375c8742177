//! The laws of the operations, against the pointwise definitions on random layouts.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod generators;

use cute_algebra::coord::{crd2idx_colex, idx2crd};
use cute_algebra::judge::{self, Form};
use cute_algebra::witness::same_point;
use cute_algebra::{
    AnyLayout, Checked, ComposedLayout, Coord, CoordLeaf, Delta, Int, IntTuple, Layout, Outer,
    Shape, Stride, Swizzle, Tiler, Tuple, Verdict, ops, proof,
};
use generators::{bit_permutation, coordinate_layout, integer_layout, swizzle, table, xor_layout};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use std::collections::BTreeSet;

fn size(layout: &Layout) -> i64 {
    layout.size().unwrap().value().unwrap()
}

fn any_table(layout: &AnyLayout) -> Vec<i64> {
    (0..layout.size().unwrap().value().unwrap())
        .map(|i| layout.eval(i).unwrap().as_leaf().unwrap().value().unwrap())
        .collect()
}

fn is_injective(layout: &Layout) -> bool {
    let offsets = table(layout);
    offsets.iter().collect::<BTreeSet<_>>().len() == offsets.len()
}

/// A layout without repeated offsets: positive steps, each a multiple of what the steps below it span.
fn injective_layout() -> impl Strategy<Value = Layout> {
    proptest::collection::vec((1_i64..6, 1_i64..4, any::<u8>()), 1..5).prop_map(|modes| {
        let mut order: Vec<usize> = (0..modes.len()).collect();
        order.sort_by_key(|&i| modes[i].2);
        let mut steps = vec![0; modes.len()];
        let mut span = 1;
        for i in order {
            let (extent, gap, _) = modes[i];
            steps[i] = span * gap;
            span *= gap * extent;
        }
        let shape = Tuple::flat(modes.iter().map(|m| Int::fixed(m.0))).unwrap();
        let stride = Tuple::flat(steps.into_iter().map(Delta::fixed)).unwrap();
        Layout::new(shape, stride).unwrap()
    })
}

/// A small right operand: what is composed with others in practice.
fn small_layout() -> impl Strategy<Value = Layout> {
    proptest::collection::vec((1_i64..7, 0_i64..25), 1..4).prop_map(|modes| {
        let shape = Tuple::flat(modes.iter().map(|m| Int::fixed(m.0))).unwrap();
        let stride = Tuple::flat(modes.iter().map(|m| Delta::fixed(m.1))).unwrap();
        Layout::new(shape, stride).unwrap()
    })
}

fn at_run_time(layout: &Layout) -> Layout {
    let shape: Shape = layout.shape().map(Int::to_dynamic);
    let stride: Stride = layout.stride().map(|d| match d {
        Delta::Int(int) => Delta::Int(int.to_dynamic()),
        other => other.clone(),
    });
    Layout::new(shape, stride).unwrap()
}

/// The judged result is right exactly where the judgement says so.
fn judgement_is_true(a: &Layout, b: &Layout) -> Result<(), TestCaseError> {
    let judged = judge::composition(&AnyLayout::from(a.clone()), &Tiler::Layout(b.clone()));
    let Ok(result) = judged.result else {
        prop_assert_ne!(judged.judgement.cute, Verdict::Accepts);
        return Ok(());
    };
    let result = result.as_affine().unwrap().clone();
    let lost = (size(&result) != size(b)).then(|| (size(&result), size(b)));
    prop_assert_eq!(judged.judgement.lost_elements, lost);
    let mut first = None;
    for c in 0..size(b) {
        let inner = b.eval_number(c).unwrap();
        if inner < 0 {
            return Ok(());
        }
        let (expected, got) = (
            a.eval_number(inner).unwrap(),
            result.eval_number(c).unwrap(),
        );
        if expected != got {
            first = Some((c, expected, got, inner >= size(a)));
            break;
        }
    }
    let number = |offset: &IntTuple| offset.as_leaf().unwrap().value().unwrap();
    let witness = judged.judgement.witness.map(|w| {
        (
            w.coordinate,
            number(&w.expected),
            number(&w.got),
            w.outside_domain,
        )
    });
    prop_assert_eq!(witness, first);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn compose_is_pointwise_composition_or_has_the_first_witness(a in integer_layout(), b in small_layout()) {
        judgement_is_true(&a, &b)?;
    }

    #[test]
    fn compose_of_injective_layouts_is_judged_rightly(a in injective_layout(), b in injective_layout()) {
        judgement_is_true(&a, &b)?;
    }

    #[test]
    fn run_time_composition_is_judged_rightly(a in injective_layout(), b in small_layout()) {
        judgement_is_true(&at_run_time(&a), &at_run_time(&b))?;
        judgement_is_true(&at_run_time(&a), &b)?;
    }

    #[test]
    fn composition_with_xor_strides_is_pointwise(a in xor_layout(), b in bit_permutation()) {
        if let Ok(result) = ops::composition(&a, &b) {
            let judged = judge::compare_composition(&a, &b, &result);
            let offsets: Vec<i64> = (0..size(&b)).map(|c| a.eval_number(b.eval_number(c).unwrap()).unwrap()).collect();
            let departs = matches!(judged, cute_algebra::Comparison::Departs(_));
            prop_assert_eq!(offsets != table(&result), departs);
        }
    }

    #[test]
    fn composition_with_the_identity_layout_is_the_layout(a in integer_layout()) {
        let identity = Layout::left(a.shape()).unwrap();
        let result = ops::composition(&a, &identity).unwrap();
        prop_assert_eq!(table(&result), table(&a));
    }

    #[test]
    fn composition_into_coordinates_picks_the_coordinates(a in integer_layout()) {
        let coordinates = ops::make_identity_layout(&a.shape()).unwrap();
        let result = ops::composition(&a, &coordinates).unwrap();
        prop_assert_eq!(table(&result), table(&a));
        let judged = judge::compare_composition(&a, &coordinates, &result);
        prop_assert_eq!(judged, cute_algebra::Comparison::Holds(Checked::Everywhere));
    }

    #[test]
    fn a_theorem_never_contradicts_enumeration(a in integer_layout(), b in small_layout(), r in small_layout()) {
        if proof::is_composition(a.view(), b.view(), r.view()) {
            let composed: Vec<i64> = table(&b).into_iter().map(|i| a.eval_number(i).unwrap()).collect();
            prop_assert_eq!(composed, table(&r));
        }
    }

    #[test]
    fn a_theorem_about_coordinates_never_contradicts_enumeration(
        a in coordinate_layout(),
        b in prop_oneof![small_layout(), bit_permutation()],
        r in prop_oneof![4 => Just(None), 1 => coordinate_layout().prop_map(Some)],
    ) {
        let Some(r) = r.or_else(|| ops::composition(&a, &b).ok()) else {
            return Ok(());
        };
        if proof::is_composition(a.view(), b.view(), r.view()) {
            prop_assert_eq!(size(&b), size(&r));
            for c in 0..size(&b) {
                let expected = a.eval(b.eval_number(c).unwrap()).unwrap();
                let got = r.eval(c).unwrap();
                prop_assert!(same_point(&expected, &got), "{c}: {expected} and {got}");
            }
        }
    }

    #[test]
    fn coalesce_keeps_the_function(a in integer_layout()) {
        let result = ops::coalesce(&a).unwrap();
        prop_assert!(result.depth() <= 1);
        prop_assert_eq!(table(&result), table(&a));
    }

    #[test]
    fn coalesce_of_xor_layouts_keeps_the_function(a in xor_layout()) {
        prop_assert_eq!(table(&ops::coalesce(&a).unwrap()), table(&a));
    }

    #[test]
    fn coalesce_by_mode_keeps_the_modes(a in integer_layout()) {
        let profile = Tuple::flat(vec![Int::ONE; a.rank()]).unwrap();
        let result = ops::coalesce_by(&a, &profile).unwrap();
        prop_assert_eq!(table(&result), table(&a));
        for mode in 0..a.rank() {
            prop_assert_eq!(table(&result.mode(mode).unwrap()), table(&a.mode(mode).unwrap()));
        }
    }

    #[test]
    fn filter_keeps_the_image(a in integer_layout()) {
        let image = |layout: &Layout| table(layout).into_iter().collect::<BTreeSet<_>>();
        prop_assert_eq!(image(&ops::filter(&a).unwrap()), image(&a));
    }

    #[test]
    fn cosize_is_the_span_of_the_image(a in integer_layout()) {
        let offsets = table(&a);
        let span = offsets.iter().max().unwrap() - offsets.iter().min().unwrap() + 1;
        prop_assert_eq!(a.cosize().unwrap().value(), Some(span));
    }

    #[test]
    fn complement_is_disjoint_and_ordered(a in injective_layout(), target in 1_i64..200) {
        let complement = ops::complement(&a, &Tuple::leaf(Int::fixed(target))).unwrap();
        let image: BTreeSet<i64> = table(&a).into_iter().collect();
        let mut last = 0;
        // CuTe drops a last `1:d`, so that the paper's extended domain is not kept.
        for c in 1..size(&complement) {
            let offset = complement.eval_number(c).unwrap();
            prop_assert!(!image.contains(&offset), "{} is reached", offset);
            prop_assert!(offset > last);
            last = offset;
        }
        prop_assert!(size(&a) * size(&complement) >= target);
    }

    #[test]
    fn divide_begins_with_the_tile(a in injective_layout(), tile in injective_layout()) {
        if let Ok(divided) = ops::logical_divide(&a, &Tiler::Layout(tile.clone())) {
            let first = ops::composition(&a, &tile).unwrap();
            prop_assert_eq!(divided.mode(0).unwrap(), first);
        }
    }

    #[test]
    fn divide_then_flatten_is_a_permutation(a in injective_layout(), tile in injective_layout()) {
        let judged = judge::divide(&AnyLayout::from(a.clone()), &Tiler::Layout(tile), Form::Flat);
        if let Ok(result) = &judged.result
            && judged.judgement.finding().is_none()
        {
            let sorted = |mut offsets: Vec<i64>| { offsets.sort_unstable(); offsets };
            let divided = any_table(result);
            if divided.len() == table(&a).len() {
                // Holes of the tile's complement may leave the layout; then the sets differ in size.
                let set: BTreeSet<i64> = divided.iter().copied().collect();
                if set.is_subset(&table(&a).into_iter().collect()) {
                    prop_assert_eq!(sorted(divided), sorted(table(&a)));
                }
            }
        }
    }

    #[test]
    fn all_forms_of_divide_have_the_same_offsets(a in injective_layout(), extents in proptest::collection::vec(1_i64..4, 1..3)) {
        let tiler = Tiler::Modes(extents.into_iter().take(a.rank()).map(|e| Tiler::Int(Int::fixed(e))).collect());
        if let Ok(logical) = ops::logical_divide(&a, &tiler) {
            let sorted = |layout: &Layout| { let mut t = table(layout); t.sort_unstable(); t };
            let zipped = ops::zipped_divide(&a, &tiler).unwrap();
            prop_assert_eq!(zipped.rank(), 2);
            prop_assert_eq!(sorted(&zipped), sorted(&logical));
            prop_assert_eq!(table(&ops::tiled_divide(&a, &tiler).unwrap()), table(&zipped));
            prop_assert_eq!(table(&ops::flat_divide(&a, &tiler).unwrap()), table(&zipped));
        }
    }

    #[test]
    fn products_repeat_the_block_without_meeting(block in injective_layout(), grid in injective_layout()) {
        if let Ok(product) = ops::logical_product(&block, &Tiler::Layout(grid.clone())) {
            prop_assert_eq!(product.mode(0).unwrap(), block.clone());
            prop_assert_eq!(size(&product.mode(1).unwrap()), size(&grid));
            let judged = judge::product(&AnyLayout::from(block), &Tiler::Layout(grid), Form::Logical);
            if judged.judgement.witness.is_none() && size(&product) < 20_000 {
                prop_assert!(is_injective(&product), "{}", product);
            }
        }
    }

    #[test]
    fn right_inverse_gives_the_coordinate_of_each_offset(a in integer_layout()) {
        if let Ok(inverse) = ops::right_inverse(&a) {
            for k in 0..size(&inverse) {
                prop_assert_eq!(a.eval_number(inverse.eval_number(k).unwrap()).unwrap(), k);
            }
        }
    }

    #[test]
    fn left_inverse_gives_back_the_coordinate(a in injective_layout()) {
        if let Ok(inverse) = ops::left_inverse(&a) {
            for k in 0..size(&a) {
                prop_assert_eq!(inverse.eval_number(a.eval_number(k).unwrap()).unwrap(), k);
            }
        }
    }

    #[test]
    fn judged_inverses_hold_or_have_a_witness(a in integer_layout()) {
        let judged = judge::left_inverse(&AnyLayout::from(a.clone()));
        if let (Ok(inverse), None) = (&judged.result, &judged.judgement.witness) {
            let inverse = inverse.as_affine().unwrap();
            for k in 0..size(&a).min(200).min(size(inverse)) {
                let offset = a.eval_number(k).unwrap();
                prop_assert_eq!(a.eval_number(inverse.eval_number(offset).unwrap()).unwrap(), offset);
            }
        }
    }

    #[test]
    fn a_slice_and_its_offset_are_the_layout(a in integer_layout(), choice in any::<u32>(), at in any::<u64>()) {
        let modes: Vec<i64> = (0..a.rank()).map(|i| size(&a.mode(i).unwrap())).collect();
        let chosen = |i: usize| choice >> i & 1 == 1;
        let index = |i: usize| i64::try_from((at >> (3 * i)) % 4096).unwrap() % modes[i];
        let coord: Coord = Tuple::flat((0..a.rank()).map(|i| {
            if chosen(i) { CoordLeaf::Underscore } else { CoordLeaf::Int(Int::fixed(index(i))) }
        })).unwrap();
        let (slice, offset) = ops::slice_and_offset(&coord, &a).unwrap();
        let offset = offset.as_leaf().unwrap().value().unwrap();
        let kept = Tuple::flat((0..a.rank()).filter(|i| chosen(*i)).map(|i| Int::fixed(modes[i]))).unwrap();
        for x in 0..size(&slice) {
            let digits = idx2crd(Tuple::leaf(Int::fixed(x)).view(), kept.view()).unwrap();
            let mut digits = digits.leaves().iter();
            let full = Tuple::flat((0..a.rank()).map(|i| {
                if chosen(i) { digits.next().unwrap().clone() } else { Int::fixed(index(i)) }
            })).unwrap();
            let whole = a.eval_coord(&full).unwrap().as_leaf().unwrap().value().unwrap();
            prop_assert_eq!(slice.eval_number(x).unwrap() + offset, whole);
        }
    }

    #[test]
    fn a_swizzled_slice_and_its_offset_are_the_layout(
        swizzle in swizzle(), inner in bit_permutation(), mode in any::<usize>(), at in 0_i64..64, dynamic in any::<bool>(),
    ) {
        let mode = mode % inner.rank();
        let extent = size(&inner.mode(mode).unwrap());
        let at = at % extent;
        let number = if dynamic { Int::dynamic(at) } else { Int::fixed(at) };
        let whole = AnyLayout::Composed(ComposedLayout::swizzled(swizzle, inner.clone()));
        let coord: Coord = Tuple::flat((0..inner.rank()).map(|i| {
            if i == mode { CoordLeaf::Int(number.clone()) } else { CoordLeaf::Underscore }
        })).unwrap();
        if let Ok((slice, offset)) = ops::swizzled_slice::slice_and_offset_any(&coord, &whole) {
            let offset = offset.as_leaf().unwrap().value().unwrap();
            let extents: Vec<i64> = (0..inner.rank()).map(|i| size(&inner.mode(i).unwrap())).collect();
            for x in 0..slice.size().unwrap().value().unwrap() {
                let mut rest = x;
                let full = Tuple::flat((0..inner.rank()).map(|i| {
                    if i == mode { return Int::fixed(at); }
                    let digit = rest % extents[i];
                    rest /= extents[i];
                    Int::fixed(digit)
                })).unwrap();
                let wanted = whole.eval_coord(&full).unwrap().as_leaf().unwrap().value().unwrap();
                let got = slice.eval(x).unwrap().as_leaf().unwrap().value().unwrap() + offset;
                prop_assert_eq!(got, wanted, "{} of {} is {} at {}", coord, whole, slice, x);
            }
        }
    }

    #[test]
    fn downcast_then_upcast_is_the_same_function(a in bit_permutation(), bits in 0_u32..3) {
        let n = 1 << bits;
        if let Ok(finer) = ops::downcast(&a, n) {
            prop_assert_eq!(table(&ops::upcast(&finer, n).unwrap()), table(&a));
        }
    }

    #[test]
    fn ordered_layouts_are_compact(a in integer_layout(), seed in any::<u64>()) {
        let order = Tuple::new(a.shape().profile().clone(), (0..a.shape().leaves().len())
            .map(|i| Int::fixed(i64::try_from(seed.rotate_left(u32::try_from(i).unwrap() * 9) % 16).unwrap() * 8 + i64::try_from(i).unwrap()))).unwrap();
        let ordered = ops::make_ordered_layout(&a.shape(), &order).unwrap();
        let mut offsets = table(&ordered);
        offsets.sort_unstable();
        prop_assert_eq!(offsets, (0..size(&a)).collect::<Vec<_>>());
    }

    #[test]
    fn the_nullspace_is_sent_to_zero(a in integer_layout()) {
        let nullspace = ops::nullspace(&a).unwrap();
        for c in table(&nullspace) {
            prop_assert_eq!(a.eval_number(c).unwrap(), 0);
        }
    }

    #[test]
    fn common_vectors_are_contiguous_in_both(a in bit_permutation(), b in bit_permutation()) {
        let common = ops::max_common_layout(&a, &b).unwrap();
        for (i, c) in table(&common).into_iter().enumerate() {
            let i = i64::try_from(i).unwrap();
            prop_assert_eq!((a.eval_number(c).unwrap(), b.eval_number(c).unwrap()), (i, i));
        }
        prop_assert_eq!(ops::max_common_vector(&a, &b).unwrap(), common.size().unwrap());
    }

    #[test]
    fn a_swizzle_is_an_involution_that_keeps_other_bits(swizzle in swizzle(), offset in 0_i64..1 << 20) {
        let swizzled = swizzle.apply(offset);
        prop_assert_eq!(swizzle.apply(swizzled), offset);
        prop_assert_eq!((swizzled ^ offset) & !swizzle.target_mask(), 0);
    }

    #[test]
    fn merged_swizzles_apply_one_after_the_other(a in swizzle(), b in swizzle(), offset in 0_i64..1 << 16) {
        if let Ok(merged) = ops::swizzled::compose_swizzles(a, b) {
            let disjoint = (a.source_mask() | a.target_mask()) & (b.source_mask() | b.target_mask()) == 0
                || a.base() == b.base();
            if disjoint {
                prop_assert_eq!(merged.apply(offset), a.apply(b.apply(offset)));
            }
        }
    }

    #[test]
    fn coordinates_and_indices_are_inverse(a in integer_layout(), at in 0_i64..1 << 14) {
        let index = Int::fixed(at % size(&a));
        let coordinate = idx2crd(Tuple::leaf(index.clone()).view(), a.shape_view()).unwrap();
        prop_assert!(coordinate.is_congruent(&a.shape()));
        prop_assert_eq!(crd2idx_colex(coordinate.view(), a.shape_view()).unwrap(), index.clone());
        prop_assert_eq!(
            a.eval_coord(&coordinate).unwrap().as_leaf().unwrap().value(),
            a.eval_number(index.value().unwrap()).ok()
        );
    }

    #[test]
    fn run_time_forms_have_the_function_of_static_forms(a in injective_layout()) {
        let dynamic = at_run_time(&a);
        prop_assert_eq!(table(&ops::coalesce(&dynamic).unwrap()), table(&ops::coalesce(&a).unwrap()));
        prop_assert_eq!(table(&ops::filter(&dynamic).unwrap()), table(&ops::filter(&a).unwrap()));
        prop_assert_eq!(ops::cosize(&dynamic).unwrap().value(), ops::cosize(&a).unwrap().value());
    }

    #[test]
    fn every_layout_prints_and_parses_back(a in integer_layout(), dynamic in any::<bool>()) {
        let a = if dynamic { at_run_time(&a) } else { a };
        prop_assert_eq!(a.to_string().parse::<Layout>(), Ok(a));
    }
}

#[test]
fn a_composed_layout_keeps_its_swizzle() {
    let swizzled = ComposedLayout::swizzled(
        Swizzle::new(3, 3, 3).unwrap(),
        "(_8,_64):(_64,_1)".parse().unwrap(),
    );
    let composed = ops::swizzled::compose_any_by(
        &AnyLayout::Composed(swizzled),
        &"(_2,_4)".parse::<Tiler>().unwrap(),
    )
    .unwrap();
    assert!(matches!(&composed, AnyLayout::Composed(c) if matches!(c.outer, Outer::Swizzle(_))));
    assert_eq!(composed.to_string(), "Sw<3,3,3> o _0 o (_2,_4):(_64,_1)");
}
