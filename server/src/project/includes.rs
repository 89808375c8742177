//! The file that an `#include` names.

use std::path::{Path, PathBuf};

use tree_sitter_cute::tree::Include;

use super::flags::Flags;
use super::tree::normal;

/// The target of an `#include`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// This file.
    File(PathBuf),
    /// A header that need not be read: its words are the vocabulary's, or it is of the compiler or
    /// the standard library.
    Known,
    /// None that is there.
    Missing,
}

/// Looks for the file: beside the including one (with quotes), in the folders of the flags, in the
/// root of the project and in its `include` folder; then in the folders around the including one
/// (those called `include` without quotes), as a build that compiles its own folder has it on
/// the path. `is_there` says
/// whether a file is on disk or open.
pub(super) fn resolve(
    include: &Include,
    from: &Path,
    flags: &Flags,
    root: &Path,
    is_there: &dyn Fn(&Path) -> bool,
) -> Target {
    let name = include.path.name.as_str();
    // CuTe's headers never need to be there.
    if name.starts_with("cute/") {
        return Target::Known;
    }
    let beside = from.parent().filter(|_| !include.system);
    let conventional = [root.to_owned(), root.join("include")];
    let around = from.ancestors().skip(if include.system { 1 } else { 2 });
    let around = around.filter(|folder| !include.system || is_include_folder(folder));
    let folders = beside
        .into_iter()
        .chain(flags.include.iter().map(PathBuf::as_path))
        .chain(conventional.iter().map(PathBuf::as_path))
        .chain(around.take_while(|folder| folder.starts_with(root)));
    for folder in folders {
        let path = folder.join(name);
        if is_there(&path) {
            let path = normal(&path);
            return if is_of_cute(&path) {
                Target::Known
            } else {
                Target::File(path)
            };
        }
    }
    if include.system || name.starts_with("cutlass/") {
        Target::Known
    } else {
        Target::Missing
    }
}

/// Whether a folder is named as one that a compiler is told to look in.
fn is_include_folder(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name == "include")
}

/// Whether a file is one of CuTe's own headers.
fn is_of_cute(path: &Path) -> bool {
    let names: Vec<_> = path.iter().collect();
    names
        .windows(2)
        .any(|pair| matches!(pair, [include, cute] if *include == "include" && *cute == "cute"))
}
