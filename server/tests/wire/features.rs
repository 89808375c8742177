//! The features that an editor shows.

use cute_tests::client::{Builder, Client};
use cute_tests::protocol::{Change, Position, Range};
use serde_json::{Value, json};

use crate::{insertion, server};

const URI: &str = "file:///features.cu";

const LAYOUTS: &str = "\
#include <cute/layout.hpp>
using namespace cute;
void host(int M)
{
  auto smem = make_layout(make_shape(Int<128>{}, /* é 𝛼 */ Int<8>{}));  // é
  auto gmem = make_layout(make_shape(M, Int<8>{}));
  auto both = logical_divide(smem, make_tile(Int<32>{}, Int<4>{}));
}
";

/// Refused: a step of 6 in 4 rows.
const REFUSED: &str = "\
#include <cute/layout.hpp>
using namespace cute;
void host()
{
  auto columns = make_layout(make_shape(Int<4>{}, Int<3>{}), make_stride(Int<3>{}, Int<1>{}));
  auto every_sixth = make_layout(Int<3>{}, Int<6>{});
  auto picked = composition(columns, every_sixth);
}
";

/// The place of the first occurrence of `what`.
fn at(text: &str, what: &str) -> Position {
    Position::of_offset(text, text.find(what).expect("it is there"))
}

fn label(hint: &cute_tests::protocol::InlayHint) -> &str {
    hint.label.as_str().expect("a label that is text")
}

#[test]
fn a_line_that_is_half_typed_keeps_the_values_below_it() {
    let mut client = server().start();
    client.open(URI, LAYOUTS);
    let shown = |client: &mut Client| -> Vec<(u32, String)> {
        let hints = client.hints(URI, None);
        let placed = hints
            .iter()
            .map(|hint| (hint.position.line, label(hint).to_owned()));
        placed.collect()
    };
    let before = shown(&mut client);
    assert_eq!(before.len(), 3);
    client.change(URI, 2, &[insertion(4, 0, "\n")]);
    let moved: Vec<(u32, String)> = before
        .into_iter()
        .map(|(line, text)| (line + 1, text))
        .collect();
    let mut typed = String::new();
    for (version, letter) in (3..).zip("  Tensor t = make_layout(M, ".chars()) {
        client.change(
            URI,
            version,
            &[insertion(4, typed.len() as u32, &letter.to_string())],
        );
        typed.push(letter);
        let mut hints = shown(&mut client);
        hints.retain(|(line, _)| *line > 4);
        assert_eq!(hints, moved, "after `{typed}`");
    }
}

#[test]
fn a_brace_or_condition_without_a_partner_hides_nothing() {
    let mut client = server().start();
    client.open(URI, LAYOUTS);
    let before: Vec<String> = client
        .hints(URI, None)
        .iter()
        .map(|hint| label(hint).to_owned())
        .collect();
    assert_eq!(before.len(), 3);
    let mut version = 2;
    for line in [
        "  if (M > 8) {\n",
        "  for (int i = 0; i < M; ++i) {\n",
        "  }\n",
        "}\n",
        "#if 1\n",
        "#endif\n",
    ] {
        for place in 4..=6 {
            client.change(URI, version, &[insertion(place, 0, line)]);
            let hints = client.hints(URI, None);
            let shown: Vec<&str> = hints.iter().map(label).collect();
            assert_eq!(shown, before, "{line:?} on line {place}");
            let (start, end) = (Position::new(place, 0), Position::new(place + 1, 0));
            let removed = Change {
                range: Some(Range { start, end }),
                text: String::new(),
            };
            client.change(URI, version + 1, &[removed]);
            version += 2;
        }
    }
}

/// Compiles, and is wrong: its two modes carry into each other.
const WRONG: &str = "\
#include <cute/layout.hpp>
using namespace cute;
void host()
{
  auto a = make_layout(make_shape(Int<6>{}, Int<2>{}), make_stride(Int<1>{}, Int<7>{}));
  auto b = make_layout(make_shape(Int<3>{}, Int<2>{}), make_stride(Int<2>{}, Int<3>{}));
  auto r = composition(a, b);
  auto same = r;
}
";

