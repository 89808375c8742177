//! Atomic operations, and memory that a kernel allocates: `cutlass.cute.arch`.

use super::super::objects::{of_dsl, on_objects};
use crate::vocabulary::{Function, Header, Makes, entry, python_words};

/// Accesses of memory, and its allocation.
pub(in crate::vocabulary) const FUNCTIONS: &[Function] = &[
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
