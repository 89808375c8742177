//! Keys in a file of a project: from each change to the hints of the lines around it, as an editor waits for them.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::client::{Builder, Client};
use crate::load::shown_around;
use crate::protocol::{Change, Position, Range};

/// The longest wait for the work behind an answer, and the pause between two looks at it.
const SETTLING: Duration = Duration::from_secs(120);
const PAUSE: Duration = Duration::from_millis(500);
/// Processor time in a pause below which a server is idle.
const IDLE: Duration = Duration::from_millis(5);

/// A place where a person types.
#[derive(Debug, Clone)]
pub struct Typist {
    /// The folder of the workspace.
    pub root: PathBuf,
    /// The file.
    pub file: PathBuf,
    /// The `languageId` of the file.
    pub language: String,
    /// Part of the line behind which a new one is typed.
    pub behind: String,
    /// The statement that is typed, again and again.
    pub typed: String,
}

/// The measurements; each list is sorted.
#[derive(Debug, Clone, Default)]
pub struct Keys {
    /// From the opening of the file to the hints of the lines that are shown, once per start.
    pub opened: Vec<Duration>,
    /// From a key to these hints.
    pub clock: Vec<Duration>,
    /// Processor time of the server from a key to the next one.
    pub processor: Vec<Duration>,
    /// The smallest number of hints that an answer to a key had.
    pub hints: usize,
    /// The most resident memory of the server, in bytes.
    pub resident: u64,
}

/// Starts the server `starts` times; in the last one, types `keys` characters.
///
/// # Panics
/// When the server ends or does not answer, the file cannot be read, or the line is not in it.
pub fn measure(binary: &Path, typist: &Typist, starts: usize, keys: usize) -> Keys {
    let text = std::fs::read_to_string(&typist.file).expect("the file can be read");
    let mut lines = text.lines().enumerate();
    let found = lines.find(|(_, line)| line.contains(&typist.behind));
    let (line, indent) = found.map_or_else(
        || panic!("`{}` is not in the file", typist.behind),
        |(index, line)| {
            let indent = line.len() - line.trim_start().len();
            (index as u32 + 1, &line[..indent])
        },
    );
    let uri = format!("file://{}", typist.file.display());
    let mut measured = Keys {
        hints: usize::MAX,
        ..Keys::default()
    };
    for start in 1..=starts {
        let mut client = Builder::new(binary)
            .argument("lsp")
            .root(&format!("file://{}", typist.root.display()))
            .start();
        let began = Instant::now();
        client.open_as(&uri, &typist.language, &text);
        client.hints(&uri, Some(shown_around(line)));
        measured.opened.push(began.elapsed());
        if start == starts {
            settle(&client);
            let mut editor = Editor {
                client: &mut client,
                uri: &uri,
                version: 1,
                line,
            };
            editor.replace(0, 0, &format!("{indent}\n"));
            settle(editor.client);
            editor.types(&typist.typed, indent.len() as u32, keys, &mut measured);
            measured.resident = client.most_resident_bytes().unwrap_or_default();
        }
        client.forgive_unread();
    }
    measured.opened.sort_unstable();
    measured.clock.sort_unstable();
    measured.processor.sort_unstable();
    measured
}

/// Waits until the server has nothing to do.
fn settle(client: &Client) {
    let until = Instant::now() + SETTLING;
    let mut before = client.processor_time();
    while Instant::now() < until {
        std::thread::sleep(PAUSE);
        let now = client.processor_time();
        if now.saturating_sub(before) < IDLE {
            return;
        }
        before = now;
    }
}

/// A file that is being edited.
struct Editor<'c> {
    client: &'c mut Client,
    uri: &'c str,
    version: i32,
    line: u32,
}

impl Editor<'_> {
    /// Replaces a part of the line, by its first and last column.
    fn replace(&mut self, from: u32, to: u32, text: &str) {
        self.version += 1;
        let range = Some(Range {
            start: Position::new(self.line, from),
            end: Position::new(self.line, to),
        });
        let text = text.to_owned();
        self.client
            .change(self.uri, self.version, &[Change { range, text }]);
    }

    /// Types a statement from a column on, and takes it back when it is complete.
    fn types(&mut self, statement: &str, column: u32, keys: usize, measured: &mut Keys) {
        let mut end = column;
        let mut processor = self.client.processor_time();
        for key in statement.chars().cycle().take(keys) {
            if end == column + statement.chars().count() as u32 {
                self.replace(column, end, "");
                settle(self.client);
                processor = self.client.processor_time();
                end = column;
            }
            let began = Instant::now();
            self.replace(end, end, &key.to_string());
            let hints = self.client.hints(self.uri, Some(shown_around(self.line)));
            measured.clock.push(began.elapsed());
            measured.hints = measured.hints.min(hints.len());
            let now = self.client.processor_time();
            measured.processor.push(now.saturating_sub(processor));
            processor = now;
            end += 1;
        }
    }
}
