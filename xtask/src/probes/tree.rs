//! A tree of sources, the tool's values for it, and those of g++ for its copy.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::text::{self, Signs};
use crate::files::{files_below, has_ending};
use crate::host_programs;
use crate::place::Checkout;

/// The header that each source is compiled behind.
const PROBE: &str = include_str!("probe.hpp");

/// Sources that are compiled, and headers.
const SOURCES: [&str; 4] = ["cu", "cc", "cpp", "cxx"];
const HEADERS: [&str; 6] = ["cuh", "h", "hh", "hpp", "inl", "inc"];

/// Roles of names that can have a probe.
const ROLES: [&str; 2] = ["var", ALIAS];

/// The role of a name of a type.
const ALIAS: &str = "alias";

/// Kinds of values that the probe tells.
const KINDS: [&str; 4] = ["Layout", "ComposedLayout", "Tensor", "TiledMMA"];

/// Times that the probes that the compiler refuses are left out.
const ROUNDS: usize = 4;

/// Printed characters of the compiler's messages.
const SHOWN: usize = 160;

/// Folders of the toolkit's headers, below those of the oracles.
const TOOLKIT: [&str; 2] = ["cuda/nvidia/cu13/include", "cuda/nvidia/cu13/include/cccl"];

/// A declaration: its file below the tree, and where its name begins, from 1.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Row {
    pub(super) file: PathBuf,
    pub(super) line: usize,
    pub(super) column: usize,
}

/// The result of g++ for the copy.
pub(super) struct Compiled {
    /// The types of each declaration.
    pub(super) told: BTreeMap<Row, BTreeSet<String>>,
    /// Number of sources that it compiles.
    pub(super) sources: usize,
    /// Those that it does not, with the first thing that it says.
    pub(super) refused: Vec<(PathBuf, String)>,
}

pub(super) struct Tree {
    root: PathBuf,
    /// The folder of the copy.
    copy: PathBuf,
    /// Files of C++, below the root, in order.
    files: Vec<PathBuf>,
    include: Vec<PathBuf>,
    toolkit: Vec<PathBuf>,
    /// The definitions of the names of probes.
    probes: BTreeMap<String, String>,
}

/// The tool's knowledge of a declaration.
#[derive(Default)]
pub(super) struct KnownLayout {
    /// Whether it names a type.
    pub(super) is_alias: bool,
    /// Its values in all instances.
    pub(super) values: BTreeSet<String>,
}

/// A row of the tool's answer.
#[derive(Deserialize)]
struct Said {
    file: PathBuf,
    line: usize,
    column: usize,
    role: String,
    kind: String,
    value: Option<String>,
    /// Whether no source makes the instance: g++ makes none either.
    #[serde(default)]
    supposed: bool,
}

impl Tree {
    pub(super) fn of(place: &Checkout, root: &Path, include: &[PathBuf]) -> Result<Self> {
        let canonical = |path: &Path| {
            path.canonicalize()
                .with_context(|| format!("{} does not exist", path.display()))
        };
        let root = canonical(root)?;
        let mut include = include
            .iter()
            .map(|folder| canonical(folder))
            .collect::<Result<Vec<_>>>()?;
        include.push(canonical(&place.oracles().join("cutlass/include"))?);
        include.push(canonical(
            &place.oracles().join("cutlass/tools/util/include"),
        )?);
        let toolkit = TOOLKIT.map(|folder| place.oracles().join(folder));
        let name = root.file_name().context("a tree has a name")?.to_owned();
        let files = sources_below(&root)?;
        Ok(Self {
            copy: place.path("target/probes").join(name),
            toolkit: toolkit.to_vec(),
            root,
            files,
            include,
            probes: BTreeMap::new(),
        })
    }

