//! Tokens of arrivals: a wait for one is for the phase in which the thread arrived (`cuda::barrier`).

use tree_sitter_cute::tree::{Expr, ExprKind, Span};

use super::super::called::Called;
use super::{Done, Event, Stopped, Thread};
use crate::trace::ActionKind;

impl<'u> Thread<'_, '_, 'u> {
    /// Performs the arrival that a variable is initialised with, and keeps its token.
    pub(super) fn hold(&mut self, declared: Span, init: Option<&'u Expr>) -> Done<()> {
        let Some(init) = init.filter(|init| self.part.is_some() && self.has_action(init)) else {
            return Ok(());
        };
        // A pipeline sets its barriers up.
        let own = self.followed.actions.get(&init.span);
        if own.is_some_and(|action| action.kind == ActionKind::InitBarrier) {
            return Ok(());
        }
        let token = self.arrival(init)?.ok_or(Stopped)?;
        self.cuda.tokens.insert(declared, token);
        Ok(())
    }

    /// The same of an assignment; whether it is one.
    pub(super) fn held(&mut self, expr: &'u Expr) -> Done<bool> {
        let ExprKind::Assign(assignment) = &expr.kind else {
            return Ok(false);
        };
        if self.part.is_none() || !self.has_action(&assignment.value) {
            return Ok(false);
        }
        let declared = assignment
            .target
            .as_plain_name()
            .and_then(|_| self.seen.variable(&assignment.target))
            .filter(|_| assignment.op.is_none())
            .ok_or(Stopped)?;
        self.hold(declared, Some(&assignment.value))?;
        Ok(true)
    }

    /// The event of the arrival whose token an expression is; an arrival in it happens.
    pub(super) fn arrival(&mut self, expr: &'u Expr) -> Done<Option<usize>> {
        match &expr.kind {
            ExprKind::Cast(_, _, inner) => self.arrival(inner),
            ExprKind::Name(_) => {
                let declared = self.seen.variable(expr);
                Ok(declared.and_then(|declared| self.cuda.tokens.get(&declared).copied()))
            }
            ExprKind::Call(..) => {
                if let Some(action) = self.followed.actions.get(&expr.span).copied() {
                    self.action(action)?;
                    let is_arrival = matches!(
                        action.kind,
                        ActionKind::Arrive | ActionKind::ArriveAndExpect
                    );
                    return Ok(self.last_arrival().filter(|_| is_arrival));
                }
                match Called::of(expr) {
                    Some(Called {
                        name: "move",
                        args: [only],
                        ..
                    }) => self.arrival(only),
                    _ => Ok(None),
                }
            }
            _ => Ok(None),
        }
    }

    /// The event of the last arrival.
    pub(super) fn last_arrival(&self) -> Option<usize> {
        let arrives = |event: &Event<'_, '_>| matches!(event, Event::Announce(_, _, _, true));
        self.events.iter().rposition(arrives)
    }
}
