//! `cargo xtask plain`: how much is known of the plain loads and stores in the CUDA sources of others, and why the rest is not.
//!
//! Each source is read by itself, with its package's own folders on the include path, and without the headers of CUDA and
//! `PyTorch`. A place in a source counts once, and is known where it is known in all instances.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::place::Checkout;
use crate::tally::Tally;
use crate::trees::{FLASHINFER, Source, VLLM, fetched, names_left_out, written_into};
use crate::{command, server};

/// The request of a run.
#[derive(clap::Args)]
pub(crate) struct Request {
    /// Write the table into docs/coverage.md
    #[arg(long)]
    write: bool,
    /// Only trees with this in their name
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// The program that is judged, instead of one that is built
    #[arg(long, value_name = "PROGRAM")]
    tool: Option<PathBuf>,
}

/// A tree of sources.
struct Tree {
    name: &'static str,
    source: &'static Source,
    /// The folder in which the program runs.
    folder: &'static str,
    /// The folder below it whose sources are read.
    sources: &'static str,
    /// Ends of their names.
    ends: &'static [&'static str],
    include: &'static [&'static str],
    /// Parts of paths that are left out.
    without: &'static [&'static str],
    /// Of the sources in order, one of this many is read.
    every: usize,
    /// Whether the stage of `cargo xtask test` reads it.
    of_stage: bool,
}

const LLAMA: Source = Source {
    pin: [
        "llama-cpp-python",
        "llama_cpp_python-0.3.9.tar.gz",
        "a3a985f558385e2f5de5b663f4e9b0817506d6af98122450142cd98e79216370",
    ],
    parts: &["vendor/llama.cpp/ggml/"],
};

const TRANSFORMER_ENGINE: Source = Source {
    pin: [
        "transformer-engine-torch",
        "transformer_engine_torch-2.9.0.tar.gz",
        "abbc59f6acf635abf865085ecdf90e7d4ca9a3782bc91a9845e38adb2655a547",
    ],
    parts: &[""],
};

const MAMBA: Source = Source {
    pin: [
        "mamba-ssm",
        "mamba_ssm-2.3.2.post1.tar.gz",
        "104cc47e9101e5401a675fa2b784f2952b9b037f3b1dd83b5ac544394e95d028",
    ],
    parts: &["csrc/"],
};

/// Sources of CUDA, and those of AMD's compilers that are not read.
const CUDA: &[&str] = &[".cu", ".cuh"];
const OF_OTHERS: &[&str] = &["rocm", "cdna", "rdna"];

const TREES: [Tree; 6] = [
    Tree {
        name: "vLLM 0.33.0, `csrc`",
        source: &VLLM,
        folder: "csrc",
        sources: ".",
        ends: CUDA,
        include: &["."],
        without: OF_OTHERS,
        every: 1,
        of_stage: false,
    },
    Tree {
        name: "llama-cpp-python 0.3.9, `ggml-cuda`",
        source: &LLAMA,
        folder: "vendor/llama.cpp/ggml",
        sources: "src/ggml-cuda",
        ends: CUDA,
        include: &["src/ggml-cuda", "include", "src"],
        without: &[],
        every: 1,
        of_stage: true,
    },
    Tree {
        name: "mamba-ssm 2.3.2, `csrc`",
        source: &MAMBA,
        folder: "csrc",
        sources: ".",
        ends: CUDA,
        include: &["selective_scan"],
        without: &[],
        every: 1,
        of_stage: false,
    },
    Tree {
        name: "transformer-engine-torch 2.9.0",
        source: &TRANSFORMER_ENGINE,
        folder: ".",
        sources: ".",
        ends: CUDA,
        include: &["common_headers", "csrc"],
        without: &[],
        every: 1,
        of_stage: true,
    },
    Tree {
        name: "flashinfer 0.7.2, `csrc`, every 24th `.cu`",
        source: &FLASHINFER,
        folder: ".",
        sources: "csrc",
        ends: &[".cu"],
        include: &["csrc", "include"],
        without: &[],
        every: 24,
        of_stage: false,
    },
    Tree {
        name: "flashinfer 0.7.2, `include` without `trtllm`, every third `.cuh`",
        source: &FLASHINFER,
        folder: ".",
        sources: "include/flashinfer",
        ends: &[".cuh"],
        include: &["csrc", "include"],
        without: &["/trtllm/"],
        every: 3,
        of_stage: false,
    },
];

/// The percentage of accesses that are to be known.
const KNOWN: usize = 85;

/// Sources that are read at a time.
const AT_A_TIME: usize = 2;

/// Reasons of a tree in the table.
const REASONS: usize = 3;

const PAGE: &str = "docs/coverage.md";
const BEGIN: &str = "<!-- plain -->\n";
const END: &str = "<!-- end of plain -->";

/// A line of `layouts --accesses --format json`.
#[derive(Deserialize)]
struct Row {
    line: u32,
    column: u32,
    reason: Option<String>,
}

/// The places of a tree.
#[derive(Default)]
struct Counts {
    files: usize,
    accesses: usize,
    known: usize,
    /// Places whose index each thread loads for itself.
    gathers: usize,
    /// The other reasons, without the names that they are about.
    reasons: BTreeMap<String, usize>,
}

