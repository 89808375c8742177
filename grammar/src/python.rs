//! Python: an outline of the file, tree-sitter's Python grammar, and the lowering to
//! [`tree`](crate::tree).
//!
//! | Python | tree |
//! |---|---|
//! | `x = e`, `x: T = e` | a binding; a second one under the same name binds it anew |
//! | `a, b = e` | a structured binding |
//! | `x.y = e`, `x += e` | an assignment |
//! | `f(a, name=b)` | a call whose last argument is [`Designated`](crate::tree::ExprKind::Designated) |
//! | `(a, b)`, `a, b` · `[a, b]` | a tuple · a braced list |
//! | `a.b` | a member, also where `a` is a module |
//! | `x[i, j]` | an index with two arguments |
//! | `None` | [`Null`](crate::tree::ExprKind::Null) |
//! | `import a.b as c`, `from a import b as c` | a namespace alias `c` of `a::b` |
//! | `from a import *` | a namespace that is opened |
//! | `global x`, `nonlocal x` | an `extern` binding |
//! | `def`, `class` | a function, a record |
//! | `try`, `with` | blocks; a handler is a branch on a condition that is not lowered |
//! | f-strings, comprehensions, slices, `yield`, ... | opaque |

mod lower;
mod outline;

use std::borrow::Cow;
use std::sync::LazyLock;

use tree_sitter::{Language, Parser};

use crate::lowered::{self, LoweredPiece, LoweredPieces};
use crate::outline::Part;
use crate::pieces::{PieceTexts, Pieces};
use crate::tree::{Span, Unit};
use outline::Outline;

static LANGUAGE: LazyLock<Language> = LazyLock::new(|| tree_sitter_python::LANGUAGE.into());

/// A parsed source. Its statements are parsed each on its own; versions of a source share those that
/// they have in common, and what those were lowered to.
#[derive(Debug, Clone)]
pub(crate) struct Source(Pieces<Texts>);

/// What its statements say.
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
    // `*a.b` has two readings: what a splat takes, and what is taken of a splat.
    const IS_UNAMBIGUOUS: bool = false;

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
        let mut parser = Parser::new();
        parser.set_language(&LANGUAGE).ok()?;
        let texts = Texts {
            source: text.into(),
            outline: outline::outline(text),
        };
        let old = old.map(|old| &old.0);
        Pieces::parse(&mut parser, texts, old, goes_on).map(Self)
    }

    /// Lowers the source; `text` is the text that was parsed.
    pub(crate) fn lower(&self, text: &str) -> Unit {
        let outline = &self.0.texts().outline;
        let parts: Vec<Part> = (0..outline.pieces.len()).map(Part::Piece).collect();
        let pieces = Lowered { source: self, text };
        lowered::file(&parts, &pieces, outline.comments.clone())
    }
}

/// The lowered statements of a source and its text.
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

/// The grammar's name for what `node` is; unlike `Node::kind` it outlives the tree.
fn kind_of(node: tree_sitter::Node<'_>) -> &'static str {
    LANGUAGE.node_kind_for_id(node.kind_id()).unwrap_or("node")
}
