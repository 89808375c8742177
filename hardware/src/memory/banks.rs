//! Shared-memory bank conflicts.
//!
//! There are 32 banks of 4 bytes. An access of `w` bytes a lane is served in phases of 32 (`w <= 4`), 16 (`w = 8`) or
//! 8 (`w = 16`) neighbouring lanes; in each phase a bank delivers one 4-byte word a wavefront, to all lanes that want it.

use crate::refusal::{Refusal, Rule};
use cute_algebra::Verdict;
use std::collections::BTreeMap;

/// The number of banks.
pub const BANKS: i64 = 32;
/// The bytes of a bank's word.
pub const WORD_BYTES: i64 = 4;
/// The lanes of a warp.
pub const LANES: usize = 32;

/// The cost of an access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wavefronts {
    /// Wavefronts, over all phases.
    pub waves: i64,
    /// Wavefronts without conflicts: one for each phase with an active lane.
    pub ideal: i64,
}

impl Wavefronts {
    /// The wavefronts that conflicts cost.
    pub fn conflicts(self) -> i64 {
        self.waves - self.ideal
    }
}

/// The wavefronts of one instruction. `lanes` has the byte address of each lane, `None` for an inactive one; `width` is the
/// bytes of a lane.
///
/// ```
/// use cute_hardware::memory::{Wavefronts, shared_wavefronts};
/// // A column of a 32 x 32 tile of floats.
/// let column: Vec<Option<i64>> = (0..32).map(|row| Some(row * 128)).collect();
/// assert_eq!(shared_wavefronts(&column, 4)?, Wavefronts { waves: 32, ideal: 1 });
/// # Ok::<(), cute_hardware::Refusal>(())
/// ```
///
/// Errors: [`Rule::MisalignedStart`] for an address that is not a multiple of the width, [`Rule::OutOfRange`] for a width that
/// no instruction has or more than 32 lanes.
pub fn shared_wavefronts(lanes: &[Option<i64>], width: i64) -> Result<Wavefronts, Refusal> {
    if lanes.len() > LANES || ![1, 2, 4, 8, 16].contains(&width) {
        return Err(Refusal::new(Rule::OutOfRange, Verdict::Accepts)
            .with("lanes", lanes.len())
            .with("width_bytes", width)
            .legal("1, 2, 4, 8 or 16 bytes"));
    }
    lanes
        .chunks(lanes_of_phase(width))
        .try_fold(Wavefronts::default(), |total, phase| {
            let waves = phase_wavefronts(phase, width)?;
            Ok(Wavefronts {
                waves: total.waves + waves,
                ideal: total.ideal + i64::from(waves > 0),
            })
        })
}

/// The neighbouring lanes that are served together when each accesses `width` bytes.
pub fn lanes_of_phase(width: i64) -> usize {
    match width {
        16 => 8,
        8 => 16,
        _ => LANES,
    }
}

/// The bank that holds a byte.
pub fn bank_of(byte: i64) -> i64 {
    byte.div_euclid(WORD_BYTES).rem_euclid(BANKS)
}

/// The words of each bank that one phase needs, each with the lanes that need it. `lanes` has each lane with its byte
/// address; `width` is the bytes of a lane.
///
/// ```
/// use cute_hardware::memory::banks::words_of_banks;
/// // Two rows of 128 bytes begin at the same bank, with different words.
/// let wanted = words_of_banks([(0, 0), (1, 128), (2, 128)], 4);
/// assert_eq!(wanted[&0].values().collect::<Vec<_>>(), [&vec![0], &vec![1, 2]]);
/// ```
pub fn words_of_banks(
    lanes: impl IntoIterator<Item = (usize, i64)>,
    width: i64,
) -> BTreeMap<i64, BTreeMap<i64, Vec<usize>>> {
    let mut banks: BTreeMap<i64, BTreeMap<i64, Vec<usize>>> = BTreeMap::new();
    for (lane, address) in lanes {
        let last = address.saturating_add(width - 1).div_euclid(WORD_BYTES);
        for word in address.div_euclid(WORD_BYTES)..=last {
            let words = banks.entry(word.rem_euclid(BANKS)).or_default();
            words.entry(word).or_default().push(lane);
        }
    }
    banks
}