impl Counts {
    /// Adds the places of a source.
    fn add(&mut self, said: &str) -> Result<()> {
        let mut places: BTreeMap<(u32, u32), Option<String>> = BTreeMap::new();
        for line in said.lines() {
            let row: Row = serde_json::from_str(line)
                .with_context(|| format!("the program printed another line than ours: {line}"))?;
            let place = places.entry((row.line, row.column)).or_default();
            if place.is_none() {
                *place = row.reason;
            }
        }
        self.files += 1;
        self.accesses += places.len();
        for reason in places.into_values() {
            match reason {
                None => self.known += 1,
                Some(reason) if reason.ends_with("is loaded and differs by thread") => {
                    self.gathers += 1;
                }
                Some(reason) => *self.reasons.entry(names_left_out(&reason)).or_default() += 1,
            }
        }
        Ok(())
    }

    fn has_enough(&self) -> bool {
        self.known * 100 >= self.accesses * KNOWN
    }
}

/// Prints the table, or writes it into the page.
pub(crate) fn run(place: &Checkout, request: &Request) -> Result<()> {
    let tool = match &request.tool {
        Some(tool) => tool.clone(),
        None => server::build_release(place)?,
    };
    let wanted = request.only.as_deref();
    let trees = TREES
        .iter()
        .filter(|tree| wanted.is_none_or(|wanted| tree.name.contains(wanted)));
    let mut table = String::from(
        "| sources | files | accesses | known | | gathers | other reasons |\n\
         | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for tree in trees {
        let line = line_of(tree, &of_tree(place, &tool, tree)?);
        print!("{line}");
        table += &line;
    }
    if request.write {
        written_into(&place.path(PAGE), (BEGIN, END), &table)?;
    }
    Ok(())
}

/// The stage of `cargo xtask test`: the share of known accesses in two packages.
pub(crate) fn check(place: &Checkout) -> Result<Tally> {
    let tool = server::build(place)?;
    let mut tally = Tally::default();
    for tree in TREES.iter().filter(|tree| tree.of_stage) {
        let found = of_tree(place, &tool, tree)?;
        print!("{}", line_of(tree, &found));
        let holds = found.accesses > 0 && found.has_enough();
        tally += if holds { Tally::PASSED } else { Tally::FAILED };
    }
    Ok(tally)
}

fn of_tree(place: &Checkout, tool: &Path, tree: &Tree) -> Result<Counts> {
    let root = fetched(place, tree.source)?.join(tree.folder);
    let mut sources = Vec::new();
    sources_below(&root, &root.join(tree.sources), tree, &mut sources)?;
    sources.sort();
    let sources: Vec<&PathBuf> = sources.iter().step_by(tree.every).collect();
    let counts = Mutex::new(Counts::default());
    let read = |sources: Vec<&PathBuf>| -> Result<()> {
        for source in sources {
            let mut accesses = command::program(place, tool);
            accesses.current_dir(&root);
            accesses.args(["layouts", "--accesses", "--format", "json"]);
            accesses.arg(source);
            for folder in tree.include {
                accesses.arg("-I").arg(folder);
            }
            let said = command::output(&mut accesses)?;
            let mut counts = counts
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            counts.add(&said)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..AT_A_TIME)
            .map(|first| {
                let part = sources.iter().copied().skip(first).step_by(AT_A_TIME);
                let part: Vec<&PathBuf> = part.collect();
                scope.spawn(|| read(part))
            })
            .collect();
        runs.into_iter().try_for_each(|run| {
            run.join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    })?;
    Ok(counts
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner))
}

/// The sources of a tree below a folder, as seen from its root.
fn sources_below(root: &Path, folder: &Path, tree: &Tree, found: &mut Vec<PathBuf>) -> Result<()> {
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            sources_below(root, &path, tree, found)?;
            continue;
        }
        let own = path.strip_prefix(root).unwrap_or(&path);
        let name = own.to_string_lossy();
        let is_read = tree.ends.iter().any(|end| name.ends_with(end))
            && !tree.without.iter().any(|part| name.contains(part));
        if is_read {
            found.push(own.to_owned());
        }
    }
    Ok(())
}

fn line_of(tree: &Tree, found: &Counts) -> String {
    let per_mille = found.known * 1000 / found.accesses.max(1);
    let mut ranked: Vec<(&String, &usize)> = found.reasons.iter().collect();
    ranked.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let reasons: Vec<String> = ranked
        .iter()
        .take(REASONS)
        .map(|(reason, count)| format!("{reason} ({count})"))
        .collect();
    let mut line = String::new();
    let _ = writeln!(
        line,
        "| {} | {} | {} | {} | {}.{} % | {} | {} |",
        tree.name,
        found.files,
        found.accesses,
        found.known,
        per_mille / 10,
        per_mille % 10,
        found.gathers,
        reasons.join("; ")
    );
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_known_where_all_of_its_instances_are() {
        let mut counts = Counts::default();
        let said = "{\"line\":1,\"column\":2,\"known\":true}\n\
            {\"line\":1,\"column\":2,\"known\":false,\"reason\":\"`a` is not followed\"}\n\
            {\"line\":3,\"column\":2,\"known\":false,\"reason\":\"`i[x]` is loaded and differs by thread\"}\n\
            {\"line\":4,\"column\":2,\"known\":true}\n";
        counts.add(said).unwrap();
        assert_eq!((counts.accesses, counts.known, counts.gathers), (3, 1, 1));
        assert_eq!(
            counts.reasons,
            BTreeMap::from([("… is not followed".to_owned(), 1)])
        );
        assert!(!counts.has_enough());
    }
}
