//! Address programs: the straight-line integer code that takes a coordinate to an offset.
//!
//! [`Program::of_index`] and [`Program::of_coordinates`] write it for any layout, strength-reduced: shifts and masks for
//! powers of two, one division for each boundary between modes and none after the last, nothing for modes that do not
//! move. [`ptx`] prints it; [`Program::run`] executes it, so that every program can be compared with its layout.

pub mod ptx;

use crate::refusal::{Refusal, Rule};
use cute_algebra::ops::coalesce::coalesce;
use cute_algebra::{AnyLayout, Int, Layout, LayoutView, Outer, Swizzle, Verdict};

/// A value: an input, a constant, or the result of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// An input of the program: the index, or a coordinate.
    Input(usize),
    /// A constant.
    Constant(i64),
    /// The result of the instruction at this place.
    Result(usize),
}

/// What an instruction computes. Divisions and shifts to the right are of numbers that are not negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// The sum.
    Add,
    /// The difference.
    Subtract,
    /// The product.
    Multiply,
    /// The quotient, rounded down.
    Divide,
    /// The remainder.
    Remainder,
    /// The bits that both have.
    And,
    /// The bits that one of them has.
    Xor,
    /// A shift to the left.
    ShiftLeft,
    /// A shift to the right.
    ShiftRight,
}

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// What it computes.
    pub operation: Operation,
    /// The left operand.
    pub left: Value,
    /// The right operand.
    pub right: Value,
}

/// A program without branches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    inputs: usize,
    instructions: Vec<Instruction>,
    result: Value,
    is_wide: bool,
}

/// What a program costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The number of instructions.
    pub instructions: usize,
    /// How many of them divide by a number that is no power of two.
    pub divisions: usize,
    /// The most values that are needed at the same time, inputs included.
    pub registers: usize,
}

impl Program {
    /// The program that takes the colexicographic index of a coordinate to its offset.
    ///
    /// ```
    /// use cute_hardware::address::Program;
    /// use cute_algebra::AnyLayout;
    /// let layout: AnyLayout = "(_8,_64):(_64,_1)".parse()?;
    /// let program = Program::of_index(&layout)?;
    /// assert_eq!(program.run(&[9]), Some(65));
    /// assert_eq!((program.cost().instructions, program.cost().divisions), (4, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Errors: `NotProvable` for extents or strides that are not known numbers; a composition with a layout outside whose
    /// image is not a number.
    pub fn of_index(layout: &AnyLayout) -> Result<Self, Refusal> {
        let size = known(&layout.size()?)?;
        let mut code = Code::new(1, size.max(1) - 1);
        let offset = code.layout(layout, &[Value::Input(0)])?;
        Ok(code.finish(offset))
    }

    /// The program that takes one coordinate for each mode of the layout, in order, to the offset. A nested mode takes its
    /// colexicographic index.
    ///
    /// Errors: as [`Program::of_index`].
    pub fn of_coordinates(layout: &AnyLayout) -> Result<Self, Refusal> {
        let rank = layout.rank();
        let mut code = Code::new(rank, known(&layout.size()?)?.max(1) - 1);
        let inputs: Vec<Value> = (0..rank).map(Value::Input).collect();
        let offset = code.layout(layout, &inputs)?;
        Ok(code.finish(offset))
    }

