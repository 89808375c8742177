//! The results of g++ and of the tool for kernels.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::Counts;
use super::kernels::{Accessed, Kernel};
use crate::host_programs::{self, Built};

/// CUDA's words for a compiler of the host.
const HEAD: &str = include_str!("truth.hpp");

/// Blocks of which all threads are compared.
const BLOCKS: &[(i64, i64)] = &[(0, 0), (3, 2)];

/// The folder where kernels are written and compared.
pub(super) struct Bench {
    folder: PathBuf,
    tool: PathBuf,
}

/// The tool's figures for an access.
#[derive(Clone, Debug, Deserialize)]
struct Row {
    line: usize,
    column: usize,
    memory: String,
    unit: i64,
    bytes: i64,
    known: bool,
    space: String,
    offset: Option<String>,
    layout: Option<String>,
    base: Option<String>,
    #[serde(default)]
    loops: Vec<(String, i64)>,
    #[serde(default)]
    guards: Vec<String>,
    sectors: Option<i64>,
    wavefronts: Option<i64>,
    ideal: Option<i64>,
    #[serde(default)]
    aligned_by_assumption: bool,
    reason: Option<String>,
}

impl Bench {
    pub(super) fn new(folder: PathBuf, tool: PathBuf) -> Result<Self> {
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("creating {}", folder.display()))?;
        std::fs::write(folder.join("truth.hpp"), HEAD)
            .context("writing the header of the truth")?;
        Ok(Self { folder, tool })
    }

    /// Compares some kernels.
    pub(super) fn judge(&self, kernels: &[Kernel], name: &str) -> Result<Counts> {
        let (text, lines) = source(kernels);
        let path = self.folder.join(format!("{name}.cu"));
        std::fs::write(&path, &text).context("writing kernels")?;
        let rows = self.rows(&path)?;
        let said = self.truth(kernels, &lines, &rows, name)?;
        let mut counts = Counts::default();
        let source: Vec<&str> = text.lines().collect();
        for (line, _) in &lines {
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
        Ok(counts)
    }

    /// The tool's rows, by line: of the accesses of a line the one that is compared comes last.
    fn rows(&self, source: &Path) -> Result<BTreeMap<usize, Row>> {
        let output = Command::new(&self.tool)
            .args(["layouts", "--accesses", "--format", "json"])
            .arg(source)
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("cannot start {}", self.tool.display()))?;
        if !output.status.success() {
            bail!("the tool ended with {}", output.status);
        }
        let text = String::from_utf8(output.stdout).context("the tool prints UTF-8")?;
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

    /// Compiles and runs the kernels with the tool's values of each access beside it.
    fn truth(
        &self,
        kernels: &[Kernel],
        lines: &[(usize, Accessed)],
        rows: &BTreeMap<usize, Row>,
        name: &str,
    ) -> Result<BTreeMap<usize, Truth>> {
        let mut text = String::from("#include \"truth.hpp\"\n");
        let mut number = 1;
        for kernel in kernels {
            for line in &kernel.lines {
                number += 1;
                let of_tool = lines.iter().find(|(at, _)| *at == number);
                match (of_tool, rows.get(&number)) {
                    (Some((_, access)), Some(row)) if row.known => {
                        text += &compared(&line.text, number, access, row);
                    }
                    (Some((_, access)), _) => {
                        text += &line.text.replace(&access.lvalue, "nowhere()");
                    }
                    (None, _) => text += &line.text.replace("extern __shared__", "extern"),
                }
                text += &line.truth;
                text.push('\n');
            }
        }
        text += "static float memory[1 << 16]; static int table[1024];\n";
        text += "alignas(128) float4 raw[1 << 14];\nint main() {\n  for (int i = 0; i < 1024; ++i) table[i] = i * 7 % 64;\n  gridDim = {8, 8, 1};\n";
        for kernel in kernels {
            let [x, y, z] = kernel.block;
            let name = name_of(kernel);
            for (bx, by) in BLOCKS {
                let _ = writeln!(
                    text,
                    "  blockDim = {{{x}, {y}, {z}}}; blockIdx = {{{bx}, {by}, 0}};\n  for (unsigned z = 0; z < {z}; ++z) for (unsigned y = 0; y < {y}; ++y) for (unsigned x = 0; x < {x}; ++x) {{ threadIdx = {{x, y, z}}; {name}(memory, memory, table, 40, 96, Params_{name}{{memory, 96}}); }}"
                );
            }
        }
        text += "  for (auto const& [line, row] : rows)\n    std::printf(\"%d %ld %ld %ld %ld %ld %ld\\n\", line, row.right, row.wrong, row.first_wrong[0], row.first_wrong[1], row.first_wrong[2], row.first_wrong[3]);\n";
        for (line, _) in lines {
            if let Some(row) = rows.get(line).filter(|row| row.known) {
                let shared = row.space == "shared";
                let _ = writeln!(
                    text,
                    "  {{ auto c = cost({line}, {}, {shared}); std::printf(\"cost %d %ld %ld\\n\", {line}, c.first, c.second); }}",
                    row.bytes
                );
            }
        }
        text += "}\n";
        self.compiled(&text, name)
    }

    fn compiled(&self, text: &str, name: &str) -> Result<BTreeMap<usize, Truth>> {
        let text = match host_programs::build(&self.folder, name, text)? {
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

/// The truth about an access.
struct Truth {
    /// Offsets that are as the tool says.
    right: u64,
    wrong: Option<String>,
    cost: (i64, i64),
}

/// The source that the tool reads, with the lines of its accesses.
fn source(kernels: &[Kernel]) -> (String, Vec<(usize, Accessed)>) {
    let mut text = String::from("#include <cuda_runtime.h>\n");
    let mut lines = Vec::new();
    let mut number = 1;
    let mut launches = String::new();
    for kernel in kernels {
        for line in &kernel.lines {
            number += 1;
            text += &line.text;
            text.push('\n');
            if let Some(access) = &line.access {
                lines.push((number, access.clone()));
            }
        }
        let [x, y, z] = kernel.block;
        let _ = writeln!(
            launches,
            "  {name}<<<dim3(8, 8), dim3({x}, {y}, {z})>>>(in, out, indices, n, lda, Params_{name}{{in, lda}});",
            name = name_of(kernel)
        );
    }
    let _ = writeln!(
        text,
        "void launch(const float* in, float* out, const int* indices, int n, int lda) {{\n{launches}}}"
    );
    (text, lines)
}

/// The name of a kernel: of its `__global__` function.
fn name_of(kernel: &Kernel) -> &str {
    let head = kernel
        .lines
        .iter()
        .find_map(|line| line.text.strip_prefix("__global__ void "));
    head.and_then(|head| head.split('(').next())
        .unwrap_or_default()
}

/// The line with the access replaced by one that compares it.
fn compared(text: &str, line: usize, access: &Accessed, row: &Row) -> String {
    let lvalue = &access.lvalue;
    // The pass of the innermost loop first, as one number.
    let mut pass = String::from("0");
    for name in access.loops.iter().rev() {
        pass = format!("(({pass}) * 1024 + {name}_pass)");
    }
    let mut code = format!(
        "[&]() -> auto& {{ long offset_; auto& value_ = at({line}, &({lvalue}), {}, {pass}, offset_);",
        access.start
    );
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
    code += " return value_; }()";
    text.replace(lvalue, &code)
}

/// Names of the tool that C++ does not have: the passes of a loop, the second variable of a name.
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
