//! The offsets of `[0, M)` that a layout reaches: the bijection form of the complement, as a property.
//!
//! The blog asks of a complement that `(A, A*)` be a bijection onto `[0, M)`; the paper asks for disjointness and order
//! only (§3.5). A complement by the paper's conditions may leave holes, `(2,2):(1,3)` in `[0, 12)` leaves 2 and 5, or
//! reach beyond `M`, `4:1` in `[0, 10)` reaches 11. So the bijection is not demanded but reported.

use crate::int::Int;
use crate::layout::Layout;
use crate::refusal::{Refusal, Rule};
use crate::verdict::Verdict;
use core::fmt;

/// The image of a layout compared with `[0, target)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// The number of offsets that are to be reached.
    pub target: i64,
    /// The number of coordinates.
    pub size: i64,
    /// The smallest offset below the target that no coordinate has.
    pub first_hole: Option<i64>,
    /// The largest offset, when it is not below the target.
    pub beyond: Option<i64>,
}

/// The verdict on a [`Coverage`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covers {
    /// Every offset below the target is reached by exactly one coordinate, and no other offset is.
    Exact,
    /// Every offset below the target is reached, and some coordinates share an offset.
    Repeats,
    /// Every offset below the target is reached, and others are.
    OverCovers,
    /// Some offset below the target is not reached; all that are reached are below it.
    LeavesHoles,
    /// Some offset below the target is not reached, and some at or above it are.
    LeavesHolesAndOverCovers,
}

impl Coverage {
    /// The coverage of `[0, target)` by the image of a layout with known steps that are not negative.
    ///
    /// Decided from the modes alone. With the steps in ascending order, modes that cover `[0, n)` together go on to
    /// cover `[0, n + (s-1)*d)` with a mode `s:d` of `d <= n`; the first mode with `d > n` leaves the hole `n`.
    ///
    /// ```
    /// use cute_algebra::coverage::{Coverage, Covers};
    /// let coverage = Coverage::of(&"((_2,_2),(_1,_2)):((_1,_3),(_1,_6))".parse()?, 12)?;
    /// assert_eq!((coverage.covers(), coverage.first_hole), (Covers::LeavesHoles, Some(2)));
    /// # Ok::<(), cute_algebra::Refusal>(())
    /// ```
    pub fn of(layout: &Layout, target: i64) -> Result<Self, Refusal> {
        let known = |int: &Int| {
            int.value().ok_or_else(|| {
                Refusal::new(Rule::NotProvable, Verdict::Accepts).with("unknown", int)
            })
        };
        let overflow = || Refusal::overflow("offset").with("layout", layout.to_string());
        let size = known(&layout.size()?)?;
        let view = layout.view();
        let mut modes: Vec<(i64, i64)> = Vec::new();
        for (extent, step) in view.extents().iter().zip(view.steps()) {
            let step = step.as_int().ok_or_else(|| {
                Refusal::new(Rule::UnlikeCodomains, Verdict::Accepts)
                    .with("stride", step.to_string())
            })?;
            let (extent, step) = (known(extent)?, known(step)?);
            if step < 0 || extent < 1 {
                return Err(Refusal::new(Rule::NegativeStride, Verdict::Accepts)
                    .with("extent", extent)
                    .with("stride", step));
            }
            if extent > 1 && step > 0 {
                modes.push((step, extent));
            }
        }
        modes.sort_unstable();
        let (mut last, mut covered, mut hole) = (0_i64, 1_i64, false);
        for (step, extent) in modes {
            let span = (extent - 1).checked_mul(step).ok_or_else(overflow)?;
            last = last.checked_add(span).ok_or_else(overflow)?;
            hole |= step > covered;
            if !hole {
                covered = covered.checked_add(span).ok_or_else(overflow)?;
            }
        }
        Ok(Coverage {
            target,
            size,
            first_hole: (covered < target).then_some(covered),
            beyond: (last >= target).then_some(last),
        })
    }

    /// The coverage of `[0, target)` by a layout and its complement together: CuTe's `(A, A*)`.
    pub fn of_pair(layout: &Layout, complement: &Layout, target: i64) -> Result<Self, Refusal> {
        Coverage::of(&Layout::concat([layout.view(), complement.view()])?, target)
    }

    /// The verdict.
    pub fn covers(&self) -> Covers {
        match (self.first_hole, self.beyond) {
            (None, None) if self.size == self.target => Covers::Exact,
            (None, None) => Covers::Repeats,
            (None, Some(_)) => Covers::OverCovers,
            (Some(_), None) => Covers::LeavesHoles,
            (Some(_), Some(_)) => Covers::LeavesHolesAndOverCovers,
        }
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let target = self.target;
        match (self.first_hole, self.beyond) {
            (None, None) if self.size == target => {
                write!(f, "exact: every offset of [0,{target}) once")
            }
            (None, None) => write!(
                f,
                "every offset of [0,{target}), {} coordinates for them",
                self.size
            ),
            (None, Some(last)) => write!(f, "over-covers [0,{target}): reaches {last}"),
            (Some(hole), None) => write!(f, "leaves holes in [0,{target}): the first is {hole}"),
            (Some(hole), Some(last)) => {
                write!(
                    f,
                    "leaves holes in [0,{target}), the first is {hole}, and reaches {last}"
                )
            }
        }
    }
}
