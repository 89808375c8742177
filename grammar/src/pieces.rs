//! The pieces of a file, parsed each on its own: versions of a file share those that they have in common, and their
//! lowered items.
//!
//! The result for a piece depends on its text alone.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use tree_sitter::{Parser, Tree};

use crate::bodies::{self, Frame, Manner, PieceText, Place, PlacedBody};
use crate::incremental::parse_edited;
use crate::lowered::LoweredPiece;
use crate::tree::Span;

/// The texts of the pieces of one version of a file.
pub(crate) trait PieceTexts {
    /// Whether a tree without errors depends on the text alone, so that a piece may be parsed from the tree of its text
    /// before an edit. Where a grammar is ambiguous, the reused nodes decide between the readings.
    const IS_UNAMBIGUOUS: bool;

    /// Number of pieces.
    fn count(&self) -> usize;

    /// The text of one piece as the parser sees it.
    fn parsed(&self, index: usize) -> Cow<'_, [u8]>;

    /// The text of one piece as it is written.
    fn written(&self, index: usize) -> &str;

    /// The frame of a body that is parsed apart.
    const BODY: Frame;

    /// The frame of a part of such a body.
    const PART: Frame;

    /// The text of a piece without the bodies that are parsed apart. Lines stay as they are.
    fn skeleton(text: Cow<'_, [u8]>, bodies: impl IntoIterator<Item = Span>) -> Cow<'_, [u8]>;

    /// The bodies in one piece that are parsed apart, and their parts; `parsed` is its text as the parser sees it.
    fn bodies(&self, _index: usize, _parsed: &[u8]) -> Vec<Place> {
        Vec::new()
    }

    /// Whether a piece says the same as one of another version.
    fn is_same(&self, index: usize, other: &Self, other_index: usize) -> bool;

    /// A key of the text of a piece: pieces of one key have the same text.
    fn key(&self, index: usize) -> u64;
}

/// A parsed piece.
#[derive(Debug)]
struct Piece {
    /// The tree of its text without the bodies that are parsed apart.
    tree: Tree,
    bodies: Vec<PlacedBody>,
    /// Filled when it is first lowered.
    lowered: OnceLock<LoweredPiece>,
    /// Filled when it is first requested.
    key: OnceLock<u64>,
}

impl Piece {
    /// Parses a piece, with what it shares with its text and tree before an edit; `None` when `goes_on` said stop.
    fn parse<T: PieceTexts>(
        parser: &mut Parser,
        texts: &T,
        index: usize,
        old: Option<(Cow<'_, [u8]>, &Self)>,
        goes_on: &mut impl FnMut() -> bool,
    ) -> Option<Self> {
        let parsed = texts.parsed(index);
        let places = texts.bodies(index, &parsed);
        let (before, old_bodies) = match old {
            Some((text, old)) => {
                let blank = old.bodies.iter().map(|body| body.place.within);
                (Some((T::skeleton(text, blank), &old.tree)), &*old.bodies)
            }
            None => (None, &[] as &[PlacedBody]),
        };
        let before = before
            .as_ref()
            .filter(|_| T::IS_UNAMBIGUOUS)
            .map(|(text, tree)| (&**text, *tree));
        let around = T::skeleton(Cow::Borrowed(&*parsed), places.iter().map(|it| it.within));
        let tree = parse_edited(parser, &around, before, goes_on)?;
        let text = PieceText {
            source: texts.written(index),
            parsed: &parsed,
        };
        let manner = Manner {
            whole: T::BODY,
            part: T::PART,
            from_tree: T::IS_UNAMBIGUOUS,
        };
        Some(Self {
            tree,
            bodies: bodies::parse(parser, manner, text, &places, old_bodies, goes_on)?,
            lowered: OnceLock::new(),
            key: OnceLock::new(),
        })
    }
}

/// The parsed pieces of one version of a file.
#[derive(Debug)]
pub(crate) struct Pieces<T> {
    texts: Arc<T>,
    pieces: Vec<Arc<Piece>>,
}

impl<T> Clone for Pieces<T> {
    fn clone(&self) -> Self {
        Self {
            texts: Arc::clone(&self.texts),
            pieces: self.pieces.clone(),
        }
    }
}

impl<T: PieceTexts> Pieces<T> {
    /// Parses the pieces of `texts`, with the pieces that they share with `old`; `None` when `goes_on` said stop.
    pub(crate) fn parse(
        parser: &mut Parser,
        texts: T,
        old: Option<&Self>,
        mut goes_on: impl FnMut() -> bool,
    ) -> Option<Self> {
        let count = texts.count();
        let old_count = old.map_or(0, |old| old.pieces.len());
        let (before, after) = old.map_or((0, 0), |old| old.shared_with(&texts));
        // The edited pieces can be paired with their earlier texts where their number is the same.
        let paired = old.filter(|_| old_count == count);
        let mut pieces = Vec::with_capacity(count);
        for index in 0..count {
            // A short piece is parsed before the parser asks.
            if !goes_on() {
                return None;
            }
            let same = if index < before {
                Some(index)
            } else if index + after >= count {
                (index + old_count).checked_sub(count)
            } else {
                None
            };
            if let Some(piece) = same.and_then(|same| old?.pieces.get(same)) {
                pieces.push(Arc::clone(piece));
                continue;
            }
            let edited =
                paired.and_then(|old| Some((old.texts.parsed(index), &**old.pieces.get(index)?)));
            let piece = Piece::parse(parser, &texts, index, edited, &mut goes_on)?;
            pieces.push(Arc::new(piece));
        }
        Some(Self {
            texts: Arc::new(texts),
            pieces,
        })
    }

    /// Numbers of pieces of `texts` that are the same as here from the front and, of the others, from the back.
    fn shared_with(&self, texts: &T) -> (usize, usize) {
        let (ours, theirs) = (self.pieces.len(), texts.count());
        let most = ours.min(theirs);
        let before = (0..most)
            .take_while(|index| texts.is_same(*index, &self.texts, *index))
            .count();
        let after = (1..=most - before)
            .take_while(|back| texts.is_same(theirs - back, &self.texts, ours - back))
            .count();
        (before, after)
    }

    /// A key of the text of a piece; 0 for none.
    pub(crate) fn key(&self, index: usize) -> u64 {
        let piece = self.pieces.get(index);
        piece.map_or(0, |piece| *piece.key.get_or_init(|| self.texts.key(index)))
    }

    /// The texts of the pieces.
    pub(crate) fn texts(&self) -> &T {
        &self.texts
    }

    /// A piece as it was lowered; `lower` does it where no one did, and where it `keeps` that, later
    /// versions have it.
    pub(crate) fn lowered(
        &self,
        index: usize,
        keeps: bool,
        lower: impl FnOnce(&Tree, &[PlacedBody]) -> LoweredPiece,
    ) -> Option<Cow<'_, LoweredPiece>> {
        let piece = self.pieces.get(index)?;
        let lower = || lower(&piece.tree, &piece.bodies);
        Some(match piece.lowered.get() {
            Some(known) => Cow::Borrowed(known),
            None if keeps => Cow::Borrowed(piece.lowered.get_or_init(lower)),
            None => Cow::Owned(lower()),
        })
    }
}
