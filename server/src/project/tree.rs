//! Folders: the normal form of a path, the root of a project, the sources below it.

use std::path::{Component, Path, PathBuf};

use ignore::WalkBuilder;
use tree_sitter_cute::Host;

use crate::limits::{SCANNED_ENTRIES, SCANNED_FILES};

/// What stands in the root folder of a project.
const MARKS: &[&str] = &[
    "compile_commands.json",
    ".clangd",
    ".git",
    "cute-analyzer.toml",
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

/// The root of the project that a file belongs to: the nearest folder above it that has a mark of
/// one; without any the current folder, where that is above it, else its own.
pub fn root_of(path: &Path) -> PathBuf {
    let own = path.parent().unwrap_or(path);
    own.ancestors()
        .find(|folder| MARKS.iter().any(|mark| folder.join(mark).exists()))
        .map(Path::to_owned)
        .or_else(|| {
            let here = std::env::current_dir().ok()?;
            own.starts_with(&here).then_some(here)
        })
        .unwrap_or_else(|| own.to_owned())
}

/// The C++ sources below a folder as `git` sees them, in a stable order; no more than
/// [`SCANNED_FILES`].
pub(super) fn sources_below(root: &Path) -> Vec<PathBuf> {
    below(root, |host| host == Some(Host::CudaCpp))
}

fn below(root: &Path, is_wanted: impl Fn(Option<Host>) -> bool) -> Vec<PathBuf> {
    WalkBuilder::new(root)
        .sort_by_file_name(std::ffi::OsStr::cmp)
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
pub(super) fn is_header(path: &Path) -> bool {
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
    fn the_root_is_the_nearest_folder_with_a_mark() {
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("a/b");
        std::fs::create_dir_all(&inner).expect("folders");
        std::fs::write(folder.path().join(".clangd"), "").expect("a file");
        assert_eq!(root_of(&inner.join("x.cu")), folder.path());
    }
}
