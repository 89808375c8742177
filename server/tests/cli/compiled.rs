//! Bounds of budgets beside what `nvcc` and `ptxas` made of the same kernels: `tests/golden/registers.jsonl`, which
//! `cargo xtask bounds` writes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use cute_hardware::multiprocessor::{Demand, Multiprocessor};
use cute_tests::oracles::cutlass;
use serde::Deserialize;

use crate::ask::{ask, root};

/// A kernel as it was compiled.
#[derive(Debug, Deserialize)]
struct Compiled {
    source: String,
    architecture: String,
    kernel: String,
    registers: i64,
    shared: i64,
    spilled: i64,
    threads: Option<i64>,
    dynamic: Option<i64>,
}

/// The tool's figures for a kernel.
#[derive(Debug, Deserialize)]
struct Claimed {
    function: String,
    kernel: bool,
    shared: Vec<Shared>,
    registers_allowed: i64,
    columns_allocated: Option<i64>,
    threads: Option<i64>,
    ctas_per_multiprocessor: Option<i64>,
}

#[derive(Debug, Deserialize)]
struct Shared {
    dynamic: bool,
    bytes: Option<i64>,
}

impl Claimed {
    /// Bytes of what is known of static, or of dynamic, shared memory.
    fn bytes(&self, dynamic: bool) -> i64 {
        let objects = self
            .shared
            .iter()
            .filter(|object| object.dynamic == dynamic);
        objects.filter_map(|object| object.bytes).sum()
    }

    /// Why this does not hold of a compiled kernel.
    fn is_wrong_of(&self, compiled: &Compiled) -> Option<String> {
        let machine = compiled
            .architecture
            .trim_start_matches("sm_")
            .trim_end_matches('a');
        let machine = Multiprocessor::of(machine.parse().unwrap()).unwrap();
        let threads = compiled.threads.or(self.threads)?;
        if let Some(launched) = compiled.threads
            && self.threads != Some(launched)
        {
            return Some(format!(
                "{:?} threads, {launched} are launched",
                self.threads
            ));
        }
        // Objects are one behind the other, at least.
        if self.bytes(false) > compiled.shared {
            return Some(format!(
                "{} static bytes, {} are used",
                self.bytes(false),
                compiled.shared
            ));
        }
        if let Some(launched) = compiled.dynamic
            && self.bytes(true) > launched
        {
            return Some(format!(
                "{} dynamic bytes, {launched} are launched",
                self.bytes(true)
            ));
        }
        if compiled.registers > self.registers_allowed {
            let (most, used) = (self.registers_allowed, compiled.registers);
            return Some(format!("at most {most} registers, {used} are used"));
        }
        let demand = Demand {
            threads,
            shared: compiled.shared + compiled.dynamic.unwrap_or(self.bytes(true)),
            registers: compiled.registers,
            columns: self.columns_allocated.unwrap_or(0),
        };
        let (resident, limit) = machine.resident(demand);
        match self.ctas_per_multiprocessor {
            Some(most) if most < resident => Some(format!(
                "at most {most} CTAs, {resident} are resident ({})",
                limit.name()
            )),
            _ => None,
        }
    }
}

/// The compiled kernels of our sources, or of the tutorials, by source and name.
fn compiled(is_own: bool) -> BTreeMap<(String, String), Vec<Compiled>> {
    let text = fs::read_to_string(root().join("tests/golden/registers.jsonl")).unwrap();
    let rows = text
        .lines()
        .map(|line| serde_json::from_str::<Compiled>(line).unwrap());
    let mut found: BTreeMap<_, Vec<Compiled>> = BTreeMap::new();
    for row in rows.filter(|row| row.source.starts_with("tests/") == is_own) {
        let key = (row.source.clone(), row.kernel.clone());
        found.entry(key).or_default().push(row);
    }
    found
}

/// The tool's figures for the kernels of a source.
fn claimed(source: &Path, architecture: &str, includes: &[PathBuf]) -> Vec<Claimed> {
    let mut arguments = vec!["budget".into(), source.to_owned()];
    arguments.extend(["--format", "json", "--arch", architecture].map(PathBuf::from));
    for folder in includes {
        arguments.extend(["-I".into(), folder.clone()]);
    }
    let said = ask(&arguments).ends_with(0).stdout;
    let rows = said
        .lines()
        .map(|line| serde_json::from_str::<Claimed>(line).unwrap());
    rows.filter(|row| row.kernel).collect()
}

/// Each kernel as it was compiled has a claim that holds, and each claim a kernel that it holds of.
fn judge(is_own: bool, folder: &Path, includes: &[PathBuf]) -> (usize, Vec<String>) {
    let mut failures = Vec::new();
    let mut count = 0;
    for ((source, kernel), compiled) in compiled(is_own) {
        let architecture = compiled[0].architecture.clone();
        let mut claims = claimed(&folder.join(&source), &architecture, includes);
        claims.retain(|claim| claim.function == kernel);
        let wrong = |claim: &Claimed, of: &Compiled| claim.is_wrong_of(of);
        for one in &compiled {
            count += 1;
            let reasons: Vec<_> = claims
                .iter()
                .filter_map(|claim| wrong(claim, one))
                .collect();
            if reasons.len() == claims.len() {
                failures.push(format!("{source} {kernel}, {one:?}: {reasons:?}"));
            }
        }
        for claim in &claims {
            let reasons: Vec<_> = compiled
                .iter()
                .filter_map(|one| wrong(claim, one))
                .collect();
            if reasons.len() == compiled.len() {
                failures.push(format!("{source} {kernel}, {claim:?}: {reasons:?}"));
            }
        }
    }
    (count, failures)
}

#[test]
fn bounds_of_budgets_hold_of_compiled_kernels() {
    let (count, failures) = judge(true, &root(), &[]);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(count >= 25, "{count}");
}

#[test]
#[ignore = "reads CUTLASS's tutorials"]
fn bounds_of_budgets_hold_of_the_tutorials() {
    let root = cutlass();
    let includes = ["include", "tools/util/include"].map(|folder| root.join(folder));
    let tutorials = root.join("examples/cute/tutorial");
    let (count, failures) = judge(false, &tutorials, &includes);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(count >= 15, "{count}");
}

#[test]
fn accumulators_that_are_said_to_spill_do() {
    for ((source, kernel), compiled) in compiled(true) {
        let path = root().join(&source);
        let said = ask(&["check", path.to_str().unwrap()]).ends_with(0).stdout;
        let text = fs::read_to_string(&path).unwrap();
        let spilled = compiled.iter().any(|one| one.spilled > 0);
        let reported = said
            .lines()
            .filter(|line| line.contains("register-spill]"))
            .filter_map(|line| line.split(':').nth(1)?.parse::<usize>().ok())
            .filter_map(|line| kernel_around(&text, line))
            .any(|name| name == kernel);
        assert!(spilled || !reported, "{kernel} spills nothing");
        assert_eq!(spilled, reported, "{kernel}");
    }
}

/// The name of the kernel whose declaration is the last one before a line.
fn kernel_around(text: &str, line: usize) -> Option<&str> {
    let before = text
        .lines()
        .take(line)
        .filter(|line| line.contains("__global__"));
    let (head, _) = before.last()?.rsplit_once('(')?;
    head.rsplit(' ').next()
}
