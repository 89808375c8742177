//! From layouts to address programs.

use super::{Instruction, Operation, Program, Value, compute};
use crate::refusal::{Refusal, Rule};
use cute_algebra::ops::coalesce::coalesce;
use cute_algebra::{AnyLayout, Int, Layout, LayoutView, Outer, Swizzle, Verdict};

/// A program while it is written.
pub(super) struct Code {
    inputs: usize,
    parameters: Vec<Int>,
    instructions: Vec<Instruction>,
    /// The largest magnitude of any number so far.
    magnitude: i64,
    /// Whether instructions that do nothing, are there already, or have a cheaper form are left out.
    reduces: bool,
}

impl Code {
    /// A program of this number of inputs for a layout of this size.
    pub(super) fn new(inputs: usize, size: &Int) -> Self {
        Code {
            inputs,
            parameters: Vec::new(),
            instructions: Vec::new(),
            magnitude: size.value().map_or(i64::MAX, |size| size.max(1) - 1),
            reduces: true,
        }
    }

    /// The same without any reduction.
    pub(super) fn plain(inputs: usize, size: &Int) -> Self {
        Code {
            reduces: false,
            ..Code::new(inputs, size)
        }
    }

    /// The program of a layout.
    pub(super) fn layout(mut self, layout: &AnyLayout) -> Result<Program, Refusal> {
        let inputs: Vec<Value> = (0..self.inputs).map(Value::Input).collect();
        let result = self.any(layout, &inputs)?;
        Ok(Program {
            inputs: self.inputs,
            parameters: self.parameters,
            instructions: self.instructions,
            result,
            is_wide: self.magnitude > i64::from(i32::MAX),
        })
    }

    /// A number as an operand: a constant, or its parameter.
    fn operand(&mut self, number: &Int) -> Value {
        if let Some(known) = number.value() {
            return Value::Constant(known);
        }
        self.magnitude = i64::MAX;
        let place = self.parameters.iter().position(|known| known == number);
        Value::Parameter(place.unwrap_or_else(|| {
            self.parameters.push(number.clone());
            self.parameters.len() - 1
        }))
    }

    /// Emits an instruction, or finds it already there, or the value without one.
    fn emit(&mut self, operation: Operation, left: Value, right: Value) -> Value {
        let place = if self.reduces {
            if let Some(value) = simplified(operation, left, right) {
                return value;
            }
            self.instructions.iter().position(|known| {
                (known.operation, known.left, known.right) == (operation, left, right)
            })
        } else {
            None
        };
        Value::Result(place.unwrap_or_else(|| {
            self.instructions.push(Instruction {
                operation,
                left,
                right,
            });
            self.instructions.len() - 1
        }))
    }

    fn constant(&mut self, operation: Operation, left: Value, right: i64) -> Value {
        self.emit(operation, left, Value::Constant(right))
    }

    /// The exponent of a factor or divisor that is a power of two.
    fn exponent(&self, value: Value) -> Option<i64> {
        match value {
            Value::Constant(value) if self.reduces && value > 0 && value & (value - 1) == 0 => {
                Some(i64::from(value.trailing_zeros()))
            }
            _ => None,
        }
    }

    fn multiply(&mut self, value: Value, factor: Value) -> Value {
        match self.exponent(factor) {
            Some(shift) => self.constant(Operation::ShiftLeft, value, shift),
            None => self.emit(Operation::Multiply, value, factor),
        }
    }

    fn divide(&mut self, value: Value, divisor: Value) -> Value {
        match self.exponent(divisor) {
            Some(shift) => self.constant(Operation::ShiftRight, value, shift),
            None => self.emit(Operation::Divide, value, divisor),
        }
    }

    /// `value % extent`; where a division is needed, it is the one that the next mode needs too.
    fn remainder(&mut self, value: Value, extent: Value) -> Value {
        if !self.reduces {
            return self.emit(Operation::Remainder, value, extent);
        }
        if let (Some(shift), Value::Constant(extent)) = (self.exponent(extent), extent) {
            return if shift == 0 {
                Value::Constant(0)
            } else {
                self.constant(Operation::And, value, extent - 1)
            };
        }
        let quotient = self.divide(value, extent);
        let whole = self.multiply(quotient, extent);
        self.emit(Operation::Subtract, value, whole)
    }

    fn any(&mut self, layout: &AnyLayout, inputs: &[Value]) -> Result<Value, Refusal> {
        let composed = match layout {
            AnyLayout::Affine(layout) => return self.affine(layout, inputs),
            AnyLayout::Composed(composed) => composed,
        };
        let inner = self.affine(&composed.inner, inputs)?;
        let offset = composed
            .offset
            .as_leaf()
            .ok_or_else(|| not_a_number(&composed.offset.to_string()))?;
        let offset = self.operand(offset);
        if let Value::Constant(offset) = offset {
            self.magnitude = self.magnitude.saturating_add(offset.saturating_abs());
        }
        let sum = self.emit(Operation::Add, inner, offset);
        match &composed.outer {
            Outer::Swizzle(swizzle) => Ok(self.swizzle(sum, *swizzle)),
            Outer::Layout(outer) => self.affine(outer, &[sum]),
        }
    }

