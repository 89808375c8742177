//! The evaluation of a header by translation units: each unit is evaluated for the header alone, or once for all the
//! headers that are requested.

use std::ops::Range;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tree_sitter_cute::tree::Span;

use super::Interpreter;
use super::focus::{Focus, Focused};
use super::goal::Goal;
use super::ids::FunctionId;
use super::instantiable::Instantiables;
use super::preprocessed::Expansions;
use super::program::{Environment, Program};
use super::unit_results::{Evaluated, Kept, Part, Units};
use crate::arena::Arena;
use crate::cost;
use crate::hash::{HashMap, HashSet};
use crate::limits;
use crate::options::Options;
use crate::output::Output;
use crate::sequence::Sequence;
use crate::shown::{Needed, Shown};
use crate::sources::SourceFile;
use crate::trace::Run;
use crate::value::Room;
use crate::words::word_of;

impl Units {
    /// Adds the results of a unit for the analysed file, at their own place; `false` where the unit has to be evaluated
    /// for this file alone.
    fn add_part(
        &self,
        unit: &Arc<SourceFile>,
        environment: Environment<'_>,
        options: &Options,
        output: &mut Output,
    ) -> bool {
        let header = environment.focus;
        if !self.are_for(header.path()) {
            return false;
        }
        let kept = self.kept(unit, options);
        let evaluated = kept
            .evaluated
            .get_or_init(|| self.evaluate(unit, environment, options));
        // Without results, the unit is compiled without the header.
        if let Some(part) = locked(&evaluated.parts).get_mut(header.path()) {
            let Some(part) = part.take_if(|part| *part.text == *header.text()) else {
                return false;
            };
            output.append_unit(part.output);
        }
        for (base, path) in &evaluated.files {
            if path != header.path() {
                output.add_file(*base, path);
            }
        }
        output.add_inclusions(evaluated.inclusions.iter().cloned());
        true
    }

    /// Evaluates those of a header's units that are not being evaluated yet: a thread that waits for a unit that
    /// another thread evaluates could as well evaluate the next one.
    fn evaluate_unbegun(
        &self,
        units: &[Arc<SourceFile>],
        environment: Environment<'_>,
        options: &Options,
    ) {
        if !self.are_for(environment.focus.path()) {
            return;
        }
        for unit in units {
            let kept = self.kept(unit, options);
            if !options.stop.is_wanted() && !kept.is_begun.swap(true, Ordering::Relaxed) {
                let evaluate = || self.evaluate(unit, environment, options);
                kept.evaluated.get_or_init(evaluate);
            }
        }
    }

    fn kept(&self, unit: &SourceFile, options: &Options) -> Arc<Kept> {
        let asked = (unit.path().to_owned(), options.only_findings);
        Arc::clone(locked(&self.evaluated).entry(asked).or_default())
    }

    /// Evaluates a unit for all requested headers.
    fn evaluate(
        &self,
        unit: &Arc<SourceFile>,
        environment: Environment<'_>,
        options: &Options,
    ) -> Evaluated {
        let arena = Arena::default();
        let root = arena.file(Arc::clone(unit));
        let program = Program::of(
            root,
            Environment {
                focus: root,
                sources: environment.sources,
                arena: &arena,
                host: environment.host,
                undecided: environment.undecided,
            },
        );
        let headers = program
            .files()
            .filter(|file| !std::ptr::eq(*file, root) && self.are_for(file.path()));
        let (of_library, own): (Vec<&SourceFile>, Vec<&SourceFile>) =
            headers.partition(|file| file.is_library());
        let focused: Vec<Focused<'_>> = own
            .into_iter()
            .map(|file| Focused {
                file,
                quota: quota(environment.sources.users(file).len()),
            })
            .collect();
        let mut interpreter = Interpreter::new(program, options);
        interpreter.recorder.focus = Focus::on_all(focused);
        interpreter.evaluate_user(root, options.order);
        let evaluated = interpreter.into_parts();
        let alone = of_library.iter().map(|file| (file.path().to_owned(), None));
        locked(&evaluated.parts).extend(alone);
        evaluated
    }
}

