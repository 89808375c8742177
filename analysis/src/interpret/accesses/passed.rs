//! Possible changes of a call that is not walked to its arguments.

use tree_sitter_cute::tree::{Expr, ExprKind, Function, Reference, UnaryOp};

use super::Walker;

impl<'u> Walker<'_, 'u> {
    pub(super) fn forget_changed_by(&mut self, args: &'u [Expr], functions: &[&'u Function]) {
        for (index, arg) in args.iter().enumerate() {
            if matches!(arg.kind, ExprKind::Unary(UnaryOp::AddressOf, _))
                || functions.iter().any(|function| may_change(function, index))
            {
                self.forget_passed(std::slice::from_ref(arg));
            }
        }
    }

    pub(super) fn forget_passed(&mut self, args: &'u [Expr]) {
        for arg in args {
            let arg = match &arg.kind {
                ExprKind::Unary(UnaryOp::AddressOf, inner) => inner,
                _ => arg,
            };
            let why = "a function that is not followed may have changed it";
            if let Some(name) = arg.as_plain_name().or(self.own_member(arg)) {
                self.forget(name, why);
            } else if let Some(local) = self.part(arg).cloned() {
                let held = self.lost(&local, why);
                self.store_variable(arg, held);
            }
        }
    }
}

/// Whether a function may change the variable that it is given as this argument.
fn may_change(function: &Function, index: usize) -> bool {
    function.params.get(index).is_none_or(|param| {
        param.reference != Reference::None && !param.specifiers.constant
            || param
                .ty
                .as_ref()
                .is_none_or(|ty| matches!(ty.kind, ExprKind::Reference(..)))
    })
}
