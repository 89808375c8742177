//! Names of array types: the interpreter has the pointer to the first element for them.

use tree_sitter_cute::tree::Expr;

use super::super::exact_types::Layer;
use super::super::frame::Frame;
use super::Walker;
use super::held::{Count, Ty};

impl<'u> Walker<'_, 'u> {
    /// The array type that a name is an alias of, or that a type trait makes, where it is one.
    pub(super) fn array_of_alias(&mut self, ty: &'u Expr, mut frame: Frame<'u>) -> Option<Ty> {
        if let Some((array, scope)) = self.it.array_behind(ty, &mut frame) {
            let outer = std::mem::replace(&mut self.frame, scope);
            let ty = self.ty(array);
            self.frame = outer;
            return Some(ty);
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
}
