//! Rust: an outline of the file, tree-sitter's Rust grammar, and the lowering to
//! [`tree`](crate::tree).
//!
//! What the tree of a Rust source says in the words of the others:
//!
//! | Rust | tree |
//! |---|---|
//! | the value of a block, `{ a; b }` | a `return`; a block that is a value is a lambda, called |
//! | `let x`, `let mut x` | a binding, with `constant` unless it is `mut` |
//! | `const`, `static` | `constexpr`, `is_static` |
//! | generic and const parameters | template parameters |
//! | `&x` | `x`; `&mut x` takes the address |
//! | `f::<4>()`, `x.f::<4>()`, `L<A, B>` | a name with arguments |
//! | `use a::{b, c as d, e::*}` | three [`Using`](crate::tree::Using) items |
//! | `match` | `switch`, the names of a pattern bound in the arm |
//! | `mod a { .. }` | a namespace |

mod fragment;
mod lower;
mod outline;
mod scan;

use std::borrow::Cow;
use std::sync::LazyLock;

use tree_sitter::{Language, Node, Parser};

use crate::lowered::{self, LoweredPiece, LoweredPieces};
use crate::parse_error::ParseError;
use crate::pieces::{PieceTexts, Pieces};
use crate::tree::{Expr, Span, Unit};
use outline::Outline;

/// Reads one Rust expression, as typed on a command line. Spans are byte offsets in `text`.
///
/// # Errors
/// The first place that does not fit.
///
/// ```
/// # use tree_sitter_cute::{rust, tree::ExprKind};
/// let tiles = rust::parse_expression("a.zipped_divide::<4>()").unwrap();
/// assert!(matches!(tiles.kind, ExprKind::Call(..)));
/// assert!(rust::parse_expression("composition(&a,").is_err());
/// ```
pub fn parse_expression(text: &str) -> Result<Expr, ParseError> {
    fragment::expression(text)
}

static LANGUAGE: LazyLock<Language> = LazyLock::new(|| tree_sitter_rust::LANGUAGE.into());

/// A parser of the Rust grammar; `None` only if the linked grammar is incompatible.
fn parser() -> Option<Parser> {
    let mut parser = Parser::new();
    parser.set_language(&LANGUAGE).ok()?;
    Some(parser)
}

/// The grammar's name for what `node` is; unlike `Node::kind` it outlives the tree.
fn kind_of(node: Node<'_>) -> &'static str {
    LANGUAGE.node_kind_for_id(node.kind_id()).unwrap_or("node")
}

/// A parsed source. Its items are parsed each on its own; versions of a source share those that they
/// have in common, and what those were lowered to.
#[derive(Debug, Clone)]
pub(crate) struct Source(Pieces<Texts>);

/// What its items say.
#[derive(Debug)]
struct Texts {
    source: Box<str>,
    outline: Outline,
}

impl Texts {
    fn piece(&self, index: usize) -> Option<&str> {
        let span = self.outline.pieces.get(index)?;
        Some(span.text(&self.source))
    }
}

impl PieceTexts for Texts {
    const IS_UNAMBIGUOUS: bool = true;

    fn count(&self) -> usize {
        self.outline.pieces.len()
    }

    fn parsed(&self, index: usize) -> Cow<'_, [u8]> {
        Cow::Borrowed(self.piece(index).unwrap_or_default().as_bytes())
    }

    fn is_same(&self, index: usize, other: &Self, other_index: usize) -> bool {
        self.piece(index) == other.piece(other_index)
    }
}

impl Source {
    /// Parses `text`, with what it shares with `old`; `None` when `goes_on` said stop.
    pub(crate) fn parse(
        text: &str,
        old: Option<&Self>,
        goes_on: impl FnMut() -> bool,
    ) -> Option<Self> {
        let texts = Texts {
            source: text.into(),
            outline: outline::outline(text),
        };
        let old = old.map(|old| &old.0);
        Pieces::parse(&mut parser()?, texts, old, goes_on).map(Self)
    }

    /// Lowers the source; `text` is the text that was parsed.
    pub(crate) fn lower(&self, text: &str) -> Unit {
        let outline = &self.0.texts().outline;
        let pieces = Lowered { source: self, text };
        lowered::file(&outline.parts, &pieces, outline.comments.clone())
    }
}

/// The lowered items of a source and its text.
struct Lowered<'s> {
    source: &'s Source,
    text: &'s str,
}

impl LoweredPieces for Lowered<'_> {
    fn lowered_piece(&self, index: usize) -> Option<(Span, &LoweredPiece)> {
        let pieces = &self.source.0;
        let span = pieces.texts().outline.pieces.get(index)?;
        let text = span.text(self.text);
        let lowered = pieces.lowered(index, |tree| lower::lower_piece(tree, text))?;
        Some((*span, lowered))
    }
}
