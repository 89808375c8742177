//! The sentences of `docs/architecture.md` that say what a crate must never know.

#![allow(clippy::unwrap_used, reason = "a failure in a helper fails the test")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use cute_tests::files::files_below;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}

/// The Rust sources of a crate, with their text; tests beside the code included.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let files = files_below(&root().join(folder).join("src"), "rs");
    assert!(!files.is_empty(), "{folder} has no sources");
    let with_text = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        (path, text)
    };
    files.into_iter().map(with_text).collect()
}

/// The direct dependencies of a crate, without those of its tests.
fn dependencies(folder: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
    let manifest: toml::Table = text.parse().unwrap();
    match manifest.get("dependencies").and_then(toml::Value::as_table) {
        Some(table) => table.keys().cloned().collect(),
        None => Vec::new(),
    }
}

/// Fails where a source names one of these.
#[track_caller]
fn never_named(folder: &str, names: &[&str]) {
    for (path, text) in sources(folder) {
        for name in names {
            assert!(!text.contains(name), "{} names {name}", path.display());
        }
    }
}

const CRATES: [&str; 6] = [
    "algebra", "hardware", "grammar", "analysis", "runner", "server",
];

#[test]
fn nothing_imports_upwards() {
    let allowed: BTreeMap<&str, &[&str]> = BTreeMap::from([
        ("algebra", &[] as &[&str]),
        ("grammar", &[]),
        ("hardware", &["cute-algebra"]),
        (
            "analysis",
            &["cute-algebra", "cute-hardware", "tree-sitter-cute"],
        ),
        ("runner", &["cute-algebra", "cute-hardware"]),
        (
            "server",
            &[
                "cute-algebra",
                "cute-analysis",
                "cute-hardware",
                "cute-runner",
                "tree-sitter-cute",
            ],
        ),
    ]);
    for folder in CRATES {
        for dependency in dependencies(folder) {
            let ours = dependency.starts_with("cute-") || dependency == "tree-sitter-cute";
            assert!(
                !ours || allowed[folder].contains(&dependency.as_str()),
                "{folder} imports {dependency}"
            );
        }
    }
}

/// `cargo xtask dist` compiles `packaging` before it says a word: no parser and no test is among what it needs.
#[test]
fn what_is_given_out_is_built_without_the_tests() {
    assert_eq!(dependencies("packaging"), ["anyhow", "serde", "serde_json"]);
    let alias = fs::read_to_string(root().join(".cargo/config.toml")).unwrap();
    assert!(
        alias.contains("xtask = \"run --package packaging --\""),
        "{alias}"
    );
}

#[test]
fn only_the_server_reads_files_and_the_environment() {
    for folder in ["algebra", "grammar", "hardware", "analysis"] {
        never_named(
            folder,
            &[
                "std::fs",
                "std::env",
                "std::net",
                "std::io",
                "SystemTime",
                "std::os",
            ],
        );
    }
}

#[test]
fn the_algebra_has_no_clock() {
    never_named("algebra", &["Instant", "std::time", "core::time"]);
}

#[test]
fn lsp_types_and_json_live_in_the_server() {
    for folder in CRATES.into_iter().filter(|folder| *folder != "server") {
        for dependency in dependencies(folder) {
            assert!(
                !["tower-lsp", "lsp-types", "serde_json", "tokio"].contains(&dependency.as_str()),
                "{folder} imports {dependency}"
            );
        }
    }
}

#[test]
fn presentation_and_command_line_know_no_protocol() {
    for folder in ["presentation", "cli"] {
        let below = root().join("server/src").join(folder);
        for (path, text) in sources("server") {
            let apart = !path.starts_with(&below) || !text.contains("tower_lsp");
            assert!(apart, "{} names tower_lsp", path.display());
        }
    }
}

