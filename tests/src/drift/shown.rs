//! The output of a server for a document: hints, lenses, findings, and hovers at some places.

use serde_json::{Value, json};

use crate::client::Client;
use crate::protocol::Position;
use crate::random::{Random, tokens};

/// Places that are hovered over in a document, besides those with hints.
const HOVERS: usize = 8;

/// Number of repetitions of a question that an analysis of another version overtook.
const ASKED: usize = 50;

/// Rows of a difference that are printed.
const ROWS: usize = 6;

/// The output, as text: one row for each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) hints: Vec<String>,
    lenses: Vec<String>,
    findings: Vec<String>,
    hovers: Vec<String>,
}

impl Shown {
    /// The output for a document. Lenses and findings come first: they wait until all is known.
    pub(super) fn of(client: &mut Client, uri: &str, places: &[Position]) -> Self {
        let document = json!({"textDocument": {"uri": uri}});
        let lenses = rows(&asked(client, "textDocument/codeLens", &document));
        let findings = asked(client, "textDocument/diagnostic", &document);
        let all = json!({"start": {"line": 0, "character": 0}, "end": {"line": i32::MAX, "character": 0}});
        let params = json!({"textDocument": {"uri": uri}, "range": all});
        let mut hints = asked(client, "textDocument/inlayHint", &params);
        for hint in hints.as_array_mut().into_iter().flatten() {
            // The version is part of it, and differs.
            hint.as_object_mut().map(|hint| hint.remove("data"));
        }
        let mut hovers = Vec::new();
        for place in places {
            let params = json!({"textDocument": {"uri": uri}, "position": place});
            let hover = asked(client, "textDocument/hover", &params);
            hovers.push(format!(
                "{}:{} {hover}",
                place.line + 1,
                place.character + 1
            ));
        }
        Self {
            hints: rows(&hints),
            lenses,
            findings: rows(&findings["items"]),
            hovers,
        }
    }
}

/// The beginnings of some words, always the same of one text and seed.
pub(super) fn places(text: &str, random: &mut Random) -> Vec<Position> {
    let words: Vec<_> = tokens(text)
        .into_iter()
        .filter(|it| text[it.clone()].starts_with(char::is_alphabetic))
        .collect();
    let chosen = (0..HOVERS).filter_map(|_| random.one_of(&words));
    chosen
        .map(|word| Position::of_offset(text, word.start))
        .collect()
}

/// The answer to a question, which is repeated where a newer version came between.
fn asked(client: &mut Client, method: &str, params: &Value) -> Value {
    let mut last = String::new();
    for _ in 0..ASKED {
        let id = client.request(method, params.clone());
        match client.await_answer(id) {
            Ok(answer) => return answer,
            Err(error) => last = format!("{error:?}"),
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    json!({ "error": last })
}

fn rows(answer: &Value) -> Vec<String> {
    match answer {
        Value::Array(rows) => rows.iter().map(Value::to_string).collect(),
        Value::Null => Vec::new(),
        other => vec![other.to_string()],
    }
}

/// The differences of a document, by kind: rows that only one of both has.
pub(super) fn differences(file: &str, edited: &Shown, fresh: &Shown) -> Vec<String> {
    let kinds = [
        ("hints", &edited.hints, &fresh.hints),
        ("lenses", &edited.lenses, &fresh.lenses),
        ("findings", &edited.findings, &fresh.findings),
        ("hovers", &edited.hovers, &fresh.hovers),
    ];
    let differing = kinds
        .into_iter()
        .filter(|(_, edited, fresh)| edited != fresh);
    differing
        .map(|(kind, edited, fresh)| {
            let only = |these: &[String], others: &[String]| {
                let rows = these.iter().filter(|row| !others.contains(row));
                let rows: Vec<String> = rows.take(ROWS).map(|row| format!("\n    {row}")).collect();
                rows.concat()
            };
            format!(
                "{file}: {kind} differ ({} edited, {} fresh)\n  edited only:{}\n  fresh only:{}",
                edited.len(),
                fresh.len(),
                only(edited, fresh),
                only(fresh, edited)
            )
        })
        .collect()
}
