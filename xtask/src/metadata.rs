//! Cargo's data about the packages of the workspace and those it depends on.

use std::path::PathBuf;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::command;
use crate::place::Checkout;

/// The part of `cargo metadata` that the checks read.
#[derive(Deserialize)]
pub(crate) struct Metadata {
    /// Every package in the dependency graph, for all targets and kinds.
    pub(crate) packages: Vec<Package>,
    /// Identifiers of the packages of this repository.
    pub(crate) workspace_members: Vec<String>,
}

impl Metadata {
    /// The folder in which the sources of a package are.
    pub(crate) fn folder_of(&self, name: &str) -> Result<PathBuf> {
        let package = self.packages.iter().find(|package| package.name == name);
        let manifest = &package
            .with_context(|| format!("no package {name}"))?
            .manifest_path;
        let folder = manifest.parent().context("a manifest has no folder")?;
        Ok(folder.to_path_buf())
    }

    /// Whether a package of this repository has its own measurement.
    pub(crate) fn has_benches(&self) -> bool {
        self.packages
            .iter()
            .filter(|package| self.workspace_members.contains(&package.id))
            .flat_map(|package| &package.targets)
            .any(|target| target.kind.iter().any(|kind| kind == "bench"))
    }
}

/// One package.
#[derive(Deserialize)]
pub(crate) struct Package {
    /// Its identifier.
    pub(crate) id: String,
    /// Its name.
    pub(crate) name: String,
    /// Its `Cargo.toml`.
    pub(crate) manifest_path: PathBuf,
    /// Its version.
    pub(crate) version: String,
    /// Its licence expression, where it states one.
    pub(crate) license: Option<String>,
    /// Its source; none for a package of this repository.
    pub(crate) source: Option<String>,
    /// Its dependencies.
    pub(crate) dependencies: Vec<Dependency>,
    /// The targets that it is built into.
    pub(crate) targets: Vec<Target>,
}

/// One library, program, test or measurement of a package.
#[derive(Deserialize)]
pub(crate) struct Target {
    /// Its kind: `lib`, `bin`, `bench`, ...
    pub(crate) kind: Vec<String>,
}

/// One direct dependency of a package.
#[derive(Deserialize)]
pub(crate) struct Dependency {
    /// The name of the package requested.
    pub(crate) name: String,
    /// Its folder, when it is a package of this repository.
    pub(crate) path: Option<String>,
}

/// Asks cargo.
pub(crate) fn read(place: &Checkout) -> Result<Metadata> {
    let mut cargo = command::cargo(place, &["metadata", "--format-version", "1", "--locked"]);
    serde_json::from_str(&command::output(&mut cargo)?).context("reading `cargo metadata`")
}
