//! The queries fit the grammars that they are written for, and find what they are for.

#![allow(clippy::expect_used)] // A test may stop where its premise fails.

use tree_sitter::{Language, Parser, Query, QueryCursor, StreamingIterator};

/// The captures of a query in a text: name of the capture and text, in order.
fn captures(language: &Language, query: &str, text: &str) -> Vec<(String, String)> {
    let query = Query::new(language, query).expect("a query of this grammar");
    let mut parser = Parser::new();
    parser.set_language(language).expect("a readable grammar");
    let tree = parser.parse(text, None).expect("no time limit");
    let mut cursor = QueryCursor::new();
    let mut found = cursor.captures(&query, tree.root_node(), text.as_bytes());
    let mut captures = Vec::new();
    while let Some((matched, index)) = found.next() {
        let capture = matched.captures()[*index];
        let name = query.capture_names()[capture.index as usize];
        captures.push((name.to_owned(), text[capture.node.byte_range()].to_owned()));
    }
    captures
}

fn notation() -> Language {
    tree_sitter_cute_notation::LANGUAGE.into()
}

/// The last capture of a text is the one that an editor shows.
fn shown(text: &str, of: &str) -> Option<String> {
    let found = captures(&notation(), include_str!("../queries/highlights.scm"), text);
    found
        .into_iter()
        .rfind(|(_, text)| text == of)
        .map(|(name, _)| name)
}

#[test]
fn highlights_tell_the_parts_of_a_layout() {
    for (text, of, name) in [
        ("(4,_8):(1,M)", "4", "number"),
        ("(4,_8):(1,M)", "_8", "number"),
        ("(4,_8):(1,M)", "M", "variable"),
        ("(4,_8):(1,M)", ":", "operator"),
        ("size<0>(A)", "size", "function.call"),
        ("Int<8>{}", "Int", "type"),
        ("Sw<3,4,3> o 0 o 4:1", "Sw", "type.builtin"),
        ("Sw<3,4,3> o 0 o 4:1", "o", "operator"),
        ("o:1", "o", "variable"),
        ("cute: run banks", "cute", "keyword.directive"),
        ("cute: run banks", "banks", "attribute"),
        ("cute: allow(over-covers)", "over-covers", "label"),
        ("A \u{2298} LayoutLeft", "LayoutLeft", "constant.builtin"),
    ] {
        assert_eq!(shown(text, of).as_deref(), Some(name), "`{of}` in {text}");
    }
}

#[test]
fn brackets_fold() {
    let folds = captures(
        &notation(),
        include_str!("../queries/folds.scm"),
        "f((1,2),<3>)",
    );
    let folds: Vec<_> = folds.iter().map(|(_, text)| &**text).collect();
    assert_eq!(folds, ["((1,2),<3>)", "(1,2)", "<3>"]);
}

#[test]
fn assertions_define_names() {
    let text = "A = 4:1; size(A) = 4";
    let found = captures(&notation(), include_str!("../queries/locals.scm"), text);
    let definitions: Vec<_> = found
        .iter()
        .filter(|(name, _)| name == "local.definition")
        .collect();
    assert_eq!(
        definitions,
        [&("local.definition".to_owned(), "A".to_owned())]
    );
}

/// The comments that are read as notation.
fn injected(language: &Language, query: &str, text: &str) -> Vec<String> {
    captures(language, query, text)
        .into_iter()
        .filter(|(name, _)| name == "injection.content")
        .map(|(_, text)| text)
        .collect()
}

#[test]
fn comments_of_cuda_and_cpp_are_notation_or_prose() {
    let text = "\
// (MMA,MMA_M,MMA_K)
// cute: assume M % 8 == 0
// cute::copy is a function
// (see the paper, section 2)
// ((2,2),4):((1,8),2)
int x; // (a) or (b)
";
    let notation = [
        "// (MMA,MMA_M,MMA_K)",
        "// cute: assume M % 8 == 0",
        "// ((2,2),4):((1,8),2)",
    ];
    let language = tree_sitter_cuda::LANGUAGE.into();
    for query in [
        include_str!("../queries/hosts/cpp/injections.scm"),
        include_str!("../queries/hosts/cuda/injections.scm"),
    ] {
        assert_eq!(injected(&language, query, text), notation);
    }
}

#[test]
fn comments_and_macros_of_rust_are_notation_or_prose() {
    let text = "\
// (MMA,MMA_M,MMA_K)
// (see the paper)
const L: Layout = layout!((4,8):(1,4));
const V: Vec<u8> = vec!(4, 8);
// cute: run banks
";
    assert_eq!(
        injected(
            &tree_sitter_rust::LANGUAGE.into(),
            include_str!("../queries/hosts/rust/injections.scm"),
            text
        ),
        [
            "// (MMA,MMA_M,MMA_K)",
            "((4,8):(1,4))",
            "// cute: run banks"
        ]
    );
}

#[test]
fn comments_of_python_are_notation_or_prose() {
    let text = "# (BLK_M,BLK_K,PIPE)\nx = 1  # (see above)\n# cute: allow(over-covers)\n";
    assert_eq!(
        injected(
            &tree_sitter_python::LANGUAGE.into(),
            include_str!("../queries/hosts/python/injections.scm"),
            text
        ),
        ["# (BLK_M,BLK_K,PIPE)", "# cute: allow(over-covers)"]
    );
}
