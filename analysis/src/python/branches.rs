//! Conditions, and values after a branch that may or may not have been taken.

use tree_sitter_cute::script::{Expr, ExprKind, Stmt};

use super::dsl;
use super::heap::{Id, Names, Object};
use super::machine::{Machine, Run, Stop};
use super::native::Args;
use super::record::Maker;
use super::run::Flow;
use super::value::{Condition, Py};
use crate::hash::HashMap;
use crate::reason::Reason;
use crate::value::Value;

impl Machine<'_> {
    /// The truth of a value.
    pub(crate) fn condition(&mut self, value: &Py) -> Run<Condition> {
        let known = match value {
            Py::None => false,
            Py::Bool(value) => *value,
            Py::Int(value) => *value != 0,
            Py::Float(value) => *value != 0.0,
            Py::Str(text) => !text.is_empty(),
            Py::Tuple(items) => !items.is_empty(),
            Py::Leaf(Value::Int(_) | Value::Number(_) | Value::Bool(_)) | Py::Whole(..) => {
                return Ok(Condition::RunTime);
            }
            Py::Object(id) => match self.heap.get(*id) {
                Object::List(items) | Object::Set(items) => !items.is_empty(),
                Object::Dict(entries) => !entries.is_empty(),
                Object::Attributes(of) => !self.attributes_of(*of).is_empty(),
                Object::Lost(reason) => return Ok(Condition::Unknown(reason.clone())),
                Object::Instance(_) => {
                    if let Some(members) = self.bits_of(value) {
                        return Ok(Condition::Known(members != 0));
                    }
                    for name in ["__bool__", "__len__"] {
                        if let Some(method) = self.method(value, name)? {
                            let answer = self.call(&method, Args::default())?;
                            return match answer {
                                Py::Object(_) => Ok(Condition::Known(true)),
                                answer => self.condition(&answer),
                            };
                        }
                    }
                    if let Some(content) = self.content_of(value) {
                        return self.condition(&content);
                    }
                    true
                }
                _ => true,
            },
            Py::Unknown(reason) => return Ok(Condition::Unknown(reason.clone())),
            _ => true,
        };
        Ok(Condition::Known(known))
    }

    /// The value of one of two expressions, where it is not known of which.
    pub(crate) fn either(
        &mut self,
        condition: &Condition,
        then: impl FnOnce(&mut Self) -> Run<Py>,
        orelse: impl FnOnce(&mut Self) -> Run<Py>,
    ) -> Run<Py> {
        let is_unknown = matches!(condition, Condition::Unknown(_));
        let (first, after_first) = self.alternative(is_unknown, then);
        let (second, after_second) = self.alternative(is_unknown, orelse);
        match (first, second) {
            (Err(stop @ Stop::Limit(_)), _) | (_, Err(stop @ Stop::Limit(_))) => Err(stop),
            (Err(stop), Err(_)) => Err(stop),
            (Ok(value), Err(_)) => {
                self.adopt(after_first);
                Ok(value)
            }
            (Err(_), Ok(value)) => {
                self.adopt(after_second);
                Ok(value)
            }
            (Ok(first), Ok(second)) => {
                self.join(after_first, after_second, condition);
                Ok(self.joined(first, second, condition))
            }
        }
    }

    /// Runs one of several ways, and takes back what it does to the heap.
    fn alternative<T>(
        &mut self,
        is_unknown: bool,
        run: impl FnOnce(&mut Self) -> Run<T>,
    ) -> (Run<T>, HashMap<Id, Object>) {
        let around = is_unknown.then(|| self.uncertain.enter());
        self.heap.enter();
        let result = run(self);
        let after = self.heap.take_back();
        if let Some(around) = around {
            self.uncertain.leave(around);
        }
        (result, after)
    }

    /// Runs one of two blocks, where it is not known which.
    pub(crate) fn either_block(
        &mut self,
        condition: &Condition,
        then: &[Stmt],
        orelse: &[Stmt],
    ) -> Run<Flow> {
        let is_unknown = matches!(condition, Condition::Unknown(_));
        if is_unknown {
            self.import_ahead(then)?;
            self.import_ahead(orelse)?;
        }
        let (first, after_first) = self.alternative(is_unknown, |it| it.block(then));
        let (second, after_second) = self.alternative(is_unknown, |it| it.block(orelse));
        let (first, second) = match (first, second) {
            (Err(stop @ Stop::Limit(_)), _) | (_, Err(stop @ Stop::Limit(_))) => return Err(stop),
            (Err(stop), Err(_)) => return Err(stop),
            // An error ends the trace: only the other way is left.
            (Ok(flow), Err(_)) => {
                self.adopt(after_first);
                return Ok(self.of_one_side(flow, condition));
            }
            (Err(_), Ok(flow)) => {
                self.adopt(after_second);
                return Ok(self.of_one_side(flow, condition));
            }
            (Ok(first), Ok(second)) => (first, second),
        };
        // How the body of a generator goes on depends on the side that is taken.
        if let (Flow::Yield(_), _) | (_, Flow::Yield(_)) = (&first, &second) {
            return Ok(self.lose_yields(why(condition)));
        }
        Ok(match (first, second) {
            (Flow::Return(first), Flow::Return(second)) => {
                self.join(after_first, after_second, condition);
                Flow::Return(self.joined(first, second, condition))
            }
            (Flow::Return(value), other) => {
                self.adopt(after_second);
                self.may_return(value);
                other
            }
            (other, Flow::Return(value)) => {
                self.adopt(after_first);
                self.may_return(value);
                other
            }
            (first, second) => {
                self.join(after_first, after_second, condition);
                if first == second { first } else { Flow::Next }
            }
        })
    }

    /// The flow of the side that is left: a generator that stops there would not find it again.
    fn of_one_side(&mut self, flow: Flow, condition: &Condition) -> Flow {
        match flow {
            Flow::Yield(_) => self.lose_yields(why(condition)),
            flow => flow,
        }
    }

    fn may_return(&mut self, value: Py) {
        if let Some(frame) = self.frames.last_mut() {
            frame.returned.push(value);
        }
    }

    /// Makes the changes of a branch.
    pub(super) fn adopt(&mut self, changed: HashMap<Id, Object>) {
        for (id, object) in changed {
            self.heap.put(id, object);
        }
    }

    /// Makes the changes of two branches of which one was taken.
    fn join(
        &mut self,
        mut first: HashMap<Id, Object>,
        mut second: HashMap<Id, Object>,
        condition: &Condition,
    ) {
        let mut ids: Vec<Id> = first.keys().chain(second.keys()).copied().collect();
        ids.sort_unstable();
        ids.dedup();
        for id in ids {
            let before = self.heap.get(id).clone();
            let one = first.remove(&id).unwrap_or_else(|| before.clone());
            let other = second.remove(&id).unwrap_or(before);
            let joined = if one == other {
                one
            } else {
                self.joined_object(one, other, condition)
            };
            self.heap.put(id, joined);
        }
    }

    fn joined_object(&mut self, one: Object, other: Object, condition: &Condition) -> Object {
        match (one, other) {
            (Object::List(one), Object::List(other)) if one.len() == other.len() => {
                Object::List(self.joined_all(one, other, condition))
            }
            (Object::Scope(mut one), Object::Scope(other)) => {
                one.names = self.joined_names(one.names, &other.names, condition);
                Object::Scope(one)
            }
            (Object::Instance(mut one), Object::Instance(other)) if one.class == other.class => {
                one.attributes = self.joined_names(one.attributes, &other.attributes, condition);
                Object::Instance(one)
            }
            (Object::Class(mut one), Object::Class(other)) => {
                one.attributes = self.joined_names(one.attributes, &other.attributes, condition);
                Object::Class(one)
            }
            _ => Object::Lost(why(condition)),
        }
    }

    /// The names of both; a name that only one of them has is bound for whoever uses it.
    fn joined_names(&mut self, one: Names, other: &Names, condition: &Condition) -> Names {
        let mut joined = one.clone();
        for (name, value) in other.iter() {
            match one.get(name) {
                Some(own) if own == value => {}
                Some(own) => {
                    let value = self.joined(own.clone(), value.clone(), condition);
                    joined.set(std::sync::Arc::clone(name), value);
                }
                None => joined.set(std::sync::Arc::clone(name), value.clone()),
            }
        }
        joined
    }

    fn joined_all(&mut self, one: Vec<Py>, other: Vec<Py>, condition: &Condition) -> Vec<Py> {
        one.into_iter()
            .zip(other)
            .map(|(one, other)| self.joined(one, other, condition))
            .collect()
    }

    /// A value that is one of two.
    pub(crate) fn joined(&mut self, one: Py, other: Py, condition: &Condition) -> Py {
        if one == other {
            return one;
        }
        let at_run_time = *condition == Condition::RunTime;
        match (&one, &other) {
            (Py::Tuple(first), Py::Tuple(second)) if first.len() == second.len() => {
                let items = self.joined_all(first.to_vec(), second.to_vec(), condition);
                return Py::tuple(items);
            }
            (Py::Leaf(Value::Tensor(first)), Py::Leaf(Value::Tensor(second)))
                if first.layout == second.layout =>
            {
                return one;
            }
            (Py::Object(first), Py::Object(second)) => {
                if let (Object::Instance(first), Object::Instance(second)) =
                    (self.heap.get(*first), self.heap.get(*second))
                    && first.class == second.class
                    && at_run_time
                {
                    let (first, second) = (first.clone(), second.attributes.clone());
                    let attributes =
                        self.joined_names(first.attributes.clone(), &second, condition);
                    let object = Object::Instance(super::heap::Instance {
                        attributes,
                        ..first
                    });
                    return Py::Object(self.heap.add(object));
                }
            }
            _ => {}
        }
        let is_bool = |value: &Py| {
            matches!(value, Py::Bool(_))
                || matches!(value, Py::Leaf(Value::Number(it)) if it.name == "bool")
        };
        if at_run_time || one.is_run_time() || other.is_run_time() {
            if is_bool(&one) && is_bool(&other) {
                return Py::run_time_bool();
            }
            if one.as_int().is_some() && other.as_int().is_some() {
                let ty = dsl::number_type(&one).filter(|ty| Some(*ty) == dsl::number_type(&other));
                return self.numbers.number("v", ty.flatten());
            }
            if let (
                Py::Leaf(Value::Number(_)),
                Py::Float(_) | Py::Int(_) | Py::Leaf(Value::Number(_)),
            ) = (&one, &other)
            {
                return one;
            }
            if let (Py::Float(_) | Py::Int(_), Py::Leaf(Value::Number(_))) = (&one, &other) {
                return other;
            }
        }
        match (one.reason(), other.reason()) {
            (Some(reason), _) | (_, Some(reason)) => Py::Unknown(reason.clone()),
            _ => Py::Unknown(why(condition)),
        }
    }
}

