//! Slice and dice (paper §2.5.1): the modes under `_`, and the modes under an index.
//!
//! Law: `slice(c, L)(x) + L(c with _ = 0) = L(c with x for _)`. Linear. Refused: a coordinate whose profile the layout does
//! not refine.

use crate::coord::{Coord, CoordLeaf, crd2idx};
use crate::int::Int;
use crate::layout::{Layout, LayoutBuilder, LayoutView, Offset};
use crate::refusal::{Refusal, Rule};
use crate::tuple::{IntTuple, TupleBuilder, TupleView};

/// The part of a coordinate that chooses modes.
#[derive(Clone, Copy, PartialEq)]
enum Keep {
    Underscore,
    Index,
}

impl Keep {
    fn accepts(self, leaf: &CoordLeaf) -> bool {
        matches!(leaf, CoordLeaf::Underscore) == (self == Keep::Underscore)
    }
}

/// The modes under `_`, as a layout of their number; `_` alone keeps the layout as it is.
pub fn slice(coord: &Coord, layout: &Layout) -> Result<Layout, Refusal> {
    choose(coord, layout.view(), Keep::Underscore)
}

/// The modes under an index: those that [`slice()`] takes away.
pub fn dice(coord: &Coord, layout: &Layout) -> Result<Layout, Refusal> {
    choose(coord, layout.view(), Keep::Index)
}

/// The slice, and the offset of the coordinate with 0 for each `_`.
pub fn slice_and_offset(coord: &Coord, layout: &Layout) -> Result<(Layout, Offset), Refusal> {
    let indices = coord.map(|leaf| match leaf {
        CoordLeaf::Int(int) => int.clone(),
        CoordLeaf::Underscore => Int::ZERO,
    });
    let offset = crd2idx(indices.view(), layout.shape_view(), layout.stride_view())?;
    Ok((slice(coord, layout)?, offset))
}

fn choose(coord: &Coord, layout: LayoutView<'_>, keep: Keep) -> Result<Layout, Refusal> {
    if let Some(leaf) = coord.as_leaf() {
        if keep.accepts(leaf) {
            return Ok(layout.to_layout());
        }
        let mut empty = LayoutBuilder::new();
        let mark = empty.open();
        empty.close(mark, 0);
        return empty.finish();
    }
    let mut builder = LayoutBuilder::new();
    let mark = builder.open();
    let mut rank = 0;
    collect(coord.view(), layout, keep, &mut builder, &mut rank)?;
    builder.close(mark, rank);
    builder.finish()
}

fn collect(
    coord: TupleView<'_, CoordLeaf>,
    layout: LayoutView<'_>,
    keep: Keep,
    builder: &mut LayoutBuilder,
    rank: &mut usize,
) -> Result<(), Refusal> {
    if let Some(leaf) = coord.as_leaf() {
        if keep.accepts(leaf) {
            builder.view(layout);
            *rank += 1;
        }
        return Ok(());
    }
    if layout.is_leaf() {
        return Err(Refusal::uncompilable(Rule::NotCongruent, "incomplete type")
            .with("coordinate", coord.to_string()));
    }
    if coord.rank() != layout.rank() {
        return Err(Refusal::asserted(Rule::RankMismatch, "Mismatched Ranks")
            .with("coordinate_rank", coord.rank())
            .with("layout_rank", layout.rank()));
    }
    coord
        .modes()
        .zip(layout.modes())
        .try_for_each(|(c, l)| collect(c, l, keep, builder, rank))
}

/// The indices of a coordinate without its `_` (CuTe's `dice(c, c)`), grouped as [`dice`] groups the modes.
pub(crate) fn indices(coord: &Coord) -> Result<IntTuple, Refusal> {
    let mut builder = TupleBuilder::new();
    let is_leaf = coord.is_leaf();
    let mark = if is_leaf { 0 } else { builder.open() };
    let mut rank = 0;
    for leaf in coord.leaves() {
        if let CoordLeaf::Int(int) = leaf {
            builder.leaf(int.clone());
            rank += 1;
        }
    }
    if !is_leaf {
        builder.close(mark, rank);
    }
    builder.finish()
}
