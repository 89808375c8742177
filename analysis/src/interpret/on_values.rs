//! Operators on values.

use cute_algebra::Int;
use cute_algebra::stride::add_points;
use tree_sitter_cute::tree::BinaryOp;

use super::construct;
use crate::reason::Reason;
use crate::types::{Scalar, ScalarClass, Type};
use crate::value::{Truth, Value};

/// The value of a binary operator.
pub(super) fn binary(op: BinaryOp, a: Value, b: Value) -> Value {
    let number = |value: Value| value.part_as_number().map_or(value, Value::Int);
    let (a, b) = (number(a), number(b));
    match (&a, &b) {
        // Whatever is added to a pointer leaves it one of its type (C++ [expr.add]).
        (Value::Pointer(_), Value::Unknown(Reason::RunTime(_))) if op == BinaryOp::Add => a,
        (Value::Unknown(Reason::RunTime(_)), Value::Pointer(_)) if op == BinaryOp::Add => b,
        (Value::Unknown(_), _) => truth_of_known_side(op, &b).unwrap_or(a),
        (_, Value::Unknown(_)) => truth_of_known_side(op, &a).unwrap_or(b),
        (Value::Bool(_) | Value::Int(_), Value::Bool(_)) | (Value::Bool(_), Value::Int(_))
            if matches!(op, BinaryOp::And | BinaryOp::Or) =>
        {
            logical(op, &a, &b)
        }
        (Value::Int(x), Value::Int(y)) => on_integers(op, x, y),
        (Value::Bool(x), Value::Bool(y)) => on_integers(op, &x.to_int(), &y.to_int()),
        (Value::Bool(x), Value::Int(y)) => on_integers(op, &x.to_int(), y),
        (Value::Int(x), Value::Bool(y)) => on_integers(op, x, &y.to_int()),
        (Value::Number(_), Value::Int(_) | Value::Bool(_) | Value::Number(_))
        | (Value::Int(_) | Value::Bool(_), Value::Number(_))
            if !is_comparison(op) && common_number(&a, &b).is_none() =>
        {
            Value::Unknown(Reason::RunTime("a number".into()))
        }
        (Value::Number(scalar), Value::Int(_)) | (Value::Int(_), Value::Number(scalar))
            if matches!(
                op,
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div
            ) =>
        {
            Value::Number(*scalar)
        }
        (Value::Number(_), Value::Number(_))
            if matches!(
                op,
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div
            ) =>
        {
            common_number(&a, &b).map_or_else(|| no_operator(a), Value::Number)
        }
        (Value::Number(_), Value::Int(_) | Value::Bool(_) | Value::Number(_))
        | (Value::Int(_) | Value::Bool(_), Value::Number(_))
            if is_comparison(op) =>
        {
            run_time_truth()
        }
        (Value::Pointer(pointer), Value::Int(_)) if matches!(op, BinaryOp::Add | BinaryOp::Sub) => {
            Value::Pointer(pointer.clone())
        }
        (Value::Int(factor), Value::Delta(step)) | (Value::Delta(step), Value::Int(factor))
            if op == BinaryOp::Mul =>
        {
            step.scale(factor)
                .map_or_else(|refusal| refused(&refusal), Value::of_delta)
        }
        (Value::Delta(_), Value::Delta(_) | Value::Tuple(_))
        | (Value::Tuple(_), Value::Delta(_))
            if op == BinaryOp::Add =>
        {
            sum_of_points(&a, &b).unwrap_or_else(|| no_operator(a))
        }
        (
            Value::Tuple(_) | Value::Layout(_) | Value::Composed(_) | Value::Swizzle(_),
            Value::Tuple(_) | Value::Layout(_) | Value::Composed(_) | Value::Swizzle(_),
        ) if matches!(op, BinaryOp::Eq | BinaryOp::Ne) => equality(op, &a, &b),
        (Value::Type(x), Value::Type(y)) if matches!(op, BinaryOp::Eq | BinaryOp::Ne) => {
            match same_enumerator(x, y) {
                Some(same) => Value::Bool(Truth::run_time(same == (op == BinaryOp::Eq))),
                None => no_operator(a),
            }
        }
        _ => no_operator(a),
    }
}

