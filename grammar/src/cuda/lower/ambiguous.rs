//! Statements that read as expressions, too: what could be a declaration is one ([stmt.ambig]).

use tree_sitter::Node;

use super::{Lowering, has_token, named_children};
use crate::tree::{Binding, Expr, ExprKind, ItemKind, Reference, Role, Specifiers};

impl Lowering<'_> {
    /// `int (*rows)[40] = x`, which the grammar takes for an assignment to an element of `int(*rows)`.
    pub(super) fn pointer_to_array(&mut self, statement: Node<'_>) -> Option<ItemKind> {
        let assignment = statement.named_child(0)?;
        if assignment.kind() != "assignment_expression" || !has_token(assignment, "=") {
            return None;
        }
        let mut target = assignment.child_by_field_name("left")?;
        let value = assignment.child_by_field_name("right")?;
        // The last extent first.
        let mut extents = Vec::new();
        while target.kind() == "subscript_expression" {
            extents.push(target.child_by_field_name("indices")?);
            target = target.child_by_field_name("argument")?;
        }
        if extents.is_empty() || target.kind() != "call_expression" {
            return None;
        }
        let base = target.child_by_field_name("function")?;
        let args = named_children(target.child_by_field_name("arguments")?);
        let [pointer] = args.as_slice() else {
            return None;
        };
        let name = pointer.child_by_field_name("argument")?;
        let is_declaration = base.kind() == "primitive_type"
            && pointer.kind() == "pointer_expression"
            && has_token(*pointer, "*")
            && name.kind() == "identifier";
        if !is_declaration {
            return None;
        }
        let place = self.span(statement);
        let mut ty = self.expr(base);
        for extent in extents {
            let mut sizes = self.listed(extent);
            let size = (sizes.len() == 1).then(|| sizes.pop()).flatten()?;
            let kind = ExprKind::Array(Box::new(ty), Some(Box::new(size)));
            ty = Expr::new(kind, place);
        }
        Some(ItemKind::Binding(Box::new(Binding {
            role: Role::Var,
            name: Some(self.ident(name)),
            tparams: Vec::new(),
            special_args: None,
            scope: None,
            ty: Some(Expr::new(ExprKind::Pointer(Box::new(ty)), place)),
            reference: Reference::None,
            init: Some(self.expr(value)),
            specifiers: Specifiers::default(),
            alignas: Vec::new(),
            bits: None,
            span: place,
        })))
    }
}
