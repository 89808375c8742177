//! Evaluations inside one another: how deep they go, and declarations that lead back to themselves.

use tree_sitter_cute::tree::Binding;

use super::Interpreter;
use super::program::ModuleId;
use crate::limits;

/// A declaration that is being evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Underway {
    /// A variable or alias outside of functions.
    Global(ModuleId, *const Binding),
    /// An object of a class instance, of which a member may not be one again.
    Object(usize),
}

impl Interpreter<'_> {
    /// Evaluates one level deeper; `None` where the stack has no room for one more.
    pub(super) fn nested<T>(&mut self, evaluate: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.nesting >= limits::NESTING {
            return None;
        }
        self.nesting += 1;
        let result = evaluate(self);
        self.nesting -= 1;
        Some(result)
    }

    /// Evaluates a declaration; `None` where its own evaluation led to it, or the stack has no room for it.
    pub(super) fn once_inside<T>(
        &mut self,
        declaration: Underway,
        evaluate: impl FnOnce(&mut Self) -> T,
    ) -> Option<T> {
        if self.underway.contains(&declaration) {
            return None;
        }
        self.underway.push(declaration);
        let result = self.nested(evaluate);
        self.underway.pop();
        result
    }
}
