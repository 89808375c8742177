//! Reads of shared memory whose asynchronous copy may not have arrived: the groups of `cp.async` in the order of a thread.
//!
//! All threads go the same way through the groups; it is followed through the first passes of a loop whose end only the
//! running program knows. Sizes that only bound an index from above are taken to be large enough.

use std::sync::Arc;

use super::describe::{Describer, Pass};
use super::lanes::Cell;
use super::terms::Term;
use super::unordered::{called, is_bound, is_bound_otherwise, taken};
use super::{AccessKind, AccessSpace, GroupMark, GroupStep, Guard, Memory, Met};
use crate::finding::{Finding, Number, Related, Severity};

/// Events that are followed.
const STEPS: usize = 2_000;

/// Something on the way of a thread.
#[derive(Clone, Copy)]
enum Event<'m> {
    Access(&'m Met, &'m Arc<Memory>),
    Group(&'m GroupMark),
}

impl<'m> Event<'m> {
    fn loops(&self) -> &'m [usize] {
        match self {
            Self::Access(met, _) => &met.loops,
            Self::Group(mark) => &mark.loops,
        }
    }
}

/// A copy on its way.
struct Flight<'m> {
    met: &'m Met,
    memory: &'m Arc<Memory>,
    /// Its bytes of all threads, in order.
    bytes: Vec<(i64, i64)>,
    /// The number of its group; nothing where it is in none.
    group: Option<i64>,
    /// The number of waits before it.
    waits: usize,
}

/// A read of bytes that may be on their way.
struct Early<'m> {
    copy: &'m Met,
    read: &'m Met,
    memory: &'m Arc<Memory>,
    /// The last wait behind the copy, and the number of groups that it leaves open.
    wait: Option<(&'m GroupMark, i64)>,
    /// Groups that were closed behind that of the copy; nothing where it is in none.
    behind: Option<i64>,
}

/// The way of a thread so far.
struct Way<'m> {
    flights: Vec<Flight<'m>>,
    closed: i64,
    /// The waits so far, with the number of groups that each leaves open.
    waits: Vec<(&'m GroupMark, i64)>,
    found: Vec<Early<'m>>,
    steps: usize,
}

/// Looks for such reads in a kernel. Nothing is said where something may wait that is not followed.
pub(super) fn reads(
    describer: &mut Describer<'_>,
    met: &[Met],
    instance: Option<&str>,
) -> Vec<Finding> {
    let has_copies = met.iter().any(|met| met.is_asynchronous);
    if !has_copies || describer.walked().is_unseen || describer.threads_of_launch().is_none() {
        return Vec::new();
    }
    let groups = &describer.walked().order.groups;
    let events = events(met, groups);
    let mut way = Way {
        flights: Vec::new(),
        closed: 0,
        waits: Vec::new(),
        found: Vec::new(),
        steps: STEPS,
    };
    // What was found before the way ended holds.
    way.goes(describer, &events, 0, &Pass::new());
    way.found
        .iter()
        .map(|early| told(early, instance))
        .collect()
}

/// The accesses of shared memory and the groups, in order.
fn events<'m>(met: &'m [Met], groups: &'m [GroupMark]) -> Vec<Event<'m>> {
    let mut found = Vec::new();
    let mut groups = groups.iter().peekable();
    for (index, met) in met.iter().enumerate() {
        while let Some(mark) = groups.next_if(|mark| mark.before <= index) {
            found.push(Event::Group(mark));
        }
        if let Ok((memory, _)) = &met.address
            && memory.space == AccessSpace::Shared
            && met.bytes > 0
            && (met.is_asynchronous || met.kind == AccessKind::Load)
        {
            found.push(Event::Access(met, memory));
        }
    }
    found.extend(groups.map(Event::Group));
    found
}

