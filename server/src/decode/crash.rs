//! Kernels that were stopped: lines of `compute-sanitizer` and errors of CUDA, with the thread, the element and the
//! findings that are about it.

use std::fmt::Write as _;

use cute_analysis::{Analysis, Severity, Space, Tensor, Value};
use serde::Serialize;

use super::sanitizer::{Incident, incidents};
use super::{Operand, is_users};
use crate::presentation::findings;
use crate::presentation::lines::Lines;

/// Elements of a tensor that are looked through for the coordinate of one.
const ELEMENTS: i64 = 1 << 20;

/// An error of CUDA: its number, the names and texts that it is printed by, its meaning, and the rules that find its
/// causes before the launch.
struct CudaError {
    number: u16,
    names: &'static [&'static str],
    meaning: &'static str,
    rules: &'static [&'static str],
    next: &'static str,
}

/// The errors that kernels end with (CUDA driver API, `CUresult`).
const ERRORS: &[CudaError] = &[
    CudaError {
        number: 700,
        names: &[
            "cudaErrorIllegalAddress",
            "CUDA_ERROR_ILLEGAL_ADDRESS",
            "an illegal memory access was encountered",
        ],
        meaning: "a thread accessed memory that is not allocated, or TMA a tensor beyond its descriptor",
        rules: &[
            "over-run",
            "grid-overrun",
            "smem-extent",
            "offset-overflow",
            "copy-beyond-tensor",
            "cluster-exit",
            "stage-out-of-range",
        ],
        next: "compute-sanitizer --tool memcheck PROGRAM",
    },
    CudaError {
        number: 715,
        names: &[
            "cudaErrorIllegalInstruction",
            "CUDA_ERROR_ILLEGAL_INSTRUCTION",
            "an illegal instruction was encountered",
        ],
        meaning: "the device does not have an instruction, or refuses its operands: a descriptor, `setmaxnreg`, a barrier",
        rules: &[
            "instruction-not-available",
            "register-pool-exceeded",
            "not-canonical",
            "tmem-columns",
            "divergent-collective",
        ],
        next: "build for the architecture of the device (`sm_90a`, `sm_100a`), then compute-sanitizer PROGRAM",
    },
    CudaError {
        number: 716,
        names: &[
            "cudaErrorMisalignedAddress",
            "CUDA_ERROR_MISALIGNED_ADDRESS",
            "misaligned address",
        ],
        meaning: "an address is not a multiple of what the instruction moves: a vector copy, `ldmatrix`, TMA, a barrier",
        rules: &["smem-alignment", "copy-vector", "tma-stride-alignment"],
        next: "compute-sanitizer --tool memcheck PROGRAM",
    },
    CudaError {
        number: 719,
        names: &[
            "cudaErrorLaunchFailure",
            "CUDA_ERROR_LAUNCH_FAILED",
            "unspecified launch failure",
        ],
        meaning: "the kernel was stopped: an access to shared memory out of bounds, a fault of a barrier, tensor memory",
        rules: &[
            "smem-extent",
            "tmem-lifetime",
            "tmem-lanes",
            "cluster-exit",
            "barrier-not-visible",
            "tx-bytes-mismatch",
        ],
        next: "compute-sanitizer --tool memcheck PROGRAM, then --tool synccheck",
    },
];

/// A report of another kind than accesses out of bounds: the starts of its errors, their meaning, and the rules that find
/// its causes.
struct Report {
    starts: &'static [&'static str],
    meaning: &'static str,
    rules: &'static [&'static str],
}

/// The reports of `racecheck`, `synccheck` and `initcheck`.
const REPORTS: &[Report] = &[
    Report {
        starts: &["Race reported"],
        meaning: "two threads access one byte of shared memory, one writes it, and nothing orders them",
        rules: &[
            "shared-race",
            "stage-order",
            "async-copy-wait",
            "barrier-not-visible",
            "tmem-lifetime",
        ],
    },
    Report {
        starts: &["Barrier error", "Divergent "],
        meaning: "some threads do not come to a barrier that others wait at, or have left the kernel before",
        rules: &["divergent-collective", "barrier-after-exit"],
    },
    Report {
        starts: &["Uninitialized "],
        meaning: "memory is read that nothing has written",
        rules: &["never-written", "accumulate-flag"],
    },
];

