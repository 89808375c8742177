//! Witnesses: the first coordinate at which a result departs from its definition.

use crate::layout::Offset;
use crate::refusal::Refusal;
use core::fmt;

/// A coordinate at which a result departs from the definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The colexicographic index of the coordinate (leftmost mode fastest).
    pub coordinate: i64,
    /// The offset that the definition gives.
    pub expected: Offset,
    /// The offset that the result gives.
    pub got: Offset,
    /// Whether the definition reads beyond the domain of the left operand there, where its last mode goes on.
    pub outside_domain: bool,
}

impl fmt::Display for Witness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "at coordinate {}: expected {:#}, got {:#}",
            self.coordinate, self.expected, self.got
        )
    }
}

/// The extent to which a result was compared with its definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checked {
    /// At every coordinate.
    Everywhere,
    /// By a theorem, without visiting coordinates.
    ByTheorem,
    /// At the first coordinates only, of this number.
    First(u64),
    /// Not at all: unknown numbers are in the way.
    Not,
}

/// The outcome of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// No difference was found.
    Holds(Checked),
    /// They differ here.
    Departs(Witness),
}

/// Compares two functions at the coordinates `0..size`, at most `budget` of them.
///
/// `expected` and `got` give the offset of a coordinate; an error of either ends the comparison as unknown.
pub fn compare(
    size: Option<i64>,
    budget: u64,
    expected: &dyn Fn(i64) -> Result<(Offset, bool), Refusal>,
    got: &dyn Fn(i64) -> Result<Offset, Refusal>,
) -> Comparison {
    compare_unless(size, budget, &mut || false, expected, got)
}

/// [`compare`], passing over the coordinates of which `agrees`, asked once for each in turn, says that the functions
/// agree there.
pub(crate) fn compare_unless(
    size: Option<i64>,
    budget: u64,
    agrees: &mut dyn FnMut() -> bool,
    expected: &dyn Fn(i64) -> Result<(Offset, bool), Refusal>,
    got: &dyn Fn(i64) -> Result<Offset, Refusal>,
) -> Comparison {
    let Some(size) = size else {
        return Comparison::Holds(Checked::Not);
    };
    let end = u64::try_from(size).unwrap_or_default().min(budget);
    for coordinate in 0..i64::try_from(end).unwrap_or(i64::MAX) {
        if agrees() {
            continue;
        }
        let (Ok((expected, outside_domain)), Ok(got)) = (expected(coordinate), got(coordinate))
        else {
            return Comparison::Holds(if coordinate == 0 {
                Checked::Not
            } else {
                Checked::First(coordinate.unsigned_abs())
            });
        };
        if !same_point(&expected, &got) {
            return Comparison::Departs(Witness {
                coordinate,
                expected,
                got,
                outside_domain,
            });
        }
    }
    let all = u64::try_from(size).is_ok_and(|size| size <= budget);
    Comparison::Holds(if all {
        Checked::Everywhere
    } else {
        Checked::First(end)
    })
}

/// Equality in the codomain: `(1)` and `(1,0)` are the same point, and 0 is the origin of any.
pub fn same_point(a: &Offset, b: &Offset) -> bool {
    let is_origin = |p: &Offset| p.leaves().iter().all(|c| c.value() == Some(0));
    if is_origin(a) && is_origin(b) {
        return true;
    }
    if let (Some(x), Some(y)) = (a.as_leaf(), b.as_leaf()) {
        return x.equals(y) == Some(true);
    }
    let negative = |p: &Offset| p.try_map(crate::int::Int::neg);
    negative(b)
        .and_then(|b| crate::stride::add_points(a.view(), b.view()))
        .is_ok_and(|difference| difference.leaves().iter().all(|c| c.value() == Some(0)))
}
