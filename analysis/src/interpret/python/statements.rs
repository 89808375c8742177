//! Statements: one scope for each function, joined where branches meet.

use tree_sitter_cute::tree::{
    Binding, Expr, ExprKind, Function, Ident, If, Item, ItemKind, Loop, LoopKind, Record, Span,
    StructuredBinding, Switch,
};

use super::super::frame::{Frame, Scope, Variable};
use super::super::{Callable, Interpreter};
use super::bound_names;
use super::expressions::truth_of;
use crate::hash::HashSet;
use crate::reason::Reason;
use crate::role::Role;
use crate::types::Type;
use crate::value::Value;
use crate::vocabulary::python as words;
use crate::walk;

impl<'u> Interpreter<'u> {
    pub(in super::super) fn exec_python(&mut self, item: &'u Item, frame: &mut Frame<'u>) {
        match &item.kind {
            ItemKind::Binding(binding) => self.bind_name(binding, frame),
            ItemKind::StructuredBinding(binding) => {
                let value = match &binding.init {
                    Some(init) => self.eval(init, frame),
                    None => an_element(),
                };
                self.take_apart(binding, &value, item.span, frame);
            }
            ItemKind::Using(using) => self.exec_import(using, frame),
            ItemKind::Function(function) => self.define(function, frame),
            ItemKind::Record(record) => self.define_class(record, frame),
            ItemKind::If(branch) => self.branch(branch, frame),
            ItemKind::Loop(repeat) => self.repeat(repeat, frame),
            ItemKind::Switch(switch) => self.select(switch, frame),
            ItemKind::Block(items) => self.exec_all(items, frame),
            ItemKind::Return(value) => {
                let value = match value {
                    Some(value) => self.eval(value, frame),
                    None => Value::Nothing,
                };
                frame.control.returns.push(value);
                frame.control.ended = true;
            }
            ItemKind::Jump(_) => frame.control.ended = true,
            ItemKind::Expr(expr) => {
                self.eval(expr, frame);
            }
            _ => {}
        }
    }

    fn bind_name(&mut self, binding: &'u Binding, frame: &mut Frame<'u>) {
        // An annotation alone binds nothing.
        let (Some(name), Some(init)) = (&binding.name, &binding.init) else {
            return;
        };
        let value = self.eval(init, frame);
        self.rebind(name, value, binding.span, Some(init), frame);
    }

    /// Binds a name in the scope of the function.
    pub(super) fn rebind(
        &mut self,
        name: &'u Ident,
        value: Value,
        place: Span,
        init: Option<&'u Expr>,
        frame: &mut Frame<'u>,
    ) {
        let value = if frame
            .changes
            .untraceable
            .changed
            .contains(name.name.as_str())
        {
            Value::Unknown(Reason::Changed(name.name.as_str().into()))
        } else {
            value
        };
        self.declare(name, Role::Var, place, value, init, frame);
    }

    /// `a, b = value`.
    fn take_apart(
        &mut self,
        binding: &'u StructuredBinding,
        value: &Value,
        place: Span,
        frame: &mut Frame<'u>,
    ) {
        let parts = parts_of(value, binding.names.len());
        let inits = match binding.init.as_ref().map(|init| &init.kind) {
            Some(ExprKind::Tuple(items)) if items.len() == binding.names.len() => Some(items),
            _ => None,
        };
        for (index, (name, part)) in binding.names.iter().zip(parts).enumerate() {
            let init = inits.and_then(|inits| inits.get(index));
            self.rebind(name, part, place, init, frame);
        }
    }

    /// A target that is not a plain name takes a value.
    pub(super) fn assign(&mut self, target: &'u Expr, value: Value, frame: &mut Frame<'u>) {
        match &target.kind {
            ExprKind::Name(path) => {
                if let Some(segment) = path.last() {
                    self.rebind(&segment.name, value, target.span, None, frame);
                }
            }
            ExprKind::Tuple(targets) | ExprKind::Braced(targets) => {
                for (target, part) in targets.iter().zip(parts_of(&value, targets.len())) {
                    self.assign(target, part, frame);
                }
            }
            ExprKind::Expand(inner) => {
                let rest = Value::Unknown(Reason::Construct("`*` on the left of `=`"));
                self.assign(inner, rest, frame);
            }
            _ => {
                self.eval(target, frame);
                alter(target, frame);
            }
        }
    }

    fn define(&mut self, function: &'u Function, frame: &mut Frame<'u>) {
        for decorator in &function.decorators {
            self.eval(decorator, frame);
        }
        let inner = frame.owner.function.is_some();
        let value = if inner {
            Value::Unknown(Reason::Construct("a function inside a function"))
        } else {
            let id = self.function_id(function);
            let name = function.name.name.as_str();
            self.callable(Callable::Functions(name, vec![id], Vec::new()))
        };
        frame.declare(
            &function.name.name,
            Variable {
                value,
                declared: function.name.span,
                read: true,
            },
        );
        if inner {
            self.read_inner(function, frame);
        }
    }

