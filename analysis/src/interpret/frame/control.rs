//! The way of control through the statements of a frame.

use crate::value::Value;

/// The way of control so far.
#[derive(Debug, Clone, Default)]
pub(in crate::interpret) struct Control {
    /// Values of `return` so far.
    pub(in crate::interpret) returns: Vec<Value>,
    /// Control does not reach the rest.
    pub(in crate::interpret) ended: bool,
    /// Inside a branch of an `#if` that may not be compiled.
    pub(in crate::interpret) conditional: usize,
}
