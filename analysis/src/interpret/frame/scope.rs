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
pub(in crate::interpret) struct Scope<'u> {
    names: Option<Rc<Names<'u>>>,
    /// Namespaces that the block gives another name, with their paths.
    renamed: Option<Rc<Renamed<'u>>>,
}

type Names<'u> = HashMap<&'u str, Variable>;

type Renamed<'u> = HashMap<&'u str, Vec<&'u str>>;

impl<'u> Scope<'u> {
    pub(in crate::interpret) fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    pub(in crate::interpret) fn contains_key(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    pub(in crate::interpret) fn get(&self, name: &str) -> Option<&Variable> {
        self.names.as_deref()?.get(name)
    }

    /// The variable that a name refers to, to change it.
    pub(in crate::interpret) fn get_mut(&mut self, name: &str) -> Option<&mut Variable> {
        // A shared map is copied only where it contains the name.
        let names = self
            .names
            .as_mut()
            .filter(|names| names.contains_key(name))?;
        Rc::make_mut(names).get_mut(name)
    }

    pub(in crate::interpret) fn insert(&mut self, name: &'u str, variable: Variable) {
        let names = self.names.get_or_insert_default();
        Rc::make_mut(names).insert(name, variable);
    }

    /// `namespace name = path;`
    pub(in crate::interpret) fn rename(&mut self, name: &'u str, path: Vec<&'u str>) {
        let renamed = self.renamed.get_or_insert_default();
        Rc::make_mut(renamed).insert(name, path);
    }

    /// The path of a namespace that the block gives another name.
    pub(in crate::interpret) fn renamed(&self, name: &str) -> Option<&[&'u str]> {
        self.renamed.as_ref()?.get(name).map(Vec::as_slice)
    }

    pub(in crate::interpret) fn iter(&self) -> impl Iterator<Item = (&'u str, &Variable)> {
        let names = self.names.iter().flat_map(|names| names.iter());
        names.map(|(name, variable)| (*name, variable))
    }
}

impl<'u> FromIterator<(&'u str, Variable)> for Scope<'u> {
    fn from_iter<I: IntoIterator<Item = (&'u str, Variable)>>(variables: I) -> Self {
        Self {
            names: Some(Rc::new(variables.into_iter().collect())),
            renamed: None,
        }
    }
}
