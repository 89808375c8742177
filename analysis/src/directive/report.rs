//! Findings about directives: those that cannot be read, and facts that nothing uses.

use std::sync::Arc;

use super::{Directive, DirectiveKind};
use crate::finding::{Finding, Severity};

/// The findings about the directives of a file. `asked` holds the run-time values that the analysis
/// met, by name and place.
pub(crate) fn findings(
    directives: &[Directive],
    asked: impl Fn() -> Vec<(Arc<str>, usize)>,
) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut met = None;
    for directive in directives {
        match &directive.kind {
            DirectiveKind::Malformed { span, expected } => {
                let place = if span.is_empty() {
                    directive.span
                } else {
                    *span
                };
                let message = format!("directive ignored: expected {expected}");
                found.push(Finding::new(
                    "malformed-directive",
                    Severity::Warning,
                    place,
                    message,
                ));
            }
            DirectiveKind::Assume(facts) => {
                let asked = met.get_or_insert_with(&asked);
                for (fact, place) in facts {
                    let used = asked
                        .iter()
                        .any(|(name, byte)| **name == *fact.name() && directive.covers(*byte));
                    if !used {
                        let message = format!(
                            "no effect: no run-time integer `{}` is declared where `{fact}` applies",
                            fact.name()
                        );
                        let severity = Severity::Information;
                        found.push(Finding::new("unused-assumption", severity, *place, message));
                    }
                }
            }
            _ => {}
        }
    }
    found
}
