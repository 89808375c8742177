//! The promises of the documentation hold.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cute_analysis::Rule;
use serde_json::Value;
use tempfile::TempDir;

use crate::ask::{ask, root};

/// A page of `docs/rules`.
struct Page {
    rule: String,
    text: String,
}

/// A source of a page.
struct Example {
    name: &'static str,
    text: String,
}

impl Page {
    /// The source under a heading: CUDA as the body of a function or a file, Rust and Python as a file.
    fn example(&self, heading: &str) -> Example {
        let (_, after) = self
            .text
            .split_once(&format!("## {heading}\n"))
            .expect(heading);
        let (_, block) = after.split_once("```").expect("a block");
        let (language, block) = block.split_once('\n').expect("a language");
        let (code, _) = block.split_once("```").expect("the end of the block");
        match language {
            "cuda" => Example {
                name: "example.cu",
                text: format!(
                    "#include <cute/tensor.hpp>\nusing namespace cute;\nvoid example()\n{{\n{code}}}\n"
                ),
            },
            // A kernel needs more than the body of a function.
            "cu" => Example {
                name: "example.cu",
                text: code.to_owned(),
            },
            "rust" => Example {
                name: "example.rs",
                text: code.to_owned(),
            },
            "python" => Example {
                name: "example.py",
                text: code.to_owned(),
            },
            other => panic!("{}: no example in {other}", self.rule),
        }
    }

    /// Its headings that begin with a word: `Wrong`, `Wrong, with a collective builder`.
    fn headings(&self, word: &str) -> Vec<&str> {
        self.text
            .lines()
            .filter_map(|line| line.strip_prefix("## "))
            .filter(|heading| heading.starts_with(word))
            .collect()
    }

    /// The one-line summary below the title.
    fn summary(&self) -> &str {
        self.text.lines().nth(2).expect("a summary")
    }

    fn severity(&self) -> &str {
        let (_, after) = self.text.split_once("Severity: ").expect("a severity");
        after.split('.').next().expect("a word")
    }
}

fn pages() -> Vec<Page> {
    let mut pages: Vec<Page> = fs::read_dir(root().join("docs/rules"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str());
            !matches!(name, Some("README.md" | "judged.md" | "without-page.md"))
        })
        .map(|path| Page {
            rule: path.file_stem().unwrap().to_str().unwrap().to_owned(),
            text: fs::read_to_string(&path).unwrap(),
        })
        .collect();
    pages.sort_by(|a, b| a.rule.cmp(&b.rule));
    assert!(!pages.is_empty());
    pages
}

/// The start of the first line of an example that is compiled with flags.
const FLAGS: &str = "// Flags: ";

fn findings(example: &Example) -> Vec<Value> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(example.name);
    fs::write(&path, &example.text).unwrap();
    let path = path.to_str().unwrap();
    let flags = example
        .text
        .lines()
        .next()
        .and_then(|line| line.strip_prefix(FLAGS));
    let mut arguments = vec!["check", path, "--format", "json", "--all"];
    arguments.extend(flags.into_iter().flat_map(str::split_whitespace));
    let answer = ask(&arguments);
    answer
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn each_wrong_example_breaks_its_rule_and_no_other() {
    for page in pages() {
        assert!(!page.headings("Wrong").is_empty(), "{}", page.rule);
        for heading in page.headings("Wrong") {
            let found = findings(&page.example(heading));
            let rules: Vec<&str> = found
                .iter()
                .map(|row| row["rule"].as_str().unwrap())
                .collect();
            assert_eq!(rules, [page.rule.as_str()], "{} {heading}", page.rule);
            assert_eq!(found[0]["severity"], page.severity(), "{}", page.rule);
            let is_witnessed = Rule::named(&page.rule).unwrap().is_witnessed;
            assert!(!is_witnessed || shows_a_case(&found[0]), "{}", page.rule);
        }
    }
}

/// Numbers that say with which coordinate, thread, place or size a program goes wrong.
const CASES: [&str; 11] = [
    "coordinate",
    "first",
    "first_coordinate",
    "first_lane",
    "first_thread",
    "offset",
    "phase",
    "reader",
    "size",
    "start",
    "thread",
];

/// Whether a finding names a case that shows it.
fn shows_a_case(finding: &Value) -> bool {
    let numbers = finding["numbers"].as_object().unwrap();
    finding["witness"].is_object() || CASES.iter().any(|case| numbers.contains_key(*case))
}

