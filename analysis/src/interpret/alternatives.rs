//! The values of `?:`.

use cute_algebra::Int;
use tree_sitter_cute::tree::Expr;

use super::Interpreter;
use super::frame::Frame;
use crate::options::Integers;
use crate::reason::Reason;
use crate::value::{Truth, Value};

/// The most characters of the name of a number that is one of two.
pub(super) const LONGEST_CHOICE: usize = 64;

impl<'u> Interpreter<'u> {
    /// The value of a side; of one that is not taken, only the type matters.
    fn eval_side(&mut self, side: &'u Expr, is_left_out: bool, frame: &mut Frame<'u>) -> Value {
        self.nesting.left_out += usize::from(is_left_out);
        let value = self.eval(side, frame);
        self.nesting.left_out -= usize::from(is_left_out);
        value
    }

    pub(super) fn eval_ternary(
        &mut self,
        condition: &'u Expr,
        then: &'u Expr,
        otherwise: &'u Expr,
        frame: &mut Frame<'u>,
    ) -> Value {
        let asked = condition.span;
        let condition = self.eval(condition, frame).as_truth();
        let sides = (then, otherwise);
        let then = self.eval_side(then, condition == Some(false), frame);
        let otherwise = self.eval_side(otherwise, condition == Some(true), frame);
        // Arrays of one type stay one.
        let (then, otherwise) = if then == otherwise {
            (then, otherwise)
        } else {
            (then.decayed(), otherwise.decayed())
        };
        if self.settings.is_cpp()
            && self.settings.integers == Integers::Cute
            && let Some(common) = in_common_type(&then, &otherwise)
        {
            let (then, otherwise) = common;
            return match condition {
                Some(true) => then,
                Some(false) => otherwise,
                None => either(self.written(asked), &then, &otherwise, frame),
            };
        }
        match condition {
            Some(first) => {
                let taken = if first { &then } else { &otherwise };
                self.common_integer(sides, (&then, &otherwise), taken, frame)
                    .unwrap_or_else(|| taken.clone())
            }
            None if then == otherwise => then,
            None => either(self.written(asked), &then, &otherwise, frame),
        }
    }
}

/// The sides of `?:` where their types differ and both become integers or numbers: constants of CuTe's and truth values
/// do beside others ([expr.cond]). `None` where they keep their types.
pub(super) fn in_common_type(a: &Value, b: &Value) -> Option<(Value, Value)> {
    let number = |value: &Value| match value {
        Value::Number(scalar) => Some(*scalar),
        _ => None,
    };
    if let Some(wider) = match (number(a), number(b)) {
        (Some(a), Some(b)) if a != b => Some(if a.bits >= b.bits { a } else { b }),
        (Some(only), None) | (None, Some(only)) => {
            Some(only).filter(|only| only.class != crate::types::ScalarClass::Char)
        }
        _ => None,
    } {
        let is_arithmetic =
            |value: &Value| matches!(value, Value::Int(_) | Value::Bool(_) | Value::Number(_));
        let both = || Value::Number(wider);
        return (is_arithmetic(a) && is_arithmetic(b)).then(|| (both(), both()));
    }
    match (a, b) {
        // A character becomes a number, which is not followed.
        (Value::Number(_), Value::Int(_) | Value::Bool(_))
        | (Value::Int(_) | Value::Bool(_), Value::Number(_)) => {
            let promoted = |value: &Value| match value {
                Value::Int(int) => Value::Int(int.to_dynamic()),
                Value::Bool(truth) => Value::Int(truth.to_int().to_dynamic()),
                _ => Value::Unknown(Reason::RunTime("a character as a number".into())),
            };
            Some((promoted(a), promoted(b)))
        }
        (Value::Int(x), Value::Int(y)) if x.is_static() && y.is_static() && x == y => None,
        (Value::Int(x), Value::Int(y)) if x.is_static() || y.is_static() => {
            Some((Value::Int(x.to_dynamic()), Value::Int(y.to_dynamic())))
        }
        (Value::Bool(x), Value::Bool(y)) if (x.fixed || y.fixed) && x != y => Some((
            Value::Bool(Truth::run_time(x.value)),
            Value::Bool(Truth::run_time(y.value)),
        )),
        (Value::Int(x), Value::Bool(y)) => Some((
            Value::Int(x.to_dynamic()),
            Value::Int(y.to_int().to_dynamic()),
        )),
        (Value::Bool(x), Value::Int(y)) => Some((
            Value::Int(x.to_int().to_dynamic()),
            Value::Int(y.to_dynamic()),
        )),
        _ => None,
    }
}

