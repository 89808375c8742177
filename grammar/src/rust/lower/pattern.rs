//! Patterns: the names that they bind.

use tree_sitter::Node;

use super::Lowering;
use super::item::binding;
use crate::nodes::named_children;
use crate::tree::{
    Expr, ExprKind, Ident, Item, ItemKind, Reference, Role, Span, Specifiers, StructuredBinding,
};

impl Lowering<'_> {
    /// The name of a pattern that is one name: `x`, `mut x`, `ref x`, `&x`.
    pub(super) fn only_name(pattern: Node<'_>) -> Option<Node<'_>> {
        let mut pattern = pattern;
        loop {
            match pattern.kind() {
                "identifier" => return Some(pattern),
                "mut_pattern" | "ref_pattern" | "reference_pattern" => {
                    pattern = named_children(pattern)
                        .into_iter()
                        .rfind(|child| child.kind() != "mutable_specifier")?;
                }
                _ => return None,
            }
        }
    }

    /// Appends the bindings of `let pattern: ty = init`.
    pub(super) fn bindings_into(
        &mut self,
        pattern: Node<'_>,
        parts: (Option<Expr>, Option<Expr>),
        mutable: bool,
        span: Span,
        items: &mut Vec<Item>,
    ) {
        let (ty, init) = parts;
        let mutable = mutable || Self::is_mutable(pattern);
        if let Some(name) = Self::only_name(pattern) {
            let mut bound = binding(Role::Var, Some(self.ident(name)), span);
            bound.ty = Some(ty.unwrap_or(Expr::new(ExprKind::Auto, span)));
            bound.init = init;
            bound.specifiers.constant = !mutable;
            items.push(Item::new(ItemKind::Binding(Box::new(bound)), span));
            return;
        }
        if let Some((names, members)) = self.names_and_members(pattern) {
            let mutable = mutable || named_children(pattern).into_iter().any(Self::is_mutable);
            let bound = StructuredBinding {
                names,
                members,
                init,
                reference: Reference::None,
                specifiers: Specifiers {
                    constant: !mutable,
                    ..Specifiers::default()
                },
            };
            items.push(Item::new(
                ItemKind::StructuredBinding(Box::new(bound)),
                span,
            ));
            return;
        }
        if let Some(init) = init {
            let place = init.span;
            items.push(Item::new(ItemKind::Expr(init), place));
        }
        self.parts_of_pattern_into(pattern, items);
    }

    /// Appends a binding without a known value for each name in a pattern.
    pub(super) fn parts_of_pattern_into(&mut self, pattern: Node<'_>, items: &mut Vec<Item>) {
        for name in bound_names(pattern) {
            let span = self.span(name);
            let mut bound = binding(Role::Var, Some(self.ident(name)), span);
            bound.ty = Some(Expr::new(ExprKind::Auto, span));
            bound.init = Some(Expr::new(ExprKind::Opaque("part of a pattern"), span));
            bound.specifiers.constant = true;
            items.push(Item::new(ItemKind::Binding(Box::new(bound)), span));
        }
    }

    /// The pattern inside of `Some(x)`, `Some((a, b))` or `Ok(x)`.
    pub(super) fn content_of<'n>(&self, pattern: Node<'n>) -> Option<Node<'n>> {
        if pattern.kind() != "tuple_struct_pattern" {
            return None;
        }
        let ty = pattern.child_by_field_name("type")?;
        if !matches!(self.text(ty).rsplit("::").next()?, "Some" | "Ok") {
            return None;
        }
        let parts = named_children(pattern).into_iter();
        let mut parts = parts.filter(|part| part.id() != ty.id() && !part.is_extra());
        let content = parts.next().filter(|_| parts.next().is_none())?;
        (Self::only_name(content).is_some() || self.flat_names(content).is_some())
            .then_some(content)
    }

    /// Appends the bindings of the content of an option.
    pub(super) fn content_into(
        &mut self,
        content: Node<'_>,
        value: Expr,
        span: Span,
        items: &mut Vec<Item>,
    ) {
        self.bindings_into(content, (None, Some(value)), false, span, items);
    }

    /// The names of `(a, _, b)`; of `Tile { row, col: c, .. }` the members, too.
    fn names_and_members(&self, pattern: Node<'_>) -> Option<(Vec<Ident>, Vec<Ident>)> {
        match pattern.kind() {
            "struct_pattern" => {
                let mut found = (Vec::new(), Vec::new());
                for field in named_children(pattern) {
                    if field.kind() != "field_pattern" {
                        continue;
                    }
                    let member = field.child_by_field_name("name")?;
                    let name = match field.child_by_field_name("pattern") {
                        Some(inner) => Self::only_name(inner)?,
                        None => member,
                    };
                    found.0.push(self.ident(name));
                    found.1.push(self.ident(member));
                }
                (!found.0.is_empty()).then_some(found)
            }
            _ => Some((self.flat_names(pattern)?, Vec::new())),
        }
    }

    /// The names of `(a, _, b)`.
    fn flat_names(&self, pattern: Node<'_>) -> Option<Vec<Ident>> {
        if pattern.kind() != "tuple_pattern" {
            return None;
        }
        let mut cursor = pattern.walk();
        let mut names = Vec::new();
        for child in pattern.children(&mut cursor) {
            match child.kind() {
                "(" | ")" | "," => {}
                "_" => names.push(self.ident(child)),
                _ => names.push(self.ident(Self::only_name(child)?)),
            }
        }
        Some(names)
    }
}

/// The identifiers that a pattern binds, to the extent that its form tells: one that starts with a capital
/// letter is a constant or a variant.
fn bound_names(pattern: Node<'_>) -> Vec<Node<'_>> {
    let mut names = Vec::new();
    let mut rest = vec![pattern];
    while let Some(node) = rest.pop() {
        match node.kind() {
            "identifier" | "shorthand_field_identifier" => names.push(node),
            "scoped_identifier"
            | "scoped_type_identifier"
            | "type_arguments"
            | "macro_invocation" => {}
            _ => {
                let skipped = node.child_by_field_name("type").map(|ty| ty.id());
                let inner = named_children(node).into_iter().rev();
                rest.extend(inner.filter(|child| Some(child.id()) != skipped));
            }
        }
    }
    names
}
