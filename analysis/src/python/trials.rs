//! Runs of kernels with supposed arguments. Where an error ends one, the arguments that the statement around it names are
//! changed, one at a time, until the kernel goes on: an assertion that refuses what is supposed says what it wants.

use std::sync::Arc;

use tree_sitter_cute::script::ParamKind;
use tree_sitter_cute::tree::Span;

use super::choices::{Changes, Parameter};
use super::clues::Clues;
use super::heap::{Function, Id, Object};
use super::machine::{Machine, Stop};
use super::numbers::Numbers;
use super::record::Mark;
use super::trail::Trail;
use super::value::Py;
use crate::hash::{HashMap, HashSet};
use crate::instance_names::SUPPOSED;
use crate::reason::Kept;

/// Runs of one object or function until its arguments suit it.
const TRIALS: usize = 64;
/// The part of the steps that are left which such runs may take.
const SHARE: usize = 2;

/// Something that is called with supposed arguments.
pub(super) enum Subject {
    /// The kernel of an object of a class.
    Kernel { class: Id, call: Function },
    /// A function that compiles a kernel.
    Compiler(Function),
}

/// The end of a run.
#[derive(Debug)]
enum End {
    /// It was run to its end; the tests whose truth is unknown.
    Whole(Vec<Trail>),
    /// An error, and the steps before it.
    Error(Trail, usize),
    /// A limit of ours, or arguments that cannot be supposed.
    Limit,
}

impl End {
    /// The statements to change arguments for.
    fn trails(&self) -> &[Trail] {
        match self {
            Self::Whole(doubts) => doubts,
            Self::Error(trail, _) => std::slice::from_ref(trail),
            Self::Limit => &[],
        }
    }

    /// Whether it is the end of a run that came further than another one, which ended here.
    fn is_beyond(&self, other: &Self, place: Option<(usize, Span)>) -> bool {
        let is_elsewhere = self.trails().iter().all(|trail| trail.place() != place);
        match (self, other) {
            (Self::Limit, _) | (Self::Error(..), Self::Whole(_)) => false,
            (Self::Whole(_), Self::Error(..)) => true,
            (Self::Error(_, steps), Self::Error(_, before)) => is_elsewhere && steps > before,
            _ => is_elsewhere,
        }
    }
}

/// A run.
struct Ran {
    end: End,
    /// Numbers of modes that it names of tensors.
    ranks: Vec<(Arc<str>, usize)>,
    /// Calls that the DSL refuses.
    refused: Vec<(usize, Span)>,
}

/// The runs and steps that one search may take, and the tests that it could not decide.
struct Allowed {
    trials: usize,
    /// Steps that are to be left.
    steps: usize,
    /// Whether tests whose truth is not known are to be decided.
    takes_doubts: bool,
    /// Tests and errors that no change removes.
    lost: Vec<Option<(usize, Span)>>,
}

/// Changes, and the run with them.
type Found = (Changes, Ran);

/// The state that a run is taken back to.
pub(super) struct Before {
    record: Mark,
    ended: usize,
    effects: usize,
    objects: usize,
    files: usize,
    modules: HashMap<Arc<str>, Id>,
    ran: HashSet<Span>,
    parametrized: usize,
    numbers: Numbers,
}

