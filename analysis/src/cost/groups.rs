//! Groups of asynchronous copies: whether a wait can wait for any of those that are closed before it.

use cute_hardware::copy::CopyOperands;
use tree_sitter_cute::tree::Span;

use super::counts::atom;
use super::{Costs, Seen, order};
use crate::finding::{Finding, Number, Related, Severity};
use crate::trace::{Action, ActionKind, Way};
use crate::vocabulary::number;

/// Looks at all waits of a kernel.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    if !seen.run.is_kernel() {
        return;
    }
    for wait in seen.run.reached(ActionKind::WaitCopies) {
        if !wait.is_uncertain && wait.calls.is_empty() {
            costs.findings.extend(waits_for_none(seen, wait));
        }
    }
}

/// A wait that leaves as many groups open as there are.
fn waits_for_none(seen: &Seen<'_, '_>, wait: &Action<'_>) -> Option<Finding> {
    // Zero waits for copies that no group has, too: `cp.async.wait_all` (`cute/arch/copy_sm80.hpp`).
    let open = left_open(wait).filter(|open| *open > 0)?;
    let copies = seen.run.reached(ActionKind::Copy);
    let copy = copies
        .filter(|copy| is_asynchronous(copy))
        .find(|copy| copy.span().start < wait.span().start)?;
    // A called function may close a group, too.
    let first = seen.run.body().first()?.span.start;
    let last = order::innermost_loop(wait, wait).map_or(wait.span().start, |repeat| repeat.end);
    if order::may_call(seen, Span::new(first, last), &[]) {
        return None;
    }
    let closed = seen
        .run
        .reached(ActionKind::CommitCopies)
        .try_fold(0_i64, |sum, commit| sum.checked_add(times(commit, wait)?))?;
    if open < closed {
        return None;
    }
    let groups = if closed == 1 {
        "group is"
    } else {
        "groups are"
    };
    let wait_for = seen.wait_for_groups(open);
    let message =
        format!("{wait_for} waits for no copy: only {closed} {groups} committed before it");
    Some(Finding {
        numbers: vec![
            ("open".to_owned(), Number::Integer(open)),
            ("closed".to_owned(), Number::Integer(closed)),
        ],
        related: vec![Related {
            span: copy.span(),
            message: "the first of the copies".to_owned(),
        }],
        ..seen.finding("copy-group-wait", Severity::Error, wait.span(), message)
    })
}

/// The groups that a wait leaves open: `cp_async_wait<1>()`, `cp_async_wait(Int<1>{})`.
pub(super) fn left_open(wait: &Action<'_>) -> Option<i64> {
    let given = wait.targs.first().or_else(|| wait.values.first());
    given.and_then(number)
}

pub(super) fn is_asynchronous(copy: &Action<'_>) -> bool {
    let atom = copy.values.first().and_then(atom);
    atom.is_some_and(|atom| matches!(atom.atom.operands, CopyOperands::Async))
}

/// The largest number of commits of a group before the first wait, or in the same pass of a loop around both. Nothing
/// where that is not known.
fn times(commit: &Action<'_>, wait: &Action<'_>) -> Option<i64> {
    let common = commit
        .path
        .iter()
        .zip(&wait.path)
        .take_while(|(one, other)| one.span == other.span)
        .count();
    let is_in_a_loop_of_both = commit
        .path
        .iter()
        .take(common)
        .any(|step| matches!(step.way, Way::Loop(_)));
    // Behind the wait, and not in its loop.
    if !is_in_a_loop_of_both && commit.span().start > wait.span().start {
        return Some(0);
    }
    commit
        .path
        .iter()
        .skip(common)
        .try_fold(1_i64, |times, step| match step.way {
            Way::Loop(trips) => times.checked_mul(trips?),
            Way::Then(_) | Way::Else => Some(times),
            Way::Case(_) | Way::Aside | Way::Lambda => None,
        })
}