    /// Keeps facts about the body of a function inside a function.
    fn read_inner(&mut self, function: &'u Function, frame: &Frame<'u>) {
        if self.nesting.is_too_deep() {
            return;
        }
        let mut inner = frame.clone();
        inner.scopes.push(Scope::default());
        inner.control.returns.clear();
        for param in &function.params {
            self.declare_python_parameter(param, None, &mut inner);
        }
        self.nesting.begin_call();
        self.exec_all(function.body.as_deref().unwrap_or_default(), &mut inner);
        self.nesting.end_call();
    }

    /// A class: its constants have facts, its methods are read like functions.
    fn define_class(&mut self, record: &'u Record, frame: &mut Frame<'u>) {
        for base in &record.bases {
            self.eval(base, frame);
        }
        let mut inside = frame.clone();
        inside.scopes.push(Scope::default());
        for member in record.members.as_deref().unwrap_or_default() {
            match &member.kind {
                ItemKind::Function(method) => {
                    self.function_id(method);
                }
                _ => self.exec(member, &mut inside),
            }
        }
        frame.steps = inside.steps;
        // It shares the names outside, which a declaration would copy.
        drop(inside);
        if let Some(name) = &record.name {
            let value = Value::Type(Box::new(Type::Named(name.name.as_str().into())));
            frame.declare(
                &name.name,
                Variable {
                    value,
                    declared: name.span,
                    read: true,
                },
            );
        }
    }

    fn branch(&mut self, branch: &'u If, frame: &mut Frame<'u>) {
        let Some(condition) = &branch.condition else {
            return;
        };
        let otherwise = branch.otherwise.as_deref().unwrap_or_default();
        match truth_of(&self.eval(condition, frame)) {
            Some(true) => self.exec_all(&branch.then, frame),
            Some(false) => self.exec_all(otherwise, frame),
            None => {
                // Only one branch of a condition of the trace is ever traced.
                let outer = frame.mode.uncertain;
                frame.mode.uncertain |= self.is_of_the_trace(condition, frame);
                self.alternatives(&[&branch.then, otherwise], frame);
                frame.mode.uncertain = outer;
            }
        }
    }

    /// Whether a condition is `cutlass.const_expr(..)`.
    fn is_of_the_trace(&mut self, condition: &'u Expr, frame: &mut Frame<'u>) -> bool {
        let ExprKind::Call(callee, _) = &condition.kind else {
            return false;
        };
        let named = self.eval(callee, frame);
        matches!(named, Value::Function(name) if &*name == words::CONST_EXPR)
    }

    fn select(&mut self, switch: &'u Switch, frame: &mut Frame<'u>) {
        if let Some(condition) = &switch.condition {
            self.eval(condition, frame);
        }
        let mut bodies: Vec<&'u [Item]> = switch.cases.iter().map(|case| &*case.body).collect();
        bodies.push(&[]);
        self.alternatives(&bodies, frame);
    }

