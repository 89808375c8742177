//! `budget` and `preconditions`, and what hovers say of costs.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use crate::ask::{ask, root};

const PIPELINE: &str = "examples/pipeline.cu";

#[test]
fn the_budget_of_a_pipeline() {
    insta::assert_snapshot!(ask(&["budget", PIPELINE]).ends_with(0).stdout);
}

#[test]
fn the_same_as_json() {
    let answer = ask(&["budget", PIPELINE, "--format", "json"]).ends_with(0);
    let rows: Vec<Value> = answer
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(rows.len(), 1);
    insta::assert_snapshot!(serde_json::to_string_pretty(&rows[0]).unwrap());
}

#[test]
fn another_architecture_has_other_limits() {
    let answer = ask(&["budget", PIPELINE, "--arch", "sm_100a"]).ends_with(0);
    assert!(answer.stdout.contains("on sm_100"), "{}", answer.stdout);
}

#[test]
fn what_a_pipeline_needs() {
    insta::assert_snapshot!(ask(&["preconditions", PIPELINE]).ends_with(0).stdout);
}

#[test]
fn nothing_is_wrong_with_the_pipeline() {
    let answer = ask(&["check", PIPELINE]).ends_with(0);
    assert_eq!(answer.stdout, "0 errors, 0 warnings in 1 file\n");
}

#[test]
fn hovers_say_what_lines_cost() {
    let mut shown = String::new();
    for (line, word) in [
        (22, "multiply"),
        (57, "arrive_and_expect_tx"),
        (58, "copy"),
        (63, "gemm"),
        (89, "bytes"),
    ] {
        let text = std::fs::read_to_string(crate::ask::root().join(PIPELINE)).unwrap();
        let written = text.lines().nth(line - 1).unwrap();
        let column = written.find(word).expect(word) + 1;
        let place = format!("{PIPELINE}:{line}:{column}");
        let hover = ask(&["hover", &place]).ends_with(0).stdout;
        shown.extend(["==== ", word, "\n", &hover, "\n"]);
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn all_that_is_known_of_a_kernel_is_its_path_and_its_budget() {
    let place = format!("{PIPELINE}:22:17");
    let shown = ask(&["hover", "--all", &place]).ends_with(0).stdout;
    insta::assert_snapshot!(shown);
}

/// A kernel with an instruction of `sm_90a`.
fn page(name: &str) -> String {
    let path = root().join("docs/rules").join(name);
    let text = fs::read_to_string(path).unwrap();
    let (_, code) = text.split_once("## Right\n").unwrap();
    let (_, code) = code.split_once("```cu\n").unwrap();
    code.split_once("```").unwrap().0.to_owned()
}

#[test]
fn an_instruction_that_the_build_does_not_have_is_said_and_nothing_else() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("product.cu");
    let path = path.to_str().unwrap();
    let right = page("instruction-not-available.md");
    let said = |text: &str, arch: &[&str]| {
        fs::write(path, text).unwrap();
        let arguments = [&["check", path], arch].concat();
        let answer = ask(&arguments);
        answer.stdout.matches("instruction-not-available").count() > 0
    };
    for arch in ["sm_90", "sm_100a", "sm_120f", "sm_80"] {
        assert!(said(&right, &["--arch", arch]), "{arch}");
    }
    // The architecture that has it, and a build that names none.
    assert!(!said(&right, &["--arch", "sm_90a"]));
    assert!(!said(&right, &[]));
    // What the preprocessor leaves out.
    let guarded = right.replace(
        "  gemm(mma, rA, rB, rC);",
        "#if defined(__CUDA_ARCH_FEAT_SM90_ALL)\n  gemm(mma, rA, rB, rC);\n#endif",
    );
    assert_ne!(guarded, right);
    assert!(!said(&guarded, &["--arch", "sm_100a"]));
}
