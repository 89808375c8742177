//! `cargo xtask oracle TREE`: the tool's layouts of a tree, beside those of g++ for the same declarations.
//!
//! A copy of the tree gets a probe behind each declaration that the tool knows: an enumeration whose value makes the
//! compiler tell the type, once for each instance that it makes. So a probe works where nothing runs: in a class, in a
//! kernel, in a template. A value known only at run time is not part of a type and is not compared.

mod compare;
mod text;
mod tree;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::place::Checkout;
use crate::tally::Tally;
use crate::{oracles, server};
use tree::{Compiled, KnownLayout, Row, Tree};

/// Wrong declarations that are printed.
const PRINTED: usize = 20;

/// The trees of the stage, with the folders of their headers.
const TREES: [(&str, &[&str]); 3] = [
    ("examples", &[]),
    ("tests/operations", &[]),
    (
        "target/oracles/cutlass/examples/cute/tutorial",
        &["target/oracles/cutlass/examples/common"],
    ),
];

/// The page that has the tables.
const PAGE: &str = "docs/coverage.md";

/// The request of a run.
#[derive(Default, clap::Args)]
pub(crate) struct Request {
    /// The folder of the sources
    tree: PathBuf,
    /// A folder in which included files are looked for, before CUTLASS's; may be repeated
    #[arg(short = 'I', long, value_name = "FOLDER")]
    include: Vec<PathBuf>,
    /// A macro definition for g++, for macros that only a build for a device defines; may be repeated
    #[arg(short = 'D', long, value_name = "NAME[=TEXT]")]
    define: Vec<String>,
    /// The architecture whose branches the sources of the tree take, as `__CUDA_ARCH__` has it: 800
    #[arg(long, value_name = "NUMBER")]
    arch: Option<u32>,
    /// Compile only this source, named from the tree; may be repeated
    #[arg(long, value_name = "FILE")]
    only: Vec<PathBuf>,
    /// Write the table of this name in docs/coverage.md
    #[arg(long, value_name = "NAME")]
    table: Option<String>,
    /// The program that is judged, instead of one that is built
    #[arg(long, value_name = "PROGRAM")]
    tool: Option<PathBuf>,
}

/// The declarations of a file by their outcomes.
#[derive(Clone, Copy, Default)]
struct Counts {
    /// The values of the tool and of the compiler agree.
    right: usize,
    /// The tool has a value that the compiler has not, in the place of one that the compiler has.
    wrong: usize,
    /// The compiler makes an instance more: a limit, or one that the tool did not see.
    fewer: usize,
    /// The tool shows an instance more: one that the compiler does not make.
    more: usize,
    /// The compiler makes no instance, or no probe can be there.
    unseen: usize,
}

impl Counts {
    fn add(&mut self, other: Self) {
        self.right += other.right;
        self.wrong += other.wrong;
        self.fewer += other.fewer;
        self.more += other.more;
        self.unseen += other.unseen;
    }

    fn is_compared(self) -> bool {
        self.right + self.wrong + self.fewer + self.more > 0
    }

    fn columns(self) -> String {
        format!(
            "| {} | {} | {} | {} | {} |",
            self.right, self.wrong, self.fewer, self.more, self.unseen
        )
    }
}

/// The stage: the tutorials of CUTLASS, our own examples, and each operation on each kind of layout.
pub(crate) fn check(place: &Checkout) -> Result<Tally> {
    let mut tally = Tally::default();
    for (tree, include) in TREES {
        let request = Request {
            tree: place.path(tree),
            include: include.iter().map(|folder| place.path(folder)).collect(),
            ..Request::default()
        };
        tally += compare(place, &request)?;
    }
    Ok(tally)
}

/// Compares and prints; whether nothing is wrong.
pub(crate) fn run(place: &Checkout, request: &Request) -> Result<bool> {
    Ok(compare(place, request)?.is_clean())
}

fn compare(place: &Checkout, request: &Request) -> Result<Tally> {
    oracles::fetch(place)?;
    let tool = match &request.tool {
        Some(tool) => tool.clone(),
        None => server::build(place)?,
    };
    let mut tree = Tree::of(place, &request.tree, &request.include)?;
    let said = tree.said(&tool)?;
    tree.write(&said)?;
    let mut words = request.define.clone();
    words.extend(
        request
            .arch
            .map(|arch| format!("{}={arch}", tree::ARCHITECTURE)),
    );
    let compiled = tree.compile(&request.only, &words)?;
    for (source, why) in &compiled.refused {
        println!("g++ refuses {}: {why}", source.display());
    }
    if compiled.sources == 0 {
        bail!("g++ compiles no source of {}", request.tree.display());
    }
    let (counts, wrong) = compared(&said, &compiled);
    for line in wrong.iter().take(PRINTED) {
        println!("{line}");
    }
    let table = table(&counts, &compiled);
    println!("{table}");
    if let Some(name) = &request.table {
        write_table(&place.path(PAGE), name, &table)?;
    }
    let right = counts
        .values()
        .map(|counts| counts.right + counts.fewer + counts.more);
    Ok(Tally {
        passed: right.sum::<usize>() as u64,
        failed: wrong.len() as u64,
    })
}