/// Editors and terminals show so much of a message beside a place and a rule's name.
const FIRST_LINE: usize = 90;

#[test]
fn the_first_line_of_each_message_is_short() {
    let mut rows: Vec<Value> = Vec::new();
    for page in pages() {
        for heading in page.headings("Wrong") {
            rows.extend(findings(&page.example(heading)));
        }
    }
    for folder in ["examples", "server/tests/cli/fixtures"] {
        let answer = ask(&["check", folder, "--format", "json", "--all"]);
        let lines = answer.stdout.lines();
        rows.extend(lines.map(|line| serde_json::from_str::<Value>(line).unwrap()));
    }
    assert!(rows.len() > pages().len(), "{}", rows.len());
    for row in rows {
        let message = row["message"].as_str().unwrap();
        let first = message.lines().next().unwrap_or_default();
        let length = first.chars().count();
        assert!((1..=FIRST_LINE).contains(&length), "{length}: {first}");
    }
}

#[test]
fn each_right_example_breaks_none() {
    for page in pages() {
        assert!(!page.headings("Right").is_empty(), "{}", page.rule);
        for heading in page.headings("Right") {
            let found = findings(&page.example(heading));
            assert!(found.is_empty(), "{} {heading}: {found:#?}", page.rule);
        }
    }
}

#[test]
fn each_number_of_a_finding_is_explained_on_its_page() {
    for page in pages() {
        for heading in page.headings("Wrong") {
            for row in findings(&page.example(heading)) {
                for name in row["numbers"].as_object().unwrap().keys() {
                    let entry = format!("| `{name}` |");
                    assert!(
                        page.text.contains(&entry),
                        "{}: no entry {entry}",
                        page.rule
                    );
                }
            }
        }
    }
}

#[test]
fn each_rule_has_a_page_and_each_page_a_rule() {
    let listed = ask(&["check", "--explain", "--format", "json"]).stdout;
    let rules: Vec<Value> = listed
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let pages = pages();
    assert_eq!(rules.len(), pages.len());
    for (rule, page) in rules.iter().zip(&pages) {
        assert_eq!(rule["rule"], page.rule.as_str());
        assert_eq!(rule["severity"], page.severity(), "{}", page.rule);
        assert_eq!(rule["summary"], page.summary(), "{}", page.rule);
        assert_eq!(rule["page"], format!("docs/rules/{}.md", page.rule));
    }
}

#[test]
fn a_rule_is_explained_by_its_name_and_the_nearest_to_a_wrong_one_is_named() {
    let answer = ask(&["check", "--explain", "over-covers"]);
    assert_eq!(
        answer.stdout,
        "over-covers: warning\nThe tiles of a division cover more elements than the layout has.\n\
         docs/rules/over-covers.md\n"
    );
    let answer = ask(&["check", "--explain", "over-cover"]).ends_with(2);
    assert!(
        answer
            .stderr
            .contains("`over-cover` is not a rule; the nearest is `over-covers`"),
        "{}",
        answer.stderr
    );
}

#[test]
fn the_index_of_rules_is_up_to_date() {
    let mut index = String::from(
        "# Rules\n\nWhat `cute-analyzer check` and the editors report. Each page has a wrong and a \
         right example;\n[some refusals](without-page.md) are not findings.\n\n| rule | severity | what it means |\n|---|---|---|\n",
    );
    for page in pages() {
        let (rule, severity, summary) = (&page.rule, page.severity(), page.summary());
        let _ = writeln!(index, "| [{rule}]({rule}.md) | {severity} | {summary} |");
    }
    is_up_to_date("docs/rules/README.md", &index);
}

/// The rows of the table of rules that have no page: name, reason, where the refusal is seen.
fn rules_without_page() -> Vec<[String; 3]> {
    let text = fs::read_to_string(root().join("docs/rules/without-page.md")).unwrap();
    text.lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            let [rule, reason, seen] = cells[..] else {
                panic!("{line}")
            };
            [rule.trim_matches('`'), reason, seen].map(str::to_owned)
        })
        .collect()
}

