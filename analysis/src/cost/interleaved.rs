//! Interleavings of the threads of a CTA at their barriers, up to a bound: whether they never end, end before their
//! copies, or read a stage that is being filled.
//!
//! Threads that come to the same branches go together, and whoever can go on does. Asynchronous work lands in every
//! order. All of these orders are possible, so a fault that is found happens.

use std::collections::VecDeque;

use tree_sitter_cute::tree::Span;

use super::rehearsal::{self, Arrays, Event, Part, Slot, View};
use super::thread_sets::{self, Threads};
use super::{Costs, Seen, called, rehearsed};
use crate::finding::{Finding, Number, Related, Severity};
use crate::hash::HashSet;
use crate::trace::{Action, Deed};

/// The stable name of the rule.
const RULE: &str = "barrier-order";
/// States of a kernel that are looked at, for each number of tiles.
const STATES: usize = 12_000;
/// Classes of threads that are followed.
const CLASSES: usize = 6;
/// Threads of a warp.
const WARP: i64 = 32;
/// Steps of a witness that are shown: the last ones.
const SHOWN: usize = 12;
/// Tiles beyond twice the stages.
const MORE_TILES: [i64; 2] = [1, 2];
/// Actions of pipelines of CUTLASS and of trials are not written out.
const NOT_FOLLOWED: &[&str] = &[
    "consumer_release",
    "consumer_wait",
    "producer_acquire",
    "producer_commit",
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
    let waits = seen.run.reached(Deed::WaitBarrier).count();
    if !seen.run.is_kernel() || waits == 0 {
        return;
    }
    let calls = called::calls(seen.run.body());
    if calls.iter().any(|call| NOT_FOLLOWED.contains(&call.name)) {
        return;
    }
    let (Some(actions), Some(classes)) = (
        rehearsal::actions_at_barriers(seen),
        thread_sets::classes(seen).filter(|classes| classes.len() <= CLASSES),
    ) else {
        return;
    };
    let stages = rehearsed::stages(seen);
    let arrays = Arrays::default();
    let mut common: Option<Fault<'_, '_>> = None;
    for more in MORE_TILES {
        let tiles = 2 * stages + more;
        let roles: Option<Vec<Role<'_, '_>>> = classes
            .iter()
            .map(|threads| {
                let thread = threads.iter().next()?;
                let part = Part {
                    thread,
                    arrays: &arrays,
                };
                let events = rehearsal::events(seen, &actions, tiles, Some(part))?;
                Some(Role { threads, events })
            })
            .collect();
        let Some(roles) = roles else { return };
        let fault = Search::of(&roles, tiles).fault();
        let Some(fault) = fault else { return };
        match &common {
            Some(known) if !known.is_same(&fault) => return,
            Some(_) => {}
            None => {
                let told = fault.with_steps(seen, &roles);
                common = Some(told);
            }
        }
    }
    if let Some(finding) = common.and_then(|fault| fault.told(seen)) {
        let is_known = |known: &Finding| {
            // A finding of a separate rule at one of the places is reported already.
            known.severity == Severity::Error
                && (known.rule.starts_with("barrier-")
                    || known.rule.starts_with("arrival-")
                    || known.rule.starts_with("tx-"))
        };
        if !costs.findings.iter().any(is_known) {
            costs.findings.push(finding);
        }
    }
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

/// A barrier in shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Barrier {
    /// Arrivals of a phase.
    count: i64,
    /// Arrivals that are missing.
    pending: i64,
    /// Bytes that are missing.
    bytes: i64,
    /// The parity of the phase that it is in.
    phase: i64,
}

impl Barrier {
    fn completes(&mut self) {
        if self.pending == 0 && self.bytes == 0 {
            self.phase ^= 1;
            self.pending = self.count;
        }
    }
}

/// Something asynchronous that is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Flight {
    slot: Slot,
    /// Bytes that arrive; an arrival where there are none.
    bytes: i64,
    /// The destination: the tensor, by its declaration, and the stage.
    fills: Option<(usize, i64)>,
    /// The role and the event that began it.
    from: (usize, usize),
}

/// The state of a kernel.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct State {
    at: Vec<usize>,
    barriers: Vec<(Slot, Barrier)>,
    flights: Vec<Flight>,
}

impl State {
    fn barrier(&mut self, slot: Slot) -> Option<&mut Barrier> {
        let found = self.barriers.iter_mut().find(|(known, _)| *known == slot);
        found.map(|(_, barrier)| barrier)
    }
}

