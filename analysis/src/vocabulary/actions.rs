//! Functions that move or compute data: they change no layout and return nothing of interest.

use super::{Answer, Call, Function, Problem, lenient};
use crate::reason::Reason;
use crate::value::Value;

#[allow(clippy::unnecessary_wraps)] // The signature of all functions of the vocabulary.
fn nothing(_: &Call<'_>) -> Answer {
    Ok(Value::Nothing)
}

/// A mask of CTAs depends on which CTA asks.
fn mask(_: &Call<'_>) -> Answer {
    Err(Problem::Unknown(Reason::RunTime(
        "the position of the CTA in its cluster".into(),
    )))
}

pub(super) const FUNCTIONS: &[Function] = &[
    lenient(
        "create_tma_multicast_mask",
        "uint16_t create_tma_multicast_mask<modes...>(cta_layout_vmnk, cta_coord_vmnk)",
        "The CTAs of the cluster that differ from this one in the given modes only, one bit each.",
        mask,
    ),
    lenient(
        "copy_aligned",
        "void copy_aligned(Tensor src, Tensor dst)",
        "Copies with vectors of 128 bits.",
        nothing,
    ),
    lenient(
        "cooperative_copy",
        "void cooperative_copy<N>(tid, Tensor src, Tensor dst)",
        "Copies with several threads.",
        nothing,
    ),
    lenient(
        "cooperative_gemm",
        "void cooperative_gemm(tid, TiledMMA, ...)",
        "Multiplies with several threads.",
        nothing,
    ),
    lenient(
        "axpby",
        "void axpby(alpha, Tensor x, beta, Tensor y)",
        "y = alpha x + beta y.",
        nothing,
    ),
    lenient(
        "clear",
        "void clear(Tensor)",
        "Sets all elements to zero.",
        nothing,
    ),
    lenient(
        "fill",
        "void fill(Tensor, value)",
        "Sets all elements.",
        nothing,
    ),
    lenient(
        "prefetch",
        "void prefetch(Atom, Tensor)",
        "Brings a tensor into the cache.",
        nothing,
    ),
    lenient("print", "void print(x)", "Prints a value.", nothing),
    lenient(
        "print_layout",
        "void print_layout(Layout)",
        "Prints a layout as a table.",
        nothing,
    ),
    lenient(
        "print_latex",
        "void print_latex(x)",
        "Prints a picture.",
        nothing,
    ),
    lenient(
        "print_tensor",
        "void print_tensor(Tensor)",
        "Prints the elements.",
        nothing,
    ),
    lenient("printf", "int printf(format, ...)", "Prints.", nothing),
    lenient(
        "warpgroup_arrive",
        "void warpgroup_arrive()",
        "Orders register use before wgmma.",
        nothing,
    ),
    lenient(
        "warpgroup_fence_operand",
        "void warpgroup_fence_operand(Tensor)",
        "Keeps the compiler from moving registers.",
        nothing,
    ),
    lenient(
        "cp_async_fence",
        "void cp_async_fence()",
        "Closes a group of asynchronous copies.",
        nothing,
    ),
    lenient(
        "copy_unpack",
        "void copy_unpack(Traits, Tensor src, Tensor dst)",
        "Issues one copy instruction.",
        nothing,
    ),
    lenient(
        "warpgroup_wait",
        "void warpgroup_wait<N>()",
        "Waits for groups of wgmma.",
        nothing,
    ),
    lenient(
        "warpgroup_commit_batch",
        "void warpgroup_commit_batch()",
        "Closes a group of wgmma.",
        nothing,
    ),
    lenient(
        "cp_async_wait",
        "void cp_async_wait<N>()",
        "Waits for groups of asynchronous copies.",
        nothing,
    ),
    lenient(
        "cluster_sync",
        "void cluster_sync()",
        "Waits for all CTAs of the cluster.",
        nothing,
    ),
    lenient(
        "cluster_arrive",
        "void cluster_arrive()",
        "Arrives at the barrier of the cluster.",
        nothing,
    ),
    lenient(
        "cluster_arrive_relaxed",
        "void cluster_arrive_relaxed()",
        "Arrives at the barrier of the cluster.",
        nothing,
    ),
    lenient(
        "cluster_wait",
        "void cluster_wait()",
        "Waits at the barrier of the cluster.",
        nothing,
    ),
    lenient(
        "tma_store_fence",
        "void tma_store_fence()",
        "Makes shared memory visible to TMA.",
        nothing,
    ),
    lenient(
        "tma_store_arrive",
        "void tma_store_arrive()",
        "Closes a group of TMA stores.",
        nothing,
    ),
    lenient(
        "tma_store_wait",
        "void tma_store_wait<N>()",
        "Waits for groups of TMA stores.",
        nothing,
    ),
    lenient(
        "prefetch_tma_descriptor",
        "void prefetch_tma_descriptor(desc)",
        "Brings a descriptor into the cache.",
        nothing,
    ),
    lenient(
        "initialize_barrier",
        "void initialize_barrier(barrier, count)",
        "Sets up a barrier in shared memory.",
        nothing,
    ),
    lenient(
        "set_barrier_transaction_bytes",
        "void set_barrier_transaction_bytes(barrier, bytes)",
        "Announces the bytes that will arrive.",
        nothing,
    ),
    lenient(
        "wait_barrier",
        "void wait_barrier(barrier, phase)",
        "Waits for a phase of a barrier.",
        nothing,
    ),
    lenient(
        "arrive_barrier",
        "void arrive_barrier(barrier)",
        "Arrives at a barrier.",
        nothing,
    ),
    lenient(
        "cooperative_prefetch",
        "void cooperative_prefetch<N>(tid, Tensor)",
        "Brings a tensor into the cache with several threads.",
        nothing,
    ),
    lenient(
        "__syncthreads",
        "void __syncthreads()",
        "Waits for all threads of the block.",
        nothing,
    ),
    lenient(
        "__syncwarp",
        "void __syncwarp(mask)",
        "Waits for all lanes of the warp.",
        nothing,
    ),
];
