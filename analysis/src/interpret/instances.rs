//! The value of a function for given arguments, and the reports on each such instance.

use std::rc::Rc;
use std::sync::Arc;

use cute_algebra::Int;
use tree_sitter_cute::Host;
use tree_sitter_cute::tree::{Expr, ExprKind, Function, ItemKind, Span};

use super::bound::Bound;
use super::calls_made::Callee;
use super::computed::Callable;
use super::conversion::convert;
use super::frame::{Frame, Scope};
pub(super) use super::heads::is_generic;
use super::ids::FunctionId;
use super::reports::Reported;
use super::results::{have_one_type, named_for_caller, with_own_names};
use super::site::{Call, Caller, Site};
use super::{Interpreter, following, mutation};
use crate::hash::HashSet;
use crate::limits;
use crate::reason::Reason;
use crate::types::Type;
use crate::value::Value;
use crate::walk;

impl<'u> Interpreter<'u> {
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
        self.record_instance_of(id, &bound, None, Caller::default());
    }

    /// Evaluates the methods of a class instance, each for itself, and keeps their facts. Generic
    /// ones come last (`generic`): calls in the others may have made instances of them. `uncertain`
    /// says that nothing may need the class.
    pub(super) fn report_methods(
        &mut self,
        record: usize,
        place: Option<&Arc<str>>,
        generic: bool,
        uncertain: bool,
    ) {
        let class = self.computed.classes.type_of(record);
        let this = match &class {
            Type::Record(class) => Some(self.symbolic_object(class, "this")),
            _ => None,
        };
        let items = self.member_items(record);
        for item in items.iter() {
            let ItemKind::Function(function) = &item.kind else {
                continue;
            };
            if function.body.is_none()
                || function.flags.deleted
                || !self.goal.reports(&function.name.name)
                || is_generic(function) != generic
                || generic && self.is_method_reported(function, record)
            {
                continue;
            }
            let function = self
                .specialised_method(record, function)
                .unwrap_or(function);
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
            frame.mode.recording = true;
            frame.mode.uncertain = uncertain || !function.tparams.is_empty();
            frame.owner.instance = place.cloned();
            if place.is_some() && !is_called_unseen(function) {
                self.computed
                    .reports
                    .calls_made
                    .note_unasked(Callee::new(function, Some(record)));
            }
            let around = self.begin_report(record, Some(function));
            self.run_body(function, &bound, &mut frame);
            self.end_report(around);
        }
    }

    fn is_method_reported(&self, function: &Function, record: usize) -> bool {
        let mut classes = self.computed.reports.classes_of_method(function);
        classes.any(|class| class == Some(record))
    }

    /// Evaluates an instance of a generic method and keeps its facts, once for each set of
    /// arguments.
    pub(super) fn record_method_of(
        &mut self,
        function: &'u Function,
        site: &Site,
        bound: &Bound,
        place: Arc<str>,
        Caller {
            uncertain, open, ..
        }: Caller,
    ) {
        if self.is_fictional(function, open) {
            return;
        }
        let general = general(bound);
        let key = (
            std::ptr::from_ref(function),
            site.record,
            uncertain,
            without_numbers(&general),
        );
        if self.computed.reports.has_method(&key)
            || self.nesting.is_too_deep()
            || !(self.method_leads_to_focus(function, bound)
                || site
                    .record
                    .is_some_and(|class| self.library_leads_to_focus(class)))
        {
            return;
        }
        let count = self.computed.reports.classes_of_method(function).count();
        let quota = self.recorder.focus.quota(Some(function.name.span));
        if count >= quota.min(limits::INSTANCES_PER_FUNCTION) {
            return;
        }
        self.computed.reports.note_method(key);
        if !is_called_unseen(function) {
            self.computed
                .reports
                .calls_made
                .note_unasked(Callee::new(function, site.record));
        }
        let mut frame = self.function_frame(function, site, limits::STEPS_PER_INSTANCE);
        frame.mode.recording = true;
        frame.mode.uncertain = uncertain;
        frame.owner.instance = Some(place);
        self.run_body(function, &general, &mut frame);
    }

    /// Evaluates a function instance and keeps its facts, once for each set of arguments.
    /// `uncertain` says that the call may not be instantiated.
    pub(super) fn record_instance_of(
        &mut self,
        id: FunctionId,
        bound: &Bound,
        place: Option<Arc<str>>,
        Caller {
            uncertain,
            open,
            at,
        }: Caller,
    ) {
        let Some(declaration) = self.program.functions.get(id).copied() else {
            return;
        };
        let general = general(bound);
        let key = (id, uncertain, without_numbers(&general));
        let mut launch = if declaration.function.flags.global {
            self.computed.reports.launch.take()
        } else {
            None
        };
        if let Some(launch) = &mut launch {
            launch.held.clone_from(&at.held);
            launch.guards = at.guards;
            launch.arguments.clone_from(&bound.params);
        }
        let reports = &mut self.computed.reports;
        if let Some(reported) = reports.of(&key) {
            let guards = &mut reports.guards;
            guards.retain_also_at(reported.guards, &at, &general);
            if let (Some(run), Some(launch)) = (reports.run_mut(reported.run), launch) {
                run.launches.push(launch);
            }
            return;
        }
        if self.nesting.is_too_deep()
            || !self.leads_to_focus(id, bound)
            || (place.is_some() && self.is_fictional(declaration.function, open))
        {
            return;
        }
        if !self.take_instance(id, declaration.function.name.span) {
            return;
        }
        let reports = &mut self.computed.reports;
        reports.keep(key.clone(), Reported::default());
        let site = Site {
            module: declaration.module,
            record: None,
            this: None,
        };
        let mut frame =
            self.function_frame(declaration.function, &site, limits::STEPS_PER_INSTANCE);
        frame.mode.recording = true;
        frame.mode.uncertain = uncertain;
        frame.owner.instance = place;
        frame.checked.called_at = (!declaration.function.flags.global).then_some(at);
        self.run_body(declaration.function, &general, &mut frame);
        let reports = &mut self.computed.reports;
        if let Some(run) = reports.run_mut(frame.actions.run) {
            run.launches.extend(launch);
        }
        let reported = Reported {
            run: frame.actions.run,
            guards: frame.checked.guards,
        };
        reports.keep(key, reported);
    }

    /// Whether an instance of a template is fictional: it is made where a template parameter is `open`, in a function
    /// that nothing instantiates, and there are others.
    fn is_fictional(&mut self, function: &Function, open: bool) -> bool {
        if !is_generic(function) {
            return false;
        }
        if !open {
            self.computed.reports.calls_made.note_for_sure(function);
            return false;
        }
        self.computed.reports.calls_made.is_for_sure(function)
    }

    /// Counts an instance of a function; `false` where enough are kept already.
    fn take_instance(&mut self, id: FunctionId, name: Span) -> bool {
        let in_focus = self.recorder.is_in_focus(name);
        let quota = if in_focus {
            self.recorder.focus.quota(Some(name))
        } else {
            limits::INSTANCES_PER_FUNCTION
        };
        let has_room = self.computed.reports.count(id, quota);
        if has_room && in_focus {
            self.recorder.note_instantiated(name);
        }
        has_room
    }

    /// The result of a function for given arguments, without facts; computed once.
    pub(super) fn evaluate_function(
        &mut self,
        function: &'u Function,
        site: &Site,
        bound: &Bound,
        caller: &mut Frame<'u>,
    ) -> Value {
        if function.ret.as_ref().and_then(Expr::as_plain_name) == Some("void") {
            return Value::Nothing;
        }
        if self.nesting.is_too_deep() {
            return Value::Unknown(Reason::Limit("nesting of calls"));
        }
        let key = Call {
            function,
            site: site.clone(),
            bound: bound.clone(),
            open: caller.mode.open,
        };
        match self.computed.values.get(&key) {
            Some(Some(known)) => {
                let known = known.clone();
                return named_for_caller(known, function, caller);
            }
            Some(None) => return Value::Unknown(Reason::Limit("a function that calls itself")),
            None => {}
        }
        self.computed.values.insert(key.clone(), None);
        let mut frame = self.function_frame(function, site, caller.steps);
        // The value that a lambda returns has the names of the place of the lambda.
        let captured = self.captured_symbols(bound);
        for symbol in &captured {
            frame.symbols.add(symbol);
        }
        frame.mode.open |= caller.mode.open;
        let value = self.run_body(function, bound, &mut frame);
        caller.steps = frame.steps;
        let value = with_own_names(value, function, site, bound, &captured, &frame);
        if frame.steps == 0 || self.budget.steps == 0 {
            // Where there are more steps it may be known.
            self.computed.values.remove(&key);
        } else {
            self.computed.values.insert(key, Some(value.clone()));
        }
        named_for_caller(value, function, caller)
    }

    /// The names of the symbols that the lambdas among the arguments of a call see.
    fn captured_symbols(&self, bound: &Bound) -> Vec<String> {
        let mut names = Vec::new();
        for value in bound.params.iter().flatten() {
            if let Value::Callable(id) = value
                && let Some(Callable::Lambda(_, frame)) = self.computed.callable(*id)
            {
                names.extend(frame.symbols.names().map(str::to_owned));
            }
        }
        names
    }

    pub(super) fn function_frame(
        &mut self,
        function: &'u Function,
        site: &Site,
        steps: usize,
    ) -> Frame<'u> {
        let mut frame = Frame::new(site.module, steps);
        frame.changes.activation = self.nesting.next_activation();
        if let Some(record) = site.record {
            frame.owner.record = Some(record);
            frame.scopes = self.computed.classes.scopes_of(record);
            frame.mode.open = self.computed.classes.is_open(record);
        }
        frame.owner.this.clone_from(&site.this);
        frame.owner.constant_object = site.this.as_ref().map(|_| function.flags.constant);
        frame.owner.function = Some(function.name.name.as_str().into());
        if self.settings.host == Host::Python {
            self.enter_python(function, &mut frame);
        } else {
            frame.changes.untraceable = self.untraceable_names(function);
        }
        frame
    }

    pub(super) fn untraceable_names(
        &mut self,
        function: &'u Function,
    ) -> Rc<mutation::Untraceable<'u>> {
        let key = std::ptr::from_ref(function);
        if let Some(names) = self.readings.untraceable.get(&key) {
            return Rc::clone(names);
        }
        let body = function.body.as_deref().unwrap_or_default();
        let program = &self.program;
        let text_of = |span| program.slice(span);
        let alone = |name: &str| program.leaves_arguments_alone(name);
        let names = Rc::new(mutation::untraceable_names(body, &text_of, &alone));
        self.readings.untraceable.insert(key, Rc::clone(&names));
        names
    }

    /// Binds parameters, reads the body, returns its result.
    pub(super) fn run_body(
        &mut self,
        function: &'u Function,
        bound: &Bound,
        frame: &mut Frame<'u>,
    ) -> Value {
        if self.goal.is_reached() || frame.mode.recording && self.goal.is_leaving() {
            return Value::Unknown(Reason::Limit("what is shown first"));
        }
        let began = self.budget.begin_metered();
        let is_shown = frame.mode.recording
            && self.begin_shown(
                frame.owner.function.as_ref(),
                frame.owner.instance.as_ref(),
                function.tparams.is_empty(),
            );
        if frame.mode.recording && self.recorder.is_in_focus(function.name.span) {
            self.note_deferred_part(frame.owner.function.as_ref(), frame.owner.instance.as_ref());
        }
        self.nesting.begin_call();
        self.computed
            .reports
            .calls_made
            .begin(Callee::new(function, frame.owner.record));
        self.start_run(function, frame);
        for value in bound.params.iter().flatten() {
            // A reported integer parameter becomes the symbol of its name.
            if !(frame.mode.recording && matches!(value, Value::Int(_))) {
                for symbol in value.symbols() {
                    frame.symbols.add(&symbol);
                }
            }
        }
        self.template_scope(&function.tparams, &bound.tparams, frame);
        self.report_template_parameters(&function.tparams, frame);
        self.trace_bounds(function, frame);
        frame.scopes.push(Scope::default());
        for (index, param) in function.params.iter().enumerate() {
            let given = bound.params.get(index).cloned().flatten();
            // Where the type is deduced from the argument, it is the argument's.
            let deduced = param
                .ty
                .as_ref()
                .is_some_and(|ty| super::deduction::is_deduced(ty, &function.tparams));
            match (given, &param.name) {
                (Some(given), Some(name)) if deduced && self.settings.is_cpp() => {
                    self.bind_parameter(param, name, given, &Type::Placeholder, frame);
                }
                (given, _) => self.declare_parameter(param, given, frame),
            }
        }
        if let Some(at) = frame.checked.called_at.take() {
            self.inherit(&at, function, bound, frame);
        }
        following::take_over(function, frame);
        frame.scopes.push(Scope::default());
        frame.body_depth = frame.scopes.len();
        self.walk_accesses(function, frame);
        if let Some(body) = &function.body {
            self.exec_body(function, body, frame);
        }
        let result = self.joined_in(function.name.span, frame);
        let result = self.as_returned(result, function.ret.as_ref(), frame);
        self.computed.reports.calls_made.end();
        self.nesting.end_call();
        self.budget.end_metered(began, Some(&function.name.name));
        self.end_shown(is_shown, frame.owner.instance.as_ref());
        result
    }

    /// The result of a function or lambda as a value of the type that it says it returns.
    pub(super) fn as_returned(
        &mut self,
        result: Value,
        ret: Option<&'u Expr>,
        frame: &mut Frame<'u>,
    ) -> Value {
        let result = match ret.map(|ret| &ret.kind) {
            Some(ExprKind::Reference(..) | ExprKind::Decltype(_)) => result,
            _ => result.decayed(),
        };
        // An annotation of Python converts nothing.
        let Some(ret) = ret.filter(|_| self.settings.host != Host::Python) else {
            return result;
        };
        let ty = self.eval_type(ret, frame);
        match self.annotated(ty) {
            Type::Unknown(_) => result,
            ty => {
                let result = self.as_declared(result, &ty);
                convert(result, &ty)
            }
        }
    }

    /// The value of a function or lambda with these `return`s: the one that all agree on, or, where they differ only in
    /// run-time numbers, one of the same type.
    pub(super) fn joined_in(&mut self, place: Span, frame: &mut Frame<'u>) -> Value {
        let returns = std::mem::take(&mut frame.control.returns);
        if self.settings.is_cpp()
            && let [first, rest @ ..] = returns.as_slice()
            && rest.iter().any(|other| other != first)
            && rest.iter().all(|other| have_one_type(first, other))
        {
            return self.fresh_copy(first.clone(), "returned", place, frame);
        }
        joined(returns)
    }

    /// Functions that are evaluated whether or not something calls them.
    pub(super) fn is_plain(&self, id: FunctionId) -> bool {
        self.program
            .functions
            .get(id)
            .is_some_and(|found| found.function.tparams.is_empty())
    }

    /// The given functions, those that one of `callers` mentions last.
    pub(super) fn callers_first(
        &self,
        ids: &[FunctionId],
        callers: &[FunctionId],
    ) -> Vec<FunctionId> {
        if ids.len() < 2 {
            return ids.to_vec();
        }
        let mut mentioned: HashSet<&str> = HashSet::default();
        for declaration in callers
            .iter()
            .filter_map(|id| self.program.functions.get(*id))
        {
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

/// Whether code that is not visible, or no call at all, calls such a method: a constructor, a destructor, a conversion,
/// the body of a kernel that is a class, or a virtual function.
fn is_called_unseen(method: &Function) -> bool {
    method.ret.is_none() || method.flags.is_virtual || method.name.name == "operator()"
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
        Value::Unknown(Reason::RunTime("the `return` that is taken".into()))
    }
}

/// Arguments as a reported instance has them: which numbers arrive at run time makes no other
/// instance, the parameters are symbols.
fn general(bound: &Bound) -> Bound {
    Bound {
        tparams: bound.tparams.clone(),
        params: bound
            .params
            .iter()
            .map(|value| match value {
                Some(Value::Int(int)) if !int.is_static() => Some(Value::Int(int.to_dynamic())),
                other => other.clone(),
            })
            .collect(),
    }
}

/// The arguments of a reported instance without the numbers that its parameters do not show.
fn without_numbers(bound: &Bound) -> Bound {
    let mut plain = bound.clone();
    for value in plain.params.iter_mut().flatten() {
        if let Value::Int(int) = value
            && !int.is_static()
        {
            *value = Value::Int(Int::dynamic(0));
        }
    }
    plain
}
