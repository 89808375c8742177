//! `infer`: from offsets to a layout.

use crate::ask::{ask, ask_with};

#[test]
fn a_table_becomes_a_layout() {
    let answer = ask(&["infer", "0", "8", "16", "24", "1", "9", "17", "25"]).ends_with(0);
    assert_eq!(answer.stdout, "(4,2):(8,1)\n");
    assert_eq!(
        ask(&["infer", "0", "-1", "-2"]).ends_with(0).stdout,
        "3:-1\n"
    );
}

#[test]
fn a_swizzle_is_recognised() {
    let offsets: Vec<String> = (0..64).map(|i| (i ^ (i >> 3)).to_string()).collect();
    let answer = ask(&["infer", &offsets.join(",")]).ends_with(0);
    assert_eq!(answer.stdout, "Sw<3,0,3> o 0 o 64:1\n");
}

#[test]
fn what_is_no_table_is_refused() {
    ask(&["infer", "0", "eight"]).ends_with(2);
    ask(&["infer"]).ends_with(2);
    ask(&["infer", ""]).ends_with(1);
}

#[test]
fn a_stream_of_tables() {
    let answer = ask_with(&["infer", "--stdin"], b"[0,1,2,3]\nzero\n\n0 2 4").ends_with(0);
    let lines: Vec<&str> = answer.stdout.lines().collect();
    assert_eq!(lines.len(), 4, "{}", answer.stdout);
    assert_eq!(lines[0], r#"{"result":"4:1","kind":"layout"}"#);
    assert!(lines[1].starts_with(r#"{"error":"#) && lines[2].starts_with(r#"{"error":"#));
    assert_eq!(lines[3], r#"{"result":"3:2","kind":"layout"}"#);
}
