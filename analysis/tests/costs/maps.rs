//! Tensor maps that code encodes itself.

use cute_analysis::{Alone, Analysis, Cost, Options, SourceFile, analyse};
use tree_sitter_cute::{Budget, Host, Syntax};

use super::launched::{found, silent};

fn of(host: Host, text: &str) -> Analysis {
    let name = if host == Host::Rust {
        "map.rs"
    } else {
        "map.cu"
    };
    let syntax = Syntax::parse(host, text, None, Budget::unlimited()).unwrap();
    let file = SourceFile::analysed(name, text, syntax.lower(text));
    let options = Options {
        host,
        ..Options::default()
    };
    analyse(&file, &Alone, &options)
}

/// Extents, strides and box of each map, and the rules that are broken.
fn said(host: Host, text: &str) -> (Vec<String>, Vec<&'static str>) {
    let analysis = of(host, text);
    let list = |numbers: &mut dyn Iterator<Item = String>| numbers.collect::<Vec<_>>().join(",");
    let maps = analysis.notes.iter().filter_map(|note| match &note.cost {
        Cost::Map(map) => Some(format!(
            "({}) ({}) {}: {} bytes",
            list(&mut map.dims.iter().map(ToString::to_string)),
            list(&mut map.strides_bytes.iter().map(ToString::to_string)),
            list(&mut map.box_dims.iter().map(ToString::to_string)),
            map.box_bytes()
        )),
        _ => None,
    });
    let rules = analysis.findings.iter().map(|finding| finding.rule);
    (maps.collect(), rules.collect())
}

const SOURCE: &str = "
#include <cuda.h>
struct Sizes { long rows; };
CUtensorMap encode(void* tensor, uint64_t rows, uint64_t cols) {
  CUtensorMap map{};
  auto type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  constexpr int tile = 64;
  uint64_t extents[2] = {cols, rows};
  uint64_t strides[] = {cols * 2};
  uint32_t box[2] = {tile, 128};
  const uint32_t steps[2] = {1, 1};
  BEFORE
  CUresult result = CALL(&map, type, 2, tensor, extents, &strides[0], BOX, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
    static_cast<CUtensorMapSwizzle>(CU_TENSOR_MAP_SWIZZLE_128B), CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}
";

fn source(before: &str, call: &str, given: &str) -> String {
    let source = SOURCE.replace("BEFORE", before);
    source.replace("CALL", call).replace("BOX", given)
}

#[test]
fn the_arguments_of_the_driver_are_read() {
    let map = vec!["(cols,rows) (2*cols) 64,128: 16384 bytes".to_owned()];
    for call in [
        "cuTensorMapEncodeTiled",
        "driver::lazy_cuTensorMapEncodeTiled",
    ] {
        let text = source("", call, "box");
        assert_eq!(said(Host::CudaCpp, &text), (map.clone(), vec![]), "{call}");
    }
    for (tile, rule) in [("72", "tma-inner-box"), ("60", "tma-inner-box")] {
        let text = source("", "cuTensorMapEncodeTiled", "box")
            .replace("tile = 64", &format!("tile = {tile}"));
        assert_eq!(said(Host::CudaCpp, &text).1, [rule], "{tile}");
    }
    let text = source("", "cuTensorMapEncodeTiled", "box").replace("128};", "512};");
    assert_eq!(said(Host::CudaCpp, &text).1, ["tma-box"]);
    let text = source("", "cuTensorMapEncodeTiled", "box").replace("{cols * 2}", "{100}");
    assert_eq!(said(Host::CudaCpp, &text).1, ["tma-stride-alignment"]);
    // An array that something may change has no numbers, and a box is then not known.
    for (before, given) in [
        ("box[0] = 72;", "box"),
        ("fill(box);", "box"),
        ("for (auto& b : box) b = 72;", "box"),
        ("", "boxes.data()"),
        ("", "&box[1]"),
        ("box[0] += 1;", "&box[0]"),
    ] {
        let text =
            source(before, "cuTensorMapEncodeTiled", given).replace("tile = 64", "tile = 72");
        assert_eq!(
            said(Host::CudaCpp, &text),
            (vec![], vec![]),
            "{before} {given}"
        );
    }
    // Sizes that only the running program has are symbols.
    let text = source("extents[0] = rows;", "cuTensorMapEncodeTiled", "box");
    assert_eq!(
        said(Host::CudaCpp, &text).0,
        ["(extents[0],extents[1]) (2*cols) 64,128: 16384 bytes"]
    );
}

#[test]
fn bindings_for_rust_have_the_same_arguments() {
    let text = |inner: &str| {
        format!(
            "
use cuda_core::sys::*;
fn encode(tensor: *mut core::ffi::c_void, map: *mut CUtensorMap) {{
    let extents: [u64; 2] = [4096, 8192];
    let strides: [u64; 1] = [4096 * 2];
    let tile: [u32; 2] = [{inner}, 128];
    let steps: [u32; 2] = [1, 1];
    unsafe {{
        cuTensorMapEncodeTiled(map, CUtensorMapDataType_enum_CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, tensor, extents.as_ptr(),
            strides.as_ptr(), tile.as_ptr(), steps.as_ptr(), 0, CUtensorMapSwizzle_enum_CU_TENSOR_MAP_SWIZZLE_128B, 0, 0);
    }}
}}
"
        )
    };
    let map = vec!["(4096,8192) (8192) 64,128: 16384 bytes".to_owned()];
    assert_eq!(said(Host::Rust, &text("64")), (map, vec![]));
    assert_eq!(said(Host::Rust, &text("128")).1, ["tma-inner-box"]);
}

/// Two CTAs that receive a tile of their own and one by multicast: the bytes are announced in another branch.
#[test]
fn a_thread_announces_the_bytes_that_it_copies_in_another_branch() {
    const MULTICAST: &str = include_str!("../../../tests/data/kernels/tma_multicast.cu");
    let twice = (
        "set_barrier_transaction_bytes(smem.mbar, transaction)",
        "set_barrier_transaction_bytes(smem.mbar, 2 * transaction)",
    );
    assert_eq!(
        found(MULTICAST, &[twice]),
        ["tx-bytes-mismatch: barrier expects 65536 bytes, but 32768 arrive: it never completes"]
    );
    let second = "    if (threadIdx.x == 0) {\n      copy(tma_a";
    silent(
        MULTICAST,
        &[
            &[("tile", "tile")],
            // Copies of two threads, or of some passes.
            &[
                twice,
                (second, "    if (threadIdx.x < 2) {\n      copy(tma_a"),
            ],
            &[
                twice,
                (
                    second,
                    "    if (threadIdx.x == 0 && m > tile) {\n      copy(tma_a",
                ),
            ],
            // Other CTAs may send more.
            &[twice, ("uint16_t mask_b = 0b11;", "uint16_t mask_b = m;")],
            &[twice, ("dim3 cluster(2, 1, 1);", "dim3 cluster(m, 1, 1);")],
        ],
    );
}
