//! Findings and preconditions in a hover.

use cute_analysis::{Analysis, Finding, Number};
use tree_sitter_cute::tree::Span;

use super::line::Line;
use crate::presentation::findings;
use crate::presentation::lines::Lines;

/// The findings in a hover.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Findings {
    /// All of the place.
    All,
    /// Those that the client's own hover does not show as diagnostics of the place.
    Undiagnosed,
    /// Those that no diagnostic of the source says.
    Silent,
}

impl Findings {
    /// The findings at a byte that are said.
    pub(super) fn at(self, analysis: &Analysis, byte: usize) -> Vec<&Finding> {
        let mut found = analysis.findings_at(byte);
        found.retain(|finding| self == Self::All || !findings::is_diagnosed(finding));
        found
    }

    /// The findings in the declaration of the name at a span that are said there, beside those at a byte of it.
    pub(super) fn of_declaration(
        self,
        analysis: &Analysis,
        name: Span,
        byte: usize,
    ) -> Vec<&Finding> {
        let declared = analysis.declaration_of(name);
        let mut found = findings::in_declaration(analysis, declared);
        found.retain(|finding| {
            let is_at = finding.span.contains(byte) || finding.span.start == byte;
            !is_at && (self != Self::Silent || !findings::is_diagnosed(finding))
        });
        found
    }
}

/// The run-time conditions under which the name or expression has its value.
pub(super) fn needed(analysis: &Analysis, span: Span) -> Vec<Line> {
    const MOST: usize = 2;
    let whole = analysis
        .facts
        .iter()
        .find(|fact| fact.name_span == span)
        .map_or(span, |fact| fact.span);
    let mut needed = analysis
        .preconditions
        .iter()
        .filter(|found| whole.encloses(found.span))
        .map(|found| Line::Text(format!("needs: {}", condition(found))));
    let mut lines: Vec<Line> = needed.by_ref().take(MOST).collect();
    lines.dedup();
    let more = needed.count();
    if more > 0 {
        lines.push(Line::Text(format!("{more} more preconditions")));
    }
    lines
}

/// The condition, as a person writes it: `K % 64 == 0`.
pub fn condition(precondition: &Finding) -> String {
    let number = |wanted: &str| {
        let mut numbers = precondition.numbers.iter();
        Some(&numbers.find(|(name, _)| name == wanted)?.1)
    };
    match (number("dividend"), number("divisor")) {
        (Some(dividend), Some(divisor)) => {
            let dividend = match dividend {
                Number::Text(text) if text.contains(['+', '*', '/', '-']) => format!("({text})"),
                other => other.to_string(),
            };
            // A step that is smaller than the extent begins inside of it.
            if number("rule") == Some(&Number::Text("stride-divisibility".to_owned())) {
                format!("{dividend} < {divisor} or {dividend} % {divisor} == 0")
            } else {
                format!("{dividend} % {divisor} == 0")
            }
        }
        _ => precondition.message.clone(),
    }
}

pub(super) fn finding_lines(finding: &Finding) -> Vec<Line> {
    let mut said = finding.message.lines();
    let head = format!(
        "{}[{}]: {}",
        finding.severity.name(),
        finding.rule,
        said.next().unwrap_or_default()
    );
    let others = said.map(|line| Line::Text(line.to_owned()));
    let remedy = finding.remedies.iter().find(|remedy| remedy.preferred);
    let proposal = remedy.map(|remedy| Line::Text(format!("proposal: {}", remedy.title)));
    std::iter::once(Line::Finding(head))
        .chain(others)
        .chain(proposal)
        .collect()
}

/// The first line of a finding in the declaration of a name, with its line.
pub(super) fn linked_line(finding: &Finding, source: &Lines) -> Option<Line> {
    let said = finding.message.lines().next()?;
    let line = source.place(finding.span.start).line;
    let (severity, rule) = (finding.severity.name(), finding.rule);
    Some(Line::Finding(format!(
        "{severity}[{rule}] on line {line}: {said}"
    )))
}
