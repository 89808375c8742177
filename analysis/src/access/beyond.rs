//! Accesses beyond an array that depend on sizes which the host gives: under `k < K` they are looked at with a `K`.

use super::describe::Describer;
use super::judge::index_of;
use super::terms::TermId;
use super::trials::{Given, Trial};
use super::{AccessKind, AccessSpace, Memory, Met};
use crate::finding::{Finding, Number, Related, Severity};

/// The stable name of the rule.
pub(super) const RULE: &str = "over-run";

/// Looks at the accesses of shared memory that nothing was said of.
pub(super) fn overruns(
    describer: &mut Describer<'_>,
    met: &[(&Met, i64, Option<TermId>)],
    given: &[Given],
    known: &[Finding],
    instance: Option<&str>,
) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    let Some((block, _)) = describer.block() else {
        return found;
    };
    for launch in given {
        let trials = launch.usual_trials(&describer.walked().terms);
        for (met, unit, offset) in met {
            let is_known = |finding: &Finding| finding.rule == RULE && finding.span == met.span;
            if known.iter().chain(&found).any(is_known) || describer.is_spent() {
                continue;
            }
            let (Ok((memory, _)), Some(offset)) = (&met.address, offset) else {
                continue;
            };
            let Some(extent) = extent_of(memory, launch) else {
                continue;
            };
            let range = Range {
                offset: *offset,
                unit: *unit,
                extent,
                // Memory that begins at an address inside of the array has a first byte that is not known.
                least: if memory.extent.is_some() { 0 } else { i64::MIN },
            };
            for trial in &trials {
                let beyond = beyond(describer, met, &range, trial);
                if let Some((thread, first)) = beyond {
                    let sizes = describer.sizes_of(met, trial);
                    let who = index_of(thread, block);
                    found.push(told(
                        met,
                        memory,
                        (who, first, extent),
                        &sizes,
                        launch,
                        instance,
                    ));
                    break;
                }
            }
        }
    }
    found
}

/// The bytes that an access may touch.
struct Range {
    offset: TermId,
    unit: i64,
    extent: i64,
    least: i64,
}

/// The bytes of an array in shared memory: those of dynamic shared memory are requested by the launch.
pub(super) fn extent_of(memory: &Memory, launch: &Given) -> Option<i64> {
    if memory.space != AccessSpace::Shared {
        return None;
    }
    memory
        .extent
        .or_else(|| launch.bytes.filter(|_| memory.is_dynamic))
}

/// A thread with an access beyond the array, and its first byte.
fn beyond(
    describer: &mut Describer<'_>,
    met: &Met,
    range: &Range,
    trial: &Trial,
) -> Option<(usize, i64)> {
    if range.unit <= 0 || met.bytes <= 0 {
        return None;
    }
    if describer.depends_on_sizes(met, range.offset, trial) {
        return None;
    }
    let places = describer.places(met, range.offset, &trial.fixed);
    for fixed in places.fixed {
        let threads = describer.threads_at(met, range.offset, &fixed, trial);
        for (thread, at) in threads.into_iter().enumerate() {
            let (Some(offset), Some(true)) = at else {
                continue;
            };
            let first = offset.checked_mul(range.unit)?;
            if first < range.least || first.checked_add(met.bytes)? > range.extent {
                return Some((thread, first));
            }
        }
    }
    None
}

fn told(
    met: &Met,
    memory: &Memory,
    (who, first, extent): (String, i64, i64),
    sizes: &str,
    launch: &Given,
    instance: Option<&str>,
) -> Finding {
    let verb = match met.kind {
        AccessKind::Load => "reads",
        AccessKind::Store => "writes",
        AccessKind::Atomic => "changes",
    };
    let (bytes, name) = (met.bytes, &memory.name);
    let message = format!(
        "thread {who} {verb} {bytes} bytes at byte {first} of `{name}`, which has {extent}{sizes}"
    );
    let declared = memory.declared.map(|span| (span, "declared here"));
    let launched = memory
        .is_dynamic
        .then_some((launch.span, "its bytes are requested here"));
    let related = declared.into_iter().chain(launched);
    Finding {
        numbers: vec![
            ("thread".to_owned(), Number::Text(who)),
            ("byte".to_owned(), Number::Integer(first)),
            ("bytes".to_owned(), Number::Integer(bytes)),
            ("extent".to_owned(), Number::Integer(extent)),
        ],
        related: related
            .map(|(span, message)| Related {
                span,
                message: message.to_owned(),
            })
            .collect(),
        instance: instance.map(str::to_owned),
        ..Finding::new(RULE, Severity::Warning, met.span, message)
    }
}
