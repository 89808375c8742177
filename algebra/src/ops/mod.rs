//! The operations of the layout algebra, one file each.
//!
//! Each computes the form that CuTe C++ 4.2 computes, from its operators on static and run-time integers, and refuses
//! where CuTe's compiler does. Whether an accepted result *is* that of the paper's definition is decided by
//! [`crate::judge`].

pub mod coalesce;
pub(crate) mod codomain;
pub mod common;
pub mod compact;
pub mod complement;
pub mod composition;
pub mod coshape;
pub mod distribute;
pub mod divide;
pub mod domain;
pub mod filter;
pub mod identity;
pub mod inverse;
pub mod modes;
pub mod nullspace;
pub mod order;
pub mod product;
pub mod recast;
pub mod shape_arithmetic;
pub mod slice;
pub mod swizzled;
pub mod swizzled_slice;
pub mod tile_to_shape;
pub mod zip;

pub use coalesce::{coalesce, coalesce_by};
pub use common::{max_common_layout, max_common_vector};
pub use complement::{complement, complement_default};
pub use composition::{composition, composition_by};
pub use coshape::{coprofile, coshape, cosize};
pub use distribute::domain_distribute;
pub use divide::{flat_divide, logical_divide, tiled_divide, zipped_divide};
pub use domain::{common_coarsening, common_domain, common_refinement};
pub use filter::{filter, filter_by, filter_zeros};
pub use identity::{make_basis_like, make_identity_layout};
pub use inverse::{left_inverse, right_inverse};
pub use modes::{
    append, append_to_rank, flatten, group, prepend, prepend_to_rank, replace, select, take,
};
pub use nullspace::nullspace;
pub use order::{make_fragment_like, make_layout_like, make_ordered_layout};
pub use product::{
    blocked_product, flat_product, logical_product, raked_product, tiled_product, zipped_product,
};
pub use recast::{downcast, max_alignment, recast_layout, upcast};
pub use slice::{dice, slice, slice_and_offset};
pub use tile_to_shape::tile_to_shape;
pub use zip::{hier_unzip, open_pair};
