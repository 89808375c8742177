//! The nullspace: the coordinates that a layout sends to 0 because of static stride-0 modes.
//!
//! Law: `L(R(i)) = 0` for all `i < size(R)`. Linear.

use crate::layout::{Layout, LayoutBuilder};
use crate::ops::compact::compact_left;
use crate::ops::modes::flatten;
use crate::refusal::Refusal;
use crate::stride::Delta;

/// The stride-0 modes with the strides that they have in a compact layout of the shape; `_1:_0` when there are none.
pub fn nullspace(layout: &Layout) -> Result<Layout, Refusal> {
    let flat = flatten(layout)?;
    let view = flat.view();
    let strides = compact_left(view.shape_view(), &Delta::ONE)?;
    let kept: Vec<_> = view
        .extents()
        .iter()
        .zip(view.steps())
        .zip(strides.leaves())
        .filter(|((_, step), _)| step.is_constant(0))
        .map(|((extent, _), stride)| (extent.clone(), stride.clone()))
        .collect();
    let mut builder = LayoutBuilder::new();
    match kept.len() {
        0 => return Ok(Layout::unit()),
        1 => {}
        rank => {
            let mark = builder.open();
            builder.close(mark, rank);
        }
    }
    for (extent, stride) in kept {
        builder.leaf(extent, stride);
    }
    builder.finish()
}
