//! The cost of a long day: answers in a large file, many open files, many edits.

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::{Builder, Client};
use crate::protocol::{Change, Position, Range};

/// Lines that an editor shows at one time.
const SHOWN_LINES: u32 = 60;

/// The waits of an editor in one file; each list is sorted.
#[derive(Debug, Clone, Default)]
pub struct Waits {
    /// A hover, nothing having changed.
    pub hover: Vec<Duration>,
    /// From an edit to the hints of the whole file.
    pub hints_after_edit: Vec<Duration>,
    /// From a character typed in the middle of the file to the hints of the lines that are shown
    /// around it.
    pub shown_hints_after_edit: Vec<Duration>,
    /// From an edit to the findings of the whole file, fetched.
    pub findings_after_edit: Vec<Duration>,
}

/// Resident bytes of the server.
#[derive(Debug, Clone, Copy, Default)]
pub struct Memory {
    /// Before anything is open.
    pub idle: u64,
    /// With all files open and their findings fetched.
    pub open: u64,
    /// After a first tenth of the edits.
    pub early: u64,
    /// After all edits.
    pub late: u64,
}

/// A source of this many lines: functions with five layouts each.
pub fn large_source(lines: usize) -> String {
    let mut text = String::from("#include <cute/layout.hpp>\nusing namespace cute;\n");
    for index in 0.. {
        let _ = write!(
            text,
            "void step{index}(int M, int ldA)\n{{\n\
             \x20 auto tile = make_layout(make_shape(Int<128>{{}}, Int<{extent}>{{}}));\n\
             \x20 auto rows = make_layout(make_shape(M, Int<64>{{}}), make_stride(ldA, Int<1>{{}}));\n\
             \x20 auto parts = logical_divide(tile, make_tile(Int<32>{{}}, Int<4>{{}}));\n\
             \x20 auto every = composition(tile, make_layout(Int<64>{{}}, Int<2>{{}}));\n\
             \x20 auto rest = complement(make_layout(Int<8>{{}}, Int<4>{{}}), Int<256>{{}});\n\
             }}\n",
            extent = 8 * (1 + index % 4),
        );
        if text.lines().count() >= lines {
            break;
        }
    }
    text
}

/// The lines that an editor shows around one.
pub(crate) fn shown_around(line: u32) -> Range {
    Range {
        start: Position::new(line.saturating_sub(SHOWN_LINES / 2), 0),
        end: Position::new(line + SHOWN_LINES / 2, 0),
    }
}

fn fetching(binary: &Path) -> Client {
    let mut client = Builder::new(binary)
        .argument("lsp")
        .capability("/textDocument/diagnostic", json!({}))
        // Hints are then answered from the text as it is, however long that takes.
        .capability("/workspace/inlayHint", json!({"refreshSupport": false}))
        .start();
    client.forgive_unread();
    client
}

fn findings(client: &mut Client, uri: &str) {
    client.call(
        "textDocument/diagnostic",
        json!({"textDocument": {"uri": uri}}),
    );
}

/// A comment of one line at the beginning, or its removal.
fn edit(removed: bool) -> Change {
    let end = Position::new(u32::from(removed), 0);
    Change {
        range: Some(Range {
            start: Position::new(0, 0),
            end,
        }),
        text: if removed { "" } else { "// edited\n" }.to_owned(),
    }
}

/// Hovers `rounds` times, and as often edits and asks right behind the edit.
///
/// # Panics
/// When the server ends, or does not answer, or has nothing to show at the place.
pub fn waits(binary: &Path, text: &str, hover_at: &str, rounds: usize) -> Waits {
    let uri = "file:///load/large.cu";
    let mut client = fetching(binary);
    client.open(uri, text);
    let offset = text.find(hover_at).expect("the place is in the text");
    let position = Position::of_offset(text, offset);
    assert!(client.hover(uri, position).is_some(), "nothing is shown");
    findings(&mut client, uri);
    let mut waits = Waits::default();
    let mut version = 1;
    let mut changed = |client: &mut Client| {
        version += 1;
        client.change(uri, version, &[edit(version % 2 == 1)]);
    };
    for _ in 0..rounds {
        let started = Instant::now();
        client.hover(uri, position);
        waits.hover.push(started.elapsed());
    }
    for _ in 0..rounds {
        let started = Instant::now();
        changed(&mut client);
        client.hints(uri, None);
        waits.hints_after_edit.push(started.elapsed());
        let started = Instant::now();
        changed(&mut client);
        findings(&mut client, uri);
        waits.findings_after_edit.push(started.elapsed());
    }
    waits.shown_hints_after_edit = keystrokes(&mut client, uri, text, version, rounds);
    for list in [
        &mut waits.hover,
        &mut waits.hints_after_edit,
        &mut waits.shown_hints_after_edit,
        &mut waits.findings_after_edit,
    ] {
        list.sort_unstable();
    }
    waits
}

/// Types a space behind a statement in the middle of the file, or takes it away, and asks for the
/// hints around it.
fn keystrokes(
    client: &mut Client,
    uri: &str,
    text: &str,
    version: i32,
    rounds: usize,
) -> Vec<Duration> {
    let middle = text.len() / 2;
    let behind = text.get(middle..).and_then(|rest| rest.find(";\n"));
    let start = Position::of_offset(text, middle + behind.unwrap_or_default() + 1);
    let shown = shown_around(start.line);
    let typed = (0..rounds as i32).map(|round| {
        let removed = round % 2 == 1;
        let end = Position::new(start.line, start.character + u32::from(removed));
        let text = if removed { "" } else { " " }.to_owned();
        let range = Some(Range { start, end });
        let started = Instant::now();
        client.change(uri, version + 1 + round, &[Change { range, text }]);
        client.hints(uri, Some(shown));
        started.elapsed()
    });
    typed.collect()
}

/// Opens `files`, fetches the findings of each, and edits the last one `edits` times.
///
/// # Panics
/// When the server ends or does not answer, or the system does not tell its memory.
pub fn memory(binary: &Path, files: &[String], edits: usize) -> Memory {
    let mut client = fetching(binary);
    let resident = |client: &Client| client.resident_bytes().expect("the memory of the server");
    let mut memory = Memory {
        idle: resident(&client),
        ..Memory::default()
    };
    let uri = |index: usize| format!("file:///load/{index}.cu");
    for (index, text) in files.iter().enumerate() {
        client.open(&uri(index), text);
    }
    for index in 0..files.len() {
        findings(&mut client, &uri(index));
    }
    memory.open = resident(&client);
    let last = uri(files.len().saturating_sub(1));
    for number in 0..edits {
        client.change(&last, number as i32 + 2, &[edit(number % 2 == 1)]);
        if number % 50 == 0 {
            client.hints(&last, None);
        }
        if number == edits / 10 {
            findings(&mut client, &last);
            memory.early = resident(&client);
        }
    }
    findings(&mut client, &last);
    memory.late = resident(&client);
    memory
}
