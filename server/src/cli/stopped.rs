//! What was not evaluated because a limit was reached: a person has to know that silence there means nothing.

use std::collections::BTreeMap;

use cute_analysis::{Analysis, Reason};

use super::output::{complain, shown};
use super::source::Source;
use crate::presentation::number::counted;

/// Says on standard error how many values of a source were not evaluated, by the limit that was reached.
pub(super) fn say(source: &Source, analysis: &Analysis) {
    for reached in &analysis.reached {
        complain(&format!("{}: {reached}", shown(&source.path)));
    }
    for (limit, names) in limits(analysis) {
        let names = counted(names, "value is", "values are");
        complain(&format!(
            "{}: {names} not evaluated: {limit}",
            shown(&source.path)
        ));
    }
}

/// The limits that were reached, each with how many values it concerns.
fn limits(analysis: &Analysis) -> BTreeMap<String, i64> {
    let mut counts = BTreeMap::new();
    let reasons = analysis
        .facts
        .iter()
        .filter_map(cute_analysis::Fact::reason);
    for reason in reasons {
        if matches!(reason, Reason::Limit(_) | Reason::Steps(_)) {
            *counts.entry(reason.to_string()).or_default() += 1;
        }
    }
    counts
}
