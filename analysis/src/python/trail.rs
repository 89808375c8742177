//! The statements that an error has ended.

use tree_sitter_cute::tree::Span;

/// Statements around an error that are looked at.
pub(super) const STATEMENTS: usize = 12;

/// The statements that an error has ended, the innermost first, by the files: of an assertion its test, of a block its head.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Trail {
    pub(super) parts: Vec<(usize, Span)>,
    /// Whether the error is about a member of `None`.
    pub(super) is_of_none: bool,
}

impl Trail {
    /// Adds a statement of a file.
    pub(super) fn push(&mut self, file: usize, place: Span) {
        if self.parts.len() < STATEMENTS {
            self.parts.push((file, place));
        }
    }

    pub(super) fn clear(&mut self) {
        self.parts.clear();
    }

    /// The place of the error.
    pub(super) fn place(&self) -> Option<(usize, Span)> {
        self.parts.first().copied()
    }
}
