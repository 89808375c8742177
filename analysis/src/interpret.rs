//! The abstract interpreter: the value of each name and expression of a file.
//!
//! Every function is evaluated once per instance: with its parameters as symbols when nothing in
//! the file calls it, and once for each distinct set of argument types when something does. Inside
//! an instance statements are read in order, blocks scope their names, and every variable that may
//! change is a symbol (a run-time integer) or Unknown from its declaration on; so no branch or loop
//! can make a reported value wrong.

mod accesses;
mod added;
mod addresses;
mod alternatives;
mod assembly;
mod assertions;
mod assignment;
mod assumed;
mod atom_members;
mod attempts;
mod bound;
mod bound_parameters;
mod budget;
mod calls;
mod calls_made;
mod captures;
mod changed;
mod class_deduction;
mod class_facts;
mod class_methods;
mod classes;
mod collectives;
mod computed;
mod constraints;
mod conversion;
mod conversions;
mod cuda_barriers;
mod declarations;
mod declared_atoms;
mod deduced_parts;
mod deduction;
mod deferrals;
mod demanded;
mod effect;
mod effects;
mod enumeration;
mod exact_types;
mod expressions;
mod focus;
mod folds;
mod following;
mod fragments;
mod frame;
mod functors;
mod goal;
mod guards;
mod heads;
mod higher_order;
mod ids;
mod inherited;
mod instances;
mod instantiable;
mod instantiations;
mod instructions;
mod integers;
mod islands;
mod labels;
mod lambdas;
mod last_constant;
mod launchers;
mod launches;
mod libraries;
mod library_layouts;
mod library_names;
mod local_uses;
mod locations;
mod lookups;
mod machine;
mod macro_times;
mod macros;
mod matching;
mod members;
mod memo;
mod memory;
mod method_calls;
mod mutation;
mod named_barriers;
mod named_constants;
mod named_objects;
mod names;
mod nesting;
mod notation;
mod object_layouts;
mod objects;
mod on_values;
mod operators;
mod origins;
mod outside;
mod overloads;
mod pieces;
mod pipelines;
mod places;
mod preferred;
mod preprocessed;
mod preprocessor;
mod program;
mod python;
mod questions;
mod ran;
mod rank;
mod reach;
mod readings;
mod recorder;
mod records;
mod references;
mod reports;
mod results;
mod roots;
mod rust;
mod settings;
mod shared_addresses;
mod shared_objects;
mod shown_alone;
mod site;
mod special_order;
mod specialisation;
mod standard_traits;
mod statements;
mod summary;
mod supposed;
mod switches;
mod tensor_maps;
mod traced_names;
mod tracing;
mod trips;
mod undecided;
mod unit_results;
mod units;
mod unread;
mod unread_headers;
mod variable_templates;
mod variables;
mod visible_modules;
mod vocabulary_calls;
mod written_arguments;
mod written_types;

use std::sync::Arc;

use tree_sitter_cute::Host;
use tree_sitter_cute::tree::{Binding, Expr, Ident, Span};

use crate::arena::Arena;
use crate::cost;
use crate::directive::directives as directives_of;
use crate::hash::HashMap;
use crate::limits;
use crate::options::{Integers, Options};
use crate::output::Output;
use crate::output::placed::{GroupValues, Placed};
use crate::reason::Reason;
use crate::role::Role;
use crate::sequence::Sequence;
use crate::sources::{SourceFile, Sources};
use crate::stack::with_room;
use crate::trace::Run;
use crate::value::Value;
use budget::Budget;
use computed::{Callable, Computed};
use focus::Focus;
use frame::Frame;
use goal::Goal;
use ids::{FunctionId, RecordId};
use islands::Islands;
use lookups::Lookups;
pub use memo::Memo;
use nesting::{Nesting, Underway};
use program::{Environment, Program};
use python::Script;
use readings::Readings;
use recorder::Recorder;
use roots::Roots;
use settings::Settings;
pub use unit_results::Units;
use units::Used;

