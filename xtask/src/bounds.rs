//! `cargo xtask bounds`: the output of `nvcc` and `ptxas` for kernels whose budgets the tool states.
//!
//! `tests/golden/registers.jsonl` has the registers, the static shared memory and the spilled bytes of each kernel; of
//! our sources also the launch of each, as a runtime tells that launches nothing. A test compares the tool's bounds
//! with it.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Serialize;

use crate::place::Checkout;
use crate::{command, oracles};

/// The path of the table of kernels.
const TABLE: &str = "tests/golden/registers.jsonl";

/// The sources, with the architecture that each is compiled for; those of `tests/bounds` are linked and run, too.
const SOURCES: [(&str, &str); 15] = [
    ("tests/bounds/ampere.cu", "sm_80"),
    ("tests/bounds/hopper.cu", "sm_90a"),
    ("sgemm_1.cu", "sm_80"),
    ("sgemm_2.cu", "sm_80"),
    ("sgemm_sm70.cu", "sm_80"),
    ("sgemm_sm80.cu", "sm_80"),
    ("tiled_copy.cu", "sm_80"),
    ("tiled_copy_if.cu", "sm_80"),
    ("hopper/wgmma_sm90.cu", "sm_90a"),
    ("hopper/wgmma_tma_sm90.cu", "sm_90a"),
    ("blackwell/01_mma_sm100.cu", "sm_100a"),
    ("blackwell/02_mma_tma_sm100.cu", "sm_100a"),
    ("blackwell/03_mma_tma_multicast_sm100.cu", "sm_100a"),
    ("blackwell/04_mma_tma_2sm_sm100.cu", "sm_100a"),
    ("blackwell/05_mma_tma_epi_sm100.cu", "sm_100a"),
];

/// The folder of the sources that are not ours, below `target/oracles/cutlass`.
const TUTORIAL: &str = "examples/cute/tutorial";

/// One kernel of one source.
#[derive(Serialize)]
struct Kernel<'s> {
    /// From the root of the repository, or from the folder of the tutorials.
    source: &'s str,
    architecture: &'s str,
    /// Its name in the source.
    #[serde(rename = "kernel")]
    name: String,
    /// Registers of a thread at launch.
    registers: u64,
    /// Bytes of static shared memory.
    shared: u64,
    /// Bytes that are stored when registers spill.
    spilled: u64,
    /// Threads of a CTA, and bytes of dynamic shared memory, as the source launches it.
    #[serde(skip_serializing_if = "Option::is_none")]
    threads: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dynamic: Option<u64>,
}

/// Compiles all sources and writes the table.
pub(crate) fn run(place: &Checkout) -> Result<()> {
    oracles::fetch(place)?;
    let nvcc = oracles::nvcc(place)?;
    let scratch = place.path("target/bounds");
    std::fs::create_dir_all(&scratch)
        .with_context(|| format!("cannot create {}", scratch.display()))?;
    let mut table = String::new();
    let mut count = 0_usize;
    for (source, architecture) in SOURCES {
        let kernels = compiled(place, &nvcc, source, architecture, &scratch)?;
        println!("{source} ({architecture}): {} kernels", kernels.len());
        count += kernels.len();
        for kernel in kernels {
            table.push_str(&serde_json::to_string(&kernel)?);
            table.push('\n');
        }
    }
    let path = place.root().join(TABLE);
    std::fs::write(&path, table).with_context(|| format!("cannot write {}", path.display()))?;
    println!("{TABLE} has {count} kernels");
    Ok(())
}

