//! A copy puts every element where the destination says, whatever the two layouts.

mod pairs;

use cute_algebra::AnyLayout;
use cute_runner::copy::Copy;
use cute_runner::watch::Unwatched;
use pairs::pairs;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_element_arrives((source, destination) in pairs(), bits in prop_oneof![Just(8), Just(16), Just(32), Just(128)]) {
        let (from, to): (AnyLayout, AnyLayout) =
            (source.parse().unwrap(), destination.parse().unwrap());
        let copy = Copy::between(&from, &to, bits, &Unwatched).unwrap();
        let bytes = copy.on_cpu(&Unwatched).unwrap();
        let misplaced = copy.first_misplaced(&bytes, &Unwatched).unwrap();
        prop_assert_eq!(misplaced, None, "{} -> {}", source, destination);
        let job = copy.job(None, false).unwrap();
        prop_assert_eq!(job.arguments.len(), 3);
    }
}
