//! A header that many translation units include: what is shown is answered first, and nothing that is
//! answered first is another answer than the last.

use cute_tests::client::Client;
use cute_tests::protocol::{Change, Position, Range};

use crate::server;

const HEADER: &str = "#pragma once
using namespace cute;
template <int N> struct Tile {
  using Rows = Layout<Shape<Int<N>, _8>>;
};
template <int N> auto whole() {
  auto lines = make_layout(make_shape(Int<N>{}, _4{}));
  auto same = make_layout(_6{});
  return typename Tile<N>::Rows{};
}
template <int N> auto late() { auto last = make_layout(Int<N>{}); return last; }
auto plain() { auto fixed = make_layout(_32{}); return fixed; }
";

/// Number of units that include the header.
const USERS: usize = 64;

fn project() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    // The folder is a separate project.
    std::fs::write(folder.path().join("cute-analyzer.toml"), "").expect("written");
    std::fs::write(folder.path().join("tile.h"), HEADER).expect("written");
    for user in 0..USERS {
        let late = if user + 1 == USERS { "late<77>();" } else { "" };
        let text = format!(
            "#include \"tile.h\"\nvoid run() {{ whole<{}>(); {late} }}\n",
            user + 1
        );
        let name = format!("user{user:02}.cu");
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    let uri = format!("file://{}/tile.h", folder.path().display());
    (folder, uri)
}

/// All hints: the line and the label of each.
fn labels(client: &mut Client, uri: &str) -> Vec<(u32, String)> {
    let hints = client.hints(uri, None);
    let labels = hints.iter().map(|hint| {
        let label = hint.label.as_str().unwrap_or_default();
        (hint.position.line, label.to_owned())
    });
    labels.collect()
}

/// Puts a text in the place of the first of some others.
fn edit(client: &mut Client, uri: &str, text: &mut String, version: i32, of: &str, with: &str) {
    let at = text.find(of).expect("the text is there");
    let (start, end) = (
        Position::of_offset(text, at),
        Position::of_offset(text, at + of.len()),
    );
    let change = Change {
        range: Some(Range { start, end }),
        text: with.to_owned(),
    };
    text.replace_range(at..at + of.len(), with);
    client.change(uri, version, &[change]);
}

fn opened() -> (tempfile::TempDir, String, Client) {
    let (folder, uri) = project();
    let mut client = server().start();
    client.open(&uri, HEADER);
    client.await_diagnostics(&uri, 1);
    (folder, uri, client)
}

#[test]
fn hints_after_an_edit_are_those_of_the_new_text_and_stay() {
    let (_folder, uri, mut client) = opened();
    let before = labels(&mut client, &uri);
    assert!(
        before.contains(&(6, "(1,4):(0,1)".to_owned())),
        "{before:?}"
    );
    assert!(before.contains(&(10, "77:1".to_owned())), "{before:?}");
    let mut text = HEADER.to_owned();
    edit(&mut client, &uri, &mut text, 2, "_4{}", "_5{}");
    let first = labels(&mut client, &uri);
    assert!(first.contains(&(6, "(1,5):(0,1)".to_owned())), "{first:?}");
    client.await_diagnostics(&uri, 2);
    assert_eq!(labels(&mut client, &uri), first);
    // A line more, a name less, and an edit in each of the two.
    edit(&mut client, &uri, &mut text, 3, "_5{}", "_7{}");
    edit(
        &mut client,
        &uri,
        &mut text,
        4,
        "  auto same",
        "\n  auto same",
    );
    edit(
        &mut client,
        &uri,
        &mut text,
        5,
        "last = make_layout(Int<N>{})",
        "other = make_layout(_9{})",
    );
    let first = labels(&mut client, &uri);
    assert!(first.contains(&(6, "(1,7):(0,1)".to_owned())), "{first:?}");
    assert!(first.contains(&(8, "6:1".to_owned())), "{first:?}");
    client.await_diagnostics(&uri, 5);
    assert_eq!(labels(&mut client, &uri), first);
    client.forgive_unread();
}

