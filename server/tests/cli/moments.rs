//! The lines of CUTLASS's own sources for which what is shown was worked out by hand, or printed by
//! the compiled program: layouts, instructions, bytes, masks, budgets.

use std::fs;
use std::path::Path;

use cute_tests::oracles::cutlass;
use serde_json::Value;

use super::ask::ask;

const HOPPER: &str = "examples/cute/tutorial/hopper/wgmma_tma_sm90.cu";
const PAIR: &str = "examples/cute/tutorial/blackwell/04_mma_tma_2sm_sm100.cu";
const COLLECTIVE: &str =
    "examples/48_hopper_warp_specialized_gemm/48_hopper_warp_specialized_gemm.cu";

/// The hover at the first occurrence of a word in a line, below the line itself.
fn hover(file: &Path, line: usize, word: &str) -> String {
    let text = fs::read_to_string(file).unwrap();
    let written = text.lines().nth(line - 1).unwrap();
    let column = written.find(word).expect(word) + 1;
    let place = format!("{}:{line}:{column}", file.display());
    let shown = ask(&["hover", &place]).ends_with(0).stdout;
    format!("==== {line}: {}\n{shown}\n", written.trim())
}

/// The output of a command for a file of CUTLASS, without the folder that it is in.
fn printed(command: &str, file: &str) -> String {
    let root = cutlass();
    let path = root.join(file).display().to_string();
    let shown = ask(&[command, &path]).ends_with(0).stdout;
    shown.replace(&format!("{}/", root.display()), "")
}

#[test]
fn lines_of_the_hopper_tutorial() {
    let file = cutlass().join(HOPPER);
    let mut shown = String::new();
    for (line, word) in [
        (135, "tma_transaction_bytes"),
        (174, "arrive_and_expect_tx"),
        (175, "copy"),
        (198, "tCrC"),
        (229, "gemm"),
        (292, "sA"),
        (312, "smem_size"),
        (376, "sA"),
    ] {
        shown += &hover(&file, line, word);
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn the_budget_of_the_hopper_tutorial() {
    insta::assert_snapshot!(printed("budget", HOPPER));
}

#[test]
fn lines_of_the_tutorial_for_pairs_of_ctas() {
    let file = cutlass().join(PAIR);
    let mut shown = String::new();
    for (line, word) in [
        (295, "tma_mcast_mask_a"),
        (297, "tma_mcast_mask_b"),
        (299, "mma_mcast_mask_c"),
        (303, "tma_transaction_bytes"),
        (347, "set_barrier_transaction_bytes"),
    ] {
        shown += &hover(&file, line, word);
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn what_a_collective_builder_picked() {
    let file = cutlass().join(COLLECTIVE);
    let shown = hover(&file, 125, "CollectiveMainloop") + &printed("summary", COLLECTIVE);
    insta::assert_snapshot!(shown);
}

/// The findings of `check` in a file, and the file with the first remedy of every finding of one rule.
fn with_remedies(file: &Path, rule: &str) -> (Vec<String>, String) {
    let answer = ask(&[
        "check",
        "--all",
        "--format",
        "json",
        &file.display().to_string(),
    ]);
    let mut text: Vec<String> = fs::read_to_string(file)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect();
    let mut found = Vec::new();
    for row in answer.stdout.lines() {
        let row: Value = serde_json::from_str(row).unwrap();
        if row["rule"] != rule {
            continue;
        }
        let remedy = &row["remedies"][0];
        found.push(format!(
            "{}: {}\n  {}",
            row["line"],
            row["message"].as_str().unwrap(),
            remedy["title"].as_str().unwrap()
        ));
        for edit in remedy["edits"].as_array().unwrap() {
            let at = |key: &str| usize::try_from(edit[key].as_u64().unwrap()).unwrap();
            assert_eq!(at("line"), at("end_line"));
            let line = &mut text[at("line") - 1];
            line.replace_range(
                at("column") - 1..at("end_column") - 1,
                edit["new_text"].as_str().unwrap(),
            );
        }
    }
    (found, text.join("\n"))
}

#[test]
fn another_order_of_atoms_needs_two_boxes_instead_of_sixteen() {
    let (mut found, text) = with_remedies(&cutlass().join(HOPPER), "tma-box-small");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ordered.cu");
    fs::write(&file, text).unwrap();
    found.push(hover(&file, 292, "sA"));
    found.push(hover(&file, 293, "sB"));
    let (left, _) = with_remedies(&file, "tma-box-small");
    assert_eq!(left, Vec::<String>::new());
    insta::assert_snapshot!(found.join("\n"));
}
