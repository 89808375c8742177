//! Assignments that are statements of their own: what a local variable or one of its members holds
//! from there on.

use tree_sitter_cute::Host;
use tree_sitter_cute::tree::{Assignment, Expr, ExprKind};

use super::Interpreter;
use super::frame::Frame;
use crate::hash::HashMap;
use crate::types::Type;
use crate::value::Value;

/// What was assigned to the members of a local variable.
#[derive(Debug, Clone, Default)]
pub(super) struct Fields<'u> {
    /// The last assignment to each member; `None` where it may or may not have happened.
    assigned: HashMap<&'u str, Option<Given<'u>>>,
    /// The whole variable may have changed.
    pub(super) is_lost: bool,
}

/// A value and the expression that it was given by.
#[derive(Debug, Clone)]
pub(super) struct Given<'u> {
    pub(super) value: Value,
    pub(super) written: &'u Expr,
}

impl<'u> Fields<'u> {
    /// What a member was given; `Ok(None)` where nothing was assigned to it, an error where it is not
    /// known.
    pub(super) fn get(&self, member: &str) -> Result<Option<&Given<'u>>, ()> {
        match self.assigned.get(member) {
            _ if self.is_lost => Err(()),
            None => Ok(None),
            Some(Some(given)) => Ok(Some(given)),
            Some(None) => Err(()),
        }
    }
}

impl<'u> Interpreter<'u> {
    /// An assignment that is a statement.
    pub(super) fn assign_statement(
        &mut self,
        assignment: &'u Assignment,
        value: &Value,
        frame: &mut Frame<'u>,
    ) {
        if self.host != Host::CudaCpp || assignment.op.is_some() {
            return;
        }
        match &assignment.target.kind {
            ExprKind::Name(_) => self.assign_number(assignment, value, frame),
            ExprKind::Member { object, member, .. } if frame.run.is_some() => {
                let Some(name) = object
                    .as_plain_name()
                    .filter(|name| frame.is_straight(name))
                else {
                    return;
                };
                if let Some(declared) = frame.find(name).map(|variable| variable.declared) {
                    let given = Given {
                        value: value.clone(),
                        written: &assignment.value,
                    };
                    let fields = frame.fields.entry(declared).or_default();
                    fields.assigned.insert(&member.name.name, Some(given));
                }
            }
            _ => {}
        }
    }

    /// A member of a local variable may have another value from here on.
    pub(super) fn forget_field(object: &Expr, member: &'u str, frame: &mut Frame<'u>) {
        let name = object.as_plain_name().filter(|_| frame.run.is_some());
        if let Some(declared) = name
            .and_then(|name| frame.find(name))
            .map(|variable| variable.declared)
        {
            let fields = frame.fields.entry(declared).or_default();
            fields.assigned.insert(member, None);
        }
    }

    /// A local integer that is given a known number where it is declared, in no branch or loop of its
    /// own, is that number from here on.
    fn assign_number(&mut self, assignment: &'u Assignment, value: &Value, frame: &mut Frame<'u>) {
        let Some(name) = assignment
            .target
            .as_plain_name()
            .filter(|name| frame.is_straight(name))
        else {
            return;
        };
        if value.as_int().and_then(cute_algebra::Int::value).is_none() {
            return;
        }
        let Some(ty) = frame
            .find(name)
            .map(|variable| variable.declared)
            .and_then(|declared| frame.written_types.get(&declared).copied())
            .and_then(|binding| binding.ty.as_ref())
        else {
            return;
        };
        let recording = std::mem::replace(&mut frame.recording, false);
        let ty = self.eval_type(ty, frame);
        frame.recording = recording;
        if !matches!(&ty, Type::Scalar(scalar) if scalar.is_integer()) {
            return;
        }
        let converted = super::conversion::convert(value.clone(), &ty);
        if let (Some(variable), Value::Int(_)) = (frame.find_mut(name), &converted)
            && matches!(variable.value, Value::Int(_))
        {
            variable.value = converted;
            variable.read = true;
        }
    }
}
