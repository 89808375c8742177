//! The waits of an editor for a language server, measured over the wire.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::client::{Builder, Client};
use crate::protocol::{Change, Position, Range};

/// A server and the questions to it.
#[derive(Debug, Clone)]
pub struct Subject {
    /// The executable.
    pub binary: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The `languageId` of the file.
    pub language: String,
    /// The file's text.
    pub text: String,
    /// The name of the file, as the server shall see it.
    pub file: PathBuf,
    /// The place of the hover: the beginning of the first occurrence of this text.
    pub hover_at: String,
}

/// The measurements; each list is sorted.
#[derive(Debug, Clone, Default)]
pub struct Latencies {
    /// From the start of the process to the answer of the first hover, once per start.
    pub first_hover: Vec<Duration>,
    /// From sending an edit, with a hover right behind it, to the answer of the hover.
    pub hover_after_edit: Vec<Duration>,
}

impl Latencies {
    /// The `percent` percentile of a sorted list: the smallest value that this many do not exceed.
    pub fn percentile(sorted: &[Duration], percent: usize) -> Option<Duration> {
        let rank = (sorted.len() * percent).div_ceil(100).max(1);
        sorted.get(rank - 1).copied()
    }
}

/// A client of a freshly started server.
fn started_server(subject: &Subject) -> Client {
    // Hints are then answered from the text as it is, however long that takes.
    let server = Builder::new(&subject.binary).capability(
        "/workspace/inlayHint",
        serde_json::json!({"refreshSupport": false}),
    );
    let arguments = subject.arguments.iter();
    arguments
        .fold(server, |server, argument| server.argument(argument))
        .start()
}

/// Starts the server `starts` times; in the last one edits the file `edits` times, each time on
/// another line, and hovers right after each edit.
///
/// # Panics
/// When the server ends, or does not answer, or has nothing to show at the place.
pub fn measure(subject: &Subject, starts: usize, edits: usize) -> Latencies {
    let uri = format!("file://{}", subject.file.display());
    let offset = subject
        .text
        .find(&subject.hover_at)
        .expect("the text to hover at is in the file");
    let mut position = Position::of_offset(&subject.text, offset);
    let mut latencies = Latencies::default();
    for start in 1..=starts {
        let started = Instant::now();
        let mut client = started_server(subject);
        client.open_as(&uri, &subject.language, &subject.text);
        let hover = client.hover(&uri, position);
        latencies.first_hover.push(started.elapsed());
        assert!(
            hover.is_some(),
            "nothing is shown at `{}`",
            subject.hover_at
        );
        if start == starts {
            for edit in 0..edits {
                // A comment of growing length in the first lines: the lines below move down.
                let at = Position::new(edit as u32, 0);
                let change = Change {
                    range: Some(Range { start: at, end: at }),
                    text: format!("// edit {edit}\n"),
                };
                let started = Instant::now();
                client.change(&uri, edit as i32 + 2, &[change]);
                position.line += 1;
                let hover = client.hover(&uri, position);
                latencies.hover_after_edit.push(started.elapsed());
                assert!(hover.is_some(), "nothing is shown after edit {edit}");
            }
        }
        client.forgive_unread();
    }
    latencies.first_hover.sort_unstable();
    latencies.hover_after_edit.sort_unstable();
    latencies
}

/// From the start of the process to the answer of `initialize`, `starts` times; sorted.
///
/// # Panics
/// When the server ends, or does not answer.
pub fn until_ready(subject: &Subject, starts: usize) -> Vec<Duration> {
    let mut times: Vec<Duration> = (0..starts)
        .map(|_| {
            let started = Instant::now();
            let mut client = started_server(subject);
            let time = started.elapsed();
            client.forgive_unread();
            time
        })
        .collect();
    times.sort_unstable();
    times
}

/// From the start of the process to the hints of the whole file, `starts` times; sorted.
///
/// # Panics
/// When the server ends, or does not answer, or has no hint.
pub fn first_hints(subject: &Subject, starts: usize) -> Vec<Duration> {
    let uri = format!("file://{}", subject.file.display());
    let mut times: Vec<Duration> = (0..starts)
        .map(|_| {
            let started = Instant::now();
            let mut client = started_server(subject);
            client.open_as(&uri, &subject.language, &subject.text);
            let hints = client.hints(&uri, None);
            let time = started.elapsed();
            assert!(!hints.is_empty(), "no hints");
            client.forgive_unread();
            time
        })
        .collect();
    times.sort_unstable();
    times
}

/// The binary of this project in the profile `profile` (`debug`, `release`), if it was built.
pub fn built_binary(workspace: &Path, profile: &str) -> Option<PathBuf> {
    let name = format!("cute-analyzer{}", std::env::consts::EXE_SUFFIX);
    let path = workspace.join("target").join(profile).join(name);
    path.is_file().then_some(path)
}
