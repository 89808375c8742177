//! Names of array types: the interpreter has the pointer to the first element for them.

use tree_sitter_cute::tree::{Binding, Expr, ExprKind, Item, Role};

use super::super::exact_types::Layer;
use super::super::frame::Frame;
use super::Walker;
use super::held::{Count, Held, Local, Ty};

impl<'u> Walker<'_, 'u> {
    /// Declares a local alias; of an array type, with the type.
    pub(super) fn walk_alias(&mut self, alias: &'u Binding, item: &'u Item) {
        self.it.exec(item, &mut self.frame);
        let scope = self.frame.clone();
        if let Some(name) = &alias.name
            && let Some(ty) = self.array_in(alias, scope)
        {
            self.declare(&name.name, Local::new(Held::Type, ty));
        }
    }

    /// The array type that a name is an alias of, where it is one.
    pub(super) fn array_of_alias(&mut self, ty: &'u Expr, mut frame: Frame<'u>) -> Option<Ty> {
        let local = ty.as_plain_name().and_then(|name| self.find(name));
        if let Some(local) = local.filter(|it| it.held == Held::Type) {
            return Some(local.ty.clone());
        }
        if let Some((array, scope)) = self.it.array_behind(ty, &mut frame) {
            return Some(self.written_in(array, scope));
        }
        if ty
            .as_plain_name()
            .is_some_and(|name| frame.find(name).is_some())
        {
            return None;
        }
        let exact = self.it.exact(ty, &mut frame)?;
        if !matches!(exact.outermost(), Some(Layer::Array(_))) {
            return None;
        }
        let mut ty = self.ty_of(exact.base);
        for layer in exact.around.into_iter().rev() {
            ty = match layer {
                Layer::Array(count) => Ty::Array(Box::new(ty), count.map(Count::Known)),
                Layer::Pointer => Ty::Pointer(Box::new(ty)),
                Layer::Constant | Layer::Lvalue | Layer::Rvalue => ty,
            };
        }
        Some(ty)
    }

    /// The array type that an alias is written as, in the scope of its declaration.
    fn array_in(&mut self, alias: &'u Binding, scope: Frame<'u>) -> Option<Ty> {
        let init = alias.init.as_ref().filter(|_| alias.role == Role::Alias)?;
        if !matches!(init.kind, ExprKind::Array(..)) {
            return None;
        }
        Some(self.written_in(init, scope))
    }

    /// A type as it is written in a scope.
    fn written_in(&mut self, ty: &'u Expr, scope: Frame<'u>) -> Ty {
        let outer = std::mem::replace(&mut self.frame, scope);
        let ty = self.ty(ty);
        self.frame = outer;
        ty
    }
}
