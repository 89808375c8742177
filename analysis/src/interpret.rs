//! The abstract interpreter: the value of each name and expression of a file.
//!
//! Every function is evaluated once per instance: with its parameters as symbols when nothing in
//! the file calls it, and once for each distinct set of argument types when something does. Inside
//! an instance statements are read in order, blocks scope their names, and every variable that may
//! change is a symbol (a run-time integer) or Unknown from its declaration on; so no branch or loop
//! can make a reported value wrong.

mod accesses;
mod addresses;
mod assembly;
mod assertions;
mod assignment;
mod assumed;
mod calls;
mod calls_made;
mod changed;
mod class_deduction;
mod class_facts;
mod collectives;
mod constraints;
mod conversion;
mod conversions;
mod declarations;
mod declared_atoms;
mod deduction;
mod demanded;
mod effects;
mod enumeration;
mod expressions;
mod focus;
mod following;
mod fragments;
mod frame;
mod goal;
mod guards;
mod heads;
mod higher_order;
mod instances;
mod instantiable;
mod instantiations;
mod instructions;
mod integers;
mod islands;
mod labels;
mod last_constant;
mod machine;
mod macro_times;
mod macros;
mod matching;
mod members;
mod memo;
mod memory;
mod meter;
mod mutation;
mod named_objects;
mod names;
mod nesting;
mod notation;
mod object_layouts;
mod objects;
mod operators;
mod origins;
mod outside;
mod overloads;
mod pieces;
mod pipelines;
mod places;
mod preprocessor;
mod program;
mod python;
mod ran;
mod reach;
mod records;
mod references;
mod results;
mod roots;
mod rust;
mod shared_objects;
mod special_order;
mod specialisation;
mod standard_traits;
mod statements;
mod summary;
mod supposed;
mod tracing;
mod undecided;
mod units;
mod unread;
mod written_types;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use tree_sitter_cute::Host;
use tree_sitter_cute::tree::{Binding, Expr, Function, Lambda, Span};

use crate::arena::Arena;
use crate::assume::Assumption;
use crate::cost;
use crate::directive::{Directive, directives};
use crate::fact::{Fact, Mention, Nominal, Role, Word, WordKind};
use crate::hash::{HashMap, HashSet};
use crate::held::CallerGuards;
use crate::limits;
use crate::object_layout::ObjectLayout;
use crate::options::{Integers, Options};
use crate::output::Output;
use crate::output::placed::{Known, Placed};
use crate::reason::Reason;
use crate::sequence::Sequence;
use crate::sources::{SourceFile, Sources};
use crate::stack::with_room;
use crate::stop::Stop;
use crate::trace::{Launch, Run};
use crate::types::Type;
use crate::value::{Room, Value};
use crate::words::WordSet;
use deduction::Bound;
use focus::Focus;
use frame::Frame;
use islands::Islands;
use labels::Labels;
use macros::Expansions;
pub use memo::Memo;
use nesting::{Nesting, Underway};
use program::{Environment, FunctionId, ModuleId, Program, RecordId};
use reach::Leading;
use roots::Roots;
pub use units::Units;
use units::Used;

/// Something that can be called later.
#[derive(Debug)]
enum Callable<'u> {
    /// A lambda with its captures.
    Lambda(&'u Lambda, Box<Frame<'u>>),
    /// Functions under one name, with the template arguments given: `&kernel<float>`.
    Functions(&'u str, Vec<FunctionId>, Vec<Value>),
}

