//! Concepts, `requires` clauses and `requires` expressions.

use tree_sitter::Node;

use super::template::Head;
use super::{Lowering, child_of_kind, children, named_children};
use crate::tree::{
    BinaryOp, Binding, Expr, ExprKind, Item, ItemKind, Reference, Requirement, Requires, Role,
    Specifiers,
};

impl Lowering<'_> {
    /// The requirement of a `requires` clause.
    pub(super) fn requires(&mut self, clause: Node<'_>) -> Expr {
        let constraint = children(clause).into_iter().find(Node::is_named);
        match constraint {
            Some(constraint) => self.expr(constraint),
            None => self.opaque(clause),
        }
    }

    /// `A && B`, `A || B` in a `requires` clause.
    pub(super) fn constraints(&mut self, node: Node<'_>, op: BinaryOp) -> ExprKind {
        match named_children(node).as_slice() {
            [left, right] => {
                let (left, right) = (self.expr(*left), self.expr(*right));
                ExprKind::Binary(op, Box::new(left), Box::new(right))
            }
            _ => ExprKind::Opaque(super::super::kind_of(node)),
        }
    }

    /// `requires (T t) { .. }`
    pub(super) fn requires_expression(&mut self, node: Node<'_>) -> ExprKind {
        let params = node.child_by_field_name("parameters");
        let params = params.map(|list| self.params(list).params);
        let body = node.child_by_field_name("requirements");
        let mut requirements = Vec::new();
        for requirement in body.map(named_children).unwrap_or_default() {
            if requirement.kind() != "comment" {
                requirements.push(self.requirement(requirement));
            }
        }
        ExprKind::Requires(Box::new(Requires {
            params: params.unwrap_or_default(),
            requirements,
        }))
    }

    fn requirement(&mut self, node: Node<'_>) -> Requirement {
        let inner = named_children(node);
        match (node.kind(), inner.as_slice()) {
            ("type_requirement", [ty]) => Requirement::Type(self.expr(*ty)),
            ("simple_requirement" | "expression_statement", [expr]) => {
                let is_nested = starts_with_clause(*expr);
                let expr = self.expr(*expr);
                if is_nested {
                    Requirement::Holds(expr)
                } else {
                    Requirement::Valid(expr, None)
                }
            }
            ("requires_clause", _) => Requirement::Holds(self.requires(node)),
            ("compound_requirement", [expr, rest @ ..]) => {
                let constraint = child_of_kind(node, "trailing_return_type");
                let constraint = constraint.and_then(|it| self.constraint_of_result(it));
                let is_other = rest.iter().any(|it| it.kind() != "trailing_return_type");
                if is_other {
                    return Requirement::Holds(self.opaque(node));
                }
                Requirement::Valid(self.expr(*expr), constraint)
            }
            _ => Requirement::Holds(self.opaque(node)),
        }
    }

    /// The `C<A>` of `{ expr } -> C<A>;`
    fn constraint_of_result(&mut self, node: Node<'_>) -> Option<Expr> {
        let mut ty = node.named_child(0)?;
        while ty.kind() == "type_descriptor" {
            ty = ty.named_child(0)?;
        }
        Some(self.expr(ty))
    }

    /// The requirements of the constraints of placeholders: `C<decltype(x)>` of a parameter `C auto x`.
    pub(super) fn constrained_placeholders(
        &mut self,
        list: Node<'_>,
        params: &[Binding],
    ) -> Option<Expr> {
        let nodes = named_children(list);
        let nodes = nodes
            .into_iter()
            .filter(|node| node.kind().ends_with("parameter_declaration"));
        let mut all = None;
        for (node, param) in nodes.zip(params) {
            let ty = node.child_by_field_name("type");
            let constraint = ty
                .filter(|ty| ty.kind() == "placeholder_type_specifier")
                .and_then(|ty| ty.child_by_field_name("constraint"));
            let Some(constraint) = constraint else {
                continue;
            };
            let place = self.span(constraint);
            let mut asked = self.expr(constraint);
            match (&mut asked.kind, &param.name) {
                (ExprKind::Name(path), Some(name)) => {
                    let subject = Expr::plain_name(&name.name, place);
                    let subject = Expr::new(ExprKind::Decltype(Box::new(subject)), place);
                    if let Some(last) = path.segments.last_mut() {
                        last.args.get_or_insert_default().insert(0, subject);
                    }
                }
                _ => asked = self.opaque(constraint),
            }
            all = all_of([all, Some(asked)]);
        }
        all
    }

    /// `concept C = constraint;`
    pub(super) fn concept(&mut self, node: Node<'_>, head: &Head) -> Option<Item> {
        let name = node.child_by_field_name("name")?;
        let constraint = named_children(node).into_iter().next_back()?;
        let init = (constraint != name).then(|| self.expr(constraint));
        let whole = head.span.unwrap_or(self.span(node));
        let binding = Binding {
            role: Role::Var,
            name: Some(self.ident(name)),
            tparams: head.tparams.clone(),
            special_args: None,
            scope: None,
            ty: Some(Expr::new(ExprKind::Auto, self.span(name))),
            reference: Reference::None,
            init,
            specifiers: Specifiers {
                constexpr: true,
                concept: true,
                ..Specifiers::default()
            },
            alignas: Vec::new(),
            bits: None,
            span: self.span(node),
        };
        Some(Item::new(ItemKind::Binding(Box::new(binding)), whole))
    }
}

/// Whether a requirement is a nested one, `requires condition;`, which the grammar reads as an expression that starts
/// with a clause.
fn starts_with_clause(node: Node<'_>) -> bool {
    let mut first = Some(node);
    while let Some(node) = first {
        match node.kind() {
            "requires_clause" => return true,
            "requires_expression" => return false,
            _ => first = node.child(0),
        }
    }
    false
}

/// One condition for all that are there.
pub(super) fn all_of<const N: usize>(conditions: [Option<Expr>; N]) -> Option<Expr> {
    conditions.into_iter().flatten().reduce(|before, next| {
        let place = before.span.to(next.span);
        let both = ExprKind::Binary(BinaryOp::And, Box::new(before), Box::new(next));
        Expr::new(both, place)
    })
}
