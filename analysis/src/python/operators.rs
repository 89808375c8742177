//! Operators.

use cute_algebra::Int;
use tree_sitter_cute::script::{BinaryOp, UnaryOp};
use tree_sitter_cute::tree::Span;

use super::comparisons::number;
use super::dsl;
use super::heap::{Id, Object};
use super::machine::{Machine, Run, Stop};
use super::native::Args;
use super::value::{Builtin, Py};
use crate::reason::Reason;
use crate::types::Scalar;
use crate::value::Value;

/// Elements of a sequence that is repeated.
const REPEATED: usize = 1 << 16;

impl Machine<'_> {
    pub(super) fn unary(&mut self, op: UnaryOp, value: Py) -> Run<Py> {
        Ok(match (op, &value) {
            (_, Py::Unknown(_)) => value,
            (UnaryOp::Plus, Py::Bool(truth)) => Py::Int(i64::from(*truth)),
            (UnaryOp::Plus, value) if !matches!(value, Py::Object(_)) => value.clone(),
            (UnaryOp::Minus, Py::Int(number)) => match number.checked_neg() {
                Some(number) => Py::Int(number),
                None => Py::out_of_range(),
            },
            (UnaryOp::Minus, Py::Float(number)) => Py::Float(-number),
            (UnaryOp::Minus, Py::Leaf(Value::Int(int))) => int.neg().map_or_else(
                |_| self.numbers.symbol("v"),
                |int| Py::Leaf(Value::Int(int)),
            ),
            (UnaryOp::Minus, Py::Whole(int, ty)) => match int.neg() {
                Ok(int) => Py::Whole(int, *ty),
                Err(_) => self.numbers.number("v", *ty),
            },
            (UnaryOp::Minus, Py::Bool(truth)) => Py::Int(-i64::from(*truth)),
            (UnaryOp::Invert, Py::Int(number)) => Py::Int(!number),
            (UnaryOp::Invert, Py::Bool(truth)) => Py::Int(!i64::from(*truth)),
            (_, Py::Leaf(Value::Int(_)) | Py::Whole(..)) => {
                let ty = dsl::number_type(&value).flatten();
                self.numbers.number("v", ty)
            }
            (_, Py::Leaf(Value::Number(_))) => value,
            (_, Py::Object(_)) => self.unary_of_object(op, &value)?,
            _ => Py::Unknown(Reason::Construct("an operator on this value")),
        })
    }

    fn unary_of_object(&mut self, op: UnaryOp, value: &Py) -> Run<Py> {
        let name = match op {
            UnaryOp::Minus => "__neg__",
            UnaryOp::Plus => "__pos__",
            _ => "__invert__",
        };
        if let Some(method) = self.method(value, name)? {
            return self.call(&method, Args::default());
        }
        if let (UnaryOp::Invert, Some(flag)) = (op, self.inverted_flag(value)?) {
            return Ok(flag);
        }
        match self.content_of(value) {
            Some(content) => self.unary(op, content),
            None if op == UnaryOp::Plus => Ok(value.clone()),
            None => Ok(Py::Unknown(Reason::Construct("an operator on this object"))),
        }
    }

    /// `left op= right`: a list, a set, a dictionary and an object with a method for it stay the same object.
    pub(super) fn in_place(&mut self, op: BinaryOp, left: Py, right: Py) -> Run<Py> {
        let name = names(op).0.replacen("__", "__i", 1);
        if let Some(method) = self.method(&left, &name)? {
            return self.call(&method, Args::of(vec![right], Span::default()));
        }
        let Py::Object(own) = left else {
            return self.binary(op, left, right);
        };
        let changed = match (self.heap.get(own), op) {
            // Any iterable may be added to a list.
            (Object::List(items), BinaryOp::Add) => {
                let mut items = items.clone();
                match self.iterate(&right)? {
                    Ok(more) => {
                        items.extend(more);
                        Object::List(items)
                    }
                    Err(reason) => Object::Lost(reason),
                }
            }
            (Object::Dict(_) | Object::Attributes(_), BinaryOp::Or) => {
                self.join_entries(own, &right)?;
                return Ok(left);
            }
            (Object::List(_) | Object::Set(_), _) => match self.binary(op, left.clone(), right)? {
                Py::Object(made) => self.heap.get(made).clone(),
                Py::Unknown(reason) => Object::Lost(reason),
                other => return Ok(other),
            },
            _ => return self.binary(op, left, right),
        };
        self.heap.put(own, changed);
        Ok(left)
    }

    /// An infix operator.
    pub(crate) fn binary(&mut self, op: BinaryOp, left: Py, right: Py) -> Run<Py> {
        if let (Py::Object(_), _) | (_, Py::Object(_)) = (&left, &right)
            && let Some(value) = self.overloaded(op, &left, &right)?
        {
            return Ok(value);
        }
        if let (Py::Str(template), BinaryOp::Mod) = (&left, op) {
            return self.percent(&template.clone(), &right);
        }
        if let (Py::Unknown(reason), _) | (_, Py::Unknown(reason)) = (&left, &right) {
            return Ok(Py::Unknown(reason.clone()));
        }
        match (&left, &right) {
            (Py::Int(_) | Py::Bool(_), Py::Int(_) | Py::Bool(_)) => {
                let (Some(a), Some(b)) = (left.as_index(), right.as_index()) else {
                    return Ok(Py::out_of_range());
                };
                if let (Py::Bool(a), Py::Bool(b)) = (&left, &right) {
                    match op {
                        BinaryOp::And => return Ok(Py::Bool(*a && *b)),
                        BinaryOp::Or => return Ok(Py::Bool(*a || *b)),
                        BinaryOp::Xor => return Ok(Py::Bool(a != b)),
                        _ => {}
                    }
                }
                integers(op, a, b)
            }
            (Py::Int(_) | Py::Float(_) | Py::Bool(_), Py::Int(_) | Py::Float(_) | Py::Bool(_)) => {
                floats(op, number(&left), number(&right))
            }
            (Py::Str(a), Py::Str(b)) if op == BinaryOp::Add => {
                self.step((a.len() + b.len()) / 1024)?;
                Ok(Py::str(&format!("{a}{b}")))
            }
            (Py::Str(text), Py::Int(count)) | (Py::Int(count), Py::Str(text))
                if op == BinaryOp::Mul =>
            {
                let count = usize::try_from(*count).unwrap_or(0);
                if text.len().saturating_mul(count) > REPEATED {
                    return Ok(Py::Unknown(Reason::Limit("the length of a string")));
                }
                Ok(Py::str(&text.repeat(count)))
            }
            (Py::Tuple(a), Py::Tuple(b)) if op == BinaryOp::Add => {
                self.step(a.len() + b.len())?;
                Ok(Py::tuple(a.iter().chain(b.iter()).cloned().collect()))
            }
            (Py::Tuple(items), Py::Int(count)) | (Py::Int(count), Py::Tuple(items))
                if op == BinaryOp::Mul =>
            {
                let items = self.repeated(items, *count)?;
                Ok(items.map_or_else(Py::Unknown, Py::tuple))
            }
            (Py::Object(first), Py::Object(second))
                if self.is_set_or_dictionary(*first) && self.is_set_or_dictionary(*second) =>
            {
                self.of_sets(op, &left, &right)
            }
            (Py::Object(id), other) | (other, Py::Object(id)) => {
                let Object::List(items) = self.heap.get(*id) else {
                    return Ok(Py::Unknown(Reason::Construct("an operator on this object")));
                };
                let items = items.clone();
                match (op, other) {
                    (BinaryOp::Mul, Py::Int(count)) => match self.repeated(&items, *count)? {
                        Ok(items) => Ok(self.list(items)),
                        Err(reason) => Ok(Py::Unknown(reason)),
                    },
                    (BinaryOp::Add, _) => {
                        let (Ok(mut first), Ok(second)) =
                            (self.iterate(&left)?, self.iterate(&right)?)
                        else {
                            return Ok(Py::Unknown(Reason::Construct("a sum with this list")));
                        };
                        first.extend(second);
                        Ok(self.list(first))
                    }
                    _ => Ok(Py::Unknown(Reason::Construct("an operator on a list"))),
                }
            }
            // `int | None`: one of several types.
            (
                Py::Builtin(_) | Py::Scalar(_) | Py::None | Py::Tuple(_),
                Py::Builtin(_) | Py::Scalar(_) | Py::None | Py::Tuple(_),
            ) if op == BinaryOp::Or => Ok(Py::tuple(vec![left, right])),
            _ => Ok(self.numbers(op, &left, &right)),
        }
    }

    fn is_set_or_dictionary(&self, id: Id) -> bool {
        matches!(
            self.heap.get(id),
            Object::Set(_) | Object::Dict(_) | Object::Attributes(_)
        )
    }

    /// `a | b` of dictionaries, `a & b`, `a | b`, `a - b`, `a ^ b` of sets.
    fn of_sets(&mut self, op: BinaryOp, left: &Py, right: &Py) -> Run<Py> {
        if let (Ok(entries), BinaryOp::Or) = (self.entries_of(left), op) {
            let union = self.heap.add(Object::Dict(entries));
            self.join_entries(union, right)?;
            return Ok(Py::Object(union));
        }
        let (Ok(a), Ok(b)) = (self.iterate(left)?, self.iterate(right)?) else {
            return Ok(Py::Unknown(Reason::Construct("an operator on sets")));
        };
        self.step(a.len().saturating_mul(b.len().max(1)) / 64)?;
        let (from_a, from_b, is_in) = match op {
            BinaryOp::Or => return self.set(a.into_iter().chain(b).collect()),
            BinaryOp::And => (true, false, true),
            BinaryOp::Sub => (true, false, false),
            BinaryOp::Xor => (true, true, false),
            _ => return Ok(Py::Unknown(Reason::Construct("an operator on sets"))),
        };
        let mut kept = Vec::new();
        for (takes, items, others) in [(from_a, &a, &b), (from_b, &b, &a)] {
            for item in items.iter().filter(|_| takes) {
                match self.is_among(others, item)? {
                    Py::Bool(holds) if holds == is_in => kept.push(item.clone()),
                    Py::Bool(_) => {}
                    _ => return Ok(Py::Unknown(Reason::Construct("an operator on sets"))),
                }
            }
        }
        self.set(kept)
    }

    /// Adds the entries of a dictionary to another one, which is not known any more where they are not known.
    pub(super) fn join_entries(&mut self, dictionary: Id, more: &Py) -> Run<()> {
        let more = match more {
            Py::Object(_) => match self.entries_of(more) {
                Ok(entries) => Object::Dict(entries),
                Err(reason) => Object::Lost(reason),
            },
            _ => Object::Lost(Reason::Construct("`|` with this value")),
        };
        let (Object::Dict(mut all), Object::Dict(more)) = (self.heap.get(dictionary).clone(), more)
        else {
            let why = Reason::Construct("`|` with this value");
            self.heap.put(dictionary, Object::Lost(why));
            return Ok(());
        };
        for (key, value) in more {
            self.put_entry(&mut all, key, value)?;
        }
        self.heap.put(dictionary, Object::Dict(all));
        Ok(())
    }

    /// An operator on numbers of which at least one is the kernel's.
    fn numbers(&mut self, op: BinaryOp, left: &Py, right: &Py) -> Py {
        let is_bool = |value: &Py| match value {
            Py::Bool(_) => true,
            Py::Leaf(Value::Number(scalar)) => scalar.name == "bool",
            Py::Leaf(Value::Bool(_)) => true,
            _ => false,
        };
        if is_bool(left)
            && is_bool(right)
            && matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor)
        {
            return Py::run_time_bool();
        }
        let ty = dsl::result_type(op, left, right);
        if op != BinaryOp::Div
            && let (Some(a), Some(b)) = (left.as_int(), right.as_int())
        {
            let result = match op {
                BinaryOp::Add => a.add(&b),
                BinaryOp::Sub => a.sub(&b),
                BinaryOp::Mul => a.mul(&b),
                BinaryOp::FloorDiv if is_positive(&a, &b) => a.div(&b),
                BinaryOp::Mod if is_positive(&a, &b) => a.rem(&b),
                _ => return self.numbers.number("v", ty),
            };
            let is_open = a.value().is_none() || b.value().is_none();
            return match result {
                // The kernel computes it, whatever follows for each number: `x % 1`, `x // x`.
                Ok(int) if is_open && int.value().is_some() => self.numbers.number("v", ty),
                // The kernel's number stays the kernel's.
                Ok(int) => Py::of_type(int.to_dynamic(), ty),
                Err(_) => self.numbers.number("v", ty),
            };
        }
        // A truth value counts as 0 or 1.
        let is_whole = |value: &Py| match value {
            Py::Leaf(Value::Number(scalar)) => scalar.is_integer(),
            value => is_bool(value) || value.as_int().is_some(),
        };
        if is_whole(left) && is_whole(right) && op != BinaryOp::Div {
            return self.numbers.number("v", ty);
        }
        let float = |value: &Py| match value {
            Py::Leaf(Value::Number(scalar)) => Some(*scalar),
            _ => None,
        };
        let is_number = |value: &Py| {
            matches!(value, Py::Int(_) | Py::Float(_) | Py::Bool(_)) || value.is_run_time()
        };
        if is_number(left) && is_number(right) {
            let is_float = |it: &Scalar| !it.is_integer() && it.name != "bool";
            let either = || float(left).or(float(right)).filter(is_float);
            let scalar = ty.filter(is_float).or_else(either);
            return match scalar.or_else(|| Scalar::of_spelling("float")) {
                Some(scalar) => Py::Leaf(Value::Number(scalar)),
                None => Py::Unknown(Reason::Construct("an operator on this value")),
            };
        }
        super::dsl::operator(self, op, left, right)
    }

    fn repeated(&mut self, items: &[Py], count: i64) -> Run<Result<Vec<Py>, Reason>> {
        let count = usize::try_from(count).unwrap_or_default();
        let total = items.len().saturating_mul(count);
        if total > REPEATED {
            return Ok(Err(Reason::Limit("elements of a sequence")));
        }
        self.step(total)?;
        Ok(Ok(items.iter().cycle().take(total).cloned().collect()))
    }

    /// An operator that a class of the source defines.
    fn overloaded(&mut self, op: BinaryOp, left: &Py, right: &Py) -> Run<Option<Py>> {
        if let Some(flag) = self.of_flags(op, left, right)? {
            return Ok(Some(flag));
        }
        let (name, reflected) = names(op);
        let mut ways = [(left, name, right), (right, reflected, left)];
        // A class may answer for objects of its bases.
        if self.derives_from(right, left) {
            ways.reverse();
        }
        for (object, name, other) in ways {
            if let Some(answer) = self.answer(object, name, other)? {
                return Ok(Some(answer));
            }
        }
        // An `IntEnum` or `NamedTuple` is its value.
        let as_built_in = |machine: &Self, value: &Py| match value {
            Py::Object(id) => match machine.heap.get(*id) {
                Object::Lost(reason) => Some(Py::Unknown(reason.clone())),
                _ => machine.content_of(value),
            },
            _ => None,
        };
        let (a, b) = (as_built_in(self, left), as_built_in(self, right));
        if a.is_none() && b.is_none() {
            return Ok(None);
        }
        let (a, b) = (
            a.unwrap_or_else(|| left.clone()),
            b.unwrap_or_else(|| right.clone()),
        );
        self.binary(op, a, b).map(Some)
    }
}

