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

#[test]
fn the_project_file_of_a_folder_that_is_added_holds_and_is_read_again_when_it_changes() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = folder.path().join("cute-analyzer.toml");
    std::fs::write(&settings, "assume = [\"M=64\"]\n").expect("written");
    let text =
        "using namespace cute;\nvoid f(int M) { auto rows = make_layout(make_shape(M, _8{})); }\n";
    let source = uri(&folder, "rows.cu");
    let mut client = server().start();
    client.open(&source, text);
    let shows = |client: &mut Client, what: &str| {
        let shown = labels(client, &source);
        assert!(
            shown.iter().any(|label| label.contains(what)),
            "{what}: {shown:?}"
        );
    };
    shows(&mut client, "(M,8)");
    let added = json!([{ "uri": format!("file://{}", folder.path().display()), "name": "rows" }]);
    client.notify(
        "workspace/didChangeWorkspaceFolders",
        json!({ "event": { "added": added, "removed": [] } }),
    );
    client.await_refresh();
    shows(&mut client, "(64,8)");
    std::fs::write(&settings, "assume = [\"M=32\"]\n").expect("written");
    let changes = json!([{ "uri": uri(&folder, "cute-analyzer.toml"), "type": 2 }]);
    client.notify(
        "workspace/didChangeWatchedFiles",
        json!({ "changes": changes }),
    );
    client.await_refresh();
    shows(&mut client, "(32,8)");
    client.forgive_unread();
}

#[test]
fn an_assertion_in_a_log_is_explained_from_the_text_that_is_open() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = uri(&folder, "tiles.cu");
    let text = "using namespace cute;\nint main() {\n  auto columns = make_layout(Shape<_4, _3>{}, Stride<_3, _1>{});\n  auto picked = composition(columns, make_layout(_3{}, _6{}));\n}\n";
    let mut client = server().start();
    client.open(&source, text);
    let file = folder.path().join("tiles.cu");
    let log = format!(
        "include/cute/config.hpp:126:64: error: static assertion failed: Stride Divisibility Condition\n\
         {0}:4:17: note: in instantiation of function template specialization requested here\n",
        file.display()
    );
    let asked = json!({ "command": "cute.decode", "arguments": [log] });
    let rows = client.call("workspace/executeCommand", asked);
    assert_eq!(
        (&rows[0]["line"], &rows[0]["rule"]),
        (&4.into(), &"stride-divisibility".into()),
        "{rows}"
    );
    let findings = rows[0]["findings"].as_array().map(Vec::len);
    assert_eq!(findings, Some(1), "{rows}");
    let asked = json!({ "command": "cute.decode", "arguments": ["make: done"] });
    assert_eq!(client.call("workspace/executeCommand", asked), json!([]));
    client.forgive_unread();
}

#[test]
fn an_include_that_leads_out_of_the_workspace_is_part_of_the_state() {
    let folder = tempfile::tempdir().expect("a folder");
    let work = folder.path().join("work");
    std::fs::create_dir(&work).expect("made");
    std::fs::write(folder.path().join("size.h"), HEADER).expect("written");
    let source = SOURCE.replace("size.h", "../size.h");
    let tile = uri(&folder, "work/tile.cu");
    let state = |root: &str| {
        let mut client = server()
            .capability("/experimental", json!({"cuteStatus": true}))
            .root(&uri(&folder, root))
            .start();
        client.open(&tile, &source);
        let ready = client.await_notification("cute/status", |status| status["state"] == "ready");
        ready["limits"].to_string()
    };
    let limits = state("work");
    assert!(
        limits.contains("`../size.h` is not read: it leads out of the workspace, to "),
        "{limits}"
    );
    assert_eq!(state("."), "null");
}

#[test]
fn a_file_that_is_open_and_not_on_disk_is_included_however_late_it_is_opened() {
    let folder = folder();
    let (source, header) = (uri(&folder, "tile.cu"), uri(&folder, "size.h"));
    std::fs::remove_file(folder.path().join("size.h")).expect("removed");
    let mut client = server().start();
    client.open(&source, SOURCE);
    client.await_diagnostics(&source, 1);
    let shows_size = |client: &mut Client| {
        labels(client, &source)
            .iter()
            .any(|label| label.contains("8:1"))
    };
    assert!(!shows_size(&mut client));
    client.open(&header, HEADER);
    client.await_refresh();
    assert!(shows_size(&mut client));
    client.close(&header);
    client.await_refresh();
    assert!(!shows_size(&mut client));
    client.forgive_unread();
}

