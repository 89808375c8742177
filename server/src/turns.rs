//! The turns of requests: at most this many are computed or unsent at a time, the other requests wait before anything
//! of theirs is computed.
//!
//! So the memory that answers take is bounded also where a client asks faster than it reads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::{OnceCell, OwnedSemaphorePermit, Semaphore};

use crate::limits::ANSWERS_AT_A_TIME;

/// The available turns.
#[derive(Debug, Clone)]
pub(crate) struct Turns(Arc<Semaphore>);

impl Default for Turns {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(ANSWERS_AT_A_TIME)))
    }
}

impl Turns {
    /// The turn of a request that arrives now. It begins when it is awaited and ends with the last clone.
    pub(crate) fn next(&self) -> Turn {
        Turn(Arc::new(State {
            turns: self.0.clone(),
            held: OnceCell::new(),
            is_asked_for: AtomicBool::new(false),
        }))
    }
}

/// The turn of one request.
#[derive(Debug, Clone)]
pub(crate) struct Turn(Arc<State>);

#[derive(Debug)]
struct State {
    turns: Arc<Semaphore>,
    held: OnceCell<OwnedSemaphorePermit>,
    is_asked_for: AtomicBool,
}

impl Turn {
    /// Waits until it begins; at once where it has.
    pub(crate) async fn begin(&self) {
        let state = &self.0;
        state.is_asked_for.store(true, Ordering::Relaxed);
        let permit = || state.turns.clone().acquire_owned();
        // No one closes the semaphore, so there is no failure that could be handled.
        let _ = state.held.get_or_try_init(permit).await;
    }

    /// Whether it was requested and has not begun.
    pub(crate) fn is_awaited(&self) -> bool {
        self.0.is_asked_for.load(Ordering::Relaxed) && !self.0.held.initialized()
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Waker};

    use super::*;

    /// Whether a turn begins without waiting.
    fn begins(turn: &Turn) -> bool {
        let begun = pin!(turn.begin());
        begun
            .poll(&mut Context::from_waker(Waker::noop()))
            .is_ready()
    }

    #[test]
    fn a_turn_begins_when_an_earlier_one_has_ended() {
        let turns = Turns::default();
        let mut held: Vec<_> = (0..ANSWERS_AT_A_TIME).map(|_| turns.next()).collect();
        assert!(held.iter().all(begins));
        let waiting = turns.next();
        assert!(!waiting.is_awaited());
        assert!(!begins(&waiting) && waiting.is_awaited());
        let unsent = held.last().cloned();
        held.pop();
        assert!(!begins(&waiting), "the clone still holds it");
        drop(unsent);
        assert!(begins(&waiting) && !waiting.is_awaited());
        assert!(begins(&waiting), "it has one already");
    }
}
