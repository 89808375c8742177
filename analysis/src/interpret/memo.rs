//! Results of an analysis kept for the next version of the same file.
//!
//! An island (see [`islands`](super::islands)) that comes again with the same texts in the same environment has the
//! same values. Its values are kept with the places of its pieces, and moved to the places that they have in the new
//! version.

use std::sync::Arc;

use tree_sitter_cute::tree::Span;

use super::islands::{Group, Summaries};
use crate::hash::HashMap;
use crate::output::placed::{GroupValues, Standing};
use crate::sources::SourceFile;
use crate::words::WordSet;

/// Results about a file, for the analysis of its next version. Copies share it.
///
/// An analysis with a memo of any earlier version, or of another file, has the results of one without; it only
/// evaluates less.
#[derive(Debug, Clone, Default)]
pub struct Memo {
    islands: Arc<HashMap<u64, Arc<GroupValues>>>,
    evaluated: usize,
    /// Declarations and mentions of the pieces of the newest version, where it was read by pieces.
    pub(super) summaries: Arc<Summaries>,
    /// Whether macros make declarations of the newest version, so that words do not tell them.
    pub(super) is_expanded: bool,
    /// The names that no other file mentions, and a hash of the other files.
    pub(super) unreached: Arc<(u64, WordSet)>,
}

impl Memo {
    /// Number of groups of declarations that were evaluated for the newest version.
    pub fn evaluated(&self) -> usize {
        self.evaluated
    }

    /// Number of groups of declarations in the newest version.
    pub fn groups(&self) -> usize {
        self.islands.len()
    }

    /// The values of an island at a place, if they are known.
    pub(super) fn of(
        &self,
        island: &Group,
        standing: &Standing,
        file: &SourceFile,
    ) -> Option<&Arc<GroupValues>> {
        let known = self.islands.get(&island.key)?;
        known.tells_lines_of(standing, file).then_some(known)
    }

    /// Places of the string literals of its newest version; `None` where `file` is another.
    pub(crate) fn strings_of(&self, file: &SourceFile) -> Option<Vec<Span>> {
        let pieces = file.syntax()?.pieces()?;
        let mut strings = Vec::new();
        for (index, place) in pieces.places().enumerate() {
            let summary = self.summaries.get(&pieces.key(index))?;
            let at =
                |string: &Span| Span::new(string.start + place.start, string.end + place.start);
            strings.extend(summary.strings.iter().map(at));
        }
        Some(strings)
    }

    /// Keeps the values of islands, `evaluated` of which were evaluated.
    pub(super) fn keep(&mut self, islands: HashMap<u64, Arc<GroupValues>>, evaluated: usize) {
        self.islands = Arc::new(islands);
        self.evaluated = evaluated;
    }
}
