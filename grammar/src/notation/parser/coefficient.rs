//! Operands of arithmetic, and the coefficients of `@`.

use crate::tree::{BinaryOp, Expr, ExprKind, Rational, Span, UnaryOp};

/// Parentheses around an operand of arithmetic only group.
pub(in super::super) fn ungrouped(operand: Expr) -> Expr {
    let span = operand.span;
    match operand.kind {
        ExprKind::Tuple(mut modes) => match (modes.pop(), modes.is_empty()) {
            (Some(inner), true) => Expr::new(inner.kind, span),
            (last, _) => {
                modes.extend(last);
                Expr::new(ExprKind::Tuple(modes), span)
            }
        },
        kind => Expr::new(kind, span),
    }
}

/// The denominator of a quotient, when it is a zero.
pub(in super::super) fn zero_denominator(coefficient: &Expr) -> Option<Span> {
    match &coefficient.kind {
        ExprKind::Tuple(modes) => match modes.as_slice() {
            [inner] => zero_denominator(inner),
            _ => None,
        },
        ExprKind::Binary(BinaryOp::Div, _, denominator) => {
            let zero =
                matches!(denominator.kind, ExprKind::Static(0)) || literal(denominator) == Some(0);
            zero.then_some(denominator.span)
        }
        _ => None,
    }
}

/// A quotient of two literals before `@` is exact; its sign is the numerator's.
pub(in super::super) fn rational(coefficient: Expr) -> Expr {
    let ExprKind::Binary(BinaryOp::Div, numerator, denominator) = &coefficient.kind else {
        return coefficient;
    };
    let (Some(numerator), Some(denominator)) = (literal(numerator), literal(denominator)) else {
        return coefficient;
    };
    let signed = match denominator {
        0 => None,
        1.. => Some((numerator, denominator)),
        _ => numerator.checked_neg().zip(denominator.checked_neg()),
    };
    match signed {
        Some((numerator, denominator)) => {
            let kind = ExprKind::Rational(Rational {
                numerator,
                denominator,
            });
            Expr::new(kind, coefficient.span)
        }
        None => coefficient,
    }
}

/// The value of an integer literal with its sign.
fn literal(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Int(value) => Some(*value),
        ExprKind::Unary(UnaryOp::Minus, operand) => match operand.kind {
            ExprKind::Int(value) => value.checked_neg(),
            _ => None,
        },
        _ => None,
    }
}
