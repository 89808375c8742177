//! Facts about the variables of a function, each by the place of its declaration.

use std::rc::Rc;

use tree_sitter_cute::tree::{Binding, Expr, Span};

use super::fields::Fields;
use super::pipeline::Pipeline;
use crate::hash::{HashMap, HashSet};
use crate::trace::Address;
use crate::types::Scalar;
use crate::value::Value;

/// The variables that are declared in a function so far.
#[derive(Debug, Clone, Default)]
pub(in crate::interpret) struct Locals<'u> {
    /// Those that cannot change.
    constants: HashSet<Span>,
    /// Those of a written type.
    pub(in crate::interpret) written_types: HashMap<Span, &'u Binding>,
    /// The types of `auto` parameters of integers, by their arguments.
    pub(in crate::interpret) deduced: HashMap<Span, Scalar>,
    /// All variables and parameters.
    declarations: HashMap<Span, &'u Binding>,
    /// The types of template parameters that are values.
    pub(in crate::interpret) template_types: HashMap<Span, &'u Expr>,
    /// Names of the objects whose members are symbols, by the declaration of the variable that is, or points to, the
    /// object; for as long as the variable keeps its value.
    pub(in crate::interpret) objects: HashMap<Span, String>,
    /// Values assigned to members of local variables.
    pub(in crate::interpret) fields: HashMap<Span, Fields<'u>>,
    /// The pipelines of the libraries that the function makes.
    pub(in crate::interpret) pipelines: HashMap<Span, Rc<Pipeline<'u>>>,
    /// The members of launch parameters, by the variable that holds them.
    pub(in crate::interpret) launch_params: HashMap<Span, Vec<Value>>,
    /// Addresses of variables in shared memory.
    pub(in crate::interpret) addresses: HashMap<Span, Address>,
}

impl<'u> Locals<'u> {
    /// Notes the declaration of a variable or parameter, which cannot change where it is `constant`.
    pub(in crate::interpret) fn declare(
        &mut self,
        name: Span,
        binding: &'u Binding,
        constant: bool,
    ) {
        if constant {
            self.keep_constant(name);
        }
        self.declarations.insert(name, binding);
    }

    /// Notes that a variable cannot change.
    pub(in crate::interpret) fn keep_constant(&mut self, name: Span) {
        self.constants.insert(name);
    }

    /// The declaration of a variable or parameter.
    pub(in crate::interpret) fn declaration(&self, name: Span) -> Option<&'u Binding> {
        self.declarations.get(&name).copied()
    }

    /// Whether a variable cannot change.
    pub(in crate::interpret) fn is_constant(&self, name: Span) -> bool {
        self.constants.contains(&name)
    }
}
