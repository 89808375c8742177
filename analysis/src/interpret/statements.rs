//! Statements of a function body, in order.

use std::sync::Arc;

use tree_sitter_cute::Host;
use tree_sitter_cute::tree::{
    Binding, Expr, ExprKind, Ident, If, Item, ItemKind, Loop, LoopKind, Reference, Span,
    StructuredBinding, Switch, UnaryOp, UsingKind,
};

use super::added::path_names;
use super::frame::{Frame, Scope, Variable};
use super::heads::role_of;
use super::integers::is_beyond;
use super::macro_times::is_keyword;
use super::{Interpreter, mutation};
use crate::fact::Role;
use crate::limits;
use crate::reason::Reason;
use crate::trace::Way;
use crate::types::Type;
use crate::value::{Kind, Object, Value};

impl<'u> Interpreter<'u> {
    pub(super) fn exec_all(&mut self, items: &'u [Item], frame: &mut Frame<'u>) {
        for (index, item) in items.iter().enumerate() {
            if frame.control.ended || frame.mode.recording && self.goal.is_leaving() {
                return;
            }
            if !self.budget.step(&mut frame.steps) {
                self.stop_before(items.get(index..).unwrap_or_default(), frame);
                return;
            }
            self.exec(item, frame);
        }
    }

    /// Says of the names of statements which a function has no steps left for that they are not
    /// known. (Where the whole file has none left there is no end of them, and nothing is said.)
    fn stop_before(&mut self, items: &'u [Item], frame: &Frame<'u>) {
        if self.budget.steps == 0 {
            return;
        }
        let unknown = Value::Unknown(Reason::Steps(limits::STEPS_PER_INSTANCE));
        for item in items {
            if let ItemKind::Binding(binding) = &item.kind
                && let Some(name) = &binding.name
            {
                self.declare_fact(name, role_of(binding), item.span, &unknown, frame);
            }
        }
    }

    pub(super) fn exec_block(&mut self, items: &'u [Item], frame: &mut Frame<'u>) {
        frame.scopes.push(Scope::default());
        self.exec_all(items, frame);
        frame.scopes.pop();
    }

    pub(super) fn exec(&mut self, item: &'u Item, frame: &mut Frame<'u>) {
        if self.settings.host == Host::Python {
            return self.exec_python(item, frame);
        }
        match &item.kind {
            ItemKind::Binding(binding) => self.exec_binding(binding, frame),
            ItemKind::StructuredBinding(binding) => self.exec_structured(binding, item.span, frame),
            ItemKind::Record(record) => self.declare_local_record(record, frame),
            ItemKind::Enum(declared) => self.declare_local_enum(declared, frame),
            ItemKind::Using(using) => {
                if let (UsingKind::Namespace, Some(path)) = (&using.kind, using.path.as_path()) {
                    frame.opened.push(path_names(path));
                }
            }
            ItemKind::Define(define) if is_keyword(&define.name.name) => {}
            ItemKind::Define(define) => frame.define(define),
            ItemKind::Undef(name) => frame.macros.take_back(&name.name),
            ItemKind::If(branch) => self.exec_if(branch, item.span, frame),
            ItemKind::Loop(repeat) => self.exec_loop(repeat, item.span, frame),
            ItemKind::Switch(switch) => self.exec_switch(switch, item.span, frame),
            ItemKind::Block(items) => self.exec_block(items, frame),
            ItemKind::Return(value) => {
                let value = match value {
                    Some(value) => self.eval(value, frame),
                    None => Value::Nothing,
                };
                frame.control.returns.push(value);
                frame.control.ended = true;
            }
            ItemKind::Given(given) => self.exec_given(given, item.span, frame),
            ItemKind::Expr(expr) => {
                if self.settings.is_cpp() {
                    self.discarded = Some(expr);
                    if let Some(items) = self.statements_of(expr, frame) {
                        self.nested(|it| it.exec_all(items, frame));
                        return self.note_check(expr, frame);
                    }
                }
                let before = self.before_step(expr, frame);
                let value = self.eval(expr, frame);
                if let ExprKind::Assign(assignment) = &expr.kind {
                    self.assign_statement(assignment, &value, frame);
                }
                if let Some(before) = before {
                    self.step_on(expr, before, value, frame);
                }
                self.note_check(expr, frame);
            }
            ItemKind::StaticAssert(assert) => {
                self.exec_static_assert(assert, item.span, frame);
            }
            ItemKind::Conditional(conditional) => {
                self.program.note_choice(&conditional.branches);
                let branches: Vec<usize> = {
                    let compiled = self
                        .program
                        .compiled_branches_where(&conditional.branches, frame.macros.defined());
                    conditional
                        .branches
                        .iter()
                        .enumerate()
                        .filter(|(_, branch)| {
                            compiled.iter().any(|found| std::ptr::eq(*found, *branch))
                        })
                        .map(|(index, _)| index)
                        .collect()
                };
                let several = branches.len() > 1;
                frame.control.conditional += usize::from(several);
                for index in branches {
                    let Some(branch) = conditional.branches.get(index) else {
                        continue;
                    };
                    self.exec_all(&branch.items, frame);
                    // A `return` ends nothing where it may not be compiled.
                    if several || !self.program.is_compiled(branch, frame.macros.defined()) {
                        frame.control.ended = false;
                    }
                }
                frame.control.conditional -= usize::from(several);
            }
            _ => {}
        }
    }

