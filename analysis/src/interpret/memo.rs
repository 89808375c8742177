//! What is kept of an analysis for the next version of the same file.
//!
//! An island (see [`islands`](super::islands)) that comes again with the same texts in the same
//! environment is worth the same. What it is worth is kept with the places of its pieces, and put at
//! the places that they have in the new version.

use std::sync::Arc;

use tree_sitter_cute::limits::SOURCE_BYTES;
use tree_sitter_cute::tree::Span;

use super::Output;
use super::islands::{Island, Islands, Summaries};
use crate::hash::HashMap;
use crate::sources::SourceFile;
use crate::words::WordSet;

/// What was found out about a file, for the analysis of its next version. Copies share it.
///
/// An analysis with a memo of any earlier version, or of another file, gives what one without gives;
/// it only evaluates less.
#[derive(Debug, Clone, Default)]
pub struct Memo {
    islands: Arc<HashMap<u64, Arc<Known>>>,
    evaluated: usize,
    /// What the pieces of the newest version declare and mention, where it was read by pieces.
    pub(super) summaries: Arc<Summaries>,
    /// Whether macros make declarations of the newest version, so that words do not tell them.
    pub(super) is_expanded: bool,
    /// The names that no other file mentions, and a hash that stands for the other files.
    pub(super) unreached: Arc<(u64, WordSet)>,
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

    /// What an island is worth, if that is known.
    pub(super) fn of(
        &self,
        island: &Island,
        islands: &Islands,
        file: &SourceFile,
    ) -> Option<&Arc<Known>> {
        let known = self.islands.get(&island.key)?;
        if let Some(lines) = &known.lines {
            let places = places(island, islands);
            let now = places.iter().chain(&*islands.environment);
            if !now.map(|place| file.line(*place)).eq(lines.iter().copied()) {
                return None;
            }
        }
        Some(known)
    }

    /// Where the string literals of its newest version stand; `None` where `file` is another.
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

    /// Keeps what islands are worth, so many of which were evaluated.
    pub(super) fn keep(&mut self, islands: HashMap<u64, Arc<Known>>, evaluated: usize) {
        self.islands = Arc::new(islands);
        self.evaluated = evaluated;
    }
}

/// What an island is worth.
#[derive(Debug)]
pub(super) struct Known {
    /// Where its pieces stood, in order.
    places: Vec<Span>,
    /// Where those of the environment stood.
    environment: Arc<[Span]>,
    /// The lines on which all of them began, where something of it tells a line.
    lines: Option<Vec<usize>>,
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
        let environment = Arc::clone(&islands.environment);
        let all = places.iter().chain(&*environment);
        Self {
            lines: output
                .names_lines
                .then(|| all.map(|place| file.line(*place)).collect()),
            places,
            environment,
            steps,
            output,
        }
    }

    /// Whether its pieces and those of the environment are those of `islands`.
    pub(super) fn is_at_home(&self, island: &Island, islands: &Islands) -> bool {
        Moves::new(&self.places, &places(island, islands)).is_some()
            && Moves::new(&self.environment, &islands.environment).is_some()
    }
}

/// What an island is worth, and where it stands now.
#[derive(Debug, Clone)]
pub(super) struct Placed {
    known: Arc<Known>,
    /// Where its pieces stand, in order.
    places: Vec<Span>,
    /// Where those of the environment stand.
    environment: Arc<[Span]>,
}

impl Placed {
    /// At its place in `islands`.
    pub(super) fn new(known: &Arc<Known>, island: &Island, islands: &Islands) -> Self {
        Self {
            known: Arc::clone(known),
            places: places(island, islands),
            environment: Arc::clone(&islands.environment),
        }
    }

    /// What it is worth, at the place where that was found out.
    pub(super) fn output(&self) -> &Output {
        &self.known.output
    }

    /// Calls `act` with what says where a byte is now; `None` where it is no more.
    pub(super) fn moved<R>(
        &self,
        act: impl FnOnce(&dyn Fn(usize) -> Option<usize>) -> Option<R>,
    ) -> Option<R> {
        let own = Moves::new(&self.known.places, &self.places)?;
        let others = Moves::new(&self.known.environment, &self.environment)?;
        act(&|byte| {
            // Other files stay where they are.
            if byte > SOURCE_BYTES {
                return Some(byte);
            }
            own.byte(byte).or_else(|| others.byte(byte))
        })
    }
}

/// Where the pieces of an island stand, in order.
fn places(island: &Island, islands: &Islands) -> Vec<Span> {
    let pieces = island.pieces.iter();
    pieces.map(|piece| islands.place(*piece)).collect()
}

/// From where to where pieces moved.
struct Moves<'a> {
    from: &'a [Span],
    to: &'a [Span],
}

impl<'a> Moves<'a> {
    /// `None` where the pieces are not the same.
    fn new(from: &'a [Span], to: &'a [Span]) -> Option<Self> {
        let mut pairs = from.iter().zip(to);
        let same = from.len() == to.len() && pairs.all(|(from, to)| from.len() == to.len());
        same.then_some(Self { from, to })
    }

    fn byte(&self, byte: usize) -> Option<usize> {
        // Most islands are one piece.
        if let ([from], [to]) = (self.from, self.to) {
            let is_inside = from.start <= byte && byte <= from.end;
            return is_inside.then(|| byte - from.start + to.start);
        }
        let index = self.from.partition_point(|place| place.start <= byte);
        let index = index.checked_sub(1)?;
        let (from, to) = (self.from.get(index)?, self.to.get(index)?);
        (byte <= from.end).then(|| byte - from.start + to.start)
    }
}
