//! State of the evaluation of one function instance: scopes, changes, results.

mod actions;
mod changes;
mod checked;
mod control;
mod fields;
mod local_macros;
mod locals;
mod mode;
mod owner;
mod pipeline;
mod scope;
mod symbols;

use tree_sitter_cute::tree::{Define, Span};

use super::ids::ModuleId;
use actions::Actions;
pub(super) use actions::Handed;
use changes::Changes;
use checked::Checked;
use control::Control;
pub(super) use fields::{Fields, Given};
use local_macros::LocalMacros;
use locals::Locals;
use mode::Mode;
use owner::Owner;
pub(super) use pipeline::{Kind, Pipeline};
pub(super) use scope::{Scope, Variable};
pub(super) use symbols::Symbols;

/// The evaluation of one function instance (or of a record, or of the file).
#[derive(Debug, Clone)]
pub(super) struct Frame<'u> {
    pub(super) owner: Owner,
    pub(super) scopes: Vec<Scope<'u>>,
    /// Number of scopes around the statements of the function itself.
    pub(super) body_depth: usize,
    pub(super) symbols: Symbols,
    /// Namespaces opened inside the function.
    pub(super) opened: Vec<Vec<&'u str>>,
    pub(super) macros: LocalMacros<'u>,
    /// Expressions and statements that may still be evaluated.
    pub(super) steps: usize,
    pub(super) mode: Mode,
    pub(super) control: Control,
    pub(super) locals: Locals<'u>,
    pub(super) changes: Changes<'u>,
    pub(super) checked: Checked,
    pub(super) actions: Actions<'u>,
}

impl<'u> Frame<'u> {
    /// A frame with one empty scope.
    pub(super) fn new(module: ModuleId, steps: usize) -> Self {
        Self {
            owner: Owner {
                module,
                ..Owner::default()
            },
            scopes: vec![Scope::default()],
            body_depth: 0,
            symbols: Symbols::default(),
            opened: Vec::new(),
            macros: LocalMacros::default(),
            steps,
            mode: Mode::default(),
            control: Control::default(),
            locals: Locals::default(),
            changes: Changes::default(),
            checked: Checked::default(),
            actions: Actions::default(),
        }
    }

    /// Notes a macro that the function defines.
    pub(super) fn define(&mut self, define: &'u Define) {
        self.macros.define(define, self.control.conditional > 0);
    }

    /// `namespace name = path;` in the innermost block.
    pub(super) fn rename(&mut self, name: &'u str, path: Vec<&'u str>) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.rename(name, path);
        }
    }

    /// Whether the actions here are recorded.
    pub(super) fn is_traced(&self) -> bool {
        self.mode.recording || !self.actions.calls.is_empty()
    }

    /// The variable that a name refers to.
    pub(super) fn find(&self, name: &str) -> Option<&Variable> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }

    /// The same, to change it.
    pub(super) fn find_mut(&mut self, name: &str) -> Option<&mut Variable> {
        self.scopes
            .iter_mut()
            .rev()
            .find_map(|scope| scope.get_mut(name))
    }

    /// The variable of a name that is declared at a place, which another one may hide.
    pub(super) fn find_declared(&self, name: &str, declared: Span) -> Option<&Variable> {
        let mut named = self.scopes.iter().rev().filter_map(|scope| scope.get(name));
        named.find(|variable| variable.declared == declared)
    }

    /// The same, to change it.
    pub(super) fn find_declared_mut(
        &mut self,
        name: &str,
        declared: Span,
    ) -> Option<&mut Variable> {
        let is_it = |scope: &Scope<'u>| scope.get(name).is_some_and(|it| it.declared == declared);
        let index = self.scopes.iter().rposition(is_it)?;
        self.scopes.get_mut(index)?.get_mut(name)
    }

    /// The variable that a name refers to; from now on it counts as seen.
    pub(super) fn find_seen(&mut self, name: &str) -> Option<&Variable> {
        let mut scopes = self.scopes.iter().enumerate().rev();
        let (index, read) =
            scopes.find_map(|(index, scope)| Some((index, scope.get(name)?.read)))?;
        let scope = self.scopes.get_mut(index)?;
        if !read {
            scope.get_mut(name)?.read = true;
        }
        scope.get(name)
    }

    /// Whether control comes here whenever it comes to the declaration of a variable, and the variable
    /// is changed by nothing but assignments that can be followed.
    pub(super) fn is_straight(&self, name: &str) -> bool {
        !self.changes.untraceable.changed.contains(name) && self.is_of_innermost_scope(name)
    }

    /// Whether control comes here whenever it comes to the declaration of a variable.
    pub(super) fn is_of_innermost_scope(&self, name: &str) -> bool {
        self.control.conditional == 0
            && self
                .scopes
                .last()
                .is_some_and(|scope| scope.contains_key(name))
    }

    /// Whether a variable may have another value after a lambda was made that captured it.
    pub(super) fn may_change_later(&self, name: &str, declared: Span) -> bool {
        !self.locals.is_constant(declared) && self.changes.untraceable.assigned.contains(name)
    }

    pub(super) fn declare(&mut self, name: &'u str, variable: Variable) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, variable);
        }
    }

    /// A name for a new symbol: the given one, numbered where it is taken.
    pub(super) fn symbol_name(&mut self, name: &str) -> String {
        self.symbols.unique(name)
    }
}
