//! What a compiler is told about a file.

use std::path::PathBuf;

/// What a compiler is told about a file, as far as layouts depend on it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Flags {
    /// Folders in which included files are looked for, in order.
    pub include: Vec<PathBuf>,
    /// Macros with their replacement texts, in order.
    pub defines: Vec<(String, String)>,
}
