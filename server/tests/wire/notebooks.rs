//! Notebooks: cells of Python are one module, in order.

use cute_tests::client::Client;
use serde_json::{Value, json};

use crate::server;

const NOTEBOOK: &str = "file:///project/kernels.ipynb";

fn cell(name: &str) -> String {
    format!("vscode-notebook-cell:/project/kernels.ipynb#{name}")
}

fn document(name: &str, text: &str) -> Value {
    json!({"uri": cell(name), "languageId": "python", "version": 1, "text": text})
}

/// A notebook with a cell of text between two of code.
fn opened() -> Client {
    let mut client = server().start();
    let code = |name: &str| json!({"kind": 2, "document": cell(name)});
    client.notify(
        "notebookDocument/didOpen",
        json!({
            "notebookDocument": {
                "uri": NOTEBOOK,
                "notebookType": "jupyter-notebook",
                "version": 1,
                "cells": [code("a"), {"kind": 1, "document": cell("t")}, code("b"), code("c")],
            },
            "cellTextDocuments": [
                document("a", "%pip install nvidia-cutlass-dsl\nimport cutlass.cute as cute\nrows = 8"),
                json!({"uri": cell("t"), "languageId": "markdown", "version": 1, "text": "# Layouts\n\nof rows"}),
                document("b", "tile = cute.make_layout((rows, 4))\n"),
                document("c", "%%bash\necho tile = {"),
            ],
        }),
    );
    client
}

/// The hints of a cell, each with its line.
fn hints(client: &mut Client, name: &str, lines: u32) -> Vec<(u64, String)> {
    let range =
        json!({"start": {"line": 0, "character": 0}, "end": {"line": lines, "character": 0}});
    let asked = json!({"textDocument": {"uri": cell(name)}, "range": range});
    let found = client.call("textDocument/inlayHint", asked);
    let found = found.as_array().cloned().unwrap_or_default();
    found
        .iter()
        .map(|hint| {
            let label = match &hint["label"] {
                Value::String(label) => label.clone(),
                parts => parts[0]["value"].as_str().unwrap_or_default().to_owned(),
            };
            (hint["position"]["line"].as_u64().unwrap_or(99), label)
        })
        .collect()
}

#[test]
fn a_cell_knows_what_the_cells_before_it_declare() {
    let mut client = opened();
    let found = hints(&mut client, "b", 2);
    let [(0, label)] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert!(label.contains("(8,4):(1,8)"), "{label}");
    // Hints of the module in other cells are not shown in this one.
    let first = hints(&mut client, "a", 3);
    assert!(first.iter().all(|(line, _)| *line < 3), "{first:?}");
    assert_eq!(hints(&mut client, "c", 2), []);
    let hover = client.call(
        "textDocument/hover",
        json!({"textDocument": {"uri": cell("b")}, "position": {"line": 0, "character": 1}}),
    );
    assert!(hover.to_string().contains("(8,4):(1,8)"), "{hover}");
    assert_eq!(hover["range"]["start"]["line"], 0);
}

#[test]
fn a_change_of_one_cell_changes_those_behind_it() {
    let mut client = opened();
    let change = |client: &mut Client, version: i32, cells: Value| {
        client.notify(
            "notebookDocument/didChange",
            json!({
                "notebookDocument": {"uri": NOTEBOOK, "version": version},
                "change": {"cells": cells},
            }),
        );
    };
    let range = json!({"start": {"line": 2, "character": 7}, "end": {"line": 2, "character": 8}});
    let edit = json!([{"document": {"uri": cell("a"), "version": 2}, "changes": [{"range": range, "text": "16"}]}]);
    change(&mut client, 2, json!({"textContent": edit}));
    let found = hints(&mut client, "b", 2);
    assert!(found[0].1.contains("(16,4):(1,16)"), "{found:?}");
    // A new cell before it that says something else.
    let structure = json!({
        "array": {"start": 2, "deleteCount": 0, "cells": [{"kind": 2, "document": cell("n")}]},
        "didOpen": [document("n", "rows = 2\n# two lines")],
    });
    change(&mut client, 3, json!({"structure": structure}));
    let found = hints(&mut client, "b", 2);
    assert!(
        found[0].0 == 0 && found[0].1.contains("(2,4):(1,2)"),
        "{found:?}"
    );
    // It is taken away.
    let structure =
        json!({"array": {"start": 2, "deleteCount": 1}, "didClose": [{"uri": cell("n")}]});
    change(&mut client, 4, json!({"structure": structure}));
    let found = hints(&mut client, "b", 2);
    assert!(found[0].1.contains("(16,4):(1,16)"), "{found:?}");
    client.notify(
        "notebookDocument/didClose",
        json!({"notebookDocument": {"uri": NOTEBOOK}}),
    );
    assert_eq!(hints(&mut client, "b", 2), []);
}

#[test]
fn findings_stand_in_the_cell_that_has_them() {
    let mut client = opened();
    client.notify(
        "notebookDocument/didChange",
        json!({
            "notebookDocument": {"uri": NOTEBOOK, "version": 2},
            "change": {"cells": {"textContent": [{
                "document": {"uri": cell("b"), "version": 2},
                "changes": [{"text": "\nwrong = cute.logical_divide(cute.make_layout((8, 4)), 5)"}],
            }]}},
        }),
    );
    let found = client.await_diagnostics(&cell("b"), 2);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].range.start.line, 1);
    assert_eq!(client.published(&cell("a")), []);
}
