//! Layout notation and host languages, parsed and lowered to one small expression tree.
//!
//! **Knows** syntax and byte spans. **Must never know** the meaning of an expression.
//!
//! | module | content |
//! |---|---|
//! | [`tree`] | the expression tree that every host language and the notation lower to |
//! | [`Syntax`] | a source file: parsed incrementally, lowered on demand |
//! | [`cuda`] | CUDA C++: the pre-pass and the lowering; single expressions |
//! | [`rust`] | Rust: the outline and the lowering; single expressions |
//! | [`script`] | Python as its own tree, whole |
//! | [`notation`] | the literal notation, `((2,2),4):((1,8),2)`, and calls on it |
//! | [`attribute`] | layout attributes of Triton's IR, `#ttg.blocked<{...}> on 128x64` |
//! | [`annotations`] | literals and shapes that people write into comments and strings |
//! | [`limits`] | the largest size of an input, each limit with its reason |
//!
//! Positions are byte offsets everywhere; [`lines`] counts the lines of a text, columns and encodings are the caller's.
#![forbid(unsafe_code)]

mod annotation;
mod assembled;
pub mod attribute;
pub mod attribute_text;
mod bodies;
pub mod cuda;
mod expression;
mod host;
mod incremental;
pub mod limits;
pub mod lines;
mod lowered;
mod nodes;
pub mod notation;
mod outline;
mod parse_error;
mod pieces;
mod prose;
mod python;
pub mod rust;
pub mod script;
mod syntax;
pub mod tree;
mod unfinished;
mod verbatim;

pub use annotation::{Annotation, AnnotationKind, annotations};
pub use expression::parse_any_expression;
pub use host::Host;
pub use outline::{BranchParts, Part};
pub use parse_error::ParseError;
pub use prose::{SameCode, changed_bytes};
pub use syntax::{Budget, NotParsed, Syntax, SyntaxPieces};
