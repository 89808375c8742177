//! The names that a file may declare, for the look-up of a name: most headers of a library declare nothing that a
//! source uses, and need not be parsed.

use tree_sitter_cute::cuda;
use tree_sitter_cute::tree::{Include, Span};

use crate::words::{Word, WordSet, word_of};

/// The names that a file may declare, and its includes.
#[derive(Debug)]
pub struct Surface {
    includes: Vec<(Include, bool)>,
    /// The names that it may declare outside of bodies, macros included.
    declared: WordSet,
    /// The macros that it defines or takes back.
    macros: Vec<Word>,
    /// The words of its `#if`s.
    conditions: Vec<Word>,
    is_whole: bool,
}

impl Surface {
    pub(crate) fn of(text: &str) -> Self {
        let found = cuda::surface(text);
        let word = |span: &Span| word_of(span.text(text).as_bytes());
        let macros: Vec<Word> = found.macros.iter().map(word).collect();
        let words = found.words.iter().map(word);
        let mut conditions: Vec<Word> = found.conditions.iter().map(word).collect();
        conditions.sort_unstable();
        conditions.dedup();
        Self {
            includes: found.includes,
            declared: words.chain(macros.iter().copied()).collect(),
            macros,
            conditions,
            is_whole: found.is_whole,
        }
    }

    /// The `#include` lines in order, those in branches of `#if` too.
    pub fn includes(&self) -> impl Iterator<Item = &Include> {
        self.includes.iter().map(|(include, _)| include)
    }

    /// Those that are in no branch, and those that are.
    pub(crate) fn includes_by_branch(&self) -> impl Iterator<Item = (&Include, bool)> {
        self.includes
            .iter()
            .map(|(include, within)| (include, *within))
    }

    /// Whether the file may declare a name.
    pub(crate) fn may_declare(&self, name: Word) -> bool {
        !self.is_whole || self.declared.contains(&name)
    }

    /// The macros that the file defines or takes back.
    pub(crate) fn macros(&self) -> &[Word] {
        &self.macros
    }

    /// The words of the conditions of its `#if`s.
    pub(crate) fn conditions(&self) -> &[Word] {
        &self.conditions
    }

    /// Whether the surface shows all that the file may declare.
    pub(crate) fn is_whole(&self) -> bool {
        self.is_whole
    }
}
