//! Arrays in shared memory with an element for each thread, of which a launch has fewer.

use std::collections::BTreeSet;

use super::super::Met;
use super::super::describe::{Describer, Offset};
use super::super::trials::{Given, Trial};
use super::super::unwritten;
use super::super::{AccessSpace, Memory};
use super::{told, values};
use crate::finding::{Finding, Related};

/// An array whose first elements are touched only, one by each thread, where a CTA begins as many elements of global memory
/// after the one before it as the array has.
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
        let Some(length) = partly(describer, &of_array, &memory, threads, first) else {
            continue;
        };
        for global in met {
            if describer.is_spent() {
                return None;
            }
            if !is_of_part(describer, met, *global, (length, threads), launch).unwrap_or(false) {
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

/// The length of an array of which each thread has one of the first elements, and nothing touches the others.
fn partly(
    describer: &mut Describer<'_>,
    met: &[Offset<'_>],
    memory: &Memory,
    threads: i64,
    trial: &Trial,
) -> Option<i64> {
    let element = describer.walked().terms.as_number(memory.element?)?;
    let length = memory.extent?.checked_div(element)?;
    if memory.is_dynamic || memory.lengths.len() > 1 || length <= threads {
        return None;
    }
    let mut touched: BTreeSet<i64> = BTreeSet::new();
    for (access, unit, offset) in met {
        let offset = (*offset)?;
        let places = describer.addresses(access, offset, &trial.fixed);
        if *unit != element || access.bytes != element || !places.is_all {
            return None;
        }
        for fixed in places.fixed {
            for (at, comes) in describer.threads_at(access, offset, &fixed, trial) {
                if comes != Some(false) {
                    touched.insert(at?);
                }
            }
        }
    }
    touched.into_iter().eq(0..threads).then_some(length)
}

/// Whether an access to global memory has one element for each thread, the next CTA begins as many elements further as the
/// array is long, and nothing comes to the element after those of the threads.
fn is_of_part(
    describer: &mut Describer<'_>,
    met: &[Offset<'_>],
    (own, unit, offset): Offset<'_>,
    (length, threads): (i64, i64),
    launch: &Given,
) -> Option<bool> {
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
    let is_apart = now
        .iter()
        .zip(&beside)
        .all(|(now, beside)| beside - now == length);
    if !has_one || !is_apart {
        return Some(false);
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
                    return Some(false);
                }
            }
        }
    }
    Some(true)
}