/// Why a value after a branch is not known.
fn why(condition: &Condition) -> Reason {
    match condition {
        Condition::Unknown(reason) => reason.clone(),
        _ => Reason::RunTime("the side of `if` ... `else` that is taken".into()),
    }
}

impl Machine<'_> {
    /// Whether a test of the analysed file, outside of functions, asks if the file is the program.
    pub(super) fn asks_for_program(&self, test: &Expr) -> bool {
        let is_outside = self.frames.last().is_some_and(|it| it.qualified.is_empty());
        is_outside && self.is_in_focus() && compares_name(test)
    }

    /// Runs what a file does as a program: an example of its kernels.
    pub(super) fn run_example(&mut self, test: &Expr, body: &[Stmt], orelse: &[Stmt]) -> Run<Flow> {
        let test = self.eval(test)?;
        match self.condition(&test)? {
            Condition::Known(true) => {
                let outer = std::mem::replace(&mut self.record.maker, Maker::Example);
                let flow = self.block(body);
                self.record.maker = outer;
                self.covered.as_program = flow.is_ok();
                flow
            }
            Condition::Known(false) => self.block(orelse),
            condition => self.either_block(&condition, body, orelse),
        }
    }
}

/// `__name__ == "__main__"`
fn compares_name(test: &Expr) -> bool {
    match &test.kind {
        ExprKind::Compare(first, _) => {
            matches!(&first.kind, ExprKind::Name(name) if &**name == "__name__")
        }
        _ => false,
    }
}
