//! Axes of the grid: the extent that one is made of, and the mode that it indexes.

use cute_algebra::Int;
use tree_sitter_cute::tree::{ExprKind, Span};

use super::bounds::{Size, Tiled, is_predicated, modes};
use super::sizes::{self, Given};
use super::thread_sets::{asks_for_thread, condition_of};
use super::{Costs, Seen, configured};
use crate::finding::{Finding, Number, Related, Severity};
use crate::held::at;
use crate::trace::{Action, ActionKind, Launch, Step, Way};

/// The stable name of the rule.
const RULE: &str = "grid-axis";

/// Sizes that are tried, in tiles.
const TILES_TRIED: i64 = 64;
/// Variables inside each other that are followed in a condition.
const DEPTH: usize = 24;
/// Numbers that are tried for the symbol of an extent in tiles.
const VALUES_TRIED: i64 = 4096;

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
    let takes = |action: &&Action<'_>| {
        matches!(action.kind, ActionKind::LocalTile | ActionKind::CtaSlice) && action.is_reached()
    };
    for tile in seen.run.actions.iter().filter(takes) {
        if tile.is_uncertain || !tile.calls.is_empty() || !is_all_of_it(seen, tile) {
            continue;
        }
        let all = modes(seen, tile, launch);
        for tiled in &all {
            let found = of_known_extent(seen, tile, launch, tiled).or_else(|| {
                // Sizes of two tensors of the DSL have two symbols, also where they are one.
                if seen.is_of_dsl {
                    return None;
                }
                of_other_extent(seen, tile, launch, tiled)
                    .or_else(|| without_the_rest(seen, tile, launch, tiled, &all))
            });
            let Some(finding) = found else { continue };
            // Of a tensor and its coordinates once.
            let is_known = |known: &Finding| {
                known.rule == RULE
                    && (known.span == finding.span || known.message == finding.message)
            };
            if !costs.findings.iter().any(is_known) {
                costs.findings.push(finding);
            }
            break;
        }
    }
}

/// Whether every CTA comes to the tile, and takes no other one of its tensor.
fn is_all_of_it(seen: &Seen<'_, '_>, tile: &Action<'_>) -> bool {
    let Some(tensor) = tensor_of(seen, tile) else {
        return false;
    };
    let mut others = seen.run.everything();
    let has_other = others.any(|other| {
        let takes = matches!(other.kind, ActionKind::LocalTile | ActionKind::CtaSlice);
        takes && tensor_of(seen, other).as_ref() == Some(&tensor) && other.span() != tile.span()
    });
    !has_other && is_of_every_cta(seen, tile)
}

/// Whether no condition but one of threads is around an action: a role of threads is one of every CTA.
pub(super) fn is_of_every_cta(seen: &Seen<'_, '_>, action: &Action<'_>) -> bool {
    let is_loop = |way: &Way<'_>| matches!(way, Way::Loop(_));
    let chooses_threads = |step: &Step<'_>| match step.way {
        Way::Then(condition) => asks_for_thread(seen, condition, DEPTH),
        Way::Else => condition_of(seen, step.span)
            .is_some_and(|condition| asks_for_thread(seen, condition, DEPTH)),
        _ => false,
    };
    let mut path = action.path.iter();
    path.all(|step| is_loop(&step.way) || chooses_threads(step))
}

/// The tensor that a part is taken of: its declaration, or the expression that makes it.
fn tensor_of(seen: &Seen<'_, '_>, tile: &Action<'_>) -> Option<(Option<Span>, String)> {
    let tensor = match (tile.kind, &tile.call.kind) {
        (ActionKind::CtaSlice, ExprKind::Call(callee, _)) => &**callee,
        _ => tile.args.first()?,
    };
    match seen.variable(tensor) {
        Some(declared) => Some((Some(declared), String::new())),
        None => Some((None, seen.resolved(tensor).to_string())),
    }
}

/// The one symbol of a number of run time.
fn symbol_of(int: &Int) -> Option<String> {
    match int.as_expression()?.symbols().as_slice() {
        [symbol] => Some(symbol.to_string()),
        _ => None,
    }
}

/// An extent that one symbol decides.
struct Extent {
    symbol: String,
    /// Its name.
    name: String,
    /// Sizes that are tried: the number to name, the value of the symbol, and the tiles.
    tried: Vec<(i64, i64, i64)>,
}

