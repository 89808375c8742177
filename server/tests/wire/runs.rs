//! Runs of layouts: lenses, answers, hovers, and when nothing runs.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use cute_tests::client::Client;
use cute_tests::protocol::Position;
use cute_tests::stand_in;
use serde_json::{Value, json};

use crate::{insertion, server};

const URI: &str = "file:///orders.cu";

const ORDERS: &str = "\
#include <cute/layout.hpp>
using namespace cute;
void f() {
  // cute: run
  auto rows = make_layout(Shape<_8,_4>{}, LayoutRight{});
  // cute: run copy dst=rows
  auto columns = make_layout(Shape<_8,_4>{});
}
// cute: run banks
// lanes: (_32):(_32)
";

/// The code of an error that the request has failed.
const REQUEST_FAILED: i64 = -32803;

/// The lenses that run something.
fn running(client: &mut Client, uri: &str) -> Vec<Value> {
    let lenses = client.call(
        "textDocument/codeLens",
        json!({"textDocument": {"uri": uri}}),
    );
    let lenses = lenses.as_array().cloned().expect("lenses").into_iter();
    let runs = |lens: &Value| lens["command"]["command"] == "cute.run";
    lenses.filter(runs).collect()
}

fn titles(client: &mut Client, uri: &str) -> Vec<String> {
    let lenses = running(client, uri);
    let title = |lens: &Value| {
        lens["command"]["title"]
            .as_str()
            .expect("a title")
            .to_owned()
    };
    lenses.iter().map(title).collect()
}

/// Clicks a lens.
fn click(client: &mut Client, uri: &str, index: usize) -> i64 {
    let lenses = running(client, uri);
    let command = &lenses[index]["command"];
    let params = json!({"command": command["command"], "arguments": command["arguments"]});
    client.request("workspace/executeCommand", params)
}

fn opened(options: Value) -> Client {
    let mut client = server().options(options).start();
    client.open(URI, ORDERS);
    client
}

#[test]
fn a_lens_runs_what_is_ordered_and_shows_the_answer_in_every_language() {
    for (language, uri, text) in [
        (
            "cuda-cpp",
            "file:///a.cu",
            "// cute: run\nauto rows = make_layout(Shape<_8,_4>{}, LayoutRight{});\n",
        ),
        (
            "rust",
            "file:///a.rs",
            "use cute_algebra::layout;\nfn f() {\n    // cute: run\n    let rows = layout!((8, 4):(4, 1));\n}\n",
        ),
        ("python", "file:///a.py", "# cute: run\n# (_8,_4):(_4,_1)\n"),
    ] {
        let mut client = server().start();
        client.open_as(uri, language, text);
        assert_eq!(titles(&mut client, uri), ["Run: offsets"], "{language}");
        let id = click(&mut client, uri, 0);
        let answer = client.await_answer(id).expect("an answer");
        assert_eq!(answer[0]["report"]["agrees"], true, "{answer}");
        assert_eq!(
            titles(&mut client, uri),
            ["✓ 32 of 32 offsets agree (CPU)"],
            "{language}"
        );
    }
}

#[test]
fn an_answer_stands_in_the_hover_until_the_layout_is_another() {
    let mut client = opened(Value::Null);
    let before = ["Run: offsets", "Run: copy to rows", "Run: banks"];
    assert_eq!(titles(&mut client, URI), before);
    for index in 0..3 {
        let id = click(&mut client, URI, index);
        client.await_answer(id).expect("an answer");
    }
    let after = [
        "✓ 32 of 32 offsets agree (CPU)",
        "✓ every element arrives (CPU)",
        "✓ 32 wavefronts, 1 without conflicts (model) (CPU)",
    ];
    assert_eq!(titles(&mut client, URI), after);
    let name = Position::new(6, 8);
    let hover = client.hover(URI, name).expect("a hover").contents.value;
    assert!(
        hover.contains("✓ every element arrives (CPU), run on the CPU"),
        "{hover}"
    );
    assert!(hover.contains("128 bytes moved, 4 at once"), "{hover}");
    // Another layout: 80 columns in the place of 8.
    client.change(URI, 2, &[insertion(6, 37, "0")]);
    let changed = titles(&mut client, URI);
    assert_eq!((&*changed[0], &*changed[1]), (after[0], before[1]));
    let hover = client.hover(URI, name).expect("a hover").contents.value;
    assert!(!hover.contains("every element arrives"), "{hover}");
}

