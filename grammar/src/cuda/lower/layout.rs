//! The parts around a class or a member that place members: `alignas`, attributes, access.

use tree_sitter::Node;

use super::{Lowering, child_of_kind, children, named_children};
use crate::tree::{Expr, ExprKind, Item, ItemKind, Span};

/// Attributes that place members in a way that is not followed.
const UNFOLLOWED: &[&str] = &[
    "packed",
    "vector_size",
    "ext_vector_type",
    "mode",
    "ms_struct",
    "gcc_struct",
];

impl Lowering<'_> {
    /// Operands of `alignas` and `aligned` among the specifiers of a declaration or the head of a record.
    pub(super) fn alignments(&mut self, node: Node<'_>) -> Vec<Expr> {
        let mut operands = Vec::new();
        for child in children(node) {
            let qualifier = match child.kind() {
                "alignas_qualifier" => Some(child),
                "type_qualifier" => child_of_kind(child, "alignas_qualifier"),
                _ => None,
            };
            if let Some(operand) = qualifier.and_then(|qualifier| qualifier.named_child(0)) {
                operands.push(self.expr(operand));
            }
            operands.extend(self.attribute_alignments(child));
        }
        operands
    }

    /// The same of an attribute, `__attribute__((aligned(8)))` or `[[gnu::aligned(8)]]`.
    pub(super) fn attribute_alignments(&mut self, node: Node<'_>) -> Vec<Expr> {
        let mut operands = Vec::new();
        for (name, args) in attributes(node) {
            let word = self.text(name).trim_matches('_');
            if word == "aligned" {
                let operand = args.and_then(|args| args.named_child(0));
                operands.push(match operand {
                    Some(operand) => self.expr(operand),
                    // The strictest alignment of the machine.
                    None => self.unfollowed("aligned", name),
                });
            } else if let Some(word) = UNFOLLOWED.iter().find(|known| **known == word) {
                operands.push(self.unfollowed(word, name));
            }
        }
        operands
    }

    /// The type of a `typedef` with such an attribute.
    pub(super) fn unfollowed_type(attribute: &Expr) -> Expr {
        Expr::new(ExprKind::Opaque("a type with an attribute"), attribute.span)
    }

    fn unfollowed(&self, what: &'static str, node: Node<'_>) -> Expr {
        Expr::new(ExprKind::Opaque(what), self.span(node))
    }

    pub(super) fn has_no_unique_address(&self, node: Node<'_>) -> bool {
        children(node)
            .into_iter()
            .flat_map(attributes)
            .any(|(name, _)| self.text(name) == "no_unique_address")
    }

    /// The parts that place the members of a record in a way that is not followed.
    pub(super) fn unfollowed_placing(
        &self,
        record: Node<'_>,
        bases: Option<Node<'_>>,
    ) -> Option<Expr> {
        let has_virtual_base = bases.is_some_and(|bases| {
            children(bases)
                .iter()
                .any(|child| child.kind() == "virtual" || self.text(*child).ends_with("virtual"))
        });
        if has_virtual_base {
            return Some(self.unfollowed("a virtual base", record));
        }
        self.is_packed
            .then(|| self.unfollowed("`#pragma pack`", record))
    }

    /// Marks the members of a record that are not public; those of a class are not where nothing is said.
    pub(super) fn hide_members(&self, body: Node<'_>, hidden: bool, members: &mut [Item]) {
        let mut changes = Vec::new();
        self.accesses(body, &mut changes);
        if hidden || !changes.is_empty() {
            hide(members, hidden, &changes);
        }
    }

    /// The places where members become public or not, those inside `#if` included.
    fn accesses(&self, body: Node<'_>, changes: &mut Vec<(usize, bool)>) {
        for child in named_children(body) {
            let kind = child.kind();
            if kind == "access_specifier" {
                let place: Span = self.span(child);
                changes.push((place.start, !self.text(child).starts_with("public")));
            } else if kind.starts_with("preproc_") {
                self.accesses(child, changes);
            }
        }
    }
}

fn hide(members: &mut [Item], hidden: bool, changes: &[(usize, bool)]) {
    for member in members {
        let before = changes.partition_point(|(at, _)| *at < member.span.start);
        let last = before.checked_sub(1).and_then(|last| changes.get(last));
        let hidden = last.map_or(hidden, |(_, hidden)| *hidden);
        match &mut member.kind {
            ItemKind::Binding(binding) => binding.specifiers.hidden = hidden,
            ItemKind::Conditional(conditional) => {
                for branch in &mut conditional.branches {
                    hide(&mut branch.items, hidden, changes);
                }
            }
            _ => {}
        }
    }
}

/// The names of the attributes in a node, each with its arguments.
fn attributes(node: Node<'_>) -> Vec<(Node<'_>, Option<Node<'_>>)> {
    match node.kind() {
        "attribute_specifier" => named_children(node)
            .into_iter()
            .flat_map(named_children)
            .map(|attribute| match attribute.kind() {
                "call_expression" => (
                    attribute
                        .child_by_field_name("function")
                        .unwrap_or(attribute),
                    attribute.child_by_field_name("arguments"),
                ),
                _ => (attribute, None),
            })
            .collect(),
        "attribute_declaration" => named_children(node)
            .into_iter()
            .filter_map(|attribute| {
                let name = attribute.child_by_field_name("name")?;
                Some((name, child_of_kind(attribute, "argument_list")))
            })
            .collect(),
        _ => Vec::new(),
    }
}
