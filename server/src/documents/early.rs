//! Answers about a version of a document before all of it is known.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::analysed::{Analysed, Slot};
use crate::limits::{BYTES_LOOKED_AT, RANGES_ANSWERED, RANGES_SHOWN};

/// Answers of a version before all of it is known.
#[derive(Debug, Default)]
pub struct Early {
    /// The analyses of the shown instances, where translation units include it, by the visible bytes.
    shown: Mutex<Vec<Arc<ShownIn>>>,
    /// The hints that were answered: for the requested bytes, their texts and places.
    answered: Mutex<Vec<Answered>>,
    /// Whether a request was answered with an error as its time was over.
    failed: AtomicBool,
}

/// The visible bytes of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookedAt {
    /// Those that a request is about.
    pub asked: Range<usize>,
    /// Those around them that are looked at, too.
    pub around: Range<usize>,
}

impl LookedAt {
    /// A range of bytes alone.
    pub fn bytes(range: Range<usize>) -> Self {
        Self {
            asked: range.clone(),
            around: range,
        }
    }

    /// A byte, with about a screen around it.
    pub fn screen_around(byte: usize) -> Self {
        Self {
            asked: byte..byte,
            around: byte.saturating_sub(BYTES_LOOKED_AT)..byte.saturating_add(BYTES_LOOKED_AT),
        }
    }
}

/// The shown part of some bytes of a document.
#[derive(Debug)]
pub struct ShownIn {
    /// The bytes.
    pub bytes: Range<usize>,
    /// The analysis; nothing where no translation unit includes the document.
    pub slot: Slot<Option<Arc<Analysed>>>,
}

/// The answer about a range of bytes.
type Answered = (Range<usize>, Said);

/// The texts of hints, and their places.
pub type Said = Vec<(usize, String)>;

impl Early {
    /// One of the analyses of shown instances that is there.
    pub(super) fn newest(&self) -> Option<Arc<Analysed>> {
        let all = locked(&self.shown);
        all.iter().find_map(|shown| shown.slot.peek().flatten())
    }

    /// Stops all of them.
    pub(super) fn cancel(&self) {
        for shown in locked(&self.shown).iter() {
            shown.slot.cancel();
        }
    }

    /// The shown part of the visible bytes, with others where those are known or under way; `None` where there is
    /// enough under way.
    pub fn shown_of(&self, looked_at: &LookedAt) -> Option<Arc<ShownIn>> {
        let mut all = locked(&self.shown);
        let has = |bytes: &Range<usize>| {
            bytes.start <= looked_at.asked.start && looked_at.asked.end <= bytes.end
        };
        if let Some(known) = all.iter().find(|shown| has(&shown.bytes)) {
            return Some(Arc::clone(known));
        }
        if all.len() == RANGES_SHOWN {
            return None;
        }
        let shown = Arc::new(ShownIn {
            bytes: looked_at.around.clone(),
            slot: Slot::default(),
        });
        all.push(Arc::clone(&shown));
        Some(shown)
    }

    /// The bytes whose shown part is known or under way.
    pub fn bytes_shown(&self) -> Vec<Range<usize>> {
        let all = locked(&self.shown);
        all.iter().map(|shown| shown.bytes.clone()).collect()
    }

    /// Notes which hints were answered before all was known.
    pub fn note_shown(&self, range: Range<usize>, said: Said) {
        let mut answered = locked(&self.answered);
        answered.retain(|(known, _)| *known != range);
        // One more than are remembered says that there were more.
        if answered.len() <= RANGES_ANSWERED {
            answered.push((range, said));
        }
    }

    /// Whether hints that were answered before all was known are others now, as `now` says for a range.
    pub fn shows_other_than(&self, now: impl Fn(Range<usize>) -> Said) -> bool {
        let answered = locked(&self.answered).clone();
        let is_other = |(range, said): Answered| now(range) != said;
        answered.len() > RANGES_ANSWERED || answered.into_iter().any(is_other)
    }

    /// Notes that a request was answered with an error as its time was over.
    pub fn note_failed(&self) {
        self.failed.store(true, Ordering::Relaxed);
    }

    /// Whether one was, so that all has to be fetched again.
    pub fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }
}

pub(super) fn locked<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
