//! Coverage of CUTLASS 4.2 with its headers on the include path, as a user has them: a part of `docs/coverage.md`.

use std::fmt::Write as _;
use std::process::Command;
use std::time::{Duration, Instant};

use cute_tests::oracles::cutlass;
use cute_tests::page;
use serde_json::Value;

/// All folders together, on two cores.
const PATIENCE: Duration = Duration::from_secs(20 * 60);

/// The folders that CUTLASS's own build has on the include path of its examples.
const INCLUDE: &[&str] = &["include", "tools/util/include", "examples/common"];

/// The counts of `layouts --unknown` over paths: its last line.
fn totals(paths: &[String]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cute-analyzer"));
    command.current_dir(cutlass());
    command.args(["layouts", "--unknown", "--format", "json"]);
    for folder in INCLUDE {
        command.args(["-I", folder]);
    }
    let answer = command.args(paths).output().unwrap();
    let stderr = String::from_utf8_lossy(&answer.stderr);
    assert!(answer.status.success(), "{stderr}");
    assert!(!stderr.contains("panicked"), "{stderr}");
    let stdout = String::from_utf8(answer.stdout).unwrap();
    serde_json::from_str(stdout.lines().last().unwrap()).unwrap()
}

fn columns(count: &Value) -> String {
    let number = |name: &str| count[name].as_u64().unwrap();
    let (concrete, symbolic, unknown) = (number("concrete"), number("symbolic"), number("unknown"));
    #[allow(clippy::cast_precision_loss, reason = "a percentage")]
    let share =
        100.0 * (concrete + symbolic) as f64 / (concrete + symbolic + unknown).max(1) as f64;
    format!("{concrete} | {symbolic} | {unknown} | {share:.1} %")
}

/// Every `step`-th of the files below a folder, in the order of their paths.
fn sample(folder: &str, step: usize) -> Vec<String> {
    if step == 1 {
        return vec![folder.to_owned()];
    }
    let mut paths = Vec::new();
    let mut folders = vec![cutlass().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|ending| ending == "hpp" || ending == "h")
            {
                paths.push(path.display().to_string());
            }
        }
    }
    paths.sort();
    paths.into_iter().step_by(step).collect()
}

#[test]
#[ignore = "reads all of CUTLASS"]
fn the_coverage_of_cutlass_with_its_headers() {
    let start = Instant::now();
    let mut table = String::from(
        "| sources | files | layouts: concrete | symbolic | unknown | concrete or symbolic | values: concrete | symbolic | unknown | concrete or symbolic |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
",
    );
    for (folder, step) in [
        ("examples/cute/tutorial", 1),
        ("examples", 1),
        ("include/cutlass", 16),
    ] {
        let totals = totals(&sample(folder, step));
        let every = if step == 1 {
            String::new()
        } else {
            format!(", every {step}th file")
        };
        let _ = writeln!(
            table,
            "| `{folder}`{every} | {} | {} | {} |",
            totals["files"],
            columns(&totals["layouts"]),
            columns(&totals["values"]),
        );
    }
    page::print("coverage.md", "with headers", &table);
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
}
