//! Much at one time: a file of ten megabytes, two thousand files, two hundred open ones, headers that
//! many include.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use cute_tests::client::Client;
use cute_tests::load::large_source;
use cute_tests::protocol::{Change, Position, Range};
use serde_json::{Value, json};

use crate::{insertion, server};

/// Resident memory with two hundred files open. The analyses of all of them are kept.
const OPEN_FILES_BYTES: u64 = 300 << 20;

fn uri_in(folder: &Path, name: &str) -> String {
    format!("file://{}/{name}", folder.display())
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).expect("written");
}

/// The labels of all hints of a document.
fn labels(client: &mut Client, uri: &str) -> Vec<String> {
    let hints = client.hints(uri, None);
    let label = |hint: &cute_tests::protocol::InlayHint| hint.label.as_str().map(str::to_owned);
    hints.iter().filter_map(label).collect()
}

fn shows(client: &mut Client, uri: &str, layout: &str) -> bool {
    labels(client, uri)
        .iter()
        .any(|label| label.contains(layout))
}

/// Number of analyses of each open document, by its URI.
fn analyses(client: &mut Client) -> BTreeMap<String, u64> {
    let status = client.call(
        "workspace/executeCommand",
        json!({"command": "cute.serverStatus"}),
    );
    let documents = status["documents"].as_array().expect("documents");
    let count = |one: &Value| Some((one["uri"].as_str()?.to_owned(), one["analyses"].as_u64()?));
    documents.iter().filter_map(count).collect()
}

/// Awaits that all is known of these documents.
fn await_ready(client: &mut Client, uris: &[String]) {
    for uri in uris {
        client.await_notification("cute/status", |status| {
            status["uri"] == **uri && status["state"] == "ready"
        });
    }
}

#[test]
fn a_file_of_ten_megabytes_is_answered_and_holds_up_no_other() {
    let row = format!("{{{}0x7f}}", "0x12, ".repeat(20));
    let mut text = String::from("using namespace cute;\n");
    for number in 0.. {
        // A table, as generators write it, with a layout now and then.
        let _ = match number % 100 {
            0 => writeln!(
                text,
                "constexpr auto layout_{number} = make_layout(Int<{number}>{{}});"
            ),
            _ => writeln!(text, "static const int row_{number}[] = {row};"),
        };
        if text.len() > 9_900_000 {
            break;
        }
    }
    assert!(text.len() < 10_000_000, "{}", text.len());
    let (large, small) = ("file:///generated.cu", "file:///small.cu");
    let mut client = server().start();
    let started = Instant::now();
    client.open(large, &text);
    client.open(
        small,
        "using namespace cute;\nauto tile = make_layout(Int<8>{});\n",
    );
    assert!(shows(&mut client, small, "8:1"));
    let small_waited = started.elapsed();
    // The lines that an editor shows at the beginning of it: one has a layout.
    let shown =
        json!({"start": {"line": 101, "character": 0}, "end": {"line": 161, "character": 0}});
    let params = json!({"textDocument": {"uri": large}, "range": shown});
    let id = client.request("textDocument/inlayHint", params.clone());
    let first = client.await_answer(id);
    let answered = started.elapsed();
    // On a slow machine the time for one request may be over; then that is said, and the analysis
    // goes on for those who ask later.
    if let Err(error) = &first {
        assert_eq!(error.code, -32803);
        client.await_log("took longer than");
    }
    assert_eq!(client.await_diagnostics(large, 1), []);
    let known = started.elapsed();
    let hints = client.call("textDocument/inlayHint", params);
    assert_eq!(hints.as_array().map(Vec::len), Some(1), "{hints}");
    // There are more declarations than the steps of one file are enough for; where they end it says so.
    let whole = client.hints(large, None);
    assert!(whole.len() > 300, "{}", whole.len());
    let last = whole.last().map_or(0, |hint| hint.position.line);
    let says_why = (last + 1..last + 100).any(|line| {
        let hover = client.hover(large, Position::new(line, 20));
        hover.is_some_and(|it| {
            let says = it.contents.value;
            says.contains("steps of this file")
        })
    });
    assert!(
        says_why,
        "nothing says why no value is known behind line {last}"
    );
    println!("small {small_waited:?}, answered {answered:?}, known {known:?}");
    assert!(small_waited < Duration::from_secs(10), "{small_waited:?}");
    assert!(answered < Duration::from_secs(30), "{answered:?}");
}