/// Whether C++'s division is Python's: neither is negative.
fn is_positive(a: &Int, b: &Int) -> bool {
    let not_negative = |int: &Int| int.bounds().0.is_some_and(|least| least >= 0);
    not_negative(a) && not_negative(b)
}

fn integers(op: BinaryOp, a: i64, b: i64) -> Run<Py> {
    let zero = || Stop::error("ZeroDivisionError", "a division by zero");
    let result = match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        #[allow(clippy::cast_precision_loss)] // As Python converts.
        BinaryOp::Div => {
            if b == 0 {
                return Err(zero());
            }
            return Ok(Py::Float(a as f64 / b as f64));
        }
        BinaryOp::FloorDiv => {
            if b == 0 {
                return Err(zero());
            }
            a.checked_div_euclid(b).and_then(|quotient| {
                // Euclid's quotient is the floor for a positive divisor only.
                match b < 0 && a.checked_rem_euclid(b)? != 0 {
                    true => quotient.checked_sub(1),
                    false => Some(quotient),
                }
            })
        }
        BinaryOp::Mod => {
            if b == 0 {
                return Err(zero());
            }
            a.checked_rem(b)
                .map(|rest| match rest != 0 && (rest < 0) != (b < 0) {
                    true => rest + b,
                    false => rest,
                })
        }
        BinaryOp::Pow => match u32::try_from(b) {
            Ok(exponent) => a.checked_pow(exponent),
            #[allow(clippy::cast_precision_loss)] // As Python converts.
            Err(_) => return Ok(Py::Float((a as f64).powf(b as f64))),
        },
        BinaryOp::Shl => u32::try_from(b).ok().and_then(|bits| {
            let shifted = a.checked_shl(bits)?;
            (shifted.checked_shr(bits)? == a).then_some(shifted)
        }),
        BinaryOp::Shr => u32::try_from(b).ok().map(|bits| a >> bits.min(63)),
        BinaryOp::And => Some(a & b),
        BinaryOp::Or => Some(a | b),
        BinaryOp::Xor => Some(a ^ b),
        BinaryOp::MatMul => return Err(Stop::error("TypeError", "a product of matrices")),
    };
    Ok(result.map_or_else(Py::out_of_range, Py::Int))
}

