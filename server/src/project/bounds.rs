//! Bounds for the files that the sources of a project name: a source may name any path of the machine, but only files
//! inside of its project are read.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use rustc_hash::FxHashMap;

/// The folders that the sources of a project may lead into, without links.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    folders: Vec<PathBuf>,
    /// Folders without links.
    real: RwLock<FxHashMap<PathBuf, Option<PathBuf>>>,
}

impl Bounds {
    /// The folders of a workspace with the repositories around them, and those that flags or the build name.
    pub(super) fn of<'p>(
        workspace: impl IntoIterator<Item = &'p Path>,
        named: impl IntoIterator<Item = &'p Path>,
    ) -> Self {
        let mut folders: Vec<PathBuf> = Vec::new();
        for folder in workspace.into_iter().filter_map(real) {
            folders.extend(repository_around(&folder).map(Path::to_owned));
            folders.push(folder);
        }
        folders.extend(named.into_iter().filter_map(real));
        folders.sort();
        folders.dedup();
        Self {
            folders,
            real: RwLock::default(),
        }
    }

    /// The target of a path that may not be read, without links; nothing where it may. One that leads nowhere may be
    /// read: there is nothing to read.
    pub(super) fn beyond(&self, path: &Path) -> Option<PathBuf> {
        let leads_to = self.without_links(path)?;
        let is_within = self
            .folders
            .iter()
            .any(|folder| leads_to.starts_with(folder));
        (!is_within).then_some(leads_to)
    }

    /// The path without links; that of a file which is open and not saved is that of its folder.
    fn without_links(&self, path: &Path) -> Option<PathBuf> {
        if fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) {
            return real(path);
        }
        let (folder, name) = (path.parent()?, path.file_name()?);
        let read = self.real.read().unwrap_or_else(PoisonError::into_inner);
        let known = read.get(folder).cloned();
        drop(read);
        let folder = known.unwrap_or_else(|| {
            let found = real(folder);
            let mut real = self.real.write().unwrap_or_else(PoisonError::into_inner);
            real.insert(folder.to_owned(), found.clone());
            found
        });
        Some(folder?.join(name))
    }
}

/// A folder or file without links, where it is there.
fn real(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok()
}

/// The repository that a folder belongs to. That of a submodule is the one around it: a submodule has a file
/// where a repository has a folder.
fn repository_around(folder: &Path) -> Option<&Path> {
    let above = || folder.ancestors().filter(|above| above.parent().is_some());
    let whole = above().find(|above| above.join(".git").is_dir());
    whole.or_else(|| above().find(|above| above.join(".git").exists()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_may_be_read_in_the_workspace_its_repository_and_named_folders() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = real(folder.path()).expect("a folder");
        let write = |name: &str| {
            let path = root.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(&path, "").expect("written");
            path
        };
        let inner = write("all/part/src/a.h");
        let beside = write("all/other/b.h");
        let named = write("named/c.h");
        let outside = write("secret/d.h");
        let bounds = || {
            let (part, named) = (root.join("all/part"), root.join("named"));
            Bounds::of([part.as_path()], [named.as_path()])
        };
        assert_eq!(bounds().beyond(&inner), None);
        assert_eq!(bounds().beyond(&named), None);
        assert_eq!(bounds().beyond(&outside), Some(outside.clone()));
        assert_eq!(bounds().beyond(&beside), Some(beside.clone()));
        write("all/part/.git");
        assert_eq!(bounds().beyond(&beside), Some(beside.clone()));
        fs::create_dir(root.join("all/.git")).expect("made");
        assert_eq!(bounds().beyond(&beside), None);
        // A file that is not saved yet, and one in a folder that is not there.
        assert_eq!(bounds().beyond(&root.join("all/part/new.h")), None);
        let new = root.join("secret/new.h");
        assert_eq!(bounds().beyond(&new), Some(new.clone()));
        assert_eq!(bounds().beyond(&root.join("secret/none/new.h")), None);
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_where_they_lead() {
        use std::os::unix::fs::symlink;

        let folder = tempfile::tempdir().expect("a folder");
        let root = real(folder.path()).expect("a folder");
        for name in ["work", "secret", "library"] {
            fs::create_dir(root.join(name)).expect("made");
            fs::write(root.join(name).join("a.h"), "").expect("written");
        }
        let work = root.join("work");
        symlink(root.join("secret/a.h"), work.join("file.h")).expect("linked");
        symlink(root.join("secret"), work.join("folder")).expect("linked");
        symlink(root.join("library"), work.join("named")).expect("linked");
        let named = work.join("named");
        let bounds = Bounds::of([work.as_path()], [named.as_path()]);
        let secret = root.join("secret/a.h");
        assert_eq!(bounds.beyond(&work.join("file.h")), Some(secret.clone()));
        assert_eq!(bounds.beyond(&work.join("folder/a.h")), Some(secret));
        assert_eq!(bounds.beyond(&work.join("named/a.h")), None);
    }
}
