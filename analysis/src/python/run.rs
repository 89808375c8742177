//! Results of running Python.

use super::value::{Builtin, Py};
use crate::reason::Reason;

/// The result of a run: a value, or the reason why it ended.
pub(crate) type Run<T> = Result<T, Stop>;

/// Why running ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Stop {
    /// An error of Python, and the reason for whoever needed the value.
    Raised(Py, Reason),
    /// A limit of ours.
    Limit(Reason),
}

impl Stop {
    /// An error of Python by its class.
    pub(crate) fn error(class: &'static str, why: &str) -> Self {
        Self::Raised(
            Py::Builtin(Builtin::Error(class)),
            Reason::Raised(class, why.into()),
        )
    }
}

/// The end of a block.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Flow {
    /// With its last statement.
    Next,
    Break,
    Continue,
    Return(Py),
    /// At a `yield`, behind which it goes on later.
    Yield(Py),
}
