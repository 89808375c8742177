//! Compact layouts in a given order of modes: `make_ordered_layout`, `make_layout_like`, `make_fragment_like`.
//!
//! Law: the result is compact (a bijection onto `[0,size)`) apart from stride-0 modes. `O(n^2)` in the leaves of the order.

use crate::int::Int;
use crate::layout::Layout;
use crate::ops::compact::compact_left;
use crate::ops::filter::filter_zeros;
use crate::ops::modes::take;
use crate::ops::product::tiled_product;
use crate::ops::shape_arithmetic::product_like;
use crate::refusal::{Refusal, Rule};
use crate::stride::{Delta, Stride};
use crate::tiler::Tiler;
use crate::tuple::{IntTuple, Shape, Tuple, TupleView};

/// The compact layout whose modes step in the order of `order`: the smallest order first, equal ones side by side.
/// Run-time orders count as large, from left to right.
pub fn make_ordered_layout(shape: &Shape, order: &IntTuple) -> Result<Layout, Refusal> {
    Layout::new(shape.clone(), compact_order(shape.view(), order.view())?)
}

/// The compact layout of the same shape whose modes step in the order of this layout's strides; static 0 stays 0.
pub fn make_layout_like(layout: &Layout) -> Result<Layout, Refusal> {
    let extents = filter_zeros(layout)?.shape();
    let order = stride_order(layout.stride_view())?;
    Layout::new(layout.shape(), compact_order(extents.view(), order.view())?)
}

/// [`make_layout_like`], except that mode 0 is always column-major and innermost: the registers of one atom.
pub fn make_fragment_like(layout: &Layout) -> Result<Layout, Refusal> {
    let rank = layout.rank();
    if rank <= 1 || !layout.shape_view().is_static() {
        return Layout::left(layout.shape());
    }
    let atom = layout.mode(0)?;
    let atom_stride = compact_left(filter_zeros(&atom)?.shape_view(), &Delta::ONE)?;
    let atom = Layout::new(atom.shape(), atom_stride)?;
    let rest = take(layout, 1, rank)?;
    let order = stride_order(rest.stride_view())?;
    let grid = make_ordered_layout(&rest.shape(), &order)?;
    tiled_product(&atom, &Tiler::Layout(grid))
}

fn stride_order(stride: TupleView<'_, Delta>) -> Result<IntTuple, Refusal> {
    stride.to_tuple().try_map(|step| {
        step.as_int().cloned().ok_or_else(|| {
            Refusal::uncompilable(Rule::UnlikeCodomains, "a basis has no order")
                .with("stride", step.to_string())
        })
    })
}

/// The compact strides of `shape` in the order given by `order`, which may name groups of modes.
fn compact_order(shape: TupleView<'_, Int>, order: TupleView<'_, Int>) -> Result<Stride, Refusal> {
    let extents = product_like(shape, order)?;
    let ranks = static_order(order.leaves());
    strides_by_order(shape, order, &mut 0, extents.leaves(), &ranks)
}

/// The order as numbers: run-time ones come after all static ones, from left to right.
fn static_order(order: &[Int]) -> Vec<i64> {
    let largest = order.iter().filter_map(Int::as_static).fold(0, i64::max);
    let position = |i: usize| i64::try_from(i).unwrap_or(i64::MAX);
    order
        .iter()
        .enumerate()
        .map(|(i, o)| {
            o.as_static()
                .unwrap_or_else(|| largest.saturating_add(1).saturating_add(position(i)))
        })
        .collect()
}

fn strides_by_order(
    shape: TupleView<'_, Int>,
    order: TupleView<'_, Int>,
    leaf: &mut usize,
    extents: &[Int],
    ranks: &[i64],
) -> Result<Stride, Refusal> {
    if order.is_leaf() {
        let own = ranks.get(*leaf).copied().unwrap_or_default();
        *leaf += 1;
        let start = extents
            .iter()
            .zip(ranks)
            .try_fold(None::<Int>, |start, (extent, rank)| {
                let factor = if *rank < own {
                    extent.clone()
                } else {
                    Int::ONE
                };
                match start {
                    None => Ok(Some(factor)),
                    Some(start) => start.mul(&factor).map(Some),
                }
            })?;
        return compact_left(shape, &Delta::Int(start.unwrap_or(Int::ONE)));
    }
    if shape.is_leaf() || shape.rank() != order.rank() {
        return Err(
            Refusal::asserted(Rule::RankMismatch, "Need equal rank of shape and order")
                .with("shape_rank", shape.rank())
                .with("order_rank", order.rank()),
        );
    }
    let mut modes = Vec::with_capacity(order.rank());
    for (s, o) in shape.modes().zip(order.modes()) {
        modes.push(strides_by_order(s, o, leaf, extents, ranks)?);
    }
    Tuple::group(modes)
}