    /// The program that gives the result of this one to `next`, a program of one input.
    ///
    /// ```
    /// use cute_hardware::address::Program;
    /// let every_other = Program::of_index(&"_16:_2".parse()?)?;
    /// let tile = Program::of_index(&"(_8,_4):(_4,_1)".parse()?)?;
    /// assert_eq!(every_other.then(&tile).run(&[5]), tile.run(&[10]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn then(&self, next: &Self) -> Self {
        let after = self.instructions.len();
        let moved = |value| match value {
            Value::Input(_) => self.result,
            Value::Constant(_) => value,
            Value::Result(place) => Value::Result(after + place),
        };
        let mut instructions = self.instructions.clone();
        instructions.extend(next.instructions.iter().map(|instruction| Instruction {
            left: moved(instruction.left),
            right: moved(instruction.right),
            ..*instruction
        }));
        Self {
            inputs: self.inputs,
            instructions,
            result: moved(next.result),
            is_wide: self.is_wide || next.is_wide,
        }
    }

    /// The number of inputs.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The instructions, in order.
    pub fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    /// Where the offset is in the end.
    pub fn result(&self) -> Value {
        self.result
    }

    /// Whether some number of the program leaves the range of 32-bit integers.
    pub fn is_wide(&self) -> bool {
        self.is_wide
    }

    /// The offset for these inputs; `None` for a wrong number of inputs or an overflow.
    pub fn run(&self, inputs: &[i64]) -> Option<i64> {
        if inputs.len() != self.inputs {
            return None;
        }
        let mut results: Vec<i64> = Vec::with_capacity(self.instructions.len());
        for instruction in &self.instructions {
            let value = |operand| value_of(operand, inputs, &results);
            let computed = compute(
                instruction.operation,
                value(instruction.left)?,
                value(instruction.right)?,
            )?;
            results.push(computed);
        }
        value_of(self.result, inputs, &results)
    }

    /// What it costs.
    pub fn cost(&self) -> Cost {
        let divisions = |instruction: &&Instruction| {
            matches!(
                instruction.operation,
                Operation::Divide | Operation::Remainder
            )
        };
        Cost {
            instructions: self.instructions.len(),
            divisions: self.instructions.iter().filter(divisions).count(),
            registers: self.live_values(),
        }
    }

    /// The most values that are alive at once: an input from the start, a result from its instruction, both to the last use.
    fn live_values(&self) -> usize {
        let operands = |instruction: &Instruction| [instruction.left, instruction.right];
        let last_use = |value: Value| {
            let at_end = (self.result == value).then_some(self.instructions.len());
            at_end.or_else(|| {
                self.instructions
                    .iter()
                    .rposition(|instruction| operands(instruction).contains(&value))
            })
        };
        let inputs = (0..self.inputs).map(|input| (0, last_use(Value::Input(input))));
        let results = (0..self.instructions.len()).map(|at| (at + 1, last_use(Value::Result(at))));
        let spans: Vec<(usize, usize)> = inputs
            .chain(results)
            .filter_map(|(from, to)| Some((from, to?)))
            .collect();
        (0..=self.instructions.len())
            .map(|at| {
                spans
                    .iter()
                    .filter(|(from, to)| *from <= at && at <= *to)
                    .count()
            })
            .max()
            .unwrap_or(0)
    }
}

fn value_of(value: Value, inputs: &[i64], results: &[i64]) -> Option<i64> {
    match value {
        Value::Input(index) => inputs.get(index).copied(),
        Value::Constant(constant) => Some(constant),
        Value::Result(index) => results.get(index).copied(),
    }
}

fn compute(operation: Operation, left: i64, right: i64) -> Option<i64> {
    match operation {
        Operation::Add => left.checked_add(right),
        Operation::Subtract => left.checked_sub(right),
        Operation::Multiply => left.checked_mul(right),
        Operation::Divide => left.checked_div(right),
        Operation::Remainder => left.checked_rem(right),
        Operation::And => Some(left & right),
        Operation::Xor => Some(left ^ right),
        Operation::ShiftLeft => left.checked_mul(1_i64.checked_shl(u32::try_from(right).ok()?)?),
        Operation::ShiftRight => left.checked_shr(u32::try_from(right).ok()?),
    }
}

fn known(value: &Int) -> Result<i64, Refusal> {
    value.value().ok_or_else(|| not_known(&value.to_string()))
}

fn not_known(text: &str) -> Refusal {
    Refusal::new(
        Rule::Algebra(cute_algebra::Rule::NotProvable),
        Verdict::Accepts,
    )
    .with("value", text)
}

/// The exponent of a power of two.
fn exponent(value: i64) -> Option<i64> {
    (value > 0 && value & (value - 1) == 0).then(|| i64::from(value.trailing_zeros()))
}

/// A program while it is written.
struct Code {
    inputs: usize,
    instructions: Vec<Instruction>,
    /// The largest magnitude of any number so far.
    magnitude: i64,
}

