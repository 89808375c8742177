//! The span of a layout's image: `coshape`, `cosize` and the profile of the codomain.
//!
//! All linear in the number of leaves; refused only on overflow and for strides of unlike codomains.

use crate::int::Int;
use crate::layout::{Layout, LayoutView};
use crate::refusal::Refusal;
use crate::stride::{Delta, add_points};
use crate::tuple::{IntTuple, Tuple};

/// The extents of the codomain that the layout spans: `1 + sum((s-1)*|d|)`, per coordinate.
///
/// Equals the largest offset plus one when no stride is negative.
pub fn coshape(layout: &Layout) -> Result<IntTuple, Refusal> {
    let view = layout.view();
    let mut last = Tuple::leaf(Int::ZERO);
    for (extent, step) in view.extents().iter().zip(view.steps()) {
        let reach = step.abs()?.scale(&extent.sub(&Int::ONE)?)?;
        last = add_points(last.view(), reach.to_point()?.view())?;
    }
    last.try_map(|c| c.add(&Int::ONE))
}

/// The product of [`coshape`].
pub fn cosize(layout: &Layout) -> Result<Int, Refusal> {
    let view = layout.view();
    // Integer strides need no tuples.
    let mut reach = Int::ZERO;
    for (extent, step) in view.extents().iter().zip(view.steps()) {
        let Delta::Int(step) = step else {
            return coshape(layout)?.size();
        };
        reach = reach.add(&extent.sub(&Int::ONE)?.mul(&step.abs()?)?)?;
    }
    reach.add(&Int::ONE)
}

/// A zero for each coordinate of the codomain (CuTe's `coprofile`).
pub fn coprofile(layout: &Layout) -> Result<IntTuple, Refusal> {
    coprofile_view(layout.view())
}

pub(crate) fn coprofile_view(layout: LayoutView<'_>) -> Result<IntTuple, Refusal> {
    let mut sum = Tuple::leaf(Int::ZERO);
    for step in layout.steps() {
        sum = add_points(sum.view(), step.to_point()?.view())?;
    }
    Ok(sum.map(|_| Int::ZERO))
}
