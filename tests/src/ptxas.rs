//! NVIDIA's assembler and disassembler, which the stage `ptxas` of `cargo xtask test` installs.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A kernel as the machine has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assembled {
    /// Registers of a thread.
    pub registers: u32,
    /// The instructions in order, without predicates.
    pub opcodes: Vec<String>,
}

impl Assembled {
    /// Number of instructions that begin like this.
    pub fn count(&self, opcode: &str) -> usize {
        let begins = |found: &&String| found.starts_with(opcode);
        self.opcodes.iter().filter(begins).count()
    }
}

/// The folder of `ptxas` and `nvdisasm`: `CUTE_CUDA_TOOLS`, else where the stage puts them.
pub fn tools() -> PathBuf {
    let folder = std::env::var_os("CUTE_CUDA_TOOLS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/tools/cuda/nvidia/cu13/bin"),
        PathBuf::from,
    );
    assert!(
        folder.join("ptxas").is_file(),
        "no ptxas in {}: `cargo xtask test --only ptxas` installs it",
        folder.display()
    );
    folder
}

/// Whether code for `target` may be assembled for `architecture`: an architecture-specific one for itself only.
pub fn runs_on(target: &str, architecture: &str) -> bool {
    let number = |name: &str| {
        let digits = name.trim_start_matches("sm_").trim_end_matches('a');
        digits.parse::<u32>().expect("an architecture has a number")
    };
    if target.ends_with('a') {
        target == architecture
    } else {
        number(target) <= number(architecture)
    }
}

/// Assembles a PTX module into the file `cubin`: the registers of a thread.
///
/// # Errors
/// The error: the assembler's message.
pub fn assemble(tools: &Path, text: &str, architecture: &str, cubin: &Path) -> Result<u32, String> {
    let mut child = Command::new(tools.join("ptxas"))
        .args(["-v", "-arch", architecture, "-", "-o"])
        .arg(cubin)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("ptxas starts");
    let mut input = child.stdin.take().expect("its input is a pipe");
    input
        .write_all(text.as_bytes())
        .expect("it reads its input");
    drop(input);
    let output = child.wait_with_output().expect("ptxas ends");
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        return Err(messages);
    }
    let (_, rest) = messages
        .split_once("Used ")
        .expect("a line about registers");
    let digits = rest.split(' ').next().unwrap_or_default();
    Ok(digits.parse().expect("a number of registers"))
}

/// Assembles a PTX module and takes it apart again.
///
/// # Errors
/// As [`assemble`].
pub fn assembled(
    tools: &Path,
    text: &str,
    architecture: &str,
    cubin: &Path,
) -> Result<Assembled, String> {
    let registers = assemble(tools, text, architecture, cubin)?;
    let output = Command::new(tools.join("nvdisasm"))
        .arg("-c")
        .arg(cubin)
        .output()
        .expect("nvdisasm starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let listing = String::from_utf8_lossy(&output.stdout);
    Ok(Assembled {
        registers,
        opcodes: listing.lines().filter_map(opcode).collect(),
    })
}

/// The instruction of a line: the word behind the address and an optional predicate.
fn opcode(line: &str) -> Option<String> {
    let (instruction, _) = line.split_once("*/")?.1.trim().split_once(';')?;
    let instruction = match instruction.strip_prefix('@') {
        Some(guarded) => guarded.split_once(' ').map_or("", |(_, rest)| rest.trim()),
        None => instruction,
    };
    Some(instruction.to_owned())
}
