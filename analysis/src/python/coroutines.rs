//! Generator functions: their bodies are run from one `yield` to the next.
//!
//! A body that stops at a `yield` leaves the places of the statements around it, the innermost first; it goes on by
//! running the same statements, each of which takes its place and skips what was run.

use std::sync::Arc;

use tree_sitter_cute::script::{self, Expr, ExprKind, Stmt, StmtKind};

use super::heap::{Function, Id, Object};
use super::lazy::{Next, Pulled};
use super::machine::{Frame, Machine, Run, Stop};
use super::native::{Given, Native, native};
use super::run::Flow;
use super::suspended::{Lazy, Pausing, Place, Sent, Suspended};
use super::value::{Builtin, Py};
use crate::reason::Reason;

/// Calls inside calls in which generators are run.
const CALLS: usize = 60;

impl Machine<'_> {
    /// A call of a generator function, whose body is not run yet.
    pub(super) fn suspended(&mut self, function: &Function, frame: &Frame) -> Py {
        self.lazy(Lazy::Generator(Box::new(Suspended {
            code: Arc::clone(&function.code),
            setting: frame.setting(),
            paused: None,
        })))
    }

    /// Runs a generator to its next element.
    pub(super) fn resume(&mut self, id: Id, sent: Sent) -> Next {
        let Object::Lazy(Lazy::Generator(suspended)) = self.heap.get(id) else {
            return Ok(Ok(Pulled::End(Py::None)));
        };
        if self.frames.len() >= CALLS {
            return Ok(Err(Reason::Limit("nesting of calls")));
        }
        let suspended = suspended.clone();
        let code = Arc::clone(&suspended.code);
        if let (None, Sent::Error(stop)) = (&suspended.paused, &sent) {
            self.heap.put(id, Object::Lazy(Lazy::Done));
            return Err(stop.clone());
        }
        self.heap.put(id, Object::Lazy(Lazy::Running));
        let mut frame = Frame::at(&suspended.setting);
        frame.pausing = Pausing {
            is_generator: true,
            resuming: suspended.paused.clone().unwrap_or_default(),
            sent: Some(sent),
            paused: Vec::new(),
            ..Pausing::default()
        };
        let (result, frame) = self.in_frame(frame, |machine| machine.block(&code.body));
        let (paused, lost) = match frame {
            Some(frame) => (frame.pausing.paused, frame.pausing.lost_yields),
            None => (Vec::new(), None),
        };
        let (after, pulled) = match (result, lost) {
            (Ok(_), Some(reason)) => (Object::Lost(reason.clone()), Ok(Err(reason))),
            (Ok(Flow::Yield(item)), None) => {
                let paused = Some(paused);
                let suspended = Suspended {
                    paused,
                    ..*suspended
                };
                let again = Object::Lazy(Lazy::Generator(Box::new(suspended)));
                (again, Ok(Ok(Pulled::Item(item))))
            }
            (Ok(Flow::Return(value)), None) => {
                (Object::Lazy(Lazy::Done), Ok(Ok(Pulled::End(value))))
            }
            (Ok(_), None) => (Object::Lazy(Lazy::Done), Ok(Ok(Pulled::End(Py::None)))),
            (Err(stop), _) => (Object::Lazy(Lazy::Done), Err(stop)),
        };
        self.heap.put(id, after);
        pulled
    }

    /// The place that the running statement takes, where the body of a generator goes on.
    pub(super) fn resumed(&mut self) -> Option<Place> {
        self.frames.last_mut()?.pausing.resuming.pop()
    }

    /// Leaves the place of the running statement, whose generator stops.
    pub(super) fn pause(&mut self, place: Place) {
        if let Some(frame) = self.frames.last_mut() {
            frame.pausing.paused.push(place);
        }
    }

    /// The flow of a block; where it stops, the place of the statement around it is left.
    pub(super) fn pausing_at(&mut self, flow: Flow, place: impl FnOnce() -> Place) -> Flow {
        if matches!(flow, Flow::Yield(_)) {
            self.pause(place());
        }
        flow
    }

    /// Whether the running body may stop at a `yield`.
    pub(super) fn is_generator(&self) -> bool {
        self.frames
            .last()
            .is_some_and(|frame| frame.pausing.is_generator)
    }

    /// Ends a generator whose next elements are not known.
    pub(super) fn lose_yields(&mut self, reason: Reason) -> Flow {
        if let Some(frame) = self.frames.last_mut() {
            frame.pausing.paused.clear();
            frame.pausing.lost_yields.get_or_insert(reason);
        }
        Flow::Return(Py::None)
    }

    /// The value of an expression that is the whole value of a statement; a flow where it is a `yield` at which the
    /// body stops.
    pub(super) fn eval_or_yield(&mut self, expr: &Expr) -> Run<Result<Py, Flow>> {
        if !self.is_generator() {
            return self.eval(expr).map(Ok);
        }
        match &expr.kind {
            ExprKind::Yield(value) => {
                if self.resumed().is_some() {
                    return match self.sent() {
                        Sent::Value(value) => Ok(Ok(value)),
                        Sent::Error(stop) => Err(stop),
                    };
                }
                let value = match value {
                    Some(value) => self.eval(value)?,
                    None => Py::None,
                };
                self.pause(Place::Yield);
                Ok(Err(Flow::Yield(value)))
            }
            ExprKind::YieldFrom(items) => match self.resumed() {
                Some(Place::From(iterator)) => {
                    let sent = self.sent();
                    self.delegate(iterator, sent)
                }
                _ => {
                    let items = self.eval(items)?;
                    match self.iter_of(&items)? {
                        Ok(iterator) => self.delegate(iterator, Sent::Value(Py::None)),
                        Err(reason) => Ok(Err(self.lose_yields(reason))),
                    }
                }
            },
            _ => self.eval(expr).map(Ok),
        }
    }

    fn sent(&mut self) -> Sent {
        let frame = self.frames.last_mut();
        let sent = frame.and_then(|frame| frame.pausing.sent.take());
        sent.unwrap_or(Sent::Value(Py::None))
    }

    /// The next element of `yield from`.
    fn delegate(&mut self, iterator: Py, sent: Sent) -> Run<Result<Py, Flow>> {
        Ok(match self.advance(&iterator, sent)? {
            Ok(Pulled::Item(item)) => {
                self.pause(Place::From(iterator));
                Err(Flow::Yield(item))
            }
            Ok(Pulled::End(value)) => Ok(value),
            Err(reason) => Err(self.lose_yields(reason)),
        })
    }
}

