//! The importers of a module of Python below a folder.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;
use tree_sitter_cute::script::{Imported, imports};

use super::files::read_text;
use super::tree::{normal, python_below};

/// The import relation below a folder, by the `import` statements alone.
#[derive(Debug, Default)]
pub(super) struct Importers {
    /// Imports of each file.
    imported: BTreeMap<PathBuf, Vec<Imported>>,
    /// The files that import something whose last name is this.
    by_name: FxHashMap<String, Vec<PathBuf>>,
}

impl Importers {
    /// Reads the `import` statements of every module below `root`.
    pub(super) fn of(root: &Path) -> Self {
        let mut importers = Self::default();
        for path in python_below(root) {
            let path = normal(&path);
            let found = imports(&read_text(&path).unwrap_or_default());
            let mut names: Vec<&String> = found.iter().filter_map(|it| it.path.last()).collect();
            names.sort_unstable();
            names.dedup();
            for name in names {
                let files = importers.by_name.entry(name.clone()).or_default();
                files.push(path.clone());
            }
            importers.imported.insert(path, found);
        }
        importers
    }

    /// Whether a file imports others now than when this was made.
    pub(super) fn differs(&self, path: &Path) -> bool {
        let now = imports(&read_text(path).unwrap_or_default());
        self.imported.get(path).is_none_or(|before| *before != now)
    }

    /// The modules that import a file, directly or not; the nearest first. A package is on the way, but makes nothing
    /// itself.
    pub(super) fn of_module(&self, file: &Path) -> Vec<PathBuf> {
        let mut seen = HashSet::from([file]);
        let mut next = VecDeque::from([file]);
        let mut found = Vec::new();
        while let Some(file) = next.pop_front() {
            for importer in self.direct(file) {
                if !seen.insert(importer) {
                    continue;
                }
                if !is_package(importer) {
                    found.push(importer.to_owned());
                }
                next.push_back(importer);
            }
        }
        found
    }

    /// The modules that import a file, from it or from a package that does.
    pub(super) fn of_package<'s>(&'s self, file: &'s Path) -> Vec<&'s Path> {
        let direct: Vec<&Path> = self.direct(file).collect();
        let packages = direct.iter().filter(|path| is_package(path));
        let through: Vec<&Path> = packages.flat_map(|path| self.direct(path)).collect();
        let all = direct.into_iter().chain(through);
        all.filter(|path| !is_package(path)).collect()
    }

    fn direct<'s>(&'s self, file: &'s Path) -> impl Iterator<Item = &'s Path> {
        let named = if is_package(file) {
            file.parent().and_then(Path::file_name)
        } else {
            file.file_stem()
        };
        let name = named.and_then(|name| name.to_str()).unwrap_or_default();
        let files = self.by_name.get(name).into_iter().flatten();
        let module = module_of(file);
        files.map(PathBuf::as_path).filter(move |importer| {
            let imported = self.imported.get(*importer).into_iter().flatten();
            imported.into_iter().any(|it| names(importer, it, &module))
        })
    }
}

/// Whether a file is the one of a package.
fn is_package(file: &Path) -> bool {
    file.file_stem().is_some_and(|stem| stem == "__init__")
}

/// The path of a module: its file without the ending, or the folder of its package.
fn module_of(file: &Path) -> PathBuf {
    if is_package(file) {
        file.parent().unwrap_or(file).to_owned()
    } else {
        file.with_extension("")
    }
}

/// Whether an import in one file may name a module: a relative one by its path, a whole name where the path ends so. One
/// that is a single word names a module in a folder around the importing file: `utils` is in many.
fn names(importer: &Path, imported: &Imported, module: &Path) -> bool {
    let mut folders = module.components();
    let ends_so = imported.path.iter().rev().all(|name| {
        let last = folders.next_back();
        last.is_some_and(|last| last.as_os_str() == name.as_str())
    });
    let folder = importer.parent().unwrap_or(importer);
    match (imported.level, imported.path.len()) {
        _ if !ends_so => false,
        (0, 0) => false,
        (0, 1) => {
            let outer = module.parent().unwrap_or(module);
            let outer = outer
                .parent()
                .filter(|_| outer.ends_with("src"))
                .unwrap_or(outer);
            folder.starts_with(outer)
        }
        (0, _) => true,
        (level, _) => {
            let package = folder.ancestors().nth(level - 1);
            package.is_some_and(|package| package == folders.as_path())
        }
    }
}

/// Whether a whole name of a module is that of a file, whose folders are on no one's path: tests change theirs.
pub(super) fn ends_with(file: &Path, name: &str) -> bool {
    let relative: PathBuf = name.split('.').collect();
    relative.components().count() > 1 && file.with_extension("").ends_with(relative)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_imported_by_name_from_its_package_and_through_others() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            std::fs::write(path, text).expect("written");
        };
        write("pkg/__init__.py", "from .api import run\n");
        write("pkg/kernel.py", "");
        write("pkg/api.py", "from . import kernel\n");
        write("other/kernel.py", "");
        write("other/near.py", "import kernel\n");
        write("tests/test_run.py", "from pkg import (\n    run,\n)\n");
        let of = |file: &str| {
            let found = Importers::of(root).of_module(&root.join(file));
            let inner = |path: &PathBuf| path.strip_prefix(root).map(Path::to_owned);
            let found: Result<Vec<PathBuf>, _> = found.iter().map(inner).collect();
            found.expect("below the root")
        };
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(
            of("pkg/kernel.py"),
            paths(&["pkg/api.py", "tests/test_run.py"])
        );
        assert_eq!(of("other/kernel.py"), paths(&["other/near.py"]));
        assert_eq!(of("tests/test_run.py"), paths(&[]));
        let importers = Importers::of(root);
        assert!(!importers.differs(&root.join("pkg/api.py")));
        write("pkg/api.py", "");
        assert!(importers.differs(&root.join("pkg/api.py")));
    }
}
