//! Accesses beyond an array that depend on sizes which the host gives: under `k < K` they are looked at with a `K`.

use super::describe::{Describer, Offset};
use super::judge::index_of;
use super::terms::TermId;
use super::trials::{Given, SizedBlock, Trial};
use super::{AccessKind, AccessSpace, Memory, Met, Walked};
use crate::finding::{Finding, Number, Related, Severity};

/// The stable name of the rule.
pub(super) const RULE: &str = "over-run";
/// The stable name of the rule about the modes of tensors.
pub(crate) const STAGES: &str = "stage-out-of-range";

/// The launches under which accesses are looked at.
pub(crate) struct Launches<'g> {
    /// Those with the block, that are seen.
    pub(crate) seen: &'g [Given],
    /// Whether the kernel has no others, with another block.
    pub(crate) is_all: bool,
    /// One with any numbers, where none is seen: then only the first thread is sure to exist.
    pub(crate) any: &'g Given,
    /// The blocks of one whose sizes decide on it.
    pub(crate) sized: &'g [SizedBlock],
}

impl Launches<'_> {
    fn all(&self) -> &[Given] {
        if self.seen.is_empty() {
            std::slice::from_ref(self.any)
        } else {
            self.seen
        }
    }
}

/// Looks at the accesses of shared memory that nothing was said of.
pub(super) fn overruns(
    describer: &mut Describer<'_>,
    met: &[Offset<'_>],
    given: &Launches<'_>,
    known: &[Finding],
    instance: Option<&str>,
) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    let Some((block, _)) = describer.block() else {
        return found;
    };
    for launch in given.all() {
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
                is_launched: !given.seen.is_empty(),
            };
            for trial in &trials {
                let beyond = beyond(describer, met, &range, trial);
                if let Some((thread, first)) = beyond {
                    let sizes = describer.sizes_of(met, trial);
                    let who = index_of(thread, block);
                    let mut finding =
                        told(met, memory, (who, first, extent), &sizes, launch, instance);
                    let walked = describer.walked();
                    let led = walked.origins.leading_to(walked, *offset);
                    finding.related.extend(led);
                    found.push(finding);
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
    /// Whether all threads of the block exist.
    is_launched: bool,
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
    if describer.depends_on_sizes(met, range.offset, trial)
        || !range.is_launched && is_of_block(describer.walked(), met, range.offset)
    {
        return None;
    }
    let places = describer.places(met, range.offset, &trial.fixed);
    for fixed in places.fixed {
        let threads = describer.threads_at(met, range.offset, &fixed, trial);
        let exist = if range.is_launched { threads.len() } else { 1 };
        for (thread, at) in threads.into_iter().take(exist).enumerate() {
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

/// Whether the size of a block decides on an access: on its address, on a condition or on a loop around it.
fn is_of_block(walked: &Walked, met: &Met, offset: TermId) -> bool {
    let conditions = met.guards.iter().map(|guard| guard.condition);
    let repeats = met
        .loops
        .iter()
        .filter_map(|index| walked.loops.get(*index));
    let of_loops = repeats.flat_map(|repeat| {
        let followed = repeat.followed.iter();
        let own = followed.flat_map(|(_, first, following)| [*first, *following]);
        own.chain(repeat.condition)
    });
    let mut all = std::iter::once(offset).chain(conditions).chain(of_loops);
    all.any(|term| walked.terms.is_of_block(term))
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

/// A mode of a tensor, with the index that it is given.
#[derive(Debug, Clone)]
pub(crate) struct Indexed {
    /// The index, as an access of one byte at a number of bytes.
    pub(crate) met: Met,
    /// The mode, and its extent, once the tensor is known.
    pub(crate) mode: Option<(usize, i64)>,
}

/// Looks at the indices of stages that are the same for all threads.
pub(super) fn stages(
    describer: &mut Describer<'_>,
    given: &Launches<'_>,
    instance: Option<&str>,
) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    let walked = describer.walked();
    for launch in given.all() {
        let trials = launch.usual_trials(&walked.terms);
        for index in &walked.indices {
            let (Some((mode, extent)), Ok((_, term))) = (index.mode, &index.met.address) else {
                continue;
            };
            let is_known = |finding: &Finding| finding.span == index.met.span;
            if walked.terms.varies(*term) || found.iter().any(is_known) || describer.is_spent() {
                continue;
            }
            let range = Range {
                offset: *term,
                unit: 1,
                extent,
                least: i64::MIN,
                is_launched: !given.seen.is_empty(),
            };
            let mut trials = trials.iter();
            let Some((_, last)) =
                trials.find_map(|trial| beyond(describer, &index.met, &range, trial))
            else {
                continue;
            };
            let message = format!(
                "index can reach {last}, but mode {mode} of the tensor has {extent} stages: out of bounds"
            );
            found.push(Finding {
                numbers: vec![
                    ("last".to_owned(), Number::Integer(last)),
                    ("extent".to_owned(), Number::Integer(extent)),
                ],
                related: walked.origins.leading_to(walked, *term),
                instance: instance.map(str::to_owned),
                ..Finding::new(STAGES, Severity::Error, index.met.span, message)
            });
        }
    }
    found
}
