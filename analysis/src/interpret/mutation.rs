//! Which variables may change after their declaration, and where.
//!
//! The answers are by name and err on the side of "may change": a run-time integer becomes the
//! symbol of its name then, and a value that is fixed by its type cannot change.

use tree_sitter_cute::tree::{Expr, ExprKind, Item, ItemKind, Jump, Reference, Span, UnaryOp};

use crate::hash::HashSet;
use crate::vocabulary;
use crate::walk;

/// The names that change in ways that cannot be followed: through their address, a reference, a
/// lambda, or code that was not understood. They are symbols from their declaration on.
pub(super) fn untraceable_names<'u>(
    items: &'u [Item],
    text_of: &dyn Fn(Span) -> &'u str,
) -> HashSet<&'u str> {
    let mut names = HashSet::default();
    let mut jumps = false;
    walk::items(items, &mut |item| match &item.kind {
        ItemKind::Binding(binding)
            if binding.reference != Reference::None && !binding.specifiers.constant =>
        {
            names.extend(binding.init.as_ref().and_then(root_name));
        }
        ItemKind::Opaque(_) => names.extend(identifiers(text_of(item.span))),
        ItemKind::Jump(Jump::Goto) => jumps = true,
        _ => {}
    });
    walk::expressions(items, &mut |expr| match &expr.kind {
        ExprKind::Unary(UnaryOp::AddressOf, operand) => names.extend(root_name(operand)),
        ExprKind::Lambda(lambda) => {
            names.extend(changed_names(&lambda.body, &|_| false));
        }
        ExprKind::Opaque(_) => names.extend(identifiers(text_of(expr.span))),
        _ => {}
    });
    if jumps {
        names.extend(changed_names(items, &|_| false));
    }
    names
}

/// The names that statements may change. `by_value` says of a function of the file whether it
/// takes its arguments by value or as constants.
pub(super) fn changed_names<'u>(
    items: &'u [Item],
    by_value: &dyn Fn(&str) -> bool,
) -> HashSet<&'u str> {
    let mut names = HashSet::default();
    walk::expressions(items, &mut |expr| {
        changed_by(expr, by_value, &mut |name| {
            names.insert(name);
        });
    });
    names
}

/// Adds the names that an expression may change.
pub(super) fn changed_in<'u>(expr: &'u Expr, names: &mut HashSet<&'u str>) {
    walk::subexpressions(expr, &mut |part| {
        changed_by(part, &|_| false, &mut |name| {
            names.insert(name);
        });
    });
}

/// Calls `found` with each name that an expression itself (not what is inside it) may change.
fn changed_by<'u>(expr: &'u Expr, by_value: &dyn Fn(&str) -> bool, found: &mut dyn FnMut(&'u str)) {
    let mut target = |expr: &'u Expr| {
        if let Some(name) = root_name(expr) {
            found(name);
        }
    };
    match &expr.kind {
        ExprKind::Assign(assignment) => target(&assignment.target),
        ExprKind::Unary(
            UnaryOp::AddressOf
            | UnaryOp::PreIncrement
            | UnaryOp::PreDecrement
            | UnaryOp::PostIncrement
            | UnaryOp::PostDecrement,
            operand,
        ) => target(operand),
        // `std::cin >> m`
        ExprKind::Binary(tree_sitter_cute::tree::BinaryOp::Shr, _, right) => target(right),
        ExprKind::Call(callee, args) if !leaves_arguments_alone(callee, by_value) => {
            for arg in args.iter().filter(|arg| arg.as_plain_name().is_some()) {
                target(arg);
            }
        }
        ExprKind::Construct { ty, args, .. } if !leaves_arguments_alone(ty, by_value) => {
            for arg in args.iter().filter(|arg| arg.as_plain_name().is_some()) {
                target(arg);
            }
        }
        _ => {}
    }
}

/// Whether a callee is known to take its arguments by value or as constants.
pub(super) fn leaves_arguments_alone(callee: &Expr, by_value: &dyn Fn(&str) -> bool) -> bool {
    let path = match &callee.kind {
        ExprKind::Name(path) => path,
        // Methods of CuTe's own objects change nothing they are given.
        ExprKind::Member { member, .. } => return vocabulary::method(&member.name.name).is_some(),
        _ => return false,
    };
    path.last().is_some_and(|segment| {
        let name = &segment.name.name;
        by_value(name) || vocabulary::function(name).is_some() || vocabulary::is_type_name(name)
    })
}

/// The variable at the bottom of `x`, `x.y`, `x[i]`, `*x`, `get<0>(x)`; not of a call of `x`
/// itself, which for a tensor changes an element and not the layout.
pub(super) fn root_name(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Name(_) => expr.as_plain_name(),
        ExprKind::Member { object, .. } => root_name(object),
        ExprKind::Unary(UnaryOp::Deref, inner) => root_name(inner),
        ExprKind::Call(callee, args) => {
            // `get<0>(x) = 4` changes x.
            let segment = callee.as_path()?.last()?;
            segment.args.as_ref()?;
            root_name(args.first()?)
        }
        _ => None,
    }
}

/// The identifiers in a piece of source that was not understood.
fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}
