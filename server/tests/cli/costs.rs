//! `budget` and `preconditions`, and what hovers say of costs.

use serde_json::Value;

use crate::ask::ask;

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
        (88, "bytes"),
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
