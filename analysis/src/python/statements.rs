//! Statements.

use std::sync::Arc;

use tree_sitter_cute::script::{BinaryOp, Expr, ExprKind, Name, Stmt, StmtKind};

use tree_sitter_cute::tree::Span;

use super::heap::{Object, Rewritten};
use super::machine::{Machine, Run, Stop};
use super::run::Flow;
use super::suspended::Place;
use super::value::{Builtin, COORDINATE, Condition, Py};
use crate::reason::Reason;

impl Machine<'_> {
    /// Runs statements in order.
    pub(crate) fn block(&mut self, stmts: &[Stmt]) -> Run<Flow> {
        let first = match self.resumed() {
            Some(Place::Statement(at)) => at,
            _ => 0,
        };
        for (at, stmt) in stmts.iter().enumerate().skip(first) {
            let flow = self.statement(stmt)?;
            if flow != Flow::Next {
                return Ok(self.pausing_at(flow, || Place::Statement(at)));
            }
        }
        Ok(Flow::Next)
    }

    fn statement(&mut self, stmt: &Stmt) -> Run<Flow> {
        self.step(1)?;
        let outer = std::mem::replace(&mut self.covered.declaration, declaration_of(stmt));
        let flow = self.deeper(|machine| machine.statement_kind(stmt));
        self.covered.declaration = outer;
        self.note_end(stmt, flow.is_err());
        flow
    }

    fn statement_kind(&mut self, stmt: &Stmt) -> Run<Flow> {
        match &stmt.kind {
            StmtKind::Expr(value) => {
                if let Err(flow) = self.eval_or_yield(value)? {
                    return Ok(flow);
                }
            }
            StmtKind::Assign(targets, value) => {
                let value = match self.eval_or_yield(value)? {
                    Ok(value) => value,
                    Err(flow) => return Ok(flow),
                };
                for target in targets {
                    self.assign(target, value.clone())?;
                }
            }
            StmtKind::Annotated {
                target,
                annotation,
                value,
            } => return self.annotated(target, annotation, value.as_ref()),
            StmtKind::Augmented(target, op, value) => {
                self.augmented(target, *op, value)?;
            }
            StmtKind::Return(value) => {
                let value = match value {
                    Some(value) => match self.eval_or_yield(value)? {
                        Ok(value) => value,
                        Err(flow) => return Ok(flow),
                    },
                    None => Py::None,
                };
                return Ok(Flow::Return(value));
            }
            StmtKind::Raise(error, cause) => return self.raise(error.as_ref(), cause.as_ref()),
            StmtKind::Assert(test, message) => self.assert(test, message.as_ref())?,
            StmtKind::Delete(targets) => {
                for target in targets {
                    self.delete(target)?;
                }
            }
            StmtKind::Pass => {}
            StmtKind::Break => return Ok(Flow::Break),
            StmtKind::Continue => return Ok(Flow::Continue),
            StmtKind::Global(names) => self.declare_outer(names, true),
            StmtKind::Nonlocal(names) => self.declare_outer(names, false),
            StmtKind::Import(aliases) => {
                for alias in aliases {
                    self.import(alias)?;
                }
            }
            StmtKind::ImportFrom {
                level,
                module,
                names,
            } => self.import_from(*level, module, names.as_deref())?,
            StmtKind::If(test, body, orelse) => return self.branch(test, body, orelse),
            StmtKind::While(test, body, orelse) => return self.repeat(test, body, orelse),
            StmtKind::For {
                target,
                iterable,
                body,
                orelse,
            } => return self.for_each(target, iterable, body, orelse),
            StmtKind::With(items, body) => return self.with(items, body),
            StmtKind::Try {
                body,
                handlers,
                orelse,
                finally,
            } => return self.attempt(body, handlers, orelse, finally),
            StmtKind::Function(code) => {
                let function = self.function(code)?;
                self.bind(&code.name.text, function);
            }
            StmtKind::Class(code) => {
                let class = self.class(code)?;
                self.bind(&code.name.text, class);
            }
            StmtKind::Match(subject, cases) => return self.select(subject, cases),
            StmtKind::Unread => {}
        }
        Ok(Flow::Next)
    }

    /// `target op= value`: the target's own parts are evaluated once.
    fn augmented(&mut self, target: &Expr, op: BinaryOp, value: &Expr) -> Run<()> {
        if let ExprKind::Subscript(object, index) = &target.kind {
            let object = self.eval(object)?;
            let index = self.eval(index)?;
            let old = self.subscript(&object, &index, target.span)?;
            let value = self.eval(value)?;
            let new = self.in_place(op, old, value)?;
            return self.set_item(&object, index, new);
        }
        let old = self.eval(target)?;
        let value = self.eval(value)?;
        let new = self.in_place(op, old, value)?;
        self.assign(target, new)
    }

    /// `raise error from cause`
    fn raise(&mut self, error: Option<&Expr>, cause: Option<&Expr>) -> Run<Flow> {
        let Some(error) = error else {
            let again = self.errors.handled.last().cloned();
            let (error, reason) = again.unwrap_or_else(|| {
                let class = Py::Builtin(Builtin::Error("RuntimeError"));
                (class, after_raise())
            });
            return Err(Stop::Raised(error, reason));
        };
        let error = self.eval(error)?;
        let error = self.raised(error)?;
        if let Some(cause) = cause {
            let cause = self.eval(cause)?;
            self.set_cause(&error, cause);
        }
        Err(Stop::Raised(error, after_raise()))
    }

    fn assert(&mut self, test: &Expr, message: Option<&Expr>) -> Run<()> {
        let value = self.eval(test)?;
        let condition = self.condition(&value)?;
        if condition == Condition::Known(false) {
            let mut args = Vec::new();
            if let Some(message) = message {
                args.push(self.eval(message).or_else(ignore_error)?);
            }
            let why = Reason::Raised("AssertionError", "code after a failed `assert`".into());
            return Err(Stop::Raised(self.error("AssertionError", args), why));
        }
        self.note_test(test.span, &condition)
    }

    /// `if test: body else: orelse`
    fn branch(&mut self, test: &Expr, body: &[Stmt], orelse: &[Stmt]) -> Run<Flow> {
        if let Some(Place::Side(side)) = self.resumed() {
            return self.side(side, body, orelse);
        }
        // In a kernel an `if` is the kernel's, whatever its test is, unless the trace is told to take it.
        let is_of_kernel =
            self.is_rewritten() && !self.is_of_trace(test)? && !leaves(body) && !leaves(orelse);
        if self.asks_for_program(test) {
            return self.run_example(test, body, orelse);
        }
        let span = test.span;
        let test = self.eval(test)?;
        let condition = self.condition(&test)?;
        self.note_test(span, &condition)?;
        match condition {
            // The kernel never takes one of the two.
            Condition::Known(_) if is_of_kernel => {
                let around = self.uncertain.enter();
                let flow = self.either_block(&Condition::RunTime, body, orelse);
                self.uncertain.leave(around);
                flow
            }
            Condition::Known(side) => self.side(side, body, orelse),
            condition => self.either_block(&condition, body, orelse),
        }
    }

    /// Runs the side of an `if` that is taken.
    fn side(&mut self, side: bool, body: &[Stmt], orelse: &[Stmt]) -> Run<Flow> {
        let flow = match side {
            true => self.block(body)?,
            false => self.block(orelse)?,
        };
        Ok(self.pausing_at(flow, || Place::Side(side)))
    }

    fn annotated(&mut self, target: &Expr, annotation: &Expr, value: Option<&Expr>) -> Run<Flow> {
        if let ExprKind::Name(name) = &target.kind
            && let Some(scope) = self.scope()
            && matches!(self.heap.get(scope), Object::Scope(scope) if scope.is_class)
        {
            let ty = self.eval(annotation).or_else(ignore_error)?;
            if let Some(frame) = self.frames.last_mut() {
                frame.annotated.push((Arc::clone(name), ty));
            }
        }
        if let Some(value) = value {
            match self.eval_or_yield(value)? {
                Ok(value) => self.assign(target, value)?,
                Err(flow) => return Ok(flow),
            }
        }
        Ok(Flow::Next)
    }

    /// Binds a target to a value.
    pub(crate) fn assign(&mut self, target: &Expr, value: Py) -> Run<()> {
        match &target.kind {
            ExprKind::Name(name) => {
                let value = self.value_of_member(name, value)?;
                self.recorded(target.span, name, &value);
                self.bind(name, value);
            }
            ExprKind::Tuple(targets) | ExprKind::List(targets) => self.unpack(targets, value)?,
            ExprKind::Starred(inner) => self.assign(inner, value)?,
            ExprKind::Attribute(object, name) => {
                let of = self.eval(object)?;
                if let ExprKind::Name(this) = &object.kind {
                    self.recorded(target.span, &format!("{this}.{}", name.text), &value);
                }
                match super::dsl::with_element_type(&of, &name.text, &value) {
                    // A tensor is a value here: whoever has it by this name has the other one.
                    Some(changed) => match &object.kind {
                        ExprKind::Name(name) => self.bind(name, changed),
                        ExprKind::Attribute(outer, name) => {
                            let outer = self.eval(outer)?;
                            self.set_attribute(&outer, &name.text, changed)?;
                        }
                        ExprKind::Subscript(outer, index) => {
                            let outer = self.eval(outer)?;
                            let index = self.eval(index)?;
                            self.set_item(&outer, index, changed)?;
                        }
                        _ => {}
                    },
                    None => self.set_attribute(&of, &name.text, value)?,
                }
            }
            ExprKind::Subscript(object, index) => {
                let object = self.eval(object)?;
                let index = self.eval(index)?;
                self.set_item(&object, index, value)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn unpack(&mut self, targets: &[Expr], value: Py) -> Run<()> {
        if value == Py::Coordinate {
            for target in targets {
                let number = self.numbers.symbol(COORDINATE);
                self.assign(target, number)?;
            }
            return Ok(());
        }
        let items = match self.iterate(&value)? {
            Ok(items) => items,
            Err(reason) => {
                for target in targets {
                    self.assign(target, Py::Unknown(reason.clone()))?;
                }
                return Ok(());
            }
        };
        let star = targets
            .iter()
            .position(|target| matches!(target.kind, ExprKind::Starred(_)));
        let fits = match star {
            Some(_) => items.len() + 1 >= targets.len(),
            None => items.len() == targets.len(),
        };
        if !fits {
            return Err(Stop::error("ValueError", "a tuple of another length"));
        }
        let extra = items.len() + 1 - targets.len();
        let mut items = items.into_iter();
        for (index, target) in targets.iter().enumerate() {
            if Some(index) == star {
                let rest: Vec<Py> = items.by_ref().take(extra).collect();
                let rest = self.list(rest);
                self.assign(target, rest)?;
            } else if let Some(item) = items.next() {
                self.assign(target, item)?;
            }
        }
        Ok(())
    }

    fn declare_outer(&mut self, names: &[Name], is_global: bool) {
        let Some(own) = self.scope() else {
            return;
        };
        for name in names {
            let mut found = None;
            let mut scope = match self.heap.get(own) {
                Object::Scope(scope) => scope.parent,
                _ => None,
            };
            while let Some(id) = scope {
                let Object::Scope(outer) = self.heap.get(id) else {
                    break;
                };
                let has = !outer.is_class && outer.names.get(&name.text).is_some();
                if (has && !is_global) || outer.parent.is_none() {
                    found = Some(id);
                    break;
                }
                scope = outer.parent;
            }
            if let (Some(outer), Some(Object::Scope(scope))) = (found, self.heap.get_mut(own)) {
                scope.outer.push((Arc::clone(&name.text), outer));
            }
        }
    }

    /// Whether the running function is traced: one that a decorated function calls is, whatever it is itself.
    pub(crate) fn is_traced(&self) -> bool {
        let mut frames = self.frames.iter();
        frames.any(|frame| frame.rewritten != Rewritten::No)
    }
}

/// Why code behind a `raise` has no values.
fn after_raise() -> Reason {
    Reason::RunTime("code after a `raise`".into())
}

/// Whether statements may end the function or the loop around them: the DSL refuses that in an `if` of the kernel.
fn leaves(stmts: &[Stmt]) -> bool {
    let mut open = vec![stmts.iter()];
    while let Some(block) = open.last_mut() {
        let Some(stmt) = block.next() else {
            open.pop();
            continue;
        };
        match &stmt.kind {
            StmtKind::Return(_) | StmtKind::Raise(..) | StmtKind::Break | StmtKind::Continue => {
                return true;
            }
            StmtKind::If(_, body, orelse)
            | StmtKind::While(_, body, orelse)
            | StmtKind::For { body, orelse, .. } => open.extend([orelse.iter(), body.iter()]),
            StmtKind::With(_, body) | StmtKind::Try { body, .. } => open.push(body.iter()),
            _ => {}
        }
    }
    false
}

/// The span of a statement that binds names, without its blocks.
pub(super) fn declaration_of(stmt: &Stmt) -> Span {
    match &stmt.kind {
        StmtKind::For { iterable, .. } => Span::new(stmt.span.start, iterable.span.end),
        StmtKind::With(items, _) => {
            let ends = items.iter().map(|(context, target)| {
                let last = target.as_ref().unwrap_or(context);
                last.span.end
            });
            Span::new(stmt.span.start, ends.max().unwrap_or(stmt.span.end))
        }
        StmtKind::If(test, ..) | StmtKind::While(test, ..) => {
            Span::new(stmt.span.start, test.span.end)
        }
        _ => stmt.span,
    }
}

/// An error in code that no value depends on.
pub(crate) fn ignore_error(stop: Stop) -> Run<Py> {
    match stop {
        Stop::Raised(_, reason) => Ok(Py::Unknown(reason)),
        limit => Err(limit),
    }
}
