//! Plain loads and stores: what hovers, hints, pictures and diagnostics say of them, and the settings that switch it.

use cute_tests::client::Client;
use cute_tests::protocol::Position;
use serde_json::{Value, json};

use crate::server;

const URI: &str = "file:///accesses.cu";

/// The load in the last line of the kernel takes 32 wavefronts.
const TRANSPOSED: &str = "\
__global__ void transposed(float* in, float* out) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
void launch(float* in, float* out) { transposed<<<1, dim3(32, 32)>>>(in, out); }
";

fn opened(options: Value) -> Client {
    let mut client = server().options(options).start();
    client.open(URI, TRANSPOSED);
    client
}

fn labels(options: Value) -> Vec<(u32, String)> {
    let hints = opened(options).hints(URI, None);
    let hints = hints.iter().map(|hint| {
        (
            hint.position.line,
            hint.label.as_str().unwrap_or_default().to_owned(),
        )
    });
    hints.collect()
}

#[test]
fn an_access_has_a_hint_where_somebody_wants_one() {
    assert_eq!(labels(json!({})), []);
    let expected = [
        (2, "1024:1"),
        (2, "1024:1"),
        (4, "1024:1"),
        (4, "(32,32):(32,1), 32 wavefronts for 1"),
    ];
    let expected = expected.map(|(line, label)| (line, label.to_owned()));
    assert_eq!(labels(json!({"hints": {"accesses": true}})), expected);
    let off = json!({"hints": {"accesses": true}, "accesses": {"enable": false}});
    assert_eq!(labels(off), []);
}

#[test]
fn the_layout_of_an_access_is_drawn_and_explained() {
    let place = TRANSPOSED.find("tile[threadIdx.x]").expect("the load");
    let position = Position::of_offset(TRANSPOSED, place + "tile[".len());
    let mut client = opened(json!({}));
    let hover = client.hover(URI, position).expect("a hover").contents.value;
    assert!(hover.starts_with("**shared load of tile**"), "{hover}");
    for part in [
        "(32,32):(32,1)",
        "32 wavefronts, ideal 1 (32-way)",
        "mode 1",
    ] {
        assert!(hover.contains(part), "{part}: {hover}");
    }
    let params = json!({"textDocument": {"uri": URI}, "position": position});
    let value = client.call("cute/layoutAt", params.clone());
    assert_eq!(value["value"], "smem_ptr[32b](PTR) o (32,32):(32,1)");
    let explained = client.call("cute/explain", params.clone()).to_string();
    assert!(explained.contains("injective: yes"), "{explained}");
    let mut page = params;
    page["format"] = json!("page");
    page["operands"] = json!(true);
    let page = &client.call("cute/picture", page)["picture"];
    assert_eq!(page["name"], "tile");
    let costs = page["accesses"].as_array().expect("accesses");
    let waves = |label: &str| {
        let mut costs = costs.iter();
        let found = costs.find(|access| access["label"] == label);
        found.map(|access| access["costs"][0]["waves"].clone())
    };
    // The threads of a warp are along the first mode.
    assert_eq!(
        waves("32 lanes along mode 0, 4 bytes each"),
        Some(json!(32))
    );
}

#[test]
fn the_cost_of_accesses_is_a_diagnostic_that_can_be_switched_off() {
    let codes = |options: Value| {
        let found = opened(options).await_diagnostics(URI, 1);
        let codes = found.into_iter().map(|found| (found.code, found.severity));
        codes.collect::<Vec<_>>()
    };
    let conflict = (Some("bank-conflict".to_owned()), Some(3));
    assert_eq!(codes(json!({})), std::slice::from_ref(&conflict));
    assert_eq!(codes(json!({"accesses": {"costs": false}})), []);
    assert_eq!(codes(json!({"accesses": {"enable": false}})), []);
    assert_eq!(codes(json!({"diagnostics": {"memory": true}})), [conflict]);
    let position = Position::of_offset(TRANSPOSED, TRANSPOSED.find("[threadIdx.x][").expect("it"));
    let mut silent = opened(json!({"accesses": {"enable": false}}));
    assert!(silent.hover(URI, position).is_none());
}
