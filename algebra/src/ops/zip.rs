//! Zip: from pairs per mode to a pair of modes (CuTe's `zip` and `zip2_by`), which gathers tiles and rests.

use crate::int::Int;
use crate::layout::{Layout, LayoutView};
use crate::ops::divide::UNDERSCORE_DOES_NOT_COMPILE;
use crate::refusal::{Refusal, Rule};
use crate::tiler::Tiler;

fn mismatched_ranks(layout: LayoutView<'_>, wanted: usize) -> Refusal {
    Refusal::asserted(Rule::RankMismatch, "Mismatched ranks")
        .with("rank", layout.rank())
        .with("wanted_rank", wanted)
}

/// `((a,b,...),(x,y,...))` becomes `((a,x),(b,y),...)`; two leaves become one mode `((a,x))`.
pub fn zip(a: &Layout, b: &Layout) -> Result<Layout, Refusal> {
    let (a, b) = (a.view(), b.view());
    if a.is_leaf() {
        let pair = Layout::concat([a, b])?;
        return Layout::concat([pair.view()]);
    }
    if b.is_leaf() {
        return Err(Refusal::uncompilable(Rule::RankMismatch, "incomplete type")
            .with("right", b.to_string()));
    }
    if a.rank() != b.rank() {
        return Err(Refusal::asserted(Rule::RankMismatch, "Mismatched Ranks")
            .with("left_rank", a.rank())
            .with("right_rank", b.rank()));
    }
    let pairs = a
        .modes()
        .zip(b.modes())
        .map(|(x, y)| Layout::concat([x, y]))
        .collect::<Result<Vec<_>, _>>()?;
    Layout::concat(pairs.iter().map(Layout::view))
}

/// Gathers the first members of the pairs at the leaves of `tiler`, and the second ones with the rest:
/// `((A,a),((B,b),(C,c)),d)` by `(x,(x,x))` becomes `((A,(B,C)),(a,(b,c),d))`.
pub fn tile_unzip(layout: &Layout, tiler: &Tiler) -> Result<Layout, Refusal> {
    let Tiler::Modes(_) = tiler else {
        split_pair(layout.view())?;
        return Ok(layout.clone());
    };
    let (first, second) = unzip(layout.view(), tiler)?;
    Layout::concat([first.view(), second.view()])
}

/// Splits each mode at a leaf of `tiler` into a pair by `split`, and gathers the pairs (`hier_unzip` of pycute).
///
/// Law: with [`logical_divide`](crate::ops::logical_divide) it is [`zipped_divide`](crate::ops::zipped_divide), with
/// [`logical_product`](crate::ops::logical_product) it is [`zipped_product`](crate::ops::zipped_product). A mode under
/// `_` is all rest, beside the tile `1:0`. Refused where `split` is, or where its result is not a pair.
///
/// ```
/// use cute_algebra::{Layout, Tiler, ops::{hier_unzip, logical_divide}};
/// let matrix: Layout = "(_8,_32):(_32,_1)".parse()?;
/// let tiles = hier_unzip(&logical_divide, &matrix, &"(_2,_)".parse::<Tiler>()?)?;
/// assert_eq!(tiles.to_string(), "((_2,_1),(_4,_32)):((_32,_0),(_64,_1))");
/// # Ok::<(), cute_algebra::Refusal>(())
/// ```
pub fn hier_unzip(
    split: &dyn Fn(&Layout, &Tiler) -> Result<Layout, Refusal>,
    layout: &Layout,
    tiler: &Tiler,
) -> Result<Layout, Refusal> {
    let (tile, rest) = unzip_by(split, layout.view(), tiler)?;
    Layout::concat([tile.view(), rest.view()])
}