impl Code {
    fn new(inputs: usize, largest_input: i64) -> Self {
        Code {
            inputs,
            instructions: Vec::new(),
            magnitude: largest_input,
        }
    }

    fn finish(self, result: Value) -> Program {
        Program {
            inputs: self.inputs,
            instructions: self.instructions,
            result,
            is_wide: self.magnitude > i64::from(i32::MAX),
        }
    }

    /// Emits an instruction, or finds it already there, or the value without one.
    fn emit(&mut self, operation: Operation, left: Value, right: Value) -> Value {
        if let (Value::Constant(a), Value::Constant(b)) = (left, right)
            && let Some(value) = compute(operation, a, b)
        {
            return Value::Constant(value);
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
            | (Operation::Multiply | Operation::Divide, other, Value::Constant(1)) => return other,
            (Operation::Multiply | Operation::And, _, Value::Constant(0))
            | (Operation::Remainder, _, Value::Constant(1)) => return Value::Constant(0),
            _ => {}
        }
        let instruction = Instruction {
            operation,
            left,
            right,
        };
        let place = self
            .instructions
            .iter()
            .position(|known| *known == instruction)
            .unwrap_or_else(|| {
                self.instructions.push(instruction);
                self.instructions.len() - 1
            });
        Value::Result(place)
    }

    fn constant(&mut self, operation: Operation, left: Value, right: i64) -> Value {
        self.emit(operation, left, Value::Constant(right))
    }

    fn multiply(&mut self, value: Value, factor: i64) -> Value {
        match exponent(factor) {
            Some(shift) => self.constant(Operation::ShiftLeft, value, shift),
            None => self.constant(Operation::Multiply, value, factor),
        }
    }

    fn divide(&mut self, value: Value, divisor: i64) -> Value {
        match exponent(divisor) {
            Some(shift) => self.constant(Operation::ShiftRight, value, shift),
            None => self.constant(Operation::Divide, value, divisor),
        }
    }

    fn layout(&mut self, layout: &AnyLayout, inputs: &[Value]) -> Result<Value, Refusal> {
        let composed = match layout {
            AnyLayout::Affine(layout) => return self.affine(layout, inputs),
            AnyLayout::Composed(composed) => composed,
        };
        let inner = self.affine(&composed.inner, inputs)?;
        let offset = composed
            .offset
            .as_leaf()
            .ok_or_else(|| not_known(&composed.offset.to_string()))?;
        let sum = self.constant(Operation::Add, inner, known(offset)?);
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
        let view = layout.view();
        let parts: Vec<(Layout, Value)> = match inputs {
            [index] => vec![(coalesce(layout)?, *index)],
            inputs => view
                .modes()
                .zip(inputs)
                .map(|(mode, input)| Ok((coalesce(&mode.to_layout())?, *input)))
                .collect::<Result<_, Refusal>>()?,
        };
        let mut sum = Value::Constant(0);
        let mut reach = 0_i64;
        for (part, index) in &parts {
            let offset = self.flat(part.view(), *index)?;
            reach = reach.saturating_add(span(part.view())?);
            sum = self.emit(Operation::Add, sum, offset);
        }
        self.magnitude = self.magnitude.max(reach);
        Ok(sum)
    }

    /// The dot product of strides and the digits of the index.
    fn flat(&mut self, layout: LayoutView<'_>, index: Value) -> Result<Value, Refusal> {
        let extents = layout
            .extents()
            .iter()
            .map(known)
            .collect::<Result<Vec<_>, _>>()?;
        let strides = layout
            .steps()
            .iter()
            .map(|step| {
                step.as_int()
                    .map_or_else(|| Err(not_known(&step.to_string())), known)
            })
            .collect::<Result<Vec<_>, _>>()?;
        let Some(last_moving) = strides.iter().rposition(|stride| *stride != 0) else {
            return Ok(Value::Constant(0));
        };
        let mut rest = index;
        let mut sum = Value::Constant(0);
        for (place, (&extent, &stride)) in extents
            .iter()
            .zip(&strides)
            .enumerate()
            .take(last_moving + 1)
        {
            let is_last = place + 1 == extents.len();
            if stride != 0 {
                let digit = if is_last {
                    rest
                } else {
                    self.remainder(rest, extent)
                };
                let term = self.multiply(digit, stride);
                sum = self.emit(Operation::Add, sum, term);
            }
            if place < last_moving {
                rest = self.divide(rest, extent);
            }
        }
        Ok(sum)
    }

