//! Lowering of the CUDA grammar's tree: the common part of all.
//!
//! The grammar is ambiguous where C++ is. The same text may come out in two shapes (`Shape<_8>` as
//! a type or as a template function, `dim3 g(M, N)` as a variable or as a function), and an
//! incremental parse may choose differently from a fresh one. The lowering therefore gives **one tree for both
//! shapes**: names and types share one kind, and a text that could be either is decided here by rules that look at the
//! text's form only.

mod ambiguous;
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
mod sum;
mod template;
mod types;

use std::borrow::Cow;

use tree_sitter::{Node, Tree};

use crate::bodies::{Frame, Place, PlacedBody, skeleton};
use crate::lowered::LoweredPiece;
use crate::nodes::{child_of_kind, children, has_token, named_children};
use crate::outline;
use crate::tree::{Expr, ExprKind, Ident, Item, ItemKind, Shift, Span};
use crate::unfinished::{self, Ends};
use crate::{limits, nodes};

/// The position of an item; the same text means different things there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Context {
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

/// Lowers a piece whose text is `source`. `tree` is that of the piece with `bodies` blank.
pub(super) fn lower_piece(
    tree: &Tree,
    source: &str,
    prepared: &[u8],
    bodies: &[PlacedBody],
) -> LoweredPiece {
    let apart = bodies.iter();
    let cut: Option<Vec<_>> = apart
        .map(|body| Some((body.place, body.lowered(lower_body)?)))
        .collect();
    let blank = bodies.iter().map(|body| body.place.within);
    let around = skeleton(Cow::Borrowed(prepared), blank);
    let texts = |prepared| Texts {
        source,
        prepared,
        prefix: 0,
        base: 0,
    };
    // The piece may be inside as many namespaces and groups.
    let depth = outline::LEVELS;
    let lowered = cut.and_then(|cut| lower_text(tree, texts(&around), depth, &cut));
    lowered.unwrap_or_else(|| {
        // A part is not the body of a function, as it looked.
        let whole = super::parser().and_then(|mut parser| parser.parse(prepared, None));
        let whole = whole.and_then(|tree| lower_text(&tree, texts(prepared), depth, &[]));
        whole.unwrap_or_default()
    })
}

/// A body of a function or a part of it, with spans from its start; `None` where it is something else. `parsed` is in
/// `frame`.
fn lower_body(tree: &Tree, source: &str, parsed: &[u8], frame: Frame) -> Option<LoweredPiece> {
    let head = frame.head.len();
    let texts = Texts {
        source: &[frame.head, source, frame.tail].concat(),
        prepared: parsed,
        prefix: head,
        base: 0,
    };
    let mut piece = lower_text(tree, texts, outline::LEVELS + CLASS_LEVELS, &[])?;
    let only = std::mem::take(&mut piece.items);
    let [only] = <[Item; 1]>::try_from(only).ok()?;
    let ItemKind::Function(function) = only.kind else {
        return None;
    };
    piece.items = function.body?;
    for error in &mut piece.errors {
        let [start, end] = [error.start, error.end].map(|at| at.saturating_sub(head));
        *error = Span::new(start.min(source.len()), end.min(source.len()));
    }
    Some(piece)
}

/// Levels of items around the body of a function in a class.
const CLASS_LEVELS: usize = 8;

/// Lowers the tree of a text, with bodies that were lowered apart; `None` where one of them is not in the place of a body.
fn lower_text(
    tree: &Tree,
    texts: Texts<'_>,
    depth: usize,
    bodies: &[(Place, &LoweredPiece)],
) -> Option<LoweredPiece> {
    let mut errors = error_spans(tree);
    let rest = if errors.is_empty() {
        None
    } else {
        let seen = (tree, texts.prepared);
        unfinished::without_unfinished_line(super::parser(), seen, error_spans, Ends::Mark)
    };
    let (tree, prepared) = match &rest {
        Some(rest) => (&rest.tree, rest.text.as_slice()),
        None => (tree, texts.prepared),
    };
    let mut lowering = Lowering::new(Texts { prepared, ..texts });
    lowering.bodies = bodies;
    lowering.left_out = rest.as_ref().map(|rest| rest.left_out);
    lowering.depth = depth;
    lowering.is_packed = prepared.ends_with(super::prepass::PACKED);
    let items = lowering.items(tree.root_node(), Context::Namespace);
    if lowering.bodies_met < bodies.len() && !lowering.truncated {
        return None;
    }
    for (place, body) in bodies {
        let mut inside = body.errors.clone();
        inside.shift(place.span.start);
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
    /// The bodies of functions that were lowered apart, by their places.
    bodies: &'t [(Place, &'t LoweredPiece)],
    /// Number of them that were met.
    bodies_met: usize,
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
            bodies: &[],
            bodies_met: 0,
        }
    }

    /// Whether something in a node was not understood.
    fn is_damaged(&self, node: Node<'_>) -> bool {
        let is_around = |line: Span| node.start_byte() <= line.start && line.end <= node.end_byte();
        let mut bodies = self.bodies.iter();
        node.has_error()
            || self.left_out.is_some_and(is_around)
            || bodies.any(|(place, body)| is_around(place.within) && !body.errors.is_empty())
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
    fn items(&mut self, node: Node<'_>, place: Context) -> Vec<Item> {
        if !self.bodies.is_empty() {
            let within = Span::new(node.start_byte(), node.end_byte());
            let bodies = self.bodies;
            let start = bodies.partition_point(|(place, _)| place.within.start < within.start);
            let behind = bodies.get(start..).unwrap_or_default();
            let is_here = |(place, _): &&(Place, _)| place.within == within;
            let count = behind.iter().take_while(is_here).count();
            if count > 0 {
                return self.body_apart(behind.get(..count).unwrap_or_default());
            }
        }
        let mut items = Vec::new();
        self.items_into(&children(node), place, &mut items);
        items
    }

    /// The statements of a body that was lowered apart, in one or several parts.
    fn body_apart(&mut self, parts: &[(Place, &LoweredPiece)]) -> Vec<Item> {
        let mut all = Vec::new();
        for (place, part) in parts {
            self.bodies_met += 1;
            self.nodes += part.nodes;
            self.truncated |= part.truncated || self.nodes > limits::NODES;
            let mut items = part.items.clone();
            items.shift(place.span.start);
            all.append(&mut items);
        }
        all
    }

    fn items_into(&mut self, nodes: &[Node<'_>], place: Context, items: &mut Vec<Item>) {
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
