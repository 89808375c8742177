//! Calls: of the file's functions and lambdas, of methods, of the vocabulary.

use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;

use tree_sitter_cute::tree::{Expr, ExprKind, Function, Item, ItemKind, Segment, Span, UnaryOp};

use super::conversion::convert;
use super::deduction::{Bound, bind};
use super::frame::{Frame, Scope, Variable};
use super::names::{Meaning, shown_name};
use super::program::{FunctionId, ModuleId};
use super::{Callable, Interpreter, construct, mutation};
use crate::fact::Role;
use crate::finding::Finding;
use crate::limits;
use crate::reason::Reason;
use crate::report;
use crate::types::Type;
use crate::value::Value;
use crate::vocabulary::{self, Answer, Remark};
use crate::walk;

/// Functions that launch a kernel given to them, with the position of the kernel; what follows are
/// its arguments.
const LAUNCHERS: &[(&str, usize)] = &[("launch_kernel_on_cluster", 1)];

/// Where a function that is being called belongs.
#[derive(Debug, Clone)]
struct Site {
    module: ModuleId,
    record: Option<usize>,
    this: Option<Value>,
}

impl<'u> Interpreter<'u> {
    pub(super) fn eval_call(
        &mut self,
        expr: &'u Expr,
        callee: &'u Expr,
        args: &'u [Expr],
        frame: &mut Frame<'u>,
    ) -> Value {
        match &callee.kind {
            ExprKind::Member { object, member, .. } => {
                let object = self.eval(object, frame);
                let values = self.eval_passed(args, frame);
                let value = self.call_member(expr, &object, member, &values, args, frame);
                self.change_passed(callee, args, frame);
                value
            }
            ExprKind::Name(path) => {
                let meaning = self.meaning(path, frame);
                let values = self.eval_passed(args, frame);
                let value = self.call_meaning(expr, callee, meaning, &values, args, frame);
                if !matches!(expr.kind, ExprKind::Launch { .. }) {
                    self.change_passed(callee, args, frame);
                }
                value
            }
            _ => {
                let target = self.eval(callee, frame);
                let values = self.eval_all(args, frame);
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
            if let Some(variable) = frame.find(name) {
                variable.read = false;
            }
        }
        values
    }

    /// Variables passed by name to what may change them have another value afterwards.
    pub(super) fn change_passed(
        &mut self,
        callee: &'u Expr,
        args: &'u [Expr],
        frame: &mut Frame<'u>,
    ) {
        let program = &self.program;
        let alone =
            mutation::leaves_arguments_alone(callee, &|name| program.leaves_arguments_alone(name));
        for arg in args {
            match (&arg.kind, arg.as_plain_name()) {
                (_, Some(name)) if !alone => self.change_name(name, frame),
                (ExprKind::Unary(UnaryOp::AddressOf, inner), _) => self.change(inner, frame),
                _ => {}
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
                let explicit = self.template_arguments(segment, frame);
                let fits = self.fitting(&ids, &explicit, values);
                if fits.is_empty()
                    && let Some(segment) = segment
                    && vocabulary::function(&segment.name.name).is_some()
                {
                    return self.call_vocabulary(expr, segment, values, args, frame);
                }
                self.call_best(expr, shown_name(callee), fits, frame)
            }
            Meaning::Methods(record, methods) => {
                let this = frame.this.clone().filter(|_| frame.record == Some(record));
                let segment = callee.as_path().and_then(|path| path.last());
                self.call_methods(record, this, &methods, segment, values, frame)
            }
            Meaning::Vocabulary(segment) => {
                self.call_vocabulary(expr, segment, values, args, frame)
            }
            Meaning::Nothing(reason) => Value::Unknown(reason),
        }
    }

    /// The functions that can take these arguments.
    fn fitting(
        &mut self,
        ids: &[FunctionId],
        explicit: &[Value],
        values: &[Value],
    ) -> Vec<(FunctionId, Bound)> {
        ids.iter()
            .filter_map(|id| {
                let function = self.program.functions.get(*id)?.function;
                bind(function, explicit, values).map(|bound| (*id, bound))
            })
            .collect()
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
            let targs = self.template_arguments(Some(segment), frame);
            let (answer, remarks) = self.ask_vocabulary(function, &targs, values);
            return self.answer(answer, remarks, expr.span, args, frame);
        }
        if let Some((_, kernel)) = LAUNCHERS.iter().find(|(launcher, _)| *launcher == name)
            && let Some(target @ Value::Callable(_)) = values.get(*kernel)
        {
            let rest = values.get(kernel + 1..).unwrap_or_default();
            return self.call_value(expr, target, rest, args, frame);
        }
        let named = self.vocabulary_name(segment, expr.span, frame);
        match named {
            Value::Type(ty) => self.construct_value(&ty, values, expr.span, frame),
            Value::Unknown(Reason::Undeclared(_)) => Value::Unknown(Reason::NoBody(name.into())),
            other => other,
        }
    }

