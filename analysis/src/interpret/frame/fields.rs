//! Values assigned to the members of local variables.

use tree_sitter_cute::tree::Expr;

use crate::hash::HashMap;
use crate::value::Value;

/// Values assigned to the members of a local variable.
#[derive(Debug, Clone, Default)]
pub(in crate::interpret) struct Fields<'u> {
    /// The last assignment to each member; `None` where it may or may not have happened.
    pub(in crate::interpret) assigned: HashMap<&'u str, Option<Given<'u>>>,
    /// The whole variable may have changed.
    pub(in crate::interpret) is_lost: bool,
}

/// A value and the expression that it was given by.
#[derive(Debug, Clone)]
pub(in crate::interpret) struct Given<'u> {
    pub(in crate::interpret) value: Value,
    pub(in crate::interpret) written: &'u Expr,
}

impl<'u> Fields<'u> {
    /// The value assigned to a member; `Ok(None)` where nothing was assigned, an error where it is unknown.
    pub(in crate::interpret) fn get(&self, member: &str) -> Result<Option<&Given<'u>>, ()> {
        match self.assigned.get(member) {
            _ if self.is_lost => Err(()),
            None => Ok(None),
            Some(Some(given)) => Ok(Some(given)),
            Some(None) => Err(()),
        }
    }
}