/// A step of a kernel: an event of a role, all roles at a barrier of the CTA, or the end of something asynchronous.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Event(usize, usize),
    Together,
    Lands(Flight),
}

/// The fault of an interleaving.
struct Fault<'s, 'u> {
    kind: Kind<'s, 'u>,
    tiles: i64,
    states: usize,
    steps: Vec<Step>,
    shown: Vec<String>,
}

enum Kind<'s, 'u> {
    /// No thread goes on: the waiting threads, and their places.
    Stuck(Vec<(String, &'s Action<'u>, i64)>),
    /// A stage is read while it is being filled.
    Torn {
        read: &'s Action<'u>,
        fill: &'s Action<'u>,
    },
    /// Bytes without a wait may be under way when the last thread ends.
    InFlight(&'s Action<'u>),
}

/// The search through the states of a kernel.
struct Search<'r, 's, 'u> {
    roles: &'r [Role<'s, 'u>],
    tiles: i64,
    /// Each state that was reached, with the one before it and the step between.
    reached: Vec<(State, usize, Option<Step>)>,
    known: HashSet<State>,
    open: VecDeque<usize>,
}

impl<'r, 's, 'u> Search<'r, 's, 'u> {
    fn of(roles: &'r [Role<'s, 'u>], tiles: i64) -> Self {
        let start = State {
            at: vec![0; roles.len()],
            barriers: Vec::new(),
            flights: Vec::new(),
        };
        Self {
            roles,
            tiles,
            reached: vec![(start.clone(), 0, None)],
            known: std::iter::once(start).collect(),
            open: std::iter::once(0).collect(),
        }
    }

    /// The first thing that goes wrong, the shortest way first.
    fn fault(mut self) -> Option<Fault<'s, 'u>> {
        while let Some(index) = self.open.pop_front() {
            if self.reached.len() > STATES {
                return None;
            }
            let state = self.reached.get(index)?.0.clone();
            let steps = self.steps(&state);
            if let Some(kind) = self.in_flight(&state) {
                return Some(self.told(kind, index));
            }
            if steps.is_empty() {
                if let Some(kind) = self.ended(&state) {
                    return Some(self.told(kind, index));
                }
                continue;
            }
            for step in steps {
                if let Some(kind) = self.torn(&state, step) {
                    return Some(self.told(kind, index));
                }
                let mut next = state.clone();
                self.go(&mut next, step)?;
                if self.known.insert(next.clone()) {
                    self.open.push_back(self.reached.len());
                    self.reached.push((next, index, Some(step)));
                }
            }
        }
        None
    }

    fn event(&self, role: usize, at: usize) -> Option<Event<'s, 'u>> {
        self.roles.get(role)?.events.get(at).copied()
    }

    /// The steps that may come next. Where a thread can go on, its step alone.
    fn steps(&self, state: &State) -> Vec<Step> {
        let mut found = Vec::new();
        let mut waiting = 0;
        let mut ended = 0;
        for (role, at) in state.at.iter().enumerate() {
            match self.event(role, *at) {
                None => ended += 1,
                Some(Event::Barrier) => waiting += 1,
                Some(Event::Phase(_, slot, phase)) => {
                    let barrier = state.barriers.iter().find(|(known, _)| *known == slot);
                    if barrier.is_some_and(|(_, barrier)| barrier.phase != phase) {
                        return vec![Step::Event(role, *at)];
                    }
                }
                // Whoever can go on does: threads that fall behind by two phases are another matter.
                Some(_) => return vec![Step::Event(role, *at)],
            }
        }
        if waiting > 0 && waiting + ended == state.at.len() {
            return vec![Step::Together];
        }
        // Copies under way for one barrier land in one order.
        let mut landed: Vec<Slot> = Vec::new();
        for flight in &state.flights {
            if !landed.contains(&flight.slot) {
                landed.push(flight.slot);
                found.push(Step::Lands(*flight));
            }
        }
        found
    }

    fn go(&self, state: &mut State, step: Step) -> Option<()> {
        match step {
            Step::Together => {
                for (role, at) in state.at.iter_mut().enumerate() {
                    if matches!(self.event(role, *at), Some(Event::Barrier)) {
                        *at += 1;
                    }
                }
            }
            Step::Lands(flight) => {
                let place = state.flights.iter().position(|other| *other == flight)?;
                state.flights.remove(place);
                let barrier = state.barrier(flight.slot)?;
                if flight.bytes == 0 {
                    barrier.pending = barrier.pending.checked_sub(1).filter(|left| *left >= 0)?;
                } else {
                    barrier.bytes -= flight.bytes;
                }
                barrier.completes();
            }
            Step::Event(role, at) => {
                *state.at.get_mut(role)? += 1;
                let threads = self.roles.get(role)?.count();
                self.happens(state, self.event(role, at)?, (role, at), threads)?;
            }
        }
        Some(())
    }

