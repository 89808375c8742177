//! The possible changes of a method to its object.

use crate::hash::HashSet;

/// The possible changes of a method to its object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Effect<'u> {
    /// These members.
    Members(HashSet<&'u str>),
    /// Anything.
    All,
}

impl<'u> Effect<'u> {
    pub(super) fn nothing() -> Self {
        Self::Members(HashSet::default())
    }

    pub(super) fn is_nothing(&self) -> bool {
        matches!(self, Self::Members(names) if names.is_empty())
    }

    pub(super) fn add(&mut self, name: &'u str) {
        if let Self::Members(names) = self {
            names.insert(name);
        }
    }

    /// The part of it that concerns these members.
    pub(super) fn only(self, members: &HashSet<&'u str>) -> Self {
        Self::Members(match self {
            Self::Members(names) => names.intersection(members).copied().collect(),
            Self::All => members.clone(),
        })
    }

    pub(super) fn join(&mut self, other: Self) {
        match (&mut *self, other) {
            (Self::Members(names), Self::Members(others)) => names.extend(others),
            _ => *self = Self::All,
        }
    }
}
