//! Files of one project that are opened, edited and changed on disk at the same time: what is shown is what a server
//! shows that meets the files as they are.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use cute_tests::client::Client;
use cute_tests::protocol::Position;
use serde_json::json;

use crate::{insertion, server};

/// Starts of the server: what depends on the order of threads is not seen at each.
const STARTS: usize = 30;

/// Sources, each of which includes the headers.
const SOURCES: usize = 6;

/// Headers between the sources and the one that all of them include.
const BETWEEN: usize = 4;

/// Lines of each of them.
const LINES: usize = 800;

const SIZES: &str = "#pragma once\n\
    template <int N> struct Sizes { static constexpr int kRows = N; static constexpr int kColumns = 8; };\n\
    template <class T> __device__ auto doubled(T t) { return cute::make_layout(cute::make_shape(t, cute::Int<2>{})); }\n";

const TILE: &str = "#pragma once\n#include \"sizes.h\"\nusing namespace cute;\n\
    template <int N> struct Tile {\n\
    using Layout = decltype(make_layout(make_shape(Int<Sizes<N>::kRows>{}, Int<Sizes<N>::kColumns>{})));\n\
    __device__ void run() { auto rows = doubled(Int<Sizes<N>::kRows>{}); }\n};\n\
    template <class T> __device__ void fill(T n) { auto filled = make_layout(make_shape(n, Int<4>{})); }\n";

/// A project in which each source includes the headers in many ways.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("written");
    };
    write(".clangd", "");
    write("sizes.h", SIZES);
    write("tile.h", TILE);
    let mut between = String::new();
    for number in 0..BETWEEN {
        let _ = writeln!(between, "#include \"between{number}.h\"");
        // Long enough that others read the same files meanwhile.
        let mut text = String::from("#pragma once\n");
        for line in 0..LINES {
            let _ = writeln!(text, "constexpr int between{number}_{line} = {line};");
        }
        text.push_str("#include \"sizes.h\"\n#include \"tile.h\"\n");
        write(&format!("between{number}.h"), &text);
    }
    for number in 0..SOURCES {
        let size = 8 << number;
        let text = format!(
            "{between}#include \"tile.h\"\n#include \"sizes.h\"\n\
             __global__ void kernel{number}() {{ Tile<{size}> tile; tile.run(); fill(Int<{size}>{{}}); }}\n"
        );
        write(&format!("source{number}.cu"), &text);
    }
    folder
}

fn uri(folder: &tempfile::TempDir, name: &str) -> String {
    format!("file://{}/{name}", folder.path().display())
}

/// Hints and lenses of a document.
fn shown(client: &mut Client, uri: &str) -> (Vec<String>, Vec<String>) {
    // Lenses wait for all instances; hints may be answered for the shown instance before.
    let lenses = client.call(
        "textDocument/codeLens",
        json!({"textDocument": {"uri": uri}}),
    );
    let lenses = lenses.as_array().cloned().unwrap_or_default();
    let title = |lens: &serde_json::Value| Some(lens["command"]["title"].as_str()?.to_owned());
    let hints = client.hints(uri, None);
    let label = |hint: &cute_tests::protocol::InlayHint| {
        Some(format!("{}: {}", hint.position.line, hint.label.as_str()?))
    };
    (
        hints.iter().filter_map(label).collect(),
        lenses.iter().filter_map(title).collect(),
    )
}

/// The same once all work is done.
fn settled(client: &mut Client, uri: &str) -> (Vec<String>, Vec<String>) {
    std::thread::sleep(Duration::from_millis(600));
    shown(client, uri)
}

/// The output of a server that has only this file open.
fn fresh(uri: &str, text: &str) -> (Vec<String>, Vec<String>) {
    let mut client = server().start();
    client.open(uri, text);
    let shown = shown(&mut client, uri);
    client.forgive_unread();
    shown
}

fn changed(client: &mut Client, uri: &str, kind: u32) {
    let changes = json!({"changes": [{"uri": uri, "type": kind}]});
    client.notify("workspace/didChangeWatchedFiles", changes);
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).expect("read")
}

#[test]
fn headers_that_are_opened_together_show_what_each_shows_alone() {
    let folder = project();
    let (tile, sizes) = (uri(&folder, "tile.h"), uri(&folder, "sizes.h"));
    let alone = fresh(&tile, TILE);
    assert!(alone.0.len() >= 2, "{alone:?}");
    assert!(
        alone.1.iter().any(|title| title.contains("instance 1/6:")),
        "{alone:?}"
    );
    for start in 0..STARTS {
        let mut client = server().start();
        client.open(&tile, TILE);
        client.open(&sizes, SIZES);
        // Hints are requested at once, as an editor does; those of the first instance are there.
        let first = client.hints(&tile, None);
        assert_eq!(first.len(), alone.0.len(), "start {start}: {first:?}");
        assert_eq!(shown(&mut client, &tile), alone, "start {start}");
        client.forgive_unread();
    }
}

