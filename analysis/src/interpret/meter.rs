//! Counts evaluations: each function instance without its callees.

use std::time::Duration;

use super::Interpreter;
use crate::work::{Amount, Work};

/// Counts the work of one evaluation.
#[derive(Debug, Default)]
pub(super) struct Meter {
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

impl Meter {
    pub(super) fn of(work: &Work) -> Self {
        Self {
            work: work.clone(),
            since: work.now(),
            given_up: 0,
            inside: Amount::default(),
        }
    }
}

impl Interpreter<'_> {
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

    /// Takes no more steps.
    pub(super) fn give_up(&mut self) {
        self.meter.given_up += std::mem::take(&mut self.steps);
    }

    /// Notes the evaluation of a unit or of the file itself, and the files read for it.
    pub(super) fn note_unit(&self) {
        let Meter { work, since, .. } = &self.meter;
        let time = work.now().saturating_sub(*since);
        work.note(|done| {
            done.units.add(Amount {
                count: 1,
                time,
                ..Amount::default()
            });
            for file in self.program.files() {
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
