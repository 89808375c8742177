//! Arrivals: whether as many come in a phase of a barrier as it counts.

use tree_sitter_cute::tree::{BinaryOp, Expr, ExprKind, Span};

use super::barriers::{is_handed_over, loops};
use super::threads::Threads;
use super::{Costs, Seen, apart, masks, thread_sets};
use crate::finding::{Finding, Number, Related, Severity};
use crate::origin::Index;
use crate::trace::{Action, ActionKind};
use crate::vocabulary::number;
use crate::walk;

/// Variables that are followed from one to the next.
const DEPTH: usize = 16;

/// Judges the barriers that a function sets up.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    for action in seen.run.everything().filter(|action| is_init(action)) {
        costs.findings.extend(differ(seen, action));
    }
}

fn is_init(action: &Action<'_>) -> bool {
    action.kind == ActionKind::InitBarrier && action.is_reached()
}

/// Arrivals in one phase: in one loop, on one barrier of an array.
struct Phase<'s, 'u> {
    loops: Vec<(Span, Option<Span>)>,
    index: Option<&'s Index>,
    /// The last arrival.
    last: &'s Action<'u>,
    arriving: i64,
    /// The threads, where they arrive themselves.
    threads: Option<Threads>,
    places: Vec<Related>,
}

impl Phase<'_, '_> {
    /// Whether other threads arrive in another loop: the two may be of one phase.
    fn is_apart(&self, other: &Self) -> bool {
        self.threads
            .as_ref()
            .zip(other.threads.as_ref())
            .is_some_and(|(one, other)| !one.iter().any(|thread| other.has(thread)))
    }
}

/// A barrier that counts other arrivals than it is given.
fn differ(seen: &Seen<'_, '_>, init: &Action<'_>) -> Option<Finding> {
    let barrier = init.barrier.as_ref()?;
    let counted = match init.values.get(1) {
        Some(count) => number(count)?,
        None => 1,
    };
    if !seen.run.is_kernel() || init.is_uncertain || is_handed_over(seen, barrier) {
        return None;
    }
    let inits = seen
        .run
        .everything()
        .filter(|action| is_init(action))
        .filter(|other| {
            other
                .barrier
                .as_ref()
                .is_none_or(|place| place.array() == barrier.array())
        });
    if inits.count() > 1 {
        return None;
    }
    let mut phases: Vec<Phase<'_, '_>> = Vec::new();
    let mut leading = None;
    for arrival in seen.run.everything().filter(|action| action.is_reached()) {
        if !matches!(
            arrival.kind,
            ActionKind::Arrive | ActionKind::ArriveAndExpect | ActionKind::Commit
        ) {
            continue;
        }
        let place = arrival.barrier.as_ref()?;
        if place.array() != barrier.array() {
            // Another root may be another name.
            if apart::may_be_one(seen, place, barrier) {
                return None;
            }
            continue;
        }
        // The barriers of a pair are two: some arrive at both, some at that of the leading CTA only.
        if arrival.kind != ActionKind::Commit
            && *leading.get_or_insert(leads(seen, arrival)) != leads(seen, arrival)
        {
            return None;
        }
        let (arriving, threads) = arriving(seen, arrival)?;
        let related = Related {
            span: arrival.span(),
            message: format!("{arriving} arrive"),
        };
        let context = loops(arrival);
        let index = place.index.as_ref();
        let same = phases.iter_mut().find(|phase| phase.loops == context);
        match same {
            Some(phase) => {
                if phase.index != index || !is_still(seen, index, phase.last, arrival) {
                    return None;
                }
                phase.last = arrival;
                phase.arriving = phase.arriving.checked_add(arriving)?;
                phase.places.push(related);
            }
            None => phases.push(Phase {
                loops: context,
                index,
                last: arrival,
                arriving,
                threads,
                places: vec![related],
            }),
        }
    }
    let mut pairs = phases.iter().enumerate();
    if pairs.any(|(at, one)| phases.iter().skip(at).any(|other| one.is_apart(other))) {
        return None;
    }
    let phase = phases.into_iter().find(|phase| phase.arriving != counted)?;
    let arriving = phase.arriving;
    let launch = seen.launched_here();
    Some(Finding {
        numbers: vec![
            ("counted".to_owned(), Number::Integer(counted)),
            ("arriving".to_owned(), Number::Integer(arriving)),
        ],
        related: phase.places.into_iter().chain(launch).collect(),
        legal: vec![arriving.to_string()],
        ..seen.finding(
            "arrival-count-mismatch",
            Severity::Error,
            init.number_span(),
            format!(
                "barrier expects {counted} arrival{} per phase, but {arriving} arrive: {}",
                if counted == 1 { "" } else { "s" },
                if counted > arriving {
                    "it never completes"
                } else {
                    "its phases advance early"
                }
            ),
        )
    })
}