#[test]
fn what_only_all_instances_tell_is_told_when_they_are_known() {
    let (_folder, uri, mut client) = opened();
    let mut text = HEADER.to_owned();
    // The first instance has no layout from now on, and the others have one, which the first answer cannot know.
    edit(
        &mut client,
        &uri,
        &mut text,
        2,
        "auto lines = make_layout(make_shape(Int<N>{}, _4{}))",
        "conditional_t<N == 1, Int<3>, Layout<_5>> lines",
    );
    let first = labels(&mut client, &uri);
    assert!(first.iter().all(|(line, _)| *line != 6), "{first:?}");
    client.await_refresh();
    let whole = labels(&mut client, &uri);
    assert!(whole.contains(&(6, "5:1".to_owned())), "{whole:?}");
    client.forgive_unread();
}

#[test]
fn a_hover_after_an_edit_says_that_it_speaks_of_one_instance() {
    let (_folder, uri, mut client) = opened();
    let mut text = HEADER.to_owned();
    edit(&mut client, &uri, &mut text, 2, "_4{}", "_5{}");
    let at = Position::of_offset(&text, text.find("lines").expect("it is there"));
    let first = client.hover(&uri, at).expect("a hover").contents.value;
    assert!(first.contains("(_1,_5):(_0,_1)"), "{first}");
    assert!(first.contains("the others are being evaluated"), "{first}");
    client.await_diagnostics(&uri, 2);
    let whole = client.hover(&uri, at).expect("a hover").contents.value;
    assert!(!whole.contains("being evaluated"), "{whole}");
    assert!(
        whole.contains("in user01 · N=2: `(_2,_5):(_1,_2)`"),
        "{whole}"
    );
    client.forgive_unread();
}

#[test]
fn a_header_that_was_just_opened_shows_its_first_instance_first() {
    let (_folder, uri) = project();
    let mut client = server().start();
    client.open(&uri, HEADER);
    let first = labels(&mut client, &uri);
    assert!(
        first
            .iter()
            .any(|(line, label)| *line == 6 && label.starts_with("(1,4):(0,1)")),
        "{first:?}"
    );
    client.await_diagnostics(&uri, 1);
    let whole = labels(&mut client, &uri);
    assert!(whole.contains(&(6, "(1,4):(0,1)".to_owned())), "{whole:?}");
    assert!(whole.contains(&(10, "77:1".to_owned())), "{whole:?}");
    client.forgive_unread();
}

/// Number of analyses of a document.
fn analyses(client: &mut Client, uri: &str) -> u64 {
    let command = serde_json::json!({"command": "cute.serverStatus"});
    let status = client.call("workspace/executeCommand", command);
    let documents = status["documents"].as_array().cloned().unwrap_or_default();
    let of = documents.iter().find(|one| one["uri"] == uri);
    of.and_then(|one| one["analyses"].as_u64()).unwrap_or(0)
}

#[test]
fn an_edit_of_a_comment_evaluates_nothing() {
    let (_folder, uri, mut client) = opened();
    let before = labels(&mut client, &uri);
    let count = analyses(&mut client, &uri);
    let mut text = HEADER.to_owned();
    for version in 2..20 {
        edit(
            &mut client,
            &uri,
            &mut text,
            version,
            "_4{}));",
            "_4{})); // why",
        );
        assert_eq!(labels(&mut client, &uri), before);
        client.await_diagnostics(&uri, version);
    }
    assert_eq!(analyses(&mut client, &uri), count);
    // What is evaluated afterwards starts from there.
    edit(&mut client, &uri, &mut text, 20, "_4{}", "_5{}");
    let after = labels(&mut client, &uri);
    assert!(after.contains(&(6, "(1,5):(0,1)".to_owned())), "{after:?}");
    client.await_diagnostics(&uri, 20);
    assert_eq!(labels(&mut client, &uri), after);
    assert_eq!(analyses(&mut client, &uri), count + 1);
    client.forgive_unread();
}

/// A header that was just opened, with units beside it and elsewhere, and the hints of its `lines`: first, and when all
/// instances are known.
fn opened_in_folder(near: &[(&str, u32)], far: &[(&str, u32)]) -> (String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("cute-analyzer.toml"), "").expect("written");
    for (name, units) in [("near", near), ("far", far)] {
        let place = folder.path().join(name);
        std::fs::create_dir(&place).expect("a folder");
        for (unit, count) in units {
            let text = format!("#include \"../near/tile.h\"\nvoid run() {{ whole<{count}>(); }}\n");
            std::fs::write(place.join(unit), text).expect("written");
        }
    }
    let header = folder.path().join("near/tile.h");
    std::fs::write(&header, HEADER).expect("written");
    let uri = format!("file://{}", header.display());
    let mut client = server().start();
    client.open(&uri, HEADER);
    let of_lines = |hints: Vec<(u32, String)>| {
        let mut labels = hints.into_iter().filter(|(line, _)| *line == 6);
        labels.next().map_or_else(String::new, |(_, label)| label)
    };
    let first = of_lines(labels(&mut client, &uri));
    client.await_diagnostics(&uri, 1);
    let whole = of_lines(labels(&mut client, &uri));
    client.forgive_unread();
    (first, whole)
}

