//! The results of g++ and of the tool for programs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, anyhow, bail};
use serde::Deserialize;

use super::source::Program;
use crate::host_programs::{self, Built};

/// The text that the compiler reads in the place of CuTe's headers.
const STUB: &str = include_str!("stub.hpp");

/// The lines that both read before all programs.
const HEAD: &[&str] = &[
    "#include <algorithm>",
    "#include <array>",
    "#include <cstddef>",
    "#include <cstdint>",
    "#include <initializer_list>",
    "#include <tuple>",
    "#include <type_traits>",
    "#include <utility>",
];

/// The folder where programs are written and compared.
pub(super) struct Bench {
    folder: PathBuf,
    tool: PathBuf,
}

/// Values by line.
pub(super) type Values = BTreeMap<usize, i128>;

/// The results of programs.
pub(super) struct Truth {
    pub(super) values: Values,
}

/// Programs that are C++.
pub(super) struct Accepted {
    pub(super) kept: Vec<Program>,
    /// Number of programs left out.
    pub(super) refused: usize,
}

/// Why there is no truth.
pub(super) enum Refused {
    /// The compiler refuses these lines.
    Lines(BTreeSet<usize>),
    Other(anyhow::Error),
}

impl From<anyhow::Error> for Refused {
    fn from(error: anyhow::Error) -> Self {
        Self::Other(error)
    }
}

/// Number of rounds in which refused programs are left out.
const ROUNDS: usize = 8;

/// The tool's value for the probe of a line; `None` where it is unknown.
pub(super) type Said = BTreeMap<usize, Option<i128>>;

#[derive(Deserialize)]
struct Row {
    line: usize,
    name: String,
    value: Option<String>,
}

