//! Sums that read as casts: the grammar takes `(Traits::value) - 1` for `-1` as a type. What depends on a template parameter
//! is a value without `typename` ([temp.res.general]); of other names only a reader who resolves them can tell, who is given
//! the sum.

use tree_sitter::Node;

use super::expression::binary_op;
use super::{Lowering, comparison};
use crate::tree::{BinaryOp, Expr, ExprKind};

/// A sum with its parts in the order of the text.
struct Sum {
    first: Expr,
    rest: Vec<(BinaryOp, Expr)>,
}

/// The precedence of an operator, as in C++.
fn strength(op: BinaryOp) -> u8 {
    match op {
        // The last two are Python's.
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem | BinaryOp::FloorDiv | BinaryOp::Power => 11,
        BinaryOp::Add | BinaryOp::Sub => 10,
        BinaryOp::Shl | BinaryOp::Shr => 9,
        BinaryOp::Spaceship => 8,
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => 7,
        BinaryOp::Eq | BinaryOp::Ne => 6,
        BinaryOp::BitAnd => 5,
        BinaryOp::BitXor => 4,
        BinaryOp::BitOr => 3,
        BinaryOp::And => 2,
        BinaryOp::Or => 1,
        BinaryOp::Comma => 0,
    }
}

impl Lowering<'_> {
    /// An expression in which a sum reads as a cast, with the sum in its place; nothing where there is none.
    pub(super) fn with_sum(&mut self, node: Node<'_>) -> Option<ExprKind> {
        if !self.has_sum(node) {
            return None;
        }
        let sum = self.parts_of_sum(node);
        let mut left = sum.first;
        // Operands that wait for what binds more closely.
        let mut open: Vec<(Expr, BinaryOp)> = Vec::new();
        for (op, right) in sum.rest {
            while let Some((before, above)) =
                open.pop_if(|(_, above)| strength(*above) >= strength(op))
            {
                left = operation(above, before, left);
            }
            open.push((left, op));
            left = right;
        }
        while let Some((before, op)) = open.pop() {
            left = operation(op, before, left);
        }
        Some(left.kind)
    }

    /// Whether a sum that reads as a cast is at the borders of an expression, where operators around it may take a part of it.
    fn has_sum(&self, node: Node<'_>) -> bool {
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            if !self.text(node).contains("::") {
                continue;
            }
            match node.kind() {
                "binary_expression" => {
                    open.extend(node.child_by_field_name("left"));
                    open.extend(node.child_by_field_name("right"));
                }
                "unary_expression" | "pointer_expression" => {
                    open.extend(node.child_by_field_name("argument"));
                }
                "cast_expression" if self.sum_of(node).is_some() => return true,
                "cast_expression" => open.extend(node.child_by_field_name("value")),
                _ => {}
            }
        }
        false
    }

    /// The first summand, the operator and the second one of what reads as a cast.
    fn sum_of<'n>(&self, cast: Node<'n>) -> Option<(Node<'n>, BinaryOp, Node<'n>)> {
        let ty = cast.child_by_field_name("type")?;
        let name = ty.child_by_field_name("type").unwrap_or(ty);
        let value = cast.child_by_field_name("value")?;
        let is_name = name.kind() == "qualified_identifier" && name.byte_range() == ty.byte_range();
        if cast.kind() != "cast_expression" || !is_name || self.is_of_standard(name) {
            return None;
        }
        if !matches!(value.kind(), "unary_expression" | "pointer_expression") {
            return None;
        }
        let op = match self.text(value.child_by_field_name("operator")?) {
            "+" => BinaryOp::Add,
            "-" => BinaryOp::Sub,
            "*" => BinaryOp::Mul,
            "&" => BinaryOp::BitAnd,
            _ => return None,
        };
        Some((name, op, value.child_by_field_name("argument")?))
    }

    /// Whether a name is an integer type of the standard library: `std::size_t`, `cuda::std::int64_t`.
    fn is_of_standard(&self, name: Node<'_>) -> bool {
        let (mut scope, mut last) = ("", name);
        while last.kind() == "qualified_identifier" {
            scope = last
                .child_by_field_name("scope")
                .map_or("", |scope| self.text(scope));
            let Some(inner) = last.child_by_field_name("name") else {
                return false;
            };
            last = inner;
        }
        scope == "std" && self.text(last).ends_with("_t")
    }

    fn parts_of_sum(&mut self, node: Node<'_>) -> Sum {
        if !self.has_sum(node) {
            let first = self.expr(node);
            return Sum {
                first,
                rest: Vec::new(),
            };
        }
        if let Some((name, op, value)) = self.sum_of(node) {
            let first = self.expr(name);
            let right = self.parts_of_sum(value);
            return Sum {
                first,
                rest: behind(op, right),
            };
        }
        let sides = (
            node.child_by_field_name("left"),
            node.child_by_field_name("operator")
                .and_then(|op| binary_op(self.text(op))),
            node.child_by_field_name("right"),
        );
        if let (Some(left), Some(op), Some(right)) = sides {
            let mut sum = self.parts_of_sum(left);
            let right = self.parts_of_sum(right);
            sum.rest.extend(behind(op, right));
            return sum;
        }
        // An operator before a sum takes its first part only.
        let inner = node
            .child_by_field_name("argument")
            .or(node.child_by_field_name("value"));
        let Some(inner) = inner else {
            let first = self.opaque(node);
            return Sum {
                first,
                rest: Vec::new(),
            };
        };
        let sum = self.parts_of_sum(inner);
        let place = self.span(node);
        let first = Box::new(sum.first);
        let kind = match node.kind() {
            "cast_expression" => self.cast_of(node, first),
            _ => self.unary_of(node, first),
        };
        Sum {
            first: Expr::new(kind, place),
            rest: sum.rest,
        }
    }
}