/// The kernels of a source.
fn compiled<'s>(
    place: &Checkout,
    nvcc: &Path,
    source: &'s str,
    architecture: &'s str,
    scratch: &Path,
) -> Result<Vec<Kernel<'s>>> {
    let is_own = source.starts_with("tests/");
    let cutlass = place.oracles().join("cutlass");
    let program = scratch.join("program");
    let mut compiler = command::program(place, nvcc);
    compiler
        .args([
            "-std=c++17",
            "--expt-relaxed-constexpr",
            "-Xptxas",
            "-v",
            "-arch",
            architecture,
            "-o",
        ])
        .arg(&program)
        .arg("-I")
        .arg(cutlass.join("include"))
        .arg("-I")
        .arg(cutlass.join("tools/util/include"));
    if is_own {
        compiler.args(["-cudart", "none", "tests/bounds/launches.cpp", source]);
    } else {
        compiler
            .arg("-cubin")
            .arg(cutlass.join(TUTORIAL).join(source));
    }
    let output = compiler.output().context("cannot start nvcc")?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        bail!("nvcc does not compile {source}:\n{said}");
    }
    let launches = if is_own {
        launches(&program)?
    } else {
        BTreeMap::new()
    };
    let mut kernels = Vec::new();
    for (mangled, usage) in usages(&said) {
        // The headers' own kernels are in namespaces.
        let Some(name) = plain_name(mangled) else {
            continue;
        };
        let launch = launches.get(mangled);
        kernels.push(Kernel {
            source,
            architecture,
            name: name.to_owned(),
            registers: number_before(usage, " registers").context("a number of registers")?,
            shared: number_before(usage, " bytes smem").unwrap_or(0),
            spilled: number_before(usage, " bytes spill stores").unwrap_or(0),
            threads: launch.map(|launch| launch.0),
            dynamic: launch.map(|launch| launch.1),
        });
    }
    kernels.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(kernels)
}

/// Threads and dynamic bytes of the kernels that a program launches, by their names in the object.
fn launches(program: &Path) -> Result<BTreeMap<String, (u64, u64)>> {
    let said = command::output(&mut Command::new(program))?;
    said.lines()
        .map(|line| {
            let parts: Vec<&str> = line.split(' ').collect();
            let [name, threads, bytes] = parts.as_slice() else {
                bail!("a launch is a name and two numbers, not {line}");
            };
            Ok(((*name).to_owned(), (threads.parse()?, bytes.parse()?)))
        })
        .collect()
}

/// The output of `ptxas -v` for each kernel: its name, and the text up to the next one.
fn usages(said: &str) -> Vec<(&str, &str)> {
    said.split("Compiling entry function '")
        .skip(1)
        .filter_map(|part| part.split_once('\''))
        .collect()
}

/// The name in the source of a function in no namespace (Itanium C++ ABI, 5.1.2).
fn plain_name(mangled: &str) -> Option<&str> {
    let rest = mangled.strip_prefix("_Z")?;
    let digits = rest.find(|letter: char| !letter.is_ascii_digit())?;
    let (length, name) = rest.split_at_checked(digits)?;
    name.get(..length.parse().ok()?)
}

/// The number before these words.
fn number_before(text: &str, words: &str) -> Option<u64> {
    let before = text.get(..text.find(words)?)?;
    before.rsplit(' ').next()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_ptxas_are_read() {
        let said = "ptxas info    : Compiling entry function '_Z4workPf' for 'sm_80'\n\
                    ptxas info    : Function properties for _Z4workPf\n    \
                    120 bytes stack frame, 124 bytes spill stores, 128 bytes spill loads\n\
                    ptxas info    : Used 32 registers, used 1 barriers, 64 bytes smem, 368 bytes cmem[0]\n";
        let [(mangled, usage)] = usages(said)[..] else {
            panic!("one kernel");
        };
        assert_eq!(plain_name(mangled), Some("work"));
        assert_eq!(plain_name("_ZN3cub11EmptyKernelIvEEvv"), None);
        let read = |words| number_before(usage, words);
        assert_eq!(read(" registers"), Some(32));
        assert_eq!(read(" bytes smem"), Some(64));
        assert_eq!(read(" bytes spill stores"), Some(124));
    }
}
