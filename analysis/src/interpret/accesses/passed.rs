//! Possible changes of a call that is not walked to its arguments.

use std::sync::Arc;

use tree_sitter_cute::tree::{Expr, ExprKind, Function, Reference, UnaryOp};

use super::Walker;
use super::held::{Held, Ty};

impl<'u> Walker<'_, 'u> {
    /// The methods of a name that an object has; nothing where its class is not known.
    pub(super) fn methods_of(
        &mut self,
        object: &Held<'u>,
        name: &str,
    ) -> Option<Vec<&'u Function>> {
        let instance = match object.ty(&self.out.terms)? {
            Ty::Other(crate::types::Type::Record(record), _) => record.instance,
            _ => return None,
        };
        let (_, methods) = self.it.inherited_methods(instance, name)?;
        Some(methods)
    }

    /// A call of one of these functions, which is not walked: arguments that all of them take by value stay as they
    /// are.
    pub(super) fn not_entered(
        &mut self,
        expr: &'u Expr,
        args: &'u [Expr],
        functions: &[&'u Function],
    ) -> Held<'u> {
        for held in self.values(args) {
            if let Held::Lambda(lambda, _) = held {
                self.lose_all_to(lambda);
            }
        }
        self.forget_changed_by(args, functions);
        self.unseen();
        let why = format!("`{}` is not followed", self.text(expr.span));
        Held::Other(why.into(), None)
    }

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
            let name = match &arg.kind {
                ExprKind::Unary(UnaryOp::AddressOf, inner) => inner.as_plain_name(),
                _ => arg.as_plain_name(),
            };
            let Some(local) = name.and_then(|name| self.find(name)) else {
                continue;
            };
            // An array stays where it is.
            if matches!(local.ty, Ty::Array(..))
                || matches!(
                    local.held,
                    Held::Lambda(..) | Held::Group(_) | Held::Place(_)
                )
            {
                continue;
            }
            let ty = local.ty.clone();
            let why: Arc<str> = "a function that is not followed may have changed it".into();
            let held = self.converted(Held::Other(why, None), &ty);
            if let Some(local) = name.and_then(|name| self.find_mut(name)) {
                local.held = held;
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
