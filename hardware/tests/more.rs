//! TMA copies, tiled copies and tiled MMAs that were written at random and compiled with CuTe 4.2; `tests/golden/hardware-more.jsonl`
//! has what it printed.
#![allow(
    clippy::panic,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod golden;

use cute_algebra::{Int, Shape, Tiler};
use cute_hardware::tma::{TmaAtom, TmaRequest};
use cute_hardware::{Element, SharedLayout, TemplateId};
use golden::{Failures, rows, text};
use serde_json::Value;

fn numbers(value: &Value) -> Vec<i64> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|n| n.as_i64().unwrap())
        .collect()
}

fn known(values: &[Int]) -> Vec<i64> {
    values.iter().map(|value| value.value().unwrap()).collect()
}

#[test]
fn random_tma_copies_are_those_of_cute() {
    let mut failures = Failures::default();
    for row in rows("hardware-more.jsonl").filter(|row| text(row, "op") == "make_tma_copy") {
        let element = Element::named(text(&row, "T")).unwrap();
        let smem = text(&row, "smem");
        let shared = if smem.contains("_ptr[") {
            smem.parse().unwrap()
        } else {
            SharedLayout::plain(element.bits(), smem.parse().unwrap()).unwrap()
        };
        let request = TmaRequest {
            operation: TemplateId::parse("SM90_TMA_LOAD").unwrap(),
            element,
            tma_element: None,
            global: text(&row, "gmem").parse().unwrap(),
            shared,
            tile: Tiler::of_shape(&text(&row, "cta_tile").parse::<Shape>().unwrap()),
            multicast: text(&row, "cluster")
                .trim_start_matches('_')
                .parse()
                .unwrap(),
            cuts_boxes: false,
        };
        let id = format!("{} {smem}", text(&row, "gmem"));
        let atom = TmaAtom::new(&request).unwrap_or_else(|refusal| panic!("{id}: {refusal}"));
        let copy = atom.tiled_copy(&request).unwrap();
        let list = |name| format!("{:?}", numbers(&row["tma"][name]));
        let mut compare = |field: &str, theirs: &str, ours: String| {
            failures.compare(&format!("{id} {field}"), theirs, &ours);
        };
        compare(
            "dims",
            &list("globalDim"),
            format!("{:?}", known(&atom.map.dims)),
        );
        compare(
            "strides",
            &list("globalStridesBytes"),
            format!("{:?}", known(&atom.map.strides_bytes)),
        );
        compare("box", &list("boxDim"), format!("{:?}", atom.map.box_dims));
        compare(
            "swizzle",
            &row["tma"]["swizzle"].to_string(),
            atom.map.swizzle.code().to_string(),
        );
        compare(
            "type",
            &row["tma"]["dtype"].to_string(),
            atom.map.data_type.to_string(),
        );
        compare(
            "tensor",
            text(&row, "tma_tensor"),
            atom.coordinates.to_string(),
        );
        compare("Tiler_MN", text(&row, "Tiler_MN"), copy.tiler().to_string());
        compare(
            "TiledLayout_TV",
            text(&row, "TiledLayout_TV"),
            copy.thread_value_layout().to_string(),
        );
        compare(
            "layoutS_TV",
            text(&row, "layoutS_TV"),
            copy.source_layout().unwrap().to_string(),
        );
        compare(
            "layoutD_TV",
            text(&row, "layoutD_TV"),
            copy.destination_layout().unwrap().to_string(),
        );
    }
    failures.finish(130);
}
