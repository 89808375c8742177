//! Prescriptions of NVIDIA hardware for layouts.
//!
//! **Knows** MMA and copy atoms, shared- and global-memory models, TMA maps, matrix descriptors,
//! address programs and their PTX text.
//! **Must never know** source text, LSP, or the CUDA driver.
//!
//! | question | where |
//! |---|---|
//! | what does one instruction multiply or move, and which thread has what | [`mma`], [`copy`] |
//! | what does a thread get of a tensor | [`tiled`] |
//! | what does CUTLASS's builder pick for a GEMM | [`collective`] |
//! | how is an operand swizzled in shared memory | [`smem_atom`], [`shared_layout`] |
//! | how does the tensor core find it | [`descriptor`], [`tensor_memory`] |
//! | what does TMA move, and is it allowed | [`tma`] |
//! | how much of it fits on a streaming multiprocessor | [`multiprocessor`] |
//! | what does an access cost, and what would free it of conflicts | [`memory`] |
//! | what code takes a coordinate to an address | [`address`] |
//! | what would a GPU be given to confirm all that | [`kernel`] |
//!
//! Atoms are generated from rules, not listed; a name that CUTLASS 4.2 has is all they need. A refusal is data
//! ([`Refusal`]): the rule, the numbers, the nearest legal values, and CuTe's verdict.
//!
//! ```
//! use cute_hardware::{MmaAtom, Operand, TiledMma};
//! // Four warps, two along M and two along N.
//! let atom = MmaAtom::named("SM80_16x8x16_F32F16F16F32_TN")?;
//! let mma = TiledMma::new(atom, Some("(_2,_2,_1):(_1,_2,_0)".parse()?), vec![])?;
//! assert_eq!(mma.tile_shape()?.to_string(), "(_32,_16,_16)");
//! let tile: cute_algebra::Layout = "(_128,_128):(_128,_1)".parse()?;
//! let part = mma.partition(&mma.slice(&cute_algebra::Int::fixed(1))?, Operand::C, &tile.into())?;
//! assert_eq!(part.layout.to_string(), "((_2,_2),_4,_8):((_1,_1024),_4096,_16)");
//! assert_eq!(part.offset.to_string(), "_2");
//! # Ok::<(), cute_hardware::Refusal>(())
//! ```
#![forbid(unsafe_code)]

pub mod address;
pub mod architecture;
pub mod catalogue;
pub mod collective;
pub mod copy;
pub mod descriptor;
pub mod element;
pub mod kernel;
pub mod memory;
pub mod mma;
pub mod multiprocessor;
pub mod name;
pub mod refusal;
pub mod shared_layout;
pub mod smem_atom;
pub mod tensor_memory;
mod thread_value;
pub mod tiled;
pub mod tma;

pub use architecture::Architecture;
pub use copy::{CopyAtom, ValueCopyAtom};
pub use element::Element;
pub use kernel::Kernel;
pub use mma::{Allocation, Major, MmaAtom, MmaOperand, OperandMemory, TensorMemoryFragment};
pub use name::{Argument, TemplateId};
pub use refusal::{Refusal, Rule};
pub use shared_layout::SharedLayout;
pub use smem_atom::{SmemAtom, Span};
pub use tiled::{Operand, Part, TiledCopy, TiledMma};
