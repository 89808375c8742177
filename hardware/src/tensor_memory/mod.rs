//! Tensor memory of `sm_100a`: 128 lanes of 512 columns of 32 bits for each CTA (PTX "Tensor Memory").

pub mod fragment;
pub mod placement;

use crate::refusal::{Refusal, Rule};
use cute_algebra::Verdict;

/// The lanes (data paths) of tensor memory.
pub const LANES: i64 = 128;
/// The columns of tensor memory, of 32 bits each.
pub const COLUMNS: i64 = crate::multiprocessor::columns(100);
/// The fewest columns that can be allocated.
pub const FEWEST_COLUMNS: i64 = 32;
/// The lanes that one warp of a warp group may touch.
pub const LANES_OF_A_WARP: i64 = 32;

/// An address in tensor memory: the lane in the upper half of 32 bits, the column in the lower.
///
/// ```
/// use cute_hardware::tensor_memory::Address;
/// let address = Address::new(64, 256)?;
/// assert_eq!(address.word(), 0x0040_0100);
/// assert_eq!(Address::of_word(0x0040_0100)?, address);
/// # Ok::<(), cute_hardware::Refusal>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    lane: i64,
    column: i64,
}

impl Address {
    /// The address of a lane and a column.
    ///
    /// Errors: [`Rule::OutOfRange`] beyond 128 lanes or 512 columns.
    pub fn new(lane: i64, column: i64) -> Result<Self, Refusal> {
        if (0..LANES).contains(&lane) && (0..COLUMNS).contains(&column) {
            return Ok(Address { lane, column });
        }
        Err(Refusal::new(Rule::OutOfRange, Verdict::Accepts)
            .with("lane", lane)
            .with("column", column)
            .with("lanes", LANES)
            .with("columns", COLUMNS))
    }

    /// The lane and column of the 32 bits of an address.
    ///
    /// Errors: as [`Address::new`].
    pub fn of_word(word: u32) -> Result<Self, Refusal> {
        Address::new(i64::from(word >> 16), i64::from(word & 0xffff))
    }

    /// The 32 bits.
    pub fn word(self) -> u32 {
        (self.lane as u32) << 16 | self.column as u32
    }

    /// The lane.
    pub fn lane(self) -> i64 {
        self.lane
    }

    /// The column.
    pub fn column(self) -> i64 {
        self.column
    }

    /// Refuses an access by a warp to lanes that it does not reach: warp `w` of a warp group reaches lanes `32w..32w+32`.
    ///
    /// Errors: [`Rule::OutOfRange`] with the lanes of the warp.
    pub fn refuse_unless_reached_by(self, warp: i64) -> Result<(), Refusal> {
        let first = warp.rem_euclid(4) * LANES_OF_A_WARP;
        if (first..first + LANES_OF_A_WARP).contains(&self.lane) {
            return Ok(());
        }
        Err(Refusal::new(Rule::OutOfRange, Verdict::Accepts)
            .with("lane", self.lane)
            .with("warp", warp)
            .legal(format!("lanes {first} to {}", first + LANES_OF_A_WARP - 1)))
    }
}

/// Refuses a number of columns that `tcgen05.alloc` does not have: 32 to 512, a power of two.
///
/// Errors: [`Rule::OutOfRange`] with the smallest allocation that is large enough.
pub fn refuse_unless_allocatable(columns: i64) -> Result<(), Refusal> {
    if (FEWEST_COLUMNS..=COLUMNS).contains(&columns) && columns.count_ones() == 1 {
        return Ok(());
    }
    let enough = smallest_allocation(columns.min(COLUMNS));
    Err(Refusal::new(Rule::OutOfRange, Verdict::Accepts)
        .with("columns", columns)
        .legal(enough.to_string()))
}

/// The columns to allocate for `used` columns.
///
/// Errors: [`Rule::OutOfRange`] beyond 512 columns.
pub fn columns_allocated_for(used: i64) -> Result<i64, Refusal> {
    if used > COLUMNS {
        refuse_unless_allocatable(used)?;
    }
    Ok(smallest_allocation(used))
}

fn smallest_allocation(used: i64) -> i64 {
    let mut enough = FEWEST_COLUMNS;
    while enough < used {
        enough *= 2;
    }
    enough
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_stay_inside() {
        assert!(Address::new(127, 511).is_ok());
        assert_eq!(Address::new(128, 0).unwrap_err().rule, Rule::OutOfRange);
        assert_eq!(Address::of_word(512).unwrap_err().rule, Rule::OutOfRange);
    }

    #[test]
    fn a_warp_reaches_its_quarter() {
        let address = Address::new(40, 0).unwrap();
        assert_eq!(address.refuse_unless_reached_by(1), Ok(()));
        assert_eq!(address.refuse_unless_reached_by(5), Ok(()));
        assert_eq!(
            address.refuse_unless_reached_by(2).unwrap_err().legal,
            ["lanes 64 to 95"]
        );
    }

    #[test]
    fn allocations_are_powers_of_two() {
        for columns in [32, 64, 128, 256, 512] {
            assert_eq!(refuse_unless_allocatable(columns), Ok(()));
        }
        assert_eq!(refuse_unless_allocatable(16).unwrap_err().legal, ["32"]);
        assert_eq!(refuse_unless_allocatable(96).unwrap_err().legal, ["128"]);
        assert_eq!(refuse_unless_allocatable(600).unwrap_err().legal, ["512"]);
        assert_eq!(columns_allocated_for(200), Ok(256));
        assert_eq!(
            columns_allocated_for(513).unwrap_err().rule,
            Rule::OutOfRange
        );
    }
}