    fn exec_if(&mut self, branch: &'u If, item: Span, frame: &mut Frame<'u>) {
        frame.scopes.push(Scope::default());
        self.exec_all(&branch.init, frame);
        let truth = match &branch.condition {
            Some(condition) => self.eval(condition, frame).as_truth(),
            None => None,
        };
        if let Some(taken) = truth {
            let (taken, other) = if taken {
                (Some(&branch.then), branch.otherwise.as_ref())
            } else {
                (branch.otherwise.as_ref(), Some(&branch.then))
            };
            if let (Some(other), false, true) = (other, branch.constexpr, frame.mode.recording) {
                frame.actions.enter(item, Way::Aside);
                self.exec_aside(other, frame);
                frame.actions.leave();
            }
            if let Some(taken) = taken {
                self.exec_block(taken, frame);
            }
        } else {
            let outer = frame.mode.uncertain;
            frame.mode.uncertain |= branch.constexpr;
            let then = match &branch.condition {
                Some(condition) => Way::Then(condition),
                None => Way::Else,
            };
            let mut then_ended = false;
            self.guarded(branch, frame, &mut |it, is_then, frame| {
                if is_then {
                    frame.actions.enter(item, then);
                    it.exec_block(&branch.then, frame);
                    frame.actions.leave();
                    then_ended = std::mem::replace(&mut frame.control.ended, false);
                } else if let Some(otherwise) = &branch.otherwise {
                    frame.actions.enter(item, Way::Else);
                    it.exec_block(otherwise, frame);
                    frame.actions.leave();
                    frame.control.ended &= then_ended;
                }
            });
            frame.mode.uncertain = outer;
        }
        frame.scopes.pop();
    }

    /// Statements that are compiled but not reached: their facts count, their results do not.
    fn exec_aside(&mut self, items: &'u [Item], frame: &mut Frame<'u>) {
        let returns = frame.control.returns.len();
        self.exec_block(items, frame);
        frame.control.returns.truncate(returns);
        frame.control.ended = false;
    }

    fn exec_loop(&mut self, repeat: &'u Loop, item: Span, frame: &mut Frame<'u>) {
        frame.scopes.push(Scope::default());
        self.exec_all(&repeat.init, frame);
        let trips = self.trips(repeat, item, frame);
        frame.actions.enter(item, Way::Loop(trips));
        let held = frame.checked.held.len();
        self.read_functions_called_in(&repeat.body);
        let parts = repeat.condition.iter().chain(&repeat.step);
        let changed = self.names_changed_in(&repeat.body, parts, frame);
        let by_reference = mutation::changed_range(repeat);
        if let Some(range) = &by_reference {
            self.change(range, frame);
        }
        for name in &changed {
            self.change_name(name, frame);
        }
        if (repeat.kind != LoopKind::Range || self.is_rust())
            && let Some(condition) = &repeat.condition
        {
            self.eval(condition, frame);
        }
        self.exec_block(&repeat.body, frame);
        if let Some(step) = &repeat.step {
            self.eval(step, frame);
        }
        frame.control.ended = false;
        frame.checked.held.truncate(held);
        frame.actions.leave();
        for name in &changed {
            self.change_name(name, frame);
        }
        if let Some(range) = by_reference {
            self.change(range, frame);
        }
        frame.scopes.pop();
    }

