//! Outline, signatures, sizes, lenses, and our own requests.

use cute_tests::client::Client;
use cute_tests::protocol::Position;
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::{insertion, server};

const URI: &str = "file:///requests.cu";

const SOURCE: &str = "\
#include <cute/layout.hpp>
using namespace cute;
template <class Smem>
void kernel(Smem smem)
{
  auto tile = logical_divide(smem, make_tile(Int<32>{}, Int<4>{}));
}
void host()
{
  auto small = make_layout(make_shape(Int<64>{}, Int<8>{}));
  auto large = make_layout(make_shape(Int<128>{}, Int<8>{}));
  kernel(small);
  kernel(large);
}
";

/// The place of the first occurrence of `what`, `after` characters into it.
fn at(what: &str, after: u32) -> Position {
    let start = Position::of_offset(SOURCE, SOURCE.find(what).expect("it is there"));
    Position::new(start.line, start.character + after)
}

fn place(position: Position) -> Value {
    json!({"textDocument": {"uri": URI}, "position": position})
}

fn opened() -> Client {
    let mut client = server()
        .capability(
            "/textDocument/documentSymbol/hierarchicalDocumentSymbolSupport",
            json!(true),
        )
        .start();
    client.open(URI, SOURCE);
    client
}

fn texts(items: &Value, key: &str) -> Vec<String> {
    let items = items.as_array().expect("a list").iter();
    items
        .filter_map(|item| Some(item[key].as_str()?.to_owned()))
        .collect()
}

#[test]
fn the_outline_has_layouts_by_function() {
    let document = json!({"textDocument": {"uri": URI}});
    let mut client = opened();
    let outline = client.call("textDocument/documentSymbol", document.clone());
    assert_eq!(texts(&outline, "name"), ["kernel", "host"]);
    let host = &outline[1]["children"];
    assert_eq!(texts(host, "name"), ["small", "large"]);
    assert_eq!(texts(host, "detail"), ["(64,8):(1,64)", "(128,8):(1,128)"]);
    assert_eq!(host[0]["selectionRange"]["start"], json!(at("small", 0)));

    let mut client = server().start();
    client.open(URI, SOURCE);
    let flat = client.call("textDocument/documentSymbol", document);
    assert_eq!(texts(&flat, "name"), ["tile", "small", "large"]);
    assert_eq!(texts(&flat, "containerName"), ["kernel", "host", "host"]);
}

#[test]
fn a_signature_names_the_parameter_and_says_what_the_argument_is_worth() {
    let mut client = opened();
    let help = client.call(
        "textDocument/signatureHelp",
        place(at("smem, make_tile", 2)),
    );
    assert_eq!(
        texts(&help["signatures"], "label"),
        ["logical_divide(layout, tiler)"]
    );
    assert_eq!(help["activeParameter"], 0);
    assert_eq!(help["signatures"][0]["parameters"][0]["label"], "layout");
    let documentation = help["signatures"][0]["documentation"]
        .as_str()
        .expect("a text");
    assert!(
        documentation.starts_with("(_64,_8):(_1,_64)\n"),
        "{documentation}"
    );
    let second = client.call("textDocument/signatureHelp", place(at(", make_tile", 3)));
    assert_eq!(second["activeParameter"], 1);
    let nothing = client.call("textDocument/signatureHelp", place(at("kernel(small", 2)));
    assert_eq!(nothing, Value::Null);
}

#[test]
fn an_unclosed_call_of_the_python_dsl_has_its_signature() {
    let uri = "file:///kernel.py";
    let text = "import cutlass.cute as cute\n\ntile = cute.make_layout((8, 4), \n";
    let mut client = server().start();
    client.open_as(uri, "python", text);
    let help = client.call(
        "textDocument/signatureHelp",
        json!({"textDocument": {"uri": uri}, "position": {"line": 2, "character": 32}}),
    );
    assert_eq!(
        texts(&help["signatures"], "label"),
        ["make_layout(shape, stride)"]
    );
    assert_eq!(help["activeParameter"], 1);
    let elsewhere = client.call(
        "textDocument/signatureHelp",
        json!({"textDocument": {"uri": uri}, "position": {"line": 2, "character": 3}}),
    );
    assert_eq!(elsewhere, Value::Null);
}