    /// Changes the state by an event of some threads; nothing where more arrive at a barrier than it expects.
    fn happens(
        &self,
        state: &mut State,
        event: Event<'s, 'u>,
        from: (usize, usize),
        threads: i64,
    ) -> Option<()> {
        match event {
            Event::Init(slot, count) => {
                let barrier = Barrier {
                    count,
                    pending: count,
                    bytes: 0,
                    phase: 0,
                };
                if let Some(known) = state.barrier(slot) {
                    *known = barrier;
                } else {
                    state.barriers.push((slot, barrier));
                    state.barriers.sort_unstable_by_key(|(slot, _)| *slot);
                }
            }
            Event::Announce(_, slot, bytes, arrives) => {
                let barrier = state.barrier(slot)?;
                for _ in 0..threads {
                    barrier.bytes += bytes;
                    if arrives {
                        barrier.pending -= 1;
                        // More than it counts: the behaviour is not defined.
                        if barrier.pending < 0 {
                            return None;
                        }
                        barrier.completes();
                    }
                }
            }
            Event::Fill(_, slot, bytes, view) => {
                for _ in 0..threads {
                    state.flights.push(Flight {
                        slot,
                        bytes,
                        fills: view.and_then(stage_of),
                        from,
                    });
                }
                state.flights.sort_unstable();
            }
            Event::Done(_, slot) => {
                // The lane commits that each warp elects.
                let elected = self.roles.get(from.0)?.elected();
                for _ in 0..elected {
                    state.flights.push(Flight {
                        slot,
                        bytes: 0,
                        fills: None,
                        from,
                    });
                }
                state.flights.sort_unstable();
            }
            _ => {}
        }
        Some(())
    }

    /// A read of a stage that is being filled.
    fn torn(&self, state: &State, step: Step) -> Option<Kind<'s, 'u>> {
        let Step::Event(role, at) = step else {
            return None;
        };
        let Some(Event::Read(read, _, view)) = self.event(role, at) else {
            return None;
        };
        let stage = stage_of(view)?;
        let flight = state
            .flights
            .iter()
            .find(|flight| flight.fills == Some(stage))?;
        match self.event(flight.from.0, flight.from.1)? {
            Event::Fill(fill, ..) => Some(Kind::Torn { read, fill }),
            _ => None,
        }
    }

    /// A copy into shared memory that is under way although all threads have ended.
    fn in_flight(&self, state: &State) -> Option<Kind<'s, 'u>> {
        let mut roles = state.at.iter().enumerate();
        if roles.any(|(role, at)| self.event(role, *at).is_some()) {
            return None;
        }
        let flight = state.flights.iter().find(|flight| flight.bytes > 0)?;
        match self.event(flight.from.0, flight.from.1)? {
            Event::Fill(fill, ..) => Some(Kind::InFlight(fill)),
            _ => None,
        }
    }

    /// The fault of a state in which nothing goes on.
    fn ended(&self, state: &State) -> Option<Kind<'s, 'u>> {
        let mut stuck = Vec::new();
        for (role, at) in state.at.iter().enumerate() {
            if let Some(Event::Phase(wait, _, phase)) = self.event(role, *at) {
                stuck.push((self.roles.get(role)?.name(), wait, phase));
            }
        }
        (!stuck.is_empty()).then_some(Kind::Stuck(stuck))
    }

    fn told(&self, kind: Kind<'s, 'u>, last: usize) -> Fault<'s, 'u> {
        let mut steps = Vec::new();
        let mut index = last;
        while let Some((_, before, Some(step))) = self.reached.get(index) {
            steps.push(*step);
            index = *before;
        }
        steps.reverse();
        Fault {
            kind,
            tiles: self.tiles,
            states: self.reached.len(),
            steps,
            shown: Vec::new(),
        }
    }
}

/// `thread 0 waits`, `threads 0 to 31 wait`.
fn waits_of(who: &str) -> String {
    let verb = if who.starts_with("thread ") {
        "waits"
    } else {
        "wait"
    };
    format!("{who} {verb}")
}

