//! The work that one evaluation may do, and the work that it did.

use std::time::Duration;

use crate::limits;
use crate::options::Options;
use crate::sources::SourceFile;
use crate::stop::Stop;
use crate::work::{Amount, Work};

/// The work that an evaluation may still do.
#[derive(Debug)]
pub(super) struct Budget {
    pub(super) steps: usize,
    /// The steps that the machine may still take for constants outside of functions.
    pub(super) constant_steps: usize,
    /// The steps that were taken apart from `steps`, with supposed arguments.
    pub(super) steps_apart: usize,
    stop: Stop,
    meter: Meter,
}

/// Counts the work of one evaluation: each function instance without its callees.
#[derive(Debug, Default)]
struct Meter {
    work: Work,
    /// The time at which the evaluation began.
    since: Duration,
    /// Steps that were given up because the requested value was known.
    given_up: usize,
    /// The work of the functions that the current function called.
    inside: Amount,
}

/// A function or lambda that is being evaluated: the steps that were left before it or given up, the time, and the work
/// beside it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Began {
    steps: usize,
    time: Duration,
    beside: Amount,
}

impl Budget {
    pub(super) fn of(options: &Options) -> Self {
        Self {
            steps: options.steps,
            constant_steps: limits::MACHINE_STEPS_FOR_CONSTANTS,
            steps_apart: 0,
            stop: options.stop.clone(),
            meter: Meter {
                work: options.work.clone(),
                since: options.work.now(),
                ..Meter::default()
            },
        }
    }

    /// Takes one step, of the file and of a function's `own`; `false` when one of them is spent.
    pub(super) fn step(&mut self, own: &mut usize) -> bool {
        if self.steps == 0 || *own == 0 {
            return false;
        }
        if self.steps.is_multiple_of(limits::STEPS_BETWEEN_STOPS) && self.is_stopped() {
            self.steps = 0;
            return false;
        }
        self.steps -= 1;
        *own -= 1;
        true
    }

    /// Whether no step is left.
    pub(super) fn is_spent(&self) -> bool {
        self.steps == 0
    }

    /// Whether the result is not wanted any more.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.is_wanted()
    }

    /// Takes no more steps, as the result is not wanted any more or is known.
    pub(super) fn give_up(&mut self) {
        self.meter.given_up += std::mem::take(&mut self.steps);
    }

    /// Notes that a function or lambda begins.
    pub(super) fn begin_metered(&mut self) -> Option<Began> {
        self.meter.work.is_counted().then(|| Began {
            steps: self.steps + self.meter.given_up,
            time: self.meter.work.now(),
            beside: std::mem::take(&mut self.meter.inside),
        })
    }

    /// Notes that it ends: a function of a name, else a lambda.
    pub(super) fn end_metered(&mut self, began: Option<Began>, name: Option<&str>) {
        let Some(began) = began else {
            return;
        };
        let work = &self.meter.work;
        let whole = Amount {
            steps: began.steps.saturating_sub(self.steps + self.meter.given_up),
            time: work.now().saturating_sub(began.time),
            ..Amount::default()
        };
        let inside = std::mem::replace(&mut self.meter.inside, began.beside);
        self.meter.inside.add(whole);
        let own = Amount {
            count: 1,
            bytes: 0,
            steps: whole.steps.saturating_sub(inside.steps),
            time: whole.time.saturating_sub(inside.time),
        };
        work.note(|done| match name {
            Some(name) => done.functions.entry(name.to_owned()).or_default().add(own),
            None => done.lambdas.add(own),
        });
    }

    /// Notes the evaluation of a unit or of the file itself, and the `files` read for it.
    pub(super) fn note_unit<'f>(&self, files: impl Iterator<Item = &'f SourceFile>) {
        let Meter { work, since, .. } = &self.meter;
        let time = work.now().saturating_sub(*since);
        work.note(|done| {
            done.units.add(Amount {
                count: 1,
                time,
                ..Amount::default()
            });
            for file in files {
                let of_file = Amount {
                    count: 1,
                    bytes: file.text().len(),
                    ..Amount::default()
                };
                done.declared.add(of_file);
                if file.is_library() && file.is_parsed() {
                    done.parsed.add(of_file);
                }
            }
        });
    }

    /// Notes that groups of declarations were known.
    pub(super) fn note_reused(&self, groups: usize) {
        self.meter.work.note(|done| done.reused += groups);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_taken_of_both_budgets() {
        let mut budget = Budget::of(&Options {
            steps: 2,
            ..Options::default()
        });
        let mut own = 3;
        assert!(budget.step(&mut own) && budget.step(&mut own) && !budget.step(&mut own));
        assert_eq!((budget.is_spent(), own), (true, 1));
    }
}
