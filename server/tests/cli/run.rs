//! `run`: a layout's address program against the algebra.

use serde_json::Value;

use crate::ask::ask;

#[test]
fn every_offset_is_computed_and_compared_on_the_processor() {
    let answer = ask(&["run", "(8,(4,2)):(4,(1,32))", "--device", "auto"]).ends_with(0);
    assert_eq!(
        answer.stdout.lines().last(),
        Some("64 of 64 offsets compared (all): each is the algebra's")
    );
    assert!(
        answer.stdout.contains("no CUDA executor"),
        "{}",
        answer.stdout
    );
}

#[test]
fn a_huge_layout_is_sampled_and_says_so() {
    let layout = "(1048576,1048576):(1,1048576)";
    let answer = ask(&["run", layout, "--format", "json"]).ends_with(0);
    let answer: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(answer["exhaustive"], false);
    assert_eq!(answer["agrees"], true);
    assert_eq!(answer["size"], 1_i64 << 40);
}

#[test]
fn what_cannot_be_run_is_refused_with_the_reason() {
    let cuda = ask(&["run", "8:1", "--device", "cuda"]).ends_with(1);
    assert!(cuda.stderr.contains("CUDA"), "{}", cuda.stderr);
    let symbolic = ask(&["run", "(M,4):(4,1)"]).ends_with(1);
    assert!(
        symbolic.stderr.contains("not-provable"),
        "{}",
        symbolic.stderr
    );
    ask(&["run", "(8,"]).ends_with(2);
}