    /// The values of all declarations that the tool knows.
    pub(super) fn said(&self, tool: &Path) -> Result<BTreeMap<Row, KnownLayout>> {
        let mut command = Command::new(tool);
        command.args(["layouts", "--format", "json"]);
        for folder in &self.include {
            command.arg("-I").arg(folder);
        }
        let answer = command
            .args(&self.files)
            .current_dir(&self.root)
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("cannot start {}", tool.display()))?;
        let mut said: BTreeMap<Row, KnownLayout> = BTreeMap::new();
        for line in String::from_utf8_lossy(&answer.stdout).lines() {
            let row: Said =
                serde_json::from_str(line).with_context(|| format!("the tool says {line}"))?;
            let is_probed = !row.supposed
                && ROLES.contains(&row.role.as_str())
                && KINDS.contains(&row.kind.as_str());
            if let (Some(value), true) = (row.value, is_probed) {
                let at = Row {
                    file: row.file,
                    line: row.line,
                    column: row.column,
                };
                let known = said.entry(at).or_default();
                known.is_alias = row.role == ALIAS;
                known.values.insert(value);
            }
        }
        Ok(said)
    }

    /// Writes the copy with probes of the tool's values.
    pub(super) fn write(&mut self, said: &BTreeMap<Row, KnownLayout>) -> Result<()> {
        std::fs::create_dir_all(&self.copy)
            .with_context(|| format!("creating {}", self.copy.display()))?;
        std::fs::write(self.copy.join(MAIN), PROGRAM)?;
        for (index, file) in self.files.clone().iter().enumerate() {
            let text = std::fs::read(self.root.join(file))
                .with_context(|| format!("reading {}", file.display()))?;
            let text = self.probed(&String::from_utf8_lossy(&text), index, said);
            let text = text.replace(DEVICE, ARCHITECTURE);
            let copy = self.copy.join(file);
            if let Some(folder) = copy.parent() {
                std::fs::create_dir_all(folder)?;
            }
            std::fs::write(&copy, text).with_context(|| format!("writing {}", copy.display()))?;
        }
        Ok(())
    }

    /// Compiles and runs the sources, or only these.
    pub(super) fn compile(&self, only: &[PathBuf], define: &[String]) -> Result<Compiled> {
        let sources: Vec<&Path> = self
            .files
            .iter()
            .map(PathBuf::as_path)
            .filter(|file| has_ending(file, &SOURCES))
            .filter(|file| only.is_empty() || only.iter().any(|asked| asked == file))
            .collect();
        let mut compiled = Compiled {
            told: BTreeMap::new(),
            sources: 0,
            refused: Vec::new(),
        };
        let batches: Vec<&[&Path]> = sources.chunks(1).collect();
        let judged = host_programs::in_pairs(&batches, |batch, name| {
            let source = batch.first().context("a batch has a source")?;
            Ok((source.to_path_buf(), self.told(source, name, define)?))
        })?;
        for (source, told) in judged {
            match told {
                Ok(rows) => {
                    compiled.sources += 1;
                    for (row, value) in rows {
                        compiled.told.entry(row).or_default().insert(value);
                    }
                }
                Err(why) => compiled.refused.push((source, why)),
            }
        }
        Ok(compiled)
    }

    /// The results of the probes of a source; the inner error is the compiler's.
    fn told(
        &self,
        source: &Path,
        name: &str,
        define: &[String],
    ) -> Result<Result<Vec<(Row, String)>, String>> {
        let mut hidden = BTreeSet::new();
        for _ in 0..ROUNDS {
            self.define(name, &hidden)?;
            match self.built(source, name, define)? {
                Ok(program) => {
                    let printed = host_programs::printed(&program)?;
                    if printed.lines().last() != Some(END) {
                        bail!("the probes of {} do not run", source.display());
                    }
                    let rows = printed.lines().filter_map(|line| self.row(line));
                    return Ok(Ok(rows.collect()));
                }
                Err(errors) => {
                    let before = hidden.len();
                    hidden.extend(words(&errors).map(str::to_owned));
                    if hidden.len() == before {
                        return Ok(Err(first_error(&errors)));
                    }
                }
            }
        }
        Ok(Err("probes are refused again and again".to_owned()))
    }

    /// Writes the definitions of the names of probes: the hidden ones are empty.
    fn define(&self, name: &str, hidden: &BTreeSet<String>) -> Result<()> {
        let mut text = format!("{PROBE}\n");
        for (word, probe) in &self.probes {
            let probe = if hidden.contains(word) { "" } else { probe };
            let _ = writeln!(text, "#define {word} {probe}");
        }
        let header = self.header(name);
        std::fs::write(&header, text).with_context(|| format!("writing {}", header.display()))
    }

    fn header(&self, name: &str) -> PathBuf {
        self.copy.join(format!("cute-{name}.hpp"))
    }

    fn built(
        &self,
        source: &Path,
        name: &str,
        define: &[String],
    ) -> Result<Result<PathBuf, String>> {
        let mut command = Command::new("g++");
        command.args(COMPILED);
        for word in define {
            command.arg("-D").arg(word);
        }
        for folder in &self.include {
            // The copy of a folder of the tree has the probes.
            match folder.strip_prefix(&self.root) {
                Ok(below) => command.arg("-I").arg(self.copy.join(below)),
                Err(_) => command.arg("-I").arg(folder),
            };
        }
        for folder in &self.toolkit {
            command.arg("-isystem").arg(folder);
        }
        let assembly = self.copy.join(format!("cute-{name}.s"));
        command.arg("-include").arg(self.header(name));
        command.arg(self.copy.join(source)).arg("-o").arg(&assembly);
        if let Err(errors) = accepted(&mut command)? {
            return Ok(Err(errors));
        }
        let text = std::fs::read_to_string(&assembly).context("reading what g++ compiled")?;
        std::fs::write(&assembly, without_inline(&text))?;
        let program = self.copy.join(format!("cute-{name}"));
        let mut linked = Command::new("g++");
        linked.args(LINKED).arg(self.copy.join(MAIN)).arg(&assembly);
        linked.arg("-o").arg(&program);
        Ok(accepted(&mut linked)?.map(|()| program))
    }

    /// A line that a probe prints.
    fn row(&self, line: &str) -> Option<(Row, String)> {
        let mut parts = line.splitn(4, ' ');
        let mut number = || parts.next()?.parse::<usize>().ok();
        let (file, line, column) = (number()?, number()?, number()?);
        let row = Row {
            file: self.files.get(file)?.clone(),
            line,
            column,
        };
        Some((row, parts.next()?.to_owned()))
    }

    /// A text with the names of probes behind the declarations that the tool knows, without launches.
    fn probed(&mut self, text: &str, index: usize, said: &BTreeMap<Row, KnownLayout>) -> String {
        let Some(file) = self.files.get(index) else {
            return text.to_owned();
        };
        let signs = Signs::of(text);
        let mut places: Vec<(usize, String)> = Vec::new();
        for (row, known) in said.iter().filter(|(row, _)| row.file == *file) {
            let place = text::offset(text, row.line, row.column).and_then(|at| {
                let name = text::word(text, at)?;
                Some((name, signs.behind_declaration(text, at)?))
            });
            let Some((name, behind)) = place else {
                continue;
            };
            let number = format!("{index}_{}_{}", row.line, row.column);
            let ty = if known.is_alias {
                name.to_owned()
            } else {
                format!("decltype({name})")
            };
            let told = format!("{index}, {}, {}", row.line, row.column);
            let probe = format!(
                "enum {{ cute_probe_{number} = ::cute_probe::Seen<{ty}, {told}>::value }};"
            );
            self.probes.insert(format!("{MARK}{number}"), probe);
            places.push((behind, format!(" {MARK}{number}")));
        }
        places.sort();
        let plain = signs.without_launches(text);
        let mut probed = String::with_capacity(plain.len());
        let mut at = 0;
        for (behind, probe) in places {
            probed.push_str(plain.get(at..behind).unwrap_or_default());
            probed.push_str(&probe);
            at = behind;
        }
        probed.push_str(plain.get(at..).unwrap_or_default());
        probed
    }
}

