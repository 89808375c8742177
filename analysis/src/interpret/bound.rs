//! The bindings of the parameters of a function.

use crate::value::Value;

/// The bindings of a call: template parameters in order, then parameter values in order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Bound {
    pub(super) tparams: Vec<Value>,
    pub(super) params: Vec<Option<Value>>,
}
