//! Macros that no flag and no file decides, although the evaluation depends on them.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tree_sitter_cute::tree::Span;

use crate::limits;

/// A macro that a build may define, where the sources and the flags at hand do not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undecided {
    /// Its name.
    pub name: String,
    /// The numbers that may make a difference, those first that its conditions compare it with.
    pub numbers: Vec<i64>,
    /// The condition that asks for it, in the space of all files.
    pub asked: Span,
}

/// Collects the macros that no flag and no file decides. The default collects nothing, and costs nothing.
#[derive(Clone, Default)]
pub struct Undecideds(Option<Arc<Mutex<Vec<Undecided>>>>);

impl Undecideds {
    /// One that collects.
    pub(crate) fn collected() -> Self {
        Self(Some(Arc::default()))
    }

    /// Whether anything is collected.
    pub(crate) fn are_wanted(&self) -> bool {
        self.0.is_some()
    }

    /// Notes a macro, and numbers to be tried for it.
    pub(crate) fn note(&self, undecided: &Undecided) {
        let Some(mut found) = self.0.as_ref().map(locked) else {
            return;
        };
        let known = found.iter().position(|it| it.name == undecided.name);
        if let Some(known) = known.and_then(|index| found.get_mut(index)) {
            for number in &undecided.numbers {
                if !known.numbers.contains(number) {
                    known.numbers.push(*number);
                }
            }
        } else if found.len() < limits::UNDECIDED_MACROS {
            found.push(undecided.clone());
        }
    }

    /// The collection so far.
    pub(crate) fn found(&self) -> Vec<Undecided> {
        let found = self.0.as_ref().map(|found| locked(found).clone());
        found.unwrap_or_default()
    }
}

fn locked(found: &Arc<Mutex<Vec<Undecided>>>) -> MutexGuard<'_, Vec<Undecided>> {
    found.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Undecideds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.found()).finish()
    }
}

impl PartialEq for Undecideds {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            (None, None) => true,
            _ => false,
        }
    }
}
