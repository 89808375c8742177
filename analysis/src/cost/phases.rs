//! Waits for barriers: whether there is any arrival, and whether the phase that is waited for changes with the
//! barrier's.

use tree_sitter_cute::tree::{Expr, ExprKind, ItemKind, Span};

use super::barriers::is_handed_over;
use super::{Costs, Seen, apart, order, rings};
use crate::finding::{Finding, Number, Related, Severity};
use crate::origin::{Index, Place};
use crate::trace::{Action, ActionKind, Way};
use crate::value::Value;
use crate::vocabulary::number;
use crate::walk;

/// Looks at all waits of a kernel.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    if !seen.run.is_kernel() {
        return;
    }
    let mut found: Vec<Finding> = Vec::new();
    for wait in seen.run.reached(ActionKind::WaitBarrier) {
        let Some(barrier) = wait.barrier.as_ref() else {
            continue;
        };
        if wait.is_uncertain || !wait.calls.is_empty() || is_handed_over(seen, barrier) {
            continue;
        }
        found.extend(never_arrived(seen, wait, barrier));
        found.extend(constant_phase(seen, wait, barrier));
    }
    for finding in found {
        let is_known = |known: &Finding| known.rule == finding.rule && known.span == finding.span;
        if !costs.findings.iter().any(is_known) {
            costs.findings.push(finding);
        }
    }
}

/// Whether an action completes phases of its barrier.
fn arrives(action: &Action<'_>) -> bool {
    matches!(
        action.kind,
        ActionKind::Arrive | ActionKind::ArriveAndExpect | ActionKind::Commit
    )
}

/// Whether two places are of one array of barriers.
fn is_of_one(place: Option<&Place>, barrier: &Place) -> bool {
    place.is_some_and(|place| place.array() == barrier.array())
}

/// A wait for the first phase of a barrier at which nothing arrives.
fn never_arrived(seen: &Seen<'_, '_>, wait: &Action<'_>, barrier: &Place) -> Option<Finding> {
    let initialised = seen.run.everything().find(|action| {
        action.kind == ActionKind::InitBarrier && is_of_one(action.barrier.as_ref(), barrier)
    })?;
    // At a barrier that is not known it may be this one.
    let arrived = seen
        .run
        .everything()
        .filter(|action| arrives(action))
        .any(|action| {
            let place = action.barrier.as_ref();
            place.is_none_or(|place| apart::may_be_one(seen, place, barrier))
        });
    // A fresh barrier is in its first phase: whoever waits for the one before goes on at once.
    if arrived || !begins_with_the_first(seen, wait) {
        return None;
    }
    let expected = initialised.values.last().and_then(number)?;
    let name = apart::name_of(seen, barrier)?;
    let arrivals = if expected == 1 { "arrival" } else { "arrivals" };
    let message = format!(
        "nothing arrives at {name}, which expects {expected} {arrivals}: the wait never ends"
    );
    Some(Finding {
        numbers: vec![
            ("expected".to_owned(), Number::Integer(expected)),
            ("arrivals".to_owned(), Number::Integer(0)),
        ],
        related: vec![Related {
            span: initialised.span(),
            message: "initialised here".to_owned(),
        }],
        ..seen.finding(
            "barrier-never-arrived",
            Severity::Error,
            wait.span(),
            message,
        )
    })
}

/// The phase argument of a wait: its expression and its value.
fn phase<'s, 'u>(wait: &'s Action<'u>) -> Option<(&'u Expr, &'s Value)> {
    match wait.args {
        [phase] | [_, phase] => Some((phase, wait.values.last()?)),
        _ => None,
    }
}

/// Whether the first phase that is waited for is the barrier's first one.
fn begins_with_the_first(seen: &Seen<'_, '_>, wait: &Action<'_>) -> bool {
    let Some((written, value)) = phase(wait) else {
        return false;
    };
    if let ExprKind::Int(number) = written.kind {
        return number == 0;
    }
    match &written.kind {
        // `state.phase()` of a state that begins as it is made.
        ExprKind::Call(callee, args) if args.is_empty() => match &callee.kind {
            ExprKind::Member { object, member, .. } if member.name.name == "phase" => {
                let init = seen
                    .variable(object)
                    .and_then(|state| seen.initialiser(state));
                init.is_some_and(|init| {
                    matches!(&init.kind,
                        ExprKind::Call(_, args) | ExprKind::Construct { args, .. } if args.is_empty())
                })
            }
            _ => false,
        },
        ExprKind::Name(_) => {
            let init = seen
                .variable(written)
                .and_then(|phase| seen.initialiser(phase));
            init.is_some_and(|init| matches!(init.kind, ExprKind::Int(0)))
                || number(value) == Some(0)
        }
        _ => false,
    }
}

