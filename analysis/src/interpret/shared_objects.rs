//! Objects in shared memory, and the launches that say how much of it there is.

use std::sync::Arc;

use tree_sitter_cute::tree::{Binding, Expr, ExprKind, Span};

use super::Interpreter;
use super::frame::Frame;
use crate::object_layout::{MemberPlace, ObjectLayout};
use crate::origin::Root;
use crate::tensor::Space;
use crate::trace::{Address, Base, SharedLayout, SharedObject, SharedPart};
use crate::types::Type;
use crate::value::Value;

impl<'u> Interpreter<'u> {
    /// Notes a variable in shared memory.
    pub(super) fn trace_shared(&mut self, binding: &'u Binding, frame: &mut Frame<'u>) {
        let (Some(run), Some(name), Some(ty)) = (frame.actions.run, &binding.name, &binding.ty)
        else {
            return;
        };
        if !frame.mode.recording || !binding.specifiers.shared || binding.specifiers.is_extern {
            return;
        }
        frame.mode.recording = false;
        let layout = self.object_layout(ty, frame);
        let value = self.eval_type(ty, frame);
        let align = self.alignment(&binding.alignas, frame).unwrap_or(1);
        frame.mode.recording = true;
        let root = match value {
            Type::Record(record) => Root::Record(record.instance),
            _ => Root::Variable(name.span),
        };
        let object = SharedObject {
            name: name.name.as_str().into(),
            span: name.span,
            root,
            is_dynamic: false,
            layout: layout.map(|layout| {
                let mut layout = shared_layout(&layout);
                layout.align = layout.align.max(align);
                layout
            }),
        };
        self.keep_shared(run, object);
    }

    /// Notes that bytes of shared memory are taken for an object of a class.
    pub(super) fn trace_cast(&mut self, cast: &'u Expr, value: &Value, frame: &mut Frame<'u>) {
        let (Some(run), ExprKind::Cast(_, _, operand)) = (frame.actions.run, &cast.kind) else {
            return;
        };
        let Value::Pointer(pointer) = value else {
            return;
        };
        let Some(Type::Record(record)) = pointer.element.as_deref() else {
            return;
        };
        let run_of = self.computed.reports.runs.get(run);
        let is_kernel = run_of.is_some_and(|run| run.function.flags.global);
        let mut is_shared = operand.as_plain_name().is_some_and(|name| {
            let bytes = frame.find(name);
            bytes.is_some_and(|variable| is_bytes_of_shared_memory(&variable.value, is_kernel))
        });
        // An array outside of functions.
        is_shared |= self
            .address(operand, frame)
            .is_some_and(|address| address == Address::at(Base::Dynamic));
        if !frame.mode.recording || !is_shared {
            return;
        }
        let layout = self.layout_of_record(record.instance);
        let object = SharedObject {
            name: record.name.split('<').next().unwrap_or_default().into(),
            span: cast.span,
            root: Root::Record(record.instance),
            is_dynamic: true,
            layout: layout.map(|layout| shared_layout(&layout)),
        };
        self.keep_shared(run, object);
    }

    /// Notes the size of a class of the source.
    pub(super) fn trace_size(
        &mut self,
        run: Option<usize>,
        span: Span,
        operand: &'u Expr,
        frame: &mut Frame<'u>,
    ) {
        let Some(run) = run.filter(|_| self.recorder.keeps(span, frame)) else {
            return;
        };
        frame.mode.recording = false;
        let ty = self.eval_type(operand, frame);
        frame.mode.recording = true;
        if let (Type::Record(record), Some(run)) = (ty, self.computed.reports.runs.get_mut(run)) {
            run.constants.sizes.push((span, record.instance));
        }
    }

    pub(super) fn keep_shared(&mut self, run: usize, object: SharedObject) {
        if let Some(run) = self.computed.reports.runs.get_mut(run)
            && !run.shared.iter().any(|known| known.root == object.root)
        {
            run.shared.push(object);
        }
    }
}

/// `extern __shared__ char bytes[]`, or a pointer to bytes that a function of a kernel is given. A pointer that the
/// kernel itself receives points to global memory.
fn is_bytes_of_shared_memory(value: &Value, is_kernel: bool) -> bool {
    match value {
        Value::Pointer(pointer) => {
            let may_be = pointer.is_generic() && !is_kernel;
            pointer.bits() == Some(8) && (may_be || pointer.space == Space::Shared)
        }
        _ => false,
    }
}

/// The parts of an object, each with the members that lead to it.
fn shared_layout(layout: &ObjectLayout) -> SharedLayout {
    fn collect(
        members: &[MemberPlace],
        path: &[Arc<str>],
        start: u64,
        parts: &mut Vec<SharedPart>,
    ) {
        for member in members {
            let mut path = path.to_vec();
            path.push(Arc::clone(&member.name));
            let offset = start.saturating_add(member.offset);
            if member.parts.is_empty() {
                parts.push(SharedPart {
                    path,
                    offset,
                    size: member.size,
                    is_barrier: member.is_barrier,
                });
            } else {
                collect(&member.parts, &path, offset, parts);
            }
        }
    }
    let mut parts = Vec::new();
    collect(&layout.members, &[], 0, &mut parts);
    if parts.is_empty() && !layout.is_empty {
        parts.push(SharedPart {
            path: Vec::new(),
            offset: 0,
            size: layout.size,
            is_barrier: layout.is_barrier,
        });
    }
    SharedLayout {
        size: layout.size,
        align: layout.align,
        parts,
    }
}
