//! Suites in Markdown: sources with the hints and findings that they have, in one file. `docs` of the format:
//! `tests/suites/README.md`. With `UPDATE_SUITES=1` the expectations are written.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use cute_tests::files::files_below;
use serde_json::Value;
use tempfile::TempDir;

use crate::ask::{ask, root};

/// The start of an expected hint, and of an expected finding, behind the marker of a comment.
const HINT: &str = "hint: ";
const FINDING: &str = "finding: ";

/// A line of a source: its text, and what is expected of it.
struct Line {
    text: String,
    expected: BTreeSet<String>,
}

/// A source of a suite.
struct Source {
    language: String,
    lines: Vec<Line>,
}

impl Source {
    /// A block of Markdown: each expectation is a comment in a line of its own, below the line that it is about.
    fn read(language: &str, block: &str) -> Self {
        let mut lines: Vec<Line> = Vec::new();
        for line in block.lines() {
            match expectation(line) {
                Some(expected) => {
                    let about = lines.last_mut().expect("a line above its expectation");
                    about.expected.insert(expected.to_owned());
                }
                None => lines.push(Line {
                    text: line.to_owned(),
                    expected: BTreeSet::new(),
                }),
            }
        }
        Self {
            language: language.to_owned(),
            lines,
        }
    }

    fn name(&self) -> &'static str {
        match self.language.as_str() {
            "cuda" | "cu" => "source.cu",
            "rust" => "source.rs",
            "python" => "source.py",
            other => panic!("no suite in {other}"),
        }
    }

    /// The lines before and behind the block: `cuda` is the body of a function.
    fn frame(&self) -> (&'static str, &'static str) {
        match self.language.as_str() {
            "cuda" => (
                "#include <cute/tensor.hpp>\nusing namespace cute;\nvoid source()\n{\n",
                "}\n",
            ),
            _ => ("", ""),
        }
    }

    /// The hints and findings of each line.
    fn found(&self) -> Vec<BTreeSet<String>> {
        let (before, after) = self.frame();
        let mut text = String::new();
        for line in &self.lines {
            let _ = writeln!(text, "{}", line.text);
        }
        let folder = TempDir::new().unwrap();
        let path = folder.path().join(self.name());
        fs::write(&path, format!("{before}{text}{after}")).unwrap();
        let path = path.to_str().unwrap();
        let first = before.lines().count();
        let mut found = vec![BTreeSet::new(); self.lines.len()];
        let mut add = |line: usize, said: String| {
            let at = line.checked_sub(first + 1);
            if let Some(line) = at.and_then(|at| found.get_mut(at)) {
                line.insert(said);
            }
        };
        for hint in ask(&["hints", path]).ends_with(0).stdout.lines() {
            let (line, rest) = hint.split_once(':').expect(hint);
            let (_, label) = rest.split_once(": ").expect(hint);
            add(line.parse().expect(hint), format!("{HINT}{}", label.trim()));
        }
        let findings = ask(&["check", path, "--format", "json", "--all"]);
        for row in findings.stdout.lines() {
            let row: Value = serde_json::from_str(row).unwrap();
            let text = |key: &str| row[key].as_str().unwrap().to_owned();
            let message = text("message");
            let first = message.lines().next().unwrap_or_default();
            let said = format!("{FINDING}{}[{}] {first}", text("severity"), text("rule"));
            add(
                usize::try_from(row["line"].as_u64().unwrap()).unwrap(),
                said,
            );
        }
        found
    }

    /// The block with these expectations.
    fn with(&self, found: &[BTreeSet<String>]) -> String {
        let marker = if self.language == "python" { "#" } else { "//" };
        let mut block = String::new();
        for (line, found) in self.lines.iter().zip(found) {
            let indent = line.text.len() - line.text.trim_start().len();
            let _ = writeln!(block, "{}", line.text);
            for said in found {
                let _ = writeln!(block, "{}{marker} {said}", " ".repeat(indent));
            }
        }
        block
    }
}

/// What a line expects of the line above.
fn expectation(line: &str) -> Option<&str> {
    let comment = line.trim_start();
    let said = comment.strip_prefix("// ").or(comment.strip_prefix("# "))?;
    (said.starts_with(HINT) || said.starts_with(FINDING)).then_some(said)
}

/// The text of a suite with the expectations that hold, and the sections whose expectations differ.
fn judged(suite: &str) -> (String, Vec<String>) {
    let mut text = String::new();
    let mut wrong = Vec::new();
    let mut section = "";
    let mut lines = suite.lines();
    while let Some(line) = lines.next() {
        let _ = writeln!(text, "{line}");
        if let Some(title) = line.strip_prefix("## ") {
            section = title;
        }
        if let Some(language) = line.strip_prefix("```")
            && !language.is_empty()
        {
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            let source = Source::read(language, &block.join("\n"));
            let found = source.found();
            let expected = source.lines.iter().map(|line| &line.expected);
            if !expected.eq(found.iter()) {
                wrong.push(section.to_owned());
            }
            let _ = writeln!(text, "{}```", source.with(&found));
        }
    }
    (text, wrong)
}

fn suites() -> Vec<PathBuf> {
    let mut files = files_below(&root().join("server/tests/suites"), "md");
    files.retain(|path| path.file_name().is_some_and(|name| name != "README.md"));
    files.sort();
    assert!(files.len() > 3);
    files
}

fn shown(path: &Path) -> String {
    let path = path.strip_prefix(root()).unwrap_or(path);
    path.display().to_string()
}

#[test]
fn each_source_of_a_suite_has_the_hints_and_findings_below_its_lines() {
    let mut wrong = String::new();
    for path in suites() {
        let suite = fs::read_to_string(&path).unwrap();
        let (text, sections) = judged(&suite);
        if std::env::var_os("UPDATE_SUITES").is_some() {
            fs::write(&path, &text).unwrap();
        }
        for section in sections {
            let _ = writeln!(wrong, "{}: {section}", shown(&path));
        }
        // What the sections have now, line by line.
        let differs = suite
            .lines()
            .zip(text.lines())
            .find(|(old, new)| old != new);
        if let Some((old, new)) = differs {
            let _ = writeln!(wrong, "  expected {old}\n  found    {new}");
        }
    }
    assert!(
        wrong.is_empty(),
        "{wrong}(UPDATE_SUITES=1 writes what is found)"
    );
}

#[test]
fn a_suite_with_another_value_is_wrong() {
    let suite = "## A\n\n```cuda\nauto a = make_layout(Int<4>{});\n// hint: 5:1\n```\n";
    let (text, wrong) = judged(suite);
    assert_eq!(wrong, ["A"]);
    assert!(
        text.contains("// hint: ") && !text.contains("5:1"),
        "{text}"
    );
    assert_eq!(judged(&text).1, Vec::<String>::new());
}
