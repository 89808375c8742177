//! Corpus files in tree-sitter's own format: a title, a source, the tree. Shared by the grammars.

use std::fs;
use std::path::Path;

use tree_sitter::{Language, Parser};

/// One case of a corpus file.
struct Case {
    title: String,
    source: String,
    tree: String,
}

/// Reads a corpus file: `===` / title / `===` / source / `---` / tree, over and over.
fn cases(text: &str) -> Vec<Case> {
    let is_rule = |line: &str, mark: char| line.len() >= 3 && line.chars().all(|c| c == mark);
    let lines: Vec<&str> = text.lines().collect();
    let heads: Vec<usize> = (0..lines.len().saturating_sub(2))
        .filter(|at| is_rule(lines[*at], '=') && is_rule(lines[at + 2], '='))
        .collect();
    let ends = heads.iter().skip(1).copied().chain([lines.len()]);
    let read = |(head, end): (usize, usize)| {
        let body = &lines[head + 3..end];
        let middle = body.iter().position(|line| is_rule(line, '-'));
        let (source, tree) = body.split_at(middle.expect("`---` between source and tree"));
        Case {
            title: lines[head + 1].to_owned(),
            source: source.join("\n").trim_matches('\n').to_owned(),
            tree: tree[1..].join("\n"),
        }
    };
    heads.iter().copied().zip(ends).map(read).collect()
}

/// A tree without its line breaks.
fn on_one_line(tree: &str) -> String {
    let words: Vec<&str> = tree.split_whitespace().collect();
    words.join(" ").replace(" )", ")")
}

/// Checks every case in the files of a folder; how many there are.
pub(crate) fn check(language: &Language, folder: &Path) -> usize {
    let mut parser = Parser::new();
    parser.set_language(language).expect("a readable grammar");
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("the corpus") {
        let path = entry.expect("a readable entry").path();
        for case in cases(&fs::read_to_string(&path).expect("a corpus file")) {
            let tree = parser.parse(&case.source, None).expect("no time limit");
            let (file, title) = (path.display(), &case.title);
            assert_eq!(
                on_one_line(&tree.root_node().to_sexp()),
                on_one_line(&case.tree),
                "{file}: {title}"
            );
            count += 1;
        }
    }
    count
}

#[test]
fn a_corpus_file_is_read() {
    let cases = cases("=====\nOne\n=====\n\na\n\n---\n\n(x)\n\n===\nTwo\n===\nb\n---\n(y)\n");
    let read: Vec<_> = cases
        .iter()
        .map(|case| (&*case.title, &*case.source, on_one_line(&case.tree)))
        .collect();
    assert_eq!(
        read,
        [
            ("One", "a", "(x)".to_owned()),
            ("Two", "b", "(y)".to_owned())
        ]
    );
}
