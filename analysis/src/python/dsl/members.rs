//! The members of the DSL's own classes, by name: those of 4.2 to 4.8 together, the ones that MLIR adds among them.

/// Members of values of MLIR.
const OF_MLIR: &str = "context dump get_name location maybe_downcast owner replace_all_uses_except replace_all_uses_with \
                       set_type type uses";

const OF_MMA_ATOM: &str = "get make_fragment_A make_fragment_B make_fragment_C op set shape_mnk thr_id tv_layout_A \
                           tv_layout_B tv_layout_C type with_";

const OF_TILED_MMA: &str = "get_slice get_tile_size partition_shape_A partition_shape_B partition_shape_C permutation_mnk \
                            size thr_layout_vmnk tv_layout_A_tiled tv_layout_B_tiled tv_layout_C_tiled";

const OF_COPY_ATOM: &str = "get layout_dst_tv layout_src_tv op set thr_id type value_type with_";

const OF_TILED_COPY: &str =
    "get_slice layout_dst_tv_tiled layout_src_tv_tiled layout_tv_tiled retile size tiler_mn";

/// The members of the values of a class; nothing where they are not all known.
pub(super) fn of_class(class: &str) -> Vec<&'static str> {
    let lists: &[&'static str] = match class {
        "Layout" => &[
            "shape stride get_flat_coord get_hier_coord max_alignment shape_method stride_method",
            OF_MLIR,
        ],
        "ComposedLayout" => &[
            "inner offset outer shape is_normal max_alignment shape_method",
            OF_MLIR,
        ],
        "Swizzle" => &["num_bits num_base num_shift", OF_MLIR],
        "MmaAtom" => &[OF_MMA_ATOM],
        "TiledMma" => &[OF_TILED_MMA, OF_MMA_ATOM],
        "ThrMma" => &[
            "partition_A partition_B partition_C thr_idx",
            OF_TILED_MMA,
            OF_MMA_ATOM,
        ],
        "CopyAtom" => &[OF_COPY_ATOM],
        "TiledCopy" => &[OF_TILED_COPY, OF_COPY_ATOM],
        "ThrCopy" => &[
            "partition_S partition_D thr_idx",
            OF_TILED_COPY,
            OF_COPY_ATOM,
        ],
        _ => &[],
    };
    lists
        .iter()
        .flat_map(|list| list.split_whitespace())
        .collect()
}
