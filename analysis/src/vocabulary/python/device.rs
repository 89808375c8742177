//! Functions of the CuTe DSL that act in a kernel and that no layout depends on: instructions, barriers, mathematics.

use super::objects::{of_dsl, on_objects};
use crate::vocabulary::{Function, Header, Makes, entry, python_words};

/// Mathematics, and calls of atoms.
pub(in crate::vocabulary) const MATHEMATICS: &[Function] = &[
    of_dsl!(
        "cutlass.cute",
        "basic_copy_if",
        "pred src dst",
        "copies the elements whose predicate holds, one by one"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute",
        "prefetch",
        "atom src",
        "prefetches the box of a TMA copy into L2"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute",
        "copy_atom_call",
        "atom src dst pred= **kwargs",
        "executes a copy atom once"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute",
        "mma_atom_call",
        "atom d a b c **kwargs",
        "executes an MMA atom once"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute",
        "full_like",
        "a fill_value dtype=",
        "a value of a tensor's shape, filled with a number"
    ),
    of_dsl!(
        "cutlass.cute",
        "zeros_like",
        "a dtype=",
        "a value of a tensor's shape, filled with zeros"
    ),
    of_dsl!(
        "cutlass.cute",
        "ones_like",
        "a dtype=",
        "a value of a tensor's shape, filled with ones"
    ),
    of_dsl!(
        "cutlass.cute",
        "empty_like",
        "a dtype=",
        "a value of a tensor's shape, not yet set"
    ),
    of_dsl!(
        "cutlass.cute.math",
        "exp",
        "a fastmath=",
        "e to the power of each element",
        ("cutlass.cute", "exp", "a fastmath="),
        ("cutlass.cute.arch", "exp", "a")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "exp2",
        "a fastmath=",
        "2 to the power of each element",
        ("cutlass.cute", "exp2", "a fastmath="),
        ("cutlass.cute.arch", "exp2", "a")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "log",
        "a fastmath=",
        "the natural logarithm of each element",
        ("cutlass.cute", "log", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "log2",
        "a fastmath=",
        "the logarithm to base 2 of each element",
        ("cutlass.cute", "log2", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "log10",
        "a fastmath=",
        "the logarithm to base 10 of each element",
        ("cutlass.cute", "log10", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "log1p",
        "a fastmath=",
        "the natural logarithm of one plus each element",
        ("cutlass.cute", "log1p", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "sqrt",
        "a fastmath=",
        "the square root of each element",
        ("cutlass.cute", "sqrt", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "rsqrt",
        "a fastmath=",
        "one over the square root of each element",
        ("cutlass.cute", "rsqrt", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "rcp",
        "a fastmath=",
        "one over each element",
        ("cutlass.cute", "rcp", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "tanh",
        "a fastmath=",
        "the hyperbolic tangent of each element",
        ("cutlass.cute", "tanh", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "tan",
        "a fastmath=",
        "the tangent of each element",
        ("cutlass.cute", "tan", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "sin",
        "a fastmath=",
        "the sine of each element",
        ("cutlass.cute", "sin", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "cos",
        "a fastmath=",
        "the cosine of each element",
        ("cutlass.cute", "cos", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "sinh",
        "a fastmath=",
        "the hyperbolic sine of each element",
        ("cutlass.cute", "sinh", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "cosh",
        "a fastmath=",
        "the hyperbolic cosine of each element",
        ("cutlass.cute", "cosh", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "erf",
        "a fastmath=",
        "the error function of each element",
        ("cutlass.cute", "erf", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "erfc",
        "a fastmath=",
        "one less the error function of each element",
        ("cutlass.cute", "erfc", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "floor",
        "a fastmath=",
        "the largest integer that is not above each element",
        ("cutlass.cute", "floor", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "ceil",
        "a fastmath=",
        "the smallest integer that is not below each element",
        ("cutlass.cute", "ceil", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "abs",
        "a fastmath=",
        "the absolute value of each element",
        ("cutlass.cute", "abs", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "absf",
        "a fastmath=",
        "the absolute value of each floating-point element",
        ("cutlass.cute", "absf", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "asin",
        "a fastmath=",
        "the arc sine of each element"
    ),
    of_dsl!(
        "cutlass.cute.math",
        "acos",
        "a fastmath=",
        "the arc cosine of each element"
    ),
    of_dsl!(
        "cutlass.cute.math",
        "atan",
        "a fastmath=",
        "the arc tangent of each element"
    ),
    of_dsl!(
        "cutlass.cute.math",
        "atan2",
        "a b fastmath=",
        "the angle of a point, element by element"
    ),
    of_dsl!(
        "cutlass.cute.math",
        "fma",
        "a b c fastmath=",
        "a times b plus c, rounded once",
        ("cutlass.cute", "fma", "a b c fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "clamp",
        "value low high",
        "each element, kept between two bounds",
        ("cutlass.cute", "clamp", "value low high")
    ),
    of_dsl!("cutlass.cute", "neg", "a", "the negative of each element"),
];

/// Instructions: `cutlass.cute.arch`.
pub(in crate::vocabulary) const INSTRUCTIONS: &[Function] = &[
    of_dsl!(
        "cutlass.cute.arch",
        "block_in_cluster_idx",
        "",
        "the coordinate of the CTA in its cluster"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "block_in_cluster_dim",
        "",
        "how many CTAs a cluster has, by axis"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "cluster_idx",
        "",
        "the coordinate of the cluster in the grid"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "cluster_dim",
        "",
        "how many clusters the grid has, by axis"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "warp_idx",
        "",
        "the number of the warp in its CTA"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "lane_idx",
        "",
        "the number of the thread in its warp"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "block_idx_in_cluster",
        "",
        "the number of the CTA in its cluster"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "cluster_size",
        "",
        "how many CTAs a cluster has"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "physical_warp_id",
        "",
        "the slot of the warp on its multiprocessor"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "smid",
        "",
        "the number of the multiprocessor"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "nsmid",
        "",
        "how many numbers of multiprocessors there can be"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "nwarpid",
        "",
        "how many warps a multiprocessor can have"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "gridid",
        "",
        "the number of the grid in its context"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "clock",
        "",
        "the cycle counter, 32 bits"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "clock64",
        "",
        "the cycle counter, 64 bits"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "globaltimer",
        "",
        "the global timer in nanoseconds, 64 bits"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "globaltimer_lo",
        "",
        "the lower 32 bits of the global timer"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "dynamic_smem_size",
        "",
        "the bytes of dynamic shared memory of the CTA"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "total_smem_size",
        "",
        "the bytes of all shared memory of the CTA"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "aggr_smem_size",
        "",
        "the bytes of shared memory of the CTA with those of the system"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "get_dyn_smem_size",
        "",
        "the bytes of dynamic shared memory of the CTA"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "activemask",
        "",
        "a mask of the threads of the warp that are active"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "popc",
        "value",
        "how many bits are set"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "clz",
        "value",
        "how many leading bits are zero"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "brev",
        "value",
        "the bits in reverse order"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "bfe",
        "value start length",
        "a field of bits"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "bfi",
        "replacement value start length",
        "a number with a field of bits from another"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "bfind",
        "value",
        "the position of the highest bit that is not the sign's"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "prmt",
        "src src_reg_shifted prmt_indices",
        "four bytes, selected of eight"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "lop3",
        "a b c lut",
        "any logic operation of three numbers, bit by bit"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "shf",
        "a b shift kind=",
        "two words, shifted as one"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "mad24",
        "a b c hi=",
        "the product of 24-bit numbers, plus a third"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "mul24",
        "a b hi=",
        "the product of 24-bit numbers"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "mul_hi",
        "a b",
        "the upper half of a product"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "mul_wide",
        "a b",
        "a product of twice the width"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "add_cc",
        "a b",
        "a sum that writes the carry"
    ),
    of_dsl!("cutlass.cute.arch", "addc", "a b", "a sum with the carry"),
    of_dsl!(
        "cutlass.cute.arch",
        "sub_cc",
        "a b",
        "a difference that writes the borrow"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "subc",
        "a b",
        "a difference with the borrow"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "mad_cc",
        "a b c",
        "a product plus a third number, which writes the carry"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "madc",
        "a b c",
        "a product plus a third number and the carry"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "atomic_add",
        "ptr val sem= scope=",
        "adds to memory atomically; the value before"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "atomic_and",
        "ptr val sem= scope=",
        "ands memory atomically; the value before"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "atomic_or",
        "ptr val sem= scope=",
        "ors memory atomically; the value before"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "atomic_xor",
        "ptr val sem= scope=",
        "exclusive-ors memory atomically; the value before"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "atomic_max",
        "ptr val sem= scope=",
        "keeps the larger number in memory atomically; the value before"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "atomic_min",
        "ptr val sem= scope=",
        "keeps the smaller number in memory atomically; the value before"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "atomic_cas",
        "ptr cmp val sem= scope=",
        "exchanges memory atomically where it equals a number; the value before"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "atomic_exch",
        "ptr val sem= scope=",
        "exchanges memory atomically; the value before"
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
        "fmax",
        "a b abs= nan= ftz=",
        "the larger of two numbers"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "fmin",
        "a b abs= nan= ftz=",
        "the smaller of two numbers"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "rcp_approx",
        "a",
        "one over a number, approximately"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "load",
        "ptr dtype sem= scope= level1_eviction_priority= cop= ss= level_prefetch_size=",
        "the value at a pointer"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "atomic_fmax",
        "ptr val sign_bit= sem= scope=",
        "keeps the larger floating-point number in memory atomically; the value before"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "atomic_fmin",
        "ptr val sign_bit= sem= scope=",
        "keeps the smaller floating-point number in memory atomically; the value before"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "atomic_max_float32",
        "ptr value positive_only=",
        "keeps the larger 32-bit floating-point number in memory atomically; the value before"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "cvt_f32_tf32",
        "src_f32",
        "a 32-bit floating-point number, rounded to TF32"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "add_packed_f32x2",
        "src_a src_b rnd= ftz=",
        "the sums of two pairs of numbers"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "sub_packed_f32x2",
        "src_a src_b rnd= ftz=",
        "the differences of two pairs of numbers"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "mul_packed_f32x2",
        "src_a src_b rnd= ftz=",
        "the products of two pairs of numbers"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "fma_packed_f32x2",
        "src_a src_b src_c rnd= ftz=",
        "the products of two pairs of numbers, plus a third pair"
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
        "dealloc_tmem",
        "tmem_ptr num_columns is_two_cta= arch=",
        "frees columns of tensor memory"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "relinquish_tmem_alloc_permit",
        "is_two_cta=",
        "says that this CTA allocates no more tensor memory"
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
        "store",
        "ptr val level1_eviction_priority= cop= ss= sem= scope=",
        "writes a value at a pointer"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "store_async_dsmem",
        "smem_ptr value mbar_ptr peer_cta_rank",
        "writes a value to shared memory of another CTA, and counts it at a barrier"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "red",
        "ptr val op dtype sem= scope=",
        "reduces a value into memory atomically"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "nanosleep",
        "sleep_time",
        "suspends the thread for some time"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "alloc_smem",
        "element_type size_in_elems alignment=",
        "allocates elements in static shared memory"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "get_dyn_smem",
        "element_type alignment=",
        "a pointer to dynamic shared memory"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "retrieve_tmem_ptr",
        "element_type alignment ptr_to_buffer_holding_addr",
        "the pointer to tensor memory that an allocation wrote to shared memory"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "get_max_tmem_alloc_cols",
        "compute_capability",
        "how many columns of tensor memory a CTA can allocate"
    ),
    of_dsl!(
        "cutlass.cute.arch",
        "get_min_tmem_alloc_cols",
        "compute_capability",
        "how many columns of tensor memory an allocation has at least"
    ),
];
