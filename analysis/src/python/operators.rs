//! Operators.

use std::sync::Arc;

use cute_algebra::Int;
use tree_sitter_cute::script::{BinaryOp, CompareOp, UnaryOp};
use tree_sitter_cute::tree::Span;

use super::heap::{Id, Object};
use super::machine::{Machine, Run, Stop};
use super::native::Args;
use super::value::{Builtin, Condition, Py};
use crate::reason::Reason;
use crate::types::Scalar;
use crate::value::Value;

/// Elements of a sequence that is repeated.
const REPEATED: usize = 1 << 16;

impl Machine<'_> {
    pub(super) fn unary(&mut self, op: UnaryOp, value: Py) -> Run<Py> {
        Ok(match (op, &value) {
            (_, Py::Unknown(_)) | (UnaryOp::Plus, _) => value,
            (UnaryOp::Minus, Py::Int(number)) => match number.checked_neg() {
                Some(number) => Py::Int(number),
                None => out_of_range(),
            },
            (UnaryOp::Minus, Py::Float(number)) => Py::Float(-number),
            (UnaryOp::Minus, Py::Leaf(Value::Int(int))) => int.neg().map_or_else(
                |_| self.numbers.symbol("v"),
                |int| Py::Leaf(Value::Int(int)),
            ),
            (UnaryOp::Invert, Py::Int(number)) => Py::Int(!number),
            (_, Py::Leaf(Value::Int(_))) => self.numbers.symbol("v"),
            (_, Py::Leaf(Value::Number(_))) => value,
            (_, Py::Object(_)) => {
                let name = if op == UnaryOp::Minus {
                    "__neg__"
                } else {
                    "__invert__"
                };
                match self.method(&value, name)? {
                    Some(method) => self.call(&method, Args::default())?,
                    None => Py::Unknown(Reason::Construct("an operator on this object")),
                }
            }
            _ => Py::Unknown(Reason::Construct("an operator on this value")),
        })
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
            (Object::Dict(_), BinaryOp::Or) => {
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
        if let (Py::Unknown(reason), _) | (_, Py::Unknown(reason)) = (&left, &right) {
            return Ok(Py::Unknown(reason.clone()));
        }
        match (&left, &right) {
            (Py::Int(_) | Py::Bool(_), Py::Int(_) | Py::Bool(_)) => {
                let (Some(a), Some(b)) = (left.as_index(), right.as_index()) else {
                    return Ok(out_of_range());
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
            (Py::Int(_) | Py::Float(_), Py::Int(_) | Py::Float(_)) => {
                Ok(floats(op, number(&left), number(&right)))
            }
            (Py::Str(a), Py::Str(b)) if op == BinaryOp::Add => {
                self.step((a.len() + b.len()) / 1024)?;
                Ok(Py::str(&format!("{a}{b}")))
            }
            (Py::Str(_), _) if op == BinaryOp::Mod && self.writes.is_some() => {
                Ok(Py::Unknown(Reason::Construct("`%` of a text")))
            }
            (Py::Str(text), _) if op == BinaryOp::Mod => Ok(Py::Str(text.clone())),
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
                if op == BinaryOp::Or
                    && matches!(self.heap.get(*first), Object::Dict(_))
                    && matches!(self.heap.get(*second), Object::Dict(_)) =>
            {
                let Object::Dict(entries) = self.heap.get(*first).clone() else {
                    return Ok(Py::Unknown(Reason::Construct("an operator on this object")));
                };
                let union = self.heap.add(Object::Dict(entries));
                self.join_entries(union, &right)?;
                Ok(Py::Object(union))
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

    /// Adds the entries of a dictionary to another one, which is not known any more where they are not known.
    pub(super) fn join_entries(&mut self, dictionary: Id, more: &Py) -> Run<()> {
        let more = match more {
            Py::Object(id) => self.heap.get(*id).clone(),
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
        if let (Some(a), Some(b)) = (left.as_int(), right.as_int()) {
            let result = match op {
                BinaryOp::Add => a.add(&b),
                BinaryOp::Sub => a.sub(&b),
                BinaryOp::Mul => a.mul(&b),
                BinaryOp::FloorDiv if is_positive(&a, &b) => a.div(&b),
                BinaryOp::Mod if is_positive(&a, &b) => a.rem(&b),
                _ => return self.numbers.symbol("v"),
            };
            let is_open = a.value().is_none() || b.value().is_none();
            return match result {
                // The kernel computes it, whatever follows for each number: `x % 1`, `x // x`.
                Ok(int) if is_open && int.value().is_some() => self.numbers.symbol("v"),
                // The kernel's number stays the kernel's.
                Ok(int) => Py::Leaf(Value::Int(int.to_dynamic())),
                Err(_) => self.numbers.symbol("v"),
            };
        }
        // A truth value counts as 0 or 1.
        let is_whole = |value: &Py| match value {
            Py::Leaf(Value::Number(scalar)) => scalar.is_integer(),
            value => is_bool(value) || value.as_int().is_some(),
        };
        if is_whole(left) && is_whole(right) && op != BinaryOp::Div {
            return self.numbers.symbol("v");
        }
        let float = |value: &Py| match value {
            Py::Leaf(Value::Number(scalar)) => Some(*scalar),
            _ => None,
        };
        let is_number = |value: &Py| {
            matches!(value, Py::Int(_) | Py::Float(_) | Py::Bool(_)) || value.is_run_time()
        };
        if is_number(left) && is_number(right) {
            let scalar = float(left).or(float(right)).filter(|it| it.name != "bool");
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
        let (name, reflected) = names(op);
        if let Some(method) = self.method(left, name)? {
            let args = Args::of(vec![right.clone()], Span::default());
            return self.call(&method, args).map(Some);
        }
        if let Some(method) = self.method(right, reflected)? {
            let args = Args::of(vec![left.clone()], Span::default());
            return self.call(&method, args).map(Some);
        }
        // An `IntEnum` or `NamedTuple` is its value.
        let as_built_in = |machine: &Self, value: &Py| match value {
            Py::Object(id) => match machine.heap.get(*id) {
                Object::Instance(instance) => instance.built_in.clone(),
                Object::Lost(reason) => Some(Py::Unknown(reason.clone())),
                _ => None,
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

    /// A comparison.
    pub(crate) fn compare(&mut self, op: CompareOp, left: &Py, right: &Py) -> Run<Py> {
        match op {
            CompareOp::Is => Ok(self.is_same(left, right)),
            CompareOp::IsNot => {
                let same = self.is_same(left, right);
                Ok(negated(same))
            }
            CompareOp::In => self.contains(left, right),
            CompareOp::NotIn => {
                let inside = self.contains(left, right)?;
                Ok(negated(inside))
            }
            CompareOp::Eq => self.equal(left, right),
            CompareOp::Ne => {
                if let Some(method) = self.method(left, "__ne__")? {
                    return self.call(&method, Args::of(vec![right.clone()], Span::default()));
                }
                let equal = self.equal(left, right)?;
                Ok(negated(equal))
            }
            CompareOp::Lt | CompareOp::Le | CompareOp::Gt | CompareOp::Ge => {
                self.ordered(op, left, right)
            }
        }
    }

    fn is_same(&self, left: &Py, right: &Py) -> Py {
        match (left, right) {
            (Py::Unknown(reason), _) | (_, Py::Unknown(reason)) => Py::Unknown(reason.clone()),
            (Py::Object(id), _) | (_, Py::Object(id))
                if left != right && matches!(self.heap.get(*id), Object::Lost(_)) =>
            {
                Py::Bool(false)
            }
            _ => Py::Bool(left == right),
        }
    }

    fn equal(&mut self, left: &Py, right: &Py) -> Run<Py> {
        self.step(1)?;
        self.deeper(|machine| machine.equal_deeper(left, right))
    }

    fn equal_deeper(&mut self, left: &Py, right: &Py) -> Run<Py> {
        if let Some(method) = self.method(left, "__eq__")? {
            return self.call(&method, Args::of(vec![right.clone()], Span::default()));
        }
        if let (Py::Unknown(reason), _) | (_, Py::Unknown(reason)) = (left, right) {
            return Ok(Py::Unknown(reason.clone()));
        }
        if let (Some(a), Some(b)) = (self.items_of(left), self.items_of(right)) {
            if a.len() != b.len() {
                return Ok(Py::Bool(false));
            }
            let mut result = Py::Bool(true);
            for (a, b) in a.iter().zip(&b) {
                match self.equal(a, b)? {
                    Py::Bool(true) => {}
                    Py::Bool(false) => return Ok(Py::Bool(false)),
                    other => result = other,
                }
            }
            return Ok(result);
        }
        if let (Py::Leaf(Value::Int(_)), _) | (_, Py::Leaf(Value::Int(_))) = (left, right)
            && left.as_int().is_some()
            && right.as_int().is_some()
        {
            return Ok(Py::run_time_bool());
        }
        if left.is_run_time() && is_number(right) || right.is_run_time() && is_number(left) {
            return Ok(Py::run_time_bool());
        }
        if is_number(left) && is_number(right) {
            return Ok(Py::Bool(number(left) == number(right)));
        }
        if let (Some(a), Some(b)) = (self.data_of(left), self.data_of(right)) {
            return self.equal(&a, &b);
        }
        Ok(match (left, right) {
            (Py::Leaf(a), Py::Leaf(b)) if !a.is_static() || !b.is_static() => match a == b {
                true => Py::Bool(true),
                false if a.kind() != b.kind() => Py::Bool(false),
                false => Py::run_time_bool(),
            },
            _ => Py::Bool(left == right),
        })
    }

    /// The elements of a sequence that is compared by them.
    fn items_of(&self, value: &Py) -> Option<Vec<Py>> {
        match value {
            Py::Tuple(items) => Some(items.to_vec()),
            Py::Object(id) => match self.heap.get(*id) {
                Object::List(items) => Some(items.clone()),
                _ => None,
            },
            _ => None,
        }
    }

    /// The fields of an object of a dataclass; the value of a member of an `IntEnum` beside a number.
    pub(super) fn data_of(&self, value: &Py) -> Option<Py> {
        let Py::Object(id) = value else {
            return is_number(value).then(|| value.clone());
        };
        let Object::Instance(instance) = self.heap.get(*id) else {
            return None;
        };
        let Object::Class(class) = self.heap.get(instance.class) else {
            return None;
        };
        // A member of a plain `Enum` equals itself alone.
        if class.kind == super::heap::ClassKind::Enum && class.foreign.is_empty() {
            return None;
        }
        if let Some(built_in @ (Py::Int(_) | Py::Tuple(_))) = &instance.built_in {
            return Some(built_in.clone());
        }
        (class.kind == super::heap::ClassKind::Dataclass).then(|| {
            let values = instance.attributes.iter().map(|(_, value)| value.clone());
            Py::tuple(values.collect())
        })
    }

    fn ordered(&mut self, op: CompareOp, left: &Py, right: &Py) -> Run<Py> {
        let name = match op {
            CompareOp::Lt => "__lt__",
            CompareOp::Le => "__le__",
            CompareOp::Gt => "__gt__",
            _ => "__ge__",
        };
        if let Some(method) = self.method(left, name)? {
            return self.call(&method, Args::of(vec![right.clone()], Span::default()));
        }
        if let (Py::Unknown(reason), _) | (_, Py::Unknown(reason)) = (left, right) {
            return Ok(Py::Unknown(reason.clone()));
        }
        if left.is_run_time() || right.is_run_time() {
            return Ok(Py::run_time_bool());
        }
        let order = match (left, right) {
            _ if is_number(left) && is_number(right) => number(left).partial_cmp(&number(right)),
            (Py::Str(a), Py::Str(b)) => Some(a.cmp(b)),
            (Py::Tuple(a), Py::Tuple(b)) => {
                let (a, b) = (Arc::clone(a), Arc::clone(b));
                for (a, b) in a.iter().zip(b.iter()) {
                    let equal = self.equal(a, b)?;
                    match self.condition(&equal)? {
                        Condition::Known(true) => {}
                        Condition::Known(false) => return self.ordered(op, a, b),
                        _ => return Ok(Py::run_time_bool()),
                    }
                }
                Some(a.len().cmp(&b.len()))
            }
            _ => None,
        };
        let (Some(a), Some(b)) = (self.data_of(left), self.data_of(right)) else {
            return Ok(match order {
                Some(order) => Py::Bool(holds(op, order)),
                None => Py::Unknown(Reason::Construct("a comparison of these values")),
            });
        };
        match order {
            Some(order) => Ok(Py::Bool(holds(op, order))),
            None if a != *left || b != *right => self.ordered(op, &a, &b),
            None => Ok(Py::Unknown(Reason::Construct(
                "a comparison of these values",
            ))),
        }
    }

    fn contains(&mut self, item: &Py, container: &Py) -> Run<Py> {
        if let Some(method) = self.method(container, "__contains__")? {
            return self.call(&method, Args::of(vec![item.clone()], Span::default()));
        }
        if let (Py::Str(part), Py::Str(text)) = (item, container) {
            return Ok(Py::Bool(text.contains(&**part)));
        }
        let items = match self.iterate(container)? {
            Ok(items) => items,
            Err(reason) => return Ok(Py::Unknown(reason)),
        };
        let mut result = Py::Bool(false);
        for (at, candidate) in items.iter().enumerate() {
            match self.equal(candidate, item)? {
                Py::Bool(true) => {
                    // An iterator goes on behind it.
                    if let Py::Object(id) = container
                        && matches!(self.heap.get(*id), Object::Iterator(_))
                    {
                        let rest = items.get(at + 1..).unwrap_or_default().to_vec();
                        self.heap.put(*id, Object::Iterator(rest));
                    }
                    return Ok(Py::Bool(true));
                }
                Py::Bool(false) => {}
                other => result = other,
            }
        }
        Ok(result)
    }
}

fn holds(op: CompareOp, order: std::cmp::Ordering) -> bool {
    match op {
        CompareOp::Lt => order.is_lt(),
        CompareOp::Le => order.is_le(),
        CompareOp::Gt => order.is_gt(),
        _ => order.is_ge(),
    }
}

fn negated(value: Py) -> Py {
    match value {
        Py::Bool(value) => Py::Bool(!value),
        other => other,
    }
}

fn is_number(value: &Py) -> bool {
    matches!(value, Py::Int(_) | Py::Float(_) | Py::Bool(_))
}

#[allow(clippy::cast_precision_loss)] // As Python converts.
fn number(value: &Py) -> f64 {
    match value {
        Py::Int(value) => *value as f64,
        Py::Float(value) => *value,
        Py::Bool(true) => 1.0,
        _ => 0.0,
    }
}

/// Whether C++'s division is Python's: neither is negative.
fn is_positive(a: &Int, b: &Int) -> bool {
    let not_negative = |int: &Int| int.bounds().0.is_some_and(|least| least >= 0);
    not_negative(a) && not_negative(b)
}

fn out_of_range() -> Py {
    Py::Unknown(Reason::Construct("an integer of more than 64 bits"))
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
    Ok(result.map_or_else(out_of_range, Py::Int))
}

fn floats(op: BinaryOp, a: f64, b: f64) -> Py {
    match op {
        BinaryOp::Add => Py::Float(a + b),
        BinaryOp::Sub => Py::Float(a - b),
        BinaryOp::Mul => Py::Float(a * b),
        BinaryOp::Div if b != 0.0 => Py::Float(a / b),
        BinaryOp::FloorDiv if b != 0.0 => Py::Float((a / b).floor()),
        BinaryOp::Pow => Py::Float(a.powf(b)),
        _ => Py::Unknown(Reason::Construct("an operator on floating-point numbers")),
    }
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
