//! `layouts`, `hints` and `hover`: what is known of a source.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::ask::{ask, root};

#[test]
fn the_layouts_of_the_example() {
    insta::assert_snapshot!(
        "layouts_example",
        ask(&["layouts", "examples/tiled_gemm.cu"])
            .ends_with(0)
            .stdout
    );
}

#[test]
fn the_hints_of_the_example() {
    insta::assert_snapshot!(
        "hints_example",
        ask(&["hints", "examples/tiled_gemm.cu"])
            .ends_with(0)
            .stdout
    );
}

#[test]
fn layouts_as_json_have_the_documented_keys() {
    let answer = ask(&["layouts", "examples/tiled_gemm.cu", "--format", "json"]).ends_with(0);
    let rows: Vec<Value> = answer
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let row = rows
        .iter()
        .find(|row| row["name"] == "smem_a" && row["role"] == "var")
        .unwrap();
    for key in [
        "file", "line", "column", "name", "role", "function", "kind", "value", "instance",
    ] {
        assert!(row.get(key).is_some(), "no {key}: {row}");
    }
    assert_eq!(row["file"], "examples/tiled_gemm.cu");
    assert_eq!((&row["line"], &row["column"]), (&87.into(), &8.into()));
    assert_eq!(row["function"], "multiply");
    assert_eq!(
        (&row["kind"], &row["value"]),
        (&"Layout".into(), &"(_128,_8):(_1,_128)".into())
    );
    for row in &rows {
        assert_eq!(
            row["kind"] == "Unknown",
            row.get("reason").is_some(),
            "{row}"
        );
    }
}

#[test]
fn assumed_sizes_take_the_place_of_names() {
    let source = "examples/tiled_gemm.cu";
    let stride = |arguments: &[&str]| {
        let stdout = ask(arguments).ends_with(0).stdout;
        stdout
            .lines()
            .find(|line| line.contains("stride_a"))
            .unwrap()
            .to_owned()
    };
    assert!(stride(&["layouts", source]).contains("(_1,ldA)"));
    assert!(stride(&["layouts", source, "--assume", "ldA=512"]).contains("(_1,512)"));
}

#[test]
fn a_hover_says_what_a_name_stands_for() {
    let hover = |line: usize, column: usize| {
        ask(&["hover", &format!("examples/tiled_gemm.cu:{line}:{column}")])
    };
    insta::assert_snapshot!("hover_smem_a", hover(87, 8).ends_with(0).stdout);
    insta::assert_snapshot!("hover_smem_b", hover(89, 8).ends_with(0).stdout);
    insta::assert_snapshot!("hover_swizzled", hover(107, 8).ends_with(0).stdout);
    // Inside a comment nothing is known.
    hover(1, 1).ends_with(1);
}

#[test]
fn a_hover_shows_the_finding_on_its_place() {
    let answer = ask(&["hover", "examples/wrong.cu:32:12"]).ends_with(0);
    insta::assert_snapshot!("hover_wrong_composition", answer.stdout);
}

#[test]
fn no_hover_is_longer_than_a_first_screen() {
    for file in ["examples/tiled_gemm.cu", "examples/wrong.cu"] {
        let source = fs::read_to_string(root().join(file)).unwrap();
        for (line, text) in source.lines().enumerate() {
            for (column, _) in text
                .char_indices()
                .filter(|(_, c)| c.is_alphabetic())
                .step_by(9)
            {
                let answer = ask(&["hover", &format!("{file}:{}:{}", line + 1, column + 1)]);
                let shown = answer.stdout.lines().count();
                assert!(
                    shown <= 12,
                    "{file}:{}:{}:\n{}",
                    line + 1,
                    column + 1,
                    answer.stdout
                );
            }
        }
    }
}

/// The CUTLASS sources: `CUTE_CUTLASS`, or where `cargo xtask fetch` puts them.
fn cutlass() -> PathBuf {
    let folder = std::env::var_os("CUTE_CUTLASS")
        .map_or_else(|| root().join("target/oracles/cutlass"), PathBuf::from);
    assert!(
        folder.is_dir(),
        "CUTLASS is not at {}: run `cargo xtask fetch`, or set CUTE_CUTLASS to its folder",
        folder.display()
    );
    folder
}

/// Every static host-side layout of the first tutorial, as CuTe itself printed it.
#[test]
fn the_static_layouts_of_sgemm_1_are_hinted_as_cute_prints_them() {
    let source = cutlass().join("examples/cute/tutorial/sgemm_1.cu");
    let golden = fs::read_to_string(root().join("tests/golden/tutorials-open.jsonl")).unwrap();
    let hints = ask(&["hints", source.to_str().unwrap()])
        .ends_with(0)
        .stdout;
    let mut compared = 0;
    for row in golden
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
    {
        let host = row["fn"] == "gemm_nt" || row["fn"] == "gemm_tn";
        let of_this_file = row["file"] == "examples/cute/tutorial/sgemm_1.cu";
        if !(of_this_file && host && row["kind"] == "Layout" && row["static"] == true) {
            continue;
        }
        let line = format!("{}:", row["line"]);
        let layout = row["layout"].as_str().unwrap();
        assert!(
            hints
                .lines()
                .any(|hint| hint.starts_with(&line) && hint.ends_with(&format!(" {layout}"))),
            "{} {layout} is missing in\n{hints}",
            row["name"]
        );
        compared += 1;
    }
    assert!(compared >= 6, "only {compared} rows were compared");
}
