//! Loops whose step is larger than the threads that begin them.

use std::collections::BTreeSet;

use super::super::crossed::bounds;
use super::super::describe::{Describer, Offset, Pass};
use super::super::terms::{SymbolId, SymbolKind, TermId};
use super::super::trials::{Given, Trial};
use super::super::{Guard, Met};
use super::{told, values};
use crate::finding::Finding;

/// A loop whose step is larger than what its threads begin with.
pub(super) struct Step {
    /// The distance of two passes.
    step: i64,
    /// The distance that the threads cover in one pass.
    covered: i64,
}

impl Step {
    /// The finding about an access in the loop.
    pub(super) fn told(&self, own: &Met, launch: &Given, instance: Option<&str>) -> Finding {
        let Self { step, covered } = *self;
        let message = format!(
            "the loop steps by {step}, but the launch covers only {covered} per step: the rest is skipped"
        );
        told(own, launch, instance, (step, covered), message)
    }
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
pub(super) fn stepped_over(
    describer: &mut Describer<'_>,
    met: &[Offset<'_>],
    own: Offset<'_>,
    launch: &Given,
    trial: &Trial,
) -> Option<Step> {
    let address = own.2?;
    let Counted {
        trip,
        low,
        high,
        twins,
    } = counted(describer, met, own.0, address)?;
    let at = |passes: i64| {
        let mut fixed = trial.fixed.clone();
        fixed.insert(trip, passes);
        fixed
    };
    let now = values(describer, low, &at(0))?;
    let next = values(describer, low, &at(1))?;
    let (begun, distance) = spaced(&now)?;
    let step = next.first()? - now.first()?;
    let is_one_step = now.iter().zip(&next).all(|(now, next)| next - now == step);
    let covered = i64::try_from(begun.len()).ok()?.checked_mul(distance)?;
    let bound = *values(describer, high, &at(0))?.first()?;
    // No thread has elements behind the bound.
    let is_bounded = begun.first()?.checked_add(covered)? >= bound;
    if !is_one_step || step <= covered || is_bounded {
        return None;
    }
    // Another loop to the same bound may begin with the rest.
    for twin in &twins {
        let its = values(describer, twin.low, &twin.after(0, trial))?;
        if !its.iter().all(|value| begun.contains(value)) {
            return None;
        }
    }
    let addresses = values(describer, address, &at(0))?;
    let missing = first_left_out(&now, &begun, &addresses)?;
    for twin in &twins {
        let is_of_it =
            |met: &Met| met.loops.contains(&twin.index) && may_be_of_one_memory(own.0, met);
        for (_, unit, offset) in met.iter().filter(|(met, _, _)| is_of_it(met)) {
            // Its first passes come near to what is missing.
            for passes in 0..3 {
                let fixed = twin.after(passes, trial);
                if *unit != own.1 || values(describer, (*offset)?, &fixed)?.contains(&missing) {
                    return None;
                }
            }
        }
    }
    // Another CTA may have it.
    let sizes = launch.usual()?;
    for cta in [[1, 0, 0], [0, 1, 0], [0, 0, 1]] {
        let beside = launch.trial(&describer.walked().terms, &sizes, cta)?;
        let mut fixed = beside.fixed;
        fixed.insert(trip, 0);
        if values(describer, address, &fixed)?.contains(&missing) {
            return None;
        }
    }
    Some(Step { step, covered })
}

/// A loop that each thread begins with another number.
struct Counted {
    trip: SymbolId,
    /// The number that is compared, and its bound.
    low: TermId,
    high: TermId,
    /// Other loops to the same bound.
    twins: Vec<Twin>,
}

/// Another loop to the same bound.
struct Twin {
    index: usize,
    trip: SymbolId,
    /// The number that is compared.
    low: TermId,
}

impl Twin {
    /// The numbers after some of its passes.
    fn after(&self, passes: i64, trial: &Trial) -> Pass {
        let mut fixed = trial.fixed.clone();
        fixed.insert(self.trip, passes);
        fixed
    }
}

/// The innermost loop around an access, where the thread decides where it begins, and nothing else may do what it leaves
/// out.
fn counted(
    describer: &Describer<'_>,
    met: &[Offset<'_>],
    own: &Met,
    address: TermId,
) -> Option<Counted> {
    let index = *own.loops.last()?;
    let walked = describer.walked();
    let terms = &walked.terms;
    let repeat = walked.loops.get(index)?;
    let condition = repeat.condition?;
    let trip = repeat.trip;
    let (low, high) = bounds(terms, condition)
        .into_iter()
        .find(|(low, _)| terms.varies(*low) && terms.symbols_of(*low).contains(&trip))?;
    // Only the threads of the block decide where it begins, and none of them is kept away.
    let is_of_threads = |symbol: &SymbolId| {
        let kind = terms.symbol(*symbol).map(|symbol| &symbol.kind);
        *symbol == trip || matches!(kind, Some(SymbolKind::Thread(_) | SymbolKind::BlockSize(_)))
    };
    let keeps = |guard: &Guard| guard.condition != condition && terms.varies(guard.condition);
    // Unrolled by hand, or by an inner loop.
    let is_covered_elsewhere = met.iter().any(|(other, _, offset)| {
        let is_other = *offset != Some(address) && may_be_of_one_memory(own, other);
        other.loops.contains(&index)
            && (other.loops.last() != Some(&index) || is_other || other.address.is_err())
    });
    let others = walked.loops.iter().enumerate();
    let others = others.filter(|(place, _)| *place != index);
    let twins = others.flat_map(|(index, other)| {
        let bounds = other.condition.map(|condition| bounds(terms, condition));
        let pairs = bounds.into_iter().flatten();
        let to_it = pairs.filter(|(_, other)| *other == high);
        let trip = other.trip;
        to_it.map(move |(low, _)| Twin { index, trip, low })
    });
    let twins = twins.collect();
    let is_alone = terms.symbols_of(low).iter().all(is_of_threads)
        && !own.guards.iter().any(keeps)
        && !is_covered_elsewhere;
    is_alone.then_some(Counted {
        trip,
        low,
        high,
        twins,
    })
}

/// The address of the first element that is left out, if the addresses go on as they begin: one for each number of `now`, of
/// which `begun` are the distinct ones.
fn first_left_out(now: &[i64], begun: &BTreeSet<i64>, addresses: &[i64]) -> Option<i64> {
    let of = |value: &i64| {
        let place = now.iter().position(|known| known == value)?;
        addresses.get(place).copied()
    };
    let mut in_order = begun.iter();
    let first = of(in_order.next()?)?;
    let distance = of(in_order.next()?)? - first;
    let mut expected = first;
    for value in begun {
        if of(value)? != expected {
            return None;
        }
        expected = expected.checked_add(distance)?;
    }
    (distance != 0 && !addresses.contains(&expected)).then_some(expected)
}

/// Whether two accesses may be to the same memory.
fn may_be_of_one_memory(one: &Met, other: &Met) -> bool {
    match (&one.address, &other.address) {
        (Ok((one, _)), Ok((other, _))) => one.name == other.name && one.space == other.space,
        _ => true,
    }
}