/// Whether each `yield` of statements is the whole value of one of them, where a body can stop.
pub(super) fn yields_in_statements(stmts: &[Stmt]) -> bool {
    let mut open = vec![stmts.iter()];
    while let Some(block) = open.last_mut() {
        let Some(stmt) = block.next() else {
            open.pop();
            continue;
        };
        let inner: Vec<&Expr> = match &stmt.kind {
            StmtKind::Expr(value) | StmtKind::Return(Some(value)) => parts_of_yield(value),
            StmtKind::Assign(targets, value) => {
                targets.iter().chain(parts_of_yield(value)).collect()
            }
            StmtKind::Annotated {
                target,
                value: Some(value),
                ..
            } => std::iter::once(target)
                .chain(parts_of_yield(value))
                .collect(),
            StmtKind::Augmented(target, _, value) => vec![target, value],
            StmtKind::Raise(error, cause) => error.iter().chain(cause).collect(),
            StmtKind::Assert(test, message) => std::iter::once(test).chain(message).collect(),
            StmtKind::Delete(targets) => targets.iter().collect(),
            StmtKind::If(test, body, orelse) | StmtKind::While(test, body, orelse) => {
                open.extend([orelse.iter(), body.iter()]);
                vec![test]
            }
            StmtKind::For {
                target,
                iterable,
                body,
                orelse,
            } => {
                open.extend([orelse.iter(), body.iter()]);
                vec![target, iterable]
            }
            StmtKind::With(items, body) => {
                open.push(body.iter());
                items.iter().map(|(context, _)| context).collect()
            }
            StmtKind::Try {
                body,
                handlers,
                orelse,
                finally,
            } => {
                open.extend([finally.iter(), orelse.iter(), body.iter()]);
                open.extend(handlers.iter().map(|handler| handler.body.iter()));
                Vec::new()
            }
            StmtKind::Match(subject, cases) => {
                open.extend(cases.iter().map(|case| case.body.iter()));
                vec![subject]
            }
            _ => Vec::new(),
        };
        if inner.into_iter().any(has_yield) {
            return false;
        }
    }
    true
}

