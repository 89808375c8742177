//! Project tasks, run as `cargo xtask TASK`.
//!
//! **Knows** how the whole tree is built, checked, fetched for and measured. **Must never know** the meaning of a
//! layout: it starts programs and reads their reports.
#![forbid(unsafe_code)]

mod accesses;
mod address;
mod bench;
mod bounds;
mod conformance;
mod dependencies;
mod driver;
mod files;
mod fuzz;
mod gallery;
mod generate;
mod gpu;
mod host_programs;
mod install;
mod licences;
mod measurements;
mod metadata;
mod mutants;
mod neovim;
mod oracles;
mod others;
mod plain;
mod probes;
mod programs;
mod publishing;
mod python;
mod same;
mod seed;
mod server;
mod stages;
mod trees;
mod triton;
mod unknown;
mod vscode;
mod wire_runs;
mod workbench;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use packaging::{command, dist, npm, place, tally};

use crate::place::Checkout;

/// The tasks of the project; each needs Rust, a C compiler, Python 3 with pip and Node.js, and
/// keeps everything it fetches under `target/`.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Run every check, in order; the last line is `N passed, N failed`
    Test {
        /// Run only this stage (may be given several times)
        #[arg(long, value_name = "STAGE")]
        only: Vec<String>,
        /// Run the stages that install real editors and drive them, instead of the others
        #[arg(long)]
        editors: bool,
        /// Print the stages and their checks, and run none
        #[arg(long)]
        list: bool,
    },
    /// Fetch the oracles of the tests: the CUTLASS sources, pycute and tensor-layouts, pinned by hash
    Fetch,
    /// Measure, beside clangd and Python's layout libraries, and write docs/measurements.md
    Bench {
        /// Measure only this part
        part: Option<bench::Part>,
    },
    /// Run the table of experiments on a GPU, and write docs/gpu-results.md
    Gpu,
    /// Read random texts in the notation, and write docs/measurements.md
    Fuzz {
        /// Number of texts
        #[arg(long, default_value_t = 10_000_000)]
        cases: u64,
        /// Seed of the random numbers: the same seed makes the same texts
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Compare random C++ programs with g++, by class; wrong ones are printed, made small
    Programs {
        /// Number of programs
        #[arg(long, default_value_t = 1_000)]
        count: u64,
        /// Seed of the random numbers: the same seed makes the same programs
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Only programs of this class
        #[arg(long)]
        class: Option<String>,
        /// The program that is judged, instead of one that is built
        #[arg(long, value_name = "PROGRAM")]
        tool: Option<std::path::PathBuf>,
    },
    /// Compare random layouts with those of Triton's wheel, both ways; wrong ones are printed
    Triton {
        /// Number of layouts of each kind
        #[arg(long, default_value_t = 1_000)]
        count: u64,
        /// Seed of the random numbers: the same seed makes the same layouts
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Write tests/golden/triton.jsonl anew instead
        #[arg(long)]
        table: bool,
        /// The program that is judged, instead of one that is built
        #[arg(long, value_name = "PROGRAM")]
        tool: Option<std::path::PathBuf>,
    },
    /// Compare the offsets of random kernels of plain CUDA with g++ for every thread
    Accesses {
        /// Number of kernels
        #[arg(long, default_value_t = 1_000)]
        count: u64,
        /// Seed of the random numbers: the same seed makes the same kernels
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// The program that is judged, instead of one that is built
        #[arg(long, value_name = "PROGRAM")]
        tool: Option<std::path::PathBuf>,
    },
    /// Compile kernels with nvcc and write tests/golden/registers.jsonl: registers, shared memory, launches
    Bounds,
    /// Print how much is known of the layouts that packages with kernels of the CuTe DSL declare, with ranked reasons
    Python(python::Request),
    /// Print how much is known of the layouts in the C++ of others, with ranked reasons
    Trees(trees::Request),
    /// Count what is known of the plain loads and stores in the CUDA sources of other projects
    Plain(plain::Request),
    /// Put bugs that cost days into sources that have none, and print by class which of them are reported
    Mutants {
        /// Number of mutants of each operator
        #[arg(long, default_value_t = 20)]
        count: usize,
        /// Seed of the choice, where there are more: the same seed takes the same
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Only operators with this in their class or name
        #[arg(long, value_name = "TEXT")]
        only: Option<String>,
        /// The program that is judged, instead of one that is built
        #[arg(long, value_name = "PROGRAM")]
        tool: Option<std::path::PathBuf>,
        /// Sources, or folders of them, instead of those at hand
        sources: Vec<std::path::PathBuf>,
    },
    /// Compare the layouts of a tree of sources with g++ for the same declarations, instance by instance
    Oracle(probes::Request),
    /// Compare the output of two builds of the program for the same sources, row by row: values, findings, hints,
    /// costs, conditions
    Same(same::Request),
    /// Edit projects of several files at random, in the editor and on disk, and compare with a server that was just started
    Drift(wire_runs::Drift),
    /// Type real files letter by letter: no process ends, each request has one answer
    Typing(wire_runs::Typing),
    /// Generate the parsers of grammar/cuda and grammar/notation from their grammar.js
    Generate,
    /// Draw the pictures under docs/gallery anew
    Gallery,
    /// Write the public address of the repository into the manifests of the extension, the crates and the wheel
    Address {
        /// The address: `https://HOST/OWNER/NAME`
        url: String,
    },
    /// Build the packages into target/dist: the program, the wheel, and the extension with it inside
    Dist,
}

