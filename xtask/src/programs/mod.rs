//! `cargo xtask programs`: random C++ programs whose values g++ and the tool say, compared by class. A wrong program is
//! made small.

mod effects;
mod functions;
mod generic;
mod libraries;
mod numbers;
mod objects;
mod pointers;
mod random;
mod shrink;
mod source;
mod structures;
mod truth;
mod words;

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::host_programs::in_pairs;
use crate::place::Checkout;
use crate::seed;
use crate::server;
use crate::tally::Tally;
pub(crate) use random::Random;
use source::{Program, Writer};
use truth::Bench;

/// The writer of a program.
type Write = fn(&mut Writer<'_>);

/// The classes of programs, each with its writer.
const CLASSES: &[(&str, Write)] = &[
    ("members", objects::members),
    ("references", objects::references),
    ("arrays", objects::arrays),
    ("overloads", functions::overloads),
    ("constraints", functions::constraints),
    ("templates", functions::templates),
    ("loops", functions::loops),
    ("arithmetic", numbers::arithmetic),
    ("sizes", words::sizes),
    ("macros", words::macros),
    ("names", words::names),
    ("choices", words::choices),
    ("structures", structures::structures),
    ("generic", generic::generic),
    ("libraries", libraries::libraries),
    ("pointers", pointers::pointers),
    ("effects", effects::effects),
];

/// Programs that one source has.
const IN_ONE_SOURCE: usize = 200;

/// Programs of the stage of `cargo xtask test`.
const OF_STAGE: u64 = 1_000;

/// Wrong programs that are made small.
const SHRUNK: usize = 8;

/// The request of a run.
pub(crate) struct Request {
    /// Number of programs.
    pub(crate) count: u64,
    /// The seed of the random numbers.
    pub(crate) seed: u64,
    /// Programs of this class only.
    pub(crate) class: Option<String>,
    /// The tool; it is built where this is not given.
    pub(crate) tool: Option<PathBuf>,
}

/// The values of a class.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    programs: u64,
    right: u64,
    unknown: u64,
    wrong: u64,
}

impl Counts {
    /// Percent of the values that are known.
    fn known(&self) -> u64 {
        let all = self.right + self.unknown + self.wrong;
        100 * (self.right + self.wrong) / all.max(1)
    }
}

/// A program of which something is wrong.
struct Wrong {
    program: Program,
    /// The variable, its type and the tool's value.
    about: String,
}

/// The seed of the stage where git does not know the tree.
const SEED: u64 = 8;

/// Percent of the values of each class that are known at least.
const LEAST_KNOWN: u64 = 60;

/// The stage: new programs for each tree.
pub(crate) fn check(place: &Checkout) -> Result<Tally> {
    let request = Request {
        count: OF_STAGE,
        seed: seed::number_of_tree(place).unwrap_or(SEED),
        class: None,
        tool: None,
    };
    compare(place, &request)
}

/// Compares programs and prints the table.
pub(crate) fn compare(place: &Checkout, request: &Request) -> Result<Tally> {
    println!(
        "cargo xtask programs --count {} --seed {}",
        request.count, request.seed
    );
    let tool = match &request.tool {
        Some(tool) => tool.clone(),
        None => server::build(place)?,
    };
    let bench = Bench::new(place.path("target/programs"), tool)?;
    let programs = programs(request);
    let batches: Vec<&[Program]> = programs.chunks(IN_ONE_SOURCE).collect();
    let mut counts: BTreeMap<&str, Counts> = BTreeMap::new();
    let mut wrong = Vec::new();
    let mut refused = 0;
    for judged in in_pairs(&batches, |batch, name| judge(&bench, batch, name))? {
        refused += judged.refused;
        for (class, more) in judged.counts {
            let sum = counts.entry(class).or_default();
            sum.programs += more.programs;
            sum.right += more.right;
            sum.unknown += more.unknown;
            sum.wrong += more.wrong;
        }
        wrong.extend(judged.wrong);
    }
    print_table(&counts, refused);
    for (index, wrong) in wrong.iter().take(SHRUNK).enumerate() {
        let small = shrink::shrunk(&bench, &wrong.program, index);
        println!("\nwrong ({}): {}", wrong.program.class, wrong.about);
        for line in &small.lines {
            println!("    {}", line.text);
        }
    }
    let right = counts.values().map(|counts| counts.right).sum();
    let wrong: u64 = counts.values().map(|counts| counts.wrong).sum();
    let mut failed = wrong;
    for (class, counts) in &counts {
        if counts.known() < LEAST_KNOWN {
            println!(
                "{class}: {} % are known, at least {LEAST_KNOWN} % are due",
                counts.known()
            );
            failed += 1;
        }
    }
    Ok(Tally {
        passed: right,
        failed,
    })
}

fn programs(request: &Request) -> Vec<Program> {
    let wanted = |class: &str| request.class.as_ref().is_none_or(|only| only == class);
    let classes: Vec<_> = CLASSES.iter().filter(|(class, _)| wanted(class)).collect();
    (0..request.count)
        .filter_map(|index| {
            let (class, write) = classes.get(index as usize % classes.len().max(1))?;
            let mut random = Random::new(request.seed, index);
            let mut writer = Writer::new(&mut random);
            write(&mut writer);
            Some(writer.finish(class))
        })
        .collect()
}

/// The judgement on the programs of one source.
struct Judged {
    counts: BTreeMap<&'static str, Counts>,
    wrong: Vec<Wrong>,
    /// Programs that the compiler refuses.
    refused: usize,
}

fn judge(bench: &Bench, programs: &[Program], name: &str) -> Result<Judged> {
    let (programs, truth) = bench.accepted(programs, name)?;
    let said = bench.said(&programs.kept, name)?;
    let (_, starts) = Bench::source(&programs.kept);
    let mut judged = Judged {
        counts: BTreeMap::new(),
        wrong: Vec::new(),
        refused: programs.refused,
    };
    for (program, start) in programs.kept.iter().zip(starts) {
        let counts = judged.counts.entry(program.class).or_default();
        counts.programs += 1;
        let mut is_wrong = false;
        for (offset, line) in program.lines.iter().enumerate() {
            let (Some(probe), Some(true_value)) = (&line.probe, truth.get(&(start + offset)))
            else {
                continue;
            };
            match said.get(&(start + offset)).copied().flatten() {
                None => counts.unknown += 1,
                Some(value) if value == *true_value => counts.right += 1,
                Some(value) => {
                    counts.wrong += 1;
                    if !is_wrong {
                        judged.wrong.push(Wrong {
                            program: program.clone(),
                            about: format!("{probe} is {true_value}, not {value}"),
                        });
                    }
                    is_wrong = true;
                }
            }
        }
    }
    Ok(judged)
}

fn print_table(counts: &BTreeMap<&str, Counts>, refused: usize) {
    println!("class          programs    right  unknown    wrong    known");
    for (class, counts) in counts {
        println!(
            "{class:<14} {:>8} {:>8} {:>8} {:>8} {:>7}%",
            counts.programs,
            counts.right,
            counts.unknown,
            counts.wrong,
            counts.known(),
        );
    }
    if refused > 0 {
        println!("{refused} programs are not valid C++ and were left out");
    }
}

/// An error names what was requested.
pub(crate) fn run(place: &Checkout, request: &Request) -> Result<bool> {
    let tally = compare(place, request).context("comparing programs")?;
    Ok(tally.failed == 0)
}
