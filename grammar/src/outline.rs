//! The nesting of the pieces of a file: the outline of every host language.

use crate::limits;
use crate::tree::{Ident, Span};

/// A part of a file or namespace, in source order. Pieces are named by their index.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// A part that is parsed separately.
    Piece(usize),
    /// A namespace of C++, a module of Rust.
    Namespace {
        /// `a`, `b` of `namespace a::b`.
        names: Vec<Ident>,
        /// `inline namespace`
        inline: bool,
        /// All of it.
        span: Span,
        /// Its parts.
        parts: Vec<Part>,
    },
    /// An `#if` group.
    Conditional {
        /// From the `#if` to the end of the `#endif`.
        span: Span,
        /// In source order.
        branches: Vec<BranchParts>,
    },
}

/// One branch of an `#if` group.
#[derive(Debug, Clone, PartialEq)]
pub struct BranchParts {
    /// The piece with its condition; `None` for `#else`.
    pub condition: Option<usize>,
    /// Its parts.
    pub parts: Vec<Part>,
}

/// Namespaces and `#if` groups inside one another; deeper ones stay inside their pieces.
pub(crate) const LEVELS: usize = limits::DEPTH / 8;
