//! Arrays in shared memory with an element for each thread, of which a launch has fewer.

use std::collections::BTreeSet;

use super::super::Met;
use super::super::describe::{Describer, Offset};
use super::super::trials::{Given, Trial};
use super::super::unwritten;
use super::super::{AccessKind, AccessSpace, Memory};
use super::{steps, told, values};
use crate::finding::{Finding, Related};

/// An array of which only the first elements are touched, one by each thread, where a CTA begins as many elements of global
/// memory after the one before it as the array has. An array of several stages has as many elements in each.
pub(super) fn too_long(
    describer: &mut Describer<'_>,
    met: &[Offset<'_>],
    launch: &Given,
    instance: Option<&str>,
) -> Option<Finding> {
    let threads = describer.threads_of_launch()?;
    let threads: i64 = threads.iter().product();
    let is_unseen = describer.walked().is_unseen;
    if is_unseen || met.iter().any(|(met, _, _)| met.address.is_err()) {
        return None;
    }
    let trials = launch.usual_trials(&describer.walked().terms);
    let first = trials.last()?;
    for (declared, memory) in unwritten::arrays(met) {
        let of_array: Vec<Offset<'_>> = met
            .iter()
            .filter(|(met, _, _)| unwritten::is_of(met, declared))
            .copied()
            .collect();
        let Some(array) = touched(describer, &of_array, &memory, first) else {
            continue;
        };
        for global in met {
            if describer.is_spent() {
                return None;
            }
            let Some(length) = part(describer, met, *global, threads, launch) else {
                continue;
            };
            if !array.has_an_element_of_each(threads, length) {
                continue;
            }
            let (own, _, _) = global;
            let (from, _) = own.address.as_ref().ok()?;
            let message = format!(
                "`{}` and each CTA's part of `{}` have {length} elements, but the launch has {threads} threads: the rest is left out",
                memory.name, from.name
            );
            let mut found = told(own, launch, instance, (length, threads), message);
            found.related.push(Related {
                span: declared,
                message: "declared here".to_owned(),
            });
            return Some(found);
        }
    }
    None
}

/// An array, in elements.
struct Touched {
    length: i64,
    elements: BTreeSet<i64>,
}

impl Touched {
    /// Whether each thread has one of the first elements of each part of a length, and nothing touches the others.
    fn has_an_element_of_each(&self, threads: i64, length: i64) -> bool {
        if length <= threads || self.length % length != 0 {
            return false;
        }
        let parts = (0..self.length / length).map(|part| part * length);
        let expected = parts.flat_map(|first| first..first + threads);
        self.elements.iter().copied().eq(expected)
    }
}

/// The elements of an array that are touched.
fn touched(
    describer: &mut Describer<'_>,
    met: &[Offset<'_>],
    memory: &Memory,
    trial: &Trial,
) -> Option<Touched> {
    let element = describer.walked().terms.as_number(memory.element?)?;
    let length = memory.extent?.checked_div(element)?;
    if memory.is_dynamic || memory.lengths.len() > 1 {
        return None;
    }
    let mut elements: BTreeSet<i64> = BTreeSet::new();
    for (access, unit, offset) in met {
        let offset = (*offset)?;
        let places = describer.addresses(access, offset, &trial.fixed);
        if *unit != element || access.bytes != element || !places.is_all {
            return None;
        }
        for fixed in places.fixed {
            for (at, comes) in describer.threads_at(access, offset, &fixed, trial) {
                match at {
                    _ if comes == Some(false) => {}
                    Some(at) => {
                        elements.insert(at);
                    }
                    // What nothing writes is of no use where it is read.
                    None if access.kind == AccessKind::Load => {}
                    None => return None,
                }
            }
        }
    }
    Some(Touched { length, elements })
}

/// The elements from one CTA to the next of an access to global memory with one element for each thread, where nothing comes to
/// the element after those of the threads.
fn part(
    describer: &mut Describer<'_>,
    met: &[Offset<'_>],
    (own, unit, offset): Offset<'_>,
    threads: i64,
    launch: &Given,
) -> Option<i64> {
    let offset = offset?;
    let (memory, _) = own.address.as_ref().ok()?;
    if memory.space != AccessSpace::Global || own.bytes != unit || !own.loops.is_empty() {
        return None;
    }
    let sizes = launch.usual()?;
    let at = |describer: &Describer<'_>, cta: [i64; 3]| {
        Some(launch.trial(&describer.walked().terms, &sizes, cta)?.fixed)
    };
    let here = at(describer, [0, 0, 0])?;
    let now = values(describer, offset, &here)?;
    let next = at(describer, [1, 0, 0])?;
    let beside = values(describer, offset, &next)?;
    let first = *now.first()?;
    let has_one = now.iter().copied().eq(first..first.checked_add(threads)?);
    let length = steps::apart(&now, &beside)?;
    if !has_one {
        return None;
    }
    let missing = first.checked_add(threads)?;
    let is_of_it =
        |other: &Met| matches!(&other.address, Ok((other, _)) if other.name == memory.name);
    for (other, its_unit, offset) in met.iter().filter(|(met, _, _)| is_of_it(met)) {
        let offset = (*offset)?;
        for fixed in [&here, &next] {
            let places = describer.places(other, offset, fixed);
            if !places.is_all || *its_unit != unit {
                return None;
            }
            for place in places.fixed {
                if values(describer, offset, &place)?.contains(&missing) {
                    return None;
                }
            }
        }
    }
    Some(length)
}
