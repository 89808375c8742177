//! Who includes whom below a folder.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tree_sitter_cute::cuda;

use super::files::read_text;
use super::flags::Flags;
use super::includes::{Target, resolve};
use super::tree::{is_translation_unit, normal, sources_below};

/// Who includes whom below a folder, by the `#include` lines alone.
#[derive(Debug, Default)]
pub(super) struct Index {
    includers: HashMap<PathBuf, BTreeSet<PathBuf>>,
}

impl Index {
    /// Reads the `#include` lines of every source below `root`; `elsewhere` lists its `include` folders.
    pub(super) fn of(
        root: &Path,
        flags: &Flags,
        elsewhere: &dyn Fn() -> Arc<Vec<PathBuf>>,
    ) -> Self {
        let mut index = Self::default();
        for path in sources_below(root) {
            let path = normal(&path);
            let Ok(text) = read_text(&path) else {
                continue;
            };
            for include in cuda::includes(&text) {
                if let Target::File(file) =
                    resolve(&include, &path, flags, root, elsewhere, &Path::is_file)
                {
                    index
                        .includers
                        .entry(file)
                        .or_default()
                        .insert(path.clone());
                }
            }
        }
        index
    }

    /// The translation units that include a file, directly or not; the nearest first.
    pub(super) fn translation_units_of(&self, file: &Path) -> Vec<PathBuf> {
        let mut seen = HashSet::from([file]);
        let mut next = VecDeque::from([file]);
        let mut units = Vec::new();
        while let Some(file) = next.pop_front() {
            for includer in self.includers.get(file).into_iter().flatten() {
                if !seen.insert(includer) {
                    continue;
                }
                if is_translation_unit(includer) {
                    units.push(includer.clone());
                }
                next.push_back(includer);
            }
        }
        units
    }
}
