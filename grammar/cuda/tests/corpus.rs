//! The corpus of the grammar: what it adds to the CUDA grammar, each with its tree.

#![allow(clippy::expect_used)] // A test may stop where its premise fails.

#[path = "../../notation/tests/cases/mod.rs"]
mod cases;

use std::path::Path;

use tree_sitter::Parser;

#[test]
fn every_case_has_its_tree() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("test/corpus");
    let count = cases::check(&tree_sitter_cute_cuda::LANGUAGE.into(), &folder);
    assert!(count > 25, "{count} cases");
}

#[test]
fn every_listed_macro_is_a_decoration() {
    let mut parser = Parser::new();
    let language = tree_sitter_cute_cuda::LANGUAGE.into();
    parser.set_language(&language).expect("a readable grammar");
    for word in tree_sitter_cute_cuda::DECORATIONS.lines() {
        let text = format!("{word} Foo f();");
        let tree = parser
            .parse(&text, None)
            .expect("no time limit")
            .root_node()
            .to_sexp();
        assert!(
            tree.contains("(decoration)") && !tree.contains("ERROR"),
            "{word}: {tree}"
        );
    }
}