/// A kernel that was stopped.
#[derive(Debug, Serialize)]
pub struct Crash {
    /// The user's file, where the log names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The number of the error of CUDA.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<u16>,
    /// The text of the log.
    pub text: String,
    /// Its meaning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meaning: Option<&'static str>,
    /// The thread in its block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<[i64; 3]>,
    /// The block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<[i64; 3]>,
    /// The elements, with their coordinates.
    pub elements: Vec<String>,
    /// The values of the expressions of the line in that thread.
    pub operands: Vec<Operand>,
    /// Our findings about the line, or about the file where the log names no line.
    pub findings: Vec<String>,
    /// Rules that find such causes.
    pub rules: Vec<&'static str>,
    /// The command that tells more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<&'static str>,
    /// Bytes from the start of the nearest allocation, and its bytes.
    #[serde(skip)]
    offset: Option<(i64, i64)>,
    /// The memory that was accessed.
    #[serde(skip)]
    space: Option<Space>,
    /// The findings as people read them.
    #[serde(skip)]
    rendered: Vec<String>,
}

/// The kernels that were stopped, by a log, in order.
pub fn crashes(log: &str) -> Vec<Crash> {
    let mut found: Vec<Crash> = incidents(log).iter().map(Crash::of).collect();
    for line in log.lines().filter(|line| !line.contains("=========")) {
        let Some(error) = ERRORS.iter().find(|error| error.is_in(line)) else {
            continue;
        };
        // A program prints the same error at each call.
        if found.iter().all(|known| known.error != Some(error.number)) {
            found.push(Crash::of_error(error, line));
        }
    }
    found
}

impl CudaError {
    /// Whether a line is about it: its name, its text, or `error 700`.
    fn is_in(&self, line: &str) -> bool {
        let number = self.number.to_string();
        let words = line.split(|c: char| !c.is_ascii_alphanumeric());
        let has_number = words.clone().any(|word| word == number)
            && line.to_ascii_lowercase().contains("cuda")
            && line.to_ascii_lowercase().contains("err");
        self.names.iter().any(|name| line.contains(name)) || has_number
    }
}

impl Crash {
    fn new(text: &str) -> Self {
        Self {
            file: None,
            line: None,
            error: None,
            text: text.to_owned(),
            meaning: None,
            thread: None,
            block: None,
            elements: Vec::new(),
            operands: Vec::new(),
            findings: Vec::new(),
            rules: Vec::new(),
            next: None,
            offset: None,
            space: None,
            rendered: Vec::new(),
        }
    }

    fn of_error(error: &CudaError, line: &str) -> Self {
        Self {
            error: Some(error.number),
            meaning: Some(error.meaning),
            rules: error.rules.to_vec(),
            next: Some(error.next),
            ..Self::new(line.trim())
        }
    }

    fn of(incident: &Incident) -> Self {
        let places = &incident.places;
        let of_user = places.iter().find(|place| is_users(place));
        let place = of_user.or(places.first());
        let (error, space) = kind(&incident.what);
        let error = if incident.is_misaligned {
            Some(716)
        } else {
            error
        };
        let known = ERRORS.iter().find(|known| Some(known.number) == error);
        let begins = |report: &&Report| {
            let mut starts = report.starts.iter();
            starts.any(|start| incident.what.starts_with(start))
        };
        let report = REPORTS.iter().find(begins);
        let rules = known
            .map(|known| known.rules)
            .or(report.map(|report| report.rules));
        let offset = incident.address.zip(incident.allocation);
        Self {
            file: place.map(|place| place.file.clone()),
            line: place.map(|place| place.line),
            meaning: known
                .map(|known| known.meaning)
                .or(report.map(|report| report.meaning)),
            rules: rules.unwrap_or_default().to_vec(),
            thread: incident.thread,
            block: incident.block,
            offset: offset.map(|(address, (start, size))| (address - start, size)),
            space,
            ..Self::new(&incident.what)
        }
    }