#[test]
fn each_rule_of_the_hardware_has_a_page_or_a_reason() {
    let paged: BTreeSet<String> = pages().into_iter().map(|page| page.rule).collect();
    let rows = rules_without_page();
    let reasoned: BTreeSet<&str> = rows.iter().map(|[rule, ..]| rule.as_str()).collect();
    assert_eq!(rows.len(), reasoned.len(), "a rule has two rows");
    let rules: BTreeSet<&str> = cute_hardware::Rule::ALL
        .iter()
        .map(|rule| rule.name())
        .collect();
    for rule in &rules {
        assert!(
            paged.contains(*rule) != reasoned.contains(rule),
            "{rule}: a page or a row, and one of them"
        );
    }
    for rule in reasoned {
        assert!(rules.contains(rule), "{rule}: no rule has this name");
    }
}

#[test]
fn each_command_of_a_rule_without_page_shows_it() {
    let rows = rules_without_page();
    let commands: Vec<(&str, &str)> = rows
        .iter()
        .filter_map(|[rule, _, seen]| {
            let line = seen.strip_prefix("`cute-analyzer ")?;
            Some((rule.as_str(), line.strip_suffix('`')?))
        })
        .collect();
    assert!(!commands.is_empty());
    for (rule, line) in commands {
        let arguments = shlex::split(line).expect(line);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let answer = ask(&arguments);
        assert!(
            answer.stderr.contains(&format!("{rule}:"))
                || answer.stderr.ends_with(&format!("{rule}\n")),
            "{rule}: {}",
            answer.stderr
        );
    }
}

#[test]
fn the_picture_of_the_readme_is_what_draw_makes() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("nested.svg");
    let target = path.to_str().unwrap();
    ask(&["draw", "((2,2),(4,2)):((1,4),(8,2))", "-o", target]).ends_with(0);
    is_up_to_date(
        "docs/pictures/nested.svg",
        &fs::read_to_string(path).unwrap(),
    );
}

/// Compares a generated file; `UPDATE_DOCS=1` writes it instead.
fn is_up_to_date(name: &str, generated: &str) {
    let path = root().join(name);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, generated).unwrap();
    }
    let present = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        present, generated,
        "{name} is generated: run this test with UPDATE_DOCS=1"
    );
}

#[test]
fn the_finding_in_the_readme_is_one_of_the_examples() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let (_, after) = readme.split_once("```text\n").unwrap();
    let (shown, _) = after.split_once("```").unwrap();
    let answer = ask(&["check", "examples"]).ends_with(1);
    assert!(
        answer.stdout.contains(shown),
        "not printed by `check examples`:\n{shown}"
    );
}

/// The lines of documentation and help that a user may type.
fn promised_commands() -> BTreeSet<String> {
    let mut texts = vec![ask(&["--help"]).ends_with(0).stdout];
    for command in [
        "check",
        "layouts",
        "hints",
        "hover",
        "eval",
        "explain",
        "draw",
        "infer",
        "ptx",
        "desc",
        "run",
        "tma",
        "summary",
        "budget",
        "preconditions",
    ] {
        texts.push(ask(&["help", command]).ends_with(0).stdout);
    }
    for page in [
        "README.md",
        "docs/features.md",
        "docs/glossary.md",
        "docs/tour.md",
        "examples/README.md",
        "CONTRIBUTING.md",
    ] {
        texts.push(fs::read_to_string(root().join(page)).unwrap());
    }
    let mut commands = BTreeSet::new();
    for line in texts.iter().flat_map(|text| text.lines()) {
        let line = line.trim_start();
        if line.starts_with("cute-analyzer ") {
            // Help texts explain a command behind several blanks.
            commands.insert(
                line.split("    ")
                    .next()
                    .unwrap_or_default()
                    .trim()
                    .to_owned(),
            );
        }
        // Code is at the odd places between back quotes.
        for code in line.split('`').skip(1).step_by(2) {
            if let Some(arguments) = code.strip_prefix("cargo run --release -- ") {
                commands.insert(format!("cute-analyzer {arguments}"));
            }
            // A word in capitals is for the reader to replace.
            let is_whole = !code.split([' ', '-']).any(|word| {
                word.len() > 2 && word.chars().all(|letter| letter.is_ascii_uppercase())
            });
            if code.starts_with("cute-analyzer ") && is_whole {
                commands.insert(code.to_owned());
            }
        }
    }
    commands
}

