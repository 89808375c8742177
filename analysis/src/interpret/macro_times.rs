//! The macros in force, since when, and how surely: a header that is read late sees those before its `#include`; a
//! macro defined in a branch that may be skipped is not known to be defined.

use tree_sitter_cute::tree::Expr;

use crate::hash::HashMap;

/// The macros that are defined, with the replacements that are expressions.
#[derive(Debug, Default)]
pub(super) struct Macros<'u> {
    known: HashMap<&'u str, LastDefinition<'u>>,
    /// Number of definitions and inclusions so far.
    now: usize,
    /// The time of the header that is being read late.
    past: Option<usize>,
    /// Whether a branch is being read that may be skipped.
    in_doubt: bool,
}

/// The last definition of a macro.
#[derive(Debug)]
struct LastDefinition<'u> {
    replacement: Option<&'u Expr>,
    since: usize,
    /// Whether its `#define`, or an `#undef` behind it, is in a branch that may be skipped.
    in_doubt: bool,
}

impl<'u> Macros<'u> {
    /// Whether a macro is in force, or may be.
    pub(super) fn has(&self, name: &str) -> bool {
        self.in_force(name).is_some()
    }

    /// Whether a macro may be in force and may not.
    pub(super) fn is_in_doubt(&self, name: &str) -> bool {
        self.in_force(name).is_some_and(|known| known.in_doubt)
    }

    fn in_force(&self, name: &str) -> Option<&LastDefinition<'u>> {
        let found = self.known.get(name)?;
        self.past
            .is_none_or(|past| found.since <= past)
            .then_some(found)
    }

    /// The replacement of a macro in force, where it is an expression.
    pub(super) fn replacement(&self, name: &str) -> Option<&'u Expr> {
        self.in_force(name)?.replacement
    }

    /// Defines a macro.
    pub(super) fn define(&mut self, name: &'u str, replacement: Option<&'u Expr>) {
        let since = match self.past {
            Some(past) => past,
            None => self.tick(),
        };
        match self.known.get(name) {
            // A later definition stays the one in force.
            Some(known) if known.since > since => {}
            _ => {
                let in_doubt = self.in_doubt;
                let known = LastDefinition {
                    replacement,
                    since,
                    in_doubt,
                };
                self.known.insert(name, known);
            }
        }
    }

    /// Takes back the definition of a macro that is in force.
    pub(super) fn take_back(&mut self, name: &str) {
        if !self.has(name) {
            return;
        }
        match self.known.get_mut(name) {
            Some(known) if self.in_doubt => known.in_doubt = true,
            _ => {
                self.known.remove(name);
            }
        }
    }

    /// Goes into a branch, which may be skipped; returns the argument for [`leave`](Self::leave).
    pub(super) fn enter(&mut self, may_be_skipped: bool) -> bool {
        let around = self.in_doubt;
        self.in_doubt |= may_be_skipped;
        around
    }

    /// Goes out of a branch.
    pub(super) fn leave(&mut self, around: bool) {
        self.in_doubt = around;
    }

    /// The time of the next event.
    pub(super) fn tick(&mut self) -> usize {
        self.now += 1;
        self.now
    }

    /// Goes to the time of a header that is read late, or out of it; the time before.
    pub(super) fn go_back_to(&mut self, time: Option<usize>) -> Option<usize> {
        std::mem::replace(&mut self.past, time)
    }
}

/// Words that older compilers lack, which portable headers define for those: `#define constexpr` for an old MSVC.
const NEW_KEYWORDS: &[&str] = &[
    "alignas",
    "alignof",
    "char8_t",
    "char16_t",
    "char32_t",
    "constexpr",
    "decltype",
    "final",
    "noexcept",
    "nullptr",
    "override",
    "static_assert",
    "thread_local",
];

/// Whether the compilers that take the libraries have a word that a `#define` would replace: it is for others.
pub(super) fn is_keyword(name: &str) -> bool {
    NEW_KEYWORDS.contains(&name)
}
