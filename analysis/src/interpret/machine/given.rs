//! Arguments of calls: their values, and their places.

use tree_sitter_cute::tree::{Expr, ExprKind};

use super::expressions::is_placed;
use super::store::{Content, Followed, Location, Stop, Store};
use super::{Activation, Runner};
use crate::interpret::frame::Frame;
use crate::types::Type;
use crate::value::Value;

/// The outcome of a call.
#[derive(Debug)]
pub(super) enum Outcome<'u> {
    Value(Content<'u>),
    /// A reference to something.
    Location(Location),
}

/// An argument of a call.
#[derive(Debug)]
pub(super) struct Given<'u> {
    pub(super) expr: &'u Expr,
    pub(super) content: Content<'u>,
    /// Its place, if it has a name.
    pub(super) place: Option<Location>,
}

impl<'u> Given<'u> {
    pub(super) fn of(expr: &'u Expr, content: Content<'u>, place: Option<Location>) -> Self {
        Self {
            expr,
            content,
            place,
        }
    }

    /// As the result of an operator.
    pub(super) fn into_outcome(self) -> Outcome<'u> {
        match self.place {
            Some(place) => Outcome::Location(place),
            None => Outcome::Value(self.content),
        }
    }

    /// Its value, for use; stops where it is unknown.
    pub(super) fn read(self) -> Followed<Content<'u>> {
        match self.content {
            Content::Unknown | Content::Unset(_) => Err(Stop),
            Content::Bits(number, width) => Ok(Content::Number(number.of_bits(width)?)),
            content => Ok(content),
        }
    }

    /// Its value in a separate object.
    pub(super) fn copy(self, store: &mut Store<'u>) -> Followed<Content<'u>> {
        let is_placed = self.place.is_some();
        let content = match self.content {
            // It keeps the type that it is declared with.
            Content::Bits(number, _) => Content::Number(number),
            content => Self { content, ..self }.read()?,
        };
        if is_placed {
            store.copied(content)
        } else {
            Ok(content)
        }
    }
}

impl<'u> Runner<'_, 'u> {
    /// The arguments of a call, in order.
    pub(super) fn given(
        &mut self,
        args: &'u [Expr],
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Vec<Given<'u>>> {
        self.store.watch();
        let given = self.given_in_order(args, act, frame)?;
        // Arguments are evaluated in any order.
        if self.store.has_changed() && given.len() > 1 {
            return Err(Stop);
        }
        Ok(given)
    }

    pub(super) fn given_in_order(
        &mut self,
        args: &'u [Expr],
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Vec<Given<'u>>> {
        let mut given = Vec::with_capacity(args.len());
        for arg in args {
            match &arg.kind {
                ExprKind::Expand(pattern) => given.extend(self.expanded(pattern, act, frame)?),
                _ => given.push(self.evaluated(arg, act, frame)?),
            }
        }
        Ok(given)
    }

    /// An argument or initialiser, evaluated once: its value, and its place if it names one.
    pub(super) fn evaluated(
        &mut self,
        expr: &'u Expr,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Given<'u>> {
        let is_variable = expr.as_path().is_none() || self.named(expr, act, frame).is_some();
        let found = match &expr.kind {
            _ if self.it.operator_respelt(expr, frame).is_some() => None,
            ExprKind::Name(_) if !is_variable && expr.as_plain_name() != Some("this") => {
                Some(self.constant(expr, frame)?)
            }
            ExprKind::Fold(op, left, right) => {
                Some(self.deeper(|it| it.fold(*op, left.as_deref(), right.as_deref(), act, frame))?)
            }
            ExprKind::Call(callee, args) => {
                Some(self.deeper(|it| it.call(expr, callee, args, act, frame))?)
            }
            ExprKind::Binary(op, left, right) => {
                Some(self.deeper(|it| it.binary(*op, left, right, act, frame))?)
            }
            _ => None,
        };
        let place = match found {
            Some(Outcome::Location(place)) => place,
            Some(Outcome::Value(value)) => return Ok(Given::of(expr, value, None)),
            None if is_placed(expr) && is_variable => self.place(expr, act, frame)?,
            None => return Ok(Given::of(expr, self.value(expr, act, frame)?, None)),
        };
        // A reference to an object without a number yet may be passed on.
        let content = self.store.at(&place)?.clone();
        Ok(Given::of(expr, content, Some(place)))
    }

    /// An argument as those see it who choose among functions.
    pub(super) fn passed(&self, given: &Given<'u>, frame: &Frame<'u>) -> Followed<Value> {
        let name = given.expr.as_plain_name();
        let declared = name.and_then(|name| self.it.variable_declared(name, frame));
        let is_plain_array = declared
            .and_then(|binding| binding.ty.as_ref())
            .is_some_and(|ty| matches!(ty.kind, ExprKind::Array(..)));
        match &given.content {
            Content::Array(items) if is_plain_array => {
                let element = items.first().and_then(Self::type_of).ok_or(Stop)?;
                Ok(pointer_to(element))
            }
            content => self.seen(content),
        }
    }
}

pub(super) fn pointer_to(element: Type) -> Value {
    Value::Pointer(crate::tensor::Pointer::generic(Some(element)))
}
