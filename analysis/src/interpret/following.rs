//! Calls of functions that are given barriers or pipelines: the actions of the callee on them are recorded as if they
//! were in the caller, with the caller's names for the arguments.
//!
//! Only a call whose one function is known is followed, and only where all of its body is understood;
//! any other is a handover, behind which everything may happen.

use std::rc::Rc;

use tree_sitter_cute::tree::{Expr, ExprKind, Function, ItemKind, UnaryOp};

use super::Interpreter;
use super::computed::Resolved;
use super::frame::{Frame, Handed};
use super::pipelines::pipeline_of;
use super::traced_names::announcing_words;
use crate::limits;
use crate::origin::{Index, Place, Root};
use crate::trace::{Call, Given};
use crate::walk;
use crate::walk::is_assembly;
use crate::words::word_of;

impl<'u> Interpreter<'u> {
    /// Whether barriers are judged in the actions of a function: in kernels, and where it announces bytes to one,
    /// itself or through others of its file.
    pub(super) fn announces(&mut self, run: usize) -> bool {
        let Some(run) = self.computed.reports.runs.get(run) else {
            return false;
        };
        if run.is_kernel() {
            return true;
        }
        let name = &run.function.name;
        let Some(file) = self.program.file_of(name.span) else {
            return true;
        };
        let program = &self.program;
        let announcing = self
            .readings
            .announcing
            .entry(file.base())
            .or_insert_with(|| program.functions_mentioning(file, announcing_words()));
        announcing.contains(&word_of(name.name.as_bytes()))
    }

    /// Records the actions of a called function on the memory of its arguments; `false` where some of them are unknown.
    pub(super) fn follow(
        &mut self,
        call: &'u Expr,
        args: &'u [Expr],
        places: &[Option<Place>],
        frame: &mut Frame<'u>,
    ) -> bool {
        let Some(Resolved {
            function,
            site,
            bound,
        }) = self.computed.resolved.take()
        else {
            return false;
        };
        let recurs = frame
            .actions
            .calls
            .iter()
            .any(|outer| std::ptr::eq(outer.function, function));
        let is_given = places
            .iter()
            .flatten()
            .any(|place| is_memory(place) || self.is_initialised(frame.actions.run, place));
        if recurs
            || !calls_by_name(call, function)
            || !is_given
            || frame.actions.calls.len() >= limits::FOLLOWED_CALLS
            || args.len() > function.params.len()
            || function.params.iter().any(|param| param.specifiers.pack)
            || !is_understood(function)
        {
            return false;
        }
        let Some(run) = frame.actions.run else {
            return false;
        };
        if !self.is_of_run(run, function.name.span) {
            return false;
        }
        let mut inner = self.function_frame(function, &site, limits::FOLLOWED_STEPS);
        inner.actions.run = Some(run);
        inner.actions.path.clone_from(&frame.actions.path);
        inner.mode.uncertain = frame.mode.uncertain;
        inner.control.conditional = frame.control.conditional;
        inner.actions.calls.clone_from(&frame.actions.calls);
        inner.actions.calls.push(Call {
            span: call.span,
            function,
        });
        for (arg, place) in args.iter().zip(places) {
            inner.actions.handed.push(Handed {
                place: place.clone(),
                index: caller_index(arg, frame),
                pipeline: pipeline_of(arg, frame),
            });
        }
        self.name_arguments(run, function, args, frame);
        // The values of names do not depend on followed calls, which has a separate budget.
        let is_outermost = frame.actions.calls.is_empty();
        let steps = self.budget.steps;
        if is_outermost {
            self.budget.steps = frame.actions.followed_steps;
        }
        self.run_body(function, &bound, &mut inner);
        // Without steps the rest of the body is not seen.
        let is_seen = inner.steps > 0 && self.budget.steps > 0;
        if is_outermost {
            frame.actions.followed_steps = self.budget.steps;
            self.budget.steps = steps;
        }
        is_seen
    }

    /// Keeps the arguments of a followed function's parameters.
    fn name_arguments(
        &mut self,
        run: usize,
        function: &'u Function,
        args: &'u [Expr],
        frame: &mut Frame<'u>,
    ) {
        let Some(run) = self.computed.reports.runs.get_mut(run) else {
            return;
        };
        if !run
            .bodies
            .iter()
            .any(|known| std::ptr::eq(*known, function))
        {
            run.bodies.push(function);
        }
        for (index, param) in function.params.iter().enumerate() {
            let Some(name) = &param.name else { continue };
            let arg = args.get(index);
            let variable = arg
                .and_then(|arg| behind(arg).as_plain_name())
                .and_then(|name| frame.find(name))
                .map(|variable| variable.declared);
            let given = (arg, variable);
            let known = run.arguments.entry(name.span).or_insert(Some(given));
            // Two calls give it two things.
            if known.is_some_and(|known| !is_same(known, given)) {
                *known = None;
            }
        }
    }
}

/// Whether two calls give a parameter the same variable, or are one call.
fn is_same((one, variable): Given<'_>, (other, same): Given<'_>) -> bool {
    match (variable, same) {
        (Some(variable), Some(same)) => variable == same,
        _ => one.map(|expr| expr.span) == other.map(|expr| expr.span),
    }
}

/// Whether a call names the function that it calls: a launcher calls its argument with other arguments.
fn calls_by_name(call: &Expr, function: &Function) -> bool {
    let ExprKind::Call(callee, _) = &call.kind else {
        return false;
    };
    let name = match &callee.kind {
        ExprKind::Member { member, .. } => Some(&member.name.name),
        ExprKind::Name(path) => path.last().map(|segment| &segment.name.name),
        _ => None,
    };
    name == Some(&function.name.name)
}

/// Binds the parameters of a followed function to their values in its caller.
pub(super) fn take_over<'u>(function: &'u Function, frame: &mut Frame<'u>) {
    let handed = std::mem::take(&mut frame.actions.handed);
    for (param, given) in function.params.iter().zip(handed) {
        let Some(name) = &param.name else { continue };
        if let Some(pipeline) = &given.pipeline {
            frame
                .locals
                .pipelines
                .insert(name.span, Rc::clone(pipeline));
        }
        frame.actions.aliases.insert(name.span, given);
    }
}

/// The variable itself, where a pointer to it is passed.
fn behind(arg: &Expr) -> &Expr {
    match &arg.kind {
        ExprKind::Unary(UnaryOp::AddressOf, inner) => inner,
        _ => arg,
    }
}

/// The index in the caller that a callee has as a parameter.
fn caller_index(arg: &Expr, frame: &mut Frame<'_>) -> Index {
    let declared = behind(arg)
        .as_plain_name()
        .and_then(|name| frame.find(name))
        .map(|variable| variable.declared);
    match declared {
        Some(declared) => match frame.actions.aliases.get(&declared) {
            Some(outer) => outer.index.clone(),
            None => Index::Variable(declared),
        },
        None => Index::Other(arg.to_string().into()),
    }
}

/// Whether a place may have barriers in it: numbers have places, too.
fn is_memory(place: &Place) -> bool {
    matches!(place.root, Root::Record(_)) || !place.path.is_empty() || place.index.is_some()
}

/// Whether all of a body was read: assembly is not.
fn is_understood(function: &Function) -> bool {
    let body = function.body.as_deref().unwrap_or_default();
    let mut all = function.body.is_some();
    walk::items(body, &mut |item| {
        all &= !matches!(item.kind, ItemKind::Opaque(_));
    });
    walk::expressions(body, &mut |expr| {
        all &= !matches!(expr.kind, ExprKind::Opaque(_)) && !is_assembly(expr);
    });
    all
}
