//! Triton's layouts: linear maps over F2 from the places of hardware to the coordinates of a tensor.
//!
//! Triton writes a layout the other way round than `CuTe`. A *distributed* one maps `(register, lane, warp, block)` to
//! the coordinate of the element that is there; one of shared memory maps `(offset, block)`, one of tensor memory
//! `(row, column, block)` ("Linear Layouts", arXiv 2505.23819, §4). Each input is a bit string, each bit has a *basis*,
//! a coordinate, and the coordinate of an input is the xor of the bases of its set bits. All extents are powers of two.
//!
//! [`Encoding`] is an attribute of Triton's IR (`#ttg.blocked`, `#ttg.nvmma_shared`, ...); with the shape of a tensor
//! it is a [`LinearLayout`], and [`Encoding::to_cute`] gives `CuTe`'s layout of the same function.
//!
//! ```
//! use cute_algebra::triton::{Blocked, Encoding};
//! let blocked = Encoding::Blocked(Blocked {
//!     size_per_thread: vec![1, 2],
//!     threads_per_warp: vec![8, 4],
//!     warps: vec![2, 1],
//!     order: vec![1, 0],
//!     blocks: Vec::new(),
//! });
//! let form = blocked.to_cute(&[16, 8])?;
//! assert_eq!(form.layout.to_string(), "((_4,_16),_2):((_32,_1),_16)");
//! # Ok::<(), cute_algebra::Refusal>(())
//! ```

mod build;
mod cute;
mod distributed;
mod encoding;
mod from_cute;
mod linear;
mod mma;
mod nvmma;
mod shared;
mod tensor_memory;

pub use cute::{CuteForm, NoIntegerStrides};
pub use distributed::{Blocked, Slice};
pub use encoding::{Encoding, Placement};
pub use from_cute::{distributed_of, shared_of};
pub use linear::{Input, LinearLayout};
pub use mma::{DotOperand, Mma};
pub use nvmma::NvmmaShared;
pub use shared::{Padded, Padding, Remapping, SharedLinear, Swizzled};
pub use tensor_memory::{TensorMemory, TensorMemoryScales};