#[test]
fn a_name_leads_to_what_is_wrong_in_its_declaration() {
    let mut client = server().start();
    client.open(URI, WRONG);
    let said = "error[not-a-composition] on line 7: CuTe compiles this";
    for place in ["r = composition", "r;"] {
        let hover = client.hover(URI, at(WRONG, place)).expect("a hover");
        let text = hover.contents.value.replace(['\\', '`'], "");
        assert!(text.contains(said), "{place}: {text}");
    }
    // At the call itself the finding is the one of the place.
    let there = client.hover(URI, at(WRONG, "composition(")).expect("one");
    assert!(!there.contents.value.contains("on line 7"), "{there:?}");
    let place = at(WRONG, "r = composition");
    let params = json!({
        "textDocument": {"uri": URI},
        "range": {"start": place, "end": place},
        "context": {"diagnostics": [], "only": ["quickfix"]},
    });
    let fixes = client.call("textDocument/codeAction", params);
    let titles = fixes.as_array().expect("fixes").iter();
    let mut titles = titles.filter_map(|fix| fix["title"].as_str());
    assert!(
        titles.any(|title| title.starts_with("Make b (3,2):(1,3)")),
        "{fixes}"
    );
}

#[test]
fn a_hover_shows_the_layout_in_the_form_that_the_client_renders() {
    let mut client = server().start();
    client.open(URI, LAYOUTS);
    let hover = client.hover(URI, at(LAYOUTS, "smem =")).expect("a hover");
    assert_eq!(hover.contents.kind, "markdown");
    assert!(
        hover.contents.value.contains("(_128,_8):(_1,_128)"),
        "{}",
        hover.contents.value
    );
    let start = at(LAYOUTS, "smem =");
    let end = Position::new(start.line, start.character + 4);
    assert_eq!(hover.range, Some(Range { start, end }));
    assert_eq!(client.hover(URI, Position::new(3, 0)), None);
    assert_eq!(
        client.hover("file:///not-open.cu", Position::new(0, 0)),
        None
    );

    let formats = "/textDocument/hover/contentFormat";
    let mut client = server().capability(formats, json!(["plaintext"])).start();
    client.open(URI, LAYOUTS);
    let hover = client.hover(URI, at(LAYOUTS, "smem, ")).expect("a hover");
    assert_eq!(hover.contents.kind, "plaintext");
    assert!(
        hover.contents.value.contains("(_128,_8):(_1,_128)"),
        "{}",
        hover.contents.value
    );
}

#[test]
fn a_finding_stands_once_where_the_client_shows_diagnostics_in_hovers() {
    let position = at(REFUSED, "composition(");
    let says = |server: Builder| {
        let mut client = server.start();
        client.open(URI, REFUSED);
        assert_eq!(client.await_diagnostics(URI, 1).len(), 1);
        let hover = client.hover(URI, position);
        hover.map(|hover| hover.contents.value.contains("stride-divisibility"))
    };
    let shows_diagnostics = || {
        let ours = json!({"cuteDiagnosticsInHovers": true});
        server().capability("/experimental", ours)
    };
    assert_eq!(says(server()), Some(true));
    assert_eq!(says(shows_diagnostics()), Some(false));
    let set = |findings: bool| json!({"hover": {"findings": findings}});
    assert_eq!(says(server().options(set(false))), Some(false));
    assert_eq!(says(shows_diagnostics().options(set(true))), Some(true));
    // Where nothing is underlined, the hover is the only place.
    let off = json!({"diagnostics": {"enable": false}});
    let mut client = shows_diagnostics().options(off).start();
    client.open(URI, REFUSED);
    let hover = client.hover(URI, position).expect("a hover");
    assert!(hover.contents.value.contains("stride-divisibility"));
}

