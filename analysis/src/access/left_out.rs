//! Elements that no thread comes to: the step of a loop is larger than the threads that begin it, or the threads of a launch
//! are too few for the size that they are compared with.

use std::collections::BTreeSet;
use std::sync::Arc;

use cute_algebra::Expression;

use super::crossed::bounds;
use super::describe::{Describer, Pass};
use super::lanes::Cell;
use super::terms::{SymbolId, SymbolKind, TermId};
use super::trials::{Given, Sizes, Trial};
use super::unwritten::Offset;
use super::{AccessKind, AccessSpace, BlockFrom, Met};
use crate::finding::{Finding, Number, Related, Severity};

/// The stable name of the rule.
const RULE: &str = "thread-count-mismatch";
/// Sizes for which the threads of a launch are counted: a multiple of usual tiles, and another one.
const SIZES: [i64; 2] = [4096, 1000];
/// CTAs of a launch that are looked at.
const CTAS: i64 = 1024;
/// The part of a size, in percent, that threads come to at most where some are missing: vectors, and a rest that another
/// kernel does, are left out.
const PERCENT: i64 = 75;

/// Looks at the accesses of a kernel whose launches are known.
pub(super) fn elements(
    describer: &mut Describer<'_>,
    met: &[Offset<'_>],
    given: &[Given],
    instance: Option<&str>,
) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    if !matches!(describer.block(), Some((_, BlockFrom::Launch))) {
        return found;
    }
    for launch in given {
        let trials = launch.usual_trials(&describer.walked().terms);
        let Some(first) = trials.last() else { continue };
        for own in met {
            // One loop is wrong once.
            let is_told = found.iter().any(|known| known.span == own.0.span);
            if is_told || describer.is_spent() {
                continue;
            }
            if let Some(step) = stepped_over(describer, met, *own, launch, first) {
                found.push(told_of_step(own.0, &step, launch, instance));
                break;
            }
        }
    }
    // A second launch may have the rest.
    if let ([launch], true) = (given, found.is_empty()) {
        found.extend(too_few(describer, met, launch, instance));
    }
    found
}

/// A loop whose step is larger than what its threads begin with.
struct Step {
    /// The distance of two passes.
    step: i64,
    /// The distance that the threads cover in one pass.
    covered: i64,
}

/// The values of a term for all threads; nothing where one is not known.
fn values(describer: &mut Describer<'_>, term: TermId, fixed: &Pass) -> Option<Vec<i64>> {
    let lanes = describer.lanes_of(fixed)?;
    let column = lanes.column(term);
    let threads = lanes.threads();
    let values: Option<Vec<i64>> = (0..threads)
        .map(|thread| match column.at(thread) {
            Cell::Known(value) => Some(*value),
            Cell::Open(_) | Cell::Unknown(_) => None,
        })
        .collect();
    describer.works(threads);
    values
}

/// The distinct values of a term, where they are evenly spaced, and their distance.
fn spaced(all: &[i64]) -> Option<(BTreeSet<i64>, i64)> {
    let distinct: BTreeSet<i64> = all.iter().copied().collect();
    let mut pairs = distinct.iter().zip(distinct.iter().skip(1));
    let (one, next) = pairs.next()?;
    let distance = next - one;
    pairs
        .all(|(one, next)| next - one == distance)
        .then_some((distinct, distance))
}

