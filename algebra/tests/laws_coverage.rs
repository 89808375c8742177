//! Coverage, decided from the modes alone, is what enumeration finds.

mod generators;

use cute_algebra::coverage::{Coverage, Covers};
use generators::{integer_layout, table};
use proptest::prelude::*;
use std::collections::BTreeSet;

proptest! {
    #[test]
    fn coverage_is_what_enumeration_finds(layout in integer_layout(), target in 0_i64..400) {
        let values = table(&layout);
        let Ok(coverage) = Coverage::of(&layout, target) else {
            prop_assert!(layout.view().steps().iter().any(|step| step.value().value() < Some(0)));
            return Ok(());
        };
        let reached: BTreeSet<i64> = values.iter().copied().collect();
        prop_assert_eq!(coverage.first_hole, (0..target).find(|offset| !reached.contains(offset)));
        prop_assert_eq!(coverage.beyond, reached.last().copied().filter(|last| *last >= target));
        let exact = values.len() as i64 == target && (0..target).all(|offset| reached.contains(&offset));
        prop_assert_eq!(coverage.covers() == Covers::Exact, exact);
    }
}
