//! The server's copy of a document is the editor's text.

use cute_tests::protocol::{Change, Position, Range};
use serde_json::json;

use crate::{command, insertion, server, text_of};
use cute_tests::random::{Random, boundary};

const URI: &str = "file:///document.cu";

/// The starts of lines, as the protocol defines lines.
fn line_starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let mut starts = vec![0];
    for (at, byte) in bytes.iter().enumerate() {
        if *byte == b'\n' || (*byte == b'\r' && bytes.get(at + 1) != Some(&b'\n')) {
            starts.push(at + 1);
        }
    }
    starts
}

fn position(text: &str, offset: usize, encoding: &str) -> Position {
    let starts = line_starts(text);
    let line = starts
        .iter()
        .rposition(|start| *start <= offset)
        .expect("a line");
    let before = &text[starts[line]..offset];
    let column = match encoding {
        "utf-8" => before.len(),
        "utf-16" => before.encode_utf16().count(),
        _ => before.chars().count(),
    };
    Position::new(line as u32, column as u32)
}

#[test]
fn random_edits_leave_the_same_text_in_every_encoding() {
    let pieces = [
        "a", "é", "𝛼", "😀", "\n", "\r\n", "\r", "\u{2028}", "\u{c}", "x = 1;\n", "\t", "",
    ];
    for (seed, encoding) in [
        (1, "utf-16"),
        (2, "utf-8"),
        (3, "utf-32"),
        (4, "utf-16"),
        (5, "utf-8"),
    ] {
        let mut random = Random::new(seed);
        let mut client = server()
            .capability("/general/positionEncodings", json!([encoding]))
            .start();
        let mut text = "first\r\nsecond é\rthird 😀\n".to_owned();
        client.open(URI, &text);
        for version in 2..400 {
            let mut changes = Vec::new();
            for _ in 0..=random.below(3) {
                let start = boundary(&text, random.below(text.len() + 1));
                let end = boundary(&text, start + random.below(8)).max(start);
                let mut new = String::new();
                for _ in 0..random.below(4) {
                    new.push_str(pieces[random.below(pieces.len())]);
                }
                let range = Range {
                    start: position(&text, start, encoding),
                    end: position(&text, end, encoding),
                };
                text.replace_range(start..end, &new);
                changes.push(Change {
                    range: Some(range),
                    text: new,
                });
            }
            client.change(URI, version, &changes);
            if version % 40 == 0 {
                assert_eq!(
                    text_of(&mut client, URI),
                    text,
                    "{encoding}, version {version}"
                );
            }
        }
        assert_eq!(text_of(&mut client, URI), text, "{encoding}");
    }
}

#[test]
fn a_change_without_a_range_is_the_whole_text() {
    let mut client = server().start();
    client.open(URI, "old");
    client.change(
        URI,
        2,
        &[
            Change {
                range: None,
                text: "new é".to_owned(),
            },
            insertion(0, 5, "!"),
        ],
    );
    assert_eq!(text_of(&mut client, URI), "new é!");
}

#[test]
fn a_lone_surrogate_keeps_the_positions_right() {
    let mut client = server().start();
    client.open(URI, "ab");
    let params = format!(
        r#"{{"textDocument":{{"uri":"{URI}","version":2}},"contentChanges":[{{"range":{{"start":{{"line":0,"character":1}},"end":{{"line":0,"character":1}}}},"text":"\ud83d"}}]}}"#
    );
    let body =
        format!(r#"{{"jsonrpc":"2.0","method":"textDocument/didChange","params":{params}}}"#);
    client.send_bytes(&cute_tests::streams::framed(&body));
    client.change(URI, 3, &[insertion(0, 2, "x")]);
    assert_eq!(text_of(&mut client, URI), "a\u{fffd}xb");
}

#[test]
fn a_senseless_range_is_told_and_waits_for_the_whole_text() {
    let at = Position::new;
    for (start, end, reason) in [
        (
            at(7, 0),
            at(7, 0),
            "begins at 8:1, but the document has 2 lines",
        ),
        (at(0, 3), at(0, 1), "begins at 1:4 ends before"),
        (at(0, 2), at(0, 3), "cuts the character at 1:3"),
    ] {
        let mut client = server().start();
        client.open(URI, "a😀b\n");
        let change = Change {
            range: Some(Range { start, end }),
            text: "x".to_owned(),
        };
        client.change(URI, 2, &[change]);
        let log = client.await_log("out of sync");
        assert!(
            log.message.contains(reason) && log.message.contains(URI),
            "{}",
            log.message
        );
        client.change(URI, 3, &[insertion(0, 0, "x")]);
        let id = command(&mut client, "text", &json!(URI));
        assert_eq!(
            client.await_answer(id).expect("the copy")["served"],
            json!(false)
        );
        client.change(
            URI,
            4,
            &[Change {
                range: None,
                text: "whole".to_owned(),
            }],
        );
        client.await_log("in sync again");
        assert_eq!(text_of(&mut client, URI), "whole");
    }
}

#[test]
fn a_closed_document_is_forgotten() {
    let mut client = server().start();
    client.open(URI, "text");
    client.close(URI);
    let id = command(&mut client, "text", &json!(URI));
    assert!(client.await_answer(id).expect("an answer").is_null());
    client.close(URI);
}