impl Extent {
    fn of(seen: &Seen<'_, '_>, tiled: &Tiled) -> Option<Self> {
        if let Some(size) = Size::of(seen, tiled) {
            let first = size.least_size() / tiled.tile.max(1);
            let tried = (1..=TILES_TRIED).filter_map(|more| {
                let tiles = first.checked_add(more)?;
                let whole = tiles.checked_mul(tiled.tile)?;
                Some((whole, size.value(whole)?, tiles))
            });
            return Some(Self {
                tried: tried.collect(),
                symbol: size.symbol,
                name: size.name,
            });
        }
        // An extent in tiles: `ceil_div(m, 64)`.
        let symbol = symbol_of(&tiled.extent)?;
        let mut multiples = seen.output.multiples.iter();
        if multiples.any(|multiple| multiple.restored(&tiled.extent) != tiled.extent) {
            return None;
        }
        let least = tiled
            .extent
            .as_expression()?
            .least_of(&symbol)
            .unwrap_or(1)
            .max(1);
        let mut tried: Vec<(i64, i64, i64)> = Vec::new();
        for value in least..least.checked_add(VALUES_TRIED)? {
            let extent = at(&tiled.extent, &symbol, value)?;
            let tiles = extent.checked_add(tiled.tile - 1)? / tiled.tile;
            if tried.last().is_none_or(|(_, _, known)| *known < tiles) {
                tried.push((value, value, tiles));
            }
        }
        Some(Self {
            name: symbol.clone(),
            symbol,
            tried,
        })
    }
}

/// An axis of a known number of CTAs that indexes a mode of more tiles.
fn of_known_extent(
    seen: &Seen<'_, '_>,
    tile: &Action<'_>,
    launch: &Launch,
    tiled: &Tiled,
) -> Option<Finding> {
    let (extent, ctas) = (tiled.extent.value()?, tiled.ctas.value()?);
    let tiles = extent
        .checked_add(tiled.tile - 1)?
        .checked_div(tiled.tile)?;
    if ctas < 1 || tiles <= ctas {
        return None;
    }
    let axis = tiled.axis;
    let message = match ctas {
        1 => format!("{axis} indexes {tiles} tiles of {extent} elements, the grid has 1 CTA"),
        _ => format!("{axis} indexes {tiles} tiles of {extent} elements, the grid has {ctas} CTAs"),
    };
    let numbers = (extent, tiled.tile, ctas);
    Some(finding(seen, tile, launch, message, numbers))
}

/// An axis that indexes one mode and is made of the extent of another one.
fn of_other_extent(
    seen: &Seen<'_, '_>,
    tile: &Action<'_>,
    launch: &Launch,
    tiled: &Tiled,
) -> Option<Finding> {
    let of_grid = symbol_of(&tiled.ctas)?;
    if symbol_of(&tiled.extent)? == of_grid {
        return None;
    }
    let own = Extent::of(seen, tiled)?;
    let given = Given::of(seen, launch);
    let with_extent = |tile: &Action<'_>| {
        sizes::modes_of(tile).into_iter().find_map(|mode| {
            let extent = given.on_host(&mode.extent)?;
            (symbol_of(&extent)? == of_grid).then_some((extent, mode.tile))
        })
    };
    // Of another tensor of the kernel, where the wrong step of this one leaves out that mode.
    let takes =
        |other: &&Action<'_>| matches!(other.kind, ActionKind::LocalTile | ActionKind::CtaSlice);
    let (extent, other_tile) = with_extent(tile).or_else(|| {
        let reached = seen.run.actions.iter().filter(|other| other.is_reached());
        reached.filter(takes).find_map(with_extent)
    })?;
    let other = tiled.with(extent, other_tile.unwrap_or(1).max(1));
    let other = Extent::of(seen, &other)?;
    let mut held = launch.held.iter();
    // `if (m != n) return;`
    if held.any(|held| held.relates(&own.symbol, &other.symbol)) {
        return None;
    }
    let is_allowed = |symbol: &str, value: i64| {
        let mut held = launch.held.iter();
        !held.any(|held| held.may_exclude(symbol, value))
    };
    let (other_size, ctas) = other.tried.iter().find_map(|(size, value, _)| {
        let ctas = at(&tiled.ctas, &of_grid, *value)?;
        (ctas > 0 && is_allowed(&other.symbol, *value)).then_some((*size, ctas))
    })?;
    let (size, _, tiles) = own
        .tried
        .iter()
        .find(|(_, value, tiles)| *tiles > ctas && is_allowed(&own.symbol, *value))?;
    let message = format!(
        "{} = {size}, {} = {other_size}: {} indexes {tiles} tiles of {}, the grid has {ctas}",
        own.name, other.name, tiled.axis, own.name
    );
    Some(finding(
        seen,
        tile,
        launch,
        message,
        (*size, tiled.tile, ctas),
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
    let (width, ctas) = (tiled.tile, covered / tiled.tile);
    let cover = match ctas {
        1 => format!("1 CTA of {width} covers"),
        _ => format!("{ctas} CTAs of {width} cover"),
    };
    let message = format!(
        "{} = {size}: {cover} only {covered}, so the last tile has no CTA",
        own.name
    );
    let numbers = (size, width, ctas);
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
    let coordinate = match tile.kind {
        ActionKind::LocalTile => tile
            .args
            .get(2)
            .map(|coordinate| seen.resolved(coordinate).span),
        _ => None,
    };
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
