//! Bytes that are not what the protocol says.

use cute_tests::streams::framed;
use serde_json::{Value, json};

use crate::{command, insertion, server, text_of};

/// Frames that are none, with the code of the error answer.
fn hostile_frames() -> Vec<(&'static str, Vec<u8>, i64)> {
    let deep = format!(
        r#"{{"jsonrpc":"2.0","method":"x","params":{}1"#,
        "[".repeat(200_000)
    );
    let header = |line: &str| format!("{line}\r\n\r\n{{}}").into_bytes();
    vec![
        (
            "broken JSON",
            framed(r#"{"jsonrpc":"2.0","method":"#),
            -32700,
        ),
        ("no JSON", framed("hello"), -32700),
        ("empty body", framed(""), -32700),
        ("only blanks", framed("  "), -32700),
        (
            "bytes that are not UTF-8",
            b"Content-Length: 2\r\n\r\n\xff\xfe".to_vec(),
            -32700,
        ),
        ("JSON nested without end", framed(&deep), -32700),
        ("an array", framed("[]"), -32600),
        ("a number", framed("42"), -32600),
        ("null", framed("null"), -32600),
        ("an empty object", framed("{}"), -32600),
        (
            "another version",
            framed(r#"{"jsonrpc":"1.0","method":"x"}"#),
            -32600,
        ),
        (
            "a method that is no text",
            framed(r#"{"jsonrpc":"2.0","method":7}"#),
            -32600,
        ),
        (
            "an id that is an object",
            framed(r#"{"jsonrpc":"2.0","id":{},"method":"x"}"#),
            -32600,
        ),
        (
            "params that are a number",
            framed(r#"{"jsonrpc":"2.0","method":"x","params":1}"#),
            -32600,
        ),
        (
            "a length that is no number",
            header("Content-Length: abc"),
            -32700,
        ),
        ("a negative length", header("Content-Length: -1"), -32700),
        (
            "a huge length",
            header("Content-Length: 99999999999999999999"),
            -32700,
        ),
        (
            "no length",
            header("Content-Type: application/json"),
            -32700,
        ),
        (
            "garbage",
            b"GET / HTTP/1.1\r\nHost\r\n\r\n".to_vec(),
            -32700,
        ),
        (
            "another charset",
            header("Content-Length: 2\r\nContent-Type: a; charset=utf-16"),
            -32700,
        ),
    ]
}

#[test]
fn row_8_hostile_frames_are_answered_and_survived() {
    let frames = hostile_frames();
    assert!(frames.len() >= 19);
    let mut client = server().start();
    for (what, bytes, code) in frames {
        client.send_bytes(&bytes);
        let refused = client.await_answer_to(&Value::Null);
        assert_eq!(refused.map_err(|error| error.code), Err(code), "{what}");
        let id = command(&mut client, "sleep", &json!(0));
        assert_eq!(client.await_answer(id), Ok(Value::Null), "after {what}");
    }
}

#[test]
fn a_length_that_swallows_the_next_frame_does_not_lose_it() {
    let mut client = server().start();
    client.send_bytes(b"Content-Length: 60\r\n\r\n{}");
    let id = command(&mut client, "sleep", &json!(0));
    assert_eq!(
        client
            .await_answer_to(&Value::Null)
            .map_err(|error| error.code),
        Err(-32700)
    );
    assert_eq!(client.await_answer(id), Ok(Value::Null));
}

#[test]
fn a_length_that_cuts_the_next_header_loses_the_request_that_had_it_alone() {
    let mut client = server().start();
    for too_long in 1..=20 {
        let header = format!("Content-Length: {}\r\n\r\n{{}}", 2 + too_long);
        client.send_bytes(header.as_bytes());
        let id = command(&mut client, "sleep", &json!(0));
        assert_eq!(
            client
                .await_answer_to(&Value::Null)
                .map_err(|error| error.code),
            Err(-32700)
        );
        assert_eq!(client.await_answer(id), Ok(Value::Null), "{too_long}");
    }
}

#[test]
fn row_9_header_names_ignore_case_and_other_headers_are_allowed() {
    let mut client = server().start();
    let body = json!({"jsonrpc": "2.0", "id": "x", "method": "workspace/executeCommand",
        "params": {"command": "cute.test.sleep", "arguments": [0]}});
    let length = body.to_string().len();
    for header in [
        format!("content-length: {length}\r\n\r\n"),
        format!("CONTENT-LENGTH:{length}\r\nX-One: 1\r\nX-Two: 2\r\n\r\n"),
        format!("Content-Type: application/vscode-jsonrpc\r\nContent-Length: {length}\r\n\r\n"),
        format!("Content-Length: {length}\r\nContent-Type: a/b; charset=utf8\r\n\r\n"),
        format!("Content-Length: {length}\n\n"),
    ] {
        client.send_behind(&header, &body);
        assert_eq!(
            client.await_answer_to(&json!("x")),
            Ok(Value::Null),
            "{header:?}"
        );
    }
}

#[test]
fn frames_may_arrive_byte_by_byte() {
    let mut client = server().start();
    let body = json!({"jsonrpc": "2.0", "id": 9, "method": "no/such"}).to_string();
    for byte in framed(&body) {
        client.send_bytes(&[byte]);
    }
    assert_eq!(
        client.await_answer(9).map_err(|error| error.code),
        Err(-32601)
    );
}

#[test]
fn row_10_an_unknown_request_is_answered_also_when_it_begins_with_a_dollar_sign() {
    let mut client = server().start();
    for method in [
        "$/no/such/method",
        "$/cancelRequest",
        "no/such/method",
        "textDocument/rename",
    ] {
        let id = client.request(method, json!({}));
        let code = client.await_answer(id).map_err(|error| error.code);
        assert!(matches!(code, Err(-32601 | -32602)), "{method}: {code:?}");
    }
}

#[test]
fn row_11_unknown_notifications_are_ignored() {
    let mut client = server().start();
    for method in [
        "$/no/such/method",
        "no/such/method",
        "textDocument/willSave",
        "$/setTrace",
    ] {
        client.notify(method, json!({"value": "off"}));
    }
    client.send(&json!({"jsonrpc": "2.0", "method": "no/params"}));
    let id = command(&mut client, "sleep", &json!(0));
    assert_eq!(client.await_answer(id), Ok(Value::Null));
}

#[test]
fn a_notification_sent_as_a_request_is_refused() {
    let mut client = server().start();
    for method in [
        "textDocument/didOpen",
        "textDocument/didChange",
        "initialized",
    ] {
        let id = client.request(method, json!({}));
        assert_eq!(
            client.await_answer(id).map_err(|error| error.code),
            Err(-32600),
            "{method}"
        );
    }
}

#[test]
fn row_12_a_change_that_cannot_be_read_is_logged_and_stops_the_serving_of_its_document() {
    let uri = "file:///changed.cu";
    for bad in [
        json!({"textDocument": {"uri": uri}}),
        json!({"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"range": 3}]}),
        json!({"textDocument": {"uri": uri, "version": 2}, "contentChanges": "x"}),
    ] {
        let mut client = server().start();
        client.open(uri, "first");
        client.notify("textDocument/didChange", bad);
        assert_eq!(client.await_log("textDocument/didChange").level, 1);
        assert_eq!(client.await_log("out of sync").level, 1);
        client.change(uri, 3, &[insertion(0, 0, "ignored ")]);
        let id = command(&mut client, "text", &json!(uri));
        assert_eq!(
            client.await_answer(id).expect("the copy")["served"],
            json!(false)
        );
        client.open(uri, "again");
        assert_eq!(text_of(&mut client, uri), "again");
    }
    let mut client = server().start();
    client.notify("textDocument/didChange", json!([1]));
    client.await_log("textDocument/didChange");
    client.change("file:///never-opened.cu", 1, &[]);
    client.await_log("is not open");
}

#[test]
fn row_14_large_and_textual_request_ids_come_back_as_they_were() {
    let mut client = server().start();
    for id in [
        json!(1_u64 << 31),
        json!(1_u64 << 40),
        json!(i64::MAX),
        json!(-5),
        json!(0),
        json!("é/1"),
    ] {
        let params = json!({"command": "cute.test.sleep", "arguments": [0]});
        let method = "workspace/executeCommand";
        client.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        assert_eq!(client.await_answer_to(&id), Ok(Value::Null), "{id}");
    }
}