#[test]
fn a_module_that_is_created_or_opened_later_is_imported() {
    let folder = tempfile::tempdir().expect("a folder");
    let kernel = "import cutlass.cute as cute\nimport sizes\n\ntile = cute.make_layout(sizes.N)\n";
    std::fs::write(folder.path().join("kernel.py"), kernel).expect("written");
    let (source, module) = (uri(&folder, "kernel.py"), uri(&folder, "sizes.py"));
    let mut client = server().start();
    client.open_as(&source, "python", kernel);
    client.await_diagnostics(&source, 1);
    let shows_size = |client: &mut Client| {
        let all = labels(client, &source);
        all.iter().any(|label| label.contains("8:1"))
    };
    assert!(!shows_size(&mut client));
    client.open_as(&module, "python", "N = 8\n");
    client.await_refresh();
    assert!(shows_size(&mut client));
    // As `package/__init__.py` it is the module, too.
    client.close(&module);
    client.await_refresh();
    assert!(!shows_size(&mut client));
    client.open_as(&uri(&folder, "sizes/__init__.py"), "python", "N = 8\n");
    client.await_refresh();
    assert!(shows_size(&mut client));
    client.forgive_unread();
}

/// A folder with a crate of two files, those with a text; the URIs of both.
fn rust_crate(root: &str, module: &str) -> (tempfile::TempDir, String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    for (file, text) in [("lib.rs", root), ("sizes.rs", module)] {
        if !text.is_empty() {
            std::fs::write(folder.path().join(file), text).expect("written");
        }
    }
    let (root, module) = (uri(&folder, "lib.rs"), uri(&folder, "sizes.rs"));
    (folder, root, module)
}

#[test]
fn a_module_of_rust_that_is_opened_later_is_read() {
    let text = "mod sizes;\nuse cute_algebra::layout;\n\npub fn tile() {\n    let tile = layout!((sizes::N):(1));\n}\n";
    let (_folder, root, module) = rust_crate(text, "");
    let mut client = server().start();
    client.open_as(&root, "rust", text);
    client.await_diagnostics(&root, 1);
    let shows_size = |client: &mut Client| {
        let all = labels(client, &root);
        all.iter().any(|label| label.contains("(8):(1)"))
    };
    assert!(!shows_size(&mut client));
    client.open_as(&module, "rust", "pub const N: i64 = 8;\n");
    client.await_refresh();
    assert!(shows_size(&mut client));
    client.close(&module);
    client.await_refresh();
    assert!(!shows_size(&mut client));
    client.forgive_unread();
}

#[test]
fn a_file_becomes_a_module_when_the_root_of_its_crate_names_it() {
    let module_text = "pub const N: i64 = 8;\n";
    let alone = "use cute_algebra::layout;\n";
    let (_folder, root, module) = rust_crate(alone, module_text);
    let mut client = server().start();
    client.open_as(&root, "rust", alone);
    client.open_as(&module, "rust", module_text);
    client.await_diagnostics(&module, 1);
    // No library is used in this file alone.
    assert!(client.hover(&module, Position::new(0, 10)).is_none());
    let text = "mod sizes;\nuse cute_algebra::layout;\n".to_owned();
    client.change(&root, 2, &[Change { range: None, text }]);
    client.await_refresh();
    let hover = client.hover(&module, Position::new(0, 10));
    assert!(hover.is_some_and(|it| it.contents.value.contains("N: int")));
    client.forgive_unread();
}

#[test]
fn kernels_that_a_package_compiles_are_known_behind_the_first_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    };
    write("LICENSE", "");
    write("pkg/__init__.py", "");
    let script = "\
def gen_tiles():
    for width in [16, 32]:
        with open(f'csrc/tile_{width}.cu', 'w') as f:
            f.write(f'#include \"tile.cuh\"\\ntemplate __global__ void tile<{width}>(float*);\\n')
";
    write("pkg/jit.py", script);
    let header = "\
#pragma once
using namespace cute;
template <int kWidth>
__global__ void tile(float* out) {
  auto rows = make_layout(Int<kWidth>{});
}
";
    write("csrc/tile.cuh", header);
    let header_uri = uri(&folder, "csrc/tile.cuh");
    let mut client = server().start();
    client.open(&header_uri, header);
    client.await_diagnostics(&header_uri, 1);
    client.await_refresh();
    let after = labels(&mut client, &header_uri);
    assert!(after.iter().any(|label| label.contains("16")), "{after:?}");
    // A script that changes is evaluated again.
    write("pkg/jit.py", &script.replace("[16, 32]", "[64]"));
    let changes = json!({ "changes": [{ "uri": uri(&folder, "pkg/jit.py"), "type": 2 }] });
    client.notify("workspace/didChangeWatchedFiles", changes);
    let mut shown = after;
    while !shown.iter().any(|label| label.contains("64")) {
        client.await_refresh();
        shown = labels(&mut client, &header_uri);
    }
    assert!(!shown.iter().any(|label| label.contains("16")), "{shown:?}");
    client.forgive_unread();
}
