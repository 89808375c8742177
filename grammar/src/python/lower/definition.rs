//! Functions, classes and parameters.

use tree_sitter::Node;

use super::{Lowering, fields, named_children, span};
use crate::tree::{
    Binding, Expr, ExprKind, Function, FunctionFlags, Ident, Item, ItemKind, Record, RecordKind,
    Reference, Role, Span, Specifiers,
};

impl Lowering<'_> {
    /// A function or class with its decorators.
    pub(super) fn decorated(&mut self, node: Node<'_>, items: &mut Vec<Item>) {
        let decorators: Vec<Expr> = named_children(node)
            .into_iter()
            .filter(|child| child.kind() == "decorator")
            .filter_map(|child| named_children(child).into_iter().next())
            .map(|decorator| self.expr(decorator))
            .collect();
        if let Some(definition) = node.child_by_field_name("definition") {
            self.definition(definition, decorators, span(node), items);
        }
    }

    pub(super) fn definition(
        &mut self,
        node: Node<'_>,
        decorators: Vec<Expr>,
        place: Span,
        items: &mut Vec<Item>,
    ) {
        let Some(name) = node.child_by_field_name("name") else {
            return;
        };
        let name = self.ident(name);
        let kind = if node.kind() == "class_definition" {
            self.class(node, name)
        } else {
            self.function(node, name, decorators)
        };
        items.push(Item::new(kind, place));
    }

    fn function(&mut self, node: Node<'_>, name: Ident, decorators: Vec<Expr>) -> ItemKind {
        let params = node
            .child_by_field_name("parameters")
            .map(|params| self.parameters(params))
            .unwrap_or_default();
        let ret = node
            .child_by_field_name("return_type")
            .map(|ret| self.annotation(ret));
        let body = self.block(node, "body");
        ItemKind::Function(Box::new(Function {
            name,
            scope: None,
            tparams: Vec::new(),
            special_args: None,
            requires: None,
            params,
            ret,
            member_inits: Vec::new(),
            body: Some(body),
            flags: FunctionFlags::default(),
            decorators,
        }))
    }

    fn class(&mut self, node: Node<'_>, name: Ident) -> ItemKind {
        let bases = match node.child_by_field_name("superclasses") {
            Some(bases) => self.exprs(&named_children(bases)),
            None => Vec::new(),
        };
        let mut members = self.block(node, "body");
        for member in &mut members {
            if let ItemKind::Binding(binding) = &mut member.kind {
                binding.role = Role::Member;
            }
        }
        ItemKind::Record(Box::new(Record {
            kind: RecordKind::Class,
            name: Some(name),
            scope: None,
            tparams: Vec::new(),
            special_args: None,
            bases,
            members: Some(members),
            requires: None,
            alignas: Vec::new(),
        }))
    }

    /// Parameters of a function or lambda. The marks `/` and `*` between them are left out.
    pub(super) fn parameters(&mut self, node: Node<'_>) -> Vec<Binding> {
        named_children(node)
            .into_iter()
            .filter(|param| {
                !matches!(
                    param.kind(),
                    "keyword_separator" | "positional_separator" | "ERROR"
                )
            })
            .map(|param| self.parameter(param))
            .collect()
    }

    fn parameter(&mut self, node: Node<'_>) -> Binding {
        let named = node
            .child_by_field_name("name")
            .or_else(|| match node.kind() {
                "identifier" => Some(node),
                _ => named_children(node).into_iter().next(),
            });
        let (name, pack) = match named {
            Some(found) if found.kind() == "identifier" => {
                let splat = node.kind().ends_with("splat_pattern");
                (Some(self.ident(found)), splat)
            }
            Some(found) if found.kind().ends_with("splat_pattern") => {
                let inner = named_children(found).into_iter().next();
                (inner.map(|inner| self.ident(inner)), true)
            }
            _ => (None, false),
        };
        let ty = node
            .child_by_field_name("type")
            .map(|ty| self.annotation(ty));
        let init = node
            .child_by_field_name("value")
            .map(|init| self.expr(init));
        Binding {
            role: Role::Param,
            specifiers: Specifiers {
                pack,
                ..Specifiers::default()
            },
            ..binding(name, ty, init, span(node))
        }
    }

    /// The type of an annotation.
    pub(super) fn annotation(&mut self, node: Node<'_>) -> Expr {
        match named_children(node).as_slice() {
            [only] if node.kind() == "type" => self.annotation(*only),
            // `Constexpr[int]` where the grammar takes it for a generic type.
            [name, params] if node.kind() == "generic_type" => {
                let object = Box::new(self.expr(*name));
                let args = named_children(*params)
                    .into_iter()
                    .map(|param| self.annotation(param))
                    .collect();
                Expr::new(ExprKind::Index(object, args), span(node))
            }
            _ => self.expr(node),
        }
    }

    /// `global x`: the name of an outer scope.
    pub(super) fn outer_names(&self, node: Node<'_>, items: &mut Vec<Item>) {
        for name in named_children(node) {
            let declared = Binding {
                specifiers: Specifiers {
                    is_extern: true,
                    ..Specifiers::default()
                },
                ..binding(Some(self.ident(name)), None, None, span(name))
            };
            let kind = ItemKind::Binding(Box::new(declared));
            items.push(Item::new(kind, span(name)));
        }
    }

    /// The names that a pattern binds, each to something that is not lowered.
    pub(super) fn captured(&mut self, pattern: Node<'_>, items: &mut Vec<Item>) {
        let mut open = vec![pattern];
        while let Some(node) = open.pop() {
            let is_name = node.kind() == "identifier"
                || (node.kind() == "dotted_name" && node.named_child_count() == 1);
            if is_name {
                let init = Expr::new(ExprKind::Opaque("pattern"), span(node));
                let bound = binding(Some(self.ident(node)), None, Some(init), span(node));
                items.push(Item::new(ItemKind::Binding(Box::new(bound)), span(node)));
            } else {
                open.extend(named_children(node));
            }
        }
    }

    /// The items of a `match`'s cases.
    pub(super) fn cases(&mut self, node: Node<'_>) -> Vec<crate::tree::SwitchCase> {
        let block = node.child_by_field_name("body");
        let clauses = block.map(named_children).unwrap_or_default();
        clauses
            .into_iter()
            .filter(|clause| clause.kind() == "case_clause")
            .map(|clause| {
                let mut body = Vec::new();
                for pattern in named_children(clause)
                    .into_iter()
                    .filter(|child| child.kind() == "case_pattern")
                {
                    self.captured(pattern, &mut body);
                }
                for consequence in fields(clause, "consequence") {
                    body.append(&mut self.body(consequence));
                }
                crate::tree::SwitchCase { value: None, body }
            })
            .collect()
    }
}

/// A name bound to a value; without an annotation its type is that of the value.
pub(super) fn binding(
    name: Option<Ident>,
    ty: Option<Expr>,
    init: Option<Expr>,
    place: Span,
) -> Binding {
    let start = name.as_ref().map_or(place.start, |name| name.span.start);
    let auto = Expr::new(ExprKind::Auto, Span::new(start, start));
    Binding {
        role: Role::Var,
        name,
        tparams: Vec::new(),
        special_args: None,
        scope: None,
        ty: Some(ty.unwrap_or(auto)),
        reference: Reference::None,
        init,
        specifiers: Specifiers::default(),
        alignas: Vec::new(),
        bits: None,
        span: place,
    }
}
