//! The answer to a question.

use core::fmt;
use cute_algebra::composed::AnyLayout;
use cute_algebra::int::Int;
use cute_algebra::judge::Judgement;
use cute_algebra::layout::Layout;
use cute_algebra::refusal::Refusal;
use cute_algebra::stride::{Delta, Stride};
use cute_algebra::swizzle::Swizzle;
use cute_algebra::tensor::Tensor;
use cute_algebra::text::Reading;
use cute_algebra::tuple::{IntTuple, Tuple};

/// The result of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A layout, composed or not.
    Layout(AnyLayout),
    /// An accessor over a layout.
    Tensor(Tensor),
    /// An integer, a shape, a coordinate or an offset.
    Tuple(IntTuple),
    /// A stride.
    Stride(Stride),
    /// A swizzle.
    Swizzle(Swizzle),
    /// A slice and the offset of its first element.
    SliceAndOffset(AnyLayout, IntTuple),
    /// One step of a codomain, such as `3@0`: the rest of an offset in CuTe with a single coordinate.
    Step(Delta),
    /// A condition: static 1 or 0 (CuTe's `true_type`), or a run-time boolean.
    Truth(Int),
}

impl fmt::Display for Value {
    /// As CuTe prints it; the alternate form omits the underscores of static integers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Layout(layout) => layout.fmt(f),
            Value::Tensor(tensor) => tensor.fmt(f),
            Value::Tuple(tuple) => tuple.fmt(f),
            Value::Stride(stride) => stride.fmt(f),
            Value::Swizzle(swizzle) => swizzle.fmt(f),
            Value::Step(step) => step.fmt(f),
            Value::Truth(int) if int.is_static() || f.alternate() => int.fmt(f),
            Value::Truth(int) => f.write_str(if int.value() == Some(0) {
                "false"
            } else {
                "true"
            }),
            Value::SliceAndOffset(layout, offset) => {
                f.write_str("(")?;
                layout.fmt(f)?;
                f.write_str(",")?;
                offset.fmt(f)?;
                f.write_str(")")
            }
        }
    }
}

impl From<Layout> for Value {
    fn from(layout: Layout) -> Self {
        Value::Layout(AnyLayout::Affine(layout))
    }
}

impl From<AnyLayout> for Value {
    fn from(layout: AnyLayout) -> Self {
        Value::Layout(layout)
    }
}

impl From<IntTuple> for Value {
    fn from(tuple: IntTuple) -> Self {
        Value::Tuple(tuple)
    }
}

impl From<Stride> for Value {
    fn from(stride: Stride) -> Self {
        Value::Stride(stride)
    }
}

impl From<Int> for Value {
    fn from(int: Int) -> Self {
        Value::Tuple(Tuple::leaf(int))
    }
}

/// The judged answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The value, or why there is none.
    pub result: Result<Value, Refusal>,
    /// CuTe's verdict, and whether its answer is that of the definition.
    pub judgement: Judgement,
    pub(crate) reading: Reading,
}

impl Answer {
    pub(super) fn of(value: Value, judgement: Judgement, reading: Reading) -> Self {
        Self {
            result: Ok(value),
            judgement,
            reading,
        }
    }

    /// The answer of an operation that is refused.
    pub(crate) fn refused(refusal: Refusal, reading: Reading) -> Self {
        Self {
            judgement: Judgement::refused(&refusal),
            result: Err(refusal),
            reading,
        }
    }

    /// The result as text: with underscores when the operands were read as CuTe prints them.
    pub fn text(&self) -> Option<String> {
        let value = self.result.as_ref().ok()?;
        Some(match self.reading {
            Reading::Cute => value.to_string(),
            Reading::Plain => format!("{value:#}"),
        })
    }
}
