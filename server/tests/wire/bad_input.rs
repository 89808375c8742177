//! Documents that are no sources.

use cute_tests::protocol::Change;
use serde_json::json;

use crate::{command, server, text_of};

#[test]
fn a_document_beyond_the_limit_is_told_and_served_again_when_it_shrinks() {
    let uri = "file:///large.cu";
    let mut client = server().start();
    client.open(uri, &"x".repeat(10_000_001));
    assert_eq!(client.await_log("are not analysed").level, 2);
    let id = command(&mut client, "text", &json!(uri));
    assert_eq!(
        client.await_answer(id).expect("the copy")["served"],
        json!(false)
    );
    client.change(
        uri,
        2,
        &[Change {
            range: None,
            text: "small".to_owned(),
        }],
    );
    assert_eq!(text_of(&mut client, uri), "small");
}
