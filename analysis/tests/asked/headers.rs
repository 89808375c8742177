//! The public functions of CuTe's headers: each has an entry in the catalogue, or is listed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use cute_analysis::vocabulary;
use cute_tests::files::files_below;
use cute_tests::oracles::cutlass;
use tree_sitter_cute::tree::{Item, ItemKind};
use tree_sitter_cute::{Budget, Host, Syntax};

/// Namespaces whose functions sources do not call.
const PRIVATE: [&str; 3] = ["detail", "impl", "ADL_helper"];

/// Adds the functions that a header declares in the namespace `cute`.
fn add(items: &[Item], inside: bool, functions: &mut BTreeSet<String>) {
    for item in items {
        match &item.kind {
            ItemKind::Namespace(space) => {
                let names: Vec<&str> = space.names.iter().map(|name| &*name.name).collect();
                if !names.iter().any(|name| PRIVATE.contains(name)) {
                    let is_cute = names.first() == Some(&"cute");
                    add(&space.items, is_cute && names.len() == 1, functions);
                }
            }
            ItemKind::Conditional(branches) => {
                for branch in &branches.branches {
                    add(&branch.items, inside, functions);
                }
            }
            ItemKind::Function(function) if inside => {
                let name = function.name.name.clone();
                let is_operator = name.starts_with("operator") || name.starts_with('~');
                if !is_operator && !name.starts_with("__") {
                    functions.insert(name);
                }
            }
            _ => {}
        }
    }
}

/// Functions without an entry, by header below `include/cute`.
fn without_entry() -> BTreeMap<String, BTreeSet<String>> {
    let folder = cutlass().join("include/cute");
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in files_below(&folder, "hpp") {
        let text = std::fs::read_to_string(&path).unwrap();
        let syntax = Syntax::parse(Host::CudaCpp, &text, None, Budget::unlimited()).unwrap();
        let mut functions = BTreeSet::new();
        add(&syntax.lower(&text).items, false, &mut functions);
        functions.retain(|name| {
            vocabulary::function(name)
                .or_else(|| vocabulary::method(name))
                .or_else(|| vocabulary::operation(name))
                .is_none()
        });
        if !functions.is_empty() {
            let header = path.strip_prefix(&folder).unwrap_or(&path);
            found.insert(header.display().to_string(), functions);
        }
    }
    found
}

#[test]
#[ignore = "reads the headers of CUTLASS, which `cargo xtask fetch` gets"]
fn each_function_is_in_the_header_that_its_entry_names() {
    for function in vocabulary::functions() {
        // A later version has it.
        if function.name == "make_counting_tensor" {
            continue;
        }
        if let Some(path) = function.defined.header.path_in_repository() {
            let text = std::fs::read_to_string(cutlass().join(&path)).unwrap();
            let name = function.name;
            assert!(text.contains(name), "`{name}` is not in {path}");
        }
    }
}

#[test]
#[ignore = "reads the headers of CUTLASS, which `cargo xtask fetch` gets"]
fn each_function_of_cute_has_an_entry_or_is_listed() {
    let mut text = String::new();
    for (header, functions) in without_entry() {
        let names: Vec<String> = functions.iter().map(|name| format!("`{name}`")).collect();
        let _ = writeln!(text, "{header}\t{}", names.join(", "));
    }
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let list: &Path = &root.join("tests/asked/without_entry.tsv");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(list, &text).unwrap();
    }
    assert_eq!(std::fs::read_to_string(list).unwrap(), text);
}
