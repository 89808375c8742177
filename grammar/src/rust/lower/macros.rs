//! Macro calls. The grammar has only their tokens; they are read by their form.

use tree_sitter::Node;

use super::super::fragment;
use super::{Inside, Lowering};
use crate::nodes::child_of_kind;
use crate::tree::{Expr, ExprKind, MacroCall, Shift, Visitor, walk_expr};
use crate::{limits, notation};

/// Longer calls are code, not values.
const LONGEST: usize = 4_096;

/// Macro calls inside one another that are read.
const LEVELS: usize = 4;

impl Lowering<'_> {
    pub(super) fn macro_call(&mut self, node: Node<'_>) -> ExprKind {
        let Some(name) = node.child_by_field_name("macro") else {
            return ExprKind::Opaque("macro_invocation");
        };
        let path = self.path(name);
        let args = child_of_kind(node, "token_tree").and_then(|tokens| self.macro_args(tokens));
        ExprKind::Macro(Box::new(MacroCall { path, args }))
    }

    /// The arguments in the brackets: a tuple of the notation, else Rust expressions.
    fn macro_args(&mut self, tokens: Node<'_>) -> Option<Vec<Expr>> {
        let text = self.text(tokens);
        let inside = text.get(1..text.len().checked_sub(1)?)?;
        if text.len() > LONGEST || self.inside.macros >= LEVELS {
            return None;
        }
        let place = self.span(tokens);
        if let Some(mut read) = read_notation(inside) {
            let size = Size::of(&read);
            if self.inside.depth + size.depth > limits::DEPTH {
                return None;
            }
            self.nodes += size.nodes;
            read.shift(place.start);
            return Some(match read.kind {
                ExprKind::Tuple(args) => args,
                _ => vec![read],
            });
        }
        let inner = Inside {
            macros: self.inside.macros + 1,
            depth: self.inside.depth,
        };
        let read = fragment::expressions_at(inside, place.start + 1, inner)?;
        self.nodes += read.nodes;
        Some(read.exprs)
    }
}

/// A tuple of the notation, in whose leaves braces may be around an expression.
fn read_notation(inside: &str) -> Option<Expr> {
    let plain = notation::parse(&format!("({inside})"));
    plain.ok().or_else(|| {
        let blank = inside
            .contains('{')
            .then(|| inside.replace(['{', '}'], " "))?;
        notation::parse(&format!("({blank})")).ok()
    })
}

/// The size of an expression.
#[derive(Default)]
struct Size {
    nodes: usize,
    depth: usize,
    level: usize,
}

impl Size {
    fn of(expr: &Expr) -> Self {
        let mut size = Self::default();
        size.expr(expr);
        size
    }
}

impl Visitor for Size {
    fn expr(&mut self, expr: &Expr) {
        self.nodes += 1;
        self.level += 1;
        self.depth = self.depth.max(self.level);
        walk_expr(self, expr);
        self.level -= 1;
    }
}
