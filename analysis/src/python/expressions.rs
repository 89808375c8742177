//! Expressions.

use std::sync::Arc;

use tree_sitter_cute::script::{
    Arg, ArgKind, Clause, Comprehension, ComprehensionKind, Expr, ExprKind, FormatPart, LogicalOp,
    UnaryOp,
};

use super::heap::Object;
use super::machine::{Machine, Run, Stop};
use super::native::Args;
use super::value::{Condition, Py};
use crate::reason::Reason;

impl Machine<'_> {
    /// The value of an expression.
    pub(crate) fn eval(&mut self, expr: &Expr) -> Run<Py> {
        self.step(1)?;
        let value = self.deeper(|machine| machine.eval_kind(expr))?;
        let is_written_out = matches!(expr.kind, ExprKind::Int(_) | ExprKind::Bool(_));
        if !is_written_out {
            self.observe_number(expr.span, &value);
        }
        Ok(value)
    }

    fn eval_all(&mut self, exprs: &[Expr]) -> Run<Vec<Py>> {
        let mut values = Vec::with_capacity(exprs.len());
        for expr in exprs {
            match &expr.kind {
                ExprKind::Starred(inner) => {
                    let inner = self.eval(inner)?;
                    match self.iterate(&inner)? {
                        Ok(items) => values.extend(items),
                        Err(reason) => values.push(Py::Unknown(reason)),
                    }
                }
                _ => values.push(self.eval(expr)?),
            }
        }
        Ok(values)
    }

    fn eval_kind(&mut self, expr: &Expr) -> Run<Py> {
        Ok(match &expr.kind {
            ExprKind::Name(name) => self.look_up(name),
            ExprKind::Int(value) => Py::Int(*value),
            ExprKind::Float(value) => Py::Float(*value),
            ExprKind::Str(text) => Py::Str(Arc::clone(text)),
            ExprKind::Format(parts) => self.format(parts)?,
            ExprKind::None => Py::None,
            ExprKind::Bool(value) => Py::Bool(*value),
            ExprKind::Ellipsis => Py::Ellipsis,
            ExprKind::Tuple(items) => Py::tuple(self.eval_all(items)?),
            ExprKind::List(items) => {
                let items = self.eval_all(items)?;
                self.list(items)
            }
            ExprKind::Set(items) => {
                let items = self.eval_all(items)?;
                self.set(items)?
            }
            ExprKind::Dict(entries) => self.dictionary(entries)?,
            ExprKind::Unary(UnaryOp::Not, operand) => {
                let value = self.eval(operand)?;
                match self.condition(&value)? {
                    Condition::Known(holds) => Py::Bool(!holds),
                    Condition::RunTime => Py::run_time_bool(),
                    Condition::Unknown(reason) => Py::Unknown(reason),
                }
            }
            ExprKind::Unary(op, operand) => {
                let value = self.eval(operand)?;
                self.unary(*op, value)?
            }
            ExprKind::Binary(op, left, right) => {
                let left = self.eval(left)?;
                let right = self.eval(right)?;
                self.binary(*op, left, right)?
            }
            ExprKind::Logical(op, left, right) => self.logical(*op, left, right)?,
            ExprKind::Compare(first, rest) => {
                let mut left = self.eval(first)?;
                let mut result = Py::Bool(true);
                for (op, right) in rest {
                    let right = self.eval(right)?;
                    let holds = self.compare(*op, &left, &right)?;
                    result = match (result, holds) {
                        (Py::Bool(true), holds) => holds,
                        (Py::Bool(false), _) | (_, Py::Bool(false)) => return Ok(Py::Bool(false)),
                        (result, Py::Bool(true)) => result,
                        (result, _) => result,
                    };
                    left = right;
                }
                result
            }
            ExprKind::Call(callee, args) => self.call_expression(expr, callee, args)?,
            ExprKind::Attribute(object, name) => {
                let object = self.eval(object)?;
                let value = self.attribute(&object, &name.text)?;
                if self.record.supposed.is_some() {
                    self.note_member(expr.span, &object)?;
                }
                if let (Py::Leaf(leaf), Py::Unknown(_)) = (&object, &value) {
                    super::dsl::judge_member(self, leaf, &name.text, name.span);
                }
                value
            }
            ExprKind::Subscript(object, index) => {
                let object = self.eval(object)?;
                let index = self.eval(index)?;
                self.subscript(&object, &index, expr.span)?
            }
            ExprKind::Slice(parts) => {
                let mut values = [Py::None, Py::None, Py::None];
                for (value, part) in values.iter_mut().zip(parts) {
                    if let Some(part) = part {
                        *value = self.eval(part)?;
                    }
                }
                Py::Slice(Arc::new(values))
            }
            ExprKind::Starred(inner) => self.eval(inner)?,
            ExprKind::Conditional(choice) => {
                let test = self.eval(&choice.test)?;
                match self.condition(&test)? {
                    Condition::Known(true) => self.eval(&choice.then)?,
                    Condition::Known(false) => self.eval(&choice.orelse)?,
                    other => self.either(
                        &other,
                        |machine| machine.eval(&choice.then),
                        |machine| machine.eval(&choice.orelse),
                    )?,
                }
            }
            ExprKind::Lambda(code) => self.function(code)?,
            ExprKind::Comprehension(comprehension) => self.comprehension(comprehension)?,
            ExprKind::Walrus(name, value) => {
                let value = self.eval(value)?;
                self.recorded(name.span, &name.text, &value);
                match self.frames.last().and_then(|frame| frame.own_scope) {
                    Some(scope) => self.bind_in(scope, Arc::clone(&name.text), value.clone()),
                    None => self.bind(&name.text, value.clone()),
                }
                value
            }
            ExprKind::Yield(value) => {
                let value = match value {
                    Some(value) => self.eval(value)?,
                    None => Py::None,
                };
                if let Some(frame) = self.frames.last_mut() {
                    frame.yields.push(value);
                }
                Py::None
            }
            ExprKind::YieldFrom(items) => {
                let items = self.eval(items)?;
                match self.iterate(&items)? {
                    Ok(items) => {
                        if let Some(frame) = self.frames.last_mut() {
                            frame.yields.extend(items);
                        }
                        // What the inner generator returns is not kept.
                        Py::Unknown(Reason::Construct("what a generator returns"))
                    }
                    Err(reason) => {
                        if let Some(frame) = self.frames.last_mut() {
                            frame.lost_yields.get_or_insert(reason.clone());
                        }
                        Py::Unknown(reason)
                    }
                }
            }
            ExprKind::Unread => Py::Unknown(Reason::Construct("a syntax error")),
        })
    }

    fn dictionary(&mut self, entries: &[(Option<Expr>, Expr)]) -> Run<Py> {
        let mut pairs: Vec<(Py, Py)> = Vec::new();
        for (key, value) in entries {
            let value = self.eval(value)?;
            match key {
                Some(key) => {
                    let key = self.eval(key)?;
                    self.put_entry(&mut pairs, key, value)?;
                }
                None => {
                    if let Py::Object(id) = value
                        && let Object::Dict(rest) = self.heap.get(id)
                    {
                        for (key, value) in rest.clone() {
                            self.put_entry(&mut pairs, key, value)?;
                        }
                    }
                }
            }
        }
        Ok(Py::Object(self.heap.add(Object::Dict(pairs))))
    }

    fn format(&mut self, parts: &[FormatPart]) -> Run<Py> {
        let mut text = String::new();
        for part in parts {
            match part {
                FormatPart::Text(part) => text.push_str(part),
                FormatPart::Value(value) => {
                    let value = self.eval(value)?;
                    match self.formatted(&value, "")? {
                        Ok(part) => text.push_str(&part),
                        Err(reason) => return Ok(Py::Unknown(reason)),
                    }
                }
                FormatPart::Formatted(value, behind) => {
                    let value = self.eval(value)?;
                    match self.formatted(&value, behind)? {
                        Ok(part) => text.push_str(&part),
                        Err(reason) => return Ok(Py::Unknown(reason)),
                    }
                }
            }
        }
        self.step(text.len() / 1024)?;
        Ok(Py::str(&text))
    }

    fn logical(&mut self, op: LogicalOp, left: &Expr, right: &Expr) -> Run<Py> {
        let first = self.eval(left)?;
        let stops_at = op == LogicalOp::Or;
        match self.condition(&first)? {
            Condition::Known(holds) if holds == stops_at => Ok(first),
            Condition::Known(_) => self.eval(right),
            Condition::RunTime => {
                let second = self.eval(right)?;
                // A condition of the trace that decides does so whatever the other one is.
                match self.condition(&second)? {
                    Condition::Known(holds) if holds == stops_at => Ok(Py::Bool(holds)),
                    Condition::Unknown(reason) => Ok(Py::Unknown(reason)),
                    _ => Ok(Py::run_time_bool()),
                }
            }
            Condition::Unknown(reason) => {
                let condition = Condition::Unknown(reason.clone());
                let second = self.either(
                    &condition,
                    |machine| machine.eval(right),
                    |_| Ok(Py::Unknown(reason.clone())),
                )?;
                match second {
                    // `unknown and False`, `unknown or True`.
                    Py::Bool(holds) if holds == stops_at => Ok(Py::Bool(holds)),
                    _ => Ok(Py::Unknown(reason)),
                }
            }
        }
    }

    fn call_expression(&mut self, expr: &Expr, callee: &Expr, args: &[Arg]) -> Run<Py> {
        let function = self.eval(callee)?;
        self.lose_receiver(&function, callee)?;
        let mut given = Args {
            span: expr.span,
            callee: match &callee.kind {
                ExprKind::Attribute(_, name) => name.span,
                _ => callee.span,
            },
            ..Args::default()
        };
        for arg in args {
            let value = self.eval(&arg.value)?;
            match &arg.kind {
                ArgKind::Plain => {
                    given.plain.push(value);
                    given.places.push(arg.value.span);
                }
                ArgKind::Named(name) => given.named.push((Arc::clone(&name.text), value)),
                ArgKind::Star => match self.iterate(&value)? {
                    Ok(items) => given.plain.extend(items),
                    Err(reason) => return Ok(Py::Unknown(reason)),
                },
                ArgKind::DoubleStar => match self.named_entries(&value) {
                    Some(entries) => given.named.extend(entries),
                    None => {
                        let lost = match &value {
                            Py::Object(id) => match self.heap.get(*id) {
                                Object::Lost(reason) => Some(reason.clone()),
                                _ => None,
                            },
                            _ => None,
                        };
                        let reason = value.reason().cloned().or(lost);
                        return Ok(Py::Unknown(
                            reason.unwrap_or(Reason::Construct("`**` of an object")),
                        ));
                    }
                },
            }
        }
        let observed = self.observed_call(&function, &given);
        let made = self.call(&function, given)?;
        if let Some(call) = observed {
            self.observe_call(expr.span, call, &made);
        }
        Ok(made)
    }

    /// The entries of a dictionary by name.
    pub(super) fn named_entries(&self, value: &Py) -> Option<Vec<(Arc<str>, Py)>> {
        let Py::Object(id) = value else {
            return None;
        };
        let Object::Dict(entries) = self.heap.get(*id) else {
            return None;
        };
        let named = entries.iter().map(|(key, value)| match key {
            Py::Str(name) => Some((Arc::clone(name), value.clone())),
            _ => None,
        });
        named.collect()
    }

    fn comprehension(&mut self, comprehension: &Comprehension) -> Run<Py> {
        let scope = self.new_scope(self.scope(), false);
        let Some(outer) = self.frames.last_mut() else {
            return Ok(Py::Unknown(Reason::Construct("a comprehension")));
        };
        let around = std::mem::replace(&mut outer.scope, scope);
        let own = outer.own_scope;
        outer.own_scope = own.or(Some(around));
        let mut made = Vec::new();
        let result = self.clauses(comprehension, &comprehension.clauses, &mut made);
        if let Some(outer) = self.frames.last_mut() {
            (outer.scope, outer.own_scope) = (around, own);
        }
        if let Err(reason) = result? {
            return Ok(Py::Unknown(reason));
        }
        let object = match comprehension.kind {
            ComprehensionKind::List => {
                Object::List(made.into_iter().map(|(element, _)| element).collect())
            }
            ComprehensionKind::Generator => {
                Object::Iterator(made.into_iter().map(|(element, _)| element).collect())
            }
            ComprehensionKind::Set => {
                return self.set(made.into_iter().map(|(element, _)| element).collect());
            }
            ComprehensionKind::Dict => {
                let mut pairs = Vec::new();
                for (key, value) in made {
                    self.put_entry(&mut pairs, key, value)?;
                }
                Object::Dict(pairs)
            }
        };
        Ok(Py::Object(self.heap.add(object)))
    }

    /// Runs the remaining clauses; the elements are added to `made`.
    fn clauses(
        &mut self,
        comprehension: &Comprehension,
        clauses: &[Clause],
        made: &mut Vec<(Py, Py)>,
    ) -> Run<Result<(), Reason>> {
        let Some((first, rest)) = clauses.split_first() else {
            let element = self.eval(&comprehension.element)?;
            let value = match &comprehension.value {
                Some(value) => self.eval(value)?,
                None => Py::None,
            };
            made.push((element, value));
            return Ok(Ok(()));
        };
        match first {
            Clause::If(test) => {
                let test = self.eval(test)?;
                match self.condition(&test)? {
                    Condition::Known(true) => self.clauses(comprehension, rest, made),
                    Condition::Known(false) => Ok(Ok(())),
                    Condition::RunTime => Ok(Err(Reason::RunTime(
                        "a condition of a comprehension".into(),
                    ))),
                    Condition::Unknown(reason) => Ok(Err(reason)),
                }
            }
            Clause::For(target, iterable) => {
                let iterable = self.eval(iterable)?;
                let items = match self.iterate(&iterable)? {
                    Ok(items) => items,
                    Err(reason) => return Ok(Err(reason)),
                };
                for item in items {
                    self.assign(target, item)?;
                    if let Err(reason) = self.clauses(comprehension, rest, made)? {
                        return Ok(Err(reason));
                    }
                }
                Ok(Ok(()))
            }
        }
    }

    /// The elements that an iterator has left, which has none afterwards.
    fn taken(&mut self, value: &Py) -> Option<Vec<Py>> {
        let Py::Object(id) = value else {
            return None;
        };
        if !matches!(self.heap.get(*id), Object::Iterator(_)) {
            return None;
        }
        match self.heap.get_mut(*id) {
            Some(Object::Iterator(items)) => Some(std::mem::take(items)),
            _ => None,
        }
    }

    /// The elements of an iterable, in order; the reason where they are unknown.
    pub(crate) fn iterate(&mut self, value: &Py) -> Run<Result<Vec<Py>, Reason>> {
        if let Some(items) = self.taken(value) {
            self.step(items.len())?;
            return Ok(Ok(items));
        }
        let items = match value {
            Py::Tuple(items) => items.to_vec(),
            Py::Str(text) => text.chars().map(|it| Py::str(&it.to_string())).collect(),
            Py::Object(id) => match self.heap.get(*id) {
                Object::List(items) | Object::Set(items) => items.clone(),
                Object::Dict(entries) => entries.iter().map(|(key, _)| key.clone()).collect(),
                Object::Lost(reason) => return Ok(Err(reason.clone())),
                Object::Instance(instance) => {
                    if let Some(Py::Tuple(items)) = &instance.built_in {
                        return Ok(Ok(items.to_vec()));
                    }
                    if let Some(method) = self.method(value, "__iter__")? {
                        let inner = self.call(&method, Args::default())?;
                        if inner == *value {
                            return Ok(Err(Reason::Construct("an iterator")));
                        }
                        return self.iterate(&inner);
                    }
                    return Err(Stop::error("TypeError", "an object that is not iterable"));
                }
                Object::Class(_) => match self.members(*id) {
                    Some(members) => members,
                    None => return Ok(Err(Reason::Construct("the members of a class"))),
                },
                _ => return Ok(Err(Reason::Construct("an iteration over this object"))),
            },
            Py::Unknown(reason) | Py::Open(_, reason) => return Ok(Err(reason.clone())),
            Py::Coordinate => return Ok(Err(super::dsl::coordinate())),
            Py::Leaf(_) => return Ok(Err(Reason::RunTime("the range of the loop".into()))),
            _ => return Ok(Err(Reason::Construct("an iteration over this value"))),
        };
        self.step(items.len())?;
        Ok(Ok(items))
    }
}
