//! Lowering of the Python grammar's tree: the common part of all.

mod definition;
mod expression;
mod import;
mod statement;

use tree_sitter::{Node, Tree};

use super::Python;
use crate::lowered::LoweredPiece;
use crate::tree::{Expr, ExprKind, Ident, Item, Path, Qualifier, Segment, Span};
use crate::unfinished::{Ends, without_unfinished_line};
use crate::verbatim::Verbatim as _;
use crate::{limits, nodes};

/// Lowers a piece whose text is `text`.
pub(super) fn lower_piece(tree: &Tree, text: &str) -> LoweredPiece {
    let mut lowering = Lowering {
        text,
        depth: 0,
        nodes: 0,
        truncated: false,
    };
    let errors_of = |tree: &Tree| nodes::error_spans(tree, |_| false);
    let errors = errors_of(tree);
    let rest = match errors.as_slice() {
        [] => None,
        _ => without_unfinished_line(
            Python::parser(),
            (tree, text.as_bytes()),
            errors_of,
            Ends::Line,
        ),
    };
    let tree = rest.as_ref().map_or(tree, |rest| &rest.tree);
    LoweredPiece {
        items: lowering.body(tree.root_node()),
        errors,
        nodes: lowering.nodes,
        truncated: lowering.truncated,
    }
}

fn span(node: Node<'_>) -> Span {
    Span::new(node.start_byte(), node.end_byte())
}

struct Lowering<'t> {
    text: &'t str,
    depth: usize,
    nodes: usize,
    truncated: bool,
}

impl<'t> Lowering<'t> {
    /// The source text of a node.
    fn text(&self, node: Node<'_>) -> &'t str {
        span(node).text(self.text)
    }

    fn ident(&self, node: Node<'_>) -> Ident {
        Ident {
            name: self.text(node).to_owned(),
            span: span(node),
        }
    }

    /// The parts of a dotted name.
    fn dotted(&self, node: Node<'_>) -> Vec<Ident> {
        match node.kind() {
            "identifier" => vec![self.ident(node)],
            _ => named_children(node)
                .into_iter()
                .filter(|child| child.kind() == "identifier")
                .map(|child| self.ident(child))
                .collect(),
        }
    }

    /// Counts one level of the tree and one node. `None` beyond a limit.
    fn descend<T>(&mut self, levels: usize, lower: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.nodes += 1;
        if self.nodes > limits::NODES {
            self.truncated = true;
            return None;
        }
        if self.depth + levels > limits::DEPTH {
            return None;
        }
        self.depth += levels;
        let lowered = lower(self);
        self.depth -= levels;
        Some(lowered)
    }

    /// The statements among the children of `node`, in order.
    fn body(&mut self, node: Node<'_>) -> Vec<Item> {
        let mut items = Vec::new();
        for child in named_children(node) {
            if self.truncated {
                break;
            }
            self.statement(child, &mut items);
        }
        items
    }

    /// The statements of the block under a field; none where there is no such block.
    fn block(&mut self, node: Node<'_>, field: &str) -> Vec<Item> {
        match node.child_by_field_name(field) {
            Some(block) => self.body(block),
            None => Vec::new(),
        }
    }
}

/// An expression that is not lowered, by the grammar's name for it.
fn opaque(node: Node<'_>) -> Expr {
    Expr::new(ExprKind::Opaque(super::kind_of(node)), span(node))
}

/// A path of names, `a::b::c`, none of them with arguments.
fn path(names: Vec<Ident>) -> Expr {
    let first = names.first().map(|name| name.span).unwrap_or_default();
    let place = names.last().map_or(first, |last| first.to(last.span));
    let segments = names.into_iter().map(|name| Segment { name, args: None });
    let path = Path {
        qualifier: Qualifier::None,
        segments: segments.collect(),
    };
    Expr::new(ExprKind::Name(path), place)
}

/// The named children without comments, in time linear in their number.
fn named_children(node: Node<'_>) -> Vec<Node<'_>> {
    node.named_children(&mut node.walk())
        .filter(|child| child.kind() != "comment")
        .collect()
}

/// The children under a field, in order.
fn fields<'n>(node: Node<'n>, field: &str) -> Vec<Node<'n>> {
    node.children_by_field_name(field, &mut node.walk())
        .filter(Node::is_named)
        .collect()
}
