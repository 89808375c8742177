//! Statements of a function body, in order.

use tree_sitter_cute::Host;
use tree_sitter_cute::tree::{
    ExprKind, If, Item, ItemKind, Loop, LoopKind, Span, StructuredBinding, Switch, UsingKind,
};

use super::added::path_names;
use super::frame::{Frame, Scope};
use super::heads::role_of;
use super::macro_times::is_keyword;
use super::{Interpreter, mutation};
use crate::limits;
use crate::reason::Reason;
use crate::role::Role;
use crate::trace::Way;
use crate::types::Type;
use crate::value::Value;

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
            ItemKind::Record(record) => self.declare_local_record(record, item.span, frame),
            ItemKind::Enum(declared) => self.declare_local_enum(declared, frame),
            ItemKind::Using(using) => match (&using.kind, using.path.as_path()) {
                (UsingKind::Namespace, Some(path)) => frame.opened.push(path_names(path)),
                (UsingKind::Declaration, Some(path)) if self.settings.is_cpp() => {
                    self.declare_used(path, frame);
                }
                (UsingKind::NamespaceAlias(alias), Some(path)) => {
                    frame.rename(&alias.name, path_names(path));
                }
                _ => {}
            },
            ItemKind::Define(define) if is_keyword(&define.name.name) => {}
            ItemKind::Define(define) => frame.define(define),
            ItemKind::Undef(name) => frame.macros.take_back(&name.name),
            ItemKind::If(branch) => self.exec_if(branch, item.span, frame),
            ItemKind::Loop(repeat) => self.exec_loop(repeat, item.span, frame),
            ItemKind::Switch(switch) => self.exec_switch(switch, item.span, frame),
            ItemKind::Block(items) => self.exec_block(items, frame),
            ItemKind::Return(value) => {
                let value = match value {
                    Some(written) => {
                        let value = self.eval(written, frame);
                        self.run_time_number(value, written, ("returned", written.span), frame)
                    }
                    None => Value::Nothing,
                };
                frame.control.returns.push(value);
                frame.control.ended = true;
            }
            ItemKind::Given(given) => self.exec_given(given, item.span, frame),
            ItemKind::Expr(expr) => {
                if self.settings.is_cpp() || matches!(expr.kind, ExprKind::Macro(_)) {
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
        let switch = self.with_made_cases(switch, item, frame);
        if let Some(condition) = &switch.condition {
            self.eval(condition, frame);
        }
        frame.scopes.push(Scope::default());
        self.exec_all(&switch.before, frame);
        frame.control.ended = false;
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
        frame.scopes.pop();
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
                Value::Object(object) if !binding.members.is_empty() => {
                    let member = binding.members.get(index);
                    let is_it = |field: &str| member.is_some_and(|member| field == member.name);
                    let mut fields = object.fields.iter();
                    fields
                        .find(|(field, _)| is_it(field))
                        .map(|(_, field)| field.clone())
                }
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
}
