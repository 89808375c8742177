//! Vectors in shared memory at addresses of which not all can be aligned: they differ by no multiple of the alignment.

use super::describe::{Describer, Offset};
use super::terms::TermId;
use super::trials::{Given, Trial};
use super::{AccessSpace, Met};
use crate::finding::{Finding, Number, Related, Severity};

/// The stable name of the rule.
const RULE: &str = "smem-alignment";

/// Looks at all accesses of shared memory.
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
            let is_shared = met
                .address
                .as_ref()
                .is_ok_and(|(memory, _)| memory.space == AccessSpace::Shared);
            let Some(offset) = offset.filter(|_| is_shared && met.align > 1) else {
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

/// Two addresses that differ by no multiple of the alignment.
fn apart(
    describer: &mut Describer<'_>,
    met: &Met,
    offset: TermId,
    unit: i64,
    trial: &Trial,
) -> Option<(i64, i64)> {
    if describer.depends_on_sizes(met, offset, trial) {
        return None;
    }
    let mut first: Option<i64> = None;
    for fixed in describer.places(met, offset, &trial.fixed).fixed {
        for at in describer.threads_at(met, offset, &fixed, trial) {
            let (Some(offset), Some(true)) = at else {
                continue;
            };
            let byte = offset.checked_mul(unit)?;
            let one = *first.get_or_insert(byte);
            if byte.checked_sub(one)? % met.align != 0 {
                return Some((one, byte));
            }
        }
    }
    None
}

fn told(met: &Met, (one, other): (i64, i64), instance: Option<&str>) -> Option<Finding> {
    let (memory, _) = met.address.as_ref().ok()?;
    let (name, align) = (&memory.name, met.align);
    let message = format!(
        "accesses aligned to {align} bytes begin at bytes {one} and {other} of `{name}`: one is not"
    );
    let declared = memory.declared.map(|span| Related {
        span,
        message: "declared here".to_owned(),
    });
    Some(Finding {
        numbers: vec![
            ("start".to_owned(), Number::Integer(other)),
            ("needed".to_owned(), Number::Integer(align)),
        ],
        related: declared.into_iter().collect(),
        instance: instance.map(str::to_owned),
        ..Finding::new(RULE, Severity::Warning, met.span, message)
    })
}
