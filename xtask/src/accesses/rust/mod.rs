//! Random kernels in Rust: rustc computes the offsets, a program of g++ compares them with what the tool says.

mod kernels;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::Counts;
use super::judged::{self, BLOCKS, Bench, Row, Truth};
pub(super) use kernels::kernel;
use kernels::{Accessed, Kernel};

/// `cuda-oxide`'s words for a compiler of the host.
const PRELUDE: &str = include_str!("prelude.rs");

/// Compares some kernels.
pub(super) fn judge(bench: &Bench, kernels: &[Kernel], name: &str) -> Result<Counts> {
    let (text, lines) = source(kernels);
    let path = bench.folder.join(format!("{name}.rs"));
    std::fs::write(&path, &text).context("writing kernels")?;
    let rows = bench.rows(&path)?;
    let library = library(bench, kernels, name)?;
    let program = program(kernels, &lines, &rows);
    let said: BTreeMap<usize, Truth> = bench.compiled(&program, name, &[library])?;
    let lines: Vec<usize> = lines.iter().map(|(line, _)| *line).collect();
    Ok(judged::counted((&path, &text), &lines, &rows, &said))
}

/// The source that the tool reads, with the lines of its accesses.
fn source(kernels: &[Kernel]) -> (String, Vec<(usize, Accessed)>) {
    let mut text = String::from(
        "use cuda_core::LaunchConfig;\nuse cuda_device::swizzle::Swizzle;\nuse cuda_device::{DisjointSlice, SharedArray, kernel, thread};\n",
    );
    let mut number = text.lines().count();
    let (mut lines, mut launches) = (Vec::new(), String::new());
    for kernel in kernels {
        for line in &kernel.lines {
            number += 1;
            text += &line.text;
            text.push('\n');
            if let Some(access) = &line.access {
                lines.push((number, access.clone()));
            }
        }
        let ([x, y, z], name) = (kernel.block, &kernel.name);
        let _ = writeln!(
            launches,
            "  module.{name}(&stream, LaunchConfig {{ grid_dim: (8, 8, 1), block_dim: ({x}, {y}, {z}), shared_mem_bytes: 0 }}, n, lda, &a, &indices, &mut c, &mut d).unwrap();"
        );
    }
    let _ = writeln!(text, "fn launch(n: usize, lda: usize) {{\n{launches}}}");
    (text, lines)
}

/// The kernels, compiled: each access calls the comparison with its offset.
fn library(bench: &Bench, kernels: &[Kernel], name: &str) -> Result<PathBuf> {
    let mut text = String::from(PRELUDE);
    let mut number = 3;
    for line in kernels.iter().flat_map(|kernel| &kernel.lines) {
        number += 1;
        text += &line.truth.replace("LINE", &number.to_string());
        text.push('\n');
    }
    let source = bench.folder.join(format!("{name}-library.rs"));
    let library = bench.folder.join(format!("{name}-library.a"));
    std::fs::write(&source, text).context("writing the kernels for rustc")?;
    let built = Command::new("rustc")
        .args(["--edition", "2024", "--crate-type", "staticlib"])
        .args(["-C", "panic=abort", "-C", "overflow-checks=on", "-o"])
        .args([&library, &source])
        .stdin(Stdio::null())
        .output()
        .context("cannot start rustc")?;
    if !built.status.success() {
        let said = String::from_utf8_lossy(&built.stderr).into_owned();
        let errors = said.lines().filter(|line| line.starts_with("error"));
        bail!("rustc: {}", errors.take(4).collect::<Vec<_>>().join("\n"));
    }
    Ok(library)
}

/// The program that runs all threads and compares.
fn program(kernels: &[Kernel], lines: &[(usize, Accessed)], rows: &BTreeMap<usize, Row>) -> String {
    let mut text = String::from(
        "#include \"truth.hpp\"\nextern \"C\" unsigned index_of(unsigned which) {\n  dim3 const all[] = {threadIdx, blockIdx, blockDim};\n  dim3 const& of = all[which / 3];\n  return which % 3 == 0 ? of.x : which % 3 == 1 ? of.y : of.z;\n}\nextern \"C\" void seen_at(int line, long offset_, long const* names_) {\n  switch (line) {\n",
    );
    for (line, access) in lines {
        let Some(row) = rows.get(line).filter(|row| row.known) else {
            continue;
        };
        let _ = write!(text, "  case {line}: {{ long const");
        for (index, name) in access.names.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            let _ = write!(text, "{comma} {name} = names_[{index}]");
        }
        let mut pass = String::from("0");
        for name in access.loops.iter().rev() {
            pass = format!("(({pass}) * 1024 + {name}_pass)");
        }
        let _ = writeln!(
            text,
            "; noted({line}, {pass}, offset_);{} break; }}",
            // The name of the number that each block loads.
            judged::comparisons(*line, row).replace(
                "indices[thread::blockIdx_x() as usize]",
                "(blockIdx.x * 7 % 64)"
            )
        );
    }
    text += "  }\n}\n";
    for kernel in kernels {
        let _ = writeln!(
            text,
            "extern \"C\" void {}(unsigned long n, unsigned long lda);",
            kernel.name
        );
    }
    text += "int main() {\n  gridDim = {8, 8, 1};\n";
    for kernel in kernels {
        let ([x, y, z], name) = (kernel.block, &kernel.name);
        for (bx, by) in BLOCKS {
            let _ = writeln!(
                text,
                "  blockDim = {{{x}, {y}, {z}}}; blockIdx = {{{bx}, {by}, 0}};\n  for (unsigned z = 0; z < {z}; ++z) for (unsigned y = 0; y < {y}; ++y) for (unsigned x = 0; x < {x}; ++x) {{ threadIdx = {{x, y, z}}; {name}(40, 96); }}"
            );
        }
    }
    text += &judged::printed(lines.iter().map(|(line, _)| *line), rows);
    text += "}\n";
    text
}
