//! CUDA C++: a pre-pass, tree-sitter's CUDA grammar, and the lowering to [`tree`](crate::tree).

mod fragment;
mod lower;
mod macros;
mod outline;
mod parse;
mod prepass;
mod tokens;

use std::sync::LazyLock;

use tree_sitter::{Language, Node, Parser};

use crate::parse_error::ParseError;
use crate::tree::Expr;

pub(crate) use lower::file::lower;
pub(crate) use parse::{ParsedPiece, parse_pieces};
pub(crate) use prepass::{Prepared, prepare};

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

static LANGUAGE: LazyLock<Language> = LazyLock::new(|| tree_sitter_cuda::LANGUAGE.into());

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
