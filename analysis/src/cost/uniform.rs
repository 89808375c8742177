//! Conditions that all threads of a CTA decide alike.

use tree_sitter_cute::tree::{Expr, ExprKind, ItemKind, Loop, Span, UnaryOp};

use super::thread_sets::asks_for_thread;
use super::{Seen, rings};
use crate::walk;

/// Whether a condition has the same outcome in all threads of a CTA at a time: it is made of numbers, of what the kernel is
/// given, and of counters of loops that are the same for all.
pub(super) fn is_uniform(seen: &Seen<'_, '_>, expr: &Expr, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    if seen.constant(expr).is_some() {
        return true;
    }
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Bool(_) => true,
        ExprKind::Cast(_, _, inner) | ExprKind::Unary(UnaryOp::Not | UnaryOp::Minus, inner) => {
            is_uniform(seen, inner, depth)
        }
        ExprKind::Binary(_, left, right) => {
            is_uniform(seen, left, depth) && is_uniform(seen, right, depth)
        }
        ExprKind::Member { object, .. } => matches!(
            object.as_plain_name(),
            Some("blockIdx" | "blockDim" | "gridDim")
        ),
        ExprKind::Name(_) => seen.variable(expr).is_some_and(|declared| {
            if let Some(repeat) = counted_by(seen, declared) {
                let header = repeat.condition.iter().chain(&repeat.step);
                let changes_inside = seen.assigns_in(&repeat.body, declared);
                return !changes_inside
                    && !header
                        .into_iter()
                        .any(|part| asks_for_thread(seen, part, depth))
                    && seen
                        .initialiser(declared)
                        .is_some_and(|init| is_uniform(seen, init, depth));
            }
            if seen.is_assigned(declared, 0..usize::MAX) {
                return false;
            }
            match seen.initialiser(declared) {
                Some(init) => is_uniform(seen, init, depth),
                None => seen.run.is_kernel() && is_parameter(seen, declared),
            }
        }),
        _ => false,
    }
}

/// Whether all threads of a CTA decide alike: by numbers and counters that are the same for all, and sizes that the kernel is
/// given.
pub(super) fn is_of_cta(seen: &Seen<'_, '_>, expr: &Expr, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    match &expr.kind {
        ExprKind::Binary(_, left, right) => {
            is_of_cta(seen, left, depth) && is_of_cta(seen, right, depth)
        }
        ExprKind::Unary(UnaryOp::Not | UnaryOp::Minus, inner) => is_of_cta(seen, inner, depth),
        ExprKind::Name(_) => {
            is_uniform(seen, expr, depth)
                || seen.variable(expr).is_some_and(|declared| {
                    if seen.is_assigned(declared, 0..usize::MAX) {
                        return false;
                    }
                    let made = seen.initialiser(declared);
                    is_size(seen, declared) || made.is_some_and(|made| is_of_cta(seen, made, depth))
                })
        }
        _ => is_uniform(seen, expr, depth),
    }
}

/// Whether a variable is a number, or made of the sizes of the kernel's parameters only.
fn is_size(seen: &Seen<'_, '_>, declared: Span) -> bool {
    let Some(int) = rings::value_of(seen, declared).and_then(|value| value.as_int()) else {
        return false;
    };
    if int.value().is_some() {
        return true;
    }
    let params = seen.run.function.params.iter();
    let of_params: Vec<_> = params
        .filter_map(|param| {
            rings::value_of(seen, param.name.as_ref()?.span)?
                .as_int()?
                .as_expression()
        })
        .flat_map(cute_algebra::Expression::symbols)
        .collect();
    int.as_expression().is_some_and(|expression| {
        let symbols = expression.symbols();
        !symbols.is_empty() && symbols.iter().all(|symbol| of_params.contains(symbol))
    })
}

/// The `for` that declares a variable.
fn counted_by<'u>(seen: &Seen<'_, 'u>, declared: Span) -> Option<&'u Loop> {
    let mut found = None;
    walk::items(seen.run.body(), &mut |item| {
        if let ItemKind::Loop(repeat) = &item.kind {
            let mut own = repeat.init.iter();
            let declares = own.any(|item| match &item.kind {
                ItemKind::Binding(binding) => binding
                    .name
                    .as_ref()
                    .is_some_and(|name| name.span == declared),
                _ => false,
            });
            if declares {
                found = Some(&**repeat);
            }
        }
    });
    found
}

fn is_parameter(seen: &Seen<'_, '_>, declared: Span) -> bool {
    let mut params = seen.run.function.params.iter();
    params.any(|param| {
        param
            .name
            .as_ref()
            .is_some_and(|name| name.span == declared)
    })
}
