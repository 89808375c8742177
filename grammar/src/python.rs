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

pub(crate) mod functions;
mod lower;
mod outline;
mod tokens;

use std::borrow::Cow;
use std::sync::LazyLock;

use tree_sitter::{Language, Parser, Tree};

use crate::bodies::PlacedBody;
use crate::lowered::LoweredPiece;
use crate::tree::Span;
use crate::verbatim::{self, Outline, Verbatim};

static LANGUAGE: LazyLock<Language> = LazyLock::new(|| tree_sitter_python::LANGUAGE.into());

/// The language, in statements.
#[derive(Debug)]
pub(crate) struct Python;

/// A parsed source.
pub(crate) type Source = verbatim::Source<Python>;

impl Verbatim for Python {
    // `*a.b` has two readings: the member of a splat's operand, or of a splat.
    const IS_UNAMBIGUOUS: bool = false;

    fn parser() -> Option<Parser> {
        let mut parser = Parser::new();
        parser.set_language(&LANGUAGE).ok()?;
        Some(parser)
    }

    fn outline(source: &str) -> Outline {
        outline::outline(source)
    }

    fn lower_piece(tree: &Tree, text: &str, bodies: &[PlacedBody]) -> LoweredPiece {
        lower::lower_piece(tree, text, bodies)
    }

    const HEAD: &'static str = lower::HEAD;

    fn bodies(piece: &str) -> Vec<Span> {
        let functions = functions::large_functions(piece).into_iter();
        functions.map(|it| it.lines(piece)).collect()
    }

    fn skeleton(text: Cow<'_, [u8]>, bodies: impl IntoIterator<Item = Span>) -> Cow<'_, [u8]> {
        functions::without(text, bodies)
    }
}

/// The grammar's name for the kind of `node`; unlike `Node::kind` it outlives the tree.
fn kind_of(node: tree_sitter::Node<'_>) -> &'static str {
    LANGUAGE.node_kind_for_id(node.kind_id()).unwrap_or("node")
}
