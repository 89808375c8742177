//! Names: paths with their generic arguments.

use tree_sitter::Node;

use super::Lowering;
use crate::nodes::named_children;
use crate::tree::{Expr, ExprKind, Path, Qualifier, Segment};

impl Lowering<'_> {
    /// A name as an expression.
    pub(super) fn name(&mut self, node: Node<'_>) -> Expr {
        let path = self.path(node);
        Expr::new(ExprKind::Name(path), self.span(node))
    }

    /// `a::b::<4>::c`, `L<C<8>, T>`, `<T as Trait>::N`; `crate`, `self` and `super` are names.
    pub(super) fn path(&mut self, node: Node<'_>) -> Path {
        let mut segments = Vec::new();
        let mut args = None;
        let mut qualifier = Qualifier::None;
        let mut next = Some(node);
        while let Some(node) = next.take() {
            match node.kind() {
                "scoped_identifier" | "scoped_type_identifier" => {
                    if let Some(name) = node.child_by_field_name("name") {
                        segments.push(Segment {
                            name: self.ident(name),
                            args: args.take(),
                        });
                    }
                    next = node.child_by_field_name("path");
                    if next.is_none() {
                        qualifier = Qualifier::Global;
                    }
                }
                "generic_type" | "generic_type_with_turbofish" | "generic_function" => {
                    let list = node.child_by_field_name("type_arguments");
                    args = list.map(|list| self.generic_args(list));
                    next = node
                        .child_by_field_name("type")
                        .or(node.child_by_field_name("function"));
                }
                "bracketed_type" => {
                    let inner = node.named_child(0);
                    let inner = inner.map(|ty| match ty.kind() {
                        "qualified_type" => ty.child_by_field_name("type").unwrap_or(ty),
                        _ => ty,
                    });
                    if let Some(inner) = inner {
                        qualifier = Qualifier::Type(Box::new(self.ty(inner)));
                    }
                }
                _ => segments.push(Segment {
                    name: self.ident(node),
                    args: args.take(),
                }),
            }
        }
        segments.reverse();
        Path {
            qualifier,
            segments,
        }
    }

    /// `<A, 8, { N * 2 }, Item = B>`; lifetimes and bounds are left out.
    pub(super) fn generic_args(&mut self, list: Node<'_>) -> Vec<Expr> {
        let mut args = Vec::new();
        for child in named_children(list) {
            if child.is_extra() || matches!(child.kind(), "lifetime" | "trait_bounds") {
                continue;
            }
            args.push(match child.kind() {
                "type_binding" => match (self.name_of(child), child.child_by_field_name("type")) {
                    (Some(name), Some(ty)) => {
                        let ty = Box::new(self.ty(ty));
                        Expr::new(ExprKind::Designated(name, ty), self.span(child))
                    }
                    _ => self.opaque(child),
                },
                _ => self.ty(child),
            });
        }
        args
    }
}
