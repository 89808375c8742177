//! Facts about the heads of functions and classes.

use tree_sitter_cute::tree::{ExprKind, Function, Record};

/// The name of a class, also of one without a name.
pub(super) fn name_of(record: &Record) -> &str {
    record.name.as_ref().map_or("class", |name| &name.name)
}

/// Whether the types of a method's parameters are not its class's alone.
pub(super) fn is_generic(function: &Function) -> bool {
    let is_auto = |param: &tree_sitter_cute::tree::Binding| {
        param
            .ty
            .as_ref()
            .is_some_and(|ty| matches!(ty.kind, ExprKind::Auto))
    };
    !function.tparams.is_empty() || function.params.iter().any(is_auto)
}
