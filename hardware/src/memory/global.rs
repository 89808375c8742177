//! Global-memory accesses: sectors of 32 bytes, lines of 128.

use std::collections::BTreeSet;

/// The bytes of a sector, the unit of transfer.
pub const SECTOR_BYTES: i64 = 32;
/// The bytes of a line, the unit of a tag.
pub const LINE_BYTES: i64 = 128;

/// The cost of one instruction of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlobalCost {
    /// Distinct sectors touched.
    pub sectors: i64,
    /// Distinct lines touched.
    pub lines: i64,
    /// Distinct bytes touched.
    pub bytes: i64,
}

impl GlobalCost {
    /// The fewest sectors that hold as many bytes.
    pub fn ideal_sectors(self) -> i64 {
        (self.bytes + SECTOR_BYTES - 1) / SECTOR_BYTES
    }

    /// The part of the transferred bytes that is used, in percent, rounded down; 100 for no access.
    pub fn efficiency_percent(self) -> i64 {
        if self.sectors == 0 {
            100
        } else {
            100 * self.bytes / (self.sectors * SECTOR_BYTES)
        }
    }
}

/// The cost of one instruction: the byte address of each lane, `None` for an inactive one, and the bytes of a lane.
///
/// ```
/// use cute_hardware::memory::global_cost;
/// let shifted: Vec<Option<i64>> = (0..32).map(|lane| Some(lane * 4 + 4)).collect();
/// let cost = global_cost(&shifted, 4);
/// assert_eq!((cost.sectors, cost.lines, cost.efficiency_percent()), (5, 2, 80));
/// ```
pub fn global_cost(lanes: &[Option<i64>], width: i64) -> GlobalCost {
    let bytes: BTreeSet<i64> = lanes
        .iter()
        .flatten()
        .flat_map(|&address| address..address + width)
        .collect();
    let count = |unit: i64| {
        bytes
            .iter()
            .map(|byte| byte.div_euclid(unit))
            .collect::<BTreeSet<_>>()
            .len() as i64
    };
    GlobalCost {
        sectors: count(SECTOR_BYTES),
        lines: count(LINE_BYTES),
        bytes: bytes.len() as i64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(width: i64, address: impl Fn(i64) -> i64) -> (i64, i64, i64) {
        let lanes: Vec<Option<i64>> = (0..32).map(|lane| Some(address(lane))).collect();
        let cost = global_cost(&lanes, width);
        (cost.sectors, cost.lines, cost.efficiency_percent())
    }

    #[test]
    fn known_patterns() {
        assert_eq!(cost(4, |lane| lane * 4), (4, 1, 100));
        assert_eq!(cost(16, |lane| lane * 16), (16, 4, 100));
        assert_eq!(cost(4, |lane| lane * 4 + 4), (5, 2, 80));
        assert_eq!(cost(4, |lane| lane * 8), (8, 2, 50));
        assert_eq!(cost(4, |lane| lane * 32), (32, 8, 12));
        assert_eq!(cost(4, |lane| lane * 128), (32, 32, 12));
        assert_eq!(
            cost(16, |lane| lane / 4 * 1024 + lane % 4 * 16),
            (16, 8, 100)
        );
    }

    #[test]
    fn nothing_costs_nothing() {
        assert_eq!(
            global_cost(&[None; 32], 4),
            GlobalCost {
                sectors: 0,
                lines: 0,
                bytes: 0
            }
        );
    }
}
