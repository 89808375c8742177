//! Layout notation and host languages, parsed and lowered to one small expression tree.
//!
//! **Knows** syntax and byte spans.
//! **Must never know** what an expression means.
//!
//! | module | what is found there |
//! |---|---|
//! | [`tree`] | the expression tree that every host language and the notation lower to |
//! | [`Syntax`] | a source file: parsed incrementally, lowered on demand |
//! | [`cuda`] | CUDA C++: the pre-pass and the lowering; single expressions |
//! | [`limits`] | how large an input may be, each limit with its reason |
//!
//! Positions are byte offsets everywhere; lines, columns and encodings are the caller's.
#![forbid(unsafe_code)]

pub mod cuda;
mod host;
pub mod limits;
mod parse_error;
mod syntax;
pub mod tree;

pub use host::Host;
pub use parse_error::ParseError;
pub use syntax::{Budget, NotParsed, Syntax};
