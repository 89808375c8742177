//! The headers of a unit that wait to be read.

use std::sync::Arc;

use super::ids::ModuleId;
use crate::hash::HashMap;
use crate::sources::SourceFile;
use crate::words::{Word, WordSet};

/// The headers that wait to be read.
#[derive(Debug, Default)]
pub(super) struct Unread<'u> {
    /// In the order of their `#include`s, each with its place; `None` once it was read.
    pub(super) files: Vec<Option<(&'u SourceFile, IncludeSite)>>,
    /// Indices of those that define a macro, or that include in a branch a header that does.
    pub(super) macros: HashMap<Word, Vec<usize>>,
    /// Headers included in the branches of `#if`s, directly or not, with the including header: only a read of the
    /// header tells whether they are included.
    pub(super) behind: Vec<(Arc<SourceFile>, usize)>,
    /// The names that were looked for in all of them.
    pub(super) asked: WordSet,
}

/// The place of the `#include` of a header.
#[derive(Debug, Clone, Copy)]
pub(super) struct IncludeSite {
    pub(super) module: ModuleId,
    /// The time at which it is reached: the macros that are defined later are not defined in the header.
    pub(super) time: usize,
}
