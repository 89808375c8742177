//! Loops over ranges in functions of the device, as the loops of C++ that they are compiled to.

use tree_sitter::Node;

use super::Lowering;
use super::item::binding;
use crate::nodes::{has_token, named_children};
use crate::tree::{
    Assignment, BinaryOp, Expr, ExprKind, Ident, Item, ItemKind, Loop, LoopKind, Path, Qualifier,
    Role, Segment,
};

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
        bound.ty = Some(Expr::new(ExprKind::Auto, bound.span));
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
