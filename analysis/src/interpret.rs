//! The abstract interpreter: what each name and expression of a file is worth.
//!
//! Every function is evaluated once per instance: with its parameters as symbols when nothing in
//! the file calls it, and once for each distinct set of argument types when something does. Inside
//! an instance statements are read in order, blocks scope their names, and every variable that may
//! change is a symbol (a run-time integer) or Unknown from its declaration on; so no branch or loop
//! can make a reported value wrong.

mod calls;
mod conversion;
mod declarations;
mod deduction;
mod expressions;
mod frame;
mod instances;
mod members;
mod mutation;
mod names;
mod notation;
mod object_layouts;
mod operators;
mod program;
mod records;
mod statements;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use tree_sitter_cute::tree::{Expr, Function, Lambda, Span, Unit};

use crate::assume::Assumption;
use crate::directive::{Directive, DirectiveKind};
use crate::fact::{Fact, Mention, Nominal, Role};
use crate::finding::Finding;
use crate::limits;
use crate::object_layout::ObjectLayout;
use crate::options::{Integers, Options};
use crate::reason::Reason;
use crate::stop::Stop;
use crate::value::Value;
use frame::Frame;
use program::{FunctionId, Program, RecordId};

/// What a run over a file leaves behind.
#[derive(Debug, Default)]
pub(crate) struct Output<'u> {
    pub(crate) facts: Vec<Fact>,
    pub(crate) mentions: Vec<Mention>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) unproved: Vec<Finding>,
    pub(crate) nominals: Vec<Nominal>,
    /// What each declared name is initialised with, by the span of the name.
    pub(crate) initialisers: HashMap<Span, &'u Expr>,
    /// Where the name at a span is declared.
    pub(crate) declarations: HashMap<Span, Span>,
}

/// Something that can be called later.
#[derive(Debug)]
enum Callable<'u> {
    /// A lambda with what it captured.
    Lambda(&'u Lambda, Box<Frame<'u>>),
    /// Functions under one name, with the template arguments given: `&kernel<float>`.
    Functions(&'u str, Vec<FunctionId>, Vec<Value>),
}

/// An instance of a class.
#[derive(Debug)]
struct RecordInstance<'u> {
    declaration: RecordId,
    /// Template parameters, then the scopes around a local class.
    scopes: Vec<frame::Scope<'u>>,
    name: Arc<str>,
    /// Members evaluated so far; `None` while one is being evaluated.
    members: HashMap<&'u str, Option<Value>>,
}

/// The evaluation of one file.
#[derive(Debug)]
pub(crate) struct Interpreter<'u> {
    program: Program<'u>,
    text: &'u str,
    integers: Integers,
    /// Whether an expression without a source around it is evaluated.
    stands_alone: bool,
    assumptions: Vec<Assumption>,
    directives: Vec<Directive>,
    steps: usize,
    stop: Stop,
    nesting: usize,
    call_depth: usize,
    output: Output<'u>,
    callables: Vec<Callable<'u>>,
    records: Vec<RecordInstance<'u>>,
    record_index: HashMap<(RecordId, String), usize>,
    /// The function instances that were reported, by function and arguments.
    reported: HashSet<(FunctionId, String)>,
    instance_counts: HashMap<FunctionId, usize>,
    /// Results of functions for given arguments; `None` while one is computed.
    values: HashMap<(*const Function, Option<usize>, String), Option<Value>>,
    changed: HashMap<*const Function, Rc<HashSet<&'u str>>>,
    /// The memory of class instances; `None` while it is computed.
    object_layouts: HashMap<usize, Option<Result<ObjectLayout, Reason>>>,
}

/// Evaluates every declaration of a file.
pub(crate) fn interpret<'u>(
    unit: &'u Unit,
    text: &'u str,
    options: &Options,
    directives: &[Directive],
) -> Output<'u> {
    let mut interpreter = Interpreter::new(Program::of(unit), text, options);
    interpreter.directives = directives.to_vec();
    interpreter.run();
    interpreter.output
}

