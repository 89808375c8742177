//! The files of a tree.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The files with one of these endings in a folder and in the folders below it, in order.
pub(crate) fn files_below(root: &Path, endings: &[&str]) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let context = || format!("cannot list {}", folder.display());
        for entry in std::fs::read_dir(&folder).with_context(context)? {
            let path = entry.with_context(context)?.path();
            if path.is_dir() {
                folders.push(path);
            } else if has_ending(&path, endings) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The files in a folder, without those of the folders below it, in order.
pub(crate) fn files_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let context = || format!("cannot list {}", folder.display());
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(context)? {
        let path = entry.with_context(context)?.path();
        if path.is_file() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Whether the name of a file ends with one of these, behind a dot.
pub(crate) fn has_ending(file: &Path, endings: &[&str]) -> bool {
    file.extension()
        .and_then(|ending| ending.to_str())
        .is_some_and(|ending| endings.contains(&ending))
}
