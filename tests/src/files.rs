//! The files of a tree.

use std::path::{Path, PathBuf};

/// The files with an extension in a folder and in the folders below it, sorted.
///
/// # Panics
/// When a folder cannot be read.
pub fn files_below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry of it").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == extension) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// The text of a file; `None` where it is not UTF-8.
///
/// # Panics
/// When the file cannot be read.
pub fn text_of(path: &Path) -> Option<String> {
    let bytes = std::fs::read(path).expect("a file");
    String::from_utf8(bytes).ok()
}