#[test]
fn what_is_answered_first_comes_from_the_units_beside_a_header() {
    let (first, whole) = opened_in_folder(&[("one.cu", 2), ("two.cu", 3)], &[("other.cu", 9)]);
    assert!(first.starts_with("(2,4):(1,2)"), "{first}");
    // The first of all, by path.
    assert!(whole.starts_with("(9,4):(1,9)"), "{whole}");
    let (first, whole) = opened_in_folder(&[], &[("other.cu", 9)]);
    assert!(first.starts_with("(9,4):(1,9)"), "{first}");
    assert!(whole.starts_with("(9,4):(1,9)"), "{whole}");
}

/// Edits of a source are answered from its new text at once, and all is at last what opening the new text shows.
fn edits_are_answered(
    (uri, language): (&str, &str),
    text: &str,
    edits: &[(&str, &str)],
    is_shown: impl Fn(usize, &[(u32, String)]),
) {
    let mut client = server().start();
    client.open_as(uri, language, text);
    client.await_diagnostics(uri, 1);
    let mut text = text.to_owned();
    for (at, (of, with)) in edits.iter().enumerate() {
        let version = i32::try_from(at).expect("few edits") + 2;
        edit(&mut client, uri, &mut text, version, of, with);
        is_shown(at, &labels(&mut client, uri));
        client.await_diagnostics(uri, version);
        let mut opened = server().start();
        opened.open_as(uri, language, &text);
        opened.await_diagnostics(uri, 1);
        assert_eq!(labels(&mut client, uri), labels(&mut opened, uri));
    }
}

#[test]
fn an_edit_of_a_source_that_costs_much_is_answered_from_its_new_text() {
    let line = |line: usize| {
        format!("  auto line{line} = make_layout(make_shape(Int<N>{{}}, _{line}{{}}));\n")
    };
    let lines: String = (1..=60).map(line).collect();
    let launch = |index: usize| format!("launch<{index}>(); ");
    let launches: String = (1..=20).map(launch).collect();
    let text = format!(
        "using namespace cute;\ntemplate <int N> auto body() {{\n{lines}  return line1;\n}}\n\
         template <int N> void launch() {{ body<N>(); }}\nvoid run() {{ {launches}}}\n"
    );
    // The last one takes the shown instance away.
    let edits = [
        ("_7{}", "_77{}"),
        ("Int<N>{}, _9{}", "Int<N>{}, _99{}"),
        ("launch<1>(); ", ""),
    ];
    edits_are_answered(
        ("file:///costly.cu", "cuda-cpp"),
        &text,
        &edits,
        |at, shown| {
            let wanted = ["(1,77):(0,1)", "(1,99):(0,1)", "(2,77):(1,2)"][at];
            assert!(
                shown.iter().any(|(_, label)| label.contains(wanted)),
                "{wanted}: {shown:?}"
            );
        },
    );
}

#[test]
fn an_edit_of_a_kernel_of_python_that_nothing_makes_is_answered_from_its_new_text() {
    let text = "import cutlass\nimport cutlass.cute as cute\n\n\
        class Kernel:\n    def __init__(self, tile_m: int):\n        self.tile_m = tile_m\n        assert tile_m == 64\n\n    \
        @cute.jit\n    def __call__(self):\n        tile = cute.make_layout((self.tile_m, 8))\n";
    // The last one asks for another argument than the version before.
    let edits = [
        ("self.tile_m, 8", "self.tile_m, 4"),
        ("tile_m == 64", "tile_m == 32"),
    ];
    edits_are_answered(
        ("file:///kernel.py", "python"),
        text,
        &edits,
        |at, shown| {
            let wanted = "(64,4):(1,64)";
            assert!(
                at > 0 || shown.iter().any(|(_, label)| label.contains(wanted)),
                "{shown:?}"
            );
        },
    );
}
