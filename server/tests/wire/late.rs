//! Hints never fail for time: until those of the text as it is are there, those of the version before are at their moved
//! places, marked inside of what was edited, and the client is told when others are known.

use std::fmt::Write as _;

use cute_tests::client::{Builder, Client};
use cute_tests::protocol::{Change, Position, Range};
use serde_json::json;

use crate::{command, impatient_server};

const TEXT: &str = "using namespace cute;
void first() {
  auto rows = make_layout(Int<8>{});
  auto columns = make_layout(Int<4>{}, Int<2>{});
}
void second() {
  auto other = make_layout(Int<16>{});
}
";

const URI: &str = "file:///late.cu";

/// A server that waits for nothing where an earlier version has hints.
fn hasty_server() -> Builder {
    impatient_server().environment("CUTE_ANALYZER_TEST_PATIENCE", "0")
}

/// Number of computations that take all workers of the server, and their length.
const WORKERS: usize = cute_analyzer::limits::WORKERS;
const HELD: u64 = 60_000;

/// Takes all workers, so that no analysis can be there in time.
fn hold(client: &mut Client) -> Vec<i64> {
    let held = (0..WORKERS).map(|_| command(client, "compute", &json!(HELD)));
    let held = held.collect();
    let mut computing = json!(0);
    while computing != json!(WORKERS) {
        let id = command(client, "computing", &json!(null));
        computing = client.await_answer(id).expect("a number");
    }
    held
}

/// Gives them back.
fn release(client: &mut Client, held: Vec<i64>) {
    for id in held {
        client.notify("$/cancelRequest", json!({"id": id}));
        client.await_answer(id).expect_err("cancelled");
    }
}

/// The line and the label of each hint.
fn labels(client: &mut Client) -> Vec<(u32, String)> {
    let hints = client.hints(URI, None);
    let labels = hints.iter().map(|hint| {
        let label = hint.label.as_str().unwrap_or_default();
        (hint.position.line, label.to_owned())
    });
    labels.collect()
}

fn said(expected: &[(u32, &str)]) -> Vec<(u32, String)> {
    let expected = expected.iter();
    expected
        .map(|(line, label)| (*line, (*label).to_owned()))
        .collect()
}

fn opened(server: Builder) -> (Client, String) {
    let mut client = server.start();
    client.open(URI, TEXT);
    client.await_diagnostics(URI, 1);
    let before = [(2, "8:1"), (3, "4:2"), (6, "16:1")];
    assert_eq!(labels(&mut client), said(&before));
    (client, TEXT.to_owned())
}

/// Puts a text in the place of the first of some others.
fn edit(client: &mut Client, text: &mut String, version: i32, of: &str, with: &str) {
    let at = text.find(of).expect("the text is there");
    let range = Range {
        start: Position::of_offset(text, at),
        end: Position::of_offset(text, at + of.len()),
    };
    text.replace_range(at..at + of.len(), with);
    let change = Change {
        range: Some(range),
        text: with.to_owned(),
    };
    client.change(URI, version, &[change]);
}

#[test]
fn hints_are_at_their_moved_places_and_marked_in_the_edited_declaration() {
    let (mut client, mut text) = opened(hasty_server());
    let held = hold(&mut client);
    edit(
        &mut client,
        &mut text,
        2,
        "void first",
        "int line;\nvoid first",
    );
    edit(&mut client, &mut text, 3, "Int<8>", "Int<32>");
    let late = [(3, "8:1…"), (4, "4:2…"), (7, "16:1")];
    assert_eq!(labels(&mut client), said(&late));
    release(&mut client, held);
    client.await_refresh();
    let now = [(3, "32:1"), (4, "4:2"), (7, "16:1")];
    assert_eq!(labels(&mut client), said(&now));
    client.forgive_unread();
}

#[test]
fn a_hint_goes_with_its_name() {
    let (mut client, mut text) = opened(hasty_server());
    let held = hold(&mut client);
    edit(&mut client, &mut text, 2, "columns", "c");
    let late = [(2, "8:1…"), (6, "16:1")];
    assert_eq!(labels(&mut client), said(&late));
    release(&mut client, held);
    client.await_refresh();
    let now = [(2, "8:1"), (3, "4:2"), (6, "16:1")];
    assert_eq!(labels(&mut client), said(&now));
    client.forgive_unread();
}

#[test]
fn a_client_that_cannot_be_told_waits_for_the_hints_of_its_text() {
    let unrefreshed = hasty_server().capability("/workspace/inlayHint", json!({}));
    let (mut client, mut text) = opened(unrefreshed);
    edit(&mut client, &mut text, 2, "Int<8>", "Int<32>");
    let now = [(2, "32:1"), (3, "4:2"), (6, "16:1")];
    assert_eq!(labels(&mut client), said(&now));
    client.forgive_unread();
}

#[test]
fn the_views_of_a_document_are_all_told() {
    let (mut client, mut text) = opened(hasty_server());
    let held = hold(&mut client);
    edit(&mut client, &mut text, 2, "Int<16>", "Int<64>");
    let lines = |start, end| {
        Some(Range {
            start: Position::new(start, 0),
            end: Position::new(end, 0),
        })
    };
    // The view that changes is not the one that is requested last.
    let below = client.hints(URI, lines(5, 8));
    assert_eq!(below.len(), 1);
    let above = client.hints(URI, lines(0, 4));
    assert_eq!(above.len(), 2);
    release(&mut client, held);
    client.await_refresh();
    let now = [(2, "8:1"), (3, "4:2"), (6, "64:1")];
    assert_eq!(labels(&mut client), said(&now));
    client.forgive_unread();
}

#[test]
fn what_the_first_units_do_not_make_does_not_keep_a_client_waiting() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "#pragma once
using namespace cute;
template <int N> auto late() { auto last = make_layout(Int<N>{}); return last; }
";
    std::fs::write(folder.path().join("cute-analyzer.toml"), "").expect("written");
    std::fs::write(folder.path().join("tile.h"), text).expect("written");
    // What all units do takes long.
    let mut layouts = String::new();
    for index in 0..400 {
        let _ = writeln!(
            layouts,
            "auto a{index} = make_layout(Int<{index}>{{}}, Int<8>{{}});"
        );
    }
    for user in 0..64 {
        let late = if user == 63 { "late<77>();" } else { "" };
        let text = format!("#include \"tile.h\"\nvoid run() {{\n{layouts}{late} }}\n");
        let name = format!("user{user:02}.cu");
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    let uri = format!("file://{}/tile.h", folder.path().display());
    let mut client = hasty_server().start();
    client.open(&uri, text);
    // Only the last unit makes an instance.
    assert!(client.hints(&uri, None).is_empty());
    client.await_refresh();
    let hints = client.hints(&uri, None);
    let labels = hints.iter().map(|hint| hint.label.as_str());
    assert_eq!(labels.collect::<Vec<_>>(), [Some("77:1")]);
    client.forgive_unread();
}
