//! The instances that are shown first: once they are evaluated, nothing more of their unit is.
//!
//! An instance of a function is evaluated where it is called. The members of a class are reported when all functions of a
//! unit are evaluated; here they are as soon as the instances that are shown are used, as those come first in any case.
//! So is what an earlier analysis found in the report on another class, or in an instance that is only named: functions
//! that do not lead there are left out.

use std::sync::Arc;

use super::Interpreter;
use super::heads::name_of;
use super::instantiable::{Instantiable, Instantiables, Kind};
use crate::deferred::Deferred;
use crate::hash::{HashMap, HashSet};
use crate::output::Output;
use crate::shown::Needed;
use crate::trace::Run;

/// The part of the focus for which a unit is evaluated.
#[derive(Debug, Default)]
pub(super) struct Goal<'u> {
    /// Number of instances of each function that have to end.
    needed: HashMap<Arc<str>, usize>,
    /// Those that have, by their names: calls on one line share one.
    ended: HashMap<Arc<str>, HashSet<Arc<str>>>,
    /// Those of them that end in deferred evaluations.
    later: HashSet<Arc<str>>,
    /// The requests of functions for deferred evaluations that lead to what is shown.
    deferred: Vec<AwaitedRequest>,
    /// The functions of the focus that are being evaluated, outer ones first.
    underway: Vec<Arc<str>>,
    /// Reports on classes, once instances of them are used.
    awaited: Vec<Awaited>,
    /// The names of the classes and methods that are reported then, and of the functions whose named instances are
    /// evaluated.
    reported: HashSet<Arc<str>>,
    /// Whether all of these reports are needed, not only those up to the last instance.
    reports_to_end: bool,
    /// Number of used instances of each class, by the number of its declaration.
    used: HashMap<usize, usize>,
    /// Number of facts and mentions that other units have left before.
    before: (usize, usize),
    stage: Stage<'u>,
}

/// The report on classes of one name: a class, or methods.
#[derive(Debug, Default)]
struct Awaited {
    name: Arc<str>,
    /// The names of the classes that have it.
    classes: HashSet<Arc<str>>,
    /// Number of their instances that have to be used.
    needed: usize,
    /// Those that are, by their names.
    used: HashSet<Arc<str>>,
}

/// A request for a deferred evaluation.
#[derive(Debug)]
struct AwaitedRequest {
    name: Arc<str>,
    instance: Arc<str>,
    is_there: bool,
}

/// Progress towards the goal.
#[derive(Debug, Default)]
enum Stage<'u> {
    /// Something is missing, or nothing is requested.
    #[default]
    Looking,
    /// All functions have ended; the facts known then.
    Reached(Box<Reached<'u>>),
    /// All functions have ended and all classes are used: the functions that are still being evaluated end early.
    Leaving(Vec<Arc<str>>),
    /// They have, and the requested classes are reported.
    Reporting,
    /// Something was missing when they were.
    Missed,
}

/// Facts known when nothing was missing any more.
#[derive(Debug)]
struct Reached<'u> {
    output: Output,
    runs: Vec<Run<'u>>,
    /// Functions that were still being evaluated.
    unfinished: Vec<Arc<str>>,
}