#[test]
fn accesses_to_memory_are_judged_where_that_is_set() {
    let source = "\
#include <cute/tensor.hpp>
using namespace cute;
void kernel()
{
  half_t* p = nullptr;
  Tensor sA = make_tensor(make_smem_ptr(p), Layout<Shape<_64, _64>, Stride<_64, _1>>{});
  auto copy_a = make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, half_t>{},
                                Layout<Shape<_32, _4>>{}, Layout<Shape<_1, _8>>{});
  Tensor part = copy_a.get_slice(0).partition_S(sA);
}
";
    let mut client = server().start();
    client.open(URI, source);
    assert_eq!(client.await_diagnostics(URI, 1), []);
    let settings = json!({"cute-analyzer": {"diagnostics": {"memory": true}}});
    client.notify(
        "workspace/didChangeConfiguration",
        json!({"settings": settings}),
    );
    client.await_refresh();
    // What comes with the new settings is of the same version.
    client.change(URI, 2, &[insertion(0, 0, "\n")]);
    let found = client.await_diagnostics(URI, 2);
    let rules: Vec<_> = found
        .iter()
        .map(|one| (one.code.as_deref(), one.severity))
        .collect();
    assert_eq!(rules, [(Some("bank-conflict"), Some(3))]);
    assert!(!client.fixes(URI, &found[0]).is_empty());
    client.forgive_unread();
}

#[test]
fn every_name_of_the_language_is_served_and_the_file_name_helps_where_it_says_nothing() {
    for (language, uri) in [
        ("cuda", URI),
        ("cuda-cpp", URI),
        ("cpp", URI),
        ("c", URI),
        ("plaintext", URI),
        ("cuda-cpp", "untitled:one"),
    ] {
        let mut client = server().start();
        client.open_as(uri, language, LAYOUTS);
        assert!(
            client.hover(uri, at(LAYOUTS, "smem")).is_some(),
            "{language} {uri}"
        );
    }
    let mut client = server().start();
    client.open_as("file:///a.txt", "plaintext", LAYOUTS);
    assert_eq!(client.hover("file:///a.txt", at(LAYOUTS, "smem")), None);
    assert!(client.hints("file:///a.txt", None).is_empty());
}

#[test]
fn hints_stand_in_their_lines_and_have_a_tooltip_when_asked_for() {
    let mut client = server().start();
    client.open(URI, LAYOUTS);
    let hints = client.hints(URI, None);
    let lines: Vec<_> = hints.iter().map(|hint| hint.position.line).collect();
    assert_eq!(lines, [4, 5, 6]);
    assert_eq!(label(&hints[0]), "(128,8):(1,128)");
    assert!(label(&hints[1]).contains('M'), "{}", label(&hints[1]));
    assert!(hints[0].rest.get("tooltip").is_none());
    let resolved = client.resolve(&hints[0]);
    let tooltip = resolved
        .rest
        .get("tooltip")
        .and_then(Value::as_str)
        .expect("a tooltip");
    assert!(tooltip.contains("(_128,_8):(_1,_128)"), "{tooltip}");

    let range = Range {
        start: Position::new(5, 0),
        end: Position::new(5, 99),
    };
    assert_eq!(client.hints(URI, Some(range)), [hints[1].clone()]);

    let mut client = server()
        .capability("/textDocument/inlayHint", json!({}))
        .start();
    client.open(URI, LAYOUTS);
    let hints = client.hints(URI, None);
    assert!(hints.iter().all(|hint| hint.rest.get("tooltip").is_some()));
}

#[test]
fn a_hint_that_is_not_ours_is_refused_and_one_of_an_older_version_left_alone() {
    let mut client = server().start();
    client.open(URI, LAYOUTS);
    let foreign = json!({"position": {"line": 0, "character": 0}, "label": "x"});
    let id = client.request("inlayHint/resolve", foreign);
    assert_eq!(
        client.await_answer(id).map_err(|error| error.code),
        Err(-32602)
    );
    let old = client.hints(URI, None);
    client.change(URI, 2, &[insertion(0, 0, "// moved\n")]);
    assert_eq!(client.resolve(&old[0]), old[0]);
}

