//! Plain kernels of the examples: the page about them, and the fixes of their only finding.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::ask::ask;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

const EXAMPLES: [&str; 2] = ["examples/plain.cu", "examples/rust/kernels.rs"];

/// The lines of JSON that a request about a file gives.
fn rows(arguments: &[&str], file: &Path) -> Vec<Value> {
    let mut all = arguments.to_vec();
    all.extend(["--format", "json", file.to_str().unwrap()]);
    let said = ask(&all).stdout;
    let lines = said
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    lines.collect()
}

/// The text at the place of a row.
fn text_of(row: &Value, text: &str) -> String {
    let line = row["line"].as_u64().unwrap() as usize;
    let column = row["column"].as_u64().unwrap() as usize;
    let line = text.lines().nth(line - 1).unwrap();
    line.chars().skip(column - 1).collect()
}

/// The cells of the rows of a table.
fn table(page: &str, head: &str) -> Vec<Vec<String>> {
    let start = page.find(head).unwrap();
    let rows = page[start..].lines().skip(2);
    let rows = rows.take_while(|line| line.starts_with('|'));
    let cells = rows.map(|line| {
        let cells = line.trim_matches('|').split(" | ");
        cells
            .map(|cell| cell.trim().trim_matches(['`', '*']).to_owned())
            .collect()
    });
    cells.collect()
}

#[test]
fn the_page_says_what_the_tool_says() {
    let page = std::fs::read_to_string(root().join("docs/plain-kernels.md")).unwrap();
    let promised = table(&page, "| kernel | access in CUDA");
    assert_eq!(promised.len(), 10);
    for (column, example) in EXAMPLES.into_iter().enumerate() {
        let file = root().join(example);
        let text = std::fs::read_to_string(&file).unwrap();
        let found = rows(&["layouts", "--accesses"], &file);
        assert!(found.iter().all(|row| row["known"] == true), "{found:#?}");
        for row in &promised {
            let is_it = |found: &&Value| {
                found["function"] == row[0].as_str()
                    && text_of(found, &text).starts_with(&row[1 + column])
            };
            let found = found
                .iter()
                .find(is_it)
                .unwrap_or_else(|| panic!("{row:?}"));
            let layout = match found["base"].as_str() {
                Some("0") | None => found["layout"].as_str().unwrap().to_owned(),
                Some(base) => format!("{} + {base}", found["layout"].as_str().unwrap()),
            };
            let cost = found["wavefronts"].as_i64().or(found["sectors"].as_i64());
            let said = [
                layout,
                cost.unwrap().to_string(),
                found["ideal"].to_string(),
            ];
            assert_eq!(said, row[3..], "{example}: {row:?}");
        }
    }
}

#[test]
fn each_fix_of_the_transpose_leaves_one_wavefront() {
    let page = std::fs::read_to_string(root().join("docs/plain-kernels.md")).unwrap();
    let fixes = table(&page, "| fix | in CUDA");
    let folder = tempfile::tempdir().unwrap();
    for (column, example) in EXAMPLES.into_iter().enumerate() {
        let file = root().join(example);
        let text = std::fs::read_to_string(&file).unwrap();
        let found = rows(&["check", "--all"], &file);
        let [finding] = found.as_slice() else {
            panic!("{example}: {found:#?}");
        };
        assert_eq!(finding["rule"], "bank-conflict");
        let remedies = finding["remedies"].as_array().unwrap();
        assert_eq!(remedies.len(), fixes.len(), "{remedies:#?}");
        for (remedy, fix) in remedies.iter().zip(&fixes) {
            let title = remedy["title"].as_str().unwrap();
            assert!(
                title.starts_with(
                    fix[0]
                        .split(" with")
                        .next()
                        .unwrap()
                        .trim_end_matches(" the columns")
                ),
                "{title}"
            );
            let edited = applied(&text, remedy["edits"].as_array().unwrap());
            for part in fix[1 + column].split("`, `") {
                assert!(edited.contains(part), "{part}:\n{edited}");
            }
            let copy = folder.path().join(file.file_name().unwrap());
            std::fs::write(&copy, edited).unwrap();
            let after = rows(&["check", "--all"], &copy);
            assert!(after.is_empty(), "{title}: {after:#?}");
        }
    }
}

/// The text after edits on single lines.
fn applied(text: &str, edits: &[Value]) -> String {
    let mut lines: Vec<Vec<char>> = text.lines().map(|line| line.chars().collect()).collect();
    let number = |edit: &Value, name: &str| edit[name].as_u64().unwrap() as usize;
    let mut edits: Vec<&Value> = edits.iter().collect();
    edits.sort_by_key(|edit| std::cmp::Reverse((number(edit, "line"), number(edit, "column"))));
    for edit in edits {
        let line = &mut lines[number(edit, "line") - 1];
        let new_text = edit["new_text"].as_str().unwrap().chars();
        line.splice(
            number(edit, "column") - 1..number(edit, "end_column") - 1,
            new_text,
        );
    }
    let lines: Vec<String> = lines.into_iter().map(String::from_iter).collect();
    lines.join("\n") + "\n"
}
