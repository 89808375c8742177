//! Circles of imports inside the crates: files that no one can change one at a time.
//!
//! Each bound is what the crate has today. A change may lower it, never raise it.

#![allow(clippy::unwrap_used, reason = "a failure in a helper fails the test")]

use cute_tests::files::files_below;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{ItemMod, ItemUse, UseTree};

/// The files of the largest circle of each crate: what is allowed, at most. The evaluator is one circle; files that it is
/// split into count.
const LARGEST: [(&str, usize); 6] = [
    ("algebra", 7),
    ("hardware", 6),
    ("grammar", 3),
    ("analysis", 10),
    ("runner", 1),
    ("server", 3),
];

#[test]
fn no_circle_of_imports_grows() {
    let mut found = Vec::new();
    for (folder, _) in LARGEST {
        let imports = Imports::of(folder);
        let circles = imports.circles();
        let largest = circles.iter().max_by_key(|circle| circle.len());
        let largest: Vec<&Path> = largest
            .into_iter()
            .flatten()
            .filter_map(|file| imports.files.get(*file))
            .map(PathBuf::as_path)
            .collect();
        println!("{folder}: {} files, circles {:?}", imports.files.len(), {
            let mut sizes: Vec<usize> = circles.iter().map(Vec::len).collect();
            sizes.sort_unstable_by(|a, b| b.cmp(a));
            sizes
        });
        let files: Vec<String> = largest.iter().map(|it| it.display().to_string()).collect();
        found.push((folder, files));
    }
    for ((folder, allowed), (_, largest)) in LARGEST.iter().zip(&found) {
        let count = largest.len();
        assert!(
            count <= *allowed,
            "{folder}: a circle of {count} files, {allowed} allowed: {}",
            largest.join(", ")
        );
    }
}

#[test]
fn imports_are_read_from_lists_paths_and_nested_modules() {
    let text = "use crate::a::{B, c::{self, D}};\nfn f() { super::e::g(); }\nmod tests { use crate::h::I; }\n#[cfg(test)] mod more { use crate::j::K; }";
    let mut reader = Reader::of(vec!["m".into(), "n".into()]);
    reader.visit_file(&syn::parse_file(text).unwrap());
    let paths: Vec<String> = reader.paths.iter().map(|path| path.join("::")).collect();
    assert_eq!(paths, ["a::B", "a::c", "a::c::D", "m::e::g", "h::I"]);
}

/// The files of a crate, and which imports which.
struct Imports {
    files: Vec<PathBuf>,
    arrows: Vec<BTreeSet<usize>>,
}

impl Imports {
    fn of(folder: &str) -> Self {
        let source = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("..")
            .join(folder)
            .join("src");
        let files = files_below(&source, "rs");
        assert!(!files.is_empty(), "{folder} has no sources");
        let modules: Vec<Vec<String>> = files.iter().map(|file| module(&source, file)).collect();
        let of_module: BTreeMap<&[String], usize> =
            modules.iter().map(Vec::as_slice).zip(0..).collect();
        let mut arrows = Vec::new();
        for (index, file) in files.iter().enumerate() {
            let own = &modules[index];
            let mut reader = Reader::of(own.clone());
            reader.visit_file(&syn::parse_file(&fs::read_to_string(file).unwrap()).unwrap());
            let mut targets = BTreeSet::new();
            for path in &reader.paths {
                let longest = (0..=path.len())
                    .rev()
                    .find_map(|count| of_module.get(&path[..count]));
                // A module is the door of its folder: what is inside may use what it declares.
                let is_outside = |target: &usize| !own.starts_with(&modules[*target]);
                targets.extend(longest.copied().filter(is_outside));
            }
            arrows.push(targets);
        }
        Self { files, arrows }
    }

    /// The files that reach each other, in groups of at least two (Tarjan's algorithm by two passes of reachability:
    /// crates have hundreds of files, not thousands).
    fn circles(&self) -> Vec<Vec<usize>> {
        let reached: Vec<BTreeSet<usize>> = (0..self.files.len())
            .map(|file| self.reached(file))
            .collect();
        let mut circles: Vec<Vec<usize>> = Vec::new();
        for file in 0..self.files.len() {
            if circles.iter().any(|circle| circle.contains(&file)) {
                continue;
            }
            let with = reached[file]
                .iter()
                .copied()
                .filter(|other| reached[*other].contains(&file));
            let circle: Vec<usize> = with.collect();
            if circle.len() > 1 {
                circles.push(circle);
            }
        }
        circles
    }

    fn reached(&self, from: usize) -> BTreeSet<usize> {
        let mut reached = BTreeSet::new();
        let mut open = vec![from];
        while let Some(file) = open.pop() {
            open.extend(
                self.arrows[file]
                    .iter()
                    .filter(|target| reached.insert(**target)),
            );
        }
        reached
    }
}

/// The module that a file is, by its names from the root of the crate.
fn module(source: &Path, file: &Path) -> Vec<String> {
    let path = file.strip_prefix(source).unwrap().with_extension("");
    let mut names: Vec<String> = path
        .iter()
        .map(|name| name.to_str().unwrap().to_owned())
        .collect();
    if names
        .last()
        .is_some_and(|name| name == "mod" || name == "lib" || name == "main")
    {
        names.pop();
    }
    names
}

/// Reads the paths of a file, from the root of the crate.
struct Reader {
    module: Vec<String>,
    paths: Vec<Vec<String>>,
}

impl Reader {
    fn of(module: Vec<String>) -> Self {
        Self {
            module,
            paths: Vec::new(),
        }
    }

    fn add(&mut self, written: &[String]) {
        let (first, rest) = written.split_first().unwrap();
        let mut path = match first.as_str() {
            "crate" => Vec::new(),
            "super" => self.module[..self.module.len().saturating_sub(1)].to_vec(),
            "self" => self.module.clone(),
            _ => return,
        };
        for name in rest {
            if name == "super" {
                path.pop();
            } else if name != "self" {
                path.push(name.clone());
            }
        }
        self.paths.push(path);
    }

    fn add_tree(&mut self, before: &[String], tree: &UseTree) {
        let with = |name: String| [before, &[name]].concat();
        match tree {
            UseTree::Path(path) => self.add_tree(&with(path.ident.to_string()), &path.tree),
            UseTree::Name(name) => self.add(&with(name.ident.to_string())),
            UseTree::Rename(name) => self.add(&with(name.ident.to_string())),
            UseTree::Glob(_) => self.add(before),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.add_tree(before, tree);
                }
            }
        }
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.add_tree(&[], &item.tree);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string())
            .collect();
        if names.len() > 1 {
            self.add(&names);
        }
        visit::visit_path(self, path);
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if item
            .attrs
            .iter()
            .any(|attribute| attribute.path().is_ident("cfg"))
        {
            return;
        }
        self.module.push(item.ident.to_string());
        if item.content.is_none() {
            // `mod child;`: the parent uses it.
            self.paths.push(self.module.clone());
        }
        visit::visit_item_mod(self, item);
        self.module.pop();
    }
}
