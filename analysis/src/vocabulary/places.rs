//! The position of a thread: integers known only at run time, as symbols of their names.

use cute_algebra::Int;

use super::{Call, Evaluated, Function, Header, lenient};
use crate::value::Value;

#[allow(clippy::unnecessary_wraps)] // The signature of all functions of the vocabulary.
fn place(call: &Call<'_>) -> Evaluated {
    Ok(Value::Int(Int::coordinate(call.name)))
}

#[allow(clippy::unnecessary_wraps)] // The signature of all functions of the vocabulary.
fn coordinates(call: &Call<'_>) -> Evaluated {
    Ok(Value::Builtin(call.name))
}

pub(super) const FUNCTIONS: &[Function] = &[
    lenient(
        "block_rank_in_cluster",
        "uint32_t block_rank_in_cluster()",
        "the index of the CTA in its cluster",
        place,
    )
    .header(Header::Cute("arch/cluster_sm90.hpp")),
    lenient(
        "canonical_warp_idx",
        "int canonical_warp_idx()",
        "the index of the warp in its block",
        place,
    )
    .header(Header::Cutlass("cutlass.h")),
    lenient(
        "canonical_warp_idx_sync",
        "int canonical_warp_idx_sync()",
        "the index of the warp in its block",
        place,
    )
    .header(Header::Cutlass("cutlass.h")),
    lenient(
        "canonical_lane_idx",
        "int canonical_lane_idx()",
        "the index of the thread in its warp",
        place,
    )
    .header(Header::Cutlass("cutlass.h")),
    lenient(
        "canonical_warp_group_idx",
        "int canonical_warp_group_idx()",
        "the index of the warp group in its block",
        place,
    )
    .header(Header::Cutlass("cutlass.h")),
    lenient(
        "block_id_in_cluster",
        "dim3 block_id_in_cluster()",
        "the coordinates of the CTA in its cluster",
        coordinates,
    )
    .header(Header::Cute("arch/cluster_sm90.hpp")),
    lenient(
        "cluster_id_in_grid",
        "dim3 cluster_id_in_grid()",
        "the coordinates of the cluster in the grid",
        coordinates,
    )
    .header(Header::Cute("arch/cluster_sm90.hpp")),
    lenient(
        "elect_one_sync",
        "uint32_t elect_one_sync()",
        "1 in one thread of the warp, 0 in the others",
        place,
    )
    .header(Header::Cute("arch/cluster_sm90.hpp")),
];
