//! `check`: findings as text, as JSON lines, as SARIF.

use serde_json::Value;

use crate::ask::ask;

#[test]
fn the_examples_are_reported_as_a_person_reads_them() {
    let answer = ask(&["check", "examples"]).ends_with(1);
    insta::assert_snapshot!("check_examples", answer.stdout);
}

#[test]
fn each_mistake_of_the_examples_is_found_once() {
    let answer = ask(&["check", "examples"]).ends_with(1);
    let heads: Vec<&str> = answer
        .stdout
        .lines()
        .filter(|line| line.starts_with("examples/wrong.cu:"))
        .collect();
    let rules = [
        "error[stride-divisibility]",
        "error[not-a-composition]",
        "warning[over-covers]",
        "error[not-injective]",
        "error[swizzle-illegal]",
    ];
    assert_eq!(heads.len(), rules.len(), "{heads:#?}");
    for (head, rule) in heads.iter().zip(rules) {
        assert!(head.contains(rule), "{head}");
    }
    assert!(
        answer
            .stdout
            .contains("at coordinate 5 the result is 7, a(b(5)) is 8"),
        "{}",
        answer.stdout
    );
}

#[test]
fn correct_sources_have_no_findings() {
    let answer = ask(&["check", "examples/tiled_gemm.cu"]).ends_with(0);
    assert_eq!(answer.stdout, "0 errors, 0 warnings in 1 file\n");
}

#[test]
fn json_lines_have_the_documented_keys_and_no_others() {
    let answer = ask(&["check", "examples/wrong.cu", "--format", "json"]).ends_with(1);
    let rows: Vec<Value> = answer
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(rows.len(), 5);
    let place = ["file", "line", "column", "end_line", "end_column"];
    for row in &rows {
        let expected: Vec<&str> = place
            .into_iter()
            .chain(["rule", "severity", "message", "numbers"])
            .chain(row.get("witness").map(|_| "witness"))
            .chain(["related", "remedies"])
            .collect();
        assert_eq!(keys(row), expected);
        for related in row["related"].as_array().unwrap() {
            let expected: Vec<&str> = place.into_iter().chain(["message"]).collect();
            assert_eq!(keys(related), expected);
        }
        for remedy in row["remedies"].as_array().unwrap() {
            assert_eq!(keys(remedy), ["title", "edits"]);
            for edit in remedy["edits"].as_array().unwrap() {
                let expected: Vec<&str> = place.into_iter().chain(["new_text"]).collect();
                assert_eq!(keys(edit), expected);
            }
        }
    }
    let wrong = rows
        .iter()
        .find(|row| row["rule"] == "not-a-composition")
        .unwrap();
    assert_eq!(
        wrong["witness"],
        serde_json::json!({"coordinate": 5, "expected": 8, "got": 7, "outside_domain": false})
    );
}

fn keys(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

#[test]
fn ranges_start_at_1_and_end_exclusively() {
    let answer = ask(&["check", "examples/wrong.cu", "--format", "json"]).ends_with(1);
    let source = std::fs::read_to_string(crate::ask::root().join("examples/wrong.cu")).unwrap();
    let lines: Vec<&str> = source.lines().collect();
    for line in answer.stdout.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let at = |key: &str| usize::try_from(row[key].as_u64().unwrap()).unwrap();
        assert_eq!(at("line"), at("end_line"));
        let characters: Vec<char> = lines[at("line") - 1].chars().collect();
        let marked: String = characters[at("column") - 1..at("end_column") - 1]
            .iter()
            .collect();
        assert!(
            marked.starts_with(|c: char| c.is_alphabetic()) && marked.ends_with([')', '}', '>']),
            "`{marked}`"
        );
    }
}

#[test]
fn a_sarif_log_names_rules_places_and_fixes() {
    let answer = ask(&[
        "check",
        "examples/wrong.cu",
        "no/such/file.cu",
        "--format",
        "sarif",
    ])
    .ends_with(2);
    let log: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 5);
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        let location = &result["locations"][0]["physicalLocation"];
        assert_eq!(location["artifactLocation"]["uri"], "examples/wrong.cu");
        assert!(location["region"]["startLine"].as_u64().unwrap() > 0);
        if let Some(fixes) = result.get("fixes") {
            assert!(!fixes.as_array().unwrap().is_empty());
        }
    }
    assert!(
        results.iter().all(|result| result.get("fixes").is_some()),
        "{results:#?}"
    );
}

