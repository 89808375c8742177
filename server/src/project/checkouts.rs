//! The sources of crates that come from a git repository: cargo keeps a copy of each revision that a lock file names,
//! in `git/checkouts/REPOSITORY-HASH/REVISION` of its folder.

use std::cell::OnceCell;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::crates::{MANIFEST, name_of_package};

/// The lock file of a package or of its workspace.
const LOCK: &str = "Cargo.lock";

/// The folder of cargo's copies of repositories.
pub(super) fn checkouts() -> Option<PathBuf> {
    let home = env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(env::home_dir()?.join(".cargo")))?;
    Some(home.join("git/checkouts"))
}

/// The lock file of a package or of its workspace, which is read once and only where something asks.
pub(super) struct Locked<'r> {
    folder: &'r Path,
    read: &'r dyn Fn(&Path) -> Option<Table>,
    table: OnceCell<Option<Table>>,
}

impl<'r> Locked<'r> {
    /// The lock file nearest to the package in `folder`; `read` reads files.
    pub(super) fn near(folder: &'r Path, read: &'r dyn Fn(&Path) -> Option<Table>) -> Self {
        Self {
            folder,
            read,
            table: OnceCell::new(),
        }
    }

    /// The folder of a package in the copy of the revision that the lock file names; nothing where there is no such file,
    /// or cargo has not fetched the revision.
    pub(super) fn folder_of(&self, package: &str) -> Option<PathBuf> {
        let mut above = self.folder.ancestors();
        let table = self
            .table
            .get_or_init(|| above.find_map(|it| (self.read)(&it.join(LOCK))));
        let source = table
            .as_ref()?
            .get("package")?
            .as_array()?
            .iter()
            .filter(|it| it.get("name").and_then(Value::as_str) == Some(package))
            .find_map(|it| it.get("source")?.as_str()?.strip_prefix("git+"))?;
        let (address, revision) = source.rsplit_once('#')?;
        let address = address.split_once('?').map_or(address, |(it, _)| it);
        let name = address.trim_end_matches('/').rsplit('/').next()?;
        let name = name.strip_suffix(".git").unwrap_or(name);
        let copies = copies_of(&checkouts()?, name, revision);
        copies
            .iter()
            .find_map(|copy| package_in(copy, package, self.read))
    }
}

/// The copies of a revision of repositories of a name.
fn copies_of(checkouts: &Path, name: &str, revision: &str) -> Vec<PathBuf> {
    let is_of_name = |folder: &Path| {
        let own = folder.file_name().and_then(|own| own.to_str());
        let hash = own.and_then(|own| own.strip_prefix(name)?.strip_prefix('-'));
        hash.is_some_and(|hash| !hash.contains('-'))
    };
    // Cargo shortens the name of a revision.
    let is_of_revision = |folder: &Path| {
        let own = folder.file_name().and_then(|own| own.to_str());
        own.is_some_and(|own| own.len() >= 7 && revision.starts_with(own))
    };
    let repositories = folders_in(checkouts)
        .into_iter()
        .filter(|it| is_of_name(it));
    let revisions = repositories.flat_map(|it| folders_in(&it));
    revisions.filter(|it| is_of_revision(it)).collect()
}

/// The folder of a package in a repository: the repository itself, or a member of its workspace.
fn package_in(
    repository: &Path,
    package: &str,
    read: &dyn Fn(&Path) -> Option<Table>,
) -> Option<PathBuf> {
    let is_it = |folder: &Path| {
        let manifest = read(&folder.join(MANIFEST));
        manifest.is_some_and(|it| name_of_package(&it) == Some(package))
    };
    if is_it(repository) {
        return Some(repository.to_owned());
    }
    let manifest = read(&repository.join(MANIFEST))?;
    let members = manifest.get("workspace")?.get("members")?.as_array()?;
    let members = members.iter().filter_map(Value::as_str);
    let mut folders = members.flat_map(|member| match member.strip_suffix("/*") {
        Some(above) => folders_in(&repository.join(above)),
        None => vec![repository.join(member)],
    });
    folders.find(|folder| is_it(folder))
}

/// The folders in a folder, in the order of their names.
fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_that_of_the_locked_revision() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = |path: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(&path).expect("folders");
            path
        };
        let meant = place("tiles-0123456789abcdef/1f2e3d4");
        place("tiles-0123456789abcdef/9f2e3d4");
        place("tiles-extra-0123456789abcdef/1f2e3d4");
        let found = copies_of(
            folder.path(),
            "tiles",
            "1f2e3d4c5b6a79880123456789abcdef01234567",
        );
        assert_eq!(found, [meant]);
        assert!(copies_of(folder.path(), "other", "1f2e3d4").is_empty());
    }
}
