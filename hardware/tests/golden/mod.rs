//! Golden data: JSON lines in `tests/golden` of the repository, results of CuTe C++ 4.2.
#![allow(
    clippy::panic,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

use serde_json::Value;
use std::path::Path;

/// The rows of one file.
pub(crate) fn rows(file: &str) -> impl Iterator<Item = Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/golden")
        .join(file);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a JSON line"))
        .collect::<Vec<_>>()
        .into_iter()
}

/// A text field.
pub(crate) fn text<'a>(row: &'a Value, field: &str) -> &'a str {
    row[field]
        .as_str()
        .unwrap_or_else(|| panic!("no text {field} in {row}"))
}