#[test]
fn sizes_are_offered_with_which_nothing_is_wrong() {
    let mut client = opened();
    // Both instances have 8 columns: of the powers of two those up to 8 divide them.
    let offered = client.call("textDocument/completion", place(at("4>{}", 1)));
    assert_eq!(texts(&offered, "label"), ["1", "2", "4", "8"]);
    let detail = offered[3]["detail"].as_str().expect("a text");
    assert!(detail.contains('8'), "{detail}");
    // The same where nothing is written yet.
    let digit = at("4>{}", 0);
    let removed = cute_tests::protocol::Change {
        range: Some(cute_tests::protocol::Range {
            start: digit,
            end: Position::new(digit.line, digit.character + 1),
        }),
        text: String::new(),
    };
    client.change(URI, 2, &[removed]);
    let offered = client.call("textDocument/completion", place(digit));
    assert_eq!(texts(&offered, "label"), ["1", "2", "4", "8"]);
    let nothing = client.call("textDocument/completion", place(at("host", 1)));
    assert_eq!(nothing, Value::Null);
}

#[test]
fn a_lens_names_the_instance_and_a_click_shows_the_next() {
    let document = json!({"textDocument": {"uri": URI}});
    let mut client = opened();
    let hint = |client: &mut Client| {
        let hints = client.hints(URI, None);
        let label = hints.first().and_then(|hint| hint.label.as_str());
        label.expect("a label").to_owned()
    };
    let first = hint(&mut client);
    let lenses = client.call("textDocument/codeLens", document.clone());
    let command = lenses[0]["command"].clone();
    let title = command["title"].as_str().expect("a title");
    assert!(title.starts_with("kernel: instance 1/2: "), "{title}");
    client.call(
        "workspace/executeCommand",
        json!({"command": command["command"], "arguments": command["arguments"]}),
    );
    client.await_refresh();
    let second = hint(&mut client);
    assert_ne!(first, second);
    // Which instance it is of, the lens says once for all hints.
    assert!(
        !first.contains("1/2") && !second.contains("2/2"),
        "{second}"
    );
    let hover = client
        .hover(URI, at("tile", 1))
        .expect("a hover")
        .contents
        .value;
    assert!(hover.contains("instance 2/2"), "{hover}");
    // What is drawn is what is told.
    let told = hover
        .split("```")
        .nth(1)
        .and_then(|text| text.lines().nth(1));
    let drawn = hover.rsplit("```text\n").next();
    let heading = told.expect("a value").replace('_', "");
    assert!(
        drawn.is_some_and(|text| text.starts_with(&heading)),
        "{hover}"
    );

    let instances = client.call("cute/instances", document);
    assert_eq!(instances[0]["here"], false);
    let instances = client.call("cute/instances", place(at("tile", 1)));
    assert_eq!(instances[0]["here"], true, "the cursor is in it");
    assert_eq!(instances[0]["function"], "kernel");
    assert_eq!(instances[0]["chosen"], 1);
    assert_eq!(instances[0]["instances"].as_array().map(Vec::len), Some(2));
    client.call("cute/selectInstance", json!({"function": "kernel"}));
    client.await_refresh();
    assert_eq!(hint(&mut client), first);
    // In one document alone, by its URI; a choice for all takes its place.
    let of = |uri: &str| {
        let chosen = &instances[0]["instances"][1];
        json!({"function": "kernel", "instance": chosen, "textDocument": {"uri": uri}})
    };
    client.call("cute/selectInstance", of("file:///elsewhere.cu"));
    client.await_refresh();
    assert_eq!(hint(&mut client), first);
    client.call("cute/selectInstance", of(URI));
    client.await_refresh();
    assert_eq!(hint(&mut client), second);
    client.call("cute/selectInstance", json!({"function": "kernel"}));
    client.await_refresh();
    assert_eq!(hint(&mut client), first);
}