/// The type of arithmetic with two numbers, one of which may be an integer; characters become integers, and mixtures
/// with other types of the libraries are decided by their operators.
pub(super) fn common_number(a: &Value, b: &Value) -> Option<Scalar> {
    let is_builtin = |scalar: Scalar| matches!(scalar.name, "float" | "double");
    match (a, b) {
        (Value::Number(a), Value::Number(b)) if a.class == ScalarClass::Float && a == b => Some(*a),
        (Value::Number(a), Value::Number(b)) if is_builtin(*a) && is_builtin(*b) => {
            Some(if a.bits >= b.bits { *a } else { *b })
        }
        (Value::Number(only), Value::Int(_)) | (Value::Int(_), Value::Number(only)) => {
            (only.class == ScalarClass::Float).then_some(*only)
        }
        _ => None,
    }
}

/// Whether two enumerators of one enum of the hardware's, `GMMA::Major::K`, are the same.
pub(super) fn same_enumerator(a: &Type, b: &Type) -> Option<bool> {
    let (Type::Named(a), Type::Named(b)) = (a, b) else {
        return None;
    };
    let (a_scope, a_name) = a.rsplit_once("::")?;
    let (b_scope, b_name) = b.rsplit_once("::")?;
    (a_scope == b_scope).then_some(a_name == b_name)
}

/// The sum of scaled bases and arithmetic tuples, as a tuple of coordinates.
pub(super) fn sum_of_points(a: &Value, b: &Value) -> Option<Value> {
    let point = |value: &Value| match value {
        Value::Delta(delta) => delta.to_point().ok(),
        other => other.to_shape(),
    };
    let sum = add_points(point(a)?.view(), point(b)?.view());
    Some(sum.map_or_else(|refusal| refused(&refusal), |sum| Value::of_shape(&sum)))
}

/// `false && x` and `true || x` do not depend on x.
pub(super) fn truth_of_known_side(op: BinaryOp, known: &Value) -> Option<Value> {
    let truth = known.as_truth()?;
    match op {
        BinaryOp::And if !truth => Some(Value::Bool(Truth::run_time(false))),
        BinaryOp::Or if truth => Some(Value::Bool(Truth::run_time(true))),
        _ => None,
    }
}

pub(super) fn logical(op: BinaryOp, a: &Value, b: &Value) -> Value {
    let fixed = a.is_static() && b.is_static();
    match (a.as_truth(), b.as_truth()) {
        (Some(x), Some(y)) => Value::Bool(Truth {
            value: if op == BinaryOp::And { x && y } else { x || y },
            fixed,
        }),
        (Some(_), None) => truth_of_known_side(op, a).unwrap_or_else(run_time_truth),
        (None, Some(_)) => truth_of_known_side(op, b).unwrap_or_else(run_time_truth),
        (None, None) => run_time_truth(),
    }
}

/// Equality of layouts and tuples: decided where all numbers are known.
pub(super) fn equality(op: BinaryOp, a: &Value, b: &Value) -> Value {
    if !a.is_known() || !b.is_known() {
        return run_time_truth();
    }
    let same = a.same_numbers(b);
    Value::Bool(Truth {
        value: same == (op == BinaryOp::Eq),
        fixed: a.is_static() && b.is_static(),
    })
}

