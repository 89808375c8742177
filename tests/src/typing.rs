//! Typing real files letter by letter: whatever is there on the way, the server lives, and each request has one answer.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::client::{Builder, Client};
use crate::protocol::{Change, Position, Range};
use crate::random::{Random, boundary};

/// Letters that are typed at one place, before another place is chosen.
const AT_ONE_PLACE: usize = 250;

/// Requests that may be under way while the next letter is typed.
const UNDER_WAY: usize = 24;

/// Errors that are answers all the same: cancelled, overtaken by an edit, to be asked again.
const OVERTAKEN: [i64; 3] = [-32800, -32801, -32802];

/// A file that is typed.
#[derive(Debug, Clone)]
pub struct Typed {
    /// Its path; the server sees this name.
    pub path: PathBuf,
    /// Its `languageId`.
    pub language: String,
    /// Its text.
    pub text: String,
}

/// The counts of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Letters that were typed.
    pub letters: usize,
    /// Requests that were answered.
    pub answered: usize,
    /// Of them those that an edit overtook.
    pub overtaken: usize,
}

impl Counts {
    /// Adds other counts.
    pub fn add(&mut self, other: Self) {
        self.letters += other.letters;
        self.answered += other.answered;
        self.overtaken += other.overtaken;
    }
}

/// Five files: a tutorial of CUTLASS, a header for Hopper, the DSL in Python, Rust, and an example of ours. `root` is
/// that of the repository, `cutlass` the folder with CUTLASS's sources.
///
/// # Panics
/// When one of them cannot be read.
pub fn files(root: &Path, cutlass: &Path) -> Vec<Typed> {
    [
        (
            cutlass.join("examples/cute/tutorial/sgemm_sm80.cu"),
            "cuda-cpp",
        ),
        (
            cutlass
                .join("include/cutlass/gemm/collective/sm90_mma_tma_gmma_ss_warpspecialized.hpp"),
            "cuda-cpp",
        ),
        (root.join("examples/python/elementwise.py"), "python"),
        (root.join("examples/rust/algebra.rs"), "rust"),
        (root.join("examples/tensor_cores.cu"), "cuda-cpp"),
    ]
    .into_iter()
    .map(|(path, language)| {
        let text = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Typed {
            path,
            language: language.to_owned(),
            text,
        }
    })
    .collect()
}

/// Types this many letters of a file: pieces of it, each at its place, with and without the text behind it.
///
/// # Panics
/// When the server ends, does not answer, answers twice, or answers with an error that says something else than that an
/// edit came between.
pub fn type_letters(binary: &Path, file: &Typed, letters: usize, seed: u64) -> Counts {
    let uri = format!("file://{}", file.path.display());
    let mut random = Random::new(seed);
    let mut typist = Typist {
        client: Builder::new(binary).argument("lsp").start(),
        uri,
        version: 1,
        waiting: Vec::new(),
        counts: Counts::default(),
    };
    typist.client.open_as(&typist.uri, &file.language, "");
    let mut is_first = true;
    while typist.counts.letters < letters {
        let count = AT_ONE_PLACE.min(letters - typist.counts.letters);
        // The first piece is the beginning of the file.
        let near = if is_first {
            0
        } else {
            random.below(file.text.len())
        };
        let at = file.text[..boundary(&file.text, near)]
            .rfind('\n')
            .map_or(0, |line| line + 1);
        let piece: String = file.text[at..].chars().take(count).collect();
        let behind = if is_first || random.below(2) == 0 {
            ""
        } else {
            &file.text[at + piece.len()..]
        };
        is_first = false;
        typist.type_piece(&file.text[..at], &piece, behind, &mut random);
        // A file that is short ends before its share is typed.
        typist.counts.letters += count.saturating_sub(piece.chars().count());
    }
    typist.finish()
}

struct Typist {
    client: Client,
    uri: String,
    version: i32,
    waiting: Vec<i64>,
    counts: Counts,
}

impl Typist {
    fn type_piece(&mut self, before: &str, piece: &str, behind: &str, random: &mut Random) {
        self.change(None, &format!("{before}{behind}"));
        let mut at = Position::of_offset(before, before.len());
        for letter in piece.chars() {
            let place = Range { start: at, end: at };
            self.change(Some(place), &letter.to_string());
            match letter {
                '\n' => at = Position::new(at.line + 1, 0),
                letter => at.character += letter.len_utf16() as u32,
            }
            self.counts.letters += 1;
            self.ask(at, random);
            while self.waiting.len() > UNDER_WAY {
                let oldest = self.waiting.remove(0);
                self.answered(oldest);
            }
        }
    }

    fn change(&mut self, range: Option<Range>, text: &str) {
        self.version += 1;
        let text = text.to_owned();
        self.client
            .change(&self.uri, self.version, &[Change { range, text }]);
    }

    /// The requests of an editor after a key.
    fn ask(&mut self, at: Position, random: &mut Random) {
        let document = json!({"uri": self.uri});
        let around = json!({
            "start": {"line": at.line.saturating_sub(30), "character": 0},
            "end": {"line": at.line + 30, "character": 0},
        });
        self.request(
            "textDocument/inlayHint",
            json!({"textDocument": document, "range": around}),
        );
        let there = json!({"textDocument": document, "position": at});
        let whole = json!({"textDocument": document});
        match random.below(8) {
            0 => self.request("textDocument/hover", there),
            1 => self.request("textDocument/completion", there),
            2 => self.request("textDocument/signatureHelp", there),
            3 => self.request("textDocument/documentSymbol", whole),
            4 => self.request("textDocument/codeLens", whole),
            5 => {
                let context = json!({"diagnostics": []});
                self.request(
                    "textDocument/codeAction",
                    json!({"textDocument": document, "range": {"start": at, "end": at}, "context": context}),
                );
            }
            _ => {}
        }
    }

    fn request(&mut self, method: &str, params: Value) {
        let id = self.client.request(method, params);
        self.waiting.push(id);
    }

    fn answered(&mut self, id: i64) {
        self.counts.answered += 1;
        if let Err(error) = self.client.await_answer(id) {
            assert!(
                OVERTAKEN.contains(&error.code),
                "{}, after {} letters: {error:?}",
                self.uri,
                self.counts.letters
            );
            self.counts.overtaken += 1;
        }
    }

    fn finish(mut self) -> Counts {
        for id in std::mem::take(&mut self.waiting) {
            self.answered(id);
        }
        // A second answer is left over: the client fails on it when it is dropped.
        self.counts
    }
}