/// An operator and the summands behind it.
fn behind(op: BinaryOp, right: Sum) -> Vec<(BinaryOp, Expr)> {
    let mut parts = vec![(op, right.first)];
    parts.extend(right.rest);
    parts
}

fn operation(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    let place = left.span.to(right.span);
    let template = (op == BinaryOp::Gt)
        .then(|| comparison::as_template(&left, &right))
        .flatten();
    let kind = template.unwrap_or_else(|| ExprKind::Binary(op, Box::new(left), Box::new(right)));
    Expr::new(kind, place)
}

#[cfg(test)]
mod tests {
    use crate::cuda::parse_expression;
    use crate::tree::{BinaryOp, CastKind, ExprKind, Span};

    #[test]
    fn a_qualified_name_in_parentheses_is_a_summand() {
        let read = |text: &str| {
            let read = parse_expression(text).unwrap();
            read.at(Span::new(0, 0))
        };
        for (written, plain) in [
            ("(T::v) + 1", "T::v + 1"),
            ("(T::v) - 1 * 2", "T::v - 1 * 2"),
            ("5 * (T::v) - 1", "5 * T::v - 1"),
            ("100 / (T::v) * 2", "100 / T::v * 2"),
            ("1 + (T::v) * (U::v) & 3", "1 + T::v * U::v & 3"),
            ("-(T::v) + 1", "-T::v + 1"),
            ("(int)(T::v) - 1", "(int)T::v - 1"),
            ("a < (T::v) + 1 && b", "a < T::v + 1 && b"),
            ("(T::v) & x == 3", "T::v & x == 3"),
            ("7 - (T::v) - (T::v) - 1", "7 - T::v - T::v - 1"),
        ] {
            assert_eq!(read(written), read(plain), "{written}");
        }
        for cast in [
            "(std::size_t) - 1",
            "(cuda::std::int64_t) - n * 2",
            "(typename T::v) - 1",
            "(T::v*) + p",
        ] {
            let read = read(cast);
            let ExprKind::Cast(CastKind::CStyle, ..) = read.kind else {
                let ExprKind::Binary(BinaryOp::Mul, left, _) = &read.kind else {
                    panic!("{cast}: {read:?}");
                };
                assert!(matches!(left.kind, ExprKind::Cast(..)), "{cast}");
                continue;
            };
        }
    }
}