impl<'m> Way<'m> {
    /// Goes through events that are inside of the same loops; nothing where the way ends: at an unknown wait, or behind
    /// too many steps.
    fn goes(
        &mut self,
        describer: &mut Describer<'_>,
        events: &[Event<'m>],
        depth: usize,
        fixed: &Pass,
    ) -> Option<()> {
        let mut rest = events;
        while let Some(first) = rest.first() {
            let around = first.loops().get(depth).copied();
            let is_here = |event: &Event<'m>| event.loops().get(depth).copied() == around;
            let length = rest.iter().take_while(|event| is_here(event)).count();
            let (here, behind) = rest.split_at(length);
            rest = behind;
            let Some(repeat) = around else {
                for event in here {
                    self.happens(describer, event, fixed)?;
                }
                continue;
            };
            let block = describer.block()?.0;
            let is_known = describer.passes(repeat, block).is_some();
            for pass in taken(describer, repeat)? {
                let mut fixed = fixed.clone();
                fixed.extend(pass);
                self.goes(describer, here, depth + 1, &fixed)?;
            }
            // How often it goes is not known, nor is what comes behind.
            if !is_known {
                return None;
            }
        }
        Some(())
    }

    fn happens(
        &mut self,
        describer: &mut Describer<'_>,
        event: &Event<'m>,
        fixed: &Pass,
    ) -> Option<()> {
        self.steps = self.steps.checked_sub(1)?;
        if describer.is_spent() || !self.found.is_empty() {
            return None;
        }
        match *event {
            Event::Group(mark) => {
                let coming = coming(describer, &mark.guards, fixed)?;
                let all = |comes: bool| coming.iter().all(|it| *it == Some(comes));
                if all(true) {
                    self.groups(mark)
                } else {
                    // Threads may have different groups.
                    all(false).then_some(())
                }
            }
            Event::Access(met, memory) => {
                let Some(bytes) = bytes(describer, met, fixed) else {
                    return Some(());
                };
                if met.is_asynchronous {
                    self.flights.push(Flight {
                        met,
                        memory,
                        bytes,
                        group: None,
                        waits: self.waits.len(),
                    });
                } else {
                    self.reads(met, memory, &bytes);
                }
                Some(())
            }
        }
    }

    fn groups(&mut self, mark: &'m GroupMark) -> Option<()> {
        let open = match mark.step {
            GroupStep::Unknown => return None,
            GroupStep::WaitForAll => {
                self.flights.clear();
                0
            }
            GroupStep::Close => {
                self.closed += 1;
                for flight in &mut self.flights {
                    flight.group = flight.group.or(Some(self.closed));
                }
                return Some(());
            }
            GroupStep::Wait(open) => open,
        };
        let last = self.closed - open;
        self.flights
            .retain(|flight| flight.group.is_none_or(|group| group > last));
        self.waits.push((mark, open));
        Some(())
    }

    fn reads(&mut self, read: &'m Met, memory: &'m Arc<Memory>, bytes: &[(i64, i64)]) {
        let early = self
            .flights
            .iter()
            .find(|flight| Arc::ptr_eq(flight.memory, memory) && overlap(&flight.bytes, bytes));
        if let Some(flight) = early {
            self.found.push(Early {
                copy: flight.met,
                read,
                memory,
                wait: self
                    .waits
                    .get(flight.waits..)
                    .and_then(|waits| waits.last().copied()),
                behind: flight.group.map(|group| self.closed - group),
            });
        }
    }
}

/// Whether each thread comes to a place; nothing for those of which that is unknown.
fn coming(
    describer: &mut Describer<'_>,
    guards: &[Guard],
    fixed: &Pass,
) -> Option<Vec<Option<bool>>> {
    let assumed: Vec<Option<bool>> = guards
        .iter()
        .map(|guard| {
            let terms = &describer.walked().terms;
            let negated = match terms.term(guard.condition) {
                Term::Not(inner) => is_bound(terms, *inner),
                _ => false,
            };
            if is_bound(terms, guard.condition) {
                Some(true)
            } else if negated || is_bound_otherwise(terms, guard.condition) {
                Some(false)
            } else {
                None
            }
        })
        .collect();
    let lanes = describer.lanes_of(fixed)?;
    let mut comes = vec![Some(true); lanes.threads()];
    for (guard, assumed) in guards.iter().zip(assumed) {
        let column = lanes.column(guard.condition);
        for (thread, comes) in comes.iter_mut().enumerate() {
            let holds = match column.at(thread) {
                Cell::Known(value) => Some(*value != 0),
                Cell::Open(_) | Cell::Unknown(_) => assumed,
            };
            *comes = match (*comes, holds) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            };
        }
    }
    Some(comes)
}

/// The bytes of an access of the threads that are known to come to it, in order.
fn bytes(describer: &mut Describer<'_>, met: &Met, fixed: &Pass) -> Option<Vec<(i64, i64)>> {
    let (_, offset) = met.address.as_ref().ok()?;
    let comes = coming(describer, &met.guards, fixed)?;
    let column = describer.lanes_of(fixed)?.column(*offset);
    let known =
        comes
            .iter()
            .enumerate()
            .filter_map(|(thread, comes)| match (comes, column.at(thread)) {
                (Some(true), Cell::Known(byte)) => Some((*byte, byte.checked_add(met.bytes)?)),
                _ => None,
            });
    let mut found: Vec<(i64, i64)> = known.collect();
    describer.works(found.len());
    found.sort_unstable();
    (!found.is_empty()).then_some(found)
}

/// Whether two lists of pieces, in order, have a byte in common.
fn overlap(one: &[(i64, i64)], other: &[(i64, i64)]) -> bool {
    let (mut one, mut other) = (one.iter().peekable(), other.iter().peekable());
    while let (Some((first, end)), Some((start, stop))) = (one.peek(), other.peek()) {
        if first < stop && start < end {
            return true;
        }
        if end <= start {
            one.next();
        } else {
            other.next();
        }
    }
    false
}

fn told(early: &Early<'_>, instance: Option<&str>) -> Finding {
    let name = &early.memory.name;
    let place = |span, message: &str| Related {
        span,
        message: message.to_owned(),
    };
    let calls = called([early.copy, early.read]);
    let (finding, first) = match early.wait {
        None => {
            let message =
                format!("{name} is read before its asynchronous copy has arrived: no wait");
            let finding =
                Finding::new("async-copy-wait", Severity::Error, early.read.span, message);
            (finding, None)
        }
        Some((wait, open)) => {
            let why = match early.behind {
                Some(0) => "its group is the last one".to_owned(),
                Some(1) => "one group follows".to_owned(),
                Some(behind) => format!("{behind} groups follow"),
                None => "it is in no group".to_owned(),
            };
            let message =
                format!("a wait for all but {open} leaves {name} open, which is read next: {why}");
            let finding = Finding::new("copy-group-wait", Severity::Error, wait.span, message);
            (finding, Some(place(early.read.span, "read here")))
        }
    };
    let copied = place(early.copy.span, "copied here");
    let mut numbers = vec![("bytes".to_owned(), Number::Integer(early.read.bytes))];
    numbers.extend(
        early
            .wait
            .map(|(_, open)| ("open".to_owned(), Number::Integer(open))),
    );
    numbers.extend(
        early
            .behind
            .map(|behind| ("closed".to_owned(), Number::Integer(behind))),
    );
    Finding {
        numbers,
        related: std::iter::once(copied).chain(first).chain(calls).collect(),
        instance: instance.map(str::to_owned),
        ..finding
    }
}