    /// Adds the facts about the line in the analysis of the file, whose text is `text`.
    pub fn explain(&mut self, analysis: &Analysis, text: &str, lines: &Lines) {
        let here = self.line;
        let on_line = |start: usize| here.is_none_or(|line| lines.place(start).line == line);
        let file = self.file.clone().unwrap_or_default();
        for finding in &analysis.findings {
            let is_about = here.is_some() || self.rules.contains(&finding.rule);
            let is_there = on_line(finding.span.start)
                || finding
                    .related
                    .iter()
                    .any(|other| on_line(other.span.start));
            if is_there && is_about && finding.severity > Severity::Information {
                self.findings.push(finding.message.clone());
                self.rendered.push(findings::render(finding, &file, lines));
            }
        }
        let Some(line) = here else { return };
        self.elements = self.elements_of(analysis, text, &lines.line(line));
        for mention in analysis.mentions() {
            if !on_line(mention.span.start) {
                continue;
            }
            let expression = mention.span.text(text);
            if expression.contains('\n') {
                continue;
            }
            let value = self.in_the_thread(&mention.value);
            let mut known = self.operands.iter();
            let is_new = known.all(|known| known.expression != expression);
            if let Some(value) = value.filter(|_| is_new) {
                self.operands.push(Operand {
                    expression: expression.to_owned(),
                    value,
                });
            }
        }
    }

