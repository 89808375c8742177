//! Triton's layouts: its own answers (`tests/golden/triton.jsonl`, written by `cargo xtask triton --table`), and what is
//! refused.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::Path;

use cute_algebra::triton::Placement;
use cute_algebra::{AnyLayout, Int};
use cute_analysis::{Options, TritonLayout, Value, evaluate};
use serde_json::Value as Json;
use tree_sitter_cute::attribute_text;

/// The most places of one layout that are looked at.
const PLACES: i64 = 64;

#[test]
fn bases_and_layouts_are_those_of_triton() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden/triton.jsonl");
    let text = std::fs::read_to_string(path).expect("the golden layouts are in the repository");
    let mut seen = 0;
    for line in text.lines() {
        let row: Json = serde_json::from_str(line).unwrap();
        judge(&row);
        seen += 1;
    }
    assert!(seen >= 300, "{seen} rows");
}

/// The answer to one row: its bases, and its function at every place.
fn judge(row: &Json) {
    let text = row["text"].as_str().unwrap();
    let shape = numbers(&row["shape"]);
    let extents: Vec<String> = shape.iter().map(ToString::to_string).collect();
    let typed = format!("{text} on {}", extents.join("x"));
    let layout = match value(&typed) {
        Ok(layout) => layout,
        Err(reason) => {
            assert!(
                row["padding"].is_array() && reason.contains("behind a swizzle"),
                "{typed}: {reason}"
            );
            return;
        }
    };
    let bases = |name: &str| -> Vec<Vec<i64>> {
        row["bases"][name]
            .as_array()
            .into_iter()
            .flatten()
            .map(numbers)
            .collect()
    };
    if row["padding"].is_null() && layout.encoding.placement() != Placement::TensorMemory {
        assert_eq!(
            layout.by_bases().unwrap().to_string(),
            printed(row, &extents),
            "{typed}"
        );
    }
    let size: i64 = shape.iter().product();
    match layout.encoding.placement() {
        Placement::Registers => {
            let groups = [
                [bases("lane"), bases("warp")].concat(),
                bases("register"),
                bases("block"),
            ];
            let columns = groups.concat();
            for index in places(1 << columns.len()) {
                let expected = column_major(&sum(&columns, index, shape.len()), &shape);
                assert_eq!(
                    offset(&layout.cute.layout, index),
                    expected,
                    "{typed} at {index}"
                );
            }
        }
        Placement::Shared => {
            let columns = [bases("offset"), bases("block")].concat();
            for index in places(size) {
                let address = offset(&layout.cute.layout, index);
                let place = unpadded(row, address);
                assert_eq!(
                    column_major(&sum(&columns, place, shape.len()), &shape),
                    index,
                    "{typed} at {index}"
                );
            }
        }
        Placement::TensorMemory => {
            for index in places(size) {
                let address = offset(&layout.cute.layout, index);
                if address >> 23 != 0 {
                    // Of another block, whose bases Triton does not tell.
                    continue;
                }
                let row_part = sum(&bases("row"), address >> 16, shape.len());
                let column_part = sum(&bases("col"), address & 0xFFFF, shape.len());
                let here: Vec<i64> = row_part
                    .iter()
                    .zip(&column_part)
                    .map(|(a, b)| a ^ b)
                    .collect();
                assert_eq!(column_major(&here, &shape), index, "{typed} at {index}");
            }
        }
    }
}

fn value(text: &str) -> Result<TritonLayout, String> {
    let expression = attribute_text::parse(text).map_err(|error| error.to_string())?;
    let evaluation = evaluate(&expression, &Options::default());
    match evaluation.value {
        Value::Triton(layout) => Ok(TritonLayout::clone(&layout)),
        other => Err(format!("{other:?} {:?}", evaluation.findings)),
    }
}

/// The attribute with Triton's bases, as MLIR prints it.
fn printed(row: &Json, extents: &[String]) -> String {
    let list = |name: &str| {
        let bases = row["bases"][name].to_string().replace(',', ", ");
        format!("{name} = {bases}")
    };
    let text = if row["bases"]["register"].is_array() {
        let fields = ["register", "lane", "warp", "block"].map(list);
        format!("#ttg.linear<{{{}}}>", fields.join(", "))
    } else {
        let fields = ["offset", "block"].map(list);
        let alignment = &row["bases"]["alignment"];
        format!(
            "#ttg.shared_linear<{{{}}}, alignment = {alignment}>",
            fields.join(", ")
        )
    };
    format!("{text} on {}", extents.join("x"))
}

fn places(size: i64) -> impl Iterator<Item = i64> {
    let step = (size / PLACES).max(1);
    (0..size).step_by(usize::try_from(step).unwrap() | 1)
}

fn numbers(list: &Json) -> Vec<i64> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|number| number.as_i64().unwrap())
        .collect()
}

/// The xor of the bases of the set bits.
fn sum(bases: &[Vec<i64>], index: i64, rank: usize) -> Vec<i64> {
    let mut sum = vec![0; rank];
    for (bit, basis) in bases.iter().enumerate() {
        if index >> bit & 1 == 1 {
            sum.iter_mut()
                .zip(basis)
                .for_each(|(sum, step)| *sum ^= step);
        }
    }
    sum
}

fn column_major(coordinate: &[i64], shape: &[i64]) -> i64 {
    coordinate
        .iter()
        .zip(shape)
        .rev()
        .fold(0, |index, (at, extent)| index * extent + at)
}

