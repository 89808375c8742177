//! Preprocessor directives. Nothing is expanded or decided here: definitions and all branches are
//! kept for whoever knows which macros are set.

use tree_sitter::Node;

use super::super::{fragment, only_decorates};
use super::declaration::fields;
use super::{Context, Lowering, has_token, named_children};
use crate::tree::{
    Branch, Condition, Conditional, Define, Expr, ExprKind, Ident, Include, Item, ItemKind, Span,
};

impl Lowering<'_> {
    pub(super) fn preprocessor_into(
        &mut self,
        node: Node<'_>,
        place: Context,
        items: &mut Vec<Item>,
    ) {
        let kind = match node.kind() {
            "preproc_include" => self.include(node),
            "preproc_def" | "preproc_function_def" => self.define(node),
            "preproc_call" => self.other_directive(node),
            "preproc_if" | "preproc_ifdef" => Some(self.conditional(node, place)),
            // A branch without its `#if`, inside an error.
            "preproc_elif" | "preproc_elifdef" | "preproc_else" => {
                self.branch_into(node, place, items);
                None
            }
            _ => None,
        };
        items.extend(kind.map(|kind| Item::new(kind, self.span(node))));
    }

    fn include(&self, node: Node<'_>) -> Option<ItemKind> {
        let path = node.child_by_field_name("path")?;
        let system = match path.kind() {
            "system_lib_string" => true,
            "string_literal" => false,
            _ => return None,
        };
        // Without its quotes or brackets, each one byte long.
        let place = self.span(path);
        let inside = Span::new(place.start + 1, place.end.saturating_sub(1));
        let text = self.text(path);
        let name = text
            .get(1..text.len().saturating_sub(1))
            .unwrap_or_default()
            .to_owned();
        let path = Ident { name, span: inside };
        Some(ItemKind::Include(Include { path, system }))
    }

    fn define(&mut self, node: Node<'_>) -> Option<ItemKind> {
        let name = self.ident(node.child_by_field_name("name")?);
        let list = node.child_by_field_name("parameters");
        let variadic = list.is_some_and(|list| has_token(list, "..."));
        let params = list.map(|list| {
            let names = named_children(list);
            names
                .into_iter()
                .map(|name| self.ident(name))
                .collect::<Vec<_>>()
        });
        let value = node.child_by_field_name("value");
        let (body, text) = match value {
            Some(value) => self.replacement(value),
            None => (Span::new(name.span.end, name.span.end), ""),
        };
        let value = match params {
            None if !only_decorates(text) => fragment::expression_at(text, body.start),
            _ => None,
        };
        Some(ItemKind::Define(Define {
            name,
            params,
            variadic,
            body,
            value,
        }))
    }

    /// The replacement text of a macro, without the comments and white space around it.
    fn replacement(&self, value: Node<'_>) -> (Span, &str) {
        let bytes = self
            .texts
            .prepared
            .get(value.byte_range())
            .unwrap_or_default();
        let leading = bytes.len() - bytes.trim_ascii_start().len();
        let length = bytes.trim_ascii().len();
        let start = value.start_byte() + leading;
        let text = self
            .texts
            .source
            .get(start..start + length)
            .unwrap_or_default();
        let start = self.span(value).start + leading;
        (Span::new(start, start + length), text)
    }

    /// `#undef`, `#error`; others say nothing about declarations.
    fn other_directive(&self, node: Node<'_>) -> Option<ItemKind> {
        let directive = node.child_by_field_name("directive")?;
        match self.text(directive).trim_start_matches('#').trim() {
            "undef" => {}
            "error" => return Some(ItemKind::ErrorDirective),
            _ => return None,
        }
        let argument = node.child_by_field_name("argument")?;
        let name = self.text(argument).trim().to_owned();
        Some(ItemKind::Undef(Ident {
            name,
            span: self.span(argument),
        }))
    }

    fn conditional(&mut self, node: Node<'_>, place: Context) -> ItemKind {
        let mut branches = Vec::new();
        let mut rest = Some(node);
        while let Some(node) = rest.take() {
            let condition = self.branch_condition(node);
            let mut items = Vec::new();
            self.branch_into(node, place, &mut items);
            branches.push(Branch { condition, items });
            rest = node.child_by_field_name("alternative");
        }
        ItemKind::Conditional(Conditional { branches })
    }

    fn branch_condition(&mut self, node: Node<'_>) -> Condition {
        if let Some(condition) = node.child_by_field_name("condition") {
            // A condition that the grammar reads only in part says something else.
            return Condition::If(if condition.has_error() || has_stray_error(node) {
                self.unread_condition(node)
            } else {
                self.expr(condition)
            });
        }
        let Some(name) = node.child_by_field_name("name") else {
            return match node.kind() {
                "preproc_else" => Condition::Else,
                _ => Condition::If(self.unread_condition(node)),
            };
        };
        let name = self.ident(name);
        let directive = node
            .child(0)
            .map(|token| self.text(token))
            .unwrap_or_default();
        if directive.ends_with("ndef") {
            Condition::NotDefined(name)
        } else {
            Condition::Defined(name)
        }
    }

    /// The line of a condition as one expression that is not lowered.
    fn unread_condition(&self, node: Node<'_>) -> Expr {
        let mut span = self.span(node);
        span.end = span.start + condition_line(self.text(node)).len();
        Expr::new(ExprKind::Opaque("preproc_if"), span)
    }

    fn branch_into(&mut self, node: Node<'_>, place: Context, items: &mut Vec<Item>) {
        let statements: Vec<_> = fields(node)
            .into_iter()
            .filter(|(field, _)| field.is_none())
            .map(|(_, child)| child)
            .collect();
        self.items_into(&statements, place, items);
    }
}

/// The first line of a text, with those that continue it.
fn condition_line(text: &str) -> &str {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        end += line.len();
        if !line.trim_end().ends_with('\\') {
            break;
        }
    }
    text.get(..end).unwrap_or(text)
}

/// Whether an error is on the line of a condition, beside it.
fn has_stray_error(node: Node<'_>) -> bool {
    let line = node.start_position().row;
    let mut cursor = node.walk();
    let mut children = node.children(&mut cursor);
    children.any(|child| child.is_error() && child.start_position().row == line)
}
