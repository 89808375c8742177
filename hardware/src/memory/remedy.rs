//! The smallest swizzle, or the smallest padding, that frees accesses of bank conflicts. Every candidate is tried on
//! every access, so the result is checked by construction.

use super::access::Access;
use super::banks::shared_wavefronts;
use crate::refusal::{Refusal, Rule};
use cute_algebra::{Swizzle, Verdict};

/// The highest address bit that a swizzle of the search reads: patterns of at most 16 KiB.
const HIGHEST_BIT: i64 = 13;

/// The most bytes of padding that are tried.
const MOST_PADDING: i64 = 256;

/// The smallest swizzle of byte addresses (fewest bits, then lowest shift and base) under which no access has a conflict.
/// The identity is found when none is needed.
///
/// ```
/// use cute_hardware::memory::{Access, smallest_swizzle};
/// // The eight rows that one phase of ldmatrix reads, 128 bytes apart, for each of the eight columns of 16 bytes.
/// let column = |chunk: i64| Access { lanes: (0..8).map(|row| Some(row * 128 + chunk * 16)).collect(), width: 16 };
/// let accesses: Vec<Access> = (0..8).map(column).collect();
/// assert_eq!(smallest_swizzle(&accesses)?.to_string(), "Sw<3,4,3>");
/// # Ok::<(), cute_hardware::Refusal>(())
/// ```
///
/// Errors: [`Rule::UnsupportedSwizzle`] when no swizzle frees all of them, with the fewest conflicts that remain; the
/// refusals of the bank model.
pub fn smallest_swizzle(accesses: &[Access]) -> Result<Swizzle, Refusal> {
    let widest = accesses
        .iter()
        .map(|access| access.width)
        .max()
        .unwrap_or(1);
    let lowest_base = i64::from(u64::try_from(widest).unwrap_or(1).trailing_zeros());
    let mut best = None;
    for bits in 0..=5 {
        for shift in bits.max(1)..=HIGHEST_BIT {
            for base in lowest_base..=(HIGHEST_BIT - shift - bits).min(7 - bits) {
                let swizzle = Swizzle::new(bits, base, shift)?;
                let conflicts = conflicts_under(accesses, |address| swizzle.apply(address), best)?;
                if conflicts == 0 {
                    return Ok(swizzle);
                }
                best = Some(best.map_or(conflicts, |best: i64| best.min(conflicts)));
                if bits == 0 {
                    break;
                }
            }
            if bits == 0 {
                break;
            }
        }
    }
    Err(Refusal::new(Rule::UnsupportedSwizzle, Verdict::Accepts)
        .with("fewest_conflicts", best.unwrap_or(0)))
}

/// The conflicts of all accesses; stops once they are more than `enough`.
fn conflicts_under(
    accesses: &[Access],
    map: impl Fn(i64) -> i64,
    enough: Option<i64>,
) -> Result<i64, Refusal> {
    let mut total = 0;
    for access in accesses {
        let lanes: Vec<Option<i64>> = access.lanes.iter().map(|lane| lane.map(&map)).collect();
        total += shared_wavefronts(&lanes, access.width)?.conflicts();
        if enough.is_some_and(|enough| total > enough) {
            break;
        }
    }
    Ok(total)
}

/// The fewest bytes after each row of `pitch` bytes with which no access has a conflict; a multiple of the access width, so
/// that accesses stay aligned.
///
/// Errors: [`Rule::UnsupportedSwizzle`] when no padding up to 256 bytes frees all of them; [`Rule::OutOfRange`] for a pitch of 0.
pub fn smallest_padding(accesses: &[Access], pitch: i64) -> Result<i64, Refusal> {
    if pitch <= 0 {
        return Err(Refusal::new(Rule::OutOfRange, Verdict::Accepts).with("pitch_bytes", pitch));
    }
    let step = accesses
        .iter()
        .map(|access| access.width)
        .max()
        .unwrap_or(1)
        .max(super::banks::WORD_BYTES);
    for padding in (0..=MOST_PADDING).step_by(usize::try_from(step).unwrap_or(4)) {
        let moved = |address: i64| {
            address.div_euclid(pitch) * (pitch + padding) + address.rem_euclid(pitch)
        };
        if conflicts_under(accesses, moved, Some(0))? == 0 {
            return Ok(padding);
        }
    }
    Err(Refusal::new(Rule::UnsupportedSwizzle, Verdict::Accepts)
        .with("most_padding_bytes", MOST_PADDING))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns_of_matrix(pitch: i64, chunks: i64) -> Vec<Access> {
        (0..chunks)
            .map(|chunk| Access {
                lanes: (0..8).map(|row| Some(row * pitch + chunk * 16)).collect(),
                width: 16,
            })
            .collect()
    }

    #[test]
    fn the_swizzles_of_the_tensor_cores_are_found() {
        for (pitch, chunks, expected) in [
            (32, 2, "Sw<1,4,3>"),
            (64, 4, "Sw<2,4,3>"),
            (128, 8, "Sw<3,4,3>"),
        ] {
            assert_eq!(
                smallest_swizzle(&columns_of_matrix(pitch, chunks))
                    .unwrap()
                    .to_string(),
                expected
            );
        }
    }

    #[test]
    fn no_swizzle_is_needed_for_rows() {
        let row = Access {
            lanes: (0..32).map(|lane| Some(lane * 4)).collect(),
            width: 4,
        };
        assert!(smallest_swizzle(&[row]).unwrap().is_identity());
    }

    #[test]
    fn a_transposed_tile_of_floats_needs_five_bits_or_one_word() {
        let column = Access {
            lanes: (0..32).map(|row| Some(row * 128)).collect(),
            width: 4,
        };
        let row = Access {
            lanes: (0..32).map(|lane| Some(lane * 4)).collect(),
            width: 4,
        };
        let accesses = [column, row];
        assert_eq!(
            smallest_swizzle(&accesses).unwrap().to_string(),
            "Sw<5,2,5>"
        );
        assert_eq!(smallest_padding(&accesses, 128).unwrap(), 4);
    }

    #[test]
    fn what_no_swizzle_can_free_is_said() {
        // All lanes 64 KiB apart: no bit that the search may read differs.
        let apart = Access {
            lanes: (0..32).map(|lane| Some(lane << 16)).collect(),
            width: 4,
        };
        let refusal = smallest_swizzle(&[apart]).unwrap_err();
        assert_eq!(
            refusal.number("fewest_conflicts").unwrap().to_string(),
            "31"
        );
    }
}
