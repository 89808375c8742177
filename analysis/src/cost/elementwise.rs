//! Stores of single elements, `part(i) = x` for all `i`, into a tensor in which two elements are one.

use cute_algebra::IntTuple;
use tree_sitter_cute::tree::{Assignment, BinaryOp, Expr, ExprKind, ItemKind, Span};

use super::copied::{may_differ, of_one_address, one_place};
use super::partitions::{Part, part};
use super::rings::value_of;
use super::{Costs, Seen, bounds, called, owners, three};
use crate::finding::Finding;
use crate::tensor::Space;
use crate::value::Value;
use crate::walk;

/// Looks at all stores of a kernel that every thread comes to.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    if !seen.run.is_kernel() || bounds::may_leave(seen) {
        return;
    }
    let mut stores: Vec<(Span, &Assignment)> = Vec::new();
    walk::expressions(seen.run.body(), &mut |expr| {
        if let ExprKind::Assign(assignment) = &expr.kind {
            stores.push((expr.span, assignment));
        }
    });
    for (span, assignment) in stores {
        let Some(finding) = written_twice(seen, span, assignment) else {
            continue;
        };
        let is_known = |known: &Finding| known.rule == finding.rule && known.span == finding.span;
        if !costs.findings.iter().any(is_known) {
            costs.findings.push(finding);
        }
    }
}

/// A store by all threads, in a loop over their elements, that writes two values to one place.
fn written_twice<'u>(
    seen: &Seen<'_, 'u>,
    span: Span,
    assignment: &'u Assignment,
) -> Option<Finding> {
    let ExprKind::Call(tensor, index) = &assignment.target.kind else {
        return None;
    };
    let [index] = index.as_slice() else {
        return None;
    };
    let to = part(seen, tensor)?;
    let is_memory = matches!(to.whole.engine.space, Space::Shared | Space::Global);
    if !is_memory || to.whole.is_of_coordinates() || !is_over_all(seen, span, tensor, index) {
        return None;
    }
    let (first, second) = one_place(to.whole)?;
    let value = &assignment.value;
    if !is_of_thread(seen, &to, value)? && !reads_others(seen, value, index, (&first, &second)) {
        return None;
    }
    Some(of_one_address(
        seen,
        span,
        (&to, to.whole),
        (&first, &second),
    ))
}

/// Whether a store is under nothing but loops, of which the innermost one goes over all elements of a part.
fn is_over_all<'u>(seen: &Seen<'_, 'u>, store: Span, tensor: &'u Expr, index: &'u Expr) -> bool {
    let around = called::around(seen, store);
    let Some(innermost) = around.last() else {
        return false;
    };
    let size = seen
        .variable(tensor)
        .and_then(|declared| value_of(seen, declared))
        .and_then(|value| match value {
            Value::Tensor(own) => own.layout.domain().size().ok()?.value(),
            _ => None,
        });
    let counter = seen.variable(index);
    around
        .iter()
        .all(|item| matches!(item.kind, ItemKind::Loop(_)))
        && seen.run.counters.iter().any(|known| {
            known.repeat == innermost.span
                && Some(known.declared) == counter
                && Some(known.trips) == size
                && known.last == known.trips - 1
        })
}

/// Whether two threads that have one element store another number each: one that is made of the index of the thread. Nothing
/// where the threads are not those of a launch.
fn is_of_thread<'u>(seen: &Seen<'_, 'u>, to: &Part<'_, 'u>, value: &'u Expr) -> Option<bool> {
    let sliced = to.sliced.as_ref()?;
    let launches = seen.run.launches.iter();
    let blocks: Option<Vec<[i64; 3]>> = launches.map(|launch| three(&launch.block)).collect();
    let fewest = blocks?
        .into_iter()
        .map(|[x, y, z]| if y == 1 && z == 1 { x } else { 0 })
        .min()?;
    if sliced.index.to_string() != "threadIdx.x" || fewest < sliced.threads {
        return None;
    }
    let is_shared = owners::shared(to, to, sliced.threads).is_some();
    Some(is_shared && names_the_thread(value))
}

/// Whether an expression is another number for each thread: `threadIdx.x` times a number, plus one.
fn names_the_thread(value: &Expr) -> bool {
    let is_number = |expr: &Expr| match &expr.kind {
        ExprKind::Float(text) => {
            let number: Option<f64> = text.trim_end_matches(['f', 'F']).parse().ok();
            number.is_some_and(|number| number != 0.0)
        }
        ExprKind::Int(number) => *number != 0,
        _ => false,
    };
    match &value.kind {
        ExprKind::Member { object, member, .. } => {
            object.as_plain_name() == Some("threadIdx") && member.name.name == "x"
        }
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, left, right) => {
            (names_the_thread(left) && is_number(right))
                || (is_number(left) && names_the_thread(right))
        }
        _ => false,
    }
}

/// Whether a value is made of an element that another tensor has at the same index, and that is not the same one for the two.
fn reads_others<'u>(
    seen: &Seen<'_, 'u>,
    value: &'u Expr,
    index: &Expr,
    (first, second): (&IntTuple, &IntTuple),
) -> bool {
    let mut read: Vec<&'u Expr> = Vec::new();
    walk::subexpressions(value, &mut |expr| {
        if let ExprKind::Call(tensor, args) = &expr.kind
            && let [own] = args.as_slice()
            && own.as_plain_name().is_some()
            && own.as_plain_name() == index.as_plain_name()
        {
            read.push(tensor);
        }
    });
    read.into_iter().any(|tensor| {
        part(seen, tensor).is_some()
            && may_differ(seen, tensor, &|part| Some(part.whole), (first, second))
    })
}
