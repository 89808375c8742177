//! The states of what is run in steps: iterators and generators between their elements, functions whose results are kept,
//! errors, the body of an enumeration.

use std::sync::Arc;

use tree_sitter_cute::script::{self, Comprehension};

use super::heap::{Id, Names, Rewritten};
use super::run::{Flow, Run, Stop};
use super::value::Py;
use crate::reason::Reason;

/// A function with its results.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cached {
    pub(super) function: Py,
    /// The results that are kept at most.
    pub(super) size: usize,
    /// Arguments and results, those used last at the end.
    pub(super) results: Vec<(Py, Py)>,
    pub(super) hits: i64,
    pub(super) misses: i64,
    /// The run that the results are of: each run shows the values of the calls that it makes.
    pub(super) run: Arc<str>,
}

/// An error that is built in.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Raised {
    /// Its class.
    pub(super) class: &'static str,
    /// Its arguments; nothing where the machine itself raised it, without Python's words.
    pub(super) args: Option<Vec<Py>>,
    pub(super) attributes: Names,
}

/// An iterator whose elements are made when they are taken.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Lazy {
    /// A call of a generator function.
    Generator(Box<Suspended>),
    /// A generator expression.
    Elements(Box<Elements>),
    /// `map(function, *inputs)`
    Map { function: Py, inputs: Vec<Py> },
    /// `filter(function, input)`
    Filter { function: Py, input: Py },
    /// `zip(*inputs, strict=...)`
    Zip { inputs: Vec<Py>, is_strict: bool },
    /// `enumerate(input, next)`
    Enumerate { next: i64, input: Py },
    /// `iter(function, end)`
    Calls { function: Py, end: Py },
    /// An object with `__next__`.
    Own(Py),
    /// An object with `__getitem__` alone.
    Indexed { object: Py, next: i64 },
    /// It is being run.
    Running,
    /// It has no more elements.
    Done,
}

/// A generator expression that is being run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Elements {
    pub(super) code: Arc<Comprehension>,
    pub(super) scope: Id,
    /// The scope around it, for `:=`.
    pub(super) around: Id,
    pub(super) file: usize,
    pub(super) rewritten: Rewritten,
    pub(super) class: Option<Id>,
    pub(super) this: Option<Py>,
    pub(super) activation: Option<usize>,
    pub(super) qualified: Arc<str>,
    /// The iterators of the loops that are open, the outermost first, each with the place of its clause.
    pub(super) open: Vec<(usize, Py)>,
}

/// A call of a generator function between two of its elements.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Suspended {
    pub(super) code: Arc<script::Function>,
    pub(super) scope: Id,
    pub(super) file: usize,
    pub(super) rewritten: Rewritten,
    pub(super) class: Option<Id>,
    pub(super) this: Option<Py>,
    pub(super) activation: Option<usize>,
    pub(super) qualified: Arc<str>,
    /// The statements around its `yield`, the innermost first; nothing before the first element.
    pub(super) paused: Option<Vec<Place>>,
}

/// The place of a running statement that goes on later.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Place {
    /// The statement of a block, by its number.
    Statement(usize),
    /// The side of an `if` that was taken.
    Side(bool),
    /// The body of a `while`.
    While,
    /// The `else` of a loop.
    Else,
    /// The body of a `for`, with the iterator.
    For(Py),
    /// The body of a `with`, with the context.
    With(Py),
    /// The part of a `try`.
    Try(Part),
    /// The case of a `match`, by its number.
    Case(usize),
    /// The `yield` itself.
    Yield,
    /// `yield from`, with the iterator.
    From(Py),
}

/// The part of a `try`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Part {
    Body,
    /// A handler by its number, and its error.
    Handler(usize, Py, Reason),
    Else,
    /// `finally`, with the result of what was run before it.
    Finally(Box<Run<Flow>>),
}

/// The value or the error that a generator gets where it goes on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Sent {
    Value(Py),
    Error(Stop),
}

/// The state of a frame whose body may stop at a `yield`.
#[derive(Debug, Default)]
pub(crate) struct Pausing {
    /// Whether it may.
    pub(super) is_generator: bool,
    /// The places that are still to be taken, the outermost last.
    pub(super) resuming: Vec<Place>,
    pub(super) sent: Option<Sent>,
    /// The values that were yielded, where they are kept as a list.
    pub(super) yields: Vec<Py>,
    /// The reason why some of them are not known.
    pub(super) lost_yields: Option<Reason>,
    /// The places of a body that has stopped, the innermost first.
    pub(super) paused: Vec<Place>,
}

/// The state of a class body whose names get values as members.
#[derive(Debug, Clone, Default)]
pub(crate) struct Numbering {
    /// Whether each value is another bit.
    pub(super) is_flag: bool,
    /// Whether each value is the name.
    pub(super) is_text: bool,
    /// `_generate_next_value_` of a base.
    pub(super) rule: Option<Py>,
    /// The values so far.
    pub(super) values: Vec<Py>,
}