#[test]
fn every_command_line_that_is_promised_runs() {
    let commands = promised_commands();
    assert!(commands.len() > 8, "{commands:?}");
    let binary = PathBuf::from(env!("CARGO_BIN_EXE_cute-analyzer"));
    let folder = TempDir::new().unwrap();
    copy_examples(&folder);
    fs::write(folder.path().join("my_kernel.py"), "print(1)\n").unwrap();
    fs::create_dir_all(folder.path().join("docs/pictures")).unwrap();
    let path = format!(
        "{}:{}",
        binary.parent().unwrap().display(),
        std::env::var("PATH").unwrap_or_default()
    );
    for line in commands {
        let output = Command::new("sh")
            .args(["-c", &line])
            .current_dir(folder.path())
            .env("PATH", &path)
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        let wrong_on_purpose = line.contains("check examples") || line.contains("(6,2):(1,7)");
        // Without the DSL nothing is recorded, which is said.
        let records = line.contains(" record ");
        let allowed: &[i32] = if wrong_on_purpose || records {
            &[0, 1]
        } else {
            &[0]
        };
        assert!(
            output
                .status
                .code()
                .is_some_and(|code| allowed.contains(&code)),
            "`{line}` ends with {:?}: {said}",
            output.status.code()
        );
    }
}

fn copy_examples(folder: &TempDir) {
    copy_folder(&root().join("examples"), &folder.path().join("examples"));
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let copy = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &copy);
        } else {
            fs::copy(entry.path(), copy).unwrap();
        }
    }
}

#[test]
fn links_between_pages_lead_somewhere() {
    let mut pages = vec![
        root().join("README.md"),
        root().join("CONTRIBUTING.md"),
        root().join("examples/README.md"),
    ];
    for folder in ["docs", "docs/rules"] {
        let entries = fs::read_dir(root().join(folder)).unwrap();
        let files = entries.map(|entry| entry.unwrap().path());
        pages.extend(files.filter(|path| path.extension().is_some_and(|ending| ending == "md")));
    }
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        // Code is at the odd places between back quotes, in blocks as in lines.
        let prose: String = text.split('`').step_by(2).collect();
        for link in prose
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            let (target, heading) = link.split_once('#').unwrap_or((link, ""));
            if target.is_empty() || target.contains("://") {
                continue;
            }
            let target = page.parent().unwrap().join(target);
            assert!(target.exists(), "{}: {link}", page.display());
            if !heading.is_empty() {
                let text = fs::read_to_string(target).unwrap();
                let mut headings = text
                    .lines()
                    .filter(|line| line.starts_with('#'))
                    .map(anchor);
                assert!(
                    headings.any(|it| it == heading),
                    "{}: {link}",
                    page.display()
                );
            }
        }
    }
}

/// The address of a heading in its page, as GitHub makes it.
fn anchor(heading: &str) -> String {
    let words = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = words
        .chars()
        .filter(|character| character.is_alphanumeric() || matches!(character, ' ' | '-' | '_'));
    kept.map(|character| if character == ' ' { '-' } else { character })
        .collect()
}

/// A cell of a row of a table of `docs/measurements.md`, from 1.
fn measured(row: &str, column: usize) -> String {
    let text = fs::read_to_string(root().join("docs/measurements.md")).unwrap();
    let line = text
        .lines()
        .find(|line| line.starts_with(&format!("| {row} |")))
        .expect(row);
    line.split('|')
        .nth(column + 1)
        .expect(row)
        .trim()
        .to_owned()
}

#[test]
fn the_times_of_the_readme_are_those_of_the_measurements() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let line = readme
        .lines()
        .find(|line| line.contains("process start"))
        .expect("the row of times");
    let of_cell = |column: usize| -> f64 {
        let cell = line.split('|').nth(column + 1).expect("a cell").trim();
        let number = cell.split(' ').next().unwrap_or_default();
        number.parse().expect(cell)
    };
    let row = "process start to first hover, 50th percentile";
    // Each shown time, and the column of the measurement.
    for (shown, column) in [(of_cell(1), 1), (of_cell(2), 4)] {
        let time = measured(row, column);
        let time: f64 = time.trim_end_matches(" ms").parse().expect(&time);
        assert!(
            (shown - time).abs() <= 0.5,
            "{shown} ms, measured {time} ms"
        );
    }
    let minutes = readme
        .split("[about ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next())
        .and_then(|number| number.parse::<f64>().ok())
        .expect("how long dist takes");
    let seconds = measured("all of it, the first time", 1);
    let seconds: f64 = seconds.trim_end_matches(" s").parse().expect(&seconds);
    assert!(
        (minutes - seconds / 60.0).abs() <= 0.5,
        "{minutes} minutes, measured {seconds} s"
    );
}

