//! Comparisons.

use std::cmp::Ordering;
use std::sync::Arc;

use tree_sitter_cute::script::CompareOp;
use tree_sitter_cute::tree::Span;

use super::heap::{ClassKind, Id, Object};
use super::lazy::Pulled;
use super::machine::{Machine, Run};
use super::native::Args;
use super::value::{Builtin, Condition, Py};
use crate::reason::Reason;

/// `NotImplemented`: the answer of a method that leaves an operator to the other operand.
pub(super) const NOT_IMPLEMENTED: Py = Py::Builtin(Builtin::Dsl("NotImplemented"));

impl Machine<'_> {
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
                self.opposite(&inside)
            }
            CompareOp::Eq => self.equal(left, right),
            CompareOp::Ne => {
                if let Some(answer) = self.answer(left, "__ne__", right)? {
                    return Ok(answer);
                }
                let equal = self.equal(left, right)?;
                self.opposite(&equal)
            }
            CompareOp::Lt | CompareOp::Le | CompareOp::Gt | CompareOp::Ge => {
                self.step(1)?;
                self.deeper(|machine| machine.ordered(op, left, right))
            }
        }
    }

    /// `not value`
    fn opposite(&mut self, value: &Py) -> Run<Py> {
        Ok(match self.condition(value)? {
            Condition::Known(holds) => Py::Bool(!holds),
            _ => value.clone(),
        })
    }

    /// The answer of a method about another operand; nothing where there is none.
    pub(super) fn answer(&mut self, object: &Py, name: &str, other: &Py) -> Run<Option<Py>> {
        let Some(method) = self.method(object, name)? else {
            return Ok(None);
        };
        let answer = self.call(&method, Args::of(vec![other.clone()], Span::default()))?;
        Ok((answer != NOT_IMPLEMENTED).then_some(answer))
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

    pub(super) fn equal(&mut self, left: &Py, right: &Py) -> Run<Py> {
        self.step(1)?;
        self.deeper(|machine| machine.equal_deeper(left, right))
    }

    fn equal_deeper(&mut self, left: &Py, right: &Py) -> Run<Py> {
        let first = match self.derives_from(right, left) {
            true => [(right, left), (left, right)],
            false => [(left, right), (right, left)],
        };
        for (object, other) in first {
            if let Some(answer) = self.answer(object, "__eq__", other)? {
                return Ok(answer);
            }
        }
        if let (Py::Unknown(reason), _) | (_, Py::Unknown(reason)) = (left, right) {
            return Ok(Py::Unknown(reason.clone()));
        }
        if let Some((a, b)) = self.contents_of(left, right) {
            return self.equal(&a, &b);
        }
        if left.is_run_time() && right.is_run_time()
            || left.is_run_time() && is_number(right)
            || right.is_run_time() && is_number(left)
        {
            return Ok(Py::run_time_bool());
        }
        if is_number(left) && is_number(right) {
            return Ok(Py::Bool(number(left) == number(right)));
        }
        if let (Py::Tuple(a), Py::Tuple(b)) = (left, right) {
            let (a, b) = (Arc::clone(a), Arc::clone(b));
            return self.equal_items(&a, &b);
        }
        if let (Py::Object(a), Py::Object(b)) = (left, right) {
            return self.equal_objects(*a, *b);
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

    /// Two operands as the values that they contain; nothing where neither contains one.
    fn contents_of(&self, left: &Py, right: &Py) -> Option<(Py, Py)> {
        let (a, b) = (self.content_of(left), self.content_of(right));
        (a.is_some() || b.is_some()).then(|| {
            let or = |content: Option<Py>, operand: &Py| content.unwrap_or_else(|| operand.clone());
            (or(a, left), or(b, right))
        })
    }

    fn equal_items(&mut self, a: &[Py], b: &[Py]) -> Run<Py> {
        if a.len() != b.len() {
            return Ok(Py::Bool(false));
        }
        let mut result = Py::Bool(true);
        for (a, b) in a.iter().zip(b) {
            match self.equal(a, b)? {
                Py::Bool(true) => {}
                Py::Bool(false) => return Ok(Py::Bool(false)),
                other => result = other,
            }
        }
        Ok(result)
    }

    fn equal_objects(&mut self, a: Id, b: Id) -> Run<Py> {
        if a == b {
            return Ok(Py::Bool(true));
        }
        match (self.heap.get(a), self.heap.get(b)) {
            (Object::Lost(reason), _) | (_, Object::Lost(reason)) => {
                Ok(Py::Unknown(reason.clone()))
            }
            (Object::List(a), Object::List(b)) => {
                let (a, b) = (a.clone(), b.clone());
                self.equal_items(&a, &b)
            }
            (Object::Set(a), Object::Set(b)) => {
                let (a, b) = (a.clone(), b.clone());
                if a.len() != b.len() {
                    return Ok(Py::Bool(false));
                }
                self.has_all(&b, &a)
            }
            (Object::Dict(_) | Object::Attributes(_), Object::Dict(_) | Object::Attributes(_)) => {
                let entries = (
                    self.entries_of(&Py::Object(a)),
                    self.entries_of(&Py::Object(b)),
                );
                let (Ok(a), Ok(b)) = entries else {
                    return Ok(Py::Unknown(Reason::Construct(
                        "a comparison of dictionaries",
                    )));
                };
                self.equal_entries(&a, &b)
            }
            (Object::Instance(_), Object::Instance(_)) => self.equal_fields(a, b),
            _ => Ok(Py::Bool(false)),
        }
    }

    fn equal_entries(&mut self, a: &[(Py, Py)], b: &[(Py, Py)]) -> Run<Py> {
        if a.len() != b.len() {
            return Ok(Py::Bool(false));
        }
        let mut result = Py::Bool(true);
        for (key, value) in a {
            let Some((_, other)) = self.place_of_key(b, key)?.and_then(|at| b.get(at)) else {
                return Ok(Py::Bool(false));
            };
            match self.equal(value, other)? {
                Py::Bool(true) => {}
                Py::Bool(false) => return Ok(Py::Bool(false)),
                other => result = other,
            }
        }
        Ok(result)
    }

    /// Whether two objects of one dataclass have equal fields; other objects equal themselves alone.
    fn equal_fields(&mut self, a: Id, b: Id) -> Run<Py> {
        match (
            self.fields_to_compare(a, false),
            self.fields_to_compare(b, false),
        ) {
            (Some((one, a)), Some((other, b))) if one == other => self.equal_items(&a, &b),
            _ => Ok(Py::Bool(false)),
        }
    }

    /// The class of an object of a dataclass and the fields that are compared; nothing where it has no comparison.
    fn fields_to_compare(&self, id: Id, is_order: bool) -> Option<(Id, Vec<Py>)> {
        let Object::Instance(instance) = self.heap.get(id) else {
            return None;
        };
        let Object::Class(class) = self.heap.get(instance.class) else {
            return None;
        };
        let compares = match is_order {
            true => class.options.is_ordered,
            false => !class.options.has_identity,
        };
        (class.kind == ClassKind::Dataclass && compares).then(|| {
            let fields = class.fields.iter();
            let fields = fields.filter(|field| !field.is_ignored && !field.is_passed_on);
            let values = fields.filter_map(|field| instance.attributes.get(&field.name).cloned());
            (instance.class, values.collect())
        })
    }

    /// Whether a value is an object of a class derived from that of another.
    pub(super) fn derives_from(&self, value: &Py, other: &Py) -> bool {
        let (Some(own), Some(other)) = (self.class_of(value), self.class_of(other)) else {
            return false;
        };
        own != other
            && matches!(self.heap.get(own), Object::Class(class) if class.order.contains(&other))
    }

    fn ordered(&mut self, op: CompareOp, left: &Py, right: &Py) -> Run<Py> {
        let (name, reflected) = match op {
            CompareOp::Lt => ("__lt__", "__gt__"),
            CompareOp::Le => ("__le__", "__ge__"),
            CompareOp::Gt => ("__gt__", "__lt__"),
            _ => ("__ge__", "__le__"),
        };
        let mut ways = [(left, name, right), (right, reflected, left)];
        if self.derives_from(right, left) {
            ways.reverse();
        }
        for (object, name, other) in ways {
            if let Some(answer) = self.answer(object, name, other)? {
                return Ok(answer);
            }
        }
        if let (Py::Unknown(reason), _) | (_, Py::Unknown(reason)) = (left, right) {
            return Ok(Py::Unknown(reason.clone()));
        }
        if let Some((a, b)) = self.contents_of(left, right) {
            return self.compare(op, &a, &b);
        }
        if left.is_run_time() || right.is_run_time() {
            return Ok(Py::run_time_bool());
        }
        let unknown = || Py::Unknown(Reason::Construct("a comparison of these values"));
        let order = match (left, right) {
            _ if is_number(left) && is_number(right) => number(left).partial_cmp(&number(right)),
            (Py::Str(a), Py::Str(b)) => Some(a.cmp(b)),
            (Py::Tuple(a), Py::Tuple(b)) => {
                let (a, b) = (Arc::clone(a), Arc::clone(b));
                return self.ordered_items(op, &a, &b);
            }
            (Py::Object(a), Py::Object(b)) => return self.ordered_objects(op, *a, *b),
            _ => None,
        };
        Ok(order.map_or_else(unknown, |order| Py::Bool(holds(op, order))))
    }

    fn ordered_items(&mut self, op: CompareOp, a: &[Py], b: &[Py]) -> Run<Py> {
        for (a, b) in a.iter().zip(b) {
            let equal = self.equal(a, b)?;
            match self.condition(&equal)? {
                Condition::Known(true) => {}
                Condition::Known(false) => return self.compare(op, a, b),
                Condition::RunTime => return Ok(Py::run_time_bool()),
                Condition::Unknown(reason) => return Ok(Py::Unknown(reason)),
            }
        }
        Ok(Py::Bool(holds(op, a.len().cmp(&b.len()))))
    }

    fn ordered_objects(&mut self, op: CompareOp, a: Id, b: Id) -> Run<Py> {
        match (self.heap.get(a), self.heap.get(b)) {
            (Object::List(a), Object::List(b)) => {
                let (a, b) = (a.clone(), b.clone());
                self.ordered_items(op, &a, &b)
            }
            // The smaller one is a part of the larger.
            (Object::Set(a), Object::Set(b)) => {
                let (a, b) = (a.clone(), b.clone());
                match op {
                    CompareOp::Lt if a.len() >= b.len() => Ok(Py::Bool(false)),
                    CompareOp::Gt if a.len() <= b.len() => Ok(Py::Bool(false)),
                    CompareOp::Lt | CompareOp::Le => self.has_all(&b, &a),
                    _ => self.has_all(&a, &b),
                }
            }
            _ => match (
                self.fields_to_compare(a, true),
                self.fields_to_compare(b, true),
            ) {
                (Some((one, a)), Some((other, b))) if one == other => {
                    self.ordered_items(op, &a, &b)
                }
                _ => Ok(Py::Unknown(Reason::Construct(
                    "a comparison of these values",
                ))),
            },
        }
    }

    /// Whether each of some values is in a set.
    fn has_all(&mut self, set: &[Py], values: &[Py]) -> Run<Py> {
        let mut result = Py::Bool(true);
        for value in values {
            match self.is_among(set, value)? {
                Py::Bool(true) => {}
                Py::Bool(false) => return Ok(Py::Bool(false)),
                other => result = other,
            }
        }
        Ok(result)
    }

    /// Whether a value equals one of some.
    pub(super) fn is_among(&mut self, items: &[Py], value: &Py) -> Run<Py> {
        let mut result = Py::Bool(false);
        for item in items {
            let equal = match item == value && !item.is_run_time() {
                true => Py::Bool(true),
                false => self.equal(item, value)?,
            };
            match self.condition(&equal)? {
                Condition::Known(true) => return Ok(Py::Bool(true)),
                Condition::Known(false) => {}
                _ => result = equal,
            }
        }
        Ok(result)
    }

    fn contains(&mut self, item: &Py, container: &Py) -> Run<Py> {
        if let Some(method) = self.method(container, "__contains__")? {
            let answer = self.call(&method, Args::of(vec![item.clone()], Span::default()))?;
            return Ok(match self.condition(&answer)? {
                Condition::Known(holds) => Py::Bool(holds),
                _ => answer,
            });
        }
        if let (Some(part), Some(whole)) = (self.bits_of(item), self.bits_of(container)) {
            return Ok(Py::Bool(part & whole == part));
        }
        let content = self.content_of(container);
        let container = content.as_ref().unwrap_or(container);
        if let (Py::Str(part), Py::Str(text)) = (item, container) {
            return Ok(Py::Bool(text.contains(&**part)));
        }
        if self.is_iterator(container) {
            return self.contains_next(item, container);
        }
        match self.iterate(container)? {
            Ok(items) => self.is_among(&items, item),
            Err(reason) => Ok(Py::Unknown(reason)),
        }
    }

    /// Whether an iterator has a value among its next elements: it goes on behind it.
    fn contains_next(&mut self, item: &Py, iterator: &Py) -> Run<Py> {
        let iterator = match self.iter_of(iterator)? {
            Ok(iterator) => iterator,
            Err(reason) => return Ok(Py::Unknown(reason)),
        };
        let mut result = Py::Bool(false);
        loop {
            match self.pull(&iterator)? {
                Ok(Pulled::Item(candidate)) => {
                    match self.is_among(std::slice::from_ref(&candidate), item)? {
                        Py::Bool(true) => return Ok(Py::Bool(true)),
                        Py::Bool(false) => {}
                        other => result = other,
                    }
                }
                Ok(Pulled::End(_)) => return Ok(result),
                Err(reason) => return Ok(Py::Unknown(reason)),
            }
        }
    }
}

fn holds(op: CompareOp, order: Ordering) -> bool {
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

/// Whether a value is a number of Python.
pub(super) fn is_number(value: &Py) -> bool {
    matches!(value, Py::Int(_) | Py::Float(_) | Py::Bool(_))
}

/// A number of Python as a floating-point number.
#[allow(clippy::cast_precision_loss)] // As Python converts.
pub(super) fn number(value: &Py) -> f64 {
    match value {
        Py::Int(value) => *value as f64,
        Py::Float(value) => *value,
        Py::Bool(true) => 1.0,
        _ => 0.0,
    }
}