/// The step of the innermost loop around an access, where elements between two passes are left out.
fn stepped_over(
    describer: &mut Describer<'_>,
    met: &[Offset<'_>],
    (own, _, offset): Offset<'_>,
    launch: &Given,
    trial: &Trial,
) -> Option<Step> {
    let (index, address) = (*own.loops.last()?, offset?);
    let walked = describer.walked();
    let terms = &walked.terms;
    let repeat = walked.loops.get(index)?;
    let condition = repeat.condition?;
    let pair = bounds(terms, condition).into_iter();
    let (low, high) = pair
        .into_iter()
        .find(|(low, _)| terms.varies(*low) && terms.symbols_of(*low).contains(&repeat.trip))?;
    // Only the threads of the block decide where it begins, and none of them is kept away.
    let is_of_threads = |symbol: &SymbolId| {
        *symbol == repeat.trip
            || terms.symbol(*symbol).is_some_and(|symbol| {
                matches!(
                    symbol.kind,
                    SymbolKind::Thread(_) | SymbolKind::BlockSize(_)
                )
            })
    };
    let keeps =
        |guard: &super::Guard| guard.condition != condition && terms.varies(guard.condition);
    if !terms.symbols_of(low).iter().all(is_of_threads) || own.guards.iter().any(keeps) {
        return None;
    }
    let is_covered_elsewhere = met.iter().any(|(other, _, other_offset)| {
        let shares = other.loops.contains(&index);
        // Unrolled by hand, or by an inner loop.
        let is_other = *other_offset != Some(address) && is_of_one_memory(own, other);
        shares && (other.loops.last() != Some(&index) || is_other || other.address.is_err())
    });
    let has_twin = walked.loops.iter().enumerate().any(|(place, other)| {
        let bound = other.condition.map(|condition| bounds(terms, condition));
        place != index
            && bound
                .iter()
                .flatten()
                .any(|(start, other)| *other == high && *start != low)
    });
    if is_covered_elsewhere || has_twin {
        return None;
    }
    let trip = repeat.trip;
    let at = |passes: i64| {
        let mut fixed = trial.fixed.clone();
        fixed.insert(trip, passes);
        fixed
    };
    let (now, next) = (
        values(describer, low, &at(0))?,
        values(describer, low, &at(1))?,
    );
    let (begun, distance) = spaced(&now)?;
    let step = next.first()? - now.first()?;
    let is_one_step = now.iter().zip(&next).all(|(now, next)| next - now == step);
    let covered = i64::try_from(begun.len()).ok()?.checked_mul(distance)?;
    let bound = *values(describer, high, &at(0))?.first()?;
    // No thread has elements behind the bound.
    let is_bounded = now.iter().min()?.checked_add(covered)? >= bound;
    if !is_one_step || step <= covered || is_bounded {
        return None;
    }
    // The first element that is left out, if the address goes on as it begins.
    let addresses = values(describer, address, &at(0))?;
    let of = |value: i64| {
        let place = now.iter().position(|known| *known == value)?;
        addresses.get(place).copied()
    };
    let mut begun = begun.into_iter();
    let (first, second) = (of(begun.next()?)?, of(begun.next()?)?);
    let count = covered / distance;
    let missing = first.checked_add((second - first).checked_mul(count)?)?;
    let is_even = second != first
        && (0..count).all(|place| {
            of(now.iter().min().copied().unwrap_or(0) + place * distance)
                == Some(first + place * (second - first))
        });
    if !is_even || addresses.contains(&missing) {
        return None;
    }
    // Another CTA may have it.
    for axis in 0..3 {
        let mut cta = [0; 3];
        if let Some(index) = cta.get_mut(axis) {
            *index = 1;
        }
        let sizes = launch.usual()?;
        let beside = launch.trial(&describer.walked().terms, &sizes, cta)?;
        let mut fixed = beside.fixed;
        fixed.insert(trip, 0);
        if values(describer, address, &fixed)?.contains(&missing) {
            return None;
        }
    }
    Some(Step { step, covered })
}

fn is_of_one_memory(one: &Met, other: &Met) -> bool {
    match (&one.address, &other.address) {
        (Ok((one, _)), Ok((other, _))) => one.name == other.name && one.space == other.space,
        _ => true,
    }
}

fn told_of_step(own: &Met, step: &Step, launch: &Given, instance: Option<&str>) -> Finding {
    let Step { step, covered } = step;
    let message = format!(
        "the loop goes on by {step}, but the threads of the launch begin with {covered}: the rest is left out"
    );
    Finding {
        numbers: vec![
            ("threads".to_owned(), Number::Integer(*step)),
            ("coming".to_owned(), Number::Integer(*covered)),
        ],
        related: vec![Related {
            span: launch.span,
            message: "the launch".to_owned(),
        }],
        instance: instance.map(str::to_owned),
        ..Finding::new(RULE, Severity::Warning, own.span, message)
    }
}

/// A store under `i < n` that the threads of the only launch do not come near to, where the launch is made for `n`.
fn too_few(
    describer: &mut Describer<'_>,
    met: &[Offset<'_>],
    launch: &Given,
    instance: Option<&str>,
) -> Option<Finding> {
    let terms = &describer.walked().terms;
    let mut compared: Vec<(TermId, TermId, &Met)> = Vec::new();
    for (met, _, _) in met {
        for guard in &met.guards {
            let pairs = bounds(terms, guard.condition).into_iter();
            compared.extend(pairs.map(|(low, high)| (low, high, *met)));
        }
        for index in &met.loops {
            let repeat = describer.walked().loops.get(*index)?;
            let condition = repeat.condition?;
            let pairs = bounds(terms, condition).into_iter();
            compared.extend(pairs.map(|(low, high)| (low, high, *met)));
        }
    }
    // A bound may be in numbers where a vector is stored.
    let is_store = |met: &Met| {
        met.kind == AccessKind::Store
            && met.is_number
            && met.size.is_some_and(|size| {
                met.address
                    .as_ref()
                    .is_ok_and(|(memory, _)| memory.element == Some(size))
            })
            && met
                .address
                .as_ref()
                .is_ok_and(|(memory, _)| memory.space == AccessSpace::Global)
    };
    let stores = compared.iter().filter(|(_, _, met)| is_store(met));
    for (low, high, store) in stores {
        if describer.is_spent() || !is_made_for(describer, launch, *low, *high) {
            continue;
        }
        let others: Vec<(TermId, &Met)> = compared
            .iter()
            .filter(|(_, other, _)| other == high)
            .map(|(low, _, met)| (*low, *met))
            .collect();
        let symbols = launch.symbols();
        let mut missing: Option<(i64, i64)> = None;
        let mut is_always = true;
        for size in SIZES {
            let is_allowed = symbols.iter().all(|symbol| launch.allows(symbol, size));
            if !is_allowed {
                continue;
            }
            let sizes: Sizes = symbols
                .iter()
                .map(|symbol| (Arc::clone(symbol), size))
                .collect();
            let Some((last, bound)) = launch
                .is_free(&sizes)
                .then(|| reached(describer, launch, &others, *high, &sizes))
                .flatten()
            else {
                is_always = false;
                break;
            };
            if last.checked_add(1)?.checked_mul(100)? > bound.checked_mul(PERCENT)? {
                is_always = false;
                break;
            }
            missing = missing.or(Some((last, bound)));
        }
        if let (Some((last, bound)), true) = (missing, is_always) {
            let said = (describer.said(*low), describer.said(*high));
            return Some(told_of_launch(
                store,
                (last, bound),
                &said,
                launch,
                instance,
            ));
        }
    }
    None
}

/// Whether the grid of a launch is made of the same size as a bound, for the index that is compared with it.
fn is_made_for(describer: &Describer<'_>, launch: &Given, low: TermId, high: TermId) -> bool {
    let terms = &describer.walked().terms;
    let axes = ["blockIdx.x", "blockIdx.y", "blockIdx.z"];
    let of_low = terms.symbols_of(low);
    let mut of_grid: Vec<Arc<str>> = Vec::new();
    let mut is_of_cta = false;
    for (name, extent) in axes.iter().zip(&launch.grid) {
        if terms.named(name).is_some_and(|id| of_low.contains(&id)) {
            is_of_cta = true;
            of_grid.extend(
                extent
                    .as_expression()
                    .map(Expression::symbols)
                    .unwrap_or_default(),
            );
        }
    }
    let mut of_bound: Vec<Arc<str>> = Vec::new();
    for (name, argument) in &launch.arguments {
        let symbol = terms.named(name);
        if symbol.is_some_and(|id| terms.symbols_of(high).contains(&id)) {
            of_bound.extend(
                argument
                    .as_expression()
                    .map(Expression::symbols)
                    .unwrap_or_default(),
            );
        }
    }
    is_of_cta
        && terms.varies(low)
        && (of_bound.is_empty() && of_grid.is_empty()
            || of_bound.iter().any(|symbol| of_grid.contains(symbol)))
}

/// The largest index that is compared with a bound in any CTA, and the bound.
fn reached(
    describer: &mut Describer<'_>,
    launch: &Given,
    compared: &[(TermId, &Met)],
    high: TermId,
    sizes: &Sizes,
) -> Option<(i64, i64)> {
    let mut last = i64::MIN;
    let mut bound: Option<i64> = None;
    let extents = launch.ctas(sizes)?;
    for (low, met) in compared {
        let terms = &describer.walked().terms;
        let of_low = terms.symbols_of(*low);
        let mut counts = extents;
        for (count, name) in counts.iter_mut().zip(["x", "y", "z"]) {
            let symbol = terms.named(&format!("blockIdx.{name}"));
            if !symbol.is_some_and(|id| of_low.contains(&id)) {
                *count = 1;
            }
        }
        let [x, y, z] = counts;
        let all = x.checked_mul(y)?.checked_mul(z)?;
        if all > CTAS {
            return None;
        }
        for place in 0..all {
            let cta = [place % x, place / x % y, place / x / y];
            let trial = launch.trial(&describer.walked().terms, sizes, cta)?;
            let places = describer.places(met, *low, &trial.fixed);
            if !places.is_all {
                return None;
            }
            for fixed in places.fixed {
                let (lows, highs) = (
                    values(describer, *low, &fixed)?,
                    values(describer, high, &fixed)?,
                );
                last = last.max(lows.into_iter().max()?);
                let own = highs.into_iter().max()?;
                if *bound.get_or_insert(own) != own {
                    return None;
                }
            }
        }
    }
    Some((last, bound?))
}

fn told_of_launch(
    store: &Met,
    (last, bound): (i64, i64),
    (low, high): &(String, String),
    launch: &Given,
    instance: Option<&str>,
) -> Finding {
    let come = last + 1;
    let message = format!(
        "the threads of the launch come to {come} of {bound} elements\n`{low}` is compared with `{high}`"
    );
    Finding {
        numbers: vec![
            ("threads".to_owned(), Number::Integer(bound)),
            ("coming".to_owned(), Number::Integer(come)),
        ],
        related: vec![Related {
            span: launch.span,
            message: "the launch".to_owned(),
        }],
        instance: instance.map(str::to_owned),
        ..Finding::new(RULE, Severity::Warning, store.span, message)
    }
}
