//! Which file an `#include` names.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tree_sitter_cute::tree::Include;

use super::flags::Flags;
use super::tree::normal;

/// What an `#include` names.
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

/// Where files are looked for.
pub(super) struct Places<'a> {
    /// How the including file is compiled.
    pub(super) flags: &'a Flags,
    /// The root of its project.
    pub(super) root: &'a Path,
    /// The `include` folders anywhere in the project.
    pub(super) elsewhere: &'a dyn Fn() -> Arc<Vec<PathBuf>>,
    /// Whether a file is on disk or open.
    pub(super) is_there: &'a dyn Fn(&Path) -> bool,
}

/// Looks for the file: beside the including one (with quotes), in the folders of the flags, in the
/// root of the project and in its `include` folder; then (with quotes) in the folders around the
/// including one, as a build that compiles a folder of its own has it on the path; at last, where its name
/// has a folder, in the `include` folders anywhere in the project: one that has it alone, or nearer to the including file
/// than any other.
pub(super) fn resolve(include: &Include, from: &Path, places: &Places<'_>) -> Target {
    let name = include.path.name.as_str();
    // CuTe's headers never need to be there.
    if name.starts_with("cute/") {
        return Target::Known;
    }
    let beside = from.parent().filter(|_| !include.system);
    let Places {
        flags,
        root,
        is_there,
        ..
    } = *places;
    let conventional = [root.to_owned(), root.join("include")];
    let around = beside.into_iter().flat_map(Path::ancestors).skip(1);
    let folders = beside
        .into_iter()
        .chain(flags.include.iter().map(PathBuf::as_path))
        .chain(conventional.iter().map(PathBuf::as_path))
        .chain(around.take_while(|folder| folder.starts_with(root)));
    let found = folders
        .map(|folder| folder.join(name))
        .find(|path| is_there(path));
    if let Some(path) = found.or_else(|| {
        let has_folder = name.contains('/');
        has_folder.then(|| in_nearest(&(places.elsewhere)(), name, from, is_there))?
    }) {
        let path = normal(&path);
        return if is_of_cute(&path) {
            Target::Known
        } else {
            Target::File(path)
        };
    }
    if include.system || name.starts_with("cutlass/") {
        Target::Known
    } else {
        Target::Missing
    }
}

/// The file of this name in the folder that is nearest to the including file, where no other is as near.
fn in_nearest(
    folders: &[PathBuf],
    name: &str,
    from: &Path,
    is_there: &dyn Fn(&Path) -> bool,
) -> Option<PathBuf> {
    let mut nearest: Option<(usize, PathBuf)> = None;
    let mut is_alone = true;
    for folder in folders {
        let path = folder.join(name);
        if !is_there(&path) {
            continue;
        }
        let shared = folder.iter().zip(from).take_while(|(a, b)| a == b).count();
        match &nearest {
            Some((most, _)) if *most > shared => {}
            Some((most, _)) if *most == shared => is_alone = false,
            _ => {
                nearest = Some((shared, path));
                is_alone = true;
            }
        }
    }
    nearest.filter(|_| is_alone).map(|(_, path)| path)
}

/// Whether a file is one of CuTe's own headers.
fn is_of_cute(path: &Path) -> bool {
    let names: Vec<_> = path.iter().collect();
    names
        .windows(2)
        .any(|pair| matches!(pair, [include, cute] if *include == "include" && *cute == "cute"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The header that is found at one of these places.
    fn found(folders: &[&str], from: &str) -> Option<PathBuf> {
        let folders: Vec<PathBuf> = folders.iter().map(PathBuf::from).collect();
        in_nearest(&folders, "lib/util.h", Path::new(from), &|path| {
            !path.starts_with("/p/empty")
        })
    }

    #[test]
    fn a_header_is_found_in_the_only_or_the_nearest_include_folder_and_not_guessed() {
        let deep = "/p/tools/util/include";
        let header = |folder: &str| Some(Path::new(folder).join("lib/util.h"));
        assert_eq!(found(&[deep], "/p/examples/a.cu"), header(deep));
        assert_eq!(found(&["/p/empty/include", deep], "/p/a.cu"), header(deep));
        let copies = ["/p/one/lib/include", "/p/two/lib/include"];
        assert_eq!(found(&copies, "/p/two/src/a.cu"), header(copies[1]));
        assert_eq!(found(&copies, "/p/src/a.cu"), None);
        assert_eq!(found(&["/p/empty/include"], "/p/a.cu"), None);
    }
}
