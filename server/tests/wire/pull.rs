//! Diagnostics that the client fetches.

use cute_tests::client::{Builder, Client};
use cute_tests::protocol::{Change, Diagnostic, Position, Range};
use serde_json::{Value, json};

use crate::server;

const URI: &str = "file:///pull.cu";

const WRONG: &str = "\
#include <cute/layout.hpp>
using namespace cute;
auto columns = make_layout(make_shape(Int<4>{}, Int<3>{}), make_stride(Int<3>{}, Int<1>{}));
auto picked = composition(columns, make_layout(Int<3>{}, Int<6>{}));
";

/// A client that fetches.
fn fetching() -> Builder {
    server()
        .capability("/textDocument/diagnostic", json!({}))
        .capability("/workspace/diagnostics", json!({"refreshSupport": true}))
}

fn fetch(client: &mut Client, uri: &str, previous: Option<&Value>) -> Value {
    let mut params = json!({"textDocument": {"uri": uri}});
    if let Some(previous) = previous {
        params["previousResultId"] = previous.clone();
    }
    client.call("textDocument/diagnostic", params)
}

fn rules(items: &Value) -> Vec<String> {
    let items: Vec<Diagnostic> = serde_json::from_value(items.clone()).expect("diagnostics");
    items.into_iter().filter_map(|item| item.code).collect()
}

/// Makes the step of 6 one of 4, which is legal.
fn mended() -> Change {
    let at = Position::of_offset(WRONG, WRONG.find("6>{}").expect("the step"));
    Change {
        range: Some(Range {
            start: at,
            end: Position::new(at.line, at.character + 1),
        }),
        text: "4".to_owned(),
    }
}

#[test]
fn findings_are_fetched_and_not_sent_as_well() {
    let mut client = fetching().start();
    client.open(URI, WRONG);
    let full = fetch(&mut client, URI, None);
    assert_eq!(full["kind"], "full");
    assert_eq!(rules(&full["items"]), ["stride-divisibility"]);

    let again = fetch(&mut client, URI, Some(&full["resultId"]));
    let unchanged = json!({"kind": "unchanged", "resultId": full["resultId"]});
    assert_eq!(again, unchanged);

    client.change(URI, 2, &[mended()]);
    let mended = fetch(&mut client, URI, Some(&full["resultId"]));
    assert_eq!(mended["kind"], "full");
    assert_eq!(mended["items"], json!([]));
    assert_ne!(mended["resultId"], full["resultId"]);
    client.close(URI);
    assert_eq!(fetch(&mut client, URI, None)["items"], json!([]));
    assert_eq!(client.spoken_to(), 0, "nothing was sent unasked");
}

#[test]
fn all_open_documents_are_fetched_at_once() {
    let mut client = fetching().start();
    client.open(URI, WRONG);
    client.open("file:///right.cu", "int x;\n");
    let report = client.call("workspace/diagnostic", json!({"previousResultIds": []}));
    let items = report["items"].as_array().expect("reports");
    let found: Vec<_> = items
        .iter()
        .map(|item| {
            (
                item["uri"].as_str(),
                item["version"].as_i64(),
                rules(&item["items"]),
            )
        })
        .collect();
    let wrong = vec!["stride-divisibility".to_owned()];
    assert_eq!(
        found,
        [
            (Some(URI), Some(1), wrong),
            (Some("file:///right.cu"), Some(1), vec![])
        ]
    );

    let previous: Vec<_> = items
        .iter()
        .map(|item| json!({"uri": item["uri"], "value": item["resultId"]}))
        .collect();
    client.change(URI, 2, &[mended()]);
    let again = client.call(
        "workspace/diagnostic",
        json!({"previousResultIds": previous}),
    );
    let kinds: Vec<_> = [0, 1].map(|at| again["items"][at]["kind"].as_str()).into();
    assert_eq!(kinds, [Some("full"), Some("unchanged")]);
}

#[test]
fn settings_that_change_have_the_findings_fetched_again() {
    let mut client = fetching().start();
    client.open(URI, WRONG);
    let full = fetch(&mut client, URI, None);
    let off = json!({"cute-analyzer": {"diagnostics": {"enable": false}}});
    client.notify("workspace/didChangeConfiguration", json!({"settings": off}));
    client.await_refresh_of("workspace/diagnostic/refresh");
    let none = fetch(&mut client, URI, Some(&full["resultId"]));
    assert_eq!(none["items"], json!([]));
}

#[test]
fn a_fetch_that_an_edit_overtakes_asks_to_be_repeated() {
    // Long enough that the edit comes while it is analysed.
    let mut text = WRONG.to_owned();
    let more =
        (0..4_000).map(|i| format!("auto more{i} = make_layout(make_shape(Int<4>{{}}, {i}));\n"));
    text.extend(more);
    let mut client = fetching().start();
    client.open(URI, &text);
    let id = client.request(
        "textDocument/diagnostic",
        json!({"textDocument": {"uri": URI}}),
    );
    client.change(URI, 2, &[mended()]);
    match client.await_answer(id) {
        Err(error) => assert_eq!(error.code, -32802, "{error:?}"),
        Ok(report) => assert_eq!(rules(&report["items"]), ["stride-divisibility"]),
    }
    let after = fetch(&mut client, URI, None);
    assert_eq!(after["items"], json!([]));
}

#[test]
fn the_code_of_a_finding_links_to_its_page() {
    let pages = json!({"diagnostics": {"rulePages": "https://example.org/rules/"}});
    let mut client = server()
        .capability(
            "/textDocument/publishDiagnostics/codeDescriptionSupport",
            json!(true),
        )
        .options(pages)
        .start();
    client.open(URI, WRONG);
    let found = client.await_diagnostics(URI, 1);
    assert_eq!(
        found[0].rest["codeDescription"]["href"],
        "https://example.org/rules/stride-divisibility.md"
    );
}
