//! The instances that are shown first: once they are evaluated, nothing more of their unit is.

use std::sync::Arc;

use super::Interpreter;
use crate::hash::{HashMap, HashSet};
use crate::output::Output;
use crate::trace::Run;

/// The function instances of the focus that a unit is evaluated for.
#[derive(Debug, Default)]
pub(super) struct Goal<'u> {
    /// How many instances of each function have to end.
    needed: HashMap<Arc<str>, usize>,
    /// Those that have, by their names: calls on one line share one.
    ended: HashMap<Arc<str>, HashSet<Arc<str>>>,
    /// The functions of the focus that are being evaluated, outer ones first.
    underway: Vec<Arc<str>>,
    reached: Option<Box<Reached<'u>>>,
}

/// What was known when nothing was missing any more.
#[derive(Debug)]
struct Reached<'u> {
    output: Output,
    runs: Vec<Run<'u>>,
    /// Functions that were still being evaluated.
    unfinished: Vec<Arc<str>>,
}

impl Goal<'_> {
    /// The goal of so many instances of each function; without any there is none.
    pub(super) fn of(instances: &HashMap<Arc<str>, usize>) -> Self {
        Self {
            needed: instances.clone(),
            ..Self::default()
        }
    }

    /// Whether all that is asked for is evaluated.
    pub(super) fn is_reached(&self) -> bool {
        self.reached.is_some()
    }
}

impl Interpreter<'_> {
    /// Notes that an instance of a function begins whose facts are kept; whether the goal depends on it.
    pub(super) fn begin_shown(
        &mut self,
        function: Option<&Arc<str>>,
        instance: Option<&Arc<str>>,
    ) -> bool {
        let is_counted = !self.goal.needed.is_empty() && instance.is_some();
        if is_counted && let Some(function) = function {
            self.goal.underway.push(Arc::clone(function));
            return true;
        }
        false
    }

    /// Notes that it ends. Where it was the last one that is asked for, what is known is kept, and whatever is being
    /// evaluated around it ends soon.
    pub(super) fn end_shown(&mut self, has_begun: bool, instance: Option<&Arc<str>>) {
        if !has_begun || self.goal.is_reached() || self.steps == 0 {
            return;
        }
        let Some(function) = self.goal.underway.pop() else {
            return;
        };
        let goal = &mut self.goal;
        let ended = goal.ended.entry(function).or_default();
        ended.extend(instance.map(Arc::clone));
        let is_missing = |(function, needed): (&Arc<str>, &usize)| {
            let ended = goal.ended.get(function).map_or(0, HashSet::len);
            ended < *needed || goal.underway.contains(function)
        };
        if goal.needed.iter().any(is_missing) {
            return;
        }
        goal.reached = Some(Box::new(Reached {
            output: std::mem::take(&mut self.output),
            runs: std::mem::take(&mut self.runs),
            unfinished: std::mem::take(&mut goal.underway),
        }));
        self.give_up();
    }

    /// Puts back what was known when the goal was reached; what was not evaluated to its end is left out.
    pub(super) fn return_to_goal(&mut self) {
        let Some(reached) = self.goal.reached.take() else {
            return;
        };
        let unfinished = &reached.unfinished;
        self.runs = reached.runs;
        self.output = reached.output;
        let is_whole = |function: Option<&str>| {
            function.is_none_or(|function| unfinished.iter().all(|other| **other != *function))
        };
        let output = &mut self.output;
        output
            .facts
            .retain(|fact| is_whole(fact.function.as_deref()));
        output
            .mentions
            .retain(|mention| is_whole(mention.function.as_deref()));
    }
}
