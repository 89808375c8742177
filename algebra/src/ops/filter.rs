//! Filter: stride-0 modes repeat the same offsets and are taken away (used by complement, paper §3.5).
//!
//! Linear; never refuses except on overflow. Law: `filter(L)` has the same image as `L`.

use crate::int::Int;
use crate::layout::{Layout, LayoutBuilder, LayoutView};
use crate::ops::coalesce::{by_profile, coalesce_modes};
use crate::refusal::{Refusal, Rule};
use crate::tuple::{IntTuple, LEAF, Tuple, TupleView};

/// The extent of each static stride-0 leaf becomes 1; the hierarchy stays.
pub fn filter_zeros(layout: &Layout) -> Result<Layout, Refusal> {
    filter_zeros_view(layout.view())
}

pub(crate) fn filter_zeros_view(layout: LayoutView<'_>) -> Result<Layout, Refusal> {
    let mut builder = LayoutBuilder::new();
    let mut leaves = layout.shape.iter().zip(layout.stride);
    for &node in layout.nodes {
        if node != LEAF {
            let mark = builder.open();
            builder.close(mark, usize::from(node));
        } else if let Some((extent, step)) = leaves.next() {
            let extent = if step.is_constant(0) {
                Int::ONE
            } else {
                extent.clone()
            };
            builder.leaf(extent, step.clone());
        }
    }
    builder.finish()
}

/// The extents of modes under a static 0 of `profile` become 1.
pub fn filter_zeros_by(layout: &Layout, profile: &IntTuple) -> Result<Layout, Refusal> {
    Layout::new(
        mask_zeros(profile.view(), layout.shape_view())?,
        layout.stride(),
    )
}

fn mask_zeros(profile: TupleView<'_, Int>, shape: TupleView<'_, Int>) -> Result<IntTuple, Refusal> {
    if let Some(leaf) = profile.as_leaf() {
        return Ok(if leaf.is_constant(0) {
            shape.to_tuple().map(|_| Int::ONE)
        } else {
            shape.to_tuple()
        });
    }
    if shape.is_leaf() || profile.rank() != shape.rank() {
        return Err(Refusal::asserted(Rule::RankMismatch, "Mismatched ranks")
            .with("profile_rank", profile.rank())
            .with("layout_rank", shape.rank()));
    }
    Tuple::group(
        profile
            .modes()
            .zip(shape.modes())
            .map(|(p, s)| mask_zeros(p, s))
            .collect::<Result<Vec<_>, _>>()?,
    )
}

/// Without stride-0 and size-1 modes, coalesced; `_1:_0` when nothing is left.
pub fn filter(layout: &Layout) -> Result<Layout, Refusal> {
    filter_view(layout.view())
}

pub(crate) fn filter_view(layout: LayoutView<'_>) -> Result<Layout, Refusal> {
    let without_zeros = layout
        .shape
        .iter()
        .zip(layout.stride)
        .map(|(extent, step)| {
            let extent = if step.is_constant(0) {
                Int::ONE
            } else {
                extent.clone()
            };
            (extent, step.clone())
        });
    coalesce_modes(without_zeros)
}

/// [`filter`] at each leaf of a target profile.
pub fn filter_by(layout: &Layout, profile: &IntTuple) -> Result<Layout, Refusal> {
    by_profile(layout.view(), profile.view(), filter_view)
}
