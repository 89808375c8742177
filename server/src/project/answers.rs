//! What `#include`s stand for, while nothing changes on disk.
//!
//! A translation unit of CUTLASS includes hundreds of headers, and the units of a tree include the same ones: to
//! look for each in every folder, every time, takes longer than to read the declarations of those that are found.

use std::ffi::OsString;
use std::path::Path;
use std::sync::{PoisonError, RwLock};

use cute_analysis::Included;
use rustc_hash::FxHashMap;
use tree_sitter_cute::tree::Include;

/// By the file that includes, what it includes, and whether that stands between angle brackets.
type Known = FxHashMap<OsString, FxHashMap<String, [Option<Included>; 2]>>;

/// What `#include`s were found to stand for.
#[derive(Debug, Default)]
pub(super) struct Answers(RwLock<Known>);

impl Answers {
    /// What an `#include` of `from` was found to stand for, else what `find` says, which is kept.
    pub(super) fn get(
        &self,
        from: &Path,
        include: &Include,
        find: impl FnOnce() -> Included,
    ) -> Included {
        let name = include.path.name.as_str();
        let way = usize::from(include.system);
        let known = self
            .0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(from.as_os_str())
            .and_then(|of_file| of_file.get(name)?.get(way)?.clone());
        if let Some(known) = known {
            return known;
        }
        // Others may look for it at the same time; a file is read once all the same.
        let found = find();
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let of_file = known.entry(from.as_os_str().to_owned()).or_default();
        let ways = of_file.entry(name.to_owned()).or_default();
        if let Some(slot) = ways.get_mut(way) {
            *slot = Some(found.clone());
        }
        found
    }
}
