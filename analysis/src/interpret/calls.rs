//! Calls: of the file's functions and lambdas, of methods, of the vocabulary.

use super::launchers::LAUNCHERS;
use std::sync::Arc;

use cute_algebra::Int;
use tree_sitter_cute::tree::{Expr, ExprKind, Function, Path, Segment, Span, UnaryOp};

use super::bound::Bound;
use super::calls_made::Callee;
use super::computed::Resolved;
use super::conversions::is_constant;
use super::deduction::expands_open_pack;
use super::frame::{Frame, Scope};
use super::heads::is_generic;
use super::ids::ModuleId;
use super::names::{Meaning, hide_qualified, shown_name};
use super::overloads::{Asked, Named, Selection};
use super::results::apart_from_caller;
use super::site::{Caller, Site};
use super::{Callable, Interpreter, construct};
use crate::fact::WordKind;
use crate::finding::Finding;
use crate::limits;
use crate::reason::Reason;
use crate::report::{self, Operand};
use crate::tensor::{Pointer, Space};
use crate::trace::Way;
use crate::types::Type;
use crate::value::{Truth, Value};
use crate::vocabulary::{self, Answer, Remark};

/// Methods of containers that give one of their elements.
const ELEMENTS: &[&str] = &["at", "front", "back"];

/// The object of a method call, as it is written.
fn receiver(call: &Expr) -> Option<&Expr> {
    let ExprKind::Call(callee, _) = &call.kind else {
        return None;
    };
    match &callee.kind {
        ExprKind::Member { object, .. } => Some(object),
        _ => None,
    }
}

