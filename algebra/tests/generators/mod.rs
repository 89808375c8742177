//! Random layouts for the property tests: rank up to 5, depth up to 3, at most 2^14 coordinates.
#![allow(dead_code, reason = "each test file uses some of the generators")]

use cute_algebra::{Delta, Int, Layout, Swizzle, Tuple};
use proptest::prelude::*;

/// Most coordinates of a generated layout.
pub(crate) const SIZE: i64 = 1 << 14;

/// The extents and steps of a layout, grouped by a number of levels.
fn grouped(modes: Vec<(i64, Delta)>, cuts: &[usize]) -> Layout {
    let mut size = 1;
    let modes: Vec<(i64, Delta)> = modes
        .into_iter()
        .map(|(extent, step)| {
            let extent = if size * extent > SIZE { 1 } else { extent };
            size *= extent;
            (extent, step)
        })
        .collect();
    let leaf = |mode: &(i64, Delta)| (Tuple::leaf(Int::fixed(mode.0)), Tuple::leaf(mode.1.clone()));
    let mut nodes: Vec<(Tuple<Int>, Tuple<Delta>)> = modes.iter().map(leaf).collect();
    for cut in cuts {
        if nodes.len() < 2 {
            break;
        }
        let start = cut % (nodes.len() - 1);
        let group = |nodes: &[(Tuple<Int>, Tuple<Delta>)]| {
            let shape = Tuple::group(nodes.iter().map(|n| n.0.clone()));
            let stride = Tuple::group(nodes.iter().map(|n| n.1.clone()));
            (
                shape.unwrap_or_else(|_| Tuple::leaf(Int::ONE)),
                stride.unwrap_or_else(|_| Tuple::leaf(Delta::ZERO)),
            )
        };
        let pair = group(&nodes[start..start + 2]);
        nodes.splice(start..start + 2, [pair]);
    }
    let shape = Tuple::group(nodes.iter().map(|n| n.0.clone()));
    let stride = Tuple::group(nodes.iter().map(|n| n.1.clone()));
    match (shape, stride) {
        (Ok(shape), Ok(stride)) => Layout::new(shape, stride).unwrap_or_else(|_| Layout::unit()),
        _ => Layout::unit(),
    }
}

fn layout_of(
    extent: impl Strategy<Value = i64>,
    step: impl Strategy<Value = Delta>,
) -> impl Strategy<Value = Layout> {
    (
        proptest::collection::vec((extent, step), 1..=6),
        proptest::collection::vec(0_usize..8, 0..3),
    )
        .prop_map(|(modes, cuts)| grouped(modes, &cuts))
}

/// Any extents, steps positive, zero or negative.
pub(crate) fn integer_layout() -> impl Strategy<Value = Layout> {
    layout_of(1_i64..=9, (-40_i64..=200).prop_map(Delta::fixed))
}

/// Any extents, steps in one coordinate of `(*,*,(*,*))`, positive, zero or negative, or the integer 0.
pub(crate) fn coordinate_layout() -> impl Strategy<Value = Layout> {
    let path = prop::sample::select(vec![vec![0_u16], vec![1], vec![2, 0], vec![2, 1]]);
    let step = prop_oneof![
        1 => Just(Delta::ZERO),
        6 => (-9_i64..=20, path).prop_map(|(value, path)| Delta::basis(Int::fixed(value), path)),
    ];
    layout_of(1_i64..=9, step)
}

/// Extents that are powers of two, steps that are powers of two or zero.
pub(crate) fn binary_layout() -> impl Strategy<Value = Layout> {
    let step = prop_oneof![1 => Just(0), 6 => (0_u32..12).prop_map(|bits| 1_i64 << bits)];
    layout_of(
        (0_u32..4).prop_map(|bits| 1 << bits),
        step.prop_map(Delta::fixed),
    )
}

/// Extents that are powers of two, steps that are bit strings under xor.
pub(crate) fn xor_layout() -> impl Strategy<Value = Layout> {
    layout_of(
        (0_u32..4).prop_map(|bits| 1 << bits),
        (0_i64..64).prop_map(Delta::Xor),
    )
}

/// A compact layout of power-of-two extents: a bit permutation, so that no addition carries.
pub(crate) fn bit_permutation() -> impl Strategy<Value = Layout> {
    (proptest::collection::vec(1_u32..4, 1..5), any::<u64>()).prop_map(|(bits, seed)| {
        let mut order: Vec<usize> = (0..bits.len()).collect();
        let mut state = seed;
        for i in (1..order.len()).rev() {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            order.swap(i, (state >> 33) as usize % (i + 1));
        }
        let mut steps = vec![0_i64; bits.len()];
        let mut step = 1;
        for mode in order {
            steps[mode] = step;
            step <<= bits[mode];
        }
        grouped(
            bits.iter()
                .zip(steps)
                .map(|(bits, step)| (1 << bits, Delta::fixed(step)))
                .collect(),
            &[],
        )
    })
}

/// Any legal swizzle on the low 14 bits.
pub(crate) fn swizzle() -> impl Strategy<Value = Swizzle> {
    (0_i64..5, 0_i64..6, -7_i64..=7).prop_filter_map("legal", |(bits, base, shift)| {
        Swizzle::new(bits, base, shift).ok()
    })
}

/// The offsets of all coordinates, in order.
pub(crate) fn table(layout: &Layout) -> Vec<i64> {
    let size = layout
        .size()
        .ok()
        .and_then(|size| size.value())
        .unwrap_or(0);
    (0..size)
        .filter_map(|index| layout.eval_number(index).ok())
        .collect()
}
