//! Calls of CuTe's function objects: `plus{}(a, b)`.

use cute_algebra::Int;
use tree_sitter_cute::tree::{BinaryOp, UnaryOp};

use super::on_values::binary;
use crate::reason::Reason;
use crate::types::Type;
use crate::value::Value;
use crate::vocabulary::{self, Functor};

/// The function object that a value is.
pub(super) fn functor_of(value: &Value) -> Option<Functor> {
    match value {
        Value::Instance(ty) => match &**ty {
            Type::Named(name) => vocabulary::functor(name),
            _ => None,
        },
        _ => None,
    }
}

/// The result of its call. The types of run-time operands are not seen here: an operator that depends on them is unknown.
pub(super) fn call_functor(functor: Functor, operands: &[Value]) -> Value {
    for operand in operands {
        if let Value::Unknown(_) = operand {
            return operand.clone();
        }
    }
    let of_run_time = || Value::Unknown(Reason::RunTime("an operand of a function object".into()));
    match (functor, operands) {
        (Functor::Identity, [operand]) => operand.clone(),
        (Functor::Unary(op), [Value::Int(int)]) => match (op, int.as_static()) {
            (UnaryOp::Minus, Some(number)) => match number.checked_neg() {
                Some(number) => Value::Int(Int::fixed(number)),
                None => of_run_time(),
            },
            (UnaryOp::BitNot, Some(number)) => Value::Int(Int::fixed(!number)),
            _ => of_run_time(),
        },
        (Functor::Unary(UnaryOp::Not), [Value::Bool(truth)]) => Value::Bool(truth.not()),
        (Functor::Binary(op), [a, b]) => {
            let is_static = a.is_static() && b.is_static();
            if is_static || matches!(op, BinaryOp::Add | BinaryOp::Mul) {
                binary(op, a.clone(), b.clone())
            } else {
                of_run_time()
            }
        }
        (Functor::Function(name), operands) => {
            let found = vocabulary::function(name)
                .and_then(|function| function.call(&[], operands, &mut Vec::new()).ok());
            found.unwrap_or_else(of_run_time)
        }
        _ => of_run_time(),
    }
}
