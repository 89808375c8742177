//! Barriers without a wait, and barriers that are used before all threads see them initialised.

use tree_sitter_cute::tree::{ExprKind, ItemKind, Span, UnaryOp};

use super::barriers::is_handed_over;
use super::threads::WARP;
use super::{Costs, Seen, apart, order, thread_sets};
use crate::finding::{Finding, Number, Related, Severity};
use crate::origin::Place;
use crate::trace::{Action, ActionKind, Way};
use crate::walk;

/// Functions that order the threads of a CTA or cluster, besides `__syncthreads`.
const BARRIERS: &[&str] = &[
    "__syncwarp",
    "cluster_arrive",
    "cluster_arrive_relaxed",
    "cluster_sync",
    "cluster_wait",
    "cooperative_copy",
    "cooperative_gemm",
];
/// Waits that are not followed, as they end before the phase does.
const TRIALS: &[&str] = &[
    "try_wait",
    "test_wait",
    "try_wait_barrier",
    "test_wait_barrier",
];
/// Variables and calls inside each other that are followed in a condition.
const DEPTH: usize = 24;

/// Looks at all barriers that a kernel initialises.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    if !seen.run.is_kernel() {
        return;
    }
    let mut found: Vec<Finding> = Vec::new();
    for init in seen.run.reached(ActionKind::InitBarrier) {
        let Some(barrier) = init.barrier.as_ref() else {
            continue;
        };
        if init.is_uncertain || !init.calls.is_empty() || is_handed_over(seen, barrier) {
            continue;
        }
        found.extend(never_waited(seen, init, barrier));
        found.extend(not_visible(seen, init, barrier));
    }
    let allocations = seen.run.reached(ActionKind::AllocateColumns);
    found.extend(allocations.filter_map(|allocation| address_not_visible(seen, allocation)));
    for finding in found {
        let is_known = |known: &Finding| known.rule == finding.rule && known.span == finding.span;
        if !costs.findings.iter().any(is_known) {
            costs.findings.push(finding);
        }
    }
}

fn is_of_one(action: &Action<'_>, barrier: &Place) -> bool {
    let place = action.barrier.as_ref();
    place.is_some_and(|place| place.array() == barrier.array())
}

/// A barrier that signals an event, and that has no wait.
fn never_waited(seen: &Seen<'_, '_>, init: &Action<'_>, barrier: &Place) -> Option<Finding> {
    let mut waits = seen
        .run
        .everything()
        .filter(|action| action.kind == ActionKind::WaitBarrier);
    // An unknown barrier of a wait may be this one.
    let may_be_for_it = |wait: &Action<'_>| {
        let place = wait.barrier.as_ref();
        place.is_none_or(|place| apart::may_be_one(seen, place, barrier))
    };
    if waits.any(may_be_for_it) || is_tried(seen) {
        return None;
    }
    let arrival = seen.run.actions.iter().find(|action| {
        matches!(
            action.kind,
            ActionKind::Commit | ActionKind::ArriveAndExpect
        ) && action.is_reached()
            && !action.is_uncertain
            && is_of_one(action, barrier)
    })?;
    let name = apart::name_of(seen, barrier)?;
    let what = match arrival.kind {
        ActionKind::Commit => "which signals that MMAs have completed",
        _ => "which signals that copies have arrived",
    };
    let line = i64::try_from(seen.line(init.span())).ok()?;
    Some(Finding {
        numbers: vec![("line".to_owned(), Number::Integer(line))],
        related: vec![Related {
            span: init.span(),
            message: "initialised here".to_owned(),
        }],
        ..seen.finding(
            "barrier-never-waited",
            Severity::Error,
            arrival.span(),
            format!("nothing waits for {name}, {what}"),
        )
    })
}

/// Whether some wait is not followed.
fn is_tried(seen: &Seen<'_, '_>) -> bool {
    let mut found = false;
    for body in seen.bodies() {
        walk::expressions(body, &mut |expr| {
            let ExprKind::Call(callee, _) = &expr.kind else {
                return;
            };
            let name = match &callee.kind {
                ExprKind::Name(path) => path.last().map(|segment| &segment.name.name),
                ExprKind::Member { member, .. } => Some(&member.name.name),
                _ => None,
            };
            found |= name.is_some_and(|name| TRIALS.contains(&name.as_str()));
        });
    }
    found
}

