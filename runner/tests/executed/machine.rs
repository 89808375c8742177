//! A machine that is not ours: `ptoxide`, which reads PTX text and executes it.
//!
//! It ends with `todo!()` at what it does not have, so that every use of it is caught here.

use std::any::Any;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use cute_runner::job::{Argument, Contents, Job};
use ptoxide::{Context, LaunchParams};

use crate::text::{Module, Statement};

/// Why a module did not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The machine does not have something of it.
    Lacking(String),
    /// It has, and went wrong.
    Wrong(String),
}

/// A parameter of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Given {
    /// The address of a buffer.
    Buffer(usize),
    Word(u32),
    Long(u64),
}

/// Executes a kernel of a module on buffers, which it changes.
pub(crate) fn execute(
    module: &str,
    kernel: &str,
    buffers: &mut [Vec<u8>],
    given: &[Given],
    blocks: u32,
    threads: u32,
) -> Result<(), Failure> {
    guarded(|| {
        let mut machine = Context::new_with_module(module)
            .map_err(|error| Failure::Lacking(error.to_string()))?;
        let mut places = Vec::new();
        for buffer in buffers.iter() {
            let words = machine.alloc::<u64>(buffer.len().div_ceil(8));
            let mut padded = buffer.clone();
            padded.resize(buffer.len().div_ceil(8) * 8, 0);
            let contents: Vec<u64> = padded
                .as_chunks::<8>()
                .0
                .iter()
                .map(|word| u64::from_ne_bytes(*word))
                .collect();
            machine.write(words, &contents);
            places.push(words);
        }
        let arguments: Vec<ptoxide::Argument<'_>> = given
            .iter()
            .map(|given| match given {
                Given::Buffer(place) => ptoxide::Argument::ptr(places[*place]),
                Given::Word(word) => ptoxide::Argument::U32(*word),
                Given::Long(long) => ptoxide::Argument::U64(*long),
            })
            .collect();
        let launch = LaunchParams::func(kernel).grid1d(blocks).block1d(threads);
        machine
            .run(launch, &arguments)
            .map_err(|error| Failure::Wrong(error.to_string()))?;
        for (buffer, place) in buffers.iter_mut().zip(&places) {
            let mut contents = vec![0_u64; buffer.len().div_ceil(8)];
            machine.read(*place, &mut contents);
            let bytes = contents.iter().flat_map(|word| word.to_ne_bytes());
            *buffer = bytes.take(buffer.len()).collect();
        }
        Ok(())
    })
}

/// The buffers of a job after this machine performed it; `text` is its kernel with the lent instructions.
pub(crate) fn perform(job: &Job, text: &str) -> Result<Vec<Vec<u8>>, Failure> {
    let mut buffers: Vec<Vec<u8>> = job
        .buffers
        .iter()
        .map(|buffer| match &buffer.contents {
            Contents::Bytes(bytes) => bytes.clone(),
            Contents::Filled(count, value) => vec![*value; usize::try_from(*count).unwrap()],
        })
        .collect();
    let given: Vec<Given> = job
        .arguments
        .iter()
        .map(|argument| match argument {
            Argument::Buffer(place) => Given::Buffer(*place),
            Argument::Word(word) => Given::Word(*word),
            Argument::Long(long) => Given::Long(*long),
            Argument::TensorMap(_) => panic!("the machine has no tensor maps"),
        })
        .collect();
    let (name, launch) = (&job.kernel.name, job.launch);
    execute(
        text,
        name,
        &mut buffers,
        &given,
        launch.blocks,
        launch.threads,
    )?;
    Ok(buffers)
}

/// The instructions and directives of a module that the machine cannot execute, each tried alone: in a kernel that has
/// the declarations of the module and nothing else.
pub(crate) fn lacking(text: &str) -> BTreeSet<String> {
    let module = Module::of(text);
    let mut tried = BTreeSet::new();
    let mut lacking = BTreeSet::new();
    for directive in module.directives() {
        if !has(&Module::with_directive(&directive), &module) {
            lacking.insert(directive.name.clone());
        }
    }
    for statement in module.statements() {
        let form = statement.form();
        if tried.insert(form.clone()) && !has(&module.alone(statement), &module) {
            lacking.insert(form);
        }
    }
    lacking
}

/// Whether the machine has all of a module; what goes wrong with zeros in all registers does not count.
fn has(probe: &str, module: &Module) -> bool {
    const ROOM: usize = 1 << 12;
    let given: Vec<Given> = module
        .parameter_bits()
        .map(|bits| match bits {
            32 => Given::Word(0),
            _ => Given::Long(0),
        })
        .collect();
    let mut room = [vec![0_u8; ROOM]];
    let entry = Module::of(probe).entry();
    !matches!(
        execute(probe, &entry, &mut room, &given, 1, 1),
        Err(Failure::Lacking(_))
    )
}

/// Runs something that may panic, without a word on standard error.
fn guarded<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    thread_local!(static QUIET: Cell<bool> = const { Cell::new(false) });
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                usual(info);
            }
        }));
    });
    QUIET.set(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    QUIET.set(false);
    result.unwrap_or_else(|panic| {
        let said = message(panic.as_ref());
        Err(if said.contains("not yet implemented") {
            Failure::Lacking(said)
        } else {
            Failure::Wrong(said)
        })
    })
}

fn message(panic: &(dyn Any + Send)) -> String {
    panic
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned()))
        .unwrap_or_else(|| "a panic without words".to_owned())
}

impl Statement {
    /// The feature of the machine that it needs: `shr.u32`, `mov.u32 of %nctaid.x`, `and.b32 of a hexadecimal number`.
    pub(crate) fn form(&self) -> String {
        let special = self.operands.iter().find(|operand| {
            ["%nctaid", "%clock", "%laneid", "%cluster"]
                .iter()
                .any(|name| operand.starts_with(name))
        });
        let is_hexadecimal = self
            .operands
            .iter()
            .any(|operand| operand.starts_with("0x"));
        match special {
            Some(special) => format!("{} of {special}", self.opcode),
            None if is_hexadecimal => format!("{} of a hexadecimal number", self.opcode),
            None => self.opcode.clone(),
        }
    }
}
