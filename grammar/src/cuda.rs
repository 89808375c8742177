//! CUDA C++: a pre-pass, our grammar (`grammar/cuda`), and the lowering to [`tree`](crate::tree).

mod bodies;
mod code;
mod edited;
mod expand;
mod fragment;
mod fragments;
mod given;
mod includes;
mod lower;
mod macros;
mod operand;
mod outline;
mod prepass;
mod replace;
mod surface;
mod tokens;
mod unpaired;

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::LazyLock;

use tree_sitter::{Language, Node, Parser};

use crate::bodies::{Frame, Place};
use crate::lowered::{self, LoweredPiece, LoweredPieces};
use crate::outline::Part;
use crate::parse_error::ParseError;
use crate::pieces::{PieceTexts, Pieces};
use crate::tree::{Comment, Expr, Item, Span, Unit};

pub(crate) use code::Code;
pub use expand::{MacroCall, call_end, only_decorates, replaced};
pub use fragments::Fragments;
pub use includes::includes;
pub use operand::{is_operand, mentions, outer_words};
use outline::Piece;
use prepass::Prepared;
pub use replace::{Macro, Macros};
pub use surface::{Surface, surface};

/// A parsed source. Its declarations are parsed each on its own; versions of a source share those that they have in
/// common, and their lowered items.
#[derive(Debug, Clone)]
pub(crate) struct Source(Pieces<Texts>);

/// The texts of its declarations.
#[derive(Debug)]
struct Texts {
    /// As written.
    source: Box<str>,
    prepared: Prepared,
}

impl Texts {
    fn piece(&self, index: usize) -> Option<&Piece> {
        self.prepared.outline.pieces.get(index)
    }
}

impl PieceTexts for Texts {
    const IS_UNAMBIGUOUS: bool = true;

    fn count(&self) -> usize {
        self.prepared.outline.pieces.len()
    }

    fn parsed(&self, index: usize) -> Cow<'_, [u8]> {
        self.piece(index)
            .map(|piece| self.prepared.text_of(*piece))
            .unwrap_or_default()
    }

    fn written(&self, index: usize) -> &str {
        let piece = self.piece(index);
        piece.map_or("", |piece| piece.span.text(&self.source))
    }

    const BODY: Frame = Frame {
        head: "void x() ",
        tail: "",
    };

    // Behind a directive a line ends.
    const PART: Frame = Frame {
        head: "void x() {",
        tail: "\n}",
    };

    fn skeleton(text: Cow<'_, [u8]>, bodies: impl IntoIterator<Item = Span>) -> Cow<'_, [u8]> {
        crate::bodies::skeleton(text, bodies)
    }

    fn bodies(&self, index: usize, parsed: &[u8]) -> Vec<Place> {
        let is_plain = |piece: &Piece| !piece.is_condition && !piece.is_packed;
        if self.prepared.outline.nests && self.piece(index).is_some_and(is_plain) {
            bodies::bodies(parsed)
        } else {
            Vec::new()
        }
    }

    fn is_same(&self, index: usize, other: &Self, other_index: usize) -> bool {
        let Some((piece, other_piece)) = self.piece(index).zip(other.piece(other_index)) else {
            return false;
        };
        // The source says more than the text that the parser saw.
        piece.is_condition == other_piece.is_condition
            && piece.span.text(&self.source) == other_piece.span.text(&other.source)
            && self.parsed(index) == other.parsed(other_index)
    }

    fn key(&self, index: usize) -> u64 {
        let mut hasher = DefaultHasher::new();
        if let Some(piece) = self.piece(index) {
            piece.is_condition.hash(&mut hasher);
            piece.span.text(&self.source).hash(&mut hasher);
            self.parsed(index).hash(&mut hasher);
        }
        hasher.finish()
    }
}

impl Source {
    /// Parses `text`, with the parts that it shares with `old`; `None` when `goes_on` said stop.
    pub(crate) fn parse(
        text: &str,
        old: Option<&Self>,
        goes_on: impl FnMut() -> bool,
    ) -> Option<Self> {
        let old = old.map(|old| &old.0);
        let again = old.and_then(|old| {
            let before = old.texts();
            edited::prepared_again(&before.source, &before.prepared, text)
        });
        let texts = Texts {
            source: text.into(),
            prepared: again.unwrap_or_else(|| prepass::prepare(text)),
        };
        Pieces::parse(&mut parser()?, texts, old, goes_on).map(Self)
    }

    /// Lowers the source; `text` is the text that was parsed. Later versions share the items that it `keeps`.
    pub(crate) fn lower(&self, text: &str, keeps: bool) -> Unit {
        self.lower_wanted(text, keeps, &|_| true)
    }

