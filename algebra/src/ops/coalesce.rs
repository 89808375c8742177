//! Coalesce (paper §3.2): the same function with as few modes as can be told at compile time.
//!
//! Law: `R(i) = L(i)` for all `0 <= i < size(L)`, and `depth(R) <= 1`. Neighbours `s0:d0, s1:d1` merge into `s0*s1:d0`
//! when `s0*d0 = d1` is known statically and `s1` is static; a static extent 1 disappears. Never refuses, except on
//! overflow. Linear in the number of leaves.
//!
//! ```
//! use cute_algebra::{Layout, ops::coalesce};
//! let layout: Layout = "(_2,(_1,_6)):(_1,(_6,_2))".parse()?;
//! assert_eq!(coalesce(&layout)?.to_string(), "_12:_1");
//! # Ok::<(), cute_algebra::Refusal>(())
//! ```

use crate::int::Int;
use crate::layout::{Layout, LayoutBuilder, LayoutView};
use crate::refusal::{Refusal, Rule};
use crate::stride::Delta;
use crate::tuple::{IntTuple, Leaves, Tuple, TupleView};
use smallvec::SmallVec;

/// The simplest form of the same function on the layout's domain.
pub fn coalesce(layout: &Layout) -> Result<Layout, Refusal> {
    coalesce_view(layout.view())
}

pub(crate) fn coalesce_view(layout: LayoutView<'_>) -> Result<Layout, Refusal> {
    coalesce_modes(
        layout
            .shape
            .iter()
            .cloned()
            .zip(layout.stride.iter().cloned()),
    )
}

/// [`coalesce`] of the flat layout with these modes.
#[inline]
pub(crate) fn coalesce_modes(
    modes: impl DoubleEndedIterator<Item = (Int, Delta)>,
) -> Result<Layout, Refusal> {
    let mut modes = modes.rev();
    let Some(last) = modes.next() else {
        return Ok(Layout::unit());
    };
    let mut merger = Merger::new(last);
    modes.try_for_each(|mode| merger.take(mode))?;
    merger.finish()
}

/// Whether [`coalesce_extended`] would return the layout as it is: flat, no static 1, nothing to merge.
pub(crate) fn is_coalesced(layout: LayoutView<'_>) -> Result<bool, Refusal> {
    let is_flat = layout.is_leaf()
        || (layout.shape.len() > 1 && layout.nodes.len() == layout.shape.len() + 1);
    if !is_flat || layout.shape.iter().any(|extent| extent.is_constant(1)) {
        return Ok(false);
    }
    let modes = layout.shape.iter().zip(layout.stride);
    for ((extent, step), (next_extent, next_step)) in modes.clone().zip(modes.skip(1)) {
        if next_extent.is_static() && step.scale(extent)?.statically_equals(next_step) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// [`coalesce`] that also keeps the function beyond the domain: the last mode survives, for composition.
pub(crate) fn coalesce_extended(layout: LayoutView<'_>) -> Result<Layout, Refusal> {
    let mut modes = layout
        .shape
        .iter()
        .cloned()
        .zip(layout.stride.iter().cloned())
        .rev();
    let Some((extent, step)) = modes.next() else {
        return Ok(Layout::unit());
    };
    // CuTe's coalesce_x takes an extent of 2 for a trailing static 1, so that its stride is kept.
    let extent = if extent.is_constant(1) {
        Int::fixed(2)
    } else {
        extent
    };
    let mut merger = Merger::new((extent, step));
    modes.try_for_each(|mode| merger.take(mode))?;
    merger.finish()
}

/// Modes merged so far.
struct Merger {
    /// Those behind the front one, the last one first.
    behind: SmallVec<[(Int, Delta); 8]>,
    front: (Int, Delta),
}

impl Merger {
    fn new(last: (Int, Delta)) -> Self {
        Merger {
            behind: SmallVec::new(),
            front: last,
        }
    }

    /// Takes the mode before those taken so far.
    #[inline]
    fn take(&mut self, (extent, step): (Int, Delta)) -> Result<(), Refusal> {
        if extent.is_constant(1) {
            return Ok(());
        }
        if self.behind.is_empty() && self.front.0.is_constant(1) {
            self.front = (extent, step);
        } else if self.front.0.is_static() && step.scale(&extent)?.statically_equals(&self.front.1)
        {
            self.front = (extent.mul(&self.front.0)?, step);
        } else {
            let behind = core::mem::replace(&mut self.front, (extent, step));
            self.behind.push(behind);
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<Layout, Refusal> {
        let (extent, step) = self.front.clone();
        if self.behind.is_empty() {
            if extent.is_constant(1) {
                return Ok(Layout::unit());
            }
            return Ok(Layout::single(extent, step));
        }
        let mut builder = LayoutBuilder::new();
        let mark = builder.open();
        builder.close(mark, self.behind.len() + 1);
        builder.leaf(extent, step);
        while let Some((extent, step)) = self.behind.pop() {
            builder.leaf(extent, step);
        }
        builder.finish()
    }
}

/// [`coalesce`] at each leaf of a target profile, which may name fewer modes than there are.
pub fn coalesce_by(layout: &Layout, profile: &IntTuple) -> Result<Layout, Refusal> {
    by_profile(layout.view(), profile.view(), coalesce_view)
}

pub(crate) fn coalesce_extended_by(
    layout: LayoutView<'_>,
    profile: TupleView<'_, Int>,
) -> Result<Layout, Refusal> {
    by_profile(layout, profile, coalesce_extended)
}

/// Applies `f` at each leaf of `profile`; modes that the profile does not name stay as they are.
pub(crate) fn by_profile(
    layout: LayoutView<'_>,
    profile: TupleView<'_, Int>,
    f: fn(LayoutView<'_>) -> Result<Layout, Refusal>,
) -> Result<Layout, Refusal> {
    if profile.is_leaf() {
        return f(layout);
    }
    if profile.rank() > layout.rank() {
        return Err(
            Refusal::asserted(Rule::RankMismatch, "static assertion failed")
                .with("profile_rank", profile.rank())
                .with("layout_rank", layout.rank()),
        );
    }
    let named = profile.rank();
    let mut modes = Vec::with_capacity(layout.rank());
    for (mode, target) in layout.modes().zip(profile.modes()) {
        modes.push(by_profile(mode, target, f)?);
    }
    let rest = layout.modes().skip(named);
    Layout::concat(modes.iter().map(Layout::view).chain(rest))
}

/// Combines neighbouring static extents, and neighbouring run-time extents, of a shape.
pub fn coalesce_shape(shape: &IntTuple) -> Result<IntTuple, Refusal> {
    if shape.is_leaf() {
        return Ok(shape.clone());
    }
    let mut merged: Leaves<Int> = Leaves::new();
    for extent in shape.leaves() {
        match merged.last_mut() {
            Some(last) if last.is_static() == extent.is_static() => *last = last.mul(extent)?,
            _ => merged.push(extent.clone()),
        }
    }
    // CuTe folds from the bare first extent, so a single one is not a tuple.
    if merged.len() == 1 {
        return Ok(Tuple::leaf(merged.remove(0)));
    }
    Tuple::flat(merged)
}
