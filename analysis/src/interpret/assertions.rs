//! `static_assert` on layout facts: a false one is a finding, with the numbers.

use cute_algebra::sentence::FIRST_LINE;
use tree_sitter_cute::tree::{BinaryOp, Expr, ExprKind, Qualifier, Span, StaticAssert};

use super::Interpreter;
use super::frame::Frame;
use crate::finding::{Finding, Number, Related, Severity};
use crate::value::{Kind, Value};
use crate::walk;

/// The rule of an assertion that does not hold.
const STATIC_ASSERT_FAILS: &str = "static-assert-fails";

/// The largest number that every type of C++ holds which sizes are counted in.
const SMALL: i64 = 32767;

impl<'u> Interpreter<'u> {
    /// Evaluates an assertion. One that speaks of layouts and is false for certain is reported.
    pub(super) fn exec_static_assert(
        &mut self,
        assert: &'u StaticAssert,
        span: Span,
        frame: &mut Frame<'u>,
    ) {
        // The names of the condition are known from its mentions.
        let keeps_uses = std::mem::replace(&mut self.recorder.keeps_uses, true);
        let met = self.recorder.output.mentions.len();
        self.judge_static_assert(assert, span, met, frame);
        self.recorder.keeps_uses = keeps_uses;
        if !keeps_uses {
            self.recorder.output.mentions.truncate(met);
        }
    }

    /// The same; `met` is how much had been mentioned before.
    fn judge_static_assert(
        &mut self,
        assert: &'u StaticAssert,
        span: Span,
        met: usize,
        frame: &mut Frame<'u>,
    ) {
        let holds = self.eval(&assert.condition, frame);
        if is_false(&holds) && frame.mode.recording && !frame.mode.uncertain {
            self.note_refuted(&assert.condition);
        }
        if is_false(&holds) && !frame.mode.uncertain {
            self.never_compiled(frame);
        }
        let judged = !frame.mode.uncertain && self.recorder.keeps(span, frame);
        if !judged || !is_false(&holds) {
            return;
        }
        let Some(part) = self.failing_part(&assert.condition, frame) else {
            return;
        };
        if !self.speaks_of_layouts(part.span, met)
            && !self.is_of_types_of_layouts(part, frame)
            && !self.is_of_small_numbers(part, frame)
        {
            return;
        }
        let compared = self.compared(part, frame);
        let mut numbers = Vec::new();
        let mut message = "the assertion is false".to_owned();
        if let Some((left, right)) = compared {
            let sides = format!("left is {left}, right is {right}");
            let is_short = message.len() + sides.len() + 2 <= FIRST_LINE;
            message = format!("{message}{}{sides}", if is_short { ": " } else { "\n" });
            numbers.push(("left".to_owned(), number(&left)));
            numbers.push(("right".to_owned(), number(&right)));
        }
        let related = (part.span != assert.condition.span).then(|| Related {
            span: part.span,
            message: "this part is false".to_owned(),
        });
        let finding = Finding {
            numbers,
            related: related.into_iter().collect(),
            instance: frame.owner.instance.as_deref().map(str::to_owned),
            ..Finding::new(
                STATIC_ASSERT_FAILS,
                Severity::Error,
                assert.condition.span,
                message,
            )
        };
        self.recorder
            .output
            .findings
            .extend(self.computed.reports.calls_made.admit(finding));
    }

    /// A function with a false assertion is not compiled in this instance: its overload is, of a class that has another one.
    fn never_compiled(&mut self, frame: &Frame<'u>) {
        let run = frame
            .actions
            .run
            .and_then(|run| self.computed.reports.runs.get_mut(run));
        if let Some(run) = run.filter(|run| !run.is_kernel()) {
            run.is_uncertain = true;
        }
    }

    /// The first part of a conjunction that is false.
    fn failing_part(&mut self, condition: &'u Expr, frame: &mut Frame<'u>) -> Option<&'u Expr> {
        if let ExprKind::Binary(BinaryOp::And, left, right) = &condition.kind {
            return self
                .failing_part(left, frame)
                .or_else(|| self.failing_part(right, frame));
        }
        let value = self.eval(condition, frame);
        is_false(&value).then_some(condition)
    }

    /// The two sides of a comparison.
    fn compared(&mut self, part: &'u Expr, frame: &mut Frame<'u>) -> Option<(Value, Value)> {
        let ExprKind::Binary(op, left, right) = &part.kind else {
            return None;
        };
        let compares = matches!(
            op,
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge
        );
        compares.then(|| (self.eval(left, frame), self.eval(right, frame)))
    }

    /// Whether a condition compares known numbers only, by names of constants and template parameters, and each of
    /// its parts is one that every integer type of C++ has: no conversion makes it another.
    fn is_of_small_numbers(&mut self, condition: &'u Expr, frame: &mut Frame<'u>) -> bool {
        let mut named = false;
        let mut parts: Vec<&'u Expr> = vec![condition];
        while let Some(part) = parts.pop() {
            match &part.kind {
                ExprKind::Int(_) => {}
                ExprKind::Name(_) if part.as_plain_name().is_some() => named = true,
                ExprKind::Binary(_, left, right) => parts.extend([&**left, &**right]),
                _ => return false,
            }
            let value = self.eval(part, frame);
            let is_small = match &value {
                Value::Int(int) => int.value().is_some_and(|int| (0..=SMALL).contains(&int)),
                Value::Bool(_) => std::ptr::eq(part, condition),
                _ => false,
            };
            if !is_small {
                return false;
            }
        }
        named
    }

    /// Whether a layout, a tensor or a value made of them was met in a span since so much had been mentioned.
    fn speaks_of_layouts(&self, span: Span, met: usize) -> bool {
        let met = self.recorder.output.mentions.iter().skip(met);
        met.into_iter()
            .any(|mention| span.encloses(mention.span) && is_made_of_layouts(mention.value.kind()))
    }

    /// Whether a condition has a type of a layout or of a value made of them: `decltype(size<0>(tile))::value`.
    fn is_of_types_of_layouts(&mut self, condition: &'u Expr, frame: &mut Frame<'u>) -> bool {
        let mut named: Vec<&'u Expr> = Vec::new();
        walk::subexpressions(condition, &mut |part| {
            if let ExprKind::Name(path) = &part.kind
                && let Qualifier::Type(ty) = &path.qualifier
            {
                walk::subexpressions(ty, &mut |part| named.push(part));
            }
        });
        named.into_iter().any(|part| {
            part.as_plain_name().is_some() && is_made_of_layouts(self.eval(part, frame).kind())
        })
    }
}

/// Whether values of a kind are layouts, or made of them.
fn is_made_of_layouts(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Layout
            | Kind::ComposedLayout
            | Kind::Tensor
            | Kind::Tuple
            | Kind::TiledCopy
            | Kind::ThrCopy
            | Kind::TiledMma
            | Kind::ThrMma
            | Kind::CopyAtom
            | Kind::MmaAtom
            | Kind::Swizzle
    )
}

/// Whether it is known to be false. An asserted condition has to be constant, so a known number is one.
fn is_false(value: &Value) -> bool {
    match value {
        Value::Bool(truth) => !truth.value,
        Value::Int(int) => int.value() == Some(0),
        _ => false,
    }
}

fn number(value: &Value) -> Number {
    match value {
        Value::Int(int) => match int.value() {
            Some(known) => Number::Integer(known),
            None => Number::Text(int.to_string()),
        },
        other => Number::Text(other.to_string()),
    }
}
