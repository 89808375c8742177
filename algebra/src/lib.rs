#![doc = include_str!("../README.md")]
//!
//! # Its place in the workspace
//!
//! **Knows** integers (known or symbolic), hierarchical tuples, strides, layouts, swizzles, and
//! every operation on them.
//! **Must never know** source text, files, GPUs, or LSP.
#![forbid(unsafe_code)]
#![allow(
    clippy::large_enum_variant,
    reason = "layouts of up to eight leaves live inline, so that operations do not allocate"
)]

pub mod composed;
pub mod coord;
pub mod coverage;
pub mod equality;
pub mod explain;
pub mod extension;
pub mod f2;
pub mod facts;
pub mod image;
pub mod infer;
pub mod int;
mod int_type;
pub mod judge;
pub mod layout;
pub mod limits;
pub mod log;
pub mod macros;
mod mixed;
pub mod neighbours;
pub mod ops;
pub mod proof;
pub mod properties;
pub mod refusal;
pub mod rule;
pub mod sentence;
pub mod stride;
pub mod swizzle;
pub mod symbol;
pub mod tensor;
pub mod text;
pub mod tiler;
pub mod triton;
pub mod tuple;
pub mod verdict;
pub mod witness;

pub use composed::{AnyLayout, ComposedLayout, Outer};
pub use coord::{Coord, CoordLeaf};
pub use facts::Facts;
pub use int::Int;
pub use int_type::IntType;
pub use layout::{Layout, LayoutView, Offset};
pub use refusal::{Number, Reason, Refusal, RuleSet, WiderRules};
pub use rule::Rule;
pub use stride::{Delta, ScaledBasis, Stride};
pub use swizzle::Swizzle;
pub use symbol::Expression;
pub use tensor::{Accessor, Pointer, Space, Tensor};
pub use text::{Parse, Reading};
pub use tiler::Tiler;
pub use tuple::{IntTuple, Shape, Tuple, TupleView};
pub use verdict::Verdict;
pub use witness::{Checked, Comparison, Witness};
