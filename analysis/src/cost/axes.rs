//! Axes of the grid: the extent that one is made of, and the mode that it indexes.

use cute_algebra::Shape;

use super::bounds::{Size, Tiled, is_predicated, modes};
use super::requirements::tile_of;
use super::{Costs, Seen, configured};
use crate::finding::{Finding, Number, Related, Severity};
use crate::held::at;
use crate::trace::{Action, Deed, Launch, Way};
use crate::value::Value;

/// The stable name of the rule.
const RULE: &str = "grid-axis";

/// Sizes that are tried, in tiles.
const TILES_TRIED: i64 = 64;

/// Looks for tiles without a CTA.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    let Some(launch) = seen.run.launches.first().filter(|_| seen.run.is_kernel()) else {
        return;
    };
    // A second launch may have the rest.
    let mut launches = seen.run.launches.iter();
    if !launches.all(|other| other.span == launch.span && other.grid == launch.grid) {
        return;
    }
    for tile in seen.run.reached(Deed::LocalTile) {
        if tile.is_uncertain || !tile.calls.is_empty() || !is_all_of_it(seen, tile) {
            continue;
        }
        let all = modes(tile, launch);
        for tiled in &all {
            let found = of_other_extent(seen, tile, launch, tiled)
                .or_else(|| without_the_rest(seen, tile, launch, tiled, &all));
            let Some(finding) = found else { continue };
            let is_known = |known: &Finding| known.rule == RULE && known.span == finding.span;
            if !costs.findings.iter().any(is_known) {
                costs.findings.push(finding);
            }
        }
    }
}

/// Whether every CTA comes to the tile, and takes no other one of its tensor.
fn is_all_of_it(seen: &Seen<'_, '_>, tile: &Action<'_>) -> bool {
    let is_loop = |way: &Way<'_>| matches!(way, Way::Loop(_));
    let tensor = tile.args.first().and_then(|tensor| seen.variable(tensor));
    let mut others = seen.run.everything();
    let has_other = others.any(|other| {
        let of = other.args.first().and_then(|tensor| seen.variable(tensor));
        other.deed == Deed::LocalTile && of == tensor && other.span() != tile.span()
    });
    tensor.is_some() && !has_other && tile.path.iter().all(|step| is_loop(&step.way))
}

/// The one symbol of a number of run time.
fn symbol_of(int: &cute_algebra::Int) -> Option<String> {
    match int.as_expression()?.symbols().as_slice() {
        [symbol] => Some(symbol.to_string()),
        _ => None,
    }
}

/// An axis that indexes one mode and is made of the extent of another one.
fn of_other_extent(
    seen: &Seen<'_, '_>,
    tile: &Action<'_>,
    launch: &Launch,
    tiled: &Tiled,
) -> Option<Finding> {
    let Value::Tensor(tensor) = tile.values.first()? else {
        return None;
    };
    let of_grid = symbol_of(&tiled.ctas)?;
    let own = Size::of(seen, tiled)?;
    if own.symbol == of_grid {
        return None;
    }
    let own_shape = tensor.layout.domain().shape();
    let with_extent = |tile: &Action<'_>, shape: &Shape| {
        let extents = tile_of(tile)?;
        shape.modes().zip(extents).find_map(|(mode, extent)| {
            let size = mode.size().ok()?;
            (symbol_of(&size)? == of_grid).then_some((size, extent))
        })
    };
    // Of another tensor of the kernel, where the wrong step of this one leaves out that mode.
    let mut tiles = seen.run.reached(Deed::LocalTile);
    let (extent, other_tile) = with_extent(tile, &own_shape).or_else(|| {
        tiles.find_map(|other| match other.values.first()? {
            Value::Tensor(tensor) => with_extent(other, &tensor.layout.domain().shape()),
            _ => None,
        })
    })?;
    let other = Tiled {
        axis: tiled.axis,
        extent,
        tile: other_tile.unwrap_or(1),
        ctas: tiled.ctas.clone(),
    };
    let other = Size::of(seen, &other).map(|size| (size, other.tile))?;
    let (other, step) = (other.0, other.1.max(1));
    let mut held = launch.held.iter();
    // `if (m != n) return;`
    if held.any(|held| held.relates(&own.symbol, &other.symbol)) {
        return None;
    }
    let is_allowed = |symbol: &str, value: i64| {
        let mut held = launch.held.iter();
        !held.any(|held| held.may_exclude(symbol, value))
    };
    let first = other.least_size() / step;
    let (other_size, ctas) = (1..=TILES_TRIED).find_map(|tiles| {
        let size = (first + tiles).checked_mul(step)?;
        let value = other.value(size)?;
        let ctas = at(&tiled.ctas, &of_grid, value)?;
        (ctas > 0 && is_allowed(&other.symbol, value)).then_some((size, ctas))
    })?;
    let least = ctas.max(own.least_size() / tiled.tile.max(1));
    let (size, tiles) = (1..=TILES_TRIED).find_map(|more| {
        let tiles = least.checked_add(more)?;
        let size = tiles.checked_mul(tiled.tile)?;
        let value = own.value(size)?;
        is_allowed(&own.symbol, value).then_some((size, tiles))
    })?;
    let message = format!(
        "{} = {size}, {} = {other_size}: {} indexes {tiles} tiles of {}, the grid has {ctas}",
        own.name, other.name, tiled.axis, own.name
    );
    Some(finding(
        seen,
        tile,
        launch,
        message,
        (size, tiled.tile, ctas),
    ))
}

