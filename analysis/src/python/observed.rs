//! The calls and numbers of the kernels of a run, by their places: what the rules about order and threads are told of.

use std::sync::Arc;

use tree_sitter_cute::tree::Span;

use super::dsl::leaf;
use super::heap::Object;
use super::machine::Machine;
use super::native::Args;
use super::value::Py;
use crate::hash::HashMap;
use crate::value::Value;

/// Places that are kept of one run.
const PLACES: usize = 1 << 15;

/// The module whose functions allocate shared memory.
const ALLOCATOR: &str = "cutlass.utils.smem_allocator";

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
}

impl Machine<'_> {
    /// The kernel of the analysed file that is run, where its statements are.
    fn kernel_under_way(&self) -> Option<usize> {
        let frame = self.frames.last()?;
        let is_focus = self.files.get(frame.file)?.is_focus;
        let activation = frame.activation.filter(|_| is_focus)?;
        let call = self.record.activations.get(activation)?;
        (call.is_kernel && !call.is_of_several).then_some(activation)
    }

    /// Keeps the number that an expression of a kernel has in the trace.
    pub(super) fn observe_number(&mut self, place: Span, value: &Py) {
        let number = match value {
            Py::Int(number) => Some(*number),
            Py::Bool(truth) => Some(i64::from(*truth)),
            Py::Leaf(Value::Int(int)) => int.value(),
            _ => None,
        };
        let Some(activation) = self.kernel_under_way() else {
            return;
        };
        let numbers = &mut self.kernel.observed.numbers;
        if numbers.len() >= PLACES {
            return;
        }
        let known = numbers.entry((activation, place)).or_insert(number);
        if *known != number {
            *known = None;
        }
    }

    /// The callee and arguments of a call of a kernel; nothing outside of kernels.
    pub(super) fn observed_call(&self, function: &Py, args: &Args) -> Option<(usize, Call)> {
        let activation = self.kernel_under_way()?;
        let this = match function {
            Py::Method(_, this) => Some(leaf(self, this)),
            _ => None,
        };
        let plain = args.plain.iter().map(|value| leaf(self, value));
        let named = args.named.iter();
        let call = Call {
            callee: self.callee_of(function),
            values: this.into_iter().chain(plain).collect(),
            named: named
                .map(|(name, value)| (Arc::clone(name), leaf(self, value)))
                .collect(),
            result: Value::Nothing,
        };
        Some((activation, call))
    }

    /// Keeps a call of a kernel with its result.
    pub(super) fn observe_call(
        &mut self,
        place: Span,
        (activation, call): (usize, Call),
        made: &Py,
    ) {
        let result = leaf(self, made);
        let calls = &mut self.kernel.observed.calls;
        if calls.len() < PLACES {
            calls
                .entry((activation, place))
                .or_insert(Call { result, ..call });
        }
    }

    fn callee_of(&self, function: &Py) -> Callee {
        match function {
            Py::Native(native) | Py::Method(native, _) => Callee::Native(native.name),
            Py::Scalar(_) => Callee::Number,
            Py::Leaf(Value::Function(_)) | Py::Builtin(_) => Callee::Word,
            Py::Object(id) => match self.heap.get(*id) {
                Object::Bound { function, .. } => match function {
                    Py::Object(inner) => self.written_in(*inner),
                    _ => Callee::Other,
                },
                _ => self.written_in(*id),
            },
            _ => Callee::Other,
        }
    }

    fn written_in(&self, function: super::heap::Id) -> Callee {
        let function = match self.heap.get(function) {
            Object::Function(function) => function,
            Object::Class(class) if super::dsl::prelude(&class.module).is_some() => {
                return Callee::Word;
            }
            _ => return Callee::Other,
        };
        match self.files.get(function.file) {
            Some(file) if &*file.module == ALLOCATOR => Callee::Allocator,
            Some(file) if !file.is_focus && file.source.is_none() => Callee::Library,
            _ => Callee::Other,
        }
    }
}
