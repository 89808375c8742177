//! Functions of a file that are run, and their arguments: first the file itself as a program, then functions without a
//! call.

use std::path::PathBuf;
use std::sync::Arc;

use tree_sitter_cute::script::Param;
use tree_sitter_cute::tree::Span;

use super::differences;
use super::heap::{Id, Object, Rewritten};
use super::machine::Machine;
use super::record::{Activation, Binding, Maker};
use super::runs::{Runs, inside};
use super::suited::Choices;
use super::value::Py;
use crate::cost::Costs;
use crate::fact::{DeclaredValue, Fact};
use crate::finding::Finding;
use crate::hash::{HashMap, HashSet};
use crate::limits;
use crate::options::Options;
use crate::reason::{Kept, Reason};
use crate::shown::Makers;
use crate::sources::{SourceFile, Sources};
use crate::value::Value;
use crate::vocabulary::python as vocabulary;

/// The rule about strides that only the running kernel has.
const NEEDS_CONSTANTS: &str = "needs-static-strides";
/// Steps of kernels that nothing makes, and of what is tried for them.
const OF_SUPPOSED: usize = 2_000_000;

/// Results of a trace for a file.
#[derive(Debug)]
pub(crate) struct Trace {
    /// The values of names.
    pub(crate) facts: Vec<Fact>,
    /// The costs of its functions, and findings.
    pub(crate) costs: Costs,
    /// The places of the functions, and whether they were run.
    functions: Vec<(Span, bool)>,
    /// The other files that were run.
    pub(crate) files: Vec<PathBuf>,
    /// The supposed arguments that suit its kernels.
    choices: Option<Kept>,
    /// The runs that made the values.
    makers: Makers,
}

impl Trace {
    /// Notes the runs that made the values; gives the supposed arguments that suit its kernels.
    pub(crate) fn note_makers(&self, makers: &mut Makers) -> Option<Kept> {
        makers.clone_from(&self.makers);
        self.choices.clone()
    }

    /// Whether the code of a place was run, so that nothing else need be told of it.
    pub(crate) fn tells_of(&self, place: Span) -> bool {
        let around = self
            .functions
            .iter()
            .filter(|(function, _)| function.encloses(place));
        let innermost = around.min_by_key(|(function, _)| function.len());
        innermost.is_none_or(|(_, was_run)| *was_run)
    }

    /// The results for a file, with the values of bound names over those of the notation alone.
    pub(crate) fn over(
        self,
        mut facts: Vec<Fact>,
        mut findings: Vec<Finding>,
    ) -> (Vec<Fact>, Vec<Finding>) {
        // A function that was run tells itself what of it is not a constant: a parameter that is one has no value here.
        findings.retain(|it| it.rule != NEEDS_CONSTANTS || !self.tells_of(it.span));
        // A function that was run tells all about its names.
        facts.retain(|fact| !self.tells_of(fact.name_span));
        facts.extend(self.facts);
        for finding in self.costs.findings {
            let known = findings
                .iter_mut()
                .find(|known| known.rule == finding.rule && known.span == finding.span);
            match known {
                // Of one mistake the trace tells in the words of the DSL.
                Some(known) => known.message = finding.message,
                None => findings.push(finding),
            }
        }
        (facts, findings)
    }
}

/// Runs a file, where its functions are called with known arguments.
pub(crate) fn trace(file: &SourceFile, sources: &dyn Sources, options: &Options) -> Trace {
    let name = sources.module_name(file).unwrap_or_else(|| {
        let stem = file.path().file_stem().unwrap_or_default();
        stem.to_string_lossy().into_owned()
    });
    let mut machine = Machine::new(file, sources, options.stop.clone());
    machine.budget.work = options.work.clone();
    let first = options.shown.as_deref().map(|shown| {
        let known = shown.choices().and_then(Kept::value::<Choices>);
        known.cloned().unwrap_or_default()
    });
    let before = first.as_ref().map(|first| first.starts.clone());
    machine.record.runs = Runs::of(options.shown.clone(), before.unwrap_or_default());
    machine.record.supposing.first = first;
    let name: Arc<str> = name.into();
    machine.declare_focus(&name);
    machine.enter_world(&name);
    if let Ok(Some(scope)) = machine.run_focus(&name) {
        machine.make_what_is_asked(scope);
        machine.run_users(scope);
        let kept = machine.budget.steps.saturating_sub(OF_SUPPOSED);
        machine.budget.steps -= kept;
        machine.suppose();
        machine.suppose_users();
        machine.budget.steps += kept;
        machine.run_what_is_left();
    }
    let functions = super::functions_in::functions_in(&file.script().body)
        .into_iter()
        .map(|it| (it.span, machine.covered.ran.contains(&it.span)))
        .collect();
    let shown = shown(&machine);
    let mut makers = Makers::default();
    let facts = facts(&machine, &shown, &mut makers);
    let mut costs = match options.costs {
        true => super::costs::costs(&machine, &shown),
        false => Costs::default(),
    };
    if options.costs {
        super::kernels::judge(&machine, &shown, &mut costs);
    }
    costs.findings.append(&mut machine.findings);
    let others = machine.files.iter().filter_map(|file| file.source.as_ref());
    let starts = std::mem::take(&mut machine.record.runs.starts);
    let choices = machine.record.supposing.kept(starts);
    if choices.is_none() {
        makers = Makers::default();
    }
    Trace {
        files: others.map(|source| source.path().to_owned()).collect(),
        functions,
        facts,
        costs,
        choices,
        makers,
    }
}

