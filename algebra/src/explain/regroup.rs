//! Derivations of divides and products (paper §3.5.1, §3.5.2): by their definitions, and then by regrouping.

use super::complement;
use super::composition;
use super::tree::{By, Derivation, Notation};
use crate::int::Int;
use crate::layout::{Layout, LayoutView};
use crate::ops;
use crate::refusal::Refusal;
use crate::tiler::Tiler;
use crate::tuple::Tuple;

/// Explains [`ops::logical_divide`]: the complement of the tile in the shape of the layout, and the composition with both.
pub fn logical_divide(layout: &Layout, tiler: &Tiler) -> Derivation {
    let n = Notation::with_tiler(layout, tiler);
    let expression = format!(
        "logical_divide({}, {})",
        n.layout(layout.view()),
        n.tiler(tiler)
    );
    let steps = by_tiler(layout.view(), tiler, n, &divided, &logical_divide);
    Derivation::of(expression, steps, ops::logical_divide(layout, tiler), n)
}

/// Explains [`ops::logical_product`]: the complement of the block, and its composition with the grid.
pub fn logical_product(block: &Layout, tiler: &Tiler) -> Derivation {
    let n = Notation::with_tiler(block, tiler);
    let expression = format!(
        "logical_product({}, {})",
        n.layout(block.view()),
        n.tiler(tiler)
    );
    let steps = by_tiler(block.view(), tiler, n, &multiplied, &logical_product);
    Derivation::of(expression, steps, ops::logical_product(block, tiler), n)
}