#[test]
fn findings_are_published_with_rule_version_and_causes_and_go_when_they_are_mended() {
    let mut client = server().start();
    client.open(URI, REFUSED);
    let found = client.await_diagnostics(URI, 1);
    let [finding] = found.as_slice() else {
        panic!("one finding: {found:#?}")
    };
    assert_eq!(finding.code.as_deref(), Some("stride-divisibility"));
    assert_eq!(finding.source.as_deref(), Some("cute-analyzer"));
    assert_eq!(finding.severity, Some(1));
    assert_eq!(finding.range.start, at(REFUSED, "composition("));
    assert!(
        finding.rest.get("relatedInformation").is_some(),
        "{finding:#?}"
    );

    let at_six = at(REFUSED, "6>{}");
    let six = Range {
        start: at_six,
        end: Position::new(at_six.line, at_six.character + 1),
    };
    client.change(
        URI,
        2,
        &[Change {
            range: Some(six),
            text: "4".to_owned(),
        }],
    );
    assert_eq!(client.await_diagnostics(URI, 2), []);
    client.change(
        URI,
        3,
        &[Change {
            range: Some(six),
            text: "6".to_owned(),
        }],
    );
    assert_eq!(client.await_diagnostics(URI, 3), found);
    client.close(URI);
    assert_eq!(client.await_cleared_diagnostics(URI), []);
}

#[test]
fn a_quick_fix_removes_its_finding() {
    let mut client = server().start();
    client.open(URI, REFUSED);
    let found = client.await_diagnostics(URI, 1);
    let fixes = client.fixes(URI, &found[0]);
    assert!(!fixes.is_empty(), "no remedy for {found:#?}");
    let preferred = fixes
        .iter()
        .filter(|fix| fix["isPreferred"] == json!(true))
        .count();
    assert!(preferred <= 1);
    for fix in &fixes {
        assert_eq!(fix["kind"], "quickfix");
        assert_eq!(fix["diagnostics"], json!([found[0]]));
        let mut edits: Vec<Change> = fix["edit"]["changes"][URI]
            .as_array()
            .expect("edits of the document")
            .iter()
            .map(|edit| Change {
                range: serde_json::from_value(edit["range"].clone()).ok(),
                text: edit["newText"].as_str().expect("a text").to_owned(),
            })
            .collect();
        // From the end, so that each leaves the places of the others as they are.
        edits.sort_by_key(|edit| edit.range.map(|range| range.start));
        edits.reverse();
        let mut mended = server().start();
        mended.open(URI, REFUSED);
        mended.change(URI, 2, &edits);
        assert_eq!(
            mended.await_diagnostics(URI, 2),
            [],
            "after {}",
            fix["title"]
        );
    }
}

#[test]
fn quick_fixes_are_for_a_version_where_the_client_can_say_so_and_only_when_asked_for() {
    let mut client = server()
        .capability("/workspace/workspaceEdit/documentChanges", json!(true))
        .start();
    client.open(URI, REFUSED);
    let found = client.await_diagnostics(URI, 1);
    let fixes = client.fixes(URI, &found[0]);
    assert_eq!(
        fixes[0]["edit"]["documentChanges"][0]["textDocument"]["version"],
        1
    );
    let params = json!({
        "textDocument": {"uri": URI},
        "range": found[0].range,
        "context": {"diagnostics": [], "only": ["refactor"]},
    });
    assert_eq!(client.call("textDocument/codeAction", params), Value::Null);
}

#[test]
fn hints_are_as_long_as_the_settings_allow() {
    for (limit, expected) in [
        (43, "(128,8):(1,128)"),
        (8, "(128,8)…"),
        (0, "(_128,_8):(_1,_128)"),
    ] {
        let mut client = server()
            .options(json!({"hints": {"maxLength": limit}}))
            .start();
        client.open(URI, LAYOUTS);
        assert_eq!(label(&client.hints(URI, None)[0]), expected);
    }
}

#[test]
fn classes_of_hints_can_be_switched_off() {
    let text = "using namespace cute;\nauto shape = make_shape(_8{}, _4{});\n\
                auto layout = make_layout(shape);\n";
    let lines = |options| {
        let mut client = server().options(options).start();
        client.open(URI, text);
        let hints = client.hints(URI, None);
        hints
            .iter()
            .map(|hint| hint.position.line)
            .collect::<Vec<_>>()
    };
    assert_eq!(lines(json!({})), [1, 2]);
    assert_eq!(lines(json!({"hints": {"tuples": false}})), [2]);
    assert_eq!(lines(json!({"hints": {"layouts": false}})), [1]);
    assert_eq!(lines(json!({"hints": {"enable": false}})), [0; 0]);
}

