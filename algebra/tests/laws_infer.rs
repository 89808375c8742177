//! Inference is the inverse of evaluation, and a contradiction is where it says.

mod generators;

use cute_algebra::infer::{Inferred, NoLayout, infer, layout_admitting, layout_of};
use cute_algebra::{ComposedLayout, Int, Layout, Outer, Refusal, Tuple};
use generators::{binary_layout, integer_layout, swizzle, table, xor_layout};
use proptest::prelude::*;

/// All layouts of coalesced form that agree with a table, by brute force over the extents.
fn some_layout_admits(values: &[i64]) -> bool {
    fn goes_on(values: &[i64], begin: usize, modes: &mut Vec<(usize, i64)>) -> bool {
        let reached = |modes: &[(usize, i64)], index: usize| -> i64 {
            let mut rest = index;
            let mut offset = 0;
            for (i, (extent, step)) in modes.iter().enumerate() {
                let digit = if i + 1 == modes.len() {
                    rest
                } else {
                    rest % extent
                };
                rest /= extent;
                offset += digit as i64 * step;
            }
            offset
        };
        if values.len() <= begin {
            return values
                .iter()
                .enumerate()
                .all(|(i, v)| reached(modes, i) == *v);
        }
        let step = values[begin];
        (2..=values.len()).any(|extent| {
            modes.push((extent, step));
            let fits = goes_on(values, begin * extent, modes);
            modes.pop();
            fits
        })
    }
    values.first() == Some(&0) && goes_on(values, 1, &mut Vec::new())
}

proptest! {
    #[test]
    fn the_layout_of_a_layout_s_table_has_its_function(layout in integer_layout()) {
        let values = table(&layout);
        let found = layout_of(&values);
        prop_assert!(found.is_ok(), "{layout}: {found:?}");
        prop_assert_eq!(table(&found.unwrap_or_else(|_| Layout::unit())), values);
    }

    #[test]
    fn a_prefix_of_a_layout_s_table_is_admitted(layout in integer_layout(), cut in any::<proptest::sample::Index>()) {
        let values = table(&layout);
        let prefix = &values[..=cut.index(values.len())];
        let found = layout_admitting(prefix);
        prop_assert!(found.is_ok(), "{layout}: {found:?}");
        prop_assert_eq!(&table(&found.unwrap_or_else(|_| Layout::unit()))[..prefix.len()], prefix);
    }

    #[test]
    fn a_contradiction_is_at_the_first_index_that_no_layout_explains(values in proptest::collection::vec(0_i64..4, 1..8)) {
        let values: Vec<i64> = [0].into_iter().chain(values).collect();
        match layout_admitting(&values) {
            Ok(_) => prop_assert!(some_layout_admits(&values)),
            Err(NoLayout::Contradiction { index, .. }) => {
                prop_assert!(some_layout_admits(&values[..index]), "before {index}");
                prop_assert!(!some_layout_admits(&values[..=index]), "at {index}");
            }
            Err(other) => prop_assert!(false, "{other:?}"),
        }
    }

    #[test]
    fn whatever_is_inferred_has_the_table(values in proptest::collection::vec(-9_i64..30, 1..40)) {
        let inference = infer(&values);
        prop_assert!(inference.is_ok(), "{inference:?}");
        let read: Result<Vec<i64>, Refusal> = inference.and_then(|found| (0..values.len() as i64).map(|i| found.eval(i)).collect());
        prop_assert_eq!(read, Ok(values));
    }

    #[test]
    fn a_swizzled_layout_is_found(layout in prop_oneof![binary_layout(), integer_layout()], swizzle in swizzle(), offset in 0_i64..40) {
        let low = table(&layout).into_iter().min().unwrap_or(0);
        let composed = ComposedLayout { outer: Outer::Swizzle(swizzle), offset: Tuple::leaf(Int::fixed(offset - low.min(0))), inner: layout };
        let size = composed.size().ok().and_then(|size| size.value()).unwrap_or(0);
        let values: Option<Vec<i64>> = (0..size).map(|i| composed.eval(i).ok()?.as_leaf()?.value()).collect();
        let values = values.unwrap_or_default();
        let found = infer(&values);
        prop_assert!(matches!(&found, Ok(f) if matches!(f.inferred, Inferred::Layout(_) | Inferred::Swizzled(_))), "{composed}: {found:?}");
        let read: Result<Vec<i64>, Refusal> = found.and_then(|found| (0..size).map(|i| found.eval(i)).collect());
        prop_assert_eq!(read, Ok(values));
    }

    #[test]
    fn an_xor_layout_is_found(layout in xor_layout()) {
        let values = table(&layout);
        let found = infer(&values);
        prop_assert!(matches!(&found, Ok(f) if !matches!(f.inferred, Inferred::Sequence(_))), "{layout}: {found:?}");
        let read: Result<Vec<i64>, Refusal> = found.and_then(|found| (0..values.len() as i64).map(|i| found.eval(i)).collect());
        prop_assert_eq!(read, Ok(values));
    }
}

/// Issue 3, "Fast": `infer` on 2^20 offsets is near-linear. The time itself is measured by the benchmarks; here the answers
/// are checked on tables of that length, where anything quadratic would not end.
#[test]
fn tables_of_a_million_offsets_are_read() -> Result<(), Refusal> {
    let size = 1_i64 << 20;
    let tiled: Vec<i64> = (0..size)
        .map(|i| (i % 16) * 8192 + (i / 16 % 8) + (i / 128) * 131_072)
        .collect();
    assert_eq!(
        infer(&tiled)?.to_string(),
        "(_16,_8,_8192):(_8192,_1,_131072)"
    );
    let swizzled: Vec<i64> = (0..size).map(|i| i ^ (i >> 3 & 0x70)).collect();
    assert_eq!(
        infer(&swizzled)?.to_string(),
        "Sw<3,4,3> o _0 o _1048576:_1"
    );
    let offset_swizzled: Vec<i64> = (5..size).map(|i| i ^ (i >> 3 & 0x70)).collect();
    assert_eq!(
        infer(&offset_swizzled)?.to_string(),
        "Sw<3,4,3> o _5 o _1048571:_1"
    );
    Ok(())
}

/// Bit 7 of the layout occurs in no offset: the swizzle clears it in the only one that has it.
#[test]
fn a_swizzle_may_have_cleared_a_bit_everywhere() -> Result<(), Refusal> {
    assert_eq!(
        infer(&[72, 106, 44, 14, 16])?.to_string(),
        "Sw<3,2,-3> o _8 o _5:_34"
    );
    Ok(())
}
