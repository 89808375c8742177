//! Lambdas: the variables that they copy, and those that they change.

use tree_sitter_cute::tree::{Expr, Function, Lambda};

use super::changes::{changed_in, indexed_in};
use super::held::{Closure, Held, Local, Ty};
use super::{Scope, Walker};
use crate::limits;

impl<'u> Walker<'_, 'u> {
    /// A lambda: its changes to variables around it by reference are followed where it is called.
    pub(super) fn lambda(&mut self, lambda: &'u Lambda) -> Closure<'u> {
        let by_reference = lambda.default_capture == Some('&') && lambda.captures.is_empty();
        for name in indexed_in(&lambda.body, &[]) {
            self.escape_named(name);
        }
        for name in changed_in(&lambda.body, &[]) {
            if self.find(name).is_none() {
                continue;
            }
            if !by_reference {
                self.lose_to_lambda(name);
            } else if !self.elsewhere.changed_in_lambdas.contains(&name) {
                self.elsewhere.changed_in_lambdas.push(name);
            }
        }
        Closure {
            lambda,
            home: self.outer.len(),
            copies: Box::new(self.copies_of(lambda)),
        }
    }

    /// The variables that a lambda captures by copy.
    fn copies_of(&mut self, lambda: &'u Lambda) -> Scope<'u> {
        let mut copies = Scope::default();
        let mut names: Vec<&'u str> = Vec::new();
        if lambda.default_capture == Some('=') {
            crate::walk::expressions(&lambda.body, &mut |expr| names.extend(expr.as_plain_name()));
        }
        for capture in &lambda.captures {
            let name = capture.name.name.as_str();
            names.retain(|known| *known != name);
            if let (Some(init), false) = (&capture.init, capture.by_reference) {
                let held = self.value(init);
                let ty = held.ty(&self.out.terms).unwrap_or(Ty::Auto);
                copies.insert(name, Local::new(held, ty));
            } else if !capture.by_reference {
                names.push(name);
            }
        }
        // Members are reached through `this`.
        let members = usize::from(self.is_in_method());
        for name in names {
            let around = self.scopes.get(members..).unwrap_or_default();
            let mut around = around.iter().rev();
            if let Some(local) = around.find_map(|scope| scope.get(name)) {
                copies.insert(name, local.clone());
            }
        }
        copies
    }

    pub(super) fn lose_to_lambda(&mut self, name: &'u str) {
        self.lose(name, "a lambda changes it");
    }

    /// A lambda that other code calls may change its variables at any time.
    pub(super) fn lose_all_to(&mut self, lambda: &'u Lambda) {
        for name in changed_in(&lambda.body, &[]) {
            self.lose_to_lambda(name);
        }
    }

    /// Variables that a lambda has changed for a function between may be as before, too.
    fn lose_changed_since(&mut self, before: &[Scope<'u>]) {
        let mut changed = Vec::new();
        for (scope, before) in self.scopes.iter().zip(before) {
            let differs = |(name, local): (&&'u str, &Local<'u>)| {
                let known = before.get(name);
                known
                    .is_some_and(|known| known.held != local.held)
                    .then_some(*name)
            };
            changed.extend(scope.iter().filter_map(differs));
        }
        for name in changed {
            self.lose_to_lambda(name);
        }
    }

    /// Walks a lambda among the variables around it.
    pub(super) fn call_lambda(&mut self, closure: &Closure<'u>, args: &'u [Expr]) -> Held<'u> {
        // The types of their parameters do not say which variables they change.
        let values = args.iter().map(|arg| self.passed_one(arg)).collect();
        self.call_lambda_with(closure, (args, values))
    }

    /// Walks a lambda with values; those of `args` may be changed by it.
    pub(super) fn call_lambda_with(
        &mut self,
        closure: &Closure<'u>,
        (args, values): (&'u [Expr], Vec<Held<'u>>),
    ) -> Held<'u> {
        let (lambda, home) = (closure.lambda, closure.home);
        let values = self.seen_by((&lambda.params, &lambda.body), args, values);
        let key = std::ptr::from_ref(lambda).cast::<Function>();
        if self.calls.len() >= limits::ACCESS_DEPTH || self.calls.contains(&key) {
            self.lose_all_to(lambda);
            self.unseen();
            return Held::Other("calls inside calls".into(), None);
        }
        self.calls.push(key);
        let away = self.outer.get_mut(home).map(|(scopes, frame)| {
            std::mem::swap(scopes, &mut self.scopes);
            std::mem::swap(&mut **frame, &mut self.frame);
        });
        let before = away.is_some().then(|| self.scopes.clone());
        self.scopes.push(Scope::default());
        for (name, local) in closure.copies.iter() {
            self.declare(name, local.clone());
        }
        let held = self.walk_called(lambda, (args, away.is_none()), &values);
        self.scopes.pop();
        // Under which conditions of the functions between is not seen here.
        if let Some(before) = before {
            self.lose_changed_since(&before);
        }
        if let Some((scopes, frame)) = self.outer.get_mut(home) {
            std::mem::swap(scopes, &mut self.scopes);
            std::mem::swap(&mut **frame, &mut self.frame);
        }
        self.calls.pop();
        held
    }
}
