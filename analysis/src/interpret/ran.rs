//! Results of the machine for a body.

use tree_sitter_cute::tree::Span;

use crate::hash::HashMap;
use crate::value::Value;

/// The results of a run.
#[derive(Debug, Default)]
pub(super) struct Ran {
    /// Initial values of variables, by their declarations.
    pub(super) begun: HashMap<Span, Value>,
    /// Values of the variables of the body behind each of its statements, where they changed; only of a run that
    /// reached the end.
    pub(super) behind: Vec<Vec<(String, Span, Value)>>,
    /// The return value of the function.
    pub(super) returned: Option<Value>,
}

impl Ran {
    /// The initial value of a variable.
    pub(super) fn begins_with(&self, declared: Span) -> Option<&Value> {
        self.begun.get(&declared)
    }
}
