//! The cost of memory accesses: shared-memory wavefronts, global sectors and lines, vector widths, and the swizzle or
//! padding that frees an access of bank conflicts.

pub mod access;
pub mod banks;
pub mod global;
pub mod remedy;

pub use access::{Access, accesses};
pub use banks::{Wavefronts, matrix_wavefronts, shared_wavefronts};
pub use global::{GlobalCost, global_cost};
pub use remedy::{smallest_padding, smallest_swizzle};
