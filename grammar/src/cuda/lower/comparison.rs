//! Comparisons that are template arguments: where the argument is a number, the grammar reads
//! `Traits<1>::value` as `(Traits < 1) > ::value`.

use crate::tree::{BinaryOp, Expr, ExprKind, Path, Qualifier};

/// The name, call or construction that `left > right` represents; nothing for a comparison.
///
/// A globally qualified name right behind `>` is all but never compared with.
pub(super) fn as_template(left: &Expr, right: &Expr) -> Option<ExprKind> {
    let ExprKind::Binary(BinaryOp::Lt, callee, argument) = &left.kind else {
        return None;
    };
    let ExprKind::Name(scope) = &callee.kind else {
        return None;
    };
    if left.span.end >= right.span.start || scope.last()?.args.is_some() {
        return None;
    }
    match &right.kind {
        ExprKind::Name(rest) => Some(ExprKind::Name(joined(scope, argument, rest)?)),
        ExprKind::Call(function, args) => {
            let function = member(scope, argument, callee, function)?;
            Some(ExprKind::Call(Box::new(function), args.clone()))
        }
        ExprKind::Construct { ty, args, braces } => Some(ExprKind::Construct {
            ty: Box::new(member(scope, argument, callee, ty)?),
            args: args.clone(),
            braces: *braces,
        }),
        _ => None,
    }
}

fn member(scope: &Path, argument: &Expr, start: &Expr, name: &Expr) -> Option<Expr> {
    let ExprKind::Name(rest) = &name.kind else {
        return None;
    };
    let kind = ExprKind::Name(joined(scope, argument, rest)?);
    Some(Expr::new(kind, start.span.to(name.span)))
}

/// `scope<argument>` before `::rest`.
fn joined(scope: &Path, argument: &Expr, rest: &Path) -> Option<Path> {
    if rest.qualifier != Qualifier::Global {
        return None;
    }
    let mut path = scope.clone();
    path.segments.last_mut()?.args = Some(vec![argument.clone()]);
    path.segments.extend(rest.segments.iter().cloned());
    Some(path)
}
