//! The exact version of a package that a project asks for, or that its environment has.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use cute_analysis::{PackageVersion, pinned_version};

use super::files::read_text;

/// The files in which tools keep their resolved versions.
const LOCKS: &[&str] = &["uv.lock", "poetry.lock", "pdm.lock"];
/// The files in which people ask for packages.
const REQUESTS: &[&str] = &[
    "pyproject.toml",
    "requirements.txt",
    "requirements-dev.txt",
    "setup.py",
    "setup.cfg",
];
/// The suffix that the libraries for CUDA 13 add to the name of a package.
const CU13: &str = "-libs-cu13";

/// The version of a package in the project of `root`: the installed one, else the locked one, else the requested one.
pub(super) fn version(root: &Path, modules: &[PathBuf], package: &str) -> Option<PackageVersion> {
    let locks = LOCKS
        .iter()
        .filter_map(|name| read_text(&root.join(name)).ok());
    let requests = REQUESTS
        .iter()
        .filter_map(|name| read_text(&root.join(name)).ok());
    let installed = modules.iter().find_map(|folder| installed(folder, package));
    installed
        .or_else(|| locks.into_iter().find_map(|text| locked(&text, package)))
        .or_else(|| {
            requests
                .into_iter()
                .find_map(|text| requested(&text, package))
        })
}

/// `nvidia_cutlass_dsl-4.5.1.dist-info` in a folder of packages.
fn installed(folder: &Path, package: &str) -> Option<PackageVersion> {
    let name = package.replace('-', "_");
    let cu13 = format!("{package}{CU13}").replace('-', "_");
    let (mut version, mut extras) = (None, Vec::new());
    for entry in fs::read_dir(folder).ok()?.flatten() {
        let path = entry.path();
        if path.extension() != Some(OsStr::new("dist-info")) {
            continue;
        }
        let Some((of, its)) = path
            .file_stem()
            .and_then(OsStr::to_str)
            .and_then(|stem| stem.split_once('-'))
        else {
            continue;
        };
        if of == name {
            version = Some(its.to_owned());
        } else if of == cu13 {
            extras.push("cu13".to_owned());
        }
    }
    Some(PackageVersion {
        version: version?,
        extras,
    })
}

/// `name = "..."` and the `version` behind it, as lock files have them.
fn locked(text: &str, package: &str) -> Option<PackageVersion> {
    let of = |name: &str| {
        let (_, behind) = text.split_once(&format!("name = \"{name}\""))?;
        let (_, behind) = behind.split_once("version = \"")?;
        Some(behind.split_once('"')?.0.to_owned())
    };
    let extras = of(&format!("{package}{CU13}")).map(|_| "cu13".to_owned());
    Some(PackageVersion {
        version: of(package)?,
        extras: extras.into_iter().collect(),
    })
}

/// `"nvidia-cutlass-dsl[cu13]==4.5.1"`, in quotes or on a separate line.
fn requested(text: &str, package: &str) -> Option<PackageVersion> {
    let mut pieces = text.split(['"', '\'', '\n']);
    pieces.find_map(|piece| pinned_version(piece.trim(), package))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_and_requests_are_read() {
        let lock = "[[package]]\nname = \"nvidia-cutlass-dsl\"\nversion = \"4.5.1\"\n\n[[package]]\nname = \"nvidia-cutlass-dsl-libs-cu13\"\nversion = \"4.5.1\"\n";
        let found = locked(lock, "nvidia-cutlass-dsl");
        let known = PackageVersion {
            version: "4.5.1".to_owned(),
            extras: vec!["cu13".to_owned()],
        };
        assert_eq!(found.as_ref(), Some(&known));
        let asked = "dependencies = [\"torch\", \"nvidia-cutlass-dsl[cu13]==4.5.1\"]\n";
        assert_eq!(requested(asked, "nvidia-cutlass-dsl"), Some(known));
        assert_eq!(
            requested("nvidia-cutlass-dsl>=4.5.1\n", "nvidia-cutlass-dsl"),
            None
        );
    }

    #[test]
    fn what_is_installed_comes_first() {
        let folder = tempfile::tempdir().unwrap();
        let modules = folder.path().join("site-packages");
        fs::create_dir_all(modules.join("nvidia_cutlass_dsl-4.6.0.dist-info")).unwrap();
        fs::write(
            folder.path().join("requirements.txt"),
            "nvidia-cutlass-dsl==4.5.1\n",
        )
        .unwrap();
        let of = |modules: &[PathBuf]| {
            version(folder.path(), modules, "nvidia-cutlass-dsl").map(|found| found.version)
        };
        assert_eq!(of(&[modules]).as_deref(), Some("4.6.0"));
        assert_eq!(of(&[]).as_deref(), Some("4.5.1"));
    }
}
