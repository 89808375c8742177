//! The states of a kernel that the search goes through.

use super::super::rehearsal::Slot;

/// A barrier in shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Barrier {
    /// Arrivals of a phase.
    pub(super) count: i64,
    /// Arrivals that are missing.
    pub(super) pending: i64,
    /// Bytes that are missing.
    pub(super) bytes: i64,
    /// Phases that are complete; the last bit is the parity of the one that it is in.
    pub(super) phases: i64,
}

impl Barrier {
    pub(super) fn completes(&mut self) {
        if self.pending == 0 && self.bytes == 0 {
            self.phases += 1;
            self.pending = self.count;
        }
    }
}

/// Something asynchronous that is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Flight {
    pub(super) slot: Slot,
    /// Bytes that arrive; an arrival where there are none.
    pub(super) bytes: i64,
    /// The destination: the tensor, by its declaration, and the stage.
    pub(super) fills: Option<(usize, i64)>,
    /// The role and the event that began it.
    pub(super) from: (usize, usize),
}

/// The state of a kernel.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct State {
    pub(super) at: Vec<usize>,
    pub(super) barriers: Vec<(Slot, Barrier)>,
    pub(super) flights: Vec<Flight>,
    /// The phases that were complete at arrivals for which roles wait, by the role and the event.
    pub(super) tokens: Vec<((usize, usize), i64)>,
}

impl State {
    pub(super) fn barrier(&mut self, slot: Slot) -> Option<&mut Barrier> {
        let found = self.barriers.iter_mut().find(|(known, _)| *known == slot);
        found.map(|(_, barrier)| barrier)
    }

    /// The phases that were complete at an arrival.
    pub(super) fn token(&self, of: (usize, usize)) -> Option<i64> {
        let mut tokens = self.tokens.iter();
        tokens
            .find(|(known, _)| *known == of)
            .map(|(_, phases)| *phases)
    }

    /// The phases of a barrier that are complete.
    pub(super) fn phases(&self, slot: Slot) -> Option<i64> {
        let barrier = self.barriers.iter().find(|(known, _)| *known == slot);
        barrier.map(|(_, barrier)| barrier.phases)
    }

    /// A named barrier that threads come to; nothing where others have come that count differently.
    pub(super) fn named_barrier(&mut self, slot: Slot, count: i64) -> Option<&mut Barrier> {
        if self.barrier(slot).is_none() {
            self.initialise(slot, count);
        }
        let barrier = self.barrier(slot)?;
        if barrier.pending == barrier.count {
            (barrier.count, barrier.pending) = (count, count);
        }
        (barrier.count == count).then_some(barrier)
    }

    /// Gives a barrier its number of arrivals.
    pub(super) fn initialise(&mut self, slot: Slot, count: i64) {
        let barrier = Barrier {
            count,
            pending: count,
            bytes: 0,
            phases: 0,
        };
        if let Some(known) = self.barrier(slot) {
            *known = barrier;
        } else {
            self.barriers.push((slot, barrier));
            self.barriers.sort_unstable_by_key(|(slot, _)| *slot);
        }
    }
}
