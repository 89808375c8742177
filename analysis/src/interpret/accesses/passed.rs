//! Objects that the kernel is given as arguments of calls, and possible changes of a call that is not walked to its arguments.

use tree_sitter_cute::tree::{Binding, Expr, ExprKind, Function, Item, Reference, UnaryOp};

use super::Walker;
use super::changes::assigned_in;
use super::held::{Held, Parts};
use super::roots::{is_path, root_of};
use crate::types::Type;
use crate::value::Value;

impl<'u> Walker<'_, 'u> {
    /// The object that the kernel is given and that an expression names.
    pub(super) fn given_by_name(&mut self, expr: &'u Expr) -> Option<Parts<'u>> {
        let is_lost = root_of(expr).is_some_and(|root| self.elsewhere.why(root).is_some());
        if is_lost || !is_path(expr) || self.names_local(expr) || self.own_member(expr).is_some() {
            return None;
        }
        let value = self.it.eval(expr, &mut self.frame);
        let name = self.text(expr.span);
        self.given_object(&value, &name)
    }

    /// The class of an object that the kernel is given and whose name an expression is.
    pub(super) fn given_class(&self, object: &Expr) -> Option<usize> {
        match &self.frame.find(object.as_plain_name()?)?.value {
            Value::Object(object) => Some(object.class.instance),
            Value::Instance(ty) => match &**ty {
                Type::Record(record) => Some(record.instance),
                _ => None,
            },
            _ => None,
        }
    }

    /// The variable of which a function of Rust gets a reference: no one else has one meanwhile.
    pub(super) fn lent(&self, arg: &'u Expr) -> Option<Held<'u>> {
        let variable = borrowed(arg).filter(|_| self.it.is_rust())?;
        let local = self.part(variable)?;
        is_by_value(&local.held).then(|| local.held.clone())
    }

    /// The value behind a reference of Rust that is followed as the variable itself: `*count`.
    pub(super) fn behind_reference(&self, inner: &'u Expr) -> Option<&Held<'u>> {
        let local = self.part(inner).filter(|_| self.it.is_rust())?;
        is_by_value(&local.held).then_some(&local.held)
    }

    /// The arguments as a function with these parameters sees them: changes of an object that the kernel is given are not
    /// followed, so a parameter that may change it has no value.
    pub(super) fn seen_by(
        &mut self,
        (params, body): (&[Binding], &[Item]),
        args: &'u [Expr],
        values: Vec<Held<'u>>,
    ) -> Vec<Held<'u>> {
        let assigned = assigned_in(body);
        let mut seen = Vec::new();
        for (index, held) in values.into_iter().enumerate() {
            let param = params.get(index);
            let given = match args.get(index) {
                Some(arg) if is_path(arg) && !self.names_local(arg) => Some(arg),
                _ => None,
            };
            seen.push(match (held, given) {
                (Held::Parts(parts), Some(given)) if param.is_none_or(may_change_its_argument) => {
                    let why = "a function may change it";
                    let name = param.and_then(|param| param.name.as_ref());
                    let changes = name.is_none_or(|name| assigned.contains(&name.name.as_str()));
                    if let Some(root) = root_of(given).filter(|_| changes) {
                        self.lose(root, why);
                    }
                    Held::Other(why.into(), parts.ty)
                }
                (held, _) => held,
            });
        }
        seen
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
            } else {
                self.escape(arg);
            }
        }
    }
}

/// Whether a function may change the variable that it is given as this argument.
fn may_change(function: &Function, index: usize) -> bool {
    function
        .params
        .get(index)
        .is_none_or(may_change_its_argument)
}

/// Whether a parameter is another name of its argument, through which that may be changed.
fn may_change_its_argument(param: &Binding) -> bool {
    param.reference != Reference::None && !param.specifiers.constant
        || param
            .ty
            .as_ref()
            .is_none_or(|ty| matches!(ty.kind, ExprKind::Reference(..)))
}

/// The variable of `&x` and `&mut x`.
pub(super) fn borrowed(arg: &Expr) -> Option<&Expr> {
    match &arg.kind {
        ExprKind::Unary(UnaryOp::AddressOf, inner) => Some(inner),
        _ => None,
    }
}

/// Whether something is a value that a thread has for itself, and no place.
fn is_by_value(held: &Held<'_>) -> bool {
    matches!(held, Held::Int(_) | Held::Parts(_) | Held::Maybe(_))
}
