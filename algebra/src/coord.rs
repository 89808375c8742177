//! Coordinates and their conversions (paper §2.2.2): `crd2idx`, `idx2crd`, `crd2crd`, and coordinates with `_`.

use crate::int::Int;
use crate::refusal::{Refusal, Rule};
use crate::stride::{Delta, add_points};
use crate::tuple::{IntTuple, Tuple, TupleView, product};
use crate::verdict::Verdict;
use core::fmt;

/// A leaf of a coordinate: an index, or `_` that keeps the whole mode.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CoordLeaf {
    /// An index.
    Int(Int),
    /// `_`: everything.
    Underscore,
}

/// A coordinate that may keep modes with `_` (paper §2.5.1).
pub type Coord = Tuple<CoordLeaf>;

impl fmt::Display for CoordLeaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CoordLeaf::Int(int) => int.fmt(f),
            CoordLeaf::Underscore => f.write_str("_"),
        }
    }
}

fn mismatched_ranks(left: usize, right: usize) -> Refusal {
    Refusal::asserted(Rule::RankMismatch, "Mismatched Ranks")
        .with("left_rank", left)
        .with("right_rank", right)
}

/// The offset of a coordinate: `sum(c_i * d_i)` after splitting integers over nested modes (paper §2.2.2).
pub fn crd2idx(
    coord: TupleView<'_, Int>,
    shape: TupleView<'_, Int>,
    stride: TupleView<'_, Delta>,
) -> Result<IntTuple, Refusal> {
    if !shape.is_congruent(stride) {
        return Err(mismatched_ranks(shape.rank(), stride.rank()));
    }
    match (coord.as_leaf(), stride.as_leaf()) {
        (Some(index), Some(step)) => step.scale(index)?.to_point(),
        (Some(index), None) => split_index(index, shape, stride),
        (None, Some(_)) => Err(Refusal::asserted(Rule::NotCongruent, "Invalid parameters")
            .with("coordinate", coord.to_string())),
        (None, None) => {
            if coord.rank() != shape.rank() {
                return Err(mismatched_ranks(coord.rank(), shape.rank()));
            }
            let mut sum: Option<IntTuple> = None;
            for ((c, s), d) in coord.modes().zip(shape.modes()).zip(stride.modes()) {
                let part = crd2idx(c, s, d)?;
                sum = Some(match sum {
                    None => part,
                    Some(sum) => add_points(sum.view(), part.view())?,
                });
            }
            Ok(sum.unwrap_or_else(|| Tuple::leaf(Int::ZERO)))
        }
    }
}

/// An integer coordinate into a tuple: digits by division, the last mode takes the rest.
fn split_index(
    index: &Int,
    shape: TupleView<'_, Int>,
    stride: TupleView<'_, Delta>,
) -> Result<IntTuple, Refusal> {
    let rank = shape.rank();
    let mut rest = index.clone();
    let mut parts: Vec<IntTuple> = Vec::with_capacity(rank);
    for (i, (s, d)) in shape.modes().zip(stride.modes()).enumerate() {
        let digit = if i + 1 == rank || rest.is_constant(0) {
            rest.clone()
        } else {
            let extent = product(s.leaves())?;
            let digit = rest.rem(&extent)?;
            rest = rest.div(&extent)?;
            digit
        };
        parts.push(crd2idx(Tuple::leaf(digit).view(), s, d)?);
    }
    // Right to left, as CuTe's recursion adds: m0 + (m1 + (m2 + ...)).
    let mut sum: Option<IntTuple> = None;
    for part in parts.into_iter().rev() {
        sum = Some(match sum {
            None => part,
            Some(sum) => add_points(part.view(), sum.view())?,
        });
    }
    Ok(sum.unwrap_or_else(|| Tuple::leaf(Int::ZERO)))
}

