//! The accesses of a warp: a thread-value layout over a tensor, instruction by instruction; and how wide they may be.

use super::banks::LANES;
use crate::refusal::{Refusal, Rule};
use cute_algebra::ops::recast::max_alignment;
use cute_algebra::ops::swizzled::max_common_vector_any;
use cute_algebra::{AnyLayout, Int, Layout, Verdict};

/// The most instructions that are looked at.
pub const MAX_ACCESSES: i64 = 4096;

/// One instruction of a warp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The byte address of each lane; `None` where the lane has no value.
    pub lanes: Vec<Option<i64>>,
    /// The bytes of a lane.
    pub width: i64,
}

/// The instructions with which one warp touches a tensor, `values` neighbouring values of a thread at once.
///
/// `thread_value` maps (thread, value) to the colexicographic index of a coordinate of `tensor`; `tensor` maps coordinates to
/// elements.
///
/// Errors: [`Rule::NonContiguousAtom`] when the values of one instruction are not adjacent, [`Rule::MisalignedStart`]
/// when they do not start at a multiple of their size, [`Rule::TooFewValues`], and `NotProvable` for unknown numbers.
pub fn accesses(
    thread_value: &Layout,
    tensor: &AnyLayout,
    element_bits: i64,
    values: i64,
    warp: i64,
) -> Result<Vec<Access>, Refusal> {
    let threads = known(&thread_value.mode(0)?.size()?)?;
    let count = known(&thread_value.mode(1)?.size()?)?;
    let width = values * element_bits / 8;
    if values < 1 || count % values != 0 || (values * element_bits) % 8 != 0 {
        return Err(Refusal::new(Rule::TooFewValues, Verdict::Accepts)
            .with("values", count)
            .with("atom_values", values)
            .legal("1"));
    }
    let element = |thread: i64, value: i64| -> Result<i64, Refusal> {
        let index = thread_value.eval_number(thread + threads * value)?;
        let offset = tensor.eval(index)?;
        offset
            .as_leaf()
            .and_then(Int::value)
            .ok_or_else(|| not_a_number(&offset.to_string()))
    };
    let mut result = Vec::new();
    for first in (0..count)
        .step_by(usize::try_from(values).unwrap_or(1))
        .take(MAX_ACCESSES as usize)
    {
        let mut lanes = Vec::with_capacity(LANES);
        for lane in 0..LANES as i64 {
            let thread = warp * LANES as i64 + lane;
            if thread >= threads {
                lanes.push(None);
                continue;
            }
            let start = element(thread, first)?;
            for value in 1..values {
                let offset = element(thread, first + value)?;
                if offset != start + value {
                    return Err(Refusal::new(Rule::NonContiguousAtom, Verdict::Accepts)
                        .with("thread", thread)
                        .with("value", first + value)
                        .with("offset", offset)
                        .with("expected", start + value));
                }
            }
            if start.rem_euclid(values) != 0 {
                return Err(Refusal::new(Rule::MisalignedStart, Verdict::Accepts)
                    .with("thread", thread)
                    .with("offset", start)
                    .with("access_elements", values));
            }
            lanes.push(Some(start * element_bits / 8));
        }
        result.push(Access { lanes, width });
    }
    Ok(result)
}

/// The largest number of elements that one access may move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VectorWidth {
    /// The elements of the widest access.
    pub elements: i64,
    /// The elements that are adjacent in both layouts (paper §3.4.2).
    pub common: i64,
    /// The elements to which every other step of both layouts, and both starts, are aligned.
    pub aligned: i64,
}

