//! `ptx`, `desc` and `tma`: the inputs of the hardware, shown before anything runs.

use std::fmt::Write as _;
use std::io;

use cute_algebra::Int;
use cute_analysis::ask::hardware::{Field, HardwareAnswer, NoAnswer, ask};
use cute_hardware::address::{Program, ptx};
use cute_hardware::descriptor::{self, Generation, MatrixDescriptor};
use cute_hardware::tma::Severity;
use cute_hardware::tma::tensor_map::Issue;
use cute_hardware::{Architecture, CopyAtom, Major, Refusal, SharedLayout};

use super::Session;
use super::arguments::preview::{DescriptorArguments, Instruction, TmaArguments};
use super::eval::layout_of;
use super::output::{Outcome, complain};

/// Prints the PTX that takes the index of a coordinate to its offset, and its cost.
pub(super) fn ptx(text: &str, name: &str, session: &mut Session) -> io::Result<Outcome> {
    let layout = match layout_of(text, session) {
        Ok(layout) => layout,
        Err(outcome) => return Ok(outcome),
    };
    let program = Program::of_index(&layout);
    match program.and_then(|program| Ok((program, Program::unreduced_cost(&layout)?))) {
        Ok((program, plain)) => {
            let cost = program.cost();
            session.out.text(&format!(
                "// {layout}: {} instructions, {} divisions, {} values at once\n\
                 // mode by mode: {} instructions, {} divisions\n{}",
                cost.instructions,
                cost.divisions,
                cost.registers,
                plain.instructions,
                plain.divisions,
                ptx::function(&program, name)
            ))?;
            Ok(Outcome::Clean)
        }
        Err(refusal) => Ok(refused(&refusal)),
    }
}

/// Prints a matrix descriptor by field: of a layout in shared memory, or of the 64 bits themselves.
pub(super) fn descriptor(
    arguments: &DescriptorArguments,
    session: &mut Session,
) -> io::Result<Outcome> {
    let generation = match arguments.instruction {
        Instruction::Wgmma => Generation::Wgmma,
        Instruction::Tcgen05 => Generation::Tcgen05,
    };
    let made = match bits(&arguments.tensor) {
        Some(word) => MatrixDescriptor::decode(generation, word).map(|found| (found, None)),
        None => described(generation, arguments),
    };
    let shown = made.and_then(|(found, departure)| {
        let mut text = format!("{:#018x}\n", found.encode()?);
        for field in found.fields()? {
            let bits = format!("{}:{}", field.low_bit + field.width - 1, field.low_bit);
            let _ = writeln!(
                text,
                "  {bits:>5}  {:<20} {:>6}  {}",
                field.name, field.value, field.meaning
            );
        }
        Ok((text, departure))
    });
    match shown {
        Ok((text, departure)) => {
            session.out.text(&text)?;
            let Some(departure) = departure else {
                return Ok(Outcome::Clean);
            };
            complain(&format!(
                "CuTe accepts this layout, but at coordinate {} the hardware reads element {}, \
                 not {}",
                departure.coordinate, departure.got, departure.expected
            ));
            Ok(Outcome::Found)
        }
        Err(refusal) => Ok(refused(&refusal)),
    }
}

/// A number in hexadecimal, `0x4000004000010000`.
fn bits(text: &str) -> Option<u64> {
    u64::from_str_radix(text.trim().strip_prefix("0x")?, 16).ok()
}

fn described(
    generation: Generation,
    arguments: &DescriptorArguments,
) -> Result<(MatrixDescriptor, Option<descriptor::canonical::Departure>), Refusal> {
    let tile: SharedLayout = arguments.tensor.parse()?;
    let major = if arguments.mn_major {
        Major::Mn
    } else {
        Major::K
    };
    let found = descriptor::canonical::describe(generation, major, &tile)?;
    let departure = descriptor::canonical::first_departure(&found, major, &tile)?;
    Ok((found, departure))
}

/// Prints the request of CuTe to the driver for a TMA copy, the number of instructions, and refusals by the driver or
/// the hardware.
pub(super) fn tma(arguments: &TmaArguments, session: &mut Session) -> io::Result<Outcome> {
    let input = |name: &str| match name {
        "copy_op" => Some(arguments.operation.clone()),
        "T" => Some(arguments.element.clone()),
        "gmem" => Some(arguments.global.clone()),
        "smem" => Some(arguments.shared.clone()),
        "cta_tile" => Some(arguments.tile.clone()),
        "cluster" => Some(arguments.multicast.to_string()),
        _ => None,
    };
    let missing = session
        .target
        .and_then(|target| missing(&arguments.operation, target));
    match ask("make_tma_atom", &input) {
        Ok(answer) => {
            session.out.text(&fields(&answer))?;
            if let Some(missing) = missing {
                complain(&missing);
                return Ok(Outcome::Found);
            }
            for issue in &answer.issues {
                complain(&issue.refusal.message());
            }
            let fails = |issue: &Issue| issue.severity == Severity::Error;
            Ok(if answer.issues.iter().any(fails) {
                Outcome::Found
            } else {
                Outcome::Clean
            })
        }
        Err(NoAnswer::Refused(refusal)) => Ok(refused(&refusal)),
        Err(NoAnswer::Malformed(message)) => {
            complain(&message);
            Ok(Outcome::Unusable)
        }
    }
}

/// The message about an operation that code for a target does not have.
fn missing(operation: &str, target: Architecture) -> Option<String> {
    let needed = CopyAtom::named(operation).ok()?.architecture;
    (!needed.is_in(target)).then(|| {
        format!("{operation} is an instruction of {needed}, and code for {target} does not have it")
    })
}

fn fields(answer: &HardwareAnswer) -> String {
    let mut text = String::new();
    for (name, field) in &answer.fields {
        let value = match field {
            Field::Number(number) => number.to_string(),
            Field::Text(text) => text.clone(),
            Field::Truth(truth) => truth.to_string(),
            Field::List(values) => {
                let values: Vec<String> = values.iter().map(plain).collect();
                format!("[{}]", values.join(", "))
            }
        };
        let _ = writeln!(text, "{name:<20} {value}");
    }
    text
}

/// A number without the mark of a static one, or a symbol.
fn plain(value: &Int) -> String {
    value
        .value()
        .map_or_else(|| value.to_string(), |number| number.to_string())
}

fn refused(refusal: &Refusal) -> Outcome {
    complain(&format!("{}: {}", refusal.rule.name(), refusal.message()));
    Outcome::Found
}
