//! Expressions whose meaning is Python's own.

use cute_algebra::{Int, Outer};
use tree_sitter_cute::tree::{BinaryOp, Expr, ExprKind, Ident, UnaryOp};

use super::super::frame::Frame;
use super::super::{Interpreter, construct};
use crate::interpret::on_values;
use crate::reason::Reason;
use crate::types::{Scalar, Type};
use crate::value::{Room, Truth, Value};
use crate::vocabulary::{self, Problem, python as words};

impl<'u> Interpreter<'u> {
    /// The value of an expression that means something else than in C++.
    pub(in super::super) fn eval_python(
        &mut self,
        expr: &'u Expr,
        frame: &mut Frame<'u>,
    ) -> Option<Value> {
        Some(match &expr.kind {
            ExprKind::Name(path) => {
                let value = self.python_name(&path.last()?.name, frame);
                self.recorder.mention(expr.span, &value, frame);
                value
            }
            // In coordinates and tilers `None` means `_` of C++.
            ExprKind::Null => Value::Underscore,
            ExprKind::Member { object, member, .. } => {
                let object = self.eval(object, frame);
                attribute(&object, &member.name.name)
            }
            ExprKind::Call(callee, args) => self.call_python(expr, callee, args, frame),
            ExprKind::Index(object, args) => {
                let object = self.eval(object, frame);
                let args = self.eval_all(args, frame);
                element(&object, &args)
            }
            ExprKind::Unary(UnaryOp::Not, operand) => match self.eval(operand, frame) {
                Value::Unknown(reason) => Value::Unknown(reason),
                value => match truth_of(&value) {
                    Some(truth) => Value::Bool(Truth::fixed(!truth)),
                    None => on_values::run_time_truth(),
                },
            },
            ExprKind::Binary(op, left, right) => {
                let left = self.eval(left, frame);
                let right = self.eval(right, frame);
                binary(*op, left, right)
            }
            ExprKind::Ternary(condition, then, otherwise) => {
                let condition = self.eval(condition, frame);
                let then = self.eval(then, frame);
                let otherwise = self.eval(otherwise, frame);
                match truth_of(&condition) {
                    Some(true) => then,
                    Some(false) => otherwise,
                    None if then == otherwise => then,
                    None => Value::Unknown(Reason::RunTime(
                        "the side of `if` ... `else` that is taken".into(),
                    )),
                }
            }
            ExprKind::Assign(assignment) => {
                let value = self.eval(&assignment.value, frame);
                let value = match assignment.op {
                    Some(op) => binary(op, self.eval(&assignment.target, frame), value),
                    None => value,
                };
                self.assign(&assignment.target, value.clone(), frame);
                value
            }
            ExprKind::Bool(value) => Value::Bool(Truth::fixed(*value)),
            ExprKind::Tuple(items) | ExprKind::Braced(items) if items.iter().any(is_spread) => {
                self.spread(items, frame)
            }
            _ => return None,
        })
    }

    /// `(a, *b)`: as many elements as `b` has. Their number has to be known.
    fn spread(&mut self, items: &'u [Expr], frame: &mut Frame<'u>) -> Value {
        let mut values = Vec::with_capacity(items.len());
        for item in items {
            match (is_spread(item), self.eval(item, frame)) {
                (true, Value::Tuple(inner) | Value::Pack(inner)) => values.extend(inner),
                (true, unknown @ Value::Unknown(_)) => return unknown,
                (true, _) => {
                    return Value::Unknown(Reason::RunTime("the number of elements of `*`".into()));
                }
                (false, value) => values.push(value),
            }
        }
        Value::Tuple(values)
    }

    fn python_name(&mut self, name: &'u Ident, frame: &mut Frame<'u>) -> Value {
        if let Some(variable) = frame.find(&name.name) {
            let (value, declared) = (variable.value.clone(), variable.declared);
            self.recorder.note_declaration(name.span, declared);
            return value;
        }
        let opened = self
            .script
            .opened
            .iter()
            .rev()
            .map(|module| words::member(module, &name.name));
        let found = opened
            .into_iter()
            .find(|value| !matches!(value, Value::Unknown(_)))
            .or_else(|| words::builtin(&name.name));
        found.unwrap_or_else(|| Value::Unknown(Reason::Undeclared(name.name.as_str().into())))
    }
}

