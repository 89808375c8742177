//! Address programs: the straight-line integer code that takes a coordinate to an offset.
//!
//! [`Program::of_index`] and [`Program::of_coordinates`] write it for any layout, strength-reduced: shifts and masks for
//! powers of two, one division for each boundary between modes and none after the last, nothing for modes that do not
//! move. Extents and strides that are not known become parameters. [`ptx`] prints it; [`Program::run`] executes it, so that
//! every program can be compared with its layout.

mod compile;
pub mod ptx;

use crate::refusal::Refusal;
use compile::Code;
use cute_algebra::{AnyLayout, Int};

/// A value: an input, a constant, or the result of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// An input of the program: the index, or a coordinate.
    Input(usize),
    /// A parameter: an extent or a stride that is not known, [`Program::parameters`].
    Parameter(usize),
    /// A constant.
    Constant(i64),
    /// The result of the instruction at this place.
    Result(usize),
}

/// The operation of an instruction. Divisions and shifts to the right are of numbers that are not negative.
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
    /// The operation.
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
    parameters: Vec<Int>,
    instructions: Vec<Instruction>,
    result: Value,
    is_wide: bool,
}

/// The cost of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The number of instructions.
    pub instructions: usize,
    /// Number of divisions by a number that is not a power of two.
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
    /// Extents and strides that are not known are parameters, each expression a separate one, so that no code computes
    /// it:
    ///
    /// ```
    /// # use cute_hardware::address::Program;
    /// let program = Program::of_coordinates(&"(M,K):(2*ld,_1)".parse()?)?;
    /// assert_eq!(program.parameters()[0].to_string(), "2*ld");
    /// assert_eq!(program.run_with(&[3, 5], &[1024]), Some(3 * 1024 + 5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Errors: `NotProvable` for strides that are not integers, and a composition with a layout outside whose image is
    /// not a number.
    pub fn of_index(layout: &AnyLayout) -> Result<Self, Refusal> {
        Code::new(1, &layout.size()?).layout(layout)
    }

    /// The cost of the program of [`Program::of_index`] without any of the reductions: a division, a remainder, a
    /// product and a sum for each mode.
    ///
    /// Errors: as [`Program::of_index`].
    pub fn unreduced_cost(layout: &AnyLayout) -> Result<Cost, Refusal> {
        let program = Code::plain(1, &layout.size()?).layout(layout)?;
        Ok(program.cost())
    }

    /// The program that takes one coordinate for each mode of the layout, in order, to the offset. A nested mode takes its
    /// colexicographic index.
    ///
    /// Errors: as [`Program::of_index`].
    pub fn of_coordinates(layout: &AnyLayout) -> Result<Self, Refusal> {
        Code::new(layout.rank(), &layout.size()?).layout(layout)
    }

    /// The program that gives the result of this one to `next`, a program of one input. Its parameters are those of this
    /// one, then those of `next`.
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
        let (after, known) = (self.instructions.len(), self.parameters.len());
        let moved = |value| match value {
            Value::Input(_) => self.result,
            Value::Parameter(place) => Value::Parameter(known + place),
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
            parameters: [&self.parameters[..], &next.parameters].concat(),
            instructions,
            result: moved(next.result),
            is_wide: self.is_wide || next.is_wide,
        }
    }

    /// The number of inputs.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The meaning of each parameter: an extent or a stride, in the layout's symbols.
    pub fn parameters(&self) -> &[Int] {
        &self.parameters
    }

    /// The instructions, in order.
    pub fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    /// The value that is the offset in the end.
    pub fn result(&self) -> Value {
        self.result
    }

    /// Whether some number of the program leaves the range of 32-bit integers.
    pub fn is_wide(&self) -> bool {
        self.is_wide
    }

    /// The offset for these inputs; `None` for a wrong number of inputs, an overflow, or a program with parameters.
    pub fn run(&self, inputs: &[i64]) -> Option<i64> {
        self.run_with(inputs, &[])
    }

    /// The offset for these inputs and parameters; `None` for a wrong number of them, a division by zero or an overflow.
    pub fn run_with(&self, inputs: &[i64], parameters: &[i64]) -> Option<i64> {
        if inputs.len() != self.inputs || parameters.len() != self.parameters.len() {
            return None;
        }
        let mut results: Vec<i64> = Vec::with_capacity(self.instructions.len());
        let value_of = |value: Value, results: &[i64]| match value {
            Value::Input(index) => inputs.get(index).copied(),
            Value::Parameter(index) => parameters.get(index).copied(),
            Value::Constant(constant) => Some(constant),
            Value::Result(index) => results.get(index).copied(),
        };
        for instruction in &self.instructions {
            let left = value_of(instruction.left, &results)?;
            let right = value_of(instruction.right, &results)?;
            results.push(compute(instruction.operation, left, right)?);
        }
        value_of(self.result, &results)
    }

    /// The cost.
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
        let parameters =
            (0..self.parameters.len()).map(|index| (0, last_use(Value::Parameter(index))));
        let results = (0..self.instructions.len()).map(|at| (at + 1, last_use(Value::Result(at))));
        let spans: Vec<(usize, usize)> = inputs
            .chain(parameters)
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
    fn symbols_are_parameters() {
        let program = program("((M,_4),K):((_1,2*M),ld)");
        let names: Vec<String> = program
            .parameters()
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(names, ["M", "2*M", "ld"]);
        assert!(program.is_wide());
        // One division to leave the first mode, a shift to leave the second, none for the last.
        assert_eq!(program.cost().divisions, 1);
        assert_eq!(program.run(&[0]), None);
        let (m, ld) = (6, 1000);
        for index in 0..m * 4 * 3 {
            let expected = index % m + index / m % 4 * 2 * m + index / m / 4 * ld;
            assert_eq!(program.run_with(&[index], &[m, 2 * m, ld]), Some(expected));
        }
        assert_eq!(program.run_with(&[1], &[0, 0, ld]), None);
    }

    #[test]
    fn bases_are_no_addresses() {
        let layout: AnyLayout = "(_4,_4):(_1@0,_1@1)".parse().unwrap();
        let refusal = Program::of_index(&layout).unwrap_err();
        assert_eq!(
            refusal.rule,
            crate::Rule::Algebra(cute_algebra::Rule::NotProvable)
        );
    }

    #[test]
    fn what_the_reductions_save_is_told() {
        let layout: AnyLayout = "((_8,_16),(_64,_2)):((_64,_512),(_1,_8192))"
            .parse()
            .unwrap();
        let plain = Program::unreduced_cost(&layout).unwrap();
        let reduced = Program::of_index(&layout).unwrap().cost();
        assert_eq!((plain.divisions, reduced.divisions), (6, 0));
        assert!(plain.instructions > reduced.instructions);
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

        /// Whatever of a layout is not known is a parameter, and the program is that of the known layout.
        #[test]
        fn a_program_with_parameters_is_its_layout(
            modes in proptest::collection::vec((1_i64..7, 0_i64..40, any::<bool>(), any::<bool>()), 1..5),
        ) {
            let write = |known: bool| -> AnyLayout {
                let leaf = |name: String, value: i64, is_symbol: bool| {
                    if is_symbol && !known { name } else { format!("_{value}") }
                };
                let shape: Vec<String> = modes.iter().enumerate()
                    .map(|(i, (extent, _, symbol, _))| leaf(format!("n{i}"), *extent, *symbol)).collect();
                let stride: Vec<String> = modes.iter().enumerate()
                    .map(|(i, (_, stride, _, symbol))| leaf(format!("d{i}"), *stride, *symbol)).collect();
                format!("({}):({})", shape.join(","), stride.join(",")).parse().unwrap()
            };
            let (symbolic, known) = (write(false), write(true));
            let program = Program::of_index(&symbolic).unwrap();
            let parameters: Vec<i64> = program.parameters().iter().map(|name| {
                let name = name.to_string();
                let mode: usize = name[1..].parse().unwrap();
                if name.starts_with('n') { modes[mode].0 } else { modes[mode].1 }
            }).collect();
            for index in 0..known.size().unwrap().value().unwrap().min(500) {
                let expected = known.eval(index).unwrap().as_leaf().and_then(Int::value);
                prop_assert_eq!(program.run_with(&[index], &parameters), expected);
            }
        }

        /// Composed layouts, and one input for each mode.
        #[test]
        fn a_program_of_coordinates_is_its_layout(
            rows in 1_i64..9, columns in 1_i64..9, nested in 1_i64..5, strides in [0_i64..64, 0..64, 0..64],
            swizzle in (0_i64..3, 0_i64..3, 2_i64..4), offset in 0_i64..50,
        ) {
            let text = format!(
                "Sw<{},{},{}> o _{offset} o (_{rows},(_{columns},_{nested})):(_{},(_{},_{}))",
                swizzle.0, swizzle.1, swizzle.2, strides[0], strides[1], strides[2]
            );
            let layout: AnyLayout = text.parse().unwrap();
            equals_its_layout(&layout);
            let program = Program::of_coordinates(&layout).unwrap();
            for row in 0..rows {
                for column in 0..columns * nested {
                    let expected = layout.eval(row + rows * column).unwrap().as_leaf().and_then(Int::value);
                    prop_assert_eq!(program.run(&[row, column]), expected);
                }
            }
        }
    }
}
