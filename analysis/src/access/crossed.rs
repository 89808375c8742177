//! Axes of a grid that are made of each other's extents: tried with two pairs of sizes, one the other way round.

use std::collections::BTreeMap;
use std::sync::Arc;

use cute_algebra::Int;

use super::describe::{Describer, Offset};
use super::judge::index_of;
use super::lanes::Cell;
use super::terms::{Operator, Term, TermId, Terms};
use super::trials::{Given, Sizes};
use super::{AccessKind, AccessSpace, Guard, Met};
use crate::finding::{Finding, Number, Related, Severity};
use crate::held::at;

/// The stable name of the rule.
const RULE: &str = "grid-axis";
/// The largest tile that is looked for.
const TILE: i64 = 1024;
/// Tiles whose number of CTAs is looked at.
const TILES: i64 = 8;
/// The sizes of other symbols.
const OTHER: i64 = 64;
/// CTAs of a grid that are looked at.
const CTAS: i64 = 64;

/// An axis of the grid: its symbol, and the size of a tile.
struct Axis {
    symbol: Arc<str>,
    tile: i64,
}

/// Looks at the stores to global memory.
pub(super) fn stores(
    describer: &mut Describer<'_>,
    met: &[Offset<'_>],
    launch: &Given,
    instance: Option<&str>,
) -> Option<Finding> {
    describer.block()?;
    // Numbers of CTAs that the kernel is not given may be those that it counts on.
    let is_known = |axis: &Axis| {
        axis.tile > 1
            || launch.arguments.iter().any(|(_, argument)| {
                let expression = argument.as_expression();
                expression.is_some_and(|it| it.symbols().contains(&axis.symbol))
            })
    };
    let axes: Vec<Axis> = launch.grid.iter().filter_map(axis).collect();
    for (place, one) in axes.iter().enumerate() {
        for other in axes.iter().skip(place + 1) {
            if !is_known(one) && !is_known(other) {
                continue;
            }
            let (first, second) = (
                sizes(launch, &axes, (one, other))?,
                sizes(launch, &axes, (other, one))?,
            );
            for (met, _, offset) in met {
                let is_global = met
                    .address
                    .as_ref()
                    .is_ok_and(|(memory, _)| memory.space == AccessSpace::Global);
                let is_constant = met
                    .stored
                    .as_ref()
                    .is_some_and(|stored| stored.as_number(&describer.walked().terms).is_some());
                if met.kind != AccessKind::Store
                    || !is_global
                    || is_constant
                    || describer.is_spent()
                {
                    continue;
                }
                let Some(offset) = offset else { continue };
                let trials = (&first, &second);
                let found = twice(describer, launch, met, *offset, trials)
                    .or_else(|| not_reached(describer, launch, met, *offset, trials));
                if let Some((message, sizes)) = found {
                    return Some(told(launch, met, &message, &sizes, instance));
                }
            }
        }
    }
    None
}

/// An axis of whole tiles of a size.
fn axis(ctas: &Int) -> Option<Axis> {
    let symbols = ctas.as_expression()?.symbols();
    let [symbol] = symbols.as_slice() else {
        return None;
    };
    let is_tile =
        |tile: &i64| (1..=TILES).all(|tiles| at(ctas, symbol, tiles * tile) == Some(tiles));
    // Of several sizes with as many CTAs, the one that was most likely meant.
    let first = (1..=TILE).find(is_tile)?;
    let tiles = (first..=TILE).take_while(is_tile);
    Some(Axis {
        symbol: Arc::clone(symbol),
        tile: tiles.max_by_key(|tile| tile.trailing_zeros())?,
    })
}

/// Two tiles along one axis, three along the other one, and one along the others.
fn sizes(launch: &Given, axes: &[Axis], (two, three): (&Axis, &Axis)) -> Option<Sizes> {
    if two.symbol == three.symbol {
        return None;
    }
    let mut sizes: Sizes = launch
        .symbols()
        .into_iter()
        .map(|symbol| (symbol, OTHER))
        .collect();
    sizes.extend(
        axes.iter()
            .map(|axis| (Arc::clone(&axis.symbol), axis.tile)),
    );
    sizes.insert(Arc::clone(&two.symbol), 2 * two.tile);
    sizes.insert(Arc::clone(&three.symbol), 3 * three.tile);
    let is_allowed = sizes
        .iter()
        .all(|(symbol, size)| launch.allows(symbol, *size));
    (is_allowed && launch.is_free(&sizes)).then_some(sizes)
}

/// All CTAs of a launch.
fn all_ctas(launch: &Given, sizes: &Sizes) -> Option<Vec<[i64; 3]>> {
    let [x, y, z] = launch.ctas(sizes)?;
    let all = x.checked_mul(y)?.checked_mul(z)?;
    let index = |place: i64| [place % x, place / x % y, place / x / y];
    (all <= CTAS).then(|| (0..all).map(index).collect())
}

/// Who stores to an element first, and who again.
struct Meeting {
    first: ([i64; 3], usize),
    second: ([i64; 3], usize),
    offset: i64,
}

/// Two CTAs that store to one element; nothing where not all is known.
#[allow(clippy::option_option, reason = "that none meet is known, too")]
fn meeting(
    describer: &mut Describer<'_>,
    launch: &Given,
    met: &Met,
    offset: TermId,
    sizes: &Sizes,
) -> Option<Option<Meeting>> {
    let mut owners: BTreeMap<i64, ([i64; 3], usize)> = BTreeMap::new();
    for cta in all_ctas(launch, sizes)? {
        let trial = launch.trial(&describer.walked().terms, sizes, cta)?;
        let places = describer.places(met, offset, &trial.fixed);
        if !places.is_all {
            return None;
        }
        for fixed in places.fixed {
            let threads = describer.threads_at(met, offset, &fixed, &trial);
            for (thread, at) in threads.into_iter().enumerate() {
                let (offset, Some(comes)) = at else {
                    return None;
                };
                if !comes {
                    continue;
                }
                let offset = offset?;
                let (other, by) = *owners.entry(offset).or_insert((cta, thread));
                if other != cta {
                    return Some(Some(Meeting {
                        first: (other, by),
                        second: (cta, thread),
                        offset,
                    }));
                }
            }
        }
    }
    Some(None)
}

/// Elements that two CTAs store to with one pair of sizes, but not with the other one.
fn twice(
    describer: &mut Describer<'_>,
    launch: &Given,
    met: &Met,
    offset: TermId,
    (first, second): (&Sizes, &Sizes),
) -> Option<(String, Sizes)> {
    let one = meeting(describer, launch, met, offset, first)?;
    let other = meeting(describer, launch, met, offset, second)?;
    let (meeting, sizes) = match (one, other) {
        (Some(meeting), None) => (meeting, first),
        (None, Some(meeting)) => (meeting, second),
        _ => return None,
    };
    let (block, _) = describer.block()?;
    let (memory, _) = met.address.as_ref().ok()?;
    let who = |[x, y, z]: [i64; 3]| format!("({x},{y},{z})");
    let (first, second) = (meeting.first, meeting.second);
    let message = format!(
        "CTAs {} and {} both store to `{}[{}]`\nthread {} of the first one, thread {} of the second one",
        who(first.0),
        who(second.0),
        memory.name,
        meeting.offset,
        index_of(first.1, block),
        index_of(second.1, block)
    );
    Some((message, sizes.clone()))
}

/// A bound `row < m` that no thread comes near with one pair of sizes, and that threads exceed with the other one.
fn not_reached(
    describer: &mut Describer<'_>,
    launch: &Given,
    met: &Met,
    offset: TermId,
    (first, second): (&Sizes, &Sizes),
) -> Option<(String, Sizes)> {
    let terms = &describer.walked().terms;
    let bounds: Vec<(TermId, TermId)> = met
        .guards
        .iter()
        .flat_map(|guard: &Guard| bounds(terms, guard.condition))
        .collect();
    for (low, high) in bounds {
        let one = reached(describer, launch, (met, offset), (low, high), first)?;
        let other = reached(describer, launch, (met, offset), (low, high), second)?;
        let short = |(last, bound): (i64, i64)| last + 1 < bound;
        let long = |(last, bound): (i64, i64)| last + 1 > bound;
        let (found, sizes) = if short(one) && long(other) {
            (one, first)
        } else if short(other) && long(one) {
            (other, second)
        } else {
            continue;
        };
        let message = format!(
            "no thread gets beyond index {} of {}\n`{}` is compared with `{}`",
            found.0,
            found.1,
            describer.said(low),
            describer.said(high)
        );
        return Some((message, sizes.clone()));
    }
    None
}

/// The comparisons `a < b` that all hold in a condition, where the bound is the same for all threads.
pub(super) fn bounds(terms: &Terms, condition: TermId) -> Vec<(TermId, TermId)> {
    match terms.term(condition) {
        Term::Binary(Operator::Both, one, other) => {
            let mut found = bounds(terms, *one);
            found.extend(bounds(terms, *other));
            found
        }
        Term::Binary(Operator::Less, low, high) if !terms.varies(*high) => vec![(*low, *high)],
        Term::Not(inner) => bounds_otherwise(terms, *inner),
        _ => Vec::new(),
    }
}

/// The comparisons `a < b` that all hold where a condition fails: `m <= row || n <= col`.
fn bounds_otherwise(terms: &Terms, condition: TermId) -> Vec<(TermId, TermId)> {
    match terms.term(condition) {
        Term::Binary(Operator::Either, one, other) => {
            let mut found = bounds_otherwise(terms, *one);
            found.extend(bounds_otherwise(terms, *other));
            found
        }
        Term::Binary(Operator::LessEqual, high, low) if !terms.varies(*high) => vec![(*low, *high)],
        _ => Vec::new(),
    }
}

/// The largest value on the left side of a comparison, and the bound on its right.
fn reached(
    describer: &mut Describer<'_>,
    launch: &Given,
    (met, offset): (&Met, TermId),
    (low, high): (TermId, TermId),
    sizes: &Sizes,
) -> Option<(i64, i64)> {
    let mut last = i64::MIN;
    let mut bound = None;
    for cta in all_ctas(launch, sizes)? {
        let trial = launch.trial(&describer.walked().terms, sizes, cta)?;
        let places = describer.places(met, offset, &trial.fixed);
        if !places.is_all {
            return None;
        }
        for fixed in places.fixed {
            let lanes = describer.lanes_of(&fixed)?;
            let (low, high) = (lanes.column(low), lanes.column(high));
            for thread in 0..lanes.threads() {
                let (Cell::Known(low), Cell::Known(high)) = (low.at(thread), high.at(thread))
                else {
                    return None;
                };
                last = last.max(*low);
                if *bound.get_or_insert(*high) != *high {
                    return None;
                }
            }
        }
    }
    Some((last, bound?))
}

fn told(
    launch: &Given,
    met: &Met,
    message: &str,
    sizes: &Sizes,
    instance: Option<&str>,
) -> Finding {
    let of_grid = launch.grid.iter().filter_map(Int::as_expression);
    let symbols: Vec<Arc<str>> = of_grid
        .flat_map(cute_algebra::Expression::symbols)
        .collect();
    let named: Vec<(&Arc<str>, &i64)> = sizes
        .iter()
        .filter(|(symbol, _)| symbols.contains(symbol))
        .collect();
    let said: Vec<String> = named
        .iter()
        .map(|(name, size)| format!("{name} = {size}"))
        .collect();
    let said = said.join(", ");
    Finding {
        numbers: vec![("sizes".to_owned(), Number::Text(said.clone()))],
        related: vec![Related {
            span: launch.span,
            message: "the launch".to_owned(),
        }],
        instance: instance.map(str::to_owned),
        ..Finding::new(
            RULE,
            Severity::Warning,
            met.span,
            format!("{said}: {message}"),
        )
    }
}