impl Goal<'_> {
    /// The goal of these instances of each function and class, beside those that other units have left. An empty map
    /// sets none.
    pub(super) fn of(
        instances: &HashMap<Arc<str>, Needed>,
        all: &Instantiables,
        before: &Output,
    ) -> Self {
        let mut goal = Self {
            before: (before.facts.len(), before.mentions.len()),
            ..Self::default()
        };
        for (name, needed) in instances {
            let with = reported_with(name, all);
            if let Some(deferred) = &needed.deferred
                && (with.is_none() || deferred.within.is_some())
            {
                goal.await_deferred(name, deferred, with);
                continue;
            }
            match with {
                Some(with) => {
                    goal.reports_to_end = true;
                    goal.reported.insert(Arc::clone(name));
                    goal.reported.extend(with.around);
                    goal.awaited.push(Awaited {
                        name: Arc::clone(name),
                        classes: with.classes,
                        needed: needed.count,
                        used: HashSet::default(),
                    });
                }
                None => {
                    goal.needed.insert(Arc::clone(name), needed.count);
                }
            }
        }
        goal
    }

    /// Awaits what an earlier analysis found in a deferred evaluation: an instance of a function, or a report.
    fn await_deferred(&mut self, name: &Arc<str>, deferred: &Deferred, with: Option<With>) {
        if let Some(with) = with {
            self.reports_to_end = true;
            self.reported.insert(Arc::clone(name));
            self.reported.extend(with.around);
        } else {
            self.needed.insert(Arc::clone(name), 1);
            self.later.insert(Arc::clone(name));
        }
        for on_the_way in deferred.chain() {
            self.reported.insert(Arc::clone(&on_the_way.name));
            self.reported.extend(on_the_way.method.clone());
        }
        let outermost = deferred.outermost();
        let is_same =
            |it: &AwaitedRequest| it.name == outermost.name && it.instance == outermost.instance;
        if !self.deferred.iter().any(is_same) {
            self.deferred.push(AwaitedRequest {
                name: Arc::clone(&outermost.name),
                instance: Arc::clone(&outermost.instance),
                is_there: false,
            });
        }
    }

    /// Notes a request for a deferred evaluation. Where that was all that is missing, the functions that are being
    /// evaluated end early.
    pub(super) fn note_deferred(&mut self, request: &Deferred) {
        if !matches!(self.stage, Stage::Looking) {
            return;
        }
        let mut awaited = self.deferred.iter_mut();
        let found = awaited.find(|it| it.name == request.name && it.instance == request.instance);
        if let Some(found) = found {
            found.is_there = true;
            self.leave_if_met();
        }
    }

    /// Ends the evaluation of functions where nothing is missing of them.
    fn leave_if_met(&mut self) {
        if self.is_met() {
            self.stage = Stage::Leaving(std::mem::take(&mut self.underway));
        }
    }

    /// Whether deferred evaluations lead to something that is shown.
    pub(super) fn awaits_deferred(&self) -> bool {
        !self.deferred.is_empty()
    }

    /// Whether reports were made without something that is shown, which the other functions may lead to.
    pub(super) fn is_missed(&self) -> bool {
        matches!(self.stage, Stage::Missed)
    }

    /// Whether anything is requested.
    pub(super) fn is_set(&self) -> bool {
        !self.needed.is_empty() || !self.awaited.is_empty() || !self.deferred.is_empty()
    }

    /// Whether all that is requested is evaluated.
    pub(super) fn is_reached(&self) -> bool {
        matches!(self.stage, Stage::Reached(_))
    }

    /// Whether the present evaluation ends early, as classes are to be reported.
    pub(super) fn is_leaving(&self) -> bool {
        matches!(self.stage, Stage::Leaving(_))
    }

    /// Whether only the requested classes are reported.
    pub(super) fn is_reporting(&self) -> bool {
        matches!(self.stage, Stage::Reporting)
    }

    /// Whether members of a class, or a method, of this name are reported.
    pub(super) fn reports(&self, name: &str) -> bool {
        !self.is_reporting() || self.reported.contains(name)
    }

    /// The names of its results, in whole.
    pub(super) fn made(&self) -> impl Iterator<Item = &Arc<str>> {
        let of_class = self.awaited.iter().filter(|it| it.is_there());
        self.ended.keys().chain(of_class.map(|it| &it.name))
    }

    /// Whether instances of a function have to end that have not.
    fn lacks(&self, function: &Arc<str>, needed: usize) -> bool {
        let ended = self.ended.get(function).map_or(0, HashSet::len);
        ended < needed || self.underway.contains(function)
    }

    /// Whether something is requested, and nothing of it is missing but what deferred evaluations make.
    fn is_met(&self) -> bool {
        let mut at_once = self
            .needed
            .iter()
            .filter(|(function, _)| !self.later.contains(*function));
        self.is_set()
            && !at_once.any(|(function, needed)| self.lacks(function, *needed))
            && self.awaited.iter().all(Awaited::is_there)
            && self.deferred.iter().all(|request| request.is_there)
    }

    /// Whether the functions that end in deferred evaluations have.
    fn is_met_later(&self) -> bool {
        !self.later.iter().any(|function| self.lacks(function, 1))
    }
}

impl Awaited {
    fn is_there(&self) -> bool {
        self.used.len() >= self.needed
    }
}

/// The classes with which something is reported, and all around it.
struct With {
    classes: HashSet<Arc<str>>,
    around: Vec<Arc<str>>,
}

/// With which classes all of a name is reported, in the order in which they are used; `None` where it is evaluated at
/// calls, or in another order.
fn reported_with(name: &str, all: &Instantiables) -> Option<With> {
    let mut with = With {
        classes: HashSet::default(),
        around: Vec::new(),
    };
    let is_direct = |entry: &Instantiable, class: &Instantiable| {
        let mut around = all.classes_around(entry);
        around.next().is_some_and(|it| std::ptr::eq(it, class))
    };
    let mut depths = HashSet::default();
    for entry in all.named(name) {
        let class = all.class_of(entry)?;
        if entry.kind == Kind::Function && entry.is_generic() {
            return None;
        }
        // Classes inside of others are reported after all of those.
        depths.insert(is_direct(entry, class));
        with.classes.insert(Arc::clone(&class.name));
        let around = all.classes_around(entry);
        with.around.extend(around.map(|it| Arc::clone(&it.name)));
    }
    (depths.len() == 1).then_some(with)
}

