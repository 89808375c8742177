//! Loops over ranges in functions of the device, as the loops of C++ that they are compiled to.

use tree_sitter::Node;

use super::Lowering;
use super::item::binding;
use crate::nodes::{children, has_token, named_children};
use crate::tree::{
    Assignment, BinaryOp, Expr, ExprKind, Ident, Item, ItemKind, Loop, LoopKind, Path, Qualifier,
    Role, Segment,
};

/// Levels of a number that is compared twice.
const PLAIN_LEVELS: usize = 8;

/// Whether an expression is made of names and numbers: to evaluate it twice does nothing twice.
fn is_plain(node: Node<'_>, levels: usize) -> bool {
    match node.kind() {
        "identifier" | "integer_literal" | "primitive_type" | "field_identifier" => true,
        "reference_expression"
        | "parenthesized_expression"
        | "type_cast_expression"
        | "field_expression"
        | "binary_expression" => {
            levels > 0
                && named_children(node)
                    .into_iter()
                    .all(|part| is_plain(part, levels - 1))
        }
        _ => false,
    }
}

impl Lowering<'_> {
    /// `for i in a..b` and `for i in (a..b).step_by(n)`: `for (i = a; i < b; i += n)`.
    pub(super) fn counted(&mut self, node: Node<'_>) -> Option<ItemKind> {
        let value = node.child_by_field_name("value")?;
        let pattern = node.child_by_field_name("pattern")?;
        let name = Self::only_name(pattern).map(|name| self.ident(name))?;
        let (range, step) = self.range_and_step(value)?;
        let [first, end]: [Node<'_>; 2] = named_children(range).try_into().ok()?;
        let operator = if has_token(range, "..=") {
            BinaryOp::Le
        } else {
            BinaryOp::Lt
        };
        let span = self.span(value);
        let ty = self.suffix(first).or_else(|| self.suffix(end));
        let (first, end) = (self.expr(first), self.expr(end));
        let step = match step {
            Some(step) => self.expr(step),
            None => Expr::new(ExprKind::Int(1), span),
        };
        let counter = |name: &Ident| {
            let path = Path {
                qualifier: Qualifier::None,
                segments: vec![Segment {
                    name: name.clone(),
                    args: None,
                }],
            };
            Expr::new(ExprKind::Name(path), name.span)
        };
        let condition = ExprKind::Binary(operator, Box::new(counter(&name)), Box::new(end));
        let next = ExprKind::Assign(Box::new(Assignment {
            op: Some(BinaryOp::Add),
            target: counter(&name),
            value: step,
        }));
        let mut bound = binding(Role::Var, Some(name), self.span(pattern));
        bound.ty = Some(ty.unwrap_or_else(|| Expr::new(ExprKind::Auto, bound.span)));
        bound.init = Some(first);
        let place = bound.span;
        let body = node
            .child_by_field_name("body")
            .map(|body| self.block(body, false))
            .unwrap_or_default();
        Some(ItemKind::Loop(Box::new(Loop {
            kind: LoopKind::For,
            init: vec![Item::new(ItemKind::Binding(Box::new(bound)), place)],
            condition: Some(Expr::new(condition, span)),
            step: Some(Expr::new(next, span)),
            body,
        })))
    }

    /// `(a..b).contains(&x)`, where `x` is of names and numbers: `a <= x && x < b`.
    pub(super) fn contained(&mut self, call: Node<'_>) -> Option<ExprKind> {
        let method = call.child_by_field_name("function")?;
        let name = method.child_by_field_name("field")?;
        let (range, None) = self.range_and_step(method.child_by_field_name("value")?)? else {
            return None;
        };
        let [first, end]: [Node<'_>; 2] = named_children(range).try_into().ok()?;
        let [number]: [Node<'_>; 1] = named_children(call.child_by_field_name("arguments")?)
            .try_into()
            .ok()?;
        if self.text(name) != "contains" || !is_plain(number, PLAIN_LEVELS) {
            return None;
        }
        let operator = if has_token(range, "..=") {
            BinaryOp::Le
        } else {
            BinaryOp::Lt
        };
        let span = self.span(call);
        let (first, end, number) = (self.expr(first), self.expr(end), self.expr(number));
        let compared = |operator, left: Expr, right: Expr| {
            let kind = ExprKind::Binary(operator, Box::new(left), Box::new(right));
            Box::new(Expr::new(kind, span))
        };
        let from = compared(BinaryOp::Le, first, number.clone());
        let to = compared(operator, number, end);
        Some(ExprKind::Binary(BinaryOp::And, from, to))
    }

    /// `a[b..c]`, a part of a slice, as the call of a method `..` with the index of its first element and that behind its
    /// last one, if it has an end.
    pub(super) fn part_of_slice(&mut self, node: Node<'_>) -> Option<Expr> {
        let [object, range]: [Node<'_>; 2] = named_children(node).try_into().ok()?;
        if range.kind() != "range_expression" {
            return None;
        }
        let mark = children(range).into_iter().find(|part| !part.is_named())?;
        let span = self.span(node);
        let place = self.span(mark);
        let number = |value| Expr::new(ExprKind::Int(value), place);
        let mut limits = vec![match mark.prev_named_sibling() {
            Some(first) => self.expr(first),
            None => number(0),
        }];
        if let Some(end) = mark.next_named_sibling() {
            let end = self.expr(end);
            limits.push(if self.text(mark) == "..=" {
                let one = number(1);
                let behind = ExprKind::Binary(BinaryOp::Add, Box::new(end), Box::new(one));
                Expr::new(behind, span)
            } else {
                end
            });
        }
        let member = Segment {
            name: Ident {
                name: "..".to_owned(),
                span: self.span(range),
            },
            args: None,
        };
        let method = ExprKind::Member {
            object: Box::new(self.expr(object)),
            member,
            arrow: false,
        };
        let method = Expr::new(method, span);
        Some(Expr::new(ExprKind::Call(Box::new(method), limits), span))
    }

    /// The range, without parentheses, and the argument of `step_by`.
    fn range_and_step<'n>(&self, value: Node<'n>) -> Option<(Node<'n>, Option<Node<'n>>)> {
        match value.kind() {
            "range_expression" => Some((value, None)),
            "parenthesized_expression" => self.range_and_step(value.named_child(0)?),
            "call_expression" => {
                let method = value.child_by_field_name("function")?;
                let name = method.child_by_field_name("field")?;
                let step = value.child_by_field_name("arguments")?.named_child(0)?;
                let (range, inner) = self.range_and_step(method.child_by_field_name("value")?)?;
                (self.text(name) == "step_by" && inner.is_none()).then_some((range, Some(step)))
            }
            _ => None,
        }
    }
}
