//! Interleavings of the threads of a CTA at their barriers, up to a bound: whether they never end, end before their
//! copies, read a stage that is being filled, or fill one that others may still read.
//!
//! Threads that come to the same branches are a role and go together. First whoever can go on does, and asynchronous work
//! lands in every order; then the roles go in every order, too ([`search`]). All of these orders are possible, so a fault
//! that is found happens ([`witness`] shows its steps).

mod places;
mod search;
mod state;
mod witness;

use tree_sitter_cute::tree::Span;

use super::rehearsal::{self, Arrays, Event, Followed, Part, arrays, followed, meetings};
use super::thread_sets::{self, Asked};
use super::threads::{Threads, WARP};
use super::{Costs, Seen, called, rehearsed};
use crate::finding::{Finding, Severity};
use crate::trace::ActionKind;
use search::{Orders, Search};
use witness::Fault;

/// The stable name of the rule.
const RULE: &str = "barrier-order";
/// States of a kernel that are looked at, for each number of tiles and each kind of orders.
const STATES: usize = 12_000;
/// Classes of threads that are followed.
const CLASSES: usize = 6;
/// Tiles beyond twice the stages.
const MORE_TILES: [i64; 2] = [1, 2];
/// Trials and products of several CTAs are not written out.
const NOT_FOLLOWED: &[&str] = &[
    "test_wait",
    "test_wait_barrier",
    "try_wait",
    "try_wait_barrier",
    "umma_arrive_2x1SM",
    "umma_arrive_multicast",
    "umma_arrive_multicast_2x1SM",
    "umma_arrive_multicast_2x1SM_no_elect",
    "umma_arrive_multicast_no_elect",
];

/// Looks at the barriers of a kernel.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    let mut actions = seen.run.everything();
    let waits = actions
        .any(|action| matches!(action.kind, ActionKind::WaitBarrier | ActionKind::WaitStage));
    if !seen.run.is_kernel() {
        return;
    }
    let Some(meetings) = meetings::all(seen).filter(|all| waits || !all.is_empty()) else {
        return;
    };
    let calls = called::calls(seen.run.body());
    if calls.iter().any(|call| NOT_FOLLOWED.contains(&call.name)) {
        return;
    }
    let (Some(actions), Some(classes)) = (
        followed::actions_at_barriers(seen, &meetings),
        classes(seen, &meetings).filter(|classes| classes.len() <= CLASSES),
    ) else {
        return;
    };
    // Warps of one role go in any order, too.
    let classes = match classes.as_slice() {
        [all] if meetings.is_empty() => all.by_first_warp(),
        _ => classes,
    };
    let barriers = Arrays::default();
    let elements = arrays::reads(seen);
    let stages = rehearsed::stages(seen);
    let followed = Followed {
        actions: &actions,
        elements: &elements,
        meetings: Some(&meetings),
    };
    let mut rehearsals: Vec<(i64, Vec<Role<'_, '_>>)> = Vec::new();
    for more in MORE_TILES {
        let tiles = 2 * stages + more;
        let roles: Option<Vec<Role<'_, '_>>> = classes
            .iter()
            .map(|threads| {
                let thread = threads.iter().next()?;
                let part = Part {
                    thread,
                    threads,
                    arrays: &barriers,
                };
                let events = rehearsal::events(seen, followed, tiles, Some(part))?;
                Some(Role { threads, events })
            })
            .collect();
        let Some(roles) = roles else { return };
        rehearsals.push((tiles, roles));
    }
    if let Some(finding) = beyond_the_stages(seen, &rehearsals) {
        let is_known = |known: &Finding| known.rule == finding.rule && is_of(seen, known);
        if !costs.findings.iter().any(is_known) {
            costs.findings.push(finding);
        }
        return;
    }
    let fault = common_fault(seen, &rehearsals, Orders::WhoCan)
        .or_else(|| common_fault(seen, &rehearsals, Orders::All));
    if let Some(finding) = fault.and_then(|fault| fault.told(seen)) {
        let is_known = |known: &Finding| {
            // A finding of a separate rule at one of the places is reported already.
            known.severity == Severity::Error
                && is_of(seen, known)
                && (known.rule.starts_with("barrier-")
                    || known.rule.starts_with("arrival-")
                    || known.rule.starts_with("tx-"))
        };
        if !costs.findings.iter().any(is_known) {
            costs.findings.push(finding);
        }
    }
}

