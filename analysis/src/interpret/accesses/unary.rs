//! Operators with one operand.

use tree_sitter_cute::tree::{Expr, UnaryOp};

use super::Walker;
use super::held::Held;
use crate::access::terms::{IntKind, Operator};

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
    pub(super) fn with_sign(&mut self, op: UnaryOp, held: Held<'u>) -> Held<'u> {
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
}
