//! The search through the states of a kernel: the place of each role, the counts of its barriers, and the work under way.

use std::collections::VecDeque;

use super::super::rehearsal::{Event, Slot, Until, View};
use super::state::{Flight, State};
use super::witness::{Fault, Kind, Waiting};
use super::{Role, STATES};
use crate::hash::{HashMap, HashSet};
use crate::tensor::Space;
use crate::trace::{Action, ActionKind};
use crate::value::Value;

/// The orders in which the roles go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Orders {
    /// Whoever can go on does, the first one first.
    WhoCan,
    /// Every order.
    All,
}

/// A step of a kernel: events of a role, all roles at a barrier of the CTA, or the end of something asynchronous.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// A role, its first event, and the one behind the last.
    Go(usize, usize, usize),
    Together,
    Lands(Flight),
}

/// A stage of a tensor, by its declaration.
fn stage_of(view: View) -> Option<(usize, i64)> {
    match (view.is_staged, view.stage) {
        (true, None) => None,
        (_, stage) => Some((view.tensor.start, stage.unwrap_or_default())),
    }
}

/// The search through the states of a kernel.
pub(super) struct Search<'r, 's, 'u> {
    pub(super) roles: &'r [Role<'s, 'u>],
    tiles: i64,
    orders: Orders,
    /// Whether the threads of a warp may wait for each other.
    orders_warps: bool,
    /// Each state that was reached, with the one before it and the step between.
    reached: Vec<(State, usize, Option<Step>)>,
    known: HashSet<State>,
    open: VecDeque<usize>,
    /// The number of complete phases behind each wait of a role, by its events.
    wanted: Vec<Vec<i64>>,
}

/// The phases of its barrier that each wait of a role is for: the first one with parity 1 is for none, and each one with the
/// other parity than the one before for one more.
fn wanted(role: &Role<'_, '_>) -> Vec<i64> {
    let mut last: HashMap<Slot, i64> = HashMap::default();
    let of = |event: &Event<'_, '_>| {
        let Event::Phase(_, slot, Until::Parity(phase)) = event else {
            return 0;
        };
        let next = match last.get(slot) {
            None => 1 - phase,
            Some(before) if (before + 1) % 2 == *phase => *before,
            Some(before) => before + 1,
        };
        last.insert(*slot, next);
        next
    };
    role.events.iter().map(of).collect()
}

impl<'r, 's, 'u> Search<'r, 's, 'u> {
    pub(super) fn of(
        roles: &'r [Role<'s, 'u>],
        (tiles, orders_warps): (i64, bool),
        orders: Orders,
    ) -> Self {
        let start = State {
            at: vec![0; roles.len()],
            barriers: Vec::new(),
            flights: Vec::new(),
            tokens: Vec::new(),
        };
        Self {
            roles,
            tiles,
            orders,
            orders_warps,
            reached: vec![(start.clone(), 0, None)],
            known: std::iter::once(start).collect(),
            open: std::iter::once(0).collect(),
            wanted: roles.iter().map(wanted).collect(),
        }
    }

    /// Whether a role passes the wait that it is at. In every order no role misses a phase: a barrier that is two phases
    /// on is not looked at.
    fn passes(&self, state: &State, (role, at): (usize, usize), slot: Slot, until: Until) -> bool {
        let Some(phases) = state.phases(slot) else {
            return false;
        };
        match (until, self.orders) {
            // No token is lost: a thread that is two phases behind has passed.
            (Until::Of(arrival), _) => state
                .token((role, arrival))
                .is_some_and(|before| phases > before),
            (Until::Parity(phase), Orders::WhoCan) => phases & 1 != phase,
            (Until::Parity(_), Orders::All) => phases == self.wanted_at(role, at),
        }
    }

    /// Whether a role waits for the phase of an arrival.
    fn keeps_token(&self, (role, arrival): (usize, usize)) -> bool {
        let events = self.roles.get(role).map(|role| role.events.iter());
        events
            .into_iter()
            .flatten()
            .any(|event| matches!(event, Event::Phase(_, _, Until::Of(of)) if *of == arrival))
    }

    fn wanted_at(&self, role: usize, at: usize) -> i64 {
        let wanted = self.wanted.get(role).and_then(|wanted| wanted.get(at));
        wanted.copied().unwrap_or(0)
    }

    /// Whether a barrier is initialised more than once: then one of the threads may do it again behind the others.
    fn initialises_twice(&self) -> bool {
        let mut known: HashSet<Slot> = HashSet::default();
        let mut events = self.roles.iter().flat_map(|role| &role.events);
        events.any(|event| matches!(event, Event::Init(_, slot, _) if !known.insert(*slot)))
    }

