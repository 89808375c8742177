//! The literal notation: `(4,8):(1,4)`, `Sw<3,3,3> o 0 o L`, `A ⊘ B`, `8@1`.

use std::sync::Arc;

use cute_algebra::{
    AnyLayout, ComposedLayout, Delta, Int, IntTuple, Layout, Outer, ScaledBasis, Swizzle,
};
use cute_hardware::SharedLayout;
use tree_sitter_cute::attribute::TypedAttribute;
use tree_sitter_cute::tree::{Engine, Expr, ExprKind};

use super::frame::Frame;
use super::{Interpreter, construct};
use crate::options::Integers;
use crate::reason::Reason;
use crate::tensor::{Pointer, Space, Tensor};
use crate::triton::TritonLayout;
use crate::value::Value;
use crate::vocabulary;

impl<'u> Interpreter<'u> {
    pub(super) fn eval_notation(&mut self, expr: &'u Expr, frame: &mut Frame<'u>) -> Value {
        match &expr.kind {
            ExprKind::Tuple(items) => {
                let values = items.iter().map(|item| self.eval(item, frame)).collect();
                Value::Tuple(values)
            }
            ExprKind::Layout(shape, stride) => {
                let shape = self.eval(shape, frame);
                let stride = self.eval(stride, frame);
                vocabulary::layout_of(&shape, &stride)
            }
            ExprKind::Static(value) => Value::Int(Int::fixed(*value)),
            ExprKind::Underscore => Value::Underscore,
            ExprKind::Xor(mask) => Value::Delta(Delta::Xor(*mask)),
            ExprKind::Unknown(_) => Value::Unknown(Reason::RunTime("`?`".into())),
            ExprKind::Rational(_) => construct("a fraction that is not a stride"),
            ExprKind::Basis(coefficient, path) => self.basis(coefficient, path, frame),
            ExprKind::Swizzle(bits, base, shift) => {
                let answer = Swizzle::new(*bits, *base, *shift)
                    .map(Value::Swizzle)
                    .map_err(Into::into);
                self.answer(answer, Vec::new(), expr.span, &[], frame)
            }
            ExprKind::Composition(parts) => {
                let values: Vec<Value> = parts.iter().map(|part| self.eval(part, frame)).collect();
                self.composition(expr, &values, parts, frame)
            }
            ExprKind::Divide(a, b) => self.infix(expr, "logical_divide", a, b, frame),
            ExprKind::Product(a, b) => self.infix(expr, "logical_product", a, b, frame),
            ExprKind::Tiler(items) => {
                let values = items.iter().map(|item| self.eval(item, frame)).collect();
                Value::Tuple(values)
            }
            ExprKind::Engine(engine) => pointer(engine),
            ExprKind::Attribute(typed) => self.triton(expr, typed, frame),
            _ => construct("this notation"),
        }
    }

    /// A layout attribute of Triton's IR.
    fn triton(&mut self, expr: &'u Expr, typed: &TypedAttribute, frame: &mut Frame<'u>) -> Value {
        let layout = TritonLayout::new(typed).map(|layout| Value::Triton(Arc::new(layout)));
        self.answer(
            layout.map_err(Into::into),
            Vec::new(),
            expr.span,
            &[],
            frame,
        )
    }

    fn infix(
        &mut self,
        expr: &'u Expr,
        name: &str,
        a: &'u Expr,
        b: &'u Expr,
        frame: &mut Frame<'u>,
    ) -> Value {
        let values = [self.eval(a, frame), self.eval(b, frame)];
        self.call_named(expr, name, &values, &[], frame)
    }

    fn call_named(
        &mut self,
        expr: &'u Expr,
        name: &str,
        values: &[Value],
        args: &'u [Expr],
        frame: &mut Frame<'u>,
    ) -> Value {
        let Some(function) = vocabulary::function(name) else {
            return construct("this operation");
        };
        let (answer, remarks) = self.ask_vocabulary(function, &[], values);
        self.answer(answer, remarks, expr.span, args, frame)
    }