#[test]
fn a_picture_that_is_copied_says_how_many_cells_it_has() {
    let mut client = opened();
    let copied = |client: &mut Client, more: Value| {
        let mut what = place(at("large", 1));
        for (key, value) in more.as_object().into_iter().flatten() {
            what[key] = value.clone();
        }
        let params = json!({"command": "cute.copyAs", "arguments": [what]});
        client.call("workspace/executeCommand", params)
    };
    let whole = copied(&mut client, json!({"format": "svg"}));
    let part = copied(
        &mut client,
        json!({"format": "svg", "rows": 4, "columns": 4}),
    );
    assert_eq!(part["cells"], 16);
    let length = |answer: &Value| answer["text"].as_str().map(str::len);
    assert!(whole["cells"].as_u64() > Some(100) && length(&whole) > length(&part));
    let print = copied(&mut client, json!({"format": "cute"}));
    assert_eq!(print, json!({"text": "(_128,_8):(_1,_128)"}));
}

#[test]
fn the_value_at_a_place_is_data() {
    let mut client = opened();
    let found = client.call("cute/layoutAt", place(at("large", 1)));
    assert_eq!(found["kind"], "Layout");
    assert_eq!(found["value"], "(_128,_8):(_1,_128)");
    assert_eq!(found["static"], true);
    assert_eq!(found["range"]["start"], json!(at("large", 0)));
    assert_eq!(
        client.call("cute/layoutAt", place(at("host", 1))),
        Value::Null
    );
    let alone = client.call(
        "cute/layoutAt",
        json!({"expression": "coalesce((2,4):(1,2))"}),
    );
    assert_eq!(alone["value"], "_8:_1");
    let id = client.request("cute/layoutAt", json!({}));
    assert_eq!(
        client.await_answer(id).map_err(|error| error.code),
        Err(-32602)
    );
    let id = client.request("cute/layoutAt", json!({"expression": "((("}));
    assert_eq!(
        client.await_answer(id).map_err(|error| error.code),
        Err(-32602)
    );
}

#[test]
fn a_picture_comes_in_each_form() {
    let mut client = opened();
    for (format, begins) in [
        ("svg", "<svg "),
        ("tikz", "% needs"),
        ("text", "(64,8):(1,64)"),
    ] {
        let mut params = place(at("small", 1));
        params["format"] = json!(format);
        let drawn = client.call("cute/picture", params);
        let picture = drawn["picture"].as_str().expect("a text");
        assert!(picture.starts_with(begins), "{format}: {picture}");
    }
    let data = client.call(
        "cute/picture",
        json!({"expression": "composition((6,2):(8,2), (4,3):(3,1))", "operands": true, "format": "json"}),
    );
    assert_eq!(data["picture"]["kind"], "composition");
    let narrow = client.call(
        "cute/picture",
        json!({"expression": "(64,64):(1,64)", "columns": 2, "format": "json"}),
    );
    assert_eq!(narrow["picture"]["panels"][0]["columns"]["shown"], 2);
    assert_eq!(
        client.call("cute/picture", place(at("host", 1))),
        Value::Null
    );
    let id = client.request("cute/picture", json!({"expression": "(M,4):(1,M)"}));
    assert_eq!(
        client.await_answer(id).map_err(|error| error.code),
        Err(-32602)
    );
}

