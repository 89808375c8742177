//! Expressions.

use tree_sitter::Node;

use super::super::kind_of;
use super::comparison;
use super::name::is_name;
use super::types::is_builtin_type;
use super::{Lowering, child_of_kind, children, has_token, named_children};
use crate::tree::{
    Assignment, BinaryOp, Capture, CastKind, Expr, ExprKind, Ident, Lambda, Segment, UnaryOp,
};

impl Lowering<'_> {
    /// An expression or a type, whatever shape the grammar gave it.
    pub(super) fn expr(&mut self, node: Node<'_>) -> Expr {
        self.descend(|lowering| lowering.expr_inside(node))
            .unwrap_or_else(|| Expr::new(ExprKind::Opaque("beyond the limits"), self.span(node)))
    }

    fn expr_inside(&mut self, node: Node<'_>) -> Expr {
        let place = self.span(node);
        if is_name(node) && !node.is_missing() {
            return self.name(node);
        }
        let kind = match node.kind() {
            _ if node.is_missing() => ExprKind::Opaque("a name that is missing"),
            // The part left out of an operator may be any part of it.
            "assignment_expression"
            | "binary_expression"
            | "comma_expression"
            | "conditional_expression"
            | "field_expression"
            | "parenthesized_expression"
                if children(node).iter().any(Node::is_error) =>
            {
                ExprKind::Opaque("an expression that is not valid")
            }
            "number_literal" => return self.number(node),
            "user_defined_literal" => return self.user_literal(node),
            "char_literal" => return self.character(node),
            "string_literal" | "raw_string_literal" | "concatenated_string" => {
                return self.string(node);
            }
            "true" => ExprKind::Bool(true),
            "false" => ExprKind::Bool(false),
            "null" => ExprKind::Null,
            "auto" | "placeholder_type_specifier" => ExprKind::Auto,
            "decltype" => match node.named_child(0) {
                Some(operand) if operand.kind() != "auto" => {
                    ExprKind::Decltype(Box::new(self.expr(operand)))
                }
                _ => ExprKind::Auto,
            },
            "type_descriptor" => return self.type_descriptor(node),
            "struct_specifier" | "class_specifier" | "union_specifier" | "enum_specifier" => {
                return match node.child_by_field_name("name") {
                    Some(name) => self.name(name),
                    None => self.opaque(node),
                };
            }
            "parenthesized_expression" | "condition_clause" => {
                return match named_children(node).as_slice() {
                    [inner] => self.expr(*inner),
                    _ => self.opaque(node),
                };
            }
            "call_expression" => self.call(node),
            "compound_literal_expression" => self.compound_literal(node),
            "initializer_list" => ExprKind::Braced(self.listed(node)),
            "initializer_pair" => return self.designated(node),
            "field_expression" => self.member(node),
            "subscript_expression" => self.subscript(node),
            "unary_expression" | "pointer_expression" | "update_expression" => self.unary(node),
            "binary_expression" | "comma_expression" => self.binary(node),
            "assignment_expression" => self.assignment(node),
            "conditional_expression" => self.ternary(node),
            "cast_expression" => self.cast(node),
            "sizeof_expression" => self.sizeof(node),
            "alignof_expression" => match node.child_by_field_name("type") {
                Some(ty) => ExprKind::Alignof(Box::new(self.expr(ty))),
                None => return self.opaque(node),
            },
            "offsetof_expression" => {
                let ty = node.child_by_field_name("type");
                match ty.zip(node.child_by_field_name("member")) {
                    Some((ty, member)) => {
                        ExprKind::Offsetof(Box::new(self.expr(ty)), self.ident(member))
                    }
                    None => return self.opaque(node),
                }
            }
            "lambda_expression" => self.lambda(node),
            "parameter_pack_expansion" => match node.child_by_field_name("pattern") {
                Some(pattern) => ExprKind::Expand(Box::new(self.expr(pattern))),
                None => return self.opaque(node),
            },
            "fold_expression" => self.fold(node),
            "requires_expression" => self.requires_expression(node),
            "requires_clause" => return self.requires(node),
            "constraint_conjunction" => self.constraints(node, BinaryOp::And),
            "constraint_disjunction" => self.constraints(node, BinaryOp::Or),
            "preproc_defined" => self.defined(node),
            "gnu_asm_expression" => self.asm(node),
            _ => ExprKind::Opaque(kind_of(node)),
        };
        Expr::new(kind, place)
    }

    /// The expressions or types listed between brackets; the reader of a half-typed list gets the items there.
    pub(super) fn listed(&mut self, list: Node<'_>) -> Vec<Expr> {
        let nodes = children(list);
        let mut exprs: Vec<Expr> =
            Vec::with_capacity(nodes.iter().filter(|n| n.is_named()).count());
        for node in &nodes {
            if node.kind() == "..." {
                // `<Ts...>` without its own node around the pattern.
                if let Some(pattern) = exprs.pop() {
                    let place = pattern.span.to(self.span(*node));
                    exprs.push(Expr::new(ExprKind::Expand(Box::new(pattern)), place));
                }
            } else if node.is_named() && !node.is_error() && !node.is_missing() {
                exprs.push(self.expr(*node));
            }
        }
        exprs
    }

    fn field(&mut self, node: Node<'_>, field: &str) -> Option<Box<Expr>> {
        node.child_by_field_name(field)
            .map(|child| Box::new(self.expr(child)))
    }

    /// A field that the grammar requires; a missing one of a half-typed text is opaque.
    // Operands are in boxes wherever they go.
    #[allow(clippy::unnecessary_box_returns)]
    fn operand(&mut self, node: Node<'_>, field: &str) -> Box<Expr> {
        self.field(node, field)
            .unwrap_or_else(|| Box::new(self.opaque(node)))
    }

    fn call(&mut self, node: Node<'_>) -> ExprKind {
        let args = node.child_by_field_name("arguments");
        let args = args.map(|list| self.listed(list)).unwrap_or_default();
        // Before a type may be `typename`.
        let mut cursor = node.walk();
        let callee = node
            .children_by_field_name("function", &mut cursor)
            .find(Node::is_named);
        let callee = Box::new(match callee {
            Some(callee) => self.expr(callee),
            None => self.opaque(node),
        });
        if let Some(config) = child_of_kind(node, "kernel_call_syntax") {
            return ExprKind::Launch {
                callee,
                config: self.listed(config),
                args,
            };
        }
        called(callee, args)
    }

    fn compound_literal(&mut self, node: Node<'_>) -> ExprKind {
        let mut cursor = node.walk();
        let ty = node
            .children_by_field_name("type", &mut cursor)
            .find(Node::is_named);
        let ty = match ty {
            Some(ty) => self.expr(ty),
            None => self.opaque(node),
        };
        let args = node
            .child_by_field_name("value")
            .map(|list| self.listed(list));
        ExprKind::Construct {
            ty: Box::new(ty),
            args: args.unwrap_or_default(),
            braces: true,
        }
    }

    fn designated(&mut self, node: Node<'_>) -> Expr {
        let name = node
            .child_by_field_name("designator")
            .and_then(|designator| child_of_kind(designator, "field_identifier"));
        match (name, node.child_by_field_name("value")) {
            (Some(name), Some(value)) => {
                let value = Box::new(self.expr(value));
                Expr::new(
                    ExprKind::Designated(self.ident(name), value),
                    self.span(node),
                )
            }
            _ => self.opaque(node),
        }
    }

    fn member(&mut self, node: Node<'_>) -> ExprKind {
        let object = self.operand(node, "argument");
        let Some(member) = node.child_by_field_name("field") else {
            return ExprKind::Opaque(kind_of(node));
        };
        let arrow = has_token(node, "->");
        // `x.*member`: which member it is a pointer says.
        if has_token(node, ".*") {
            return ExprKind::Opaque("a pointer to a member");
        }
        let mut path = self.path(member);
        if path.segments.len() < 2 {
            return ExprKind::Member {
                object,
                member: self.member_segment(member),
                arrow,
            };
        }
        // `x.Base::f` is a member of the part of `x` that is a `Base`.
        let Some(last) = path.segments.pop() else {
            return ExprKind::Opaque(kind_of(node));
        };
        let span = self.span(node);
        let class = Box::new(Expr::new(ExprKind::Name(path), self.span(member)));
        let object = if arrow {
            Box::new(Expr::new(ExprKind::Unary(UnaryOp::Deref, object), span))
        } else {
            object
        };
        ExprKind::Member {
            object: Box::new(Expr::new(
                ExprKind::Cast(CastKind::Static, class, object),
                span,
            )),
            member: last,
            arrow: false,
        }
    }

    fn subscript(&mut self, node: Node<'_>) -> ExprKind {
        let object = self.operand(node, "argument");
        let indices = node.child_by_field_name("indices");
        ExprKind::Index(
            object,
            indices.map(|list| self.listed(list)).unwrap_or_default(),
        )
    }

    fn unary(&mut self, node: Node<'_>) -> ExprKind {
        if let Some(sum) = self.with_sum(node) {
            return sum;
        }
        let operand = self.operand(node, "argument");
        self.unary_of(node, operand)
    }

    pub(super) fn unary_of(&mut self, node: Node<'_>, operand: Box<Expr>) -> ExprKind {
        let operator = node.child_by_field_name("operator");
        let is_prefix = operator.is_some_and(|op| op.start_byte() == node.start_byte());
        let op = match (operator.map(|op| self.text(op)), is_prefix) {
            (Some("-"), _) => UnaryOp::Minus,
            (Some("+"), _) => UnaryOp::Plus,
            (Some("!" | "not"), _) => UnaryOp::Not,
            (Some("~" | "compl"), _) => UnaryOp::BitNot,
            (Some("*"), _) => UnaryOp::Deref,
            (Some("&"), _) => UnaryOp::AddressOf,
            (Some("++"), true) => UnaryOp::PreIncrement,
            (Some("--"), true) => UnaryOp::PreDecrement,
            (Some("++"), false) => UnaryOp::PostIncrement,
            (Some("--"), false) => UnaryOp::PostDecrement,
            _ => return ExprKind::Opaque(kind_of(node)),
        };
        ExprKind::Unary(op, operand)
    }

    fn binary(&mut self, node: Node<'_>) -> ExprKind {
        if node.kind() == "comma_expression" {
            // The fields of an assignment that is its left side show here, too.
            let [left, .., right] = named_children(node)[..] else {
                return ExprKind::Opaque(kind_of(node));
            };
            let (left, right) = (Box::new(self.expr(left)), Box::new(self.expr(right)));
            return ExprKind::Binary(BinaryOp::Comma, left, right);
        }
        if let Some(sum) = self.with_sum(node) {
            return sum;
        }
        let op = node.child_by_field_name("operator");
        let Some(op) = op.and_then(|op| binary_op(self.text(op))) else {
            return ExprKind::Opaque(kind_of(node));
        };
        let left = self.operand(node, "left");
        let right = self.operand(node, "right");
        match op {
            BinaryOp::Gt => {
                comparison::as_template(&left, &right).unwrap_or(ExprKind::Binary(op, left, right))
            }
            _ => ExprKind::Binary(op, left, right),
        }
    }

    fn assignment(&mut self, node: Node<'_>) -> ExprKind {
        let op = node.child_by_field_name("operator").map(|op| self.text(op));
        let op = op.and_then(|op| op.strip_suffix('=')).and_then(binary_op);
        let target = *self.operand(node, "left");
        let value = *self.operand(node, "right");
        ExprKind::Assign(Box::new(Assignment { op, target, value }))
    }

    fn ternary(&mut self, node: Node<'_>) -> ExprKind {
        let condition = self.operand(node, "condition");
        let then = self.operand(node, "consequence");
        ExprKind::Ternary(condition, then, self.operand(node, "alternative"))
    }

    /// `(T)e`. The grammar reads `(T)(e)` as a cast or as a call; it is a call here.
    fn cast(&mut self, node: Node<'_>) -> ExprKind {
        if let Some(sum) = self.with_sum(node) {
            return sum;
        }
        let operand = self.operand(node, "value");
        self.cast_of(node, operand)
    }

    pub(super) fn cast_of(&mut self, node: Node<'_>, operand: Box<Expr>) -> ExprKind {
        let ty = self.operand(node, "type");
        let value = node.child_by_field_name("value");
        let in_parentheses = value.is_some_and(|v| v.kind() == "parenthesized_expression");
        if in_parentheses && matches!(ty.kind, ExprKind::Name(_)) && !is_builtin_type(&ty) {
            return ExprKind::Call(ty, vec![*operand]);
        }
        ExprKind::Cast(CastKind::CStyle, ty, operand)
    }

    fn sizeof(&mut self, node: Node<'_>) -> ExprKind {
        let operand = node
            .child_by_field_name("type")
            .or(node.child_by_field_name("value"));
        match operand {
            Some(pack) if has_token(node, "...") => ExprKind::SizeofPack(self.ident(pack)),
            Some(operand) => ExprKind::Sizeof(Box::new(self.expr(operand))),
            None => ExprKind::Opaque(kind_of(node)),
        }
    }

    fn fold(&mut self, node: Node<'_>) -> ExprKind {
        let op = node
            .child_by_field_name("operator")
            .and_then(|op| binary_op(self.text(op)));
        let Some(op) = op else {
            return ExprKind::Opaque(kind_of(node));
        };
        let mut side = |field| {
            let side = node.child_by_field_name(field).filter(Node::is_named)?;
            Some(Box::new(self.expr(side)))
        };
        let (left, right) = (side("left"), side("right"));
        ExprKind::Fold(op, left, right)
    }

    /// `defined(X)` in a preprocessor condition, as a call.
    fn defined(&mut self, node: Node<'_>) -> ExprKind {
        let callee = Expr::plain_name("defined", self.span(node));
        ExprKind::Call(Box::new(callee), self.listed(node))
    }

    /// Inline assembly, as a call `asm(&output, ..., input, ...)`: a reader who knows that a variable changes when its
    /// address is passed on knows the changes of assembly.
    fn asm(&mut self, node: Node<'_>) -> ExprKind {
        let mut args = Vec::new();
        for field in ["output_operands", "input_operands"] {
            let Some(list) = node.child_by_field_name(field) else {
                continue;
            };
            for operand in named_children(list) {
                let Some(value) = operand.child_by_field_name("value") else {
                    continue;
                };
                let value = self.expr(value);
                let place = value.span;
                args.push(match field {
                    "output_operands" => {
                        Expr::new(ExprKind::Unary(UnaryOp::AddressOf, Box::new(value)), place)
                    }
                    _ => value,
                });
            }
        }
        let callee = Expr::plain_name("asm", self.span(node));
        ExprKind::Call(Box::new(callee), args)
    }

    fn lambda(&mut self, node: Node<'_>) -> ExprKind {
        let mut lambda = Lambda {
            default_capture: None,
            captures: Vec::new(),
            tparams: Vec::new(),
            params: Vec::new(),
            ret: None,
            body: Vec::new(),
        };
        if let Some(list) = node.child_by_field_name("captures") {
            self.captures(list, &mut lambda);
        }
        if let Some(list) = node.child_by_field_name("template_parameters") {
            lambda.tparams = self.template_params(list);
        }
        if let Some(declarator) = node.child_by_field_name("declarator") {
            if let Some(list) = declarator.child_by_field_name("parameters") {
                lambda.params = self.params(list).params;
            }
            lambda.ret = self.trailing_return(declarator);
        }
        if let Some(body) = node.child_by_field_name("body") {
            lambda.body = self.items(body, super::Context::Block);
        }
        ExprKind::Lambda(Box::new(lambda))
    }

    /// The name of a captured variable; of `[*this]` with the star, as it is the object and not the pointer.
    fn captured_name(&mut self, capture: Node<'_>) -> Ident {
        let mut name = self.ident(capture);
        let before = capture.prev_sibling();
        if name.name == "this" && before.is_some_and(|before| before.kind() == "*") {
            "*this".clone_into(&mut name.name);
        }
        name
    }

    fn captures(&mut self, list: Node<'_>, lambda: &mut Lambda) {
        for capture in named_children(list) {
            match capture.kind() {
                "lambda_default_capture" => {
                    lambda.default_capture = self.text(capture).chars().next();
                }
                "lambda_capture_initializer" => {
                    let left = capture.child_by_field_name("left");
                    if let Some(left) = left {
                        let init = self.field(capture, "right").map(|value| *value);
                        lambda.captures.push(Capture {
                            name: self.ident(left),
                            init,
                            by_reference: has_token(capture, "&"),
                        });
                    }
                }
                _ => lambda.captures.push(Capture {
                    name: self.captured_name(capture),
                    init: None,
                    by_reference: capture
                        .prev_sibling()
                        .is_some_and(|before| before.kind() == "&"),
                }),
            }
        }
    }
}

