//! Vectors at addresses of which not all can be aligned: they differ by no multiple of the alignment.

use super::describe::{Describer, Offset};
use super::terms::TermId;
use super::trials::{Given, Trial};
use super::{AccessSpace, Memory, Met};
use crate::finding::{Finding, Number, Related, Severity};

/// The stable name of the rule about shared memory.
const SHARED: &str = "smem-alignment";
/// The stable name of the rule about global memory.
const GLOBAL: &str = "misaligned-vector";

/// Looks at all accesses.
pub(super) fn vectors(
    describer: &mut Describer<'_>,
    met: &[Offset<'_>],
    given: &[Given],
    instance: Option<&str>,
) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    for launch in given {
        let trials = launch.usual_trials(&describer.walked().terms);
        for (met, unit, offset) in met {
            let is_known = |finding: &Finding| finding.span == met.span;
            let Some(offset) = offset.filter(|_| met.align > 1) else {
                continue;
            };
            if found.iter().any(is_known) || describer.is_spent() {
                continue;
            }
            let pair = trials
                .iter()
                .find_map(|trial| apart(describer, met, offset, *unit, trial));
            found.extend(pair.and_then(|pair| told(met, pair, instance)));
        }
    }
    found
}

/// A vector whose distance from another one, or from the start of the memory, is not a multiple of its alignment.
#[derive(Debug, Clone, Copy)]
struct Apart {
    from: Option<i64>,
    start: i64,
}

/// A vector that is not aligned, if the memory or another vector is.
fn apart(
    describer: &mut Describer<'_>,
    met: &Met,
    offset: TermId,
    unit: i64,
    trial: &Trial,
) -> Option<Apart> {
    if describer.depends_on_sizes(met, offset, trial) {
        return None;
    }
    let is_aligned = |memory: &Memory| memory.align % met.align == 0;
    let starts_aligned = matches!(&met.address, Ok((memory, _)) if is_aligned(memory));
    let mut first: Option<i64> = None;
    for fixed in describer.places(met, offset, &trial.fixed).fixed {
        for at in describer.threads_at(met, offset, &fixed, trial) {
            let (Some(offset), Some(true)) = at else {
                continue;
            };
            let start = offset.checked_mul(unit)?;
            if starts_aligned && start % met.align != 0 {
                return Some(Apart { from: None, start });
            }
            let one = *first.get_or_insert(start);
            if start.checked_sub(one)? % met.align != 0 {
                return Some(Apart {
                    from: Some(one),
                    start,
                });
            }
        }
    }
    None
}

fn told(met: &Met, apart: Apart, instance: Option<&str>) -> Option<Finding> {
    let (memory, _) = met.address.as_ref().ok()?;
    let (name, align, start) = (&memory.name, met.align, apart.start);
    let message = match apart.from {
        Some(one) => format!(
            "accesses aligned to {align} bytes begin at bytes {one} and {start} of `{name}`: one is not"
        ),
        None => format!(
            "an access aligned to {align} bytes begins at byte {start} of `{name}`, which is aligned to {}",
            memory.align
        ),
    };
    let rule = match memory.space {
        AccessSpace::Shared => SHARED,
        AccessSpace::Global => GLOBAL,
    };
    let declared = memory.declared.map(|span| Related {
        span,
        message: "declared here".to_owned(),
    });
    Some(Finding {
        numbers: vec![
            ("start".to_owned(), Number::Integer(start)),
            ("needed".to_owned(), Number::Integer(align)),
        ],
        related: declared.into_iter().collect(),
        instance: instance.map(str::to_owned),
        ..Finding::new(rule, Severity::Warning, met.span, message)
    })
}
