//! What NVIDIA hardware prescribes to layouts.
//!
//! **Knows** MMA and copy atoms, shared- and global-memory models, TMA maps, matrix descriptors,
//! address programs and their PTX text.
//! **Must never know** source text, LSP, or the CUDA driver.
#![forbid(unsafe_code)]

pub mod address;
pub mod architecture;
pub mod ask;
pub mod copy;
pub mod descriptor;
pub mod element;
pub mod memory;
pub mod mma;
pub mod name;
pub mod refusal;
pub mod shared_layout;
pub mod smem_atom;
mod thread_value;
pub mod tiled;
pub mod tma;

pub use architecture::Architecture;
pub use copy::{CopyAtom, ValueCopyAtom};
pub use element::Element;
pub use mma::{Major, MmaAtom, MmaOperand, Place};
pub use name::{Argument, TemplateId};
pub use refusal::{Refusal, Rule};
pub use shared_layout::SharedLayout;
pub use smem_atom::{SmemAtom, Span};
pub use tiled::{Operand, Part, TiledCopy, TiledMma};
