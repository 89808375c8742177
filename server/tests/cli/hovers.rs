//! Ten hovers, listed in `tests/README.md`, as people see them.

use std::path::Path;

use crate::ask::ask;

/// The places of the list with what it says of them.
fn listed() -> Vec<(String, String)> {
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/README.md");
    let text = std::fs::read_to_string(list).expect("the list");
    let entries = text.lines().filter_map(|line| {
        let (place, what) = line.strip_prefix("- `hover ")?.split_once("`: ")?;
        Some((place.to_owned(), what.to_owned()))
    });
    entries.collect()
}

#[test]
fn ten_places() {
    let places = listed();
    assert_eq!(places.len(), 10);
    let mut shown = String::new();
    for (place, what) in places {
        let hover = ask(&["hover", &place]).ends_with(0).stdout;
        assert!(hover.lines().count() <= 12, "{place}:\n{hover}");
        shown.extend(["==== ", &what, ": ", &place, "\n", &hover, "\n"]);
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn all_that_is_known_stands_behind_the_first_screen() {
    let first = ask(&["hover", "examples/tiled_gemm.cu:103:9"]).ends_with(0);
    let all = ask(&["hover", "examples/tiled_gemm.cu:103:9", "--all"]).ends_with(0);
    assert!(all.stdout.starts_with(&first.stdout));
    insta::assert_snapshot!(all.stdout);
}
