//! Declarators: the parts around a declared name (`*p`, `&r`, `a[3]`, `f(int)`, `[x, y]`).

use tree_sitter::Node;

use super::name::{is_keyword, is_name};
use super::types::DECLARATOR_LEVELS;
use super::{Lowering, has_token, named_children};
use crate::tree::{Binding, Expr, ExprKind, Ident, Path, Reference, Role, Span, Specifiers};

/// The parts of a declarator around the name in its middle.
#[derive(Default)]
pub(super) struct Declared<'n> {
    pub(super) name: Option<Ident>,
    pub(super) scope: Option<Path>,
    pub(super) special_args: Option<Vec<Expr>>,
    pub(super) ty: Option<Expr>,
    pub(super) reference: Reference,
    pub(super) constant: bool,
    pub(super) pack: bool,
    /// The declarator with the parameters, when the name is a function's.
    pub(super) function: Option<Node<'n>>,
    /// The names of a structured binding.
    pub(super) names: Vec<Ident>,
    /// The name is in parentheses and nothing else is around it, `f (x)`.
    pub(super) only_parentheses: bool,
}

impl Declared<'_> {
    /// Whether the name is a keyword: a macro that the parser does not know hid the declaration, and nothing of the
    /// result is meant.
    pub(super) fn is_garbled(&self) -> bool {
        let mut names = self.name.iter().chain(&self.names);
        names.any(|name| is_keyword(&name.name))
    }

    /// The full type, with the reference and `const` that a binding keeps apart.
    pub(super) fn whole_type(self) -> Option<Expr> {
        let mut ty = self.ty?;
        let place = ty.span;
        if self.constant {
            ty = Expr::new(ExprKind::Const(Box::new(ty)), place);
        }
        Some(match self.reference {
            Reference::None => ty,
            Reference::Lvalue => Expr::new(ExprKind::Reference(Box::new(ty), false), place),
            Reference::Rvalue => Expr::new(ExprKind::Reference(Box::new(ty), true), place),
        })
    }
}

impl Lowering<'_> {
    /// Reads a declarator from the outside in; `constant` says whether `base` is `const`.
    pub(super) fn declarator<'n>(
        &mut self,
        node: Option<Node<'n>>,
        base: Option<Expr>,
        constant: bool,
    ) -> Declared<'n> {
        let mut declared = Declared {
            ty: base,
            constant,
            ..Declared::default()
        };
        let mut rest = node;
        for level in 0..DECLARATOR_LEVELS {
            let Some(node) = rest.take() else { break };
            // A declaration of a half-typed text, without a name, declares none.
            if node.is_missing() {
                break;
            }
            if is_name(node) {
                let (scope, name) = self.declared_path(node);
                declared.scope = scope;
                if let Some(name) = name {
                    declared.name = Some(name.name);
                    declared.special_args = name.args;
                }
                break;
            }
            declared.only_parentheses = level == 0 && node.kind() == "parenthesized_declarator";
            rest = self.declarator_level(node, &mut declared);
        }
        declared
    }

    /// Takes one level off and returns the next.
    fn declarator_level<'n>(
        &mut self,
        node: Node<'n>,
        declared: &mut Declared<'n>,
    ) -> Option<Node<'n>> {
        let inner = node.child_by_field_name("declarator");
        match node.kind() {
            "pointer_declarator" | "pointer_type_declarator" | "abstract_pointer_declarator" => {
                declared.wrap(|ty| ExprKind::Pointer(Box::new(ty)), self.span(node));
                declared.constant = self.has_qualifier(node, "const");
                inner
            }
            "reference_declarator" | "abstract_reference_declarator" => {
                declared.reference = if has_token(node, "&&") {
                    Reference::Rvalue
                } else {
                    Reference::Lvalue
                };
                named_children(node).last().copied()
            }
            "array_declarator" | "abstract_array_declarator" => {
                let size = node.child_by_field_name("size").filter(Node::is_named);
                let size = size.map(|size| Box::new(self.expr(size)));
                declared.wrap(|ty| ExprKind::Array(Box::new(ty), size), self.span(node));
                inner
            }
            "function_declarator" if inner.is_some_and(is_parenthesized_pointer) => {
                let list = node.child_by_field_name("parameters");
                let params = list
                    .map(|list| self.params(list).params)
                    .unwrap_or_default();
                let params = params.into_iter().map(|param| {
                    param
                        .ty
                        .unwrap_or(Expr::new(ExprKind::Opaque("parameter"), param.span))
                });
                let params = params.collect();
                let place = self.span(node);
                declared.wrap(|ty| ExprKind::FunctionType(Box::new(ty), params), place);
                inner
            }
            "function_declarator" => {
                declared.function = Some(node);
                inner
            }
            "variadic_declarator" => {
                declared.pack = true;
                node.named_child(0)
            }
            "structured_binding_declarator" => {
                declared.names = named_children(node)
                    .into_iter()
                    .map(|n| self.ident(n))
                    .collect();
                None
            }
            "abstract_function_declarator" => {
                if let Some(ty) = declared.ty.take() {
                    declared.ty = Some(self.abstract_declarator(node, ty));
                }
                None
            }
            _ => node.named_child(0),
        }
    }

    /// Keywords around a declaration. `const` is the base type's.
    pub(super) fn specifiers(&self, node: Node<'_>) -> Specifiers {
        let mut specifiers = Specifiers::default();
        for child in node.children(&mut node.walk()) {
            if !matches!(child.kind(), "type_qualifier" | "storage_class_specifier") {
                continue;
            }
            match self.text(child) {
                "constexpr" => specifiers.constexpr = true,
                "const" => specifiers.constant = true,
                "static" => specifiers.is_static = true,
                "extern" => specifiers.is_extern = true,
                "__shared__" => specifiers.shared = true,
                "mutable" => specifiers.mutable = true,
                _ => {}
            }
        }
        specifiers.no_unique_address = self.has_no_unique_address(node);
        specifiers
    }

    /// A parameter of a function, lambda or template.
    pub(super) fn param(&mut self, node: Node<'_>) -> Binding {
        let mut specifiers = self.specifiers(node);
        let ty = node.child_by_field_name("type").map(|ty| self.expr(ty));
        let declarator = node.child_by_field_name("declarator");
        let declared = self.declarator(declarator, ty, specifiers.constant);
        specifiers.constant = declared.constant;
        specifiers.pack = declared.pack || node.kind() == "variadic_parameter_declaration";
        let init = node
            .child_by_field_name("default_value")
            .map(|value| self.expr(value));
        Binding {
            role: Role::Param,
            name: declared.name,
            tparams: Vec::new(),
            special_args: None,
            scope: None,
            ty: declared.ty,
            reference: declared.reference,
            init,
            specifiers,
            alignas: Vec::new(),
            bits: None,
            span: self.span(node),
        }
    }
}

impl Declared<'_> {
    /// Puts one level around the type, which takes its `const` inside.
    fn wrap(&mut self, level: impl FnOnce(Expr) -> ExprKind, around: Span) {
        let Some(mut ty) = self.ty.take() else { return };
        let place = ty.span;
        if std::mem::take(&mut self.constant) {
            ty = Expr::new(ExprKind::Const(Box::new(ty)), place);
        }
        self.ty = Some(Expr::new(level(ty), place.to(around)));
    }
}

fn is_parenthesized_pointer(node: Node<'_>) -> bool {
    node.kind() == "parenthesized_declarator"
        && node
            .named_children(&mut node.walk())
            .any(|inner| matches!(inner.kind(), "pointer_declarator" | "reference_declarator"))
}
