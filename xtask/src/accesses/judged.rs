//! The rows of the tool for a source, and what is counted where the truth is known.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::Counts;
use crate::host_programs::{self, Built};

/// CUDA's words for a compiler of the host, and the comparison.
const HEAD: &str = include_str!("truth.hpp");

/// Blocks of which all threads are compared.
pub(super) const BLOCKS: &[(i64, i64)] = &[(0, 0), (3, 2)];

/// The folder where kernels are written and compared.
pub(super) struct Bench {
    pub(super) folder: PathBuf,
    tool: PathBuf,
}

/// The tool's figures for an access.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Row {
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) memory: String,
    pub(super) unit: i64,
    pub(super) bytes: i64,
    pub(super) known: bool,
    pub(super) space: String,
    pub(super) offset: Option<String>,
    pub(super) layout: Option<String>,
    pub(super) base: Option<String>,
    #[serde(default)]
    pub(super) loops: Vec<(String, i64)>,
    #[serde(default)]
    pub(super) guards: Vec<String>,
    pub(super) sectors: Option<i64>,
    pub(super) wavefronts: Option<i64>,
    pub(super) ideal: Option<i64>,
    #[serde(default)]
    pub(super) aligned_by_assumption: bool,
    pub(super) reason: Option<String>,
}

impl Bench {
    pub(super) fn new(folder: PathBuf, tool: PathBuf) -> Result<Self> {
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("creating {}", folder.display()))?;
        std::fs::write(folder.join("truth.hpp"), HEAD)
            .context("writing the header of the truth")?;
        Ok(Self { folder, tool })
    }

    /// The output of the tool for a source.
    pub(super) fn said(&self, arguments: &[&str], source: &Path) -> Result<String> {
        let output = Command::new(&self.tool)
            .args(arguments)
            .arg(source)
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("cannot start {}", self.tool.display()))?;
        if output.status.code().is_none_or(|code| code > 1) {
            bail!("the tool ended with {}", output.status);
        }
        String::from_utf8(output.stdout).context("the tool prints UTF-8")
    }

    /// The tool's rows, by line: of the accesses of a line the one that is compared comes last.
    pub(super) fn rows(&self, source: &Path) -> Result<BTreeMap<usize, Row>> {
        let text = self.said(&["layouts", "--accesses", "--format", "json"], source)?;
        let mut rows: BTreeMap<usize, Row> = BTreeMap::new();
        for line in text.lines() {
            let row: Row = serde_json::from_str(line).context("a row of the tool")?;
            let is_outer = |known: &Row| (row.column, &row.memory) <= (known.column, &known.memory);
            if rows.get(&row.line).is_none_or(is_outer) {
                rows.insert(row.line, row);
            }
        }
        Ok(rows)
    }

    /// Compiles and runs a program that prints the truth. `linked` are other files of it.
    pub(super) fn compiled(
        &self,
        text: &str,
        name: &str,
        linked: &[PathBuf],
    ) -> Result<BTreeMap<usize, Truth>> {
        let text = match host_programs::build(&self.folder, name, text, linked)? {
            Built::Program(program) => host_programs::printed(&program)?,
            Built::Refused(said) => {
                let errors = said.lines().filter(|line| line.contains(" error: "));
                bail!("g++: {}", errors.take(4).collect::<Vec<_>>().join("\n"));
            }
        };
        let mut truths: BTreeMap<usize, Truth> = BTreeMap::new();
        for line in text.lines() {
            let (is_cost, rest) = match line.strip_prefix("cost ") {
                Some(rest) => (true, rest),
                None => (false, line),
            };
            let numbers: Vec<i64> = rest.split(' ').filter_map(|it| it.parse().ok()).collect();
            match (is_cost, numbers.as_slice()) {
                (true, [line, count, ideal]) => {
                    if let Some(truth) = truths.get_mut(&(*line as usize)) {
                        truth.cost = (*count, *ideal);
                    }
                }
                (false, [line, right, wrong, thread, actual, said, kind]) => {
                    let what = ["the expression", "the layout"][(*kind as usize).min(1)];
                    let wrong = (*wrong > 0).then(|| {
                        format!("{wrong} of {} wrong; thread {thread} is at byte {actual}, and {what} says {said}", right + wrong)
                    });
                    let truth = Truth {
                        right: *right as u64,
                        wrong,
                        cost: (0, 0),
                    };
                    truths.insert(*line as usize, truth);
                }
                _ => bail!("the truth printed `{line}`"),
            }
        }
        Ok(truths)
    }
}

/// Counts the accesses on some lines of a source.
pub(super) fn counted(
    (path, text): (&Path, &str),
    lines: &[usize],
    rows: &BTreeMap<usize, Row>,
    said: &BTreeMap<usize, Truth>,
) -> Counts {
    let source: Vec<&str> = text.lines().collect();
    let mut counts = Counts::default();
    for line in lines {
        counts.accesses += 1;
        let Some(row) = rows.get(line) else {
            counts.reasons.push("it was not found".to_owned());
            continue;
        };
        if !row.known {
            counts.reasons.push(row.reason.clone().unwrap_or_default());
            continue;
        }
        counts.known += 1;
        counts.with_layout += u64::from(row.layout.is_some());
        counts.with_cost += u64::from(row.ideal.is_some());
        let Some(truth) = said.get(line) else {
            // No thread came to it.
            continue;
        };
        counts.offsets += truth.right;
        let text = source.get(line - 1).copied().unwrap_or_default().trim();
        if let Some(wrong) = &truth.wrong {
            counts.wrong.push(format!(
                "{}:{line}: {text}\n    {wrong}\n    said: {:?} = {:?} + {:?}",
                path.display(),
                row.offset,
                row.layout,
                row.base
            ));
        } else if let (Some(count), Some(ideal)) = (row.sectors.or(row.wavefronts), row.ideal)
            && row.guards.is_empty()
            && !row.aligned_by_assumption
            && (count, ideal) != truth.cost
        {
            counts.wrong.push(format!(
                "{}:{line}: {text}\n    costs {:?}, not {:?}",
                path.display(),
                truth.cost,
                (count, ideal)
            ));
        }
    }
    counts
}

