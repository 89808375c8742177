//! Expressions.

use tree_sitter::Node;

use super::{Lowering, named_children, opaque, path, span};
use crate::tree::{BinaryOp, Expr, ExprKind, Item, ItemKind, Lambda, Segment, UnaryOp};

impl Lowering<'_> {
    pub(super) fn expr(&mut self, node: Node<'_>) -> Expr {
        self.descend(1, |lowering| lowering.expr_kind(node))
            .unwrap_or_else(|| Expr::new(ExprKind::Opaque("too deep"), span(node)))
    }

    pub(super) fn exprs(&mut self, nodes: &[Node<'_>]) -> Vec<Expr> {
        nodes.iter().map(|node| self.expr(*node)).collect()
    }

    fn expr_kind(&mut self, node: Node<'_>) -> Expr {
        let kind = match node.kind() {
            "identifier" => return path(vec![self.ident(node)]),
            "integer" => match integer(self.text(node)) {
                Some(value) => ExprKind::Int(value),
                None => return opaque(node),
            },
            "float" => ExprKind::Float(self.text(node).to_owned()),
            "true" => ExprKind::Bool(true),
            "false" => ExprKind::Bool(false),
            "none" => ExprKind::Null,
            "string" => match self.string(node) {
                Some(text) => ExprKind::Str(text),
                None => return opaque(node),
            },
            "parenthesized_expression" | "await" => match named_children(node).as_slice() {
                [only] => return self.expr(*only),
                _ => return opaque(node),
            },
            "tuple" | "expression_list" | "pattern_list" | "tuple_pattern" => {
                ExprKind::Tuple(self.exprs(&named_children(node)))
            }
            "list" | "list_pattern" => ExprKind::Braced(self.exprs(&named_children(node))),
            "list_splat" | "list_splat_pattern" => match named_children(node).as_slice() {
                [only] => ExprKind::Expand(Box::new(self.expr(*only))),
                _ => return opaque(node),
            },
            "attribute" => return self.attribute(node),
            "subscript" => return self.subscript(node),
            "call" => return self.call(node),
            "unary_operator" | "not_operator" => return self.unary(node),
            "binary_operator" | "boolean_operator" => return self.binary(node),
            "comparison_operator" => return self.comparison(node),
            "conditional_expression" => match named_children(node).as_slice() {
                [then, condition, otherwise] => {
                    let condition = Box::new(self.expr(*condition));
                    let then = Box::new(self.expr(*then));
                    ExprKind::Ternary(condition, then, Box::new(self.expr(*otherwise)))
                }
                _ => return opaque(node),
            },
            "augmented_assignment" => return self.augmented(node),
            "named_expression" => {
                let (name, value) = (
                    node.child_by_field_name("name"),
                    node.child_by_field_name("value"),
                );
                return match (name, value) {
                    (Some(name), Some(value)) => self.assigned(None, name, value, node),
                    _ => opaque(node),
                };
            }
            "lambda" => return self.lambda(node),
            "type" | "generic_type" => return self.annotation(node),
            _ => return opaque(node),
        };
        Expr::new(kind, span(node))
    }

    /// The text of a plain string; `None` for one with expressions inside, or in several parts.
    fn string(&self, node: Node<'_>) -> Option<String> {
        let parts = named_children(node);
        let plain = parts.iter().all(|part| part.kind() != "interpolation");
        let raw = parts.iter().filter(|part| part.kind() == "string_content");
        plain.then(|| raw.map(|part| self.text(*part)).collect())
    }

    fn attribute(&mut self, node: Node<'_>) -> Expr {
        let (object, member) = (
            node.child_by_field_name("object"),
            node.child_by_field_name("attribute"),
        );
        let (Some(object), Some(member)) = (object, member) else {
            return opaque(node);
        };
        let kind = ExprKind::Member {
            object: Box::new(self.expr(object)),
            member: Segment {
                name: self.ident(member),
                args: None,
            },
            arrow: false,
        };
        Expr::new(kind, span(node))
    }

    fn subscript(&mut self, node: Node<'_>) -> Expr {
        let Some(object) = node.child_by_field_name("value") else {
            return opaque(node);
        };
        let object = self.expr(object);
        let args = self.exprs(&super::fields(node, "subscript"));
        Expr::new(ExprKind::Index(Box::new(object), args), span(node))
    }

    fn call(&mut self, node: Node<'_>) -> Expr {
        let (callee, arguments) = (
            node.child_by_field_name("function"),
            node.child_by_field_name("arguments"),
        );
        let (Some(callee), Some(arguments)) = (callee, arguments) else {
            return opaque(node);
        };
        let callee = Box::new(self.expr(callee));
        let args = if arguments.kind() == "argument_list" {
            named_children(arguments)
                .into_iter()
                .map(|argument| self.argument(argument))
                .collect()
        } else {
            vec![opaque(arguments)]
        };
        Expr::new(ExprKind::Call(callee, args), span(node))
    }

    fn argument(&mut self, node: Node<'_>) -> Expr {
        let named = node
            .child_by_field_name("name")
            .zip(node.child_by_field_name("value"));
        match named {
            Some((name, value)) if node.kind() == "keyword_argument" => {
                let value = Box::new(self.expr(value));
                let kind = ExprKind::Designated(self.ident(name), value);
                Expr::new(kind, span(node))
            }
            _ => self.expr(node),
        }
    }

    fn unary(&mut self, node: Node<'_>) -> Expr {
        let op = match node.child_by_field_name("operator").map(|op| op.kind()) {
            None => UnaryOp::Not,
            Some("-") => UnaryOp::Minus,
            Some("+") => UnaryOp::Plus,
            Some("~") => UnaryOp::BitNot,
            Some(_) => return opaque(node),
        };
        match node.child_by_field_name("argument") {
            Some(operand) => {
                let operand = Box::new(self.expr(operand));
                Expr::new(ExprKind::Unary(op, operand), span(node))
            }
            None => opaque(node),
        }
    }

    fn binary(&mut self, node: Node<'_>) -> Expr {
        let operator = node.child_by_field_name("operator");
        let op = operator.and_then(|op| operator_of(op.kind()));
        let (left, right) = (
            node.child_by_field_name("left"),
            node.child_by_field_name("right"),
        );
        match (op, left, right) {
            (Some(op), Some(left), Some(right)) => {
                let (left, right) = (Box::new(self.expr(left)), Box::new(self.expr(right)));
                Expr::new(ExprKind::Binary(op, left, right), span(node))
            }
            _ => opaque(node),
        }
    }

    /// `a < b <= c` is `a < b and b <= c`.
    fn comparison(&mut self, node: Node<'_>) -> Expr {
        let operands = self.exprs(&named_children(node));
        let right = named_children(node).into_iter().skip(1);
        let operators: Option<Vec<BinaryOp>> = node
            .children_by_field_name("operators", &mut node.walk())
            .zip(right)
            .map(|(op, right)| match (op.kind(), right.kind()) {
                ("is", "none") => Some(BinaryOp::Eq),
                ("is not", "none") => Some(BinaryOp::Ne),
                (op, _) => operator_of(op),
            })
            .collect();
        let Some(operators) = operators.filter(|found| found.len() + 1 == operands.len()) else {
            return opaque(node);
        };
        let steps = operands.windows(2).zip(operators).map(|(pair, op)| {
            let [left, right] = pair else {
                return opaque(node);
            };
            let place = left.span.to(right.span);
            let (left, right) = (Box::new(left.clone()), Box::new(right.clone()));
            Expr::new(ExprKind::Binary(op, left, right), place)
        });
        let both = |left: Expr, right: Expr| {
            let place = left.span.to(right.span);
            let kind = ExprKind::Binary(BinaryOp::And, Box::new(left), Box::new(right));
            Expr::new(kind, place)
        };
        // A chain beyond the limit would be a tree beyond the limit.
        if operands.len() > CHAIN {
            return opaque(node);
        }
        steps.reduce(both).unwrap_or_else(|| opaque(node))
    }

    fn augmented(&mut self, node: Node<'_>) -> Expr {
        let operator = node.child_by_field_name("operator");
        let op = operator
            .and_then(|op| op.kind().strip_suffix('='))
            .and_then(operator_of);
        let (target, value) = (
            node.child_by_field_name("left"),
            node.child_by_field_name("right"),
        );
        match (op, target, value) {
            (Some(op), Some(target), Some(value)) => self.assigned(Some(op), target, value, node),
            // The target changes all the same, to a value that is not lowered.
            (None, Some(target), Some(value)) => {
                let (target, value) = (self.expr(target), opaque(value));
                let assignment = crate::tree::Assignment {
                    op: None,
                    target,
                    value,
                };
                Expr::new(ExprKind::Assign(Box::new(assignment)), span(node))
            }
            _ => opaque(node),
        }
    }

    fn lambda(&mut self, node: Node<'_>) -> Expr {
        let params = node
            .child_by_field_name("parameters")
            .map(|params| self.parameters(params))
            .unwrap_or_default();
        let Some(body) = node.child_by_field_name("body") else {
            return opaque(node);
        };
        let value = self.expr(body);
        let place = value.span;
        let lambda = Lambda {
            default_capture: Some('&'),
            captures: Vec::new(),
            tparams: Vec::new(),
            params,
            ret: None,
            body: vec![Item::new(ItemKind::Return(Some(value)), place)],
        };
        Expr::new(ExprKind::Lambda(Box::new(lambda)), span(node))
    }
}