impl Machine<'_> {
    /// Runs the functions that nothing has called, their parameters unknown or of their declared types.
    fn run_what_is_left(&mut self) {
        let mut at = self.heap.first_own();
        while at < self.heap.len() {
            let id = Id::nth(at);
            at += 1;
            let Object::Function(function) = self.heap.get(id) else {
                continue;
            };
            let is_focus = self
                .files
                .get(function.file)
                .is_some_and(|file| file.is_focus);
            if !is_focus
                || function.rewritten == Rewritten::No
                || function.class.is_some()
                || self
                    .covered
                    .ran
                    .contains(&self.place(function.file, function.code.span))
            {
                continue;
            }
            let function = function.clone();
            if self.ran_all_looked_at() {
                return;
            }
            if !self.begins_run(&inside("", &function.qualified)) {
                continue;
            }
            let bound = function
                .code
                .params
                .iter()
                .zip(function.defaults.iter())
                .map(|(param, default)| {
                    let name = Arc::clone(&param.name.text);
                    (name, self.open_parameter(param, default.as_ref()))
                })
                .collect();
            if self
                .run_function(&function, bound, Span::default())
                .is_err()
                && self.budget.steps == 0
            {
                return;
            }
        }
    }
}

impl Machine<'_> {
    /// The value of a parameter without an argument: a number of the kernel is a symbol.
    fn open_parameter(&mut self, param: &Param, default: Option<&Py>) -> Py {
        let name = &param.name.text;
        let unknown = Py::Unknown(Reason::Parameter(Arc::clone(name)));
        let Some(annotation) = &param.annotation else {
            return unknown;
        };
        let ty = annotation.span.text(self.focus.text());
        if ty.contains("Constexpr") {
            return default.cloned().unwrap_or(unknown);
        }
        let last = ty.rsplit('.').next().unwrap_or(ty);
        match last {
            "int" => self.numbers.symbol(name),
            "Int32" | "Int64" | "Uint32" | "Uint64" => {
                let ty = vocabulary::scalar(last);
                self.numbers.number(name, ty)
            }
            _ => unknown,
        }
    }
}

/// A call that is shown: its values differ from those of the calls before it.
pub(super) struct Shown<'m> {
    /// Its place in the record.
    pub(super) at: usize,
    pub(super) call: &'m Activation,
    /// Its label among several instances.
    pub(super) instance: Option<Arc<str>>,
}

/// The calls that are shown, those of one function together.
fn shown<'m>(machine: &'m Machine<'_>) -> Vec<Shown<'m>> {
    let mut by_code: HashMap<Span, Vec<(usize, &Activation)>> = HashMap::default();
    let activations = machine.record.activations.iter();
    let of_programs = activations.filter(|it| !it.fills && it.maker == Maker::Program);
    let of_programs: HashSet<Span> = of_programs.map(|it| it.code).collect();
    // Who uses the kernels says which instances matter; the example at the end of a file is one of many.
    let matters = |it: &Activation| {
        !it.fills && (it.maker != Maker::Example || !of_programs.contains(&it.code))
    };
    let activations = machine.record.activations.iter().enumerate();
    for (at, activation) in activations.filter(|(_, it)| matters(it)) {
        let calls = by_code.entry(activation.code).or_default();
        if calls
            .iter()
            .all(|(_, known)| known.bindings != activation.bindings)
        {
            calls.push((at, activation));
        }
    }
    let mut codes: Vec<_> = by_code.into_iter().collect();
    codes.sort_by_key(|(code, _)| (code.start, code.end));
    let mut shown = Vec::new();
    for (_, calls) in codes {
        let activations: Vec<&Activation> = calls.iter().map(|(_, call)| *call).collect();
        let labels = match activations.len() {
            0 | 1 => Vec::new(),
            _ => differences::labels(machine, &activations),
        };
        for (nth, (at, call)) in calls.iter().enumerate() {
            let label = labels.get(nth);
            let instance: Option<Arc<str>> = match (&call.supposed, &call.origin) {
                (Some(said), _) => Some(Arc::clone(said)),
                (None, Some(origin)) => label.map(|label| {
                    let of_origin = calls.iter().filter(|(_, it)| it.origin == call.origin);
                    match of_origin.count() {
                        1 => Arc::clone(origin),
                        _ => [origin, differences::SEPARATOR, label].concat().into(),
                    }
                }),
                (None, None) => label.map(|label| label.as_str().into()),
            };
            shown.push(Shown {
                at: *at,
                call,
                instance,
            });
        }
    }
    shown
}

