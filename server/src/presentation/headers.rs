//! The header that declares a function of CuTe, for those without a sentence in [`reference`](super::reference). Paths
//! are below `include/cute`, of CUTLASS 4.2.

/// The address of these headers.
pub const ADDRESS: &str = "https://github.com/NVIDIA/cutlass/blob/v4.2.0/include/cute/";

/// The functions by header.
const HEADERS: &[(&str, &[&str])] = &[
    ("algorithm/axpby.hpp", &["axpby"]),
    ("algorithm/clear.hpp", &["clear"]),
    ("algorithm/cooperative_copy.hpp", &["cooperative_copy"]),
    ("algorithm/cooperative_gemm.hpp", &["cooperative_gemm"]),
    ("algorithm/copy.hpp", &["copy_aligned", "copy_if"]),
    ("algorithm/fill.hpp", &["fill"]),
    ("algorithm/prefetch.hpp", &["prefetch"]),
    (
        "algorithm/tuple_algorithms.hpp",
        &[
            "all_of",
            "any_of",
            "append",
            "apply",
            "back",
            "filter_tuple",
            "find_if",
            "flatten_to_tuple",
            "fold",
            "fold_first",
            "for_each",
            "for_each_leaf",
            "front",
            "group",
            "insert",
            "none_of",
            "prepend",
            "remove",
            "repeat",
            "repeat_like",
            "replace",
            "replace_back",
            "replace_front",
            "reverse",
            "transform",
            "transform_apply",
            "transform_leaf",
            "tuple_cat",
            "unflatten",
            "unwrap",
            "wrap",
            "zip",
        ],
    ),
    (
        "arch/cluster_sm90.hpp",
        &[
            "block_id_in_cluster",
            "block_rank_in_cluster",
            "cluster_arrive",
            "cluster_arrive_relaxed",
            "cluster_id_in_grid",
            "cluster_sync",
            "cluster_wait",
            "elect_one_sync",
        ],
    ),
    (
        "arch/copy_sm90_desc.hpp",
        &[
            "arrive_barrier",
            "initialize_barrier",
            "prefetch_tma_descriptor",
            "set_barrier_transaction_bytes",
            "wait_barrier",
        ],
    ),
    (
        "arch/copy_sm90_tma.hpp",
        &["tma_store_arrive", "tma_store_fence", "tma_store_wait"],
    ),
    (
        "arch/mma_sm90_gmma.hpp",
        &[
            "warpgroup_arrive",
            "warpgroup_commit_batch",
            "warpgroup_fence_operand",
            "warpgroup_wait",
        ],
    ),
    ("arch/util.hpp", &["cast_smem_ptr_to_uint"]),
    (
        "atom/copy_atom.hpp",
        &[
            "get_layoutD_TV",
            "get_layoutS_TV",
            "make_tiled_copy_C_atom",
            "make_tiled_copy_D",
            "make_tiled_copy_S",
            "make_tiled_copy_impl",
            "with",
        ],
    ),
    ("atom/copy_traits.hpp", &["copy_unpack"]),
    (
        "atom/copy_traits_sm100.hpp",
        &["make_tmem_copy", "make_utccp_copy", "tmem_load_to_store"],
    ),
    (
        "atom/copy_traits_sm100_tma.hpp",
        &[
            "make_tma_atom_A_sm100",
            "make_tma_atom_B_sm100",
            "make_tma_copy_A_sm100",
            "make_tma_copy_B_sm100",
            "make_tma_copy_C_sm100",
        ],
    ),
    (
        "atom/copy_traits_sm90_tma.hpp",
        &[
            "get_tma_tensor",
            "make_tma_copy_A_sm90",
            "make_tma_copy_B_sm90",
            "make_tma_copy_C_sm90",
            "tma_partition",
        ],
    ),
    (
        "atom/mma_atom.hpp",
        &[
            "get_layoutA_TV",
            "get_layoutB_TV",
            "get_layoutC_TV",
            "get_thr_layout_vmnk",
            "get_thread_slice",
            "make_fragment_A",
            "make_fragment_B",
            "make_fragment_C",
            "partition_shape_A",
            "partition_shape_B",
            "partition_shape_C",
            "tile_shape",
            "tile_size",
            "tile_size_mnk",
        ],
    ),
    ("container/tuple.hpp", &["make_tuple"]),
    (
        "cutlass/cutlass.h",
        &[
            "canonical_lane_idx",
            "canonical_warp_group_idx",
            "canonical_warp_idx",
            "canonical_warp_idx_sync",
        ],
    ),
    ("cutlass/numeric_size.h", &["bits_to_bytes"]),
    (
        "int_tuple.hpp",
        &[
            "ceil_div",
            "compatible",
            "congruent",
            "elem_geq",
            "elem_gtr",
            "elem_leq",
            "elem_less",
            "elem_scale",
            "evenly_divides",
            "get",
            "inner_product",
            "product",
            "product_each",
            "product_like",
            "round_up",
            "shape",
            "sum",
            "weakly_congruent",
        ],
    ),
    (
        "layout.hpp",
        &[
            "compose",
            "coshape",
            "get_1d_coord",
            "get_flat_coord",
            "get_hier_coord",
            "layout",
            "make_identity_layout",
            "make_layout_like",
            "make_step",
            "nullspace",
            "stride",
            "with_shape",
        ],
    ),
    ("layout_composed.hpp", &["make_composed_layout"]),
    (
        "numeric/arithmetic_tuple.hpp",
        &["make_arithmetic_tuple", "make_basis_like"],
    ),
    (
        "numeric/integral_constant.hpp",
        &["conditional_return", "is_static"],
    ),
    (
        "numeric/math.hpp",
        &[
            "abs",
            "bit_ceil",
            "bit_floor",
            "bit_width",
            "countr_zero",
            "gcd",
            "has_single_bit",
            "lcm",
            "log_2",
            "max",
            "min",
            "popcount",
            "safe_div",
            "signum",
        ],
    ),
    (
        "pointer.hpp",
        &[
            "make_rmem_ptr",
            "make_tmem_ptr",
            "raw_pointer_cast",
            "recast_ptr",
        ],
    ),
    (
        "pointer_flagged.hpp",
        &[
            "as_position_independent_swizzle_layout",
            "as_position_independent_swizzle_tensor",
        ],
    ),
    (
        "stride.hpp",
        &["compact_col_major", "compact_order", "compact_row_major"],
    ),
    (
        "swizzle_layout.hpp",
        &["get_nonswizzle_portion", "get_swizzle_portion"],
    ),
    (
        "tensor_impl.hpp",
        &[
            "begin",
            "data",
            "inner_partition",
            "make_coord_tensor",
            "make_tensor_like",
            "outer_partition",
            "tensor",
        ],
    ),
    ("underscore.hpp", &["dice"]),
    ("util/print.hpp", &["print"]),
    ("util/print_latex.hpp", &["print_latex"]),
    ("util/print_tensor.hpp", &["print_tensor"]),
];

/// The header that declares a function.
pub fn of(name: &str) -> Option<&'static str> {
    let mut headers = HEADERS.iter();
    let found = headers.find(|(_, names)| names.contains(&name))?;
    Some(found.0)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn each_function_of_the_table_is_known_and_stands_in_it_once() {
        let mut seen = HashSet::new();
        for name in HEADERS.iter().flat_map(|(_, names)| *names) {
            let known = cute_analysis::vocabulary::function(name)
                .or_else(|| cute_analysis::vocabulary::method(name));
            assert!(known.is_some(), "{name}");
            assert!(seen.insert(name), "{name}");
        }
        assert_eq!(of("make_tmem_copy"), Some("atom/copy_traits_sm100.hpp"));
        assert_eq!(of("make_tea"), None);
    }
}
