//! From an expression to the names behind it.

use std::ops::Range;

use tree_sitter_cute::tree::{Expr, ExprKind, Span, UnaryOp};

use super::Seen;
use crate::trace::Action;
use crate::walk;

/// Initialisers that are followed from one variable to the next.
const FOLLOWED: usize = 16;

/// The name that a call is called by.
pub(super) fn callee_name(call: &Expr) -> Span {
    let ExprKind::Call(callee, _) = &call.kind else {
        return call.span;
    };
    match &callee.kind {
        ExprKind::Name(path) => path.last().map_or(callee.span, |segment| segment.name.span),
        ExprKind::Member { member, .. } => member.name.span,
        _ => callee.span,
    }
}

/// The anchor of an action: the word that is called.
pub(super) fn anchor(action: &Action<'_>) -> Span {
    callee_name(action.call)
}

impl<'u> Seen<'_, 'u> {
    /// Where the variable is declared that an expression is, slices or points to: `t`, `t(_,k)`,
    /// `&t`, `t[i]`, `t.data()`.
    pub(super) fn variable(&self, expr: &Expr) -> Option<Span> {
        match &expr.kind {
            ExprKind::Name(path) => {
                let name = path.last()?.name.span;
                self.output.declarations.get(&name).copied()
            }
            ExprKind::Call(callee, args) => match &callee.kind {
                // A slice, not the call of a function: that has no declared value.
                ExprKind::Name(_) => self.variable(callee),
                ExprKind::Member { object, .. } if args.is_empty() => self.variable(object),
                _ => None,
            },
            ExprKind::Unary(_, inner) | ExprKind::Cast(_, _, inner) => self.variable(inner),
            ExprKind::Index(base, _) => self.variable(base),
            _ => None,
        }
    }

    /// What the variable declared at a place is initialised with.
    pub(super) fn initialiser(&self, declared: Span) -> Option<&'u Expr> {
        self.initialisers.get(&declared).copied()
    }

    /// The variable that is initialised with exactly this expression.
    pub(super) fn initialised_by(&self, span: Span) -> Option<Span> {
        self.initialisers
            .iter()
            .find(|(declared, init)| init.span == span && declared.start < span.start)
            .map(|(declared, _)| *declared)
    }

    /// Whether the variable declared at a place is assigned to, or counted, in a piece of the function.
    pub(super) fn is_assigned(&self, declared: Span, within: Range<usize>) -> bool {
        let mut assigned = false;
        walk::expressions(self.run.body(), &mut |expr| {
            let target = match &expr.kind {
                ExprKind::Assign(assignment) => &assignment.target,
                ExprKind::Unary(
                    UnaryOp::PreIncrement
                    | UnaryOp::PreDecrement
                    | UnaryOp::PostIncrement
                    | UnaryOp::PostDecrement,
                    target,
                ) => target,
                _ => return,
            };
            assigned |=
                within.contains(&expr.span.start) && self.variable(target) == Some(declared);
        });
        assigned
    }

    /// The name declared at a place, as it is written.
    pub(super) fn written(&self, span: Span) -> &str {
        span.text(self.file.text())
    }

    /// An expression without the variables in front of it: what they are initialised with.
    pub(super) fn resolved(&self, expr: &'u Expr) -> &'u Expr {
        let mut expr = expr;
        for _ in 0..FOLLOWED {
            let next = match &expr.kind {
                ExprKind::Cast(_, _, inner) => Some(&**inner),
                ExprKind::Construct { args, .. } => match args.as_slice() {
                    [only] => Some(only),
                    _ => None,
                },
                ExprKind::Name(_) => self
                    .variable(expr)
                    .and_then(|declared| self.initialiser(declared)),
                _ => None,
            };
            match next {
                Some(next) => expr = next,
                None => break,
            }
        }
        expr
    }
}
