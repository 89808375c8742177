//! Folds over parameter packs, `(pack + ...)` ([expr.prim.fold]).

use tree_sitter_cute::tree::{BinaryOp, Expr};

use super::deduction::expands_open_pack;
use super::frame::Frame;
use super::on_values::binary;
use super::{Interpreter, construct};
use crate::reason::Reason;
use crate::value::{Truth, Value};
use crate::walk;

impl<'u> Interpreter<'u> {
    /// The value of a fold that changes nothing.
    pub(super) fn eval_fold(
        &mut self,
        expr: &'u Expr,
        op: BinaryOp,
        (left, right): (Option<&'u Expr>, Option<&'u Expr>),
        frame: &mut Frame<'u>,
    ) -> Value {
        let mut names: Vec<&'u str> = self
            .names_changed_in(&[], std::iter::once(expr), frame)
            .into_iter()
            .collect();
        names.sort_unstable();
        let changes = !names.is_empty();
        for name in names {
            self.change_name(name, frame);
        }
        let has_pack = |side: Option<&'u Expr>| side.is_some_and(|side| names_pack(side, frame));
        let (pattern, init, begins_left) = match (has_pack(left), has_pack(right)) {
            (true, false) => (left, right, false),
            (false, true) => (right, left, true),
            _ => return construct("a fold expression"),
        };
        let Some(pattern) = pattern.filter(|_| !changes) else {
            return construct("a fold expression");
        };
        let mut terms = self.expanded(pattern, frame);
        if let Some(open) = expands_open_pack(&terms) {
            return Value::Unknown(open);
        }
        let init = init.map(|init| self.eval(init, frame));
        if begins_left {
            terms.splice(0..0, init);
        } else {
            terms.extend(init);
            terms.reverse();
        }
        let mut terms = terms.into_iter();
        let Some(first) = terms.next() else {
            return of_nothing(op);
        };
        terms.fold(first, |sum, term| {
            let (a, b) = if begins_left {
                (sum, term)
            } else {
                (term, sum)
            };
            combined(op, a, b)
        })
    }
}

/// Whether an expression names a pack.
fn names_pack(expr: &Expr, frame: &Frame<'_>) -> bool {
    let mut found = false;
    walk::subexpressions(expr, &mut |part| {
        let first = part.as_path().and_then(|path| path.segments.first());
        found |= first
            .and_then(|first| frame.find(&first.name.name))
            .is_some_and(|variable| matches!(variable.value, Value::Pack(_)));
    });
    found
}

/// The value of a fold over an empty pack.
fn of_nothing(op: BinaryOp) -> Value {
    match op {
        BinaryOp::And => known(true),
        BinaryOp::Or => known(false),
        BinaryOp::Comma => Value::Nothing,
        _ => construct("a fold over nothing"),
    }
}

fn known(value: bool) -> Value {
    Value::Bool(Truth {
        value,
        fixed: false,
    })
}

/// One step. The width of a sum of numbers depends on their types, which values do not say.
fn combined(op: BinaryOp, a: Value, b: Value) -> Value {
    if op == BinaryOp::Comma {
        return b;
    }
    let is_dynamic = |value: &Value| matches!(value, Value::Int(int) if !int.is_static());
    let depends = is_dynamic(&a) || is_dynamic(&b);
    let value = binary(op, a, b);
    match &value {
        Value::Int(int) if depends && int.value().is_some_and(|it| !(0..1 << 31).contains(&it)) => {
            Value::Unknown(Reason::RunTime("a sum of numbers of several types".into()))
        }
        _ => value,
    }
}
