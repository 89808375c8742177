//! Templates: heads, parameters, explicit instantiations.

use tree_sitter::Node;

use super::{Context, Lowering, has_token, named_children};
use crate::tree::{Expr, Instantiation, Item, ItemKind, Span, TemplateParam, TemplateParamKind};

/// The template heads before a templated declaration.
#[derive(Clone, Default)]
pub(super) struct Head {
    pub(super) tparams: Vec<TemplateParam>,
    pub(super) requires: Option<Expr>,
    /// `template <>`: an explicit specialisation follows.
    pub(super) specialised: bool,
    /// The whole templated declaration; `None` when there is no head.
    pub(super) span: Option<Span>,
}

impl Lowering<'_> {
    /// `template <..> template <..> declaration`
    pub(super) fn template_into(&mut self, node: Node<'_>, place: Context, items: &mut Vec<Item>) {
        let mut head = Head {
            span: Some(self.span(node)),
            ..Head::default()
        };
        let mut rest = Some(node);
        while let Some(node) = rest.take() {
            for child in named_children(node) {
                match child.kind() {
                    "template_parameter_list" => {
                        let tparams = self.template_params(child);
                        head.specialised |= tparams.is_empty();
                        head.tparams.extend(tparams);
                    }
                    "requires_clause" => head.requires = Some(self.requires(child)),
                    "template_declaration" => rest = Some(child),
                    _ => self.headed_item_into(child, place, &head, items),
                }
            }
        }
    }

    pub(super) fn template_params(&mut self, list: Node<'_>) -> Vec<TemplateParam> {
        let nodes = named_children(list);
        nodes
            .into_iter()
            .filter_map(|node| self.template_param(node))
            .collect()
    }

    fn template_param(&mut self, node: Node<'_>) -> Option<TemplateParam> {
        let kind = match node.kind() {
            "type_parameter_declaration"
            | "optional_type_parameter_declaration"
            | "variadic_type_parameter_declaration" => TemplateParamKind::Type,
            "template_template_parameter_declaration" => {
                let inner = named_children(node).pop()?;
                let mut param = self.descend(|lowering| lowering.template_param(inner))??;
                param.kind = TemplateParamKind::Template;
                param.span = self.span(node);
                return Some(param);
            }
            "parameter_declaration"
            | "optional_parameter_declaration"
            | "variadic_parameter_declaration" => {
                let param = self.param(node);
                return Some(TemplateParam {
                    kind: TemplateParamKind::Value(param.ty?),
                    name: param.name,
                    default: param.init,
                    pack: param.specifiers.pack,
                    span: param.span,
                });
            }
            _ => return None,
        };
        let default = node.child_by_field_name("default_type");
        let name = node.child_by_field_name("name").or_else(|| {
            named_children(node)
                .into_iter()
                .find(|n| n.kind() == "type_identifier" && Some(*n) != default)
        });
        Some(TemplateParam {
            kind,
            name: name.map(|name| self.ident(name)),
            default: default.map(|ty| self.expr(ty)),
            pack: node.kind() == "variadic_type_parameter_declaration",
            span: self.span(node),
        })
    }

    /// `template class Foo<1>;` and `template void run<1>(int);`
    pub(super) fn instantiation(&mut self, node: Node<'_>) -> Option<Item> {
        let declarator = node
            .child_by_field_name("declarator")
            .filter(|d| !d.is_missing());
        let (target, params) = match declarator {
            Some(declarator) => {
                let declared = self.declarator(Some(declarator), None, false);
                let list = declared
                    .function
                    .and_then(|f| f.child_by_field_name("parameters"));
                let params = list
                    .map(|list| self.params(list).params)
                    .unwrap_or_default();
                let name = declared.function?.child_by_field_name("declarator")?;
                let types = params.into_iter().filter_map(|param| param.ty).collect();
                (self.name(name), Some(types))
            }
            None => (self.expr(node.child_by_field_name("type")?), None),
        };
        let is_extern = has_token(node, "extern") || self.has_qualifier(node, "extern");
        let instantiation = Instantiation {
            is_extern,
            target,
            params,
        };
        Some(Item::new(
            ItemKind::Instantiation(instantiation),
            self.span(node),
        ))
    }
}