#[test]
fn a_tree_of_two_thousand_files_is_checked_and_each_finding_is_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    for header in 0..20 {
        let text = format!(
            "#pragma once\nconstexpr int kSize{header} = {};\n",
            8 + header
        );
        write(root, &format!("size{header}.h"), &text);
    }
    let mut wrong = 0;
    for number in 0..1_980 {
        let header = number % 20;
        // 4 divides 8, 12, 16, 20 and 24 of the sizes from 8 to 27.
        wrong += usize::from((8 + header) % 4 != 0);
        let text = format!(
            "#include \"../size{header}.h\"\nusing namespace cute;\n\
             auto t = logical_divide(Layout<Int<kSize{header}>>{{}}, Int<4>{{}});\n"
        );
        let inner = format!("folder{}", number % 50);
        std::fs::create_dir_all(root.join(&inner)).expect("a folder");
        write(&root.join(inner), &format!("file{number}.cu"), &text);
    }
    let mut client = server().uninitialized().start();
    let root_uri = format!("file://{}", root.display());
    client.call(
        "initialize",
        json!({"processId": null, "rootUri": root_uri, "capabilities": {}}),
    );
    client.notify("initialized", json!({}));
    let started = Instant::now();
    let tally = client.call(
        "workspace/executeCommand",
        json!({"command": "cute.checkWorkspace"}),
    );
    let took = started.elapsed();
    println!("2,000 files in {took:?}");
    assert_eq!(
        tally,
        json!({"files": 2_000, "errors": 0, "warnings": wrong})
    );
    assert!(took < Duration::from_secs(60), "{took:?}");
    client.forgive_unread();
}

#[test]
fn two_hundred_open_files_fit_into_memory() {
    let mut client = server().start();
    let uri = |number: usize| format!("file:///open/{number}.cu");
    let text = large_source(120);
    for number in 0..200 {
        client.open(&uri(number), &text);
    }
    for number in 0..200 {
        assert_eq!(client.await_diagnostics(&uri(number), 1), []);
    }
    let counts = analyses(&mut client);
    assert_eq!(counts.len(), 200);
    assert!(counts.values().all(|count| *count == 1), "{counts:?}");
    if let Some(bytes) = client.resident_bytes() {
        println!("{} MB with 200 open files", bytes / 1_000_000);
        assert!(bytes < OPEN_FILES_BYTES, "{bytes} bytes");
    }
}

#[test]
fn headers_that_include_each_other_in_a_circle_have_their_values() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    for (name, next, value) in [("a", "b", 4), ("b", "c", 8), ("c", "a", 16)] {
        let text = format!("#include \"{next}.h\"\nconstexpr int size_{name} = {value};\n");
        write(root, &format!("{name}.h"), &text);
    }
    let text = "#include \"a.h\"\nusing namespace cute;\n\
                auto t = make_layout(make_shape(Int<size_a>{}, Int<size_b>{}, Int<size_c>{}));\n";
    write(root, "circle.cu", text);
    let source = uri_in(root, "circle.cu");
    let mut client = server().start();
    client.open(&source, text);
    assert!(shows(&mut client, &source, "(4,8,16)"));
    client.await_diagnostics(&source, 1);
    // A circle is gone round in the editor's texts too.
    let header = uri_in(root, "c.h");
    let before = std::fs::read_to_string(root.join("c.h")).expect("read");
    client.open(&header, &before);
    client.await_refresh();
    client.change(
        &header,
        2,
        &[Change {
            range: None,
            text: before.replace("16", "32"),
        }],
    );
    client.await_refresh();
    assert!(shows(&mut client, &source, "(4,8,32)"));
    client.forgive_unread();
}

