//! Python: tree-sitter's Python grammar and the lowering to [`tree`](crate::tree).
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

use std::sync::{Arc, LazyLock, OnceLock};

use tree_sitter::{Language, Parser, Tree};

use crate::incremental::parse_edited;
use crate::tree::Unit;

static LANGUAGE: LazyLock<Language> = LazyLock::new(|| tree_sitter_python::LANGUAGE.into());

/// A parsed source.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    text: Arc<str>,
    tree: Tree,
    /// Filled when it is first lowered.
    lowered: Arc<OnceLock<Unit>>,
}

impl Source {
    /// Parses `text`, beginning with the tree of `old`; `None` when `goes_on` said stop.
    pub(crate) fn parse(
        text: &str,
        old: Option<&Self>,
        mut goes_on: impl FnMut() -> bool,
    ) -> Option<Self> {
        if let Some(same) = old.filter(|old| *old.text == *text) {
            return Some(same.clone());
        }
        let mut parser = Parser::new();
        parser.set_language(&LANGUAGE).ok()?;
        let earlier = old.map(|old| (old.text.as_bytes(), &old.tree));
        let tree = parse_edited(&mut parser, text.as_bytes(), earlier, &mut goes_on)?;
        Some(Self {
            text: text.into(),
            tree,
            lowered: Arc::default(),
        })
    }

    /// Lowers the source.
    pub(crate) fn lower(&self) -> Unit {
        let lowered = self
            .lowered
            .get_or_init(|| lower::unit(&self.tree, &self.text));
        lowered.clone()
    }
}

/// The grammar's name for what `node` is; unlike `Node::kind` it outlives the tree.
fn kind_of(node: tree_sitter::Node<'_>) -> &'static str {
    LANGUAGE.node_kind_for_id(node.kind_id()).unwrap_or("node")
}