    /// The elements of the tensors that a line names.
    fn elements_of(&self, analysis: &Analysis, text: &str, line: &str) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let is_word_of_name = |c: char| c.is_alphanumeric() || c == '_';
        for fact in &analysis.facts {
            let name = fact.name_span.text(text);
            let mut words = line.split(|c| !is_word_of_name(c));
            if let Value::Tensor(tensor) = &*fact.value
                && words.any(|word| word == name)
            {
                let said = self.element_of(name, tensor);
                if let Some(said) = said.filter(|said| !found.contains(said)) {
                    found.push(said);
                }
            }
        }
        found
    }

    /// An integer in the thread that was stopped; a tensor or layout as it is.
    fn in_the_thread(&self, value: &Value) -> Option<String> {
        match value {
            Value::Int(int) => {
                let expression = int.as_expression()?;
                let placed = expression.substitute(&|symbol| {
                    let of = |indices: Option<[i64; 3]>, axis: &str| {
                        let axis = ["x", "y", "z"].iter().position(|known| *known == axis)?;
                        indices?.get(axis).copied()
                    };
                    let (name, axis) = symbol.split_once('.')?;
                    let number = match name {
                        "threadIdx" => of(self.thread, axis)?,
                        "blockIdx" => of(self.block, axis)?,
                        _ => return None,
                    };
                    Some(cute_algebra::Expression::known(number))
                })?;
                (placed != *expression).then(|| cute_algebra::Int::expression(placed).to_string())
            }
            Value::Tensor(_) | Value::Layout(_) => Some(value.to_string()),
            _ => None,
        }
    }

    /// The element of a tensor, where the log gives its address.
    fn element_of(&self, name: &str, tensor: &Tensor) -> Option<String> {
        let (offset, size) = self.offset?;
        if self.space.is_some_and(|space| space != tensor.engine.space) {
            return None;
        }
        let bits = i64::from(tensor.engine.bits()?);
        let element = offset.checked_mul(8)? / bits.max(1);
        let layout = tensor.layout.as_affine()?;
        let domain = layout.size().ok()?.value()?;
        let mut said =
            format!("byte {offset} of an allocation of {size}: element {element} from its start");
        let index =
            (0..domain.min(ELEMENTS)).find(|index| layout.eval_number(*index) == Ok(element));
        match index {
            Some(index) => {
                let flat = cute_algebra::IntTuple::leaf(cute_algebra::Int::dynamic(index));
                let shape = layout.shape();
                let coordinate = cute_algebra::coord::idx2crd(flat.view(), shape.view()).ok()?;
                let _ = write!(said, ", {name}{coordinate}");
                let modes = layout.rank();
                if modes > 2
                    && let Some(stage) = coordinate.modes().last()
                {
                    let _ = write!(said, ", stage {stage}");
                }
            }
            None if domain <= ELEMENTS => {
                let _ = write!(said, ", which {name} of {layout} does not have");
            }
            None => {}
        }
        Some(said)
    }

    /// For a person, ending in an empty line.
    pub fn shown(&self) -> String {
        let mut shown = String::new();
        // Writing to a String cannot fail.
        if let (Some(file), Some(line)) = (&self.file, self.line) {
            let _ = write!(shown, "{file}:{line}: ");
        }
        match self.error {
            Some(error) => {
                let _ = writeln!(shown, "CUDA error {error}: \"{}\"", self.text);
            }
            None => {
                let _ = writeln!(shown, "compute-sanitizer says \"{}\"", self.text);
            }
        }
        let coordinate = |[x, y, z]: [i64; 3]| format!("({x},{y},{z})");
        if let (Some(thread), Some(block)) = (self.thread, self.block) {
            let (thread, block) = (coordinate(thread), coordinate(block));
            let _ = writeln!(shown, "  thread {thread} of block {block}");
        }
        if let Some(meaning) = self.meaning {
            let _ = writeln!(shown, "  {meaning}");
        }
        for element in &self.elements {
            let _ = writeln!(shown, "  {element}");
        }
        for operand in &self.operands {
            let _ = writeln!(shown, "  {} = {}", operand.expression, operand.value);
        }
        for rendered in &self.rendered {
            shown.push_str(rendered);
        }
        if self.findings.is_empty() && !self.rules.is_empty() {
            let _ = writeln!(
                shown,
                "  rules about such causes: {}",
                self.rules.join(", ")
            );
        }
        if let Some(next) = self.next {
            let _ = writeln!(shown, "  for the thread and the address: {next}");
        }
        shown.push('\n');
        shown
    }
}

/// The error of CUDA that an error of the sanitizer is, and the memory that it is about.
fn kind(what: &str) -> (Option<u16>, Option<Space>) {
    let space = if what.contains("__global__") {
        Some(Space::Global)
    } else if what.contains("__shared__") {
        Some(Space::Shared)
    } else {
        None
    };
    let error = if what.starts_with("Invalid ") {
        Some(700)
    } else if what.starts_with("Misaligned ") {
        Some(716)
    } else if what.contains("llegal ") && what.contains("nstruction") {
        Some(715)
    } else {
        None
    };
    (error, space)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_of_the_sanitizer_have_causes() {
        let log = "\
========= Invalid __global__ read of size 16 bytes
=========     at gemm(float *)+0x6f0 in k.cu:20
=========     Address 0x7f3c5a000004 is misaligned
========= Barrier error detected. Divergent thread(s) in block.
=========     at fused(float *)+0x1d0 in k.cu:31
========= Race reported between Write access at reduce(float *)+0xb0 in k.cu:8
=========     and Read access at reduce(float *)+0x110 in k.cu:11 [31 hazards]
";
        let found = crashes(log);
        let causes: Vec<_> = found
            .iter()
            .map(|it| (it.line, it.rules.first().copied()))
            .collect();
        assert_eq!(
            causes,
            [
                (Some(20), Some("smem-alignment")),
                (Some(31), Some("divergent-collective")),
                (Some(8), Some("shared-race")),
            ]
        );
        assert!(found.iter().all(|it| it.meaning.is_some()));
    }
}