    /// `x ^ shift(x & source bits)`.
    fn swizzle(&mut self, value: Value, swizzle: Swizzle) -> Value {
        if swizzle.is_identity() {
            return value;
        }
        let source = self.constant(Operation::And, value, swizzle.source_mask());
        let shift = swizzle.shift();
        let operation = if shift > 0 {
            Operation::ShiftRight
        } else {
            Operation::ShiftLeft
        };
        let moved = self.constant(operation, source, shift.abs());
        self.magnitude = self
            .magnitude
            .max(swizzle.source_mask() | swizzle.target_mask());
        self.emit(Operation::Xor, value, moved)
    }

    /// One input: the index of the whole. Several: one for each mode.
    fn affine(&mut self, layout: &Layout, inputs: &[Value]) -> Result<Value, Refusal> {
        let reduced = |layout: &Layout| -> Result<Layout, Refusal> {
            Ok(if self.reduces {
                coalesce(layout)?
            } else {
                layout.clone()
            })
        };
        let parts: Vec<(Layout, Value)> = match inputs {
            [index] => vec![(reduced(layout)?, *index)],
            inputs => layout
                .view()
                .modes()
                .zip(inputs)
                .map(|(mode, input)| Ok((reduced(&mode.to_layout())?, *input)))
                .collect::<Result<_, Refusal>>()?,
        };
        let mut sum = Value::Constant(0);
        let mut reach = 0_i64;
        for (part, index) in &parts {
            let offset = self.flat(part.view(), *index)?;
            reach = reach.saturating_add(span(part.view()));
            sum = self.emit(Operation::Add, sum, offset);
        }
        self.magnitude = self.magnitude.max(reach);
        Ok(sum)
    }

    /// The dot product of strides and the digits of the index.
    fn flat(&mut self, layout: LayoutView<'_>, index: Value) -> Result<Value, Refusal> {
        let modes: Vec<(&Int, &Int)> = layout
            .extents()
            .iter()
            .zip(layout.steps())
            .map(|(extent, step)| {
                let stride = step
                    .as_int()
                    .ok_or_else(|| not_a_number(&step.to_string()))?;
                Ok((extent, stride))
            })
            .collect::<Result<_, Refusal>>()?;
        let reduces = self.reduces;
        let moves = |stride: &Int| !reduces || stride.value() != Some(0);
        let Some(last_moving) = modes.iter().rposition(|(_, stride)| moves(stride)) else {
            return Ok(Value::Constant(0));
        };
        let mut rest = index;
        let mut sum = Value::Constant(0);
        for (place, (extent, stride)) in modes.iter().enumerate().take(last_moving + 1) {
            if moves(stride) {
                let digit = if place + 1 == modes.len() {
                    rest
                } else {
                    let extent = self.operand(extent);
                    self.remainder(rest, extent)
                };
                let stride = self.operand(stride);
                let term = self.multiply(digit, stride);
                sum = self.emit(Operation::Add, sum, term);
            }
            if place < last_moving {
                let extent = self.operand(extent);
                rest = self.divide(rest, extent);
            }
        }
        Ok(sum)
    }
}

/// The value of an operation that needs no instruction.
fn simplified(operation: Operation, left: Value, right: Value) -> Option<Value> {
    if let (Value::Constant(a), Value::Constant(b)) = (left, right)
        && let Some(value) = compute(operation, a, b)
    {
        return Some(Value::Constant(value));
    }
    match (operation, left, right) {
        (Operation::Add | Operation::Xor, Value::Constant(0), other)
        | (
            Operation::Add
            | Operation::Subtract
            | Operation::Xor
            | Operation::ShiftLeft
            | Operation::ShiftRight,
            other,
            Value::Constant(0),
        )
        | (Operation::Multiply | Operation::Divide, other, Value::Constant(1)) => Some(other),
        (Operation::Multiply | Operation::And, _, Value::Constant(0))
        | (Operation::Multiply | Operation::And, Value::Constant(0), _)
        | (Operation::Remainder, _, Value::Constant(1)) => Some(Value::Constant(0)),
        _ => None,
    }
}

fn not_a_number(text: &str) -> Refusal {
    Refusal::new(
        Rule::Algebra(cute_algebra::Rule::NotProvable),
        Verdict::Accepts,
    )
    .with("value", text)
}

/// The largest magnitude of an offset; the largest number where something is not known.
fn span(layout: LayoutView<'_>) -> i64 {
    let mode = |(extent, step): (&Int, &cute_algebra::Delta)| {
        let (extent, stride) = (extent.value()?, step.as_int()?.value()?);
        Some(stride.saturating_abs().saturating_mul(extent.max(1) - 1))
    };
    layout
        .extents()
        .iter()
        .zip(layout.steps())
        .map(|pair| mode(pair).unwrap_or(i64::MAX))
        .fold(0, i64::saturating_add)
}