/// `*items` among the elements of a tuple or list.
fn is_spread(item: &Expr) -> bool {
    matches!(item.kind, ExprKind::Expand(_))
}

/// `object.name`, not called.
fn attribute(object: &Value, name: &str) -> Value {
    let of_word = |function: &str| match vocabulary::function(function) {
        Some(function) => {
            let answer = function.call(&[], std::slice::from_ref(object), &mut Vec::new());
            known(answer)
        }
        None => Value::Unknown(Reason::NotEvaluated(function.into())),
    };
    match (object, name) {
        (Value::Unknown(_), _) => object.clone(),
        (Value::Module(module), _) => words::member(module, name),
        (Value::Layout(_) | Value::Composed(_) | Value::Tensor(_), "shape" | "stride") => {
            of_word(name)
        }
        (Value::Tensor(_), "layout") => of_word(name),
        (Value::Tensor(tensor), "iterator") => Value::Pointer(tensor.engine.clone()),
        (Value::Tensor(tensor), "element_type" | "dtype") => match &tensor.engine.element {
            Some(element) => Value::Type(element.clone()),
            None => Value::Unknown(Reason::RunTime("the type of an element".into())),
        },
        // The DSL counts from the side of the offsets: `inner` is applied last.
        (Value::Composed(composed), "inner") => match &composed.outer {
            Outer::Swizzle(swizzle) => Value::Swizzle(*swizzle),
            Outer::Layout(layout) => layout.clone().into(),
        },
        (Value::Composed(composed), "outer") => composed.inner.clone().into(),
        (Value::Composed(composed), "offset") => Value::of_shape(&composed.offset),
        (Value::Type(ty), "width") => match &**ty {
            Type::Scalar(scalar) => Value::Int(Int::fixed(i64::from(scalar.bits))),
            _ => no_member(object, name),
        },
        _ => no_member(object, name),
    }
}

fn no_member(object: &Value, name: &str) -> Value {
    Value::Unknown(Reason::NoMember(name.into(), object.to_string().into()))
}

fn known(answer: vocabulary::Evaluated) -> Value {
    match answer {
        Ok(value) => value,
        Err(Problem::Unknown(reason)) => Value::Unknown(reason),
        Err(Problem::ForFirst(_)) => Value::Unknown(Reason::RunTime("a coordinate".into())),
        Err(Problem::Refused(remark)) => Value::Unknown(remark.reason()),
    }
}

/// `object[args]`: an element of a tuple, a mode of a layout, a slice of a tensor.
fn element(object: &Value, args: &[Value]) -> Value {
    if let Some(unknown @ Value::Unknown(_)) =
        args.iter().find(|arg| matches!(arg, Value::Unknown(_)))
        && !matches!(object, Value::Unknown(_))
    {
        return unknown.clone();
    }
    match (object, args) {
        (Value::Unknown(_), _) => object.clone(),
        (Value::Tuple(items), [Value::Int(index)]) => {
            let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
            let index = index
                .value()
                .map(|index| if index < 0 { index + length } else { index });
            match index.map(usize::try_from) {
                Some(Ok(index)) => items.get(index).cloned().unwrap_or_else(|| {
                    Value::Unknown(Reason::Unsuitable("[]".into(), "an index within the rank"))
                }),
                Some(Err(_)) => {
                    Value::Unknown(Reason::Unsuitable("[]".into(), "an index within the rank"))
                }
                None => Value::Unknown(Reason::RunTime("the index of the element".into())),
            }
        }
        (Value::Layout(_) | Value::Composed(_), [index @ Value::Int(_)]) => {
            match vocabulary::function("get") {
                Some(get) => known(get.call(
                    std::slice::from_ref(index),
                    std::slice::from_ref(object),
                    &mut Vec::new(),
                )),
                None => construct("a mode"),
            }
        }
        (Value::Tensor(_), _) => known(vocabulary::apply(
            vocabulary::Surroundings::of_dsl(),
            object,
            args,
        )),
        _ => Value::Unknown(Reason::RunTime("an element in memory".into())),
    }
}

/// Whether a condition holds, as Python reads it; `None` where that is not known.
pub(super) fn truth_of(value: &Value) -> Option<bool> {
    match value {
        Value::Underscore => Some(false),
        Value::Tuple(items) => Some(!items.is_empty()),
        other => other.as_truth(),
    }
}

