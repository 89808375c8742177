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
    /// The replacement of a macro that is in force, where that is an expression.
    pub(super) fn get(&self, name: &str) -> Option<Option<&'u Expr>> {
        let (value, since) = self.known.get(name)?;
        self.past
            .is_none_or(|past| *since <= past)
            .then_some(*value)
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
        if self.get(name).is_some() {
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
