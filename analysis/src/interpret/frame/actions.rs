//! The record of a function's actions, and the way there: branches, loops and calls that are followed.

use std::rc::Rc;

use tree_sitter_cute::tree::Span;

use super::pipeline::Pipeline;
use crate::hash::HashMap;
use crate::limits;
use crate::origin::{Index, Place};
use crate::trace::{Call, Step, Way};

/// The argument of a parameter, in the caller.
#[derive(Debug, Clone)]
pub(in crate::interpret) struct Handed<'u> {
    /// The memory that it is, or points to.
    pub(in crate::interpret) place: Option<Place>,
    /// The variable, where it counts something.
    pub(in crate::interpret) index: Index,
    pub(in crate::interpret) pipeline: Option<Rc<Pipeline<'u>>>,
}

/// The record of the actions in a frame.
#[derive(Debug, Clone)]
pub(in crate::interpret) struct Actions<'u> {
    /// The number of the record; none where actions are not recorded.
    pub(in crate::interpret) run: Option<usize>,
    /// The branches and loops that control is in.
    pub(in crate::interpret) path: Vec<Step<'u>>,
    /// The calls that led here, where a call is followed for its actions on memory.
    pub(in crate::interpret) calls: Vec<Call<'u>>,
    /// Arguments of such a call, before the parameters are declared.
    pub(in crate::interpret) handed: Vec<Handed<'u>>,
    /// Its parameters as they are in the caller, by their declarations.
    pub(in crate::interpret) aliases: HashMap<Span, Handed<'u>>,
    /// Expressions and statements that may still be evaluated in the functions that are followed from here.
    pub(in crate::interpret) followed_steps: usize,
}

impl Default for Actions<'_> {
    fn default() -> Self {
        Self {
            run: None,
            path: Vec::new(),
            calls: Vec::new(),
            handed: Vec::new(),
            aliases: HashMap::default(),
            followed_steps: limits::FOLLOWED_STEPS,
        }
    }
}

impl<'u> Actions<'u> {
    /// Goes into a branch, a loop or a lambda.
    pub(in crate::interpret) fn enter(&mut self, span: Span, way: Way<'u>) {
        if self.run.is_some() {
            let within = self.calls.last().map(|call| call.span);
            self.path.push(Step { span, way, within });
        }
    }

    /// Comes out of it again.
    pub(in crate::interpret) fn leave(&mut self) {
        if self.run.is_some() {
            self.path.pop();
        }
    }
}