/// Evaluates one expression that stands alone.
pub(crate) fn interpret_expression<'u>(expr: &'u Expr, options: &Options) -> (Value, Output<'u>) {
    let mut interpreter = Interpreter::new(Program::of_nothing(), "", options);
    interpreter.integers = options.integers;
    interpreter.stands_alone = true;
    let mut frame = Frame::new(0, limits::STEPS_PER_INSTANCE);
    frame.recording = true;
    let value = interpreter.eval(expr, &mut frame);
    (value, interpreter.output)
}

impl<'u> Interpreter<'u> {
    fn new(program: Program<'u>, text: &'u str, options: &Options) -> Self {
        Self {
            program,
            text,
            integers: Integers::Cute,
            stands_alone: false,
            assumptions: options.assume.clone(),
            directives: Vec::new(),
            steps: options.steps,
            stop: options.stop.clone(),
            nesting: 0,
            call_depth: 0,
            output: Output::default(),
            callables: Vec::new(),
            records: Vec::new(),
            record_index: HashMap::new(),
            reported: HashSet::new(),
            instance_counts: HashMap::new(),
            values: HashMap::new(),
            changed: HashMap::new(),
            object_layouts: HashMap::new(),
        }
    }

    /// Evaluates the file: its constants, its plain functions, then the templates that nothing
    /// has instantiated, callers before callees.
    fn run(&mut self) {
        self.declare_globals();
        let functions: Vec<FunctionId> = (0..self.program.functions.len()).collect();
        for &id in &functions {
            if self.is_plain(id) {
                self.run_alone(id);
            }
        }
        for id in self.callers_first(&functions) {
            if !self.instance_counts.contains_key(&id) {
                self.run_alone(id);
            }
        }
        self.report_classes();
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

    /// The value of an assumption or a fresh symbol for a run-time integer declared as `name`.
    fn run_time_integer(&mut self, name: &str, place: Span, frame: &mut Frame<'u>) -> Value {
        match self.assumed_value(name, place) {
            Some(value) => Value::Int(cute_algebra::Int::dynamic(value)),
            None => Value::Int(cute_algebra::Int::symbol(&frame.symbol_name(name))),
        }
    }

    /// What an assumption says that a run-time integer is; a directive near it wins.
    fn assumed_value(&self, name: &str, place: Span) -> Option<i64> {
        let directed = self.directives.iter().rev().find_map(|directive| {
            let DirectiveKind::Assume(facts) = &directive.kind else {
                return None;
            };
            directive
                .covers(place.start)
                .then(|| number_of(facts, name))
                .flatten()
        });
        number_of(&self.assumptions, name).or(directed)
    }

    fn nominal(&mut self, name: &Value, value: i64, place: Span) {
        if let Value::Int(symbol) = name
            && symbol.value().is_none()
        {
            let nominal = Nominal {
                symbol: symbol.to_string(),
                value,
                span: place,
            };
            if !self.output.nominals.contains(&nominal) {
                self.output.nominals.push(nominal);
            }
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
        if !frame.recording {
            return;
        }
        self.output.facts.push(Fact {
            name: name.name.clone(),
            name_span: name.span,
            span,
            role,
            function: frame.function.as_deref().map(str::to_owned),
            value: value.clone().into_reported(),
            instance: frame.instance.as_deref().map(str::to_owned),
        });
    }

    /// Keeps the value of an expression for hovers.
    fn mention(&mut self, span: Span, value: &Value, frame: &Frame<'u>) {
        if frame.recording && value.is_worth_showing() {
            self.output.mentions.push(Mention {
                span,
                value: value.clone().into_reported(),
                function: frame.function.as_deref().map(str::to_owned),
                instance: frame.instance.as_deref().map(str::to_owned),
            });
        }
    }
}

fn number_of(facts: &[Assumption], name: &str) -> Option<i64> {
    facts.iter().rev().find_map(|fact| match fact {
        Assumption::Equal { name: of, value } if of == name => Some(*value),
        _ => None,
    })
}

/// The Unknown of a construct that is not evaluated.
fn construct(what: &'static str) -> Value {
    Value::Unknown(Reason::Construct(what))
}
