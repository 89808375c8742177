//! `tile_to_shape`: repeat a block until it fills a shape.
//!
//! Law: the shape of the result is compatible with the target, and each block-aligned part is a shifted copy of the block.
//! Refused: a block of higher rank, and (static) a block that does not divide the target.

use crate::layout::Layout;
use crate::ops::modes::append_to_rank;
use crate::ops::order::make_ordered_layout;
use crate::ops::product::blocked_product;
use crate::ops::shape_arithmetic::{ceil_div, evenly_divides, product_each};
use crate::refusal::{Refusal, Rule};
use crate::tuple::{IntTuple, Shape};

/// The block repeated over `target`, mode after mode in the order of `order` (column-major when `None`).
pub fn tile_to_shape(
    block: &Layout,
    target: &Shape,
    order: Option<&IntTuple>,
) -> Result<Layout, Refusal> {
    let rank = target.rank();
    if block.rank() > rank {
        return Err(Refusal::asserted(
            Rule::RankMismatch,
            "Rank of layout must be <= rank of target shape.",
        )
        .with("layout_rank", block.rank())
        .with("target_rank", rank));
    }
    let padded = append_to_rank(block, rank, &Layout::unit())?;
    let block_shape = product_each(padded.shape_view())?;
    let target_shape = product_each(target.view())?;
    if target_shape.is_static() {
        let divides = evenly_divides(target_shape.view(), block_shape.view())?;
        let text = "tile_to_shape: block shape does not divide the target shape.";
        match divides.as_static() {
            Some(0) => {
                return Err(Refusal::asserted(Rule::TileDoesNotDivide, text)
                    .with("block", block_shape.to_string())
                    .with("target", target_shape.to_string())
                    .legal(nearest_multiple(&target_shape, &block_shape)?));
            }
            Some(_) => {}
            None => {
                return Err(Refusal::uncompilable(
                    Rule::NotProvable,
                    "a run-time block has no value to assert on",
                )
                .with("block", block_shape.to_string())
                .with("target", target_shape.to_string()));
            }
        }
    }
    let grid_shape = ceil_div(target_shape.view(), block_shape.view())?;
    let grid = match order {
        Some(order) => make_ordered_layout(&grid_shape, order)?,
        None => Layout::left(grid_shape)?,
    };
    blocked_product(&padded, &grid)
}

/// The target rounded up to whole blocks.
fn nearest_multiple(target: &IntTuple, block: &IntTuple) -> Result<String, Refusal> {
    crate::ops::shape_arithmetic::round_up(target.view(), block.view())
        .map(|shape| shape.to_string())
}