/// The values of a run as facts, one for each call that differs, and their makers.
fn facts(machine: &Machine<'_>, shown: &[Shown<'_>], makers: &mut Makers) -> Vec<Fact> {
    let mut facts = Vec::new();
    for Shown { call, instance, .. } in shown {
        let before = facts.len();
        for binding in &call.bindings {
            if is_of_interest(machine, &binding.value) {
                facts.push(fact_of(machine, call, binding, instance.as_ref()));
            }
        }
        makers.add_run(&call.run, facts.get(before..).unwrap_or_default());
    }
    filled(machine, shown, &mut facts, makers);
    facts.extend(super::unreached::facts(machine));
    facts
}

/// The fact of a call about a name.
fn fact_of(
    machine: &Machine<'_>,
    call: &Activation,
    binding: &Binding,
    instance: Option<&Arc<str>>,
) -> Fact {
    let content = DeclaredValue {
        name: Arc::clone(&binding.name),
        role: binding.role,
        function: (!call.function.is_empty()).then(|| Arc::clone(&call.function)),
        value: Arc::new(reported(machine, &binding.value)),
        instance: instance.cloned(),
    };
    Fact::new(binding.span, binding.declaration, content)
}

/// The values of names that no shown call has one of, each from the first supposed call that has one.
fn filled(machine: &Machine<'_>, shown: &[Shown<'_>], facts: &mut Vec<Fact>, makers: &mut Makers) {
    let is_known = |binding: &&Binding| binding.value.reason().is_none();
    let of_shown = shown.iter().flat_map(|it| &it.call.bindings);
    let mut known: HashSet<(Span, &str)> = of_shown
        .filter(is_known)
        .map(|it| (it.span, &*it.name))
        .collect();
    for call in machine.record.activations.iter().filter(|it| it.fills) {
        let before = facts.len();
        for binding in call.bindings.iter().filter(is_known) {
            if is_of_interest(machine, &binding.value)
                && known.insert((binding.span, &binding.name))
            {
                facts.push(fact_of(machine, call, binding, call.supposed.as_ref()));
            }
        }
        makers.add_run(&call.run, facts.get(before..).unwrap_or_default());
    }
}

/// Whether layouts depend on a value: objects, functions and text are Python's own.
fn is_of_interest(machine: &Machine<'_>, value: &Py) -> bool {
    is_of_interest_at(machine, value, 0)
}

/// Lists inside lists may lead back to themselves.
fn is_of_interest_at(machine: &Machine<'_>, value: &Py, depth: usize) -> bool {
    if depth > limits::ARGUMENT_DEPTH {
        return false;
    }
    let inner = |item: &Py| *item == Py::None || is_of_interest_at(machine, item, depth + 1);
    match value {
        Py::Int(_) | Py::Bool(_) | Py::Leaf(_) | Py::Whole(..) | Py::Scalar(_) => true,
        Py::Coordinate | Py::Unknown(_) | Py::Open(..) => true,
        Py::Tuple(items) => items.iter().all(inner),
        Py::Object(id) => match machine.heap.get(*id) {
            Object::List(items) => items.iter().all(inner),
            Object::Lost(_) => true,
            _ => false,
        },
        _ => false,
    }
}

/// A value as hints and hovers show it.
pub(super) fn reported(machine: &Machine<'_>, value: &Py) -> Value {
    match value {
        Py::None => Value::Nothing,
        value => match super::dsl::leaf(machine, value) {
            tuple @ Value::Tuple(_) => with_constants(machine, tuple),
            value => value,
        },
    }
}

/// A tuple with the numbers of which the DSL still knows that they are constants.
fn with_constants(machine: &Machine<'_>, value: Value) -> Value {
    match value {
        Value::Tuple(items) => {
            let items = items.into_iter();
            Value::Tuple(items.map(|item| with_constants(machine, item)).collect())
        }
        Value::Int(int) => match machine.numbers.constant_of(&int) {
            Some(number) => Value::Int(cute_algebra::Int::fixed(number)),
            None => Value::Int(int),
        },
        other => other,
    }
}
