//! The Tensor Memory Accelerator: from a global tensor, a shared layout and a tile to the arguments of the driver, the
//! 128 bytes of the descriptor, and what a load does with them.

pub mod atom;
pub mod basis;
pub mod encoding;
pub mod instruction;
pub mod load;
pub mod tensor_map;

pub use atom::{TmaAtom, TmaRequest};
pub use tensor_map::{Severity, TensorMap, TensorMapSwizzle};
