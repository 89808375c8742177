//! Inverses (paper §3.4).
//!
//! Right inverse: `L(R(k)) = k` for all `k < size(R)`, as large as static strides tell. Left inverse: `L(R(L(k))) = L(k)`,
//! and `R(L(k)) = k` for injective `L`. Both sort the coalesced modes by stride; `O(n^2)` for CuTe's exchange sort, whose
//! order of equal strides shows in the form.
//!
//! Refused: a left inverse of run-time strides, or of strides that do not divide one another.
//!
//! ```
//! use cute_algebra::{Layout, ops::{left_inverse, right_inverse}};
//! let layout: Layout = "(_2,_2,_2):(_4,_1,_2)".parse()?;
//! assert_eq!(right_inverse(&layout)?.to_string(), "(_4,_2):(_2,_1)");
//! let padded: Layout = "(_4,_8):(_1,_5)".parse()?;
//! assert_eq!(left_inverse(&padded)?.to_string(), "(_5,_8):(_1,_4)");
//! # Ok::<(), cute_algebra::Refusal>(())
//! ```

use crate::int::Int;
use crate::layout::Layout;
use crate::ops::coalesce::{coalesce, coalesce_modes};
use crate::ops::codomain::{Codomain, step_in};
use crate::refusal::{Refusal, Rule};
use crate::stride::{Delta, Path};
use crate::tuple::product;
use smallvec::SmallVec;

/// A mode of a coalesced layout with a known stride.
struct SortedMode {
    extent: Int,
    stride: i64,
    /// The product of the extents before it: its stride in the inverse.
    before: Int,
}

type SortedModes = SmallVec<[SortedMode; 8]>;

/// The largest layout that finds the coordinate of each offset from 0 on, judged by static strides.
///
/// For a layout into coordinates, one mode per coordinate: `(4,8):(e0,e1)` gives `(4,8):(1,4)` (Table 5).
pub fn right_inverse(layout: &Layout) -> Result<Layout, Refusal> {
    let coalesced = coalesce(layout)?;
    in_each_coordinate(&coalesced, right_inverse_of_modes)
}

/// A layout that finds a coordinate for each offset of the image.
///
/// For a layout into coordinates, one mode per coordinate: `(4,(4,2)):(e1,(e0,6e1))` gives `(4,(6,2)):(4,(1,16))` (Table 6).
pub fn left_inverse(layout: &Layout) -> Result<Layout, Refusal> {
    let coalesced = coalesce(layout)?;
    if let Some(step) = coalesced
        .view()
        .steps()
        .iter()
        .find(|step| !step.is_static())
    {
        return Err(Refusal::asserted(
            Rule::NeedsStaticStrides,
            "Left inverse requires static strides.",
        )
        .with("stride", step.to_string()));
    }
    in_each_coordinate(&coalesced, left_inverse_of_modes)
}

/// Inverts the modes of each coordinate of the codomain, which come sorted by stride.
fn in_each_coordinate(
    coalesced: &Layout,
    invert: impl Fn(&[SortedMode]) -> Result<Layout, Refusal>,
) -> Result<Layout, Refusal> {
    let codomain = Codomain::of(coalesced.view())?;
    if let [path] = codomain.paths.as_slice()
        && path.is_empty()
    {
        return invert(&sorted_modes(coalesced, path)?);
    }
    let mut parts = Vec::with_capacity(codomain.paths.len());
    for path in &codomain.paths {
        parts.push(invert(&sorted_modes(coalesced, path)?)?);
    }
    codomain.assemble(&parts)
}

/// The static modes that step in one coordinate, in the order of CuTe's exchange sort.
fn sorted_modes(layout: &Layout, path: &Path) -> Result<SortedModes, Refusal> {
    let view = layout.view();
    let mut before = Int::ONE;
    let mut modes = SortedModes::new();
    for (extent, step) in view.extents().iter().zip(view.steps()) {
        let next = extent.mul(&before)?;
        let before = core::mem::replace(&mut before, next);
        if let Some(stride) = step_in(step, path)?.and_then(|step| step.as_static()) {
            modes.push(SortedMode {
                extent: extent.clone(),
                stride,
                before,
            });
        }
    }
    exchange_sort(&mut modes);
    Ok(modes)
}

/// CuTe's exchange sort, which is not stable: the order of equal strides is its own.
fn exchange_sort(modes: &mut [SortedMode]) {
    for i in 0..modes.len() {
        for j in i + 1..modes.len() {
            if matches!((modes.get(j), modes.get(i)), (Some(b), Some(a)) if b.stride < a.stride) {
                modes.swap(i, j);
            }
        }
    }
}

/// Follows the strides from 1 on as long as each continues where the last one ended.
fn right_inverse_of_modes(modes: &[SortedMode]) -> Result<Layout, Refusal> {
    let mut inverse: SmallVec<[(Int, Delta); 8]> = SmallVec::new();
    let mut reached = Int::ONE;
    for mode in modes {
        if reached.is_constant(mode.stride) {
            reached = mode.extent.mul(&Int::fixed(mode.stride))?;
            inverse.push((mode.extent.clone(), Delta::Int(mode.before.clone())));
        }
    }
    coalesce_modes(inverse.drain(..))
}

/// Each stride splits the offsets below it into a gap-free count of the strides before.
fn left_inverse_of_modes(modes: &[SortedMode]) -> Result<Layout, Refusal> {
    let Some(last) = modes.last() else {
        return Ok(Layout::unit());
    };
    let mut extents: Vec<Int> = Vec::with_capacity(modes.len() + 1);
    let mut strides: Vec<Delta> = vec![Delta::ZERO];
    for mode in modes.iter().filter(|mode| mode.stride != 0) {
        let stride = Int::fixed(mode.stride);
        let reached = product(&extents)?;
        if !stride.rem(&reached)?.is_constant(0) {
            return Err(Refusal::asserted(
                Rule::NotDivisible,
                "Left inverse divisibility condition",
            )
            .with("stride", mode.stride)
            .with("reached", &reached));
        }
        extents.push(stride.div(&reached)?);
        strides.push(Delta::Int(mode.before.clone()));
    }
    extents.push(last.extent.clone());
    coalesce_modes(extents.into_iter().zip(strides))
}
