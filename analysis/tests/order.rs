//! The results do not depend on the order in which declarations are evaluated: the facts of sources, evaluated in the
//! order of the source and in others, are compared row by row.

#![allow(clippy::expect_used)] // The sources are those of the repository.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cute_analysis::{Alone, Analysis, Options, Sequence, SourceFile, analyse};
use tree_sitter_cute::{Budget, Host, Syntax};

/// Orders that are compared with that of the source.
const SEEDS: [u64; 4] = [1, 2, 3, 4];

/// Rows that differ in some order, together: two parameters of a function of an enumeration, which has an instance more
/// where a caller comes before it. The aim is 0.
const DIFFERENT: usize = 6;

/// The sources of the repository.
fn sources() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = [
        "analysis/tests/programs",
        "analysis/tests/costs",
        "examples",
    ];
    let mut sources: Vec<PathBuf> = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(root.join(folder)).expect("a folder"))
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| Host::of_path(path).is_some_and(|host| host != Host::Python))
        .collect();
    sources.sort();
    sources
}

fn analysed(path: &Path, text: &str, order: Sequence) -> Analysis {
    let host = Host::of_path(path).expect("a source");
    let syntax = Syntax::parse(host, text, None, Budget::unlimited()).expect("parsed");
    let file = SourceFile::analysed(path, text, syntax.lower(text));
    let options = Options {
        host,
        order,
        remedies: false,
        ..Options::default()
    };
    analyse(&file, &Alone, &options)
}

/// Number of occurrences of each value of a name. An instance is named by the call that made it first, which may be
/// another one in another order; its values are the same.
fn rows(analysis: &Analysis) -> BTreeMap<(usize, String, String), usize> {
    let mut rows = BTreeMap::new();
    for fact in &analysis.facts {
        let value = match fact.reason() {
            Some(reason) => format!("? {reason}"),
            None => fact.value.to_string(),
        };
        let row = (fact.name_span.start, fact.name.to_string(), value);
        *rows.entry(row).or_insert(0) += 1;
    }
    rows
}

#[test]
fn values_do_not_depend_on_the_order_of_evaluation() {
    let mut different = Vec::new();
    let mut all = 0;
    for path in sources() {
        let text = std::fs::read_to_string(&path).expect("a source");
        let in_order = rows(&analysed(&path, &text, Sequence::Source));
        all += in_order.len();
        for seed in SEEDS {
            let other = rows(&analysed(&path, &text, Sequence::Shuffled(seed)));
            for (row, count) in &in_order {
                if other.get(row) != Some(count) {
                    let (at, name, value) = row;
                    let line = text[..*at].matches('\n').count() + 1;
                    let there = other.get(row).copied().unwrap_or(0);
                    different.push(format!(
                        "{}:{line}: {name} = {value}: {count} and {there} (seed {seed})",
                        path.display()
                    ));
                }
            }
        }
    }
    assert!(all > 1_000, "{all} rows");
    assert_eq!(different.len(), DIFFERENT, "{}", different.join("\n"));
}
