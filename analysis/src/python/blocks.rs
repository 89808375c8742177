//! `with` and `try`.

use tree_sitter_cute::script::{Expr, Handler, Stmt};
use tree_sitter_cute::tree::Span;

use super::machine::{Machine, Run, Stop};
use super::native::Args;
use super::run::Flow;
use super::suspended::{Part, Place};
use super::value::{Condition, Py};
use crate::reason::Reason;

impl Machine<'_> {
    /// `with first as target, second: body`
    pub(super) fn with(&mut self, items: &[(Expr, Option<Expr>)], body: &[Stmt]) -> Run<Flow> {
        let Some(((context, target), rest)) = items.split_first() else {
            return self.block(body);
        };
        let context = match self.resumed() {
            Some(Place::With(context)) => context,
            _ => {
                let context = self.eval(context)?;
                let value = match self.method(&context, "__enter__")? {
                    Some(enter) => self.call(&enter, Args::default())?,
                    None => context.clone(),
                };
                if let Some(target) = target {
                    self.assign(target, value)?;
                }
                context
            }
        };
        let result = self.with(rest, body);
        if let Ok(Flow::Yield(_)) = &result {
            self.pause(Place::With(context));
            return result;
        }
        self.exit(&context, result)
    }

    /// Leaves a context after its body.
    fn exit(&mut self, context: &Py, result: Run<Flow>) -> Run<Flow> {
        let (error, class) = match &result {
            Ok(_) => (Py::None, Py::None),
            Err(Stop::Raised(error, _)) => {
                let error = self.caught(error);
                let class = self.type_of(&error);
                (error, class)
            }
            Err(Stop::Limit(_)) => return result,
        };
        let Some(exit) = self.method(context, "__exit__")? else {
            return result;
        };
        let args = vec![class, error, Py::None];
        let answer = self.call(&exit, Args::of(args, Span::default()))?;
        match (result, self.condition(&answer)?) {
            (Err(_), Condition::Known(true)) => Ok(Flow::Next),
            (result, _) => result,
        }
    }

    pub(super) fn attempt(
        &mut self,
        body: &[Stmt],
        handlers: &[Handler],
        orelse: &[Stmt],
        finally: &[Stmt],
    ) -> Run<Flow> {
        let part = match self.resumed() {
            Some(Place::Try(part)) => part,
            _ => Part::Body,
        };
        let result = match part {
            Part::Finally(result) => *result,
            part => self.tried(part, body, handlers, orelse),
        };
        if let Ok(Flow::Yield(_)) | Err(Stop::Limit(_)) = &result {
            return result;
        }
        match self.block(finally)? {
            Flow::Next => result,
            Flow::Yield(item) => {
                self.pause(Place::Try(Part::Finally(Box::new(result))));
                Ok(Flow::Yield(item))
            }
            flow => Ok(flow),
        }
    }

    /// The body of a `try` with its handlers and its `else`.
    fn tried(
        &mut self,
        part: Part,
        body: &[Stmt],
        handlers: &[Handler],
        orelse: &[Stmt],
    ) -> Run<Flow> {
        let tried = match part {
            Part::Handler(at, error, reason) => {
                return self.handle_with(handlers, at, error, reason);
            }
            Part::Else => Ok(Flow::Next),
            _ => {
                let takes_errors = usize::from(!handlers.is_empty());
                self.errors.tries += takes_errors;
                let tried = self.block(body);
                self.errors.tries -= takes_errors;
                tried
            }
        };
        match tried {
            Ok(Flow::Next) => {
                let flow = self.block(orelse)?;
                Ok(self.pausing_at(flow, || Place::Try(Part::Else)))
            }
            Err(Stop::Raised(error, reason)) => self.handle(handlers, error, reason),
            other => Ok(self.pausing_at(other?, || Place::Try(Part::Body))),
        }
    }

    fn handle(&mut self, handlers: &[Handler], error: Py, reason: Reason) -> Run<Flow> {
        for (at, handler) in handlers.iter().enumerate() {
            let takes = match &handler.kind {
                Some(kind) => {
                    let kind = self.eval(kind)?;
                    self.is_error_of(&error, &kind)
                }
                None => true,
            };
            if takes {
                let error = self.caught(&error);
                if let Some(name) = &handler.name {
                    self.bind(&name.text, error.clone());
                }
                return self.handle_with(handlers, at, error, reason);
            }
        }
        Err(Stop::Raised(error, reason))
    }

    /// Runs the body of a handler.
    fn handle_with(
        &mut self,
        handlers: &[Handler],
        at: usize,
        error: Py,
        reason: Reason,
    ) -> Run<Flow> {
        let Some(handler) = handlers.get(at) else {
            return Ok(Flow::Next);
        };
        self.errors.handled.push((error.clone(), reason.clone()));
        let flow = self.block(&handler.body);
        self.errors.handled.pop();
        Ok(self.pausing_at(flow?, || Place::Try(Part::Handler(at, error, reason))))
    }
}
