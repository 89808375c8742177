//! The recorded answers of real CuTe C++ 4.2 and of pycute: text, offsets, size and verdict must be equal.
//!
//! Rows that the definition overrules stand in `tests/golden/algebra-overruled.jsonl` with their class and the reason; each
//! must still differ in the way it says, so that none is skipped in silence.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may panic"
)]

use cute_algebra::ask::{Answer, Value, ask};
use cute_algebra::{AnyLayout, Delta, Parse, Reading, Verdict};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/golden")
        .join(name)
}

fn rows(name: &str) -> Vec<Json> {
    let text = fs::read_to_string(golden(name)).expect("the golden file is there");
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).expect(line))
        .collect()
}

fn texts(row: &Json, key: &str) -> Vec<String> {
    row[key]
        .as_array()
        .map(|a| a.iter().map(|t| t.as_str().unwrap().to_owned()).collect())
        .unwrap_or_default()
}

/// The verdict as the generator recorded it.
fn recorded_error(verdict: Verdict) -> String {
    match verdict {
        Verdict::Accepts => "accepted".to_owned(),
        Verdict::StaticAssert(text) => format!("static_assert: {text}"),
        Verdict::CompileError(_) => "compile error".to_owned(),
        Verdict::Traps => "runtime crash/assert".to_owned(),
    }
}

fn layout_of(answer: &Answer) -> Option<&AnyLayout> {
    match answer.result.as_ref().ok()? {
        Value::Layout(layout) => Some(layout),
        _ => None,
    }
}

/// CuTe prints a lone basis as `3@0`; it is the point `(3)`.
fn as_point(recorded: &Json) -> Json {
    match recorded
        .as_str()
        .map(|text| Delta::parse(text, Reading::Cute))
    {
        Some(Ok(delta @ Delta::Basis(_))) => Json::from(format!("{:#}", delta.to_point().unwrap())),
        _ => recorded.clone(),
    }
}

fn offsets(layout: &AnyLayout, count: usize) -> Vec<Json> {
    (0..count)
        .map(|i| match layout.eval(i64::try_from(i).unwrap()) {
            Ok(offset) => match offset.as_leaf().and_then(cute_algebra::Int::value) {
                Some(number) => Json::from(number),
                None => Json::from(format!("{:#}", offset.map(cute_algebra::Int::to_dynamic))),
            },
            Err(refusal) => Json::from(refusal.to_string()),
        })
        .collect()
}

/// What is wrong with our answer to a recorded C++ row, or nothing.
fn difference(row: &Json) -> Option<String> {
    let op = row["op"].as_str().unwrap();
    let args = texts(row, "args_raw");
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    if op == "basis_expr" {
        // Its operand is a C++ expression, which the grammar of another crate reads.
        return None;
    }
    let answer = ask(op, &args, Reading::Cute);
    if let Some(error) = row["error"].as_str() {
        let ours = recorded_error(answer.judgement.cute);
        let same = if ours == "compile error" {
            error.starts_with("compile error")
        } else {
            ours == error
        };
        return (!same).then(|| format!("verdict {ours:?}, recorded {error:?}"));
    }
    let wanted = row["result_raw"].as_str().unwrap();
    let got = match (&answer.result, answer.text()) {
        (Ok(_), Some(text)) => text,
        (Err(refusal), _) => {
            return Some(format!(
                "refused: {refusal} [{}], recorded {wanted}",
                refusal.cute
            ));
        }
        _ => unreachable!("a result has a text"),
    };
    if got != wanted {
        return Some(format!("got {got}, recorded {wanted}"));
    }
    if answer.judgement.cute != Verdict::Accepts {
        return Some(format!(
            "verdict {}, recorded a result",
            answer.judgement.cute
        ));
    }
    let layout = layout_of(&answer)?;
    if let Some(size) = row["size"].as_i64()
        && layout.size().ok().and_then(|s| s.value()) != Some(size)
    {
        return Some(format!("size {:?}, recorded {size}", layout.size()));
    }
    if let Some(recorded) = row["offsets"].as_array() {
        let ours = offsets(layout, recorded.len());
        if ours != recorded.iter().map(as_point).collect::<Vec<_>>() {
            return Some(format!("offsets {ours:?}, recorded {recorded:?}"));
        }
    }
    if let Some(cosize) = row["cosize"].as_str() {
        let coshape = match layout {
            AnyLayout::Affine(layout) => {
                cute_algebra::ops::coshape(layout).map(|c| format!("{c:#}"))
            }
            AnyLayout::Composed(composed) => composed.inner.cosize().map(|c| format!("{c:#}")),
        };
        if coshape.as_deref() != Ok(cosize) {
            return Some(format!("cosize {coshape:?}, recorded {cosize}"));
        }
    }
    None
}

#[test]
fn every_recorded_cpp_row_is_answered_alike() {
    let mut failures = Vec::new();
    let mut by_op: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for row in rows("algebra-open.jsonl") {
        if !row["source"].as_str().unwrap().starts_with("cute-c++") {
            continue;
        }
        let entry = by_op
            .entry(row["op"].as_str().unwrap().to_owned())
            .or_default();
        entry.1 += 1;
        match difference(&row) {
            None => entry.0 += 1,
            Some(text) => failures.push(format!("{} {} : {text}", row["op"], row["args_raw"])),
        }
    }
    let failed: Vec<_> = by_op
        .iter()
        .filter(|(_, (good, all))| good != all)
        .collect();
    assert!(
        failures.is_empty(),
        "{} rows differ, {failed:?}:\n{}",
        failures.len(),
        failures.join("\n")
    );
}
