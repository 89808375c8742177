//! The Tensor Memory Accelerator: from a global tensor, a shared layout and a tile to the arguments of the driver, the
//! 128 bytes of the descriptor, and the loads and stores by them; the same for the images of convolutions.

pub mod atom;
pub mod basis;
pub mod encoding;
pub mod im2col;
pub mod instruction;
pub mod load;
pub mod swizzle;
pub mod tensor_map;
pub mod umma;

pub use atom::{TmaAtom, TmaRequest};
pub use tensor_map::{Severity, TensorMap, TensorMapSwizzle};
