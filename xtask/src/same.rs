//! `cargo xtask same OLD NEW`: the output of two builds of the program for the same sources, row by row.
//!
//! It is the judge of a change that is to change no answer: values, findings, hints, costs and conditions of each
//! source are requested of both builds, and each row that one of them alone prints is a difference.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::command::program;
use crate::files::files_below;
use crate::place::Checkout;

/// Rows that are printed for each source and question.
const PRINTED: usize = 10;

/// The questions about each source: the subcommand with its options, and whether each of its lines is a row.
const QUESTIONS: [&[&str]; 5] = [
    &["layouts", "--format", "json"],
    &["check", "--all", "--format", "json"],
    &["hints"],
    &["budget"],
    &["preconditions"],
];

/// Endings of sources that the program reads.
const ENDINGS: [&str; 9] = ["cu", "cuh", "h", "hpp", "cpp", "cc", "hxx", "py", "rs"];

/// The request of a run.
#[derive(clap::Args)]
pub(crate) struct Request {
    /// The program before the change
    old: PathBuf,
    /// The program after it
    new: PathBuf,
    /// Sources, or folders of them; without them those of `examples` and CUTLASS's examples
    sources: Vec<PathBuf>,
    /// A folder in which included files are looked for; may be repeated
    #[arg(short = 'I', long, value_name = "FOLDER")]
    include: Vec<PathBuf>,
    /// Only questions of this subcommand; may be repeated
    #[arg(long, value_name = "SUBCOMMAND")]
    only: Vec<String>,
}

/// Number of prints of each row.
type Rows = BTreeMap<String, usize>;

/// The compared rows.
#[derive(Default)]
struct Tally {
    sources: usize,
    rows: usize,
    differences: usize,
}

/// Compares the two programs; whether each row is the same.
pub(crate) fn compare(place: &Checkout, request: &Request) -> Result<bool> {
    let roots = if request.sources.is_empty() {
        vec![
            place.path("examples"),
            place.oracles().join("cutlass/examples"),
        ]
    } else {
        request.sources.clone()
    };
    let mut sources = Vec::new();
    for root in &roots {
        if root.is_file() {
            sources.push(root.clone());
        } else {
            sources.extend(files_below(root, &ENDINGS)?);
        }
    }
    if sources.is_empty() {
        bail!("no source is in {roots:?}");
    }
    let mut tally = Tally::default();
    for source in &sources {
        tally.sources += 1;
        for question in QUESTIONS {
            if request.only.is_empty() || request.only.iter().any(|only| only == question[0]) {
                compare_source(place, request, question, source, &mut tally)?;
            }
        }
    }
    println!(
        "{} rows of {} sources: {} differences",
        tally.rows, tally.sources, tally.differences
    );
    Ok(tally.differences == 0)
}

fn compare_source(
    place: &Checkout,
    request: &Request,
    question: &[&str],
    source: &Path,
    tally: &mut Tally,
) -> Result<()> {
    let rows = |tool: &Path| rows(place, request, tool, question, source);
    let (old, new) = (rows(&request.old)?, rows(&request.new)?);
    tally.rows += new.values().sum::<usize>();
    let (gone, come) = (only_in(&old, &new), only_in(&new, &old));
    if gone.is_empty() && come.is_empty() {
        return Ok(());
    }
    tally.differences += gone.len().max(come.len());
    println!("{} {}", question[0], source.display());
    for (sign, rows) in [('-', &gone), ('+', &come)] {
        for row in rows.iter().take(PRINTED) {
            println!("  {sign} {row}");
        }
        if rows.len() > PRINTED {
            println!("  {sign} and {} more", rows.len() - PRINTED);
        }
    }
    Ok(())
}

/// The rows that a program prints; its exit code and its messages are rows, too.
fn rows(
    place: &Checkout,
    request: &Request,
    tool: &Path,
    question: &[&str],
    source: &Path,
) -> Result<Rows> {
    let mut command = program(place, tool);
    command.args(question);
    for folder in &request.include {
        command.arg("-I").arg(folder);
    }
    let run = command
        .arg(source)
        .output()
        .with_context(|| format!("cannot start {}", tool.display()))?;
    let mut rows = Rows::new();
    let (out, complaints) = (
        String::from_utf8_lossy(&run.stdout),
        String::from_utf8_lossy(&run.stderr),
    );
    let end = format!("exit status: {:?}", run.status.code());
    let all = out.lines().chain(complaints.lines()).chain([end.as_str()]);
    for row in all {
        *rows.entry(row.to_owned()).or_default() += 1;
    }
    Ok(rows)
}

/// The rows that the first prints more often than the second.
fn only_in(one: &Rows, other: &Rows) -> Vec<String> {
    let more = one.iter().flat_map(|(row, count)| {
        let there = other.get(row).copied().unwrap_or_default();
        std::iter::repeat_n(row.clone(), count.saturating_sub(there))
    });
    more.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_counts_as_often_as_it_is_printed() {
        let rows = |rows: &[&str]| {
            let mut all = Rows::new();
            for row in rows {
                *all.entry((*row).to_owned()).or_default() += 1;
            }
            all
        };
        let (one, other) = (rows(&["a", "a", "b"]), rows(&["a", "c"]));
        assert_eq!(only_in(&one, &other), ["a", "b"]);
        assert_eq!(only_in(&other, &one), ["c"]);
        assert!(only_in(&one, &one).is_empty());
    }
}