/// Comparisons in one chain; more are not lowered, so that the tree's depth keeps to its limit.
const CHAIN: usize = 16;

fn operator_of(text: &str) -> Option<BinaryOp> {
    Some(match text {
        "+" => BinaryOp::Add,
        "-" => BinaryOp::Sub,
        "*" => BinaryOp::Mul,
        "/" => BinaryOp::Div,
        "//" => BinaryOp::FloorDiv,
        "%" => BinaryOp::Rem,
        "**" => BinaryOp::Power,
        "<<" => BinaryOp::Shl,
        ">>" => BinaryOp::Shr,
        "&" => BinaryOp::BitAnd,
        "|" => BinaryOp::BitOr,
        "^" => BinaryOp::BitXor,
        "and" => BinaryOp::And,
        "or" => BinaryOp::Or,
        "==" => BinaryOp::Eq,
        "!=" => BinaryOp::Ne,
        "<" => BinaryOp::Lt,
        "<=" => BinaryOp::Le,
        ">" => BinaryOp::Gt,
        ">=" => BinaryOp::Ge,
        _ => return None,
    })
}

/// An integer literal: `64`, `1_000`, `0x40`, `0o17`, `0b101`.
fn integer(text: &str) -> Option<i64> {
    let text = text.replace('_', "").to_ascii_lowercase();
    let (digits, radix) = match text.get(..2) {
        Some("0x") => (text.get(2..)?, 16),
        Some("0o") => (text.get(2..)?, 8),
        Some("0b") => (text.get(2..)?, 2),
        _ => (text.as_str(), 10),
    };
    i64::from_str_radix(digits, radix).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_read_in_every_base() {
        for (text, value) in [
            ("64", Some(64)),
            ("1_000", Some(1000)),
            ("0x_40", Some(64)),
            ("0o17", Some(15)),
            ("0B101", Some(5)),
            ("1j", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(integer(text), value, "{text}");
        }
    }
}
