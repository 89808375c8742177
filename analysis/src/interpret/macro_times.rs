//! The macros in force, and since when: a header that is read late sees those that stood before its `#include`.

use tree_sitter_cute::tree::Expr;

use crate::hash::HashMap;

/// The macros that are defined, with the replacements that are expressions.
#[derive(Debug, Default)]
pub(super) struct Macros<'u> {
    known: HashMap<&'u str, (Option<&'u Expr>, usize)>,
    /// How much was defined and included so far.
    now: usize,
    /// The time of the header that is being read late.
    past: Option<usize>,
}

impl<'u> Macros<'u> {
    /// Whether a macro is in force.
    pub(super) fn has(&self, name: &str) -> bool {
        let found = self.known.get(name);
        found.is_some_and(|(_, since)| self.past.is_none_or(|past| *since <= past))
    }

    /// What a macro in force is replaced with, where that is an expression.
    pub(super) fn replacement(&self, name: &str) -> Option<&'u Expr> {
        let (value, _) = self.known.get(name).filter(|_| self.has(name))?;
        *value
    }

    /// Defines a macro.
    pub(super) fn define(&mut self, name: &'u str, value: Option<&'u Expr>) {
        let since = match self.past {
            Some(past) => past,
            None => self.tick(),
        };
        match self.known.get(name) {
            // A later definition stays the one in force.
            Some((_, known)) if *known > since => {}
            _ => {
                self.known.insert(name, (value, since));
            }
        }
    }

    /// Takes back the definition of a macro that is in force.
    pub(super) fn take_back(&mut self, name: &str) {
        if self.has(name) {
            self.known.remove(name);
        }
    }

    /// The time of what comes next.
    pub(super) fn tick(&mut self) -> usize {
        self.now += 1;
        self.now
    }

    /// Goes to the time of a header that is read late, or out of it; the time before.
    pub(super) fn go_back_to(&mut self, time: Option<usize>) -> Option<usize> {
        std::mem::replace(&mut self.past, time)
    }
}
