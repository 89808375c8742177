//! Sources whose pieces the parser sees as they are: nothing is prepared, nothing blanked.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::marker::PhantomData;

use tree_sitter::{Parser, Tree};

use crate::bodies::{Frame, Place, PlacedBody};
use crate::lowered::{self, LoweredPiece, LoweredPieces};
use crate::outline::Part;
use crate::pieces::{PieceTexts, Pieces};
use crate::tree::{Comment, Span, Unit};

/// A language that is parsed as it is written.
pub(crate) trait Verbatim: Sized {
    /// [`PieceTexts::IS_UNAMBIGUOUS`].
    const IS_UNAMBIGUOUS: bool;

    /// A parser of its grammar; `None` only if the linked grammar is incompatible.
    fn parser() -> Option<Parser>;

    /// The division of `source` into pieces.
    fn outline(source: &str) -> Outline;

    /// One piece, whose text is `text`; `tree` is that of the piece without `bodies`.
    fn lower_piece(tree: &Tree, text: &str, bodies: &[PlacedBody]) -> LoweredPiece;

    /// The head of a body that is parsed apart.
    const HEAD: &'static str = "";

    /// [`PieceTexts::bodies`].
    fn bodies(_piece: &str) -> Vec<Span> {
        Vec::new()
    }

    /// [`PieceTexts::skeleton`].
    fn skeleton(text: Cow<'_, [u8]>, _bodies: impl IntoIterator<Item = Span>) -> Cow<'_, [u8]> {
        text
    }
}

/// A file's pieces and how they nest.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Outline {
    /// The position of each piece.
    pub(crate) pieces: Vec<Span>,
    pub(crate) parts: Vec<Part>,
    /// All comments of the file.
    pub(crate) comments: Vec<Comment>,
}

/// A parsed source. Its pieces are parsed each on its own; versions of a source share those that they have in common,
/// and their lowered items.
#[derive(Debug)]
pub(crate) struct Source<L>(Pieces<Texts<L>>);

impl<L> Clone for Source<L> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

/// The texts of the pieces.
#[derive(Debug)]
struct Texts<L> {
    source: Box<str>,
    outline: Outline,
    language: PhantomData<fn() -> L>,
}

impl<L> Texts<L> {
    fn piece(&self, index: usize) -> Option<&str> {
        let span = self.outline.pieces.get(index)?;
        Some(span.text(&self.source))
    }
}

impl<L: Verbatim> PieceTexts for Texts<L> {
    const IS_UNAMBIGUOUS: bool = L::IS_UNAMBIGUOUS;

    const BODY: Frame = Frame {
        head: L::HEAD,
        tail: "",
    };

    // Bodies have no parts.
    const PART: Frame = Self::BODY;

    fn skeleton(text: Cow<'_, [u8]>, bodies: impl IntoIterator<Item = Span>) -> Cow<'_, [u8]> {
        L::skeleton(text, bodies)
    }

    fn bodies(&self, index: usize, _: &[u8]) -> Vec<Place> {
        let bodies = self.piece(index).map(L::bodies).unwrap_or_default();
        bodies.into_iter().map(Place::whole).collect()
    }

    fn count(&self) -> usize {
        self.outline.pieces.len()
    }

    fn written(&self, index: usize) -> &str {
        self.piece(index).unwrap_or_default()
    }

    fn parsed(&self, index: usize) -> Cow<'_, [u8]> {
        Cow::Borrowed(self.piece(index).unwrap_or_default().as_bytes())
    }

    fn is_same(&self, index: usize, other: &Self, other_index: usize) -> bool {
        self.piece(index) == other.piece(other_index)
    }

    fn key(&self, index: usize) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.piece(index).hash(&mut hasher);
        hasher.finish()
    }
}

impl<L: Verbatim> Source<L> {
    /// The comments of the source.
    pub(crate) fn comments(&self) -> &[Comment] {
        &self.0.texts().outline.comments
    }

    /// Parses `text`, with the parts that it shares with `old`; `None` when `goes_on` said stop.
    pub(crate) fn parse(
        text: &str,
        old: Option<&Self>,
        goes_on: impl FnMut() -> bool,
    ) -> Option<Self> {
        let texts = Texts {
            source: text.into(),
            outline: L::outline(text),
            language: PhantomData,
        };
        let old = old.map(|old| &old.0);
        Pieces::parse(&mut L::parser()?, texts, old, goes_on).map(Self)
    }

    /// Lowers the source; `text` is the text that was parsed. Later versions share the items that it `keeps`.
    pub(crate) fn lower(&self, text: &str, keeps: bool) -> Unit {
        let outline = &self.0.texts().outline;
        let pieces = Lowered {
            source: self,
            text,
            keeps,
        };
        lowered::file(&outline.parts, &pieces, outline.comments.clone())
    }
}

/// The lowered pieces of a source and its text.
struct Lowered<'s, L> {
    source: &'s Source<L>,
    text: &'s str,
    keeps: bool,
}

impl<L: Verbatim> LoweredPieces for Lowered<'_, L> {
    fn lowered_piece(&self, index: usize) -> Option<(Span, Cow<'_, LoweredPiece>)> {
        let pieces = &self.source.0;
        let span = pieces.texts().outline.pieces.get(index)?;
        let text = span.text(self.text);
        let lowered = pieces.lowered(index, self.keeps, |tree, bodies| {
            L::lower_piece(tree, text, bodies)
        })?;
        Some((*span, lowered))
    }
}
