//! `cargo xtask python`: how much is known of the layouts that packages with kernels of the CuTe DSL declare, and why the rest
//! is not.
//!
//! The packages are fetched from PyPI, pinned by hash, into `target/oracles/python`; the examples of CUTLASS are those that
//! `flashinfer-python` carries.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::place::Checkout;
use crate::unknown::{Counts, Ranking};
use crate::{command, oracles, server};

/// The request of a run.
#[derive(clap::Args)]
pub(crate) struct Request {
    /// Number of reasons printed for each tree
    #[arg(long, default_value_t = 8)]
    reasons: usize,
    /// The program that is judged, instead of one that is built
    #[arg(long, value_name = "PROGRAM")]
    tool: Option<PathBuf>,
}

/// The trees: the names, the packages of `target/oracles/python`, in which folder.
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

/// Prints the table, then the most frequent reasons of each tree; with `UPDATE_DOCS` set they go to the page of known
/// layouts.
pub(crate) fn run(place: &Checkout, request: &Request) -> Result<()> {
    let packages = oracles::python_packages(place)?;
    let tool = match &request.tool {
        Some(tool) => tool.clone(),
        None => server::build_release(place)?,
    };
    let mut page =
        "| tree | files | layouts declared | known | with run-time numbers | of both, only *supposed* | unknown |\n\
                    | --- | --- | --- | --- | --- | --- | --- |\n"
            .to_owned();
    let mut reasons = Vec::new();
    for (name, package, folder) in TREES {
        let found = of_tree(place, &tool, &packages, package, folder)?;
        let (all, files) = (found.layouts.all(), found.files);
        let supposed = found.known_supposed;
        let Counts {
            concrete,
            symbolic,
            unknown,
        } = found.layouts;
        let _ = writeln!(
            page,
            "| {name} | {files} | {all} | {concrete} | {symbolic} | {supposed} | {unknown} |"
        );
        reasons.push((name, found.reasons));
    }
    for (name, ranked) in reasons {
        let _ = writeln!(page, "\nUnknown of {name}:\n");
        for found in ranked.into_iter().take(request.reasons) {
            let _ = writeln!(
                page,
                "- {}: {} (`{}`)",
                found.layouts, found.reason, found.example
            );
        }
    }
    cute_tests::page::print("coverage.md", "python packages", &page);
    Ok(())
}

fn of_tree(
    place: &Checkout,
    tool: &Path,
    packages: &Path,
    package: &str,
    folder: &str,
) -> Result<Ranking> {
    let mut layouts = command::program(place, tool);
    // Kernels of one package use helpers of another.
    let others = ["quack-kernels", "flash-attn-4"].map(|other| packages.join(other));
    layouts
        .env("PYTHONPATH", std::env::join_paths(others)?)
        .current_dir(packages.join(package))
        .args(["layouts", "--unknown", "--format", "json", "--python"])
        .arg(packages.join("env"));
    // Headers of C++ in the package are not kernels of the DSL.
    let root = packages.join(package);
    for file in cute_tests::files::files_below(&root.join(folder), "py") {
        layouts.arg(file.strip_prefix(&root).unwrap_or(&file));
    }
    Ranking::read(&command::output(&mut layouts)?)
}