impl Bench {
    pub(super) fn new(folder: PathBuf, tool: PathBuf) -> Result<Self> {
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("creating {}", folder.display()))?;
        std::fs::write(folder.join("stub.hpp"), STUB).context("writing the header of the truth")?;
        Ok(Self { folder, tool })
    }

    /// The source that the tool reads, and the line of each program's first line.
    pub(super) fn source(programs: &[Program]) -> (String, Vec<usize>) {
        let mut text = String::from("#include <cute/tensor.hpp>\n");
        for line in HEAD {
            text += line;
            text.push('\n');
        }
        let mut starts = Vec::new();
        for (index, program) in programs.iter().enumerate() {
            let _ = writeln!(text, "namespace p{index} {{");
            starts.push(text.lines().count() + 1);
            for line in &program.lines {
                text += &line.text;
                text.push('\n');
            }
            text += "}\n";
        }
        (text, starts)
    }

    /// The programs that the compiler accepts, without the probes that it refuses, and their results.
    pub(super) fn accepted(&self, programs: &[Program], name: &str) -> Result<(Accepted, Values)> {
        let mut kept = programs.to_vec();
        for _ in 0..ROUNDS {
            match self.truth(&kept, name) {
                Ok(truth) => {
                    let refused = programs.len() - kept.len();
                    return Ok((Accepted { kept, refused }, truth.values));
                }
                Err(Refused::Lines(lines)) => {
                    let (_, starts) = Self::source(&kept);
                    kept = kept
                        .iter()
                        .zip(starts)
                        .filter_map(|(program, start)| without(program, start, &lines))
                        .collect();
                }
                Err(Refused::Other(error)) => return Err(error),
            }
        }
        bail!("g++ refuses {name} in {}", self.folder.display())
    }

    /// The results of the programs; an error where the compiler refuses them.
    pub(super) fn truth(&self, programs: &[Program], name: &str) -> Result<Truth, Refused> {
        let (text, starts) = Self::source(programs);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let mut main = String::new();
        // The probes that the lines of `main` report, by their lines.
        let mut reported = Vec::new();
        for (index, (program, start)) in programs.iter().zip(&starts).enumerate() {
            let mut runs = false;
            for (offset, line) in program.lines.iter().enumerate() {
                let number = start + offset;
                runs |= line.text == "inline void run() {";
                let Some(probe) = &line.probe else { continue };
                if line.inside {
                    let _ = write!(lines[number - 1], " report({number}, {probe});");
                } else {
                    let _ = writeln!(main, "  report({number}, p{index}::{}{probe});", line.scope);
                    reported.push(number);
                }
            }
            if runs {
                let _ = writeln!(main, "  p{index}::run();");
                reported.push(*start);
            }
        }
        "#include \"stub.hpp\"".clone_into(&mut lines[0]);
        let text = format!("{}\nint main() {{\n{main}}}\n", lines.join("\n"));
        let program = match host_programs::build(&self.folder, name, &text, &[])? {
            Built::Program(program) => program,
            Built::Refused(said) => {
                // `int main() {` is on the line behind the programs.
                let main_at = lines.len() + 2;
                let of_program = |line: usize| match line.checked_sub(main_at) {
                    Some(of_main) => reported.get(of_main).copied(),
                    None => Some(line),
                };
                let lines: BTreeSet<usize> = error_lines(&said)
                    .into_iter()
                    .filter_map(of_program)
                    .collect();
                if lines.is_empty() {
                    let said = said.lines().take(6).collect::<Vec<_>>().join("\n");
                    return Err(Refused::Other(anyhow!("g++: {said}")));
                }
                return Err(Refused::Lines(lines));
            }
        };
        let text = host_programs::printed(&program)?;
        let values = text.lines().filter_map(|line| {
            let (line, value) = line.split_once(' ')?;
            Some((line.parse().ok()?, value.parse().ok()?))
        });
        Ok(Truth {
            values: values.collect(),
        })
    }

    /// The tool's values for the programs.
    pub(super) fn said(&self, programs: &[Program], name: &str) -> Result<Said> {
        let (text, starts) = Self::source(programs);
        let source = self.folder.join(format!("{name}.cu"));
        std::fs::write(&source, text).context("writing a program")?;
        let rows = self.rows(&source)?;
        let mut said = Said::new();
        for (program, start) in programs.iter().zip(&starts) {
            for (offset, line) in program.lines.iter().enumerate() {
                let Some(probe) = &line.probe else { continue };
                let number = start + offset;
                let shown = rows.get(&(number, probe.clone()));
                said.insert(number, shown.and_then(|value| number_of(value.as_deref()?)));
            }
        }
        Ok(said)
    }

    fn rows(&self, source: &Path) -> Result<BTreeMap<(usize, String), Option<String>>> {
        let output = Command::new(&self.tool)
            .args(["layouts", "--format", "json"])
            .arg(source)
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("cannot start {}", self.tool.display()))?;
        if !output.status.success() {
            bail!("the tool ended with {}", output.status);
        }
        let text = String::from_utf8(output.stdout).context("the tool prints UTF-8")?;
        text.lines()
            .map(|line| {
                let row: Row = serde_json::from_str(line).context("a row of the tool")?;
                Ok(((row.line, row.name), row.value))
            })
            .collect()
    }
}

/// The number that a value is; `None` where it is a symbol.
fn number_of(value: &str) -> Option<i128> {
    match value {
        "true" => Some(1),
        "false" => Some(0),
        number => number.strip_prefix('_').unwrap_or(number).parse().ok(),
    }
}

/// The lines of the errors of g++.
fn error_lines(said: &str) -> BTreeSet<usize> {
    let lines = said.lines().filter_map(|line| {
        let (place, _) = line.split_once(": error: ")?;
        let mut parts = place.split(':');
        let file = parts.next()?;
        let number = parts.next()?.parse().ok()?;
        file.ends_with("-truth.cpp").then_some(number)
    });
    lines.collect()
}

/// A program without the probes on some lines; none where another line of it is among them.
fn without(program: &Program, start: usize, lines: &BTreeSet<usize>) -> Option<Program> {
    let is_refused = |offset: usize| lines.contains(&(start + offset));
    let mut offsets = program.lines.iter().enumerate();
    if offsets.any(|(offset, line)| line.probe.is_none() && is_refused(offset)) {
        return None;
    }
    let kept = program.lines.iter().enumerate();
    let kept = kept.filter(|(offset, _)| !is_refused(*offset));
    Some(Program {
        class: program.class,
        lines: kept.map(|(_, line)| line.clone()).collect(),
    })
}