impl Machine<'_> {
    /// Begins something that may be taken back.
    pub(super) fn begin(&mut self) -> Before {
        self.heap.enter();
        Before {
            record: self.record.mark(),
            ended: self.errors.ended.len(),
            effects: self.kernel.effects.len(),
            objects: self.heap.len(),
            files: self.files.len(),
            modules: self.loaded.modules.clone(),
            ran: self.covered.ran.clone(),
            parametrized: self.covered.parametrized.len(),
            numbers: self.numbers.clone(),
        }
    }

    /// Takes back all since then: objects and modules that were made are gone.
    pub(super) fn take_back(&mut self, before: Before) {
        self.heap.take_back();
        self.heap.truncate(before.objects);
        self.files.truncate(before.files);
        self.loaded.modules = before.modules;
        self.covered.parametrized.truncate(before.parametrized);
        self.record.take_back(before.record);
        self.errors.ended.truncate(before.ended);
        self.kernel.effects.truncate(before.effects);
        self.covered.ran = before.ran;
        self.numbers = before.numbers;
    }

    /// Keeps all since then.
    pub(super) fn keep_tried(&mut self, _: Before) {
        let changed = self.heap.take_back();
        self.adopt(changed);
    }

    /// Runs a subject, and changes what is supposed while errors end it; the changes that were kept.
    pub(super) fn suppose_of(&mut self, subject: &Subject, changes: Changes) -> Changes {
        let name = self.name_of_subject(subject);
        if let Some(first) = &self.record.supposing.first {
            let known = first.of(&name).and_then(Kept::value::<Changes>).cloned();
            let known = known.unwrap_or(changes);
            self.try_once(subject, &known);
            return known;
        }
        let settled = self.searched(subject, changes);
        if !self.record.is_variant {
            self.record
                .supposing
                .found
                .note(name, Kept::of(settled.clone()));
        }
        settled
    }

    /// The name of the class of a kernel, or of a function that compiles one.
    pub(super) fn name_of_subject(&self, subject: &Subject) -> Arc<str> {
        match subject {
            Subject::Kernel { class, .. } => match self.heap.get(*class) {
                Object::Class(class) => Arc::clone(&class.name),
                _ => Arc::default(),
            },
            Subject::Compiler(function) => Arc::clone(&function.code.name.text),
        }
    }

    fn searched(&mut self, subject: &Subject, changes: Changes) -> Changes {
        let mut allowed = Allowed {
            trials: TRIALS,
            steps: self.budget.steps - self.budget.steps / SHARE,
            takes_doubts: false,
            lost: Vec::new(),
        };
        let before = self.begin();
        let steps = self.budget.steps;
        let first = self.try_once(subject, &changes);
        let steps = steps.saturating_sub(self.budget.steps);
        let first = self.search(subject, (changes.clone(), first), &mut allowed);
        let mut found = self.ranked(subject, first, &mut allowed);
        // A variant is of an object whose doubts are settled where that is possible.
        if !self.record.is_variant {
            allowed.takes_doubts = true;
            found = self.search(subject, found, &mut allowed);
            found = self.ranked(subject, found, &mut allowed);
        }
        let (settled, _) = found;
        // Another run takes about as long as the first one.
        if settled == changes || self.budget.steps < steps {
            self.keep_tried(before);
            return changes;
        }
        self.take_back(before);
        self.try_once(subject, &settled);
        settled
    }

    /// Gives tensors the numbers of modes that runs name: all, or where these do not suit each other, those that suit alone.
    fn ranked(&mut self, subject: &Subject, found: Found, allowed: &mut Allowed) -> Found {
        let mut found = found;
        while let Some(all) = found.0.ranked(&found.1.ranks) {
            if let Some(better) = self.with_ranks(subject, &found, all, allowed) {
                found = better;
                continue;
            }
            for rank in found.1.ranks.clone() {
                if let Some(one) = found.0.ranked(&[rank])
                    && let Some(better) = self.with_ranks(subject, &found, one, allowed)
                {
                    found = better;
                }
            }
            break;
        }
        found
    }

    /// A run with numbers of modes, where nothing is refused that was not refused without them.
    fn with_ranks(
        &mut self,
        subject: &Subject,
        (_, before): &Found,
        ranked: Changes,
        allowed: &mut Allowed,
    ) -> Option<Found> {
        let next = self.trial(subject, &ranked, allowed)?;
        let found = self.search(subject, (ranked, next), allowed);
        let is_whole = |ran: &Ran| matches!(ran.end, End::Whole(_));
        let is_accepted = found.1.refused.iter().all(|it| before.refused.contains(it))
            && (is_whole(&found.1) || !is_whole(before));
        is_accepted.then_some(found)
    }

    /// Changes what is supposed until no change brings a run further; the changes, and the run with them.
    fn search(&mut self, subject: &Subject, found: Found, allowed: &mut Allowed) -> Found {
        let (mut settled, mut ran) = found;
        loop {
            let trails = match &ran.end {
                End::Whole(_) if !allowed.takes_doubts => break,
                end => end.trails(),
            };
            let mut trails = trails.iter();
            let Some(trail) = trails.find(|it| !allowed.lost.contains(&it.place())) else {
                break;
            };
            let place = trail.place();
            match self.remedy(subject, &settled, &ran, trail, allowed) {
                Some((changes, next)) => (settled, ran) = (changes, next),
                None => allowed.lost.push(place),
            }
        }
        (settled, ran)
    }

    /// A change with which a run comes further than one of its ends, and the run with it.
    fn remedy(
        &mut self,
        subject: &Subject,
        changes: &Changes,
        ran: &Ran,
        trail: &Trail,
        allowed: &mut Allowed,
    ) -> Option<Found> {
        let is_doubt = matches!(ran.end, End::Whole(_));
        let clues = self.clues(trail);
        let unsettled: fn(&Py) -> bool = match (is_doubt, trail.is_of_none) {
            (true, true) => |value| *value == Py::None,
            // What is known is not what makes a test doubtful.
            (true, false) => |value| value.reason().is_some(),
            _ => |_| true,
        };
        for changes in self.remedies(subject, changes, &clues, unsettled) {
            if self.budget.steps < allowed.steps {
                return None;
            }
            if is_doubt && !self.decides(subject, &changes, trail.place()) {
                continue;
            }
            let next = self.trial(subject, &changes, allowed)?;
            if next.end.is_beyond(&ran.end, trail.place()) {
                return Some((changes, next));
            }
        }
        None
    }

    /// Whether the truth of a test is known with some changes, by a run up to it.
    fn decides(
        &mut self,
        subject: &Subject,
        changes: &Changes,
        test: Option<(usize, Span)>,
    ) -> bool {
        self.errors.until = test;
        self.errors.is_decided = false;
        let before = self.begin();
        self.try_once(subject, changes);
        self.take_back(before);
        self.errors.until = None;
        self.errors.is_decided
    }

    /// A run that is taken back, where one more is allowed.
    fn trial(
        &mut self,
        subject: &Subject,
        changes: &Changes,
        allowed: &mut Allowed,
    ) -> Option<Ran> {
        if self.budget.steps < allowed.steps {
            return None;
        }
        allowed.trials = allowed.trials.checked_sub(1)?;
        let before = self.begin();
        let ran = self.try_once(subject, changes);
        self.take_back(before);
        Some(ran)
    }

    /// Changes of arguments that the code around the end of a run names.
    fn remedies(
        &mut self,
        subject: &Subject,
        changes: &Changes,
        clues: &Clues,
        unsettled: fn(&Py) -> bool,
    ) -> Vec<Changes> {
        let numbers = clues.numbers();
        let parameters = self.parameters(subject, changes);
        let mut remedies = Vec::new();
        for word in &clues.words {
            let named = parameters.iter().filter(|it| *it.name == **word);
            let named = named.filter(|it| unsettled(&it.value));
            remedies.extend(named.flat_map(|it| it.changes(changes, &numbers)));
        }
        remedies
    }

    /// Runs a subject once.
    fn try_once(&mut self, subject: &Subject, changes: &Changes) -> Ran {
        let before = self.budget.steps;
        self.errors.doubts.clear();
        self.errors.ranks.clear();
        self.errors.refused.clear();
        self.errors.trail.clear();
        let ran = self.run_subject(subject, changes);
        self.record.supposed = None;
        let doubts = std::mem::take(&mut self.errors.doubts);
        let steps = before.saturating_sub(self.budget.steps);
        let end = match ran {
            Some(Ok(())) => End::Whole(doubts),
            Some(Err(Stop::Raised(..))) => End::Error(self.errors.trail.clone(), steps),
            Some(Err(Stop::Limit(_))) | None => End::Limit,
        };
        Ran {
            end,
            ranks: std::mem::take(&mut self.errors.ranks),
            refused: std::mem::take(&mut self.errors.refused),
        }
    }

    fn run_subject(&mut self, subject: &Subject, changes: &Changes) -> Option<Result<(), Stop>> {
        match subject {
            Subject::Kernel { class, call } => {
                let (args, said) = self.supposed_arguments(*class, changes)?;
                let said = self.said_of_class(*class, said);
                self.record.supposed = Some(said.into());
                let this = match self.instantiate(*class, args) {
                    Ok(this) => this,
                    Err(stop) => return Some(Err(stop)),
                };
                let args = self.supposed_call(call, this, changes);
                Some(self.call_function(call, args).map(drop))
            }
            Subject::Compiler(function) => {
                let (args, said) = self.arguments_of_compiler(function, changes)?;
                let outer = self.record.origin.take();
                match said {
                    Some(said) => self.record.supposed = Some(said.into()),
                    None => {
                        let name = format!("{}()", function.code.name.text);
                        self.record.origin = Some(name.into());
                    }
                }
                let ran = self.call_function(function, args).map(drop);
                self.record.origin = outer;
                Some(ran)
            }
        }
    }

    /// The description of a supposed object: of another file it names the class.
    fn said_of_class(&self, class: Id, said: String) -> String {
        let (Object::Class(class), Some(file)) = (self.heap.get(class), self.files.first()) else {
            return said;
        };
        if class.module == file.module {
            return said;
        }
        let arguments = said
            .trim_start_matches(SUPPOSED)
            .trim_start_matches([':', ' ']);
        let (arguments, of_call) = arguments.split_once("; ").unwrap_or((arguments, ""));
        let separator = if of_call.is_empty() { "" } else { "; " };
        format!(
            "{SUPPOSED}: {}({arguments}){separator}{of_call}",
            class.name
        )
    }

    /// The parameters of a subject with what is supposed of them.
    pub(super) fn parameters(&mut self, subject: &Subject, changes: &Changes) -> Vec<Parameter> {
        match subject {
            Subject::Kernel { class, call } => {
                let mut all = self.parameters_of_class(*class, changes);
                all.extend(self.parameters_of_call(call, changes));
                all
            }
            Subject::Compiler(function) => self.parameters_of_compiler(function, changes),
        }
    }

    fn parameters_of_call(&mut self, call: &Function, changes: &Changes) -> Vec<Parameter> {
        let args = self.supposed_call(call, Py::None, changes);
        let text = self.text_of(call.file).to_owned();
        let code = &call.code;
        let plain = code.params.iter().zip(call.defaults.iter()).skip(1);
        let plain = plain.filter(|(param, _)| {
            matches!(
                param.kind,
                ParamKind::Positional | ParamKind::Plain | ParamKind::Named
            )
        });
        plain
            .filter_map(|(param, default)| {
                let name = &param.name.text;
                let mut given = args.named.iter();
                let given = given.find(|(known, _)| known == name);
                let value = given
                    .map(|(_, value)| value.clone())
                    .or_else(|| default.clone());
                Some(Parameter::of(param, &text, true, value?))
            })
            .collect()
    }
}