fn main() -> ExitCode {
    match run(&Arguments::parse().task) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The exit code of a task that went well or not.
fn code(is_right: bool) -> ExitCode {
    if is_right {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn run(task: &Task) -> Result<ExitCode> {
    let place = Checkout::of_this_run()?;
    match task {
        Task::Test { list: true, .. } => {
            stages::list();
            Ok(ExitCode::SUCCESS)
        }
        Task::Test { only, editors, .. } => {
            let total = stages::run_all(&place, &stages::chosen(only, *editors)?);
            Ok(code(total.is_clean()))
        }
        Task::Fetch => oracles::fetch(&place).map(|()| ExitCode::SUCCESS),
        Task::Bench { part } => bench::run(&place, *part).map(|()| ExitCode::SUCCESS),
        Task::Bounds => bounds::run(&place).map(|()| ExitCode::SUCCESS),
        Task::Gpu => gpu::run(&place).map(|()| ExitCode::SUCCESS),
        Task::Fuzz { cases, seed } => fuzz::run(&place, *cases, *seed).map(|()| ExitCode::SUCCESS),
        Task::Programs {
            count,
            seed,
            class,
            tool,
        } => {
            let request = programs::Request {
                count: *count,
                seed: *seed,
                class: class.clone(),
                tool: tool.clone(),
            };
            Ok(code(programs::run(&place, &request)?))
        }
        Task::Triton {
            count,
            seed,
            table,
            tool,
        } => {
            let request = triton::Request {
                count: *count,
                seed: *seed,
                table: *table,
                tool: tool.clone(),
            };
            triton::compare(&place, &request)?;
            Ok(ExitCode::SUCCESS)
        }
        Task::Accesses { count, seed, tool } => {
            let request = accesses::Request {
                count: *count,
                seed: *seed,
                tool: tool.clone(),
            };
            Ok(code(accesses::run(&place, &request)?))
        }
        Task::Python(request) => python::run(&place, request).map(|()| ExitCode::SUCCESS),
        Task::Trees(request) => trees::run(&place, request).map(|()| ExitCode::SUCCESS),
        Task::Plain(request) => plain::run(&place, request).map(|()| ExitCode::SUCCESS),
        Task::Mutants {
            count,
            seed,
            only,
            tool,
            sources,
        } => {
            let request = mutants::Request {
                count: *count,
                seed: *seed,
                only: only.clone(),
                sources: sources.clone(),
                tool: tool.clone(),
            };
            mutants::run(&place, &request)?;
            Ok(ExitCode::SUCCESS)
        }
        Task::Oracle(request) => Ok(code(probes::run(&place, request)?)),
        Task::Same(request) => Ok(code(same::compare(&place, request)?)),
        Task::Drift(asked) => Ok(code(wire_runs::run_drift(&place, asked)?)),
        Task::Typing(asked) => wire_runs::run_typing(&place, asked).map(|()| ExitCode::SUCCESS),
        Task::Generate => generate::run(&place).map(|()| ExitCode::SUCCESS),
        Task::Gallery => gallery::draw(&place).map(|()| ExitCode::SUCCESS),
        Task::Address { url } => address::write(&place, url).map(|()| ExitCode::SUCCESS),
        Task::Dist => dist::build(&place).map(|_| ExitCode::SUCCESS),
    }
}