/// The name of a number that is one of two: `(varlen ? 1 : b)`; where that is long, the longer side is an ellipsis, and
/// then the condition.
pub(super) fn one_of(condition: &str, a: &Int, b: &Int) -> String {
    const LEFT_OUT: &str = "…";
    let condition = condition.split_whitespace().collect::<Vec<_>>().join(" ");
    let condition = member_of_path(&condition);
    // A choice on the other side of `:` needs no parentheses, as in C++.
    let (yes, no) = (format!("{a:#}"), format!("{b:#}"));
    let no = as_last_side(&no);
    let shorter = if yes.chars().count() > no.chars().count() {
        (LEFT_OUT, no)
    } else {
        (yes.as_str(), LEFT_OUT)
    };
    let names = [
        (condition, yes.as_str(), no),
        (condition, shorter.0, shorter.1),
        (condition, LEFT_OUT, LEFT_OUT),
    ];
    let mut written = names
        .into_iter()
        .map(|(condition, yes, no)| format!("({condition} ? {yes} : {no})"))
        .filter(|name| name.chars().count() <= LONGEST_CHOICE);
    let first = written.next();
    first.unwrap_or_else(|| format!("({LEFT_OUT} ? {LEFT_OUT} : {LEFT_OUT})"))
}

/// Whether a number has the name of a choice, of [`one_of`].
pub(super) fn is_choice(name: &str) -> bool {
    name.starts_with('(') && name.contains(" ? ")
}

/// The words for the choice between two values, with the condition where it is a name.
pub(super) fn decided_by(condition: &str) -> String {
    let of_name = |character: char| character.is_alphanumeric() || matches!(character, '_' | '.');
    let is_name = !condition.is_empty() && condition.chars().all(of_name);
    if is_name {
        format!("`{condition}`")
    } else {
        "the side of `?:` that is taken".to_owned()
    }
}

/// The member that a path of members ends with: `is_causal` of `params.is_causal`. Any other condition is unchanged.
pub(super) fn member_of_path(condition: &str) -> &str {
    let is_path = condition
        .chars()
        .all(|character| character.is_alphanumeric() || matches!(character, '_' | '.'));
    match condition.rsplit_once('.') {
        Some((_, member)) if is_path => member,
        _ => condition,
    }
}

/// A number without the parentheses around all of it, where it is a choice.
pub(super) fn as_last_side(number: &str) -> &str {
    let inside = number
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'));
    inside
        .filter(|inside| inside.contains(" ? ") && is_balanced(inside))
        .unwrap_or(number)
}

/// Whether each parenthesis of a text has its partner in it.
pub(super) fn is_balanced(text: &str) -> bool {
    let mut open = 0_usize;
    for character in text.chars() {
        match character {
            '(' => open += 1,
            ')' if open == 0 => return false,
            ')' => open -= 1,
            _ => {}
        }
    }
    open == 0
}

/// One of two values of a type: parts that differ are symbols.
pub(super) fn either(condition: &str, a: &Value, b: &Value, frame: &mut Frame<'_>) -> Value {
    match (a, b) {
        (Value::Unknown(_), _) => a.clone(),
        (_, Value::Unknown(_)) => b.clone(),
        _ if a == b => a.clone(),
        (Value::Int(x), Value::Int(y)) if !(x.is_static() && y.is_static()) => {
            let name = frame.symbol_name(&one_of(condition, x, y));
            Value::Int(Int::symbol(&name))
        }
        (Value::Tuple(x), Value::Tuple(y)) if x.len() == y.len() => Value::Tuple(
            x.iter()
                .zip(y)
                .map(|(x, y)| either(condition, x, y, frame))
                .collect(),
        ),
        _ => Value::Unknown(Reason::RunTime(decided_by(condition).into())),
    }
}
