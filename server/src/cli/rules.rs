//! `check --explain [RULE]`: the rules.

use std::io;

use cute_analysis::Rule;
use serde_json::json;

use super::arguments::formats::ReportFormat;
use super::output::{Outcome, Output, complain};
use crate::presentation::findings::RULE_PAGES;

/// Prints the rule of a name, with its page; all rules, a line each, for an empty name.
pub(super) fn explain(name: &str, format: ReportFormat, out: &mut Output) -> io::Result<Outcome> {
    if name.is_empty() {
        for rule in Rule::all() {
            let line = match format {
                ReportFormat::Json => as_json(rule),
                _ => format!(
                    "{:<28} {:<12} {}",
                    rule.name,
                    rule.severity.name(),
                    rule.summary
                ),
            };
            out.line(&line)?;
        }
        return Ok(Outcome::Clean);
    }
    let Some(rule) = Rule::named(name) else {
        let nearest = Rule::most_like(name)
            .map(|rule| format!("; the nearest is `{}`", rule.name))
            .unwrap_or_default();
        complain(&format!("`{name}` is not a rule{nearest}"));
        return Ok(Outcome::Unusable);
    };
    if format == ReportFormat::Json {
        out.line(&as_json(rule))?;
    } else {
        out.line(&format!("{}: {}", rule.name, rule.severity.name()))?;
        out.line(rule.summary)?;
        if rule.is_witnessed {
            out.line("Each finding shows a case: a coordinate, a thread or a size.")?;
        }
        out.line(&page(rule))?;
    }
    Ok(Outcome::Clean)
}

fn as_json(rule: &Rule) -> String {
    json!({
        "rule": rule.name,
        "severity": rule.severity.name(),
        "summary": rule.summary,
        "witnessed": rule.is_witnessed,
        "page": page(rule),
    })
    .to_string()
}

fn page(rule: &Rule) -> String {
    format!("{RULE_PAGES}/{}.md", rule.name)
}
