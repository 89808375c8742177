//! The texts of the files that an editor has open.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ropey::Rope;
use rustc_hash::{FxHashMap, FxHashSet};

use super::tree::normal;

/// The texts of files where an editor has them open, at one moment. Copies share them.
#[derive(Debug, Clone, Default)]
pub struct Overlay(Arc<Texts>);

#[derive(Debug, Default)]
struct Texts {
    by_path: FxHashMap<PathBuf, Rope>,
    /// The names of these files: most files that are looked for have another one.
    names: FxHashSet<OsString>,
}

impl Overlay {
    /// These files with their texts, by their [normal](normal) paths.
    pub fn of(files: impl IntoIterator<Item = (PathBuf, Rope)>) -> Self {
        let by_path: FxHashMap<PathBuf, Rope> = files.into_iter().collect();
        let names = by_path.keys().filter_map(|path| path.file_name());
        Self(Arc::new(Texts {
            names: names.map(OsString::from).collect(),
            by_path,
        }))
    }

    /// The text of a file, by its normal path, where it is open.
    pub fn text(&self, path: &Path) -> Option<String> {
        self.0.by_path.get(path).map(Rope::to_string)
    }

    /// Whether a file is open. It may be there before it is saved, or after it was removed.
    pub(super) fn has(&self, path: &Path) -> bool {
        let is_named = |name| self.0.names.contains(name);
        path.file_name().is_some_and(is_named) && self.0.by_path.contains_key(&normal(path))
    }

    /// Whether a module of Python at a path without an extension, or a file in this folder, is open.
    pub(super) fn has_below(&self, path: &Path) -> bool {
        let mut open = self.0.by_path.keys();
        open.any(|file| file.starts_with(path) || file.with_extension("") == path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_file_is_there_by_each_of_its_paths() {
        let overlay = Overlay::of([(PathBuf::from("/a/b.h"), Rope::from_str("int b;"))]);
        assert!(overlay.has(Path::new("/a/b.h")));
        assert!(overlay.has(Path::new("/a/c/../b.h")));
        assert!(!overlay.has(Path::new("/a/c/b.h")));
        assert!(!overlay.has(Path::new("/a/c.h")));
        assert_eq!(overlay.text(Path::new("/a/b.h")).as_deref(), Some("int b;"));
        assert_eq!(overlay.text(Path::new("/a/c.h")), None);
        assert!(overlay.has_below(Path::new("/a")) && overlay.has_below(Path::new("/a/b")));
        assert!(!overlay.has_below(Path::new("/a/c")));
    }
}
