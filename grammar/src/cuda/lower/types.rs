//! Types with abstract declarators, and parameter lists that may be argument lists.

use tree_sitter::Node;

use super::expression::called;
use super::name::is_name;
use super::{Lowering, child_of_kind, children, has_token, named_children};
use crate::tree::{BinaryOp, Expr, ExprKind, UnaryOp};

/// Pointers, arrays and so on around one name or type; deeper ones are dropped.
pub(super) const DECLARATOR_LEVELS: usize = 16;

impl Lowering<'_> {
    /// `T const*` as it is in template arguments, casts and aliases.
    pub(super) fn type_descriptor(&mut self, node: Node<'_>) -> Expr {
        let Some(base) = node.child_by_field_name("type") else {
            return self.opaque(node);
        };
        let mut ty = self.expr(base);
        if self.has_qualifier(node, "const") {
            let place = self.span(base).to(self
                .qualifier_span(node, "const")
                .unwrap_or(self.span(base)));
            ty = Expr::new(ExprKind::Const(Box::new(ty)), place);
        }
        match node.child_by_field_name("declarator") {
            Some(declarator) => self.abstract_declarator(declarator, ty),
            None => ty,
        }
    }

    /// Whether `qualifier` (`const`, `static`, `__shared__`, ..) is directly in `node`.
    pub(super) fn has_qualifier(&self, node: Node<'_>, qualifier: &str) -> bool {
        self.qualifier_span(node, qualifier).is_some()
    }

    fn qualifier_span(&self, node: Node<'_>, qualifier: &str) -> Option<crate::tree::Span> {
        let mut cursor = node.walk();
        let found = node.named_children(&mut cursor).find(|child| {
            matches!(child.kind(), "type_qualifier" | "storage_class_specifier")
                && self.text(*child) == qualifier
        });
        found.map(|found| self.span(found))
    }

    /// Applies `*`, `&`, `[n]`, `(params)` around an absent name to `ty`, from the outside in.
    pub(super) fn abstract_declarator(&mut self, node: Node<'_>, mut ty: Expr) -> Expr {
        let mut rest = Some(node);
        for _ in 0..DECLARATOR_LEVELS {
            let Some(node) = rest.take() else { break };
            // `T* (U)` and `T& (U)` are types that are in use.
            if node.kind() == "abstract_reference_declarator"
                && has_token(node, "&&")
                && let Some(operand) = node.named_child(0)
                && let Some(operation) = self.operands(operand, BinaryOp::And, ty.clone())
            {
                return operation;
            }
            let whole = ty.span.to(self.span(node));
            let inner = node.child_by_field_name("declarator");
            match node.kind() {
                "abstract_pointer_declarator" => {
                    ty = Expr::new(ExprKind::Pointer(Box::new(ty)), whole);
                    if self.has_qualifier(node, "const") {
                        ty = Expr::new(ExprKind::Const(Box::new(ty)), whole);
                    }
                    rest = inner;
                }
                "abstract_reference_declarator" => {
                    let rvalue = has_token(node, "&&");
                    ty = Expr::new(ExprKind::Reference(Box::new(ty), rvalue), whole);
                    rest = node.named_child(0);
                }
                "abstract_array_declarator" => {
                    let size = node
                        .child_by_field_name("size")
                        .map(|n| Box::new(self.expr(n)));
                    ty = Expr::new(ExprKind::Array(Box::new(ty), size), whole);
                    rest = inner;
                }
                "abstract_function_declarator" => {
                    ty = self.function_type(node, ty);
                    rest = inner;
                }
                "abstract_parenthesized_declarator" => rest = node.named_child(0),
                _ => {}
            }
        }
        ty
    }

    /// `R(A, B)`. The grammar reads the call `f(x)` inside angle brackets as a function type, or as a call, as it
    /// pleases; a text that can be a call is one here.
    fn function_type(&mut self, node: Node<'_>, result: Expr) -> Expr {
        let whole = result.span.to(self.span(node));
        let Some(list) = node.child_by_field_name("parameters") else {
            return result;
        };
        let is_name = matches!(result.kind, ExprKind::Name(_)) && !is_builtin_type(&result);
        if is_name
            && child_of_kind(node, "trailing_return_type").is_none()
            && let Some(args) = self.params_as_args(list)
        {
            return Expr::new(called(Box::new(result), args), whole);
        }
        let params = self.params(list).params;
        let params = params.into_iter().map(|param| {
            param
                .ty
                .unwrap_or(Expr::new(ExprKind::Opaque("parameter"), param.span))
        });
        Expr::new(
            ExprKind::FunctionType(Box::new(result), params.collect()),
            whole,
        )
    }

    /// `a && (b)`, `a && (b) && (c)`: an operation whose operands were taken for types, of which it would be a function
    /// that returns a reference.
    fn operands(&mut self, node: Node<'_>, operator: BinaryOp, left: Expr) -> Option<Expr> {
        if node.kind() != "abstract_function_declarator" || is_builtin_type(&left) {
            return None;
        }
        let whole = left.span.to(self.span(node));
        let (operator, left) = match node.child_by_field_name("declarator") {
            None => (operator, left),
            Some(inner) => {
                let next = operator_of(child_of_kind(inner, "ref_qualifier")?);
                (next, self.descend(|l| l.operands(inner, operator, left))??)
            }
        };
        let operands = self.params_as_args(node.child_by_field_name("parameters")?)?;
        let [operand] = <[Expr; 1]>::try_from(operands).ok()?;
        let operation = ExprKind::Binary(operator, Box::new(left), Box::new(operand));
        Some(Expr::new(operation, whole))
    }

    /// The contents of `(M, size(x), a * b)` read as arguments instead of parameters, when every
    /// parameter could be an argument: the grammar cannot tell `dim3 grid(M, N)` from a function
    /// declaration, and neither can C++ without knowing whether `M` is a type.
    pub(super) fn params_as_args(&mut self, list: Node<'_>) -> Option<Vec<Expr>> {
        named_children(list)
            .into_iter()
            .map(|param| self.param_as_arg(param))
            .collect()
    }

    fn param_as_arg(&mut self, param: Node<'_>) -> Option<Expr> {
        let is_pack = match param.kind() {
            "parameter_declaration" => false,
            "variadic_parameter_declaration" => true,
            _ => return None,
        };
        let qualified = children(param)
            .iter()
            .any(|child| matches!(child.kind(), "type_qualifier" | "storage_class_specifier"));
        let ty = param.child_by_field_name("type")?;
        if qualified || !is_name(ty) {
            return None;
        }
        let ty = self.expr(ty);
        if is_builtin_type(&ty) {
            return None;
        }
        let declarator = param.child_by_field_name("declarator");
        if ty.as_plain_name() == Some("not") {
            let operand = declarator.filter(|operand| is_name(*operand))?;
            let operand = Box::new(self.expr(operand));
            return Some(Expr::new(
                ExprKind::Unary(UnaryOp::Not, operand),
                self.span(param),
            ));
        }
        if is_pack {
            let unnamed = declarator.is_none_or(|declarator| declarator.named_child_count() == 0);
            return unnamed.then(|| Expr::new(ExprKind::Expand(Box::new(ty)), self.span(param)));
        }
        match declarator {
            None => Some(ty),
            Some(declarator) => self.descend(|l| l.declarator_as_operand(declarator, ty))?,
        }
    }

    /// `f(x)`, `a * b`, `a & b`, `x[3]` whose left part was taken for a type.
    fn declarator_as_operand(&mut self, node: Node<'_>, left: Expr) -> Option<Expr> {
        let whole = left.span.to(self.span(node));
        let kind = match node.kind() {
            "abstract_function_declarator" | "function_declarator" => {
                let args = self.params_as_args(node.child_by_field_name("parameters")?)?;
                let callee = match node.child_by_field_name("declarator") {
                    Some(inner) => self.descend(|l| l.declarator_as_operand(inner, left))??,
                    None => left,
                };
                called(Box::new(callee), args)
            }
            "parenthesized_declarator" => {
                let argument = node.named_child(0).filter(|n| is_name(*n))?;
                called(Box::new(left), vec![self.expr(argument)])
            }
            "abstract_array_declarator" => {
                let index = self.expr(node.child_by_field_name("size")?);
                ExprKind::Index(Box::new(left), vec![index])
            }
            "pointer_declarator" | "reference_declarator" => {
                let right = node.named_child(0).filter(|n| is_name(*n))?;
                let op = match node.kind() {
                    "pointer_declarator" => BinaryOp::Mul,
                    _ => operator_of(node),
                };
                ExprKind::Binary(op, Box::new(left), Box::new(self.expr(right)))
            }
            _ => return None,
        };
        Some(Expr::new(kind, whole))
    }
}

/// The operator that `&&` or `&` of a declarator is between values.
fn operator_of(node: Node<'_>) -> BinaryOp {
    if has_token(node, "&&") {
        BinaryOp::And
    } else {
        BinaryOp::BitAnd
    }
}

/// Whether a name can only be a type: `int`, `unsigned long`, `void`.
pub(super) fn is_builtin_type(ty: &Expr) -> bool {
    let is_word = |word| {
        matches!(
            word,
            "void"
                | "bool"
                | "char"
                | "short"
                | "int"
                | "long"
                | "float"
                | "double"
                | "signed"
                | "unsigned"
                | "char8_t"
                | "char16_t"
                | "char32_t"
                | "wchar_t"
        )
    };
    ty.as_plain_name()
        .is_some_and(|name| !name.is_empty() && name.split(' ').all(is_word))
}
