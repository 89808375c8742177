//! Sources that the packages of a project write when it is built or used, and who includes what in them.
//!
//! A package that compiles kernels at run time takes a second to evaluate. No first answer of an editor waits for it.

use std::path::{Path, PathBuf};

use super::flags::Flags;
use super::generated::Generated;
use super::index::Index;

/// Sources that the packages of a project write, and their inclusions.
#[derive(Debug, Default)]
pub(super) struct Packaged {
    pub(super) generated: Generated,
    index: Index,
}

impl Packaged {
    /// Evaluates the packages below a folder.
    pub(super) fn of(root: &Path, flags: &Flags) -> Self {
        let generated = Generated::of_packages(root, &flags.include);
        let mut index = Index::default();
        index.add_generated(&generated, root, flags);
        Self { generated, index }
    }

    /// The translation units that include a file, with those of the packages behind those of the tree.
    pub(super) fn translation_units_of(&self, tree: &Index, file: &Path) -> Vec<PathBuf> {
        tree.translation_units_and(&self.index, file)
    }

    /// Whether they write nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.generated.files().next().is_none()
    }
}
