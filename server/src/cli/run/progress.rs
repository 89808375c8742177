//! Progress of a long run, on a terminal.

use std::cell::Cell;
use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use cute_runner::watch::{Stop, Watch};

/// Runs shorter than this say nothing.
const QUIET: Duration = Duration::from_secs(1);

/// The interval of reports.
const INTERVAL: Duration = Duration::from_millis(200);

/// Writes a percentage to standard error, where that is a terminal, and takes it away in the end.
pub(super) struct Progress {
    is_shown: bool,
    start: Instant,
    last: Cell<Option<Instant>>,
}

impl Progress {
    pub(super) fn new() -> Self {
        Self {
            is_shown: io::stderr().is_terminal(),
            start: Instant::now(),
            last: Cell::new(None),
        }
    }
}

impl Watch for Progress {
    fn look(&self, done: u64, of: u64) -> Result<(), Stop> {
        let recently = |last: Instant| last.elapsed() < INTERVAL;
        if self.is_shown && self.start.elapsed() > QUIET && !self.last.get().is_some_and(recently) {
            self.last.set(Some(Instant::now()));
            let percent = done.saturating_mul(100) / of.max(1);
            // No one can be told that no one can be told.
            let _ = write!(io::stderr(), "\r{percent:3} %");
        }
        Ok(())
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.last.get().is_some() {
            let _ = write!(io::stderr(), "\r     \r");
        }
    }
}
