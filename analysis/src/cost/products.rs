//! Asynchronous products of a warp group: whether registers are handed over before them and waited for behind them.

use tree_sitter_cute::tree::{ExprKind, Span};

use super::called::{self, Called};
use super::order::Passage;
use super::{Costs, Seen, copied, counts, order};
use crate::finding::{Finding, Number, Related, Severity};
use crate::trace::{Action, ActionKind, Way};
use crate::value::Value;
use crate::walk;

/// The target of `wgmma`: ten times its compute capability.
const WGMMA: u16 = 90;
/// Orders registers and shared memory before products.
const ARRIVE: &[&str] = &["warpgroup_arrive"];
/// Closes a group of products.
const COMMIT: &[&str] = &["warpgroup_commit_batch"];
/// Waits for products.
const WAIT: &[&str] = &["warpgroup_wait"];

/// Looks at all products of a kernel.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    if !seen.run.is_kernel() {
        return;
    }
    let products = seen.run.reached(ActionKind::Gemm);
    let products: Vec<&Action<'_>> = products
        .filter(|gemm| !gemm.is_uncertain && gemm.calls.is_empty() && is_of_warp_group(gemm))
        .collect();
    let Some(first) = products.first() else {
        return;
    };
    costs.findings.extend(not_started(seen, first));
    costs.findings.extend(not_closed(seen, first));
    for gemm in &products {
        let early = read_early(seen, gemm).or_else(|| element_read_early(seen, gemm));
        costs.findings.extend(early);
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

/// The first product, where nothing before it orders the registers.
fn not_started(seen: &Seen<'_, '_>, gemm: &Action<'_>) -> Option<Finding> {
    let start = seen.run.body().first()?.span.start;
    let before = Span::new(start, gemm.span().start);
    if order::may_call(seen, before, ARRIVE) {
        return None;
    }
    let bytes = bytes_of_accumulators(gemm)?;
    let message = format!(
        "no warpgroup_arrive orders the {bytes} accumulator bytes of a thread before the MMA"
    );
    Some(Finding {
        numbers: vec![("bytes".to_owned(), Number::Integer(bytes))],
        ..seen.finding("wgmma-arrive", Severity::Error, gemm.span(), message)
    })
}

/// Products that no group holds: a wait is for groups.
fn not_closed(seen: &Seen<'_, '_>, gemm: &Action<'_>) -> Option<Finding> {
    let body = seen.run.body();
    let all = Span::new(body.first()?.span.start, body.last()?.span.end);
    let wait = called::calls(body)
        .into_iter()
        .find(|call| WAIT.contains(&call.name))?;
    if order::may_call(seen, all, COMMIT) {
        return None;
    }
    let line = i64::try_from(seen.line(gemm.span())).ok()?;
    let message =
        format!("no warpgroup_commit_batch: this does not wait for the MMA of line {line}");
    Some(Finding {
        numbers: vec![("line".to_owned(), Number::Integer(line))],
        related: vec![Related {
            span: gemm.span(),
            message: "the product".to_owned(),
        }],
        ..seen.finding("wgmma-wait", Severity::Error, wait.span(), message)
    })
}

/// Whether all waits on the way leave the last group of products open: `warpgroup_wait<1>` behind one commit.
fn leaves_last_open(seen: &Seen<'_, '_>, passage: &Passage) -> bool {
    let calls = called::calls(seen.run.body());
    let on_the_way = |call: &&Called<'_>| passage.has(call.span());
    let commits = calls
        .iter()
        .filter(on_the_way)
        .filter(|call| COMMIT.contains(&call.name))
        .count();
    let mut waits = calls
        .iter()
        .filter(on_the_way)
        .filter(|call| WAIT.contains(&call.name))
        .peekable();
    // Anything else that may wait is not a call of this name.
    let others = order::may_call_besides(seen, passage.around(), &[], WAIT);
    !others
        && waits.peek().is_some()
        && waits.all(|wait| {
            wait.static_argument()
                .and_then(|open| usize::try_from(open).ok())
                .is_some_and(|open| open >= commits.max(1))
        })
}

/// An accumulator that is read while the product may still write it.
fn read_early(seen: &Seen<'_, '_>, gemm: &Action<'_>) -> Option<Finding> {
    let accumulator = copied::registers(seen, gemm.args.last()?)?;
    let read = seen.run.actions.iter().find(|action| {
        let ((ActionKind::Copy, [read, _] | [_, read, _]) | (ActionKind::Update, [_, read, ..])) =
            (action.kind, action.args)
        else {
            return false;
        };
        action.span().start > gemm.span().end && copied::registers(seen, read) == Some(accumulator)
    })?;
    let passage = order::forward(gemm, read)?;
    if !read.is_reached() || passage.may_pass(seen, WAIT) && !leaves_last_open(seen, &passage) {
        return None;
    }
    early(seen, gemm, accumulator, read.span())
}

/// An element of an accumulator, `accumulators(i)`, that is used while the product may still write it.
fn element_read_early(seen: &Seen<'_, '_>, gemm: &Action<'_>) -> Option<Finding> {
    let written = gemm.args.last()?;
    let accumulator = seen.variable(written).filter(|_| {
        let mut steps = gemm.path.iter();
        written.as_plain_name().is_some() && steps.all(|step| matches!(step.way, Way::Loop(_)))
    })?;
    let mut first: Option<Span> = None;
    walk::expressions(seen.run.body(), &mut |expr| {
        let ExprKind::Call(callee, args) = &expr.kind else {
            return;
        };
        let is_element = callee.as_plain_name().is_some()
            && seen.variable(callee) == Some(accumulator)
            && args.iter().all(|arg| arg.as_plain_name() != Some("_"));
        if is_element && expr.span.start > gemm.span().end && first.is_none() {
            first = Some(expr.span);
        }
    });
    let read = first?;
    // The next pass of a loop around both is another matter.
    let is_in_a_loop_of_both = gemm.path.iter().any(|step| step.span.encloses(read));
    if is_in_a_loop_of_both || order::may_call(seen, Span::new(gemm.span().end, read.start), WAIT) {
        return None;
    }
    early(seen, gemm, accumulator, read)
}

/// An accumulator, by its declaration, that is read at a place before the product is waited for.
fn early(seen: &Seen<'_, '_>, gemm: &Action<'_>, accumulator: Span, read: Span) -> Option<Finding> {
    let line = seen.line(gemm.span());
    let message = format!(
        "{} is read while the MMA on line {line} may still write it: no warpgroup_wait",
        seen.written(accumulator)
    );
    Some(Finding {
        numbers: vec![
            (
                "line".to_owned(),
                Number::Integer(i64::try_from(line).ok()?),
            ),
            (
                "bytes".to_owned(),
                Number::Integer(bytes_of_accumulators(gemm)?),
            ),
        ],
        related: vec![Related {
            span: gemm.span(),
            message: "the product".to_owned(),
        }],
        ..seen.finding("wgmma-wait", Severity::Error, read, message)
    })
}

/// The bytes of the accumulators that one thread has.
fn bytes_of_accumulators(gemm: &Action<'_>) -> Option<i64> {
    let Value::Tensor(tensor) = gemm.values.last()? else {
        return None;
    };
    let bits = i64::from(tensor.engine.bits()?);
    Some(counts::size(tensor)?.checked_mul(bits)? / 8)
}
