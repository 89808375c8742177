//! Complement (paper §3.5): the layout of the offsets that a layout leaves out.
//!
//! Law, for an injective layout with positive strides: the image of `L*` is disjoint from that of `L` except at 0 (28), and
//! `L*` is increasing (29). The size reaches at least to the cotarget. Strides are sorted; between two of them fit
//! `next / (previous * extent)` copies.
//!
//! Refused: a layout that is not injective after stride-0 and size-1 modes are taken away; several modes with run-time
//! strides, which cannot be sorted at compile time. `O(n log n)` in the number of leaves.
//!
//! ```
//! use cute_algebra::{Layout, Shape, ops::complement};
//! let layout: Layout = "(_2,_2):(_1,_6)".parse()?;
//! assert_eq!(complement(&layout, &"_24".parse::<Shape>()?)?.to_string(), "(_3,_2):(_2,_12)");
//! # Ok::<(), cute_algebra::Refusal>(())
//! ```

use crate::int::Int;
use crate::layout::{Layout, LayoutBuilder, LayoutView};
use crate::log::{Log, Step};
use crate::ops::coalesce::{coalesce_shape, coalesce_view};
use crate::ops::compact::compact_left;
use crate::ops::filter::filter_view;
use crate::ops::{coshape, shape_arithmetic};
use crate::refusal::{Refusal, Rule};
use crate::stride::Delta;
use crate::tuple::{IntTuple, Shape, Tuple};

/// The complement of the layout up to (at least) the size of `cotarget`.
pub fn complement(layout: &Layout, cotarget: &Shape) -> Result<Layout, Refusal> {
    complement_logged(layout.view(), cotarget, &mut Log::silent())
}

/// The complement up to the span of the layout itself: what is missing between its offsets.
pub fn complement_default(layout: &Layout) -> Result<Layout, Refusal> {
    let filtered = filter_view(layout.view())?;
    let cotarget = Tuple::leaf(coshape::cosize(&filtered)?);
    complement_of_filtered(filtered.view(), &cotarget, &mut Log::silent())
}

/// [`complement`], telling `log` its steps.
pub fn complement_logged(
    layout: LayoutView<'_>,
    cotarget: &Shape,
    log: &mut Log<'_>,
) -> Result<Layout, Refusal> {
    log.step(|| Step::Enter {
        operation: "complement",
        operands: vec![layout.to_string(), cotarget.to_string()],
    });
    let result = complement_of_filtered(filter_view(layout)?.view(), cotarget, log)?;
    log.step(|| Step::Leave {
        result: result.to_string(),
    });
    Ok(result)
}

/// The complement of a layout without stride-0 and size-1 modes.
fn complement_of_filtered(
    layout: LayoutView<'_>,
    cotarget: &Shape,
    log: &mut Log<'_>,
) -> Result<Layout, Refusal> {
    if let Some((_, step)) = layout.as_leaf()
        && step.is_constant(0)
    {
        return Layout::left(coalesce_shape(cotarget)?);
    }
    let sorted = sort_by_stride(layout)?;
    let mut builder = LayoutBuilder::new();
    let whole = builder.open();
    builder.close(whole, 2);
    let gaps = builder.open();
    builder.close(gaps, sorted.len());
    let mut reached = Int::ONE;
    for (extent, step) in sorted {
        let gap = step.div(&reached)?;
        if gap.is_constant(0) {
            return Err(Refusal::asserted(
                Rule::NotInjective,
                "Non-injective Layout detected in complement.",
            )
            .with("stride", step)
            .with("reached", &reached));
        }
        log.step(|| Step::NextStride {
            extent: extent.clone(),
            stride: Delta::Int(step.clone()),
            gap: gap.clone(),
        });
        builder.leaf(gap, Delta::Int(reached));
        reached = step.mul(extent)?;
    }
    let rest = coalesce_shape(&shape_arithmetic::ceil_div(
        cotarget.view(),
        Tuple::leaf(reached.clone()).view(),
    )?)?;
    let rest_stride = compact_left(rest.view(), &Delta::Int(reached))?;
    builder.view(Layout::new(rest, rest_stride)?.view());
    coalesce_view(builder.finish()?.view())
}

/// The modes by increasing stride, the first of equal ones first.
fn sort_by_stride(layout: LayoutView<'_>) -> Result<Vec<(&Int, &Int)>, Refusal> {
    let mut modes: Vec<(&Int, &Int)> = Vec::with_capacity(layout.shape.len());
    for (extent, step) in layout.shape.iter().zip(layout.stride) {
        let Delta::Int(step) = step else {
            return Err(
                Refusal::uncompilable(Rule::UnlikeCodomains, "no match for operator/")
                    .with("stride", step.to_string()),
            );
        };
        modes.push((extent, step));
    }
    if modes.len() > 1 {
        if let Some((_, step)) = modes.iter().find(|(_, step)| !step.is_static()) {
            return Err(Refusal::asserted(
                Rule::NeedsStaticStrides,
                "Dynamic-stride complement only for rank-1 layouts",
            )
            .with("rank", modes.len())
            .with("stride", *step));
        }
        modes.sort_by_key(|(_, step)| step.as_static());
    }
    Ok(modes)
}

/// The shape of the complement: how many tiles of any form cover a target (CuTe's `ceil_div(target, layout)`).
pub fn ceil_div_by_layout(target: &IntTuple, tiler: &Layout) -> Result<IntTuple, Refusal> {
    complement(tiler, target).map(|layout| layout.shape())
}
