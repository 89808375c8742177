//! Loops: those of the trace run pass by pass, those of the kernel once, with unknown values from pass to pass.

use std::sync::Arc;

use tree_sitter_cute::script::{Expr, ExprKind, Stmt, StmtKind};

use super::lazy::Pulled;
use super::machine::{Machine, Run, Stop};
use super::run::Flow;
use super::suspended::Place;
use super::value::{Condition, Py};
use crate::reason::Reason;
use crate::types::Scalar;
use crate::value::Value;

/// Passes of one loop over an iterator.
const PASSES: usize = 1 << 16;

impl Machine<'_> {
    pub(super) fn for_each(
        &mut self,
        target: &Expr,
        iterable: &Expr,
        body: &[Stmt],
        orelse: &[Stmt],
    ) -> Run<Flow> {
        if self.is_rewritten() && self.is_range(iterable)? {
            self.eval(iterable)?;
            return self.kernel_loop(Some(target), body);
        }
        let place = self.resumed();
        if let Some(Place::Else) = place {
            return self.orelse(orelse);
        }
        if let Some(Place::For(iterator)) = place {
            return self.for_pulled(&iterator, target, (body, orelse), true);
        }
        let iterable = self.eval(iterable)?;
        if self.is_generator() || self.is_iterator(&iterable) {
            match self.iter_of(&iterable)? {
                Ok(iterator) => return self.for_pulled(&iterator, target, (body, orelse), false),
                Err(Reason::RunTime(_) | Reason::Raised(..)) => {
                    return self.kernel_loop(Some(target), body);
                }
                Err(reason) => return self.maybe(target, &reason, body),
            }
        }
        let items = match self.iterate(&iterable)? {
            Ok(items) => items,
            Err(Reason::RunTime(_) | Reason::Raised(..)) => {
                return self.kernel_loop(Some(target), body);
            }
            Err(reason) => return self.maybe(target, &reason, body),
        };
        for item in items {
            self.assign(target, item)?;
            match self.block(body)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => return Ok(Flow::Next),
                flow => return Ok(flow),
            }
        }
        self.block(orelse)
    }

    /// A loop over an iterator whose elements are taken one by one; `is_inside` where it goes on in its body.
    fn for_pulled(
        &mut self,
        iterator: &Py,
        target: &Expr,
        (body, orelse): (&[Stmt], &[Stmt]),
        is_inside: bool,
    ) -> Run<Flow> {
        let mut is_inside = is_inside;
        for _ in 0..PASSES {
            if !std::mem::take(&mut is_inside) {
                match self.pull(iterator)? {
                    Ok(Pulled::Item(item)) => self.assign(target, item)?,
                    Ok(Pulled::End(_)) => return self.orelse(orelse),
                    Err(reason) => return self.maybe(target, &reason, body),
                }
            }
            match self.block(body)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => return Ok(Flow::Next),
                flow => return Ok(self.pausing_at(flow, || Place::For(iterator.clone()))),
            }
        }
        let why = Reason::Limit("passes of a loop");
        Err(Stop::Raised(Py::Unknown(why.clone()), why))
    }

    /// The `else` of a loop.
    fn orelse(&mut self, orelse: &[Stmt]) -> Run<Flow> {
        let flow = self.block(orelse)?;
        Ok(self.pausing_at(flow, || Place::Else))
    }

    /// Whether the iterable of a loop of a rewritten function is `range` or `cutlass.range`: a loop of the kernel.
    fn is_range(&mut self, iterable: &Expr) -> Run<bool> {
        let ExprKind::Call(callee, _) = &iterable.kind else {
            return Ok(false);
        };
        let callee = self.eval(callee)?;
        Ok(matches!(
            callee,
            Py::Native(native) if matches!(
                native.name,
                "builtins.range" | "cutlass.range" | "cutlass.range_dynamic"
            )
        ))
    }

    /// Whether a condition says itself that it is one of the trace: `const_expr(...)`.
    pub(super) fn is_of_trace(&mut self, test: &Expr) -> Run<bool> {
        let ExprKind::Call(callee, _) = &test.kind else {
            return Ok(false);
        };
        let callee = self.eval(callee)?;
        Ok(matches!(callee, Py::Native(native) if native.name == "cutlass.const_expr"))
    }

    pub(super) fn repeat(&mut self, test: &Expr, body: &[Stmt], orelse: &[Stmt]) -> Run<Flow> {
        if self.is_rewritten() && !self.is_of_trace(test)? {
            self.eval(test)?;
            return self.kernel_loop(None, body);
        }
        let mut is_inside = match self.resumed() {
            Some(Place::Else) => return self.orelse(orelse),
            place => place == Some(Place::While),
        };
        loop {
            let condition = match std::mem::take(&mut is_inside) {
                true => Condition::Known(true),
                false => {
                    let value = self.eval(test)?;
                    self.condition(&value)?
                }
            };
            match condition {
                Condition::Known(true) => {}
                Condition::Known(false) => return self.orelse(orelse),
                Condition::RunTime => return self.kernel_loop(None, body),
                unknown @ Condition::Unknown(_) => {
                    return self.either_block(&unknown, body, &[]);
                }
            }
            match self.block(body)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => return Ok(Flow::Next),
                flow => return Ok(self.pausing_at(flow, || Place::While)),
            }
        }
    }

    /// A loop over an unknown iterable: its body may be run.
    fn maybe(&mut self, target: &Expr, reason: &Reason, body: &[Stmt]) -> Run<Flow> {
        self.assign(target, Py::Unknown(reason.clone()))?;
        self.either_block(&Condition::Unknown(reason.clone()), body, &[])
    }

    /// A loop of the running kernel: its body once, with the numbers that it changes unknown.
    fn kernel_loop(&mut self, target: Option<&Expr>, body: &[Stmt]) -> Run<Flow> {
        let mut carried = Vec::new();
        bound_names(body, &mut carried);
        self.forget_numbers(&carried);
        if let Some(target) = target {
            self.bind_index(target)?;
        }
        let flow = self.block(body)?;
        if let Flow::Yield(_) = flow {
            return Ok(self.lose_yields(Reason::RunTime("the passes of a loop".into())));
        }
        self.forget_numbers(&carried);
        if let Flow::Return(value) = flow
            && let Some(frame) = self.frames.last_mut()
        {
            frame.returned.push(value);
        }
        Ok(Flow::Next)
    }

    /// Numbers of the trace that a loop of the kernel changes are numbers of the kernel.
    fn forget_numbers(&mut self, names: &[Arc<str>]) {
        let Some(scope) = self.scope() else {
            return;
        };
        for name in names {
            let super::heap::Object::Scope(found) = self.heap.get(scope) else {
                return;
            };
            let value = match found.names.get(name) {
                Some(Py::Int(_) | Py::Leaf(Value::Int(_))) => self.numbers.symbol(name),
                Some(Py::Whole(_, ty)) => {
                    let ty = *ty;
                    self.numbers.number(name, ty)
                }
                Some(Py::Bool(_)) => Py::run_time_bool(),
                Some(Py::Float(_)) => match Scalar::of_spelling("float") {
                    Some(float) => Py::Leaf(Value::Number(float)),
                    None => continue,
                },
                _ => continue,
            };
            self.bind_in(scope, Arc::clone(name), value);
        }
    }

    fn bind_index(&mut self, target: &Expr) -> Run<()> {
        match &target.kind {
            ExprKind::Name(name) => {
                let index = self.numbers.symbol(name);
                self.assign(target, index)
            }
            ExprKind::Tuple(targets) | ExprKind::List(targets) => {
                for target in targets {
                    self.bind_index(target)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// The names that statements bind.
fn bound_names(stmts: &[Stmt], names: &mut Vec<Arc<str>>) {
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Assign(targets, _) => {
                for target in targets {
                    bound_by(target, names);
                }
            }
            StmtKind::Augmented(target, ..) | StmtKind::Annotated { target, .. } => {
                bound_by(target, names);
            }
            StmtKind::If(_, body, orelse) | StmtKind::While(_, body, orelse) => {
                bound_names(body, names);
                bound_names(orelse, names);
            }
            StmtKind::For {
                target,
                body,
                orelse,
                ..
            } => {
                bound_by(target, names);
                bound_names(body, names);
                bound_names(orelse, names);
            }
            StmtKind::With(_, body) => bound_names(body, names),
            StmtKind::Try { body, .. } => bound_names(body, names),
            _ => {}
        }
    }
}

fn bound_by(target: &Expr, names: &mut Vec<Arc<str>>) {
    match &target.kind {
        ExprKind::Name(name) => {
            if !names.contains(name) {
                names.push(Arc::clone(name));
            }
        }
        ExprKind::Tuple(targets) | ExprKind::List(targets) => {
            for target in targets {
                bound_by(target, names);
            }
        }
        ExprKind::Starred(inner) => bound_by(inner, names),
        _ => {}
    }
}
