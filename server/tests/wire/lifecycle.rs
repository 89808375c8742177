//! The beginning and the end of a server's life.

use std::time::Duration;

use cute_tests::streams::framed;
use serde_json::{Value, json};

use crate::{command, server};

#[test]
fn row_2_exit_ends_the_process_while_the_input_is_open() {
    let mut client = server().start();
    let id = client.request("shutdown", Value::Null);
    assert_eq!(client.await_answer(id), Ok(Value::Null));
    let (status, took) = client.exit();
    assert_eq!(status.code(), Some(0));
    assert!(took < Duration::from_secs(2), "{took:?}");
}

#[test]
fn row_3_exit_without_shutdown_has_code_1() {
    let mut client = server().start();
    assert_eq!(client.exit().0.code(), Some(1));
    let mut client = server().uninitialized().start();
    assert_eq!(client.exit().0.code(), Some(1));
}

#[test]
fn the_end_of_input_ends_the_process() {
    let mut client = server().start();
    assert_eq!(client.hang_up().code(), Some(1));
    let mut client = server().start();
    client.call("shutdown", Value::Null);
    assert_eq!(client.hang_up().code(), Some(0));
}

#[test]
#[cfg(target_os = "linux")]
fn the_end_of_the_clients_process_ends_the_server() {
    let mut editor = std::process::Command::new("sleep")
        .arg("600")
        .spawn()
        .expect("`sleep`");
    let mut client = server().uninitialized().start();
    client.call(
        "initialize",
        json!({"processId": editor.id(), "capabilities": {}}),
    );
    editor.kill().expect("the process");
    editor.wait().expect("the process");
    client.await_log("has ended");
    assert_eq!(client.wait().code(), Some(1));
}

#[test]
fn shutdown_is_answered_even_when_exit_follows_at_once() {
    let mut client = server().start();
    let id = client.request("shutdown", json!({}));
    assert_eq!(client.exit().0.code(), Some(0));
    assert_eq!(client.await_answer(id), Ok(Value::Null));
}

#[test]
fn both_ways_to_start_the_server_work() {
    let mut client = server().argument("lsp").start();
    assert_eq!(client.shutdown().code(), Some(0));
}

#[test]
fn what_the_server_says_of_itself() {
    let mut client = server().uninitialized().start();
    let result = client.initialize(Value::Null);
    assert_eq!(result["serverInfo"]["name"], "cute-analyzer");
    assert_eq!(result["capabilities"]["positionEncoding"], "utf-16");
    assert_eq!(
        result["capabilities"]["textDocumentSync"],
        json!({"openClose": true, "change": 2, "save": true})
    );
}

#[test]
fn requests_before_initialize_are_refused_and_notifications_ignored() {
    let mut client = server().uninitialized().start();
    for method in [
        "textDocument/hover",
        "shutdown",
        "no/such/method",
        "$/no/such/method",
    ] {
        let id = client.request(method, json!({}));
        assert_eq!(
            client.await_answer(id).map_err(|error| error.code),
            Err(-32002),
            "{method}"
        );
    }
    client.open("file:///early.cu", "");
    client.initialize(Value::Null);
    let id = command(&mut client, "text", &json!("file:///early.cu"));
    assert_eq!(client.await_answer(id), Ok(Value::Null));
}

#[test]
fn nothing_is_said_before_the_client_has_introduced_itself() {
    let mut client = server().uninitialized().start();
    client.send_bytes(&framed("no JSON"));
    assert!(client.await_answer_to(&Value::Null).is_err());
    client.notify("textDocument/didChange", json!({}));
    let options = json!({"assume": ["M=512"], "hints": {"enable": false}});
    let params = json!({"capabilities": {"workspace": {"inlayHint": {"refreshSupport": true}}},
        "initializationOptions": options});
    let id = client.request("initialize", params);
    assert!(client.await_answer(id).is_ok());
    let id = client.request("shutdown", Value::Null);
    assert!(client.await_answer(id).is_ok());
    assert_eq!(client.spoken_to(), 0);
    assert_eq!(client.exit().0.code(), Some(0));
}

#[test]
fn a_failed_initialize_can_be_repeated_and_a_second_one_is_refused() {
    let mut client = server().uninitialized().start();
    let id = client.request("initialize", json!({"capabilities": 3}));
    assert_eq!(
        client.await_answer(id).map_err(|error| error.code),
        Err(-32602)
    );
    client.initialize(Value::Null);
    let id = client.request("initialize", json!({"capabilities": {}}));
    assert_eq!(
        client.await_answer(id).map_err(|error| error.code),
        Err(-32600)
    );
}

#[test]
fn requests_after_shutdown_are_refused() {
    let mut client = server().start();
    client.call("shutdown", Value::Null);
    for method in [
        "textDocument/hover",
        "shutdown",
        "initialize",
        "no/such/method",
    ] {
        let id = client.request(method, json!({}));
        assert_eq!(
            client.await_answer(id).map_err(|error| error.code),
            Err(-32600),
            "{method}"
        );
    }
    assert_eq!(client.exit().0.code(), Some(0));
}

#[test]
fn the_fault_commands_exist_only_when_the_environment_asks_for_them() {
    let mut client = server()
        .environment("CUTE_ANALYZER_TEST_FAULTS", "0")
        .start();
    let id = command(&mut client, "panic", &Value::Null);
    assert_eq!(
        client.await_answer(id).map_err(|error| error.code),
        Err(-32601)
    );
}
