//! How the pieces of a file nest: what every host language's outline is made of.

use crate::limits;
use crate::tree::{Ident, Span};

/// A part of a file or namespace, in source order. Pieces are named by their index.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Part {
    /// What is parsed on its own.
    Piece(usize),
    /// A namespace of C++, a module of Rust.
    Namespace {
        names: Vec<Ident>,
        inline: bool,
        span: Span,
        parts: Vec<Part>,
    },
    /// An `#if` group.
    Conditional {
        span: Span,
        branches: Vec<BranchParts>,
    },
}

/// One branch of an `#if` group.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BranchParts {
    /// The piece with its condition; `None` for `#else`.
    pub(crate) condition: Option<usize>,
    pub(crate) parts: Vec<Part>,
}

/// Namespaces and `#if` groups inside one another; deeper ones stay inside their pieces.
pub(crate) const LEVELS: usize = limits::DEPTH / 8;