/// The runner starts this very program again, so that a kernel that hangs can be stopped; the user's own program
/// is started by the subcommand `record` alone, which the language server cannot reach.
#[test]
fn no_process_is_started_but_a_run_of_our_own_and_what_is_recorded() {
    let child = root().join("runner/src/child.rs");
    let record = root().join("server/src/cli/record.rs");
    for folder in CRATES {
        for (path, text) in sources(folder) {
            let starts = text.contains("process::Command") || text.contains("Command::new(");
            let may = path == child || path == record;
            assert!(!starts || may, "{}", path.display());
        }
    }
    assert!(
        fs::read_to_string(child)
            .unwrap()
            .contains("std::env::current_exe()")
    );
    let arguments = fs::read_to_string(root().join("server/src/cli/mod.rs")).unwrap();
    assert!(
        arguments.contains("\nmod record;"),
        "no other module sees it"
    );
}

/// Structs with more than 15 fields that are plain data: each field is a column of a table, a flag of a protocol or a list
/// of results, and nothing is decided by several of them together.
const DATA: [(&str, &str); 7] = [
    ("analysis", "Analysis"),
    ("analysis", "Output"),
    ("analysis", "Run"),
    ("server", "Client"),
    ("server", "Grid"),
    ("server", "Row"),
    ("server", "RunArguments"),
];

/// State that is changed in many places is grouped by subject.
#[test]
fn no_type_has_more_than_15_fields_of_state() {
    struct Large(Vec<(String, usize)>);
    impl<'ast> syn::visit::Visit<'ast> for Large {
        fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
            let count = item.fields.len();
            if count > 15 {
                self.0.push((item.ident.to_string(), count));
            }
        }
    }
    let mut used: Vec<(&str, String)> = Vec::new();
    for folder in CRATES {
        for (path, text) in sources(folder) {
            let mut large = Large(Vec::new());
            syn::visit::Visit::visit_file(&mut large, &syn::parse_file(&text).unwrap());
            for (name, count) in large.0 {
                let is_data = DATA.contains(&(folder, name.as_str()));
                assert!(is_data, "{}: {name} has {count} fields", path.display());
                used.push((folder, name));
            }
        }
    }
    for (folder, name) in DATA {
        let is_used = used.iter().any(|(of, used)| *of == folder && used == name);
        assert!(is_used, "{name} of {folder} is no exception any more");
    }
}

/// Each crate forbids it; the runner allows it where the driver's library is called, and only there.
#[test]
fn only_calls_of_the_driver_are_unsafe() {
    let driver = root().join("runner/src/cuda/driver.rs");
    for (path, text) in sources("runner") {
        assert!(
            path == driver || !text.contains("allow(unsafe_code)"),
            "{}",
            path.display()
        );
    }
    let runner = fs::read_to_string(root().join("runner/src/lib.rs")).unwrap();
    assert!(runner.contains("#![deny(unsafe_code)]"));
    let text = fs::read_to_string(driver).unwrap();
    assert_eq!(
        text.matches("unsafe {").count(),
        text.matches("// SAFETY: ").count()
    );
    for folder in CRATES.iter().filter(|folder| **folder != "runner") {
        let lib = root().join(folder).join("src/lib.rs");
        let text = fs::read_to_string(&lib).unwrap();
        assert!(
            text.contains("#![forbid(unsafe_code)]"),
            "{}",
            lib.display()
        );
    }
}

#[test]
fn only_the_bindings_of_the_generated_parsers_call_into_c() {
    for grammar in ["cuda", "notation"] {
        let binding = format!("grammar/{grammar}/bindings/rust/lib.rs");
        let text = fs::read_to_string(root().join(binding)).unwrap();
        assert!(text.contains("#![deny(unsafe_code)]"));
        // The declaration of the C function and the constant made of it.
        assert_eq!(text.matches("#[allow(unsafe_code)]").count(), 2);
    }
}

#[test]
fn every_crate_says_what_it_knows_and_must_not_know() {
    for folder in CRATES {
        let text = fs::read_to_string(root().join(folder).join("src/lib.rs")).unwrap();
        // A crate's page may be its README, included first.
        assert!(
            text.starts_with("//! ") || text.starts_with("#![doc = include_str!("),
            "{folder}"
        );
        assert!(
            text.contains("**Knows**") && text.contains("**Must never know**"),
            "{folder}"
        );
    }
}