/// The offset before the padding, which is looked for.
fn unpadded(row: &Json, address: i64) -> i64 {
    let Some(pairs) = row["padding"].as_array() else {
        return address;
    };
    let lies = |offset: i64| {
        let left_out = pairs
            .iter()
            .map(numbers)
            .map(|pair| offset / pair[0] * pair[1]);
        offset + left_out.sum::<i64>()
    };
    // The padded offset grows with the offset.
    let (mut low, mut high) = (0, address);
    while low < high {
        let middle = i64::midpoint(low, high);
        if lies(middle) < address {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    assert_eq!(lies(low), address, "no element lies in a padding");
    low
}

fn offset(layout: &AnyLayout, index: i64) -> i64 {
    layout
        .eval(index)
        .unwrap()
        .as_leaf()
        .and_then(Int::value)
        .unwrap()
}

#[test]
fn what_is_refused_says_its_numbers() {
    let refused = |text: &str| value(text).map(|layout| layout.to_string()).unwrap_err();
    for (text, words) in [
        (
            "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}> on 64x48",
            "extent that is no power of two 48",
        ),
        (
            "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>",
            "the shape of its tensor",
        ),
        (
            "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 1]}> on 4x4",
            "dimension missing in order 0",
        ),
        (
            "#ttg.swizzled_shared<{vec = 1, perPhase = 1, order = [1, 0]}> on 4x4",
            "field that is missing maxPhase",
        ),
        (
            "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0], more = 3}> on 4x4",
            "field that is not known more",
        ),
        (
            "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}> on 8x32",
            "extent 32, at least 64",
        ),
        (
            "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}> on 4x64",
            "rows 4, at least 8",
        ),
        (
            "#ttg.nvidia_mma<{versionMajor = 5, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [128, 64]}> on 64x64",
            "version of mma 5",
        ),
        (
            "tensor<16x8xf16, #blocked>",
            "attribute #blocked, needs its definition in front",
        ),
        (
            "#ttg.amd_mfma<{version = 3}> on 64x64",
            "attribute #ttg.amd_mfma",
        ),
        (
            "#ttg.shared_linear<{offset = [[0, 1], [1, 1], [1, 0]], block = []}, alignment = 16> on 4x2",
            "elements with a place 4",
        ),
    ] {
        let said = refused(text);
        assert!(said.contains(words), "{text}: {said}");
    }
}

#[test]
fn types_of_the_ir_say_shape_and_element() {
    let half = value("!ttg.memdesc<128x64xf16, #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>, #ttng.tensor_memory>").unwrap();
    assert_eq!(half.element_bits, Some(16));
    assert_eq!(half.to_string(), "(_128,_64):(_131072,_1)");
    let word =
        value("#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1> on 128x64")
            .unwrap();
    assert_eq!(word.to_string(), "(_128,_64):(_65536,_1)");
    let named = value("#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}> on 32").unwrap();
    assert_eq!(named.to_string(), "(_32,_1):(_1,_0)");
}

#[test]
fn names_of_the_ir_stand_for_their_definitions() {
    let parent = "#blocked = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [2, 1], order = [1, 0]}>";
    let named = value(&format!(
        "{parent}\n#rows = #ttg.slice<{{dim = 1, parent = #blocked}}>\ntensor<16x!tt.ptr<f16>, #rows>"
    ));
    let written = value(&format!(
        "#ttg.slice<{{dim = 1, parent = {}}}> on 16",
        parent.trim_start_matches("#blocked = ")
    ));
    let (named, written) = (named.unwrap(), written.unwrap());
    assert_eq!(named.to_string(), "((_4,_16),_1):((_0,_1),_0)");
    assert_eq!(named.linear, written.linear);
    let part = value("!ttg.memdesc<64x64xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>, #ttg.shared_memory, mutable, 3x64x64>").unwrap();
    assert_eq!(part.to_string(), "Sw<3,3,3> o _0 o (_64,_64):(_64,_1)");
}

#[test]
fn bases_that_step_further_than_a_permutation_are_generic_ones() {
    let bases = "<{register = [[0, 0], [1, 0]], lane = [[0, 5], [0, 32], [0, 44], [0, 28], [0, 4]], warp = [[0, 0], [0, 2]], block = []}>";
    let sliced = value(&format!(
        "#ttg.slice<{{dim = 1, parent = #ttg.generic_linear{bases}}}> on 2"
    ));
    assert_eq!(
        sliced.unwrap().by_bases().unwrap().to_string(),
        "#ttg.linear<{register = [[1]], lane = [[0], [0], [0], [0], [0]], warp = [[0], [0]], block = []}> on 2"
    );
    let generic = value(&format!("#ttg.generic_linear{bases} on 2x64")).unwrap();
    let plain = value(&format!("#ttg.linear{bases} on 2x64")).unwrap();
    assert_eq!(generic.cute, plain.cute);
}

#[test]
fn blocks_as_older_versions_write_them_are_the_same() {
    let new = value("#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0], CGALayout = [[0, 1], [0, 0]]}> on 8x32").unwrap();
    let old = value("#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0], CTAsPerCGA = [1, 4], CTASplitNum = [1, 2], CTAOrder = [1, 0]}> on 8x32").unwrap();
    assert_eq!(new.linear, old.linear);
    assert_eq!(new.cute, old.cute);
}
