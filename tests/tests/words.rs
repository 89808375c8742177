//! What a person reads is plain: the phrases that `CONTRIBUTING.md` ("Write a message") tells to avoid occur in no
//! message, help text, page of the documentation, example or file of an editor.

#![allow(clippy::unwrap_used, reason = "a failure in a helper fails the test")]

use std::fs;
use std::path::{Path, PathBuf};

use cute_tests::files::files_below;

/// A phrase, matched as whole words in any case, and the words that replace it.
struct Phrase {
    avoid: &'static str,
    write: &'static str,
    /// What may follow it all the same: `is no longer`.
    except: &'static [&'static str],
}

/// What may come before `is no` and `are no`: `there is no stage 5` is plain.
const PLAIN_BEFORE: &str = "there ";

const fn phrase(avoid: &'static str, write: &'static str) -> Phrase {
    Phrase {
        avoid,
        write,
        except: &[],
    }
}

const PHRASES: &[Phrase] = &[
    phrase("stands", "is, means"),
    phrase("stand", "is, means"),
    Phrase {
        except: &["longer", "more"],
        ..phrase("is no", "is not a")
    },
    Phrase {
        except: &["longer", "more"],
        ..phrase("are no", "are not")
    },
    phrase("is none", "is not one, there is not one"),
    phrase("of its own", "own, separate"),
    phrase("of their own", "own, separate"),
    phrase("of our own", "our own"),
    phrase("is asked", "is requested"),
    phrase("are asked", "are requested"),
    phrase("asked for", "requested"),
    phrase("lies", "is"),
    phrase("lie", "are"),
    phrase("worth", "the value of"),
    phrase("in front of", "before"),
    phrase("comes at run time", "is a run-time size"),
    phrase("come at run time", "are run-time sizes"),
    phrase("nobody", "no one, nothing"),
    phrase("somebody", "a person"),
    phrase("as far as", "up to"),
    phrase("so many", "at most n"),
    phrase("in sight", "visible"),
    phrase("waits for ever", "never completes"),
    phrase("makes no sense", "is not valid"),
    phrase("of which it is not known", "unknown"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}

/// The phrases of a text, each with its line.
fn phrases_of(text: &str) -> Vec<(usize, &'static Phrase)> {
    // A phrase may go over the end of a line, behind the mark of a comment.
    let mut plain = String::new();
    let mut lines: Vec<usize> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line
            .trim_start()
            .trim_start_matches(['/', '*', '#', '-', '!', '"']);
        for character in line.trim().to_lowercase().chars().chain([' ']) {
            plain.push(character);
            lines.resize(plain.len(), number + 1);
        }
    }
    let is_letter = |character: Option<char>| {
        character.is_some_and(|it| it.is_alphanumeric() || it == '_' || it == '-')
    };
    let mut found = Vec::new();
    for phrase in PHRASES {
        for (at, matched) in plain.match_indices(phrase.avoid) {
            let before = plain.get(..at).unwrap_or_default();
            let after = plain.get(at + matched.len()..).unwrap_or_default();
            let is_whole =
                !is_letter(before.chars().next_back()) && !is_letter(after.chars().next());
            let next = after.trim_start();
            let is_existence = before.ends_with(PLAIN_BEFORE) && matched.contains(" no");
            let is_plain = phrase.except.iter().any(|word| next.starts_with(word));
            if is_whole && !is_plain && !is_existence {
                found.push((lines.get(at).copied().unwrap_or_default(), phrase));
            }
        }
    }
    found
}

/// A Markdown page without what it quotes: messages of compilers, and the phrases to avoid.
fn without_quotes(text: &str) -> String {
    let mut is_inside = false;
    let keep = text.chars().filter(|character| match character {
        '"' => {
            is_inside = !is_inside;
            false
        }
        '\n' => {
            // A quote ends with its paragraph at the latest; a line keeps its number.
            true
        }
        _ => !is_inside,
    });
    keep.collect()
}

