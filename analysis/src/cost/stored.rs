//! An object in shared memory of which only the sizes of its members are known.

use tree_sitter_cute::tree::Span;

use crate::reason::Reason;

/// An object in shared memory.
#[derive(Debug, Clone)]
pub(crate) struct Stored {
    pub(crate) name: String,
    pub(crate) span: Span,
    /// Whether its bytes are requested at launch.
    pub(crate) is_dynamic: bool,
    /// Bytes before it that hold nothing.
    pub(crate) gap: i64,
    pub(crate) size: Result<i64, Reason>,
    pub(crate) align: i64,
    /// Its members with their bytes, in order.
    pub(crate) members: Vec<(String, i64)>,
}