/// The evaluation of one file, in any language.
#[derive(Debug)]
pub(crate) struct Interpreter<'u> {
    program: Program<'u>,
    settings: Settings,
    budget: Budget,
    nesting: Nesting,
    recorder: Recorder<'u>,
    /// The part of the focus that is requested first.
    goal: Goal<'u>,
    lookups: Lookups<'u>,
    readings: Readings<'u>,
    /// Values of constants outside of functions that the machine computed and that name no class; nothing where it does
    /// not know.
    constants: HashMap<*const Binding, Option<Value>>,
    /// All else that was computed of the declarations that are evaluated together.
    computed: Computed<'u>,
    /// The expression whose value is not used: the statement that was executed last.
    discarded: Option<*const Expr>,
    script: Script<'u>,
}

/// Evaluates every declaration of a file: first as the translation units that include it instantiate it, then what
/// nothing instantiates. Islands of an earlier version in `memo` are not evaluated again, and it has this version
/// afterwards.
pub(crate) fn interpret<'u>(
    focus: &'u SourceFile,
    sources: &'u dyn Sources,
    options: &'u Options,
    arena: &'u Arena,
    memo: Option<&mut Memo>,
) -> Output {
    let environment = Environment {
        focus,
        sources,
        arena,
        host: options.host,
        undecided: &options.undecided,
    };
    if options.host == Host::Python {
        let mut interpreter = Interpreter::new(Program::of_script(focus, environment), options);
        interpreter.recorder.focus = Focus::on(focus, limits::INSTANCES_PER_FUNCTION);
        interpreter.settings.host = Host::Python;
        // The numbers that a trace computes with are constants, as in the notation.
        interpreter.settings.integers = Integers::Static;
        interpreter.read_directives();
        interpreter.run_python(&focus.unit().items);
        return interpreter.finish();
    }
    if options.host == Host::Rust {
        return rust::interpret_rust(environment, options);
    }
    let mut memo = memo;
    if let Some(memo) = memo.as_deref_mut()
        && let Some(output) = changed::interpret_changed(environment, options, memo)
    {
        return output;
    }
    let Used {
        output,
        expansions,
        has_users,
    } = units::of_users(environment, options);
    let mut interpreter = Interpreter::new(Program::of(focus, environment), options);
    interpreter.recorder.output = output;
    interpreter.readings.expansions = expansions;
    interpreter.recorder.focus = Focus::on(focus, limits::INSTANCES_PER_FUNCTION);
    if let Some(shown) = options.shown.as_deref().filter(|_| has_users) {
        interpreter
            .recorder
            .output
            .instantiated
            .extend(shown.instantiated());
        interpreter.settings.leaves_open = !shown.is_known();
    }
    interpreter.read_directives();
    let shown = options.shown.as_deref().filter(|_| !has_users);
    if let Some(instances) = shown.and_then(|shown| shown.instances_of(focus.path())) {
        return interpreter.interpret_shown(focus, instances, options);
    }
    if let Some(memo) = memo.as_deref_mut() {
        memo.is_expanded = interpreter.program.expands(focus);
    }
    // Results of translation units for a header are counted over all of its declarations.
    if !has_users
        && let Some(islands) = Islands::of(
            focus,
            &interpreter.program,
            &interpreter.settings.directives,
            options,
        )
        && let Some(mut roots) = Roots::of_islands(&interpreter.program, focus, &islands)
    {
        for roots in &mut roots {
            roots.put_in(options.order);
        }
        return interpreter
            .interpret_islands(focus, &islands, &roots, &|_| true, memo)
            .unwrap_or_default();
    }
    interpreter.interpret_focus(focus, options.order, has_users)
}

/// Evaluates one separate expression.
pub(crate) fn interpret_expression(expr: &Expr, options: &Options) -> (Value, Output) {
    let mut interpreter = Interpreter::new(Program::of_nothing(), options);
    interpreter.settings.integers = options.integers;
    interpreter.settings.stands_alone = true;
    let mut frame = Frame::new(0, limits::STEPS_PER_INSTANCE);
    frame.mode.recording = true;
    let value = interpreter.eval(expr, &mut frame);
    let output = interpreter.recorder.output;
    (output.restored(&value), output)
}

impl<'u> Interpreter<'u> {
    fn new(program: Program<'u>, options: &Options) -> Self {
        Self {
            program,
            settings: Settings::of(options),
            budget: Budget::of(options),
            nesting: Nesting::default(),
            recorder: Recorder::of_everything(!options.only_findings),
            goal: Goal::default(),
            lookups: Lookups::default(),
            readings: Readings::default(),
            constants: HashMap::default(),
            computed: Computed::default(),
            discarded: None,
            script: Script::default(),
        }
    }

