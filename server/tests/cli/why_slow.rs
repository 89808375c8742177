//! `why-slow`: what answers take, by kind.

use serde_json::Value;

use crate::ask::ask;

const HEADER: &str = "#pragma once
using namespace cute;
template <int N> auto kernel() { auto lines = make_layout(make_shape(Int<N>{}, _4{})); return lines; }
";

/// The cost of a question: the number of actions of a kind, in all.
fn count(row: &Value, kind: &str) -> u64 {
    let done = row["done"].as_array().unwrap();
    let of_kind = done.iter().find(|one| one["kind"] == kind);
    of_kind.map_or(0, |one| one["count"].as_u64().unwrap())
}

fn rows(path: &str) -> Vec<Value> {
    let answer = ask(&["why-slow", path, "--format", "json"]).ends_with(0);
    let lines = answer.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn of_a_header_with_users_what_is_shown_first_takes_a_part_of_all() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("cute-analyzer.toml"), "").unwrap();
    let header = folder.path().join("tile.h");
    std::fs::write(&header, HEADER).unwrap();
    for unit in 1..=12 {
        let text =
            format!("#include \"tile.h\"\nvoid run() {{ kernel<{unit}>(); }}\nvoid more() {{}}\n");
        std::fs::write(folder.path().join(format!("{unit:02}.cu")), text).unwrap();
    }
    let rows = rows(header.to_str().unwrap());
    let questions: Vec<&str> = rows
        .iter()
        .filter_map(|row| row["question"].as_str())
        .collect();
    assert_eq!(
        questions,
        [
            "opened, what is shown first",
            "opened, all",
            "a key in a comment or in white space",
            "a key in a function, what is shown first"
        ]
    );
    let instances = |row: usize| count(&rows[row], "function instances");
    let units = |row: usize| count(&rows[row], "units that were evaluated");
    assert_eq!((units(0), units(1), units(2), units(3)), (2, 13, 0, 2));
    // `run` and the kernel, of each unit or of one; `more` leads to neither.
    assert_eq!((instances(1), instances(2), instances(3)), (24, 0, 2));
    assert_eq!(rows[3]["functions"].as_array().unwrap().len(), 2);
    assert!(
        rows.iter()
            .all(|row| row["milliseconds"].as_f64().unwrap() > 0.0)
    );
}

#[test]
fn a_source_alone_is_said_in_text() {
    let answer = ask(&["why-slow", "examples/tiled_gemm.cu"])
        .ends_with(0)
        .stdout;
    assert!(answer.starts_with("opened, all: "), "{answer}");
    assert!(answer.contains(" function instances  "), "{answer}");
    assert!(
        answer.contains("a key in a comment or in white space: "),
        "{answer}"
    );
    ask(&["why-slow", "examples/none.cu"]).ends_with(2);
}
