//! Barriers, fences and exchanges between threads: `cutlass.cute.arch`.

use super::super::objects::{of_dsl, on_objects};
use crate::vocabulary::{Function, Header, Makes, entry, python_words};

/// Barriers, fences, and what threads of a warp tell each other.
pub(in crate::vocabulary) const FUNCTIONS: &[Function] = &[
    of_dsl!(
        "cutlass.cute.arch",
        "activemask",
        "",
        "a mask of the threads of the warp that are active"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "vote_ballot_sync",
        "pred mask=",
        "a mask of the threads whose predicate holds"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "match_sync",
        "mask value kind=",
        "a mask of the threads that have the same value"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "lanemask_eq",
        "",
        "a mask with the bit of this lane"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "lanemask_ge",
        "",
        "a mask of this lane and those above"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "lanemask_gt",
        "",
        "a mask of the lanes above"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "lanemask_le",
        "",
        "a mask of this lane and those below"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "lanemask_lt",
        "",
        "a mask of the lanes below"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "mbarrier_try_wait",
        "mbar_ptr phase",
        "whether a phase of a barrier is complete; it may wait for some time"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "mbarrier_test_wait",
        "mbar_ptr phase",
        "whether a phase of a barrier is complete, without waiting"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "mbarrier_conditional_try_wait",
        "cond mbar_ptr phase",
        "the same where a condition holds, else true"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "vote_all_sync",
        "pred mask=",
        "whether a predicate holds for all threads of a mask"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "vote_any_sync",
        "pred mask=",
        "whether a predicate holds for one of the threads of a mask"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "vote_uni_sync",
        "pred mask=",
        "whether a predicate is the same for all threads of a mask"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "make_warp_uniform",
        "value",
        "a number that all threads of the warp have"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "shuffle_sync",
        "value offset mask= mask_and_clamp=",
        "the value of another lane"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "shuffle_sync_bfly",
        "value offset mask= mask_and_clamp=",
        "the value of the lane whose number differs in the bits of a mask"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "shuffle_sync_up",
        "value offset mask= mask_and_clamp=",
        "the value of a lane below"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "shuffle_sync_down",
        "value offset mask= mask_and_clamp=",
        "the value of a lane above"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "warp_redux_sync",
        "value kind mask_and_clamp= abs= nan=",
        "the reduction of a value of each thread of a mask"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "warp_reduction",
        "val op threads_in_group=",
        "the reduction of a value of each thread of the warp"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "warp_reduction_max",
        "val threads_in_group=",
        "the largest of the values of the warp's threads"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "warp_reduction_sum",
        "val threads_in_group=",
        "the sum of the values of the warp's threads"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "barrier",
        "barrier_id= number_of_threads=",
        "waits at a named barrier for a number of threads"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "barrier_arrive",
        "barrier_id= number_of_threads= aligned=",
        "arrives at a named barrier without waiting"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "sync_threads",
        "",
        "waits for all threads of the CTA"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "sync_warp",
        "mask=",
        "waits for the threads of a mask in the warp"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "cluster_arrive",
        "aligned=",
        "arrives at the barrier of the cluster without waiting"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "cluster_arrive_relaxed",
        "aligned=",
        "arrives at the barrier of the cluster, without ordering memory"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "cluster_wait",
        "",
        "waits at the barrier of the cluster"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "cp_async_commit_group",
        "",
        "makes one group of the asynchronous copies since the last"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "cp_async_wait_group",
        "n",
        "waits until at most some groups of asynchronous copies are pending"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "cp_async_bulk_commit_group",
        "",
        "makes one group of the bulk stores since the last"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "cp_async_bulk_wait_group",
        "group read=",
        "waits until at most some groups of bulk stores are pending"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "elect_one",
        "",
        "one thread of the warp, as a context"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "fence_proxy",
        "kind space= use_intrinsic=",
        "orders accesses of two proxies"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "fence_acq_rel_cta",
        "",
        "orders memory for the CTA"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "fence_acq_rel_cluster",
        "",
        "orders memory for the cluster"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "fence_acq_rel_gpu",
        "",
        "orders memory for the GPU"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "fence_acq_rel_sys",
        "",
        "orders memory for the system"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "fence_view_async_tmem_load",
        "",
        "waits for this thread's loads from tensor memory"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "fence_view_async_tmem_store",
        "",
        "waits for this thread's stores to tensor memory"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "fence_view_async_shared",
        "",
        "makes writes to shared memory visible to the asynchronous proxy"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "mbarrier_init",
        "mbar_ptr cnt",
        "sets how many arrivals complete a phase of a barrier"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "mbarrier_init_fence",
        "",
        "makes initialised barriers visible to the cluster"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "mbarrier_arrive",
        "mbar_ptr peer_cta_rank_in_cluster= arrive_count= relaxed= scope=",
        "arrives at a barrier"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "mbarrier_arrive_and_expect_tx",
        "mbar_ptr bytes peer_cta_rank_in_cluster= relaxed= scope=",
        "arrives at a barrier and adds bytes that it waits for"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "mbarrier_expect_tx",
        "mbar_ptr bytes peer_cta_rank_in_cluster= scope=",
        "adds bytes that a barrier waits for"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "mbarrier_wait",
        "mbar_ptr phase",
        "waits until a phase of a barrier is complete"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "issue_clc_query",
        "mbar_ptr clc_response_ptr multicast=",
        "asks for the next tile of a cluster launch"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "griddepcontrol_wait",
        "",
        "waits for the grids that this one depends on"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "griddepcontrol_launch_dependents",
        "",
        "lets the grids that depend on this one start"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "nanosleep",
        "sleep_time",
        "suspends the thread for some time"
    )
    .makes(Makes::Nothing),
];