/// The prefix of the name of a probe.
const MARK: &str = "CUTE_PROBE_";

/// The macro that says that the device's code is compiled. CUTLASS's headers are to be those of the host; the sources
/// of the tree take the branches of the device.
const DEVICE: &str = "__CUDA_ARCH__";

/// The same for the sources of the tree.
pub(super) const ARCHITECTURE: &str = "CUTE_PROBED_ARCH";

/// The source of an empty program.
const MAIN: &str = "cute-main.cpp";

const PROGRAM: &str = "#include <cstdio>\nint main() { std::puts(\"end\"); }\n";

/// The text that a program prints when all its probes have told.
const END: &str = "end";

/// The flags for the compilation of sources: they need not run, and errors of the compiler of the device alone do not
/// matter.
const COMPILED: &[&str] = &[
    "-std=c++17",
    "-O0",
    "-w",
    "-fpermissive",
    "-fmax-errors=40",
    "-DNDEBUG",
    "-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP",
    "-DCUTLASS_ARCH_MMA_SM90_SUPPORTED=1",
    "-DCUTLASS_ARCH_MMA_SM100_SUPPORTED=1",
    "-Dmain=cute_main_of_source",
    "-x",
    "c++",
    "-S",
];

/// The flags for the linking of programs: functions that only the toolkit's libraries have are never called.
const LINKED: &[&str] = &["-no-pie", "-Wl,--unresolved-symbols=ignore-all"];

