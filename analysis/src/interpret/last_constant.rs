//! The constant outside of functions that a name was resolved to.

use tree_sitter_cute::tree::Binding;

/// The place where a constant is declared.
#[derive(Debug, Clone, Copy)]
pub(super) enum Declared<'u> {
    /// In a module, by its number.
    In(usize, &'u Binding),
    /// In a class instance, by its name.
    Of(usize, &'u str),
}
