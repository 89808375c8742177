//! The symbols that are in use in a function, so that two variables of one name stay apart.

use std::rc::Rc;

use crate::hash::HashMap;
use crate::plain_names;

/// Symbols in use, each with the number of requests for its name. Copies share them until one changes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Symbols(Rc<HashMap<Rc<str>, usize>>);

impl Symbols {
    /// Whether a symbol is in use.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The symbols.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(|name| &**name)
    }

    /// Notes that a symbol is in use.
    pub(crate) fn add(&mut self, name: &str) {
        if !self.contains(name) {
            Rc::make_mut(&mut self.0).insert(name.into(), 0);
        }
    }

    /// Adds those of another function, which knows best how often a name was requested.
    pub(crate) fn extend(&mut self, others: &Self) {
        let is_part = |(name, _): (&Rc<str>, &usize)| others.contains(name);
        if self.0.iter().all(is_part) {
            self.0 = Rc::clone(&others.0);
            return;
        }
        let others = others
            .0
            .iter()
            .map(|(name, count)| (Rc::clone(name), *count));
        Rc::make_mut(&mut self.0).extend(others);
    }

    /// A name for a new symbol: the given one, numbered where it is taken.
    pub(crate) fn unique(&mut self, name: &str) -> String {
        let symbols = Rc::make_mut(&mut self.0);
        let mut count = symbols.get(name).copied().unwrap_or(0).max(1);
        let mut unique = name.to_owned();
        while symbols.contains_key(&*unique) {
            count += 1;
            unique = plain_names::numbered(name, count);
        }
        symbols.insert(name.into(), count);
        if unique != name {
            symbols.entry(unique.as_str().into()).or_insert(0);
        }
        unique
    }
}

#[cfg(test)]
mod tests {
    use super::Symbols;
    use crate::plain_names;

    #[test]
    fn a_name_that_is_taken_gets_the_next_number_in_one_copy_only() {
        let (mut symbols, second) = (Symbols::default(), plain_names::numbered("n", 2));
        assert_eq!(symbols.unique("n"), "n");
        let mut copy = symbols.clone();
        assert_eq!(copy.unique("n"), second);
        assert!(copy.contains(&second) && !symbols.contains(&second));
        assert_eq!(symbols.unique("n"), second);
    }

    #[test]
    fn symbols_of_another_function_are_taken() {
        let (mut own, mut other) = (Symbols::default(), Symbols::default());
        own.add("k");
        other.add("n");
        own.extend(&other);
        assert!(own.contains("k") && own.contains("n") && !other.contains("k"));
        assert_eq!(own.names().count(), 2);
    }
}
