//! Tensors that own their elements, as objects in memory: `sizeof(make_tensor_like(t))`.

use tree_sitter_cute::tree::{Expr, ExprKind};

use super::Interpreter;
use super::frame::Frame;
use crate::object_layout::{self, Argument, ObjectLayout};
use crate::reason::Reason;
use crate::tensor::{Space, Tensor};
use crate::types::Type;
use crate::value::Value;

/// Functions and methods whose result owns its elements.
const MAKERS: &[&str] = &[
    "make_tensor_like",
    "make_fragment_like",
    "partition_fragment_A",
    "partition_fragment_B",
    "partition_fragment_C",
    "make_fragment_C",
];

impl<'u> Interpreter<'u> {
    /// Whether an expression, or the initialiser of the variable that it names, makes a tensor that owns its elements.
    pub(super) fn makes_fragment(&self, expr: &'u Expr, frame: &mut Frame<'u>) -> bool {
        let made = match expr.as_plain_name() {
            Some(name) => {
                let declared = frame.find(name).map(|variable| variable.declared);
                declared.and_then(|name| self.computed.written.get(&name).copied())
            }
            None => Some(expr),
        };
        let Some(ExprKind::Call(callee, _)) = made.map(|made| &made.kind) else {
            return false;
        };
        let segment = match &callee.kind {
            ExprKind::Name(path) => path.last(),
            ExprKind::Member { member, .. } => Some(member),
            _ => None,
        };
        segment.is_some_and(|segment| {
            let name = segment.name.name.as_str();
            // `make_tensor<T>(layout)` owns, `make_tensor(pointer, layout)` does not.
            MAKERS.contains(&name) || (name == "make_tensor" && segment.args.is_some())
        })
    }

    /// The layout of a tensor that owns its elements: `ArrayEngine<T, cosize>`, its static layout takes no room
    /// (`cute/tensor_impl.hpp`, `make_tensor`).
    pub(super) fn layout_of_fragment(
        &mut self,
        expr: &'u Expr,
        frame: &mut Frame<'u>,
    ) -> Result<ObjectLayout, Reason> {
        match self.eval(expr, frame) {
            Value::Tensor(tensor) if tensor.engine.space == Space::Registers => {
                self.layout_of_owner(&tensor)
            }
            Value::Unknown(reason) => Err(reason),
            value => self.layout_of_type(&Type::of(&value)),
        }
    }

    fn layout_of_owner(&mut self, tensor: &Tensor) -> Result<ObjectLayout, Reason> {
        let elements = tensor
            .layout
            .as_affine()
            .filter(|layout| layout.is_static())
            .and_then(|layout| layout.cosize().ok())
            .and_then(|cosize| cosize.value())
            .and_then(|cosize| u64::try_from(cosize).ok())
            .ok_or(Reason::Construct("`sizeof` of this tensor"))?;
        let element = tensor
            .engine
            .element
            .as_deref()
            .ok_or(Reason::Construct("`sizeof` of this tensor"))?;
        let layout = self.layout_of_type(element)?;
        let bits = element
            .bits()
            .map_or(layout.size.saturating_mul(8), u64::from);
        let args = [Argument::Type { layout, bits }, Argument::Number(elements)];
        object_layout::layout_of("ArrayEngine", &args, "ArrayEngine")
            .ok_or(Reason::Construct("`sizeof` of this tensor"))
    }
}
