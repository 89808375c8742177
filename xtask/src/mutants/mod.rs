//! `cargo xtask mutants`: bugs that cost days, put into sources that have none, and which of them are reported.
//!
//! Each mutant is one change of one place. It is *reported* where an error or warning of a rule of its operator comes that the
//! original does not have, on the changed statement or with it as a related place; of a statement that is removed, anywhere in
//! its function.

mod equivalents;
mod operators;
mod sites;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::host_programs::in_pairs;
use crate::place::Checkout;
use crate::programs::Random;
use crate::server;
use operators::{OPERATORS, Operator};
use sites::{Site, sites};

/// Sources that mutants are made of where none are named: files and folders below the root.
const SOURCES: &[&str] = &["examples", "analysis/tests/costs", "tests/data/kernels"];

/// A source that has errors to begin with.
const WRONG: &str = "wrong.cu";

/// The request of a run.
pub(crate) struct Request {
    /// Mutants of each operator, at most.
    pub(crate) count: usize,
    /// The seed of the random numbers that choose among more.
    pub(crate) seed: u64,
    /// Only operators whose class or name has this text.
    pub(crate) only: Option<String>,
    /// Sources instead of those at hand.
    pub(crate) sources: Vec<PathBuf>,
    /// The program that is judged, instead of one that is built.
    pub(crate) tool: Option<PathBuf>,
}

/// A source with the reports on it as it is.
struct Original {
    path: PathBuf,
    text: String,
    findings: BTreeSet<(String, String)>,
}

/// A mutant of one of the sources.
struct Mutant {
    source: usize,
    site: Site,
}

/// The fate of a mutant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Reported,
    /// A new error or warning, but of another rule or of another place.
    Elsewhere,
    Silent,
}

/// One line of the output of `check`.
#[derive(Deserialize)]
struct Finding {
    line: usize,
    end_line: usize,
    rule: String,
    severity: String,
    message: String,
    related: Vec<Related>,
}

#[derive(Deserialize)]
struct Related {
    line: usize,
    end_line: usize,
}

/// Makes mutants and prints the reports on them.
pub(crate) fn run(place: &Checkout, request: &Request) -> Result<()> {
    let tool = match &request.tool {
        Some(tool) => std::path::absolute(tool)?,
        None => server::build(place)?,
    };
    let bench = Bench {
        tool,
        folder: place.path("target/mutants"),
        include: place.path("target/oracles/cutlass/include"),
    };
    let originals = originals(place, request, &bench)?;
    let mutants = chosen(&originals, request);
    println!(
        "{} mutants of {} sources, seed {}",
        mutants.len(),
        originals.len(),
        request.seed
    );
    let batches: Vec<&[Mutant]> = mutants.chunks(1).collect();
    let fates = in_pairs(&batches, |batch, name| {
        let fates = batch
            .iter()
            .map(|mutant| bench.fate(mutant, &originals, name));
        fates.collect::<Result<Vec<Fate>>>()
    })?;
    let judged: Vec<(&Mutant, Fate)> = mutants.iter().zip(fates.into_iter().flatten()).collect();
    print(&judged, &originals);
    Ok(())
}

fn originals(place: &Checkout, request: &Request, bench: &Bench) -> Result<Vec<Original>> {
    let given: Vec<PathBuf> = match request.sources.as_slice() {
        [] => SOURCES.iter().map(|source| place.path(source)).collect(),
        given => given.to_vec(),
    };
    let mut paths: Vec<PathBuf> = Vec::new();
    for path in given {
        if path.is_dir() {
            paths.extend(cute_tests::files::files_below(&path, "cu"));
        } else {
            paths.push(path);
        }
    }
    paths.retain(|path| path.file_name().is_none_or(|name| name != WRONG));
    let read: Result<Vec<Vec<Original>>> = in_pairs(
        &paths.chunks(1).collect::<Vec<_>>(),
        |paths, name| -> Result<Vec<Original>> {
            let originals = paths.iter().map(|path| {
                let text = std::fs::read_to_string(path)
                    .with_context(|| format!("reading {}", path.display()))?;
                let findings = bench.check(&text, path, name)?;
                Ok(Original {
                    path: path.clone(),
                    text,
                    findings: findings.iter().map(key).collect(),
                })
            });
            originals.collect()
        },
    );
    Ok(read?.into_iter().flatten().collect())
}

/// The key that tells a finding of a mutant from those of its original.
fn key(finding: &Finding) -> (String, String) {
    (finding.rule.clone(), finding.message.clone())
}

