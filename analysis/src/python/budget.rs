//! The work that running Python may take.

use crate::limits;
use crate::reason::Reason;
use crate::stop::Stop as Wanted;
use crate::work::Work;

/// Steps of one file, all that it calls included.
const STEPS: usize = 4_000_000;
/// Objects that one analysis may make.
const OBJECTS: usize = 2_000_000;
/// Evaluations inside evaluations.
const DEPTH: usize = 600;

/// The work that may still be done.
#[derive(Debug)]
pub(crate) struct Budget {
    pub(crate) steps: usize,
    depth: usize,
    /// Counter of the functions that are run.
    pub(crate) work: Work,
    stop: Wanted,
}

impl Budget {
    /// All steps of one file, until its result is not wanted any more.
    pub(crate) fn until(stop: Wanted) -> Self {
        Self {
            steps: STEPS,
            depth: 0,
            work: Work::default(),
            stop,
        }
    }

    /// Counts steps beside this number of `objects`; an error where there are no more.
    pub(crate) fn step(&mut self, count: usize, objects: usize) -> Result<(), Reason> {
        if self.steps < count || objects > OBJECTS {
            self.steps = 0;
            return Err(Reason::Steps(STEPS));
        }
        let before = self.steps / limits::STEPS_BETWEEN_STOPS;
        self.steps -= count;
        if before != self.steps / limits::STEPS_BETWEEN_STOPS && self.stop.is_wanted() {
            self.steps = 0;
            return Err(Reason::Limit("a newer request came in"));
        }
        Ok(())
    }

    /// Whether the evaluation was cancelled, or has spent its steps.
    pub(crate) fn is_over(&self) -> bool {
        self.steps == 0 || self.stop.is_wanted()
    }

    /// Goes one level deeper; an error where there are too many.
    pub(crate) fn enter(&mut self) -> Result<(), Reason> {
        if self.depth >= DEPTH {
            return Err(Reason::Limit("nesting of evaluations"));
        }
        self.depth += 1;
        Ok(())
    }

    /// Comes back from it.
    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_objects_and_levels_are_bounded() {
        let mut budget = Budget::until(Wanted::default());
        assert!(budget.step(STEPS, OBJECTS).is_ok() && budget.step(1, 0).is_err());
        assert!(
            Budget::until(Wanted::default())
                .step(1, OBJECTS + 1)
                .is_err()
        );
        let mut budget = Budget::until(Wanted::default());
        assert_eq!(
            (0..2 * DEPTH).filter(|_| budget.enter().is_ok()).count(),
            DEPTH
        );
        budget.leave();
        assert!(budget.enter().is_ok() && budget.enter().is_err());
    }

    #[test]
    fn a_result_that_is_not_wanted_takes_no_more_steps() {
        let mut budget = Budget::until(Wanted::when(|| true));
        assert!(budget.step(2 * limits::STEPS_BETWEEN_STOPS, 0).is_err());
        assert_eq!(budget.steps, 0);
    }
}
