//! Arguments that are known to suit kernels which nothing makes. A first answer about an edited module starts with those of
//! the version before.

use std::fmt;
use std::sync::Arc;

use super::runs::Starts;
use crate::reason::Kept;

/// The changes of supposed arguments, by the names of the classes of kernels or of the functions that compile them, and the
/// starts of the runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Choices {
    all: Vec<(Arc<str>, Kept)>,
    pub(super) starts: Starts,
}

impl Choices {
    /// Those of a kernel.
    pub(super) fn of(&self, name: &str) -> Option<&Kept> {
        let mut all = self.all.iter();
        let found = all.find(|(known, _)| **known == *name);
        found.map(|(_, changes)| changes)
    }

    /// Keeps those of a kernel.
    pub(super) fn note(&mut self, name: Arc<str>, changes: Kept) {
        self.all.push((name, changes));
    }
}

impl fmt::Display for Choices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, changes) in &self.all {
            writeln!(f, "{name}: {changes:?}")?;
        }
        Ok(())
    }
}

/// The state of the search for supposed arguments.
#[derive(Debug, Default)]
pub(super) struct Supposing {
    /// Arguments that are known to suit: nothing is searched for, and each kernel is run once.
    pub(super) first: Option<Choices>,
    /// Those that were found.
    pub(super) found: Choices,
}

impl Supposing {
    /// The arguments that were found, for the next version, with the starts of the runs; nothing where nothing was searched
    /// for.
    pub(super) fn kept(&mut self, starts: Starts) -> Option<Kept> {
        let found = std::mem::take(&mut self.found);
        (!found.all.is_empty()).then(|| Kept::of(Choices { starts, ..found }))
    }
}
