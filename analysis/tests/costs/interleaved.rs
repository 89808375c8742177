//! Barriers in all orders of the threads.

use super::protocol::{found, silent};
use super::{costs_of, tutorial};

const PASS: &str = include_str!("pingpong.cu");

/// The first lines of what is said.
fn first(changes: &[(&str, &str)]) -> Vec<String> {
    let said = found(PASS, changes).into_iter();
    said.map(|said| said.lines().next().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn threads_that_wait_for_each_other_are_found_with_their_steps() {
    let late = ("int phase = 1;", "int phase = 0;");
    let said = found(PASS, &[late]);
    assert_eq!(said.len(), 1, "{said:?}");
    let lines: Vec<&str> = said[0].lines().collect();
    assert_eq!(
        lines[0],
        "barrier-order: thread 0 waits for phase 0, which never completes"
    );
    assert!(
        lines.last().unwrap().starts_with("with 7 tiles, "),
        "{said:?}"
    );
    // The consumer begins one phase early.
    assert_eq!(
        first(&[(
            "      arrive_barrier(empty);\n",
            "      if (k > 0) arrive_barrier(empty);\n"
        )])
        .len(),
        1
    );
}

#[test]
fn what_is_not_followed_is_silent() {
    let late = ("int phase = 1;", "int phase = 0;");
    silent(
        PASS,
        &[
            &[
                late,
                (
                    "      arrive_barrier(full);\n",
                    "      arrive_barrier(full);\n      settle();\n",
                ),
            ],
            &[
                late,
                ("if (threadIdx.x < 32)", "if (takes_part(threadIdx.x))"),
            ],
            &[late, ("<<<1, 64>>>", "<<<1, threads>>>")],
            &[
                late,
                (
                    "      wait_barrier(empty, phase);\n",
                    "      while (!try_wait_barrier(empty, phase)) {}\n",
                ),
            ],
        ],
    );
}

/// CUTLASS 4.2 copies tiles behind the last one, for which nothing waits: version 4.7 no longer does.
#[test]
fn copies_that_nobody_waits_for_are_found_in_the_tutorial() {
    let analysis = costs_of(&tutorial("hopper/wgmma_tma_sm90.cu"));
    let said = analysis
        .findings
        .iter()
        .filter(|it| it.rule == "barrier-order");
    let mut first: Vec<&str> = said
        .map(|it| it.message.lines().next().unwrap_or_default())
        .collect();
    first.dedup();
    assert_eq!(
        first,
        ["a bulk copy is under way when the last thread ends"]
    );
}
