//! Casts that read as sums: `(ns::Index) - n`.

use tree_sitter_cute::tree::{BinaryOp, Expr, ExprKind, UnaryOp};

use super::super::operators::cast_by_name;
use super::Walker;
use super::held::Held;
use crate::value::Value;

impl<'u> Walker<'_, 'u> {
    /// The value of such a cast; nothing where the name is not a type.
    pub(super) fn cast_by_name(
        &mut self,
        expr: &'u Expr,
        op: BinaryOp,
        (left, right): (&'u Expr, &'u Expr),
    ) -> Option<Held<'u>> {
        let in_front = cast_by_name(op, left)?;
        let Value::Type(ty) = self.it.eval(left, &mut self.frame) else {
            return None;
        };
        if matches!(right.kind, ExprKind::Binary(..)) {
            let why = "a cast of the first part of a sum";
            return Some(Held::Other(why.into(), None));
        }
        let held = if in_front == UnaryOp::Deref {
            let place = self.pointed(right);
            self.load(expr.span, place)
        } else {
            let held = self.value(right);
            self.with_sign(in_front, held)
        };
        let ty = self.ty_of(*ty);
        Some(self.converted(held, &ty))
    }
}
