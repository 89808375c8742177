//! Expressions that give a variable, or a place in memory, a value.

use std::sync::Arc;

use tree_sitter_cute::tree::{Assignment, BinaryOp, Expr, ExprKind, Span, UnaryOp};

use super::Walker;
use super::held::{Held, Pointer, Ty};
use crate::access::stored::StoredTerm;
use crate::access::terms::IntKind;
use crate::access::{AccessKind, Met};

impl<'u> Walker<'_, 'u> {
    /// `x++` and its kin: the values before and after.
    pub(super) fn count(&mut self, operand: &'u Expr, op: UnaryOp) -> (Held<'u>, Held<'u>) {
        let before = self.value(operand);
        let one = self.number(1, IntKind::INT);
        let is_down = matches!(op, UnaryOp::PreDecrement | UnaryOp::PostDecrement);
        let operator = if is_down {
            BinaryOp::Sub
        } else {
            BinaryOp::Add
        };
        let after = self.operation(operator, before.clone(), one);
        self.store(operand, after.clone());
        (before, after)
    }

    pub(super) fn assign(&mut self, assignment: &'u Assignment) -> Held<'u> {
        let first = self.out.met.len();
        let mut held = self.value(&assignment.value);
        let element = self
            .only_load(first, assignment.value.span)
            .filter(|_| assignment.op.is_none());
        if let Some(op) = assignment.op {
            let before = self.value(&assignment.target);
            let (before, own) = if self.it.is_rust() {
                let is_open = self.is_open_literal(&assignment.value);
                self.literals_of_rust((before, held), (false, is_open))
            } else {
                (before, held)
            };
            held = self.operation(op, before, own);
        }
        self.comes_from(&held, &assignment.value, assignment.value.span);
        self.store(&assignment.target, held.clone());
        if let Some(last) = self.out.met.last_mut()
            && last.kind == AccessKind::Store
            && last.span == assignment.target.span
        {
            last.stored = last.stored.take().or(element);
        }
        held
    }

    /// The element that an expression is, where nothing else is loaded in it.
    fn only_load(&self, first: usize, place: Span) -> Option<StoredTerm> {
        match self.out.met.get(first..)? {
            [
                Met {
                    kind: AccessKind::Load,
                    address: Ok((memory, offset)),
                    span,
                    ..
                },
            ] if *span == place => Some(StoredTerm::Element(Arc::clone(memory), *offset)),
            _ => None,
        }
    }

    /// Gives a variable or a place in memory a value.
    pub(super) fn store(&mut self, target: &'u Expr, held: Held<'u>) {
        if let Some(name) = target.as_plain_name().or(self.own_member(target))
            && let Some(local) = self.find(name)
        {
            if let Held::Pointed(place) = local.held.clone() {
                self.stored(target, &Ok(place), &held);
                return;
            }
            let ty = local.ty.clone();
            let held = self.converted(held, &ty);
            let held = self.as_object(held, &ty);
            let held = self.followed(name, held);
            if let Some(local) = self.find_mut(name) {
                local.held = held;
            }
            return;
        }
        if let ExprKind::Unary(UnaryOp::Deref, inner) = &target.kind
            && self.behind_reference(inner).is_some()
        {
            return self.store(inner, held);
        }
        if self.store_member(target, &held)
            || self.store_element(target, &held)
            || self.changes_given(target)
        {
            return;
        }
        if let Some(place) = self.place(target) {
            self.stored(target, &place, &held);
        }
    }

    fn stored(&mut self, target: &'u Expr, place: &Result<Pointer, Arc<str>>, held: &Held<'u>) {
        let stored = match (held, place) {
            (
                Held::Int(term),
                Ok(Pointer {
                    target: Ty::Int(kind),
                    ..
                }),
            ) => Some(StoredTerm::Number(self.out.terms.convert(*term, *kind))),
            // An integer as a number of another type is the same for the same integer only where it is exact.
            _ => None,
        };
        self.met(target.span, AccessKind::Store, place, stored);
    }
}
