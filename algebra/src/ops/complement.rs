//! Complement (paper §3.5): the layout of the offsets that a layout leaves out.
//!
//! Law, for an injective layout with positive strides: the image of `L*` is disjoint from that of `L` except at 0 (28), and
//! `L*` is increasing (29). The size reaches at least to the cotarget. Strides are sorted; between two of them fit
//! `next / (previous * extent)` copies. A layout into coordinates has a complement in each of them, which CuTe's templates
//! do not compile: `(4,8):(e0,e1)` in `(16,16)` has `(4,2):(4e0,8e1)` (Table 7).
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
use crate::layout::{Layout, LayoutView};
use crate::log::{Log, Step};
use crate::ops::coalesce::{coalesce_modes, coalesce_shape};
use crate::ops::codomain::{Codomain, lift, step_in};
use crate::ops::compact::compact_left;
use crate::ops::filter::filter_view;
use crate::ops::{coshape, shape_arithmetic};
use crate::refusal::{Refusal, Rule};
use crate::stride::{Delta, Path};
use crate::tuple::{IntTuple, Shape, Tuple};
use smallvec::SmallVec;

/// The complement of the layout up to (at least) the size of `cotarget`.
pub fn complement(layout: &Layout, cotarget: &Shape) -> Result<Layout, Refusal> {
    complement_logged(layout.view(), cotarget, &mut Log::silent())
}

/// The complement up to the span of the layout itself: the missing offsets between its own.
pub fn complement_default(layout: &Layout) -> Result<Layout, Refusal> {
    let filtered = filter_view(layout.view())?;
    let into_integers = filtered
        .view()
        .steps()
        .iter()
        .all(|step| step.as_basis().is_none());
    let cotarget = if into_integers {
        Tuple::leaf(coshape::cosize(&filtered)?)
    } else {
        coshape::coshape(&filtered)?
    };
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
    let filtered = filter_view(layout);
    let result = match &filtered {
        Ok(filtered) => complement_of_filtered(filtered.view(), cotarget, log),
        Err(refusal) => return Err(refusal.clone()),
    };
    log.leave(&result);
    result
}

/// The complement of a layout without stride-0 and size-1 modes, in each coordinate of its codomain.
fn complement_of_filtered(
    layout: LayoutView<'_>,
    cotarget: &Shape,
    log: &mut Log<'_>,
) -> Result<Layout, Refusal> {
    let codomain = Codomain::of(layout)?;
    if let [path] = codomain.paths.as_slice()
        && path.is_empty()
    {
        return complement_in_integers(&sorted_modes(layout, path)?, cotarget, log);
    }
    let mut parts = Vec::with_capacity(codomain.paths.len());
    for (path, target) in codomain.paths.iter().zip(codomain.split(cotarget)?) {
        let part = complement_in_integers(&sorted_modes(layout, path)?, &target, log)?;
        parts.push(lift(part, path)?);
    }
    codomain.assemble(&parts)
}

/// Extents and steps, by increasing step.
type Modes = SmallVec<[(Int, Int); 8]>;

/// The complement of modes that are sorted by step.
fn complement_in_integers(
    modes: &Modes,
    cotarget: &Shape,
    log: &mut Log<'_>,
) -> Result<Layout, Refusal> {
    if modes.is_empty() {
        return Layout::left(coalesce_shape(cotarget)?);
    }
    let mut gaps: SmallVec<[(Int, Delta); 9]> = SmallVec::new();
    let mut reached = Int::ONE;
    for (extent, step) in modes {
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
        gaps.push((gap, Delta::Int(reached)));
        reached = step.mul(extent)?;
    }
    if let Some(tiles) = static_tiles(cotarget, &reached)? {
        gaps.push((tiles, Delta::Int(reached)));
    } else {
        let tiles =
            shape_arithmetic::ceil_div(cotarget.view(), Tuple::leaf(reached.clone()).view())?;
        let rest = coalesce_shape(&tiles)?;
        let rest_stride = compact_left(rest.view(), &Delta::Int(reached))?;
        gaps.extend(rest.leaves.into_iter().zip(rest_stride.leaves));
    }
    coalesce_modes(gaps.drain(..))
}

/// Number of tiles of `reached` that cover a static target: of neighbouring static extents only the product counts.
fn static_tiles(cotarget: &Shape, reached: &Int) -> Result<Option<Int>, Refusal> {
    if cotarget.leaves().is_empty() || !cotarget.is_static() || !reached.is_static() {
        return Ok(None);
    }
    let mut tiles = Int::ONE;
    let mut reached = reached.clone();
    for extent in cotarget.leaves() {
        tiles = tiles.mul(&extent.ceil_div(&reached)?)?;
        reached = reached.ceil_div(extent)?;
    }
    Ok(Some(tiles))
}

/// The modes that step in one coordinate, by increasing step, the first of equal ones first.
fn sorted_modes(layout: LayoutView<'_>, path: &Path) -> Result<Modes, Refusal> {
    let mut modes = Modes::new();
    for (extent, stride) in layout.shape.iter().zip(layout.stride) {
        if let Some(step) = step_in(stride, path)?
            && !step.is_constant(0)
        {
            modes.push((extent.clone(), step));
        }
    }
    if modes.len() > 1 {
        if let Some((_, step)) = modes.iter().find(|(_, step)| !step.is_static()) {
            let text = "Dynamic-stride complement only for rank-1 layouts";
            return Err(Refusal::asserted(Rule::NeedsStaticStrides, text)
                .with("rank", modes.len())
                .with("stride", step));
        }
        modes.sort_by_key(|(_, step)| step.as_static());
    }
    Ok(modes)
}

/// The shape of the complement: how many tiles of any form cover a target (CuTe's `ceil_div(target, layout)`).
pub fn ceil_div_by_layout(target: &IntTuple, tiler: &Layout) -> Result<IntTuple, Refusal> {
    complement(tiler, target).map(|layout| layout.shape())
}
