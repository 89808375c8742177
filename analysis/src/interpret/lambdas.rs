//! Calls of lambdas, with the arguments of their templates.

use tree_sitter_cute::tree::{Expr, ExprKind, Lambda, Span};

use super::deduction::bind_to;
use super::frame::{Frame, Scope};
use super::overloads::Asked;
use super::preferred::{deduce_written, hide_open_integers};
use super::questions::ask_about;
use super::results::apart_from_caller;
use super::written_arguments::Argument;
use super::{Callable, Interpreter, construct};
use crate::reason::Reason;
use crate::trace::Way;
use crate::types::Type;
use crate::value::Value;

impl<'u> Interpreter<'u> {
    /// Calls a lambda or function with template arguments that are written out, `f.template operator()<2>()`.
    pub(super) fn call_written(
        &mut self,
        expr: &'u Expr,
        id: usize,
        explicit: &[Value],
        (values, args): (&[Value], &'u [Expr]),
        frame: &mut Frame<'u>,
    ) -> Value {
        let arguments = self.arguments_of(args, values, frame);
        let asked = Asked {
            explicit,
            values,
            arguments: &arguments,
            constant: None,
        };
        self.call_callable(expr, id, &asked, frame)
    }

    /// Calls a lambda or function.
    pub(super) fn call_callable(
        &mut self,
        expr: &'u Expr,
        id: usize,
        asked: &Asked<'_>,
        caller: &mut Frame<'u>,
    ) -> Value {
        let values = asked.values;
        if self.nesting.is_too_deep() {
            return Value::Unknown(Reason::Limit("nesting of calls"));
        }
        let (lambda, mut frame) = match self.computed.callable(id) {
            Some(Callable::Lambda(lambda, frame)) => (*lambda, (**frame).clone()),
            Some(Callable::Functions(name, ids, explicit)) => {
                let (name, ids, explicit) = (*name, ids.clone(), explicit.clone());
                let asked = Asked {
                    explicit: &explicit,
                    ..*asked
                };
                let selection = self.overload(&self.named_functions(&ids), None, &asked);
                return self.call_selected(expr, name, selection, caller);
            }
            None => return construct("this call"),
        };
        frame.steps = frame.steps.min(caller.steps);
        if self.settings.is_cpp() && self.refresh_captured(lambda, &mut frame, caller) {
            // The caller's symbols are visible to it, and none of them is free for its own.
            frame.symbols.extend(&caller.symbols);
        }
        let captured = frame.symbols.clone();
        let is_statement = self.is_discarded(expr);
        if self.nesting.is_running(lambda) {
            // Only numbers that are known come to an end, and only on the way that is taken.
            let is_open = |value: &Value| match value {
                Value::Int(int) => int.value().is_none(),
                value => matches!(value, Value::Unknown(_)),
            };
            if self.nesting.left_out > 0 || values.iter().any(is_open) {
                return Value::Unknown(Reason::Limit("a function that calls itself"));
            }
            frame.mode.recording = false;
        }
        if frame.mode.recording && !lambda.params.is_empty() {
            // Facts are about any call, with symbols for parameters; the value is of this one.
            self.run_lambda(lambda, asked, &mut frame.clone());
            frame.mode.recording = false;
            if is_statement {
                self.change_captured(id, caller);
                return Value::Nothing;
            }
        }
        let value = self.run_lambda(lambda, asked, &mut frame);
        self.change_captured(id, caller);
        apart_from_caller(value, values, &captured, &frame, caller)
    }

    /// The template arguments of a call of a lambda. The value of a number alone does not say its type.
    fn template_arguments_of(&mut self, lambda: &'u Lambda, asked: &Asked<'_>) -> Vec<Value> {
        let (params, tparams) = (lambda.params.as_slice(), lambda.tparams.as_slice());
        let bound = bind_to(self, (params, false), tparams, asked.explicit, asked.values);
        let Some(mut bound) = bound else {
            return Vec::new();
        };
        let asks = |place: usize| {
            let parameter = tparams.get(place);
            parameter.is_some_and(|parameter| ask_about(&lambda.body, parameter))
        };
        deduce_written(params, tparams, &asks, &mut bound, asked);
        hide_open_integers((params, tparams), &mut bound, asked, &|_, _| true);
        bound.tparams
    }

    fn run_lambda(
        &mut self,
        lambda: &'u Lambda,
        asked: &Asked<'_>,
        frame: &mut Frame<'u>,
    ) -> Value {
        let began = self.budget.begin_metered();
        let values = asked.values;
        if !lambda.tparams.is_empty() {
            let bound = self.template_arguments_of(lambda, asked);
            self.template_scope(&lambda.tparams, &bound, frame);
        }
        frame.scopes.push(Scope::default());
        let place = lambda
            .body
            .first()
            .map_or(Span::new(0, 0), |item| item.span);
        frame.actions.enter(place, Way::Lambda);
        for (index, param) in lambda.params.iter().enumerate() {
            if param.specifiers.pack {
                let rest = values.get(index..).unwrap_or_default().to_vec();
                self.declare_parameter(param, Some(Value::Pack(rest)), frame);
            } else {
                self.declare_parameter(param, values.get(index).cloned(), frame);
                let argument = asked.arguments.get(index);
                if let Some(Type::Scalar(scalar)) = argument.and_then(Argument::written_type)
                    && let Some(name) = &param.name
                    && matches!(param.ty.as_ref().map(|ty| &ty.kind), Some(ExprKind::Auto))
                {
                    frame.locals.deduced.insert(name.span, scalar);
                }
            }
        }
        self.nesting.begin_lambda(lambda);
        self.exec_all(&lambda.body, frame);
        self.nesting.end_lambda();
        self.budget.end_metered(began, None);
        let result = self.joined_in(place, frame);
        self.as_returned(result, lambda.ret.as_ref(), frame)
    }
}
