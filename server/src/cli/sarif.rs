//! Findings as a SARIF 2.1.0 log (OASIS, sections 3.13 to 3.59).

use std::fmt::Write as _;
use std::path::Path;

use cute_analysis::{Edit, Finding, Related, Remedy, Rule, Severity};
use serde_json::{Value, json};
use tree_sitter_cute::tree::Span;

use super::check::Checked;
use super::json;
use super::source::{Source, Unreadable};
use crate::presentation::findings::RULE_PAGES;

/// The log of one run: its rules, its results, and the unreadable files.
pub(super) fn log(checked: &[Checked], unreadable: &[Unreadable]) -> Value {
    let all = || {
        checked
            .iter()
            .flat_map(|file| file.findings.iter().map(move |f| (file, f)))
    };
    let mut rules: Vec<&str> = all().map(|(_, finding)| finding.rule).collect();
    rules.sort_unstable();
    rules.dedup();
    let results: Vec<Value> = all()
        .map(|(file, finding)| result(finding, &file.source, &rules))
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "cute-analyzer",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.iter().map(|rule| rule_descriptor(rule)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": unreadable.is_empty(),
                "toolExecutionNotifications":
                    unreadable.iter().map(notification).collect::<Vec<_>>(),
            }],
            "results": results,
        }],
    })
}

fn rule_descriptor(rule: &str) -> Value {
    let mut descriptor = json!({
        "id": rule,
        "help": { "text": format!("The rule is explained in {RULE_PAGES}/{rule}.md.") },
    });
    if let Some(rule) = Rule::named(rule) {
        descriptor["shortDescription"] = json!({ "text": rule.summary });
        descriptor["defaultConfiguration"] = json!({ "level": level(rule.severity) });
    }
    descriptor
}

fn notification(error: &Unreadable) -> Value {
    json!({ "level": "error", "message": { "text": error.to_string() } })
}

fn result(finding: &Finding, source: &Source, rules: &[&str]) -> Value {
    let related: Vec<Value> = finding
        .related
        .iter()
        .enumerate()
        .map(|(index, related)| related_location(index, related, source))
        .collect();
    let mut result = json!({
        "ruleId": finding.rule,
        "ruleIndex": rules.iter().position(|rule| *rule == finding.rule),
        "level": level(finding.severity),
        "message": { "text": finding.message },
        "locations": [{ "physicalLocation": location(finding.span, source) }],
        "relatedLocations": related,
        "properties": { "numbers": json::numbers(&finding.numbers) },
    });
    if let Some(witness) = &finding.witness {
        result["properties"]["witness"] = json::witness(witness);
    }
    // An empty list of fixes is not valid: the schema wants at least one.
    if !finding.remedies.is_empty() {
        let fixes: Vec<Value> = finding
            .remedies
            .iter()
            .map(|remedy| fix(remedy, source))
            .collect();
        result["fixes"] = Value::from(fixes);
    }
    result
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information => "note",
    }
}

fn related_location(index: usize, related: &Related, source: &Source) -> Value {
    json!({
        "id": index,
        "message": { "text": related.message },
        "physicalLocation": location(related.span, source),
    })
}

fn fix(remedy: &Remedy, source: &Source) -> Value {
    let replacement = |edit: &Edit| {
        json!({
            "deletedRegion": region(edit.span, source),
            "insertedContent": { "text": edit.new_text },
        })
    };
    json!({
        "description": { "text": remedy.title },
        "artifactChanges": [{
            "artifactLocation": { "uri": uri(&source.path) },
            "replacements": remedy.edits.iter().map(replacement).collect::<Vec<_>>(),
        }],
    })
}

fn location(span: Span, source: &Source) -> Value {
    json!({
        "artifactLocation": { "uri": uri(&source.path) },
        "region": region(span, source),
    })
}

fn region(span: Span, source: &Source) -> Value {
    let (start, end) = (source.lines.place(span.start), source.lines.place(span.end));
    json!({
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    })
}

/// A path as a URI reference: relative paths stay relative, absolute ones get the `file` scheme.
fn uri(path: &Path) -> String {
    let mut out = String::new();
    if path.is_absolute() {
        out.push_str("file://");
    }
    let text = path.to_string_lossy();
    for byte in text.strip_prefix("./").unwrap_or(&text).bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            b'\\' if cfg!(windows) => out.push('/'),
            other => {
                let _ = write!(out, "%{other:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uri_references() {
        assert_eq!(uri(Path::new("./a b/ü.cu")), "a%20b/%C3%BC.cu");
        assert_eq!(uri(Path::new("/tmp/a.cu")), "file:///tmp/a.cu");
    }
}