    /// Evaluates the file itself as a whole, behind the translation units that include it.
    fn interpret_focus(
        mut self,
        focus: &'u SourceFile,
        order: Sequence,
        has_users: bool,
    ) -> Output {
        let mut roots = Roots::of_file(&self.program, focus);
        roots.put_in(order);
        let before = self.budget.steps;
        self.evaluate(&roots);
        if !has_users {
            let steps = before - self.budget.steps;
            self.note_makers(focus.path(), steps);
        }
        self.finish()
    }

    /// Evaluates the file itself, one island after the other. The work is bounded over all of them, and a known island
    /// counts as if it were evaluated again, so the result does not depend on it.
    ///
    /// `None` where an island has to be evaluated whose pieces, by their index, are not `read`.
    fn interpret_islands(
        mut self,
        focus: &'u SourceFile,
        islands: &Islands,
        roots: &[Roots<'u>],
        read: &dyn Fn(usize) -> bool,
        memo: Option<&mut Memo>,
    ) -> Option<Output> {
        let mut total = Output::default();
        let mut kept: HashMap<u64, Arc<GroupValues>> = HashMap::default();
        let (mut evaluated, mut run) = (0, 0);
        for (island, roots) in islands.all.iter().zip(roots) {
            let standing = islands.standing(island);
            let known = memo
                .as_deref()
                .and_then(|memo| memo.of(island, &standing, focus));
            let known = known.filter(|known| known.steps <= self.budget.steps);
            // Results without a place in this version are not added at all.
            if let Some(known) = known.filter(|known| known.is_at_home(&standing)) {
                self.budget.steps -= known.steps;
                total.append_known(Placed::new(known, standing))?;
                kept.insert(island.key, Arc::clone(known));
                continue;
            }
            if !island.pieces.iter().all(|piece| read(*piece)) {
                return None;
            }
            let before = self.budget.steps;
            self.evaluate(roots);
            let steps = before - self.budget.steps;
            self.note_makers(focus.path(), steps);
            let output = self.leave_island();
            // An evaluation that was cut short may end differently with more steps.
            if memo.is_some() && self.budget.steps > 0 {
                let known = Arc::new(GroupValues::new(standing.clone(), focus, steps, output));
                total.append_known(Placed::new(&known, standing))?;
                kept.insert(island.key, known);
                evaluated += 1;
            } else {
                total.append(output);
            }
            run += 1;
        }
        self.budget
            .note_reused(islands.all.len().saturating_sub(run));
        if let Some(memo) = memo {
            memo.keep(kept, evaluated);
        }
        self.recorder.output = total;
        Some(self.finish())
    }

    /// Takes the results of an island, and forgets all that only it could see.
    fn leave_island(&mut self) -> Output {
        self.settle_calls();
        self.computed = Computed::default();
        let mut output = self.recorder.take_output();
        // A list that is sorted once need not be sorted in every version of the file.
        output.sort();
        output.settle();
        output
    }

    /// Keeps the findings of methods that turned out to be called, and forgets the calls.
    fn settle_calls(&mut self) {
        let settled = self.computed.reports.settle_calls();
        self.recorder.output.findings.extend(settled);
    }

    /// Evaluates constants, plain functions, then the templates that nothing has instantiated,
    /// callers before callees.
    fn evaluate(&mut self, roots: &Roots<'u>) {
        self.declare_globals(&roots.globals);
        self.run_instantiations(&roots.instantiations);
        for &id in &roots.functions {
            if self.is_plain(id) {
                self.run_alone(id);
            }
        }
        self.run_named();
        if self.settings.leaves_open {
            self.report_classes(Some(&[]));
            return self.count_costs();
        }
        if self.goal.is_reached() {
            return;
        }
        let open = roots.functions.iter().copied();
        let open: Vec<FunctionId> = open.filter(|id| self.is_open(*id)).collect();
        let mut alone = Vec::new();
        for id in self.callers_first(&open, &roots.callers) {
            if self.is_open(id) {
                self.run_alone(id);
                self.note_open(id);
                alone.push(id);
            }
        }
        // To evaluate a class with its parameters open makes no instance of it.
        let records = roots.records.iter().copied();
        let uninstantiated: Vec<RecordId> = records
            .filter(|id| !self.is_record_instantiated(*id))
            .collect();
        self.report_classes(Some(&roots.records));
        if self.goal.is_set() {
            return;
        }
        self.count_costs();
        self.suppose(&alone, &uninstantiated, &roots.records);
    }

    /// Adds the costs of the evaluated functions, and forgets their actions.
    fn count_costs(&mut self) {
        let runs = self.take_runs();
        let written = std::mem::take(&mut self.computed.written);
        if let Some(file) = self.recorder.focus.only() {
            let has_actions = self.settings.is_cpp();
            let output = &mut self.recorder.output;
            let costs = if has_actions {
                cost::costs(&runs, output, &written, file)
            } else {
                cost::resources(&runs, output, &written, file)
            };
            output.append_costs(costs);
        }
    }

    /// Takes the actions of the evaluated functions: their launches and accesses are known now.
    fn take_runs(&mut self) -> Vec<Run<'u>> {
        let mut runs = std::mem::take(&mut self.computed.reports.runs);
        let guards = &self.computed.reports.guards;
        guards.settle_launches(&mut runs);
        self.describe_accesses(&mut runs);
        runs
    }

