//! Statements.

use std::sync::Arc;

use tree_sitter_cute::script::{Case, Expr, ExprKind, Handler, Name, Stmt, StmtKind};

use tree_sitter_cute::tree::Span;

use super::heap::{Object, Rewritten};
use super::machine::{Machine, Run, Stop};
use super::native::Args;
use super::value::{Builtin, COORDINATE, Condition, Py};
use crate::reason::Reason;

/// The end of a block.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Flow {
    /// With its last statement.
    Next,
    Break,
    Continue,
    Return(Py),
}

impl Machine<'_> {
    /// Runs statements in order.
    pub(crate) fn block(&mut self, stmts: &[Stmt]) -> Run<Flow> {
        for stmt in stmts {
            let flow = self.statement(stmt)?;
            if flow != Flow::Next {
                return Ok(flow);
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
                self.eval(value)?;
            }
            StmtKind::Assign(targets, value) => {
                let value = self.eval(value)?;
                for target in targets {
                    self.assign(target, value.clone())?;
                }
            }
            StmtKind::Annotated {
                target,
                annotation,
                value,
            } => self.annotated(target, annotation, value.as_ref())?,
            StmtKind::Augmented(target, op, value) => {
                let value = self.eval(value)?;
                let old = self.eval(target)?;
                let new = self.in_place(*op, old, value)?;
                self.assign(target, new)?;
            }
            StmtKind::Return(value) => {
                let value = match value {
                    Some(value) => self.eval(value)?,
                    None => Py::None,
                };
                return Ok(Flow::Return(value));
            }
            StmtKind::Raise(value) => {
                let error = match value {
                    Some(value) => self.eval(value)?,
                    None => Py::Builtin(Builtin::Error("Exception")),
                };
                return Err(Stop::Raised(
                    error,
                    Reason::RunTime("code after a `raise`".into()),
                ));
            }
            StmtKind::Assert(test) => {
                let value = self.eval(test)?;
                let condition = self.condition(&value)?;
                if condition == Condition::Known(false) {
                    return Err(Stop::error(
                        "AssertionError",
                        "code after a failed `assert`",
                    ));
                }
                self.note_test(test.span, &condition)?;
            }
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
            StmtKind::If(test, body, orelse) => {
                // In a kernel an `if` is the kernel's, whatever its test is, unless the trace is told to take it.
                let is_of_kernel = self.is_rewritten()
                    && !self.is_of_trace(test)?
                    && !leaves(body)
                    && !leaves(orelse);
                if self.asks_for_program(test) {
                    return self.run_example(test, body, orelse);
                }
                let span = test.span;
                let test = self.eval(test)?;
                let condition = self.condition(&test)?;
                self.note_test(span, &condition)?;
                return match condition {
                    // The kernel never takes one of the two.
                    Condition::Known(_) if is_of_kernel => {
                        let around = self.uncertain.enter();
                        let flow = self.either_block(&Condition::RunTime, body, orelse);
                        self.uncertain.leave(around);
                        flow
                    }
                    Condition::Known(true) => self.block(body),
                    Condition::Known(false) => self.block(orelse),
                    condition => self.either_block(&condition, body, orelse),
                };
            }
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

    fn annotated(&mut self, target: &Expr, annotation: &Expr, value: Option<&Expr>) -> Run<()> {
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
            let value = self.eval(value)?;
            self.assign(target, value)?;
        }
        Ok(())
    }

    /// Binds a target to a value.
    pub(crate) fn assign(&mut self, target: &Expr, value: Py) -> Run<()> {
        match &target.kind {
            ExprKind::Name(name) => {
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

    fn delete(&mut self, target: &Expr) -> Run<()> {
        match &target.kind {
            ExprKind::Name(name) => {
                if let Some(scope) = self.scope()
                    && let Some(Object::Scope(scope)) = self.heap.get_mut(scope)
                {
                    scope.names.remove(name);
                }
            }
            ExprKind::Attribute(object, name) => {
                let object = self.eval(object)?;
                if let Some(method) = self.method(&object, "__delattr__")? {
                    let args = vec![Py::Str(Arc::clone(&name.text))];
                    self.call(&method, Args::of(args, Span::default()))?;
                } else if let Py::Object(id) = object
                    && let Some(Object::Instance(instance)) = self.heap.get_mut(id)
                {
                    instance.attributes.remove(&name.text);
                }
            }
            ExprKind::Subscript(object, index) => {
                let object = self.eval(object)?;
                let index = self.eval(index)?;
                if let Py::Object(id) = object {
                    match self.heap.get_mut(id) {
                        Some(Object::Dict(entries)) => entries.retain(|(key, _)| *key != index),
                        Some(Object::List(items)) => {
                            match super::containers::index_of(&index, items.len()) {
                                Some(at) => {
                                    items.remove(at);
                                }
                                None => {
                                    let why = Reason::Construct("`del` of an element");
                                    self.heap.put(id, Object::Lost(why));
                                }
                            }
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
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

    fn with(&mut self, items: &[(Expr, Option<Expr>)], body: &[Stmt]) -> Run<Flow> {
        let mut entered = Vec::new();
        for (context, target) in items {
            let context = self.eval(context)?;
            entered.push(context.clone());
            let value = match self.method(&context, "__enter__")? {
                Some(enter) => self.call(&enter, Args::default())?,
                None => match &context {
                    // A function with `@contextmanager` returns the yielded value.
                    Py::Object(id) => match self.heap.get(*id) {
                        Object::Iterator(items) => items.first().cloned().unwrap_or(Py::None),
                        _ => context.clone(),
                    },
                    _ => context.clone(),
                },
            };
            if let Some(target) = target {
                self.assign(target, value)?;
            }
        }
        let flow = self.block(body)?;
        for context in entered.iter().rev() {
            if let Some(exit) = self.method(context, "__exit__")? {
                let nothing = vec![Py::None; 3];
                self.call(&exit, Args::of(nothing, Span::default()))?;
            }
        }
        Ok(flow)
    }

    fn attempt(
        &mut self,
        body: &[Stmt],
        handlers: &[Handler],
        orelse: &[Stmt],
        finally: &[Stmt],
    ) -> Run<Flow> {
        let takes_errors = usize::from(!handlers.is_empty());
        self.errors.tries += takes_errors;
        let tried = self.block(body);
        self.errors.tries -= takes_errors;
        let result = match tried {
            Ok(Flow::Next) => self.block(orelse),
            Err(Stop::Raised(error, reason)) => self.handle(handlers, error, reason),
            other => other,
        };
        match self.block(finally)? {
            Flow::Next => result,
            flow => Ok(flow),
        }
    }

    fn handle(&mut self, handlers: &[Handler], error: Py, reason: Reason) -> Run<Flow> {
        for handler in handlers {
            let takes = match &handler.kind {
                Some(kind) => {
                    let kind = self.eval(kind)?;
                    is_error_of(&error, &kind)
                }
                None => true,
            };
            if takes {
                if let Some(name) = &handler.name {
                    self.bind(&name.text, error);
                }
                return self.block(&handler.body);
            }
        }
        Err(Stop::Raised(error, reason))
    }

    fn select(&mut self, subject: &Expr, cases: &[Case]) -> Run<Flow> {
        let subject = self.eval(subject)?;
        for case in cases {
            let mut matches = Condition::Known(case.is_default);
            for value in &case.values {
                let value = self.eval(value)?;
                let equal =
                    self.compare(tree_sitter_cute::script::CompareOp::Eq, &subject, &value)?;
                match self.condition(&equal)? {
                    Condition::Known(true) => {
                        matches = Condition::Known(true);
                        break;
                    }
                    Condition::Known(false) => {}
                    unknown => matches = unknown,
                }
            }
            if !case.is_default && case.values.is_empty() {
                matches = Condition::Unknown(Reason::Construct("a pattern of `match`"));
            }
            if let (Condition::Known(true), Some(guard)) = (&matches, &case.guard) {
                let guard = self.eval(guard)?;
                matches = self.condition(&guard)?;
            }
            match matches {
                Condition::Known(true) => return self.block(&case.body),
                Condition::Known(false) => {}
                unknown => {
                    let flow = self.either_block(&unknown, &case.body, &[])?;
                    if flow != Flow::Next {
                        return Ok(flow);
                    }
                }
            }
        }
        Ok(Flow::Next)
    }

    /// Whether the running function is traced: one that a decorated function calls is, whatever it is itself.
    pub(crate) fn is_traced(&self) -> bool {
        let mut frames = self.frames.iter();
        frames.any(|frame| frame.rewritten != Rewritten::No)
    }
}

/// Whether a handler for `kind` takes an error.
fn is_error_of(error: &Py, kind: &Py) -> bool {
    match kind {
        Py::Tuple(kinds) => kinds.iter().any(|kind| is_error_of(error, kind)),
        Py::Builtin(Builtin::Error("Exception" | "BaseException")) => true,
        Py::Builtin(Builtin::Error(kind)) => match error {
            Py::Builtin(Builtin::Error(raised)) => {
                raised == kind
                    || matches!(
                        (*kind, *raised),
                        ("ImportError", "ModuleNotFoundError")
                            | ("LookupError", "KeyError" | "IndexError")
                    )
            }
            _ => true,
        },
        _ => true,
    }
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
            StmtKind::Return(_) | StmtKind::Raise(_) | StmtKind::Break | StmtKind::Continue => {
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
