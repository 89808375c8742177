//! Answers about a project's files, while nothing changes on disk: their texts, the files of `#include`s, and the users
//! of a header.
//!
//! An answer that was given once is given again: a file that two headers of a unit include must be the same one, with
//! one place, however often it is opened, edited and saved meanwhile.
//!
//! A translation unit of CUTLASS includes hundreds of headers, and the units of a tree include the same ones: to
//! look for each in every folder, every time, takes longer than to read the declarations of those that are found.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use cute_analysis::{Included, SourceFile};
use rustc_hash::FxHashMap;
use tree_sitter_cute::tree::Include;

use super::files;

/// By the file that includes, the header, and whether that is between angle brackets.
type Resolutions = FxHashMap<OsString, FxHashMap<String, [Option<Included>; 2]>>;

/// The users of a header, by its path.
type Users = FxHashMap<OsString, Arc<[Arc<SourceFile>]>>;

/// The files of modules, by the folders around the packages of the analysed file and of the one that imports, and by their
/// names.
type Modules = FxHashMap<OsString, FxHashMap<OsString, FxHashMap<String, Option<PathBuf>>>>;

/// The files that were read, the files of `#include`s, and who includes a header.
#[derive(Debug, Default)]
pub(super) struct Answers {
    files: RwLock<FxHashMap<OsString, files::ReadFile>>,
    included: RwLock<Resolutions>,
    users: RwLock<Users>,
    files_on_disk: RwLock<FxHashMap<OsString, bool>>,
    folders: RwLock<FxHashMap<OsString, bool>>,
    python: RwLock<FxHashMap<OsString, bool>>,
    modules: RwLock<Modules>,
}

impl Answers {
    /// A file as it was read first, else the result of `read`, which is kept.
    pub(super) fn file(
        &self,
        path: &Path,
        read: impl FnOnce() -> files::ReadFile,
    ) -> files::ReadFile {
        let files = self.files.read().unwrap_or_else(PoisonError::into_inner);
        let known = files.get(path.as_os_str()).cloned();
        drop(files);
        known.unwrap_or_else(|| {
            let found = read();
            let mut files = self.files.write().unwrap_or_else(PoisonError::into_inner);
            let kept = files.entry(path.as_os_str().to_owned()).or_insert(found);
            kept.clone()
        })
    }

    /// The file of an `#include` of `from`, else the result of `find`, which is kept.
    pub(super) fn get(
        &self,
        from: &Path,
        include: &Include,
        find: impl FnOnce() -> Included,
    ) -> Included {
        let name = include.path.name.as_str();
        let way = usize::from(include.system);
        let known = self
            .included
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(from.as_os_str())
            .and_then(|of_file| of_file.get(name)?.get(way)?.clone());
        if let Some(known) = known {
            return known;
        }
        // Others may look for it at the same time; a file is read once all the same.
        let found = find();
        let included = self.included.write();
        let mut known = included.unwrap_or_else(PoisonError::into_inner);
        let of_file = known.entry(from.as_os_str().to_owned()).or_default();
        let ways = of_file.entry(name.to_owned()).or_default();
        match ways.get_mut(way) {
            Some(slot) => slot.get_or_insert(found).clone(),
            None => found,
        }
    }

    /// The translation units that were found to include a header, else those of `find`, which are kept. A unit with
    /// many headers asks for those of each.
    pub(super) fn users(
        &self,
        header: &Path,
        find: impl FnOnce() -> Vec<Arc<SourceFile>>,
    ) -> Arc<[Arc<SourceFile>]> {
        let users = self.users.read().unwrap_or_else(PoisonError::into_inner);
        let known = users.get(header.as_os_str()).map(Arc::clone);
        drop(users);
        if let Some(known) = known {
            return known;
        }
        let found: Arc<[Arc<SourceFile>]> = find().into();
        let mut users = self.users.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(users.entry(header.as_os_str().to_owned()).or_insert(found))
    }

    /// The file of the module that a file of a package in the folder `from` imports, for the analysis of one of a package in
    /// the folder `focus`, else the result of `find`, which is kept.
    pub(super) fn module(
        &self,
        focus: &Path,
        from: &Path,
        name: &str,
        find: impl FnOnce() -> Option<PathBuf>,
    ) -> Option<PathBuf> {
        let modules = self.modules.read().unwrap_or_else(PoisonError::into_inner);
        let of_focus = modules.get(focus.as_os_str());
        let of_folder = of_focus.and_then(|of_focus| of_focus.get(from.as_os_str()));
        let known = of_folder.and_then(|of_folder| of_folder.get(name)).cloned();
        drop(modules);
        known.unwrap_or_else(|| {
            let found = find();
            let mut modules = self.modules.write().unwrap_or_else(PoisonError::into_inner);
            let of_focus = modules.entry(focus.as_os_str().to_owned()).or_default();
            let of_folder = of_focus.entry(from.as_os_str().to_owned()).or_default();
            of_folder.entry(name.to_owned()).or_insert(found).clone()
        })
    }

    /// Whether a file is on disk. Most folders in which one is looked for are not even there.
    pub(super) fn is_on_disk(&self, path: &Path) -> bool {
        once(&self.files_on_disk, path, || {
            path.parent().is_some_and(|folder| self.has_folder(folder)) && path.is_file()
        })
    }

    /// Whether a module or a package of Python is at a path without an extension, on disk or open.
    pub(super) fn has_module(&self, path: &Path, is_open: impl FnOnce() -> bool) -> bool {
        once(&self.python, path, || {
            self.has_folder(path) || self.is_on_disk(&path.with_extension("py")) || is_open()
        })
    }

    fn has_folder(&self, folder: &Path) -> bool {
        // The folder around a relative path is written as nothing.
        folder.as_os_str().is_empty()
            || once(&self.folders, folder, || {
                let around = folder.parent();
                around.is_none_or(|around| self.has_folder(around)) && folder.is_dir()
            })
    }
}

/// The finding about a path, which is looked for the first time.
fn once(
    known: &RwLock<FxHashMap<OsString, bool>>,
    path: &Path,
    look: impl FnOnce() -> bool,
) -> bool {
    let all = known.read().unwrap_or_else(PoisonError::into_inner);
    let found = all.get(path.as_os_str()).copied();
    drop(all);
    found.unwrap_or_else(|| {
        let found = look();
        let mut all = known.write().unwrap_or_else(PoisonError::into_inner);
        *all.entry(path.as_os_str().to_owned()).or_insert(found)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_is_not_looked_for_again() {
        let answers = Answers::default();
        let header = Path::new("/a/tile.h");
        assert!(answers.users(header, Vec::new).is_empty());
        let again = answers.users(header, || unreachable!("the users are known"));
        assert!(again.is_empty());
        let (folder, found) = (Path::new("/a"), Some(PathBuf::from("/a/sizes.py")));
        assert_eq!(
            answers.module(folder, folder, "sizes", || found.clone()),
            found
        );
        let again = answers.module(folder, folder, "sizes", || unreachable!("it is known"));
        assert_eq!(again, found);
        assert_eq!(
            answers.module(folder, Path::new("/b"), "sizes", || None),
            None
        );
        let folder = tempfile::tempdir().expect("a folder");
        let (inner, file) = (folder.path().join("inner"), folder.path().join("inner/a.h"));
        assert!(!answers.is_on_disk(&file));
        std::fs::create_dir(&inner).expect("made");
        std::fs::write(&file, "").expect("written");
        assert!(!answers.is_on_disk(&file));
        let later = Answers::default();
        assert!(later.is_on_disk(&file) && !later.is_on_disk(&inner));
    }
}
