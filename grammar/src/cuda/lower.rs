//! Lowering of the CUDA grammar's tree: the common part of all.
//!
//! The grammar is ambiguous where C++ is. The same text may come out in two shapes (`Shape<_8>` as
//! a type or as a template function, `dim3 g(M, N)` as a variable or as a function), and an
//! incremental parse may choose differently from a fresh one. The lowering therefore gives **one tree for both
//! shapes**: names and types share one kind, and a text that could be either is decided here by rules that look at the
//! text's form only.

mod comparison;
mod constraint;
mod declaration;
mod declarator;
mod expression;
mod function;
mod layout;
mod literal;
mod name;
mod preprocessor;
mod record;
mod statement;
mod template;
mod types;

use tree_sitter::{Node, Tree};

use crate::lowered::LoweredPiece;
use crate::nodes::{child_of_kind, children, has_token, named_children};
use crate::outline;
use crate::tree::{Expr, ExprKind, Ident, Item, Span};
use crate::unfinished::{self, Ends};
use crate::{limits, nodes};

/// The position of an item; the same text means different things there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In a file or namespace.
    Namespace,
    /// In a struct, class or union.
    Record,
    /// In a function body.
    Block,
}

/// The text that the parser saw, and the source at the same offsets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Texts<'t> {
    /// The text as written.
    pub(super) source: &'t str,
    /// The text after the pre-pass, equally long.
    pub(super) prepared: &'t [u8],
    /// Bytes before the parsed text that are not the user's; subtracted from every span.
    pub(super) prefix: usize,
    /// The start of the user's text in its file; added to every span.
    pub(super) base: usize,
}

/// Lowers a piece whose text is `source`.
pub(super) fn lower_piece(tree: &Tree, source: &str, prepared: &[u8]) -> LoweredPiece {
    let errors = error_spans(tree);
    let rest = if errors.is_empty() {
        None
    } else {
        let seen = (tree, prepared);
        unfinished::without_unfinished_line(super::parser(), seen, error_spans, Ends::Mark)
    };
    let (tree, prepared) = match &rest {
        Some(rest) => (&rest.tree, rest.text.as_slice()),
        None => (tree, prepared),
    };
    let mut lowering = Lowering::new(Texts {
        source,
        prepared,
        prefix: 0,
        base: 0,
    });
    lowering.left_out = rest.as_ref().map(|rest| rest.left_out);
    // The piece may be inside as many namespaces and groups.
    lowering.depth = outline::LEVELS;
    lowering.is_packed = prepared.ends_with(super::prepass::PACKED);
    let items = lowering.items(tree.root_node(), Place::Namespace);
    LoweredPiece {
        items,
        errors,
        nodes: lowering.nodes,
        truncated: lowering.truncated,
    }
}

/// Lowers one node of a tree as an expression.
pub(super) fn lower_expression(node: Node<'_>, texts: Texts<'_>) -> Expr {
    Lowering::new(texts).expr(node)
}

/// Spans of all nodes that the parser invented or could not place, in source order. The grammar of
/// an explicit instantiation always misses a name.
pub(super) fn error_spans(tree: &Tree) -> Vec<Span> {
    nodes::error_spans(tree, |parent| parent.kind() == "template_instantiation")
}

struct Lowering<'t> {
    texts: Texts<'t>,
    depth: usize,
    nodes: usize,
    truncated: bool,
    /// Whether `#pragma pack` is in force.
    is_packed: bool,
    /// The line that is not finished and is left out, where there is one.
    left_out: Option<Span>,
}

impl<'t> Lowering<'t> {
    fn new(texts: Texts<'t>) -> Self {
        Self {
            texts,
            depth: 0,
            nodes: 0,
            truncated: false,
            is_packed: false,
            left_out: None,
        }
    }

    /// Whether something in a node was not understood.
    fn is_damaged(&self, node: Node<'_>) -> bool {
        let is_around = |line: Span| node.start_byte() <= line.start && line.end <= node.end_byte();
        node.has_error() || self.left_out.is_some_and(is_around)
    }

    /// The place of a node in the user's text.
    fn span(&self, node: Node<'_>) -> Span {
        let place = |offset: usize| (offset + self.texts.base).saturating_sub(self.texts.prefix);
        Span::new(place(node.start_byte()), place(node.end_byte()))
    }

    /// An expression that is not lowered, by the grammar's name for it.
    fn opaque(&self, node: Node<'_>) -> Expr {
        Expr::new(ExprKind::Opaque(super::kind_of(node)), self.span(node))
    }

    /// The source text of a node.
    fn text(&self, node: Node<'_>) -> &'t str {
        self.texts
            .source
            .get(node.start_byte()..node.end_byte())
            .unwrap_or_default()
    }

    fn ident(&self, node: Node<'_>) -> Ident {
        Ident {
            name: self.text(node).to_owned(),
            span: self.span(node),
        }
    }

    /// Counts one level of an expression and one node. `None` beyond a limit.
    fn descend<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.descend_by(1, lower)
    }

    /// The same for an item, whose lowering takes several times the stack.
    fn descend_into_item<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.descend_by(2, lower)
    }

    fn descend_by<T>(&mut self, levels: usize, lower: impl FnOnce(&mut Self) -> T) -> Option<T> {
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

    /// The items among the children of `node`, in order.
    fn items(&mut self, node: Node<'_>, place: Place) -> Vec<Item> {
        let mut items = Vec::new();
        self.items_into(&children(node), place, &mut items);
        items
    }

    fn items_into(&mut self, nodes: &[Node<'_>], place: Place, items: &mut Vec<Item>) {
        let mut rest = nodes;
        while let Some((node, after)) = rest.split_first() {
            if self.truncated {
                return;
            }
            rest = after;
            let index = nodes.len() - after.len() - 1;
            if let Some(unfinished) = self.unfinished_function(nodes, index) {
                items.push(unfinished);
                return;
            }
            if node.is_named() {
                self.item_into(*node, place, items);
            }
        }
    }
}
