//! What was not evaluated because a limit was reached: a person has to know that silence there means nothing.

use std::collections::BTreeMap;

use cute_analysis::{Analysis, Fact, Reason};

use super::number::counted;

/// The limits that an analysis reached, each with how much it leaves out: `12 values are not evaluated: ...`.
pub fn limits(analysis: &Analysis) -> Vec<String> {
    let mut counts: BTreeMap<String, i64> = BTreeMap::new();
    for reason in analysis.facts.iter().filter_map(Fact::reason) {
        if matches!(reason, Reason::Limit(_) | Reason::Steps(_)) {
            *counts.entry(reason.to_string()).or_default() += 1;
        }
    }
    let of_file = analysis.reached.iter().map(ToString::to_string);
    let of_values = counts.into_iter().map(|(limit, names)| {
        let names = counted(names, "value is", "values are");
        format!("{names} not evaluated: {limit}")
    });
    of_file.chain(of_values).collect()
}

#[cfg(test)]
mod tests {
    use cute_analysis::Reached;

    use super::*;

    #[test]
    fn a_limit_that_was_reached_is_said_with_what_it_leaves_out() {
        let mut analysis = Analysis::default();
        assert!(limits(&analysis).is_empty());
        analysis.reached.push(Reached::Users { all: 401 });
        let said = limits(&analysis);
        assert_eq!(said.len(), 1);
        assert!(
            said.iter()
                .all(|limit| limit.starts_with("401 translation units"))
        );
    }
}
