//! Calls: of the file's functions and lambdas, of methods, of the vocabulary.

use std::sync::Arc;

use tree_sitter_cute::tree::{BinaryOp, Expr, ExprKind, Function, Segment, UnaryOp};

use super::bound::Bound;
use super::calls_made::Callee;
use super::computed::Resolved;
use super::deduction::expands_open_pack;
use super::frame::Frame;
use super::functors::{call_functor, functor_of};
use super::ids::{FunctionId, ModuleId};
use super::method_calls::method_of_array;
use super::mutation;
use super::names::{Meaning, hide_qualified, shown_name};
use super::overloads::{Asked, Selection};
use super::references;
use super::site::{Caller, Site};
use super::vocabulary_calls::is_limit;
use super::{Callable, Interpreter, launchers};
use crate::limits;
use crate::reason::Reason;
use crate::types::Type;
use crate::value::Value;
use crate::vocabulary::{self};

impl<'u> Interpreter<'u> {
    pub(super) fn eval_call(
        &mut self,
        expr: &'u Expr,
        callee: &'u Expr,
        args: &'u [Expr],
        frame: &mut Frame<'u>,
    ) -> Value {
        let is_statement = self.is_discarded(expr);
        match &callee.kind {
            ExprKind::Member {
                object: written,
                member,
                ..
            } => {
                let object = self.eval(written, frame);
                let object = self.with_members(object, written, frame);
                let values = self.eval_passed(args, frame);
                if let Some(open) = expands_open_pack(&values) {
                    return Value::Unknown(open);
                }
                self.computed.resolved = None;
                let value = self.call_member(expr, &object, member, &values, args, frame);
                let receiver = (&**written, &object);
                self.trace_method(expr, receiver, member, args, &values, &value, frame);
                let method = (member.name.name.as_str(), values.as_slice());
                self.change_receiver(is_statement, written, &object, method, frame);
                self.change_captured_by(&values, frame);
                self.change_passed(callee, args, frame);
                value
            }
            ExprKind::Name(path) if args.is_empty() && is_limit(path) => {
                self.eval_name(path, callee.span, frame)
            }
            ExprKind::Name(path) => {
                if self.is_rust()
                    && let Some(value) = self.launched_by_path(expr, path, args, frame)
                {
                    return value;
                }
                if let ([only], true) = (args, self.settings.is_cpp() && mutation::passes_on(path))
                {
                    let value = self.eval(only, frame);
                    self.change_passed(callee, args, frame);
                    return value;
                }
                let meaning = self.meaning(path, frame);
                let values = self.eval_passed(args, frame);
                if let Some(open) = expands_open_pack(&values) {
                    return Value::Unknown(open);
                }
                if Self::encodes_map(path, args) {
                    self.keep_map(expr, args, frame);
                }
                let called = self.called(callee, &meaning, &values, frame);
                self.computed.resolved = None;
                let changing = match &meaning {
                    Meaning::Methods(class, _) => Some(*class),
                    _ => None,
                };
                let functor = match &meaning {
                    Meaning::Value(functor @ Value::Object(_)) => Some(functor.clone()),
                    _ => None,
                };
                let value = self.call_meaning(expr, callee, meaning, &values, args, frame);
                self.trace_call(called, expr, args, &values, &value, frame);
                if let Some(class) = changing {
                    self.change_own_object(class, shown_name(callee), values.len(), frame);
                }
                if let Some(functor) = functor {
                    let method = ("operator()", values.as_slice());
                    self.change_receiver(is_statement, callee, &functor, method, frame);
                }
                self.change_captured_by(&values, frame);
                if !matches!(expr.kind, ExprKind::Launch { .. }) {
                    self.change_passed(callee, args, frame);
                }
                value
            }
            _ => {
                let target = self.eval(callee, frame);
                let values = self.eval_all(args, frame);
                if let Some(open) = expands_open_pack(&values) {
                    return Value::Unknown(open);
                }
                self.call_value(expr, &target, &values, args, frame)
            }
        }
    }

