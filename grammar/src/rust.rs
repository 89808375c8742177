//! Rust: an outline of the file, tree-sitter's Rust grammar, and the lowering to
//! [`tree`](crate::tree).
//!
//! The tree of a Rust source in the terms of the others:
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
//! | `macro_rules! m { .. }` | a [`Define`](crate::tree::Define) whose text is the whole definition |

mod fragment;
mod lower;
mod outline;
mod rules;
mod scan;

use std::sync::LazyLock;

use tree_sitter::{Language, Node, Parser, Tree};

use crate::bodies::PlacedBody;
use crate::lowered::LoweredPiece;
use crate::parse_error::ParseError;
use crate::tree::Expr;
use crate::verbatim::{self, Outline, Verbatim};

pub use rules::{RulesByName, RulesCall, RulesText};

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

/// The grammar's name for the kind of `node`; unlike `Node::kind` it outlives the tree.
fn kind_of(node: Node<'_>) -> &'static str {
    LANGUAGE.node_kind_for_id(node.kind_id()).unwrap_or("node")
}

/// The language, in items.
#[derive(Debug)]
pub(crate) struct Rust;

/// A parsed source.
pub(crate) type Source = verbatim::Source<Rust>;

impl Verbatim for Rust {
    const IS_UNAMBIGUOUS: bool = true;

    fn parser() -> Option<Parser> {
        parser()
    }

    fn outline(source: &str) -> Outline {
        outline::outline(source)
    }

    fn lower_piece(tree: &Tree, text: &str, _: &[PlacedBody]) -> LoweredPiece {
        lower::lower_piece(tree, text)
    }
}
