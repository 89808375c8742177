//! The parts that were not evaluated because a limit was reached: a person has to know that silence there means
//! nothing.

use std::collections::BTreeMap;

use cute_analysis::{Analysis, Fact, Reason};

use super::number::counted;

/// The most files out of bounds that are said one by one: more of them have one cause.
const FILES_NAMED: usize = 8;

/// The limits that an analysis reached, each with how much it leaves out: `12 values are not evaluated: ...`.
pub fn limits(analysis: &Analysis) -> Vec<String> {
    let mut counts: BTreeMap<String, i64> = BTreeMap::new();
    for reason in analysis.facts.iter().filter_map(Fact::reason) {
        if matches!(reason, Reason::Limit(_) | Reason::Steps(_)) {
            *counts.entry(reason.to_string()).or_default() += 1;
        }
    }
    let of_file = left_out(analysis).into_iter();
    let of_values = counts.into_iter().map(|(limit, names)| {
        let names = counted(names, "value is", "values are");
        format!("{names} not evaluated: {limit}")
    });
    of_file.chain(of_values).collect()
}

/// The parts that were not examined: of the file itself, of its users, and files that it names.
pub fn left_out(analysis: &Analysis) -> Vec<String> {
    let mut said: Vec<String> = analysis.reached.iter().map(ToString::to_string).collect();
    let mut beyond_limits: BTreeMap<String, i64> = BTreeMap::new();
    let mut outside = Vec::new();
    for inclusion in &analysis.inclusions {
        let problem = inclusion.problem.to_string();
        match &inclusion.problem {
            Reason::Limit(_) => *beyond_limits.entry(problem).or_default() += 1,
            Reason::Outside(..) if !outside.contains(&problem) => outside.push(problem),
            _ => {}
        }
    }
    let more = outside.len().saturating_sub(FILES_NAMED);
    said.extend(outside.into_iter().take(FILES_NAMED));
    if more > 0 {
        let files = counted(more as i64, "more file is", "more files are");
        said.push(format!("{files} not read: outside of the workspace"));
    }
    said.extend(beyond_limits.into_iter().map(|(limit, files)| {
        let files = counted(files, "included file is", "included files are");
        format!("{files} not read: {limit}")
    }));
    said
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
