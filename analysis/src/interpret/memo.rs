//! What is kept of an analysis for the next version of the same file.
//!
//! An island (see [`islands`](super::islands)) that comes again with the same texts in the same
//! environment is worth the same. What it is worth is kept with the places of its pieces, and put at
//! the places that they have in the new version.

use std::sync::Arc;

use tree_sitter_cute::limits::SOURCE_BYTES;
use tree_sitter_cute::tree::Span;

use super::Output;
use super::islands::{Island, Islands};
use crate::hash::HashMap;
use crate::sources::SourceFile;

/// What was found out about a file, for the analysis of its next version. Copies share it.
///
/// An analysis with a memo of any earlier version, or of another file, gives what one without gives;
/// it only evaluates less.
#[derive(Debug, Clone, Default)]
pub struct Memo {
    islands: HashMap<u64, Arc<Known>>,
    evaluated: usize,
}

impl Memo {
    /// How many groups of declarations were evaluated for the newest version.
    pub fn evaluated(&self) -> usize {
        self.evaluated
    }

    /// How many groups of declarations the newest version has.
    pub fn groups(&self) -> usize {
        self.islands.len()
    }

    /// What an island is worth, at its place in `file`, if it is known and was found out in no more
    /// than `steps`; with the steps that it took.
    pub(super) fn of(
        &self,
        island: &Island,
        islands: &Islands,
        file: &SourceFile,
        steps: usize,
    ) -> Option<(Arc<Known>, Output)> {
        let known = self.islands.get(&island.key)?;
        if known.steps > steps {
            return None;
        }
        let places = places(island, islands);
        if known.names_lines {
            let lines = places.iter().map(|place| file.line(*place));
            if !lines.eq(known.lines.iter().copied()) {
                return None;
            }
        }
        let moves = Moves::new(&known.places, &places, island.pieces.len())?;
        let output = known.output.clone();
        Some((Arc::clone(known), output.moved(&|byte| moves.byte(byte))?))
    }

    /// Keeps what an island is worth.
    pub(super) fn keep(&mut self, key: u64, known: Arc<Known>, evaluated: bool) {
        self.evaluated += usize::from(evaluated);
        self.islands.insert(key, known);
    }
}

/// What an island is worth.
#[derive(Debug)]
pub(super) struct Known {
    /// Where its pieces and those of the environment stood, in order.
    places: Vec<Span>,
    /// The lines on which they began.
    lines: Vec<usize>,
    /// Whether something of it tells a line.
    names_lines: bool,
    /// The steps that it took.
    pub(super) steps: usize,
    output: Output,
}

impl Known {
    /// Notes an island that was just evaluated.
    pub(super) fn new(
        island: &Island,
        islands: &Islands,
        file: &SourceFile,
        steps: usize,
        output: Output,
    ) -> Self {
        let places = places(island, islands);
        Self {
            lines: places.iter().map(|place| file.line(*place)).collect(),
            names_lines: output.names_lines,
            places,
            steps,
            output,
        }
    }
}

/// Where the pieces of an island stand, in order, and behind them those of the environment.
fn places(island: &Island, islands: &Islands) -> Vec<Span> {
    let pieces = island.pieces.iter().chain(&islands.environment);
    pieces.map(|piece| islands.place(*piece)).collect()
}

/// From where to where pieces moved.
struct Moves<'a> {
    from: &'a [Span],
    to: &'a [Span],
    /// How many of them are the island's own; the others are the environment's.
    own: usize,
}

impl<'a> Moves<'a> {
    /// `None` where the pieces are not the same.
    fn new(from: &'a [Span], to: &'a [Span], own: usize) -> Option<Self> {
        let mut pairs = from.iter().zip(to);
        let same = from.len() == to.len() && pairs.all(|(from, to)| from.len() == to.len());
        same.then_some(Self { from, to, own })
    }

    fn byte(&self, byte: usize) -> Option<usize> {
        // Other files stay where they are.
        if byte > SOURCE_BYTES {
            return Some(byte);
        }
        let (own, others) = self.from.split_at_checked(self.own)?;
        let at = |places: &[Span]| {
            let index = places.partition_point(|place| place.start <= byte);
            let index = index.checked_sub(1)?;
            (byte <= places.get(index)?.end).then_some(index)
        };
        let index = at(own).or_else(|| Some(at(others)? + self.own))?;
        let (from, to) = (self.from.get(index)?, self.to.get(index)?);
        Some(byte - from.start + to.start)
    }
}
