//! The whole of CUTLASS's examples and of CuTe itself, as one run of `check` sees them.
//!
//! They compile and NVIDIA tests them, so an error found there is ours.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failure in a helper fails the test"
)]

use std::path::{Path, PathBuf};
use std::process::Command;

use cute_tests::oracles::cutlass;
use serde_json::Value;

/// The binary that cargo built beside this test.
fn binary() -> PathBuf {
    let test = std::env::current_exe().expect("the path of this test");
    let folder = test.ancestors().nth(2).expect("target/PROFILE/deps/TEST");
    let binary = folder.join(format!("cute-analyzer{}", std::env::consts::EXE_SUFFIX));
    assert!(
        binary.is_file(),
        "{} is missing: cargo build -p cute-analyzer",
        binary.display()
    );
    binary
}

/// The findings below a folder; `check` has to end by itself, with the exit code that it documents.
fn findings(folder: &Path) -> Vec<Value> {
    let run = Command::new(binary())
        .args(["check", "--format", "json"])
        .arg(folder)
        .output()
        .expect("cute-analyzer starts");
    let stderr = String::from_utf8_lossy(&run.stderr);
    assert!(
        matches!(run.status.code(), Some(0 | 1)),
        "{}: {stderr}",
        run.status
    );
    assert!(!stderr.contains("panicked"), "{stderr}");
    String::from_utf8(run.stdout)
        .expect("UTF-8")
        .lines()
        .map(|line| serde_json::from_str(line).expect("one JSON object per line"))
        .collect()
}

#[test]
#[ignore = "reads hundreds of files; `cargo xtask test` runs it"]
fn sources_that_compile_have_no_error() {
    for folder in ["examples", "include/cute"] {
        let findings = findings(&cutlass().join(folder));
        let errors: Vec<&Value> = findings
            .iter()
            .filter(|finding| finding["severity"] == "error")
            .collect();
        assert!(errors.is_empty(), "{folder}: {errors:#?}");
    }
}
