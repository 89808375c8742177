//! Functions, their generic parameters and their parameters; closures.

use tree_sitter::Node;

use super::Lowering;
use super::item::binding;
use crate::nodes::{child_of_kind, has_token, named_children};
use crate::tree::{
    Binding, Expr, ExprKind, Function, FunctionFlags, Item, ItemKind, Lambda, Role, TemplateParam,
    TemplateParamKind,
};

impl Lowering<'_> {
    pub(super) fn function(&mut self, node: Node<'_>) -> Option<Function> {
        let name = self.name_of(node)?;
        let modifiers = child_of_kind(node, "function_modifiers");
        let params = node.child_by_field_name("parameters");
        let tparams = self.generics(node);
        let params = params.map(|list| self.params(list)).unwrap_or_default();
        let ret = node.child_by_field_name("return_type");
        Some(Function {
            name,
            scope: None,
            tparams,
            special_args: None,
            requires: None,
            params,
            ret: ret.map(|ty| self.ty(ty)),
            member_inits: Vec::new(),
            body: node
                .child_by_field_name("body")
                .map(|body| self.block(body, true)),
            flags: FunctionFlags {
                constexpr: modifiers.is_some_and(|words| has_token(words, "const")),
                ..FunctionFlags::default()
            },
            decorators: Vec::new(),
        })
    }

    /// `<'a, T: Bound, const N: usize = 4>`; lifetimes are left out.
    pub(super) fn generic_params(&mut self, list: Node<'_>) -> Vec<TemplateParam> {
        let mut params = Vec::new();
        for child in named_children(list) {
            let (kind, default) = match child.kind() {
                "type_parameter" => (
                    TemplateParamKind::Type,
                    child.child_by_field_name("default_type"),
                ),
                "const_parameter" => {
                    let Some(ty) = child.child_by_field_name("type") else {
                        continue;
                    };
                    (
                        TemplateParamKind::Value(self.ty(ty)),
                        child.child_by_field_name("value"),
                    )
                }
                _ => continue,
            };
            params.push(TemplateParam {
                kind,
                name: self.name_of(child),
                default: default.map(|value| self.ty(value)),
                pack: false,
                span: self.span(child),
            });
        }
        params
    }

    /// The parameters of a function; `self` is not one of them.
    fn params(&mut self, list: Node<'_>) -> Vec<Binding> {
        let mut params = Vec::new();
        let mut builtin = None;
        for child in named_children(list) {
            match child.kind() {
                // `#[spirv(global_invocation_id)]`: the value that a parameter has.
                "attribute_item" => builtin = self.launch_attribute(child),
                "parameter" => {
                    let mut param = self.param(child);
                    param.init = builtin.take().and_then(only_argument);
                    params.push(param);
                }
                "self_parameter" | "variadic_parameter" | "line_comment" | "block_comment" => {}
                // `fn(u32)`: a type alone.
                _ => {
                    let mut param = binding(Role::Param, None, self.span(child));
                    param.ty = Some(self.ty(child));
                    params.push(param);
                }
            }
        }
        params
    }

    /// A parameter; one that is taken apart has no name.
    fn param(&mut self, node: Node<'_>) -> Binding {
        let pattern = node.child_by_field_name("pattern");
        let name = pattern.and_then(Self::only_name);
        let mut param = binding(
            Role::Param,
            name.map(|name| self.ident(name)),
            self.span(node),
        );
        param.ty = node.child_by_field_name("type").map(|ty| self.ty(ty));
        param.specifiers.constant =
            !Self::is_mutable(node) && !pattern.is_some_and(Self::is_mutable);
        param
    }

    pub(super) fn closure(&mut self, node: Node<'_>) -> ExprKind {
        let mut params = Vec::new();
        let mut body = Vec::new();
        if let Some(list) = node.child_by_field_name("parameters") {
            for child in named_children(list) {
                if child.kind() == "parameter" {
                    params.push(self.param(child));
                } else {
                    let name = Self::only_name(child).map(|name| self.ident(name));
                    let mut param = binding(Role::Param, name, self.span(child));
                    param.ty = Some(crate::tree::Expr::new(ExprKind::Auto, param.span));
                    param.specifiers.constant = !Self::is_mutable(child);
                    params.push(param);
                }
            }
        }
        if let Some(value) = node.child_by_field_name("body") {
            if value.kind() == "block" {
                body = self.block(value, true);
            } else {
                let value = self.expr(value);
                let span = value.span;
                body.push(Item::new(ItemKind::Return(Some(value)), span));
            }
        }
        let ret = node.child_by_field_name("return_type");
        ExprKind::Lambda(Box::new(Lambda {
            default_capture: Some('&'),
            captures: Vec::new(),
            tparams: Vec::new(),
            params,
            ret: ret.map(|ty| self.ty(ty)),
            body,
        }))
    }
}

/// The first argument of an attribute: `workgroup` of `spirv(workgroup)`.
fn only_argument(attribute: Expr) -> Option<Expr> {
    match attribute.kind {
        ExprKind::Call(_, args) => args.into_iter().next(),
        _ => None,
    }
}
