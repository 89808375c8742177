//! Where a thread is: CuTe's and CUTLASS's functions of `threadIdx` and `blockIdx`.

use cute_algebra::Int;
use tree_sitter_cute::tree::Span;

use super::Interpreter;
use crate::value::Value;

impl Interpreter<'_> {
    /// The number that an assumption gives a coordinate of the grid, or its symbol.
    pub(super) fn grid_coordinate(&self, symbol: &str, place: Span) -> Int {
        match self.assumed_value(symbol, place) {
            Some(value) => Int::dynamic(value),
            None => Int::coordinate(symbol),
        }
    }

    /// The value of such a function; `None` when the function is another one, or has a symbol of its
    /// own.
    pub(super) fn place_of_thread(&self, function: &str, place: Span) -> Option<Value> {
        let thread = || self.grid_coordinate("threadIdx.x", place);
        let place = match function {
            "canonical_warp_idx" | "canonical_warp_idx_sync" => {
                thread().div(&Int::dynamic(32)).ok()?
            }
            "canonical_warp_group_idx" => thread().div(&Int::dynamic(128)).ok()?,
            "canonical_lane_idx" => thread().rem(&Int::dynamic(32)).ok()?,
            "block_rank_in_cluster" => match self.assumed_value(function, place) {
                Some(rank) => Int::dynamic(rank),
                // The first CTA of the grid is the first of its cluster.
                None => ["blockIdx.x", "blockIdx.y", "blockIdx.z"]
                    .iter()
                    .all(|axis| self.assumed_value(axis, place) == Some(0))
                    .then(|| Int::dynamic(0))?,
            },
            _ => return None,
        };
        Some(Value::Int(place))
    }
}
