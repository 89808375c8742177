//! The law of a complete build: a value that is known without the headers of the CUDA toolkit is the same with them.

#![allow(clippy::expect_used, reason = "a failure in a helper fails the test")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use cute_tests::oracles::{cuda_include, cutlass};
use serde_json::Value;

/// What a name is worth, by line, column, name and instance.
type Values = BTreeMap<String, String>;

/// The binary that cargo built beside this test.
fn binary() -> PathBuf {
    let test = std::env::current_exe().expect("the path of this test");
    let folder = test.ancestors().nth(2).expect("target/PROFILE/deps/TEST");
    folder.join(format!("cute-analyzer{}", std::env::consts::EXE_SUFFIX))
}

/// The values that a source has with some more include folders.
fn values(source: &Path, includes: &[PathBuf]) -> Values {
    let mut command = Command::new(binary());
    command.args(["layouts", "--format", "json"]);
    for folder in includes {
        command.arg("-I").arg(folder);
    }
    let run = command.arg(source).output().expect("cute-analyzer starts");
    let rows = String::from_utf8(run.stdout).expect("UTF-8");
    let row = |row: &str| {
        let row: Value = serde_json::from_str(row).expect("one JSON object per line");
        let key = ["line", "column", "name", "instance"].map(|key| row[key].to_string());
        let value = row["value"].as_str().map(str::to_owned);
        value.map(|value| (key.join(" "), value))
    };
    rows.lines().filter_map(row).collect()
}

/// The CUDA sources in a folder and in the folders below it.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "cu") {
            found.push(path);
        }
    }
}

/// The tutorials, and the examples 40 to 49: CUTLASS 2.x for Ampere and 3.x for Hopper.
fn examples(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    sources(&root.join("examples/cute/tutorial"), &mut found);
    for entry in std::fs::read_dir(root.join("examples"))
        .expect("a folder")
        .flatten()
    {
        if entry.file_name().to_string_lossy().starts_with('4') {
            sources(&entry.path(), &mut found);
        }
    }
    found.sort();
    found
}

#[test]
#[ignore = "reads CUTLASS and the headers of the CUDA toolkit"]
fn what_is_known_without_the_headers_of_the_toolkit_is_known_with_them() {
    let root = cutlass();
    let own = ["include", "tools/util/include"].map(|folder| root.join(folder));
    let toolkit = cuda_include();
    let with_toolkit = [own.to_vec(), vec![toolkit.clone(), toolkit.join("cccl")]].concat();
    let (mut known, mut refined, mut failures) = (0, 0, Vec::new());
    for source in examples(&root) {
        let without = values(&source, &own);
        let with = values(&source, &with_toolkit);
        known += without.len();
        for (place, value) in without {
            match with.get(&place) {
                Some(same) if *same == value => {}
                // A part that was not known may be known now: the width of a `cudaEvent_t`.
                Some(_) if value.contains('?') => refined += 1,
                other => failures.push(format!(
                    "{} {place}: {value} without, {other:?} with",
                    source.display()
                )),
            }
        }
    }
    println!(
        "{known} values known without the headers, of these {refined} better known with them, {} worse",
        failures.len()
    );
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(known > 4_000, "{known}");
}