    /// The first thing that goes wrong, the shortest way first.
    pub(super) fn fault(mut self) -> Option<Fault<'s, 'u>> {
        let is_twice = self.orders == Orders::All && self.initialises_twice();
        if is_twice || !self.initialises_all() {
            return None;
        }
        while let Some(index) = self.open.pop_front() {
            if self.reached.len() > STATES {
                return None;
            }
            let state = self.reached.get(index)?.0.clone();
            let steps = self.steps(&state);
            let now = self.in_flight(&state).or_else(|| match self.orders {
                Orders::WhoCan => None,
                Orders::All => self.overwritten(&steps),
            });
            if let Some(kind) = now {
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
                match (self.go(&mut next, step), self.orders) {
                    (Some(()), _) => {}
                    (None, Orders::WhoCan) => return None,
                    // More arrivals than a phase counts: other orders are looked at.
                    (None, Orders::All) => continue,
                }
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

    /// The events of a role from some place on that come before it may have to wait, up to the first one that others may
    /// wait for: what is between does not depend on the others, nor they on it.
    fn stretch(&self, role: usize, from: usize) -> usize {
        let mut at = from;
        loop {
            let event = self.event(role, at);
            let is_first = at == from;
            match event {
                None | Some(Event::Barrier) => return at,
                Some(Event::Phase(..)) if !is_first => return at,
                Some(Event::Announce(_, _, _, true) | Event::Done(..) | Event::Meet(..)) => {
                    return at + 1;
                }
                Some(_) => at += 1,
            }
        }
    }

    /// The steps that may come next.
    fn steps(&self, state: &State) -> Vec<Step> {
        let mut found = Vec::new();
        let mut waiting = 0;
        let mut ended = 0;
        for (role, at) in state.at.iter().enumerate() {
            match self.event(role, *at) {
                None => ended += 1,
                Some(Event::Barrier) => waiting += 1,
                Some(Event::Phase(_, slot, until))
                    if !self.passes(state, (role, *at), slot, until) => {}
                Some(_) => {
                    let step = Step::Go(role, *at, self.stretch(role, *at));
                    if self.orders == Orders::WhoCan {
                        return vec![step];
                    }
                    found.push(step);
                }
            }
        }
        if waiting > 0 && waiting + ended == state.at.len() {
            return vec![Step::Together];
        }
        // Work for one barrier lands in one order.
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
            Step::Go(role, from, to) => {
                *state.at.get_mut(role)? = to;
                let threads = self.roles.get(role)?.count();
                for at in from..to {
                    self.happens(state, self.event(role, at)?, (role, at), threads)?;
                }
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
            Event::Init(_, slot, count) => state.initialise(slot, count),
            Event::Announce(_, slot, bytes, arrives) => {
                if arrives && self.keeps_token(from) {
                    let phases = state.phases(slot)?;
                    state.tokens.push((from, phases));
                    state.tokens.sort_unstable();
                }
                let barrier = state.barrier(slot)?;
                for _ in 0..threads {
                    barrier.bytes += bytes;
                    if arrives {
                        barrier.pending -= 1;
                        // More than it counts: that is not defined.
                        if barrier.pending < 0 {
                            return None;
                        }
                        barrier.completes();
                    }
                }
            }
            Event::Meet(_, slot, count) => {
                if !self.roles.get(from.0)?.has_whole_warps() {
                    return None;
                }
                let barrier = state.named_barrier(slot, count)?;
                let phases = barrier.phases;
                barrier.pending = barrier
                    .pending
                    .checked_sub(threads)
                    .filter(|left| *left >= 0)?;
                barrier.completes();
                if self.keeps_token(from) {
                    state.tokens.push((from, phases));
                    state.tokens.sort_unstable();
                }
            }
            Event::Fill(_, slot, bytes, view) => {
                state.flights.push(Flight {
                    slot,
                    bytes: bytes.checked_mul(threads)?,
                    fills: view.and_then(stage_of),
                    from,
                });
                state.flights.sort_unstable();
            }
            Event::Phase(_, _, Until::Of(arrival)) => {
                state.tokens.retain(|(of, _)| *of != (from.0, arrival));
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

    /// The events of a step.
    fn events(&self, step: Step) -> impl Iterator<Item = Event<'s, 'u>> {
        let (role, range) = match step {
            Step::Go(role, from, to) => (role, from..to),
            _ => (0, 0..0),
        };
        let events = self.roles.get(role).and_then(|role| role.events.get(range));
        events.unwrap_or_default().iter().copied()
    }

    /// A read of a stage that is being filled, by what is under way or by the step itself.
    fn torn(&self, state: &State, step: Step) -> Option<Kind<'s, 'u>> {
        let mut filled: Vec<((usize, i64), &'s Action<'u>)> = Vec::new();
        let Step::Go(role, ..) = step else {
            return None;
        };
        self.events(step).find_map(|event| {
            if let Event::Fill(fill, _, _, Some(view)) = event {
                filled.extend(stage_of(view).map(|stage| (stage, fill)));
            }
            let Event::Read(read, _, view) = event else {
                return None;
            };
            let stage = stage_of(view).filter(|_| self.reads(role, read))?;
            if let Some((_, fill)) = filled.iter().find(|(of, _)| *of == stage) {
                return Some(Kind::Torn {
                    read,
                    fill,
                    wait: self.wait_before(role, read),
                });
            }
            let mut flights = state.flights.iter();
            let flight = flights.find(|flight| flight.fills == Some(stage))?;
            match self.event(flight.from.0, flight.from.1)? {
                Event::Fill(fill, ..) => Some(Kind::Torn {
                    read,
                    fill,
                    wait: self.wait_before(role, read),
                }),
                _ => None,
            }
        })
    }

    /// A fill of a stage that another role reads or writes: either of the two may come first.
    fn overwritten(&self, steps: &[Step]) -> Option<Kind<'s, 'u>> {
        let role_of = |step: &Step| match step {
            Step::Go(role, ..) => Some(*role),
            _ => None,
        };
        for filling in steps {
            let filler = role_of(filling)?;
            for event in self.events(*filling) {
                let Event::Fill(fill, _, _, Some(filled)) = event else {
                    continue;
                };
                let Some(stage) = stage_of(filled) else {
                    continue;
                };
                for other in steps {
                    let Some(reader) = role_of(other).filter(|role| *role != filler) else {
                        continue;
                    };
                    let mut events = self.events(*other);
                    let read = events.find_map(|event| match event {
                        Event::Read(read, _, view) => (stage_of(view) == Some(stage)
                            && self.reads(reader, read))
                        .then_some(read),
                        _ => None,
                    });
                    if let Some(read) = read {
                        return Some(Kind::Overwritten { read, fill });
                    }
                }
            }
        }
        None
    }

    /// Whether a role reads by itself: the lane that a warp elects issues a product of descriptors for all of it, and
    /// the thread that arrives for a warp group has waited for the product of all of them.
    fn reads(&self, role: usize, read: &Action<'_>) -> bool {
        let is_by = |space: Space| {
            read.kind == ActionKind::Gemm
                && read.values.iter().any(
                    |value| matches!(value, Value::Tensor(tensor) if tensor.engine.space == space),
                )
        };
        if is_by(Space::UmmaDescriptors) {
            return self.roles.get(role).map_or(0, Role::elected) > 0;
        }
        let is_element = read.values.is_empty();
        // Who announces bytes says nothing of reads.
        let arrives = |role: &Role<'s, 'u>| {
            let mut events = role.events.iter();
            events.any(|event| {
                matches!(event, Event::Announce(_, _, bytes, true) if !is_element || *bytes == 0)
            })
        };
        let reads_it = |role: &&Role<'s, 'u>| {
            let mut events = role.events.iter();
            events
                .any(|event| matches!(event, Event::Read(other, ..) if std::ptr::eq(*other, read)))
        };
        // One lane of a warp arrives, or waits, for all of its threads.
        let waits = |role: &Role<'s, 'u>| {
            let mut events = role.events.iter();
            events.any(|event| matches!(event, Event::Phase(..)))
        };
        if is_element && self.orders_warps && !self.roles.get(role).is_some_and(waits) {
            return false;
        }
        !(is_element || is_by(Space::WgmmaDescriptors))
            || self.roles.get(role).is_some_and(arrives)
            || !self.roles.iter().filter(reads_it).any(arrives)
    }

    /// Whether all barriers that roles work on are initialised by one of them: another one may be one of these by a pointer.
    fn initialises_all(&self) -> bool {
        let events = || self.roles.iter().flat_map(|role| &role.events);
        let initialised: HashSet<Slot> = events()
            .filter_map(|event| match event {
                Event::Init(_, slot, _) | Event::Meet(_, slot, _) => Some(*slot),
                _ => None,
            })
            .collect();
        let mut used = events().filter_map(|event| match event {
            Event::Announce(_, slot, ..)
            | Event::Phase(_, slot, _)
            | Event::Fill(_, slot, ..)
            | Event::Done(_, slot) => Some(slot),
            _ => None,
        });
        used.all(|slot| initialised.contains(slot))
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

    /// The fault of a state without a next step.
    fn ended(&self, state: &State) -> Option<Kind<'s, 'u>> {
        let mut stuck = Vec::new();
        for (role, at) in state.at.iter().enumerate() {
            if let Some(Event::Phase(wait, slot, until)) = self.event(role, *at) {
                let is_missed = matches!(until, Until::Parity(_))
                    && state
                        .phases(slot)
                        .is_some_and(|phases| phases > self.wanted_at(role, *at));
                if self.orders == Orders::All && is_missed {
                    return None;
                }
                let init = self.init_of(slot);
                let is_named = self.is_named(slot);
                let barrier = state.barriers.iter().find(|(of, _)| *of == slot);
                let lacks_bytes = barrier.is_some_and(|(_, barrier)| barrier.bytes > 0);
                let announced = self.announced_for(slot).filter(|_| lacks_bytes);
                stuck.push(Waiting {
                    announced,
                    who: self.roles.get(role)?.name(),
                    wait,
                    until,
                    init,
                    named: is_named.then_some(slot.index),
                });
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
            orders: self.orders,
            steps,
            shown: Vec::new(),
        }
    }
}