fn floats(op: BinaryOp, a: f64, b: f64) -> Run<Py> {
    let by_zero = b == 0.0 && matches!(op, BinaryOp::Div | BinaryOp::FloorDiv | BinaryOp::Mod);
    if by_zero {
        return Err(Stop::error("ZeroDivisionError", "a division by zero"));
    }
    Ok(match op {
        BinaryOp::Add => Py::Float(a + b),
        BinaryOp::Sub => Py::Float(a - b),
        BinaryOp::Mul => Py::Float(a * b),
        BinaryOp::Div => Py::Float(a / b),
        BinaryOp::FloorDiv => Py::Float((a / b).floor()),
        BinaryOp::Mod => {
            let rest = a % b;
            match rest != 0.0 && (rest < 0.0) != (b < 0.0) {
                true => Py::Float(rest + b),
                false => Py::Float(rest),
            }
        }
        BinaryOp::Pow if a >= 0.0 || b.fract() == 0.0 => Py::Float(a.powf(b)),
        _ => Py::Unknown(Reason::Construct("an operator on floating-point numbers")),
    })
}

fn names(op: BinaryOp) -> (&'static str, &'static str) {
    match op {
        BinaryOp::Add => ("__add__", "__radd__"),
        BinaryOp::Sub => ("__sub__", "__rsub__"),
        BinaryOp::Mul => ("__mul__", "__rmul__"),
        BinaryOp::Div => ("__truediv__", "__rtruediv__"),
        BinaryOp::FloorDiv => ("__floordiv__", "__rfloordiv__"),
        BinaryOp::Mod => ("__mod__", "__rmod__"),
        BinaryOp::Pow => ("__pow__", "__rpow__"),
        BinaryOp::Shl => ("__lshift__", "__rlshift__"),
        BinaryOp::Shr => ("__rshift__", "__rrshift__"),
        BinaryOp::And => ("__and__", "__rand__"),
        BinaryOp::Or => ("__or__", "__ror__"),
        BinaryOp::Xor => ("__xor__", "__rxor__"),
        BinaryOp::MatMul => ("__matmul__", "__rmatmul__"),
    }
}

/// Whether a value is an instance of a built-in type, where that is known.
pub(super) fn is_instance(value: &Py, builtin: Builtin) -> Option<bool> {
    Some(match (builtin, value) {
        (_, Py::Unknown(_)) => return None,
        (Builtin::Object, _) => true,
        (Builtin::Int, Py::Int(_) | Py::Bool(_)) => true,
        (Builtin::Bool, Py::Bool(_)) => true,
        (Builtin::Float, Py::Float(_)) => true,
        (Builtin::Str, Py::Str(_)) => true,
        (Builtin::Tuple, Py::Tuple(_)) => true,
        (Builtin::Type, Py::Scalar(_) | Py::Builtin(_)) => true,
        _ => false,
    })
}