/// The output of g++ without the instructions that the source spells, which are the device's: they are between these
/// two marks.
fn without_inline(assembly: &str) -> String {
    let mut is_inline = false;
    let kept = assembly.split_inclusive('\n').filter(|line| {
        let mark = line.trim();
        let was_inline = is_inline;
        is_inline = (is_inline || mark == "#APP") && mark != "#NO_APP";
        !is_inline && !was_inline
    });
    kept.collect()
}

/// Runs a compiler; the inner error is its message.
fn accepted(command: &mut Command) -> Result<Result<(), String>> {
    let answer = command
        .stdin(Stdio::null())
        .output()
        .context("cannot start g++ (is it installed?)")?;
    Ok(if answer.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&answer.stderr).into_owned())
    })
}

/// The names of probes in the compiler's messages.
fn words(errors: &str) -> impl Iterator<Item = &str> {
    errors
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| word.starts_with(MARK))
}

fn first_error(errors: &str) -> String {
    let line = errors.lines().find(|line| line.contains("error"));
    line.unwrap_or_default().chars().take(SHOWN).collect()
}

/// The files of C++ below a folder, by their paths from it, in order.
fn sources_below(root: &Path) -> Result<Vec<PathBuf>> {
    let found = files_below(root, &[&SOURCES[..], &HEADERS[..]].concat())?;
    let below = found.iter().filter_map(|path| path.strip_prefix(root).ok());
    Ok(below.map(Path::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_of_the_device_are_left_out() {
        let assembly = "movl %eax\n#APP\n# 1 \"a.cu\"\nwgmma.fence;\n#NO_APP\nret\n";
        assert_eq!(without_inline(assembly), "movl %eax\nret\n");
    }

    #[test]
    fn refused_probes_are_found_in_what_the_compiler_says() {
        let errors = "a.cu:1: error: x\na.cu:1: note: in expansion of macro 'CUTE_PROBE_0_1_7'";
        assert_eq!(words(errors).collect::<Vec<_>>(), ["CUTE_PROBE_0_1_7"]);
        assert_eq!(first_error(errors), "a.cu:1: error: x");
    }
}
