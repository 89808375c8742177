//! One request's trouble is its own.

use std::time::{Duration, Instant};

use cute_tests::client::Client;
use serde_json::{Value, json};

use crate::{command, server};

/// The time limit of an answer that nothing may hold up, on a busy machine.
const SOON: Duration = Duration::from_secs(1);

fn quick_answer(client: &mut Client) -> Duration {
    let started = Instant::now();
    let id = command(client, "compute", &json!(0));
    client.await_answer(id).expect("an answer");
    started.elapsed()
}

#[test]
fn row_4_a_panic_costs_one_request_and_is_logged_with_its_method() {
    for kind in ["panic", "panicOnWorker"] {
        let mut client = server().start();
        for _ in 0..3 {
            let id = command(&mut client, kind, &Value::Null);
            assert_eq!(
                client.await_answer(id).map_err(|error| error.code),
                Err(-32603)
            );
            let log = client.await_log("provoked by a test");
            assert!(
                log.message.contains("workspace/executeCommand"),
                "{}",
                log.message
            );
            assert_eq!(log.level, 1);
        }
        assert!(quick_answer(&mut client) < SOON);
        assert_eq!(client.shutdown().code(), Some(0));
        assert!(client.stderr().contains("provoked by a test"));
    }
}

#[test]
fn row_5_slow_requests_do_not_hold_up_a_quick_one() {
    let mut client = server().start();
    let slow: Vec<_> = (0..4)
        .map(|_| command(&mut client, "sleep", &json!(2_000)))
        .collect();
    assert!(quick_answer(&mut client) < SOON);
    for id in slow {
        client.await_answer(id).expect("slept");
    }
}

#[test]
fn row_5b_computing_requests_do_not_hold_up_a_quick_one() {
    let mut client = server().start();
    let slow: Vec<_> = (0..4)
        .map(|_| command(&mut client, "compute", &json!(2_000)))
        .collect();
    assert!(quick_answer(&mut client) < SOON);
    for id in slow {
        client.await_answer(id).expect("computed");
    }
}

#[test]
fn row_6_a_queued_request_is_cancelled_at_once() {
    let mut client = server().start();
    // More than there are workers, so that the last ones wait for a turn.
    let ids: Vec<_> = (0..40)
        .map(|_| command(&mut client, "compute", &json!(10_000)))
        .collect();
    let started = Instant::now();
    for id in ids.iter().rev() {
        client.notify("$/cancelRequest", json!({"id": id}));
        assert_eq!(
            client.await_answer(*id).map_err(|error| error.code),
            Err(-32800)
        );
    }
    assert!(started.elapsed() < SOON, "{:?}", started.elapsed());
    // The workers are free again, as their work was told to stop.
    assert!(quick_answer(&mut client) < SOON);
}

#[test]
fn row_6b_the_last_of_many_requests_is_cancelled_while_the_first_ones_run() {
    let mut client = server().start();
    let first: Vec<_> = (0..4)
        .map(|_| command(&mut client, "sleep", &json!(1_500)))
        .collect();
    let last = command(&mut client, "sleep", &json!(60_000));
    let started = Instant::now();
    client.notify("$/cancelRequest", json!({"id": last}));
    assert_eq!(
        client.await_answer(last).map_err(|error| error.code),
        Err(-32800)
    );
    assert!(started.elapsed() < SOON);
    for id in first {
        client.await_answer(id).expect("slept");
    }
}

#[test]
fn a_request_that_takes_too_long_is_answered_and_its_worker_freed() {
    let mut client = server().start();
    let slow = command(&mut client, "compute", &json!(600_000));
    let answer = client.await_answer(slow);
    assert_eq!(answer.map_err(|error| error.code), Err(-32803));
    client.await_log("took longer than 20 s");
    // The answer counts the others that still compute.
    let id = command(&mut client, "compute", &json!(50));
    assert_eq!(client.await_answer(id), Ok(json!(0)));
}

#[test]
fn cancelling_what_is_answered_or_unknown_does_nothing() {
    let mut client = server().start();
    let id = command(&mut client, "sleep", &json!(0));
    client.await_answer(id).expect("slept");
    for id in [
        json!(id),
        json!(4_711),
        json!("text"),
        Value::Null,
        json!({}),
    ] {
        client.notify("$/cancelRequest", json!({"id": id}));
    }
    client.notify("$/cancelRequest", json!({}));
    assert!(quick_answer(&mut client) < SOON);
}

#[test]
fn row_7_requests_that_wait_for_the_client_stop_nothing() {
    let mut client = server().start();
    let waiting: Vec<_> = (0..8)
        .map(|_| command(&mut client, "ask", &Value::Null))
        .collect();
    let queued: Vec<_> = (0..3_000)
        .map(|_| command(&mut client, "sleep", &json!(0)))
        .collect();
    for id in queued {
        client.await_answer(id).expect("an answer");
    }
    for _ in &waiting {
        let (id, _) = client.await_request("workspace/workspaceFolders");
        client.reply(&id, &json!([{"uri": "file:///a", "name": "a"}]));
    }
    for id in waiting {
        let folders = client.await_answer(id).expect("the reply");
        assert_eq!(folders[0]["name"], "a");
    }
}

#[test]
fn replies_that_nobody_waits_for_are_ignored() {
    let mut client = server().start();
    for id in [json!(0), json!(99), json!("x"), Value::Null] {
        client.reply(&id, &Value::Null);
        let error = json!({"code": -32601, "message": "no"});
        client.send(&json!({"jsonrpc": "2.0", "id": id, "error": error}));
    }
    assert!(quick_answer(&mut client) < SOON);
}

#[test]
fn a_second_request_with_an_id_in_use_is_refused_and_the_first_is_answered() {
    let mut client = server().start();
    let id = command(&mut client, "sleep", &json!(300));
    let params = json!({"command": "cute.test.sleep", "arguments": [0]});
    let method = "workspace/executeCommand";
    client.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
    assert_eq!(
        client.await_answer(id).map_err(|error| error.code),
        Err(-32600)
    );
    assert_eq!(client.await_answer(id), Ok(Value::Null));
}