/// Results of the users of a header.
#[derive(Default)]
pub(super) struct Used<'u> {
    pub(super) output: Output,
    pub(super) expansions: Expansions<'u>,
    pub(super) has_users: bool,
}

/// The functions and classes that are looked at in a header of which nothing is known yet. Each is looked for in one unit
/// after the other, until one makes it.
struct Sought {
    /// The bytes that are looked at.
    range: Range<usize>,
    wanted: HashSet<Arc<str>>,
    made: HashSet<Arc<str>>,
    /// Units whose declarations were put together.
    read: usize,
    /// Units of them that were evaluated.
    evaluated: usize,
    is_over: bool,
}

impl Sought {
    fn of(range: Range<usize>) -> Self {
        Self {
            range,
            wanted: HashSet::default(),
            made: HashSet::default(),
            read: 0,
            evaluated: 0,
            is_over: false,
        }
    }

    /// Whether nothing is missing, or enough units were looked at.
    fn is_over(&self) -> bool {
        self.is_over
            || self.read == limits::UNITS_READ_FIRST
            || self.evaluated == limits::UNITS_TRIED_FIRST
    }

    /// Whether something is missing.
    fn lacks_any(&self) -> bool {
        self.wanted.iter().any(|name| !self.made.contains(name))
    }

    /// Number of instances of the headers that a unit is evaluated for; `None` where it makes none that is missing.
    fn in_unit(
        &mut self,
        program: &Program<'_>,
        root: &SourceFile,
        focus: &SourceFile,
    ) -> Option<HashMap<Arc<str>, Needed>> {
        self.read += 1;
        let all = Instantiables::of(focus, program.expanded_functions());
        let seen = all.seen_in(&self.range);
        self.wanted.extend(seen.iter().cloned());
        let missing = seen.into_iter().filter(|name| !self.made.contains(name));
        let mut missing: Vec<Arc<str>> = missing.collect();
        self.is_over = missing.is_empty();
        if let Some(met) = program.names_met_from(root, focus) {
            missing.retain(|name| {
                // Methods have the instances of their classes.
                let mut around = all.names_around(name);
                around.any(|name| met.contains(&word_of(name.as_bytes())))
            });
        }
        if missing.is_empty() {
            return None;
        }
        self.evaluated += 1;
        Some(
            missing
                .into_iter()
                .map(|name| (name, Needed::ONE))
                .collect(),
        )
    }

    fn note_made(&mut self, names: impl Iterator<Item = Arc<str>>) {
        self.made.extend(names);
    }
}

/// A translation unit that is evaluated for one header alone.
struct Unit<'u, 'o> {
    root: &'u SourceFile,
    environment: Environment<'u>,
    options: &'o Options,
    /// Number of instances that are kept of each function and class, and where all of them are needed.
    quota: usize,
    all: usize,
    /// The steps that it may take.
    share: usize,
}

