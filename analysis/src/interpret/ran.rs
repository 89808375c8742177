//! What the machine found out when it ran a body.

use tree_sitter_cute::tree::Span;

use crate::hash::HashMap;
use crate::value::Value;

/// What a run found out.
#[derive(Debug, Default)]
pub(super) struct Ran {
    /// What variables begin with, by their declarations.
    pub(super) begun: HashMap<Span, Value>,
    /// What the variables of the body hold behind each of its statements, where that changed; only of a run that
    /// reached the end.
    pub(super) behind: Vec<Vec<(String, Span, Value)>>,
    /// What the function gives.
    pub(super) returned: Option<Value>,
}

impl Ran {
    /// What a variable begins with.
    pub(super) fn begins_with(&self, declared: Span) -> Option<&Value> {
        self.begun.get(&declared)
    }
}
