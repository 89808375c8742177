//! The span of a layout's image: `coshape` and `cosize`.

use crate::int::Int;
use crate::layout::Layout;
use crate::refusal::Refusal;
use crate::stride::add_points;
use crate::tuple::{IntTuple, Tuple};

/// The extents of the codomain that the layout spans: `1 + sum((s-1)*|d|)`, per coordinate.
///
/// Equals the largest offset plus one when no stride is negative. Linear in the number of leaves.
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
    coshape(layout)?.size()
}

/// A zero for each coordinate of the codomain (CuTe's `coprofile`).
pub fn coprofile(layout: &Layout) -> Result<IntTuple, Refusal> {
    let mut sum = Tuple::leaf(Int::ZERO);
    for step in layout.view().steps() {
        sum = add_points(sum.view(), step.to_point()?.view())?;
    }
    Ok(sum.map(|_| Int::ZERO))
}