#[test]
fn a_panel_gets_its_page_and_then_what_it_shows() {
    let mut client = opened();
    let asked = |format: &str| {
        let mut params = place(at("tile", 1));
        params["format"] = json!(format);
        params["operands"] = json!(true);
        params["nonce"] = json!("abc123");
        params
    };
    let html = client.call("cute/picture", asked("html"));
    let html = html["picture"].as_str().expect("a page");
    assert!(html.contains("script-src 'nonce-abc123'"), "{html}");
    assert!(html.contains("<title>tile</title>"), "{html}");

    let page = client.call("cute/picture", asked("page"));
    let sheet = &page["picture"];
    assert_eq!(sheet["name"], "tile");
    // The name denotes the division in its declaration, so its operands are shown.
    assert_eq!(sheet["kind"], "tiler");
    assert_eq!(sheet["grids"][0]["layout"], "(64,8):(1,64)");
    let steps = sheet["derivation"].as_array().expect("steps");
    assert!(!steps.is_empty());
    // What is shown can be pasted back, and leads to its declarations.
    let again = sheet["expression"].as_str().expect("an expression");
    assert_eq!(again, sheet["title"], "the operation with its operands");
    let drawn = client.call(
        "cute/picture",
        json!({"expression": again, "format": "page", "operands": true}),
    );
    assert_eq!(
        drawn["picture"]["grids"][1]["layout"],
        sheet["grids"][1]["layout"]
    );
    assert_eq!(sheet["grids"][1]["source"]["line"], at("tile", 1).line);

    let part = client.call(
        "cute/picture",
        json!({"expression": "(8192,8192):(8192,1)", "format": "page", "firstRow": 480, "firstColumn": 8100}),
    );
    let grid = &part["picture"]["grids"][0];
    assert_eq!(grid["rows"]["first"], 480);
    assert_eq!(grid["columns"]["shown"], 92);
    assert_eq!(grid["offsets"][0], 480 * 8192 + 8100);
    let cells = grid["rows"]["shown"].as_i64().unwrap() * 92;
    assert!(cells <= 227 << 10, "{cells}");

    let svg = client.call("cute/picture", asked("svg"));
    let cells = sheet["grids"].as_array().into_iter().flatten();
    let cells = cells
        .filter_map(|grid| grid["indices"].as_array())
        .map(Vec::len);
    assert!(svg["cells"].as_u64() <= Some(cells.sum::<usize>() as u64));
    assert!(svg["cells"].as_u64() > Some(0));

    // An operation without a picture is drawn as its result.
    let small = client.call("cute/picture", {
        let mut params = asked("page");
        params["position"] = json!(at("small", 1));
        params
    });
    assert_eq!(small["picture"]["kind"], "layout");
    let first = small["picture"]["derivation"][0].as_str().expect("a step");
    assert!(first.starts_with("make_layout((_64,_8)) = "), "{first}");

    let coloured = client.call("cute/picture", asked("ansi"));
    let coloured = coloured["picture"].as_str().expect("a text");
    assert!(coloured.contains("\u{1b}["), "{coloured}");
}

#[test]
fn what_stands_behind_a_value_comes_by_section() {
    let mut client = opened();
    let explained = client.call("cute/explain", place(at("tile", 1)));
    let titles = texts(&explained["sections"], "title");
    for wanted in ["function", "derivation", "properties", "address", "picture"] {
        assert!(
            titles.iter().any(|title| title == wanted),
            "{wanted}: {titles:?}"
        );
    }
    let alone = client.call(
        "cute/explain",
        json!({"expression": "complement((2,2):(1,6), 24)"}),
    );
    assert_eq!(alone["sections"][0]["title"], "derivation");
    assert_eq!(
        client.call("cute/explain", place(at("host", 1))),
        Value::Null
    );
}

#[test]
fn a_layout_runs_and_agrees_with_the_algebra() {
    let mut client = opened();
    let ran = client.call("cute/run", place(at("large", 1)));
    assert_eq!(ran["agrees"], true);
    assert_eq!(ran["compared"], 1024);
    assert_eq!(client.call("cute/run", place(at("host", 1))), Value::Null);
    let id = client.request("cute/run", json!({"expression": "(M,4):(1@0,1@1)"}));
    assert_eq!(
        client.await_answer(id).map_err(|error| error.code),
        Err(-32602)
    );
}

