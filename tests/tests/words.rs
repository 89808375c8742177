//! Texts for people are plain: the phrases that `CONTRIBUTING.md` ("Write a message") tells to avoid occur in no
//! message, help text, comment, page of the documentation, example or file of an editor.

#![allow(clippy::unwrap_used, reason = "a failure in a helper fails the test")]

use std::fs;
use std::path::{Path, PathBuf};

use cute_tests::files::files_below;

/// A phrase, matched as whole words in any case, and the words that replace it.
struct Phrase {
    avoid: &'static str,
    write: &'static str,
    /// Words that may follow it all the same: `is no longer`.
    except: &'static [&'static str],
}

/// The word that makes a negation plain: `there is no stage 5`.
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

/// The literals or the comments of a Rust source, each at its line, and nothing else.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Literals,
    Comments,
}

impl Part {
    fn of(self, text: &str) -> String {
        let mut kept = String::new();
        let mut rest = text;
        while let Some(character) = rest.chars().next() {
            let (part, length) = token(rest, character);
            let (found, behind) = rest.split_at(length);
            if part == Some(self) {
                // Two texts are not one sentence.
                kept.push_str(" \u{1} ");
                kept.push_str(&self.plain(found));
            } else {
                kept.extend(found.chars().filter(|it| *it == '\n'));
            }
            rest = behind;
        }
        kept
    }

    /// The text of a token, without escapes and quotes.
    fn plain(self, found: &str) -> String {
        let is_raw = found.trim_start_matches(['b', 'c']).starts_with('r');
        match self {
            Self::Literals if is_raw => found.replace('"', ""),
            Self::Literals => without_escapes(found),
            Self::Comments => without_quotes(found),
        }
    }
}

/// The text of a literal: `\n` is a blank, and a line that goes on in the next one keeps its number.
fn without_escapes(literal: &str) -> String {
    let mut plain = String::new();
    let mut rest = literal.chars();
    while let Some(character) = rest.next() {
        match (character, character == '\\') {
            (_, true) if rest.next() == Some('\n') => plain.push('\n'),
            (_, true) => plain.push(' '),
            (other, _) => plain.push(other),
        }
    }
    plain
}

/// The kind and the length of the token at the start of a source that begins with `first`.
fn token(rest: &str, first: char) -> (Option<Part>, usize) {
    let word = |it: char| it.is_alphanumeric() || it == '_';
    if rest.starts_with("//") {
        return (Some(Part::Comments), comment_lines(rest));
    }
    if rest.starts_with("/*") {
        return (Some(Part::Comments), block_comment(rest));
    }
    if let Some(length) = string(rest) {
        return (Some(Part::Literals), length);
    }
    if word(first) {
        return (None, rest.find(|it| !word(it)).unwrap_or(rest.len()));
    }
    (None, character_literal(rest).unwrap_or(first.len_utf8()))
}

/// The length of a comment and of the comments on the lines below it: one text.
fn comment_lines(rest: &str) -> usize {
    let mut length = 0;
    for line in rest.split_inclusive('\n') {
        if !line.trim_start().starts_with("//") {
            break;
        }
        length += line.len();
        if matches!(line.trim(), "//" | "///" | "//!") {
            break;
        }
    }
    length
}

/// The length of a block comment, which may contain others.
fn block_comment(rest: &str) -> usize {
    let mut depth = 0_usize;
    let mut is_taken = false;
    for (at, pair) in rest.as_bytes().windows(2).enumerate() {
        if std::mem::take(&mut is_taken) {
            continue;
        }
        match pair {
            b"/*" => depth += 1,
            b"*/" => depth = depth.saturating_sub(1),
            _ => continue,
        }
        is_taken = true;
        if depth == 0 {
            return at + 2;
        }
    }
    rest.len()
}

