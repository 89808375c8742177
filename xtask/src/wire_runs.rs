//! `cargo xtask drift` and `cargo xtask typing`: the long runs of the short wire tests.

use std::path::PathBuf;

use anyhow::{Result, bail};
use cute_tests::drift::{Outcome, Plan, Project, drift, projects};
use cute_tests::typing::{Counts, files, type_letters};

use crate::place::Checkout;
use crate::tally::Tally;
use crate::{seed, server};

/// After how many operations all is compared.
const EVERY: usize = 10;

/// Files of a folder that are taken, at most.
const FILES_OF_A_FOLDER: usize = 64;

/// The request of a run of `drift`.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Drift {
    /// Number of edits and other operations, in all projects together
    #[arg(long, default_value_t = 10_000)]
    edits: usize,
    /// Seed of the random numbers: the same seed does the same
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only projects with this in their names
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Print all operations before a difference, without leaving out those that it does not need
    #[arg(long)]
    whole: bool,
    /// The program that is judged, instead of one that is built
    #[arg(long, value_name = "PROGRAM")]
    tool: Option<PathBuf>,
    /// Folders of sources that are edited too, in a copy
    folders: Vec<PathBuf>,
}

/// The request of a run of `typing`.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Typing {
    /// Number of letters, in all files together
    #[arg(long, default_value_t = 10_000)]
    letters: usize,
    /// Seed of the random numbers: the same seed types the same
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The program that is judged, instead of one that is built
    #[arg(long, value_name = "PROGRAM")]
    tool: Option<PathBuf>,
}

/// Edits and other operations of the stage `drift`.
const EDITS_OF_A_STAGE: usize = 500;

/// The stage `drift`: other edits for each tree.
pub(crate) fn check_drift(place: &Checkout) -> Result<Tally> {
    let asked = Drift {
        edits: EDITS_OF_A_STAGE,
        // The seeds of the projects are made of it.
        seed: seed::number_of_tree(place).unwrap_or(1) % 1_000_000,
        only: None,
        whole: false,
        tool: None,
        folders: Vec::new(),
    };
    println!("    seed {}", asked.seed);
    let sum = drift_all(place, &asked)?;
    Ok(Tally {
        passed: sum.compares.saturating_sub(sum.differences.len()) as u64,
        failed: sum.differences.len() as u64,
    })
}

/// Edits projects of several files at random and compares with a fresh server; whether nothing differs.
pub(crate) fn run_drift(place: &Checkout, asked: &Drift) -> Result<bool> {
    Ok(drift_all(place, asked)?.differences.is_empty())
}

fn drift_all(place: &Checkout, asked: &Drift) -> Result<Outcome> {
    let binary = tool(place, asked.tool.as_ref())?;
    let mut all = projects();
    for folder in &asked.folders {
        all.push(Project::of_folder(folder, FILES_OF_A_FOLDER));
    }
    if let Some(only) = &asked.only {
        all.retain(|project| project.name.contains(only.as_str()));
    }
    if all.is_empty() {
        bail!("no project is chosen");
    }
    let mut sum = Outcome::default();
    for (number, project) in all.iter().enumerate() {
        let plan = Plan {
            edits: asked.edits.div_ceil(all.len()),
            every: EVERY,
            seed: asked.seed.wrapping_mul(1_000).wrapping_add(number as u64),
            minimises: !asked.whole,
        };
        let outcome = drift(&binary, project, plan);
        println!(
            "{:<24} {:>6} operations, {:>5} compares of {:>7} hints, {} differ",
            project.name,
            outcome.edits,
            outcome.compares,
            outcome.hints,
            outcome.differences.len()
        );
        for difference in &outcome.differences {
            println!("\n{difference}\n");
        }
        sum.add(outcome);
    }
    println!(
        "{} operations in {} projects, {} compares, {} differ",
        sum.edits,
        all.len(),
        sum.compares,
        sum.differences.len()
    );
    Ok(sum)
}

/// Types real files letter by letter; fails where the server ends, or a request has no answer or two.
pub(crate) fn run_typing(place: &Checkout, asked: &Typing) -> Result<()> {
    let binary = tool(place, asked.tool.as_ref())?;
    let files = files(place.root(), &place.oracles().join("cutlass"));
    let mut sum = Counts::default();
    for (number, file) in files.iter().enumerate() {
        let letters = asked.letters.div_ceil(files.len());
        let seed = asked.seed.wrapping_mul(1_000).wrapping_add(number as u64);
        let counts = type_letters(&binary, file, letters, seed);
        println!(
            "{:>6} letters, {:>6} requests answered, {:>6} of them overtaken: {}",
            counts.letters,
            counts.answered,
            counts.overtaken,
            file.path.display()
        );
        sum.add(counts);
    }
    println!(
        "{} letters, {} requests, each answered once; no process ended",
        sum.letters, sum.answered
    );
    Ok(())
}

fn tool(place: &Checkout, given: Option<&PathBuf>) -> Result<PathBuf> {
    given.map_or_else(|| server::build(place), |tool| Ok(tool.clone()))
}
