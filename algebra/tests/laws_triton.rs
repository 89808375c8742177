//! Layouts of `CuTe` and of Triton are the same functions, both ways.

#![allow(clippy::unwrap_used)]

use cute_algebra::triton::{Encoding, Input, distributed_of, shared_of};
use cute_algebra::{AnyLayout, Int, Layout};
use proptest::prelude::*;

/// An injective layout of `2^n` coordinates in up to three modes, with gaps, behind a swizzle or not.
fn memory() -> impl Strategy<Value = (String, Vec<u64>)> {
    let owners = prop::collection::vec(0_usize..3, 1..9);
    (
        owners,
        0_i64..4,
        0_i64..3,
        0_i64..3,
        0_usize..3,
        any::<u64>(),
    )
        .prop_map(|(owners, bits, base, more, gaps, seed)| {
            let mut offsets: Vec<usize> = (0..owners.len() + gaps).collect();
            let mut state = seed;
            for at in (1..offsets.len()).rev() {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                offsets.swap(at, (state >> 33) as usize % (at + 1));
            }
            let mut modes = vec![Vec::new(); 3];
            for (owner, bit) in owners.iter().zip(offsets) {
                modes[*owner].push(1_u64 << bit);
            }
            let side = |of: &dyn Fn(&u64) -> u64, empty: &str| {
                let modes: Vec<String> = modes
                    .iter()
                    .map(|mode| match mode.as_slice() {
                        [] => empty.to_owned(),
                        [one] => format!("_{}", of(one)),
                        many => {
                            let leaves: Vec<String> =
                                many.iter().map(|leaf| format!("_{}", of(leaf))).collect();
                            format!("({})", leaves.join(","))
                        }
                    })
                    .collect();
                format!("({})", modes.join(","))
            };
            let layout = format!("{}:{}", side(&|_| 2, "_1"), side(&|step| *step, "_0"));
            let text = format!("Sw<{bits},{base},{}> o 0 o {layout}", bits + more);
            (text, modes.iter().map(|mode| 1 << mode.len()).collect())
        })
}

fn number(layout: &AnyLayout, index: i64) -> i64 {
    layout
        .eval(index)
        .unwrap()
        .as_leaf()
        .and_then(Int::value)
        .unwrap()
}

proptest! {
    #[test]
    fn a_layout_of_memory_comes_back_as_the_same_function((text, shape) in memory()) {
        let layout: AnyLayout = text.parse().unwrap();
        let shared = shared_of(&layout, 16).unwrap();
        let encoding = Encoding::SharedLinear(shared);
        let linear = encoding.linear(&shape).unwrap();
        let back = encoding.to_cute(&shape).unwrap();
        let size = shape.iter().product::<u64>();
        // Where offsets are left out, several layouts undo the linear one.
        let is_full = (0..size).all(|index| number(&layout, index as i64) < size as i64);
        for index in 0..size {
            let offset = number(&layout, index as i64);
            if is_full {
                prop_assert_eq!(number(&back.layout, index as i64), offset);
                prop_assert_eq!(back.no_integer_strides, None);
            }
            let mut rest = index;
            let coordinate: Vec<u64> = shape
                .iter()
                .map(|extent| {
                    let at = rest % extent;
                    rest /= extent;
                    at
                })
                .collect();
            prop_assert_eq!(linear.apply(&[(Input::Offset, offset as u64)]), coordinate);
        }
    }

    #[test]
    fn threads_and_values_come_back_as_the_same_layout(rows in 0_u32..4, columns in 0_u32..4) {
        let (height, width) = (8_i64 << rows, 8_i64 << columns);
        let text = format!(
            "((_4,_8),(_2,_{},_{})):((_{},_1),(_{height},_8,_{}))",
            height / 8, width / 8, 2 * height, 8 * height
        );
        let layout: Layout = text.parse().unwrap();
        let tile = [height as u64, width as u64];
        let encoding = distributed_of(&layout.clone().into(), &tile).unwrap();
        let back = encoding.to_cute(&tile).unwrap().layout;
        for pair in 0..32 * (height / 8) * (width / 8) * 2 {
            prop_assert_eq!(number(&back, pair), layout.eval_number(pair).unwrap());
        }
    }
}

#[test]
fn what_has_no_linear_form_says_why() {
    let shared = |text: &str| shared_of(&text.parse().unwrap(), 16).unwrap_err().message();
    assert!(shared("(_32,_32):(_33,_1)").contains("coordinates 1 and 32 carries"));
    assert!(shared("(_8,_6):(_8,_1)").contains("extent 6 is not a power of two"));
    assert!(shared("(_8,_4):(_0,_1)").contains("second coordinate 1"));
    let threads = |text: &str, tile: &[u64]| {
        distributed_of(&text.parse().unwrap(), tile)
            .unwrap_err()
            .message()
    };
    assert!(threads("(_32,_2):(_1,_32)", &[16, 8]).contains("elements that a thread has 64"));
    assert!(threads("(_32,_2):(_1,_32)", &[8, 4]).contains("cosize bits 6, tile bits 5"));
    assert!(threads("(_32,_2,_2):(_1,_32,_64)", &[16, 8]).contains("modes 3"));
}
