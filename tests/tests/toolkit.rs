//! The law of a complete build: a value that is known without the headers of the CUDA toolkit is the same with them.

#![allow(clippy::expect_used, reason = "a failure in a helper fails the test")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use cute_tests::binary::binary;
use cute_tests::files::files_below;
use cute_tests::oracles::{self, cuda_include, cutlass};
use serde_json::Value;

/// A name of a source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    /// Line, column and name.
    place: String,
    name: String,
    instance: Option<String>,
}

/// The values of names.
type Values = BTreeMap<Key, String>;

/// The values that a source has with some flags, and some more include folders.
fn values(source: &Path, flags: &[&str], includes: &[PathBuf]) -> Values {
    let mut command = Command::new(binary());
    command.args(["layouts", "--format", "json"]).args(flags);
    for folder in includes {
        command.arg("-I").arg(folder);
    }
    let run = command.arg(source).output().expect("cute-analyzer starts");
    let rows = String::from_utf8(run.stdout).expect("UTF-8");
    let row = |row: &str| {
        let row: Value = serde_json::from_str(row).expect("one JSON object per line");
        let place = ["line", "column", "name"].map(|key| row[key].to_string());
        let key = Key {
            place: place.join(" "),
            name: row["name"].as_str().unwrap_or_default().to_owned(),
            instance: row["instance"].as_str().map(str::to_owned),
        };
        // What is supposed of a template that nothing instantiates is not known.
        let is_known = row["supposed"] != true;
        let value = row["value"].as_str().filter(|_| is_known);
        value.map(|value| (key, value.to_owned()))
    };
    rows.lines().filter_map(row).collect()
}

/// The tutorials, and the examples 40 to 49: CUTLASS 2.x for Ampere and 3.x for Hopper.
fn examples(root: &Path) -> Vec<PathBuf> {
    let mut found = files_below(&root.join("examples/cute/tutorial"), "cu");
    for entry in std::fs::read_dir(root.join("examples"))
        .expect("a folder")
        .flatten()
    {
        if entry.file_name().to_string_lossy().starts_with('4') {
            found.extend(files_below(&entry.path(), "cu"));
        }
    }
    found
}

/// Whether a value says what another one says, with something in the place of a `?`.
fn refines(refined: &str, value: &str) -> bool {
    let mut rest = refined;
    let mut parts = value.split('?');
    let begins = parts.next().and_then(|part| rest.strip_prefix(part));
    let Some(behind) = begins else {
        return false;
    };
    rest = behind;
    for part in parts {
        let Some((_, behind)) = rest.split_once(part) else {
            return false;
        };
        rest = if part.is_empty() { "" } else { behind };
    }
    rest.is_empty() && refined.matches('?').count() < value.matches('?').count()
}

#[test]
fn only_what_was_open_may_be_refined() {
    assert!(refines("ptr[64b](PTR)", "ptr[?](PTR)"));
    assert!(refines("(4,?):(1,4)", "(4,?):(1,?)") && refines("(8,2)", "(?,?)"));
    assert!(!refines("ptr[64b](OTHER)", "ptr[?](PTR)") && !refines("ptr[?](PTR)", "ptr[?](PTR)"));
    assert!(!refines("(?,?)", "(8,?)") && !refines("(8,2,3):1", "(?,?)"));
}

/// The values that the headers change: the one without them, the one with them, the line of the header.
const CHANGED: [(&str, Option<&str>, &str); 2] = [
    (
        "half2",
        Some("__half2"),
        "cuda_fp16.h: `typedef __half2 half2`, two names of one type",
    ),
    (
        "scale_byte",
        None,
        "cuda_fp8.hpp: the body of `__nv_cvt_double_to_fp8`, whose result may not fit into its type",
    ),
];

/// The line of a header that makes one value of another.
fn changed_by(without: &str, with: Option<&String>) -> Option<&'static str> {
    let is_it = |(before, after, _): &&(&str, Option<&str>, &str)| {
        *before == without && *after == with.map(String::as_str)
    };
    CHANGED.iter().find(is_it).map(|(_, _, line)| *line)
}

/// The compared values.
#[derive(Default)]
struct Compared {
    known: usize,
    /// Names whose value says more with the headers.
    refined: usize,
    /// Names whose value a line of a header changes.
    changed: Vec<String>,
    /// Names whose value is another one with the headers, or is not known.
    worse: Vec<String>,
}

impl Compared {
    /// Compares a source with and without the headers of the toolkit.
    fn add(&mut self, source: &Path, flags: &[&str], own: &[PathBuf]) {
        let toolkit = cuda_include();
        let all = [own.to_vec(), vec![toolkit.clone(), toolkit.join("cccl")]].concat();
        let without = values(source, flags, own);
        let with = values(source, flags, &all);
        self.known += without.len();
        for (key, value) in without {
            // Instances that differ only in what no header declares are one instance with them.
            let of_all = Key {
                instance: None,
                ..key.clone()
            };
            match with.get(&key).or_else(|| with.get(&of_all)) {
                Some(same) if *same == value => {}
                // A part that was not known may be known now: the width of a `cudaEvent_t`, a member of `cudaDeviceProp`.
                Some(other) if refines(other, &value) || value == key.name => self.refined += 1,
                other => match changed_by(&value, other) {
                    Some(line) => self.changed.push(format!("{}: {line}", key.place)),
                    None => self.worse.push(format!(
                        "{} {key:?}: {value} without, {other:?} with",
                        source.display()
                    )),
                },
            }
        }
    }

