//! The kernels of every experiment of the table, given to NVIDIA's assembler; run by the stage `ptxas` of
//! `cargo xtask test`, which installs it.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeSet;

use cute_runner::table::{Scale, cases};
use cute_runner::watch::Unwatched;
use cute_tests::ptxas::{assembled, runs_on, tools};

/// The target of the assembled kernels: the device that the table was made for, where their target allows it.
const DEVICE: &str = "sm_90a";

#[test]
fn the_kernels_of_every_experiment_assemble_and_do_what_they_are_about() {
    let tools = tools();
    let folder = tempfile::tempdir().unwrap();
    let cubin = folder.path().join("kernel.cubin");
    let mut seen = BTreeSet::new();
    let mut failures = Vec::new();
    println!(
        "| experiment | kernel | assembled for | registers | machine instructions |\n| --- | --- | --- | --- | --- |"
    );
    for case in cases(Scale::Small) {
        let experiment = case.experiment(1, &Unwatched).unwrap();
        for job in experiment.jobs().unwrap() {
            let kernel = &job.kernel;
            if !seen.insert(kernel.text.clone()) {
                continue;
            }
            let architecture = if runs_on(kernel.target, DEVICE) {
                DEVICE
            } else {
                kernel.target
            };
            let machine = match assembled(&tools, &kernel.text, architecture, &cubin) {
                Ok(machine) => machine,
                Err(messages) => {
                    failures.push(format!("{}: {messages}\n{}", case.name, kernel.text));
                    continue;
                }
            };
            let mut found = Vec::new();
            for evidence in &kernel.evidence {
                let count = machine.count(evidence.opcode);
                found.push(format!("{count} {}", evidence.opcode.trim()));
                if count < evidence.least {
                    failures.push(format!(
                        "{}: {count} of {} {}\n{}",
                        case.name,
                        evidence.least,
                        evidence.opcode,
                        machine.opcodes.join("\n")
                    ));
                }
            }
            println!(
                "| {} | {} | {architecture} | {} | {} |",
                case.name,
                kernel.name,
                machine.registers,
                found.join(", ")
            );
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(seen.len() > 40, "{}", seen.len());
}
