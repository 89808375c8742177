//! The watcher of a run: it hears of its progress, and may end it.

use std::fmt;
use std::time::{Duration, Instant};

use cute_hardware::Refusal;

/// Why a run ended without an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The requested run is not possible.
    Refused(Refusal),
    /// The one who asked wants no answer any more.
    Cancelled,
    /// It took longer than it may; seconds.
    TimedOut(u64),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refusal) => write!(f, "{}: {}", refusal.rule.name(), refusal.message()),
            Self::Cancelled => write!(f, "the run was cancelled"),
            Self::TimedOut(seconds) => {
                write!(f, "stopped: the run took longer than {seconds} s")
            }
        }
    }
}

impl std::error::Error for Stop {}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<cute_algebra::Refusal> for Stop {
    fn from(refusal: cute_algebra::Refusal) -> Self {
        Self::Refused(refusal.into())
    }
}

/// Looks on while something runs.
pub trait Watch {
    /// Hears that `done` of `of` steps are done.
    ///
    /// # Errors
    /// The reason to end now.
    fn look(&self, done: u64, of: u64) -> Result<(), Stop>;
}

/// No one looks on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn look(&self, _: u64, _: u64) -> Result<(), Stop> {
        Ok(())
    }
}

/// A function that looks on.
impl<F: Fn(u64, u64) -> Result<(), Stop>> Watch for F {
    fn look(&self, done: u64, of: u64) -> Result<(), Stop> {
        self(done, of)
    }
}

/// Ends a run that takes too long, and else leaves it to another.
#[derive(Clone, Copy, Debug)]
pub struct Limited<'a, W: ?Sized> {
    watch: &'a W,
    start: Instant,
    limit: Duration,
}

impl<'a, W: Watch + ?Sized> Limited<'a, W> {
    /// From now on, for at most `limit`.
    pub fn new(watch: &'a W, limit: Duration) -> Self {
        Self {
            watch,
            start: Instant::now(),
            limit,
        }
    }
}

impl<W: Watch + ?Sized> Watch for Limited<'_, W> {
    fn look(&self, done: u64, of: u64) -> Result<(), Stop> {
        if self.start.elapsed() > self.limit {
            return Err(Stop::TimedOut(self.limit.as_secs()));
        }
        self.watch.look(done, of)
    }
}

/// Steps between two looks: far below a tenth of a second, whatever the step is.
const INTERVAL: i64 = 1 << 12;

/// Has someone look on from time to time; called for every step.
pub(crate) fn step(watch: &dyn Watch, done: i64, of: i64) -> Result<(), Stop> {
    if done % INTERVAL == 0 {
        watch.look(done.unsigned_abs(), of.unsigned_abs())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn a_run_is_looked_at_from_time_to_time_and_can_be_ended() {
        let looks = Cell::new(0);
        let watch = |done: u64, _: u64| {
            looks.set(looks.get() + 1);
            if done >= 8192 {
                Err(Stop::Cancelled)
            } else {
                Ok(())
            }
        };
        let ended = (0..100_000).try_for_each(|index| step(&watch, index, 100_000));
        assert_eq!((ended, looks.get()), (Err(Stop::Cancelled), 3));
    }

    #[test]
    fn a_limit_ends_what_nobody_else_ends() {
        let limited = Limited::new(&Unwatched, Duration::ZERO);
        std::thread::sleep(Duration::from_millis(1));
        assert_eq!(limited.look(1, 2), Err(Stop::TimedOut(0)));
        let limited = Limited::new(&Unwatched, Duration::from_secs(3600));
        assert_eq!(limited.look(1, 2), Ok(()));
    }
}
