//! The function, class and namespace whose statements or members a frame evaluates.

use std::sync::Arc;

use crate::interpret::ids::ModuleId;
use crate::value::Value;

/// The surroundings of the names in a frame.
#[derive(Debug, Clone, Default)]
pub(in crate::interpret) struct Owner {
    pub(in crate::interpret) module: ModuleId,
    /// The class instance whose members are visible.
    pub(in crate::interpret) record: Option<usize>,
    /// The object whose method is evaluated.
    pub(in crate::interpret) this: Option<Value>,
    /// Whether that object is constant there.
    pub(in crate::interpret) constant_object: Option<bool>,
    pub(in crate::interpret) function: Option<Arc<str>>,
    /// The name of the instance of the function.
    pub(in crate::interpret) instance: Option<Arc<str>>,
}
