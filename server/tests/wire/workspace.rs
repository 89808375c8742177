//! The whole workspace checked: files that no one has opened.

use cute_tests::client::{Builder, Client};
use serde_json::{Value, json};

use crate::server;

const WRONG: &str = "using namespace cute;\nauto t = logical_divide(Layout<_10>{}, Int<4>{});\n";

/// A folder with a wrong file, a right one, a Rust one and `more` others.
fn folder(more: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("written");
    };
    write("wrong.cu", WRONG);
    write(
        "right.cu",
        "using namespace cute;\nauto t = Layout<_8>{};\n",
    );
    write(
        "wrong.rs",
        "use cute_algebra::{layout, ops::logical_divide, tiler};\n\
         fn f() { let t = logical_divide(&layout!(10:1), &tiler!(4)); }\n",
    );
    for index in 0..more {
        write(&format!("more{index}.cu"), WRONG);
    }
    folder
}

fn uri(folder: &tempfile::TempDir, name: &str) -> String {
    format!("file://{}/{name}", folder.path().display())
}

/// A client whose workspace is the folder.
fn started(server: Builder, folder: &tempfile::TempDir, capabilities: &Value) -> Client {
    let mut client = server.uninitialized().start();
    let root = format!("file://{}", folder.path().display());
    let params = json!({"processId": null, "rootUri": root, "capabilities": capabilities});
    client.call("initialize", params);
    client.notify("initialized", json!({}));
    client
}

fn check() -> Value {
    json!({"command": "cute.checkWorkspace", "workDoneToken": "mine"})
}

#[test]
fn closed_files_are_checked_and_their_findings_published() {
    let folder = folder(0);
    let mut client = started(server(), &folder, &json!({}));
    let id = client.request("workspace/executeCommand", check());
    let kind = |wanted: &'static str| move |params: &Value| params["value"]["kind"] == wanted;
    let begun = client.await_notification("$/progress", kind("begin"));
    assert_eq!(begun["token"], "mine");
    assert_eq!(begun["value"]["cancellable"], true);
    client.await_notification("$/progress", kind("end"));
    let tally = client.await_answer(id).expect("a tally");
    assert_eq!(tally, json!({"files": 3, "errors": 0, "warnings": 2}));
    let found = client.published(&uri(&folder, "wrong.cu"));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(client.published(&uri(&folder, "right.cu")).len(), 0);
    // One that changes on disk is not what was checked any more.
    let change = json!({"uri": uri(&folder, "wrong.cu"), "type": 2});
    client.notify(
        "workspace/didChangeWatchedFiles",
        json!({"changes": [change]}),
    );
    // What comes behind the notification is answered behind its effect.
    client.call("workspace/diagnostic", json!({"previousResultIds": []}));
    assert_eq!(client.published(&uri(&folder, "wrong.cu")).len(), 0);
    client.forgive_unread();
}

#[test]
fn every_folder_is_checked_by_the_rules_of_its_own_project() {
    let (one, other) = (folder(0), folder(0));
    let silent = "[rules]\nover-covers = 'off'\n";
    std::fs::write(other.path().join("cute-analyzer.toml"), silent).expect("written");
    let mut client = server().uninitialized().start();
    let place = |folder: &tempfile::TempDir, inside: &str| json!({"uri": uri(folder, inside), "name": inside});
    // A folder inside of another one is not checked twice.
    std::fs::create_dir(one.path().join("inner")).expect("a folder");
    std::fs::write(one.path().join("inner/wrong.cu"), WRONG).expect("written");
    let folders = json!([place(&one, ""), place(&one, "inner"), place(&other, "")]);
    let params = json!({"processId": null, "workspaceFolders": folders, "capabilities": {}});
    client.call("initialize", params);
    client.notify("initialized", json!({}));
    let tally = client.call("workspace/executeCommand", check());
    assert_eq!(tally, json!({"files": 7, "errors": 0, "warnings": 3}));
    let found = |client: &Client, folder, name| client.published(&uri(folder, name)).len();
    assert_eq!(found(&client, &one, "wrong.cu"), 1);
    assert_eq!(found(&client, &one, "inner/wrong.cu"), 1);
    assert_eq!(found(&client, &other, "wrong.cu"), 0);
    // An open file follows its own project too; one outside of all folders the first one's.
    client.open(&uri(&other, "wrong.cu"), WRONG);
    assert_eq!(
        client.await_diagnostics(&uri(&other, "wrong.cu"), 1).len(),
        0
    );
    client.open("file:///outside/wrong.cu", WRONG);
    assert_eq!(
        client
            .await_diagnostics("file:///outside/wrong.cu", 1)
            .len(),
        1
    );
    // Without the first folders the last one's rules are everybody's.
    let event = json!({"added": [], "removed": [place(&one, ""), place(&one, "inner")]});
    client.notify(
        "workspace/didChangeWorkspaceFolders",
        json!({"event": event}),
    );
    client.change(
        "file:///outside/wrong.cu",
        2,
        &[crate::insertion(0, 0, "\n")],
    );
    assert_eq!(
        client
            .await_diagnostics("file:///outside/wrong.cu", 2)
            .len(),
        0
    );
    let tally = client.call("workspace/executeCommand", check());
    assert_eq!(tally["files"], 2, "the open one is checked anyway");
    client.forgive_unread();
}