pub(super) fn on_integers(op: BinaryOp, a: &Int, b: &Int) -> Value {
    let result = match op {
        BinaryOp::Add => a.add(b),
        BinaryOp::Sub => a.sub(b),
        BinaryOp::Mul => a.mul(b),
        BinaryOp::Div => a.div(b),
        BinaryOp::Rem => a.rem(b),
        _ => return on_known_integers(op, a, b),
    };
    match result {
        // An unsigned difference wraps, and which numbers are unsigned is not known here.
        Ok(int)
            if op == BinaryOp::Sub
                && !int.is_static()
                && int.value().is_some_and(|value| value < 0) =>
        {
            Value::Unknown(Reason::RunTime("a difference below zero".into()))
        }
        // A run-time 32-bit calculation may wrap where ours does not.
        Ok(int)
            if !int.is_static()
                && int
                    .value()
                    .is_some_and(|value| i32::try_from(value).is_err()) =>
        {
            Value::Unknown(Reason::RunTime("a number beyond 32 bits".into()))
        }
        Ok(int) => Value::Int(int),
        Err(refusal) => refused(&refusal),
    }
}

/// Operators that are decided only where both numbers are known: assumptions about symbols (extents are at least 1)
/// need not hold for the integers of a program.
pub(super) fn on_known_integers(op: BinaryOp, a: &Int, b: &Int) -> Value {
    let fixed = a.is_static() && b.is_static();
    let (Some(x), Some(y)) = (a.value(), b.value()) else {
        return if matches!(
            op,
            BinaryOp::Shl | BinaryOp::Shr | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor
        ) {
            shifted_symbol(op, a, b)
        } else {
            run_time_truth()
        };
    };
    let truth = |value| Value::Bool(Truth { value, fixed });
    let integer = |value: Option<i64>| match value {
        Some(value) if fixed => Value::Int(Int::fixed(value)),
        Some(value) if i32::try_from(value).is_ok() => Value::Int(Int::dynamic(value)),
        _ => Value::Unknown(Reason::RunTime("a number beyond 32 bits".into())),
    };
    match op {
        BinaryOp::Eq => truth(x == y),
        BinaryOp::Ne => truth(x != y),
        BinaryOp::Lt => truth(x < y),
        BinaryOp::Le => truth(x <= y),
        BinaryOp::Gt => truth(x > y),
        BinaryOp::Ge => truth(x >= y),
        BinaryOp::And => truth(x != 0 && y != 0),
        BinaryOp::Or => truth(x != 0 || y != 0),
        BinaryOp::BitAnd => integer(Some(x & y)),
        BinaryOp::BitOr => integer(Some(x | y)),
        BinaryOp::BitXor => integer(Some(x ^ y)),
        BinaryOp::Shl => integer(
            u32::try_from(y)
                .ok()
                .filter(|places| *places < 62)
                .and_then(|places| x.checked_mul(1 << places)),
        ),
        BinaryOp::Shr => integer(
            u32::try_from(y)
                .ok()
                .and_then(|places| x.checked_shr(places)),
        ),
        _ => construct("this operator"),
    }
}

/// `x << 3` is `8*x`; other bit operations on a run-time value stay unknown.
pub(super) fn shifted_symbol(op: BinaryOp, a: &Int, b: &Int) -> Value {
    let places = b.value().and_then(|places| u32::try_from(places).ok());
    match (op, places) {
        (BinaryOp::Shl, Some(places)) if places < 31 => a
            .mul(&Int::dynamic(1 << places))
            .map_or_else(|refusal| refused(&refusal), Value::Int),
        _ => Value::Unknown(Reason::RunTime("a bit pattern".into())),
    }
}

pub(super) fn refused(refusal: &cute_algebra::Refusal) -> Value {
    Value::Unknown(Reason::refused(refusal.rule.name(), refusal))
}

pub(super) fn is_comparison(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge
    )
}

pub(super) fn run_time_truth() -> Value {
    Value::Unknown(Reason::RunTime("this condition".into()))
}

pub(super) fn no_operator(operand: Value) -> Value {
    match operand {
        Value::Unknown(_) => operand,
        _ => construct("this operator on its operands"),
    }
}
