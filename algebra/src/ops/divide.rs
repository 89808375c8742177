//! Divide (paper §3.5.2): a layout split into tiles and the positions of the tiles.
//!
//! `A / B = A o (B, B*)`, with `B*` the complement of `B` in the shape of `A`. Law: mode 0 is `A o B`, and the whole is a
//! permutation of `A` when the tile divides it; otherwise it covers more than there is (the judge says so). A tuple of
//! tilers applies by mode; `_` leaves a mode.
//!
//! `zipped` gathers tiles and rests into a pair, `tiled` unpacks the rests, `flat` unpacks both. Refused where composition
//! and complement are. `O(n log n)` in the leaves.
//!
//! ```
//! use cute_algebra::{Layout, Tiler, ops::zipped_divide};
//! let matrix: Layout = "(_8,_32):(_32,_1)".parse()?;
//! let tiles = zipped_divide(&matrix, &"(_2,_2)".parse::<Tiler>()?)?;
//! assert_eq!(tiles.to_string(), "((_2,_2),(_4,_16)):((_32,_1),(_64,_2))");
//! # Ok::<(), cute_algebra::Refusal>(())
//! ```

use crate::int::Int;
use crate::layout::{Layout, LayoutView};
use crate::log::{Log, Step};
use crate::ops::coalesce::coalesce_view;
use crate::ops::complement::complement_logged;
use crate::ops::composition::{composition_logged, too_many_modes};
use crate::ops::zip::{tile_unzip, unpack};
use crate::refusal::Refusal;
use crate::tiler::Tiler;

/// Why `_` in the tiler of a zipped divide does not compile: the untouched mode is not a pair.
pub(crate) const UNDERSCORE_DOES_NOT_COMPILE: &str =
    "incomplete type used in nested name specifier";

/// `A o (T, T*)`, by mode for a tuple.
pub fn logical_divide(layout: &Layout, tiler: &Tiler) -> Result<Layout, Refusal> {
    logical_divide_logged(layout.view(), tiler, &mut Log::silent())
}

/// [`logical_divide`], telling `log` its conditions and steps.
pub fn logical_divide_logged(
    layout: LayoutView<'_>,
    tiler: &Tiler,
    log: &mut Log<'_>,
) -> Result<Layout, Refusal> {
    match tiler {
        Tiler::Skip => Ok(layout.to_layout()),
        Tiler::Int(extent) => divide_by_layout(layout, &Layout::left(extent.clone().into())?, log),
        Tiler::Layout(tile) => divide_by_layout(layout, tile, log),
        Tiler::Modes(tilers) => {
            if tilers.len() > layout.rank() {
                return Err(too_many_modes(
                    "logical_divide: Too many modes in tiler.",
                    tilers.len(),
                    layout.rank(),
                ));
            }
            let mut modes = Vec::with_capacity(tilers.len());
            for (i, (mode, tiler)) in layout.modes().zip(tilers).enumerate() {
                modes.push(logical_divide_logged(mode, tiler, log).map_err(|r| r.inside(i))?);
            }
            let rest = layout.modes().skip(tilers.len());
            Layout::concat(modes.iter().map(Layout::view).chain(rest))
        }
    }
}

fn divide_by_layout(
    layout: LayoutView<'_>,
    tile: &Layout,
    log: &mut Log<'_>,
) -> Result<Layout, Refusal> {
    log.step(|| Step::Enter {
        operation: "logical_divide",
        operands: vec![layout.to_string(), tile.to_string()],
    });
    let target = coalesce_view(layout)?.shape();
    let both = match &complement_logged(tile.view(), &target, log) {
        Ok(rest) => Layout::concat([tile.view(), rest.view()]),
        Err(refusal) => return Err(refusal.clone()),
    };
    let result = match &both {
        Ok(both) => composition_logged(layout, both.view(), log),
        Err(refusal) => return Err(refusal.clone()),
    };
    log.leave(&result);
    result
}

/// `((tile,tile,..),(rest,rest,..))`.
pub fn zipped_divide(layout: &Layout, tiler: &Tiler) -> Result<Layout, Refusal> {
    tile_unzip(&logical_divide(layout, tiler)?, tiler)
}

/// `((tile,tile,..),rest,rest,..)`.
pub fn tiled_divide(layout: &Layout, tiler: &Tiler) -> Result<Layout, Refusal> {
    unpack(&zipped_divide(layout, tiler)?, false, true)
}

/// `(tile,tile,..,rest,rest,..)`.
pub fn flat_divide(layout: &Layout, tiler: &Tiler) -> Result<Layout, Refusal> {
    unpack(&zipped_divide(layout, tiler)?, true, true)
}

/// Number of elements that the tiles cover, and number of elements, per mode that a tiler names: equal when it divides.
pub fn coverage(layout: &Layout, divided: &Layout) -> Result<(Int, Int), Refusal> {
    Ok((divided.size()?, layout.size()?))
}
