//! Loops whose number of passes is known.

use tree_sitter_cute::tree::{BinaryOp, ExprKind, ItemKind, Loop, LoopKind, Span, UnaryOp};

use super::Interpreter;
use super::frame::Frame;
use crate::trace::Counter;
use crate::value::Value;

impl<'u> Interpreter<'u> {
    /// Number of times that the body of a loop is entered, where its bounds are known.
    pub(super) fn trips(
        &mut self,
        repeat: &'u Loop,
        item: Span,
        frame: &mut Frame<'u>,
    ) -> Option<i64> {
        let run = frame.actions.run?;
        let (LoopKind::For, [init]) = (repeat.kind, repeat.init.as_slice()) else {
            return None;
        };
        let ItemKind::Binding(counter) = &init.kind else {
            return None;
        };
        let declared = counter.name.as_ref()?;
        let name = declared.name.as_str();
        let ExprKind::Binary(comparison, left, right) = &repeat.condition.as_ref()?.kind else {
            return None;
        };
        if left.as_plain_name() != Some(name) {
            return None;
        }
        let recording = frame.mode.pause();
        let first = counter.init.as_ref().map(|init| self.eval(init, frame));
        let bound = self.eval(right, frame);
        let by = match repeat.step.as_ref().map(|step| &step.kind) {
            Some(ExprKind::Unary(UnaryOp::PreIncrement | UnaryOp::PostIncrement, counted))
                if counted.as_plain_name() == Some(name) =>
            {
                Some(1)
            }
            Some(ExprKind::Assign(assignment))
                if assignment.op == Some(BinaryOp::Add)
                    && assignment.target.as_plain_name() == Some(name) =>
            {
                self.eval(&assignment.value, frame)
                    .as_int()
                    .and_then(cute_algebra::Int::value)
            }
            _ => None,
        };
        frame.mode.recording = recording;
        let number = |value: &Value| value.as_int().and_then(cute_algebra::Int::value);
        let (first, bound, by) = (number(first.as_ref()?)?, number(&bound)?, by?);
        let last = match comparison {
            BinaryOp::Lt | BinaryOp::Ne => bound,
            BinaryOp::Le => bound.checked_add(1)?,
            _ => return None,
        };
        let span = last.checked_sub(first)?.max(0);
        if by <= 0 {
            return None;
        }
        let trips = span.checked_add(by - 1)? / by;
        if let Some(run) = self.computed.reports.runs.get_mut(run) {
            run.counters.push(Counter {
                repeat: item,
                declared: declared.span,
                last: first + by * (trips - 1),
                trips,
            });
        }
        Some(trips)
    }
}