    fn exec_switch(&mut self, switch: &'u Switch, item: Span, frame: &mut Frame<'u>) {
        if let Some(condition) = &switch.condition {
            self.eval(condition, frame);
        }
        for (index, case) in switch.cases.iter().enumerate() {
            if let Some(value) = &case.value {
                self.eval(value, frame);
            }
            frame.actions.enter(item, Way::Case(index));
            let held = frame.checked.held.len();
            self.exec_block(&case.body, frame);
            frame.checked.held.truncate(held);
            frame.actions.leave();
            frame.control.ended = false;
        }
    }

    /// `auto [a, b] = init`.
    fn exec_structured(
        &mut self,
        binding: &'u StructuredBinding,
        span: Span,
        frame: &mut Frame<'u>,
    ) {
        let value = match &binding.init {
            Some(init) => self.eval(init, frame),
            None => Value::Unknown(Reason::RunTime("an element of a range".into())),
        };
        // An object of which only the class is known is taken apart into its members.
        let class = match &value {
            Value::Instance(ty) => match &**ty {
                Type::Record(class) => Some(class.clone()),
                _ => None,
            },
            _ => None,
        };
        let value = match class {
            Some(class) => {
                let name = self.object_name(binding.init.as_ref(), frame);
                self.symbolic_object(&class, &name)
            }
            None => value,
        };
        if !self.is_rust() {
            self.note_references(binding, &value, frame);
        }
        for (index, name) in binding.names.iter().enumerate() {
            if self.is_rust() && name.name == "_" {
                continue;
            }
            let part = match &value {
                Value::Tuple(items) if items.len() == binding.names.len() => {
                    items.get(index).cloned()
                }
                Value::Object(object) if object.fields.len() >= binding.names.len() => {
                    object.fields.get(index).map(|(_, field)| field.clone())
                }
                Value::Unknown(_) => Some(value.clone()),
                Value::Instance(ty) if matches!(**ty, Type::Parameter(_) | Type::Part(_)) => {
                    let own = Type::Part(name.name.as_str().into());
                    Some(Value::Instance(Box::new(own)))
                }
                _ => None,
            };
            let part = part.unwrap_or(Value::Unknown(Reason::Construct("taking this value apart")));
            let fixed = binding.specifiers.constant;
            let may_change = self.is_rust()
                || frame
                    .changes
                    .untraceable
                    .changed
                    .contains(name.name.as_str());
            let part = if may_change && !fixed {
                self.changeable(part, name, frame)
            } else {
                part
            };
            let part = frame.changes.begun(part, name.span);
            self.declare(name, Role::Var, span, part, None, frame);
        }
    }

    fn exec_binding(&mut self, binding: &'u Binding, frame: &mut Frame<'u>) {
        let Some(name) = &binding.name else {
            return;
        };
        if binding.role == tree_sitter_cute::tree::Role::Alias {
            let ty = match &binding.init {
                Some(init) if binding.tparams.is_empty() => self.eval_type(init, frame),
                _ => Type::Unknown(Reason::NotEvaluated(name.name.as_str().into())),
            };
            let value = match ty {
                Type::Unknown(reason) => Value::Unknown(reason),
                ty => Value::Type(Box::new(ty)),
            };
            self.declare(
                name,
                Role::Alias,
                binding.span,
                value,
                binding.init.as_ref(),
                frame,
            );
            return;
        }
        self.trace_shared(binding, frame);
        let fields = super::pipelines::fields_of_params(binding, frame);
        let value = self.initial_value(binding, name, frame);
        let value = super::memory::of_own_place(value, binding, name.span);
        let fixed = binding.specifiers.constexpr || binding.specifiers.constant;
        let is_constant = fixed && !self.is_rust();
        frame.locals.declare(name.span, binding, is_constant);
        if !is_constant && binding.ty.is_some() {
            frame.locals.written_types.insert(name.span, binding);
        }
        if !self.is_rust() {
            self.note_reference(binding, frame);
        }
        self.trace_pipeline(binding, name, &value, fields, frame);
        self.note_address(binding, name, &value, frame);
        self.note_launch_params(binding, name.span, frame);
        // A variable that Rust declares `mut` is not followed: most of them change. A static variable has the value
        // that the last call left.
        let may_change = self.is_rust()
            || binding.specifiers.is_static
            || frame
                .changes
                .untraceable
                .changed
                .contains(name.name.as_str());
        let value = if !fixed && may_change {
            self.changeable(value, name, frame)
        } else {
            value
        };
        let value = frame.changes.begun(value, name.span);
        self.declare(
            name,
            Role::Var,
            binding.span,
            value,
            binding.init.as_ref(),
            frame,
        );
    }

