//! `cargo xtask dist`: what is given out, for the platform that this runs on.

use std::path::Path;

use anyhow::{Context, Result};

use crate::place::Place;
use crate::{server, vscode};

/// Builds the program and the VS Code extension with it inside, into `target/dist`.
pub(crate) fn build(place: &Place) -> Result<()> {
    let folder = place.path("target/dist");
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    let program = server::build_release(place)?;
    copy_into(&folder, &program)?;
    copy_into(&folder, &vscode::package(place, Some(&program))?)
}

fn copy_into(folder: &Path, file: &Path) -> Result<()> {
    let name = file
        .file_name()
        .with_context(|| format!("{} is no file", file.display()))?;
    let copy = folder.join(name);
    let bytes =
        std::fs::copy(file, &copy).with_context(|| format!("cannot copy {}", file.display()))?;
    println!("{} ({} kB)", copy.display(), bytes.div_ceil(1000));
    Ok(())
}
