//! The states of iterators and generators between their elements.

use std::sync::Arc;

use tree_sitter_cute::script::{self, Comprehension};

use super::heap::{Id, Rewritten};
use super::run::{Flow, Run, Stop};
use super::value::Py;
use crate::reason::Reason;

/// The place of a call and the names that it sees, while it is not run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Setting {
    pub(super) scope: Id,
    pub(super) file: usize,
    pub(super) rewritten: Rewritten,
    pub(super) class: Option<Id>,
    pub(super) this: Option<Py>,
    pub(super) activation: Option<usize>,
    pub(super) qualified: Arc<str>,
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
    pub(super) setting: Setting,
    /// The scope around it, for `:=`.
    pub(super) around: Id,
    /// The iterators of the loops that are open, the outermost first, each with the place of its clause.
    pub(super) open: Vec<(usize, Py)>,
}

/// A call of a generator function between two of its elements.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Suspended {
    pub(super) code: Arc<script::Function>,
    pub(super) setting: Setting,
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
