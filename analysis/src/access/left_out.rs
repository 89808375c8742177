//! Elements that no thread comes to.

mod arrays;
mod launches;
mod steps;

use super::describe::{Describer, Offset, Pass};
use super::lanes::Cell;
use super::terms::TermId;
use super::trials::Given;
use super::{BlockFrom, Met};
use crate::finding::{Finding, Number, Related, Severity};

/// The stable name of the rule.
const RULE: &str = "thread-count-mismatch";

/// Looks at the accesses of a kernel whose launches are known: with one block, and the only one of all.
pub(super) fn elements(
    describer: &mut Describer<'_>,
    met: &[Offset<'_>],
    (given, only): (&[Given], Option<&Given>),
    instance: Option<&str>,
) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    if !matches!(describer.block(), Some((_, BlockFrom::Launch))) {
        return found;
    }
    for launch in given {
        let trials = launch.usual_trials(&describer.walked().terms);
        let Some(first) = trials.last() else { continue };
        for own in met {
            // One loop is wrong once.
            let is_told = found.iter().any(|known| known.span == own.0.span);
            if is_told || describer.is_spent() {
                continue;
            }
            if let Some(step) = steps::stepped_over(describer, met, *own, launch, first) {
                found.push(step.told(own.0, launch, instance));
                break;
            }
        }
    }
    if let (Some(launch), true) = (only, found.is_empty()) {
        let few = launches::too_few(describer, met, launch, instance);
        found.extend(few.or_else(|| arrays::too_long(describer, met, launch, instance)));
    }
    found
}

/// The values of a term for all threads; nothing where one is not known.
fn values(describer: &mut Describer<'_>, term: TermId, fixed: &Pass) -> Option<Vec<i64>> {
    let lanes = describer.lanes_of(fixed)?;
    let column = lanes.column(term);
    let threads = lanes.threads();
    let values: Option<Vec<i64>> = (0..threads)
        .map(|thread| match column.at(thread) {
            Cell::Known(value) => Some(*value),
            Cell::Open(_) | Cell::Unknown(_) => None,
        })
        .collect();
    describer.works(threads);
    values
}

/// A finding about an access, with its launch: the numbers are those of the threads that are wanted and that come.
fn told(
    own: &Met,
    launch: &Given,
    instance: Option<&str>,
    (wanted, coming): (i64, i64),
    message: String,
) -> Finding {
    Finding {
        numbers: vec![
            ("threads".to_owned(), Number::Integer(wanted)),
            ("coming".to_owned(), Number::Integer(coming)),
        ],
        related: vec![Related {
            span: launch.span,
            message: "the launch".to_owned(),
        }],
        instance: instance.map(str::to_owned),
        ..Finding::new(RULE, Severity::Warning, own.span, message)
    }
}