#[test]
fn a_header_that_vanishes_while_open_counts_until_it_is_closed_and_again_when_it_is_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let contents = "#pragma once\nconstexpr int kSize = 8;\n";
    write(root, "size.h", contents);
    let text =
        "#include \"size.h\"\nusing namespace cute;\nauto tile = make_layout(Int<kSize>{});\n";
    write(root, "tile.cu", text);
    let (source, header) = (uri_in(root, "tile.cu"), uri_in(root, "size.h"));
    let mut client = server().start();
    let changed = |client: &mut Client, kind: u32| {
        let changes = json!({"changes": [{"uri": header, "type": kind}]});
        client.notify("workspace/didChangeWatchedFiles", changes);
        client.await_refresh();
    };
    client.open(&source, text);
    client.open(&header, contents);
    std::fs::remove_file(root.join("size.h")).expect("removed");
    changed(&mut client, 3);
    assert!(shows(&mut client, &source, "8:1"));
    client.close(&header);
    client.await_refresh();
    assert!(!shows(&mut client, &source, "8:1"));
    write(root, "size.h", contents);
    changed(&mut client, 1);
    assert!(shows(&mut client, &source, "8:1"));
    client.forgive_unread();
}

#[test]
fn an_edit_of_a_header_evaluates_its_dependents_again_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    write(root, "inner.h", "#pragma once\nconstexpr int kInner = 8;\n");
    write(root, "outer.h", "#pragma once\n#include \"inner.h\"\n");
    write(root, "other.h", "#pragma once\nconstexpr int kInner = 4;\n");
    let mut dependents = Vec::new();
    let mut client = server()
        .capability("/experimental", json!({"cuteStatus": true}))
        .start();
    for number in 0..12 {
        let header = ["inner.h", "outer.h", "other.h", "none.h"][number % 4];
        let text = format!(
            "#include \"{header}\"\nusing namespace cute;\nauto t = make_layout(Int<kInner>{{}});\n"
        );
        let name = format!("file{number}.cu");
        write(root, &name, &text);
        let uri = uri_in(root, &name);
        client.open(&uri, &text);
        await_ready(&mut client, std::slice::from_ref(&uri));
        if number % 4 < 2 {
            dependents.push(uri);
        }
    }
    let header = uri_in(root, "inner.h");
    client.open(&header, "#pragma once\nconstexpr int kInner = 8;\n");
    // What is opened has the text of the disk: nothing has to be evaluated but itself.
    await_ready(&mut client, std::slice::from_ref(&header));
    let settled = |client: &mut Client| {
        // Longer than the pause after which work in the background begins.
        std::thread::sleep(Duration::from_millis(600));
        analyses(client)
    };
    let before = settled(&mut client);
    let eight = Position::new(1, 23);
    let range = Range {
        start: eight,
        end: Position::new(1, 24),
    };
    client.change(
        &header,
        2,
        &[Change {
            range: Some(range),
            text: "64".to_owned(),
        }],
    );
    await_ready(&mut client, std::slice::from_ref(&header));
    for uri in &dependents {
        assert!(shows(&mut client, uri, "64:1"), "{uri}");
    }
    let after = settled(&mut client);
    for (uri, count) in &after {
        let more = count - before[uri];
        let expected = u64::from(dependents.contains(uri) || *uri == header);
        assert_eq!(more, expected, "{uri} was analysed {more} times");
    }
    // An edit of a file that nothing includes is its own affair.
    client.change(&uri_in(root, "file2.cu"), 2, &[insertion(0, 0, "// \n")]);
    let last = settled(&mut client);
    let grown: Vec<_> = last
        .iter()
        .filter(|(uri, count)| **count > after[*uri])
        .collect();
    assert_eq!(grown.len(), 1, "{grown:?}");
    client.forgive_unread();
}