/// A grid that is rounded down, of a kernel that has predicates for the last tile, or along one axis only.
fn without_the_rest(
    seen: &Seen<'_, '_>,
    tile: &Action<'_>,
    launch: &Launch,
    tiled: &Tiled,
    all: &[Tiled],
) -> Option<Finding> {
    let own = Size::of(seen, tiled)?;
    let mut others = all.iter().filter(|other| other.axis != tiled.axis);
    let is_meant =
        is_predicated(seen) || others.any(|other| is_rounded_up(seen, other).unwrap_or(false));
    if symbol_of(&tiled.ctas)? != own.symbol || tiled.tile < 2 || !is_meant {
        return None;
    }
    let whole = (own.least_size() / tiled.tile)
        .checked_add(1)?
        .checked_mul(tiled.tile)?;
    let size = (whole + 1..whole + tiled.tile).find(|size| {
        let mut held = launch.held.iter();
        own.covered(*size).is_some_and(|covered| covered < *size)
            && own
                .value(*size)
                .is_some_and(|value| !held.any(|held| held.may_exclude(&own.symbol, value)))
    })?;
    let covered = own.covered(size)?;
    let message = format!(
        "{} = {size}: {} CTAs of {} reach up to {covered}, no CTA has the last tile",
        own.name,
        covered / tiled.tile,
        tiled.tile
    );
    let numbers = (size, tiled.tile, covered / tiled.tile);
    Some(finding(seen, tile, launch, message, numbers))
}

/// Whether the grid has a CTA for the last tile of a size, also where that is not whole.
fn is_rounded_up(seen: &Seen<'_, '_>, tiled: &Tiled) -> Option<bool> {
    let size = Size::of(seen, tiled)?;
    let whole = (size.least_size() / tiled.tile)
        .checked_add(1)?
        .checked_mul(tiled.tile)?;
    let mut ragged = (whole + 1..whole + tiled.tile).filter_map(|size_of| size.covered(size_of));
    let first = ragged.next()?;
    Some(tiled.tile >= 2 && first > whole && ragged.all(|covered| covered == first))
}

fn finding(
    seen: &Seen<'_, '_>,
    tile: &Action<'_>,
    launch: &Launch,
    message: String,
    (size, extent, ctas): (i64, i64, i64),
) -> Finding {
    let coordinate = tile
        .args
        .get(2)
        .map(|coordinate| seen.resolved(coordinate).span);
    let places = [
        (coordinate, "the coordinate of the CTA"),
        (configured::made_at(seen, launch, &launch.grid), "the grid"),
        (Some(launch.span), "the launch"),
    ];
    let related = places.into_iter().filter_map(|(span, message)| {
        let span = span.filter(|span| seen.file.contains(*span))?;
        Some(Related {
            span,
            message: message.to_owned(),
        })
    });
    Finding {
        numbers: vec![
            ("size".to_owned(), Number::Integer(size)),
            ("tile".to_owned(), Number::Integer(extent)),
            ("ctas".to_owned(), Number::Integer(ctas)),
        ],
        related: related.collect(),
        ..seen.finding(RULE, Severity::Warning, tile.span(), message)
    }
}
