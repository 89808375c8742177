//! Asynchronous products of a warp group: whether registers are handed over before them and waited for behind them.

use tree_sitter_cute::tree::Span;

use super::{Costs, Seen, copied, order};
use crate::finding::{Finding, Related, Severity};
use crate::trace::{Action, Deed};
use crate::value::Value;

/// What `wgmma` runs on: ten times its compute capability.
const WGMMA: u16 = 90;
/// Orders registers and shared memory before products.
const ARRIVE: &[&str] = &["warpgroup_arrive"];
/// Waits for products.
const WAIT: &[&str] = &["warpgroup_wait"];

/// Looks at all products of a kernel.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    if !seen.run.is_kernel() {
        return;
    }
    let products = seen.run.reached(Deed::Gemm);
    let products: Vec<&Action<'_>> = products
        .filter(|gemm| !gemm.is_uncertain && gemm.calls.is_empty() && is_of_warp_group(gemm))
        .collect();
    let Some(first) = products.first() else {
        return;
    };
    costs.findings.extend(not_started(seen, first));
    for gemm in &products {
        costs.findings.extend(read_early(seen, gemm));
    }
}

fn is_of_warp_group(gemm: &Action<'_>) -> bool {
    let atom = match gemm.values.first() {
        Some(Value::TiledMma(mma)) => mma.atom(),
        Some(Value::ThrMma(thread)) => thread.mma.atom(),
        _ => return false,
    };
    atom.architecture.number == WGMMA
}

/// The first product, where nothing in front of it orders the registers.
fn not_started(seen: &Seen<'_, '_>, gemm: &Action<'_>) -> Option<Finding> {
    let start = seen.run.body().first()?.span.start;
    let before = Span::new(start, gemm.span().start);
    if order::may_call(seen, before, ARRIVE) {
        return None;
    }
    let message =
        "no warpgroup_arrive before the product: it may read old registers and shared memory";
    Some(seen.finding(
        "wgmma-arrive",
        Severity::Error,
        gemm.span(),
        message.to_owned(),
    ))
}

/// An accumulator that is read while the product may still write it.
fn read_early(seen: &Seen<'_, '_>, gemm: &Action<'_>) -> Option<Finding> {
    let accumulator = copied::registers(seen, gemm.args.last()?)?;
    let read = seen.run.actions.iter().find(|action| {
        let ((Deed::Copy, [read, _] | [_, read, _]) | (Deed::Update, [_, read, ..])) =
            (action.deed, action.args)
        else {
            return false;
        };
        action.span().start > gemm.span().end && copied::registers(seen, read) == Some(accumulator)
    })?;
    if !read.is_reached() || order::forward(gemm, read)?.may_pass(seen, WAIT) {
        return None;
    }
    let message = format!(
        "{} is read while the product may still write it: no warpgroup_wait",
        seen.written(accumulator)
    );
    Some(Finding {
        related: vec![Related {
            span: gemm.span(),
            message: "the product".to_owned(),
        }],
        ..seen.finding("wgmma-wait", Severity::Error, read.span(), message)
    })
}
