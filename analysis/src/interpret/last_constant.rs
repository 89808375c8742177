//! Which constant outside of functions a name was found to be.

use tree_sitter_cute::tree::Binding;

/// Where a constant is declared.
#[derive(Debug, Clone, Copy)]
pub(super) enum Declared<'u> {
    /// In a module, by its number.
    In(usize, &'u Binding),
    /// In a class instance, by its name.
    Of(usize, &'u str),
}
