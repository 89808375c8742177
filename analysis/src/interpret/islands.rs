//! Islands: the declarations of a file in groups that cannot see one another.
//!
//! A keystroke changes one declaration. The declarations that may have other values then are those that mention it,
//! those that mention these in turn, and all that any of them instantiates: an *island*, the declarations that are
//! connected by names. An island is evaluated as if it were alone with the environment (`#include`, `#define`, `using`,
//! the namespaces, the options of the analysis), so its values depend on the texts of its pieces and on the
//! environment, and on nothing else. So [`Memo`](super::memo::Memo) is right: an island of the same texts in the same
//! environment is not evaluated again, only put at its new place.
//!
//! Mentioning is judged by words: every identifier in the text of a piece counts, in comments and
//! under other meanings too. So islands are sometimes larger than need be, and never too small:
//!
//! - the words of a macro's replacement count where the macro is used;
//! - functions of one name, and a class with its members defined apart, share a name and an island;
//! - operators are called without being named, macros that paste words (`##`) hide them, and another file may mention
//!   declarations of this one. [`Islands::of`] then returns `None`, and the file is evaluated as a whole.
//!
//! A *piece* is a part that the grammar parses separately ([`Unit::pieces`](tree_sitter_cute::tree::Unit::pieces)):
//! usually one declaration.

use std::sync::Arc;

use tree_sitter_cute::tree::Span;

use super::pieces::Reader;
use super::program::Program;
use super::summary::Summary;
use crate::directive::Directive;
use crate::options::Options;
use crate::output::placed::Standing;
use crate::sources::SourceFile;
use crate::words::WordMap;

/// Declarations and mentions of pieces, by their keys.
pub(super) type Summaries = WordMap<Arc<Summary>>;

/// A group of declarations that mention each other.
#[derive(Debug)]
pub(super) struct Group {
    /// The pieces, by index in the file.
    pub(super) pieces: Vec<usize>,
    /// Hash of their texts, of the scopes around them, and of the environment.
    pub(super) key: u64,
}

/// The islands of a file, in the order of their first pieces.
#[derive(Debug)]
pub(super) struct Islands {
    pub(super) all: Vec<Group>,
    /// Places of the pieces that belong to the environment.
    pub(super) environment: Arc<[Span]>,
    /// The island of each piece that is in one.
    pub(super) of_piece: Vec<Option<usize>>,
    pub(super) pieces: Vec<Span>,
}

impl Islands {
    /// The islands of the root file of a program; `None` where it has to be evaluated as a whole.
    pub(super) fn of(
        focus: &SourceFile,
        program: &Program<'_>,
        directives: &[Directive],
        options: &Options,
    ) -> Option<Self> {
        let mut reader = Reader::of_unit(focus)?;
        for found in &program.functions {
            if focus.contains(found.function.name.span) {
                reader.declare(&found.function.name.name, found.function.name.span)?;
            }
        }
        let declared = reader.declared();
        let is_reached = |file: &&SourceFile| {
            let names = file.names();
            names.pastes || declared.keys().any(|word| names.mentioned.contains(word))
        };
        if others(focus, program).any(|file| is_reached(&file)) {
            return None;
        }
        let groups = reader.groups(&declared);
        reader.islands(groups, focus, program, directives, options)
    }

    /// The island that a place of the file is in.
    pub(super) fn of_place(&self, place: Span) -> Option<usize> {
        *self.of_piece.get(piece_at(&self.pieces, place)?)?
    }

    /// The place of a piece.
    pub(super) fn place(&self, piece: usize) -> Span {
        self.pieces.get(piece).copied().unwrap_or_default()
    }

    /// The places of the pieces of an island and of the environment.
    pub(super) fn standing(&self, island: &Group) -> Standing {
        let pieces = island.pieces.iter();
        Standing {
            pieces: pieces.map(|piece| self.place(*piece)).collect(),
            environment: Arc::clone(&self.environment),
        }
    }
}

/// The files of a program besides its root.
pub(super) fn others<'p, 'u>(
    focus: &'p SourceFile,
    program: &'p Program<'u>,
) -> impl Iterator<Item = &'u SourceFile> + 'p {
    let files = program.files();
    files.filter(move |file| !std::ptr::eq(*file, focus))
}

/// The piece in which a span starts.
pub(super) fn piece_at(pieces: &[Span], span: Span) -> Option<usize> {
    let index = pieces.partition_point(|piece| piece.start <= span.start);
    let index = index.checked_sub(1)?;
    let piece = pieces.get(index)?;
    (span.start < piece.end).then_some(index)
}

/// Disjoint groups of numbers.
#[derive(Debug, Clone)]
pub(super) struct Groups(Vec<usize>);

impl Groups {
    /// Each number by itself.
    pub(super) fn of(count: usize) -> Self {
        Self((0..count).collect())
    }

    /// The number that identifies a group: its smallest.
    pub(super) fn root(&mut self, number: usize) -> usize {
        let mut at = number;
        while let Some(parent) = self.0.get(at).copied()
            && parent != at
        {
            let above = self.0.get(parent).copied().unwrap_or(parent);
            if let Some(slot) = self.0.get_mut(at) {
                *slot = above;
            }
            at = above;
        }
        at
    }

    pub(super) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        if let Some(slot) = self.0.get_mut(a.max(b)) {
            *slot = a.min(b);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_numbers_have_one_root() {
        let mut groups = Groups::of(6);
        groups.join(4, 2);
        groups.join(2, 5);
        groups.join(0, 1);
        let roots: Vec<usize> = (0..6).map(|number| groups.root(number)).collect();
        assert_eq!(roots, [0, 0, 2, 3, 2, 2]);
    }
}
