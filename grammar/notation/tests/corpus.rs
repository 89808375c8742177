//! The corpus of the grammar: a source and its tree, case by case.

#![allow(clippy::expect_used)] // A test may stop where its premise fails.

mod cases;

use std::path::Path;

#[test]
fn every_case_has_its_tree() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("test/corpus");
    let count = cases::check(&tree_sitter_cute_notation::LANGUAGE.into(), &folder);
    assert!(count > 40, "{count} cases");
}