/// Whether an index names the same barrier from one place to another.
fn is_still(
    seen: &Seen<'_, '_>,
    index: Option<&Index>,
    from: &Action<'_>,
    to: &Action<'_>,
) -> bool {
    match index {
        Some(Index::Variable(declared)) => !seen.is_assigned_between(*declared, from, to),
        Some(Index::Other(_)) => false,
        Some(Index::Known(_)) | None => true,
    }
}

/// Number of arrivals for which an arrival counts in one phase.
fn arriving<'u>(seen: &Seen<'_, 'u>, arrival: &Action<'u>) -> Option<(i64, Option<Threads>)> {
    if arrival.is_uncertain || !thread_sets::is_same_for_all(seen, arrival) {
        return None;
    }
    if arrival.kind != ActionKind::Commit {
        // With a CTA it arrives elsewhere.
        let local = if arrival.kind == ActionKind::Arrive {
            1
        } else {
            2
        };
        if arrival.values.len() > local {
            return None;
        }
        let threads = thread_sets::coming(seen, arrival, &|condition| is_leader(seen, condition))?;
        return Some((threads.count()?, Some(threads)));
    }
    // The tensor core arrives once for the warp that commits.
    let leads = leads(seen, arrival);
    let threads = thread_sets::coming(seen, arrival, &|condition| is_leader(seen, condition))?;
    if !threads.is_in_one_warp() {
        return None;
    }
    let count = match arrival.args.get(1) {
        None => 1,
        Some(mask) => masks::receptions(&masks::mask(seen, mask)?, leads)?,
    };
    Some((count, None))
}

/// Whether only the leading CTA of a pair comes there.
fn leads(seen: &Seen<'_, '_>, arrival: &Action<'_>) -> bool {
    let mut conditions = arrival.conditions();
    conditions.any(|condition| is_leader(seen, condition))
}

/// `get<0>(cta_coord_vmnk) == Int<0>{}`: the CTA that issues the MMAs of its pair.
fn is_leader<'u>(seen: &Seen<'_, 'u>, condition: &'u Expr) -> bool {
    let ExprKind::Binary(BinaryOp::Eq, left, _) = &seen.resolved(condition).kind else {
        return false;
    };
    let ExprKind::Call(callee, args) = &left.kind else {
        return false;
    };
    let segment = callee.as_path().and_then(|path| path.last());
    let is_first = segment.is_some_and(|segment| {
        segment.name.name == "get"
            && matches!(
                segment.args.as_deref(),
                Some([Expr {
                    kind: ExprKind::Int(0),
                    ..
                }])
            )
    });
    is_first && args.iter().all(|coord| is_of_cta(seen, coord))
}

/// Whether a coordinate says which CTA of its cluster this is, and nothing of its threads.
fn is_of_cta<'u>(seen: &Seen<'_, 'u>, coord: &'u Expr) -> bool {
    let mut of_cta = false;
    walk::subexpressions(seen.resolved(coord), &mut |part| {
        let name = part.as_path().and_then(|path| path.last());
        of_cta |= name.is_some_and(|name| name.name.name == "block_rank_in_cluster");
    });
    of_cta && !thread_sets::asks_for_thread(seen, coord, DEPTH)
}
