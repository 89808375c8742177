//! The integers of Rust: their methods, and the types of counters.

use tree_sitter_cute::tree::{BinaryOp, Expr, ExprKind, Item, ItemKind, Loop};

use super::super::Walker;
use super::super::held::{Held, Local, Ty};
use crate::access::terms::{Operator, TermId};

/// The largest exponent of a power that is multiplied out.
const EXPONENT: i64 = 8;

impl<'u> Walker<'_, 'u> {
    /// The counter of `for i in 0..n` has the type of `n`.
    pub(in crate::interpret::accesses) fn type_of_counter(&mut self, repeat: &'u Loop) {
        let Some(Expr {
            kind: ExprKind::Binary(BinaryOp::Lt | BinaryOp::Le, counter, end),
            ..
        }) = &repeat.condition
        else {
            return;
        };
        let [
            Item {
                kind: ItemKind::Binding(binding),
                ..
            },
        ] = repeat.init.as_slice()
        else {
            return;
        };
        let is_open = |init: &Expr| matches!(init.kind, ExprKind::Int(_));
        let is_auto = binding
            .ty
            .as_ref()
            .is_some_and(|ty| ty.kind == ExprKind::Auto);
        if !is_auto || !binding.init.as_ref().is_some_and(is_open) || is_open(end) {
            return;
        }
        // Each pass evaluates the end, and its accesses, later.
        let (end, _) = self.aside(|it| it.term(end));
        let first = self.term(counter);
        let kind = self.out.terms.kind(end);
        let first = self.terms().convert(first, kind);
        if let Some(name) = &binding.name {
            self.declare(&name.name, Local::own(Held::Int(first), Ty::Int(kind)));
        }
    }

    /// A method of a number that is more than one operation.
    pub(super) fn method_of_number(
        &mut self,
        number: TermId,
        (name, args): (&str, &'u [Expr]),
    ) -> Option<Held<'u>> {
        let kind = self.out.terms.kind(number);
        let known = match name {
            "abs" => args.is_empty(),
            "clamp" => args.len() == 2,
            "pow" => args.len() == 1,
            "abs_diff" | "div_ceil" | "div_euclid" | "is_multiple_of" | "next_multiple_of"
            | "rem_euclid" | "saturating_sub" => args.len() == 1 && !kind.signed,
            _ => false,
        };
        if !known {
            return None;
        }
        let given: Vec<TermId> = args.iter().map(|arg| self.term(arg)).collect();
        let terms = self.terms();
        let given: Vec<TermId> = given
            .into_iter()
            .map(|term| terms.convert(term, kind))
            .collect();
        let zero = terms.number(0, kind);
        let result = match (name, given.as_slice()) {
            ("abs", []) => {
                let opposite = terms.binary(Operator::Sub, zero, number);
                terms.binary(Operator::Max, number, opposite)
            }
            ("clamp", [least, most]) => {
                let above = terms.binary(Operator::Max, number, *least);
                terms.binary(Operator::Min, above, *most)
            }
            ("pow", [exponent]) => {
                let exponent = terms.as_number(*exponent);
                let exponent = exponent.filter(|it| (0..=EXPONENT).contains(it))?;
                let mut power = terms.number(1, kind);
                for _ in 0..exponent {
                    power = terms.binary(Operator::Mul, power, number);
                }
                power
            }
            ("abs_diff", [other]) => {
                let is_less = terms.binary(Operator::Less, number, *other);
                let up = terms.binary(Operator::Sub, *other, number);
                let down = terms.binary(Operator::Sub, number, *other);
                terms.select(is_less, up, down)
            }
            ("div_euclid", [by]) => terms.binary(Operator::Div, number, *by),
            ("rem_euclid", [by]) => terms.binary(Operator::Rem, number, *by),
            ("is_multiple_of", [by]) => {
                let rest = terms.binary(Operator::Rem, number, *by);
                terms.binary(Operator::Equal, rest, zero)
            }
            ("saturating_sub", [other]) => {
                let is_less = terms.binary(Operator::Less, number, *other);
                let down = terms.binary(Operator::Sub, number, *other);
                terms.select(is_less, zero, down)
            }
            ("div_ceil", [by]) => self.rounded_up(number, *by),
            ("next_multiple_of", [by]) => {
                let count = self.rounded_up(number, *by);
                self.terms().binary(Operator::Mul, count, *by)
            }
            _ => return None,
        };
        Some(Held::Int(result))
    }

    /// The quotient of two numbers that are not below 0, one more where something remains.
    fn rounded_up(&mut self, number: TermId, by: TermId) -> TermId {
        let terms = self.terms();
        let kind = terms.kind(number);
        let quotient = terms.binary(Operator::Div, number, by);
        let rest = terms.binary(Operator::Rem, number, by);
        let more = terms.truth(rest);
        let (one, zero) = (terms.number(1, kind), terms.number(0, kind));
        let more = terms.select(more, one, zero);
        terms.binary(Operator::Add, quotient, more)
    }
}