#[test]
fn requests_about_a_document_that_is_not_open_have_empty_answers() {
    let mut client = server().start();
    let document = json!({"textDocument": {"uri": URI}});
    assert_eq!(
        client.call("textDocument/documentSymbol", document.clone()),
        Value::Null
    );
    assert_eq!(
        client.call("textDocument/codeLens", document.clone()),
        Value::Null
    );
    assert_eq!(client.call("cute/instances", document), json!([]));
    for method in ["cute/layoutAt", "cute/picture", "cute/explain", "cute/run"] {
        assert_eq!(
            client.call(method, place(Position::new(0, 0))),
            Value::Null,
            "{method}"
        );
    }
    client.open(URI, "");
    client.change(URI, 2, &[insertion(0, 0, "auto x = _8")]);
    for method in ["textDocument/completion", "textDocument/signatureHelp"] {
        client.call(method, place(Position::new(0, 99)));
    }
}

#[test]
fn a_hover_has_a_picture_where_the_client_shows_one() {
    let tags = "/general/markdown/allowedTags";
    let markdown = "/general/markdown/parser";
    let mut client = server()
        .capability(tags, json!(["b", "img"]))
        .capability(markdown, json!("marked"))
        .start();
    client.open(URI, SOURCE);
    let hover = client.hover(URI, at("small", 1)).expect("a hover");
    let text = &hover.contents.value;
    assert!(
        text.contains("![Layout](data:image/svg+xml,%3Csvg"),
        "{text}"
    );
    assert!(
        !text.contains("](data:image/svg+xml,%3Csvg%20xmlns=\""),
        "{text}"
    );

    let off = json!({"hover": {"pictures": false}});
    let mut client = server()
        .capability(tags, json!(["img"]))
        .capability(markdown, json!("marked"))
        .options(off)
        .start();
    client.open(URI, SOURCE);
    let hover = client.hover(URI, at("small", 1)).expect("a hover");
    assert!(!hover.contents.value.contains("data:image"));
    assert!(!hover.contents.value.contains("┌"));

    // A terminal has the same in characters, and one that renders no Markdown has none.
    let mut client = server().start();
    client.open(URI, SOURCE);
    let hover = client.hover(URI, at("small", 1)).expect("a hover");
    let text = &hover.contents.value;
    assert!(text.contains("```text\n") && text.contains("┌"), "{text}");
    assert!(!text.contains("data:image"), "{text}");
    let mut client = server()
        .capability("/textDocument/hover/contentFormat", json!(["plaintext"]))
        .start();
    client.open(URI, SOURCE);
    let hover = client.hover(URI, at("small", 1)).expect("a hover");
    assert!(!hover.contents.value.contains("┌"));
}

#[test]
fn the_state_of_a_document_is_told_to_clients_that_want_it() {
    let mut client = server()
        .capability("/experimental", json!({"cuteStatus": true}))
        .start();
    client.open(URI, SOURCE);
    let ready = client.await_notification("cute/status", |status| status["state"] == "ready");
    assert_eq!(ready["uri"], URI);
    assert_eq!(ready["version"], 1);
    assert_eq!(ready["findings"], 0);
    assert!(ready["values"].as_u64().is_some_and(|values| values > 3));
    assert_eq!(ready.get("limits"), None);
}

#[test]
fn a_limit_that_was_reached_is_part_of_the_state() {
    let mut client = server()
        .capability("/experimental", json!({"cuteStatus": true}))
        .start();
    // Each line doubles the value before it, beyond every limit of its parts.
    let mut source = "#include <cute/layout.hpp>\nusing namespace cute;\nvoid host() {\n  \
        auto a0 = make_shape(Int<2>{}, Int<2>{});\n"
        .to_owned();
    for level in 1..40 {
        let before = level - 1;
        let _ = writeln!(
            source,
            "  auto a{level} = make_shape(a{before}, a{before});"
        );
    }
    source.push_str("}\n");
    client.open(URI, &source);
    let ready = client.await_notification("cute/status", |status| status["state"] == "ready");
    let limits = ready["limits"].as_array().expect("limits");
    assert!(
        limits.iter().any(|limit| limit
            .as_str()
            .is_some_and(|limit| limit.contains("not evaluated"))),
        "{limits:?}"
    );
}

