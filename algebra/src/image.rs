//! The image of a layout: which offsets it reaches, as a layout, and whether it is onto.

use crate::coverage::{Coverage, Covers};
use crate::int::Int;
use crate::layout::Layout;
use crate::properties::Decision;
use crate::refusal::{Refusal, Rule};
use crate::stride::Delta;
use crate::tuple::Tuple;
use crate::verdict::Verdict;

/// The layout that lists the offsets of another in ascending order, each once (paper §2.4: the image).
///
/// The image is the sum of the progressions `{0, d, .., (s-1)*d}` of the modes. In ascending order of `d`, one that starts
/// inside the last progression, on its grid, lengthens it; otherwise it has to start beyond all that is reached.
/// Refused with [`Rule::NoSuchLayout`] where neither holds, since no such layout is found then, for negative steps, and
/// for unknown numbers. `O(n log n)` in the leaves.
///
/// ```
/// use cute_algebra::{Layout, image::image};
/// let layout: Layout = "(_4,_4,_2):(_1,_2,_100)".parse()?;
/// assert_eq!(image(&layout)?.to_string(), "(_10,_2):(_1,_100)");
/// # Ok::<(), cute_algebra::Refusal>(())
/// ```
pub fn image(layout: &Layout) -> Result<Layout, Refusal> {
    let mut progressions: Vec<(i64, i64)> = Vec::new();
    for (extent, step) in moving_modes(layout)? {
        match progressions.last_mut() {
            Some((count, grid)) if step % *grid == 0 && step / *grid <= *count => {
                *count = (extent - 1)
                    .checked_mul(step / *grid)
                    .and_then(|more| more.checked_add(*count))
                    .ok_or_else(|| Refusal::overflow("image"))?;
            }
            _ => progressions.push((extent, step)),
        }
    }
    let mut reach = 0_i64;
    for &(count, step) in &progressions {
        if step <= reach {
            return Err(Refusal::new(Rule::NoSuchLayout, Verdict::Accepts)
                .with("stride", step)
                .with("reach", reach)
                .with("layout", format!("{layout:#}")));
        }
        reach = (count - 1)
            .checked_mul(step)
            .and_then(|more| more.checked_add(reach))
            .ok_or_else(|| Refusal::overflow("image"))?;
    }
    match progressions.as_slice() {
        [] => Ok(Layout::unit()),
        &[(count, step)] => Ok(Layout::single(Int::fixed(count), Int::fixed(step))),
        all => Layout::new(
            Tuple::flat(all.iter().map(|(count, _)| Int::fixed(*count)))?,
            Tuple::flat(all.iter().map(|(_, step)| Delta::fixed(*step)))?,
        ),
    }
}

/// The modes that reach more than one offset, smallest step first.
fn moving_modes(layout: &Layout) -> Result<Vec<(i64, i64)>, Refusal> {
    let known = |int: &Int| {
        int.value()
            .ok_or_else(|| Refusal::new(Rule::NotProvable, Verdict::Accepts).with("unknown", int))
    };
    let view = layout.view();
    let mut modes = Vec::with_capacity(view.extents().len());
    for (extent, step) in view.extents().iter().zip(view.steps()) {
        let step = step.as_int().ok_or_else(|| {
            Refusal::new(Rule::UnlikeCodomains, Verdict::Accepts).with("stride", step.to_string())
        })?;
        let (extent, step) = (known(extent)?, known(step)?);
        if extent < 1 || step < 0 {
            return Err(Refusal::new(Rule::NegativeStride, Verdict::Accepts)
                .with("extent", extent)
                .with("stride", step));
        }
        if extent > 1 && step > 0 {
            modes.push((extent, step));
        }
    }
    modes.sort_by_key(|(_, step)| *step);
    Ok(modes)
}

/// Whether every offset of `[0, target)` is reached (paper §3.4: surjective).
///
/// Decided from the modes alone. Refused where [`Coverage::of`] is: unknown or negative numbers.
pub fn is_surjective(layout: &Layout, target: i64) -> Result<Decision, Refusal> {
    let coverage = Coverage::of(layout, target)?;
    Ok(Decision::theorem(coverage.first_hole.is_none()))
}

/// Whether every offset of `[0, target)` is reached exactly once, and no other is (paper §3.4: bijective).
///
/// Decided from the modes alone. Refused where [`Coverage::of`] is: unknown or negative numbers.
pub fn is_bijective(layout: &Layout, target: i64) -> Result<Decision, Refusal> {
    let coverage = Coverage::of(layout, target)?;
    Ok(Decision::theorem(coverage.covers() == Covers::Exact))
}
