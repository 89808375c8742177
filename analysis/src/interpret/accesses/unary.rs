//! Operators with one operand, and casts that read as sums.

use tree_sitter_cute::tree::{BinaryOp, Expr, ExprKind, UnaryOp};

use super::super::operators::cast_by_name;
use super::Walker;
use super::held::Held;
use crate::access::terms::{IntKind, Operator};
use crate::value::Value;

impl<'u> Walker<'_, 'u> {
    pub(super) fn unary(&mut self, expr: &'u Expr, op: UnaryOp, operand: &'u Expr) -> Held<'u> {
        match op {
            UnaryOp::Deref => self.loaded(expr),
            UnaryOp::AddressOf => match self.place(operand) {
                Some(Ok(pointer)) => {
                    // Code that has the address may change it.
                    if pointer.memory.is_none()
                        && let Some(name) = operand.as_plain_name()
                    {
                        self.forget(name, "its address is taken");
                    }
                    Held::Pointer(pointer)
                }
                Some(Err(why)) => Held::Other(why, None),
                None => Held::Other("the address of a variable".into(), None),
            },
            UnaryOp::PreIncrement | UnaryOp::PreDecrement => self.count(operand, op).1,
            UnaryOp::PostIncrement | UnaryOp::PostDecrement => self.count(operand, op).0,
            _ => {
                let held = self.value(operand);
                self.with_sign(op, held)
            }
        }
    }

    /// `-n`, `!n`, `~n`, `+n`.
    fn with_sign(&mut self, op: UnaryOp, held: Held<'u>) -> Held<'u> {
        let term = match (&held, op) {
            (Held::Int(term), _) => *term,
            (Held::Pointer(_) | Held::Null, UnaryOp::Not) => self.term_of(&held),
            _ => return held,
        };
        let terms = self.terms();
        Held::Int(match op {
            UnaryOp::Minus => {
                let zero = terms.number(0, IntKind::INT);
                terms.binary(Operator::Sub, zero, term)
            }
            UnaryOp::Not => terms.not(term),
            UnaryOp::BitNot => terms.complement(term),
            _ => {
                let kind = terms.kind(term).promoted();
                terms.convert(term, kind)
            }
        })
    }

    /// `(ns::Index) - n`, which reads as a sum; nothing where the name is not a type.
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
