//! Functions of the source on the way of a thread: their statements with the arguments in place of the parameters.

use tree_sitter_cute::tree::{Expr, ExprKind, Function};

use super::{DEPTH, Done, Thread};

impl<'u> Thread<'_, '_, 'u> {
    /// Goes through the function that a statement calls; whether it is one in which something is done.
    pub(super) fn at_call(&mut self, expr: &'u Expr) -> Done<bool> {
        let ExprKind::Call(_, args) = &expr.kind else {
            return Ok(false);
        };
        let Some(function) = self.calls.get(&expr.span).copied() else {
            return Ok(false);
        };
        self.pass(function, args);
        // A `return` ends the function.
        self.all(function.body.as_deref().unwrap_or_default())?;
        Ok(true)
    }

    /// Gives the parameters of a function their values.
    fn pass(&mut self, function: &'u Function, args: &'u [Expr]) {
        for (param, arg) in function.params.iter().zip(args) {
            let Some(name) = &param.name else { continue };
            match self.number(arg, DEPTH) {
                Some(number) => self.numbers.insert(name.span, number),
                None => self.numbers.remove(&name.span),
            };
            match self.view(arg) {
                Some(view) => self.views.insert(name.span, view),
                None => self.views.remove(&name.span),
            };
        }
    }
}
