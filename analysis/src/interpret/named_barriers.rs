//! The named barriers that CUTLASS keeps for itself: its class says how many (`cutlass/arch/barrier.h`), which depends on the
//! version.

use tree_sitter_cute::tree::{Binding, Expr, ExprKind, Path, Segment};

use super::Interpreter;
use super::frame::Frame;
use crate::types::Type;

/// The class, the namespaces around it, and its member.
const CLASS: &str = "NamedBarrier";
const NAMESPACES: [&str; 2] = ["cutlass", "arch"];
const RESERVED: &str = "ReservedNamedBarrierCount";

impl<'u> Interpreter<'u> {
    /// Notes the number at the class in `NamedBarrier::sync(256, 1)`.
    pub(super) fn note_reserved_at_call(&mut self, callee: &'u Expr, frame: &mut Frame<'u>) {
        let ExprKind::Name(path) = &callee.kind else {
            return;
        };
        if let [.., class, _] = path.segments.as_slice() {
            self.note_reserved(class, frame);
        }
    }

    /// Notes the number at the class of an object.
    pub(super) fn note_reserved_at_object(&mut self, binding: &'u Binding, frame: &mut Frame<'u>) {
        let path = binding.ty.as_ref().and_then(Expr::as_path);
        if let Some(class) = path.and_then(Path::last) {
            self.note_reserved(class, frame);
        }
    }

    fn note_reserved(&mut self, class: &'u Segment, frame: &mut Frame<'u>) {
        let Some(run) = frame.actions.run.filter(|_| class.name.name == CLASS) else {
            return;
        };
        let recording = frame.mode.pause();
        let reserved = self.reserved_barriers(frame);
        frame.mode.recording = recording;
        if let (Some(reserved), Some(run)) = (reserved, self.computed.reports.runs.get_mut(run)) {
            run.constants.note(class.name.span, reserved);
        }
    }

    fn reserved_barriers(&mut self, frame: &mut Frame<'u>) -> Option<i64> {
        self.read_declarations_of(CLASS, None);
        let mut module = 0;
        for name in NAMESPACES {
            module = *self.program.module(module)?.children.get(name)?;
        }
        let records = self.program.module(module)?.records.get(CLASS)?.clone();
        let Ok(Type::Record(class)) = self.record_instance(&records, None, None, frame) else {
            return None;
        };
        let member = self.find_member(class.instance, RESERVED)?;
        self.member_value(class.instance, member, None)
            .as_int()?
            .value()
    }
}