impl<'u> Unit<'u, '_> {
    /// Adds the results for these instances; gives the names of which all of them were made. Where an earlier analysis
    /// says which deferred evaluations make them, only those are evaluated first; all where something is missing then.
    fn evaluate_for(
        &self,
        program: Program<'u>,
        instances: &HashMap<Arc<str>, Needed>,
        used: &mut Used<'u>,
        room: &mut Room,
    ) -> Vec<Arc<str>> {
        let goal = self.goal(&program, instances, &used.output);
        if !goal.awaits_deferred() {
            return self
                .evaluate(program, goal, self.quota, used, room)
                .made()
                .cloned()
                .collect();
        }
        let before = used.output.clone();
        let reached = self.evaluate(program, goal, self.quota, used, room);
        if !reached.is_missed() {
            return reached.made().cloned().collect();
        }
        used.output = before;
        let program = Program::of(self.root, self.environment);
        let anywhere = instances.iter().map(|(name, needed)| {
            let needed = Needed {
                deferred: None,
                ..needed.clone()
            };
            (Arc::clone(name), needed)
        });
        let goal = self.goal(&program, &anywhere.collect(), &used.output);
        self.evaluate(program, goal, self.all, used, room)
            .made()
            .cloned()
            .collect()
    }

    fn goal(
        &self,
        program: &Program<'u>,
        instances: &HashMap<Arc<str>, Needed>,
        before: &Output,
    ) -> Goal<'u> {
        if instances.is_empty() {
            return Goal::default();
        }
        let all = Instantiables::of(self.environment.focus, program.expanded_functions());
        Goal::of(instances, &all, before)
    }

    /// Adds the results up to a goal, and gives it back.
    fn evaluate(
        &self,
        program: Program<'u>,
        goal: Goal<'u>,
        quota: usize,
        used: &mut Used<'u>,
        room: &mut Room,
    ) -> Goal<'u> {
        let mut interpreter = Interpreter::new(program, self.options);
        interpreter.recorder.focus = Focus::on(self.environment.focus, quota);
        interpreter.budget.steps = self.share;
        interpreter.recorder.output = std::mem::take(&mut used.output);
        interpreter.readings.expansions = std::mem::take(&mut used.expansions);
        interpreter.goal = goal;
        interpreter.recorder.room = room.first(Room::KEPT);
        interpreter.evaluate_user(self.root, self.options.order);
        interpreter.return_to_goal();
        interpreter.count_costs();
        used.expansions = std::mem::take(&mut interpreter.readings.expansions);
        room.take(Room::KEPT, interpreter.recorder.room);
        let goal = std::mem::take(&mut interpreter.goal);
        used.output = interpreter.finish();
        goal
    }
}

/// Evaluates a header as the translation units that include it instantiate it.
pub(super) fn of_users<'u>(environment: Environment<'u>, options: &Options) -> Used<'u> {
    let Environment {
        focus,
        sources,
        arena,
        ..
    } = environment;
    let users = sources.users(focus);
    let users: Vec<_> = users.into_iter().take(limits::USERS_OF_A_HEADER).collect();
    let mut used = Used {
        has_users: !users.is_empty(),
        ..Used::default()
    };
    let shown = options.shown.as_deref();
    let looked_at = shown.and_then(Shown::bytes_looked_at);
    let mut sought = looked_at.map(|range| Sought::of(range.clone()));
    let units = Units::of(sources).filter(|_| sought.is_none());
    if let Some(units) = units {
        units.evaluate_unbegun(&users, environment, options);
    }
    let all = quota(users.len());
    let (mut steps, mut room) = (limits::STEPS_FOR_USERS, Room::OF_USERS);
    let mut left = users.len();
    for (index, user) in users.into_iter().enumerate() {
        if options.stop.is_wanted() {
            break;
        }
        let share = steps / left.max(1);
        left = left.saturating_sub(1);
        let before = used.output.facts.len();
        let quota = match (shown, &sought) {
            (None, _) => all,
            (Some(_), Some(sought)) if sought.is_over() => break,
            (Some(_), Some(_)) => 1,
            (Some(shown), None) => match shown.quota_of(user.path(), index, before > 0) {
                None => continue,
                Some(quota) => quota.min(all),
            },
        };
        let path = user.path().to_owned();
        let is_there = units
            .is_some_and(|units| units.add_part(&user, environment, options, &mut used.output));
        if is_there {
            let made = used.output.facts.get(before..).unwrap_or_default();
            used.output.makers.add(&path, made);
            continue;
        }
        let root: &'u SourceFile = arena.file(user);
        let program = Program::of(root, environment);
        let instances = match &mut sought {
            Some(sought) => match sought.in_unit(&program, root, focus) {
                Some(instances) => instances,
                None => continue,
            },
            None => shown
                .and_then(|shown| shown.instances_of(&path))
                .cloned()
                .unwrap_or_default(),
        };
        let unit = Unit {
            root,
            environment,
            options,
            quota,
            all,
            // The steps that the ones before left over are for the later ones.
            share: options.steps.min(share),
        };
        let made = unit.evaluate_for(program, &instances, &mut used, &mut room);
        if let Some(sought) = &mut sought {
            sought.note_made(made.into_iter());
        }
        let taken = unit.share.saturating_sub(used.output.steps_left);
        steps -= taken.min(steps);
        let made = used.output.facts.get(before..).unwrap_or_default();
        used.output.makers.add(&path, made);
        if let Some(sought) = &mut sought {
            sought.note_made(made.iter().filter_map(|fact| fact.function.clone()));
        }
    }
    if sought.is_some_and(|sought| sought.lacks_any()) {
        used.output.makers.note_lack();
    }
    let instantiated = used.output.instantiated.iter().copied();
    used.output.makers.add_instantiated(instantiated);
    used
}

