//! Knowledge of the changes to the variables of a function.

use std::rc::Rc;

use tree_sitter_cute::tree::Span;

use crate::interpret::locations::References;
use crate::interpret::mutation::Untraceable;
use crate::interpret::ran::Ran;
use crate::value::Value;

/// Changes to the variables of a function.
#[derive(Debug, Clone, Default)]
pub(in crate::interpret) struct Changes<'u> {
    /// Names that change in ways that cannot be followed.
    pub(in crate::interpret) untraceable: Rc<Untraceable<'u>>,
    /// Referents of references and pointers.
    pub(in crate::interpret) references: References<'u>,
    /// The number of this call among those that the interpreter evaluates.
    pub(in crate::interpret) activation: usize,
    /// Results of the machine for the body.
    pub(in crate::interpret) ran: Option<Rc<Ran>>,
}

impl Changes<'_> {
    /// A number that a variable begins with, where the machine alone knows it.
    pub(in crate::interpret) fn begun(&self, value: Value, declared: Span) -> Value {
        let is_known = match &value {
            Value::Int(int) => int.is_static() || int.value().is_some(),
            Value::Unknown(_) => false,
            _ => true,
        };
        let begun = || self.ran.as_ref()?.begins_with(declared).cloned();
        if is_known {
            value
        } else {
            begun().unwrap_or(value)
        }
    }
}
