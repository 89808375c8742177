//! Product (paper §3.5.1): copies of a block at the positions of another layout.
//!
//! `A (x) B = (A, A* o B)`, with `A*` the complement of `A` in `size(A)*cosize(B)`. Law: mode 0 is `A`, mode 1 is compatible
//! with `B`, and the copies of `A` do not meet. A tuple of tilers applies by mode. `blocked` and `raked` pair the modes of
//! block and tiler of equal rank, block first or tiler first.
//!
//! Refused where complement and composition are. `O(n log n)` in the leaves.
//!
//! ```
//! use cute_algebra::{Layout, ops::blocked_product};
//! let block: Layout = "(_4,_8):(_8,_1)".parse()?;
//! let grid: Layout = "(_2,_3):(_3,_1)".parse()?;
//! assert_eq!(blocked_product(&block, &grid)?.to_string(), "((_4,_2),(_8,_3)):((_8,_96),(_1,_32))");
//! # Ok::<(), cute_algebra::Refusal>(())
//! ```

use crate::layout::{Layout, LayoutView};
use crate::log::{Log, Step};
use crate::ops::complement::complement_logged;
use crate::ops::composition::{composition_logged, too_many_modes};
use crate::ops::modes::append_to_rank;
use crate::ops::zip::{tile_unzip, unpack, zip};
use crate::refusal::Refusal;
use crate::tiler::Tiler;
use crate::tuple::Tuple;

/// `(A, A* o T)`, by mode for a tuple.
pub fn logical_product(block: &Layout, tiler: &Tiler) -> Result<Layout, Refusal> {
    logical_product_logged(block.view(), tiler, &mut Log::silent())
}

/// [`logical_product`], telling `log` its conditions and steps.
pub fn logical_product_logged(
    block: LayoutView<'_>,
    tiler: &Tiler,
    log: &mut Log<'_>,
) -> Result<Layout, Refusal> {
    match tiler {
        Tiler::Skip => Ok(block.to_layout()),
        Tiler::Int(extent) => multiply_by_layout(block, &Layout::left(extent.clone().into())?, log),
        Tiler::Layout(grid) => multiply_by_layout(block, grid, log),
        Tiler::Modes(tilers) => {
            if tilers.len() > block.rank() {
                return Err(too_many_modes(
                    "logical_product: Too many modes in tiler.",
                    tilers.len(),
                    block.rank(),
                ));
            }
            let mut modes = Vec::with_capacity(tilers.len());
            for (i, (mode, tiler)) in block.modes().zip(tilers).enumerate() {
                modes.push(logical_product_logged(mode, tiler, log).map_err(|r| r.inside(i))?);
            }
            let rest = block.modes().skip(tilers.len());
            Layout::concat(modes.iter().map(Layout::view).chain(rest))
        }
    }
}

fn multiply_by_layout(
    block: LayoutView<'_>,
    grid: &Layout,
    log: &mut Log<'_>,
) -> Result<Layout, Refusal> {
    log.step(|| Step::Enter {
        operation: "logical_product",
        operands: vec![block.to_string(), grid.to_string()],
    });
    let target = block.size()?.mul(&grid.cosize()?)?;
    let free = complement_logged(block, &Tuple::leaf(target), log)?;
    let copies = composition_logged(free.view(), grid.view(), log)?;
    let result = Layout::concat([block, copies.view()]);
    log.leave(&result);
    result
}

/// `((block,block,..),(copies,copies,..))`.
pub fn zipped_product(block: &Layout, tiler: &Tiler) -> Result<Layout, Refusal> {
    tile_unzip(&logical_product(block, tiler)?, tiler)
}

/// `((block,block,..),copies,copies,..)`.
pub fn tiled_product(block: &Layout, tiler: &Tiler) -> Result<Layout, Refusal> {
    unpack(&zipped_product(block, tiler)?, false, true)
}

/// `(block,block,..,copies,copies,..)`.
pub fn flat_product(block: &Layout, tiler: &Tiler) -> Result<Layout, Refusal> {
    unpack(&zipped_product(block, tiler)?, true, true)
}

/// Each mode is `(block, copies)`: every element of the tiler is a block.
pub fn blocked_product(block: &Layout, tiler: &Layout) -> Result<Layout, Refusal> {
    let product = product_of_equal_rank(block, tiler)?;
    zip(&product.mode(0)?, &product.mode(1)?)
}

/// Each mode is `(copies, block)`: the blocks are interleaved.
pub fn raked_product(block: &Layout, tiler: &Layout) -> Result<Layout, Refusal> {
    let product = product_of_equal_rank(block, tiler)?;
    zip(&product.mode(1)?, &product.mode(0)?)
}

fn product_of_equal_rank(block: &Layout, tiler: &Layout) -> Result<Layout, Refusal> {
    let rank = block.rank().max(tiler.rank());
    let block = append_to_rank(block, rank, &Layout::unit())?;
    let tiler = append_to_rank(tiler, rank, &Layout::unit())?;
    logical_product(&block, &Tiler::Layout(tiler))
}
