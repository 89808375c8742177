//! Changes of the variables that lambdas capture.

use tree_sitter_cute::tree::{Expr, ExprKind, Lambda, Span};

use super::frame::Frame;
use super::locations::Base;
use super::mutation::{self};
use super::{Callable, Interpreter};
use crate::hash::HashSet;
use crate::limits;
use crate::value::Value;
use crate::walk;

impl<'u> Interpreter<'u> {
    /// The lambda that an expression is or names.
    pub(super) fn lambda_of(&self, expr: &'u Expr, frame: &Frame<'u>) -> Option<&'u Lambda> {
        if let ExprKind::Lambda(lambda) = &expr.kind {
            return Some(lambda);
        }
        match frame.find(expr.as_plain_name()?)?.value {
            Value::Callable(id) => self.lambda(id),
            _ => None,
        }
    }

    pub(super) fn lambda(&self, id: usize) -> Option<&'u Lambda> {
        match self.computed.callable(id)? {
            Callable::Lambda(lambda, _) => Some(lambda),
            Callable::Functions(..) => None,
        }
    }

    pub(super) fn add_changed_by_lambda(
        &mut self,
        lambda: &'u Lambda,
        around: &mut Vec<*const Lambda>,
        frame: &mut Frame<'u>,
        names: &mut HashSet<&'u str>,
    ) {
        // Each is looked into once, however they call one another.
        let key = std::ptr::from_ref(lambda);
        if around.contains(&key) || around.len() >= limits::CALL_DEPTH {
            return;
        }
        around.push(key);
        let mut changes = Vec::new();
        mutation::changes(&lambda.body, &mut |change| changes.push(change));
        let mut inner = HashSet::default();
        for change in changes {
            self.add_changed(change, around, frame, &mut inner);
        }
        for capture in &lambda.captures {
            if let Some(init) = &capture.init
                && inner.remove(capture.name.name.as_str())
                && capture.by_reference
            {
                mutation::roots(init, &mut |name| {
                    names.insert(name);
                });
            }
        }
        // A capture by value is its own.
        inner.retain(|name| frame.find(name).is_none() || is_captured_by_reference(lambda, name));
        names.extend(inner);
    }

    /// Applies the changes of the call of a lambda, or of something that receives one, to the captures of the lambda.
    pub(super) fn change_captured(&mut self, id: usize, frame: &mut Frame<'u>) {
        let Some(lambda) = self.lambda(id) else {
            return;
        };
        let mut names = HashSet::default();
        self.add_changed_by_lambda(lambda, &mut Vec::new(), frame, &mut names);
        let mut names: Vec<&'u str> = names.into_iter().collect();
        names.sort_unstable();
        for name in names {
            self.change_name(name, frame);
        }
    }

    /// Gives a lambda that is called the present values of its captures by reference; whether one is another than it
    /// was.
    pub(super) fn refresh_captured(
        &mut self,
        lambda: &'u Lambda,
        inner: &mut Frame<'u>,
        caller: &mut Frame<'u>,
    ) -> bool {
        let mut is_other = false;
        let mut captured: Vec<(&'u str, Span)> = Vec::new();
        let mut seen: HashSet<&'u str> = HashSet::default();
        walk::expressions(&lambda.body, &mut |expr| {
            if let Some(name) = expr.as_plain_name()
                && seen.insert(name)
                && is_captured_by_reference(lambda, name)
                && let Some(variable) = inner.find(name)
            {
                captured.push((name, variable.declared));
            }
        });
        let is_here = inner.changes.activation == caller.changes.activation;
        for (name, declared) in captured {
            let present = caller.find_declared(name, declared).filter(|_| is_here);
            match present.cloned() {
                Some(present) => {
                    if let Some(variable) = inner.find_declared_mut(name, declared) {
                        is_other |= variable.value != present.value;
                        *variable = present;
                    }
                }
                // It was made in another function: its variables may have changed since.
                None if inner.may_change_later(name, declared) => {
                    self.change_variable(name, declared, inner);
                }
                None => {}
            }
        }
        // `[&r = x]`
        let renamed = lambda.captures.iter();
        let renamed = renamed.filter(|capture| capture.by_reference && capture.init.is_some());
        let renamed: Vec<_> = renamed
            .map(|it| (&it.name, inner.changes.references.of(it.name.span).cloned()))
            .collect();
        if is_here {
            // `[*this]` keeps the object as it was.
            if !lambda.captures.iter().any(|it| it.name.name == "*this") {
                is_other |= inner.owner.this != caller.owner.this;
                inner.owner.this.clone_from(&caller.owner.this);
            }
            inner
                .changes
                .references
                .clone_from(&caller.changes.references);
        }
        for (name, location) in renamed {
            let location = location.filter(|_| is_here);
            let base = location.as_ref().map(|location| location.base);
            let present = match base {
                Some(Base::Variable(base, at)) => caller.find_declared(base, at).cloned(),
                _ => None,
            };
            match (base, present, location) {
                // The reference is followed to the variable as it is now.
                (Some(Base::Variable(base, at)), Some(present), Some(location)) => {
                    if let Some(variable) = inner.find_declared_mut(base, at) {
                        is_other |= variable.value != present.value;
                        *variable = present;
                    }
                    inner.changes.references.name(name.span, location);
                }
                (Some(Base::This), _, Some(location)) => {
                    inner.changes.references.name(name.span, location);
                }
                _ => self.change_variable(&name.name, name.span, inner),
            }
        }
        is_other
    }
}

/// Whether a lambda reads and changes a variable itself.
pub(super) fn is_captured_by_reference(lambda: &Lambda, name: &str) -> bool {
    let mut written = lambda.captures.iter();
    match written.find(|capture| capture.name.name == name) {
        Some(capture) => capture.by_reference,
        None => lambda.default_capture == Some('&'),
    }
}
