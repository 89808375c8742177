//! The law of a complete build: a value that is known without the headers of the CUDA toolkit is the same with them.

#![allow(clippy::expect_used, reason = "a failure in a helper fails the test")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use cute_tests::binary::binary;
use cute_tests::files::files_below;
use cute_tests::oracles::{cuda_include, cutlass};
use serde_json::Value;

/// The value of a name, by line, column, name and instance.
type Values = BTreeMap<String, String>;

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
                Some(other) if refines(other, &value) => refined += 1,
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
