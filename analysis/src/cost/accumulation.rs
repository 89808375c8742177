//! Products that add: whether the first one begins with zero or with values that were set, and whether the later ones add at
//! all.

use tree_sitter_cute::tree::{Assignment, Expr, ExprKind, Span};

use super::{Costs, Seen, unset};
use crate::finding::{Finding, Number, Related, Severity};
use crate::tensor::Space;
use crate::trace::{Action, ActionKind, Way};
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

/// The place of the accumulators of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// In tensor memory, which keeps old values.
    TensorMemory,
    /// In the registers of a warp group.
    WarpGroup,
    /// In registers of other products, which always add.
    Threads,
}

/// Looks at all products of a kernel.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    if !seen.run.is_kernel() {
        return;
    }
    for gemm in seen.run.reached(ActionKind::Gemm) {
        if gemm.is_uncertain || !gemm.calls.is_empty() {
            continue;
        }
        let (mma, accumulator) = match gemm.args {
            [_, _, accumulator] => (None, accumulator),
            [mma, _, _, accumulator] => (seen.variable(mma), accumulator),
            _ => continue,
        };
        let (Some(kept), Some(accumulator)) = (kept(gemm), seen.variable(accumulator)) else {
            continue;
        };
        // The flag of `mma.with(..)` is not followed.
        if kept != Kept::Threads && mma.is_none() {
            continue;
        }
        let given: Vec<Span> = mma.into_iter().chain([accumulator]).collect();
        if is_given_away(seen, &given) {
            continue;
        }
        let writes = mma.map(|mma| writes(seen, mma)).unwrap_or_default();
        let all = |wanted: Write| writes.iter().all(|(write, _)| *write == wanted);
        let finding = match kept {
            Kept::TensorMemory if writes.is_empty() => None,
            // An MMA of the DSL does not add until it is told to.
            Kept::TensorMemory | Kept::WarpGroup if seen.is_of_dsl => None,
            _ if all(Write::One) => never_zero(seen, gemm, (kept, accumulator), &writes),
            Kept::TensorMemory | Kept::WarpGroup if all(Write::Zero) => {
                never_one(seen, gemm, accumulator, &writes)
            }
            _ => None,
        };
        // Several products of one accumulator: the first one tells.
        let finding = finding.filter(|finding| {
            !costs.findings.iter().any(|known| {
                known.rule == finding.rule && known.related.first() == finding.related.first()
            })
        });
        costs.findings.extend(finding);
    }
}

/// The memory of the accumulators of a product; nothing where that is not one of these.
fn kept(gemm: &Action<'_>) -> Option<Kept> {
    let space = |value: &Value| match value {
        Value::Tensor(tensor) => Some(tensor.engine.space),
        _ => None,
    };
    let by_descriptors = || {
        let mut operands = gemm.values.iter().filter_map(space);
        operands.any(|space| space == Space::WgmmaDescriptors)
    };
    match space(gemm.values.last()?)? {
        Space::TensorMemory => Some(Kept::TensorMemory),
        Space::Registers if by_descriptors() => Some(Kept::WarpGroup),
        Space::Registers => Some(Kept::Threads),
        _ => None,
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
    (kept, accumulator): (Kept, Span),
    writes: &[(Write, Span)],
) -> Option<Finding> {
    // `tcgen05.st` may set them.
    let is_stored = seen.run.everything().any(|action| {
        matches!(action.kind, ActionKind::Copy | ActionKind::CopyWhere)
            && matches!(action.values.last(),
                Some(Value::Tensor(tensor)) if tensor.engine.space == Space::TensorMemory)
    });
    let is_set = match kept {
        Kept::TensorMemory => is_stored,
        Kept::WarpGroup | Kept::Threads => !unset::is_unset(seen, accumulator),
    };
    if is_set {
        return None;
    }
    let bytes = bytes(gemm)?;
    let name = seen.written(accumulator);
    let why = match kept {
        Kept::TensorMemory => format!(": {FLAG} is One"),
        Kept::WarpGroup | Kept::Threads => String::new(),
    };
    let message = format!("the MMA adds to {bytes} uninitialised bytes of {name}{why}");
    let (place, what) = match writes.first() {
        Some((_, set)) => (*set, "set here"),
        None => (accumulator, "made here, without values"),
    };
    Some(finding(
        seen,
        gemm,
        (place, what),
        message,
        ("bytes", bytes),
    ))
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
    // Made or moved in the loop, it is another one in each pass, too.
    if repeat.encloses(accumulator) || is_moved(seen, accumulator, repeat) {
        return None;
    }
    let may_be_read = seen.run.everything().any(|action| {
        let reads_or_hands_over = matches!(
            action.kind,
            ActionKind::Copy
                | ActionKind::CopyWhere
                | ActionKind::Commit
                | ActionKind::Arrive
                | ActionKind::WaitBarrier
                | ActionKind::WaitStage
        );
        reads_or_hands_over && repeat.encloses(action.span())
    });
    let (_, set) = writes.first()?;
    if may_be_read {
        return None;
    }
    let message = format!(
        "each of {passes} MMAs overwrites {}: {FLAG} is never One",
        seen.written(accumulator)
    );
    let set = (*set, "set here");
    Some(finding(seen, gemm, set, message, ("products", passes)))
}

/// Whether a statement of a loop assigns a tensor or its pointer: `tensor.data() = address`.
fn is_moved(seen: &Seen<'_, '_>, tensor: Span, repeat: Span) -> bool {
    let mut found = false;
    for body in seen.bodies() {
        walk::expressions(body, &mut |expr| {
            if let ExprKind::Assign(assignment) = &expr.kind
                && repeat.encloses(expr.span)
            {
                walk::subexpressions(&assignment.target, &mut |part| {
                    found |= seen.variable(part) == Some(tensor);
                });
            }
        });
    }
    found
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
    (set, what): (Span, &str),
    message: String,
    (name, counted): (&str, i64),
) -> Finding {
    Finding {
        numbers: vec![(name.to_owned(), Number::Integer(counted))],
        related: vec![Related {
            span: set,
            message: what.to_owned(),
        }],
        ..seen.finding("accumulate-flag", Severity::Error, gemm.span(), message)
    }
}