    /// Statements of which one list is executed; which one is not known.
    fn alternatives(&mut self, bodies: &[&'u [Item]], frame: &mut Frame<'u>) {
        let before = frame.scopes.last().cloned().unwrap_or_default();
        let mut after: Option<Scope<'u>> = None;
        for body in bodies {
            set_scope(frame, before.clone());
            self.exec_all(body, frame);
            if !std::mem::replace(&mut frame.control.ended, false) {
                let reached = frame.scopes.last().cloned().unwrap_or_default();
                after = Some(match after {
                    None => reached,
                    Some(other) => joined(other, &reached),
                });
            }
        }
        frame.control.ended = after.is_none();
        set_scope(frame, after.unwrap_or(before));
    }

    fn repeat(&mut self, repeat: &'u Loop, frame: &mut Frame<'u>) {
        let mut bound = Vec::new();
        bound_names(&repeat.init, &mut bound);
        bound_names(&repeat.body, &mut bound);
        let element = match (&repeat.condition, repeat.kind) {
            (Some(range), LoopKind::Range) => Some(self.element_of(range, &repeat.init, frame)),
            _ => None,
        };
        let bound: HashSet<&'u str> = bound.into_iter().collect();
        let before: Vec<(&'u str, Variable)> = bound
            .iter()
            .filter_map(|name| frame.find(name).map(|found| (*name, found.clone())))
            .collect();
        for (name, variable) in &before {
            let value = Value::Unknown(Reason::Changed((*name).into()));
            let declared = variable.declared;
            let read = true;
            frame.declare(
                name,
                Variable {
                    value,
                    declared,
                    read,
                },
            );
        }
        if let Some(element) = element {
            self.bind_elements(&repeat.init, &element, frame);
        } else if let Some(condition) = &repeat.condition {
            self.eval(condition, frame);
        }
        let returns = frame.control.returns.len();
        self.exec_all(&repeat.body, frame);
        frame.control.ended = false;
        // The body may not be reached at all.
        if frame.control.returns.len() > returns {
            frame.control.returns.push(Value::Unknown(Reason::RunTime(
                "a loop that may return".into(),
            )));
        }
        leave_loop(repeat, &bound, &before, frame);
    }

    /// Binds the names of a `for` in its body.
    fn bind_elements(&mut self, init: &'u [Item], element: &Value, frame: &mut Frame<'u>) {
        for item in init {
            match &item.kind {
                ItemKind::Binding(binding) => {
                    if let Some(name) = &binding.name {
                        self.rebind(name, element.clone(), item.span, None, frame);
                    }
                }
                ItemKind::StructuredBinding(binding) => {
                    self.take_apart(binding, element, item.span, frame);
                }
                _ => self.exec(item, frame),
            }
        }
    }

    /// An element of the iterable of a `for`: a symbol that is at least 0 for a range that starts at 0 or above it.
    fn element_of(&mut self, range: &'u Expr, init: &'u [Item], frame: &mut Frame<'u>) -> Value {
        self.eval(range, frame);
        let ExprKind::Call(callee, args) = &range.kind else {
            return an_element();
        };
        let is_range = matches!(
            self.eval(callee, frame),
            Value::Function(name)
                if matches!(&*name, words::RANGE | words::RANGE_CONSTEXPR | words::BUILTIN_RANGE)
        );
        let bounds: Vec<&'u Expr> = args
            .iter()
            .filter(|arg| !matches!(arg.kind, ExprKind::Designated(..)))
            .collect();
        let known = |interpreter: &mut Self, arg: &'u Expr, frame: &mut Frame<'u>| {
            let value = interpreter.eval(arg, frame);
            value.as_int().and_then(cute_algebra::Int::value)
        };
        let counts_up = match bounds.as_slice() {
            [_] => true,
            [first, _] => known(self, first, frame).is_some_and(|first| first >= 0),
            [first, _, step] => {
                known(self, first, frame).is_some_and(|first| first >= 0)
                    && known(self, step, frame).is_some_and(|step| step > 0)
            }
            _ => false,
        };
        let name = match init {
            [only] => match &only.kind {
                ItemKind::Binding(binding) => binding.name.as_ref(),
                _ => None,
            },
            _ => None,
        };
        match name {
            Some(name) if is_range && counts_up => {
                Value::Int(match self.assumed_value(&name.name, name.span) {
                    Some(value) => cute_algebra::Int::dynamic(value),
                    None => cute_algebra::Int::coordinate(&frame.symbol_name(&name.name)),
                })
            }
            _ => an_element(),
        }
    }
}

/// The object behind `x.y` or `x[i]` has changed. A tensor's layout has not.
pub(super) fn alter(target: &Expr, frame: &mut Frame<'_>) {
    let mut root = target;
    while let ExprKind::Member { object: inner, .. } | ExprKind::Index(inner, _) = &root.kind {
        root = inner;
    }
    // To look for a variable that is changed copies names that other frames share.
    let is_list = |it: &Variable| matches!(it.value, Value::Tuple(_));
    if let Some(name) = root.as_plain_name()
        && frame.find(name).is_some_and(is_list)
        && let Some(variable) = frame.find_mut(name)
    {
        variable.value = Value::Unknown(Reason::Changed(name.into()));
    }
}

/// The values of the names that a loop binds, behind the loop.
fn leave_loop<'u>(
    repeat: &'u Loop,
    bound: &HashSet<&'u str>,
    before: &[(&'u str, Variable)],
    frame: &mut Frame<'u>,
) {
    let mut jumps = false;
    walk::items(&repeat.body, &mut |item| {
        jumps |= matches!(item.kind, ItemKind::Jump(_));
    });
    for name in bound {
        let earlier = before.iter().find(|(found, _)| found == name);
        let Some(variable) = frame.find_mut(name) else {
            continue;
        };
        let kept = match earlier {
            Some((_, earlier)) => earlier.value == variable.value,
            None => !jumps,
        };
        if !kept {
            variable.value = Value::Unknown(Reason::Changed((*name).into()));
        }
    }
}

fn an_element() -> Value {
    Value::Unknown(Reason::RunTime("an element of a range".into()))
}

/// The parts of a value that is taken apart.
fn parts_of(value: &Value, count: usize) -> Vec<Value> {
    match value {
        Value::Tuple(items) if items.len() == count => items.clone(),
        Value::Unknown(_) => vec![value.clone(); count],
        _ => vec![Value::Unknown(Reason::Construct("taking this value apart")); count],
    }
}

fn set_scope<'u>(frame: &mut Frame<'u>, scope: Scope<'u>) {
    if let Some(last) = frame.scopes.last_mut() {
        *last = scope;
    }
}

/// The names where two ways meet. One that only one of them binds is used only behind that one.
fn joined<'u>(mut one: Scope<'u>, other: &Scope<'u>) -> Scope<'u> {
    for (name, variable) in other.iter() {
        match one.get_mut(name) {
            Some(known) if known.value != variable.value => {
                let what = format!("the binding of `{name}`");
                known.value = Value::Unknown(Reason::RunTime(what.into()));
            }
            Some(_) => {}
            None => {
                one.insert(name, variable.clone());
            }
        }
    }
    one
}