/// The colexicographic index of a coordinate in a shape (leftmost mode fastest).
pub fn crd2idx_colex(coord: TupleView<'_, Int>, shape: TupleView<'_, Int>) -> Result<Int, Refusal> {
    if let Some(index) = coord.as_leaf() {
        return Ok(index.clone());
    }
    if shape.is_leaf() {
        return Err(Refusal::asserted(Rule::NotCongruent, "Invalid parameters")
            .with("coordinate", coord.to_string()));
    }
    if coord.rank() != shape.rank() {
        return Err(mismatched_ranks(coord.rank(), shape.rank()));
    }
    let mut digits: Vec<(Int, Int)> = Vec::new();
    collect_digits(coord, shape, &mut digits)?;
    let mut index: Option<Int> = None;
    for (digit, extent) in digits.into_iter().rev() {
        index = Some(match index {
            None => digit,
            Some(rest) => digit.add(&extent.mul(&rest)?)?,
        });
    }
    Ok(index.unwrap_or(Int::ZERO))
}

/// The leaves of a coordinate, each with the product of the extents it covers.
fn collect_digits(
    coord: TupleView<'_, Int>,
    shape: TupleView<'_, Int>,
    digits: &mut Vec<(Int, Int)>,
) -> Result<(), Refusal> {
    if let Some(digit) = coord.as_leaf() {
        digits.push((digit.clone(), product(shape.leaves())?));
        return Ok(());
    }
    if shape.is_leaf() || coord.rank() != shape.rank() {
        return Err(mismatched_ranks(coord.rank(), shape.rank()));
    }
    coord
        .modes()
        .zip(shape.modes())
        .try_for_each(|(c, s)| collect_digits(c, s, digits))
}

/// The coordinate of a colexicographic index: `c_i = (idx / prod(s_0..s_{i-1})) % s_i`, the last mode unbounded.
pub fn idx2crd(index: TupleView<'_, Int>, shape: TupleView<'_, Int>) -> Result<IntTuple, Refusal> {
    match (index.as_leaf(), shape.as_leaf()) {
        (Some(index), Some(_)) => Ok(Tuple::leaf(index.clone())),
        (None, Some(_)) => Err(Refusal::asserted(Rule::NotCongruent, "Invalid parameters")
            .with("coordinate", index.to_string())),
        (None, None) => {
            if index.rank() != shape.rank() {
                return Err(mismatched_ranks(index.rank(), shape.rank()));
            }
            Tuple::group(
                index
                    .modes()
                    .zip(shape.modes())
                    .map(|(i, s)| idx2crd(i, s))
                    .collect::<Result<Vec<_>, _>>()?,
            )
        }
        (Some(index), None) => split_over(index, shape),
    }
}

fn split_over(index: &Int, shape: TupleView<'_, Int>) -> Result<IntTuple, Refusal> {
    if shape.is_leaf() {
        return Ok(Tuple::leaf(index.clone()));
    }
    let rank = shape.rank();
    let mut rest = index.clone();
    let mut modes = Vec::with_capacity(rank);
    for (i, s) in shape.modes().enumerate() {
        let digit = if i + 1 == rank || rest.is_constant(0) {
            rest.clone()
        } else {
            let extent = product(s.leaves())?;
            let digit = rest.rem(&extent)?;
            rest = rest.div(&extent)?;
            digit
        };
        modes.push(split_over(&digit, s)?);
    }
    Tuple::group(modes)
}

/// The coordinate at which a compact layout has this offset: `(idx / d) % s` in each mode.
pub fn idx2crd_stride(
    index: TupleView<'_, Int>,
    shape: TupleView<'_, Int>,
    stride: TupleView<'_, Delta>,
) -> Result<IntTuple, Refusal> {
    if !index.is_leaf() {
        if shape.is_leaf() {
            return Err(Refusal::asserted(Rule::NotCongruent, "Invalid parameters")
                .with("coordinate", index.to_string()));
        }
        if index.rank() != shape.rank() || index.rank() != stride.rank() {
            return Err(mismatched_ranks(index.rank(), shape.rank()));
        }
        let modes = index.modes().zip(shape.modes()).zip(stride.modes());
        return Tuple::group(
            modes
                .map(|((i, s), d)| idx2crd_stride(i, s, d))
                .collect::<Result<Vec<_>, _>>()?,
        );
    }
    match (shape.as_leaf(), stride.as_leaf()) {
        (Some(extent), Some(step)) => {
            if extent.is_constant(1) {
                return Ok(Tuple::leaf(Int::ZERO));
            }
            let step = step.as_int().ok_or_else(|| {
                Refusal::uncompilable(Rule::UnlikeCodomains, "no match for operator/")
                    .with("stride", step.to_string())
            })?;
            let index = index.as_leaf().cloned().unwrap_or(Int::ZERO);
            Ok(Tuple::leaf(index.div(step)?.rem(extent)?))
        }
        (None, Some(step)) => {
            let compact = crate::ops::compact::compact_left(shape, step)?;
            let modes = shape.modes().zip(compact.modes());
            Tuple::group(
                modes
                    .map(|(s, d)| idx2crd_stride(index, s, d))
                    .collect::<Result<Vec<_>, _>>()?,
            )
        }
        (None, None) => {
            if shape.rank() != stride.rank() {
                return Err(mismatched_ranks(shape.rank(), stride.rank()));
            }
            let modes = shape.modes().zip(stride.modes());
            Tuple::group(
                modes
                    .map(|(s, d)| idx2crd_stride(index, s, d))
                    .collect::<Result<Vec<_>, _>>()?,
            )
        }
        (Some(_), None) => Err(mismatched_ranks(shape.rank(), stride.rank())),
    }
}

