//! Ranks of cooperative groups, and instructions of PTX with computed addresses.

use super::{findings, layout};

#[test]
fn ranks_of_groups_are_thread_indices() {
    let block = "namespace cg = cooperative_groups; auto block = cg::this_thread_block();";
    for (body, threads, written, expected) in [
        (
            "int i = block.thread_rank(); out[i * 2] = 1;",
            "256",
            "out[i * 2]",
            "256:2 + 0",
        ),
        (
            "out[block.thread_rank()] = 1;",
            "dim3(16, 8)",
            "out[block.thread_rank()]",
            "128:1 + 0",
        ),
        (
            "auto tile = cg::tiled_partition<32>(block); out[tile.thread_rank() * 8 + tile.meta_group_rank()] = 1;",
            "256",
            "out[tile.thread_rank() * 8 + tile.meta_group_rank()]",
            "(32,8):(8,1) + 0",
        ),
        (
            "auto at = block.thread_index(); out[at.y * 64 + at.x] = 1;",
            "dim3(32, 4)",
            "out[at.y * 64 + at.x]",
            "(32,4):(1,64) + 0",
        ),
        (
            "out[block.group_index().x * 512 + block.thread_rank()] = 1;",
            "256",
            "out[block.group_index().x * 512 + block.thread_rank()]",
            "256:1 + 512*blockIdx.x",
        ),
    ] {
        let found = layout(&format!("{block} {body}"), threads, written);
        assert_eq!(found, expected, "{body}");
    }
}

#[test]
fn a_group_waits_like_a_block() {
    let text = |between: &str| {
        format!(
            "namespace cg = cooperative_groups;\n\
             __global__ void k(const float* in, float* out) {{\n\
               __shared__ float tile[256];\n\
               auto block = cg::this_thread_block();\n\
               auto warp = cg::tiled_partition<32>(block);\n\
               unsigned i = block.thread_rank();\n\
               tile[i] = in[i];\n\
               {between}\n\
               out[i] = tile[255 - i];\n\
             }}\n\
             void launch(float* a, float* b) {{ k<<<1, 256>>>(a, b); }}\n"
        )
    };
    for between in ["", "warp.sync();", "cg::sync(warp);"] {
        assert_eq!(
            findings(&text(between), "shared-race").len(),
            1,
            "{between}"
        );
    }
    for between in [
        "block.sync();",
        "cg::sync(block);",
        "cg::this_grid().sync();",
    ] {
        let found = findings(&text(between), "shared-race");
        assert_eq!(found, Vec::<String>::new(), "{between}");
    }
}

#[test]
fn copies_in_assembly_are_accesses() {
    let text = |address: &str, bytes: &str| {
        format!(
            "__global__ void k(const float* in) {{\n\
               __shared__ float tile[512];\n\
               unsigned to = static_cast<unsigned>(__cvta_generic_to_shared({address}));\n\
               asm volatile(\"cp.async.cg.shared.global [%0], [%1], {bytes};\\n\" :: \"r\"(to), \"l\"(in + threadIdx.x * 4));\n\
             }}\n\
             void launch(float* a) {{ k<<<1, 128>>>(a); }}\n"
        )
    };
    assert_eq!(
        findings(&text("&tile[threadIdx.x * 4 + 4]", "16"), "over-run"),
        ["thread (127,0,0) writes 16 bytes at byte 2048 of `tile`, which has 2048"]
    );
    for (address, bytes) in [
        ("&tile[threadIdx.x * 4]", "16"),
        ("&tile[threadIdx.x * 4 + 3]", "4"),
    ] {
        let found = findings(&text(address, bytes), "over-run");
        assert_eq!(found, Vec::<String>::new(), "{address}");
    }
}

#[test]
fn an_array_that_is_indexed_at_run_time_is_in_local_memory() {
    let text = |index: &str| {
        format!(
            "__global__ void k(const float* in, float* out, int n, const int* table) {{\n\
               float kept[8];\n\
               for (int i = 0; i < 8; ++i) kept[i] = in[i * 128 + threadIdx.x];\n\
               out[threadIdx.x] = kept[{index}];\n\
             }}\n\
             void launch(float* a, float* b, int* t) {{ k<<<1, 128>>>(a, b, 3, t); }}\n"
        )
    };
    for index in ["threadIdx.x % 8", "n", "n & 7"] {
        assert_eq!(
            findings(&text(index), "local-memory"),
            [format!(
                "the array is in local memory, not registers: {index} is known only at run time"
            )],
        );
    }
    for index in ["3", "table[0]", "sizeof(float)"] {
        assert_eq!(
            findings(&text(index), "local-memory"),
            Vec::<String>::new(),
            "{index}"
        );
    }
    // A table of constants is in no register anyway.
    let table = text("n").replace("float kept[8];", "const float kept[8] = {1, 2};");
    assert_eq!(findings(&table, "local-memory"), Vec::<String>::new());
}