#[test]
fn the_readme_is_one_page_and_what_it_quotes_is_said() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let words = readme.split_whitespace().count();
    assert!(
        words <= 750 && readme.lines().count() <= 90,
        "{words} words"
    );
    let quoted: Vec<&str> = readme
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|code| code.starts_with("barrier "))
        .collect();
    assert!(!quoted.is_empty());
    let pages = pages();
    let bytes = pages.iter().find(|page| page.rule == "tx-bytes-mismatch");
    let found = findings(&bytes.expect("its page").example("Wrong"));
    for message in quoted {
        let mut said = found.iter().filter_map(|row| row["message"].as_str());
        assert!(
            said.any(|said| said.starts_with(message)),
            "{message}: {found:#?}"
        );
    }
}

/// Phrases that no text for users has, each with what says it better.
const UNIDIOMATIC: &[(&str, &str)] = &[
    ("stand for", "mean"),
    ("stands for", "means"),
    (" stands ", "is"),
    ("comes at run time", "run-time, known at run time"),
    ("come at run time", "run-time, known at run time"),
    ("in sight says", "visible"),
    ("launch in sight", "visible launch"),
    ("is in sight", "is visible"),
    ("nobody", "no one, or the passive"),
    ("somebody", "a reader, a caller"),
    (" is no layout", "is not a layout"),
    (" is no composition", "is not a composition"),
    (" is no multiple", "is not a multiple"),
    (" are no ", "are not"),
    ("nothing is known of", "unknown, with the reason"),
    ("in the place of", "instead of"),
    (" is worth ", "has the value"),
];

/// The texts of a manifest: descriptions, titles, and the like.
fn texts_of(manifest: &Value, into: &mut String) {
    let mut waiting = vec![manifest];
    while let Some(value) = waiting.pop() {
        match value {
            Value::String(text) => {
                into.push_str(text);
                into.push('\n');
            }
            Value::Array(items) => waiting.extend(items),
            Value::Object(map) => waiting.extend(map.values()),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

#[test]
fn texts_for_users_are_idiomatic() {
    let mut texts: Vec<(PathBuf, String)> = Vec::new();
    for folder in [
        "",
        "docs",
        "docs/rules",
        "server",
        "editors/vscode",
        "editors/nvim",
        "editors/nvim/doc",
    ] {
        for entry in fs::read_dir(root().join(folder))
            .expect("a folder")
            .flatten()
        {
            let path = entry.path();
            let is_text = path
                .extension()
                .is_some_and(|extension| extension == "md" || extension == "txt");
            // What is for developers says what the code does.
            let is_internal = ["architecture.md", "CONTRIBUTING.md", "CHANGELOG.md"]
                .iter()
                .any(|name| path.ends_with(name));
            if is_text && !is_internal {
                let text = fs::read_to_string(&path).expect("a text");
                texts.push((path, text));
            }
        }
    }
    for manifest in [
        "editors/vscode/package.json",
        "docs/cute-analyzer.schema.json",
    ] {
        let text = fs::read_to_string(root().join(manifest)).expect("a manifest");
        let mut told = String::new();
        texts_of(&serde_json::from_str(&text).expect("JSON"), &mut told);
        texts.push((manifest.into(), told));
    }
    let help = ask(&["--help"]).ends_with(0).stdout;
    let commands: Vec<String> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect();
    assert!(commands.len() > 10, "{commands:?}");
    for command in commands.iter().filter(|command| *command != "help") {
        let help = ask(&["help", command]).ends_with(0).stdout;
        texts.push((format!("help {command}").into(), help));
    }
    texts.push(("help".into(), help));
    let mut found = String::new();
    for (path, text) in &texts {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for (phrase, better) in UNIDIOMATIC {
            for (at, _) in text.match_indices(phrase) {
                let rest = text.get(at..).unwrap_or_default();
                let around: String = rest.chars().take(60).collect();
                let _ = writeln!(found, "{}: `{around}`; better: {better}", path.display());
            }
        }
    }
    assert!(found.is_empty(), "{found}");
}
