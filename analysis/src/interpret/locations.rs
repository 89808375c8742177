//! Variables and their parts, and the references and pointers to them.

use tree_sitter_cute::tree::Span;

use crate::hash::HashMap;

/// A variable, or the object whose method is evaluated, or a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Location<'u> {
    pub(super) base: Base<'u>,
    pub(super) path: Vec<Part<'u>>,
}

/// The start of a location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Base<'u> {
    /// A local variable, by its name and the place of its declaration.
    Variable(&'u str, Span),
    /// `*this`.
    This,
}

/// A step from an object to a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part<'u> {
    Field(&'u str),
    Element(usize),
}

/// Referents of the references and pointers of a function.
#[derive(Debug, Clone, Default)]
pub(super) struct References<'u> {
    /// Referents of references, by their declarations.
    pub(super) named: HashMap<Span, Location<'u>>,
    /// Referents of pointers, by their declarations, as long as they are not given another address.
    pub(super) pointers: HashMap<Span, Location<'u>>,
}

impl<'u> References<'u> {
    /// The referent of a reference.
    pub(super) fn of(&self, declared: Span) -> Option<&Location<'u>> {
        self.named.get(&declared)
    }

    /// Notes that a declaration is another name of a location.
    pub(super) fn name(&mut self, declared: Span, location: Location<'u>) {
        self.named.insert(declared, location);
    }

    /// A pointer may point to something else from here on.
    pub(super) fn forget_pointer(&mut self, declared: Span) {
        self.pointers.remove(&declared);
    }
}
