//! `eval --stdin` against what CuTe itself answers: the rows of `tests/golden`.

use std::fs;

use serde_json::{Map, Value, json};

use crate::ask::{ask_with, root};

fn rows(file: &str) -> Vec<Value> {
    let text = fs::read_to_string(root().join("tests/golden").join(file)).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The answers to these questions, in order.
fn answers(questions: &[Value]) -> Vec<Value> {
    let lines: Vec<String> = questions.iter().map(Value::to_string).collect();
    let answer = ask_with(&["eval", "--stdin"], lines.join("\n").as_bytes()).ends_with(0);
    let answers: Vec<Value> = answer
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.len(), questions.len());
    answers
}

/// Some keys of a row, as a question.
fn question(row: &Value, keys: &[&str]) -> Value {
    let pairs = keys
        .iter()
        .map(|key| ((*key).to_owned(), row[*key].clone()));
    Value::from(pairs.collect::<Map<String, Value>>())
}

/// Compares answers with what a row says, and counts.
#[track_caller]
fn compare(
    rows: &[Value],
    questions: &[Value],
    least: usize,
    agrees: impl Fn(&Value, &Value) -> bool,
) {
    let mut wrong = Vec::new();
    for ((row, question), answer) in rows.iter().zip(questions).zip(answers(questions)) {
        if !agrees(row, &answer) {
            wrong.push(format!("{question}\n  answered {answer}\n  expected {row}"));
        }
    }
    assert!(rows.len() >= least, "only {} rows", rows.len());
    assert!(
        wrong.is_empty(),
        "{} of {} differ:\n{}",
        wrong.len(),
        rows.len(),
        wrong.join("\n")
    );
}

#[test]
fn every_operation_answers_in_cutes_form() {
    let rows: Vec<Value> = rows("algebra-open.jsonl")
        .into_iter()
        .filter(|row| row["source"] == "cute-c++ 4.2" && row["op"] != "basis_expr")
        .collect();
    let questions: Vec<Value> = rows
        .iter()
        .map(|row| json!({ "op": row["op"], "args": row["args_raw"], "ints": "cute" }))
        .collect();
    compare(&rows, &questions, 900, |row, answer| {
        match row.get("error") {
            Some(_) => answer["cute"]["verdict"] != "accepts" && answer.get("cute").is_some(),
            None => answer["result"] == row["result_raw"],
        }
    });
}

#[test]
fn atoms_are_cutlass_own() {
    let rows = rows("atoms-open.jsonl");
    let questions: Vec<Value> = rows
        .iter()
        .map(|row| {
            let op = if row["kind"] == "mma" {
                "mma_atom"
            } else {
                "copy_atom"
            };
            json!({ "op": op, "name": row["name"] })
        })
        .collect();
    compare(&rows, &questions, 1_000, |row, answer| {
        let fields: &[&str] = if row["kind"] == "mma" {
            &["Shape_MNK", "ThrID", "ALayout", "BLayout", "CLayout"]
        } else {
            &["ThrID", "SrcLayout", "DstLayout", "RefLayout"]
        };
        fields
            .iter()
            .all(|name| row[*name].is_string() && answer["result"][*name] == row[*name])
    });
}

#[test]
fn shared_memory_atoms_and_their_selection_are_cutlass_own() {
    let atoms: Vec<Value> = rows("swizzle_atoms-open.jsonl")
        .into_iter()
        .filter(|row| row["op"] == "atom")
        .collect();
    let questions: Vec<Value> = atoms
        .iter()
        .map(|row| json!({ "op": "smem_atom", "name": row["name"] }))
        .collect();
    compare(&atoms, &questions, 30, |row, answer| {
        answer["result"]["layout"] == row["layout"]
            && answer["result"]["position_independent"] == row["position_independent"]
    });

    let selected: Vec<Value> = rows("selectors-open.jsonl")
        .into_iter()
        .filter(|row| row["op"] == "ss_smem_selector")
        .collect();
    let keys = ["op", "major", "T", "BLK_MN", "BLK_K"];
    let questions: Vec<Value> = selected.iter().map(|row| question(row, &keys)).collect();
    compare(&selected, &questions, 40, |row, answer| {
        match row.get("error") {
            Some(_) => answer.get("refused").is_some(),
            None => answer["result"]["layout"] == row["layout"],
        }
    });
}

#[test]
fn matrix_descriptors_are_cutes() {
    let rows: Vec<Value> = rows("gmma_desc-open.jsonl")
        .into_iter()
        .filter(|row| row.get("tensor").is_some())
        .collect();
    let keys = ["op", "major", "T", "tensor"];
    let questions: Vec<Value> = rows.iter().map(|row| question(row, &keys)).collect();
    let word = |value: &Value| {
        let digits = value
            .as_str()
            .unwrap_or_default()
            .trim_start_matches("0x")
            .trim_start_matches('x');
        u64::from_str_radix(digits, 16).ok()
    };
    compare(&rows, &questions, 60, |row, answer| {
        word(&row["desc_hex"]).is_some()
            && word(&row["desc_hex"]) == word(&answer["result"]["desc_hex"])
    });
}

#[test]
fn tensor_maps_are_cutes() {
    let rows: Vec<Value> = rows("tma-open.jsonl")
        .into_iter()
        .filter(|row| row["op"] == "make_tma_atom" && row.get("tma").is_some())
        .collect();
    let keys = ["op", "copy_op", "T", "gmem", "smem", "cta_tile", "cluster"];
    let questions: Vec<Value> = rows.iter().map(|row| question(row, &keys)).collect();
    compare(&rows, &questions, 20, |row, answer| {
        let map = row["tma"].as_object().unwrap();
        map.iter()
            .all(|(name, value)| answer["result"][name] == *value)
    });
}
