//! A copy puts every element where the destination says, whatever the two layouts.

use cute_algebra::AnyLayout;
use cute_runner::copy::Copy;
use cute_runner::watch::Unwatched;
use proptest::prelude::*;

/// Two layouts of one shape whose modes lie in memory in two orders, the second padded or swizzled.
fn pairs() -> impl Strategy<Value = (String, String)> {
    (
        prop::collection::vec(
            prop_oneof![Just(1_i64), Just(2), Just(3), Just(8), Just(16)],
            1..4,
        ),
        any::<(bool, bool, bool)>(),
        0_i64..3,
    )
        .prop_map(|(shape, (reversed, also_reversed, swizzled), padding)| {
            let text = |strides: &[i64]| {
                let list = |numbers: &[i64]| {
                    let texts: Vec<String> = numbers.iter().map(ToString::to_string).collect();
                    texts.join(",")
                };
                format!("({}):({})", list(&shape), list(strides))
            };
            let source = text(&compact(&shape, reversed, 0));
            let destination = text(&compact(&shape, also_reversed, padding));
            if swizzled {
                (source, format!("Sw<2,1,3> o 0 o {destination}"))
            } else {
                (source, destination)
            }
        })
}

/// Strides of a shape, the first or the last mode contiguous, with a gap behind each mode.
fn compact(shape: &[i64], reversed: bool, padding: i64) -> Vec<i64> {
    let mut order: Vec<usize> = (0..shape.len()).collect();
    if reversed {
        order.reverse();
    }
    let mut strides = vec![0; shape.len()];
    let mut next = 1;
    for mode in order {
        strides[mode] = next;
        next = next * shape[mode] + padding;
    }
    strides
}

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
