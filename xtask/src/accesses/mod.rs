//! `cargo xtask accesses`: random kernels of plain CUDA and of Rust, whose offsets g++ and rustc compute for every thread
//! of some blocks, compared with the tool: the offset as C++, the layout with its base, and the cost of the worst warp.

mod faults;
mod judged;
mod kept;
mod kernels;
mod objects;
mod rust;
mod truth;
mod warps;
mod ways;

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::host_programs::in_pairs;
use crate::place::Checkout;
use crate::programs::Random;
use crate::server;
use crate::tally::Tally;

/// Kernels that one source has.
const IN_ONE_SOURCE: usize = 50;

/// Kernels in CUDA of the stage of `cargo xtask test`.
const OF_STAGE: u64 = 1_000;

/// Kernels in Rust for each in CUDA, as a divisor.
const RUST: u64 = 2;

/// Kernels in CUDA for each pair of kernels with and without one of the three faults.
const FAULTS: u64 = 5;

/// The seed of the stage.
const SEED: u64 = 25;

/// Offsets that are to be known, in percent.
const KNOWN: u64 = 95;

/// Wrong accesses that are printed.
const PRINTED: usize = 8;

/// The request of a run.
pub(crate) struct Request {
    /// Number of kernels.
    pub(crate) count: u64,
    /// The seed of the random numbers.
    pub(crate) seed: u64,
    /// The tool; it is built where this is not given.
    pub(crate) tool: Option<PathBuf>,
}

/// Accesses by the outcome of their comparison.
#[derive(Clone, Debug, Default)]
struct Counts {
    accesses: u64,
    known: u64,
    with_layout: u64,
    with_cost: u64,
    offsets: u64,
    wrong: Vec<String>,
    reasons: Vec<String>,
}

/// The stage: the same kernels in each run.
pub(crate) fn check(place: &Checkout) -> Result<Tally> {
    let request = Request {
        count: OF_STAGE,
        seed: SEED,
        tool: None,
    };
    compare(place, &request)
}

/// Whether all accesses are right and enough are known.
pub(crate) fn run(place: &Checkout, request: &Request) -> Result<bool> {
    let tally = compare(place, request).context("comparing accesses")?;
    Ok(tally.failed == 0)
}

fn compare(place: &Checkout, request: &Request) -> Result<Tally> {
    println!(
        "cargo xtask accesses --count {} --seed {}",
        request.count, request.seed
    );
    let tool = match &request.tool {
        Some(tool) => tool.clone(),
        None => server::build(place)?,
    };
    let bench = judged::Bench::new(place.path("target/accesses"), tool)?;
    let in_cuda = sources(request, request.count, kernels::kernel);
    let in_cuda = all(&in_cuda, |batch, name| truth::judge(&bench, batch, name))?;
    let in_rust = sources(request, request.count / RUST, rust::kernel);
    let in_rust = all(&in_rust, |batch, name| {
        rust::judge(&bench, batch, &format!("rust-{name}"))
    })?;
    let mut tally = Tally::default();
    for (language, counts) in [("CUDA", in_cuda), ("Rust", in_rust)] {
        println!("{language}:");
        print(&counts);
        let is_known = counts.known * 100 >= counts.accesses * KNOWN;
        if !is_known {
            println!("less than {KNOWN} % are known");
        }
        tally.passed += counts.known;
        tally.failed += counts.wrong.len() as u64 + u64::from(!is_known);
    }
    let faults = faults::judge(&bench, request.count / FAULTS, request.seed)?;
    println!(
        "faults: {} found, {} missed; {} twins without them are silent; {} untrue findings",
        faults.found,
        faults.missed.len(),
        faults.silent,
        faults.untrue.len()
    );
    for said in faults.untrue.iter().chain(&faults.missed).take(PRINTED) {
        println!("  {said}");
    }
    tally.passed += faults.found + faults.silent;
    tally.failed += (faults.untrue.len() + faults.missed.len()) as u64;
    Ok(tally)
}

/// Random kernels.
fn sources<K>(request: &Request, count: u64, write: fn(&mut Random, &str) -> K) -> Vec<K> {
    let each = (0..count).map(|index| {
        let mut random = Random::new(request.seed, index);
        write(&mut random, &format!("k{index}"))
    });
    each.collect()
}

/// The counts of all kernels.
fn all<K: Sync>(
    kernels: &[K],
    judge: impl Fn(&[K], &str) -> Result<Counts> + Sync,
) -> Result<Counts> {
    let mut all = Counts::default();
    let batches: Vec<&[K]> = kernels.chunks(IN_ONE_SOURCE).collect();
    for more in in_pairs(&batches, judge)? {
        all.accesses += more.accesses;
        all.known += more.known;
        all.with_layout += more.with_layout;
        all.with_cost += more.with_cost;
        all.offsets += more.offsets;
        all.wrong.extend(more.wrong);
        all.reasons.extend(more.reasons);
    }
    Ok(all)
}

fn print(counts: &Counts) {
    println!(
        "{} accesses: {} known ({} %), {} with a layout, {} with a cost; {} offsets compared, {} accesses wrong",
        counts.accesses,
        counts.known,
        100 * counts.known / counts.accesses.max(1),
        counts.with_layout,
        counts.with_cost,
        counts.offsets,
        counts.wrong.len(),
    );
    for wrong in counts.wrong.iter().take(PRINTED) {
        println!("wrong: {wrong}");
    }
    let mut reasons: Vec<(usize, &String)> = Vec::new();
    for reason in &counts.reasons {
        match reasons.iter_mut().find(|(_, known)| *known == reason) {
            Some((count, _)) => *count += 1,
            None => reasons.push((1, reason)),
        }
    }
    reasons.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    for (count, reason) in reasons.iter().take(PRINTED) {
        println!("{count:>6} unknown: {reason}");
    }
}
