//! Folders: the normal form of a path, the root of a project, the sources below it.

use std::path::{Component, Path, PathBuf};

use ignore::WalkBuilder;
use ignore::gitignore::Gitignore;
use tree_sitter_cute::Host;

use crate::limits::{SCANNED_ENTRIES, SCANNED_FILES};

/// Names in the root folder of a project.
const MARKS: &[&str] = &[
    "compile_commands.json",
    ".clangd",
    ".git",
    "cute-analyzer.toml",
];

/// Names in the root folder of a project that is published without its history.
const PUBLISHED: &[&str] = &[
    "LICENSE",
    "LICENSE.txt",
    "LICENSE.md",
    "COPYING",
    ".gitmodules",
];

/// Names of build files; the folders of a project may each have one.
const BUILDS: &[&str] = &[
    "CMakeLists.txt",
    "Cargo.toml",
    "Makefile",
    "MODULE.bazel",
    "meson.build",
    "pyproject.toml",
    "setup.py",
];

/// A path without `.` and `..`, absolute where the process has a current folder. Links are not
/// followed: a person sees the path that they know.
pub fn normal(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut normal = PathBuf::new();
    for component in absolute.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

/// The root of the project that a file belongs to: the nearest folder above it that has a mark of one;
/// without any the nearest that looks published, else the first of the folders that someone works in (`known`) that is
/// above it, else the outermost that is built, else its own. Files that the project of that folder ignores are not part
/// of it: a file below an ignored folder belongs to the folder that someone works in, where that is inside of the
/// ignored one, else to the ignored folder.
pub(super) fn root_of(path: &Path, known: &[PathBuf]) -> PathBuf {
    let own = path.parent().unwrap_or(path);
    let mut known = known
        .iter()
        .filter(|folder| folder.parent().is_some() && own.starts_with(folder));
    let folders = || own.ancestors().filter(|folder| folder.parent().is_some());
    let Some(root) = own.ancestors().find(|folder| has_any(folder, MARKS)) else {
        return folders()
            .find(|folder| has_any(folder, PUBLISHED))
            .or_else(|| known.next().map(PathBuf::as_path))
            .or_else(|| folders().filter(|folder| has_any(folder, BUILDS)).last())
            .unwrap_or(own)
            .to_owned();
    };
    match ignored_below(root, own) {
        Some(ignored) => known
            .find(|folder| folder.starts_with(&ignored))
            .map_or(ignored, Clone::clone),
        None => root.to_owned(),
    }
}

fn has_any(folder: &Path, names: &[&str]) -> bool {
    names.iter().any(|name| folder.join(name).exists())
}

/// The outermost folder on the way from a root to one below it that `git` would not look into.
fn ignored_below(root: &Path, folder: &Path) -> Option<PathBuf> {
    let mut way: Vec<&Path> = folder
        .ancestors()
        .take_while(|inner| *inner != root)
        .collect();
    way.reverse();
    let mut rules: Vec<Gitignore> = Vec::new();
    let mut above = root;
    for inner in way {
        rules.push(Gitignore::new(above.join(".gitignore")).0);
        // The nearest file that says something of a folder decides.
        let decided = rules
            .iter()
            .rev()
            .map(|rules| rules.matched(inner, true))
            .find(|decided| !decided.is_none());
        if decided.is_some_and(|decided| decided.is_ignore()) {
            return Some(inner.to_owned());
        }
        above = inner;
    }
    None
}

/// A walk over a folder as `git` sees it. Rules above the folder do not count where they would leave the folder itself
/// out: whoever names it wants to see it.
pub(crate) fn walk(folder: &Path) -> WalkBuilder {
    let mut walk = WalkBuilder::new(folder);
    let whole = normal(folder);
    let is_ignored = whole
        .ancestors()
        .find(|above| above.join(".git").exists())
        .is_some_and(|root| ignored_below(root, &whole).is_some());
    walk.sort_by_file_name(std::ffi::OsStr::cmp)
        .parents(!is_ignored);
    walk
}

/// The C++ sources below a folder as `git` sees them, in a stable order; no more than
/// [`SCANNED_FILES`].
pub(super) fn sources_below(root: &Path) -> Vec<PathBuf> {
    below(root, |host| host == Some(Host::CudaCpp))
}

/// The sources of Python below a folder as `git` sees them, in a stable order; no more than [`SCANNED_FILES`].
pub(super) fn python_below(root: &Path) -> Vec<PathBuf> {
    below(root, |host| host == Some(Host::Python))
}

/// The sources below a folder: none below the root of the file system, where everything of the machine is.
fn below(root: &Path, is_wanted: impl Fn(Option<Host>) -> bool) -> Vec<PathBuf> {
    if root.parent().is_none() {
        return Vec::new();
    }
    walk(root)
        .build()
        .flatten()
        .take(SCANNED_ENTRIES)
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .map(ignore::DirEntry::into_path)
        .filter(|path| is_wanted(Host::of_path(path)))
        .take(SCANNED_FILES)
        .collect()
}

/// The sources of all our languages below a folder as `git` sees them, in a stable order; no more than
/// [`SCANNED_FILES`].
pub fn workspace_sources(root: &Path) -> Vec<PathBuf> {
    below(root, |host| host.is_some())
}

/// Whether a file is a C++ header, by its ending.
pub(crate) fn is_header(path: &Path) -> bool {
    Host::of_path(path) == Some(Host::CudaCpp) && !is_translation_unit(path)
}

/// Whether a C++ source is compiled by itself, by its ending.
pub(super) fn is_translation_unit(path: &Path) -> bool {
    path.extension()
        .and_then(|extension| extension.to_str())
        .is_some_and(|extension| {
            matches!(
                extension.to_ascii_lowercase().as_str(),
                "cu" | "c" | "cc" | "cpp" | "cxx" | "c++"
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_normal_path_goes_no_detours() {
        let path = normal(Path::new("/a/./b/../c/d.cu"));
        assert_eq!(path, Path::new("/a/c/d.cu"));
        assert!(normal(Path::new("x.cu")).is_absolute());
    }

    #[test]
    fn nothing_is_below_the_root_of_the_file_system() {
        // Every machine of the tests has a Python, whose sources are below it.
        assert_eq!(python_below(Path::new("/")), Vec::<PathBuf>::new());
    }

    #[test]
    fn the_root_is_the_nearest_folder_with_a_mark() {
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("a/b");
        std::fs::create_dir_all(&inner).expect("folders");
        std::fs::write(folder.path().join(".clangd"), "").expect("a file");
        assert_eq!(root_of(&inner.join("x.cu"), &[]), folder.path());
    }

    #[test]
    fn without_a_mark_it_is_where_somebody_works_or_what_is_built() {
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("tree/src/kernels");
        std::fs::create_dir_all(&inner).expect("folders");
        let file = inner.join("x.cu");
        let tree = folder.path().join("tree");
        let src = tree.join("src");
        assert_eq!(root_of(&file, &[]), inner);
        for built in [&inner, &src] {
            std::fs::write(built.join("CMakeLists.txt"), "").expect("a file");
        }
        assert_eq!(root_of(&file, &[]), src);
        let elsewhere = folder.path().join("other");
        let known = [PathBuf::from("/"), elsewhere, tree.clone(), src];
        assert_eq!(root_of(&file, &known), tree);
        let published = folder.path().join("LICENSE");
        std::fs::write(published, "").expect("a file");
        assert_eq!(root_of(&file, &known), folder.path());
    }

    #[test]
    fn what_a_project_ignores_is_a_project_of_its_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let sources = root.join("build/deps/library/include");
        std::fs::create_dir_all(&sources).expect("folders");
        std::fs::create_dir_all(root.join("src")).expect("folders");
        std::fs::create_dir_all(root.join(".git")).expect("folders");
        std::fs::write(root.join(".gitignore"), "/build/\n").expect("a file");
        std::fs::write(root.join("build/.gitignore"), "*\n").expect("a file");
        std::fs::write(sources.join("a.hpp"), "").expect("a file");
        let header = sources.join("a.hpp");
        let library = root.join("build/deps/library");
        let seen_from = |here: &Path| root_of(&header, &[here.to_owned()]);
        assert_eq!(seen_from(&library), library);
        assert_eq!(seen_from(root), root.join("build"));
        assert_eq!(seen_from(Path::new("/")), root.join("build"));
        let of_project = root_of(&root.join("src/b.cu"), std::slice::from_ref(&library));
        assert_eq!(of_project, root);
        // A named folder is walked, also where its own project ignores it.
        assert_eq!(sources_below(&library), [header]);
        assert_eq!(sources_below(root), [] as [PathBuf; 0]);
    }
}