fn locked<T>(all: &Mutex<T>) -> MutexGuard<'_, T> {
    all.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Instances that are kept of one function or class of a header, of those that one of its users makes.
fn quota(users: usize) -> usize {
    let users = users.min(limits::USERS_OF_A_HEADER);
    (limits::INSTANCES_IN_A_HEADER / users.max(1)).clamp(2, limits::INSTANCES_PER_FUNCTION)
}

impl<'u> Interpreter<'u> {
    /// Evaluates the instances of headers' templates in a translation unit.
    fn evaluate_user(&mut self, root: &'u SourceFile, order: Sequence) {
        if self.recorder.focus.files().is_empty() {
            return;
        }
        self.recorder.of_user = true;
        self.read_directives();
        let mut instantiations = self.program.instantiations.clone();
        let mut functions: Vec<FunctionId> = (0..self.program.functions.len()).collect();
        order.put(&mut instantiations);
        order.put(&mut functions);
        self.run_instantiations(&instantiations);
        for id in functions {
            let may_lead = self.file_of_function(id).is_some_and(|file| {
                let is_only = self
                    .recorder
                    .focus
                    .only()
                    .is_some_and(|only| std::ptr::eq(only, file));
                std::ptr::eq(file, root) || !(file.is_library() || is_only)
            });
            if may_lead && self.is_plain(id) && !self.goal.is_leaving() {
                self.run_alone(id);
            }
        }
        if !self.goal.is_leaving() {
            self.run_named();
        }
        if self.goal.is_reached() {
            return;
        }
        self.report_shown();
        // However much the functions took, something is left for the classes.
        self.budget.steps = self.budget.steps.max(limits::STEPS_FOR_CLASSES);
        self.report_classes(None);
        // A report used the last class that was missing, and the others ended early.
        if self.goal.is_leaving() {
            self.report_shown();
            self.report_classes(None);
        }
    }

    /// The results, for each file at its own place.
    fn into_parts(mut self) -> Evaluated {
        self.budget.note_unit(self.program.files());
        let mut runs = self.take_runs();
        let mut whole = self.recorder.take_output();
        let mut parts = HashMap::default();
        for Focused { file, .. } in self.recorder.focus.files() {
            let mut output = whole.take_part(file);
            let own: Vec<Run<'_>> = runs
                .extract_if(.., |run| file.contains(run.function.name.span))
                .collect();
            output.append_costs(cost::costs(&own, &output, &self.computed.written, file));
            let mut names: HashMap<Arc<str>, Arc<str>> = HashMap::default();
            output.rename_instances(&mut |name| {
                if let Some(known) = names.get(name) {
                    return Arc::clone(known);
                }
                let shown: Arc<str> = self.label_shown_in(file, name).into();
                names.insert(name.into(), Arc::clone(&shown));
                shown
            });
            if !self.recorder.keeps_uses {
                output.leave_findings();
            }
            let base = file.base();
            let mut moved = Output::default();
            moved.makers.take_deferred(&mut output.makers);
            // Every byte has a place.
            let _ = moved.append_moved(&output, &|byte| {
                let own = file.contains(Span::new(byte, byte));
                Some(if own { byte - base } else { byte })
            });
            let part = Part {
                text: file.shared_text(),
                output: moved,
            };
            parts.insert(file.path().to_owned(), Some(part));
        }
        let files = self.program.files();
        Evaluated {
            parts: Mutex::new(parts),
            files: files
                .map(|file| (file.base(), file.path().to_owned()))
                .collect(),
            inclusions: std::mem::take(&mut self.program.reading.inclusions),
        }
    }
}