    /// Whether nothing has instantiated a function so far.
    fn is_open(&self, id: FunctionId) -> bool {
        !self.computed.reports.has_counted(id) && !self.is_instantiated(id)
    }

    fn read_directives(&mut self) {
        let directives = &mut self.settings.directives;
        *directives = self.program.files().flat_map(directives_of).collect();
        directives.extend(self.program.asked_by_project());
        self.program.add_asked_instances(directives);
    }

    /// The results; the parts of it that later translation units need included.
    fn finish(mut self) -> Output {
        self.budget.note_unit(self.program.files());
        self.settle_calls();
        let mut output = self.recorder.take_output();
        for file in self.program.files() {
            if self.recorder.focus.has(file) {
                continue;
            }
            output.add_file(file.base(), file.path());
        }
        let inclusions = std::mem::take(&mut self.program.reading.inclusions);
        output.add_inclusions(inclusions);
        output.steps_left = self.budget.steps;
        output
    }

    /// Whether a translation unit that was evaluated before instantiated a function.
    fn is_instantiated(&self, id: FunctionId) -> bool {
        self.program
            .functions
            .get(id)
            .is_some_and(|found| self.recorder.is_instantiated(found.function.name.span))
    }

    fn file_of_function(&self, id: FunctionId) -> Option<&'u SourceFile> {
        let found = self.program.functions.get(id)?;
        self.program.file_of(found.function.name.span)
    }

    /// Evaluates one level deeper; `None` where the stack has no room for one more.
    fn nested<T>(&mut self, evaluate: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if !self.nesting.enter() {
            return None;
        }
        let result = with_room(|| evaluate(self));
        self.nesting.leave();
        Some(result)
    }

    /// Evaluates a declaration; `None` where its own evaluation led to it, or the stack has no room for it.
    fn once_inside<T>(
        &mut self,
        declaration: Underway,
        evaluate: impl FnOnce(&mut Self) -> T,
    ) -> Option<T> {
        if !self.nesting.begin(declaration) {
            return None;
        }
        let result = self.nested(evaluate);
        self.nesting.end();
        result
    }

    /// Keeps the initialiser of a declared name.
    fn note_initialiser(&mut self, name: Span, init: &'u Expr) {
        if self.recorder.note_initialiser(name, init) {
            self.computed.written.insert(name, init);
        }
    }

    /// Keeps a fact about a declared name.
    fn declare_fact(
        &mut self,
        name: &'u Ident,
        role: Role,
        span: Span,
        value: &Value,
        frame: &Frame<'u>,
    ) {
        // A truth value that is a type is an integral constant in C++, `C<true>`.
        let value = match value {
            Value::Bool(truth) if truth.fixed && self.settings.is_cpp() => {
                &Value::Int(truth.to_int())
            }
            value => value,
        };
        self.recorder.declare(name, role, span, value, frame);
    }
}

/// The Unknown of a construct that is not evaluated.
fn construct(what: &'static str) -> Value {
    Value::Unknown(Reason::Construct(what))
}
