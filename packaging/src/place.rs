//! The root of the tree, and the folders that a task may write to.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The folders of one run.
#[derive(Clone, Debug)]
pub struct Checkout {
    root: PathBuf,
    cargo: OsString,
}

impl Checkout {
    /// The tree of the running `cargo xtask`.
    pub fn of_this_run() -> Result<Self> {
        let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
            .context("start this as `cargo xtask TASK`: CARGO_MANIFEST_DIR is not set")?;
        let root = Path::new(&manifest)
            .parent()
            .context("the folder of xtask has no parent")?
            .to_path_buf();
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        Ok(Self { root, cargo })
    }

    /// The root of the repository.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The cargo that runs this task.
    pub fn cargo(&self) -> &OsString {
        &self.cargo
    }

    /// A path inside the repository.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// Fetched references: `target/oracles`.
    pub fn oracles(&self) -> PathBuf {
        self.path("target/oracles")
    }

    /// Fetched programs and their caches: `target/tools`.
    pub fn tools(&self) -> PathBuf {
        self.path("target/tools")
    }
}