/// A wait in a loop that is for the same phase in each pass, although the barrier is in another one.
fn constant_phase(seen: &Seen<'_, '_>, wait: &Action<'_>, barrier: &Place) -> Option<Finding> {
    let repeat = order::innermost_loop(wait, wait)?;
    let (written, value) = phase(wait)?;
    let phase = match written.kind {
        ExprKind::Int(number) => Some(number),
        ExprKind::Name(_) => {
            let declared = seen.variable(written)?;
            if repeat.encloses(declared) || seen.is_assigned(declared, repeat.start..repeat.end) {
                return None;
            }
            match seen.initialiser(declared)?.kind {
                ExprKind::Int(number) if !seen.is_assigned(declared, 0..repeat.start) => {
                    Some(number)
                }
                _ => None,
            }
        }
        _ => Some(number(value)?),
    };
    let is_in_it = |action: &Action<'_>| action.path.iter().any(|step| step.span == repeat);
    let may_be_it = |action: &Action<'_>| {
        let place = action.barrier.as_ref();
        place.is_some_and(|place| apart::may_be_one(seen, place, barrier))
    };
    let others = |action: &&Action<'_>| {
        is_in_it(action) && !std::ptr::eq(*action, wait) && may_be_it(action)
    };
    // Two phases in a pass, or a barrier that begins anew in each.
    let is_changed = seen.run.everything().filter(others).any(|action| {
        matches!(
            action.kind,
            ActionKind::WaitBarrier | ActionKind::InitBarrier
        )
    });
    let arrivals: Vec<&Action<'_>> = seen
        .run
        .everything()
        .filter(|action| arrives(action) && may_be_it(action))
        .collect();
    let [arrival] = arrivals
        .iter()
        .filter(|action| is_in_it(action))
        .collect::<Vec<_>>()[..]
    else {
        return None;
    };
    if is_changed
        || !is_of_one(arrival.barrier.as_ref(), barrier)
        || !comes_round(seen, wait, barrier)
        || leaves(seen, repeat)
        || !is_in_each_pass(seen, arrival, repeat)
    {
        return None;
    }
    let name = apart::name_of(seen, barrier)?;
    let which = phase.map_or("one phase".to_owned(), |phase| format!("phase {phase}"));
    let message =
        format!("each iteration waits for {which} of {name}: every other wait returns at once");
    let line = i64::try_from(seen.line(arrival.span())).ok()?;
    let mut numbers = vec![("line_of_arrival".to_owned(), Number::Integer(line))];
    numbers.extend(phase.map(|phase| ("phase".to_owned(), Number::Integer(phase))));
    Some(Finding {
        numbers,
        related: vec![Related {
            span: arrival.span(),
            message: "completes a phase in each iteration".to_owned(),
        }],
        ..seen.finding("barrier-phase", Severity::Error, wait.span(), message)
    })
}

/// Whether the same barrier is waited for in a later pass.
fn comes_round(seen: &Seen<'_, '_>, wait: &Action<'_>, barrier: &Place) -> bool {
    match &barrier.index {
        None | Some(Index::Known(_)) => true,
        Some(Index::Variable(declared)) => {
            let is_counter = |it: &crate::trace::Counter| it.declared == *declared;
            !seen.run.counters.iter().any(is_counter)
                && rings::reach(seen, wait, &Value::Nothing, Some(*declared)).is_some()
        }
        Some(Index::Other(_)) => false,
    }
}

/// Whether a loop is left, or a pass cut short, from inside.
fn leaves(seen: &Seen<'_, '_>, repeat: Span) -> bool {
    let mut found = false;
    walk::items(seen.run.body(), &mut |item| {
        found |= repeat.encloses(item.span)
            && matches!(item.kind, ItemKind::Return(_) | ItemKind::Jump(_));
    });
    found
}

/// Whether the conditions of an action in a loop are made from nothing that the loop changes.
fn is_in_each_pass(seen: &Seen<'_, '_>, action: &Action<'_>, repeat: Span) -> bool {
    action.calls.is_empty()
        && action
            .path
            .iter()
            .filter(|step| repeat.encloses(step.span))
            .all(|step| match step.way {
                Way::Then(condition) => {
                    let mut changes = false;
                    walk::subexpressions(condition, &mut |part| {
                        let declared = part.as_plain_name().and_then(|_| seen.variable(part));
                        changes |= declared.is_some_and(|declared| {
                            repeat.encloses(declared)
                                || seen.is_assigned(declared, repeat.start..repeat.end)
                        });
                    });
                    !changes
                }
                Way::Loop(_) => step.span == repeat,
                _ => false,
            })
}
