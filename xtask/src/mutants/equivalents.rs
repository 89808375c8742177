//! Changes that leave a program right: they are mutants of no bug.

use std::path::Path;

use super::sites::Site;

/// A change of a source that changes nothing that the program does.
struct Equivalent {
    /// The name of the file.
    file: &'static str,
    /// The name of the operator.
    operator: &'static str,
    /// A part of the changed line.
    line: &'static str,
    /// Why the program stays right.
    why: &'static str,
}

const fn equivalent(
    file: &'static str,
    operator: &'static str,
    line: &'static str,
    why: &'static str,
) -> Equivalent {
    Equivalent {
        file,
        operator,
        line,
        why,
    }
}

const NARROW_TYPE: &str = "32 bits for 64";
const NARROW_CAST: &str = "a cast to 64 bits less";
const MORE_STAGES: &str = "a state of one stage more";
const OTHER_TYPE: &str = "the compiler rejects it: the states have different types";
const OF_CLUSTER: &str = "no barrier of the cluster";
const OF_A_WARP: &str = "a barrier of one warp";
const OTHER_FACTOR: &str = "the other factor has 64 bits";
const NARROW_BLOCK: &str = "a block has 32 threads or fewer along x";
const WHOLE_TILES: &str = "the host has checked that tiles divide the sizes";
const ONE_OF_THREE: &str = "each of the three comes before or behind another one in every pass";
const WAITS_FOR_ALL: &str = "cp_async_wait<0> waits for copies without a group, too";

/// All of them, each looked at by hand.
const EQUIVALENTS: &[Equivalent] = &[
    equivalent(
        "hopper_store.cu",
        "floor for ceil",
        "dim3 grid(",
        WHOLE_TILES,
    ),
    equivalent("pipeline.cu", MORE_STAGES, "PipelineState<4>", OTHER_TYPE),
    equivalent(
        "hopper_pipeline.cu",
        MORE_STAGES,
        "PipelineState<Stages> write",
        OTHER_TYPE,
    ),
    equivalent(
        "umma_roles.cu",
        "the other operand's partition",
        "slice.partition_",
        "the tiles of A and B have one shape, and one CTA has one part of them",
    ),
    equivalent(
        "wide_offsets.cu",
        NARROW_TYPE,
        "int64_t token",
        OTHER_FACTOR,
    ),
    equivalent(
        "wide_offsets.cu",
        NARROW_TYPE,
        "int64_t hidden",
        OTHER_FACTOR,
    ),
    equivalent(
        "wide_offsets.cu",
        NARROW_TYPE,
        "int64_t column",
        OTHER_FACTOR,
    ),
    equivalent("gather_rows.cu", NARROW_TYPE, "int64_t row =", OTHER_FACTOR),
    equivalent(
        "gather_rows.cu",
        NARROW_TYPE,
        "int64_t width =",
        OTHER_FACTOR,
    ),
    equivalent("gather_rows.cu", NARROW_CAST, "* plane", OTHER_FACTOR),
    equivalent(
        "gather_rows.cu",
        NARROW_CAST,
        "(threadIdx.y) * 8192",
        "it fits",
    ),
    equivalent(
        "histogram.cu",
        NARROW_CAST,
        "(blockDim.x) * gridDim.x",
        "it fits",
    ),
    equivalent(
        "histogram.cu",
        NARROW_CAST,
        "(blockIdx.x) * blockDim.x",
        "it fits",
    ),
    equivalent(
        "layer_norm.cu",
        NARROW_CAST,
        "(blockIdx.x) * stride",
        OTHER_FACTOR,
    ),
    equivalent(
        "tma_multicast.cu",
        OF_CLUSTER,
        "cluster_sync();",
        ONE_OF_THREE,
    ),
    equivalent(
        "tma_multicast.cu",
        "no barrier behind the initialisation",
        "cluster_sync();",
        ONE_OF_THREE,
    ),
    equivalent(
        "hopper_pipeline.cu",
        OF_CLUSTER,
        "pipeline.producer_tail(write);",
        "the cluster has one CTA",
    ),
    equivalent("conv_tiled.cu", OF_A_WARP, "__syncthreads();", NARROW_BLOCK),
    equivalent(
        "sgemm_double_buffer.cu",
        OF_A_WARP,
        "__syncthreads();",
        NARROW_BLOCK,
    ),
    equivalent(
        "transpose_padded.cu",
        OF_A_WARP,
        "__syncthreads();",
        NARROW_BLOCK,
    ),
    equivalent(
        "groups.cu",
        "no group of copies",
        "cp_async_fence();",
        WAITS_FOR_ALL,
    ),
    equivalent(
        "tensor_cores.cu",
        "no group of copies",
        "cp_async_fence();",
        WAITS_FOR_ALL,
    ),
    equivalent(
        "wgmma_cp_async.cu",
        "no group of copies",
        "cp_async_fence();",
        WAITS_FOR_ALL,
    ),
];

/// Why a change of a source leaves it right; nothing where it does not.
pub(super) fn reason(
    path: &Path,
    source: &str,
    operator: &str,
    site: &Site,
) -> Option<&'static str> {
    let start = site.change.span.start;
    let begin = source
        .get(..start)
        .and_then(|before| before.rfind('\n'))
        .map_or(0, |at| at + 1);
    let line = source
        .get(begin..)
        .and_then(|rest| rest.lines().next())
        .unwrap_or_default();
    let known = EQUIVALENTS.iter().find(|known| {
        path.file_name().is_some_and(|name| name == known.file)
            && known.operator == operator
            && line.contains(known.line)
    });
    known.map(|known| known.why)
}