    /// The initial value of a variable.
    pub(super) fn initial_value(
        &mut self,
        binding: &'u Binding,
        name: &'u Ident,
        frame: &mut Frame<'u>,
    ) -> Value {
        let ty = match &binding.ty {
            Some(ty) => {
                let ty = self.eval_type(ty, frame);
                self.annotated(ty)
            }
            None => Type::Placeholder,
        };
        let integral = matches!(&ty, Type::Scalar(scalar) if scalar.is_integer());
        let value = match &binding.init {
            Some(init) => {
                let designated = match &init.kind {
                    tree_sitter_cute::tree::ExprKind::Braced(items) => {
                        self.designated(&ty, items, frame)
                    }
                    _ => None,
                };
                let given = designated.unwrap_or_else(|| self.eval(init, frame));
                match (&given, &init.kind) {
                    (Value::Tuple(items), tree_sitter_cute::tree::ExprKind::Braced(_))
                        if !matches!(ty, Type::Placeholder) =>
                    {
                        self.construct_value(&ty, items, frame)
                    }
                    _ => {
                        let given = self.as_declared(given, &ty);
                        let given = match binding.reference {
                            Reference::None => self.copied(given, init),
                            _ => given,
                        };
                        super::conversion::convert(given, &ty)
                    }
                }
            }
            None if is_array(binding) => self.array(binding, &ty, frame),
            None if binding.specifiers.is_extern => self.symbolic_value(&ty, name, frame),
            None => match &ty {
                // Uninitialised: whatever memory holds.
                Type::Scalar(_) | Type::Pointer(_) | Type::Class(_) => {
                    self.symbolic_value(&ty, name, frame)
                }
                Type::Of(value) if !value.is_static() => self.symbolic_value(&ty, name, frame),
                _ => self.construct_value(&ty, &[], frame),
            },
        };
        let is_choice = matches!(
            binding.init.as_ref().map(|init| &init.kind),
            Some(tree_sitter_cute::tree::ExprKind::Ternary(..))
        );
        match value {
            // One of two numbers is known by the name that it gets.
            Value::Int(int) if integral && is_choice && int.value().is_none() => {
                self.run_time_integer(&name.name, name.span, frame)
            }
            Value::Unknown(Reason::Unbound(_)) if integral => {
                self.run_time_integer(&name.name, name.span, frame)
            }
            Value::Unknown(reason) if is_beyond(&reason) => Value::Unknown(reason),
            Value::Unknown(_) if integral && !binding.specifiers.constexpr => {
                self.run_time_integer(&name.name, name.span, frame)
            }
            value => value,
        }
    }

    /// A value that a variable is given: of a copy of an object that its class makes only the type is known.
    fn copied(&mut self, value: Value, init: &Expr) -> Value {
        let names_object = matches!(
            init.kind,
            ExprKind::Name(_)
                | ExprKind::Member { .. }
                | ExprKind::Index(..)
                | ExprKind::Unary(UnaryOp::Deref, _)
        );
        match &value {
            Value::Object(object)
                if names_object
                    && self.settings.is_cpp()
                    && self.copies_with_code(object.class.instance) =>
            {
                Value::Instance(Box::new(Type::Record(object.class.clone())))
            }
            _ => value,
        }
    }

    /// A C array: the memory it lives in and the type of its elements.
    fn array(&mut self, binding: &'u Binding, ty: &Type, frame: &mut Frame<'u>) -> Value {
        if let Some(tree_sitter_cute::tree::ExprKind::Array(_, Some(length))) =
            binding.ty.as_ref().map(|ty| &ty.kind)
        {
            self.eval(length, frame);
        }
        Value::Pointer(crate::tensor::Pointer::generic(ty.pointee().cloned()))
    }

