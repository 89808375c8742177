//! Offers at a cursor: notes, corrections of a whole document, copies, tokens, names of instructions, sizes, instances
//! of the project file.

use cute_tests::client::Client;
use cute_tests::protocol::Position;
use serde_json::{Value, json};

use crate::server;

const URI: &str = "file:///actions.cu";

const SOURCE: &str = "\
#include <cute/layout.hpp>
using namespace cute;
int main(int argc, char** argv)
{
  int m = 512;
  sscanf(argv[1], \"%d\", &m);
  auto tile = make_layout(make_shape(Int<128>{}, Int<8>{}));  // tile: (_64,_8):(_1,_64)
  auto other = make_layout(make_shape(Int<32>{}, Int<8>{}));  // other: (_32,_8):(_8,_1)
  auto rows = make_layout(make_shape(m, Int<8>{}));
  auto part = composition(rows, make_layout(Int<4>{}, Int<64>{}));
  using Atom = SM75_U32x
}
";

fn at(what: &str, after: u32) -> Position {
    let start = Position::of_offset(SOURCE, SOURCE.find(what).expect("it is there"));
    Position::new(start.line, start.character + after)
}

fn opened() -> Client {
    let mut client = server().start();
    client.open(URI, SOURCE);
    client
}

fn actions(client: &mut Client, place: Position, only: &str) -> Vec<Value> {
    let params = json!({
        "textDocument": {"uri": URI},
        "range": {"start": place, "end": place},
        "context": {"diagnostics": [], "only": [only]},
    });
    match client.call("textDocument/codeAction", params) {
        Value::Array(actions) => actions,
        _ => Vec::new(),
    }
}

fn titles(actions: &[Value]) -> Vec<&str> {
    let titles = actions.iter().filter_map(|action| action["title"].as_str());
    titles.collect()
}

#[test]
fn what_is_open_can_be_assumed_and_a_layout_be_noted() {
    let mut client = opened();
    let open = actions(&mut client, at("composition", 1), "refactor.rewrite");
    assert_eq!(titles(&open), ["Assume that m % 256 == 0"]);
    let edit = &open[0]["edit"]["changes"][URI][0];
    assert_eq!(edit["newText"], "  // cute: assume m % 256 == 0\n");
    assert_eq!(edit["range"]["start"], json!({"line": 9, "character": 0}));
    let noted = actions(&mut client, at("rows = ", 1), "refactor.rewrite");
    assert!(
        titles(&noted).contains(&"Note that rows is (m,_8):(_1,m)"),
        "{noted:#?}"
    );
}

#[test]
fn all_comments_are_corrected_at_once() {
    let mut client = opened();
    let fixed = actions(&mut client, Position::new(0, 0), "source.fixAll");
    assert_eq!(titles(&fixed), ["Correct all 2 layout comments"]);
    assert_eq!(fixed[0]["kind"], "source.fixAll.cute");
    let edits = fixed[0]["edit"]["changes"][URI].as_array().expect("edits");
    assert_eq!(edits.len(), 2);
    // Only where it is requested.
    let quick = actions(&mut client, Position::new(0, 0), "quickfix");
    assert_eq!(titles(&quick), [""; 0]);
}

#[test]
fn a_layout_is_copied_in_each_form() {
    let mut client = opened();
    let copies = actions(&mut client, at("tile = ", 1), "refactor.copy");
    let mut texts = Vec::new();
    for copy in &copies {
        let command = &copy["command"];
        let done = client.call(
            "workspace/executeCommand",
            json!({"command": command["command"], "arguments": command["arguments"]}),
        );
        texts.push(done["text"].as_str().expect("a text").to_owned());
    }
    assert_eq!(texts[0], "(_128,_8):(_1,_128)");
    assert!(texts[1].starts_with("<svg "), "{}", texts[1]);
    assert!(texts[2].contains("tikzpicture"), "{}", texts[2]);
}

#[test]
fn layouts_in_comments_have_tokens() {
    let mut client = opened();
    let tokens = client.call(
        "textDocument/semanticTokens/full",
        json!({"textDocument": {"uri": URI}}),
    );
    let data = tokens["data"].as_array().expect("numbers");
    // Eight integers of two layouts, five numbers each.
    assert_eq!(data.len(), 8 * 5);
    assert_eq!(data[0], 6);
    assert_eq!(data[2], 3);
}

#[test]
fn the_name_of_an_instruction_is_completed() {
    let mut client = opened();
    let params = json!({"textDocument": {"uri": URI}, "position": at("SM75_U32x", 9)});
    let offered = client.call("textDocument/completion", params);
    let items = offered["items"].as_array().expect("items");
    let labels: Vec<&str> = items
        .iter()
        .filter_map(|item| item["label"].as_str())
        .collect();
    assert_eq!(
        labels,
        [
            "SM75_U32x1_LDSM_N",
            "SM75_U32x2_LDSM_N",
            "SM75_U32x4_LDSM_N"
        ]
    );
    assert_eq!(items[0]["detail"], "sm_75: 32 bits of 32 threads");
}

#[test]
fn a_document_is_evaluated_with_the_sizes_of_its_main() {
    let mut client = opened();
    let document = json!({"textDocument": {"uri": URI}});
    let rows = |client: &mut Client| {
        let hover = client.hover(URI, at("rows = ", 1)).expect("a hover");
        hover.contents.value
    };
    assert!(rows(&mut client).contains("(m,_8):(_1,m)"));
    for (title, shown) in [
        ("evaluate with m = 512", "(512,_8):(_1,512)"),
        ("evaluated with m = 512 · back to names", "(m,_8):(_1,m)"),
    ] {
        let lenses = client.call("textDocument/codeLens", document.clone());
        let command = lenses[0]["command"].clone();
        assert_eq!(command["title"], title);
        client.call(
            "workspace/executeCommand",
            json!({"command": command["command"], "arguments": command["arguments"]}),
        );
        client.await_refresh();
        assert!(rows(&mut client).contains(shown), "{}", rows(&mut client));
    }
}

#[test]
fn without_a_workspace_no_instance_can_be_added() {
    let mut client = opened();
    let params = json!({
        "command": "cute.addInstance",
        "arguments": [{"function": "tile", "parameters": ["T"]}],
    });
    let id = client.request("workspace/executeCommand", params);
    assert_eq!(
        client.await_answer(id).map_err(|error| error.code),
        Err(-32600)
    );
}

#[test]
fn what_other_servers_serve_is_left_to_them() {
    let mut client = server().uninitialized().start();
    let answer = client.initialize(Value::Null);
    let capabilities = answer["capabilities"].as_object().expect("capabilities");
    for theirs in [
        "definitionProvider",
        "declarationProvider",
        "typeDefinitionProvider",
        "implementationProvider",
        "referencesProvider",
        "documentHighlightProvider",
        "foldingRangeProvider",
        "selectionRangeProvider",
        "renameProvider",
        "documentFormattingProvider",
        "callHierarchyProvider",
        "documentLinkProvider",
    ] {
        assert!(!capabilities.contains_key(theirs), "{theirs}");
    }
    let commands = &capabilities["executeCommandProvider"]["commands"];
    for ours in [
        "cute.selectInstance",
        "cute.copyAs",
        "cute.run",
        "cute.useSizes",
    ] {
        let listed = commands.as_array().expect("a list");
        assert!(listed.iter().any(|command| command == ours), "{ours}");
    }
}

#[test]
fn the_index_of_a_plain_access_becomes_a_layout() {
    let text = "#include <cute/layout.hpp>\nusing namespace cute;\n__global__ void k(float* out) {\n  \
                out[threadIdx.y * 33 + threadIdx.x] = 1;\n}\n\
                void run(float* a) { k<<<1, dim3(32, 8)>>>(a); }\n";
    let mut client = server().start();
    client.open(URI, text);
    let place = Position::new(3, 3);
    let offered = actions(&mut client, place, "refactor.rewrite");
    let titles = titles(&offered);
    assert!(
        titles.contains(&"Write the index as a layout of CuTe: (32,8):(1,33)"),
        "{titles:?}"
    );
}

#[test]
fn a_plain_access_to_a_part_of_a_matrix_becomes_an_element_of_a_tile() {
    let text = "#include <cute/tensor.hpp>\nusing namespace cute;\n__global__ void k(float* a, int lda, int n) {\n  \
                for (int k = 0; k < n; k += 8)\n    a[(blockIdx.y * 32 + threadIdx.y) * lda + k + threadIdx.x] = 1;\n}\n\
                void run(float* a) { k<<<dim3(1, 8), dim3(8, 32)>>>(a, 512, 256); }\n";
    let mut client = server().start();
    client.open(URI, text);
    let offered = actions(&mut client, Position::new(4, 5), "refactor.rewrite");
    let titles = titles(&offered);
    let title = "Write the access as an element of a tile of CuTe: 32 by 8 at (blockIdx.y, k / 8)";
    assert!(titles.contains(&title), "{titles:?}");
}
