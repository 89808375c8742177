//! Functions that move or compute data: they change no layout and return nothing of interest.

use super::{Call, Evaluated, Function, Header, Makes, Problem, lenient, python_words};
use crate::reason::Reason;
use crate::trace::ActionKind;
use crate::value::Value;

#[allow(clippy::unnecessary_wraps)] // The signature of all functions of the vocabulary.
fn nothing(_: &Call<'_>) -> Evaluated {
    Ok(Value::Nothing)
}

/// A mask of CTAs depends on which CTA asks.
fn mask(_: &Call<'_>) -> Evaluated {
    Err(Problem::Unknown(Reason::RunTime(
        "the position of the CTA in its cluster".into(),
    )))
}

pub(super) const FUNCTIONS: &[Function] = &[
    lenient(
        "create_tma_multicast_mask",
        "uint16_t create_tma_multicast_mask<modes...>(cta_layout_vmnk, cta_coord_vmnk)",
        "the CTAs of the cluster that differ from this one in the given modes \
         only, one bit each",
        mask,
    )
    .takes(&["cta_layout_vmnk", "cta_coord_vmnk"])
    .header(Header::Cute("atom/copy_traits_sm90_tma.hpp"))
    .does(ActionKind::MulticastMask),
    lenient(
        "copy_aligned",
        "void copy_aligned(Tensor src, Tensor dst)",
        "copies with vectors of 128 bits",
        nothing,
    )
    .takes(&["src", "dst"])
    .header(Header::Cute("algorithm/copy.hpp"))
    .makes(Makes::Nothing)
    .does(ActionKind::Copy),
    lenient(
        "cooperative_copy",
        "void cooperative_copy<N>(tid, Tensor src, Tensor dst)",
        "copies with several threads",
        nothing,
    )
    .takes(&["tid", "src", "dst"])
    .header(Header::Cute("algorithm/cooperative_copy.hpp"))
    .makes(Makes::Nothing),
    lenient(
        "cooperative_gemm",
        "void cooperative_gemm(tid, TiledMMA, ...)",
        "multiplies with several threads",
        nothing,
    )
    .takes(&["tid", "TiledMMA", "..."])
    .header(Header::Cute("algorithm/cooperative_gemm.hpp"))
    .makes(Makes::Nothing),
    lenient(
        "axpby",
        "void axpby(alpha, Tensor x, beta, Tensor y)",
        "y = alpha x + beta y",
        nothing,
    )
    .takes(&["alpha", "x", "beta", "y"])
    .header(Header::Cute("algorithm/axpby.hpp"))
    .makes(Makes::Nothing)
    .does(ActionKind::Update),
    lenient(
        "clear",
        "void clear(Tensor)",
        "sets all elements to zero",
        nothing,
    )
    .takes(&["Tensor"])
    .header(Header::Cute("algorithm/clear.hpp"))
    .makes(Makes::Nothing),
    lenient(
        "fill",
        "void fill(Tensor, value)",
        "sets all elements",
        nothing,
    )
    .takes(&["Tensor", "value"])
    .header(Header::Cute("algorithm/fill.hpp"))
    .makes(Makes::Nothing)
    .python(&[python_words::on_objects("Tensor", "fill", "self value")]),
    lenient(
        "prefetch",
        "void prefetch(Atom, Tensor)",
        "brings a tensor into the cache",
        nothing,
    )
    .takes(&["Atom", "Tensor"])
    .header(Header::Cute("algorithm/prefetch.hpp"))
    .makes(Makes::Nothing),
    lenient("print", "void print(x)", "prints a value", nothing)
        .takes(&["x"])
        .header(Header::Cute("util/print.hpp"))
        .makes(Makes::Nothing)
        .python(&[
            python_words::variadic("printf").on_objects("*args **named"),
            python_words::variadic("print").of("builtins"),
        ]),
    lenient(
        "print_layout",
        "void print_layout(Layout)",
        "prints a layout as a table",
        nothing,
    )
    .takes(&["Layout"])
    .header(Header::Cute("util/print_tensor.hpp"))
    .makes(Makes::Nothing),
    lenient(
        "print_latex",
        "void print_latex(x)",
        "prints a picture",
        nothing,
    )
    .takes(&["x"])
    .header(Header::Cute("util/print_latex.hpp"))
    .makes(Makes::Nothing),
    lenient(
        "print_tensor",
        "void print_tensor(Tensor)",
        "prints the elements",
        nothing,
    )
    .takes(&["Tensor"])
    .header(Header::Cute("util/print_tensor.hpp"))
    .makes(Makes::Nothing)
    .python(&[python_words::on_objects(
        "cutlass.cute",
        "print_tensor",
        "*args **named",
    )]),
    lenient("printf", "int printf(format, ...)", "prints", nothing)
        .takes(&["format", "..."])
        .header(Header::Cuda)
        .makes(Makes::Nothing),
    lenient(
        "warpgroup_arrive",
        "void warpgroup_arrive()",
        "orders register use before wgmma",
        nothing,
    )
    .header(Header::Cute("arch/mma_sm90_gmma.hpp"))
    .makes(Makes::Nothing),
    lenient(
        "warpgroup_fence_operand",
        "void warpgroup_fence_operand(Tensor)",
        "keeps the compiler from moving registers",
        nothing,
    )
    .takes(&["Tensor"])
    .header(Header::Cute("arch/mma_sm90_gmma.hpp"))
    .makes(Makes::Nothing),
    lenient(
        "cp_async_fence",
        "void cp_async_fence()",
        "commits the asynchronous copies issued so far as one group",
        nothing,
    )
    .header(Header::Cute("arch/copy_sm80.hpp"))
    .makes(Makes::Nothing)
    .does(ActionKind::CommitCopies),
    lenient(
        "copy_unpack",
        "void copy_unpack(Traits, Tensor src, Tensor dst)",
        "issues one copy instruction",
        nothing,
    )
    .takes(&["Traits", "src", "dst"])
    .header(Header::Cute("atom/copy_traits.hpp"))
    .makes(Makes::Nothing),
    lenient(
        "warpgroup_wait",
        "void warpgroup_wait<N>()",
        "waits for groups of wgmma",
        nothing,
    )
    .header(Header::Cute("arch/mma_sm90_gmma.hpp"))
    .makes(Makes::Nothing),
    lenient(
        "warpgroup_commit_batch",
        "void warpgroup_commit_batch()",
        "closes a group of wgmma",
        nothing,
    )
    .header(Header::Cute("arch/mma_sm90_gmma.hpp"))
    .makes(Makes::Nothing),
    lenient(
        "cp_async_wait",
        "void cp_async_wait<N>()",
        "waits until all but the last N groups of asynchronous copies have completed",
        nothing,
    )
    .header(Header::Cute("arch/copy_sm80.hpp"))
    .makes(Makes::Nothing)
    .does(ActionKind::WaitCopies),
    lenient(
        "cluster_sync",
        "void cluster_sync()",
        "waits for all CTAs of the cluster",
        nothing,
    )
    .header(Header::Cute("arch/cluster_sm90.hpp"))
    .makes(Makes::Nothing),
    lenient(
        "cluster_arrive",
        "void cluster_arrive()",
        "arrives at the barrier of the cluster",
        nothing,
    )
    .header(Header::Cute("arch/cluster_sm90.hpp"))
    .makes(Makes::Nothing),
    lenient(
        "cluster_arrive_relaxed",
        "void cluster_arrive_relaxed()",
        "arrives at the barrier of the cluster",
        nothing,
    )
    .header(Header::Cute("arch/cluster_sm90.hpp"))
    .makes(Makes::Nothing),
    lenient(
        "cluster_wait",
        "void cluster_wait()",
        "waits at the barrier of the cluster",
        nothing,
    )
    .header(Header::Cute("arch/cluster_sm90.hpp"))
    .makes(Makes::Nothing),
    lenient(
        "tma_store_fence",
        "void tma_store_fence()",
        "makes shared memory visible to TMA",
        nothing,
    )
    .header(Header::Cute("arch/copy_sm90_tma.hpp"))
    .makes(Makes::Nothing),
    lenient(
        "tma_store_arrive",
        "void tma_store_arrive()",
        "closes a group of TMA stores",
        nothing,
    )
    .header(Header::Cute("arch/copy_sm90_tma.hpp"))
    .makes(Makes::Nothing),
    lenient(
        "tma_store_wait",
        "void tma_store_wait<N>()",
        "waits for groups of TMA stores",
        nothing,
    )
    .header(Header::Cute("arch/copy_sm90_tma.hpp"))
    .makes(Makes::Nothing),
    lenient(
        "prefetch_tma_descriptor",
        "void prefetch_tma_descriptor(desc)",
        "brings a descriptor into the cache",
        nothing,
    )
    .takes(&["desc"])
    .header(Header::Cute("arch/copy_sm90_desc.hpp"))
    .makes(Makes::Nothing),
    lenient(
        "initialize_barrier",
        "void initialize_barrier(barrier, count)",
        "sets up a barrier in shared memory",
        nothing,
    )
    .takes(&["barrier", "count"])
    .header(Header::Cute("arch/copy_sm90_desc.hpp"))
    .makes(Makes::Nothing)
    .does(ActionKind::InitBarrier),
    lenient(
        "set_barrier_transaction_bytes",
        "void set_barrier_transaction_bytes(barrier, bytes)",
        "announces the bytes that will arrive",
        nothing,
    )
    .takes(&["barrier", "bytes"])
    .header(Header::Cute("arch/copy_sm90_desc.hpp"))
    .makes(Makes::Nothing)
    .does(ActionKind::ArriveAndExpect),
    lenient(
        "wait_barrier",
        "void wait_barrier(barrier, phase)",
        "waits for a phase of a barrier",
        nothing,
    )
    .takes(&["barrier", "phase"])
    .header(Header::Cute("arch/copy_sm90_desc.hpp"))
    .makes(Makes::Nothing)
    .does(ActionKind::WaitBarrier),
    lenient(
        "arrive_barrier",
        "void arrive_barrier(barrier)",
        "arrives at a barrier",
        nothing,
    )
    .takes(&["barrier"])
    .header(Header::Cute("arch/copy_sm90_desc.hpp"))
    .makes(Makes::Nothing)
    .does(ActionKind::Arrive),
    lenient(
        "cooperative_prefetch",
        "void cooperative_prefetch<N>(tid, Tensor)",
        "brings a tensor into the cache with several threads",
        nothing,
    )
    .takes(&["tid", "Tensor"])
    .header(Header::Cute("algorithm/prefetch.hpp"))
    .makes(Makes::Nothing),
    lenient(
        "__syncthreads",
        "void __syncthreads()",
        "waits for all threads of the block",
        nothing,
    )
    .header(Header::Cuda)
    .makes(Makes::Nothing)
    .does(ActionKind::SyncThreads),
    lenient(
        "__syncwarp",
        "void __syncwarp(mask)",
        "waits for all lanes of the warp",
        nothing,
    )
    .takes(&["mask"])
    .header(Header::Cuda)
    .makes(Makes::Nothing),
    lenient(
        "umma_arrive",
        "void umma_arrive(barrier)",
        "arrives at a barrier when the MMAs issued so far have completed",
        nothing,
    )
    .takes(&["barrier"])
    .header(Header::Cutlass("arch/barrier.h"))
    .makes(Makes::Nothing)
    .does(ActionKind::Commit),
    lenient(
        "umma_arrive_2x1SM",
        "void umma_arrive_2x1SM(barrier)",
        "arrives at a barrier when the MMAs issued so far have completed",
        nothing,
    )
    .takes(&["barrier"])
    .header(Header::Cutlass("arch/barrier.h"))
    .makes(Makes::Nothing)
    .does(ActionKind::Commit),
    lenient(
        "umma_arrive_multicast",
        "void umma_arrive_multicast(barrier, mask)",
        "arrives at a barrier when the MMAs issued so far have completed",
        nothing,
    )
    .takes(&["barrier", "mask"])
    .header(Header::Cutlass("arch/barrier.h"))
    .makes(Makes::Nothing)
    .does(ActionKind::Commit),
    lenient(
        "umma_arrive_multicast_2x1SM",
        "void umma_arrive_multicast_2x1SM(barrier, mask)",
        "arrives at a barrier when the MMAs issued so far have completed",
        nothing,
    )
    .takes(&["barrier", "mask"])
    .header(Header::Cutlass("arch/barrier.h"))
    .makes(Makes::Nothing)
    .does(ActionKind::Commit),
    lenient(
        "umma_arrive_multicast_no_elect",
        "void umma_arrive_multicast_no_elect(barrier, mask)",
        "arrives at a barrier when the MMAs issued so far have completed",
        nothing,
    )
    .takes(&["barrier", "mask"])
    .header(Header::Cutlass("arch/barrier.h"))
    .makes(Makes::Nothing)
    .does(ActionKind::Commit),
    lenient(
        "umma_arrive_multicast_2x1SM_no_elect",
        "void umma_arrive_multicast_2x1SM_no_elect(barrier, mask)",
        "arrives at a barrier when the MMAs issued so far have completed",
        nothing,
    )
    .takes(&["barrier", "mask"])
    .header(Header::Cutlass("arch/barrier.h"))
    .makes(Makes::Nothing)
    .does(ActionKind::Commit),
    lenient(
        "warpgroup_reg_alloc",
        "void warpgroup_reg_alloc<N>()",
        "gives each thread of a warp group more registers",
        nothing,
    )
    .header(Header::Cutlass("arch/reg_reconfig.h"))
    .makes(Makes::Nothing)
    .does(ActionKind::SetRegisters),
    lenient(
        "warpgroup_reg_dealloc",
        "void warpgroup_reg_dealloc<N>()",
        "takes registers from each thread of a warp group",
        nothing,
    )
    .header(Header::Cutlass("arch/reg_reconfig.h"))
    .makes(Makes::Nothing)
    .does(ActionKind::SetRegisters),
];