    /// The arguments of a call. A variable that is only passed on is not seen by it: if the call
    /// changes it, its symbol can stay.
    fn eval_passed(&mut self, args: &'u [Expr], frame: &mut Frame<'u>) -> Vec<Value> {
        let unread: Vec<&str> = args
            .iter()
            .filter_map(|arg| match &arg.kind {
                ExprKind::Unary(UnaryOp::AddressOf, inner) => inner.as_plain_name(),
                _ => arg.as_plain_name(),
            })
            .filter(|name| frame.find(name).is_some_and(|variable| !variable.read))
            .collect();
        let values = self.eval_all(args, frame);
        for name in unread {
            if let Some(variable) = frame.find_mut(name) {
                variable.read = false;
            }
        }
        values
    }

    /// Whether a value is a pointer to a function.
    pub(super) fn is_function(&self, value: &Value) -> bool {
        matches!(value, Value::Callable(id)
            if matches!(self.computed.callable(*id), Some(Callable::Functions(..))))
    }

    /// Variables passed by name to a function that may change them have another value afterwards.
    pub(super) fn change_passed(
        &mut self,
        callee: &'u Expr,
        args: &'u [Expr],
        frame: &mut Frame<'u>,
    ) {
        let alone = self.leaves_alone(callee, args, frame);
        let is_undeclared = callee.as_path().is_some_and(|path| {
            let is_variable = callee
                .as_plain_name()
                .is_some_and(|name| frame.find(name).is_some());
            !is_variable && !self.program.has_function(path)
        });
        let only_read = usize::from(launchers::reads_configuration(callee));
        for arg in args.iter().skip(only_read) {
            match (&arg.kind, arg.as_plain_name()) {
                (ExprKind::Unary(UnaryOp::AddressOf, inner), _) => self.change(inner, frame),
                (ExprKind::Call(..) | ExprKind::Binary(..), _) => {
                    // A function of the sources says itself what it changes.
                    let is_known = is_undeclared || !alone;
                    if is_known && !mutation::only_reads(callee) {
                        self.change_elements(arg, frame);
                    }
                }
                _ if alone => self.change_mutable(arg, frame),
                // A function that is declared nowhere, as `cudaFuncSetAttribute` without headers, takes kernels by
                // value.
                (_, Some(name))
                    if is_undeclared
                        && frame
                            .find(name)
                            .is_some_and(|variable| self.is_function(&variable.value)) => {}
                (_, Some(name)) => self.change_name(name, frame),
                (
                    ExprKind::Member { .. }
                    | ExprKind::Index(..)
                    | ExprKind::Unary(UnaryOp::Deref, _),
                    _,
                ) => self.change(arg, frame),
                _ => {}
            }
        }
    }

