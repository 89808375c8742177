//! Accumulators in registers that nothing gives a value before products add to them.

use tree_sitter_cute::tree::{Expr, ExprKind, Span};

use super::Seen;
use super::called::Called;
use crate::vocabulary;
use crate::walk;

/// Functions that make a tensor of registers without values.
const MAKERS: &[&str] = &[
    "make_fragment_C",
    "make_fragment_like",
    "make_tensor",
    "make_tensor_like",
    "partition_fragment_C",
];

/// Functions that ask for something other than the elements, or order them for the compiler.
const ASKING: &[&str] = &[
    "cosize",
    "layout",
    "rank",
    "retile_S",
    "shape",
    "size",
    "stride",
    "warpgroup_fence_operand",
];

/// Whether a variable is made without values, and is only added to and read.
pub(super) fn is_unset(seen: &Seen<'_, '_>, accumulator: Span) -> bool {
    let made = seen.initialiser(accumulator).and_then(Called::of);
    if !made.is_some_and(|made| MAKERS.contains(&made.name)) {
        return false;
    }
    let is_it = |expr: &Expr| seen.variable(expr) == Some(accumulator);
    let mut read: Vec<Span> = Vec::new();
    let mut changed: Vec<Span> = Vec::new();
    let mut named: Vec<Span> = Vec::new();
    for body in seen.bodies() {
        walk::expressions(body, &mut |expr| {
            match &expr.kind {
                ExprKind::Assign(assignment) => changed.push(assignment.target.span),
                ExprKind::Unary(op, target) if op.may_change() => changed.push(target.span),
                ExprKind::Name(_) if is_it(expr) => named.push(expr.span),
                _ => {}
            }
            let Some(called) = Called::of(expr) else {
                return;
            };
            read.extend(read_by(&called));
            let is_element = called.object.is_none()
                && matches!(&expr.kind, ExprKind::Call(callee, _) if is_it(callee));
            if is_element && let ExprKind::Call(callee, _) = &expr.kind {
                read.push(callee.span);
            } else if !ASKING.contains(&called.name) && vocabulary::function(called.name).is_none()
            {
                // It may take them by reference.
                changed.extend(called.args.iter().map(|arg| arg.span));
            }
        });
    }
    // The tensor itself is declared by a name that is not an expression.
    let encloses = |spans: &[Span], name: &Span| spans.iter().any(|span| span.encloses(*name));
    named
        .iter()
        .all(|name| encloses(&read, name) && !encloses(&changed, name))
}

/// The arguments of a call, and its object, that are only read or added to.
fn read_by(called: &Called<'_>) -> Vec<Span> {
    let argument = |back: usize| {
        let place = called.args.len().checked_sub(back + 1);
        place.and_then(|place| called.args.get(place))
    };
    let one = match called.name {
        "gemm" => argument(0),
        "copy" => argument(1),
        name if ASKING.contains(&name) => called.object.filter(|_| called.args.is_empty()),
        _ => None,
    };
    let all = if ASKING.contains(&called.name) {
        called.args
    } else {
        &[]
    };
    one.into_iter().chain(all).map(|expr| expr.span).collect()
}
