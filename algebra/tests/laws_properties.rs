//! Properties of layouts as functions, against enumeration.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod generators;

use cute_algebra::properties::{
    admissibility, full_inverse, is_compact, is_contiguous, is_injective,
};
use cute_algebra::{Layout, Rule};
use generators::{bit_permutation, integer_layout, table};
use proptest::prelude::*;
use std::collections::BTreeSet;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn injective_means_that_no_offset_repeats(a in integer_layout()) {
        let offsets = table(&a);
        let distinct: BTreeSet<i64> = offsets.iter().copied().collect();
        prop_assert_eq!(is_injective(&a).holds, Some(distinct.len() == offsets.len()));
    }

    #[test]
    fn contiguous_means_that_no_offset_between_is_missing(a in integer_layout()) {
        let distinct: BTreeSet<i64> = table(&a).into_iter().collect();
        let span = distinct.last().unwrap() - distinct.first().unwrap() + 1;
        prop_assert_eq!(is_contiguous(&a).holds, Some(i64::try_from(distinct.len()).unwrap() == span));
    }

    #[test]
    fn compact_layouts_have_a_full_inverse(a in bit_permutation()) {
        prop_assert_eq!(is_compact(&a).holds, Some(true));
        let inverse = full_inverse(&a).unwrap();
        for k in 0..i64::try_from(table(&a).len()).unwrap() {
            prop_assert_eq!(a.eval_number(inverse.eval_number(k).unwrap()).unwrap(), k);
            prop_assert_eq!(inverse.eval_number(a.eval_number(k).unwrap()).unwrap(), k);
        }
    }

    #[test]
    fn compact_means_the_offsets_are_the_coordinates_permuted(a in integer_layout()) {
        let mut offsets = table(&a);
        offsets.sort_unstable();
        let all: Vec<i64> = (0..i64::try_from(offsets.len()).unwrap()).collect();
        prop_assert_eq!(is_compact(&a).holds, Some(offsets == all));
    }

    #[test]
    fn admissible_means_that_every_offset_is_held(data in bit_permutation(), asked in bit_permutation()) {
        if let Ok(found) = admissibility(&data, &asked) {
            let held: BTreeSet<i64> = table(&data).into_iter().collect();
            let missing = table(&asked).iter().position(|offset| !held.contains(offset));
            prop_assert_eq!(found.first_missing, missing.map(|i| i64::try_from(i).unwrap()));
            prop_assert_eq!(found.all_held.holds, Some(missing.is_none()));
        }
    }
}

#[test]
fn a_layout_with_gaps_has_no_full_inverse() {
    let padded: Layout = "(_4,_8):(_1,_5)".parse().unwrap();
    assert_eq!(full_inverse(&padded).unwrap_err().rule, Rule::NoSuchLayout);
}