const REWRITTEN: &str = "\
#include <cute/layout.hpp>
using namespace cute;
void host(int M)
{
  auto tile = make_layout(make_shape(Int<4>{}, Int<8>{}));
  auto rows = make_layout(make_shape(M, Int<64>{}), make_stride(Int<1>{}, M));
}
";

/// The rewrites at the first occurrence of `what`: title, and the text with it.
fn rewrites(client: &mut Client, what: &str) -> Vec<(String, String)> {
    let offset = REWRITTEN.find(what).expect("it is there");
    let position = Position::of_offset(REWRITTEN, offset);
    let params = json!({
        "textDocument": {"uri": URI},
        "range": {"start": position, "end": position},
        "context": {"diagnostics": [], "only": ["refactor"]},
    });
    let actions = client.call("textDocument/codeAction", params);
    let actions = actions.as_array().cloned().unwrap_or_default();
    let edited = |action: &Value| {
        let edit = &action["edit"]["changes"][URI][0];
        let byte = |place: &Value| {
            let lines = REWRITTEN.split_inclusive('\n');
            let line = place["line"].as_u64().expect("a line") as usize;
            let before: usize = lines.take(line).map(str::len).sum();
            before + place["character"].as_u64().expect("a column") as usize
        };
        let (start, end) = (byte(&edit["range"]["start"]), byte(&edit["range"]["end"]));
        let mut text = REWRITTEN.to_owned();
        text.replace_range(start..end, edit["newText"].as_str().expect("a text"));
        let title = action["title"].as_str().expect("a title");
        (title.to_owned(), text)
    };
    // Copies run a command and edit nothing.
    let edits = actions.iter().filter(|action| action["edit"].is_object());
    edits.map(edited).collect()
}

#[test]
fn rewrites_are_offered_where_they_hold() {
    let mut client = server().start();
    client.open(URI, REWRITTEN);
    let offered = rewrites(&mut client, "tile");
    let titles: Vec<&str> = offered.iter().map(|(title, _)| title.as_str()).collect();
    assert_eq!(
        titles,
        [
            "Replace it with its value (_4,_8):(_1,_4)",
            "Replace it with the coalesced form _32:_1",
            "Assert that tile stays (_4,_8):(_1,_4)",
            "Note that tile is (_4,_8):(_1,_4)",
        ]
    );
    assert!(
        offered[0]
            .1
            .contains("tile = Layout<Shape<Int<4>, Int<8>>, Stride<Int<1>, Int<4>>>{};")
    );
    assert!(offered[1].1.contains("tile = Layout<Int<32>, Int<1>>{};"));
    assert!(offered[2].1.contains(
        "{}));\n  static_assert(is_same_v<decltype(tile), Layout<Shape<Int<4>, Int<8>>, Stride<Int<1>, Int<4>>>>);\n"
    ));
    // A run-time value has no literal, but can be noted.
    let noted = rewrites(&mut client, "rows");
    let titles: Vec<&str> = noted.iter().map(|(title, _)| title.as_str()).collect();
    assert_eq!(titles, ["Note that rows is (M,_64):(_1,M)"]);
    assert!(
        noted[0].1.contains(", M));  // (M,_64):(_1,M)\n"),
        "{}",
        noted[0].1
    );
    assert_eq!(rewrites(&mut client, "using"), []);
}

const OPEN: &str = "\
#include <cute/layout.hpp>
using namespace cute;
template <class T, int kM>
void tile() {
  auto rows = typename T::Layout{};
}
void host() {
  auto a = make_layout(make_shape(Int<4>{}, Int<8>{}));
  auto b = coalesce(a);
}
";