/// The string literals of a Rust source, each at its line, and nothing else.
fn literals(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text.chars().peekable();
    let mut previous = ' ';
    while let Some(character) = rest.next() {
        match character {
            '\n' => kept.push('\n'),
            '/' if rest.peek() == Some(&'/') => {
                while rest.peek().is_some_and(|next| *next != '\n') {
                    rest.next();
                }
            }
            // A character, not a lifetime: 'x' or '\x'.
            '\'' => {
                let first = rest.peek().copied();
                if first == Some('\\') {
                    rest.next();
                    rest.next();
                    while rest.next().is_some_and(|next| next != '\'') {}
                } else {
                    let mut ahead = rest.clone();
                    ahead.next();
                    if ahead.next() == Some('\'') {
                        rest = ahead;
                    }
                }
            }
            '"' | '#' if character == '"' || previous == 'r' => {
                let mut marks = usize::from(character == '#');
                while character == '#' && rest.peek() == Some(&'#') {
                    rest.next();
                    marks += 1;
                }
                if character == '#' && rest.next() != Some('"') {
                    continue;
                }
                let is_raw = marks > 0 || previous == 'r';
                kept.push_str(" \u{1} ");
                while let Some(next) = rest.next() {
                    match next {
                        '\\' if !is_raw => match rest.next() {
                            // The string goes on in the next line.
                            Some('\n') => kept.push('\n'),
                            _ => kept.push(' '),
                        },
                        '"' => {
                            let mut ahead = rest.clone();
                            if (0..marks).all(|_| ahead.next() == Some('#')) {
                                rest = ahead;
                                break;
                            }
                        }
                        other => kept.push(other),
                    }
                }
                kept.push_str(" \u{1} ");
            }
            _ => {}
        }
        previous = character;
    }
    kept
}

/// All files below a folder with one of these extensions, without what is fetched or built, and without tests.
fn files(folder: &str, extensions: &[&str]) -> Vec<PathBuf> {
    let below = root().join(folder);
    let found = extensions
        .iter()
        .flat_map(|extension| files_below(&below, extension));
    found
        .filter(|path| {
            let built = ["node_modules", "dist", "target", "tests", "test", "e2e"];
            !path
                .components()
                .any(|part| built.iter().any(|name| part.as_os_str() == *name))
        })
        .collect()
}

fn complain(path: &Path, text: &str, found: &mut Vec<String>) {
    for (line, phrase) in phrases_of(text) {
        let path = path
            .strip_prefix(root())
            .unwrap_or(path)
            .display()
            .to_string();
        found.push(format!(
            "{path}:{line}: \"{}\": write {}",
            phrase.avoid, phrase.write
        ));
    }
}

#[test]
fn pages_and_examples_are_plain() {
    let mut found = Vec::new();
    let pages = [
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "action.yml",
        ".pre-commit-hooks.yaml",
    ];
    let mut paths: Vec<PathBuf> = pages.iter().map(|page| root().join(page)).collect();
    paths.extend(files("docs", &["md", "json"]));
    paths.extend(files("examples", &["md", "cu", "py", "rs", "toml"]));
    for path in paths {
        let text = without_quotes(&fs::read_to_string(&path).unwrap());
        complain(&path, &text, &mut found);
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn files_of_editors_are_plain() {
    let mut found = Vec::new();
    let extensions = ["md", "txt", "ts", "lua", "yaml", "el"];
    let mut paths = files("editors", &extensions);
    paths.push(root().join("editors/vscode/package.json"));
    paths.extend(files(
        "server/src/presentation/page",
        &["js", "html", "css"],
    ));
    for path in paths {
        complain(&path, &fs::read_to_string(&path).unwrap(), &mut found);
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn messages_are_plain() {
    let mut found = Vec::new();
    let crates = [
        "algebra",
        "hardware",
        "grammar",
        "analysis",
        "runner",
        "server",
        "packaging",
        "xtask",
    ];
    for folder in crates {
        for path in files(&format!("{folder}/src"), &["rs"]) {
            let text = fs::read_to_string(&path).unwrap();
            // The help of a command is its documentation.
            let is_help = path.ends_with("cli/arguments.rs") || path.ends_with("xtask/src/main.rs");
            let text = if is_help { text } else { literals(&text) };
            complain(&path, &text, &mut found);
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_phrase_is_found_in_a_literal_and_nowhere_else() {
    let source = "let a = 'x'; // nobody\nlet b: &'static str = \"it lies \\\n  in sight\"; let c = r#\"so \"many\"\"#;\n";
    let found: Vec<(usize, &str)> = phrases_of(&literals(source))
        .into_iter()
        .map(|(line, phrase)| (line, phrase.avoid))
        .collect();
    assert_eq!(found, [(2, "lies"), (3, "so many"), (3, "in sight")]);
    assert!(phrases_of("it is no longer a stand-in; there is no layout").is_empty());
    assert_eq!(phrases_of("it is\n// no layout").len(), 1);
    assert!(phrases_of(&without_quotes("CuTe says: \"it lies\".")).is_empty());
}
