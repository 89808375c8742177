//! `cargo xtask python`: how much is known of the layouts that packages with kernels of the CuTe DSL declare, and why the rest
//! is not.
//!
//! The packages are fetched from PyPI, pinned by hash, into `target/oracles/python`; the examples of CUTLASS are those that
//! `flashinfer-python` carries.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::place::Place;
use crate::{command, oracles, server};

/// What a run is asked for.
#[derive(clap::Args)]
pub(crate) struct Request {
    /// How many reasons are printed for each tree
    #[arg(long, default_value_t = 8)]
    reasons: usize,
    /// The program that is judged, instead of one that is built
    #[arg(long, value_name = "PROGRAM")]
    tool: Option<PathBuf>,
}

/// The trees: what they are called, below which package of `target/oracles/python`, in which folder.
const TREES: [(&str, &str, &str); 5] = [
    ("`flash-attn-4` 4.0.0b36", "flash-attn-4", "flash_attn/cute"),
    ("`quack-kernels` 0.6.5", "quack-kernels", "quack"),
    (
        "`nvidia-cudnn-frontend` 1.32.0",
        "nvidia-cudnn-frontend",
        "cudnn",
    ),
    (
        "`flashinfer-python` 0.7.2.post1",
        "flashinfer-python",
        "flashinfer",
    ),
    (
        "CUTLASS 4.5, `examples/python/CuTeDSL`",
        "flashinfer-python",
        "flashinfer/data/cutlass/examples/python/CuTeDSL",
    ),
];

/// A line of `layouts --unknown --format json`: a reason, or at last what was counted.
#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Reason {
        reason: String,
        layouts: u64,
        example: String,
    },
    Total {
        layouts: Counts,
        files: u64,
    },
}

#[derive(Deserialize)]
struct Counts {
    concrete: u64,
    symbolic: u64,
    unknown: u64,
}

/// Prints the table, then the most frequent reasons of each tree.
pub(crate) fn run(place: &Place, request: &Request) -> Result<()> {
    let packages = oracles::python_packages(place)?;
    let tool = match &request.tool {
        Some(tool) => tool.clone(),
        None => server::build_release(place)?,
    };
    println!("| tree | files | layouts declared | known | with run-time numbers | unknown |");
    println!("| --- | --- | --- | --- | --- | --- |");
    let mut reasons = Vec::new();
    for (name, package, folder) in TREES {
        let (total, files, ranked) = of_tree(place, &tool, &packages, package, folder)?;
        let Counts {
            concrete,
            symbolic,
            unknown,
        } = total;
        let all = concrete + symbolic + unknown;
        println!("| {name} | {files} | {all} | {concrete} | {symbolic} | {unknown} |");
        reasons.push((name, ranked));
    }
    for (name, ranked) in reasons {
        println!("\n{name}:\n");
        for (layouts, reason, example) in ranked.into_iter().take(request.reasons) {
            println!("- {layouts}: {reason} (`{example}`)");
        }
    }
    Ok(())
}

/// What a reason leaves unknown, the reason, and the first place that has it.
type Ranked = Vec<(u64, String, String)>;

fn of_tree(
    place: &Place,
    tool: &Path,
    packages: &Path,
    package: &str,
    folder: &str,
) -> Result<(Counts, u64, Ranked)> {
    let mut layouts = command::program(place, tool);
    layouts
        .current_dir(packages.join(package))
        .args(["layouts", "--unknown", "--format", "json", "--python"])
        .arg(packages.join("env"))
        .arg(folder);
    let said = command::output(&mut layouts)?;
    let mut ranked = Vec::new();
    let mut counted = None;
    for line in said.lines() {
        let line: Line = serde_json::from_str(line)
            .with_context(|| format!("the program printed another line than ours: {line}"))?;
        match line {
            Line::Reason {
                reason,
                layouts,
                example,
            } if layouts > 0 => ranked.push((layouts, reason, example)),
            Line::Reason { .. } => {}
            Line::Total { layouts, files } => counted = Some((layouts, files)),
        }
    }
    let (layouts, files) = counted.context("the program counted nothing")?;
    Ok((layouts, files, ranked))
}
