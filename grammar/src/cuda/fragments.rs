//! The trees of expansions of macros, by their texts.
//!
//! The tree of a text depends on the text alone, so it holds for every version of the sources and every evaluation: a
//! launcher whose body is inside of `BOOL_SWITCH(..)` is parsed once, and not at every key in a header of its kernel.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::fragment;
use crate::limits::FRAGMENT_BYTES;
use crate::tree::{Expr, Item};

/// A store for what expansions were read as; it is emptied when its texts have [`FRAGMENT_BYTES`] bytes.
#[derive(Debug, Default)]
pub struct Fragments(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    /// `None` for a text that is not an expression.
    expressions: HashMap<Box<str>, Option<Expr>>,
    /// `None` for a text whose brackets have no partners.
    statements: HashMap<Box<str>, Option<Vec<Item>>>,
    /// Bytes of all texts.
    bytes: usize,
}

impl Kept {
    /// Makes room for a text; `false` for one that is larger than the store.
    fn makes_room(&mut self, text: &str) -> bool {
        if text.len() > FRAGMENT_BYTES {
            return false;
        }
        if self.bytes + text.len() > FRAGMENT_BYTES {
            *self = Self::default();
        }
        self.bytes += text.len();
        true
    }
}

impl Fragments {
    /// The expression that a text is; spans are those in the text.
    pub(super) fn expression(&self, text: &str) -> Option<Expr> {
        if let Some(known) = self.kept().expressions.get(text) {
            return known.clone();
        }
        let read = fragment::expression(text).ok();
        let mut kept = self.kept();
        if kept.makes_room(text) {
            kept.expressions.insert(text.into(), read.clone());
        }
        read
    }

    /// The statements that a text is; spans are those in the text.
    pub(super) fn statements(&self, text: &str) -> Option<Vec<Item>> {
        if let Some(known) = self.kept().statements.get(text) {
            return known.clone();
        }
        let read = fragment::statements(text);
        let mut kept = self.kept();
        if kept.makes_room(text) {
            kept.statements.insert(text.into(), read.clone());
        }
        read
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // Each change leaves the store whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Fragments {
        /// Number of texts with a tree.
        fn count(&self) -> usize {
            let kept = self.kept();
            kept.expressions.len() + kept.statements.len()
        }
    }

    #[test]
    fn a_text_is_read_once_and_its_tree_is_that_of_a_fresh_reading() {
        let fragments = Fragments::default();
        for _ in 0..2 {
            let sum = fragments.expression("f(a, 2)");
            assert_eq!(sum, fragment::expression("f(a, 2)").ok());
            let items = fragments.statements("g(); h();");
            assert_eq!(items, fragment::statements("g(); h();"));
            assert_eq!(items.map_or(0, |items| items.len()), 2);
            assert_eq!(fragments.expression("if (x) { }"), None);
            assert_eq!(fragments.statements("if (x) {"), None);
        }
        assert_eq!(fragments.count(), 4);
    }

    #[test]
    fn the_store_does_not_grow_without_end() {
        let fragments = Fragments::default();
        let long = "x".repeat(FRAGMENT_BYTES / 3);
        for n in 0..10 {
            fragments.expression(&format!("{long}{n}"));
            assert!(fragments.count() <= 3, "{}", fragments.count());
        }
        fragments.expression(&"x".repeat(FRAGMENT_BYTES + 1));
        assert!(fragments.kept().bytes <= FRAGMENT_BYTES);
    }
}
