//! Types that only the instance says, but that are integers in every instance: `index_t` where a variable of it is an
//! operand of `%`, `<<`, `&` or `++`, or a subscript. Its numbers are those of its initial values: an instance whose type cannot
//! hold them is not followed.

use std::sync::Arc;

use tree_sitter_cute::tree::{BinaryOp, Binding, Expr, ExprKind, Item, ItemKind, Path};

use super::held::Ty;
use super::{OpenNames, Walker};
use crate::hash::HashMap;
use crate::walk;

impl<'u> Walker<'_, 'u> {
    /// The type of a variable; that of its initial value where it is an integer type which only the instance says.
    pub(super) fn declared_type(&mut self, binding: &'u Binding) -> Ty {
        let Some(written) = &binding.ty else {
            return Ty::Auto;
        };
        let ty = self.ty(written);
        let is_integral = plain_type(written)
            .is_some_and(|name| self.names.integral.iter().any(|known| **known == *name));
        if matches!(ty, Ty::Open(..)) && is_integral && binding.init.is_some() {
            return Ty::Auto;
        }
        ty
    }
}

/// Names of types.
pub(super) type Names = Arc<[Arc<str>]>;

impl OpenNames {
    /// Begins the statements of another function: the types that were integers in the one before.
    pub(super) fn enter(&mut self, body: &[Item]) -> Names {
        let known = self
            .integral_in
            .entry(body.as_ptr())
            .or_insert_with(|| integral_types(body).into());
        std::mem::replace(&mut self.integral, Arc::clone(known))
    }
}

/// The types of variables of a body that are integers in every instance, by name.
fn integral_types(body: &[Item]) -> Vec<Arc<str>> {
    let mut declared: HashMap<&str, Option<&str>> = HashMap::default();
    walk::items(body, &mut |item| {
        if let ItemKind::Binding(binding) = &item.kind
            && let Some(name) = &binding.name
        {
            let ty = binding.ty.as_ref().and_then(plain_type);
            // A name that is declared with two types says nothing of either.
            declared
                .entry(&name.name)
                .and_modify(|known| *known = known.filter(|known| Some(*known) == ty))
                .or_insert(ty);
        }
    });
    let mut found: Vec<Arc<str>> = Vec::new();
    let mut operand = |expr: &Expr| {
        let ty = expr.as_plain_name().and_then(|name| *declared.get(name)?);
        if let Some(ty) = ty
            && !found.iter().any(|known| **known == *ty)
        {
            found.push(ty.into());
        }
    };
    walk::expressions(body, &mut |expr| match &expr.kind {
        ExprKind::Binary(
            BinaryOp::Rem | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor,
            left,
            right,
        ) => {
            operand(left);
            operand(right);
        }
        // Anything may be written to a stream.
        ExprKind::Binary(BinaryOp::Shl | BinaryOp::Shr, left, _) => operand(left),
        ExprKind::Index(_, indices) => indices.iter().for_each(&mut operand),
        ExprKind::Unary(op, counter) if op.is_step() => operand(counter),
        _ => {}
    });
    found
}

/// A type that is one name, `const` or not.
fn plain_type(ty: &Expr) -> Option<&str> {
    match &ty.kind {
        ExprKind::Const(inner) => plain_type(inner),
        ExprKind::Name(path) => name_of(path),
        _ => None,
    }
}

fn name_of(path: &Path) -> Option<&str> {
    match path.segments.as_slice() {
        [only] if only.args.is_none() => Some(&only.name.name),
        _ => None,
    }
}
