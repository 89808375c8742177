//! Expressions.

use std::sync::Arc;

use tree_sitter_cute::script::{
    Arg, ArgKind, Clause, CompareOp, Comprehension, ComprehensionKind, Expr, ExprKind, FormatPart,
    Formatted, LogicalOp, UnaryOp,
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

    /// The values of expressions; a reason where the elements behind a star are not known.
    fn eval_all(&mut self, exprs: &[Expr]) -> Run<Result<Vec<Py>, Reason>> {
        let mut values = Vec::with_capacity(exprs.len());
        for expr in exprs {
            match &expr.kind {
                ExprKind::Starred(inner) => {
                    let inner = self.eval(inner)?;
                    match self.iterate(&inner)? {
                        Ok(items) => values.extend(items),
                        // It is not known how many there are.
                        Err(reason) => return Ok(Err(reason)),
                    }
                }
                _ => values.push(self.eval(expr)?),
            }
        }
        Ok(Ok(values))
    }

    fn eval_kind(&mut self, expr: &Expr) -> Run<Py> {
        Ok(match &expr.kind {
            ExprKind::Name(name) => match self.look_up(name) {
                Py::Unknown(Reason::Undeclared(_)) if &**name == "__class__" => {
                    let class = self.frames.last().and_then(|frame| frame.class);
                    class.map_or_else(|| Py::not_evaluated(name), Py::Object)
                }
                // A name whose value was deleted.
                Py::Unknown(Reason::Raised(class @ "UnboundLocalError", why)) => {
                    return Err(Stop::error(class, &why));
                }
                value => value,
            },
            ExprKind::Int(value) => Py::Int(*value),
            ExprKind::LargeInt => Py::out_of_range(),
            ExprKind::Float(value) => Py::Float(*value),
            ExprKind::Str(text) => Py::Str(Arc::clone(text)),
            ExprKind::Format(parts) => self.format(parts)?,
            ExprKind::None => Py::None,
            ExprKind::Bool(value) => Py::Bool(*value),
            ExprKind::Ellipsis => Py::Ellipsis,
            ExprKind::Tuple(items) => self.eval_all(items)?.map_or_else(Py::Unknown, Py::tuple),
            ExprKind::List(items) => match self.eval_all(items)? {
                Ok(items) => self.list(items),
                Err(reason) => Py::Unknown(reason),
            },
            ExprKind::Set(items) => match self.eval_all(items)? {
                Ok(items) => self.set(items)?,
                Err(reason) => Py::Unknown(reason),
            },
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
            ExprKind::Compare(first, rest) => self.comparisons(first, rest)?,
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
            ExprKind::Comprehension(code) if code.kind == ComprehensionKind::Generator => {
                self.elements(code)?
            }
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
                    frame.pausing.yields.push(value);
                }
                Py::None
            }
            ExprKind::YieldFrom(items) => {
                let items = self.eval(items)?;
                match self.iterate(&items)? {
                    Ok(items) => {
                        if let Some(frame) = self.frames.last_mut() {
                            frame.pausing.yields.extend(items);
                        }
                        // What the inner generator returns is not kept.
                        Py::Unknown(Reason::Construct("what a generator returns"))
                    }
                    Err(reason) => {
                        if let Some(frame) = self.frames.last_mut() {
                            frame.pausing.lost_yields.get_or_insert(reason.clone());
                        }
                        Py::Unknown(reason)
                    }
                }
            }
            ExprKind::Unread => Py::Unknown(Reason::Construct("a syntax error")),
        })
    }

    /// `first < second <= third`: what is behind a comparison that does not hold is not evaluated.
    fn comparisons(&mut self, first: &Expr, rest: &[(CompareOp, Expr)]) -> Run<Py> {
        let mut left = self.eval(first)?;
        let mut result = Py::Bool(true);
        for (at, (op, right)) in rest.iter().enumerate() {
            let right = self.eval(right)?;
            let holds = self.compare(*op, &left, &right)?;
            if at + 1 < rest.len() && self.condition(&holds)? == Condition::Known(false) {
                return Ok(holds);
            }
            result = match (result, holds) {
                (Py::Bool(true), holds) => holds,
                (_, Py::Bool(false)) => return Ok(Py::Bool(false)),
                (result, _) => result,
            };
            left = right;
        }
        Ok(result)
    }

    fn dictionary(&mut self, entries: &[(Option<Expr>, Expr)]) -> Run<Py> {
        let mut pairs: Vec<(Py, Py)> = Vec::new();
        for (key, value) in entries {
            match key {
                Some(key) => {
                    let key = self.eval(key)?;
                    let value = self.eval(value)?;
                    self.put_entry(&mut pairs, key, value)?;
                }
                None => {
                    let rest = self.eval(value)?;
                    match self.entries_of(&rest) {
                        Ok(rest) => {
                            for (key, value) in rest {
                                self.put_entry(&mut pairs, key, value)?;
                            }
                        }
                        Err(reason) => return Ok(Py::Unknown(reason)),
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
                    match self.formatted(&value, None, "")? {
                        Ok(part) => text.push_str(&part),
                        Err(reason) => return Ok(Py::Unknown(reason)),
                    }
                }
                FormatPart::Formatted(of) => match self.format_value(of)? {
                    Ok(part) => text.push_str(&part),
                    Err(reason) => return Ok(Py::Unknown(reason)),
                },
            }
        }
        self.step(text.len() / 1024)?;
        Ok(Py::str(&text))
    }

    /// `{value!r:spec}`
    fn format_value(&mut self, of: &Formatted) -> Run<Result<String, Reason>> {
        let value = self.eval(&of.value)?;
        let spec = match self.format(&of.spec)? {
            Py::Str(spec) => spec,
            Py::Unknown(reason) => return Ok(Err(reason)),
            _ => return Ok(Err(Reason::Construct("the format of a value"))),
        };
        let is_plain = of.conversion.is_none() && spec.is_empty();
        let conversion = match of.conversion {
            None if of.label.is_some() && is_plain => Some('r'),
            conversion => conversion,
        };
        let text = self.formatted(&value, conversion, &spec)?;
        let label = of.label.as_deref().unwrap_or_default();
        Ok(text.map(|text| format!("{label}{text}")))
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
            ComprehensionKind::List | ComprehensionKind::Generator => {
                Object::List(made.into_iter().map(|(element, _)| element).collect())
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

    /// The elements of an object: those that its class says, or those of the value of a type that is built in.
    fn iterate_object(&mut self, value: &Py) -> Run<Result<Vec<Py>, Reason>> {
        if let Some(members) = self.flags_in(value) {
            return Ok(Ok(members));
        }
        if self.method(value, "__iter__")?.is_none() {
            if let Some(content) = self.content_of(value) {
                return self.iterate(&content);
            }
            if self.method(value, "__getitem__")?.is_none() {
                if self.is_foreign(value) {
                    return Ok(Err(Reason::Construct("an iteration over this object")));
                }
                return Err(Stop::error("TypeError", "an object that is not iterable"));
            }
        }
        match self.iter_of(value)? {
            Ok(iterator) => self.drained(&iterator),
            Err(reason) => Ok(Err(reason)),
        }
    }

    /// The elements of a class whose metaclass says some.
    fn iterate_class(&mut self, value: &Py) -> Run<Result<Vec<Py>, Reason>> {
        match self.method(value, "__iter__")? {
            Some(method) => {
                let inner = self.call(&method, Args::default())?;
                self.iterate(&inner)
            }
            None => Ok(Err(Reason::Construct("the members of a class"))),
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
            Some(Object::Iterator(items)) => Some(std::mem::take(items).into()),
            _ => None,
        }
    }

    /// The elements of an iterable, in order; the reason where they are unknown.
    pub(crate) fn iterate(&mut self, value: &Py) -> Run<Result<Vec<Py>, Reason>> {
        if let Some(items) = self.taken(value) {
            self.step(items.len())?;
            return Ok(Ok(items));
        }
        if let Py::Object(id) = value
            && matches!(self.heap.get(*id), Object::Lazy(_))
        {
            return self.drained(value);
        }
        let items = match value {
            Py::Tuple(items) => items.to_vec(),
            Py::Str(text) => text.chars().map(|it| Py::str(&it.to_string())).collect(),
            Py::Object(id) => match self.heap.get(*id) {
                Object::List(items) | Object::Set(items) => items.clone(),
                Object::Dict(entries) => entries.iter().map(|(key, _)| key.clone()).collect(),
                Object::Lost(reason) => return Ok(Err(reason.clone())),
                Object::Attributes(of) => {
                    let names = self.attributes_of(*of);
                    names.into_iter().map(|(key, _)| key).collect()
                }
                Object::Instance(_) => return self.iterate_object(value),
                Object::Class(_) => match self.members(*id) {
                    Some(members) => members,
                    None => return self.iterate_class(value),
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
