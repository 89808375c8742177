//! The positions of the modules of Python that a file imports: in its package, in the project, in the environment.
//!
//! The environment is the one that the command line or the settings name, else that of `VIRTUAL_ENV`, else a folder
//! `.venv` or `venv` in the project. Modules are read and evaluated here; no Python is started.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::files::read_text;

/// Packages inside packages.
const PACKAGES: usize = 32;

/// The folders in which modules are looked for that are of no package of the file itself, in order.
pub(super) fn search_path(root: &Path, python: Option<&Path>) -> Vec<PathBuf> {
    let mut folders = vec![root.to_owned(), root.join("src")];
    if let Some(listed) = env::var_os("PYTHONPATH") {
        folders.extend(env::split_paths(&listed));
    }
    let environment = python
        .map(environment_of)
        .or_else(|| env::var_os("VIRTUAL_ENV").map(PathBuf::from))
        .or_else(|| {
            let usual = [".venv", "venv"].map(|name| root.join(name));
            usual.into_iter().find(|folder| folder.is_dir())
        });
    if let Some(environment) = environment {
        for folder in site_packages(&environment) {
            folders.extend(linked(&folder));
            folders.push(folder);
        }
    }
    folders
}

/// The folder of an environment that is named by itself, by its interpreter or by its packages.
fn environment_of(named: &Path) -> PathBuf {
    let is_file = named.is_file();
    match named.parent() {
        // `.venv/bin/python`
        Some(bin) if is_file => bin.parent().unwrap_or(bin).to_owned(),
        _ => named.to_owned(),
    }
}

/// The folders of installed packages of an environment; a folder that holds packages itself is one.
fn site_packages(environment: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for lib in ["lib", "lib64"] {
        let Ok(versions) = fs::read_dir(environment.join(lib)) else {
            continue;
        };
        for version in versions.flatten() {
            for packages in ["site-packages", "dist-packages"] {
                let folder = version.path().join(packages);
                if folder.is_dir() && !found.contains(&folder) {
                    found.push(folder);
                }
            }
        }
    }
    let windows = environment.join("Lib/site-packages");
    if windows.is_dir() {
        found.push(windows);
    }
    if found.is_empty() {
        found.push(environment.to_owned());
    }
    found.sort();
    found
}

/// The folders that the `.pth` files of a folder of packages add, and those in which the DSL keeps its own.
fn linked(packages: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(packages) else {
        return found;
    };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    for file in files {
        if file.extension() != Some(OsStr::new("pth")) {
            continue;
        }
        let text = read_text(&file).unwrap_or_default();
        let lines = text.lines().map(str::trim);
        let folders = lines.filter(|line| {
            !line.is_empty() && !line.starts_with('#') && !line.starts_with("import ")
        });
        found.extend(folders.map(|line| packages.join(line)));
    }
    for own in ["dsl_packages", "python_packages"] {
        found.push(packages.join("nvidia_cutlass_dsl").join(own));
    }
    found.retain(|folder| folder.is_dir());
    found
}

/// The folder that the outermost package of a file is in, and the whole name of the file's module.
pub(super) fn package_of(file: &Path) -> Option<(PathBuf, String)> {
    let mut names = Vec::new();
    let stem = file.file_stem()?.to_str()?;
    if stem != "__init__" {
        names.push(stem.to_owned());
    }
    let mut folder = file.parent()?;
    for _ in 0..PACKAGES {
        if !folder.join("__init__.py").is_file() {
            break;
        }
        names.push(folder.file_name()?.to_str()?.to_owned());
        folder = folder.parent()?;
    }
    names.reverse();
    Some((folder.to_owned(), names.join(".")))
}

/// The folder of the outermost package of a file; `None` where no package has it.
pub(super) fn outermost_package(file: &Path) -> Option<PathBuf> {
    let (outer, name) = package_of(file)?;
    let first = name.split('.').next()?;
    let folder = outer.join(first);
    file.starts_with(&folder).then_some(folder)
}

/// The folders of packages without an `__init__.py` around a file, whose names begin a whole name.
pub(super) fn namespaces(file: &Path, name: &str) -> Vec<PathBuf> {
    let first = name.split('.').next().unwrap_or(name);
    let around = file.ancestors().skip(1).take(PACKAGES);
    let named = around.filter(|folder| folder.file_name() == Some(OsStr::new(first)));
    named
        .filter_map(|folder| folder.parent().map(Path::to_owned))
        .collect()
}

/// The file of a module, among the folders.
pub(super) fn find(
    name: &str,
    folders: &[impl AsRef<Path>],
    is_there: &dyn Fn(&Path) -> bool,
) -> Option<PathBuf> {
    let is_name =
        |part: &str| !part.is_empty() && part.chars().all(|it| it == '_' || it.is_alphanumeric());
    if !name.split('.').all(is_name) {
        return None;
    }
    let relative: PathBuf = name.split('.').collect();
    folders.iter().find_map(|folder| {
        let base = folder.as_ref().join(&relative);
        [base.with_extension("py"), base.join("__init__.py")]
            .into_iter()
            .find(|path| is_there(path))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_found_in_its_package_and_in_the_environment() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text).expect("written");
        };
        write("pkg/__init__.py", "");
        write("pkg/sub/__init__.py", "");
        write("pkg/sub/a.py", "");
        write(".venv/lib/python3.11/site-packages/x.pth", "inner\n");
        write(".venv/lib/python3.11/site-packages/inner/deep.py", "");
        let (outer, name) = package_of(&root.join("pkg/sub/a.py")).expect("a package");
        assert_eq!((outer.as_path(), name.as_str()), (root, "pkg.sub.a"));
        let folders = search_path(root, None);
        let is_there = |path: &Path| path.is_file();
        assert_eq!(
            find("pkg.sub", &folders, &is_there),
            Some(root.join("pkg/sub/__init__.py"))
        );
        assert!(find("deep", &folders, &is_there).is_some());
        assert_eq!(find("..deep", &folders, &is_there), None);
        // A package without the file that makes it one.
        write("space/inner/__init__.py", "");
        let around = namespaces(&root.join("space/inner/b.py"), "space.inner");
        assert!(find("space.inner", &around, &is_there).is_some());
        let interpreter = root.join(".venv/bin/python");
        write(".venv/bin/python", "");
        let named = search_path(Path::new("/"), Some(&interpreter));
        assert!(find("deep", &named, &is_there).is_some());
    }
}