/// The expressions in which no `yield` may be: of one that is a `yield` its value.
fn parts_of_yield(value: &Expr) -> Vec<&Expr> {
    match &value.kind {
        ExprKind::Yield(inner) => inner.iter().map(|inner| &**inner).collect(),
        ExprKind::YieldFrom(inner) => vec![inner],
        _ => vec![value],
    }
}

/// Whether there is a `yield` in an expression.
fn has_yield(expr: &Expr) -> bool {
    let mut found = false;
    script::each_part(expr, &mut |part| {
        found |= matches!(part.kind, ExprKind::Yield(_) | ExprKind::YieldFrom(_));
    });
    found
}

/// The element that an iterator gives, or the error of its end.
fn given(machine: &mut Machine<'_>, pulled: Result<Pulled, Reason>) -> Run<Py> {
    match pulled {
        Ok(Pulled::Item(item)) => Ok(item),
        Ok(Pulled::End(value)) => {
            let args = match value {
                Py::None => Vec::new(),
                value => vec![value],
            };
            let error = machine.error("StopIteration", args);
            let why = Reason::Raised("StopIteration", "the end of an iterator".into());
            Err(Stop::Raised(error, why))
        }
        Err(reason) => Ok(Py::Unknown(reason)),
    }
}

/// `next(iterator, default)`
pub(super) fn next(machine: &mut Machine<'_>, args: &Given) -> Run<Py> {
    let pulled = machine.pull(args.arg(0))?;
    if let (Ok(Pulled::End(_)), true) = (&pulled, args.has(1)) {
        return Ok(args.arg(1).clone());
    }
    given(machine, pulled)
}

fn send(machine: &mut Machine<'_>, args: &Given) -> Run<Py> {
    let sent = Sent::Value(args.arg(1).clone());
    let pulled = machine.advance(args.arg(0), sent)?;
    given(machine, pulled)
}

/// `generator.throw(error)`, `generator.throw(class, error)`
fn throw(machine: &mut Machine<'_>, args: &Given) -> Run<Py> {
    let error = match (args.arg(1), args.arg(2)) {
        (class, Py::None) => machine.raised(class.clone())?,
        (_, error) => error.clone(),
    };
    let why = Reason::RunTime("code after an error of a generator".into());
    let sent = Sent::Error(Stop::Raised(error, why));
    let pulled = machine.advance(args.arg(0), sent)?;
    given(machine, pulled)
}

fn close(machine: &mut Machine<'_>, args: &Given) -> Run<Py> {
    let error = Py::Builtin(Builtin::Error("GeneratorExit"));
    let why = Reason::RunTime("code after the end of a generator".into());
    let sent = Sent::Error(Stop::Raised(error.clone(), why));
    match machine.advance(args.arg(0), sent) {
        Err(Stop::Raised(raised, _)) if raised == error => Ok(Py::None),
        Ok(_) => Ok(Py::None),
        Err(stop) => Err(stop),
    }
}

fn itself(_: &mut Machine<'_>, args: &Given) -> Run<Py> {
    Ok(args.arg(0).clone())
}

/// The methods of iterators.
pub(super) static METHODS: &[Native] = &[
    native("iterator.__next__", "self", next),
    native("iterator.__iter__", "self", itself),
    native("iterator.send", "self value", send),
    native("iterator.throw", "self class error= trace=", throw),
    native("iterator.close", "self", close),
];
