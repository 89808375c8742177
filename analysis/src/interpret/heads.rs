//! Facts about the heads of functions and classes.

use tree_sitter_cute::tree::{Binding, ExprKind, Function, Record};

use crate::role::Role;

/// The name of a class, also of one without a name.
pub(super) fn name_of(record: &Record) -> &str {
    record.name.as_ref().map_or("class", |name| &name.name)
}

/// Whether the types of a method's parameters are not its class's alone.
pub(super) fn is_generic(function: &Function) -> bool {
    let is_auto = |param: &Binding| {
        param
            .ty
            .as_ref()
            .is_some_and(|ty| matches!(ty.kind, ExprKind::Auto))
    };
    !function.tparams.is_empty() || function.params.iter().any(is_auto)
}

/// The role of a declared name.
pub(super) fn role_of(binding: &Binding) -> Role {
    match binding.role {
        tree_sitter_cute::tree::Role::Alias => Role::Alias,
        tree_sitter_cute::tree::Role::Param => Role::Param,
        _ => Role::Var,
    }
}