/// The coordinates of a shape in colexicographic order, each congruent to the shape (paper §2.2.1, Figure 2).
///
/// The coordinate *set* of a shape joins these with the coordinates of every coarser shape; [`is_inside`] decides
/// membership without listing any. Lazy; refused for a shape of unknown or negative size.
///
/// ```
/// use cute_algebra::{Shape, coord::coordinates};
/// let shape: Shape = "((_2,_1),_3)".parse()?;
/// let texts: Result<Vec<_>, _> = coordinates(&shape)?.map(|c| c.map(|c| format!("{c:#}"))).collect();
/// assert_eq!(texts?.join(" "), "((0,0),0) ((1,0),0) ((0,0),1) ((1,0),1) ((0,0),2) ((1,0),2)");
/// # Ok::<(), cute_algebra::Refusal>(())
/// ```
pub fn coordinates(
    shape: &IntTuple,
) -> Result<impl Iterator<Item = Result<IntTuple, Refusal>>, Refusal> {
    let size = shape.size()?;
    let count = size
        .value()
        .filter(|size| *size >= 0)
        .ok_or_else(|| Refusal::new(Rule::NotProvable, Verdict::Accepts).with("size", &size))?;
    Ok((0..count).map(|i| idx2crd(Tuple::leaf(Int::fixed(i)).view(), shape.view())))
}

/// A coordinate of one shape as a coordinate of another of the same size.
pub fn crd2crd(
    coord: TupleView<'_, Int>,
    from: TupleView<'_, Int>,
    to: TupleView<'_, Int>,
) -> Result<IntTuple, Refusal> {
    if !coord.is_leaf() && !from.is_leaf() && !to.is_leaf() {
        if coord.rank() != from.rank() || coord.rank() != to.rank() {
            return Err(mismatched_ranks(coord.rank(), from.rank()));
        }
        let modes = coord.modes().zip(from.modes()).zip(to.modes());
        return Tuple::group(
            modes
                .map(|((c, s), d)| crd2crd(c, s, d))
                .collect::<Result<Vec<_>, _>>()?,
        );
    }
    idx2crd(Tuple::leaf(crd2idx_colex(coord, from)?).view(), to)
}

/// Whether a coordinate is inside a shape: `None` when symbols leave it open.
pub fn is_inside(
    coord: TupleView<'_, Int>,
    shape: TupleView<'_, Int>,
) -> Result<Option<bool>, Refusal> {
    if let Some(index) = coord.as_leaf() {
        let extent = product(shape.leaves())?;
        return Ok(match (index.less(&Int::ZERO), index.less(&extent)) {
            (Some(true), _) | (_, Some(false)) => Some(false),
            (Some(false), Some(true)) => Some(true),
            _ => None,
        });
    }
    if coord.rank() != shape.rank() || shape.is_leaf() {
        return Err(Refusal::new(
            Rule::RankMismatch,
            Verdict::StaticAssert("Mismatched Ranks"),
        )
        .with("left_rank", coord.rank())
        .with("right_rank", shape.rank()));
    }
    let mut all = Some(true);
    for (c, s) in coord.modes().zip(shape.modes()) {
        match is_inside(c, s)? {
            Some(false) => return Ok(Some(false)),
            Some(true) => {}
            None => all = None,
        }
    }
    Ok(all)
}