#[test]
fn colours_are_for_terminals_or_on_demand() {
    let plain = ask(&["check", "examples/wrong.cu"]).ends_with(1);
    assert!(!plain.stdout.contains('\u{1b}'));
    let coloured = ask(&["check", "examples/wrong.cu", "--color", "always"]).ends_with(1);
    assert!(coloured.stdout.contains("\u{1b}["));
}

#[test]
fn a_rule_can_be_silenced_in_place() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("guarded.cu");
    let source = "void f() {\n\
        auto matrix = make_layout(make_shape(Int<10>{}, Int<8>{}));\n\
        // cute: allow(over-covers)\n\
        auto tiles = logical_divide(matrix, make_tile(Int<4>{}, Int<5>{}));\n}\n";
    std::fs::write(&path, source).unwrap();
    let answer = ask(&["check", path.to_str().unwrap()]).ends_with(0);
    assert!(
        answer.stdout.starts_with("0 errors, 0 warnings"),
        "{}",
        answer.stdout
    );
}

#[test]
fn a_project_file_says_what_becomes_of_findings() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("over.cu");
    let text = "#include <cute/layout.hpp>\nusing namespace cute;\n\
                auto t = logical_divide(Layout<_10>{}, Int<4>{});\n";
    std::fs::write(&source, text).unwrap();
    let check = || {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_cute-analyzer"));
        let command = command
            .args(["check", "over.cu"])
            .current_dir(folder.path());
        let answer = command.output().unwrap();
        (
            answer.status.code(),
            String::from_utf8(answer.stdout).unwrap(),
        )
    };
    let (code, report) = check();
    assert_eq!(code, Some(0));
    assert!(report.contains("warning[over-covers]"), "{report}");
    let file = folder.path().join("cute-analyzer.toml");
    std::fs::write(&file, "[rules]\nover-covers = 'error'\n").unwrap();
    let (code, report) = check();
    assert_eq!(code, Some(1), "{report}");
    std::fs::write(&file, "[rules]\nover-covers = 'off'\n").unwrap();
    let (code, report) = check();
    assert_eq!(code, Some(0));
    assert!(!report.contains("over-covers"), "{report}");
    std::fs::write(&file, "rules = 3\n").unwrap();
    assert_eq!(check().0, Some(2));
}

/// A finding that is reported only because a project wants it has remedies like the rest.
#[test]
fn what_a_project_file_raises_is_remedied() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("boxes.cu");
    let text = "#include <cute/tensor.hpp>\nusing namespace cute;\nvoid f(half_t* p) {\n  \
         using Smem = decltype(tile_to_shape(GMMA::Layout_MN_SW128_Atom<half_t>{}, Shape<_128, _64>{}, Step<_1, _2>{}));\n  \
         auto gmem = make_tensor(make_gmem_ptr(p), make_shape(512, 1024), make_stride(Int<1>{}, 512));\n  \
         auto tma = make_tma_copy(SM90_TMA_LOAD{}, gmem, Smem{}, Shape<_128, _64>{}, _1{});\n}\n";
    std::fs::write(&source, text).unwrap();
    let check = |more: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_cute-analyzer"));
        let command = command.args(["check", "boxes.cu"]).args(more);
        let answer = command.current_dir(folder.path()).output().unwrap();
        String::from_utf8(answer.stdout).unwrap()
    };
    let remedy = "Lay the atoms out in the order Step<_2,_1>{}";
    assert!(!check(&[]).contains("tma-box-small"), "{}", check(&[]));
    assert!(check(&["--all"]).contains(remedy), "{}", check(&["--all"]));
    let file = folder.path().join("cute-analyzer.toml");
    std::fs::write(&file, "[rules]\ntma-box-small = 'warning'\n").unwrap();
    let report = check(&[]);
    assert!(report.contains("warning[tma-box-small]"), "{report}");
    assert!(report.contains(remedy), "{report}");
}
