//! Accumulators that no thread has registers for.
//!
//! The set of live registers is known without the compiler only for values that a loop carries from one pass to the
//! next: the accumulators of its products that are declared before it and not cleared in it.

use tree_sitter_cute::tree::{ExprKind, Span};

use super::fragments::fragments;
use super::{Costs, Seen, budget};
use crate::finding::{Finding, Number, Related, Severity};
use crate::trace::{ActionKind, Way};
use crate::walk;

/// Looks for loops that carry more registers than a thread may have.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    let Some(allowed) = budget::budget(seen).map(|budget| budget.registers_allowed()) else {
        return;
    };
    let mut loops: Vec<Span> = Vec::new();
    for product in seen.run.reached(ActionKind::Gemm) {
        let around = product.path.iter().rev();
        let innermost = around
            .clone()
            .find(|step| matches!(step.way, Way::Loop(_)))
            .map(|step| step.span);
        // Another warp group has separate registers.
        let is_sure = !product.is_uncertain && around.clone().all(|step| step.way != Way::Lambda);
        if let Some(span) = innermost.filter(|span| is_sure && !loops.contains(span)) {
            loops.push(span);
        }
    }
    for span in loops {
        costs.findings.extend(carried(seen, span, allowed));
    }
}

fn carried(seen: &Seen<'_, '_>, around: Span, allowed: i64) -> Option<Finding> {
    let fragments = fragments(seen);
    let mut kept: Vec<(Span, i64)> = Vec::new();
    for product in seen.run.reached(ActionKind::Gemm) {
        if !around.encloses(product.span()) {
            continue;
        }
        let declared = seen.variable(product.args.last()?)?;
        let fragment = fragments.iter().find(|fragment| fragment.name == declared);
        if let Some(fragment) = fragment
            && !around.encloses(declared)
            && !kept.iter().any(|(known, _)| *known == declared)
        {
            kept.push((declared, fragment.cost.registers));
        }
    }
    kept.retain(|(declared, _)| !is_begun_anew(seen, *declared, around));
    let sum: i64 = kept.iter().map(|(_, registers)| registers).sum();
    if sum <= allowed {
        return None;
    }
    let message = format!(
        "accumulators need {sum} registers per thread, but only {allowed} exist: \
         some spill to local memory"
    );
    Some(Finding {
        numbers: vec![
            ("registers".to_owned(), Number::Integer(sum)),
            ("allowed".to_owned(), Number::Integer(allowed)),
        ],
        related: kept
            .iter()
            .skip(1)
            .map(|(declared, registers)| Related {
                span: *declared,
                message: format!("{registers} registers"),
            })
            .collect(),
        ..seen.finding(
            "register-spill",
            Severity::Warning,
            kept.first()?.0,
            message,
        )
    })
}

/// Whether a loop begins an accumulator anew: it clears it, or its first product ignores the old values.
fn is_begun_anew(seen: &Seen<'_, '_>, declared: Span, around: Span) -> bool {
    let mut anew = false;
    walk::expressions(seen.run.body(), &mut |expr| {
        if !around.encloses(expr.span) {
            return;
        }
        match &expr.kind {
            ExprKind::Call(callee, args) => {
                let name = callee.as_path().and_then(|path| path.last());
                anew |= name.is_some_and(|name| matches!(&*name.name.name, "clear" | "fill"))
                    && args.first().and_then(|arg| seen.variable(arg)) == Some(declared);
            }
            ExprKind::Assign(assignment) => {
                if let ExprKind::Member { member, .. } = &assignment.target.kind {
                    let value = assignment.value.as_path().and_then(|path| path.last());
                    anew |= member.name.name == "accumulate_"
                        && value.is_some_and(|value| value.name.name == "Zero");
                }
            }
            _ => {}
        }
    });
    anew
}
