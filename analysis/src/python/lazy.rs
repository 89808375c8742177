//! Iterators whose elements are made when they are taken: generators, `map`, `zip`, objects with `__next__`.

use std::sync::Arc;

use tree_sitter_cute::script::{Clause, CompareOp, Comprehension};
use tree_sitter_cute::tree::Span;

use super::errors;
use super::heap::{Id, Object};
use super::machine::{Frame, Machine, Run, Stop};
use super::native::Args;
use super::suspended::{Elements, Lazy, Sent, Setting};
use super::value::{Condition, Py};
use crate::reason::Reason;

/// Elements that are taken of one iterator at a time.
const ELEMENTS: usize = 1 << 16;

/// The next element of an iterator.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Pulled {
    Item(Py),
    /// There is none; what a generator returned.
    End(Py),
}

/// The next element, or why it is not known.
pub(super) type Next = Run<Result<Pulled, Reason>>;

impl Machine<'_> {
    /// A new iterator of a kind.
    pub(super) fn lazy(&mut self, lazy: Lazy) -> Py {
        Py::Object(self.heap.add(Object::Lazy(lazy)))
    }

    /// Whether taking an element of a value changes it, or runs something.
    pub(super) fn is_iterator(&self, value: &Py) -> bool {
        match value {
            Py::Object(id) => match self.heap.get(*id) {
                Object::Iterator(_) | Object::Lazy(_) | Object::Repeated(_) => true,
                Object::Instance(instance) => {
                    self.class_attribute(instance.class, "__iter__").is_some()
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// A generator expression of the running code; the iterable of its first loop is evaluated at once.
    pub(super) fn elements(&mut self, code: &Arc<Comprehension>) -> Run<Py> {
        let unknown = || Py::Unknown(Reason::Construct("a generator expression"));
        let Some(Clause::For(_, iterable)) = code.clauses.first() else {
            return Ok(unknown());
        };
        let iterable = self.eval(iterable)?;
        let first = match self.iter_of(&iterable)? {
            Ok(first) => first,
            Err(reason) => return Ok(Py::Unknown(reason)),
        };
        let scope = self.new_scope(self.scope(), false);
        let Some(frame) = self.frames.last() else {
            return Ok(unknown());
        };
        let elements = Elements {
            code: Arc::clone(code),
            setting: Setting {
                scope,
                ..frame.setting()
            },
            around: frame.own_scope.unwrap_or(frame.scope),
            open: vec![(0, first)],
        };
        Ok(self.lazy(Lazy::Elements(Box::new(elements))))
    }

    /// The result of `iter(value)`.
    pub(super) fn iter_of(&mut self, value: &Py) -> Run<Result<Py, Reason>> {
        if let Py::Object(id) = value {
            match self.heap.get(*id) {
                Object::Iterator(_) | Object::Lazy(_) | Object::Repeated(_) => {
                    return Ok(Ok(value.clone()));
                }
                Object::Instance(_) => {
                    if let Some(method) = self.method(value, "__iter__")? {
                        let own = self.call(&method, Args::default())?;
                        if own != *value && self.method(&own, "__next__")?.is_none() {
                            return self.deeper(|machine| machine.iter_of(&own));
                        }
                        return Ok(Ok(self.lazy(Lazy::Own(own))));
                    }
                    if let Some(content) = self.content_of(value) {
                        return self.iter_of(&content);
                    }
                    if self.method(value, "__getitem__")?.is_some() {
                        let object = value.clone();
                        return Ok(Ok(self.lazy(Lazy::Indexed { object, next: 0 })));
                    }
                }
                _ => {}
            }
        }
        Ok(self.iterate(value)?.map(|items| self.iterator(items)))
    }

    /// Takes the next element of an iterator.
    pub(super) fn pull(&mut self, iterator: &Py) -> Next {
        self.advance(iterator, Sent::Value(Py::None))
    }

    /// Takes the next element of an iterator, after sending it a value or an error.
    pub(super) fn advance(&mut self, iterator: &Py, sent: Sent) -> Next {
        self.step(1)?;
        self.deeper(|machine| machine.advance_deeper(iterator, sent))
    }

    fn advance_deeper(&mut self, iterator: &Py, sent: Sent) -> Next {
        let Py::Object(id) = iterator else {
            let why = Reason::Construct("`next` of this value");
            return Ok(Err(iterator.reason().cloned().unwrap_or(why)));
        };
        let id = *id;
        let lazy = match (self.heap.get(id), sent) {
            (Object::Lazy(Lazy::Generator(_)), sent) => return self.resume(id, sent),
            (_, Sent::Error(stop)) => return Err(stop),
            (Object::Lazy(lazy), _) => lazy.clone(),
            (Object::Lost(reason), _) => return Ok(Err(reason.clone())),
            (Object::Repeated(value), _) => return Ok(Ok(Pulled::Item(value.clone()))),
            (Object::Instance(_), _) => return self.next_of_object(iterator),
            (Object::Iterator(_), _) => {
                return Ok(Ok(match self.heap.get_mut(id) {
                    Some(Object::Iterator(items)) => match items.pop_front() {
                        Some(item) => Pulled::Item(item),
                        None => Pulled::End(Py::None),
                    },
                    _ => Pulled::End(Py::None),
                }));
            }
            _ => return Ok(Err(Reason::Construct("`next` of this object"))),
        };
        match lazy {
            Lazy::Elements(elements) => self.next_element(id, *elements),
            Lazy::Map { function, inputs } => Ok(match self.next_row(&inputs, false)? {
                Ok(Some(row)) => {
                    let made = self.call(&function, Args::of(row, Span::default()))?;
                    Ok(Pulled::Item(made))
                }
                Ok(None) => Ok(Pulled::End(Py::None)),
                Err(reason) => Err(reason),
            }),
            Lazy::Zip { inputs, is_strict } => Ok(self
                .next_row(&inputs, is_strict)?
                .map(|row| row.map_or(Pulled::End(Py::None), |row| Pulled::Item(Py::tuple(row))))),
            Lazy::Filter { function, input } => self.next_filtered(&function, &input),
            Lazy::Enumerate { next, input } => {
                let pulled = self.pull(&input)?;
                Ok(pulled.map(|pulled| match pulled {
                    Pulled::Item(item) => {
                        let next = next.saturating_add(1);
                        let input = input.clone();
                        self.heap
                            .put(id, Object::Lazy(Lazy::Enumerate { next, input }));
                        Pulled::Item(Py::tuple(vec![Py::Int(next - 1), item]))
                    }
                    end @ Pulled::End(_) => end,
                }))
            }
            Lazy::Calls { function, end } => {
                let made = self.call(&function, Args::default())?;
                let ends = self.compare(CompareOp::Eq, &made, &end)?;
                Ok(match self.condition(&ends)? {
                    Condition::Known(false) => Ok(Pulled::Item(made)),
                    Condition::Known(true) => {
                        self.heap.put(id, Object::Lazy(Lazy::Done));
                        Ok(Pulled::End(Py::None))
                    }
                    _ => Err(Reason::RunTime("the end of an iterator".into())),
                })
            }
            Lazy::Own(object) => self.pull(&object),
            Lazy::Indexed { object, next } => self.next_indexed(id, &object, next),
            Lazy::Running => Err(Stop::error(
                "ValueError",
                "a generator that is running already",
            )),
            Lazy::Done | Lazy::Generator(_) => Ok(Ok(Pulled::End(Py::None))),
        }
    }

    /// The result of `__next__`.
    fn next_of_object(&mut self, object: &Py) -> Next {
        let Some(method) = self.method(object, "__next__")? else {
            return Ok(Err(Reason::Construct("`next` of this object")));
        };
        match self.call(&method, Args::default()) {
            Ok(Py::Unknown(reason)) => Ok(Err(reason)),
            Ok(item) => Ok(Ok(Pulled::Item(item))),
            Err(stop) => match self.end_of(&stop) {
                Some(value) => Ok(Ok(Pulled::End(value))),
                None => Err(stop),
            },
        }
    }

    /// The value of a `StopIteration`; nothing for another error.
    pub(super) fn end_of(&self, stop: &Stop) -> Option<Py> {
        match stop {
            Stop::Raised(error, _) if self.is_raised(error, "StopIteration") => {
                Some(self.error_argument(error).unwrap_or(Py::None))
            }
            _ => None,
        }
    }

    /// One element of each input; nothing where one has no more.
    fn next_row(&mut self, inputs: &[Py], is_strict: bool) -> Run<Result<Option<Vec<Py>>, Reason>> {
        let mut row = Vec::with_capacity(inputs.len());
        for (at, input) in inputs.iter().enumerate() {
            match self.pull(input)? {
                Ok(Pulled::Item(item)) => row.push(item),
                Ok(Pulled::End(_)) if is_strict => {
                    for other in inputs.iter().skip(at + 1) {
                        if at == 0 && self.pull(other)? == Ok(Pulled::End(Py::None)) {
                            continue;
                        }
                        return Err(errors::of_value("`zip` of different lengths"));
                    }
                    return match at {
                        0 => Ok(Ok(None)),
                        _ => Err(errors::of_value("`zip` of different lengths")),
                    };
                }
                Ok(Pulled::End(_)) => return Ok(Ok(None)),
                Err(reason) => return Ok(Err(reason)),
            }
        }
        Ok(Ok((!inputs.is_empty()).then_some(row)))
    }

    fn next_filtered(&mut self, function: &Py, input: &Py) -> Next {
        loop {
            let item = match self.pull(input)? {
                Ok(Pulled::Item(item)) => item,
                other => return Ok(other),
            };
            let holds = match function {
                Py::None => item.clone(),
                function => self.call(function, Args::of(vec![item.clone()], Span::default()))?,
            };
            match self.condition(&holds)? {
                Condition::Known(true) => return Ok(Ok(Pulled::Item(item))),
                Condition::Known(false) => {}
                Condition::RunTime => {
                    return Ok(Err(Reason::RunTime("the value that is filtered".into())));
                }
                Condition::Unknown(reason) => return Ok(Err(reason)),
            }
        }
    }

    fn next_indexed(&mut self, id: Id, object: &Py, next: i64) -> Next {
        match self.subscript(object, &Py::Int(next), Span::default()) {
            Ok(Py::Unknown(reason)) => Ok(Err(reason)),
            Ok(item) => {
                let (object, next) = (object.clone(), next + 1);
                self.heap
                    .put(id, Object::Lazy(Lazy::Indexed { object, next }));
                Ok(Ok(Pulled::Item(item)))
            }
            Err(Stop::Raised(error, _)) if self.is_raised(&error, "IndexError") => {
                self.heap.put(id, Object::Lazy(Lazy::Done));
                Ok(Ok(Pulled::End(Py::None)))
            }
            Err(stop) => Err(stop),
        }
    }

    /// The next element of a generator expression.
    fn next_element(&mut self, id: Id, mut elements: Elements) -> Next {
        self.heap.put(id, Object::Lazy(Lazy::Running));
        let mut frame = Frame::at(&elements.setting);
        frame.own_scope = Some(elements.around);
        let code = Arc::clone(&elements.code);
        let (pulled, _) = self.in_frame(frame, |machine| {
            machine.run_elements(&code, &mut elements.open)
        });
        let after = match &pulled {
            Ok(Ok(Pulled::Item(_))) => Object::Lazy(Lazy::Elements(Box::new(elements))),
            Ok(Err(reason)) => Object::Lost(reason.clone()),
            _ => Object::Lazy(Lazy::Done),
        };
        self.heap.put(id, after);
        pulled
    }

    fn run_elements(&mut self, code: &Comprehension, open: &mut Vec<(usize, Py)>) -> Next {
        'next: loop {
            let Some((at, iterator)) = open.last().cloned() else {
                return Ok(Ok(Pulled::End(Py::None)));
            };
            match self.pull(&iterator)? {
                Ok(Pulled::Item(item)) => {
                    if let Some(Clause::For(target, _)) = code.clauses.get(at) {
                        self.assign(target, item)?;
                    }
                }
                Ok(Pulled::End(_)) => {
                    open.pop();
                    continue;
                }
                Err(reason) => return Ok(Err(reason)),
            }
            for (at, clause) in code.clauses.iter().enumerate().skip(at + 1) {
                match clause {
                    Clause::If(test) => {
                        let test = self.eval(test)?;
                        match self.condition(&test)? {
                            Condition::Known(true) => {}
                            Condition::Known(false) => continue 'next,
                            Condition::RunTime => {
                                let why = "a condition of a comprehension";
                                return Ok(Err(Reason::RunTime(why.into())));
                            }
                            Condition::Unknown(reason) => return Ok(Err(reason)),
                        }
                    }
                    Clause::For(_, iterable) => {
                        let iterable = self.eval(iterable)?;
                        match self.iter_of(&iterable)? {
                            Ok(inner) => open.push((at, inner)),
                            Err(reason) => return Ok(Err(reason)),
                        }
                        continue 'next;
                    }
                }
            }
            return Ok(Ok(Pulled::Item(self.eval(&code.element)?)));
        }
    }

    /// All elements that an iterator has left.
    pub(super) fn drained(&mut self, iterator: &Py) -> Run<Result<Vec<Py>, Reason>> {
        let mut items = Vec::new();
        loop {
            match self.pull(iterator)? {
                Ok(Pulled::Item(_)) if items.len() >= ELEMENTS => {
                    return Ok(Err(Reason::Limit("elements of an iterator")));
                }
                Ok(Pulled::Item(item)) => items.push(item),
                Ok(Pulled::End(_)) => return Ok(Ok(items)),
                Err(reason) => return Ok(Err(reason)),
            }
        }
    }
}