/// `std::numeric_limits<T>::max`
fn is_limit(path: &Path) -> bool {
    let [scope, class, _] = path.segments.as_slice() else {
        return false;
    };
    scope.name.name == "std" && class.name.name == "numeric_limits" && class.args.is_some()
}

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
                let meaning = self.meaning(path, frame);
                let values = self.eval_passed(args, frame);
                if let Some(open) = expands_open_pack(&values) {
                    return Value::Unknown(open);
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
        let alone = self.leaves_alone(callee, args.len(), frame);
        let is_undeclared = callee.as_path().is_some_and(|path| {
            let is_variable = callee
                .as_plain_name()
                .is_some_and(|name| frame.find(name).is_some());
            !is_variable && !self.program.has_function(path)
        });
        for arg in args {
            match (&arg.kind, arg.as_plain_name()) {
                (ExprKind::Unary(UnaryOp::AddressOf, inner), _) => self.change(inner, frame),
                _ if alone => {}
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

    pub(super) fn template_arguments(
        &mut self,
        segment: Option<&'u Segment>,
        frame: &mut Frame<'u>,
    ) -> Vec<Value> {
        match segment.and_then(|segment| segment.args.as_ref()) {
            Some(args) => self.eval_all(args, frame),
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
    fn explicit_arguments(
        &mut self,
        segment: Option<&'u Segment>,
        frame: &mut Frame<'u>,
    ) -> Vec<Value> {
        let mut values = self.template_arguments(segment, frame);
        let written = segment.and_then(|segment| segment.args.as_deref());
        hide_qualified(&mut values, written.unwrap_or_default(), false, frame);
        values
    }

    /// A call of a word of the vocabulary, or the construction of one of its types.
    fn call_vocabulary(
        &mut self,
        expr: &'u Expr,
        segment: &'u Segment,
        values: &[Value],
        args: &'u [Expr],
        frame: &mut Frame<'u>,
    ) -> Value {
        let name = segment.name.name.as_str();
        if let Some(function) = vocabulary::function(name) {
            self.recorder
                .note_word(segment.name.span, WordKind::Function(function.name), frame);
            if let Some(value) = self.call_higher_order(expr, function.name, values, frame) {
                return value;
            }
            if let Some(value) = self.place_of_thread(function.name, expr.span) {
                return value;
            }
            let targs = self.template_arguments(Some(segment), frame);
            let declared = self.with_declared_atom(function.name, values);
            let values = declared.as_deref().unwrap_or(values);
            let (answer, remarks) = self.ask_vocabulary(function, &targs, values);
            return self.answer(answer, remarks, expr.span, args, frame);
        }
        if let Some((_, kernel)) = LAUNCHERS.iter().find(|(launcher, _)| *launcher == name)
            && let Some(target @ Value::Callable(_)) = values.get(*kernel)
        {
            let rest = values.get(kernel + 1..).unwrap_or_default();
            self.computed.reports.launch = args
                .first()
                .and_then(|params| self.cluster_launch_of(expr.span, params, frame));
            let value = self.call_value(expr, target, rest, args, frame);
            self.computed.reports.launch = None;
            return value;
        }
        self.note_kernel_of_class(segment, frame);
        let named = self.vocabulary_name(segment, expr.span, frame);
        match named {
            Value::Type(ty) => self.construct_value(&ty, values, frame),
            Value::Unknown(Reason::Undeclared(_)) => Value::Unknown(Reason::NoBody(name.into())),
            other => other,
        }
    }

    /// Definitions of the library that the macros of the file set, and the queries to it.
    pub(super) fn surroundings(&self) -> vocabulary::Surroundings {
        vocabulary::Surroundings {
            extended_wgmma: self.program.is_defined(vocabulary::EXTENDED_SHAPES) == Some(true),
            other_cutlass: self.other_cutlass(),
            memory: self.settings.looks_for.memory,
        }
    }

    /// The version of CUTLASS that the macros say, where it is not that of our rules.
    fn other_cutlass(&self) -> Option<(u32, u32)> {
        let [major, minor] = vocabulary::CUTLASS_VERSION.map(|name| {
            let value = self.program.macro_number(name)?;
            u32::try_from(value).ok()
        });
        let version = (major?, minor?);
        (version != cute_hardware::collective::CUTLASS_VERSION).then_some(version)
    }

    /// Calls a function of the vocabulary. In an expression by itself, a shape where only a layout will do is its
    /// compact layout, as in the paper.
    pub(super) fn ask_vocabulary(
        &self,
        function: &vocabulary::Function,
        targs: &[Value],
        values: &[Value],
    ) -> (Answer, Vec<Remark>) {
        let mut remarks = Vec::new();
        if vocabulary::selects_instructions(function) {
            self.program.note_asked(vocabulary::EXTENDED_SHAPES);
        }
        let answer = function.call_in(self.surroundings(), targs, values, &mut remarks);
        // A part of an open parameter may be a tuple: the result is unknown where it is refused as a number.
        if let Some(open) = values.iter().find_map(Value::open_part)
            && (!remarks.is_empty() || matches!(answer, Err(vocabulary::Problem::Refused(_))))
        {
            return (Err(vocabulary::Problem::Unknown(open)), Vec::new());
        }
        if self.settings.stands_alone
            && matches!(
                answer,
                Err(vocabulary::Problem::Unknown(Reason::Unsuitable(..)))
            )
            && let [first @ Value::Tuple(_), rest @ ..] = values
            && let Some(layout) = first.to_compact_layout()
        {
            let mut values = vec![layout];
            values.extend_from_slice(rest);
            let mut remarks = Vec::new();
            return (function.call(targs, &values, &mut remarks), remarks);
        }
        (answer, remarks)
    }

    /// The value of an answer of the vocabulary; a refusal becomes a finding.
    pub(super) fn answer(
        &mut self,
        answer: Answer,
        remarks: Vec<Remark>,
        span: Span,
        args: &'u [Expr],
        frame: &mut Frame<'u>,
    ) -> Value {
        for remark in remarks {
            self.keep_finding(&remark, span, args, frame);
        }
        match answer {
            Ok(value) => value,
            Err(vocabulary::Problem::Unknown(reason)) => Value::Unknown(reason),
            Err(vocabulary::Problem::ForFirst(value)) => self.for_any(&value, span, frame),
            Err(vocabulary::Problem::Refused(remark)) => {
                let result = remark.result.clone();
                self.keep_finding(&remark, span, args, frame);
                result.unwrap_or_else(|| Value::Unknown(remark.reason()))
            }
        }
    }

    fn keep_finding(&mut self, remark: &Remark, span: Span, args: &'u [Expr], frame: &Frame<'u>) {
        let is_kept = if frame.mode.in_type {
            remark.is_of_types() && self.recorder.is_of_instance(span, frame)
        } else {
            self.recorder.keeps(span, frame)
        };
        if frame.mode.uncertain || !is_kept {
            return;
        }
        let operands: Vec<Operand> = args
            .iter()
            .map(|arg| Operand {
                span: arg.span,
                name: arg.as_plain_name().map(str::to_owned),
            })
            .collect();
        let mut finding: Finding = report::finding(remark, span, &operands);
        finding.instance = frame.owner.instance.as_deref().map(str::to_owned);
        if report::is_unproved(remark) {
            self.recorder.output.unproved.push(finding);
        } else {
            self.recorder.output.findings.push(finding);
        }
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
        match target {
            Value::Unknown(_) => target.clone(),
            Value::Type(ty) => self.construct_value(ty, values, frame),
            Value::Callable(id) => self.call_callable(expr, *id, values, frame),
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
                let answer = vocabulary::apply(target, values);
                self.answer(answer, Vec::new(), expr.span, args, frame)
            }
        }
    }

    fn call_member(
        &mut self,
        expr: &'u Expr,
        object: &Value,
        member: &'u Segment,
        values: &[Value],
        args: &'u [Expr],
        frame: &mut Frame<'u>,
    ) -> Value {
        let name = member.name.name.as_str();
        if let Some(written) = receiver(expr)
            && let Some(number) = self.state_of_pipeline(object, written, name, frame)
        {
            return number;
        }
        if self.is_rust() && !matches!(object, Value::Object(_)) {
            return self.call_library_method(expr, object, member, values, args, frame);
        }
        // `pointer->method()` of a class of the file.
        let pointed = match object {
            Value::Pointer(_) if ELEMENTS.contains(&name) => {
                return self.element(object, expr, frame);
            }
            Value::Pointer(pointer) if vocabulary::method(name).is_none() => {
                match pointer.element.as_deref() {
                    Some(Type::Record(_)) => Some(self.pointee(object, receiver(expr), frame)),
                    _ => None,
                }
            }
            // A plain pointer has no methods: `tma->get_tma_tensor(shape)`.
            Value::Pointer(pointer)
                if pointer.space == Space::Generic && points_to_object(pointer) =>
            {
                Some(self.pointee(object, receiver(expr), frame))
            }
            _ => None,
        };
        let object = pointed.as_ref().unwrap_or(object);
        let class = match vocabulary::method(name) {
            None => self.class_behind(object),
            Some(_) => None,
        };
        let made = class.map(|class| {
            let name = self.object_name(receiver(expr), frame);
            self.symbolic_object(&class, &name)
        });
        let object = made.as_ref().unwrap_or(object);
        if let Value::Tuple(items) = object
            && self.settings.is_cpp()
            && let Some(value) = method_of_array(items, name, values)
        {
            return value;
        }
        let unseen = self.unseen_object(object, member, expr, frame);
        let object = unseen.as_ref().unwrap_or(object);
        match object {
            Value::Unknown(_) => object.clone(),
            Value::Object(found) => {
                let record = found.class.instance;
                let Some((record, methods)) = self.inherited_methods(record, name) else {
                    let field = self.member(object, member, expr.span, frame);
                    return self.call_value(expr, &field, values, args, frame);
                };
                let value = self.call_methods(
                    expr,
                    record,
                    Some(object.clone()),
                    &methods,
                    Some(member),
                    (values, args),
                    frame,
                );
                match value {
                    // A number that only the library's object has takes the name of its variable.
                    Value::Int(int) if made.is_some() && int.value().is_none() => {
                        Value::Unknown(Reason::RunTime(format!("`{name}()`").into()))
                    }
                    value => value,
                }
            }
            // A number has no methods.
            Value::Bool(_) | Value::Number(_) if self.settings.is_cpp() => no_method(object, name),
            Value::Int(int) if self.has_types(object) && int.value().is_some() => {
                no_method(object, name)
            }
            _ => {
                let Some(method) = vocabulary::method(name) else {
                    return no_method(object, name);
                };
                self.recorder
                    .note_word(member.name.span, WordKind::Function(method.name), frame);
                let targs = self.template_arguments(Some(member), frame);
                let mut all = vec![object.clone()];
                all.extend(values.iter().cloned());
                let mut remarks = Vec::new();
                let answer = method.call_in(self.surroundings(), &targs, &all, &mut remarks);
                self.answer(answer, remarks, expr.span, args, frame)
            }
        }
    }

    /// An object of a class of the sources of which only the type is known, such as one that changes: its members are
    /// symbols with separate names.
    fn unseen_object(
        &mut self,
        object: &Value,
        member: &'u Segment,
        expr: &'u Expr,
        frame: &mut Frame<'u>,
    ) -> Option<Value> {
        let Value::Instance(ty) = object else {
            return None;
        };
        let Type::Record(class) = &**ty else {
            return None;
        };
        self.inherited_methods(class.instance, &member.name.name)?;
        let name = self.object_name(receiver(expr), frame);
        Some(self.symbolic_object(class, &name))
    }

    #[allow(clippy::too_many_arguments)] // A method call has this many parts.
    fn call_methods(
        &mut self,
        expr: &'u Expr,
        record: usize,
        this: Option<Value>,
        methods: &[&'u Function],
        segment: Option<&'u Segment>,
        (values, args): (&[Value], &'u [Expr]),
        frame: &mut Frame<'u>,
    ) -> Value {
        let name = segment.map_or("operator()", |segment| &segment.name.name);
        let explicit = self.explicit_arguments(segment, frame);
        let arguments = self.arguments_of(args, values, frame);
        let constant = match receiver(expr) {
            Some(object) => is_constant(object, frame),
            None => match &expr.kind {
                ExprKind::Call(callee, _) if segment.is_none() => is_constant(callee, frame),
                _ => frame.owner.constant_object,
            },
        };
        let asked = Asked {
            explicit: &explicit,
            values,
            arguments: &arguments,
            constant,
        };
        if self.uses_name(record, name) {
            return Value::Unknown(Reason::Ambiguous(name.into()));
        }
        let module = self.module_of_record(record);
        let named: Vec<Named<'u>> = methods
            .iter()
            .map(|method| (None, *method, module))
            .collect();
        let chosen = match self.overload(&named, Some(record), &asked) {
            Selection::One(chosen) => chosen,
            Selection::Nothing => return Value::Unknown(Reason::NoBody(name.into())),
            Selection::Open(reason, _) => return Value::Unknown(reason),
        };
        let function = match self.specialised_method(record, chosen.function) {
            Ok(function) => function,
            Err(reason) => return Value::Unknown(reason),
        };
        // The class of the object that runs may be another one.
        if self.is_virtual(record, name) {
            return construct("a call of a virtual function");
        }
        let bound = chosen.bound;
        let site = Site {
            module,
            record: Some(record),
            this,
        };
        if function.body.is_none() {
            return Value::Unknown(Reason::NoBody(function.name.name.as_str().into()));
        }
        if frame.mode.recording && is_generic(function) {
            let span = segment.map_or(function.name.span, |segment| segment.name.span);
            let place = self.instance_name(span, frame);
            let caller = Caller::of(frame);
            self.record_method_of(function, &site, &bound, place, caller);
        }
        self.evaluate_called(expr, function, site, bound, frame)
    }

    /// Calls the function that was selected.
    fn call_selected(
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
    fn evaluate_called(
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
    fn is_discarded(&self, call: &Expr) -> bool {
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

    pub(super) fn call_callable(
        &mut self,
        expr: &'u Expr,
        id: usize,
        values: &[Value],
        caller: &mut Frame<'u>,
    ) -> Value {
        if self.nesting.is_too_deep() {
            return Value::Unknown(Reason::Limit("nesting of calls"));
        }
        let (lambda, mut frame) = match self.computed.callable(id) {
            Some(Callable::Lambda(lambda, frame)) => (*lambda, (**frame).clone()),
            Some(Callable::Functions(name, ids, explicit)) => {
                let (name, ids, explicit) = (*name, ids.clone(), explicit.clone());
                let arguments = self.arguments_of(&[], values, caller);
                let asked = Asked {
                    explicit: &explicit,
                    values,
                    arguments: &arguments,
                    constant: None,
                };
                let selection = self.overload(&self.named_functions(&ids), None, &asked);
                return self.call_selected(expr, name, selection, caller);
            }
            None => return construct("this call"),
        };
        frame.steps = frame.steps.min(caller.steps);
        let mut captured = frame.symbols.clone();
        if self.settings.is_cpp() && self.refresh_captured(lambda, &mut frame, caller) {
            // The caller's symbols are visible to it, and none of them is free for its own.
            frame.symbols.extend(caller.symbols.clone());
            captured.extend(caller.symbols.clone());
        }
        let is_statement = self.is_discarded(expr);
        if frame.mode.recording && !lambda.params.is_empty() {
            // Facts are about any call, with symbols for parameters; the value is of this one.
            self.run_lambda(lambda, values, &mut frame.clone());
            frame.mode.recording = false;
            if is_statement {
                self.change_captured(id, caller);
                return Value::Nothing;
            }
        }
        let value = self.run_lambda(lambda, values, &mut frame);
        self.change_captured(id, caller);
        apart_from_caller(value, values, &captured, &frame, caller)
    }

    fn run_lambda(
        &mut self,
        lambda: &'u tree_sitter_cute::tree::Lambda,
        values: &[Value],
        frame: &mut Frame<'u>,
    ) -> Value {
        let began = self.budget.begin_metered();
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
            }
        }
        self.nesting.begin_call();
        self.exec_all(&lambda.body, frame);
        self.nesting.end_call();
        self.budget.end_metered(began, None);
        self.joined_in(place, frame)
    }
}

/// Whether the pointee of a pointer is an object of CuTe's that has methods, no number.
fn points_to_object(pointer: &Pointer) -> bool {
    match pointer.element.as_deref() {
        Some(Type::Of(value)) => matches!(
            **value,
            Value::CopyAtom(_) | Value::MmaAtom(_) | Value::TiledCopy(_) | Value::TiledMma(_)
        ),
        _ => false,
    }
}

/// A method that is not known: CuTe's classes may have others.
fn no_method(object: &Value, name: &str) -> Value {
    let is_number = match object {
        Value::Int(int) => !int.is_static(),
        Value::Bool(truth) => !truth.fixed,
        Value::Number(_) => true,
        _ => false,
    };
    let of = object.to_string().into();
    Value::Unknown(object.open_parameter().unwrap_or(if is_number {
        Reason::NoMember(name.into(), of)
    } else {
        Reason::MemberNotEvaluated(name.into(), of)
    }))
}

/// A method of `std::array` and `cute::array`, which are tuples here; CuTe's own tuples have none.
fn method_of_array(items: &[Value], name: &str, args: &[Value]) -> Option<Value> {
    let count = || i64::try_from(items.len()).unwrap_or(i64::MAX);
    let element = |index: usize| {
        let item = items.get(index).cloned();
        item.unwrap_or_else(|| construct("an element outside an array"))
    };
    Some(match (name, args) {
        ("size" | "max_size" | "ssize", []) => Value::Int(Int::dynamic(count())),
        ("empty", []) => Value::Bool(Truth::run_time(items.is_empty())),
        ("front", []) => element(0),
        ("back", []) => element(items.len().wrapping_sub(1)),
        ("at", [index]) => {
            let index = index.as_int().and_then(Int::value);
            let index = index.and_then(|index| usize::try_from(index).ok())?;
            element(index)
        }
        ("fill" | "swap", _) => Value::Nothing,
        ("data" | "begin" | "end" | "cbegin" | "cend" | "rbegin" | "rend", _) => {
            construct("a pointer into an array")
        }
        _ => return None,
    })
}
