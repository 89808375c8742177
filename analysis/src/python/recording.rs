//! The values that a run keeps in its record.

use tree_sitter_cute::tree::Span;

use super::heap::Object;
use super::machine::Machine;
use super::record::Binding;
use super::value::Py;
use crate::limits;
use crate::role::Role;

/// Elements of a list that are kept.
const ELEMENTS: usize = 256;

impl Machine<'_> {
    /// Keeps the value that a name is bound to.
    pub(crate) fn recorded(&mut self, span: Span, name: &str, value: &Py) {
        self.keep(span, name, value, Role::Var);
    }

    /// Keeps the value of a parameter.
    pub(crate) fn recorded_parameter(&mut self, span: Span, name: &str, value: &Py) {
        self.keep(span, name, value, Role::Param);
    }

    /// Whether a value is the object whose method runs.
    pub(crate) fn is_self(&self, value: &Py) -> bool {
        let Some(Object::Scope(scope)) = self.scope().map(|scope| self.heap.get(scope)) else {
            return false;
        };
        matches!(value, Py::Object(_)) && scope.names.get("self") == Some(value)
    }

    /// A value as it is at this moment: lists may be changed later, so their elements are kept.
    fn as_it_is_now(&self, value: &Py, depth: usize) -> Py {
        let items: &[Py] = match value {
            Py::Tuple(items) => items,
            Py::Object(id) => match self.heap.get(*id) {
                Object::List(items) => items,
                _ => return value.clone(),
            },
            _ => return value.clone(),
        };
        let is_list = matches!(value, Py::Object(_));
        let may_change = |item: &Py| matches!(item, Py::Object(_) | Py::Tuple(_));
        let is_fixed = !is_list && !items.iter().any(may_change);
        if is_fixed || items.len() > ELEMENTS || depth > limits::ARGUMENT_DEPTH {
            return value.clone();
        }
        let items = items.iter();
        let items = items.map(|item| self.as_it_is_now(item, depth + 1));
        Py::tuple(items.collect())
    }

    fn keep(&mut self, span: Span, name: &str, value: &Py, role: Role) {
        if !self.is_in_focus() {
            return;
        }
        let activation = match self.frames.last().and_then(|frame| frame.activation) {
            Some(activation) => activation,
            None => self.record.activation(&"".into(), Span::default(), None),
        };
        let declaration = match role {
            Role::Param => span,
            _ => self.covered.declaration,
        };
        let binding = Binding {
            name: name.into(),
            span,
            // Names bound by a comprehension or a lambda are in another declaration, or in none.
            declaration: if declaration.encloses(span) {
                declaration
            } else {
                span
            },
            role,
            value: self.as_it_is_now(value, 0),
        };
        self.record.bind(activation, binding);
    }
}