    /// A variable that may change: its run-time integers are symbols from the start.
    pub(super) fn changeable(
        &mut self,
        value: Value,
        name: &'u Ident,
        frame: &mut Frame<'u>,
    ) -> Value {
        if value.is_static() {
            // A type fixes it, except in Rust, where all layouts are of one type.
            return match value.kind() {
                Kind::Layout | Kind::ComposedLayout | Kind::Swizzle | Kind::Tuple | Kind::Int
                    if self.is_rust() =>
                {
                    Value::Unknown(Reason::Changed(name.name.as_str().into()))
                }
                _ => value,
            };
        }
        let number = value.as_int().and_then(cute_algebra::Int::value);
        let copy = self.fresh_copy(value, &name.name, name.span, frame);
        if let Some(number) = number {
            self.recorder.nominal(&copy, number, name.span);
        }
        copy
    }

    /// A value of the same type with other run-time integers.
    pub(super) fn fresh_copy(
        &mut self,
        value: Value,
        name: &str,
        place: Span,
        frame: &mut Frame<'u>,
    ) -> Value {
        match &value {
            Value::Int(int) if !int.is_static() => self.run_time_integer(name, place, frame),
            Value::Bool(truth) if !truth.fixed => Value::Unknown(Reason::Changed(name.into())),
            Value::Tensor(tensor) => {
                let layout = self.fresh_copy(tensor.layout_value(), name, place, frame);
                match layout.as_any_layout() {
                    Some(layout) => Value::Tensor(Box::new(crate::tensor::Tensor {
                        engine: tensor.engine.clone(),
                        layout,
                    })),
                    None => Value::Unknown(Reason::Changed(name.into())),
                }
            }
            Value::Object(object) => {
                let fields = object
                    .fields
                    .iter()
                    .map(|(field, value)| {
                        let named = format!("{name}.{field}");
                        let copy = self.fresh_copy(value.clone(), &named, place, frame);
                        (field.clone(), copy)
                    })
                    .collect();
                Value::Object(Arc::new(Object {
                    class: object.class.clone(),
                    fields,
                }))
            }
            Value::Builtin(_) => Value::Unknown(Reason::Changed(name.into())),
            Value::Unknown(_) => value,
            _ => {
                let mut count = 0;
                let mut leaf = |_: &cute_algebra::Int| {
                    let unique = frame.symbol_name(&format!("{name}.{count}"));
                    count += 1;
                    cute_algebra::Int::symbol(&unique)
                };
                match (value.map_run_time(&mut leaf), value) {
                    (Some(copy), _) => copy,
                    // Each item keeps its type.
                    (None, Value::Tuple(items)) if self.settings.is_cpp() => {
                        let items = items.into_iter().enumerate().map(|(index, item)| {
                            let named = format!("{name}.{index}");
                            self.fresh_copy(item, &named, place, frame)
                        });
                        Value::Tuple(items.collect())
                    }
                    (None, _) => Value::Unknown(Reason::Changed(name.into())),
                }
            }
        }
    }

    /// Adds a name to the innermost scope and keeps its fact.
    pub(super) fn declare(
        &mut self,
        name: &'u Ident,
        role: Role,
        span: Span,
        value: Value,
        init: Option<&'u Expr>,
        frame: &mut Frame<'u>,
    ) {
        self.declare_fact(name, role, span, &value, frame);
        self.recorder.note_declaration(name.span, name.span);
        if let Some(init) = init {
            self.note_initialiser(name.span, init);
        }
        // Two branches of an `#if` that declare one name differently leave it open.
        let value = match frame
            .scopes
            .last()
            .and_then(|scope| scope.get(name.name.as_str()))
        {
            Some(known) if frame.control.conditional > 0 && known.value != value => {
                Value::Unknown(Reason::Ambiguous(name.name.as_str().into()))
            }
            _ => value,
        };
        let read = !frame
            .changes
            .untraceable
            .changed
            .contains(name.name.as_str());
        frame.declare(
            &name.name,
            Variable {
                value,
                declared: name.span,
                read,
            },
        );
    }
}

fn is_array(binding: &Binding) -> bool {
    matches!(
        binding.ty.as_ref().map(|ty| &ty.kind),
        Some(tree_sitter_cute::tree::ExprKind::Array(..))
    )
}
