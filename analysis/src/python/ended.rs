//! A function whose trace an error ended.

use std::sync::Arc;

use tree_sitter_cute::script::Stmt;

use crate::reason::Reason;

/// A function of the file that is analysed whose trace an error ended.
#[derive(Debug, Clone)]
pub(crate) struct Ended {
    /// Its name with those around it; empty for the file itself.
    pub(super) function: Arc<str>,
    /// Its body, which was not run.
    pub(super) body: Arc<[Stmt]>,
    pub(super) reason: Reason,
}
