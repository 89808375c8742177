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

use std::sync::{Arc, LazyLock, OnceLock};

use tree_sitter::{Language, Node, Parser, Tree};

use crate::incremental::parse_edited;
use crate::lowered::LoweredPiece;
use crate::parse_error::ParseError;
use crate::tree::{Expr, Unit};
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
pub(crate) struct Source {
    text: Arc<str>,
    outline: Arc<Outline>,
    /// One for each piece of the outline.
    pieces: Vec<Piece>,
}

/// A parsed item.
#[derive(Debug, Clone)]
struct Piece {
    tree: Tree,
    /// Filled when it is first lowered.
    lowered: Arc<OnceLock<LoweredPiece>>,
}

impl Source {
    /// Parses `text`, with what it shares with `old`; `None` when `goes_on` said stop. What comes out
    /// for an item depends on its text alone.
    pub(crate) fn parse(
        text: &str,
        old: Option<&Self>,
        mut goes_on: impl FnMut() -> bool,
    ) -> Option<Self> {
        let outline = outline::outline(text);
        let mut parser = parser()?;
        let old_count = old.map_or(0, |old| old.pieces.len());
        let count = outline.pieces.len();
        let piece_text = |index: usize| outline.pieces.get(index).map(|span| span.text(text));
        let (before, after) = old.map_or((0, 0), |old| old.shared_with(&piece_text, count));
        // The edited pieces can be paired with what they were where their number is the same.
        let paired = old_count == count;
        let mut pieces = Vec::with_capacity(count);
        for (index, span) in outline.pieces.iter().enumerate() {
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
                pieces.push(piece.clone());
                continue;
            }
            let edited = old.filter(|_| paired).and_then(|old| {
                let piece = old.pieces.get(index)?;
                Some((old.piece_text(index)?.as_bytes(), &piece.tree))
            });
            let bytes = span.text(text).as_bytes();
            pieces.push(Piece {
                tree: parse_edited(&mut parser, bytes, edited, &mut goes_on)?,
                lowered: Arc::default(),
            });
        }
        Some(Self {
            text: text.into(),
            outline: Arc::new(outline),
            pieces,
        })
    }

    fn piece_text(&self, index: usize) -> Option<&str> {
        let span = self.outline.pieces.get(index)?;
        Some(span.text(&self.text))
    }

    /// How many of `count` pieces are the same as here from the front and, of the others, from the
    /// back.
    fn shared_with<'t>(
        &self,
        piece_text: &impl Fn(usize) -> Option<&'t str>,
        count: usize,
    ) -> (usize, usize) {
        let most = count.min(self.pieces.len());
        let before = (0..most)
            .take_while(|index| self.piece_text(*index) == piece_text(*index))
            .count();
        let after = (1..=most - before)
            .take_while(|from_end| {
                self.piece_text(self.pieces.len() - from_end) == piece_text(count - from_end)
            })
            .count();
        (before, after)
    }

    /// Lowers the source; `text` is the text that was parsed.
    pub(crate) fn lower(&self, text: &str) -> Unit {
        lower::file(text, &self.outline, &self.pieces)
    }
}
