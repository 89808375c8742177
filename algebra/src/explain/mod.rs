//! Why an operation has its result: a tree of derivations that reads like the paper's worked examples.
//!
//! Every function here is named after the operation that it explains, takes the same operands, and gives a
//! [`Derivation`]: the expression, the rule that applies, the numbers that decide, and the derivations of its parts. The
//! numbers come from the operation itself, which reports its steps to a [`crate::log::Log`]; the value at the root *is* the
//! operation's result. [`Derivation`] is data; its `Display` is the plain-text rendering.
//!
//! ```
//! use cute_algebra::explain;
//! let a = "(_4,_6,_8,_10):(_2,_3,_5,_7)".parse()?;
//! let derivation = explain::composition(&a, &"_6:_12".parse()?);
//! assert_eq!(
//!     derivation.to_string(),
//!     "\
//! (4,6,8,10):(2,3,5,7) o 6:12 = (2,3):(9,5)
//!   truncate (paper 3.3.2): the last coordinate, (6-1)*12 = 60, is below 4*6*8 = 192
//!     = (4,6,8):(2,3,5) o 6:12
//!   conditions (paper 3.3.2): (20) 12 divides or is a multiple of each of 1, 4, 24; (21) each of 1, 1, 2 divides 6
//!   divide out (paper 3.3.3): every 12th element
//!     12 passes all of 4:2: 12/4 = 3 remains
//!     every 3rd element of 6:3: 2:9
//!     = (1,2,8):(X,9,5) o 6:1
//!   keep (paper 3.3.3): the first 6 elements
//!     take 2:9: a factor of 3 remains
//!     take 3:5: nothing remains
//!     = (2,3):(9,5)
//! "
//! );
//! # Ok::<(), cute_algebra::Refusal>(())
//! ```

mod coalesce;
mod complement;
mod composition;
mod defined;
mod evaluate;
mod inverse;
mod regroup;
mod tree;

pub use coalesce::{coalesce, filter};
pub use complement::complement;
pub use composition::{composition, composition_by};
pub use defined::{downcast, max_common_layout, max_common_vector, slice, tile_to_shape, upcast};
pub use evaluate::evaluate;
pub use inverse::{left_inverse, right_inverse};
pub use regroup::{
    blocked_product, flat_divide, flat_product, logical_divide, logical_product, raked_product,
    tiled_divide, tiled_product, zipped_divide, zipped_product,
};
pub use tree::{By, Derivation, Value};
