//! A client that does not read what the server writes.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::{command, insertion, server, text_of};

#[test]
fn row_13_a_client_that_does_not_read_is_still_read() {
    let uri = "file:///slow.cu";
    let mut client = server().start();
    client.open(uri, &"// a line\n".repeat(10_000));
    client.stop_reading();
    // 40 answers of 100 KB each and 8 MB of input: far beyond any pipe.
    let answers: Vec<_> = (0..40)
        .map(|_| command(&mut client, "text", &json!(uri)))
        .collect();
    for version in 2..130 {
        client.change(uri, version, &[insertion(0, 0, &"x".repeat(64 << 10))]);
    }
    client.resume_reading();
    for id in answers {
        let copy = client.await_answer(id).expect("the text");
        assert_eq!(copy["text"].as_str().map(str::len), Some(100_000));
    }
    assert_eq!(text_of(&mut client, uri).len(), 100_000 + 128 * (64 << 10));
}

#[test]
fn answers_that_nobody_reads_are_not_computed() {
    let uri = "file:///hints.cu";
    let layout = "auto l = make_layout(make_shape(Int<128>{}, Int<8>{}));\n";
    let mut client = server().start();
    client.open(uri, &format!("void f() {{\n{}}}\n", layout.repeat(300)));
    assert_eq!(client.hints(uri, None).len(), 300);
    client.stop_reading();
    let params = json!({
        "textDocument": {"uri": uri},
        "range": {"start": {"line": 0, "character": 0}, "end": {"line": 400, "character": 0}},
    });
    let ids: Vec<_> = (0..9_990)
        .map(|_| client.request("textDocument/inlayHint", params.clone()))
        .collect();
    // One that waits for its turn is cancelled as any other.
    let cancelled = ids[9_000];
    client.notify("$/cancelRequest", json!({"id": cancelled}));
    std::thread::sleep(Duration::from_secs(10));
    client.resume_reading();
    let mut computed = 0;
    for id in ids {
        match client.await_answer(id) {
            Ok(hints) => {
                assert_eq!(hints.as_array().map(Vec::len), Some(300));
                computed += 1;
            }
            Err(error) if id == cancelled => assert_eq!(error.code, -32800),
            Err(error) => assert_eq!(error.code, -32803, "{error:?}"),
        }
    }
    assert!(computed > 32, "{computed}");
    // What came too late for its time is said.
    client.forgive_unread();
    if let Some(most) = client.most_resident_bytes() {
        assert!(most < 300 << 20, "{most} bytes");
    }
}

#[test]
fn exit_does_not_wait_for_a_client_that_does_not_read() {
    let uri = "file:///slow.cu";
    let mut client = server().start();
    client.open(uri, &"// a line\n".repeat(100_000));
    client.stop_reading();
    let mut ids: Vec<_> = (0..4)
        .map(|_| command(&mut client, "text", &json!(uri)))
        .collect();
    ids.push(client.request("shutdown", Value::Null));
    let started = Instant::now();
    let (status, _) = client.exit();
    assert_eq!(status.code(), Some(0));
    assert!(
        started.elapsed() < Duration::from_secs(5),
        "{:?}",
        started.elapsed()
    );
    // What the pipe held is read so that nothing counts as forgotten.
    client.resume_reading();
    client.forgive_unread();
}

#[test]
fn a_client_that_does_not_read_standard_error_stops_nothing() {
    let mut client = server().stderr_unread().start();
    for number in 0..5_000 {
        client.change(&format!("file:///not-open/{number}.cu"), 1, &[]);
    }
    let id = command(&mut client, "sleep", &json!(0));
    assert_eq!(client.await_answer(id), Ok(Value::Null));
    for number in 0..5_000 {
        client.await_log(&format!("/{number}.cu was changed, but is not open"));
    }
}

#[test]
fn requests_beyond_the_limit_are_refused_and_each_has_one_answer() {
    let mut client = server().start();
    let ids: Vec<_> = (0..10_050)
        .map(|_| command(&mut client, "sleep", &json!(3_000)))
        .collect();
    let answers: Vec<_> = ids.into_iter().map(|id| client.await_answer(id)).collect();
    let refused = answers.iter().filter(|answer| answer.is_err()).count();
    assert!((1..=50).contains(&refused), "{refused}");
    let codes = answers.iter().filter_map(|answer| answer.as_ref().err());
    assert!(codes.map(|error| error.code).all(|code| code == -32803));
}
