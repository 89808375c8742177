//! Effects of a call: on the object whose method is called, on arguments passed by reference, on captures of a lambda.

use std::sync::Arc;

use tree_sitter_cute::tree::{
    BinaryOp, Binding, Expr, ExprKind, Function, Item, ItemKind, Lambda, Reference, Segment,
    UnaryOp,
};

use super::Interpreter;
use super::deduction::bind;
use super::effect::Effect;
use super::frame::Frame;
use super::locations::{Base, Location, Part};
use super::mutation::{self, Change};
use super::references;
use super::site::Site;
use crate::hash::HashSet;
use crate::limits;
use crate::types::Type;
use crate::value::{Object, Value};
use crate::vocabulary;
use crate::walk;

/// Methods of containers that change their elements.
const CHANGING: &[&str] = &["fill", "swap", "clear", "push_back", "resize", "assign"];

/// Algorithms of CuTe that give the elements of an array new values.
const FILLERS: &[&str] = &["clear", "fill"];

/// Functions of the C library that take numbers by value.
const BY_VALUE: &[&str] = &["printf", "fprintf", "snprintf", "assert", "min", "max"];

impl<'u> Interpreter<'u> {
    /// The names that statements and expressions change, each at its end.
    pub(super) fn names_changed_in(
        &mut self,
        items: &'u [Item],
        exprs: impl Iterator<Item = &'u Expr>,
        frame: &mut Frame<'u>,
    ) -> HashSet<&'u str> {
        let mut changes = Vec::new();
        mutation::changes(items, &mut |change| changes.push(change));
        for expr in exprs {
            mutation::changes_in(expr, &mut |change| changes.push(change));
        }
        let mut names = HashSet::default();
        for change in changes {
            self.add_changed(change, &mut Vec::new(), frame, &mut names);
        }
        names
    }

    pub(super) fn add_changed(
        &mut self,
        change: Change<'u>,
        around: &mut Vec<*const Lambda>,
        frame: &mut Frame<'u>,
        names: &mut HashSet<&'u str>,
    ) {
        let mut lambdas = Vec::new();
        let changes = match change {
            Change::Target(_) => true,
            Change::Argument {
                callee,
                args,
                argument,
            } => {
                lambdas.extend(self.lambda_of(argument, frame));
                !self.leaves_alone(callee, args, frame)
            }
            Change::Receiver {
                object,
                method,
                count,
            } => self.changes_receiver(object, method, count, frame),
            Change::Called(callee) => {
                lambdas.extend(self.lambda_of(callee, frame));
                match self.present(callee, frame) {
                    Some(Value::Object(object)) => {
                        let class = object.class.instance;
                        !self.effect_of(class, "operator()", None).is_nothing()
                    }
                    _ => false,
                }
            }
        };
        if changes {
            mutation::roots(change.target(), &mut |name| {
                names.insert(name);
            });
        }
        for lambda in lambdas {
            self.add_changed_by_lambda(lambda, around, frame, names);
        }
    }

    /// The present value of a variable or a part of one.
    fn present(&mut self, expr: &'u Expr, frame: &mut Frame<'u>) -> Option<Value> {
        let location = self.location(expr, frame)?;
        references::read(&location, frame)
    }

    /// Whether a callee takes its arguments by value or as constants.
    pub(super) fn leaves_alone(
        &mut self,
        callee: &'u Expr,
        args: &'u [Expr],
        frame: &mut Frame<'u>,
    ) -> bool {
        if let ExprKind::Member { object, member, .. } = &callee.kind
            && let Some(class) = self
                .present(object, frame)
                .and_then(|value| class_of(&value))
        {
            let methods = self.inherited_methods(class, &member.name.name);
            return methods.is_some_and(|(_, methods)| {
                methods
                    .iter()
                    .all(|method| super::program::takes_constants(method))
            });
        }
        if let Some(name) = callee.as_plain_name()
            && frame.find(name).is_none()
            && let Some(class) = frame.owner.record
            && let Some((_, methods)) = self.inherited_methods(class, name)
        {
            let mut methods = methods.iter();
            return methods.all(|method| super::program::takes_constants(method));
        }
        if let Some(name) = callee.as_plain_name()
            && let Some(variable) = frame.find(name)
        {
            return match &variable.value {
                Value::Callable(id) => self
                    .lambda(*id)
                    .is_some_and(|lambda| lambda.params.iter().all(super::program::is_by_value)),
                // An element of a tensor is selected by numbers.
                Value::Tensor(_) | Value::Layout(_) | Value::Composed(_) => true,
                _ => false,
            };
        }
        if self.settings.is_cpp() && self.is_writing_algorithm(callee, args, frame) {
            return false;
        }
        let program = &self.program;
        mutation::leaves_arguments_alone(callee, args, &|name| {
            BY_VALUE.contains(&name) || program.leaves_arguments_alone(name)
        })
    }

    /// Whether a call is one of `fill(array, x)` or `clear(array)`, or one that is given the name of a lambda that writes to
    /// its parameters.
    fn is_writing_algorithm(
        &mut self,
        callee: &'u Expr,
        args: &'u [Expr],
        frame: &mut Frame<'u>,
    ) -> bool {
        let writes = |arg: &'u Expr| {
            let lambda = arg.as_plain_name().and_then(|_| self.lambda_of(arg, frame));
            lambda.is_some_and(mutation::writes_parameters)
        };
        if args.iter().any(writes) {
            return true;
        }
        let last = callee.as_path().and_then(|path| path.last());
        let fills = last.is_some_and(|last| FILLERS.contains(&last.name.name.as_str()));
        let array = args.first().filter(|_| fills);
        array.is_some_and(|array| matches!(self.present(array, frame), Some(Value::Tuple(_))))
    }

    /// Whether the call of a method may change its object.
    fn changes_receiver(
        &mut self,
        object: &'u Expr,
        method: &'u Segment,
        count: usize,
        frame: &mut Frame<'u>,
    ) -> bool {
        let name = method.name.name.as_str();
        if object.as_plain_name() == Some("this") {
            return frame
                .owner
                .record
                .is_some_and(|class| !self.effect_of(class, name, Some(count)).is_nothing());
        }
        match self.present(object, frame) {
            Some(Value::Tuple(_)) => CHANGING.contains(&name),
            Some(value) => class_of(&value)
                .is_some_and(|class| !self.effect_of(class, name, Some(count)).is_nothing()),
            None => false,
        }
    }

    /// The possible changes of a method of a class to its non-constant object.
    fn effect_of(&mut self, class: usize, name: &str, count: Option<usize>) -> Effect<'u> {
        self.effect_of_method(class, name, count, &mut Vec::new())
    }

    fn effect_of_method(
        &mut self,
        class: usize,
        name: &str,
        count: Option<usize>,
        around: &mut Vec<*const Function>,
    ) -> Effect<'u> {
        let Some((owner, methods)) = self.inherited_methods(class, name) else {
            return if self.is_all_in_sight(class) {
                Effect::nothing()
            } else {
                Effect::All
            };
        };
        let mut effect = Effect::nothing();
        for method in methods {
            if method.flags.is_static || count.is_some_and(|count| !takes_count(method, count)) {
                continue;
            }
            if method.flags.constant {
                let mutable = self.mutable_members(owner);
                if !mutable.is_empty() {
                    effect.join(
                        self.effect_of_function(owner, method, around)
                            .only(&mutable),
                    );
                }
            } else {
                effect.join(self.effect_of_function(owner, method, around));
            }
        }
        effect
    }

    /// The members that constant methods may change.
    fn mutable_members(&mut self, class: usize) -> HashSet<&'u str> {
        let members = self.data_members(class).into_iter();
        members
            .filter(|member| member.specifiers.mutable)
            .filter_map(|member| Some(member.name.as_ref()?.name.as_str()))
            .collect()
    }

    /// The possible changes of the body of a method to its object.
    fn effect_of_function(
        &mut self,
        class: usize,
        method: &'u Function,
        around: &mut Vec<*const Function>,
    ) -> Effect<'u> {
        let key = std::ptr::from_ref(method);
        if let Some(known) = self.computed.classes.effect(class, key) {
            return known.clone();
        }
        if around.contains(&key) {
            return Effect::nothing();
        }
        let Some(body) = method
            .body
            .as_deref()
            .filter(|_| around.len() < limits::CALL_DEPTH)
        else {
            return Effect::All;
        };
        around.push(key);
        let effect = self.effect_of_body(class, method, body, around);
        around.pop();
        // Inside of a recursion it is only a part.
        if around.is_empty() {
            self.computed.classes.keep_effect(class, key, &effect);
        }
        effect
    }

    fn effect_of_body(
        &mut self,
        class: usize,
        method: &'u Function,
        body: &'u [Item],
        around: &mut Vec<*const Function>,
    ) -> Effect<'u> {
        let mut effect = Effect::nothing();
        let mut locals: HashSet<&str> = HashSet::default();
        let params = method.params.iter().filter_map(|param| param.name.as_ref());
        locals.extend(params.map(|name| name.name.as_str()));
        let mut is_read = true;
        let mut kept: Vec<&'u Expr> = Vec::new();
        walk::items(body, &mut |item| match &item.kind {
            ItemKind::Binding(binding) => {
                locals.extend(binding.name.iter().map(|name| name.name.as_str()));
                if binding.reference != tree_sitter_cute::tree::Reference::None
                    && !binding.specifiers.constant
                {
                    kept.extend(&binding.init);
                }
            }
            ItemKind::StructuredBinding(binding) => {
                locals.extend(binding.names.iter().map(|name| name.name.as_str()));
                kept.extend(&binding.init);
            }
            ItemKind::Opaque(what) => is_read &= *what == "throw_statement",
            _ => {}
        });
        walk::expressions(body, &mut |expr| {
            is_read &= !matches!(expr.kind, ExprKind::Opaque(_));
        });
        if !is_read {
            return Effect::All;
        }
        let fields: HashSet<&'u str> = self
            .data_members(class)
            .into_iter()
            .filter_map(|field| Some(field.name.as_ref()?.name.as_str()))
            .collect();
        let mut changes: Vec<Change<'u>> = kept.into_iter().map(Change::Target).collect();
        mutation::changes(body, &mut |change| changes.push(change));
        for change in changes {
            let is_changed = match change {
                Change::Target(_) => true,
                Change::Argument { callee, args, .. } => {
                    let program = &self.program;
                    !mutation::leaves_arguments_alone(callee, args, &|name| {
                        BY_VALUE.contains(&name) || program.leaves_arguments_alone(name)
                    })
                }
                Change::Receiver {
                    object,
                    method,
                    count,
                } => {
                    let name = method.name.name.as_str();
                    if object.as_plain_name() == Some("this") {
                        effect.join(self.effect_of_method(class, name, Some(count), around));
                        false
                    } else {
                        !mutation::is_method_of_cute(name, count)
                    }
                }
                Change::Called(callee) => {
                    let name = callee.as_path().and_then(|path| path.last());
                    let name = name.map_or("", |last| last.name.name.as_str());
                    let is_method = !locals.contains(name)
                        && vocabulary::function(name).is_none()
                        && self.inherited_methods(class, name).is_some();
                    if is_method {
                        effect.join(self.effect_of_method(class, name, None, around));
                    }
                    !is_method && fields.contains(name)
                }
            };
            if !is_changed {
                continue;
            }
            let mut of_this = member_of_this(change.target());
            if of_this.is_none() {
                mutation::roots(change.target(), &mut |name| {
                    if name == "this" || locals.contains(name) && fields.contains(name) {
                        effect.join(Effect::All);
                    } else if let Some(field) = fields.get(name) {
                        effect.add(field);
                    }
                });
            }
            if let Some(field) = of_this.take() {
                effect.add(field);
            }
        }
        effect
    }

    /// Applies the changes of a method call to its object.
    pub(super) fn change_receiver(
        &mut self,
        is_statement: bool,
        written: &'u Expr,
        object: &Value,
        method: (&'u str, &[Value]),
        frame: &mut Frame<'u>,
    ) {
        let (name, values) = method;
        if self.is_rust() {
            return;
        }
        if matches!(object, Value::Tuple(_)) {
            if CHANGING.contains(&name) {
                self.change(written, frame);
            }
            if let ("fill", [value @ Value::Int(_)], true) = (name, values, is_statement) {
                self.fill(written, value, frame);
            }
            return;
        }
        let Some(class) = class_of(object) else {
            return;
        };
        let effect = self.effect_of(class, name, Some(values.len()));
        if effect.is_nothing() {
            return;
        }
        let location = match &written.kind {
            ExprKind::Name(_) if written.as_plain_name() == Some("this") => Some(Location {
                base: Base::This,
                path: Vec::new(),
            }),
            _ => self
                .location(written, frame)
                .or_else(|| self.pointed_location(written, frame)),
        };
        let Some(location) = location else {
            self.change(written, frame);
            return;
        };
        let after = match object {
            Value::Object(object) if is_statement => {
                self.object_after(class, name, values, object, frame)
            }
            _ => None,
        };
        self.change_members(&location, effect, after.as_deref(), frame);
    }

    /// Applies the changes of an operator of the sources, `stream << x`, to its operands.
    pub(super) fn change_operands(
        &mut self,
        op: BinaryOp,
        (left, a): (&'u Expr, &Value),
        (right, b): (&'u Expr, &Value),
        frame: &mut Frame<'u>,
    ) {
        let class_of = |value: &Value| match value {
            Value::Pointer(_) => None,
            value => class_of(value),
        };
        if !self.settings.is_cpp() || class_of(a).is_none() && class_of(b).is_none() {
            return;
        }
        let name = format!("operator{}", op.text());
        let (mut changes_left, mut changes_right) = (false, false);
        if let Some(class) = class_of(a)
            && let Some((_, methods)) = self.inherited_methods(class, &name)
        {
            changes_left = !self.effect_of(class, &name, Some(1)).is_nothing();
            let first = |method: &&Function| method.params.first().is_some_and(may_write);
            changes_right = methods.iter().any(first);
        }
        for module in self.visible_modules(frame).iter() {
            let module = self.program.module(*module);
            let ids = module.and_then(|module| module.functions.get(name.as_str()));
            for (_, function, _) in self.named_functions(ids.map_or(&[], Vec::as_slice)) {
                changes_left |= function.params.first().is_some_and(may_write);
                changes_right |= function.params.get(1).is_some_and(may_write);
            }
        }
        for (changes, operand) in [(changes_left, left), (changes_right, right)] {
            if changes {
                self.change(operand, frame);
            }
        }
    }

    /// `array.fill(value)` with a known number.
    fn fill(&mut self, written: &'u Expr, value: &Value, frame: &mut Frame<'u>) {
        let Some(array) = self.location(written, frame) else {
            return;
        };
        let Some(Value::Tuple(items)) = references::read(&array, frame) else {
            return;
        };
        for index in 0..items.len() {
            let mut element = array.clone();
            element.path.push(Part::Element(index));
            self.assign_known(&element, value, frame);
        }
    }

    /// Applies the changes of a method call without an object, `f()` inside another method, to the object of the class.
    pub(super) fn change_own_object(
        &mut self,
        class: usize,
        name: &str,
        count: usize,
        frame: &mut Frame<'u>,
    ) {
        if self.is_rust() || frame.owner.this.is_none() {
            return;
        }
        let effect = self.effect_of(class, name, Some(count));
        let location = Location {
            base: Base::This,
            path: Vec::new(),
        };
        self.change_members(&location, effect, None, frame);
    }

    fn change_members(
        &mut self,
        object: &Location<'u>,
        effect: Effect<'u>,
        after: Option<&Object>,
        frame: &mut Frame<'u>,
    ) {
        let Effect::Members(names) = effect else {
            self.change_location(object, frame);
            return;
        };
        let mut names: Vec<&'u str> = names.into_iter().collect();
        names.sort_unstable();
        for name in names {
            let mut member = object.clone();
            member.path.push(Part::Field(name));
            // Of a constant object only mutable members change.
            self.renew(&member, frame);
            let known =
                after.and_then(|after| after.fields.iter().find(|(field, _)| field == name));
            if let Some((_, value @ Value::Int(int))) = known
                && int.value().is_some()
                && super::assignment::is_straight(&member, frame)
            {
                references::write(&member, value.clone(), frame);
            }
        }
    }

    /// A function that takes a constant object may change its mutable members.
    pub(super) fn change_mutable(&mut self, passed: &'u Expr, frame: &mut Frame<'u>) {
        let variable = passed.as_plain_name().and_then(|name| frame.find(name));
        let Some(Value::Object(object)) = variable.map(|variable| &variable.value) else {
            return;
        };
        let names = self.mutable_members(object.class.instance);
        if let Some(location) = self.location(passed, frame).filter(|_| !names.is_empty()) {
            self.change_members(&location, Effect::Members(names), None, frame);
        }
    }

    /// An object as a method leaves it whose statements are executed one after the other.
    fn object_after(
        &mut self,
        class: usize,
        name: &str,
        values: &[Value],
        object: &Arc<Object>,
        frame: &mut Frame<'u>,
    ) -> Option<Arc<Object>> {
        let (owner, methods) = self.inherited_methods(class, name)?;
        let [method] = methods.as_slice() else {
            return None;
        };
        if owner != class || !is_straight_line(method) || self.nesting.is_too_deep() {
            return None;
        }
        let bound = bind(self, method, &[], values)?;
        let site = Site {
            module: self.module_of_record(owner),
            record: Some(owner),
            this: Some(Value::Object(Arc::clone(object))),
        };
        let mut inner = self.function_frame(method, &site, frame.steps);
        let discarded = self.discarded.take();
        self.run_body(method, &bound, &mut inner);
        self.discarded = discarded;
        frame.steps = inner.steps;
        match inner.owner.this {
            Some(Value::Object(after)) if inner.steps > 0 => Some(after),
            _ => None,
        }
    }
}

/// The class instance of the sources whose object a value is, or points to.
fn class_of(value: &Value) -> Option<usize> {
    let class = |ty: &Type| match ty {
        Type::Record(class) => Some(class.instance),
        _ => None,
    };
    match value {
        Value::Object(object) => Some(object.class.instance),
        Value::Instance(ty) => class(ty),
        Value::Pointer(pointer) => class(pointer.element.as_deref()?),
        _ => None,
    }
}

/// Whether a parameter refers to an object that its function may write.
fn may_write(param: &Binding) -> bool {
    param.reference != Reference::None && !param.specifiers.constant
}

fn takes_count(function: &Function, count: usize) -> bool {
    let required = function
        .params
        .iter()
        .filter(|param| param.init.is_none() && !param.specifiers.pack)
        .count();
    let is_open = function.flags.variadic || function.params.iter().any(|it| it.specifiers.pack);
    required <= count && (is_open || count <= function.params.len())
}

/// The member `n` of `this->n`, `this->n.x`, `this->n[i]`.
fn member_of_this(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Member { object, member, .. } => match &object.kind {
            ExprKind::Name(_) if object.as_plain_name() == Some("this") => Some(&member.name.name),
            ExprKind::Unary(UnaryOp::Deref, inner) if inner.as_plain_name() == Some("this") => {
                Some(&member.name.name)
            }
            _ => member_of_this(object),
        },
        ExprKind::Index(object, _) => member_of_this(object),
        _ => None,
    }
}

/// Whether all statements of a function are executed, one after the other.
fn is_straight_line(function: &Function) -> bool {
    let Some((last, rest)) = function.body.as_deref().and_then(<[Item]>::split_last) else {
        return false;
    };
    let is_plain = |item: &Item| matches!(item.kind, ItemKind::Expr(_) | ItemKind::Binding(_));
    rest.iter().all(is_plain) && (is_plain(last) || matches!(last.kind, ItemKind::Return(_)))
}