    /// Lowers the source, and leaves out the pieces that are not `wanted`.
    pub(crate) fn lower_wanted(
        &self,
        text: &str,
        keeps: bool,
        wanted: &dyn Fn(usize) -> bool,
    ) -> Unit {
        let prepared = &self.0.texts().prepared;
        let pieces = Lowered {
            source: self,
            text,
            keeps,
            wanted,
        };
        let outline = &prepared.outline;
        let mut unit = lowered::file(&outline.parts, &pieces, prepared.comments.clone());
        unit.pieces = outline.pieces.iter().map(|piece| piece.span).collect();
        unit.errors.extend_from_slice(&prepared.unpaired);
        unit.errors.sort_unstable();
        unit
    }

    /// The comments of the source.
    pub(crate) fn comments(&self) -> &[Comment] {
        &self.0.texts().prepared.comments
    }

    /// The nesting of its pieces.
    pub(crate) fn parts(&self) -> &[Part] {
        &self.0.texts().prepared.outline.parts
    }

    /// The positions of its pieces.
    pub(crate) fn places(&self) -> impl Iterator<Item = Span> + '_ {
        let outline = &self.0.texts().prepared.outline;
        outline.pieces.iter().map(|piece| piece.span)
    }

    /// Whether a piece is the line of an `#if`.
    pub(crate) fn is_condition(&self, index: usize) -> bool {
        let piece = self.0.texts().piece(index);
        piece.is_some_and(|piece| piece.is_condition)
    }

    /// A key of the text of a piece and of the text that the parser saw.
    pub(crate) fn key(&self, index: usize) -> u64 {
        self.0.key(index)
    }

    /// The items of a piece; their spans count from its start. `text` is the text that was parsed.
    pub(crate) fn items_of(&self, index: usize, text: &str) -> Option<Cow<'_, [Item]>> {
        Some(match self.lowered(index, text, true)? {
            Cow::Borrowed(piece) => Cow::Borrowed(&piece.items),
            Cow::Owned(piece) => Cow::Owned(piece.items),
        })
    }

    fn lowered(&self, index: usize, text: &str, keeps: bool) -> Option<Cow<'_, LoweredPiece>> {
        let texts = self.0.texts();
        let piece = texts.piece(index)?;
        self.0.lowered(index, keeps, |tree, bodies| {
            lower::lower_piece(tree, piece.span.text(text), &texts.parsed(index), bodies)
        })
    }
}

/// The lowered declarations of a source and its text.
struct Lowered<'s> {
    source: &'s Source,
    text: &'s str,
    keeps: bool,
    wanted: &'s dyn Fn(usize) -> bool,
}

impl LoweredPieces for Lowered<'_> {
    fn is_wanted(&self, index: usize) -> bool {
        (self.wanted)(index) || self.source.is_condition(index)
    }

    fn lowered_piece(&self, index: usize) -> Option<(Span, Cow<'_, LoweredPiece>)> {
        let piece = self.source.0.texts().piece(index)?;
        let lowered = self.source.lowered(index, self.text, self.keeps)?;
        Some((piece.span, lowered))
    }
}

/// `text` as the parser sees it, equally long: comments and mere decorations are blank.
///
/// ```
/// # use tree_sitter_cute::cuda;
/// let seen = cuda::prepared("MY_DEVICE void f(); // (M,N)");
/// assert_eq!(seen, b"          void f();         ");
/// ```
pub fn prepared(text: &str) -> Vec<u8> {
    prepass::prepare(text).text
}

/// Reads one C++ expression or type, as typed on a command line. Spans are byte offsets in `text`.
///
/// # Errors
/// The first place that does not fit.
///
/// ```
/// # use tree_sitter_cute::{cuda, tree::ExprKind};
/// let layout = cuda::parse_expression("make_layout(Shape<_4,_8>{})").unwrap();
/// assert!(matches!(layout.kind, ExprKind::Call(..)));
/// assert!(cuda::parse_expression("make_layout(").is_err());
/// ```
pub fn parse_expression(text: &str) -> Result<Expr, ParseError> {
    fragment::expression(text)
}

static LANGUAGE: LazyLock<Language> = LazyLock::new(|| tree_sitter_cute_cuda::LANGUAGE.into());

/// A parser of the CUDA grammar; `None` only if the linked grammar is incompatible.
pub(crate) fn parser() -> Option<Parser> {
    let mut parser = Parser::new();
    parser.set_language(&LANGUAGE).ok()?;
    Some(parser)
}

/// The grammar's name for the kind of `node`; unlike `Node::kind` it outlives the tree.
fn kind_of(node: Node<'_>) -> &'static str {
    LANGUAGE.node_kind_for_id(node.kind_id()).unwrap_or("node")
}
