//! The files that belong together: which one an `#include` names, who includes a header, and with
//! which flags each is compiled.
//!
//! A [`Project`] lives as long as the process and keeps what it has read; files that changed on
//! disk are noticed by their size and time. A [`View`] is the project as one analysis sees it, with
//! the texts that an editor has open in the place of those on disk. It is what the analysis asks
//! for files ([`cute_analysis::Sources`]).

mod files;
mod flags;
mod includes;
mod index;
mod tree;
mod view;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use cute_analysis::Positions;

pub use flags::Flags;
pub use tree::{normal, root_of};
pub use view::{Overlay, View};

use files::Files;
use index::Index;

/// Everything that is known of the files of this machine's projects.
#[derive(Debug, Default)]
pub struct Project {
    positions: Positions,
    files: Files,
    /// Flags that hold for every file: of the command line or the settings.
    flags: Flags,
    /// Who includes whom, by root folder.
    indexes: Mutex<HashMap<PathBuf, Arc<Index>>>,
}

impl Project {
    /// A project in which every file is compiled with these flags besides its own.
    pub fn new(flags: Flags) -> Self {
        Self {
            flags,
            ..Self::default()
        }
    }

    /// The index of the folder tree below `root`, made when it is first asked for.
    fn index(&self, root: &Path) -> Arc<Index> {
        let known = self.lock().get(root).cloned();
        if let Some(known) = known {
            return known;
        }
        let index = Arc::new(Index::of(root, &self.flags));
        self.lock().insert(root.to_owned(), Arc::clone(&index));
        index
    }

    /// Forgets who includes whom, as files came, went or changed on disk.
    pub fn forget_index(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<PathBuf, Arc<Index>>> {
        self.indexes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