/// The end of a program: it prints what was compared on some lines, and what the accesses cost.
pub(super) fn printed(lines: impl Iterator<Item = usize>, rows: &BTreeMap<usize, Row>) -> String {
    let mut text = String::from(
        "  for (auto const& [line, row] : rows)\n    std::printf(\"%d %ld %ld %ld %ld %ld %ld\\n\", line, row.right, row.wrong, row.first_wrong[0], row.first_wrong[1], row.first_wrong[2], row.first_wrong[3]);\n",
    );
    for line in lines {
        if let Some(row) = rows.get(&line).filter(|row| row.known) {
            let shared = row.space == "shared";
            let _ = writeln!(
                text,
                "  {{ auto c = cost({line}, {}, {shared}); std::printf(\"cost %d %ld %ld\\n\", {line}, c.first, c.second); }}",
                row.bytes
            );
        }
    }
    text
}

/// The comparisons of an access with a row: of `offset_`, its offset in bytes.
pub(super) fn comparisons(line: usize, row: &Row) -> String {
    let mut code = String::new();
    // A long expression is cut, and what no thread comes to is `?`.
    let is_whole = |offset: &&String| !offset.replace(" ? ", " ").contains(['…', '?']);
    if let Some(offset) = row.offset.as_ref().filter(is_whole) {
        let _ = write!(
            code,
            " compare({line}, offset_, (long)({}) * {}, 0);",
            spoken(offset),
            row.unit
        );
    }
    if let (Some(layout), Some(base)) = (&row.layout, &row.base)
        && let Some(value) = value_of(layout, &index_of(&row.loops))
    {
        let _ = write!(
            code,
            " compare({line}, offset_, (({value}) + (long)({})) * {}, 1);",
            spoken(base),
            row.unit
        );
    }
    code
}

/// The truth about an access.
pub(super) struct Truth {
    /// Offsets that are as the tool says.
    right: u64,
    wrong: Option<String>,
    cost: (i64, i64),
}

/// Names of the tool that C++ does not have: the passes of a loop, the second variable of a name, the number of a warp
/// (`x@warp0` is what `x` is in the threads of the warp).
fn spoken(text: &str) -> String {
    let mut out = String::new();
    let mut letters = text
        .replace(".pass", "_pass")
        .chars()
        .collect::<Vec<_>>()
        .into_iter()
        .peekable();
    while let Some(letter) = letters.next() {
        if letter == '\'' {
            while letters.next_if(char::is_ascii_digit).is_some() {}
        } else if letter == '@' {
            while letters.next_if(char::is_ascii_alphanumeric).is_some() {}
        } else {
            out.push(letter);
        }
    }
    out
}

/// The index into a layout: the thread, then the passes of loops, the innermost first.
fn index_of(loops: &[(String, i64)]) -> String {
    let mut index = String::from("linear_thread()");
    let mut step = String::from("long(blockDim.x * blockDim.y * blockDim.z)");
    for (name, trips) in loops {
        let name = spoken(name).replace("_pass", "");
        index = format!("{index} + {name}_pass * {step}");
        step = format!("{step} * {trips}");
    }
    index
}

/// A layout as C++ with the index into it.
fn value_of(layout: &str, index: &str) -> Option<String> {
    if let Some(rest) = layout.strip_prefix("Sw<") {
        let (numbers, rest) = rest.split_once("> o ")?;
        let (offset, inner) = rest.split_once(" o ")?;
        return Some(format!(
            "swizzled({offset} + ({}), {numbers})",
            value_of(inner, index)?
        ));
    }
    let (shape, stride) = layout.split_once(':')?;
    let (shape, stride) = (leaves(shape), leaves(stride));
    if shape.len() != stride.len() {
        return None;
    }
    let mut value = String::from("0L");
    let mut step = String::from("1");
    for (extent, stride) in shape.iter().zip(stride) {
        let _ = write!(
            value,
            " + ((({index}) / ({step})) % {extent}) * (long)({})",
            spoken(&stride)
        );
        step = format!("{step} * {extent}");
    }
    Some(value)
}

/// The leaves of a tuple of numbers and expressions: `((8,4),2)`.
fn leaves(tuple: &str) -> Vec<String> {
    let parts = split(tuple);
    match parts.as_slice() {
        [only] if *only == tuple => vec![tuple.to_owned()],
        parts => parts.iter().flat_map(|part| leaves(part)).collect(),
    }
}

/// The parts of `(a,b)`; a text without a comma between its parentheses is one part.
fn split(tuple: &str) -> Vec<&str> {
    let Some(inner) = tuple
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
    else {
        return vec![tuple];
    };
    let (mut depth, mut start) = (0_i64, 0);
    let mut parts = Vec::new();
    for (at, letter) in inner.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(inner.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            _ => {}
        }
        if depth < 0 {
            return vec![tuple];
        }
    }
    if parts.is_empty() {
        return vec![tuple];
    }
    parts.push(inner.get(start..).unwrap_or_default());
    parts
}
