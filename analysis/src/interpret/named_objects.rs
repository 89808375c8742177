//! The memory of a name or a member, from its declaration: `sizeof(storage.smem)`. Its value depends on its use: an
//! array is used as a pointer.

use tree_sitter_cute::tree::{Expr, ExprKind};

use super::Interpreter;
use super::frame::Frame;
use super::records::MemberKind;
use crate::object_layout::ObjectLayout;
use crate::reason::Reason;
use crate::types::Type;
use crate::value::Value;

impl<'u> Interpreter<'u> {
    /// The layout of the variable or member that an operand of `sizeof` names, also in `decltype`; `None` for any other
    /// operand.
    pub(super) fn layout_of_named(
        &mut self,
        operand: &'u Expr,
        frame: &mut Frame<'u>,
    ) -> Option<Result<ObjectLayout, Reason>> {
        match &operand.kind {
            ExprKind::Decltype(inner) => self.layout_of_named(inner, frame),
            ExprKind::Member { object, member, .. } if member.args.is_none() => {
                let class = match self.eval_type(object, frame) {
                    Type::Pointer(class) => *class,
                    class => class,
                };
                let known = match &class {
                    Type::Record(class) => self.layout_of_member(class.instance, &member.name.name),
                    _ => None,
                };
                known.or_else(|| self.decayed(operand, frame))
            }
            ExprKind::Name(_) => {
                let decayed = self.decayed(operand, frame)?;
                let Some(name) = operand.as_plain_name() else {
                    return Some(decayed);
                };
                let Some(variable) = frame.find(name) else {
                    let inside = frame.owner.record;
                    let member = inside.and_then(|class| self.layout_of_member(class, name));
                    let known = member.or_else(|| self.layout_of_variable(name, frame));
                    return known.or(Some(decayed));
                };
                let ty = frame
                    .locals
                    .written_types
                    .get(&variable.declared)?
                    .ty
                    .as_ref()?;
                match self.eval_type(ty, frame) {
                    Type::Placeholder => None,
                    _ => Some(self.object_layout(ty, frame)),
                }
            }
            _ => None,
        }
    }

    /// The layout of a variable outside of functions.
    fn layout_of_variable(
        &mut self,
        name: &str,
        frame: &Frame<'u>,
    ) -> Option<Result<ObjectLayout, Reason>> {
        let (module, binding) = self.constant_declared(name, frame)?;
        let ty = binding.ty.as_ref().filter(|_| binding.tparams.is_empty())?;
        let mut scope = Frame::new(module, frame.steps);
        scope.mode.recording = false;
        match self.eval_type(ty, &mut scope) {
            Type::Placeholder => None,
            _ => Some(self.object_layout(ty, &mut scope)),
        }
    }

    /// An error where the value is a pointer and the declaration is not visible: it may be an array.
    fn decayed(
        &mut self,
        operand: &'u Expr,
        frame: &mut Frame<'u>,
    ) -> Option<Result<ObjectLayout, Reason>> {
        matches!(self.eval(operand, frame), Value::Pointer(_))
            .then_some(Err(Reason::Construct("`sizeof` of this member")))
    }

    fn layout_of_member(
        &mut self,
        instance: usize,
        name: &str,
    ) -> Option<Result<ObjectLayout, Reason>> {
        if let Some(MemberKind::Binding(binding)) = self.find_member(instance, name) {
            let ty = binding.ty.as_ref()?;
            let mut frame = self.record_frame(instance);
            return Some(self.object_layout(ty, &mut frame));
        }
        let found = self.nested(|it| {
            let bases = it.bases(instance);
            bases.iter().find_map(|base| match base {
                Type::Record(base) if base.instance != instance => {
                    it.layout_of_member(base.instance, name)
                }
                _ => None,
            })
        });
        found.unwrap_or(Some(Err(Reason::Limit("number of base classes"))))
    }
}
