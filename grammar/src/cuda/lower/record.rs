//! Structs, classes, unions and enums.

use tree_sitter::Node;

use super::name::is_name;
use super::template::Head;
use super::{Context, Lowering, child_of_kind, children, has_token, named_children};
use crate::tree::{Enum, Enumerator, Expr, ExprKind, Item, ItemKind, Record, RecordKind};

impl Lowering<'_> {
    /// A record or enum, defined or declared.
    pub(super) fn definition_into(&mut self, node: Node<'_>, head: Head, items: &mut Vec<Item>) {
        let whole = head.span.unwrap_or(self.span(node));
        let kind = match node.kind() {
            "enum_specifier" => ItemKind::Enum(self.enumeration(node)),
            "class_specifier" => self.record(node, RecordKind::Class, head),
            "union_specifier" => self.record(node, RecordKind::Union, head),
            _ => self.record(node, RecordKind::Struct, head),
        };
        items.push(Item::new(kind, whole));
    }

    fn record(&mut self, node: Node<'_>, kind: RecordKind, head: Head) -> ItemKind {
        let declared = node
            .child_by_field_name("name")
            .map(|name| self.declared_path(name));
        let (scope, name) = declared.unwrap_or_default();
        let (name, special_args) = match name {
            Some(segment) => (Some(segment.name), segment.args),
            None => (None, None),
        };
        let bases = child_of_kind(node, "base_class_clause");
        let body = node.child_by_field_name("body");
        let mut alignas = self.alignments(node);
        alignas.extend(self.unfollowed_placing(node, bases));
        let mut members = body.map(|body| self.items(body, Context::Record));
        if let (Some(body), Some(members)) = (body, &mut members) {
            self.hide_members(body, kind == RecordKind::Class, members);
        }
        ItemKind::Record(Box::new(Record {
            kind,
            name,
            scope,
            tparams: head.tparams,
            special_args,
            requires: head.requires,
            alignas,
            bases: bases.map(|clause| self.bases(clause)).unwrap_or_default(),
            members,
        }))
    }

    fn bases(&mut self, clause: Node<'_>) -> Vec<Expr> {
        let mut bases: Vec<Expr> = Vec::new();
        for node in children(clause) {
            if is_name(node) {
                bases.push(self.name(node));
            } else if node.kind() == "..."
                && let Some(base) = bases.pop()
            {
                let place = base.span.to(self.span(node));
                bases.push(Expr::new(ExprKind::Expand(Box::new(base)), place));
            }
        }
        bases
    }

    fn enumeration(&mut self, node: Node<'_>) -> Enum {
        let base = node.child_by_field_name("base").map(|base| self.expr(base));
        let mut enumerators: Vec<Enumerator> = Vec::new();
        // Values behind an `#if` depend on how many it leaves before them.
        let mut counted = true;
        let body = node.child_by_field_name("body");
        for child in body.map(named_children).unwrap_or_default() {
            if child.kind() != "enumerator" {
                counted = false;
                continue;
            }
            let Some(name) = child.child_by_field_name("name") else {
                continue;
            };
            let value = child
                .child_by_field_name("value")
                .map(|value| self.expr(value));
            let value = match value {
                None if !counted => Some(Expr::new(
                    ExprKind::Opaque("enumerator after #if"),
                    self.span(child),
                )),
                value => value,
            };
            counted = true;
            enumerators.push(Enumerator {
                name: self.ident(name),
                value,
            });
        }
        Enum {
            name: node
                .child_by_field_name("name")
                .map(|name| self.simple_name(name)),
            scoped: has_token(node, "class") || has_token(node, "struct"),
            base,
            enumerators,
        }
    }
}
