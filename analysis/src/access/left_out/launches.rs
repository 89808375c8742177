//! Launches with too few threads for the size that these are compared with.

use std::sync::Arc;

use cute_algebra::{Expression, Int};

use super::super::crossed::bounds;
use super::super::describe::{Describer, Offset};
use super::super::terms::{Operator, SymbolId, Term, TermId, Terms};
use super::super::trials::{Given, Sizes};
use super::super::{AccessKind, AccessSpace, Met};
use super::{told, values};
use crate::finding::Finding;

/// Sizes for which the threads of a launch are counted: a multiple of usual tiles, and another one.
const SIZES: [i64; 2] = [4096, 1000];
/// CTAs of a launch that are looked at.
const CTAS: i64 = 1024;
/// The part of a size, in percent, that threads come to at most where some are missing: vectors, and a rest that another
/// kernel does, are left out.
const PERCENT: i64 = 75;

/// A store under `i < n` that the threads of the only launch do not come near to, where the launch is made for `n`.
pub(super) fn too_few(
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
    let stores = compared
        .iter()
        .filter(|(_, _, met)| is_store_of_a_number(met));
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
            let Some(sizes) = sized(launch, &symbols, size) else {
                continue;
            };
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
            let come = last + 1;
            let message = format!(
                "the threads of the launch reach {come} of {bound} elements\n`{}` is compared with `{}`",
                describer.said(*low),
                describer.said(*high)
            );
            return Some(told(store, launch, instance, (bound, come), message));
        }
    }
    None
}

/// The same size for all symbols, or less where their product makes the grid: `rows * columns`. Nothing where the host does
/// not let it through.
fn sized(launch: &Given, symbols: &[Arc<str>], size: i64) -> Option<Sizes> {
    let of = |size: i64| -> Option<Sizes> {
        let is_allowed = symbols.iter().all(|symbol| launch.allows(symbol, size));
        let sizes = symbols.iter().map(|symbol| (Arc::clone(symbol), size));
        is_allowed.then(|| sizes.collect())
    };
    let sizes = of(size)?;
    let is_large = launch
        .ctas(&sizes)
        .is_some_and(|ctas| ctas.iter().any(|extent| *extent > CTAS));
    if is_large {
        of(size.isqrt())
    } else {
        Some(sizes)
    }
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
            of_grid.extend(symbols_of(extent));
        }
    }
    let mut of_bound: Vec<Arc<str>> = Vec::new();
    for (name, argument) in &launch.arguments {
        let symbol = terms.named(name);
        if symbol.is_some_and(|id| terms.symbols_of(high).contains(&id)) {
            of_bound.extend(symbols_of(argument));
        }
    }
    is_of_cta
        && terms.varies(low)
        && !counts_groups(terms, low)
        && (of_bound.is_empty() && of_grid.is_empty()
            || of_bound.iter().any(|symbol| of_grid.contains(symbol)))
}

/// Whether an index counts groups of elements, `blockIdx.x * 128 / 16`: the bound may count the elements.
fn counts_groups(terms: &Terms, index: TermId) -> bool {
    let is_of_cta = |symbol: &SymbolId| {
        let symbol = terms.symbol(*symbol);
        symbol.is_some_and(|symbol| symbol.name.starts_with("blockIdx"))
    };
    let mut parts = terms.parts_of(index).into_iter();
    parts.any(|part| match terms.term(part) {
        Term::Binary(Operator::Div | Operator::Shr, number, _) => {
            terms.symbols_of(*number).iter().any(is_of_cta)
        }
        _ => false,
    })
}

fn symbols_of(int: &Int) -> Vec<Arc<str>> {
    let expression = int.as_expression();
    expression.map(Expression::symbols).unwrap_or_default()
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

/// Whether an access stores one element in global memory: a bound may be in numbers where a vector is stored.
fn is_store_of_a_number(met: &Met) -> bool {
    let Ok((memory, _)) = &met.address else {
        return false;
    };
    met.kind == AccessKind::Store
        && met.is_number
        && met.size.is_some()
        && memory.element == met.size
        && memory.space == AccessSpace::Global
}