/// Whether a finding is about a kernel, and not about another one of the file.
fn is_of(seen: &Seen<'_, '_>, finding: &Finding) -> bool {
    let mut items = seen.bodies().flatten();
    items.any(|item| item.span.encloses(finding.span))
}

/// Threads that come to the same branches, and to the same named barriers.
fn classes(seen: &Seen<'_, '_>, meetings: &meetings::Meetings<'_>) -> Option<Vec<Threads>> {
    let places: Vec<Span> = meetings.keys().copied().collect();
    let classes = thread_sets::classes(seen, &places)?;
    let deciding = meetings::deciding(seen, meetings);
    let mut found = Vec::new();
    for class in classes {
        found.extend(class.apart(|thread| {
            let numbers = deciding
                .iter()
                .map(|expr| Asked::number(seen, thread, expr));
            numbers.collect::<Option<Vec<i64>>>()
        })?);
    }
    Some(found)
}

/// A stage that the tensor does not have, on the way of some role with each number of tiles.
fn beyond_the_stages(
    seen: &Seen<'_, '_>,
    rehearsals: &[(i64, Vec<Role<'_, '_>>)],
) -> Option<Finding> {
    let first = |roles: &[Role<'_, '_>]| {
        let mut events = roles.iter().flat_map(|role| &role.events);
        events.find_map(|event| {
            let (action, operand, view) = match event {
                Event::Read(action, operand, view) | Event::Write(action, operand, view, _) => {
                    (*action, *operand, *view)
                }
                Event::Fill(action, _, _, Some(view)) => (*action, action.args.last()?, *view),
                _ => return None,
            };
            rehearsed::beyond_its_stages(seen, action, operand, &view)
        })
    };
    let mut found = rehearsals.iter().map(|(_, roles)| first(roles));
    let one = found.next()??;
    found
        .all(|other| other.is_some_and(|other| other.span == one.span))
        .then_some(one)
}

/// The fault that each number of tiles has.
fn common_fault<'s, 'u>(
    seen: &Seen<'_, 'u>,
    rehearsals: &[(i64, Vec<Role<'s, 'u>>)],
    orders: Orders,
) -> Option<Fault<'s, 'u>> {
    let orders_warps = orders_warps(seen);
    let mut common: Option<Fault<'s, 'u>> = None;
    for (tiles, roles) in rehearsals {
        let fault = Search::of(roles, (*tiles, orders_warps), orders).fault()?;
        match &common {
            Some(known) if !known.is_same(&fault) => return None,
            Some(_) => {}
            None => common = Some(fault.with_steps(seen, roles)),
        }
    }
    common
}

/// Whether threads of a warp may wait for each other.
fn orders_warps(seen: &Seen<'_, '_>) -> bool {
    let mut bodies = seen.bodies();
    bodies.any(|body| {
        let calls = called::calls(body);
        calls.iter().any(|call| {
            let name = call.name;
            name == "__syncwarp" || name.ends_with("_sync") || name == "tiled_partition"
        })
    })
}

/// Threads that go together.
struct Role<'s, 'u> {
    threads: &'s Threads,
    events: Vec<Event<'s, 'u>>,
}

impl Role<'_, '_> {
    fn count(&self) -> i64 {
        self.threads.count().unwrap_or(1)
    }

    /// Its warps whose elected lane, the first, is among them.
    fn elected(&self) -> usize {
        self.threads
            .iter()
            .filter(|thread| thread % WARP == 0)
            .count()
    }

    /// Whether it is made of whole warps: a warp counts as one at a named barrier.
    fn has_whole_warps(&self) -> bool {
        let mut firsts = self.threads.iter().filter(|thread| thread % WARP == 0);
        let whole = firsts.all(|first| (first..first + WARP).all(|it| self.threads.has(it)));
        whole && self.count() == i64::try_from(self.elected()).unwrap_or(0) * WARP
    }

    /// `thread 0`, `threads 32 to 127`.
    fn name(&self) -> String {
        let (first, last) = (self.threads.iter().next(), self.threads.last());
        match (first, last) {
            (Some(first), Some(last)) if first == last => format!("thread {first}"),
            (Some(first), Some(last)) if last - first + 1 == self.count() => {
                format!("threads {first} to {last}")
            }
            (Some(first), Some(last)) => {
                format!("{} threads from {first} to {last}", self.count())
            }
            _ => "no thread".to_owned(),
        }
    }
}