/// A wait by threads of other warps for a barrier that one warp initialises, with nothing between that orders the two.
fn not_visible(seen: &Seen<'_, '_>, init: &Action<'_>, barrier: &Place) -> Option<Finding> {
    let is_chosen = |action: &Action<'_>| {
        let mut steps = action.path.iter();
        steps.any(|step| matches!(step.way, Way::Then(_)))
    };
    let by = thread_sets::coming(seen, init, &|_| false)
        .filter(|threads| threads.is_in_one_warp() && is_chosen(init))?;
    let wait = seen.run.actions.iter().find(|action| {
        action.kind == ActionKind::WaitBarrier
            && action.span().start > init.span().end
            && is_of_one(action, barrier)
    })?;
    let waiting = thread_sets::coming(seen, wait, &|condition| {
        !thread_sets::asks_for_thread(seen, condition, DEPTH)
    })?;
    let first = by.iter().next()?;
    let is_another_warp = |thread: i64| thread / WARP != first / WARP;
    if !waiting.iter().any(is_another_warp)
        || wait.is_uncertain
        || !wait.is_reached()
        || !wait.calls.is_empty()
        || common_loop(init, wait)
    {
        return None;
    }
    let between = Span::new(init.span().end, wait.span().start);
    let mut actions = seen.run.everything();
    let is_ordered = actions
        .any(|action| action.kind == ActionKind::SyncThreads && between.encloses(action.span()));
    if is_ordered || order::may_call(seen, between, BARRIERS) {
        return None;
    }
    let name = apart::name_of(seen, barrier)?;
    let (threads, waiting) = (by.count()?, waiting.count()?);
    let line = seen.line(init.span());
    let message = format!(
        "{waiting} threads wait for {name}, which {threads} initialise on line {line}: no barrier between"
    );
    Some(Finding {
        numbers: vec![
            ("threads".to_owned(), Number::Integer(waiting)),
            ("initialising".to_owned(), Number::Integer(threads)),
        ],
        related: vec![Related {
            span: init.span(),
            message: "initialised here".to_owned(),
        }],
        ..seen.finding("barrier-not-visible", Severity::Error, wait.span(), message)
    })
}

/// The address of tensor memory, which one warp writes, read by all threads with nothing between that orders the two.
fn address_not_visible(seen: &Seen<'_, '_>, allocation: &Action<'_>) -> Option<Finding> {
    let ExprKind::Unary(UnaryOp::AddressOf, written) = &allocation.args.last()?.kind else {
        return None;
    };
    let launched = thread_sets::threads(seen).filter(|threads| *threads > WARP)?;
    let by = thread_sets::coming(seen, allocation, &|_| false)
        .filter(super::threads::Threads::is_in_one_warp)?;
    let name = written.to_string();
    let mut branches: Vec<Span> = Vec::new();
    walk::items(seen.run.body(), &mut |item| {
        if !matches!(item.kind, ItemKind::Expr(_) | ItemKind::Binding(_)) {
            branches.push(item.span);
        }
    });
    let mut first: Option<Span> = None;
    let mut pointed_to: Vec<Span> = Vec::new();
    walk::expressions(seen.run.body(), &mut |expr| {
        // A pointer to it reads nothing.
        if let ExprKind::Unary(UnaryOp::AddressOf, inner) = &expr.kind {
            pointed_to.push(inner.span);
        }
        let is_later = expr.span.start > allocation.span().end && first.is_none();
        if is_later && !pointed_to.contains(&expr.span) && expr.to_string() == name {
            first = Some(expr.span);
        }
    });
    // A branch may be one of the same warp.
    let read = first.filter(|read| !branches.iter().any(|branch| branch.encloses(*read)))?;
    let between = Span::new(allocation.span().end, read.start);
    let orders: Vec<&str> = BARRIERS.iter().copied().chain(["__syncthreads"]).collect();
    if allocation.is_uncertain || order::may_call(seen, between, &orders) {
        return None;
    }
    let (writing, line) = (by.count()?, seen.line(allocation.span()));
    let message = format!(
        "{launched} threads read the address that {writing} write on line {line}: no barrier orders them"
    );
    Some(Finding {
        numbers: vec![
            ("reading".to_owned(), Number::Integer(launched)),
            ("writing".to_owned(), Number::Integer(writing)),
        ],
        related: vec![Related {
            span: allocation.span(),
            message: "written here".to_owned(),
        }],
        ..seen.finding("shared-race", Severity::Error, read, message)
    })
}

/// Whether both are in one loop: the barrier between them may be behind the wait.
fn common_loop(one: &Action<'_>, other: &Action<'_>) -> bool {
    order::innermost_loop(one, other).is_some()
}
