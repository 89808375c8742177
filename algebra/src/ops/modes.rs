//! Operations on a layout as a tuple of modes: select, take, group, flatten, append, prepend, replace (paper §3.1).
//!
//! All linear in the number of nodes. Refused: a mode that is not there.

use crate::layout::{Layout, LayoutBuilder, LayoutView};
use crate::refusal::{Refusal, Rule};
use crate::tuple::LEAF;

fn no_such_mode(layout: &Layout, text: &'static str, index: usize) -> Refusal {
    Refusal::asserted(Rule::NoSuchMode, text)
        .with("index", index)
        .with("rank", layout.rank())
}

/// All leaves in one tuple, depth at most 1; `8:1` stays.
pub fn flatten(layout: &Layout) -> Result<Layout, Refusal> {
    let view = layout.view();
    if view.is_leaf() {
        return Ok(layout.clone());
    }
    let mut builder = LayoutBuilder::new();
    let mark = builder.open();
    builder.close(mark, view.shape.len());
    for (extent, step) in view.shape.iter().zip(view.stride) {
        builder.leaf(extent.clone(), step.clone());
    }
    builder.finish()
}

/// The modes `begin..end` as a layout of that rank.
pub fn take(layout: &Layout, begin: usize, end: usize) -> Result<Layout, Refusal> {
    if begin >= end {
        return Err(no_such_mode(layout, "take: empty range error", begin));
    }
    if end > layout.rank() {
        return Err(no_such_mode(layout, "take: range out of bounds", end));
    }
    Layout::concat(layout.view().modes().skip(begin).take(end - begin))
}

/// The modes of these indices, in this order.
pub fn select(layout: &Layout, modes: &[usize]) -> Result<Layout, Refusal> {
    let modes = modes
        .iter()
        .map(|&index| layout.view().mode(index))
        .collect::<Result<Vec<_>, _>>()?;
    Layout::concat(modes)
}

/// The modes `begin..end` grouped into one; an empty range changes nothing.
///
/// `group((2,3,5,7):(a,b,c,d), 0, 2) = ((2,3),5,7):((a,b),c,d)`.
pub fn group(layout: &Layout, begin: usize, end: usize) -> Result<Layout, Refusal> {
    if begin > end {
        return Err(no_such_mode(layout, "static assertion failed", begin));
    }
    if end > layout.rank() {
        return Err(no_such_mode(layout, "index out of range", end));
    }
    let mut builder = LayoutBuilder::new();
    let whole = builder.open();
    let mut rank = 0;
    let mut inner = None;
    for (i, mode) in layout.view().modes().enumerate() {
        if i == begin && begin < end {
            inner = Some(builder.open());
            rank += 1;
        }
        builder.view(mode);
        if i < begin || i >= end {
            rank += 1;
        }
    }
    if let Some(mark) = inner {
        builder.close(mark, end - begin);
    }
    builder.close(whole, rank);
    builder.finish()
}

/// The layout with `x` as one more mode at the end.
pub fn append(layout: &Layout, x: &Layout) -> Result<Layout, Refusal> {
    Layout::concat(layout.view().modes().chain([x.view()]))
}

/// The layout with `x` as one more mode at the beginning.
pub fn prepend(layout: &Layout, x: &Layout) -> Result<Layout, Refusal> {
    Layout::concat(core::iter::once(x.view()).chain(layout.view().modes()))
}

/// The layout extended to `rank` modes with copies of `x` at the end (CuTe's `append<N>`).
pub fn append_to_rank(layout: &Layout, rank: usize, x: &Layout) -> Result<Layout, Refusal> {
    let missing = missing_modes(layout, rank)?;
    if missing == 0 {
        return Ok(layout.clone());
    }
    Layout::concat(
        layout
            .view()
            .modes()
            .chain(core::iter::repeat_n(x.view(), missing)),
    )
}

/// The layout extended to `rank` modes with copies of `x` at the beginning (CuTe's `prepend<N>`).
pub fn prepend_to_rank(layout: &Layout, rank: usize, x: &Layout) -> Result<Layout, Refusal> {
    let missing = missing_modes(layout, rank)?;
    if missing == 0 {
        return Ok(layout.clone());
    }
    Layout::concat(core::iter::repeat_n(x.view(), missing).chain(layout.view().modes()))
}

fn missing_modes(layout: &Layout, rank: usize) -> Result<usize, Refusal> {
    rank.checked_sub(layout.rank()).ok_or_else(|| {
        Refusal::asserted(Rule::RankMismatch, "static assertion failed")
            .with("rank", layout.rank())
            .with("wanted_rank", rank)
    })
}

/// The layout with mode `index` replaced by `x`.
pub fn replace(layout: &Layout, index: usize, x: &Layout) -> Result<Layout, Refusal> {
    if index >= layout.rank() {
        return Err(no_such_mode(layout, "index out of range", index));
    }
    if layout.view().is_leaf() {
        return Ok(x.clone());
    }
    Layout::concat(
        layout
            .view()
            .modes()
            .enumerate()
            .map(|(i, mode)| if i == index { x.view() } else { mode }),
    )
}

/// The flat layout folded to the profile of `target`, leaf by leaf (CuTe's `unflatten`).
pub fn unflatten(layout: &Layout, target: LayoutView<'_>) -> Result<Layout, Refusal> {
    let view = layout.view();
    if view.shape.len() != target.shape.len() {
        return Err(
            Refusal::uncompilable(Rule::NotCongruent, "static assertion failed")
                .with("leaves", view.shape.len())
                .with("target_leaves", target.shape.len()),
        );
    }
    let mut builder = LayoutBuilder::new();
    let mut leaves = view.shape.iter().zip(view.stride);
    for &node in target.nodes {
        if node != LEAF {
            let mark = builder.open();
            builder.close(mark, usize::from(node));
        } else if let Some((extent, step)) = leaves.next() {
            builder.leaf(extent.clone(), step.clone());
        }
    }
    builder.finish()
}
