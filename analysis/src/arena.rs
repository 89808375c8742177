//! What an analysis reads on its way and keeps to its end, beside the tree it was given.

use std::fmt;
use std::sync::Arc;

use crate::sources::{Predefined, SourceFile};

/// Owner of the files and macros that were read for one analysis.
#[derive(Default)]
pub(crate) struct Arena {
    files: typed_arena::Arena<Arc<SourceFile>>,
    predefined: typed_arena::Arena<Predefined>,
}

impl Arena {
    /// Keeps a file.
    pub(crate) fn file(&self, file: Arc<SourceFile>) -> &SourceFile {
        self.files.alloc(file)
    }

    /// Keeps a macro of the compiler's.
    pub(crate) fn predefined(&self, predefined: Predefined) -> &Predefined {
        self.predefined.alloc(predefined)
    }
}

impl fmt::Debug for Arena {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Arena").finish_non_exhaustive()
    }
}