#[test]
fn a_hover_leads_to_the_panel_and_to_the_paper() {
    let place_of = |what: &str| Position::of_offset(OPEN, OPEN.find(what).expect("it is there"));
    let mut client = server()
        .capability(
            "/experimental",
            json!({"cutePanelLinks": true, "cuteGlossary": true}),
        )
        .start();
    client.open(URI, OPEN);
    let hover = client.hover(URI, place_of("a = make")).expect("a hover");
    let text = hover.contents.value;
    assert!(text.ends_with("[Glossary](cute:glossary)"), "{text}");
    assert!(
        text.contains("[Show in panel](cute:panel?%7B%22textDocument"),
        "{text}"
    );
    let hover = client.hover(URI, place_of("coalesce")).expect("a hover");
    let text = hover.contents.value;
    let paper = "[CuTe Layout Representation and Algebra, §3.2](https://arxiv.org/abs/";
    assert!(text.contains(paper), "{text}");
    // Who cannot follow the link is not shown it.
    let mut client = server().start();
    client.open(URI, OPEN);
    let hover = client.hover(URI, place_of("a = make")).expect("a hover");
    assert!(!hover.contents.value.contains("](cute:"));
}

#[test]
fn a_hover_leads_to_the_page_of_a_rule_and_to_the_header_of_a_function() {
    const WRONG: &str = "\
#include <cute/layout.hpp>
using namespace cute;
void host() {
  auto a = make_layout(make_shape(Int<6>{}, Int<2>{}), make_stride(Int<1>{}, Int<7>{}));
  auto r = composition(a, make_layout(make_shape(Int<3>{}, Int<2>{}), make_stride(Int<2>{}, Int<3>{})));
  fill(a, 0);
}
";
    let place_of = |what: &str| Position::of_offset(WRONG, WRONG.find(what).expect("it is there"));
    let mut client = server()
        .capability("/experimental", json!({"cuteRules": true}))
        .start();
    client.open(URI, WRONG);
    let hover = client
        .hover(URI, place_of("composition(a"))
        .expect("a hover");
    let text = hover.contents.value;
    let rule = "[Rule not-a-composition](cute:rule?not-a-composition)";
    assert!(text.contains(rule), "{text}");
    let hover = client.hover(URI, place_of("fill")).expect("a hover");
    let text = hover.contents.value;
    let header = "[cute/algorithm/fill.hpp](https://github.com/NVIDIA/cutlass/blob/v4.2.0/include/cute/algorithm/fill.hpp)";
    assert!(text.contains(header), "{text}");
    // Who cannot follow the link is not shown it.
    let mut client = server().start();
    client.open(URI, WRONG);
    let hover = client
        .hover(URI, place_of("composition(a"))
        .expect("a hover");
    assert!(!hover.contents.value.contains("](cute:"));
}

/// The quick fixes that are offered at a place.
fn quick_fixes(client: &mut Client, at: Position) -> Value {
    client.call(
        "textDocument/codeAction",
        json!({
            "textDocument": {"uri": URI},
            "range": {"start": at, "end": at},
            "context": {"diagnostics": [], "only": ["quickfix"]},
        }),
    )
}

#[test]
fn what_an_instance_would_make_known_is_said_with_it_and_offered() {
    let mut client = server().start();
    client.open(URI, OPEN);
    let rows = Position::of_offset(OPEN, OPEN.find("rows").expect("it is there"));
    let hover = client.hover(URI, rows).expect("a hover").contents.value;
    assert!(
        hover.contains("`// cute: instantiate tile<T, 128>`"),
        "{hover}"
    );
    let actions = quick_fixes(&mut client, rows);
    assert_eq!(actions[0]["title"], "Add an instance of tile<T, kM>");
    assert_eq!(actions[0]["command"]["command"], "cute.addInstance");
    assert_eq!(
        actions[0]["command"]["arguments"][0]["parameters"],
        json!(["T", "kM"])
    );
}