/// The length of a string literal, its prefix included: `"x"`, `b"x"`, `r#"x"#`.
fn string(rest: &str) -> Option<usize> {
    let prefix = rest.trim_start_matches(['b', 'c', 'r']);
    let is_raw = rest.get(..rest.len() - prefix.len())?.ends_with('r');
    let body = if is_raw {
        prefix.trim_start_matches('#')
    } else {
        prefix
    };
    let marks = prefix.len() - body.len();
    let content = body.strip_prefix('"')?;
    let start = rest.len() - content.len();
    if is_raw {
        let end = format!("\"{}", "#".repeat(marks));
        return Some(start + content.find(&end)? + end.len());
    }
    let mut is_escaped = false;
    for (at, byte) in content.bytes().enumerate() {
        match byte {
            b'"' if !is_escaped => return Some(start + at + 1),
            _ => is_escaped = byte == b'\\' && !is_escaped,
        }
    }
    None
}

/// The length of a character literal; `None` for a lifetime.
fn character_literal(rest: &str) -> Option<usize> {
    let content = rest.strip_prefix('\'')?;
    let length = match content.strip_prefix('\\') {
        Some(escape) => 2 + escape.get(1..)?.find('\'')?,
        None => content.chars().next()?.len_utf8(),
    };
    content
        .get(length..)?
        .starts_with('\'')
        .then_some(length + 2)
}

/// Words that begin a relative clause in the place of a noun.
const CLAUSES: [&str; 4] = ["What", "Where", "Which", "How"];

/// The lines of documentation that begin with a relative clause: `What a call gives.`
fn clauses(text: &str) -> Vec<usize> {
    let is_documentation = |line: &str| line.starts_with("///") || line.starts_with("//!");
    let mut found = Vec::new();
    let mut before = "";
    for (number, line) in text.lines().enumerate() {
        let line = line.trim_start();
        let sentence = line.trim_start_matches(['/', '!']).trim_start();
        let first = sentence.split_whitespace().next().unwrap_or_default();
        if is_documentation(line) && !is_documentation(before) && CLAUSES.contains(&first) {
            found.push(number + 1);
        }
        before = line;
    }
    found
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

/// The Rust sources of all crates, their tests left out.
fn sources() -> Vec<(PathBuf, String)> {
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
    let paths = crates.iter().flat_map(|folder| files(folder, &["rs"]));
    let helpers = files_below(&root().join("tests/src"), "rs");
    paths
        .chain(helpers)
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            (path, text)
        })
        .collect()
}

#[test]
fn messages_are_plain() {
    let mut found = Vec::new();
    for (path, text) in sources() {
        complain(&path, &Part::Literals.of(&text), &mut found);
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn comments_are_plain() {
    let mut found = Vec::new();
    for (path, text) in sources() {
        complain(&path, &Part::Comments.of(&text), &mut found);
        for line in clauses(&text) {
            let path = path.strip_prefix(root()).unwrap_or(&path).display();
            found.push(format!("{path}:{line}: write a noun"));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn found_in(text: &str) -> Vec<(usize, &'static str)> {
    let found = phrases_of(text).into_iter();
    found.map(|(line, phrase)| (line, phrase.avoid)).collect()
}

#[test]
fn a_phrase_is_found_in_a_literal_and_nowhere_else() {
    let source = "let a = 'x'; // nobody\nlet b: &'static str = \"it lies \\\n  in sight\"; let c = r#\"so \"many\"\"#;\n";
    let found = found_in(&Part::Literals.of(source));
    assert_eq!(found, [(2, "lies"), (3, "so many"), (3, "in sight")]);
    assert!(phrases_of("it is no longer a stand-in; there is no layout").is_empty());
    assert_eq!(phrases_of("it is\n// no layout").len(), 1);
    assert!(phrases_of(&without_quotes("CuTe says: \"it lies\".")).is_empty());
}

#[test]
fn a_phrase_is_found_in_a_comment_and_nowhere_else() {
    let source = "/// It is\n/// no layout.\nlet a = ['\\'', '\"']; // Nobody: \"it lies\".\n\
        /* A /* nested */ stand */ let b = r#\"// lies\"#; let c = \"// worth\"; let d: &'a str;\n// In\n\n// sight.\n";
    let found = found_in(&Part::Comments.of(source));
    assert_eq!(found, [(4, "stand"), (1, "is no"), (3, "nobody")]);
}

#[test]
fn documentation_that_begins_with_a_clause_is_found() {
    let source = "/// What a call\n/// gives. How it\n/// How\nfn f() {}\n// Where\n//! Where it is.\n/// Whether\n";
    assert_eq!(clauses(source), [1, 6]);
}