    /// The elements of an array may change where a function is given `a.begin()` or `a + 1`.
    fn change_elements(&mut self, arg: &'u Expr, frame: &mut Frame<'u>) {
        let array = match &arg.kind {
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, left, _)
                if left.as_plain_name().is_some() =>
            {
                Some(&**left)
            }
            _ => mutation::iterated(arg),
        };
        if let Some(array) = array
            && let Some(location) = self.location(array, frame)
            && matches!(references::read(&location, frame), Some(Value::Tuple(_)))
        {
            self.change_location(&location, frame);
        }
    }

    /// Forgets captures that the lambdas passed to a call may have changed.
    fn change_captured_by(&mut self, values: &[Value], frame: &mut Frame<'u>) {
        for value in values {
            if let Value::Callable(id) = value {
                self.change_captured(*id, frame);
            }
        }
    }

    fn call_meaning(
        &mut self,
        expr: &'u Expr,
        callee: &'u Expr,
        meaning: Meaning<'u>,
        values: &[Value],
        args: &'u [Expr],
        frame: &mut Frame<'u>,
    ) -> Value {
        match meaning {
            Meaning::Value(target) => self.call_value(expr, &target, values, args, frame),
            Meaning::Functions(ids) => {
                let segment = callee.as_path().and_then(|path| path.last());
                let explicit = self.explicit_arguments(segment, frame);
                let arguments = self.arguments_of(args, values, frame);
                let asked = Asked {
                    explicit: &explicit,
                    values,
                    arguments: &arguments,
                    constant: None,
                };
                let ids = match callee.as_path() {
                    Some(path) if path.segments.len() == 1 => {
                        if self.any_befriends(shown_name(callee), values) {
                            return Value::Unknown(Reason::Ambiguous(shown_name(callee).into()));
                        }
                        self.with_those_beside_classes(ids, shown_name(callee), values)
                    }
                    _ => ids,
                };
                let selection = self.overload(&self.named_functions(&ids), None, &asked);
                if matches!(selection, Selection::Nothing)
                    && let Some(segment) = segment
                    && vocabulary::function(&segment.name.name).is_some()
                {
                    return self.call_vocabulary(expr, segment, values, args, frame);
                }
                self.call_selected(expr, shown_name(callee), selection, frame)
            }
            Meaning::Methods(record, methods) => {
                let this = frame
                    .owner
                    .this
                    .clone()
                    .filter(|_| frame.owner.record == Some(record));
                let segment = callee.as_path().and_then(|path| path.last());
                let given = (values, args);
                self.call_methods(expr, record, this, &methods, segment, given, frame)
            }
            Meaning::StaticMethod(object, member) => {
                self.call_member(expr, &object, member, values, args, frame)
            }
            Meaning::Vocabulary(segment) => {
                // `std::size` counts elements, CuTe's multiplies them.
                if let Some(path) = callee.as_path()
                    && path
                        .segments
                        .first()
                        .is_some_and(|first| first.name.name == "std")
                    && let [Value::Tuple(items)] = values
                    && let Some(value) = method_of_array(items, &segment.name.name, &[])
                {
                    return value;
                }
                self.call_vocabulary(expr, segment, values, args, frame)
            }
            Meaning::Library(name) => self.call_library(expr, &name, values, args, frame),
            Meaning::Nothing(reason) => Value::Unknown(reason),
        }
    }

    /// A call of the one kernel of a name: `name` has its generic arguments.
    pub(super) fn call_kernel(
        &mut self,
        expr: &'u Expr,
        (kernel, name): (FunctionId, &'u Segment),
        values: &[Value],
        frame: &mut Frame<'u>,
    ) -> Value {
        let mut explicit = self.explicit_arguments(Some(name), frame);
        // Behind its own parameters, `CubeCL` has that of the runtime.
        let own = self.program.functions.get(kernel);
        explicit.truncate(own.map_or(0, |own| own.function.tparams.len()));
        let arguments = self.arguments_of(&[], values, frame);
        let asked = Asked {
            explicit: &explicit,
            values,
            arguments: &arguments,
            constant: None,
        };
        let selection = self.overload(&self.named_functions(&[kernel]), None, &asked);
        self.call_selected(expr, &name.name.name, selection, frame)
    }

    /// Template arguments that are written out; the name of a class template is the template.
    pub(super) fn template_arguments(
        &mut self,
        segment: Option<&'u Segment>,
        frame: &mut Frame<'u>,
    ) -> Vec<Value> {
        match segment.and_then(|segment| segment.args.as_ref()) {
            Some(args) => self.class_arguments(args, frame),
            None => Vec::new(),
        }
    }

    /// Whether a friend of the class of an argument has this name.
    fn any_befriends(&mut self, name: &str, values: &[Value]) -> bool {
        values.iter().any(|value| match Type::of(value) {
            Type::Record(class) => self.befriends(class.instance, name),
            _ => false,
        })
    }

    /// The template arguments that a function of the sources is called with.
    pub(super) fn explicit_arguments(
        &mut self,
        segment: Option<&'u Segment>,
        frame: &mut Frame<'u>,
    ) -> Vec<Value> {
        let mut values = self.template_arguments(segment, frame);
        let written = segment.and_then(|segment| segment.args.as_deref());
        hide_qualified(&mut values, written.unwrap_or_default(), false, frame);
        values
    }

    /// `value(args)`: a lambda, a slice of a tensor, a layout applied to a coordinate.
    pub(super) fn call_value(
        &mut self,
        expr: &'u Expr,
        target: &Value,
        values: &[Value],
        args: &'u [Expr],
        frame: &mut Frame<'u>,
    ) -> Value {
        if let Some(reason) = target.open_parameter() {
            return Value::Unknown(reason);
        }
        if let Some(functor) = functor_of(target) {
            return call_functor(functor, values);
        }
        match target {
            Value::Unknown(_) => target.clone(),
            Value::Type(ty) => match (&**ty, &expr.kind) {
                (Type::Placeholder, ExprKind::Call(callee, _)) => {
                    self.construct_deduced(expr, callee, values, args, frame)
                }
                _ => self.construct_value(ty, values, frame),
            },
            Value::Callable(id) => self.call_written(expr, *id, &[], (values, args), frame),
            Value::Object(object) => {
                let record = object.class.instance;
                let (record, methods) = self
                    .inherited_methods(record, "operator()")
                    .unwrap_or((record, Vec::new()));
                let this = Some(target.clone());
                let given = (values, args);
                self.call_methods(expr, record, this, &methods, None, given, frame)
            }
            Value::Function(name) => match vocabulary::function(name) {
                Some(function) => {
                    let mut remarks = Vec::new();
                    let answer = function.call(&[], values, &mut remarks);
                    self.answer(answer, remarks, expr.span, args, frame)
                }
                None => Value::Unknown(Reason::NoBody(name.clone())),
            },
            _ => {
                let answer = vocabulary::apply(self.surroundings(), target, values);
                self.answer(answer, Vec::new(), expr.span, args, frame)
            }
        }
    }

    /// Calls the function that was selected.
    pub(super) fn call_selected(
        &mut self,
        expr: &'u Expr,
        name: &str,
        selection: Selection<'u>,
        frame: &mut Frame<'u>,
    ) -> Value {
        let chosen = match selection {
            Selection::One(chosen) => chosen,
            Selection::Nothing => return Value::Unknown(Reason::NoBody(name.into())),
            Selection::Open(reason, candidates) => {
                // The choice among them depends on unknown types: each may be called.
                if frame.mode.recording {
                    let place = self.instance_name(expr.span, frame);
                    let candidates = candidates.iter().take(limits::OVERLOADS);
                    for (id, bound) in candidates.filter_map(|it| Some((it.id?, &it.bound))) {
                        let caller = Caller {
                            uncertain: true,
                            ..Caller::of(frame)
                        };
                        self.record_instance_of(id, bound, Some(Arc::clone(&place)), caller);
                    }
                }
                return Value::Unknown(reason);
            }
        };
        let (function, bound) = (chosen.function, chosen.bound);
        if function.body.is_none() {
            return self.declared_result(function, chosen.module);
        }
        if frame.mode.recording
            && let Some(id) = chosen.id
        {
            let place = self.instance_name(expr.span, frame);
            let caller = Caller::of(frame);
            self.record_instance_of(id, &bound, Some(place), caller);
        }
        let site = Site {
            module: chosen.module,
            record: None,
            this: None,
        };
        self.evaluate_called(expr, function, site, bound, frame)
    }

    /// The result of the one function that is called, where it is used; the function is noted for the rest of the call.
    pub(super) fn evaluate_called(
        &mut self,
        expr: &'u Expr,
        function: &'u Function,
        site: Site,
        bound: Bound,
        frame: &mut Frame<'u>,
    ) -> Value {
        if !frame.mode.uncertain {
            self.computed
                .reports
                .calls_made
                .note_call(Callee::new(function, site.record));
        }
        // A lambda argument keeps the facts of the place where it is written.
        let given = bound.params.iter().flatten();
        let gives_lambda = given
            .into_iter()
            .any(|value| matches!(value, Value::Callable(_)));
        let value = if self.is_discarded(expr) && !gives_lambda {
            Value::Nothing
        } else {
            self.evaluate_function(function, &site, &bound, frame)
        };
        self.computed.resolved = frame.actions.run.map(|_| Resolved {
            function,
            site,
            bound,
        });
        value
    }

    /// Whether a call is a separate statement: the effects of a function on its arguments are not read from its body,
    /// so that only its result would be.
    pub(super) fn is_discarded(&self, call: &Expr) -> bool {
        self.discarded == Some(std::ptr::from_ref(call))
    }

    /// The result of a function of which only the declaration is known.
    fn declared_result(&mut self, function: &'u Function, module: ModuleId) -> Value {
        let mut frame = Frame::new(module, limits::STEPS_PER_INSTANCE);
        match function
            .ret
            .as_ref()
            .map(|ret| self.eval_type(ret, &mut frame))
        {
            Some(Type::Of(value)) if value.is_static() => *value,
            _ => Value::Unknown(Reason::NoBody(function.name.name.as_str().into())),
        }
    }
}