#[test]
fn an_experiment_is_asked_by_its_name_and_its_progress_is_told() {
    let mut client = opened(Value::Null);
    let tile = "Sw<3,4,3> o smem_ptr[16b](unset) o (_64,_64):(_64,_1)";
    for (experiment, compared) in [("wgmma", 4096), ("ldmatrix", 256), ("tma", 4096)] {
        let params = json!({"expression": tile, "experiment": experiment, "device": "cpu", "workDoneToken": experiment});
        let answer = client.call("cute/run", params);
        assert_eq!(
            (&answer["agrees"], &answer["compared"]),
            (&json!(true), &json!(compared))
        );
        assert_eq!(answer["experiment"], experiment);
        for kind in ["begin", "end"] {
            client.await_notification("$/progress", |told| {
                told["token"] == experiment && told["value"]["kind"] == kind
            });
        }
    }
    // On a busy machine there are reports between.
    client.forgive_unread();
    let unknown = client.request(
        "cute/run",
        json!({"expression": tile, "experiment": "guess"}),
    );
    assert_eq!(
        client.await_answer(unknown).map_err(|error| error.code),
        Err(-32602)
    );
}

#[test]
fn nothing_runs_where_it_is_not_wanted() {
    for options in [json!({"trusted": false}), json!({"run": {"enable": false}})] {
        let mut client = opened(options);
        assert_eq!(titles(&mut client, URI), [] as [&str; 0]);
        let asked = client.request("cute/run", json!({"expression": "8:1"}));
        let order = json!({"command": "cute.run", "arguments": [{"uri": URI, "line": 4}]});
        let ordered = client.request("workspace/executeCommand", order);
        for id in [asked, ordered] {
            let code = client.await_answer(id).map_err(|error| error.code);
            assert_eq!(code, Err(REQUEST_FAILED));
        }
    }
}

#[test]
fn trust_is_not_a_setting() {
    let mut client = opened(json!({"trusted": false}));
    let settings = json!({"settings": {"cute-analyzer": {"trusted": true}}});
    client.notify("workspace/didChangeConfiguration", settings);
    let asked = client.request("cute/run", json!({"expression": "8:1"}));
    let code = client.await_answer(asked).map_err(|error| error.code);
    assert_eq!(code, Err(REQUEST_FAILED));
}

#[test]
fn a_history_is_kept_in_the_workspace_only_when_asked() {
    for kept in [false, true] {
        let folder = tempfile::tempdir().expect("a folder");
        let root = format!("file://{}", folder.path().display());
        let mut client = server().uninitialized().start();
        let options = json!({"run": {"history": kept}});
        let params = json!({"rootUri": root, "capabilities": {}, "initializationOptions": options});
        client.call("initialize", params);
        client.notify("initialized", json!({}));
        client.open(URI, ORDERS);
        let id = click(&mut client, URI, 0);
        client.await_answer(id).expect("an answer");
        let history = fs::read_to_string(folder.path().join(".cute-analyzer-runs.jsonl"));
        assert_eq!(history.is_ok(), kept);
        if let Ok(history) = history {
            let line: Value = serde_json::from_str(history.trim()).expect("one line of JSON");
            assert_eq!(line["report"]["layout"], "(_8,_4):(_4,_1)");
        }
    }
}

#[test]
fn a_run_that_hangs_is_cancelled_and_its_process_with_it() {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let library = stand_in::driver(scratch);
    let folder = tempfile::tempdir().expect("a folder");
    let note = folder.path().join("pid");
    let mut client = server()
        .environment("LD_LIBRARY_PATH", library.to_str().expect("a path"))
        .environment("STANDIN", "hang")
        .environment("STANDIN_PID", note.to_str().expect("a path"))
        .start();
    let id = client.request("cute/run", json!({"expression": "8:1", "device": "cuda"}));
    let process = until(|| {
        fs::read_to_string(&note)
            .ok()
            .filter(|text| !text.is_empty())
    });
    client.notify("$/cancelRequest", json!({"id": id}));
    let code = client.await_answer(id).map_err(|error| error.code);
    assert_eq!(code, Err(-32800));
    let gone = Path::new("/proc").join(process.trim());
    until(|| (!gone.exists()).then_some(()));
}

/// Waits for something to become true.
fn until<T>(mut found: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "it does not come"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}
