//! Indices, counters and arithmetic of a thread: `cutlass.cute.arch`.

use super::super::objects::{of_dsl, on_objects};
use crate::vocabulary::{Function, Header, entry, python_words};

/// Numbers of a thread.
pub(in crate::vocabulary) const FUNCTIONS: &[Function] = &[
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
];
