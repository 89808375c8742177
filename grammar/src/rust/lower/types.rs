//! Types. A generic argument may be a type or a value; both are expressions.

use tree_sitter::Node;

use super::super::kind_of;
use super::Lowering;
use crate::nodes::{child_of_kind, named_children};
use crate::tree::{Expr, ExprKind};

impl Lowering<'_> {
    /// A type, or the value of a const generic.
    pub(super) fn ty(&mut self, node: Node<'_>) -> Expr {
        self.descend(|lowering| lowering.ty_inside(node))
            .unwrap_or_else(|| Expr::new(ExprKind::Opaque("beyond the limits"), self.span(node)))
    }

    fn ty_inside(&mut self, node: Node<'_>) -> Expr {
        let inner = |lowering: &mut Self| {
            let ty = node.child_by_field_name("type");
            Box::new(match ty {
                Some(ty) => lowering.ty(ty),
                None => lowering.opaque(node),
            })
        };
        let kind = match node.kind() {
            "type_identifier"
            | "primitive_type"
            | "scoped_type_identifier"
            | "generic_type"
            | "metavariable" => return self.name(node),
            "reference_type" => {
                let mutable = child_of_kind(node, "mutable_specifier").is_some();
                ExprKind::Reference(inner(self), mutable)
            }
            "pointer_type" => ExprKind::Pointer(inner(self)),
            "tuple_type" => {
                let modes = named_children(node).into_iter().filter(|n| !n.is_extra());
                ExprKind::Tuple(modes.map(|ty| self.ty(ty)).collect())
            }
            "unit_type" => ExprKind::Tuple(Vec::new()),
            "array_type" => {
                let element = match node.child_by_field_name("element") {
                    Some(element) => self.ty(element),
                    None => self.opaque(node),
                };
                let length = self.field(node, "length").map(Box::new);
                ExprKind::Array(Box::new(element), length)
            }
            "function_type" => {
                let ret = match node.child_by_field_name("return_type") {
                    Some(ret) => self.ty(ret),
                    None => Expr::new(ExprKind::Tuple(Vec::new()), self.span(node)),
                };
                let list = node.child_by_field_name("parameters");
                let params = list.map(named_children).unwrap_or_default();
                let params = params.into_iter().filter(|n| !n.is_extra());
                ExprKind::FunctionType(Box::new(ret), params.map(|ty| self.ty(ty)).collect())
            }
            "never_type"
            | "dynamic_type"
            | "abstract_type"
            | "bounded_type"
            | "removed_trait_bound" => ExprKind::Opaque(kind_of(node)),
            _ => return self.expr(node),
        };
        Expr::new(kind, self.span(node))
    }
}
