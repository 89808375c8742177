//! The results of g++ and of the tool for kernels.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context, Result};

use super::Counts;
use super::judged::{self, BLOCKS, Bench, Row, Truth};
use super::kernels::{Accessed, Kernel};

/// Compares some kernels.
pub(super) fn judge(bench: &Bench, kernels: &[Kernel], name: &str) -> Result<Counts> {
    let (text, lines) = source(kernels);
    let path = bench.folder.join(format!("{name}.cu"));
    std::fs::write(&path, &text).context("writing kernels")?;
    let rows = bench.rows(&path)?;
    let said = truth(bench, kernels, &lines, &rows, name)?;
    let lines: Vec<usize> = lines.iter().map(|(line, _)| *line).collect();
    Ok(judged::counted((&path, &text), &lines, &rows, &said))
}

/// Compiles and runs the kernels with the tool's values of each access beside it.
fn truth(
    bench: &Bench,
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
    let known = lines.iter().map(|(line, _)| *line);
    text += &judged::printed(known, rows);
    text += "}\n";
    bench.compiled(&text, name, &[])
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
    code += &judged::comparisons(line, row);
    code += " return value_; }()";
    text.replace(lvalue, &code)
}