/// A stage of a tensor, by where it is declared.
fn stage_of(view: View) -> Option<(usize, i64)> {
    match (view.is_staged, view.stage) {
        (true, None) => None,
        (_, stage) => Some((view.tensor.start, stage.unwrap_or_default())),
    }
}

impl<'u> Fault<'_, 'u> {
    fn place(&self) -> Option<Span> {
        match &self.kind {
            Kind::Stuck(waits) => waits.first().map(|(_, wait, _)| wait.span()),
            Kind::Torn { read, .. } => Some(read.span()),
            Kind::InFlight(fill) => Some(fill.span()),
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        std::mem::discriminant(&self.kind) == std::mem::discriminant(&other.kind)
            && self.place() == other.place()
    }

    /// The steps as people read them.
    fn with_steps(mut self, seen: &Seen<'_, '_>, roles: &[Role<'_, '_>]) -> Self {
        let mut lines: Vec<String> = Vec::new();
        for step in &self.steps {
            let line = match *step {
                Step::Together => "all threads pass a barrier of the CTA".to_owned(),
                Step::Lands(flight) => {
                    let what = if flight.bytes == 0 {
                        "products are done".to_owned()
                    } else {
                        format!("{} bytes have arrived", flight.bytes)
                    };
                    format!("{what} for barrier {}", flight.slot.index)
                }
                Step::Event(role, at) => {
                    let Some(role) = roles.get(role) else {
                        continue;
                    };
                    let Some((action, what)) = role.events.get(at).and_then(described) else {
                        continue;
                    };
                    format!("{}: line {}, {what}", role.name(), seen.line(action.span()))
                }
            };
            lines.push(line);
        }
        let left_out = lines.len().saturating_sub(SHOWN);
        if left_out > 0 {
            self.shown.push(format!("({left_out} steps before)"));
        }
        let last = lines.into_iter().enumerate().skip(left_out);
        self.shown
            .extend(last.map(|(number, line)| format!("{}. {line}", number + 1)));
        self
    }

    fn told(&self, seen: &Seen<'_, 'u>) -> Option<Finding> {
        let (first, span, related) = match &self.kind {
            Kind::Stuck(waits) => {
                let (who, wait, phase) = waits.first()?;
                let others = waits.iter().skip(1).map(|(who, wait, _)| Related {
                    span: wait.span(),
                    message: format!("{} here", waits_of(who)),
                });
                let first = format!("{} for phase {phase}, which never completes", waits_of(who));
                (first, wait.span(), others.collect())
            }
            Kind::Torn { read, fill } => {
                let line = seen.line(fill.span());
                let related = vec![Related {
                    span: fill.span(),
                    message: "filled here".to_owned(),
                }];
                let first =
                    format!("a stage is read while the copy of line {line} may still fill it");
                (first, read.span(), related)
            }
            Kind::InFlight(fill) => (
                "a bulk copy is under way when the last thread ends".to_owned(),
                fill.span(),
                Vec::new(),
            ),
        };
        let (tiles, states) = (self.tiles, self.states);
        let bound = format!("with {tiles} tiles, {states} states of the kernel");
        let message = format!("{first}\n{}\n{bound}", self.shown.join("\n"));
        Some(Finding {
            numbers: vec![
                ("tiles".to_owned(), Number::Integer(tiles)),
                (
                    "steps".to_owned(),
                    Number::Integer(i64::try_from(self.steps.len()).ok()?),
                ),
            ],
            related,
            ..seen.finding(RULE, Severity::Error, span, message)
        })
    }
}

/// An event in words, for a witness.
fn described<'s, 'u>(event: &Event<'s, 'u>) -> Option<(&'s Action<'u>, String)> {
    match *event {
        Event::Announce(action, slot, 0, _) => {
            Some((action, format!("arrives at barrier {}", slot.index)))
        }
        Event::Announce(action, slot, bytes, _) => Some((
            action,
            format!("announces {bytes} bytes at barrier {}", slot.index),
        )),
        Event::Phase(action, slot, phase) => Some((
            action,
            format!("phase {phase} of barrier {} is complete", slot.index),
        )),
        Event::Fill(action, slot, ..) => {
            Some((action, format!("copies, for barrier {}", slot.index)))
        }
        Event::Done(action, slot) => Some((
            action,
            format!("commits products to barrier {}", slot.index),
        )),
        Event::Read(action, _, view) => Some((
            action,
            match view.stage {
                Some(stage) => format!("reads stage {stage}"),
                None => "reads".to_owned(),
            },
        )),
        _ => None,
    }
}