    /// `value % extent`; where a division is needed, it is the one that the next mode needs too.
    fn remainder(&mut self, value: Value, extent: i64) -> Value {
        if exponent(extent).is_some() {
            return self.constant(Operation::And, value, extent - 1);
        }
        let quotient = self.divide(value, extent);
        let whole = self.multiply(quotient, extent);
        self.emit(Operation::Subtract, value, whole)
    }
}

/// The largest magnitude of an offset.
fn span(layout: LayoutView<'_>) -> Result<i64, Refusal> {
    let mut reach = 0_i64;
    for (extent, step) in layout.extents().iter().zip(layout.steps()) {
        let stride = step
            .as_int()
            .map_or_else(|| Err(not_known(&step.to_string())), known)?;
        reach = reach.saturating_add(
            stride
                .saturating_abs()
                .saturating_mul(known(extent)?.max(1) - 1),
        );
    }
    Ok(reach)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn program(layout: &str) -> Program {
        Program::of_index(&layout.parse().unwrap()).unwrap()
    }

    #[test]
    fn powers_of_two_need_no_division() {
        let cost = program("((_8,_16),(_64,_2)):((_64,_512),(_1,_8192))").cost();
        assert_eq!(cost.divisions, 0);
        assert_eq!(program("(_6,_10,_4):(_40,_4,_1)").cost().divisions, 2);
    }

    #[test]
    fn what_does_not_move_costs_nothing() {
        assert_eq!(program("(_128,_64):(_1,_128)").cost().instructions, 0);
        assert_eq!(program("(_128,_64):(_0,_0)").cost().instructions, 0);
        assert_eq!(program("(_8,_64):(_1,_0)").cost().instructions, 1);
    }

    #[test]
    fn coordinates_are_not_divided() {
        let layout: AnyLayout = "(_6,_10):(_10,_1)".parse().unwrap();
        let program = Program::of_coordinates(&layout).unwrap();
        assert_eq!(program.cost().divisions, 0);
        assert_eq!(program.run(&[5, 9]), Some(59));
        assert_eq!(program.run(&[5]), None);
    }

    #[test]
    fn large_offsets_are_wide() {
        assert!(!program("(_1024,_1024):(_1024,_1)").is_wide());
        assert!(program("(_4,_4):(1073741824,_1)").is_wide());
    }

    #[test]
    fn symbols_ask_for_a_value() {
        let layout: AnyLayout = "(M,_4):(_4,_1)".parse().unwrap();
        let refusal = Program::of_index(&layout).unwrap_err();
        assert_eq!(refusal.rule, Rule::Algebra(cute_algebra::Rule::NotProvable));
    }

    /// Every index, or the first 2000.
    fn equals_its_layout(layout: &AnyLayout) {
        let program = Program::of_index(layout).unwrap();
        let size = layout.size().unwrap().value().unwrap();
        for index in 0..size.min(2000) {
            let expected = layout.eval(index).unwrap();
            assert_eq!(
                program.run(&[index]),
                expected.as_leaf().and_then(Int::value),
                "{layout} at {index}"
            );
        }
    }

    #[test]
    fn swizzled_and_composed_layouts() {
        for text in [
            "Sw<3,3,3> o _0 o (_8,_64):(_64,_1)",
            "Sw<2,4,3> o 96 o (_128,_32):(_32,_1)",
            "Sw<2,0,-3> o _0 o (_32,_4):(_4,_1)",
        ] {
            equals_its_layout(&text.parse().unwrap());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn a_program_is_its_layout(modes in proptest::collection::vec((1_i64..9, -20_i64..40), 1..5)) {
            let shape: Vec<String> = modes.iter().map(|(extent, _)| format!("_{extent}")).collect();
            let stride: Vec<String> = modes.iter().map(|(_, stride)| format!("_{stride}")).collect();
            let text = format!("({}):({})", shape.join(","), stride.join(","));
            equals_its_layout(&text.parse().unwrap());
        }
    }
}