    /// Calls a function of the vocabulary. In an expression that stands alone, a shape where only a
    /// layout will do is its compact layout, as in the paper.
    pub(super) fn ask_vocabulary(
        &self,
        function: &vocabulary::Function,
        targs: &[Value],
        values: &[Value],
    ) -> (Answer, Vec<Remark>) {
        let mut remarks = Vec::new();
        let answer = function.call(targs, values, &mut remarks);
        if self.stands_alone
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
            Err(vocabulary::Problem::Refused(remark)) => {
                let rule = remark.refusal.rule.name();
                let result = remark.result.clone();
                self.keep_finding(&remark, span, args, frame);
                result.unwrap_or(Value::Unknown(Reason::Refused(rule)))
            }
        }
    }

    fn keep_finding(&mut self, remark: &Remark, span: Span, args: &'u [Expr], frame: &Frame<'u>) {
        if !frame.recording || frame.uncertain {
            return;
        }
        let operands: Vec<Span> = args.iter().map(|arg| arg.span).collect();
        let mut finding: Finding = report::finding(remark, span, &operands);
        finding.instance = frame.instance.as_deref().map(str::to_owned);
        if report::is_unproved(remark) {
            self.output.unproved.push(finding);
        } else {
            self.output.findings.push(finding);
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
        match target {
            Value::Unknown(_) => target.clone(),
            Value::Type(ty) => self.construct_value(ty, values, expr.span, frame),
            Value::Callable(id) => self.call_callable(expr, *id, values, frame),
            Value::Object(object) => {
                let record = object.class.instance;
                let methods = self.methods(record, "operator()");
                self.call_methods(record, Some(target.clone()), &methods, None, values, frame)
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
        // `pointer->method()` of a class of the file.
        let pointed = match object {
            Value::Pointer(pointer) if vocabulary::method(name).is_none() => {
                match pointer.element.as_deref() {
                    Some(Type::Record(_)) => Some(self.pointee(object.clone())),
                    _ => None,
                }
            }
            _ => None,
        };
        let object = pointed.as_ref().unwrap_or(object);
        match object {
            Value::Unknown(_) => object.clone(),
            Value::Object(found) => {
                let record = found.class.instance;
                let methods = self.methods(record, name);
                if methods.is_empty() {
                    let field = self.member(object, member, expr.span, frame);
                    return self.call_value(expr, &field, values, args, frame);
                }
                self.call_methods(
                    record,
                    Some(object.clone()),
                    &methods,
                    Some(member),
                    values,
                    frame,
                )
            }
            _ => match vocabulary::method(name) {
                Some(method) => {
                    let targs = self.template_arguments(Some(member), frame);
                    let mut all = vec![object.clone()];
                    all.extend(values.iter().cloned());
                    let mut remarks = Vec::new();
                    let answer = method.call(&targs, &all, &mut remarks);
                    self.answer(answer, remarks, expr.span, args, frame)
                }
                None => Value::Unknown(Reason::NoMember(name.into(), object.to_string().into())),
            },
        }
    }

    #[allow(clippy::too_many_arguments)] // A method call has this many parts.
    fn call_methods(
        &mut self,
        record: usize,
        this: Option<Value>,
        methods: &[&'u Item],
        segment: Option<&'u Segment>,
        values: &[Value],
        frame: &mut Frame<'u>,
    ) -> Value {
        let explicit = self.template_arguments(segment, frame);
        let mut fits = Vec::new();
        for item in methods {
            if let ItemKind::Function(function) = &item.kind
                && let Some(bound) = bind(function, &explicit, values)
            {
                fits.push((&**function, bound));
            }
        }
        let [(function, bound)] = fits.as_slice() else {
            let name = segment.map_or("operator()", |segment| &segment.name.name);
            return Value::Unknown(if fits.is_empty() {
                Reason::NoBody(name.into())
            } else {
                Reason::Ambiguous(name.into())
            });
        };
        let site = Site {
            module: self.module_of_record(record),
            record: Some(record),
            this,
        };
        if function.body.is_none() {
            return Value::Unknown(Reason::NoBody(function.name.name.as_str().into()));
        }
        let (function, bound) = (*function, bound.clone());
        self.evaluate_function(function, &site, &bound, frame)
    }

    /// Calls the one function that fits.
    fn call_best(
        &mut self,
        expr: &'u Expr,
        name: &str,
        mut fits: Vec<(FunctionId, Bound)>,
        frame: &mut Frame<'u>,
    ) -> Value {
        let has_body = |id: &FunctionId| {
            self.program
                .functions
                .get(*id)
                .is_some_and(|found| found.function.body.is_some())
        };
        if fits.len() > 1 {
            fits.retain(|(id, _)| has_body(id));
        }
        let [(id, bound)] = fits.as_slice() else {
            // Which of them is called depends on types that are not known: each may be.
            if frame.recording {
                let place = self.instance_name(expr.span, frame);
                for (id, bound) in fits.iter().take(limits::OVERLOADS) {
                    self.record_instance_of(*id, bound, Some(Arc::clone(&place)), true);
                }
            }
            return Value::Unknown(if fits.is_empty() {
                Reason::NoBody(name.into())
            } else {
                Reason::Ambiguous(name.into())
            });
        };
        let (id, bound) = (*id, bound.clone());
        let Some(declaration) = self.program.functions.get(id).copied() else {
            return Value::Unknown(Reason::NoBody(name.into()));
        };
        let function = declaration.function;
        if function.body.is_none() {
            return self.declared_result(function, declaration.module);
        }
        if frame.recording {
            let place = self.instance_name(expr.span, frame);
            self.record_instance_of(id, &bound, Some(place), frame.uncertain);
        }
        let site = Site {
            module: declaration.module,
            record: None,
            this: None,
        };
        self.evaluate_function(function, &site, &bound, frame)
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

    /// How an instance is named: the function that calls it and the line.
    fn instance_name(&self, span: Span, frame: &Frame<'u>) -> Arc<str> {
        let before = self.text.get(..span.start).unwrap_or_default();
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let place = match &frame.function {
            Some(function) => format!("{function}, line {line}"),
            None => format!("line {line}"),
        };
        match &frame.instance {
            Some(outer) => format!("{place}, from {outer}").into(),
            None => place.into(),
        }
    }

    /// Evaluates a function that nothing in the file calls.
    pub(super) fn run_alone(&mut self, id: FunctionId) {
        let Some(declaration) = self.program.functions.get(id) else {
            return;
        };
        let function = declaration.function;
        if function.body.is_none() {
            return;
        }
        let bound = Bound {
            tparams: vec![Value::Nothing; function.tparams.len()],
            params: vec![None; function.params.len()],
        };
        self.record_instance_of(id, &bound, None, false);
    }

    /// Evaluates the methods of a class instance, each for itself, and keeps their facts.
    pub(super) fn report_methods(&mut self, record: usize, place: Option<&Arc<str>>) {
        let class = self.record_type(record);
        let this = match &class {
            Type::Record(class) => Some(self.symbolic_object(class, "this")),
            _ => None,
        };
        for item in self.members(record) {
            let ItemKind::Function(function) = &item.kind else {
                continue;
            };
            if function.body.is_none() || function.flags.deleted {
                continue;
            }
            let bound = Bound {
                tparams: vec![Value::Nothing; function.tparams.len()],
                params: vec![None; function.params.len()],
            };
            let site = Site {
                module: self.module_of_record(record),
                record: Some(record),
                this: this.clone(),
            };
            let mut frame = self.function_frame(function, &site, limits::STEPS_PER_INSTANCE);
            frame.recording = true;
            frame.uncertain = !function.tparams.is_empty();
            frame.instance = place.cloned();
            self.run_body(function, &bound, &mut frame);
        }
    }

    /// Evaluates a function instance and keeps its facts, once for each set of arguments.
    /// `uncertain` says that the call may not be instantiated.
    fn record_instance_of(
        &mut self,
        id: FunctionId,
        bound: &Bound,
        place: Option<Arc<str>>,
        uncertain: bool,
    ) {
        let Some(declaration) = self.program.functions.get(id).copied() else {
            return;
        };
        // Which numbers arrive at run time makes no other instance: the parameters are symbols.
        let general = Bound {
            tparams: bound.tparams.clone(),
            params: bound
                .params
                .iter()
                .map(|value| match value {
                    Some(Value::Int(int)) if !int.is_static() => Some(Value::Int(int.to_dynamic())),
                    other => other.clone(),
                })
                .collect(),
        };
        let key = (id, format!("{uncertain}{:?}", without_numbers(&general)));
        if self.reported.contains(&key) {
            return;
        }
        let count = self.instance_counts.entry(id).or_default();
        if *count >= limits::INSTANCES_PER_FUNCTION || self.call_depth >= limits::CALL_DEPTH {
            return;
        }
        *count += 1;
        self.reported.insert(key);
        let site = Site {
            module: declaration.module,
            record: None,
            this: None,
        };
        let mut frame =
            self.function_frame(declaration.function, &site, limits::STEPS_PER_INSTANCE);
        frame.recording = true;
        frame.uncertain = uncertain;
        frame.instance = place;
        self.run_body(declaration.function, &general, &mut frame);
    }

    /// The result of a function for given arguments, without facts; computed once.
    fn evaluate_function(
        &mut self,
        function: &'u Function,
        site: &Site,
        bound: &Bound,
        caller: &mut Frame<'u>,
    ) -> Value {
        if function.ret.as_ref().and_then(Expr::as_plain_name) == Some("void") {
            return Value::Nothing;
        }
        if self.call_depth >= limits::CALL_DEPTH {
            return Value::Unknown(Reason::Limit("too many calls inside calls"));
        }
        let key = (
            std::ptr::from_ref(function),
            site.record,
            format!("{bound:?}{:?}", site.this),
        );
        match self.values.get(&key) {
            Some(Some(known)) => return known.clone(),
            Some(None) => return Value::Unknown(Reason::Limit("a call of itself")),
            None => {}
        }
        self.values.insert(key.clone(), None);
        let mut frame = self.function_frame(function, site, caller.steps);
        let value = self.run_body(function, bound, &mut frame);
        caller.steps = frame.steps;
        let value = without_inner_symbols(value, function, site, bound);
        self.values.insert(key, Some(value.clone()));
        value
    }

    fn function_frame(&mut self, function: &'u Function, site: &Site, steps: usize) -> Frame<'u> {
        let mut frame = Frame::new(site.module, steps);
        if let Some(record) = site.record {
            frame.record = Some(record);
            frame.scopes = self.record_scopes(record);
        }
        frame.this.clone_from(&site.this);
        frame.function = Some(function.name.name.as_str().into());
        frame.changed = self.untraceable_names(function);
        frame
    }

    fn untraceable_names(&mut self, function: &'u Function) -> Rc<HashSet<&'u str>> {
        let key = std::ptr::from_ref(function);
        if let Some(names) = self.changed.get(&key) {
            return Rc::clone(names);
        }
        let body = function.body.as_deref().unwrap_or_default();
        let names = Rc::new(mutation::untraceable_names(body, self.text));
        self.changed.insert(key, Rc::clone(&names));
        names
    }

    /// Binds parameters, reads the body, gives what it returns.
    fn run_body(&mut self, function: &'u Function, bound: &Bound, frame: &mut Frame<'u>) -> Value {
        self.call_depth += 1;
        for value in bound.params.iter().flatten() {
            // A reported integer parameter becomes the symbol of its own name.
            if !(frame.recording && matches!(value, Value::Int(_))) {
                frame
                    .symbols
                    .extend(value.symbols().iter().map(ToString::to_string));
            }
        }
        self.template_scope(&function.tparams, &bound.tparams, frame);
        self.report_template_parameters(&function.tparams, frame);
        frame.scopes.push(Scope::new());
        for (index, param) in function.params.iter().enumerate() {
            let given = bound.params.get(index).cloned().flatten();
            self.declare_parameter(param, given, frame);
        }
        frame.scopes.push(Scope::new());
        if let Some(body) = &function.body {
            self.exec_all(body, frame);
        }
        let result = joined(std::mem::take(&mut frame.returns));
        let result = match &function.ret {
            Some(ret) => match self.eval_type(ret, frame) {
                Type::Unknown(_) => result,
                ty => convert(result, &ty),
            },
            None => result,
        };
        self.call_depth -= 1;
        result
    }

    fn report_template_parameters(
        &mut self,
        tparams: &'u [tree_sitter_cute::tree::TemplateParam],
        frame: &mut Frame<'u>,
    ) {
        for tparam in tparams {
            if let Some(name) = &tparam.name
                && let Some(variable) = frame.find(&name.name)
            {
                let value = variable.value.clone();
                self.declare_fact(name, Role::TParam, tparam.span, &value, frame);
            }
        }
    }

    fn declare_parameter(
        &mut self,
        param: &'u tree_sitter_cute::tree::Binding,
        given: Option<Value>,
        frame: &mut Frame<'u>,
    ) {
        let ty = match &param.ty {
            Some(ty) => self.eval_type(ty, frame),
            None => Type::Placeholder,
        };
        let Some(name) = &param.name else {
            return;
        };
        let value = match given {
            Some(Value::Pack(values)) => Value::Pack(values),
            Some(value) => {
                let value = convert(value, &ty);
                self.parameter_value(value, &ty, name, frame)
            }
            None => match &param.init {
                Some(init) if !frame.recording => {
                    let value = self.eval(init, frame);
                    convert(value, &ty)
                }
                _ => self.symbolic_value(&ty, name, frame),
            },
        };
        let untraceable = frame.changed.contains(name.name.as_str());
        let value = if untraceable {
            self.changeable(value, name, frame)
        } else {
            value
        };
        self.output.declarations.insert(name.span, name.span);
        self.declare_fact(name, Role::Param, param.span, &value, frame);
        frame.declare(
            &name.name,
            Variable {
                value,
                declared: name.span,
                read: !untraceable,
            },
        );
    }

    /// In a reported instance a run-time integer parameter is the symbol of its name.
    fn parameter_value(
        &mut self,
        value: Value,
        ty: &Type,
        name: &'u tree_sitter_cute::tree::Ident,
        frame: &mut Frame<'u>,
    ) -> Value {
        let integral = matches!(ty, Type::Scalar(scalar) if scalar.is_integer());
        match &value {
            Value::Int(int) if frame.recording && !int.is_static() => {
                let number = int.value();
                let symbol = self.run_time_integer(&name.name, name.span, frame);
                if let Some(number) = number {
                    self.nominal(&symbol, number, name.span);
                }
                symbol
            }
            Value::Unknown(_) if integral => self.run_time_integer(&name.name, name.span, frame),
            _ => value,
        }
    }

    /// The value of a parameter of which only the type is known.
    pub(super) fn symbolic_value(
        &mut self,
        ty: &Type,
        name: &'u tree_sitter_cute::tree::Ident,
        frame: &mut Frame<'u>,
    ) -> Value {
        match ty {
            Type::Scalar(scalar) if scalar.is_integer() => {
                self.run_time_integer(&name.name, name.span, frame)
            }
            Type::Scalar(scalar) if scalar.class == crate::types::ScalarClass::Bool => {
                Value::Unknown(Reason::RunTime(format!("`{}`", name.name).into()))
            }
            Type::Scalar(scalar) => Value::Number(*scalar),
            Type::Of(value) => {
                let (value, place) = ((**value).clone(), name.span);
                self.fresh_copy(value, &name.name, place, frame)
            }
            Type::Pointer(element) => {
                Value::Pointer(crate::tensor::Pointer::generic(Some((**element).clone())))
            }
            Type::Parameter(parameter) => Value::Unknown(Reason::Unbound(parameter.clone())),
            Type::Placeholder => Value::Unknown(Reason::Unbound(name.name.as_str().into())),
            Type::Unknown(reason) => Value::Unknown(reason.clone()),
            Type::Named(_) => Value::Instance(Box::new(ty.clone())),
            Type::Record(record) => self.symbolic_object(&record.clone(), &name.name),
        }
    }

    fn call_callable(
        &mut self,
        expr: &'u Expr,
        id: usize,
        values: &[Value],
        caller: &mut Frame<'u>,
    ) -> Value {
        if self.call_depth >= limits::CALL_DEPTH {
            return Value::Unknown(Reason::Limit("too many calls inside calls"));
        }
        let (lambda, mut frame) = match self.callables.get(id) {
            Some(Callable::Lambda(lambda, frame)) => (*lambda, (**frame).clone()),
            Some(Callable::Functions(name, ids, explicit)) => {
                let (name, ids, explicit) = (*name, ids.clone(), explicit.clone());
                let fits = self.fitting(&ids, &explicit, values);
                return self.call_best(expr, name, fits, caller);
            }
            None => return construct("this call"),
        };
        frame.steps = frame.steps.min(caller.steps);
        // What the lambda captured by reference may have changed since.
        for name in mutation::changed_names(&lambda.body, &|_| false) {
            self.change_name(name, caller);
        }
        frame.scopes.push(Scope::new());
        for (index, param) in lambda.params.iter().enumerate() {
            if param.specifiers.pack {
                let rest = values.get(index..).unwrap_or_default().to_vec();
                self.declare_parameter(param, Some(Value::Pack(rest)), &mut frame);
            } else {
                self.declare_parameter(param, values.get(index).cloned(), &mut frame);
            }
        }
        self.call_depth += 1;
        self.exec_all(&lambda.body, &mut frame);
        self.call_depth -= 1;
        joined(std::mem::take(&mut frame.returns))
    }

    /// Functions that are evaluated whether or not something calls them.
    pub(super) fn is_plain(&self, id: FunctionId) -> bool {
        self.program
            .functions
            .get(id)
            .is_some_and(|found| found.function.tparams.is_empty())
    }

    /// The given functions, those that others mention last.
    pub(super) fn callers_first(&self, ids: &[FunctionId]) -> Vec<FunctionId> {
        let mut mentioned: HashSet<&str> = HashSet::new();
        for declaration in &self.program.functions {
            let own = declaration.function.name.name.as_str();
            let body = declaration.function.body.as_deref().unwrap_or_default();
            walk::expressions(body, &mut |expr| {
                if let Some(segment) = expr.as_path().and_then(|path| path.last())
                    && segment.name.name != own
                {
                    mentioned.insert(&segment.name.name);
                }
            });
        }
        let is_mentioned = |id: &FunctionId| {
            self.program
                .functions
                .get(*id)
                .is_some_and(|found| mentioned.contains(found.function.name.name.as_str()))
        };
        let (later, mut order): (Vec<FunctionId>, Vec<FunctionId>) =
            ids.iter().partition(|id| is_mentioned(id));
        order.extend(later);
        order
    }
}

/// A result that depends on symbols of the function itself is not known outside of it.
fn without_inner_symbols(value: Value, function: &Function, site: &Site, bound: &Bound) -> Value {
    let given: HashSet<Arc<str>> = bound
        .params
        .iter()
        .flatten()
        .chain(&bound.tparams)
        .chain(&site.this)
        .flat_map(Value::symbols)
        .collect();
    let leaks = value
        .symbols()
        .iter()
        .any(|symbol| !given.contains(symbol) && !symbol.contains('.'));
    if leaks {
        let what = format!("the result of `{}`", function.name.name);
        return Value::Unknown(Reason::RunTime(what.into()));
    }
    value
}

/// The value of a function with these `return`s: the one that all agree on.
fn joined(returns: Vec<Value>) -> Value {
    let mut returns = returns.into_iter();
    let Some(first) = returns.next() else {
        return Value::Nothing;
    };
    if returns.all(|other| other == first) {
        first
    } else {
        Value::Unknown(Reason::RunTime("which `return` is taken".into()))
    }
}

/// The arguments of a reported instance without the numbers that its parameters do not show.
fn without_numbers(bound: &Bound) -> Bound {
    let mut plain = bound.clone();
    for value in plain.params.iter_mut().flatten() {
        if let Value::Int(int) = value
            && !int.is_static()
        {
            *value = Value::Int(cute_algebra::Int::dynamic(0));
        }
    }
    plain
}