/// A constant of another class, one that is written, one that a function computes, a number that one side of a choice writes,
/// and the atom of a TMA.
const CONSTANTS: &str = "\
using namespace cute;
struct Traits { static constexpr int kM = 64 + 64; };
void kernel(half_t* p, int m) {
  constexpr int kBlockM = Traits::kM;
  constexpr int kWritten = 128;
  constexpr int kSteps = ceil_div(kBlockM, Int<32>{});
  const int first = false ? max(0, m) : 0;
  auto gmem = make_tensor(p, make_layout(make_shape(512, 512), make_stride(512, Int<1>{})));
  auto tma = make_tma_atom(SM90_TMA_LOAD{}, gmem, Layout<Shape<_64, _64>, Stride<_64, _1>>{}, Shape<_64, _64>{});
}
";

#[test]
fn numbers_that_the_source_does_not_write_and_copies_by_tma_have_hints_with_their_settings() {
    let shown = |options| {
        let mut client = server().options(options).start();
        client.open(URI, CONSTANTS);
        let hints = client.hints(URI, None);
        let shown = hints
            .iter()
            .map(|hint| (hint.position.line, label(hint).to_owned()));
        shown.collect::<Vec<_>>()
    };
    let all = shown(json!({}));
    let of_line = |line: u32| {
        all.iter()
            .find(|(at, _)| *at == line)
            .map(|(_, label)| &**label)
    };
    assert_eq!(of_line(3), Some("128"), "{all:?}");
    assert_eq!(of_line(4), None);
    assert_eq!(of_line(5), Some("4"));
    assert_eq!(of_line(6), None);
    assert_eq!(of_line(8), Some("TMA box 64x64 of 16 bits, no swizzle"));
    let lines = |options| {
        shown(options)
            .iter()
            .map(|(line, _)| *line)
            .collect::<Vec<_>>()
    };
    assert_eq!(lines(json!({"hints": {"tma": false}})), [3, 5, 7]);
    assert_eq!(lines(json!({"hints": {"constants": false}})), [7, 8]);
}

#[test]
fn settings_come_with_initialize() {
    let options = json!({"assume": ["M=512"], "hints": {"enable": false}});
    let mut client = server().options(options).start();
    client.open(URI, LAYOUTS);
    assert!(client.hints(URI, None).is_empty());
    let hover = client.hover(URI, at(LAYOUTS, "gmem")).expect("a hover");
    assert!(
        hover.contents.value.contains("512"),
        "{}",
        hover.contents.value
    );
}

#[test]
fn what_is_assumed_on_the_command_line_is_assumed_beside_the_settings() {
    let mut client = server()
        .argument("lsp")
        .argument("--assume")
        .argument("M=512")
        .options(json!({"assume": ["K=64"]}))
        .start();
    client.open(URI, LAYOUTS);
    let hover = client.hover(URI, at(LAYOUTS, "gmem")).expect("a hover");
    assert!(
        hover.contents.value.contains("512"),
        "{}",
        hover.contents.value
    );
}

#[test]
fn settings_that_change_are_taken_and_the_hints_fetched_again() {
    let mut client = server().start();
    client.open(URI, REFUSED);
    assert_eq!(client.await_diagnostics(URI, 1).len(), 1);
    let settings = json!({"settings": {"cute-analyzer": {"diagnostics": {"enable": false}}}});
    client.notify("workspace/didChangeConfiguration", settings);
    client.await_refresh();
    while !client.await_diagnostics(URI, 1).is_empty() {
        client.await_any();
    }
    let wrong = json!({"settings": {"cute-analyzer": {"assume": "m=1"}}});
    client.notify("workspace/didChangeConfiguration", wrong);
    client.await_log("invalid type");
    let wrong = json!({"settings": {"cute-analyzer": {"assume": ["m is large"]}}});
    client.notify("workspace/didChangeConfiguration", wrong);
    client.await_log("m is large");
    client.await_refresh();
}

