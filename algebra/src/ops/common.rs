//! The common part of two layouts (paper §3.4.2): the elements that are contiguous in both.
//!
//! Law: `a(R(i)) = i = b(R(i))` for all `i < size(R)`. Linear after the inverse.

use crate::int::Int;
use crate::layout::Layout;
use crate::ops::coalesce::coalesce;
use crate::ops::composition::composition;
use crate::ops::inverse::right_inverse;
use crate::refusal::Refusal;

/// The layout of the coordinates of elements that are contiguous in both; `_1:_0` when only the first is.
pub fn max_common_layout(a: &Layout, b: &Layout) -> Result<Layout, Refusal> {
    let inverse = right_inverse(b)?;
    match contiguous_part(a, &inverse)? {
        Some(part) => composition(&inverse, &part),
        None => Ok(Layout::unit()),
    }
}

/// Number of elements that are contiguous in both.
pub fn max_common_vector(a: &Layout, b: &Layout) -> Result<Int, Refusal> {
    match contiguous_part(a, &right_inverse(b)?)? {
        Some(part) => part.size(),
        None => Ok(Int::ONE),
    }
}

/// The static stride-1 mode with which `a o inverse` begins.
fn contiguous_part(a: &Layout, inverse: &Layout) -> Result<Option<Layout>, Refusal> {
    let common = coalesce(&composition(a, inverse)?)?;
    let first = common.mode(0)?;
    let contiguous = first.shape_view().is_static()
        && first.view().steps().iter().all(|step| step.is_constant(1));
    Ok(contiguous.then_some(first))
}
