//! Lowering of the Python grammar's tree: the common part of all.

mod definition;
mod expression;
mod import;
mod statement;

use std::borrow::Cow;

use tree_sitter::{Node, Tree};

use super::Python;
use super::functions::{first_statement, without};
use crate::bodies::PlacedBody;
use crate::lowered::LoweredPiece;
use crate::tree::{
    Expr, ExprKind, Ident, Item, ItemKind, Path, Qualifier, Segment, Shift as _, Span,
};
use crate::unfinished::{Ends, without_unfinished_line};
use crate::verbatim::Verbatim as _;
use crate::{limits, nodes};

/// The head of the function that a body is parsed with.
pub(super) const HEAD: &str = "def x():\n";

/// Levels of items around the body of a function.
const OUTER_LEVELS: usize = 16;

/// Lowers a piece whose text is `text`; `tree` is that of the piece without `bodies`.
pub(super) fn lower_piece(tree: &Tree, text: &str, bodies: &[PlacedBody]) -> LoweredPiece {
    let apart = bodies.iter();
    let cut: Option<Vec<_>> = apart
        .map(|body| {
            let lines = body.place.span;
            let first = first_statement(text, lines);
            Some((
                Span::new(first, lines.end),
                lines,
                body.lowered(|tree, source, parsed, _| lower_body(tree, source, parsed))?,
            ))
        })
        .collect();
    let around = without(
        Cow::Borrowed(text.as_bytes()),
        bodies.iter().map(|body| body.place.span),
    );
    let lowered = cut.and_then(|cut| lower_text(tree, (text, &around), 0, &cut));
    lowered.unwrap_or_else(|| {
        // A part is not the body of a function, as it looked.
        let whole = Python::parser().and_then(|mut parser| parser.parse(text, None));
        let whole = whole.and_then(|tree| lower_text(&tree, (text, text.as_bytes()), 0, &[]));
        whole.unwrap_or_default()
    })
}

/// A body of a function, with spans from its start. `parsed` begins with [`HEAD`].
fn lower_body(tree: &Tree, source: &str, parsed: &[u8]) -> Option<LoweredPiece> {
    let text = [HEAD, source].concat();
    let mut piece = lower_text(tree, (&text, parsed), OUTER_LEVELS, &[])?;
    let mut statements = Vec::new();
    for item in std::mem::take(&mut piece.items) {
        match item.kind {
            ItemKind::Function(function) if item.span.start == 0 => {
                statements.extend(function.body.unwrap_or_default());
            }
            // An error has ended the function.
            _ => statements.push(item),
        }
    }
    let from_start = |span: Span| {
        let [start, end] = [span.start, span.end].map(|at| at.saturating_sub(HEAD.len()));
        Span::new(start, end)
    };
    piece.items = statements;
    piece.items.map_spans(&from_start);
    for error in &mut piece.errors {
        *error = from_start(*error);
    }
    Some(piece)
}

/// A body that was lowered apart: its block, the start of its spans, its statements.
type Apart<'t> = (Span, Span, &'t LoweredPiece);

/// Lowers the tree of a text, with bodies that were lowered apart; `None` where one of them is not in the place of a body.
fn lower_text(
    tree: &Tree,
    (text, parsed): (&str, &[u8]),
    depth: usize,
    bodies: &[Apart<'_>],
) -> Option<LoweredPiece> {
    let errors_of = |tree: &Tree| nodes::error_spans(tree, |_| false);
    let mut errors = errors_of(tree);
    let rest = match errors.as_slice() {
        [] => None,
        _ => without_unfinished_line(Python::parser(), (tree, parsed), errors_of, Ends::Line),
    };
    let tree = rest.as_ref().map_or(tree, |rest| &rest.tree);
    let mut lowering = Lowering {
        text,
        depth,
        nodes: 0,
        truncated: false,
        bodies,
        bodies_met: 0,
    };
    let items = lowering.body(tree.root_node());
    if lowering.bodies_met < bodies.len() && !lowering.truncated {
        return None;
    }
    for (_, lines, body) in bodies {
        let mut inside = body.errors.clone();
        inside.shift(lines.start);
        errors.extend(inside);
    }
    errors.sort_unstable();
    Some(LoweredPiece {
        items,
        errors,
        nodes: lowering.nodes,
        truncated: lowering.truncated,
    })
}

fn span(node: Node<'_>) -> Span {
    Span::new(node.start_byte(), node.end_byte())
}

struct Lowering<'t> {
    text: &'t str,
    depth: usize,
    nodes: usize,
    truncated: bool,
    /// The bodies of functions that were lowered apart, in order.
    bodies: &'t [Apart<'t>],
    /// Number of them that were met.
    bodies_met: usize,
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
        let Some(block) = node.child_by_field_name(field) else {
            return Vec::new();
        };
        let at = self
            .bodies
            .binary_search_by_key(&block.start_byte(), |(place, ..)| place.start);
        match at.ok().and_then(|at| self.bodies.get(at)) {
            Some((place, lines, body)) if is_alone(block, place.end) => {
                self.bodies_met += 1;
                self.nodes += body.nodes;
                self.truncated |= body.truncated || self.nodes > limits::NODES;
                let mut items = body.items.clone();
                items.shift(lines.start);
                items
            }
            _ => self.body(block),
        }
    }
}

/// Whether a block is one statement that ends there; comments may follow.
fn is_alone(block: Node<'_>, end: usize) -> bool {
    let children = named_children(block).into_iter();
    let mut statements = children.filter(|child| child.kind() != "comment");
    let first = statements.next();
    first.is_some_and(|first| first.end_byte() == end) && statements.next().is_none()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_behind_a_body_leave_it_apart() {
        let long = "        y = f(x)\n".repeat(crate::limits::PYTHON_BODY_BYTES / 8);
        for behind in ["", "        # one\n\n        # two\n", "    # three\n"] {
            let text = format!("class K:\n    def f(self):\n{long}{behind}\n    a = 1\n");
            let places = Python::bodies(&text);
            assert_eq!(places.len(), 1);
            let around = without(Cow::Borrowed(text.as_bytes()), places.iter().copied());
            let tree = Python::parser().and_then(|mut parser| parser.parse(&around, None));
            let body = LoweredPiece::default();
            let apart = places.iter().map(|lines| {
                let first = first_statement(&text, *lines);
                (Span::new(first, lines.end), *lines, &body)
            });
            let apart: Vec<Apart<'_>> = apart.collect();
            let lowered = lower_text(&tree.unwrap(), (&text, &around), 0, &apart);
            assert!(lowered.is_some(), "{text}");
        }
    }
}