#[test]
fn a_client_that_wants_to_be_asked_for_settings_is_asked() {
    let mut client = server()
        .capability("/workspace/configuration", json!(true))
        .start();
    let (id, params) = client.await_request("workspace/configuration");
    assert_eq!(params["items"][0]["section"], "cute-analyzer");
    client.reply(&id, &json!([{"hints": {"enable": false}}]));
    client.await_refresh();
    client.open(URI, LAYOUTS);
    assert!(client.hints(URI, None).is_empty());
    client.notify(
        "workspace/didChangeConfiguration",
        json!({"settings": null}),
    );
    let (id, _) = client.await_request("workspace/configuration");
    client.reply(&id, &json!([null]));
    client.await_refresh();
    assert_eq!(client.hints(URI, None).len(), 3);
}

#[test]
fn a_client_that_can_be_told_later_is_told_that_settings_matter() {
    let path = "/workspace/didChangeConfiguration/dynamicRegistration";
    let mut client = server().capability(path, json!(true)).start();
    let (id, params) = client.await_request("client/registerCapability");
    assert_eq!(
        params["registrations"][0]["method"],
        "workspace/didChangeConfiguration"
    );
    client.reply(&id, &Value::Null);
}

#[test]
fn a_request_that_an_edit_overtakes_is_answered_once() {
    let mut client = server().start();
    client.open(URI, LAYOUTS);
    let mut asked = Vec::new();
    for version in 2..200 {
        client.change(URI, version, &[insertion(0, 0, "// moved\n")]);
        let position = at(LAYOUTS, "smem =");
        let position = Position::new(position.line + version as u32 - 1, position.character);
        let params = json!({"textDocument": {"uri": URI}, "position": position});
        asked.push(client.request("textDocument/hover", params));
    }
    let last = asked.pop().expect("the last one");
    for id in asked {
        match client.await_answer(id) {
            Ok(hover) => assert!(!hover.is_null()),
            Err(error) => assert_eq!(error.code, -32801),
        }
    }
    assert!(!client.await_answer(last).expect("a hover").is_null());
}

#[test]
fn several_clients_of_each_encoding_see_the_same_hints() {
    let columns = |client: &mut Client| -> Vec<u32> {
        client.open(URI, LAYOUTS);
        client
            .hints(URI, None)
            .iter()
            .map(|hint| hint.position.character)
            .collect()
    };
    let path = "/general/positionEncodings";
    let utf16 = columns(&mut server().capability(path, json!(["utf-16"])).start());
    let utf8 = columns(
        &mut server()
            .capability(path, json!(["utf-16", "utf-8"]))
            .start(),
    );
    let utf32 = columns(&mut server().capability(path, json!(["utf-32"])).start());
    // The first hint is behind `é 𝛼` and the `;`: 2 + 4 bytes, 1 + 2 code units, 1 + 1 characters.
    assert_eq!((utf8[0] - utf16[0], utf16[0] - utf32[0]), (3, 1));
    assert_eq!((&utf8[1..], &utf32[1..]), (&utf16[1..], &utf16[1..]));
}

#[test]
fn a_rust_document_is_served() {
    let text = "use cute_algebra::layout;\nfn f() { let tile = layout!((4, 8):(8, 1)); }\n";
    let uri = "file:///features.rs";
    let mut client = server().start();
    client.open_as(uri, "rust", text);
    let hover = client.hover(uri, at(text, "tile =")).expect("a hover");
    assert!(
        hover.contents.value.contains("(_4,_8):(_8,_1)"),
        "{}",
        hover.contents.value
    );
}

#[test]
fn a_hover_names_the_macro_that_no_flag_decides() {
    const CHOICE: &str = "\
#ifdef WIDE
using Tile = cute::Shape<cute::_128>;
#else
using Tile = cute::Shape<cute::_64>;
#endif
void f() {
  auto tile = cute::make_layout(Tile{});
}
";
    let mut client = server().start();
    client.open(URI, CHOICE);
    // What takes longer than a hover waits is said by a later one.
    let says = |client: &mut Client| {
        let hover = client.hover(URI, at(CHOICE, "tile =")).expect("a hover");
        hover.contents.value.contains("With -DWIDE: `(_128):(_1)`")
    };
    let said = (0..100).any(|_| says(&mut client));
    assert!(said);
    let whole = Change {
        range: None,
        text: CHOICE.replace("WIDE", "__cplusplus"),
    };
    client.change(URI, 2, &[whole]);
    assert!(!says(&mut client));
}
