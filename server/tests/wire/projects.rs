//! Files that depend on each other.

use cute_tests::client::Client;
use cute_tests::protocol::{Change, Position, Range};
use serde_json::json;

use crate::server;

const HEADER: &str = "#pragma once\nconstexpr int kSize = 8;\n";
const SOURCE: &str =
    "#include \"size.h\"\nusing namespace cute;\nauto tile = make_layout(Int<kSize>{});\n";

fn uri(folder: &tempfile::TempDir, name: &str) -> String {
    format!("file://{}/{name}", folder.path().display())
}

/// The labels of all hints of a document.
fn labels(client: &mut Client, uri: &str) -> Vec<String> {
    let hints = client.hints(uri, None);
    let label = |hint: &cute_tests::protocol::InlayHint| hint.label.as_str().map(str::to_owned);
    hints.iter().filter_map(label).collect()
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("size.h"), HEADER).expect("written");
    std::fs::write(folder.path().join("tile.cu"), SOURCE).expect("written");
    folder
}

#[test]
fn an_edit_of_a_header_refreshes_what_includes_it() {
    let folder = folder();
    let (source, header) = (uri(&folder, "tile.cu"), uri(&folder, "size.h"));
    let mut client = server().start();
    client.open(&source, SOURCE);
    let before = labels(&mut client, &source);
    assert!(
        before.iter().any(|label| label.contains("8:1")),
        "{before:?}"
    );
    client.await_diagnostics(&source, 1);
    client.open(&header, HEADER);
    client.await_refresh();
    let eight = Position::of_offset(HEADER, HEADER.find('8').expect("it is there"));
    let end = Position::new(eight.line, eight.character + 1);
    let change = Change {
        range: Some(Range { start: eight, end }),
        text: "32".to_owned(),
    };
    client.change(&header, 2, &[change]);
    client.await_refresh();
    let after = labels(&mut client, &source);
    assert!(
        after.iter().any(|label| label.contains("32:1")),
        "{after:?}"
    );
    client.forgive_unread();
}

#[test]
fn a_header_that_changes_or_vanishes_on_disk_is_noticed() {
    let folder = folder();
    let source = uri(&folder, "tile.cu");
    let mut client = server().start();
    client.open(&source, SOURCE);
    client.await_diagnostics(&source, 1);
    let changed = |client: &mut Client, kind: u32| {
        let changes = json!({ "changes": [{ "uri": uri(&folder, "size.h"), "type": kind }] });
        client.notify("workspace/didChangeWatchedFiles", changes);
        client.await_refresh();
    };
    std::fs::write(folder.path().join("size.h"), "constexpr int kSize = 128;\n").expect("written");
    changed(&mut client, 2);
    let after = labels(&mut client, &source);
    assert!(
        after.iter().any(|label| label.contains("128:1")),
        "{after:?}"
    );
    std::fs::remove_file(folder.path().join("size.h")).expect("removed");
    changed(&mut client, 3);
    let gone = labels(&mut client, &source);
    assert!(
        !gone.iter().any(|label| label.contains("128:1")),
        "{gone:?}"
    );
    client.forgive_unread();
}