/// `callee(args)`, which may be a cast or a construction by the name of its callee.
pub(super) fn called(callee: Box<Expr>, mut args: Vec<Expr>) -> ExprKind {
    if is_builtin_type(&callee) {
        return ExprKind::Construct {
            ty: callee,
            args,
            braces: false,
        };
    }
    if args.len() != 1 {
        return ExprKind::Call(callee, args);
    }
    // In a template argument `sizeof(T)` may be taken for a function.
    if callee.as_plain_name() == Some("sizeof")
        && let Some(operand) = args.pop()
    {
        return ExprKind::Sizeof(Box::new(operand));
    }
    match named_cast(&callee) {
        Some((kind, ty)) => match <[Expr; 1]>::try_from(args) {
            Ok([operand]) => ExprKind::Cast(kind, Box::new(ty.clone()), Box::new(operand)),
            Err(args) => ExprKind::Call(callee, args),
        },
        None => ExprKind::Call(callee, args),
    }
}

/// `static_cast<T>` and its kin, which the grammar reads as template functions.
fn named_cast(callee: &Expr) -> Option<(CastKind, &Expr)> {
    let [
        Segment {
            name,
            args: Some(args),
        },
    ] = callee.as_path()?.segments.as_slice()
    else {
        return None;
    };
    let kind = match name.name.as_str() {
        "static_cast" => CastKind::Static,
        "reinterpret_cast" => CastKind::Reinterpret,
        "const_cast" => CastKind::Const,
        "dynamic_cast" => CastKind::Dynamic,
        _ => return None,
    };
    match args.as_slice() {
        [ty] => Some((kind, ty)),
        _ => None,
    }
}

pub(super) fn binary_op(text: &str) -> Option<BinaryOp> {
    Some(match text {
        "+" => BinaryOp::Add,
        "-" => BinaryOp::Sub,
        "*" => BinaryOp::Mul,
        "/" => BinaryOp::Div,
        "%" => BinaryOp::Rem,
        "<<" => BinaryOp::Shl,
        ">>" => BinaryOp::Shr,
        "&" | "bitand" => BinaryOp::BitAnd,
        "|" | "bitor" => BinaryOp::BitOr,
        "^" | "xor" => BinaryOp::BitXor,
        "&&" | "and" => BinaryOp::And,
        "||" | "or" => BinaryOp::Or,
        "==" => BinaryOp::Eq,
        "!=" | "not_eq" => BinaryOp::Ne,
        "<" => BinaryOp::Lt,
        "<=" => BinaryOp::Le,
        ">" => BinaryOp::Gt,
        ">=" => BinaryOp::Ge,
        "<=>" => BinaryOp::Spaceship,
        "," => BinaryOp::Comma,
        _ => return None,
    })
}