/// The widest access of a copy between two layouts of the same shape: the adjacent elements that they share, limited by
/// the alignment of the other strides and of the starts, and at most `widest_bits` (128 up to `sm_90`, 256 from
/// `sm_100`).
///
/// Errors: the refusals of the common vector.
pub fn vector_width(
    source: &AnyLayout,
    destination: &AnyLayout,
    element_bits: i64,
    alignment_bytes: [i64; 2],
    widest_bits: i64,
) -> Result<VectorWidth, Refusal> {
    let common = known(&max_common_vector_any(source, destination)?)?;
    let mut aligned = widest_bits / element_bits.max(1);
    for (layout, bytes) in [source, destination].into_iter().zip(alignment_bytes) {
        let strides = max_alignment(layout.domain())
            .ok()
            .and_then(|alignment| alignment.value())
            .unwrap_or(1);
        for limit in [strides, bytes * 8 / element_bits.max(1)] {
            aligned = power_of_two_in(aligned, limit);
        }
    }
    Ok(VectorWidth {
        elements: power_of_two_in(aligned, common),
        common,
        aligned,
    })
}

/// The largest power of two that divides both; a limit of 0 (nothing to divide) does not limit.
fn power_of_two_in(a: i64, b: i64) -> i64 {
    let power = |n: i64| {
        if n == 0 {
            i64::MAX
        } else {
            n & n.wrapping_neg()
        }
    };
    power(a).min(power(b)).max(1)
}

fn known(value: &Int) -> Result<i64, Refusal> {
    value
        .value()
        .ok_or_else(|| not_a_number(&value.to_string()))
}

fn not_a_number(text: &str) -> Refusal {
    Refusal::new(
        Rule::Algebra(cute_algebra::Rule::NotProvable),
        Verdict::Accepts,
    )
    .with("value", text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::shared_wavefronts;

    fn any(text: &str) -> AnyLayout {
        text.parse().unwrap()
    }

    #[test]
    fn a_swizzled_tile_is_written_without_conflicts() {
        // Eight threads write a row of 64 halves, 16 bytes each; four rows a warp.
        let thread_value: Layout = "((_8,_32),_8):((_256,_1),_32)".parse().unwrap();
        let plain = accesses(&thread_value, &any("(_32,_64):(_64,_1)"), 16, 8, 0).unwrap();
        assert_eq!(plain.len(), 1);
        let cost = shared_wavefronts(&plain[0].lanes, plain[0].width).unwrap();
        assert_eq!((cost.waves, cost.ideal), (4, 4));
        // A column of 16-byte units: all rows of a phase are in the same banks, unless swizzled.
        let columns: Layout = "(_32,_8):(_1,_32)".parse().unwrap();
        let waves = |tensor: &str| {
            let access = accesses(&columns, &any(tensor), 16, 8, 0)
                .unwrap()
                .remove(0);
            shared_wavefronts(&access.lanes, access.width)
                .unwrap()
                .waves
        };
        assert_eq!(waves("(_32,_64):(_64,_1)"), 32);
        assert_eq!(waves("Sw<3,3,3> o _0 o (_32,_64):(_64,_1)"), 4);
    }

    #[test]
    fn values_that_are_apart_cannot_be_one_access() {
        let thread_value: Layout = "(_32,_4):(_1,_32)".parse().unwrap();
        let refusal = accesses(&thread_value, &any("(_32,_4):(_1,_32)"), 32, 4, 0).unwrap_err();
        assert_eq!(refusal.rule, Rule::NonContiguousAtom);
    }

    #[test]
    fn vector_width_is_limited_by_run_alignment_and_machine() {
        let width = |a: &str, b: &str, alignment| {
            vector_width(&any(a), &any(b), 16, alignment, 128)
                .unwrap()
                .elements
        };
        assert_eq!(width("(_64,_8):(_1,_64)", "(_64,_8):(_1,_64)", [16, 16]), 8);
        assert_eq!(width("(_64,_8):(_1,_64)", "(_64,_8):(_1,_64)", [16, 4]), 2);
        assert_eq!(width("(_4,_8):(_1,_64)", "(_4,_8):(_1,_4)", [16, 16]), 4);
        assert_eq!(width("(_64,_8):(_1,_66)", "(_64,_8):(_1,_64)", [16, 16]), 2);
        assert_eq!(width("(_64,_8):(_8,_1)", "(_64,_8):(_1,_64)", [16, 16]), 1);
    }
}
