//! The actions of a kernel whose order a rehearsal follows, by their calls.

use tree_sitter_cute::tree::{Expr, ExprKind, Function, Span};

use super::super::called::Called;
use super::super::{Seen, order, rings, thread_sets};
use super::meetings::Meetings;
use super::{DEPTH, pipelines};
use crate::hash::HashMap;
use crate::tensor::Space;
use crate::trace::{Action, ActionKind, Call, Step, Way};
use crate::value::Value;
use crate::walk;
/// The actions on copies, products and barriers of all threads, by their calls; nothing where one of them may not happen, or
/// there are others.
pub(in crate::cost) fn actions<'s, 'u>(
    seen: &'s Seen<'_, 'u>,
) -> Option<HashMap<Span, &'s Action<'u>>> {
    followed(seen, &[], &|_| false, is_of_copies)
}

/// The same with the barriers in shared memory; nothing where one of their actions is not followed.
pub(in crate::cost) fn actions_at_barriers<'s, 'u>(
    seen: &'s Seen<'_, 'u>,
    meetings: &Meetings<'u>,
) -> Option<HashMap<Span, &'s Action<'u>>> {
    let meets = |expr: &Expr| meetings.contains_key(&expr.span);
    followed(seen, pipelines::METHODS, &meets, |kind| {
        kind != ActionKind::Handover
    })
}

/// The reads of single elements of staged tensors in shared memory, `tensor(i, j, stage)`, as actions by their places.
pub(in crate::cost) fn element_reads<'u>(seen: &Seen<'_, 'u>) -> HashMap<Span, Action<'u>> {
    let mut found = HashMap::default();
    let mut written: Vec<Span> = Vec::new();
    walk::expressions(seen.run.body(), &mut |expr| {
        if let ExprKind::Assign(assignment) = &expr.kind
            && assignment.op.is_none()
        {
            written.push(assignment.target.span);
        }
        let ExprKind::Call(callee, args) = &expr.kind else {
            return;
        };
        let value = callee
            .as_plain_name()
            .and_then(|_| rings::value_of(seen, seen.variable(callee)?));
        let is_read = matches!(value, Some(Value::Tensor(tensor))
            if tensor.engine.space == Space::Shared && tensor.layout.domain().rank() == args.len())
            && args.len() > 2
            && args.iter().all(|arg| arg.as_plain_name() != Some("_"))
            && !written.contains(&expr.span);
        if is_read {
            found.insert(expr.span, Action::of_element(expr, Vec::new()));
        }
    });
    found
}

/// The actions that matter here, by their calls; nothing where one of them may not happen or is not of these.
fn followed<'s, 'u>(
    seen: &'s Seen<'_, 'u>,
    harmless: &[&str],
    is_other: &dyn Fn(&Expr) -> bool,
    is_followed: impl Fn(ActionKind) -> bool,
) -> Option<HashMap<Span, &'s Action<'u>>> {
    let first = seen.run.body().first()?.span.start;
    let last = seen.run.body().last()?.span.end;
    let mut known: Vec<&str> = harmless.to_vec();
    known.extend(at_barriers(seen));
    let followed = calls(seen);
    let is_known = |expr: &Expr| {
        let called = Called::of(expr);
        called.is_some_and(|called| known.contains(&called.name))
            || seen.is_action(expr)
            || is_other(expr)
            || followed.contains_key(&expr.span)
    };
    let in_callee = |function: &&Function| {
        let body = function.body.as_deref().unwrap_or_default();
        order::calls_besides(seen, body, &is_known)
    };
    if order::may_call_unless(seen, Span::new(first, last), &[], &is_known)
        || followed.values().any(in_callee)
    {
        return None;
    }
    let mut found: HashMap<Span, &'s Action<'u>> = HashMap::default();
    for action in seen.run.everything() {
        if !matters(action.kind) || !action.is_reached() {
            continue;
        }
        if !is_followed(action.kind) || action.is_uncertain || !is_called_once(seen, action) {
            return None;
        }
        found.entry(action.span()).or_insert(action);
    }
    Some(found)
}

/// The calls of functions in which something is done, with these.
pub(super) fn calls<'u>(seen: &Seen<'_, 'u>) -> HashMap<Span, &'u Function> {
    let actions = seen.run.followed.iter().map(|(_, action)| action);
    let calls = actions.flat_map(|action| &action.calls);
    calls.map(|call| (call.span, call.function)).collect()
}

/// Whether the functions in which an action is are called at one place each, and no thread goes another way through them.
fn is_called_once(seen: &Seen<'_, '_>, action: &Action<'_>) -> bool {
    let is_only = |call: &Call<'_>| {
        let mut others = seen.run.followed.iter().flat_map(|(_, other)| &other.calls);
        others.all(|other| (other.span == call.span) == std::ptr::eq(other.function, call.function))
    };
    let is_same = |step: &Step<'_>| match step.way {
        _ if step.within.is_none() => true,
        Way::Then(condition) => !thread_sets::asks_for_thread(seen, condition, DEPTH),
        Way::Loop(_) => true,
        _ => false,
    };
    action.calls.is_empty()
        || action.calls.iter().all(is_only)
            && action.path.iter().all(is_same)
            && thread_sets::is_same_for_all(seen, action)
}

/// The names of functions of the source that do one thing at a barrier each.
fn at_barriers<'s>(seen: &'s Seen<'_, '_>) -> impl Iterator<Item = &'s str> {
    let actions = seen.run.actions.iter();
    let of_barriers = actions.filter(|action| is_at_barrier(action.kind));
    let called = of_barriers.filter_map(|action| Called::of(action.call));
    called
        .filter(|called| called.object.is_none() && called.name != "asm")
        .map(|called| called.name)
}

/// Whether something is about the order of copies.
fn matters(kind: ActionKind) -> bool {
    is_of_copies(kind)
        || is_at_barrier(kind)
        || matches!(kind, ActionKind::Handover | ActionKind::WaitStage)
}

/// Copies and products of all threads, with the waits and barriers between them.
fn is_of_copies(kind: ActionKind) -> bool {
    matches!(
        kind,
        ActionKind::Copy
            | ActionKind::CopyWhere
            | ActionKind::Gemm
            | ActionKind::CommitCopies
            | ActionKind::WaitCopies
            | ActionKind::SyncThreads
    )
}

/// Initialisations, arrivals, announcements, waits and copies with a barrier in shared memory as an operand.
fn is_at_barrier(kind: ActionKind) -> bool {
    matches!(
        kind,
        ActionKind::InitBarrier
            | ActionKind::ArriveAndExpect
            | ActionKind::Expect
            | ActionKind::Arrive
            | ActionKind::WaitBarrier
            | ActionKind::Commit
            | ActionKind::AwaitedCopy
            | ActionKind::BulkCopy
            | ActionKind::BulkStore
    )
}
