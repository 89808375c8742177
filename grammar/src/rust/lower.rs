//! Lowering of the Rust grammar's tree: the common part of all.

mod arms;
mod expression;
mod function;
mod item;
mod literal;
mod macros;
mod name;
mod pattern;
mod ranges;
mod statement;
mod types;

use tree_sitter::{Node, Tree};

use super::Rust;
use crate::lowered::LoweredPiece;
use crate::tree::{Expr, ExprKind, Ident, Item, Span};
use crate::unfinished::{Ends, without_unfinished_line};
use crate::verbatim::Verbatim as _;
use crate::{limits, nodes, outline};

/// The parsed text, and its place in its file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Texts<'t> {
    /// The text that was parsed.
    pub(super) source: &'t str,
    /// Bytes before it that are not the user's; subtracted from every span.
    pub(super) prefix: usize,
    /// The start of the user's text in its file; added to every span.
    pub(super) base: usize,
}

/// Lowers a piece whose text is `source`.
pub(super) fn lower_piece(tree: &Tree, source: &str) -> LoweredPiece {
    let mut lowering = Lowering::new(Texts {
        source,
        prefix: 0,
        base: 0,
    });
    // The piece may be inside as many modules.
    lowering.inside.depth = outline::LEVELS;
    let errors_of = |tree: &Tree| nodes::error_spans(tree, |_| false);
    let errors = errors_of(tree);
    let rest = match errors.as_slice() {
        [] => None,
        _ => without_unfinished_line(
            Rust::parser(),
            (tree, source.as_bytes()),
            errors_of,
            Ends::Mark,
        ),
    };
    let tree = rest.as_ref().map_or(tree, |rest| &rest.tree);
    let mut items = Vec::new();
    lowering.items_into(tree.root_node(), &mut items);
    LoweredPiece {
        items,
        errors,
        nodes: lowering.nodes,
        truncated: lowering.truncated,
    }
}

/// The surroundings of a fragment.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Inside {
    /// Macro calls.
    macros: usize,
    /// Levels of the tree.
    depth: usize,
    /// Whether the function is marked as one of the device: loops over ranges are counted there.
    on_device: bool,
}

/// Expressions read on their own.
pub(super) struct Fragment {
    pub(super) exprs: Vec<Expr>,
    nodes: usize,
}

/// Lowers the expressions of a fragment.
pub(super) fn expressions(nodes: &[Node<'_>], texts: Texts<'_>, inside: Inside) -> Fragment {
    let mut lowering = Lowering::new(texts);
    lowering.inside = inside;
    Fragment {
        exprs: lowering.listed(nodes),
        nodes: lowering.nodes,
    }
}

/// Statements read on their own.
pub(super) struct Statements {
    pub(super) items: Vec<Item>,
    nodes: usize,
}

/// Lowers the statements of a block.
pub(super) fn statements(block: Node<'_>, texts: Texts<'_>, inside: Inside) -> Statements {
    let mut lowering = Lowering::new(texts);
    lowering.inside = inside;
    Statements {
        items: lowering.block(block, false),
        nodes: lowering.nodes,
    }
}

struct Lowering<'t> {
    texts: Texts<'t>,
    inside: Inside,
    nodes: usize,
    truncated: bool,
}

impl<'t> Lowering<'t> {
    fn new(texts: Texts<'t>) -> Self {
        Self {
            texts,
            inside: Inside::default(),
            nodes: 0,
            truncated: false,
        }
    }

    /// The place of a node in the user's file.
    fn span(&self, node: Node<'_>) -> Span {
        let place = |offset: usize| (offset + self.texts.base).saturating_sub(self.texts.prefix);
        Span::new(place(node.start_byte()), place(node.end_byte()))
    }

    /// The source text of a node.
    fn text(&self, node: Node<'_>) -> &'t str {
        self.texts
            .source
            .get(node.start_byte()..node.end_byte())
            .unwrap_or_default()
    }

    fn ident(&self, node: Node<'_>) -> Ident {
        let text = self.text(node);
        Ident {
            // `r#type` is the name `type`.
            name: text.strip_prefix("r#").unwrap_or(text).to_owned(),
            span: self.span(node),
        }
    }

    /// The name of an item.
    fn name_of(&self, node: Node<'_>) -> Option<Ident> {
        node.child_by_field_name("name")
            .map(|name| self.ident(name))
    }

    /// An expression that is not lowered, by the grammar's name for it.
    fn opaque(&self, node: Node<'_>) -> Expr {
        Expr::new(ExprKind::Opaque(super::kind_of(node)), self.span(node))
    }

    /// Counts one level of an expression and one node. `None` beyond a limit.
    fn descend<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.descend_by(1, lower)
    }

    /// The same for an item, whose lowering takes more of the stack.
    fn descend_into_item<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.descend_by(2, lower)
    }

    fn descend_by<T>(&mut self, levels: usize, lower: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.nodes += 1;
        if self.nodes > limits::NODES {
            self.truncated = true;
            return None;
        }
        if self.inside.depth + levels > limits::DEPTH {
            return None;
        }
        self.inside.depth += levels;
        let lowered = lower(self);
        self.inside.depth -= levels;
        Some(lowered)
    }
}
