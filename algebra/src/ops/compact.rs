//! Compact strides: each extent steps by the product of the extents before it (CuTe's `compact_major`).

use crate::int::Int;
use crate::refusal::Refusal;
use crate::stride::{Delta, Stride};
use crate::tuple::{Leaves, Profile, Tuple, TupleView};

/// The strides of a column-major layout whose first step is `start`. An extent of static 1 gets the static stride 0.
///
/// Linear in the number of leaves.
pub fn compact_left(shape: TupleView<'_, Int>, start: &Delta) -> Result<Stride, Refusal> {
    let mut leaves = Leaves::with_capacity(shape.leaves.len());
    let mut current = start.clone();
    for extent in shape.leaves {
        leaves.push(step(&mut current, extent)?);
    }
    Ok(Tuple {
        profile: Profile::from_nodes(shape.nodes.into())?,
        leaves,
    })
}

/// The strides of a row-major layout whose last step is `start`. An extent of static 1 gets the static stride 0.
///
/// Linear in the number of leaves.
pub fn compact_right(shape: TupleView<'_, Int>, start: &Delta) -> Result<Stride, Refusal> {
    let mut leaves = Leaves::with_capacity(shape.leaves.len());
    let mut current = start.clone();
    for extent in shape.leaves.iter().rev() {
        leaves.push(step(&mut current, extent)?);
    }
    leaves.reverse();
    Ok(Tuple {
        profile: Profile::from_nodes(shape.nodes.into())?,
        leaves,
    })
}

/// The step of this extent, moving `current` past it.
fn step(current: &mut Delta, extent: &Int) -> Result<Delta, Refusal> {
    if extent.is_constant(1) {
        return Ok(Delta::ZERO);
    }
    let next = current.scale(extent)?;
    Ok(core::mem::replace(current, next))
}