    fn holds(&self, name: &str, least: usize) {
        let (known, refined) = (self.known, self.refined);
        println!(
            "{name}: {known} values known without the headers, of these {refined} better known with them, {} worse",
            self.worse.len()
        );
        for changed in &self.changed {
            println!("    {changed}");
        }
        assert!(self.worse.is_empty(), "{}", self.worse.join("\n"));
        assert!(known > least, "{name}: {known}");
    }
}

#[test]
#[ignore = "reads CUTLASS and the headers of the CUDA toolkit"]
fn what_is_known_without_the_headers_of_the_toolkit_is_known_with_them() {
    let root = cutlass();
    let own = ["include", "tools/util/include"].map(|folder| root.join(folder));
    let mut compared = Compared::default();
    for source in examples(&root) {
        compared.add(&source, &[], &own);
    }
    compared.holds("CUTLASS", 4_000);
}

/// A project: where its sources are, which are read, and the include folders and flags of its build.
struct Project {
    name: &'static str,
    /// Folders with sources, or files.
    sources: &'static [&'static str],
    /// Of the sources in their order each one so far behind the other is read.
    step: usize,
    includes: &'static [&'static str],
    /// Whether the build takes CUTLASS from elsewhere.
    wants_cutlass: bool,
    flags: &'static [&'static str],
    /// More values than this are known.
    least: usize,
}

/// Folders and flags as `setup.py` or `CMakeLists.txt` of the project has them.
const PROJECTS: [Project; 5] = [
    Project {
        name: "flash-attention",
        sources: &[
            "csrc/flash_attn/src/kernel_traits.h",
            "csrc/flash_attn/src/flash_fwd_kernel.h",
            "csrc/flash_attn/src/flash_fwd_hdim128_bf16_sm80.cu",
        ],
        step: 1,
        includes: &["csrc/flash_attn", "csrc/flash_attn/src"],
        wants_cutlass: true,
        flags: &["-D", "NDEBUG"],
        least: 5_000,
    },
    Project {
        name: "natten",
        sources: &["csrc/src", "csrc/include/natten/cuda"],
        step: 12,
        includes: &["third_party/cutlass/include", "csrc/include"],
        wants_cutlass: false,
        flags: &[
            "-D",
            "NDEBUG",
            "-D",
            "WITH_CUDA",
            "-D",
            "NATTEN_WITH_CUTLASS",
            "-D",
            "CUTLASS_ENABLE_TENSOR_CORE_MMA=1",
        ],
        least: 500,
    },
    Project {
        name: "xformers",
        sources: &["xformers/csrc"],
        step: 1,
        includes: &["xformers/csrc", "third_party/cutlass/include"],
        wants_cutlass: false,
        flags: &[
            "-D",
            "HAS_PYTORCH",
            "-D",
            "NDEBUG",
            "-D",
            "_ENABLE_EXTENDED_ALIGNED_STORAGE",
        ],
        least: 500,
    },
    Project {
        name: "causal-conv1d",
        sources: &["csrc"],
        step: 1,
        includes: &["csrc"],
        wants_cutlass: false,
        flags: &[],
        least: 1_000,
    },
    Project {
        name: "flashinfer",
        sources: &["include/flashinfer/attention", "csrc/cute_sm12x_gemm"],
        step: 4,
        includes: &["include", "csrc"],
        wants_cutlass: true,
        flags: &["-D", "FLASHINFER_ENABLE_BF16"],
        least: 500,
    },
];

#[test]
#[ignore = "reads five projects and the headers of the CUDA toolkit"]
fn what_is_known_of_five_projects_is_known_with_the_headers_of_the_toolkit() {
    for project in PROJECTS {
        let root = oracles::project(project.name);
        let mut own: Vec<PathBuf> = project
            .includes
            .iter()
            .map(|part| root.join(part))
            .collect();
        if project.wants_cutlass {
            own.extend(["include", "tools/util/include"].map(|folder| cutlass().join(folder)));
        }
        let mut sources = Vec::new();
        for part in project.sources {
            let path = root.join(part);
            if path.is_file() {
                sources.push(path);
            } else {
                sources.extend(
                    ["cu", "cuh", "hpp"]
                        .iter()
                        .flat_map(|ending| files_below(&path, ending)),
                );
            }
        }
        let mut compared = Compared::default();
        for source in sources.iter().step_by(project.step) {
            compared.add(source, project.flags, &own);
        }
        compared.holds(project.name, project.least);
    }
}