/// An instance of a class.
#[derive(Debug)]
struct RecordInstance<'u> {
    declaration: RecordId,
    /// The template that the declaration specialises, else the declaration.
    primary: RecordId,
    /// The arguments of that template with its defaults; those of a pack are one.
    arguments: Vec<Value>,
    /// The class instance that the class is a member of.
    outer: Option<usize>,
    /// Template parameters, then the scopes around a local class.
    scopes: Vec<frame::Scope<'u>>,
    name: Arc<str>,
    /// Whether one of its template parameters, or of those of the classes around it, is open.
    open: bool,
    /// Members evaluated so far; `None` while one is being evaluated.
    members: HashMap<&'u str, Option<Value>>,
    /// Its bases, once all of them are known: every name in it is looked for in them.
    bases: Option<Rc<[crate::types::Type]>>,
    /// Its bases as they were read last, known or not.
    bases_so_far: Rc<[crate::types::Type]>,
    /// Whether something needs its definition: a member, an object, its size, a class that has it as
    /// a base. To name it instantiates nothing.
    used: bool,
}

/// The evaluation of one file.
#[derive(Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each option is read alone, where it takes effect"
)]
pub(crate) struct Interpreter<'u> {
    program: Program<'u>,
    focus: Focus<'u>,
    /// The calls behind the names of instances.
    labels: Labels,
    integers: Integers,
    /// Whether an expression without a source around it is evaluated.
    stands_alone: bool,
    assumptions: Vec<Assumption>,
    directives: Vec<Directive>,
    /// The run-time integers that were met; gathered while values are only read.
    asked: RefCell<HashSet<(String, usize)>>,
    /// The modules whose names are visible in a module; the declarations of a program do not change.
    visible: RefCell<HashMap<ModuleId, Rc<[ModuleId]>>>,
    /// Names that no module declares which is visible in a module, with the number of template arguments.
    undeclared: HashSet<(ModuleId, &'u str, Option<usize>)>,
    /// Whether a module is a namespace of a library, or inside of one.
    of_library: RefCell<HashMap<ModuleId, bool>>,
    steps: usize,
    /// Whether the accesses of warps are judged.
    judges_memory: bool,
    /// Whether the actions of functions are recorded.
    finds_costs: bool,
    /// Whether the offsets of plain loads and stores are looked for.
    finds_accesses: bool,
    /// The steps that there are for it in the declarations that are evaluated together.
    access_steps: usize,
    /// Whether values of uses of names are kept.
    keeps_uses: bool,
    stop: Stop,
    meter: meter::Meter,
    goal: goal::Goal<'u>,
    nesting: Nesting,
    /// Room for the values of facts and mentions.
    kept: Room,
    call_depth: usize,
    output: Output,
    /// Actions of functions of the file.
    runs: Vec<Run<'u>>,
    /// Callee of the most recently evaluated call.
    resolved: Option<following::Resolved<'u>>,
    /// The expression whose value is not used: the statement that was executed last.
    discarded: Option<*const Expr>,
    /// Initialisers of declared names, by the span of the name.
    written: HashMap<Span, &'u Expr>,
    /// Expansions of calls of macros, by their places and those of the macros' names.
    expansions: Expansions<'u>,
    callables: Vec<Callable<'u>>,
    records: Vec<RecordInstance<'u>>,
    /// The base list shared by all classes without bases.
    no_bases: Rc<[crate::types::Type]>,
    /// The class instances whose definitions are needed, in the order in which they first were.
    used_records: Vec<usize>,
    record_index: HashMap<(RecordId, Option<usize>, Vec<Value>), usize>,
    /// The class instances that names with template arguments denote.
    named_instances: HashMap<specialisation::Named, usize>,
    /// The members of classes, by declaration.
    class_members: HashMap<RecordId, Rc<records::Members<'u>>>,
    /// The function instances that were reported, by function and arguments, with their actions and the checks of their
    /// callers.
    reported: HashMap<(FunctionId, bool, Bound), instances::Reported>,
    /// Conditions that the callers of function instances have checked.
    guards: Vec<CallerGuards>,
    /// Instances that are named and not yet evaluated.
    namings: Vec<instantiations::Naming>,
    /// Assertions that the arguments being tried for a template refute; nothing where none are tried.
    refuted: Option<supposed::Refuted>,
    /// The launch whose kernel is being called.
    launch: Option<Launch>,
    instance_counts: HashMap<FunctionId, usize>,
    calls_made: calls_made::CallsMade,
    /// The instances of generic methods that were reported, by method, class and arguments.
    reported_methods: HashSet<(*const Function, Option<usize>, bool, Bound)>,
    /// Results of functions for given arguments; `None` while one is computed.
    values: HashMap<instances::Call, Option<Value>>,
    untraceable: HashMap<*const Function, Rc<mutation::Untraceable<'u>>>,
    /// Possible changes of methods of class instances to their objects.
    effects: HashMap<(usize, *const Function), effects::Effect<'u>>,
    /// Number of frames of functions so far.
    activations: usize,
    /// The crates whose words the sources use.
    libraries: Vec<&'static crate::vocabulary::rust::Library>,
    /// The names that lead to the focus, once they were requested.
    leading: Option<Leading>,
    /// Written forms of the collectives that rules know.
    collectives: Vec<(Arc<crate::collective::Collective>, collectives::Written<'u>)>,
    /// The classes of tags, by name, where they were looked up.
    tags: HashMap<String, Option<usize>>,
    /// Whether a translation unit is evaluated for the instances that it makes of a header.
    of_user: bool,
    /// Whether templates that nothing instantiated so far are left for later: another unit may.
    leaves_open: bool,
    /// The steps that the machine may still take for constants outside of functions.
    constant_steps: usize,
    /// Whether the machine runs: an evaluation for it does not start another one.
    in_machine: bool,
    /// Values of constants computed by the machine, by their declarations and classes; nothing where it does not know.
    made_constants: HashMap<(*const Binding, Option<usize>), Option<Value>>,
    /// The constant outside of functions that was looked up last.
    last_constant: Option<last_constant::Declared<'u>>,
    /// Values of aliases and constants outside of functions, where they are the same at each request.
    known_globals: HashMap<(ModuleId, *const Binding), declarations::Global>,
    /// The types of data members of class instances, where they are known.
    member_types: HashMap<(usize, *const Binding), Type>,
    /// The functions of files that announce bytes to barriers, by the base of the file.
    announcing: HashMap<usize, WordSet>,
    /// The memory of class instances; `None` while it is computed.
    object_layouts: HashMap<usize, Option<Result<ObjectLayout, Reason>>>,
    host: Host,
    /// Python: the names of the file, as its functions see them.
    globals: frame::Scope<'u>,
    /// Python: names that the file binds more than once.
    bound_again: HashSet<&'u str>,
    /// Python: modules whose names are all imported.
    opened: Vec<String>,
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
        interpreter.focus = Focus::on(focus, limits::INSTANCES_PER_FUNCTION);
        interpreter.host = Host::Python;
        // The numbers that a trace computes with are constants, as in the notation.
        interpreter.integers = Integers::Static;
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
    interpreter.output = output;
    interpreter.expansions = expansions;
    interpreter.focus = Focus::on(focus, limits::INSTANCES_PER_FUNCTION);
    if let Some(shown) = options.shown.as_deref().filter(|_| has_users) {
        interpreter.output.instantiated.extend(shown.instantiated());
        interpreter.leaves_open = !shown.is_known();
    }
    interpreter.read_directives();
    if let Some(memo) = memo.as_deref_mut() {
        memo.is_expanded = interpreter.program.expands(focus);
    }
    // Results of translation units for a header are counted over all of its declarations.
    if !has_users
        && let Some(islands) = Islands::of(
            focus,
            &interpreter.program,
            &interpreter.directives,
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
    interpreter.interpret_focus(focus, options.order)
}

/// Evaluates one separate expression.
pub(crate) fn interpret_expression(expr: &Expr, options: &Options) -> (Value, Output) {
    let mut interpreter = Interpreter::new(Program::of_nothing(), options);
    interpreter.integers = options.integers;
    interpreter.stands_alone = true;
    let mut frame = Frame::new(0, limits::STEPS_PER_INSTANCE);
    frame.recording = true;
    let value = interpreter.eval(expr, &mut frame);
    let output = interpreter.output;
    (output.restored(&value), output)
}

impl<'u> Interpreter<'u> {
    fn new(program: Program<'u>, options: &Options) -> Self {
        Self {
            program,
            focus: Focus::everything(),
            labels: Labels::default(),
            integers: Integers::Cute,
            stands_alone: false,
            assumptions: options.assume.clone(),
            directives: Vec::new(),
            asked: RefCell::default(),
            visible: RefCell::default(),
            undeclared: HashSet::default(),
            of_library: RefCell::default(),
            steps: options.steps,
            judges_memory: options.memory,
            finds_costs: options.costs,
            finds_accesses: options.accesses,
            access_steps: limits::ACCESS_STEPS_TOGETHER,
            keeps_uses: !options.only_findings,
            stop: options.stop.clone(),
            meter: meter::Meter::of(&options.work),
            goal: goal::Goal::default(),
            nesting: Nesting::default(),
            kept: Room::KEPT,
            call_depth: 0,
            output: Output::default(),
            runs: Vec::new(),
            resolved: None,
            discarded: None,
            written: HashMap::default(),
            expansions: Expansions::default(),
            callables: Vec::new(),
            records: Vec::new(),
            no_bases: Rc::default(),
            used_records: Vec::new(),
            record_index: HashMap::default(),
            named_instances: HashMap::default(),
            class_members: HashMap::default(),
            reported: HashMap::default(),
            guards: Vec::new(),
            namings: Vec::new(),
            refuted: None,
            launch: None,
            instance_counts: HashMap::default(),
            calls_made: calls_made::CallsMade::default(),
            reported_methods: HashSet::default(),
            values: HashMap::default(),
            untraceable: HashMap::default(),
            effects: HashMap::default(),
            activations: 0,
            libraries: Vec::new(),
            leading: None,
            collectives: Vec::new(),
            tags: HashMap::default(),
            of_user: false,
            leaves_open: false,
            constant_steps: limits::MACHINE_STEPS_FOR_CONSTANTS,
            in_machine: false,
            made_constants: HashMap::default(),
            last_constant: None,
            known_globals: HashMap::default(),
            member_types: HashMap::default(),
            announcing: HashMap::default(),
            object_layouts: HashMap::default(),
            host: Host::CudaCpp,
            globals: frame::Scope::default(),
            bound_again: HashSet::default(),
            opened: Vec::new(),
        }
    }

    /// Evaluates the file itself as a whole.
    fn interpret_focus(mut self, focus: &'u SourceFile, order: Sequence) -> Output {
        let mut roots = Roots::of_file(&self.program, focus);
        roots.put_in(order);
        self.evaluate(&roots);
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
        let mut kept: HashMap<u64, Arc<Known>> = HashMap::default();
        let (mut evaluated, mut run) = (0, 0);
        for (island, roots) in islands.all.iter().zip(roots) {
            let standing = islands.standing(island);
            let known = memo
                .as_deref()
                .and_then(|memo| memo.of(island, &standing, focus));
            let known = known.filter(|known| known.steps <= self.steps);
            // Results without a place in this version are not added at all.
            if let Some(known) = known.filter(|known| known.is_at_home(&standing)) {
                self.steps -= known.steps;
                total.append_known(Placed::new(known, standing))?;
                kept.insert(island.key, Arc::clone(known));
                continue;
            }
            if !island.pieces.iter().all(|piece| read(*piece)) {
                return None;
            }
            let before = self.steps;
            self.evaluate(roots);
            let output = self.leave_island();
            // An evaluation that was cut short may end differently with more steps.
            if memo.is_some() && self.steps > 0 {
                let steps = before - self.steps;
                let known = Arc::new(Known::new(standing.clone(), focus, steps, output));
                total.append_known(Placed::new(&known, standing))?;
                kept.insert(island.key, known);
                evaluated += 1;
            } else {
                total.append(output);
            }
            run += 1;
        }
        self.note_reused(islands.all.len().saturating_sub(run));
        if let Some(memo) = memo {
            memo.keep(kept, evaluated);
        }
        self.output = total;
        Some(self.finish())
    }

    /// Takes the results of an island, and forgets the facts that only it could see.
    fn leave_island(&mut self) -> Output {
        self.settle_calls();
        self.callables.clear();
        self.records.clear();
        self.used_records.clear();
        self.record_index.clear();
        self.named_instances.clear();
        self.collectives.clear();
        self.known_globals.clear();
        // A class of the next island may have the number of one of this.
        self.made_constants.retain(|(_, class), _| class.is_none());
        self.member_types.clear();
        self.effects.clear();
        self.tags.clear();
        self.object_layouts.clear();
        self.reported.clear();
        self.instance_counts.clear();
        self.access_steps = limits::ACCESS_STEPS_TOGETHER;
        self.guards.clear();
        self.reported_methods.clear();
        self.values.clear();
        let mut output = std::mem::take(&mut self.output);
        output.asked.extend(self.asked.take());
        // A list that is sorted once need not be sorted in every version of the file.
        output.sort();
        output.settle();
        output
    }

    /// Keeps the findings of methods that turned out to be called, and forgets the calls.
    fn settle_calls(&mut self) {
        let made = std::mem::take(&mut self.calls_made);
        self.output.findings.extend(made.settle());
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
        if self.leaves_open {
            self.report_classes(Some(&[]));
            return self.count_costs();
        }
        let open = roots.functions.iter().copied();
        let open: Vec<FunctionId> = open.filter(|id| self.is_open(*id)).collect();
        let mut alone = Vec::new();
        for id in self.callers_first(&open, &roots.callers) {
            if self.is_open(id) {
                self.run_alone(id);
                alone.push(id);
            }
        }
        // To evaluate a class with its parameters open makes no instance of it.
        let records = roots.records.iter().copied();
        let uninstantiated: Vec<RecordId> = records
            .filter(|id| !self.is_record_instantiated(*id))
            .collect();
        self.report_classes(Some(&roots.records));
        self.count_costs();
        self.suppose(&alone, &uninstantiated, &roots.records);
    }

    /// Adds the costs of the evaluated functions, and forgets their actions.
    fn count_costs(&mut self) {
        let (mut runs, written) = (
            std::mem::take(&mut self.runs),
            std::mem::take(&mut self.written),
        );
        self.settle_launches(&mut runs);
        self.describe_accesses(&mut runs);
        if let Some(file) = self.focus.only() {
            let costs = cost::costs(&runs, &self.output, &written, file);
            self.output.append_costs(costs);
        }
    }

    /// Whether nothing has instantiated a function so far.
    fn is_open(&self, id: FunctionId) -> bool {
        !self.instance_counts.contains_key(&id) && !self.is_instantiated(id)
    }

    fn read_directives(&mut self) {
        self.directives = self.program.files().flat_map(directives).collect();
        self.directives.extend(self.program.asked_by_project());
        self.program.add_asked_instances(&self.directives);
    }

    /// The results; the parts of it that later translation units need included.
    fn finish(mut self) -> Output {
        self.note_unit();
        for file in self.program.files() {
            if self.focus.has(file) {
                continue;
            }
            self.output.add_file(file.base(), file.path());
        }
        let inclusions = std::mem::take(&mut self.program.inclusions);
        self.output.add_inclusions(inclusions);
        self.output.asked.extend(self.asked.take());
        self.output.steps_left = self.steps;
        self.settle_calls();
        self.output
    }

    /// Whether a translation unit that was evaluated before instantiated a function.
    fn is_instantiated(&self, id: FunctionId) -> bool {
        self.program.functions.get(id).is_some_and(|found| {
            let name = found.function.name.span;
            self.output.instantiated.contains(&name)
        })
    }

    fn file_of_function(&self, id: FunctionId) -> Option<&'u SourceFile> {
        let found = self.program.functions.get(id)?;
        self.program.file_of(found.function.name.span)
    }

    /// Whether facts about this place are requested.
    fn is_in_focus(&self, span: Span) -> bool {
        self.focus.contains(span)
    }

    /// Whether facts about a place in a function instance are kept. Results of translation units for a header are
    /// instances; the rest of it is evaluated for itself.
    fn keeps(&self, span: Span, frame: &Frame<'u>) -> bool {
        frame.recording && self.is_of_instance(span, frame)
    }

    /// Whether a fact about a place would be of an instance that is kept.
    fn is_of_instance(&self, span: Span, frame: &Frame<'u>) -> bool {
        !(self.of_user && frame.instance.is_none()) && self.is_in_focus(span)
    }

    /// Takes one step; `false` when a budget is spent.
    fn step(&mut self, frame: &mut Frame<'u>) -> bool {
        if self.steps == 0 || frame.steps == 0 {
            return false;
        }
        if self.steps.is_multiple_of(limits::STEPS_BETWEEN_STOPS) && self.stop.is_wanted() {
            self.steps = 0;
            return false;
        }
        self.steps -= 1;
        frame.steps -= 1;
        true
    }

    fn nominal(&mut self, name: &Value, value: i64, place: Span) {
        if let Value::Int(symbol) = name
            && symbol.value().is_none()
            && self.is_in_focus(place)
        {
            let nominal = Nominal {
                symbol: self.output.restored_int(symbol).to_string(),
                value,
                span: place,
            };
            if !self.output.nominals.contains(&nominal) {
                self.output.nominals.push(nominal);
            }
        }
    }

    /// Keeps where the name at a place is declared.
    fn note_declaration(&mut self, name: Span, declared: Span) {
        if self.is_in_focus(name) {
            self.output.declarations.insert(name, declared);
        }
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
        if self.is_in_focus(name) {
            self.output.initialisers.insert(name, init.span);
            self.written.insert(name, init);
        }
    }

    /// Keeps a fact about a declared name.
    fn declare_fact(
        &mut self,
        name: &'u tree_sitter_cute::tree::Ident,
        role: Role,
        span: Span,
        value: &Value,
        frame: &Frame<'u>,
    ) {
        if !self.keeps(name.span, frame) {
            return;
        }
        // A truth value that is a type is an integral constant in C++, `C<true>`.
        let value = match value {
            Value::Bool(truth) if truth.fixed && self.host == Host::CudaCpp => {
                &Value::Int(truth.to_int())
            }
            value => value,
        };
        let value = if self.kept.admits(value) {
            value.clone()
        } else {
            Value::Unknown(Reason::Limit("values kept for one file"))
        };
        self.output.facts.push(Fact {
            name: name.name.as_str().into(),
            name_span: name.span,
            span,
            role,
            function: frame.function.clone(),
            value: value.into_reported().into(),
            instance: frame.instance.clone(),
        });
    }

    /// Keeps the place of a word of CuTe for hovers.
    fn note_word(&mut self, span: Span, kind: WordKind, frame: &Frame<'u>) {
        if self.keeps_uses && self.keeps(span, frame) {
            self.output.words.push(Word { span, kind });
        }
    }

    /// Keeps the value of an expression for hovers.
    fn mention(&mut self, span: Span, value: &Value, frame: &Frame<'u>) {
        if self.keeps_uses
            && value.is_worth_showing()
            && self.keeps(span, frame)
            && self.kept.admits(value)
        {
            self.output.mentions.push(Mention {
                span,
                value: value.clone().into_reported().into(),
                function: frame.function.clone(),
                instance: frame.instance.clone(),
            });
        }
    }
}

/// The Unknown of a construct that is not evaluated.
fn construct(what: &'static str) -> Value {
    Value::Unknown(Reason::Construct(what))
}
