//! Products that add to tensor memory: whether the first one begins with zero, and whether the later ones add at all.

use tree_sitter_cute::tree::{Assignment, Expr, ExprKind, Span};

use super::{Costs, Seen};
use crate::finding::{Finding, Number, Related, Severity};
use crate::tensor::Space;
use crate::trace::{Action, Deed, Way};
use crate::value::Value;
use crate::vocabulary;
use crate::walk;

/// The member of CuTe's traits of an MMA that says whether a product adds (`cute/atom/mma_traits_sm100.hpp`).
const FLAG: &str = "accumulate_";

/// An assignment to the flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Write {
    Zero,
    One,
    Other,
}

/// Looks at all products of a kernel.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    if !seen.run.is_kernel() {
        return;
    }
    for gemm in seen.run.reached(Deed::Gemm) {
        if gemm.is_uncertain || !gemm.calls.is_empty() {
            continue;
        }
        let [mma, _, _, accumulator] = gemm.args else {
            continue;
        };
        let is_in_tensor_memory = matches!(gemm.values.last(),
            Some(Value::Tensor(tensor)) if tensor.engine.space == Space::TensorMemory);
        let (Some(mma), Some(accumulator)) = (seen.variable(mma), seen.variable(accumulator))
        else {
            continue;
        };
        if !is_in_tensor_memory || is_given_away(seen, &[mma, accumulator]) {
            continue;
        }
        let writes = writes(seen, mma);
        let finding = match writes.as_slice() {
            [] => None,
            all if all.iter().all(|(write, _)| *write == Write::One) => {
                never_zero(seen, gemm, accumulator, all)
            }
            all if all.iter().all(|(write, _)| *write == Write::Zero) => {
                never_one(seen, gemm, accumulator, all)
            }
            _ => None,
        };
        costs.findings.extend(finding);
    }
}

/// All that is assigned to the flag of an MMA.
fn writes(seen: &Seen<'_, '_>, mma: Span) -> Vec<(Write, Span)> {
    let mut found = Vec::new();
    for body in seen.bodies() {
        walk::expressions(body, &mut |expr| {
            if let ExprKind::Assign(assignment) = &expr.kind
                && let Assignment { target, value, .. } = assignment.as_ref()
                && let ExprKind::Member { object, member, .. } = &target.kind
                && member.name.name == FLAG
                && seen.variable(object) == Some(mma)
            {
                let name = value.as_path().and_then(|path| path.last());
                let write = match name.map(|segment| segment.name.name.as_str()) {
                    Some("Zero") => Write::Zero,
                    Some("One") => Write::One,
                    _ => Write::Other,
                };
                found.push((write, expr.span));
            }
        });
    }
    found
}

/// Whether a function that is not of the library takes one of these variables: it may set it.
pub(super) fn is_given_away(seen: &Seen<'_, '_>, variables: &[Span]) -> bool {
    let mut found = false;
    for body in seen.bodies() {
        walk::expressions(body, &mut |expr| {
            let ExprKind::Call(callee, args) = &expr.kind else {
                return;
            };
            let name = callee.as_path().and_then(|path| path.last());
            let is_word = name.is_none_or(|name| vocabulary::function(&name.name.name).is_some());
            let is_either = |arg: &Expr| {
                arg.as_plain_name().is_some()
                    && seen
                        .variable(arg)
                        .is_some_and(|given| variables.contains(&given))
            };
            found |= !is_word && seen.variable(callee).is_none() && args.iter().any(is_either);
        });
    }
    found
}

/// A product that adds to an accumulator that nothing has set.
fn never_zero(
    seen: &Seen<'_, '_>,
    gemm: &Action<'_>,
    accumulator: Span,
    writes: &[(Write, Span)],
) -> Option<Finding> {
    // `tcgen05.st` may set them.
    let is_stored = seen.run.everything().any(|action| {
        matches!(action.deed, Deed::Copy | Deed::CopyWhere)
            && matches!(action.values.last(),
                Some(Value::Tensor(tensor)) if tensor.engine.space == Space::TensorMemory)
    });
    let (_, set) = writes.first()?;
    if is_stored {
        return None;
    }
    let bytes = bytes(gemm)?;
    let message = format!(
        "the MMA adds to {bytes} uninitialised bytes of {}: {FLAG} is One",
        seen.written(accumulator)
    );
    Some(finding(seen, gemm, *set, message, ("bytes", bytes)))
}

/// A product in a loop of which only the last pass is left.
fn never_one(
    seen: &Seen<'_, '_>,
    gemm: &Action<'_>,
    accumulator: Span,
    writes: &[(Write, Span)],
) -> Option<Finding> {
    // A slice may be another one in each pass.
    gemm.args.last()?.as_plain_name()?;
    let (repeat, passes) = gemm.path.iter().rev().find_map(|step| match step.way {
        Way::Loop(Some(passes)) if passes > 1 => Some((step.span, passes)),
        _ => None,
    })?;
    let is_read = seen.run.everything().any(|action| {
        matches!(action.deed, Deed::Copy | Deed::CopyWhere) && repeat.encloses(action.span())
    });
    let (_, set) = writes.first()?;
    if is_read {
        return None;
    }
    let message = format!(
        "each of {passes} MMAs overwrites {}: {FLAG} is never One",
        seen.written(accumulator)
    );
    Some(finding(seen, gemm, *set, message, ("products", passes)))
}

/// The bytes of the accumulators of a product.
fn bytes(gemm: &Action<'_>) -> Option<i64> {
    let Value::Tensor(tensor) = gemm.values.last()? else {
        return None;
    };
    let elements = super::counts::size(tensor)?;
    Some(elements.checked_mul(i64::from(tensor.engine.bits()?))? / 8)
}

fn finding(
    seen: &Seen<'_, '_>,
    gemm: &Action<'_>,
    set: Span,
    message: String,
    (name, counted): (&str, i64),
) -> Finding {
    Finding {
        numbers: vec![(name.to_owned(), Number::Integer(counted))],
        related: vec![Related {
            span: set,
            message: "set here".to_owned(),
        }],
        ..seen.finding("accumulate-flag", Severity::Error, gemm.span(), message)
    }
}
