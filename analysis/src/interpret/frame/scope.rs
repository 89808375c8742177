//! Blocks of names.

use std::rc::Rc;

use tree_sitter_cute::tree::Span;

use crate::hash::HashMap;
use crate::value::Value;

/// A name in a scope.
#[derive(Debug, Clone)]
pub(in crate::interpret) struct Variable {
    pub(in crate::interpret) value: Value,
    /// The place of the declaration of the name.
    pub(in crate::interpret) declared: Span,
    /// Its value was seen, or is not a separate symbol: a change needs another symbol.
    pub(in crate::interpret) read: bool,
}

/// One block of names. Copies share them until one of them changes.
#[derive(Debug, Clone, Default)]
pub(in crate::interpret) struct Scope<'u>(Option<Rc<Names<'u>>>);

type Names<'u> = HashMap<&'u str, Variable>;

impl<'u> Scope<'u> {
    pub(in crate::interpret) fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    pub(in crate::interpret) fn contains_key(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    pub(in crate::interpret) fn get(&self, name: &str) -> Option<&Variable> {
        self.0.as_deref()?.get(name)
    }

    /// The variable that a name refers to, to change it.
    pub(in crate::interpret) fn get_mut(&mut self, name: &str) -> Option<&mut Variable> {
        // A shared map is copied only where it contains the name.
        let names = self.0.as_mut().filter(|names| names.contains_key(name))?;
        Rc::make_mut(names).get_mut(name)
    }

    pub(in crate::interpret) fn insert(&mut self, name: &'u str, variable: Variable) {
        let names = self.0.get_or_insert_default();
        Rc::make_mut(names).insert(name, variable);
    }

    pub(in crate::interpret) fn iter(&self) -> impl Iterator<Item = (&'u str, &Variable)> {
        let names = self.0.iter().flat_map(|names| names.iter());
        names.map(|(name, variable)| (*name, variable))
    }
}

impl<'u> FromIterator<(&'u str, Variable)> for Scope<'u> {
    fn from_iter<I: IntoIterator<Item = (&'u str, Variable)>>(variables: I) -> Self {
        Self(Some(Rc::new(variables.into_iter().collect())))
    }
}
