//! The calls and numbers of the kernels of a run, by their places: what the rules about order and threads are told of.

use std::sync::Arc;

use tree_sitter_cute::tree::Span;

use crate::hash::HashMap;
use crate::value::Value;

/// Places that are kept of one run.
const PLACES: usize = 1 << 15;

/// The callee of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Callee {
    /// A function that is built in, by its whole name.
    Native(&'static str),
    /// A numeric type of the DSL: its call converts a number.
    Number,
    /// A word of the vocabulary, a type of Python, a class of the DSL: it only computes.
    Word,
    /// The methods that allocate shared memory.
    Allocator,
    /// A function of the DSL that is written in Python.
    Library,
    /// A function of a source, or anything else.
    Other,
}

/// A call in a kernel.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) callee: Callee,
    /// The object of a method that is built in, and the arguments by position.
    pub(super) values: Vec<Value>,
    pub(super) named: Vec<(Arc<str>, Value)>,
    pub(super) result: Value,
}

impl Call {
    /// The argument at a position, or by its name.
    pub(super) fn argument(&self, at: usize, name: &str) -> Option<&Value> {
        let mut named = self.named.iter();
        let mut by_name = || named.find(|(known, _)| &**known == name);
        self.values
            .get(at)
            .or_else(|| by_name().map(|(_, value)| value))
    }
}

/// The calls and numbers of kernels.
#[derive(Debug, Default)]
pub(crate) struct Observed {
    /// Calls by the activation and their places; the first of several.
    calls: HashMap<(usize, Span), Call>,
    /// Numbers of the trace; nothing where one place has several.
    numbers: HashMap<(usize, Span), Option<i64>>,
}

impl Observed {
    /// The call at a place of an activation.
    pub(super) fn call(&self, activation: usize, place: Span) -> Option<&Call> {
        self.calls.get(&(activation, place))
    }

    /// The number that an expression of an activation always has.
    pub(super) fn number(&self, activation: usize, place: Span) -> Option<i64> {
        self.numbers.get(&(activation, place)).copied().flatten()
    }

    /// Keeps the number that an expression has; `None` where it has no number.
    pub(super) fn keep_number(&mut self, activation: usize, place: Span, number: Option<i64>) {
        if self.numbers.len() >= PLACES {
            return;
        }
        let known = self.numbers.entry((activation, place)).or_insert(number);
        if *known != number {
            *known = None;
        }
    }

    /// Keeps a call, unless one is known at its place.
    pub(super) fn keep_call(&mut self, activation: usize, place: Span, call: Call) {
        if self.calls.len() < PLACES {
            self.calls.entry((activation, place)).or_insert(call);
        }
    }
}