impl Interpreter<'_> {
    /// Notes that an instance of a function begins whose facts are kept; whether the goal depends on it. In a file that
    /// no other includes a function that is not a template (`is_plain`) has one instance, without a name.
    pub(super) fn begin_shown(
        &mut self,
        function: Option<&Arc<str>>,
        instance: Option<&Arc<str>>,
        is_plain: bool,
    ) -> bool {
        let is_open = matches!(self.goal.stage, Stage::Looking | Stage::Reporting);
        if is_open
            && self.goal.is_set()
            && (instance.is_some() || is_plain && !self.recorder.of_user)
            && let Some(function) = function
        {
            self.goal.underway.push(Arc::clone(function));
            return true;
        }
        false
    }

    /// Notes that it ends. Where it was the last one that is requested, the facts are kept, and the evaluation around
    /// it ends soon.
    pub(super) fn end_shown(&mut self, has_begun: bool, instance: Option<&Arc<str>>) {
        let goal = &mut self.goal;
        let is_reporting = goal.is_reporting();
        let is_looking = matches!(goal.stage, Stage::Looking);
        if !has_begun || !(is_looking || is_reporting) || self.budget.steps == 0 {
            return;
        }
        let Some(function) = goal.underway.pop() else {
            return;
        };
        let ended = goal.ended.entry(function).or_default();
        ended.insert(instance.cloned().unwrap_or_default());
        if is_reporting {
            if goal.reports_to_end || !goal.is_met_later() {
                return;
            }
        } else if !goal.awaited.is_empty() || !goal.deferred.is_empty() {
            goal.leave_if_met();
            return;
        } else if !goal.is_met() {
            return;
        }
        let unfinished = std::mem::take(&mut goal.underway);
        goal.stage = Stage::Reached(Box::new(Reached {
            output: std::mem::take(&mut self.recorder.output),
            runs: std::mem::take(&mut self.computed.reports.runs),
            unfinished,
        }));
        self.budget.give_up();
    }

    /// Notes that an instance of a class is used. Where that was all that is missing, the functions that are being
    /// evaluated end early.
    pub(super) fn note_used_class(&mut self, instance: usize) {
        let is_looking = matches!(self.goal.stage, Stage::Looking);
        if self.goal.awaited.is_empty() || !is_looking {
            return;
        }
        let Some(found) = self
            .computed
            .classes
            .get(instance)
            .filter(|found| !found.open)
        else {
            return;
        };
        let (declaration, label) = (found.declaration, Arc::clone(&found.name));
        let Some(record) = self.record(declaration) else {
            return;
        };
        let (name, place) = (name_of(record), record.name.as_ref().map(|name| name.span));
        let quota = self.recorder.focus.quota(place);
        let is_in_focus = self.is_record_in_focus(declaration);
        let goal = &mut self.goal;
        let mut awaited = goal.awaited.iter();
        if !is_in_focus || !awaited.any(|it| it.classes.contains(name)) {
            return;
        }
        // Of those behind the quota nothing is reported.
        let count = goal.used.entry(declaration).or_default();
        *count += 1;
        if *count > quota {
            return;
        }
        for awaited in &mut goal.awaited {
            if awaited.classes.contains(name) {
                awaited.used.insert(Arc::clone(&label));
            }
        }
        goal.leave_if_met();
    }

    /// Leaves out the facts of functions that were not evaluated to their ends; from now on the classes that are
    /// requested are reported.
    pub(super) fn report_shown(&mut self) {
        let Stage::Leaving(unfinished) = &mut self.goal.stage else {
            return;
        };
        let unfinished = std::mem::take(unfinished);
        self.goal.stage = Stage::Reporting;
        self.computed.reports.runs.retain(|run| {
            let name = &run.function.name.name;
            unfinished.iter().all(|other| **other != **name)
        });
        self.recorder
            .output
            .leave_out(&unfinished, self.goal.before);
    }

    /// Puts back the facts known when the goal was reached; unfinished evaluations are left out.
    pub(super) fn return_to_goal(&mut self) {
        let stage = std::mem::take(&mut self.goal.stage);
        let Stage::Reached(reached) = stage else {
            if matches!(stage, Stage::Reporting) && !self.goal.is_met_later() {
                self.goal.stage = Stage::Missed;
            }
            return;
        };
        self.computed.reports.runs = reached.runs;
        self.recorder.output = reached.output;
        self.recorder
            .output
            .leave_out(&reached.unfinished, self.goal.before);
    }
}

impl Output {
    /// Leaves out the facts about names and uses in functions of some names, behind those known before.
    fn leave_out(&mut self, functions: &[Arc<str>], before: (usize, usize)) {
        let is_whole = |function: Option<&str>| {
            function.is_none_or(|function| functions.iter().all(|other| **other != *function))
        };
        let (facts, mentions) = before;
        let mut others = facts;
        self.facts
            .retain(|fact| is_of(&mut others) || is_whole(fact.function.as_deref()));
        let mut others = mentions;
        self.mentions
            .retain(|mention| is_of(&mut others) || is_whole(mention.function.as_deref()));
    }
}

/// Whether one is left of this number, which it counts down.
fn is_of(left: &mut usize) -> bool {
    let is_one = *left > 0;
    *left = left.saturating_sub(1);
    is_one
}