/// This many mutants of each operator, spread by the seed.
fn chosen(originals: &[Original], request: &Request) -> Vec<Mutant> {
    let mut by_operator: Vec<Vec<Mutant>> = OPERATORS.iter().map(|_| Vec::new()).collect();
    for (source, original) in originals.iter().enumerate() {
        for site in sites(&original.text) {
            let name = OPERATORS[site.operator].name;
            match equivalents::reason(&original.path, &original.text, name, &site) {
                Some(why) => println!("equivalent: {}: {name}: {why}", original.path.display()),
                None => by_operator[site.operator].push(Mutant { source, site }),
            }
        }
    }
    let mut chosen = Vec::new();
    for (index, mut mutants) in by_operator.into_iter().enumerate() {
        let operator = &OPERATORS[index];
        let is_wanted = request
            .only
            .as_ref()
            .is_none_or(|only| operator.class.contains(only) || operator.name.contains(only));
        let mut random = Random::new(request.seed, index as u64);
        while is_wanted && mutants.len() > request.count {
            let last = mutants.len() as i64 - 1;
            mutants.swap_remove(random.between(0, last) as usize);
        }
        chosen.extend(mutants.into_iter().filter(|_| is_wanted));
    }
    chosen
}

struct Bench {
    tool: PathBuf,
    folder: PathBuf,
    include: PathBuf,
}

impl Bench {
    /// The findings for a text that replaces a file.
    fn check(&self, text: &str, path: &Path, name: &str) -> Result<Vec<Finding>> {
        // Each in its own folder: a file beside a source may be read with it.
        let folder = self.folder.join(name);
        std::fs::create_dir_all(&folder).context("creating the folder of a mutant")?;
        let changed = folder.join("mutant.cu");
        std::fs::write(&changed, text).context("writing a mutant")?;
        let mut command = Command::new(&self.tool);
        command.args(["check", "--all", "--format", "json", "-I"]);
        command.arg(&self.include);
        if let Some(folder) = path.parent() {
            command.arg("-I").arg(folder);
        }
        let output = command
            .arg(&changed)
            .output()
            .with_context(|| format!("cannot start {}", self.tool.display()))?;
        String::from_utf8_lossy(&output.stdout)
            .lines()
            .map(|line| serde_json::from_str(line).with_context(|| format!("reading {line}")))
            .collect()
    }

    fn fate(&self, mutant: &Mutant, originals: &[Original], name: &str) -> Result<Fate> {
        let original = &originals[mutant.source];
        let mut text = original.text.clone();
        let change = &mutant.site.change;
        text.replace_range(change.span.start..change.span.end, &change.text);
        let new: Vec<Finding> = self
            .check(&text, &original.path, name)?
            .into_iter()
            .filter(|finding| matches!(finding.severity.as_str(), "error" | "warning"))
            .filter(|finding| !original.findings.contains(&key(finding)))
            .collect();
        let operator = &OPERATORS[mutant.site.operator];
        Ok(
            if new
                .iter()
                .any(|finding| is_right(finding, operator, mutant, original))
            {
                Fate::Reported
            } else if new.is_empty() {
                Fate::Silent
            } else {
                Fate::Elsewhere
            },
        )
    }
}

/// Whether a finding is about a mutant. No operator adds or removes lines, so the lines of the original count.
fn is_right(finding: &Finding, operator: &Operator, mutant: &Mutant, original: &Original) -> bool {
    let line = |offset: usize| {
        let before = original.text.get(..offset).unwrap_or_default();
        before.matches('\n').count() + 1
    };
    let is_removed = mutant.site.change.text.starts_with(';');
    let place = if is_removed {
        mutant.site.function
    } else {
        mutant.site.statement
    };
    let (first, last) = (line(place.start), line(place.end));
    let own = std::iter::once((finding.line, finding.end_line));
    let related = finding
        .related
        .iter()
        .map(|other| (other.line, other.end_line));
    let mut places = own.chain(related);
    operator.rules.contains(&finding.rule.as_str())
        && places.any(|(start, end)| start <= last && first <= end)
}

fn print(judged: &[(&Mutant, Fate)], originals: &[Original]) {
    let count = |of: &dyn Fn(&Operator) -> bool, fate: Option<Fate>| {
        let found = judged.iter().filter(|(mutant, found)| {
            of(&OPERATORS[mutant.site.operator]) && fate.is_none_or(|fate| fate == *found)
        });
        found.count()
    };
    println!(
        "{:<52}{:>8}{:>10}{:>11}{:>8}",
        "", "applied", "reported", "elsewhere", "silent"
    );
    let row = |name: &str, of: &dyn Fn(&Operator) -> bool| {
        let [reported, elsewhere, silent] =
            [Fate::Reported, Fate::Elsewhere, Fate::Silent].map(|fate| count(of, Some(fate)));
        let applied = count(of, None);
        println!("{name:<52}{applied:>8}{reported:>10}{elsewhere:>11}{silent:>8}");
    };
    let mut class = "";
    for operator in OPERATORS {
        if operator.class != class {
            class = operator.class;
            row(class, &|other| other.class == class);
        }
        row(&format!("    {}", operator.name), &|other| {
            other.name == operator.name
        });
    }
    row("all", &|_| true);
    for (mutant, fate) in judged {
        if *fate != Fate::Reported {
            let original = &originals[mutant.source];
            let before = original
                .text
                .get(..mutant.site.change.span.start)
                .unwrap_or_default();
            let word = if *fate == Fate::Silent {
                "silent"
            } else {
                "elsewhere"
            };
            println!(
                "{word}: {}:{}: {}",
                original.path.display(),
                before.matches('\n').count() + 1,
                OPERATORS[mutant.site.operator].name
            );
        }
    }
}