fn unzip_by(
    split: &dyn Fn(&Layout, &Tiler) -> Result<Layout, Refusal>,
    layout: LayoutView<'_>,
    tiler: &Tiler,
) -> Result<(Layout, Layout), Refusal> {
    let tilers = match tiler {
        Tiler::Skip => return Ok((Layout::single(Int::ONE, Int::ZERO), layout.to_layout())),
        Tiler::Modes(tilers) => tilers,
        Tiler::Int(_) | Tiler::Layout(_) => {
            let pair = split(&layout.to_layout(), tiler)?;
            let (tile, rest) = split_pair(pair.view())?;
            return Ok((tile.to_layout(), rest.to_layout()));
        }
    };
    if layout.rank() < tilers.len() {
        return Err(mismatched_ranks(layout, tilers.len()));
    }
    let mut tiles = Vec::with_capacity(tilers.len());
    let mut rests = Vec::with_capacity(layout.rank());
    for (i, (mode, tiler)) in layout.modes().zip(tilers).enumerate() {
        let (tile, rest) = unzip_by(split, mode, tiler).map_err(|r| r.inside(i))?;
        tiles.push(tile);
        rests.push(rest);
    }
    let untouched = layout.modes().skip(tilers.len());
    let tile = Layout::concat(tiles.iter().map(Layout::view))?;
    let rest = Layout::concat(rests.iter().map(Layout::view).chain(untouched))?;
    Ok((tile, rest))
}

/// The two members of a pair.
fn split_pair(layout: LayoutView<'_>) -> Result<(LayoutView<'_>, LayoutView<'_>), Refusal> {
    if layout.is_leaf() {
        return Err(
            Refusal::uncompilable(Rule::RankMismatch, UNDERSCORE_DOES_NOT_COMPILE)
                .with("rank", 1_usize)
                .with("wanted_rank", 2_usize),
        );
    }
    let mut modes = layout.modes();
    match (modes.next(), modes.next(), modes.next()) {
        (Some(first), Some(second), None) => Ok((first, second)),
        _ => Err(mismatched_ranks(layout, 2)),
    }
}

fn unzip(layout: LayoutView<'_>, tiler: &Tiler) -> Result<(Layout, Layout), Refusal> {
    let Tiler::Modes(tilers) = tiler else {
        let (first, second) = split_pair(layout)?;
        return Ok((first.to_layout(), second.to_layout()));
    };
    if layout.is_leaf() {
        return Err(
            Refusal::uncompilable(Rule::RankMismatch, UNDERSCORE_DOES_NOT_COMPILE)
                .with("rank", 1_usize)
                .with("wanted_rank", tilers.len()),
        );
    }
    if layout.rank() < tilers.len() {
        return Err(mismatched_ranks(layout, tilers.len()));
    }
    let mut firsts = Vec::with_capacity(tilers.len());
    let mut seconds = Vec::with_capacity(layout.rank());
    for (i, (mode, tiler)) in layout.modes().zip(tilers).enumerate() {
        let (first, second) = unzip(mode, tiler).map_err(|r| r.inside(i))?;
        firsts.push(first);
        seconds.push(second);
    }
    let rest = layout.modes().skip(tilers.len());
    let first = Layout::concat(firsts.iter().map(Layout::view))?;
    let second = Layout::concat(seconds.iter().map(Layout::view).chain(rest))?;
    Ok((first, second))
}

/// The layout of rank 2 as `(x.., y..)`, as the Python DSL has it: a tuple of one mode is opened like any other.
pub fn open_pair(pair: &Layout, first: bool, second: bool) -> Result<Layout, Refusal> {
    let (a, b) = split_pair(pair.view())?;
    let modes = |mode: LayoutView<'_>, open: bool| -> Vec<Layout> {
        if open && !mode.is_leaf() {
            mode.modes().map(LayoutView::to_layout).collect()
        } else {
            vec![mode.to_layout()]
        }
    };
    let all: Vec<Layout> = modes(a, first)
        .into_iter()
        .chain(modes(b, second))
        .collect();
    Layout::concat(all.iter().map(Layout::view))
}

/// The layout of rank 2 as `(x.., y..)`: each of the two modes replaced by its own modes, when asked to.
pub(crate) fn unpack(layout: &Layout, first: bool, second: bool) -> Result<Layout, Refusal> {
    let (a, b) = split_pair(layout.view())?;
    let modes = |mode: LayoutView<'_>, open: bool| -> Vec<Layout> {
        // CuTe unpacks a mode with `repeat<rank>(_)`, which is a plain `_` for rank 1.
        if open && !mode.is_leaf() && mode.rank() != 1 {
            mode.modes().map(LayoutView::to_layout).collect()
        } else {
            vec![mode.to_layout()]
        }
    };
    let all: Vec<Layout> = modes(a, first)
        .into_iter()
        .chain(modes(b, second))
        .collect();
    Layout::concat(all.iter().map(Layout::view))
}