fn compared(
    said: &BTreeMap<Row, KnownLayout>,
    compiled: &Compiled,
) -> (BTreeMap<PathBuf, Counts>, Vec<String>) {
    let mut counts: BTreeMap<PathBuf, Counts> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (row, known) in said {
        let of_file = counts.entry(row.file.clone()).or_default();
        let Some(truth) = compiled.told.get(row) else {
            of_file.unseen += 1;
            continue;
        };
        let is_told = |value: &&String| truth.iter().any(|told| compare::agree(value, told));
        let is_said = |told: &&String| known.values.iter().any(|value| compare::agree(value, told));
        let more = known.values.iter().find(|value| !is_told(value));
        let fewer = truth.iter().find(|told| !is_said(told));
        match (more, fewer) {
            (None, None) => of_file.right += 1,
            (None, Some(_)) => of_file.fewer += 1,
            (Some(_), None) => of_file.more += 1,
            (Some(value), Some(told)) => {
                of_file.wrong += 1;
                wrong.push(format!(
                    "wrong: {}:{}:{}: {value}, g++ has {told}",
                    row.file.display(),
                    row.line,
                    row.column,
                ));
            }
        }
    }
    (counts, wrong)
}

fn table(counts: &BTreeMap<PathBuf, Counts>, compiled: &Compiled) -> String {
    let mut table = String::from(
        "| file | right | wrong | right, and g++ has more | right, and the tool has more | not made by g++ |\n\
         | --- | --- | --- | --- | --- | --- |\n",
    );
    let mut all = Counts::default();
    for (file, of_file) in counts {
        all.add(*of_file);
        if of_file.is_compared() {
            let _ = writeln!(table, "| `{}` {}", file.display(), of_file.columns());
        }
    }
    let sources = compiled.sources + compiled.refused.len();
    let _ = writeln!(
        table,
        "| all, {} of {sources} sources compiled {}",
        compiled.sources,
        all.columns()
    );
    table
}

/// Puts a table between the marks of its name.
fn write_table(page: &Path, name: &str, table: &str) -> Result<()> {
    let text =
        std::fs::read_to_string(page).with_context(|| format!("reading {}", page.display()))?;
    let (begin, end) = (
        format!("<!-- probes of {name} -->\n"),
        format!("<!-- end of probes of {name} -->"),
    );
    let (Some((before, rest)), true) = (text.split_once(&begin), text.contains(&end)) else {
        bail!("{} has no place for a table of {name}", page.display());
    };
    let (_, after) = rest.split_once(&end).unwrap_or_default();
    let text = format!("{before}{begin}\n{table}\n{end}{after}");
    std::fs::write(page, text).with_context(|| format!("writing {}", page.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_the_compiler_does_not_have_is_wrong() {
        let row = |line| Row {
            file: "a.cu".into(),
            line,
            column: 1,
        };
        let values = |all: &[&str]| all.iter().map(|value| (*value).to_owned()).collect();
        let known = |all: &[&str]| KnownLayout {
            values: values(all),
            ..KnownLayout::default()
        };
        let said = BTreeMap::from([
            (row(1), known(&["_8:_1", "_4:_1"])),
            (row(2), known(&["_8:_1"])),
            (row(3), known(&["_8:_1"])),
            (row(4), known(&["_8:_1"])),
            (row(5), known(&["_8:_1", "_4:_1"])),
        ]);
        let compiled = Compiled {
            told: BTreeMap::from([
                (row(1), values(&["_8:_1", "_4:_1"])),
                (row(2), values(&["_8:_2"])),
                (row(4), values(&["_8:_1", "_2:_1"])),
                (row(5), values(&["_8:_1"])),
            ]),
            sources: 1,
            refused: Vec::new(),
        };
        let (counts, wrong) = compared(&said, &compiled);
        let counts = counts.get(Path::new("a.cu")).copied().unwrap_or_default();
        assert_eq!(counts.columns(), "| 1 | 1 | 1 | 1 | 1 |");
        assert_eq!(wrong, ["wrong: a.cu:2:1: _8:_1, g++ has _8:_2"]);
    }
}
