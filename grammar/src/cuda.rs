//! CUDA C++: a pre-pass, our grammar (`grammar/cuda`), and the lowering to [`tree`](crate::tree).

mod expand;
mod fragment;
mod includes;
mod lower;
mod macros;
mod outline;
mod parse;
mod prepass;
mod tokens;

use std::sync::LazyLock;

use tree_sitter::{Language, Node, Parser};

use crate::parse_error::ParseError;
use crate::tree::{Expr, Unit};

pub use expand::{MacroCall, only_decorates, without_words};
pub use includes::includes;
use parse::ParsedPiece;
use prepass::Prepared;

/// A parsed source. Its declarations are parsed each on its own; versions of a source share those
/// that they have in common, and what those were lowered to.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    /// One for each piece of the outline.
    pieces: Vec<ParsedPiece>,
    prepared: Prepared,
}

impl Source {
    /// Parses `text`, with what it shares with `old`; `None` when `goes_on` said stop.
    pub(crate) fn parse(
        text: &str,
        old: Option<&Self>,
        goes_on: impl FnMut() -> bool,
    ) -> Option<Self> {
        let prepared = prepass::prepare(text);
        let old = old.map(|old| (&old.prepared, &*old.pieces));
        let pieces = parse::parse_pieces(text, &prepared, old, goes_on)?;
        Some(Self { pieces, prepared })
    }

    /// Lowers the source; `text` is the text that was parsed.
    pub(crate) fn lower(&self, text: &str) -> Unit {
        lower::file::lower(text, &self.prepared, &self.pieces)
    }
}

/// `text` as the parser sees it, equally long: comments and what only decorates are blank.
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

/// The grammar's name for what `node` is; unlike `Node::kind` it outlives the tree.
fn kind_of(node: Node<'_>) -> &'static str {
    LANGUAGE.node_kind_for_id(node.kind_id()).unwrap_or("node")
}
