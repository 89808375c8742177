//! The real binary, driven over its standard input and output.
//!
//! The tests named `row_..` are the defects that language servers on this library are known for,
//! one test each: what goes wrong without the care that `dispatch` describes.
#![allow(clippy::expect_used, reason = "a failed check panics")]

mod accesses;
mod actions;
mod bad_input;
mod documents;
mod edited;
mod faults;
mod features;
mod first;
mod frames;
mod late;
mod lifecycle;
mod load;
mod memory;
mod mutated;
mod notebooks;
mod ordering;
mod projects;
mod pull;
mod recorded;
mod requests;
mod runs;
mod slow_client;
mod together;
mod typing;
mod workspace;

use cute_tests::client::{Builder, Client};
use cute_tests::protocol::{Change, Position, Range};
use serde_json::{Value, json};

/// The server under test, with the commands that provoke faults. It waits until hints are those of the text as it is, so
/// that no test depends on how fast the machine is.
fn server() -> Builder {
    impatient_server().environment("CUTE_ANALYZER_TEST_PATIENCE", "15000")
}

/// The same, which answers hints in time as editors see it.
fn impatient_server() -> Builder {
    Builder::new(env!("CARGO_BIN_EXE_cute-analyzer")).environment("CUTE_ANALYZER_TEST_FAULTS", "1")
}

/// Sends a fault command; its answer is awaited with `await_answer`.
fn command(client: &mut Client, name: &str, argument: &Value) -> i64 {
    let params = json!({"command": format!("cute.test.{name}"), "arguments": [argument]});
    client.request("workspace/executeCommand", params)
}

/// The server's copy of a document.
fn text_of(client: &mut Client, uri: &str) -> String {
    let id = command(client, "text", &json!(uri));
    let copy = client.await_answer(id).expect("the text");
    copy["text"].as_str().expect("a text").to_owned()
}

/// Inserts `text` at a place.
fn insertion(line: u32, character: u32, text: &str) -> Change {
    let at = Position::new(line, character);
    Change {
        range: Some(Range { start: at, end: at }),
        text: text.to_owned(),
    }
}
