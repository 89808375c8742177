//! Imports: a name becomes a module, or a member of the module.

use tree_sitter_cute::tree::{Ident, Using, UsingKind};

use super::super::Interpreter;
use super::super::added::path_names;
use super::super::frame::{Frame, Variable};
use crate::value::Value;
use crate::vocabulary::python as words;

impl<'u> Interpreter<'u> {
    pub(super) fn exec_import(&mut self, using: &'u Using, frame: &mut Frame<'u>) {
        let Some(names) = using.path.as_path().map(path_names) else {
            return;
        };
        let Some(name) = bound_ident(using) else {
            self.script.opened.push(names.join("."));
            return;
        };
        let mut parts = names.into_iter();
        let Some(first) = parts.next() else {
            return;
        };
        let value = parts.fold(Value::Module(first.into()), |outer, part| match outer {
            Value::Module(module) => words::member(&module, part),
            unknown => unknown,
        });
        frame.declare(
            &name.name,
            Variable {
                value,
                declared: name.span,
                read: true,
            },
        );
    }
}

/// The name that an import binds; none where it opens a module.
fn bound_ident(using: &Using) -> Option<&Ident> {
    match &using.kind {
        UsingKind::NamespaceAlias(name) | UsingKind::Renamed(name) => Some(name),
        UsingKind::Declaration => using.path.as_path()?.last().map(|last| &last.name),
        UsingKind::Namespace => None,
    }
}

/// The name that an import binds, as text.
pub(super) fn bound_name(using: &Using) -> Option<&str> {
    bound_ident(using).map(|name| name.name.as_str())
}
