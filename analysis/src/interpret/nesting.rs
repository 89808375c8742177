//! Evaluations inside one another: how deep they go, and declarations that lead back to themselves.

use tree_sitter_cute::tree::{Binding, Function, Lambda};

use crate::limits;
use crate::value::Value;

/// A declaration that is being evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Underway {
    /// A variable or alias outside of functions.
    Global(*const Binding),
    /// An object of a class instance, of which a member may not be one again.
    Object(usize),
}

/// The evaluations that are underway.
#[derive(Debug, Default)]
pub(super) struct Nesting {
    levels: usize,
    declarations: Vec<Underway>,
    /// Function templates whose conditions are judged, with their arguments.
    candidates: Vec<(*const Function, Vec<Value>)>,
    calls: usize,
    /// Lambdas whose bodies are evaluated.
    lambdas: Vec<*const Lambda>,
    /// Sides of `?:` around the evaluation that are not taken.
    pub(super) left_out: usize,
    /// Number of frames of functions so far.
    activations: usize,
    /// Whether the machine runs: an evaluation for it does not start another one.
    pub(super) in_machine: bool,
    /// Number of template arguments that the machine computes, each for another one.
    arguments: usize,
}

/// Template arguments that the machine computes inside each other.
const ARGUMENTS: usize = 4;

impl Nesting {
    /// Goes one level deeper; `false` where the stack has no room for one more.
    pub(super) fn enter(&mut self) -> bool {
        let has_room = self.levels < limits::NESTING;
        self.levels += usize::from(has_room);
        has_room
    }

    /// Comes back from a level that was entered.
    pub(super) fn leave(&mut self) {
        self.levels -= 1;
    }

    /// Begins to compute a template argument; `false` where too many others wait for it.
    pub(super) fn begin_argument(&mut self) -> bool {
        let has_room = self.arguments < ARGUMENTS;
        self.arguments += usize::from(has_room);
        has_room
    }

    pub(super) fn end_argument(&mut self) {
        self.arguments -= 1;
    }

    /// Begins a declaration; `false` where it has begun already.
    pub(super) fn begin(&mut self, declaration: Underway) -> bool {
        let is_new = !self.declarations.contains(&declaration);
        if is_new {
            self.declarations.push(declaration);
        }
        is_new
    }

    /// Whether at most one declaration is underway: none that waits for another one.
    pub(super) fn is_alone(&self) -> bool {
        self.declarations.len() <= 1
    }

    /// Begins to judge whether a function template takes part with these arguments; `false` where that asks for itself. Where
    /// some of them are not known, any arguments may be the same ones.
    pub(super) fn begin_candidate(
        &mut self,
        function: &Function,
        arguments: &[Value],
        are_known: bool,
    ) -> bool {
        let function = std::ptr::from_ref(function);
        let is_new = !self.candidates.iter().any(|(other, others)| {
            std::ptr::eq(*other, function) && (!are_known || others == arguments)
        });
        if is_new {
            self.candidates.push((function, arguments.to_vec()));
        }
        is_new
    }

    /// Ends the candidate that began last.
    pub(super) fn end_candidate(&mut self) {
        self.candidates.pop();
    }

    /// Begins the body of a lambda.
    pub(super) fn begin_lambda(&mut self, lambda: &Lambda) {
        self.lambdas.push(std::ptr::from_ref(lambda));
        self.begin_call();
    }

    /// Ends the body of the lambda that began last.
    pub(super) fn end_lambda(&mut self) {
        self.lambdas.pop();
        self.end_call();
    }

    /// Whether the body of a lambda is evaluated: it calls itself.
    pub(super) fn is_running(&self, lambda: &Lambda) -> bool {
        let mut running = self.lambdas.iter();
        running.any(|other| std::ptr::eq(*other, lambda))
    }

    /// Begins the body of a function or lambda.
    pub(super) fn begin_call(&mut self) {
        self.calls += 1;
    }

    /// Ends the body that began last.
    pub(super) fn end_call(&mut self) {
        self.calls -= 1;
    }

    /// Whether no function may be called any more.
    pub(super) fn is_too_deep(&self) -> bool {
        self.calls >= limits::CALL_DEPTH
    }

    /// A number for a new frame of a function.
    pub(super) fn next_activation(&mut self) -> usize {
        self.activations += 1;
        self.activations
    }

    /// Ends the declaration that began last.
    pub(super) fn end(&mut self) {
        self.declarations.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_declaration_begins_once_and_levels_are_bounded() {
        let mut nesting = Nesting::default();
        assert!(nesting.begin(Underway::Object(1)) && nesting.begin(Underway::Object(2)));
        assert!(!nesting.begin(Underway::Object(1)));
        nesting.end();
        assert!(nesting.begin(Underway::Object(2)));
        let entered = (0..2 * limits::NESTING).filter(|_| nesting.enter());
        assert_eq!(entered.count(), limits::NESTING);
        nesting.leave();
        assert!(nesting.enter() && !nesting.enter());
    }
}