#[test]
fn a_header_whose_first_units_do_not_use_it_shows_hints_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let header = "#pragma once\ntemplate <int N> struct Traits { using Rows = cute::Layout<cute::Shape<cute::Int<N>, cute::_8>>; };\n";
    std::fs::write(folder.path().join(".clangd"), "").expect("written");
    std::fs::write(folder.path().join("traits.h"), header).expect("written");
    for number in 0..40 {
        let last = if number == 39 {
            "Traits<4>::Rows rows;"
        } else {
            ""
        };
        let text = format!("#include \"traits.h\"\nvoid unit{number}() {{ {last} }}\n");
        std::fs::write(folder.path().join(format!("unit{number:02}.cu")), text).expect("written");
    }
    let traits = uri(&folder, "traits.h");
    let mut client = server().start();
    client.open(&traits, header);
    let first = client.hints(&traits, None);
    assert_eq!(first.len(), 1, "{first:?}");
    client.forgive_unread();
}

#[test]
fn an_analysis_that_read_a_file_before_it_was_opened_is_made_again() {
    let folder = project();
    let (tile, sizes) = (uri(&folder, "tile.h"), uri(&folder, "sizes.h"));
    let edited = SIZES.replace("kColumns = 8", "kColumns = 32");
    for start in 0..STARTS {
        let mut client = server().start();
        client.open(&tile, TILE);
        // Somewhere in the analysis of the first: its text is another one than that on disk.
        std::thread::sleep(Duration::from_millis(start as u64));
        client.open(&sizes, &edited);
        let (hints, _) = settled(&mut client, &tile);
        assert!(
            hints.iter().any(|hint| hint.contains(",32)")),
            "start {start}: {hints:?}"
        );
        client.forgive_unread();
    }
}

#[test]
fn the_lines_of_users_in_hovers_are_those_of_now() {
    let folder = project();
    let (tile, source) = (uri(&folder, "tile.h"), uri(&folder, "source0.cu"));
    let text = read(folder.path(), "source0.cu");
    let mut client = server().start();
    client.open(&tile, TILE);
    client.open(&source, &text);
    let line = text.lines().count();
    let at = Position::of_offset(TILE, TILE.find("filled").expect("it is there"));
    let says = |client: &mut Client, line: usize| {
        settled(client, &tile);
        let hover = client.hover(&tile, at).expect("a hover").contents.value;
        let place = format!("source0.cu:{line}");
        assert!(hover.contains(&place), "{place}: {hover}");
    };
    says(&mut client, line);
    for version in 2..6 {
        client.change(&source, version, &[insertion(0, 0, "// one more line\n")]);
    }
    says(&mut client, line + 4);
    client.forgive_unread();
}

#[test]
fn sources_that_come_go_or_include_others_on_disk_count_at_once() {
    let folder = project();
    let tile = uri(&folder, "tile.h");
    let mut client = server().start();
    client.open(&tile, TILE);
    let of = |shown: &(Vec<String>, Vec<String>), count: usize| {
        let all = format!("instance 1/{count}:");
        assert!(
            shown.1.iter().any(|title| title.contains(&all)),
            "{shown:?}"
        );
    };
    of(&shown(&mut client, &tile), 6);
    let path = |name: &str| folder.path().join(name);
    // A source is renamed: one goes, another comes.
    std::fs::rename(path("source0.cu"), path("renamed.cu")).expect("renamed");
    let changes = json!([{"uri": uri(&folder, "source0.cu"), "type": 3}, {"uri": uri(&folder, "renamed.cu"), "type": 1}]);
    client.notify(
        "workspace/didChangeWatchedFiles",
        json!({"changes": changes}),
    );
    let renamed = shown(&mut client, &tile);
    of(&renamed, 6);
    assert_eq!(renamed, fresh(&tile, TILE));
    // One that did not include the header does now.
    std::fs::write(path("other.cu"), "// nothing\n").expect("written");
    changed(&mut client, &uri(&folder, "other.cu"), 1);
    of(&shown(&mut client, &tile), 6);
    let text = read(folder.path(), "source1.cu").replace("Tile<16>", "Tile<7>");
    std::fs::write(path("other.cu"), &text).expect("written");
    changed(&mut client, &uri(&folder, "other.cu"), 2);
    of(&shown(&mut client, &tile), 7);
    // A save says the same where no one watches the disk.
    let other = uri(&folder, "other.cu");
    client.open(&other, &text);
    let without = "// nothing\n";
    std::fs::write(path("other.cu"), without).expect("written");
    client.notify(
        "textDocument/didSave",
        json!({"textDocument": {"uri": other}}),
    );
    of(&shown(&mut client, &tile), 6);
    client.forgive_unread();
}

#[test]
fn python_and_rust_sources_are_watched_too() {
    let mut client = server()
        .capability(
            "/workspace/didChangeWatchedFiles",
            json!({"dynamicRegistration": true}),
        )
        .start();
    let (_, params) = client.await_request("client/registerCapability");
    let globs = params.to_string();
    for ending in ["cu", "cuh", "inl", "ipp", "py", "pyi", "rs"] {
        let is_there = [',', '{', '}']
            .iter()
            .any(|before| globs.contains(&format!("{before}{ending},")))
            || globs.contains(&format!(",{ending}}}"));
        assert!(is_there, "{ending} is not watched: {globs}");
    }
    client.forgive_unread();
}
