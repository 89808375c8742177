//! Results of declarations that are evaluated together.

use tree_sitter_cute::tree::{Binding, Expr, Function, Lambda, Span};

use super::bound::Bound;
use super::classes::Classes;
use super::collectives::Collectives;
use super::frame::Frame;
use super::ids::{FunctionId, ModuleId};
use super::last_constant::Declared;
use super::reports::Reports;
use super::site::{Call, Site};
use crate::hash::HashMap;
use crate::value::Value;

/// Something that can be called later.
#[derive(Debug)]
pub(super) enum Callable<'u> {
    /// A lambda with its captures.
    Lambda(&'u Lambda, Box<Frame<'u>>),
    /// Functions under one name, with the template arguments given: `&kernel<float>`.
    Functions(&'u str, Vec<FunctionId>, Vec<Value>),
}

/// An alias or constant outside of functions.
#[derive(Debug)]
pub(super) struct Global {
    pub(super) value: Value,
    /// The steps that it took, and the part of them that its caller took.
    pub(super) steps: usize,
    pub(super) own_steps: usize,
}

/// The callee of a call.
#[derive(Debug, Clone)]
pub(super) struct Resolved<'u> {
    pub(super) function: &'u Function,
    pub(super) site: Site,
    pub(super) bound: Bound,
}

/// Everything that was computed of declarations that are evaluated together. Values name class instances, lambdas and
/// collectives by their numbers here; so the next declarations begin with an empty one, and nothing of it survives.
#[derive(Debug, Default)]
pub(super) struct Computed<'u> {
    pub(super) classes: Classes<'u>,
    pub(super) reports: Reports<'u>,
    /// Results of functions for given arguments; `None` while one is computed.
    pub(super) values: HashMap<Call, Option<Value>>,
    callables: Vec<Callable<'u>>,
    /// Written forms of the collectives that rules know.
    pub(super) collectives: Collectives<'u>,
    pub(super) globals: Globals,
    /// Initialisers of declared names, by the span of the name.
    pub(super) written: HashMap<Span, &'u Expr>,
    /// The constant outside of functions that was looked up last.
    pub(super) last_constant: Option<Declared<'u>>,
    /// Callee of the most recently evaluated call.
    pub(super) resolved: Option<Resolved<'u>>,
}

/// Values of aliases and constants outside of functions.
#[derive(Debug, Default)]
pub(super) struct Globals {
    /// Those that are the same at each request.
    pub(super) known: HashMap<(ModuleId, *const Binding), Global>,
    /// Those that the machine computed, by their declarations and classes; nothing where it does not know.
    pub(super) made: HashMap<(*const Binding, Option<usize>), Option<Value>>,
}

impl<'u> Computed<'u> {
    /// The value that calls a lambda or functions.
    pub(super) fn add_callable(&mut self, callable: Callable<'u>) -> Value {
        self.callables.push(callable);
        Value::Callable(self.callables.len() - 1)
    }

    /// The lambda or the functions behind the number of a value.
    pub(super) fn callable(&self, number: usize) -> Option<&Callable<'u>> {
        self.callables.get(number)
    }

    /// Forgets results that may have been cut short: with more steps they are known.
    pub(super) fn forget_cut_short(&mut self) {
        self.classes.forget_results();
        self.globals = Globals::default();
    }
}
