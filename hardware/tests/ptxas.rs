//! Every kernel and every instruction that the crate writes, given to NVIDIA's assembler; run by the stage `ptxas` of
//! `cargo xtask test`, which installs the assembler and the disassembler.
#![allow(
    clippy::panic,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod golden;

use cute_hardware::kernel::{self, instruction};
use cute_hardware::{CopyAtom, Kernel, MmaAtom, Refusal, Rule};
use cute_tests::ptxas::{assemble, assembled, runs_on, tools};
use golden::{rows, text};
use std::collections::BTreeMap;

/// The architectures that each kernel is assembled for, when its target allows it.
const ARCHITECTURES: [&str; 4] = ["sm_80", "sm_90", "sm_90a", "sm_100a"];

#[test]
fn every_kernel_assembles_where_it_runs() {
    let tools = tools();
    let folder = tempfile::tempdir().unwrap();
    let cubin = folder.path().join("kernel.cubin");
    let mut failures = Vec::new();
    println!(
        "| kernel | target | assembled for | registers | machine instructions |\n| --- | --- | --- | --- | --- |"
    );
    for kernel in kernel::examples().unwrap() {
        let mut compiled = Vec::new();
        let mut registers = Vec::new();
        let mut found = Vec::new();
        for architecture in ARCHITECTURES
            .into_iter()
            .filter(|name| runs_on(kernel.target, name))
        {
            let machine = match assembled(&tools, &kernel.text, architecture, &cubin) {
                Ok(machine) => machine,
                Err(messages) => {
                    failures.push(format!(
                        "{} for {architecture}: {messages}\n{}",
                        kernel.name, kernel.text
                    ));
                    continue;
                }
            };
            compiled.push(architecture);
            registers.push(machine.registers.to_string());
            for evidence in &kernel.evidence {
                let count = machine.count(evidence.opcode);
                found.push(format!("{count} {}", evidence.opcode.trim()));
                if count < evidence.least {
                    failures.push(format!(
                        "{} for {architecture}: {count} of {} {}\n{}",
                        kernel.name,
                        evidence.least,
                        evidence.opcode,
                        machine.opcodes.join("\n")
                    ));
                }
            }
        }
        registers.dedup();
        found.dedup();
        println!(
            "| {} | {} | {} | {} | {} |",
            kernel.name,
            kernel.target,
            compiled.join(" "),
            registers.join(" "),
            found.join(", ")
        );
    }
    assert!(
        failures.is_empty(),
        "{} failures, the first: {}",
        failures.len(),
        failures[0]
    );
}

/// Every distinct instruction of the atoms of the golden data, with a name that has it.
fn instructions() -> BTreeMap<String, (String, Kernel)> {
    let mut instructions = BTreeMap::new();
    let mut add =
        |name: &str, text: Result<String, Refusal>, kernel: Result<Kernel, Refusal>| match (
            text, kernel,
        ) {
            (Ok(text), Ok(kernel)) => {
                instructions
                    .entry(text)
                    .or_insert((name.to_owned(), kernel));
            }
            (Err(refusal), _) | (_, Err(refusal)) => {
                assert_eq!(refusal.rule, Rule::AtomParameters, "{name}: {refusal}");
            }
        };
    for row in rows("atoms-open.jsonl") {
        let name = text(&row, "name");
        if let Ok(atom) = MmaAtom::named(name) {
            // There are hundreds of numbers of columns; the instruction is the same.
            let is_sampled = atom.thread_id.size().unwrap().value() != Some(128)
                || [8, 24, 64, 256].contains(&atom.shape_mnk()[1]);
            if atom.not_issuable.is_none() && is_sampled {
                add(
                    name,
                    instruction::mma_text(&atom),
                    instruction::of_mma(&atom),
                );
            }
        } else if let Ok(atom) = CopyAtom::named(name)
            && atom.not_issuable.is_none()
        {
            for rank in [3, 5] {
                add(
                    name,
                    instruction::copy_text(&atom, rank),
                    instruction::of_copy(&atom, rank),
                );
            }
        }
    }
    instructions
}

#[test]
fn every_instruction_of_an_atom_exists() {
    let tools = tools();
    let instructions = instructions();
    let folder = tempfile::tempdir().unwrap();
    let work: Vec<_> = instructions.iter().collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let share = work.len().div_ceil(threads);
    let failures: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = work
            .chunks(share)
            .enumerate()
            .map(|(worker, part)| {
                let (tools, cubin) = (&tools, folder.path().join(format!("{worker}.cubin")));
                scope.spawn(move || {
                    part.iter()
                        .filter_map(|(text, (name, kernel))| {
                            let error =
                                assemble(tools, &kernel.text, kernel.target, &cubin).err()?;
                            Some(format!("{name}: {text}\n  {error}"))
                        })
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap())
            .collect()
    });
    let mut kinds: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (text, (_, kernel)) in &instructions {
        let opcode = text.split('.').next().unwrap_or_default();
        *kinds.entry((opcode, kernel.target)).or_default() += 1;
    }
    println!("| instruction | target | forms |\n| --- | --- | --- |");
    for ((opcode, target), count) in kinds {
        println!("| {opcode} | {target} | {count} |");
    }
    for failure in &failures {
        println!("{failure}");
    }
    assert!(
        failures.is_empty(),
        "{} of {} instructions are refused",
        failures.len(),
        instructions.len()
    );
    assert!(instructions.len() > 300, "{}", instructions.len());
}
