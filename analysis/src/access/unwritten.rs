//! Loads of shared memory that no thread of the block writes.

use std::sync::Arc;

use tree_sitter_cute::tree::Span;

use super::beyond::extent_of;
use super::describe::{Describer, Offset};
use super::judge::index_of;
use super::trials::{Given, Trial};
use super::{AccessKind, Memory, Met};
use crate::finding::{Finding, Number, Related, Severity};

/// The stable name of the rule.
pub(crate) const RULE: &str = "never-written";

/// Looks at all arrays in shared memory of a kernel whose every store is seen.
pub(super) fn reads(
    describer: &mut Describer<'_>,
    met: &[Offset<'_>],
    given: &[Given],
    instance: Option<&str>,
) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    let is_unseen = |met: &Met| met.kind != AccessKind::Load && met.address.is_err();
    if describer.walked().is_unseen
        || describer.threads_of_launch().is_none()
        || met.iter().any(|(met, _, _)| is_unseen(met))
    {
        return found;
    }
    for launch in given {
        for trial in launch.usual_trials(&describer.walked().terms) {
            for (declared, memory) in arrays(met) {
                let is_told = |finding: &Finding| {
                    finding
                        .related
                        .iter()
                        .any(|related| related.span == declared)
                };
                if found.iter().any(is_told) || describer.is_spent() {
                    continue;
                }
                let of_array: Vec<Offset<'_>> = met
                    .iter()
                    .filter(|(met, _, _)| is_of(met, declared))
                    .copied()
                    .collect();
                found.extend(unwritten(
                    describer, &of_array, &memory, launch, &trial, instance,
                ));
            }
        }
    }
    found
}

/// The arrays in shared memory, each under one name only.
pub(super) fn arrays(met: &[Offset<'_>]) -> Vec<(Span, Arc<Memory>)> {
    let mut found: Vec<(Span, Arc<Memory>)> = Vec::new();
    let mut others: Vec<Span> = Vec::new();
    for (met, _, _) in met {
        let Ok((memory, _)) = &met.address else {
            continue;
        };
        let Some(declared) = memory.declared else {
            continue;
        };
        match found.iter().find(|(known, _)| *known == declared) {
            Some((_, known)) if known != memory => others.push(declared),
            Some(_) => {}
            None => found.push((declared, Arc::clone(memory))),
        }
    }
    // All dynamic arrays begin at one address.
    let dynamic = found.iter().filter(|(_, memory)| memory.is_dynamic).count();
    found.retain(|(declared, memory)| {
        !others.contains(declared) && (dynamic < 2 || !memory.is_dynamic)
    });
    found
}

pub(super) fn is_of(met: &Met, declared: Span) -> bool {
    met.address
        .as_ref()
        .is_ok_and(|(memory, _)| memory.declared == Some(declared))
}

/// A load of a byte that nothing writes in a CTA.
fn unwritten(
    describer: &mut Describer<'_>,
    met: &[Offset<'_>],
    memory: &Memory,
    launch: &Given,
    trial: &Trial,
    instance: Option<&str>,
) -> Option<Finding> {
    let extent = usize::try_from(extent_of(memory, launch)?).ok()?;
    let mut written = vec![false; extent];
    let is_write = |met: &Met| met.kind != AccessKind::Load;
    for (store, unit, offset) in met.iter().filter(|(met, _, _)| is_write(met)) {
        let offset = (*offset)?;
        let places = describer.addresses(store, offset, &trial.fixed);
        if !places.is_all || describer.depends_on_sizes(store, offset, trial) {
            return None;
        }
        // A loop whose passes have one address is looked at as a whole: which of its passes write is left open.
        for fixed in places.fixed {
            for (first, comes) in describer.threads_at(store, offset, &fixed, trial) {
                if comes == Some(false) && store.loops.is_empty() {
                    continue;
                }
                let first = usize::try_from(first?.checked_mul(*unit)?).ok()?;
                let bytes = usize::try_from(store.bytes)
                    .ok()
                    .filter(|bytes| *bytes > 0)?;
                for byte in written.iter_mut().skip(first).take(bytes) {
                    *byte = true;
                }
            }
        }
    }
    if !written.contains(&true) {
        return None;
    }
    let (block, _) = describer.block()?;
    for (load, unit, offset) in met
        .iter()
        .filter(|(met, _, _)| met.kind == AccessKind::Load)
    {
        let Some(offset) = offset else { continue };
        if load.bytes <= 0 || describer.depends_on_sizes(load, *offset, trial) {
            continue;
        }
        for fixed in describer.addresses(load, *offset, &trial.fixed).fixed {
            let threads = describer.threads_at(load, *offset, &fixed, trial);
            for (thread, at) in threads.into_iter().enumerate() {
                let (Some(first), Some(true)) = at else {
                    continue;
                };
                let byte = first.checked_mul(*unit)?;
                let at_byte = usize::try_from(byte)
                    .ok()
                    .and_then(|byte| written.get(byte));
                if at_byte == Some(&false) {
                    let sizes = describer.sizes_of(load, trial);
                    let who = index_of(thread, block);
                    let message = format!(
                        "thread {who} reads byte {byte} of `{}`, which no thread writes{sizes}",
                        memory.name
                    );
                    return Some(Finding {
                        numbers: vec![
                            ("thread".to_owned(), Number::Text(who)),
                            ("byte".to_owned(), Number::Integer(byte)),
                        ],
                        related: memory
                            .declared
                            .into_iter()
                            .map(|span| Related {
                                span,
                                message: "declared here".to_owned(),
                            })
                            .collect(),
                        instance: instance.map(str::to_owned),
                        ..Finding::new(RULE, Severity::Warning, load.span, message)
                    });
                }
            }
        }
    }
    None
}