/// The value of a binary operator of Python.
fn binary(op: BinaryOp, left: Value, right: Value) -> Value {
    match (op, &left, &right) {
        // `a and b`, `a or b` are one of their operands.
        (BinaryOp::And | BinaryOp::Or, _, _) => match truth_of(&left) {
            Some(truth) if truth == (op == BinaryOp::Or) => left,
            Some(_) => right,
            None if left == right => left,
            None => match left {
                Value::Unknown(_) => left,
                _ => on_values::run_time_truth(),
            },
        },
        (_, Value::Unknown(_), _) => left,
        (_, _, Value::Unknown(_)) => right,
        (BinaryOp::Eq | BinaryOp::Ne, Value::Underscore, other)
        | (BinaryOp::Eq | BinaryOp::Ne, other, Value::Underscore) => {
            let same = matches!(other, Value::Underscore);
            Value::Bool(Truth::fixed(same == (op == BinaryOp::Eq)))
        }
        (BinaryOp::Add, Value::Tuple(first), Value::Tuple(second)) => {
            Value::Tuple([first.as_slice(), second.as_slice()].concat())
        }
        (BinaryOp::Mul, Value::Tuple(items), Value::Int(count))
        | (BinaryOp::Mul, Value::Int(count), Value::Tuple(items)) => repeated(items, count),
        (BinaryOp::Div, Value::Int(_), Value::Int(_)) => match Scalar::of_spelling("double") {
            Some(scalar) => Value::Number(scalar),
            None => construct("`/`"),
        },
        (_, Value::Int(a), Value::Int(b)) => match (op, a.value(), b.value()) {
            (BinaryOp::FloorDiv | BinaryOp::Rem | BinaryOp::Power, Some(x), Some(y)) => {
                let fixed = a.is_static() && b.is_static();
                match on_numbers(op, x, y) {
                    Some(number) if fixed => Value::Int(Int::fixed(number)),
                    Some(number) => Value::Int(Int::dynamic(number)),
                    None => construct("this number"),
                }
            }
            // Python rounds down and symbolic quotients are cut off: they differ below zero.
            (BinaryOp::FloorDiv | BinaryOp::Rem, _, _)
                if [a, b]
                    .iter()
                    .any(|int| int.bounds().0.is_none_or(|low| low < 0)) =>
            {
                Value::Unknown(Reason::RunTime(
                    "a quotient of a number that may be negative".into(),
                ))
            }
            (BinaryOp::FloorDiv, _, _) => on_values::binary(BinaryOp::Div, left, right),
            (BinaryOp::Power, _, _) => Value::Unknown(Reason::RunTime("a power".into())),
            _ => on_values::binary(op, left, right),
        },
        _ => on_values::binary(op, left, right),
    }
}

/// The quotient rounded down, the remainder with the sign of the divisor, the power.
fn on_numbers(op: BinaryOp, x: i64, y: i64) -> Option<i64> {
    if op == BinaryOp::Power {
        return x.checked_pow(u32::try_from(y).ok()?);
    }
    let (quotient, rest) = (x.checked_div(y)?, x.checked_rem(y)?);
    let below = rest != 0 && (rest < 0) != (y < 0);
    Some(if op == BinaryOp::FloorDiv {
        quotient - i64::from(below)
    } else {
        rest + if below { y } else { 0 }
    })
}

fn repeated(items: &[Value], count: &Int) -> Value {
    match count.value().map(usize::try_from) {
        Some(Ok(count)) => Room::repeated(items, count),
        Some(Err(_)) => Value::Tuple(Vec::new()),
        _ => Value::Unknown(Reason::RunTime(
            "the number of repetitions of a tuple".into(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_and_remainders_are_rounded_down() {
        for (x, y, quotient, rest) in [
            (7, 2, 3, 1),
            (-7, 2, -4, 1),
            (7, -2, -4, -1),
            (-7, -2, 3, -1),
            (6, 3, 2, 0),
        ] {
            assert_eq!(on_numbers(BinaryOp::FloorDiv, x, y), Some(quotient));
            assert_eq!(on_numbers(BinaryOp::Rem, x, y), Some(rest));
        }
        assert_eq!(on_numbers(BinaryOp::FloorDiv, 1, 0), None);
        assert_eq!(on_numbers(BinaryOp::Power, 2, 10), Some(1024));
        assert_eq!(on_numbers(BinaryOp::Power, 2, 64), None);
    }
}