    /// `a o b o c`: swizzle, offset and layout as CuTe prints them; else from the right, two by two.
    fn composition(
        &mut self,
        expr: &'u Expr,
        values: &[Value],
        parts: &'u [Expr],
        frame: &mut Frame<'u>,
    ) -> Value {
        if let Some(Value::Unknown(reason)) = values
            .iter()
            .find(|value| matches!(value, Value::Unknown(_)))
        {
            return Value::Unknown(reason.clone());
        }
        match values {
            [
                Value::Swizzle(swizzle),
                offset @ (Value::Int(_) | Value::Tuple(_)),
                Value::Layout(inner),
            ] => composed(Outer::Swizzle(*swizzle), offset, Layout::clone(inner)),
            [
                Value::Layout(outer),
                offset @ (Value::Int(_) | Value::Tuple(_)),
                Value::Layout(inner),
            ] => composed(
                Outer::Layout(Layout::clone(outer)),
                offset,
                Layout::clone(inner),
            ),
            [Value::Pointer(engine), layout] if !is_unset(parts) => match layout.as_any_layout() {
                Some(layout) => Value::Tensor(Box::new(Tensor {
                    engine: engine.clone(),
                    layout,
                })),
                None => construct("a pointer before a value that is not a layout"),
            },
            [Value::Pointer(engine), Value::Layout(layout)] => {
                match SharedLayout::plain(bits(engine), Layout::clone(layout)) {
                    Ok(layout) => Value::Shared(layout.into()),
                    Err(_) => construct("this layout of shared memory"),
                }
            }
            [
                Value::Swizzle(swizzle),
                Value::Pointer(engine),
                Value::Layout(layout),
            ] => {
                let layout = Layout::clone(layout);
                Value::Shared(SharedLayout::new(*swizzle, bits(engine), layout).into())
            }
            [first, rest @ ..] => {
                let mut value = first.clone();
                for next in rest {
                    value =
                        self.call_named(expr, "composition", &[value, next.clone()], parts, frame);
                }
                value
            }
            [] => construct("an empty composition"),
        }
    }

    /// `v@pn@..@p0`, the innermost mode written first.
    fn basis(&mut self, coefficient: &'u Expr, path: &[usize], frame: &mut Frame<'u>) -> Value {
        let modes: Option<Vec<u16>> = path
            .iter()
            .rev()
            .map(|mode| u16::try_from(*mode).ok())
            .collect();
        let Some(modes) = modes else {
            return Value::Unknown(Reason::Limit("rank of a basis"));
        };
        if let ExprKind::Rational(fraction) = &coefficient.kind {
            let numerator = match self.settings.integers {
                Integers::Static => Int::fixed(fraction.numerator),
                Integers::Cute => Int::dynamic(fraction.numerator),
            };
            let mut basis = ScaledBasis::new(numerator, modes);
            basis.denominator = fraction.denominator;
            return Value::Delta(Delta::Basis(basis.into()));
        }
        match self.eval(coefficient, frame) {
            Value::Int(int) => Value::Delta(Delta::basis(int, modes)),
            Value::Unknown(reason) => Value::Unknown(reason),
            _ => construct("this coefficient of a basis"),
        }
    }
}

/// A pointer as CuTe prints it.
fn pointer(engine: &Engine) -> Value {
    let space = match engine.space.as_str() {
        "gmem_ptr" => Space::Global,
        "smem_ptr" => Space::Shared,
        "ptr" => Space::Generic,
        _ => return construct("a pointer to this memory"),
    };
    let swizzle = match engine.swizzle.map(|(b, m, s)| Swizzle::new(b, m, s)) {
        Some(Err(_)) => return construct("a pointer with an illegal swizzle"),
        Some(Ok(swizzle)) => Some(swizzle),
        None => None,
    };
    Value::Pointer(Pointer {
        space,
        element: None,
        swizzle,
        element_bits: u32::try_from(engine.bits).ok(),
        origin: crate::origin::Origin::default(),
    })
}

/// Whether the composition is of a layout of shared memory: its pointer has no address yet.
fn is_unset(parts: &[Expr]) -> bool {
    parts.iter().any(
        |part| matches!(&part.kind, ExprKind::Engine(engine) if engine.address.trim() == "unset"),
    )
}

fn bits(engine: &Pointer) -> i64 {
    engine.bits().map_or(0, i64::from)
}

fn composed(outer: Outer, offset: &Value, inner: Layout) -> Value {
    let offset: Option<IntTuple> = offset.to_shape();
    match offset {
        Some(offset) => Value::of_layout(AnyLayout::Composed(ComposedLayout {
            outer,
            offset,
            inner,
        })),
        None => construct("this offset"),
    }
}
