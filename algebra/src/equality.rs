//! Whether two layouts are the same function.
//!
//! Three ways, cheapest first. Two layouts of one shape and stride each are compared by where their modes begin, which
//! decides for any size. Layouts that are linear over F2, swizzles among them, are compared as matrices. The rest is
//! evaluated coordinate by coordinate within a budget, and the answer says when that was not enough.

use crate::composed::AnyLayout;
use crate::f2::AffineMap;
use crate::layout::{Layout, Offset};
use crate::refusal::Refusal;

/// The proof of an equality.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The coalesced forms begin the same modes: a theorem, for any size.
    Modes,
    /// The matrices over F2 are equal: a theorem, for any size.
    Matrices,
    /// Every coordinate was evaluated.
    Exhaustion,
}

/// The first difference of two layouts of the same size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The first index at which they differ.
    pub index: i64,
    /// The offset of the left layout there.
    pub left: Offset,
    /// The offset of the right layout there.
    pub right: Offset,
}

/// The answer of [`compare`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The same offsets at every index.
    Equal(Proof),
    /// The sizes differ.
    OtherSize,
    /// The offsets differ, first here.
    Differ(Box<Difference>),
    /// Equal within the budget: on the indices below this one.
    EqualBelow(u64),
    /// A symbol leaves it open.
    Open,
}

/// Compares two layouts as functions of their indices, whatever their profiles.
///
/// `budget` is the number of coordinates that may be evaluated where no theorem decides.
///
/// ```
/// use cute_algebra::equality::{Comparison, Proof, compare};
/// use cute_algebra::{AnyLayout, Layout};
/// let flat = AnyLayout::from("_1152921504606846976:_1".parse::<Layout>()?);
/// let tiled = AnyLayout::from("(_1024,_1125899906842624):(_1,_1024)".parse::<Layout>()?);
/// assert_eq!(compare(&flat, &tiled, 0)?, Comparison::Equal(Proof::Modes));
/// # Ok::<(), cute_algebra::Refusal>(())
/// ```
pub fn compare(left: &AnyLayout, right: &AnyLayout, budget: u64) -> Result<Comparison, Refusal> {
    let (Some(size), Some(other)) = (left.size()?.value(), right.size()?.value()) else {
        let same = left == right;
        return Ok(if same {
            Comparison::Equal(Proof::Modes)
        } else {
            Comparison::Open
        });
    };
    if size != other {
        return Ok(Comparison::OtherSize);
    }
    if let (AnyLayout::Affine(a), AnyLayout::Affine(b)) = (left, right)
        && let (Some(mut at), Some(more)) = (beginnings(a), beginnings(b))
    {
        at.extend(more);
        at.sort_unstable();
        return compare_at(left, right, at.into_iter(), Proof::Modes);
    }
    if let (Ok(a), Ok(b)) = (AffineMap::of_any(left), AffineMap::of_any(right)) {
        let bits = 0..a.matrix.columns().len().max(b.matrix.columns().len());
        return compare_at(
            left,
            right,
            [0].into_iter().chain(bits.map(|j| 1 << j)),
            Proof::Matrices,
        );
    }
    let affordable = i64::try_from(budget).unwrap_or(i64::MAX).min(size);
    match compare_at(left, right, 0..affordable, Proof::Exhaustion)? {
        Comparison::Equal(_) if affordable < size => {
            Ok(Comparison::EqualBelow(affordable.cast_unsigned()))
        }
        answer => Ok(answer),
    }
}

/// The first of these indices at which the layouts differ.
fn compare_at(
    left: &AnyLayout,
    right: &AnyLayout,
    indices: impl Iterator<Item = i64>,
    proof: Proof,
) -> Result<Comparison, Refusal> {
    for index in indices {
        let (a, b) = (left.eval(index)?, right.eval(index)?);
        if a.to_fixed() != b.to_fixed() {
            let open = a
                .leaves()
                .iter()
                .chain(b.leaves())
                .any(|number| number.value().is_none());
            return Ok(if open {
                Comparison::Open
            } else {
                Comparison::Differ(Box::new(Difference {
                    index,
                    left: a,
                    right: b,
                }))
            });
        }
    }
    Ok(Comparison::Equal(proof))
}

/// The indices at which a mode of an integer layout begins. Two such layouts of one size that agree at both layouts'
/// beginnings agree everywhere: up to their first difference they follow one recurrence (see [`crate::infer`]), so that
/// the difference is where one of them begins a mode.
fn beginnings(layout: &Layout) -> Option<Vec<i64>> {
    let view = layout.view();
    let mut index = 1_i64;
    let mut at = Vec::new();
    for (extent, step) in view.extents().iter().zip(view.steps()) {
        step.as_int()?;
        let extent = extent.value()?;
        if extent > 1 {
            at.push(index);
        }
        index = index.checked_mul(extent)?;
    }
    Some(at)
}
