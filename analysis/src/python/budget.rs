//! The work that running Python may take.

use super::run::{Run, Stop};
use crate::limits;
use crate::reason::Reason;
use crate::stop::Stop as Wanted;
use crate::work::Work;

/// Steps of one file, all that it calls included.
const STEPS: usize = 4_000_000;
/// Objects that one analysis may make.
const OBJECTS: usize = 2_000_000;
/// Evaluations inside evaluations of one module.
const DEPTH: usize = 600;
/// Modules that import one another and are under way: packages name most of their modules in the first.
const MODULES: usize = 200;

/// The work that may still be done.
#[derive(Debug)]
pub(crate) struct Budget {
    pub(crate) steps: usize,
    depth: usize,
    modules: usize,
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
            modules: 0,
            work: Work::default(),
            stop,
        }
    }

    /// Counts steps beside this number of `objects`; an error where there are no more.
    pub(crate) fn step(&mut self, count: usize, objects: usize) -> Run<()> {
        if self.steps < count || objects > OBJECTS {
            self.steps = 0;
            return Err(Stop::Limit(Reason::Steps(STEPS)));
        }
        let before = self.steps / limits::STEPS_BETWEEN_STOPS;
        self.steps -= count;
        if before != self.steps / limits::STEPS_BETWEEN_STOPS && self.stop.is_wanted() {
            self.steps = 0;
            return Err(Stop::Limit(Reason::Limit("a newer request came in")));
        }
        Ok(())
    }

    /// Begins with the statements of another module, which are at no depth; the depth to go back to.
    pub(crate) fn enter_module(&mut self) -> Run<usize> {
        if self.modules >= MODULES {
            return Err(Stop::Limit(Reason::Limit("nesting of imports")));
        }
        self.modules += 1;
        Ok(std::mem::take(&mut self.depth))
    }

    /// Goes back to the statement that imports the module.
    pub(crate) fn leave_module(&mut self, depth: usize) {
        self.modules -= 1;
        self.depth = depth;
    }

    /// Whether nothing more is to be done: the result is not wanted, or there are no steps.
    pub(crate) fn is_over(&self) -> bool {
        self.steps == 0 || self.stop.is_wanted()
    }

    /// Goes one level deeper; an error where there are too many.
    pub(crate) fn enter(&mut self) -> Run<()> {
        if self.depth >= DEPTH {
            return Err(Stop::Limit(Reason::Limit("nesting of evaluations")));
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
        // A module begins anew, as long as not too many are under way.
        let depth = budget.enter_module().expect("a module");
        assert!(budget.enter().is_ok());
        let others = (0..2 * MODULES).filter(|_| budget.enter_module().is_ok());
        assert_eq!(others.count(), MODULES - 1);
        budget.leave_module(depth);
        assert!(budget.enter().is_err());
    }

    #[test]
    fn a_result_that_is_not_wanted_takes_no_more_steps() {
        let mut budget = Budget::until(Wanted::when(|| true));
        assert!(budget.step(2 * limits::STEPS_BETWEEN_STOPS, 0).is_err());
        assert_eq!(budget.steps, 0);
    }
}