/// The steps of an operation whose tiler is a layout.
type ByLayout = dyn Fn(LayoutView<'_>, &Layout, Notation) -> Result<Vec<Derivation>, Refusal>;

/// The steps for a layout as the tiler, or the derivations mode by mode for a tuple of tilers.
fn by_tiler(
    layout: LayoutView<'_>,
    tiler: &Tiler,
    n: Notation,
    by_layout: &ByLayout,
    by_mode: &dyn Fn(&Layout, &Tiler) -> Derivation,
) -> Vec<Derivation> {
    let steps = |tile: &Layout| by_layout(layout, tile, n).unwrap_or_default();
    match tiler {
        Tiler::Layout(tile) => steps(tile),
        Tiler::Int(extent) => steps(&Layout::single(extent.clone(), Int::ONE)),
        Tiler::Modes(tilers) => {
            let modes = layout
                .modes()
                .zip(tilers)
                .map(|(mode, tiler)| by_mode(&mode.to_layout(), tiler))
                .collect();
            vec![Derivation::note(By::ByMode, "", n).with_steps(modes)]
        }
        Tiler::Skip => vec![Derivation::note(By::Mode, "_ leaves the mode as it is", n)],
    }
}

/// `A o (B, B*)` with `B*` the complement of `B` in the shape of `A`.
fn divided(layout: LayoutView<'_>, tile: &Layout, n: Notation) -> Result<Vec<Derivation>, Refusal> {
    let target = ops::coalesce(&layout.to_layout())?.shape();
    let rest = complement::derive(tile.view(), &target, n);
    let Some(found) = rest.layout().and_then(|layout| layout.as_affine()).cloned() else {
        return Ok(vec![rest]);
    };
    let both = Layout::concat([tile.view(), found.view()])?;
    let concatenated = Derivation::step(
        By::Concatenate,
        "the tile and its complement",
        both.clone(),
        n,
    );
    Ok(vec![
        rest,
        concatenated,
        composition::derive(layout, &both, n),
    ])
}

/// `(A, A* o B)` with `A*` the complement of `A` in as much room as `B` needs.
fn multiplied(
    block: LayoutView<'_>,
    grid: &Layout,
    n: Notation,
) -> Result<Vec<Derivation>, Refusal> {
    let target = Tuple::leaf(block.size()?.mul(&grid.cosize()?)?);
    let free = complement::derive(block, &target, n);
    let Some(found) = free.layout().and_then(|layout| layout.as_affine()).cloned() else {
        return Ok(vec![free]);
    };
    let copies = composition::derive(found.view(), grid, n);
    let mut steps = vec![free];
    if let Some(placed) = copies
        .layout()
        .and_then(|layout| layout.as_affine())
        .cloned()
    {
        let both = Layout::concat([block, placed.view()])?;
        steps.push(copies);
        steps.push(Derivation::step(
            By::Concatenate,
            "the block and where its copies begin",
            both,
            n,
        ));
    } else {
        steps.push(copies);
    }
    Ok(steps)
}

/// A derivation that regroups the result of another.
fn regrouped(
    name: &str,
    how: &str,
    inner: Derivation,
    operands: (&Layout, &Tiler),
    result: Result<Layout, Refusal>,
) -> Derivation {
    let n = Notation::with_tiler(operands.0, operands.1);
    let expression = format!(
        "{name}({}, {})",
        n.layout(operands.0.view()),
        n.tiler(operands.1)
    );
    let mut steps = vec![inner];
    if let Ok(layout) = &result {
        steps.push(Derivation::step(By::Regroup, how, layout.clone(), n));
    }
    Derivation::of(expression, steps, result, n)
}

/// Explains [`ops::zipped_divide`].
pub fn zipped_divide(layout: &Layout, tiler: &Tiler) -> Derivation {
    let how = "tiles in mode 0, rests in mode 1";
    regrouped(
        "zipped_divide",
        how,
        logical_divide(layout, tiler),
        (layout, tiler),
        ops::zipped_divide(layout, tiler),
    )
}

/// Explains [`ops::tiled_divide`].
pub fn tiled_divide(layout: &Layout, tiler: &Tiler) -> Derivation {
    let how = "tiles in mode 0, then one mode per rest";
    regrouped(
        "tiled_divide",
        how,
        logical_divide(layout, tiler),
        (layout, tiler),
        ops::tiled_divide(layout, tiler),
    )
}

/// Explains [`ops::flat_divide`].
pub fn flat_divide(layout: &Layout, tiler: &Tiler) -> Derivation {
    let how = "each tile and each rest is one mode";
    regrouped(
        "flat_divide",
        how,
        logical_divide(layout, tiler),
        (layout, tiler),
        ops::flat_divide(layout, tiler),
    )
}

/// Explains [`ops::zipped_product`].
pub fn zipped_product(block: &Layout, tiler: &Tiler) -> Derivation {
    let how = "blocks in mode 0, copies in mode 1";
    regrouped(
        "zipped_product",
        how,
        logical_product(block, tiler),
        (block, tiler),
        ops::zipped_product(block, tiler),
    )
}

/// Explains [`ops::tiled_product`].
pub fn tiled_product(block: &Layout, tiler: &Tiler) -> Derivation {
    let how = "blocks in mode 0, then one mode for the copies of each";
    regrouped(
        "tiled_product",
        how,
        logical_product(block, tiler),
        (block, tiler),
        ops::tiled_product(block, tiler),
    )
}

/// Explains [`ops::flat_product`].
pub fn flat_product(block: &Layout, tiler: &Tiler) -> Derivation {
    let how = "each block and its copies are one mode each";
    regrouped(
        "flat_product",
        how,
        logical_product(block, tiler),
        (block, tiler),
        ops::flat_product(block, tiler),
    )
}

/// Explains [`ops::blocked_product`].
pub fn blocked_product(block: &Layout, grid: &Layout) -> Derivation {
    paired(
        "blocked_product",
        "each mode is (block, copies)",
        block,
        grid,
        ops::blocked_product(block, grid),
    )
}

/// Explains [`ops::raked_product`].
pub fn raked_product(block: &Layout, grid: &Layout) -> Derivation {
    paired(
        "raked_product",
        "each mode is (copies, block)",
        block,
        grid,
        ops::raked_product(block, grid),
    )
}

fn paired(
    name: &str,
    how: &str,
    block: &Layout,
    grid: &Layout,
    result: Result<Layout, Refusal>,
) -> Derivation {
    let rank = block.rank().max(grid.rank());
    let padded = |layout: &Layout| ops::append_to_rank(layout, rank, &Layout::unit());
    let tiler = Tiler::Layout(grid.clone());
    let product = match (padded(block), padded(grid)) {
        (Ok(block), Ok(grid)) => logical_product(&block, &Tiler::Layout(grid)),
        _ => logical_product(block, &tiler),
    };
    regrouped(name, how, product, (block, &tiler), result)
}
