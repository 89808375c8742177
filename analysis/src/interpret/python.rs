//! Python: statements bind names anew, functions are traced for their arguments, modules are values.
//!
//! The statements of the file are read in order; then each function that nothing has called is read
//! with its parameters as symbols. A name that a branch or a loop may bind in several ways is
//! unknown from there on, so that no reported value depends on the way taken.

mod calls;
mod expressions;
mod imports;
mod parameters;
mod statements;

use std::rc::Rc;

use tree_sitter_cute::tree::{ExprKind, Function, Item, ItemKind};

use super::Interpreter;
use super::frame::{Frame, Scope};
use super::ids::FunctionId;
use super::program::FunctionDecl;
use crate::hash::HashSet;
use crate::limits;
use crate::reason::Reason;
use crate::value::Value;
use crate::vocabulary::python as words;
use crate::walk;

/// The names of a Python file.
#[derive(Debug, Default)]
pub(super) struct Script<'u> {
    /// As its functions see them.
    globals: Scope<'u>,
    /// Those that the file binds more than once.
    bound_again: HashSet<&'u str>,
    /// Modules whose names are all imported.
    opened: Vec<String>,
}

impl<'u> Interpreter<'u> {
    /// Evaluates a Python file.
    pub(super) fn run_python(&mut self, items: &'u [Item]) {
        let mut frame = Frame::new(0, limits::STEPS_PER_FILE);
        frame.mode.recording = true;
        frame.changes.untraceable = Rc::new(changed_outside(items));
        self.script.bound_again = bound_again(items);
        self.exec_all(items, &mut frame);
        self.keep_globals(&frame);
        let functions: Vec<FunctionId> = (0..self.program.functions.len()).collect();
        for id in self.callers_first(&functions, &functions) {
            if !self.computed.reports.has_counted(id) {
                self.run_alone(id);
            }
        }
    }

    /// Keeps the names of the file as its functions see them: those bound more than once have no
    /// one value for them.
    fn keep_globals(&mut self, frame: &Frame<'u>) {
        let mut globals = frame.scopes.first().cloned().unwrap_or_default();
        for name in &self.script.bound_again {
            if let Some(variable) = globals.get_mut(name) {
                variable.value = Value::Unknown(Reason::Changed((*name).into()));
            }
        }
        self.script.globals = globals;
    }

    /// Sets the initial state of the body of a function of a Python file.
    pub(super) fn enter_python(&mut self, function: &'u Function, frame: &mut Frame<'u>) {
        frame.scopes = vec![self.script.globals.clone()];
        let body = function.body.as_deref().unwrap_or_default();
        frame.changes.untraceable = Rc::new(changed_outside(body));
        frame.mode.traced = self.is_traced(function);
    }

    /// Whether a function is decorated to be traced.
    fn is_traced(&mut self, function: &'u Function) -> bool {
        let mut frame = Frame::new(0, limits::STEPS_PER_INSTANCE);
        frame.scopes = vec![self.script.globals.clone(), Scope::default()];
        function.decorators.iter().any(|decorator| {
            let named = match &decorator.kind {
                ExprKind::Call(callee, _) => callee,
                _ => decorator,
            };
            matches!(
                self.eval(named, &mut frame),
                Value::Function(name) if matches!(&*name, words::JIT | words::KERNEL)
            )
        })
    }

    /// The place of a function, made when it is seen for the first time.
    fn function_id(&mut self, function: &'u Function) -> FunctionId {
        let known = self
            .program
            .functions
            .iter()
            .position(|declared| std::ptr::eq(declared.function, function));
        known.unwrap_or_else(|| {
            let module = 0;
            self.program
                .functions
                .push(FunctionDecl { function, module });
            self.program.functions.len() - 1
        })
    }
}

/// The names that functions among `items` bind in a scope around them (`global`, `nonlocal`).
fn outer_names(items: &[Item]) -> HashSet<&str> {
    let mut names = HashSet::default();
    walk::items(items, &mut |item| {
        if let ItemKind::Binding(binding) = &item.kind
            && binding.specifiers.is_extern
            && let Some(name) = &binding.name
        {
            names.insert(name.name.as_str());
        }
    });
    names
}

/// The names that statements bind in their own scope, each as often as it is bound.
fn bound_names<'u>(items: &'u [Item], found: &mut Vec<&'u str>) {
    for item in items {
        match &item.kind {
            ItemKind::Binding(binding) => {
                found.extend(binding.name.iter().map(|name| name.name.as_str()));
            }
            ItemKind::StructuredBinding(binding) => {
                found.extend(binding.names.iter().map(|name| name.name.as_str()));
            }
            ItemKind::Using(using) => found.extend(imports::bound_name(using)),
            ItemKind::Function(function) => found.push(&function.name.name),
            ItemKind::Record(record) => {
                found.extend(record.name.iter().map(|name| name.name.as_str()));
            }
            _ => {
                walk::own_subexpressions(item, &mut |expr| {
                    if let ExprKind::Assign(assignment) = &expr.kind {
                        walk::subexpressions(&assignment.target, &mut |part| {
                            found.extend(part.as_plain_name());
                        });
                    }
                });
                walk::inner_items(item, &mut |inner| bound_names(inner, found));
            }
        }
    }
}

/// The names that the file itself binds more than once.
fn bound_again(items: &[Item]) -> HashSet<&str> {
    let mut names = Vec::new();
    bound_names(items, &mut names);
    let mut seen = HashSet::default();
    names.retain(|name| !seen.insert(*name));
    names.into_iter().collect()
}

fn changed_outside(items: &[tree_sitter_cute::tree::Item]) -> super::mutation::Untraceable<'_> {
    super::mutation::Untraceable {
        changed: outer_names(items),
        ..Default::default()
    }
}
