//! The layouts that copies are tested with: of the source and of the destination.

use proptest::prelude::*;

/// Two layouts of one shape whose modes have two orders in memory, the second padded or swizzled.
pub(crate) fn pairs() -> impl Strategy<Value = (String, String)> {
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