/// The largest number of distinct words that one bank has to deliver.
fn phase_wavefronts(phase: &[Option<i64>], width: i64) -> Result<i64, Refusal> {
    if let Some(address) = phase.iter().flatten().find(|it| it.rem_euclid(width) != 0) {
        return Err(Refusal::new(Rule::MisalignedStart, Verdict::Accepts)
            .with("address", *address)
            .with("width_bytes", width));
    }
    let lanes = phase.iter().copied().enumerate();
    let active = lanes.filter_map(|(lane, address)| Some((lane, address?)));
    let most = words_of_banks(active, width)
        .values()
        .map(BTreeMap::len)
        .max();
    Ok(most.unwrap_or(0) as i64)
}

/// The wavefronts of `ldmatrix` or `stmatrix`: each 8x8 matrix is a phase of eight rows of 16 bytes. `rows` has the byte
/// addresses of the rows, eight for each matrix.
pub fn matrix_wavefronts(rows: &[i64]) -> Result<Wavefronts, Refusal> {
    let lanes: Vec<Option<i64>> = rows.iter().copied().map(Some).collect();
    shared_wavefronts(&lanes, 16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cute_algebra::Swizzle;

    fn cost(width: i64, address: impl Fn(i64) -> i64) -> (i64, i64) {
        let lanes: Vec<Option<i64>> = (0..32).map(|lane| Some(address(lane))).collect();
        let cost = shared_wavefronts(&lanes, width).unwrap();
        (cost.waves, cost.ideal)
    }

    fn matrix(pitch: i64, swizzle: Option<(i64, i64, i64)>, chunk: i64) -> i64 {
        let swizzle = swizzle.map(|(bits, base, shift)| Swizzle::new(bits, base, shift).unwrap());
        let address = |row: i64| row * pitch + chunk * 16;
        let rows: Vec<i64> = (0..8)
            .map(|row| swizzle.map_or(address(row), |swizzle| swizzle.apply(address(row))))
            .collect();
        matrix_wavefronts(&rows).unwrap().waves
    }

    #[test]
    fn contiguous_accesses_have_no_conflicts() {
        for (width, ideal) in [(1, 1), (2, 1), (4, 1), (8, 2), (16, 4)] {
            assert_eq!(cost(width, |lane| lane * width), (ideal, ideal), "{width}");
        }
    }

    #[test]
    fn a_column_of_floats() {
        assert_eq!(cost(4, |row| row * 128), (32, 1));
        assert_eq!(cost(4, |row| row * 132), (1, 1));
        let swizzle = Swizzle::new(5, 0, 5).unwrap();
        assert_eq!(cost(4, |row| swizzle.apply(row * 32) * 4), (1, 1));
    }

    #[test]
    fn vectors_with_a_lane_stride() {
        assert_eq!(cost(16, |lane| lane * 32), (8, 4));
        assert_eq!(cost(16, |lane| lane * 64), (16, 4));
        assert_eq!(cost(16, |lane| lane * 128), (32, 4));
    }

    #[test]
    fn matrix_rows_by_pitch() {
        let waves: Vec<i64> = [32, 64, 128, 144, 256, 272]
            .into_iter()
            .map(|pitch| matrix(pitch, None, 0))
            .collect();
        assert_eq!(waves, [2, 4, 8, 1, 8, 1]);
    }

    #[test]
    fn swizzled_matrix_rows_are_free_of_conflicts() {
        for chunk in 0..2 {
            assert_eq!(matrix(32, Some((1, 4, 3)), chunk), 1);
        }
        for chunk in 0..4 {
            assert_eq!(matrix(64, Some((2, 4, 3)), chunk), 1);
        }
        for chunk in 0..8 {
            assert_eq!(matrix(128, Some((3, 4, 3)), chunk), 1);
        }
        assert_eq!(matrix(256, Some((3, 4, 3)), 0), 2);
    }

    #[test]
    fn lanes_that_read_the_same_word_share_it() {
        assert_eq!(cost(4, |_| 64), (1, 1));
        assert_eq!(cost(2, |lane| lane / 2 * 4), (1, 1));
    }

    #[test]
    fn inactive_lanes_cost_nothing() {
        assert_eq!(
            shared_wavefronts(&[None; 32], 16),
            Ok(Wavefronts { waves: 0, ideal: 0 })
        );
        assert_eq!(
            shared_wavefronts(&[Some(2)], 4).unwrap_err().rule,
            Rule::MisalignedStart
        );
        assert_eq!(
            shared_wavefronts(&[Some(0)], 12).unwrap_err().rule,
            Rule::OutOfRange
        );
    }
}
