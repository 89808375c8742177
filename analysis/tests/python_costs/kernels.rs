//! Order, threads and grids in kernels of the DSL: the rules that kernels of C++ have.

use super::support::analysed;
use cute_analysis::{Options, Severity};
use tree_sitter_cute::Host;

const MULTISTAGE: &str = include_str!("multistage.py");
const TRANSPOSE: &str = include_str!("transpose.py");

/// Rules and first lines of the findings about a text with some pieces replaced.
fn found(text: &str, changes: &[(&str, &str)]) -> Vec<String> {
    let mut text = text.to_owned();
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    let options = Options {
        host: Host::Python,
        ..Options::default()
    };
    let findings = analysed(&text, &options).findings.into_iter();
    let told = findings.filter(|finding| finding.severity != Severity::Information);
    told.map(|finding| {
        let first = finding.message.lines().next().unwrap_or_default();
        format!("{}: {first}", finding.rule)
    })
    .collect()
}

/// Whether one of the findings after a change is this one, and none is there without it.
fn says(text: &str, change: (&str, &str), wanted: &str) {
    let all = found(text, &[change]);
    assert!(all.iter().any(|it| it == wanted), "{change:?}: {all:#?}");
}

#[test]
fn right_kernels_have_no_findings() {
    for text in [MULTISTAGE, TRANSPOSE] {
        assert_eq!(found(text, &[]), Vec::<String>::new());
    }
}

#[test]
fn groups_of_copies_and_barriers_are_followed() {
    let wait = "cute.arch.cp_async_wait_group(self.stages - 2)";
    says(
        MULTISTAGE,
        (wait, "cute.arch.cp_async_wait_group(self.stages - 1)"),
        "copy-group-wait: cp_async_wait_group(2) does not wait for stage 0 of sA, which is read next",
    );
    says(
        MULTISTAGE,
        (wait, "pass"),
        "async-copy-wait: stage 0 of sA is read before its asynchronous copy has arrived: no wait",
    );
    says(
        MULTISTAGE,
        (
            "            cute.arch.sync_threads()",
            "            cute.arch.sync_warp()",
        ),
        "shared-race: thread 32 writes sA[256], thread 8 reads it, and no barrier is between them",
    );
    says(
        TRANSPOSE,
        ("    cute.arch.sync_threads()", "    pass"),
        "shared-race: thread 32 writes tile[68], thread 1 reads it, and no barrier is between them",
    );
}

#[test]
fn stages_end_where_their_tensor_does() {
    let message = "stage-out-of-range: index can reach 3, but sA has 3 stages: out of bounds";
    says(
        MULTISTAGE,
        ("if read == self.stages:", "if read > self.stages:"),
        message,
    );
    says(
        MULTISTAGE,
        ("write = self.stages - 1", "write = self.stages"),
        message,
    );
    says(
        MULTISTAGE,
        (
            "range_constexpr(self.stages - 1)",
            "range_constexpr(self.stages + 1)",
        ),
        message,
    );
}

#[test]
fn threads_slices_and_operands_are_compared() {
    let threads = "cute.make_layout((32, 4), stride=(4, 1))";
    says(
        MULTISTAGE,
        (threads, "cute.make_layout((64, 4), stride=(4, 1))"),
        "thread-count-mismatch: 256 threads share the tensor, but only 128 take a part: the rest is never touched",
    );
    says(
        MULTISTAGE,
        (threads, "cute.make_layout((16, 8), stride=(8, 1))"),
        "copy-beyond-tensor: the copy's tile has 64 elements in mode 1, but the tensor has 32: out of bounds",
    );
    says(
        MULTISTAGE,
        ("tiled_copy.get_slice(tidx)", "tiled_copy.get_slice(bx)"),
        "slice-by-cta: blockIdx.x slices a tiled copy of 128 threads: all threads of a CTA get the same part",
    );
    says(
        MULTISTAGE,
        ("tCrC, tCrA, tCrB, tCrC", "tCrC, tCrB, tCrA, tCrC"),
        "swapped-operand: the fragment was made for operand B but is passed to the MMA as operand A",
    );
    says(
        MULTISTAGE,
        ("        tCrC.fill(0.0)", "        pass"),
        "accumulate-flag: the MMA adds to 512 uninitialised bytes of tCrC",
    );
    says(
        MULTISTAGE,
        (
            "            cute.gemm(tiled_mma",
            "            if tidx % 2 == 0: cute.gemm(tiled_mma",
        ),
        "divergent-collective: 16 threads of warp 0 reach `mma.sync`, which all 32 must execute",
    );
}

#[test]
fn each_tile_of_a_known_extent_wants_a_cta() {
    says(
        MULTISTAGE,
        ("(bM, bN), (bx, by)", "(bM, bN), (by, bx)"),
        "grid-axis: blockIdx.x indexes 8 tiles of 1024 elements, the grid has 4 CTAs",
    );
    says(
        TRANSPOSE,
        ("src.shape[1], 64), 1)", "src.shape[1], 128), 1)"),
        "grid-axis: blockIdx.y indexes 16 tiles of 1024 elements, the grid has 8 CTAs",
    );
}

#[test]
fn a_call_of_an_unknown_function_keeps_the_order_unknown() {
    let change = (
        "            cute.arch.sync_threads()",
        "            other.order(tile)",
    );
    let all = found(MULTISTAGE, &[change]);
    assert_eq!(all, Vec::<String>::new());
}
