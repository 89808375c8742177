//! Edits apply in the order in which they arrive, and requests see those before them.

use serde_json::json;

use crate::{command, insertion, server, text_of};

const URI: &str = "file:///ordering.cu";

#[test]
fn row_1_a_thousand_edits_keep_their_order() {
    let mut client = server().start();
    client.open(URI, "");
    let mut expected = String::new();
    for number in 0..1_000 {
        let line = format!("// {number}\n");
        client.change(URI, number + 2, &[insertion(number as u32, 0, &line)]);
        expected.push_str(&line);
    }
    assert_eq!(text_of(&mut client, URI), expected);
}

#[test]
fn row_1b_edits_keep_their_order_while_all_workers_are_busy() {
    let mut client = server().start();
    client.open(URI, "");
    let busy: Vec<_> = (0..200)
        .map(|_| command(&mut client, "compute", &json!(2)))
        .collect();
    let mut expected = String::new();
    for number in 0..1_000 {
        let line = format!("// {number}\n");
        client.change(URI, number + 2, &[insertion(number as u32, 0, &line)]);
        expected.push_str(&line);
    }
    assert_eq!(text_of(&mut client, URI), expected);
    for id in busy {
        client.await_answer(id).expect("computed");
    }
}

#[test]
fn row_1c_forty_thousand_edits_of_eight_documents_keep_their_order() {
    let mut client = server().start();
    let uris: Vec<_> = (0..8)
        .map(|number| format!("file:///ordering/{number}.txt"))
        .collect();
    for uri in &uris {
        client.open_as(uri, "plaintext", "");
    }
    let mut expected = String::new();
    for number in 0..5_000 {
        let line = format!("{number}\n");
        for uri in &uris {
            client.change(uri, number + 2, &[insertion(number as u32, 0, &line)]);
        }
        expected.push_str(&line);
    }
    for uri in &uris {
        assert_eq!(text_of(&mut client, uri), expected, "{uri}");
    }
}

#[test]
fn row_1d_a_request_sees_exactly_the_edits_before_it() {
    let mut client = server().start();
    client.open(URI, "");
    let mut asked = Vec::new();
    let mut expected = String::new();
    for number in 0..300 {
        client.change(URI, number + 2, &[insertion(0, number as u32, "x")]);
        expected.push('x');
        let id = command(&mut client, "text", &json!(URI));
        asked.push((id, number + 2, expected.clone()));
    }
    for (id, version, expected) in asked {
        let copy = client.await_answer(id).expect("the text");
        assert_eq!(copy["text"], json!(expected));
        assert_eq!(copy["version"], json!(version));
    }
}
