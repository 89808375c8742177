//! Inlay hints: the value of a declared name at the end of its statement.
//!
//! Quiet by design: one hint per statement at most, none for integers that the source writes or that are of no function
//! of CuTe and of no other class, tuples of run-time integers (`dim3`), parameters, types and unknown values. A hint is
//! behind the `;` and before a comment, so that it moves no code while code is being typed.

use std::fmt::Write as _;
use std::ops::{Range, RangeInclusive};

use cute_analysis::{Analysis, Dialect, Fact, Role};

use super::instances::Chosen;
use crate::limits::INSTANCES_IN_A_TOOLTIP;

use ends::{end_of_line, end_of_statement, start_of_line};
use interest::class_of;
use label::{Class, Hint, Said, Shown};

mod accesses;
pub mod earlier;
pub(super) mod ends;
mod interest;
pub mod label;

/// The hints of a source, from top to bottom. `text` is the source that was analysed; of several
/// instances the chosen one is shown.
pub fn hints(analysis: &Analysis, text: &str, chosen: &Chosen) -> Vec<Hint> {
    hints_in(analysis, text, 0..text.len(), chosen)
}

/// The hints on the lines that a range of bytes touches.
pub fn hints_in(
    analysis: &Analysis,
    text: &str,
    range: Range<usize>,
    chosen: &Chosen,
) -> Vec<Hint> {
    let lines = start_of_line(text, range.start)..=end_of_line(text, range.end);
    let mut facts: Vec<&Fact> = declared_around(&analysis.facts, text, &lines)
        .iter()
        .filter(|fact| has_hint(fact))
        .collect();
    facts.sort_by(|a, b| (a.name_span.start, &a.name).cmp(&(b.name_span.start, &b.name)));
    let mut hints: Vec<Hint> = Vec::new();
    for statement in facts.chunk_by(|a, b| a.span.start == b.span.start) {
        let declared_to = statement.iter().map(|fact| fact.span.end).max();
        let end = end_of_statement(text, declared_to.unwrap_or_default());
        if lines.contains(&end) {
            hints.extend(hint_of(analysis, text, statement, chosen, end));
        }
    }
    hints.sort_by_key(|hint| hint.byte_offset);
    // Names that one macro declares at several places of its text are at one place.
    hints.dedup_by_key(|hint| hint.byte_offset);
    hints.extend(accesses::hints_of(analysis, text, &lines, chosen));
    hints.sort_by_key(|hint| hint.byte_offset);
    hints
}

/// Whether facts like this one have hints.
fn has_hint(fact: &Fact) -> bool {
    matches!(fact.role, Role::Var | Role::Alias)
}

/// The facts from the first to the last statement whose hint may be on one of these lines. A header has hundreds of
/// facts for each name, so that what one says is looked at only where its place may be.
fn declared_around<'a>(facts: &'a [Fact], text: &str, lines: &RangeInclusive<usize>) -> &'a [Fact] {
    let until = facts.partition_point(|fact| fact.name_span.start <= *lines.end());
    let facts = facts.get(..until).unwrap_or_default();
    // Instances of one statement are behind each other.
    let mut last: Option<(usize, bool)> = None;
    let mut reaches = |fact: &Fact| match last {
        Some((end, reaches)) if end == fact.span.end => reaches,
        _ => {
            let reaches = end_of_statement(text, fact.span.end) >= *lines.start();
            last = Some((fact.span.end, reaches));
            reaches
        }
    };
    let first = facts
        .iter()
        .position(|fact| reaches(fact) && has_hint(fact));
    let Some(found) = first.and_then(|first| facts.get(first)) else {
        return &[];
    };
    let others = facts.partition_point(|fact| fact.name_span.start < found.span.start);
    facts.get(others..).unwrap_or_default()
}

/// The hint of the declarations of one statement.
fn hint_of(
    analysis: &Analysis,
    text: &str,
    statement: &[&Fact],
    chosen: &Chosen,
    byte_offset: usize,
) -> Option<Hint> {
    let mut hint = Hint {
        byte_offset,
        ..Hint::default()
    };
    for instances in statement.chunk_by(|a, b| a.name_span == b.name_span && a.name == b.name) {
        let Some((index, class)) = shown_of(analysis, text, instances, chosen) else {
            continue;
        };
        let Some(fact) = instances.get(index) else {
            continue;
        };
        let same_kind = instances
            .iter()
            .filter(|other| other.is_supposed() == fact.is_supposed());
        let instances: Vec<&Fact> = same_kind.copied().collect();
        let differs = instances.iter().any(|other| other.value != fact.value);
        if hint.shown.is_empty() {
            hint.declared = fact.name_span.start..fact.name_span.end;
        } else {
            hint.tooltip.push('\n');
        }
        hint.differs |= differs;
        hint.is_supposed |= fact.is_supposed() && analysis.dialect == Dialect::Cute;
        hint.tooltip
            .push_str(&tooltip(fact, analysis.dialect, &instances, differs));
        if let Some(instance) = fact
            .instance
            .as_deref()
            .filter(|_| fact.is_supposed() && !differs)
        {
            let _ = write!(hint.tooltip, "\n{instance}");
        }
        hint.shown.push(Shown {
            class,
            name: fact.name.clone(),
            said: Said::Evaluated(fact.value.clone(), analysis.dialect),
        });
    }
    (!hint.shown.is_empty()).then_some(hint)
}

/// The instance whose value is shown: the chosen one, else the first that is of interest.
fn shown_of(
    analysis: &Analysis,
    text: &str,
    instances: &[&Fact],
    chosen: &Chosen,
) -> Option<(usize, Class)> {
    let which = instances
        .iter()
        .map(|fact| (fact.function.as_deref(), fact.instance.as_deref()));
    let wanted = chosen.first(which);
    let class_at = |index: usize| Some((index, class_of(analysis, text, instances.get(index)?)?));
    class_at(wanted).or_else(|| (0..instances.len()).find_map(class_at))
}

/// Name, kind and value; of instances that differ each one's.
fn tooltip(shown: &Fact, dialect: Dialect, instances: &[&Fact], differs: bool) -> String {
    let mut tooltip = format!("{}: {}", shown.name, shown.kind().name());
    if !differs {
        tooltip.push('\n');
        tooltip.push_str(&dialect.text(&shown.value));
        return tooltip;
    }
    let of = instances.len();
    for (index, fact) in instances.iter().enumerate().take(INSTANCES_IN_A_TOOLTIP) {
        let instance = fact.instance.as_deref().unwrap_or("");
        let number = index + 1;
        let value = match fact.reason() {
            Some(reason) => reason.to_string(),
            None => dialect.text(&fact.value),
        };
        let _ = write!(tooltip, "\n{number}/{of} {value}  {instance}");
    }
    if of > INSTANCES_IN_A_TOOLTIP {
        let _ = write!(tooltip, "\n… and {} more", of - INSTANCES_IN_A_TOOLTIP);
    }
    tooltip
}

#[cfg(test)]
mod tests;
