//! Loops whose step is larger than the threads that begin them.

use std::collections::BTreeSet;

use super::super::crossed::bounds;
use super::super::describe::{Describer, Offset, Pass};
use super::super::terms::{Repeat, SymbolId, SymbolKind, TermId, Terms};
use super::super::trials::{Given, Trial};
use super::super::{Guard, Met};
use super::{told, values};
use crate::finding::Finding;

/// Passes of an inner loop that are looked at.
const INNER_PASSES: i64 = 512;

/// A loop whose step is larger than what its threads begin with.
pub(super) struct Step {
    /// The distance of two passes.
    apart: i64,
    /// The distance that the threads cover in one pass.
    covered: i64,
    /// Whether the CTAs of the grid go over the elements together: the step is then the part of one of them.
    is_of_grid: bool,
}

impl Step {
    /// The finding about an access in the loop.
    pub(super) fn told(&self, own: &Met, launch: &Given, instance: Option<&str>) -> Finding {
        let Self { apart, covered, .. } = *self;
        let message = if self.is_of_grid {
            format!(
                "the grid steps by {apart} per CTA, but the threads of one cover only {covered}: the rest is skipped"
            )
        } else {
            format!(
                "the loop steps by {apart}, but the launch covers only {covered} per step: the rest is skipped"
            )
        };
        told(own, launch, instance, (apart, covered), message)
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

/// The step of a loop around an access, where elements between two passes are left out.
pub(super) fn stepped_over(
    describer: &mut Describer<'_>,
    met: &[Offset<'_>],
    own: Offset<'_>,
    launch: &Given,
    trial: &Trial,
) -> Option<Step> {
    let inner_first = own.0.loops.iter().rev();
    inner_first.copied().find_map(|index| {
        let counted = counted(describer, met, own.0, index)?;
        over_in(describer, met, own, &counted, launch, trial)
    })
}

/// The same of one of the loops.
fn over_in(
    describer: &mut Describer<'_>,
    met: &[Offset<'_>],
    own: Offset<'_>,
    counted: &Counted,
    launch: &Given,
    trial: &Trial,
) -> Option<Step> {
    let Counted {
        trip, low, high, ..
    } = *counted;
    let address = own.2?;
    let trips = counted.others.iter().map(|other| (*other, 0));
    let others: Pass = trips.collect();
    let at = |trial: &Trial, passes: i64| {
        let mut fixed = trial.fixed.clone();
        fixed.extend(&others);
        fixed.insert(trip, passes);
        fixed
    };
    let now = values(describer, low, &at(trial, 0))?;
    let next = values(describer, low, &at(trial, 1))?;
    let (begun, distance) = spaced(&now)?;
    let step = apart(&now, &next)?;
    let covered = i64::try_from(begun.len()).ok()?.checked_mul(distance)?;
    let bound = *values(describer, high, &at(trial, 0))?.first()?;
    // No thread has elements behind the bound.
    let is_bounded = begun.first()?.checked_add(covered)? >= bound;
    if step <= covered || is_bounded {
        return None;
    }
    // Another loop to the same bound may begin with the rest.
    for twin in &counted.twins {
        let its = values(describer, twin.low, &twin.after(0, trial))?;
        if !its.iter().all(|value| begun.contains(value)) {
            return None;
        }
    }
    let addresses = values(describer, address, &at(trial, 0))?;
    let missing = first_left_out(&now, &begun, &addresses)?;
    for twin in &counted.twins {
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
    // Another CTA may have it, or another access of the loop, in this pass or the next one.
    let sizes = launch.usual()?;
    let mut of_ctas = vec![at(trial, 0)];
    let mut part = step;
    for (axis, cta) in [[1, 0, 0], [0, 1, 0], [0, 0, 1]].into_iter().enumerate() {
        let beside = at(&launch.trial(&describer.walked().terms, &sizes, cta)?, 0);
        if counted.axis == Some(axis) {
            let ctas = launch.ctas(&sizes)?.get(axis).copied()?;
            part = apart(&now, &values(describer, low, &beside)?)?;
            // The CTAs of the grid come one behind the other.
            if part <= covered || part.checked_mul(ctas)? != step {
                return None;
            }
        }
        of_ctas.push(beside);
    }
    let next = of_ctas.iter().map(|fixed| {
        let mut fixed = fixed.clone();
        fixed.insert(trip, 1);
        fixed
    });
    let passes: Vec<Pass> = next.chain(of_ctas.iter().cloned()).collect();
    for fixed in &passes {
        if may_fill(describer, met, (own, counted.index), missing, fixed)? {
            return None;
        }
    }
    Some(Step {
        apart: part,
        covered,
        is_of_grid: counted.axis.is_some(),
    })
}

/// The distance of two lists of numbers, the same for all.
pub(super) fn apart(one: &[i64], other: &[i64]) -> Option<i64> {
    let mut all = one
        .iter()
        .zip(other)
        .map(|(one, other)| other.checked_sub(*one));
    let first = all.next()??;
    all.all(|it| it == Some(first)).then_some(first)
}

/// Whether an access of a loop comes to an element in this pass of it; nothing where this is not known.
fn may_fill(
    describer: &mut Describer<'_>,
    met: &[Offset<'_>],
    (own, index): (Offset<'_>, usize),
    missing: i64,
    fixed: &Pass,
) -> Option<bool> {
    for (other, unit, offset) in met {
        if !other.loops.contains(&index) || !may_be_of_one_memory(own.0, other) {
            continue;
        }
        let offset = (*offset).filter(|_| *unit == own.1)?;
        let mut within = other.loops.iter().filter(|known| **known != index);
        let (inner, further) = (within.next(), within.next());
        if further.is_some() || comes_to(describer, inner.copied(), offset, missing, fixed)? {
            return further.is_none().then_some(true);
        }
    }
    Some(false)
}

/// Whether an access comes to an element in a pass of the loop; nothing where this is not known.
fn comes_to(
    describer: &mut Describer<'_>,
    inner: Option<usize>,
    offset: TermId,
    missing: i64,
    fixed: &Pass,
) -> Option<bool> {
    let Some(inner) = inner else {
        return Some(values(describer, offset, fixed)?.contains(&missing));
    };
    let (trip, condition) = {
        let repeat = describer.walked().loops.get(inner)?;
        (repeat.trip, repeat.condition?)
    };
    let mut fixed = fixed.clone();
    for passes in 0..INNER_PASSES {
        fixed.insert(trip, passes);
        if !describer.any_at(condition, &fixed)? {
            return Some(false);
        }
        if values(describer, offset, &fixed)?.contains(&missing) {
            return Some(true);
        }
    }
    None
}

/// A loop that each thread begins with another number.
struct Counted {
    index: usize,
    trip: SymbolId,
    /// The number that is compared, and its bound.
    low: TermId,
    high: TermId,
    /// The direction of the grid whose CTAs go over the elements together.
    axis: Option<usize>,
    /// The passes of the other loops around the access.
    others: Vec<SymbolId>,
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

/// A loop around an access, where the thread decides where it begins, and nothing else may do what it leaves out.
fn counted(
    describer: &Describer<'_>,
    met: &[Offset<'_>],
    own: &Met,
    index: usize,
) -> Option<Counted> {
    let walked = describer.walked();
    let terms = &walked.terms;
    let repeat = walked.loops.get(index)?;
    let condition = repeat.condition?;
    let trip = repeat.trip;
    let (low, high) = bounds(terms, condition)
        .into_iter()
        .find(|(low, _)| terms.varies(*low) && terms.symbols_of(*low).contains(&trip))?;
    let around = own.loops.iter().filter(|other| **other != index);
    let around: Option<Vec<&Repeat>> = around.map(|other| walked.loops.get(*other)).collect();
    let around = around?;
    // None of the threads is kept away.
    let is_of_loop = |guard: &Guard| {
        let mut conditions = around.iter().filter_map(|other| other.condition);
        guard.condition == condition || conditions.any(|other| other == guard.condition)
    };
    let keeps = |guard: &Guard| !is_of_loop(guard) && terms.varies(guard.condition);
    let is_unknown = |other: &Met| other.loops.contains(&index) && other.address.is_err();
    if own.guards.iter().any(keeps) || met.iter().any(|(other, _, _)| is_unknown(other)) {
        return None;
    }
    let others = walked.loops.iter().enumerate();
    let others = others.filter(|(place, _)| *place != index);
    let twins = others.flat_map(|(index, other)| {
        let bounds = other.condition.map(|condition| bounds(terms, condition));
        let pairs = bounds.into_iter().flatten();
        let to_it = pairs.filter(|(_, other)| *other == high);
        let trip = other.trip;
        to_it.map(move |(low, _)| Twin { index, trip, low })
    });
    Some(Counted {
        index,
        trip,
        low,
        high,
        axis: axis_of(terms, low, trip)?,
        others: around.iter().map(|other| other.trip).collect(),
        twins: twins.collect(),
    })
}

/// The direction of the grid whose CTAs share what a number of a loop counts: of `blockIdx.x` that goes on by `gridDim.x`.
/// Nothing where it is of other things than of threads and CTAs.
#[allow(
    clippy::option_option,
    reason = "that it is of threads only is known, too"
)]
fn axis_of(terms: &Terms, low: TermId, trip: SymbolId) -> Option<Option<usize>> {
    let mut axes: [[bool; 2]; 3] = [[false; 2]; 3];
    for symbol in terms.symbols_of(low) {
        let known = terms.symbol(symbol)?;
        let is_of_threads = matches!(known.kind, SymbolKind::Thread(_) | SymbolKind::BlockSize(_));
        if symbol == trip || is_of_threads {
            continue;
        }
        let (name, axis) = known.name.split_once('.')?;
        let axis = ["x", "y", "z"].iter().position(|known| *known == axis)?;
        let place = ["blockIdx", "gridDim"].iter().position(|it| *it == name)?;
        *axes.get_mut(axis)?.get_mut(place)? = true;
    }
    let mut shared = axes.iter().enumerate().filter(|(_, of)| **of != [false; 2]);
    match (shared.next(), shared.next()) {
        (None, _) => Some(None),
        (Some((axis, [true, true])), None) => Some(Some(axis)),
        _ => None,
    }
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
