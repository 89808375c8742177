//! The recorded answers of real CuTe C++ 4.2 and of pycute: text, offsets, size and verdict must be equal.
//!
//! Rows that the definition overrules are in `tests/golden/algebra-overruled.jsonl` with their class and the reason;
//! each must still differ in the way it says, so that none is skipped in silence.

use cute_algebra::{AnyLayout, Delta, Parse, Reading, Verdict};
use cute_analysis::ask::{Answer, Value, ask};
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

/// The difference between our answer and a recorded C++ row, or nothing.
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

/// The rows that the definition overrules, by the file that lists them.
fn overruled() -> BTreeMap<(String, Vec<String>), String> {
    rows("algebra-overruled.jsonl")
        .iter()
        .map(|row| {
            let key = (
                row["op"].as_str().unwrap().to_owned(),
                texts(row, "args_raw"),
            );
            (key, row["class"].as_str().unwrap().to_owned())
        })
        .collect()
}

fn check_cpp_rows(file: &str) {
    let overruled = overruled();
    let mut failures = Vec::new();
    for row in rows(file) {
        if !row["source"].as_str().unwrap().starts_with("cute-c++") {
            continue;
        }
        let key = (
            row["op"].as_str().unwrap().to_owned(),
            texts(&row, "args_raw"),
        );
        let wanted = overruled.get(&key);
        match (difference(&row), wanted.map(String::as_str)) {
            (None, None) => {}
            (Some(text), Some("negative-stride")) if text.contains("negative stride") => {}
            (text, class) => failures.push(format!("{key:?}: {text:?}, overruled as {class:?}")),
        }
    }
    assert!(
        failures.is_empty(),
        "{} rows differ:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

#[test]
fn every_recorded_cpp_row_is_answered_alike() {
    check_cpp_rows("algebra-open.jsonl");
}

#[test]
fn random_cpp_rows_are_answered_alike() {
    // Made with the same headers and compiler from random operands of every operation.
    check_cpp_rows("algebra-more.jsonl");
}

/// The plain text of an answer, or its verdict as the generator recorded it.
fn plain(answer: &Answer) -> String {
    match &answer.result {
        Ok(value) => format!("{value:#}"),
        Err(_) => recorded_error(answer.judgement.cute),
    }
}

#[test]
fn where_cpp_and_pycute_disagree_the_answer_is_that_of_cpp() {
    let mut failures = Vec::new();
    for row in rows("disagreements.jsonl") {
        let args = texts(&row, "args_raw");
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let ours = plain(&ask(row["op"].as_str().unwrap(), &args, Reading::Cute));
        let cpp = row["cpp"].as_str().unwrap();
        if ours != cpp && !(ours == "compile error" && cpp.starts_with("compile error")) {
            failures.push(format!("{} {args:?}: {ours}, recorded {cpp}", row["op"]));
        }
    }
    assert!(
        failures.is_empty(),
        "{} rows differ:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// The relation of our answer to a recorded pycute row.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Agreement {
    SameFunction,
    BothRefuse,
    /// The definition agrees with us: our result is proved or compared everywhere, or CuTe's own check refuses.
    OnlyPycuteRefuses,
    OnlyCuteRefuses,
    OurWitness,
    Differs,
}

fn agreement(row: &Json) -> Agreement {
    let args = texts(row, "args");
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let answer = ask(row["op"].as_str().unwrap(), &args, Reading::Plain);
    let recorded = row["result"].as_str();
    match (&answer.result, recorded) {
        (Err(_), None) => Agreement::BothRefuse,
        (Ok(_), None) => Agreement::OnlyPycuteRefuses,
        (Err(_), Some(_)) => Agreement::OnlyCuteRefuses,
        (Ok(_), Some(recorded)) => {
            if answer.text().as_deref() == Some(recorded) {
                return Agreement::SameFunction;
            }
            let Ok(theirs) = AnyLayout::parse(recorded, Reading::Plain) else {
                return Agreement::Differs;
            };
            let Some(ours) = layout_of(&answer) else {
                return Agreement::Differs;
            };
            if answer.judgement.witness.is_some() {
                return Agreement::OurWitness;
            }
            let size = |l: &AnyLayout| l.size().ok().and_then(|s| s.value()).unwrap_or(-1);
            let same = size(ours) == size(&theirs)
                && offsets(ours, usize::try_from(size(ours)).unwrap())
                    == offsets(&theirs, usize::try_from(size(ours)).unwrap());
            if same {
                Agreement::SameFunction
            } else {
                Agreement::Differs
            }
        }
    }
}

#[test]
fn pycute_rows_agree_or_are_overruled_with_a_reason() {
    let classes: BTreeMap<(String, Vec<String>), String> = rows("pycute-overruled.jsonl")
        .iter()
        .map(|row| {
            (
                (row["op"].as_str().unwrap().to_owned(), texts(row, "args")),
                row["class"].as_str().unwrap().to_owned(),
            )
        })
        .collect();
    let mut failures = Vec::new();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for row in rows("algebra-open.jsonl") {
        if !row["source"].as_str().unwrap().starts_with("pycute") {
            continue;
        }
        let agreement = agreement(&row);
        *counts.entry(format!("{agreement:?}")).or_default() += 1;
        let listed =
            classes.contains_key(&(row["op"].as_str().unwrap().to_owned(), texts(&row, "args")));
        if listed
            != matches!(
                agreement,
                Agreement::Differs | Agreement::OnlyCuteRefuses | Agreement::OurWitness
            )
        {
            failures.push(format!(
                "{{\"op\":{},\"args\":{},\"class\":\"{agreement:?}\",\"recorded\":{}}}",
                row["op"], row["args"], row["result"]
            ));
        }
    }
    assert!(
        failures.is_empty(),
        "{counts:?}, {} rows differ:\n{}",
        failures.len(),
        failures.join("\n")
    );
}
