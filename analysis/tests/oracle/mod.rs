//! Findings against CuTe: the golden expressions as programs, each with what the compiler said to it.

#![allow(clippy::panic)] // A test fails so.

use cute_analysis::{Finding, Number, Options, Severity};
use serde_json::Value;

use crate::support::analysed;

/// A golden expression in a program. `D(8)` is the golden files' spelling of a run-time 8.
fn program(expression: &str) -> String {
    let expression = expression.replace("D(", "(");
    format!("using namespace cute;\nvoid f() {{ auto r = {expression}; }}\n")
}

/// The rows that have an expression.
fn rows() -> Vec<Value> {
    let mut rows = Vec::new();
    for file in ["algebra-open.jsonl", "algebra-more.jsonl"] {
        let path = format!("{}/../tests/golden/{file}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let parsed = text.lines().map(|line| {
            serde_json::from_str::<Value>(line).unwrap_or_else(|error| panic!("{line}: {error}"))
        });
        rows.extend(parsed.filter(|row| row["expr"].is_string()));
    }
    assert!(rows.len() > 900, "{}", rows.len());
    rows
}

fn found(expression: &str) -> Vec<Finding> {
    let options = Options {
        remedies: false,
        ..Options::default()
    };
    analysed(&program(expression), &options).findings
}

/// The rule of a text of CuTe's, where it has one.
fn rule_of(text: &str) -> Option<&'static str> {
    let rules = [
        ("Stride Divisibility Condition", "stride-divisibility"),
        ("Shape Divisibility Condition", "shape-divisibility"),
        ("Non-injective Layout detected", "not-injective"),
        ("Dynamic-stride complement", "needs-static-strides"),
        (
            "Left inverse requires static strides",
            "needs-static-strides",
        ),
        (
            "Downcast requires adjacent elements",
            "downcast-not-adjacent",
        ),
        ("Mismatched ranks", "rank-mismatch"),
        (": Divisibility Condition", "not-divisible"),
    ];
    let known = rules.into_iter().find(|(part, _)| text.contains(part));
    known.map(|(_, rule)| rule)
}

#[test]
fn what_the_compiler_refuses_is_found_with_its_rule() {
    let mut missed = Vec::new();
    let mut asked = 0;
    for row in rows() {
        let (Some(error), Some(expression)) = (row["error"].as_str(), row["expr"].as_str()) else {
            continue;
        };
        // A trap at run time is not an error of the compiler.
        let Some(rule) = rule_of(error) else {
            continue;
        };
        asked += 1;
        let found = found(expression);
        let is_found = found
            .iter()
            .any(|finding| finding.rule == rule && finding.severity == Severity::Error);
        if !is_found {
            let rules: Vec<&str> = found.iter().map(|finding| finding.rule).collect();
            missed.push(format!("{error}: {expression}: {rules:?}"));
        }
    }
    println!("{} of {asked} refusals found", asked - missed.len());
    assert!(asked > 100, "{asked}");
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn what_the_compiler_accepts_is_found_wrong_only_where_its_own_offsets_show_it() {
    let mut wrong = Vec::new();
    let mut accepted = 0;
    for row in rows() {
        let (Some(expression), true) = (row["expr"].as_str(), row["error"].is_null()) else {
            continue;
        };
        accepted += 1;
        for finding in found(expression) {
            if !is_shown(&finding, &row["offsets"]) {
                wrong.push(format!(
                    "{expression}: {}: {}",
                    finding.rule, finding.message
                ));
            }
        }
    }
    println!(
        "{} findings that offsets do not show in {accepted} accepted",
        wrong.len()
    );
    assert!(accepted > 800, "{accepted}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether the compiled program's own offsets show what a finding says: that it computes another
/// offset than the definition has, or more of them than there are elements.
fn is_shown(finding: &Finding, offsets: &Value) -> bool {
    let number = |wanted: &str| {
        let mut numbers = finding.numbers.iter();
        match numbers.find(|(name, _)| name == wanted) {
            Some((_, Number::Integer(value))) => Some(*value),
            _ => None,
        }
    };
    if finding.rule == "over-covers" {
        let count = offsets.as_array().map(Vec::len);
        return number("covered")
            .is_some_and(|covered| count.is_none_or(|count| i64::try_from(count) == Ok(covered)));
    }
    let (Some(coordinate), Some(expected), Some(got)) =
        (number("coordinate"), number("expected"), number("got"))
    else {
        return false;
    };
    let measured = usize::try_from(coordinate)
        .ok()
        .and_then(|at| offsets.get(at)?.as_i64());
    // Only the first offsets of a large layout were recorded.
    expected != got && measured.is_none_or(|measured| measured == got)
}
