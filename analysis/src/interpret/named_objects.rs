//! The memory of a name or a member, from its declaration: `sizeof(storage.smem)`. Its value depends on its use: an
//! array is used as a pointer.

use tree_sitter_cute::tree::{Expr, ExprKind};

use super::Interpreter;
use super::frame::Frame;
use super::object_layouts::too_large;
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
                let declared = variable.declared;
                let ty = frame.locals.written_types.get(&declared)?.ty.as_ref()?;
                let init = frame.locals.declaration(declared);
                let init = init.and_then(|binding| binding.init.as_ref());
                match self.eval_type(ty, frame) {
                    Type::Placeholder => None,
                    _ => Some(self.layout_of_declared(ty, init, frame)),
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
            _ => Some(self.layout_of_declared(ty, binding.init.as_ref(), &mut scope)),
        }
    }

    /// The layout of a variable of a type; an array without a length has one element for each initialiser
    /// ([dcl.init.aggr]).
    fn layout_of_declared(
        &mut self,
        ty: &'u Expr,
        init: Option<&'u Expr>,
        frame: &mut Frame<'u>,
    ) -> Result<ObjectLayout, Reason> {
        let mut written = ty;
        while let ExprKind::Const(inner) = &written.kind {
            written = inner;
        }
        let (ExprKind::Array(element, None), Some(ExprKind::Braced(items))) =
            (&written.kind, init.map(|init| &init.kind))
        else {
            return self.object_layout(ty, frame);
        };
        let is_number = matches!(self.eval_type(element, frame), Type::Scalar(_));
        let is_one = |item: &Expr| match &item.kind {
            ExprKind::Braced(_) => true,
            ExprKind::Expand(_) | ExprKind::Designated(..) => false,
            // Without braces, several of them may initialise the parts of one element.
            _ => is_number,
        };
        if items.is_empty() || !items.iter().all(is_one) {
            return self.object_layout(ty, frame);
        }
        let length = u64::try_from(items.len()).unwrap_or(u64::MAX);
        let element = self.object_layout(element, frame)?;
        element.array(length).ok_or_else(too_large)
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
            return Some(self.layout_of_declared(ty, binding.init.as_ref(), &mut frame));
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
