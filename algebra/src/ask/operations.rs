//! The names of the operations, and how many operands each takes.

/// Families of test cases whose names carry no meaning of their own.
const FAMILIES: [&str; 10] = [
    "_rhs_basis",
    "_by_mode",
    "_composed",
    "_boundary",
    "_swz_swz",
    "_swizzle",
    "_tiler",
    "_basis",
    "_tuple",
    "_static",
];

/// The operation that a name asks for, without the name of its family.
pub fn operation_name(op: &str) -> &str {
    let known = |name: &str| ARITIES.iter().any(|(known, ..)| *known == name);
    if known(op) {
        return op;
    }
    FAMILIES
        .iter()
        .find_map(|family| op.strip_suffix(family))
        .filter(|name| known(name))
        .unwrap_or(op)
}

/// Each operation with the fewest and the most operands it takes.
pub const ARITIES: [(&str, usize, usize); 72] = [
    ("append", 1, 2),
    ("blocked_product", 2, 2),
    ("ceil_div", 2, 2),
    ("coalesce", 1, 2),
    ("compatible", 2, 2),
    ("complement", 1, 2),
    ("composition", 2, 3),
    ("congruent", 2, 2),
    ("coprofile", 1, 1),
    ("coshape", 1, 1),
    ("cosize", 1, 1),
    ("crd2crd", 3, 3),
    ("crd2idx", 2, 3),
    ("depth", 1, 1),
    ("dice", 2, 2),
    ("domain_distribute", 2, 2),
    ("downcast", 2, 2),
    ("elem_scale", 2, 2),
    ("eval", 2, 2),
    ("evenly_divides", 2, 2),
    ("filter", 1, 2),
    ("filter_zeros", 1, 2),
    ("flat_divide", 2, 2),
    ("flat_product", 2, 2),
    ("flatten", 1, 1),
    ("get", 2, 2),
    ("group", 3, 3),
    ("group_modes", 3, 3),
    ("idx2crd", 2, 3),
    ("layout", 1, 1),
    ("left_inverse", 1, 1),
    ("logical_divide", 2, 2),
    ("logical_product", 2, 2),
    ("make_basis_like", 1, 1),
    ("make_composed_layout", 3, 3),
    ("make_fragment_like", 1, 1),
    ("make_identity_layout", 1, 1),
    ("make_layout", 1, 2),
    ("make_layout_like", 1, 1),
    ("make_layout_right", 1, 2),
    ("make_ordered_layout", 2, 2),
    ("max_alignment", 1, 1),
    ("max_common_layout", 2, 2),
    ("max_common_vector", 2, 2),
    ("nullspace", 1, 1),
    ("prefix_product", 1, 1),
    ("prepend", 1, 2),
    ("product_each", 1, 1),
    ("product_like", 2, 2),
    ("raked_product", 2, 2),
    ("rank", 1, 1),
    ("recast_layout", 3, 3),
    ("replace", 3, 3),
    ("right_inverse", 1, 1),
    ("round_up", 2, 2),
    ("select", 2, usize::MAX),
    ("shape", 1, 1),
    ("shape_div", 2, 2),
    ("size", 1, 1),
    ("slice", 2, 2),
    ("slice_and_offset", 2, 2),
    ("stride", 1, 1),
    ("swizzle_apply", 1, 2),
    ("take", 3, 3),
    ("tile_to_shape", 2, 3),
    ("tiled_divide", 2, 2),
    ("tiled_product", 2, 2),
    ("upcast", 2, 2),
    ("weakly_congruent", 2, 2),
    ("zip", 2, 2),
    ("zipped_divide", 2, 2),
    ("zipped_product", 2, 2),
];
