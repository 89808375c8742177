//! The recording of the calls and numbers of kernels while they are run.

use std::sync::Arc;

use tree_sitter_cute::tree::Span;

use super::dsl::leaf;
use super::heap::Object;
use super::machine::Machine;
use super::native::Args;
use super::observed::{Call, Callee};
use super::value::Py;
use crate::value::Value;

/// The module whose functions allocate shared memory.
const ALLOCATOR: &str = "cutlass.utils.smem_allocator";

impl Machine<'_> {
    /// The kernel of the analysed file that is run, where its statements are.
    fn kernel_under_way(&self) -> Option<usize> {
        let frame = self.frames.last()?;
        let is_focus = self.files.get(frame.file)?.is_focus;
        let activation = frame.activation.filter(|_| is_focus)?;
        let call = self.record.activations.get(activation)?;
        // Of what is supposed nothing is judged.
        let is_judged = call.is_kernel && !call.is_of_several && call.supposed.is_none();
        is_judged.then_some(activation)
    }

    /// Keeps the number that an expression of a kernel has in the trace.
    pub(super) fn observe_number(&mut self, place: Span, value: &Py) {
        let number = match value {
            Py::Int(number) => Some(*number),
            Py::Bool(truth) => Some(i64::from(*truth)),
            Py::Leaf(Value::Int(int)) | Py::Whole(int, _) => int.value(),
            _ => None,
        };
        let Some(activation) = self.kernel_under_way() else {
            return;
        };
        let observed = &mut self.kernel.observed;
        observed.keep_number(activation, place, number);
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
        let observed = &mut self.kernel.observed;
        observed.keep_call(activation, place, Call { result, ..call });
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
