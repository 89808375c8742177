//! Expressions.

use tree_sitter::Node;

use super::super::kind_of;
use super::Lowering;
use crate::nodes::{child_of_kind, has_token, named_children};
use crate::tree::{Assignment, BinaryOp, CastKind, Expr, ExprKind, Ident, Segment, UnaryOp};

impl Lowering<'_> {
    /// An expression.
    pub(super) fn expr(&mut self, node: Node<'_>) -> Expr {
        self.descend(|lowering| lowering.expr_inside(node))
            .unwrap_or_else(|| Expr::new(ExprKind::Opaque("beyond the limits"), self.span(node)))
    }

    /// Expressions, without the comments and attributes between them.
    pub(super) fn listed(&mut self, nodes: &[Node<'_>]) -> Vec<Expr> {
        let values = nodes
            .iter()
            .filter(|node| !node.is_extra() && node.kind() != "attribute_item");
        values.map(|node| self.expr(*node)).collect()
    }

    /// A field of a node as an expression.
    pub(super) fn field(&mut self, node: Node<'_>, field: &str) -> Option<Expr> {
        node.child_by_field_name(field)
            .map(|value| self.expr(value))
    }

    /// A field that the grammar requires; a missing one of a half-typed text is opaque.
    fn operand(&mut self, node: Node<'_>, field: &str) -> Expr {
        self.field(node, field).unwrap_or_else(|| self.opaque(node))
    }

    /// The only operand of a node, whatever is around it.
    fn only_operand(&mut self, node: Node<'_>) -> Expr {
        let operand = named_children(node)
            .into_iter()
            .rfind(|child| !child.is_extra() && child.kind() != "mutable_specifier");
        match operand {
            Some(operand) => self.expr(operand),
            None => self.opaque(node),
        }
    }

    fn expr_inside(&mut self, node: Node<'_>) -> Expr {
        let kind = match node.kind() {
            "identifier"
            | "scoped_identifier"
            | "generic_function"
            | "self"
            | "crate"
            | "super"
            | "metavariable"
            | "type_identifier"
            | "generic_type"
            | "scoped_type_identifier"
            | "generic_type_with_turbofish"
            | "primitive_type" => {
                return match node.child_by_field_name("function") {
                    Some(method) if method.kind() == "field_expression" => self.method(node),
                    _ => self.name(node),
                };
            }
            "integer_literal" => self.integer(node),
            "float_literal" => ExprKind::Float(self.text(node).to_owned()),
            "boolean_literal" => ExprKind::Bool(self.text(node) == "true"),
            "char_literal" => self.character(node),
            "string_literal" | "raw_string_literal" => self.string(node),
            "negative_literal" => {
                ExprKind::Unary(UnaryOp::Minus, Box::new(self.only_operand(node)))
            }
            // `&x` is used as `x` is; `&mut x` and `&raw const x` may change it.
            "reference_expression"
                if child_of_kind(node, "mutable_specifier").is_some() || has_token(node, "raw") =>
            {
                ExprKind::Unary(UnaryOp::AddressOf, Box::new(self.only_operand(node)))
            }
            "reference_expression" => return self.operand(node, "value"),
            "parenthesized_expression" | "await_expression" => return self.only_operand(node),
            "try_expression" => ExprKind::Unary(UnaryOp::Try, Box::new(self.only_operand(node))),
            "unary_expression" => self.unary(node),
            "binary_expression" => self.binary(node),
            "assignment_expression" | "compound_assignment_expr" => self.assignment(node),
            "type_cast_expression" => {
                let ty = match node.child_by_field_name("type") {
                    Some(ty) => self.ty(ty),
                    None => self.opaque(node),
                };
                let value = self.operand(node, "value");
                ExprKind::Cast(CastKind::As, Box::new(ty), Box::new(value))
            }
            "tuple_expression" => ExprKind::Tuple(self.listed(&named_children(node))),
            "unit_expression" => ExprKind::Tuple(Vec::new()),
            "array_expression" => self.array(node),
            "call_expression" => {
                if let Some(contained) = self.contained(node) {
                    return Expr::new(contained, self.span(node));
                }
                let callee = Box::new(self.operand(node, "function"));
                let args = node.child_by_field_name("arguments").map(named_children);
                ExprKind::Call(callee, self.listed(&args.unwrap_or_default()))
            }
            "field_expression" => return self.method(node),
            "index_expression" => {
                if let Some(part) = self.part_of_slice(node) {
                    return part;
                }
                let mut parts = self.listed(&named_children(node)).into_iter();
                match parts.next() {
                    Some(object) => ExprKind::Index(Box::new(object), parts.collect()),
                    None => return self.opaque(node),
                }
            }
            "struct_expression" => self.structure(node),
            "closure_expression" => self.closure(node),
            "macro_invocation" => self.macro_call(node),
            "block" | "unsafe_block" | "const_block" | "async_block" | "if_expression"
            | "match_expression" => return self.as_value(node),
            _ => ExprKind::Opaque(kind_of(node)),
        };
        Expr::new(kind, self.span(node))
    }

    /// `object.member` or `object.member::<4>`.
    fn method(&mut self, node: Node<'_>) -> Expr {
        let field = node.child_by_field_name("function").unwrap_or(node);
        let args = node.child_by_field_name("type_arguments");
        let args = args.map(|list| self.generic_args(list));
        let object = Box::new(self.operand(field, "value"));
        let Some(name) = field.child_by_field_name("field") else {
            return self.opaque(node);
        };
        let member = Segment {
            name: self.ident(name),
            args,
        };
        let kind = ExprKind::Member {
            object,
            member,
            arrow: false,
        };
        Expr::new(kind, self.span(node))
    }

    fn unary(&mut self, node: Node<'_>) -> ExprKind {
        let op = match node.child(0).map(|op| self.text(op)) {
            Some("-") => UnaryOp::Minus,
            Some("!") => UnaryOp::Not,
            Some("*") => UnaryOp::Deref,
            _ => return ExprKind::Opaque(kind_of(node)),
        };
        ExprKind::Unary(op, Box::new(self.only_operand(node)))
    }

    fn binary(&mut self, node: Node<'_>) -> ExprKind {
        let op = node.child_by_field_name("operator");
        let Some(op) = op.and_then(|op| binary_op(self.text(op))) else {
            return ExprKind::Opaque(kind_of(node));
        };
        let left = Box::new(self.operand(node, "left"));
        ExprKind::Binary(op, left, Box::new(self.operand(node, "right")))
    }

    fn assignment(&mut self, node: Node<'_>) -> ExprKind {
        let op = node.child_by_field_name("operator").map(|op| self.text(op));
        let op = op.and_then(|op| op.strip_suffix('=')).and_then(binary_op);
        let target = self.operand(node, "left");
        let value = self.operand(node, "right");
        ExprKind::Assign(Box::new(Assignment { op, target, value }))
    }

    /// `[a, b]`, or `[x; n]` in the form of the type.
    fn array(&mut self, node: Node<'_>) -> ExprKind {
        let Some(length) = node.child_by_field_name("length") else {
            return ExprKind::Braced(self.listed(&named_children(node)));
        };
        let element = node
            .named_child(0)
            .filter(|first| first.id() != length.id());
        let element = match element {
            Some(element) => self.expr(element),
            None => self.opaque(node),
        };
        ExprKind::Array(Box::new(element), Some(Box::new(self.expr(length))))
    }

    /// `Foo { a: 1, b, ..c }`.
    fn structure(&mut self, node: Node<'_>) -> ExprKind {
        let ty = match node.child_by_field_name("name") {
            Some(name) => self.name(name),
            None => self.opaque(node),
        };
        let fields = node.child_by_field_name("body").map(named_children);
        let mut args = Vec::new();
        for field in fields.unwrap_or_default() {
            let (name, value) = match field.kind() {
                "field_initializer" => {
                    let Some(name) = field.child_by_field_name("field") else {
                        continue;
                    };
                    (self.ident(name), self.operand(field, "value"))
                }
                "shorthand_field_initializer" => {
                    let Some(name) = child_of_kind(field, "identifier") else {
                        continue;
                    };
                    (self.ident(name), self.name(name))
                }
                "base_field_initializer" => {
                    let value = self.only_operand(field);
                    let name = Ident {
                        name: "..".to_owned(),
                        span: self.span(field),
                    };
                    (name, value)
                }
                _ => continue,
            };
            let kind = ExprKind::Designated(name, Box::new(value));
            args.push(Expr::new(kind, self.span(field)));
        }
        ExprKind::Construct {
            ty: Box::new(ty),
            args,
            braces: true,
        }
    }
}

fn binary_op(text: &str) -> Option<BinaryOp> {
    Some(match text {
        "+" => BinaryOp::Add,
        "-" => BinaryOp::Sub,
        "*" => BinaryOp::Mul,
        "/" => BinaryOp::Div,
        "%" => BinaryOp::Rem,
        "<<" => BinaryOp::Shl,
        ">>" => BinaryOp::Shr,
        "&" => BinaryOp::BitAnd,
        "|" => BinaryOp::BitOr,
        "^" => BinaryOp::BitXor,
        "&&" => BinaryOp::And,
        "||" => BinaryOp::Or,
        "==" => BinaryOp::Eq,
        "!=" => BinaryOp::Ne,
        "<" => BinaryOp::Lt,
        "<=" => BinaryOp::Le,
        ">" => BinaryOp::Gt,
        ">=" => BinaryOp::Ge,
        _ => return None,
    })
}
