//! The variable at the root of an expression: of which it is a part, an element or the address.

use tree_sitter_cute::tree::{Expr, ExprKind, UnaryOp};

/// The variable of which an expression is a part, or the address; of `this->m.n` it is `m`.
pub(super) fn root_of(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Unary(_, inner) => root_of(inner),
        ExprKind::Member { object, member, .. } if is_this(object) => Some(&member.name.name),
        ExprKind::Member { object, .. } => root_of(object),
        _ => expr.as_plain_name(),
    }
}

/// The variable at the root of `a.b.c`.
pub(super) fn named_root(path: &Expr) -> Option<&Expr> {
    match &path.kind {
        ExprKind::Member { object, .. } => named_root(object),
        ExprKind::Name(_) => Some(path),
        _ => None,
    }
}

/// The array of which an expression is an element or the address of one, or which it names.
pub(in crate::interpret) fn root_of_array(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Unary(_, inner) | ExprKind::Index(inner, _) | ExprKind::Cast(_, _, inner) => {
            root_of_array(inner)
        }
        ExprKind::Member { object, .. } => root_of_array(object),
        _ => expr.as_plain_name(),
    }
}

/// Whether an expression is a name, or a member of one.
pub(super) fn is_path(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Member {
            object,
            arrow: false,
            ..
        } => is_path(object),
        kind => matches!(kind, ExprKind::Name(_)),
    }
}

/// Whether an expression is `this` or `*this`.
pub(super) fn is_this(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Unary(UnaryOp::Deref, inner) => is_this(inner),
        _ => expr.as_plain_name() == Some("this"),
    }
}
