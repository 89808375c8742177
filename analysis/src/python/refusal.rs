//! A refusal of the DSL's code, as a value.

use crate::finding::{Number, Severity};
use crate::reason::Reason;

/// A refusal of the DSL's code, until the responsible call of the user's code is known.
#[derive(Debug, Clone)]
pub(crate) struct Refusal {
    pub(crate) rule: &'static str,
    pub(crate) severity: Severity,
    pub(crate) message: String,
    pub(crate) numbers: Vec<(String, Number)>,
}

impl Refusal {
    /// An error without numbers.
    pub(crate) fn error(rule: &'static str, message: String) -> Self {
        Self {
            rule,
            severity: Severity::Error,
            message,
            numbers: Vec::new(),
        }
    }

    /// With a number.
    pub(crate) fn with(mut self, name: &str, number: Number) -> Self {
        self.numbers.push((name.to_owned(), number));
        self
    }

    /// The reason of values that depend on it.
    pub(crate) fn reason(&self) -> Reason {
        let first = self.message.lines().next().unwrap_or_default();
        Reason::Refused(self.rule, first.into())
    }
}
