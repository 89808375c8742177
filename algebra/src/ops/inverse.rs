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
use crate::layout::{Layout, LayoutBuilder};
use crate::ops::coalesce::{coalesce, coalesce_view};
use crate::refusal::{Refusal, Rule};
use crate::stride::Delta;
use crate::tuple::product;

/// A mode of a coalesced layout with a known stride.
struct SortedMode {
    extent: Int,
    stride: i64,
    /// The product of the extents before it: its stride in the inverse.
    before: Int,
}

/// The largest layout that finds the coordinate of each offset from 0 on, as far as static strides tell.
pub fn right_inverse(layout: &Layout) -> Result<Layout, Refusal> {
    let mut modes = modes_with_products(&coalesce(layout)?)?;
    modes.retain(|mode| mode.1.is_static());
    let modes = sort_by_stride(modes)?;
    let mut builder = LayoutBuilder::new();
    let mark = builder.open();
    builder.leaf(Int::ONE, Delta::ZERO);
    let mut rank = 1;
    let mut reached = Int::ONE;
    for mode in modes {
        if reached.is_constant(mode.stride) {
            reached = mode.extent.mul(&Int::fixed(mode.stride))?;
            builder.leaf(mode.extent, Delta::Int(mode.before));
            rank += 1;
        }
    }
    builder.close(mark, rank);
    coalesce_view(builder.finish()?.view())
}

/// A layout that finds a coordinate for each offset of the image.
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
    let modes = sort_by_stride(modes_with_products(&coalesced)?)?;
    let mut extents: Vec<Int> = Vec::with_capacity(modes.len() + 1);
    let mut strides: Vec<Delta> = vec![Delta::ZERO];
    let Some(last) = modes.last().map(|mode| mode.extent.clone()) else {
        return Ok(Layout::unit());
    };
    for mode in modes {
        if mode.stride == 0 {
            continue;
        }
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
        strides.push(Delta::Int(mode.before));
    }
    extents.push(last);
    let mut builder = LayoutBuilder::new();
    let mark = builder.open();
    builder.close(mark, extents.len());
    for (extent, stride) in extents.into_iter().zip(strides) {
        builder.leaf(extent, stride);
    }
    coalesce_view(builder.finish()?.view())
}

type ModeWithProduct = (Int, Delta, Int);

fn modes_with_products(layout: &Layout) -> Result<Vec<ModeWithProduct>, Refusal> {
    let view = layout.view();
    let mut before = Int::ONE;
    let mut modes = Vec::with_capacity(view.extents().len());
    for (extent, step) in view.extents().iter().zip(view.steps()) {
        let next = extent.mul(&before)?;
        modes.push((
            extent.clone(),
            step.clone(),
            core::mem::replace(&mut before, next),
        ));
    }
    Ok(modes)
}

/// CuTe's exchange sort, which is not stable: the order of equal strides is its own.
fn sort_by_stride(modes: Vec<ModeWithProduct>) -> Result<Vec<SortedMode>, Refusal> {
    let mut sorted = Vec::with_capacity(modes.len());
    for (extent, step, before) in modes {
        let stride = step.as_int().and_then(Int::as_static).ok_or_else(|| {
            Refusal::uncompilable(Rule::UnlikeCodomains, "a basis has no value to sort by")
                .with("stride", step.to_string())
        })?;
        sorted.push(SortedMode {
            extent,
            stride,
            before,
        });
    }
    for i in 0..sorted.len() {
        for j in i + 1..sorted.len() {
            let smaller =
                matches!((sorted.get(j), sorted.get(i)), (Some(b), Some(a)) if b.stride < a.stride);
            if smaller {
                sorted.swap(i, j);
            }
        }
    }
    Ok(sorted)
}
