//! The crates that the manifest of a Rust file names.

use std::path::{Path, PathBuf};

use cute_analysis::Crate;
use toml::{Table, Value};

use super::checkouts::Locked;
use super::files::read_text;
use super::tree::normal;

/// The name of a manifest.
pub(super) const MANIFEST: &str = "Cargo.toml";
/// The tables of a manifest that name crates.
const DEPENDENCIES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

/// The crates that the package around a Rust file names in its manifest, and the library that the package itself is.
/// Only manifests that `may_read` allows are read.
pub(super) fn crates_of(file: &Path, may_read: &dyn Fn(&Path) -> bool) -> Vec<Crate> {
    let manifests = || file.ancestors().skip(1).map(|folder| folder.join(MANIFEST));
    let read = |path: &Path| may_read(path).then(|| manifest(path)).flatten();
    let package = manifests().find_map(|path| {
        let table = read(&path)?;
        table.contains_key("package").then_some((path, table))
    });
    let Some((path, package)) = package else {
        return Vec::new();
    };
    let folder = path.parent().unwrap_or(&path);
    let workspace = manifests()
        .skip_while(|above| above != &path)
        .find_map(|above| {
            let table = read(&above)?;
            let shared = table.get("workspace")?.get("dependencies")?.as_table()?;
            Some((above.parent()?.to_owned(), shared.clone()))
        });
    let own = Crate {
        name: name_of_library(&package).unwrap_or_default(),
        package: name_of_package(&package).unwrap_or_default().to_owned(),
        start: Some(start(folder, &package)),
    };
    let targets = package.get("target").and_then(Value::as_table);
    let targets = targets.into_iter().flat_map(Table::values);
    let tables = std::iter::once(&package).chain(targets.filter_map(Value::as_table));
    let named = tables.flat_map(|table| {
        let named = DEPENDENCIES.into_iter().filter_map(|key| table.get(key));
        named.filter_map(Value::as_table).flatten()
    });
    let locked = Locked::near(folder, &read);
    let dependencies = named.filter_map(|(key, dependency)| {
        let is_shared = flag(dependency, "workspace");
        let (folder, dependency) = match &workspace {
            Some((above, shared)) if is_shared => (above.as_path(), shared.get(key)?),
            _ => (folder, dependency),
        };
        Some(dependency_of(key, dependency, folder, &locked, &read))
    });
    std::iter::once(own).chain(dependencies).collect()
}

/// A crate that a manifest in `folder` names; that of a repository in the revision that is `locked`.
fn dependency_of(
    key: &str,
    dependency: &Value,
    folder: &Path,
    locked: &Locked<'_>,
    read: &dyn Fn(&Path) -> Option<Table>,
) -> Crate {
    let text = |name: &str| dependency.get(name).and_then(Value::as_str);
    let package = text("package").unwrap_or(key);
    let of_path = text("path").map(|path| normal(&folder.join(path)));
    let sources = of_path.or_else(|| {
        text("git").filter(|_| !Crate::is_known(package))?;
        locked.folder_of(package)
    });
    let manifest = sources.as_ref().and_then(|at| read(&at.join(MANIFEST)));
    let renamed = text("package");
    let own = manifest.as_ref().and_then(name_of_library);
    Crate {
        name: own
            .filter(|_| renamed.is_none())
            .unwrap_or_else(|| key.replace('-', "_")),
        package: package.to_owned(),
        start: sources
            .zip(manifest)
            .map(|(folder, manifest)| start(&folder, &manifest)),
    }
}

/// The file in which the library of a package starts.
fn start(folder: &Path, manifest: &Table) -> PathBuf {
    let path = manifest.get("lib").and_then(|lib| lib.get("path"));
    normal(&folder.join(path.and_then(Value::as_str).unwrap_or("src/lib.rs")))
}

/// The name of the library of a package in sources.
fn name_of_library(manifest: &Table) -> Option<String> {
    let name = manifest.get("lib").and_then(|lib| lib.get("name"));
    let name = name
        .and_then(Value::as_str)
        .or_else(|| name_of_package(manifest));
    name.map(|name| name.replace('-', "_"))
}

pub(super) fn name_of_package(manifest: &Table) -> Option<&str> {
    manifest.get("package")?.get("name")?.as_str()
}

fn flag(table: &Value, name: &str) -> bool {
    table.get(name).and_then(Value::as_bool) == Some(true)
}

fn manifest(path: &Path) -> Option<Table> {
    read_text(path).ok()?.parse().ok()
}