#[test]
fn a_client_that_fetches_gets_those_of_closed_files_too() {
    let folder = folder(0);
    let capabilities = json!({"textDocument": {"diagnostic": {}}});
    let mut client = started(server(), &folder, &capabilities);
    client.open(&uri(&folder, "right.cu"), "int x;\n");
    client.call(
        "workspace/executeCommand",
        json!({"command": "cute.checkWorkspace"}),
    );
    let report = client.call("workspace/diagnostic", json!({"previousResultIds": []}));
    let items = report["items"].as_array().expect("reports");
    let found: Vec<_> = items
        .iter()
        .map(|item| {
            let count = item["items"].as_array().map_or(0, Vec::len);
            (
                item["uri"].as_str().unwrap_or_default(),
                item["version"].as_i64(),
                count,
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            (uri(&folder, "right.cu").as_str(), Some(1), 0),
            (uri(&folder, "wrong.cu").as_str(), None, 1),
            (uri(&folder, "wrong.rs").as_str(), None, 1),
        ]
    );
    // An open document speaks for itself.
    client.open(&uri(&folder, "wrong.cu"), "int x;\n");
    let report = client.call("workspace/diagnostic", json!({"previousResultIds": []}));
    let items = report["items"].as_array().expect("reports");
    let wrong = items
        .iter()
        .find(|item| item["uri"] == uri(&folder, "wrong.cu"));
    assert_eq!(wrong.expect("it is there")["items"], json!([]));
    client.forgive_unread();
}

#[test]
fn a_check_with_progress_of_its_own_can_be_cancelled() {
    let folder = folder(300);
    let capabilities = json!({"window": {"workDoneProgress": true}});
    let mut client = started(server(), &folder, &capabilities);
    let done = client.call(
        "workspace/executeCommand",
        json!({"command": "cute.checkWorkspace"}),
    );
    assert_eq!(done, Value::Null, "it is answered at once");
    let (id, params) = client.await_request("window/workDoneProgress/create");
    let token = params["token"].clone();
    client.reply(&id, &Value::Null);
    client.await_notification("$/progress", |params| params["value"]["kind"] == "begin");
    client.notify("window/workDoneProgress/cancel", json!({"token": token}));
    let end = client.await_notification("$/progress", |params| params["value"]["kind"] == "end");
    assert_eq!(end["token"], token);
    client.forgive_unread();
}

#[test]
fn without_a_folder_there_is_nothing_to_check() {
    let mut client = server().start();
    let id = client.request(
        "workspace/executeCommand",
        json!({"command": "cute.checkWorkspace"}),
    );
    let refused = client.await_answer(id).expect_err("refused");
    assert_eq!(refused.code, -32602);
}

#[test]
fn an_instance_is_written_into_the_project_file_and_the_file_is_opened() {
    let folder = tempfile::tempdir().expect("a folder");
    let capabilities = json!({
        "workspace": {"workspaceEdit": {"documentChanges": true, "resourceOperations": ["create"]}},
        "window": {"showDocument": {"support": true}},
    });
    let mut client = started(server(), &folder, &capabilities);
    let command = json!({
        "command": "cute.addInstance",
        "arguments": [{"function": "tile", "parameters": ["T", "kM"]}],
    });
    client.call("workspace/executeCommand", command);
    let (id, asked) = client.await_request("workspace/applyEdit");
    let changes = &asked["edit"]["documentChanges"];
    assert_eq!(changes[0]["kind"], "create");
    let text = &changes[1]["edits"][0]["newText"];
    assert_eq!(text, "instances = [\"tile<T, kM>\"]\n");
    client.reply(&id, &json!({"applied": true}));
    let (id, shown) = client.await_request("window/showDocument");
    assert_eq!(shown["uri"], uri(&folder, "cute-analyzer.toml"));
    client.reply(&id, &json!({"success": true}));
    client.shutdown();
}
