//! Values that a run recorded: hints and hovers, what an edit leaves of them, and where there are none.

use std::fs;

use cute_tests::client::Client;
use cute_tests::protocol::Position;
use serde_json::{Value, json};

use crate::{insertion, server};

const TEXT: &str =
    "import cutlass.cute as cute\ndef f(x):\n    a = unknown(x)\n    b = unknown(a)\n";

/// The CRC-32 of `TEXT` and of two of its lines, as Python computes them.
const SUMS: [u32; 3] = [0x2b4e_8cb4, 0x5767_0645, 0xb006_8a86];

/// A folder with a source and a recording of it.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let recorded = folder.path().join(".cute-analyzer/recorded");
    fs::create_dir_all(&recorded).expect("a folder");
    let source = folder.path().join("kernel.py");
    fs::write(&source, TEXT).expect("written");
    let row = |line: usize, name: &str, text: &str| {
        json!({
            "file": 0, "line": line, "column": 4, "crc32": SUMS[line - 2], "name": name,
            "role": "variable", "function": "f", "kind": "Layout", "text": text, "count": 1,
        })
    };
    let all = json!({
        "version": 1, "command": ["python", "kernel.py"], "date": "2026-11-23 10:42",
        "dsl": "4.8.1", "python": "3.11.7", "untraced": [], "left_out": 0,
        "files": [{"path": source, "crc32": SUMS[0]}],
        "rows": [row(3, "a", "(4,8):(1,4)"), row(4, "b", "8:1")],
    });
    fs::write(recorded.join("7.json"), all.to_string()).expect("written");
    folder
}

fn started(folder: &tempfile::TempDir, options: &Value) -> (Client, String) {
    let mut client = server().uninitialized().start();
    let root = format!("file://{}", folder.path().display());
    let params = json!({
        "processId": null, "rootUri": root, "capabilities": {}, "initializationOptions": options,
    });
    client.call("initialize", params);
    client.notify("initialized", json!({}));
    let uri = format!("{root}/kernel.py");
    client.open_as(&uri, "python", TEXT);
    (client, uri)
}

fn labels(client: &mut Client, uri: &str) -> Vec<String> {
    let whole = json!({"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}});
    let params = json!({"textDocument": {"uri": uri}, "range": whole});
    let hints = client.call("textDocument/inlayHint", params);
    let hints = hints.as_array().cloned().unwrap_or_default();
    let label = |hint: &Value| hint["label"].as_str().expect("a label").to_owned();
    hints.iter().map(label).collect()
}

fn hover(client: &mut Client, uri: &str, line: u32) -> String {
    let at = Position::new(line, 4);
    let params = json!({"textDocument": {"uri": uri}, "position": at});
    client.call("textDocument/hover", params).to_string()
}

#[test]
fn recorded_values_are_dated_and_marked_after_an_edit() {
    let folder = folder();
    let (mut client, uri) = started(&folder, &json!({}));
    let shown = ["(4,8):(1,4) (recorded)", "8:1 (recorded)"];
    assert_eq!(labels(&mut client, &uri), shown);
    let fresh = hover(&mut client, &uri, 2);
    assert!(fresh.contains("(4,8):(1,4)"), "{fresh}");
    assert!(fresh.contains("recorded 2026-11-23 10:42 from"), "{fresh}");
    assert!(!fresh.contains("edited since"), "{fresh}");
    // A new first line, and another argument of the second binding.
    client.change(
        &uri,
        2,
        &[insertion(3, 17, ", 1"), insertion(0, 0, "# new\n")],
    );
    let shown = ["(4,8):(1,4) (recorded before an edit)"];
    assert_eq!(labels(&mut client, &uri), shown);
    let stale = hover(&mut client, &uri, 3);
    assert!(stale.contains("The file was edited since"), "{stale}");
    client.shutdown();
}

#[test]
fn nothing_recorded_is_shown_in_a_workspace_that_is_not_trusted() {
    let folder = folder();
    let (mut client, uri) = started(&folder, &json!({"trusted": false}));
    assert_eq!(labels(&mut client, &uri), [] as [&str; 0]);
    let silent = hover(&mut client, &uri, 2);
    assert!(!silent.contains("recorded"), "{silent}");
    client.shutdown();
}

#[test]
fn a_recording_that_changes_on_disk_is_read_again() {
    let folder = folder();
    let (mut client, uri) = started(&folder, &json!({}));
    assert_eq!(labels(&mut client, &uri).len(), 2);
    let path = folder.path().join(".cute-analyzer/recorded/7.json");
    fs::write(&path, "no recording").expect("written");
    let change = json!({"uri": format!("file://{}", path.display()), "type": 2});
    client.notify(
        "workspace/didChangeWatchedFiles",
        json!({"changes": [change]}),
    );
    assert_eq!(labels(&mut client, &uri).len(), 0);
    client.shutdown();
}