#[test]
fn an_instance_is_offered_with_the_arguments_of_other_templates() {
    const TWO: &str = "\
using namespace cute;
template <class T, int kM>
void known() { auto a = make_layout(Int<kM>{}); }
template <class T, int kM>
void open() { auto rows = typename T::Layout{}; }
struct Traits { using Layout = cute::Layout<Shape<_4,_8>>; };
void host() { known<Traits, 64>(); }
";
    let mut client = server().start();
    client.open(URI, TWO);
    let rows = Position::of_offset(TWO, TWO.find("rows").expect("it is there"));
    let hover = client.hover(URI, rows).expect("a hover").contents.value;
    assert!(
        hover.contains("add `// cute: instantiate open<Traits, 64>` above the template"),
        "{hover}"
    );
    let actions = quick_fixes(&mut client, rows);
    assert_eq!(actions[0]["title"], "Add the instance open<Traits, 64>");
    assert_eq!(
        actions[0]["command"]["arguments"][0]["arguments"],
        json!(["Traits", "64"])
    );
}

/// A tile that a tiled copy writes: each row of 64 halves is 128 bytes, so that 8 lanes of a phase meet in four banks.
const COPIED: &str = "\
#include <cute/tensor.hpp>
using namespace cute;
__global__ void kernel(half_t* p) {
  __shared__ half_t memory[64 * 64];
  Tensor gA = make_tensor(make_gmem_ptr(p), Layout<Shape<_64, _64>, Stride<_64, _1>>{});
  Tensor sA = make_tensor(make_smem_ptr(memory), Layout<Shape<_64, _64>, Stride<_64, _1>>{});
  auto copy_a = make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, half_t>{},
                                Layout<Shape<_32, _4>>{}, Layout<Shape<_1, _8>>{});
  auto thread = copy_a.get_slice(threadIdx.x);
  Tensor from = thread.partition_S(gA);
  Tensor to = thread.partition_D(sA);
  copy(copy_a, from, to);
}
";

#[test]
fn a_picture_of_shared_memory_has_the_copies_of_the_source() {
    let mut client = server().start();
    client.open(URI, COPIED);
    let mut page = |text: &str, after: usize| {
        let offset = COPIED.find(text).expect(text) + after;
        let mut params = place(Position::of_offset(COPIED, offset));
        params["format"] = json!("page");
        params["operands"] = json!(true);
        client.call("cute/picture", params)["picture"].clone()
    };
    let declared = page("sA = make", 0);
    let access = &declared["accesses"][0];
    assert_eq!(
        access["label"],
        "copy on line 12: lanes write 16 bytes each"
    );
    assert_eq!(access["place"]["line"], 11);
    assert_eq!(access["costs"][0]["waves"], 32, "one lane a wavefront");
    assert_eq!(
        access["costs"][0]["phases"][0]["lanes"][1],
        json!([1, 1, 0]),
        "lane 1 begins in row 1, at bank 0"
    );
    assert_eq!(declared["access"], Value::Null);
    // At the partition the copy is chosen.
    let partition = page("partition_D(sA)", "partition_D(".len());
    assert_eq!(partition["name"], "sA");
    assert_eq!(partition["access"], 0);
    // Global memory has no banks.
    assert_eq!(page("gA = make", 0)["accesses"], json!([]));
}

#[test]
fn names_of_the_dsl_are_offered_behind_the_name_of_its_module_and_nothing_else() {
    let uri = "file:///dsl.py";
    let text =
        "import cutlass.cute as cute\nimport numpy as np\na = cute.zipped\nb = np.zer\nc = cute.\n";
    let mut client = server().start();
    client.open_as(uri, "python", text);
    let mut offered = |line: u32, character: u32| {
        client.call(
            "textDocument/completion",
            json!({"textDocument": {"uri": uri}, "position": Position::new(line, character)}),
        )
    };
    assert_eq!(
        texts(&offered(2, 15), "label"),
        ["zipped_divide", "zipped_product"]
    );
    assert_eq!(offered(3, 10), Value::Null);
    let all = offered(4, 9);
    assert!(
        texts(&all, "label")
            .iter()
            .any(|name| name == "make_layout"),
        "{all}"
    );
}
