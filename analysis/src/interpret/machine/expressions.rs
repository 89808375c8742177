//! Expressions: what they are worth, and which place they name.

use std::rc::Rc;

use tree_sitter_cute::tree::{Assignment, BinaryOp, Expr, ExprKind, Segment, UnaryOp};

use super::calls::Outcome;
use super::numbers::scalar;
use super::store::{Closure, Content, Followed, Number, Place, Stop};
use super::{Activation, Runner};
use crate::interpret::frame::Frame;
use crate::interpret::integers::type_of_literal;
use crate::types::Type;
use crate::value::Value;

impl<'u> Runner<'_, 'u> {
    /// What an expression is worth.
    pub(super) fn value(
        &mut self,
        expr: &'u Expr,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Content<'u>> {
        self.deeper(|it| it.value_of(expr, act, frame))
    }

    fn value_of(
        &mut self,
        expr: &'u Expr,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Content<'u>> {
        match &expr.kind {
            ExprKind::Int(value) => {
                let text = self.it.program.slice(expr.span);
                let ty = type_of_literal(text, *value).ok_or(Stop)?;
                Ok(Content::Number(Number { value: *value, ty }))
            }
            ExprKind::Bool(value) => Ok(Content::Number(Number::truth(*value)?)),
            ExprKind::Char(char) => {
                let ty = self.it.written_integer(expr, frame).ok_or(Stop)?;
                let value = i64::from(u32::from(*char));
                Ok(Content::Number(
                    Number {
                        value,
                        ty: scalar("int")?,
                    }
                    .converted(ty)?,
                ))
            }
            ExprKind::Null => Ok(Content::Null),
            ExprKind::Name(_) if expr.as_plain_name() == Some("this") => {
                Ok(Content::Pointer(act.this.clone().ok_or(Stop)?))
            }
            ExprKind::Name(_) => match self.named(expr, act, frame) {
                Some(place) => self.store.read(&place),
                None => self.fixed(expr, frame),
            },
            ExprKind::Unary(op, operand) => self.unary(*op, operand, expr, act, frame),
            ExprKind::Binary(op, left, right) => {
                let found = self.binary(*op, left, right, act, frame)?;
                self.read(found)
            }
            ExprKind::Ternary(condition, then, otherwise) => {
                let taken = self.value(condition, act, frame)?.truth()?;
                let value = self.value(if taken { then } else { otherwise }, act, frame)?;
                let Content::Number(number) = &value else {
                    return Ok(value);
                };
                // Both sides decide the type.
                let ty = self.it.written_integer(expr, frame).ok_or(Stop)?;
                Ok(Content::Number(number.converted(ty)?))
            }
            ExprKind::Cast(_, ty, operand) if !matches!(ty.kind, ExprKind::Reference(..)) => {
                let ty = self.it.eval_type(ty, frame);
                let value = self.value(operand, act, frame)?;
                match ty {
                    Type::Scalar(ty) => Ok(Content::Number(value.number()?.converted(ty)?)),
                    _ => Err(Stop),
                }
            }
            ExprKind::Construct { ty, args, .. } => {
                if let ExprKind::Array(element, _) = &ty.kind {
                    return self.array(element, args.len(), Some(args), act, frame);
                }
                let ty = self.it.eval_type(ty, frame);
                self.construct(&ty, args, act, frame)
            }
            ExprKind::Call(callee, args) => {
                let found = self.call(expr, callee, args, act, frame)?;
                self.read(found)
            }
            ExprKind::Lambda(lambda) => {
                let places = self.captured(lambda, act, frame)?;
                Ok(Content::Closure(Rc::new(Closure {
                    lambda,
                    frame: frame.clone(),
                    places,
                    this: act.this.clone(),
                })))
            }
            ExprKind::Member { .. } | ExprKind::Index(..) | ExprKind::Assign(_) => {
                let place = self.place(expr, act, frame)?;
                self.store.read(&place)
            }
            ExprKind::Sizeof(_) | ExprKind::SizeofPack(_) | ExprKind::Alignof(_) => {
                self.fixed(expr, frame)
            }
            _ => Err(Stop),
        }
    }

    /// The value of a constant or a template argument, which has no place.
    fn fixed(&mut self, expr: &'u Expr, frame: &mut Frame<'u>) -> Followed<Content<'u>> {
        let value = self.it.eval(expr, frame);
        match &value {
            Value::Int(int) if !int.is_static() => {
                let value = int.value().ok_or(Stop)?;
                let ty = self.it.written_integer(expr, frame).ok_or(Stop)?;
                Ok(Content::Number(Number { value, ty }))
            }
            Value::Bool(truth) if !truth.fixed => Ok(Content::Number(Number::truth(truth.value)?)),
            Value::Int(_) | Value::Bool(_) => Ok(Content::Fixed(value)),
            _ => Err(Stop),
        }
    }

    /// The place of a variable, or of a member of the object whose method this is.
    pub(super) fn named(
        &mut self,
        expr: &Expr,
        act: &Activation<'u>,
        frame: &Frame<'u>,
    ) -> Option<Place> {
        let name = expr.as_plain_name()?;
        if let Some(variable) = frame.find(name) {
            return act.places.get(&variable.declared).cloned();
        }
        self.field(act.this.as_ref()?, name)
    }

    /// The place of a data member.
    pub(super) fn field(&self, object: &Place, name: &str) -> Option<Place> {
        match self.store.at(object).ok()? {
            Content::Object(_, fields) => {
                let index = fields.iter().position(|(field, _)| *field == name)?;
                Some(object.part(index))
            }
            _ => None,
        }
    }

    /// The place that an expression names; a result without one gets a place of its own.
    pub(super) fn place(
        &mut self,
        expr: &'u Expr,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Place> {
        self.deeper(|it| it.place_of(expr, act, frame))
    }

    fn place_of(
        &mut self,
        expr: &'u Expr,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Place> {
        match &expr.kind {
            // A variable of a namespace may be changed by anyone.
            ExprKind::Name(_) => self.named(expr, act, frame).ok_or(Stop),
            ExprKind::Member {
                object,
                member,
                arrow,
            } => {
                let object = self.receiver(object, *arrow, act, frame)?;
                self.field(&object, &member.name.name).ok_or(Stop)
            }
            ExprKind::Index(object, indices) => {
                let [index] = indices.as_slice() else {
                    return Err(Stop);
                };
                let object = self.receiver(object, false, act, frame)?;
                match self.store.at(&object)? {
                    Content::Array(_) => {
                        let index = self.value(index, act, frame)?.number()?.value;
                        self.element(&object, index)
                    }
                    Content::Pointer(first) => {
                        let first = first.clone();
                        let index = self.value(index, act, frame)?.number()?.value;
                        self.beside(&first, index)
                    }
                    Content::Object(..) => {
                        let given = self.given(indices, act, frame)?;
                        let found = self.operator(&object, expr, "operator[]", given, frame)?;
                        self.placed(found)
                    }
                    _ => Err(Stop),
                }
            }
            ExprKind::Unary(UnaryOp::Deref, operand) => match self.value(operand, act, frame)? {
                Content::Pointer(place) => {
                    // The end of an array has no object.
                    self.store.at(&place)?;
                    Ok(place)
                }
                _ => Err(Stop),
            },
            ExprKind::Unary(op @ (UnaryOp::PreIncrement | UnaryOp::PreDecrement), operand) => {
                let place = self.place(operand, act, frame)?;
                self.step(&place, *op)?;
                Ok(place)
            }
            ExprKind::Assign(assignment) => self.assign(assignment, act, frame),
            ExprKind::Ternary(condition, then, otherwise)
                if is_placed(then) && is_placed(otherwise) =>
            {
                let taken = self.value(condition, act, frame)?.truth()?;
                self.place(if taken { then } else { otherwise }, act, frame)
            }
            ExprKind::Call(callee, args) => {
                let found = self.call(expr, callee, args, act, frame)?;
                self.placed(found)
            }
            ExprKind::Binary(op, left, right) => {
                let found = self.binary(*op, left, right, act, frame)?;
                self.placed(found)
            }
            _ => {
                let value = self.value(expr, act, frame)?;
                self.store.add(value)
            }
        }
    }

    /// What a call or an operator gives, as a value.
    fn read(&self, found: Outcome<'u>) -> Followed<Content<'u>> {
        match found {
            Outcome::Value(value) => Ok(value),
            Outcome::Place(place) => self.store.read(&place),
        }
    }

    pub(super) fn placed(&mut self, found: Outcome<'u>) -> Followed<Place> {
        match found {
            Outcome::Place(place) => Ok(place),
            Outcome::Value(value) => self.store.add(value),
        }
    }

    /// The place of the object of a member access or subscript; with `->` the place that the pointer points to.
    pub(super) fn receiver(
        &mut self,
        object: &'u Expr,
        arrow: bool,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Place> {
        if arrow {
            return match self.value(object, act, frame)? {
                Content::Pointer(place) => Ok(place),
                _ => Err(Stop),
            };
        }
        self.place(object, act, frame)
    }

    pub(super) fn element(&self, array: &Place, index: i64) -> Followed<Place> {
        let index = usize::try_from(index).map_err(|_| Stop)?;
        let place = array.part(index);
        self.store.at(&place)?;
        Ok(place)
    }

    /// The place so many elements behind another one of an array; one behind the last has an address, too.
    fn beside(&self, first: &Place, by: i64) -> Followed<Place> {
        if by == 0 {
            return Ok(first.clone());
        }
        let (array, index) = first.array().ok_or(Stop)?;
        let Content::Array(items) = self.store.at(&array)? else {
            return Err(Stop);
        };
        let index = i64::try_from(index)
            .map_err(|_| Stop)?
            .checked_add(by)
            .ok_or(Stop)?;
        let index = usize::try_from(index).map_err(|_| Stop)?;
        if index > items.len() {
            return Err(Stop);
        }
        Ok(array.part(index))
    }

    fn unary(
        &mut self,
        op: UnaryOp,
        operand: &'u Expr,
        expr: &'u Expr,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Content<'u>> {
        match op {
            UnaryOp::AddressOf => Ok(Content::Pointer(self.place(operand, act, frame)?)),
            UnaryOp::Deref | UnaryOp::PreIncrement | UnaryOp::PreDecrement => {
                let place = self.place(expr, act, frame)?;
                self.store.read(&place)
            }
            UnaryOp::PostIncrement | UnaryOp::PostDecrement => {
                let place = self.place(operand, act, frame)?;
                let before = self.store.read(&place)?;
                self.step(&place, op)?;
                Ok(before)
            }
            UnaryOp::Not => {
                let truth = self.value(operand, act, frame)?.truth()?;
                Ok(Content::Number(Number::truth(!truth)?))
            }
            _ => {
                let number = self.value(operand, act, frame)?.number()?;
                Ok(Content::Number(number.unary(op)?))
            }
        }
    }

    /// `++` and `--`
    fn step(&mut self, place: &Place, op: UnaryOp) -> Followed<()> {
        let is_up = matches!(op, UnaryOp::PreIncrement | UnaryOp::PostIncrement);
        let new = match self.store.read(place)? {
            Content::Number(number) => {
                let op = if is_up { BinaryOp::Add } else { BinaryOp::Sub };
                Content::Number(number.binary(op, Number::int(1)?)?)
            }
            Content::Pointer(to) => Content::Pointer(self.beside(&to, if is_up { 1 } else { -1 })?),
            _ => return Err(Stop),
        };
        self.store.assign(place, new)
    }

    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        left: &'u Expr,
        right: &'u Expr,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Outcome<'u>> {
        let a = match op {
            BinaryOp::Comma => {
                self.effect(left, act, frame)?;
                return Ok(self.evaluated(right, act, frame)?.into_outcome());
            }
            BinaryOp::And | BinaryOp::Or => {
                let first = self.value(left, act, frame)?.truth()?;
                let truth = if first == (op == BinaryOp::Or) {
                    first
                } else {
                    self.value(right, act, frame)?.truth()?
                };
                return Ok(Outcome::Value(Content::Number(Number::truth(truth)?)));
            }
            _ => {
                self.store.watch();
                self.evaluated(left, act, frame)?
            }
        };
        let b = self.evaluated(right, act, frame)?;
        let is_ordered = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
        let alone = is_literal(left) || is_literal(right);
        if self.store.has_changed() && !is_ordered && !alone {
            return Err(Stop);
        }
        if let Content::Object(..) = a.content {
            let object = match a.place {
                Some(place) => place,
                None => self.store.add(a.content)?,
            };
            let name = format!("operator{}", op.text());
            return self.operator(&object, left, &name, vec![b], frame);
        }
        let value = self.binary_of(op, &a.read()?, &b.read()?)?;
        Ok(Outcome::Value(value))
    }

    /// An operator on two values that are no objects of classes.
    fn binary_of(&self, op: BinaryOp, a: &Content<'u>, b: &Content<'u>) -> Followed<Content<'u>> {
        match (op, a, b) {
            (BinaryOp::Eq | BinaryOp::Ne, Content::Pointer(_) | Content::Null, _) => {
                let is_equal = match (a, b) {
                    (Content::Pointer(a), Content::Pointer(b)) => self.store.is_same(a, b)?,
                    (Content::Null, Content::Null) => true,
                    (Content::Pointer(_), Content::Null) | (Content::Null, Content::Pointer(_)) => {
                        false
                    }
                    _ => return Err(Stop),
                };
                let truth = is_equal == (op == BinaryOp::Eq);
                Ok(Content::Number(Number::truth(truth)?))
            }
            (BinaryOp::Add, Content::Pointer(first), _) => {
                Ok(Content::Pointer(self.beside(first, b.number()?.value)?))
            }
            // The result of two constants of types is one, too.
            (_, Content::Fixed(_), Content::Fixed(_)) => Err(Stop),
            _ => Ok(Content::Number(a.number()?.binary(op, b.number()?)?)),
        }
    }

    fn assign(
        &mut self,
        assignment: &'u Assignment,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Place> {
        // The right side comes first ([expr.assign]).
        let braced = match &assignment.value.kind {
            ExprKind::Braced(items) => Some(items),
            _ => None,
        };
        let new = match braced {
            Some(_) => None,
            None => Some(self.evaluated(&assignment.value, act, frame)?),
        };
        let place = self.place(&assignment.target, act, frame)?;
        if let Content::Object(class, _) = self.store.at(&place)? {
            let class = class.clone();
            let name = match assignment.op {
                Some(op) => format!("operator{}=", op.text()),
                None => "operator=".to_owned(),
            };
            let has_own = self.it.inherited_methods(class.instance, &name).is_some();
            if has_own {
                let given = vec![new.ok_or(Stop)?];
                let found = self.operator(&place, &assignment.target, &name, given, frame)?;
                return self.placed(found);
            }
            let new = match (new, braced) {
                (Some(new), _) => new.read()?,
                (None, Some(items)) => self.construct(&Type::Record(class), items, act, frame)?,
                _ => return Err(Stop),
            };
            if assignment.op.is_some() {
                return Err(Stop);
            }
            self.store.assign(&place, new)?;
            return Ok(place);
        }
        let new = new.ok_or(Stop)?.read()?;
        let new = match assignment.op {
            None => new,
            Some(op) => match (self.store.read(&place)?, op) {
                (Content::Pointer(first), BinaryOp::Add) => {
                    Content::Pointer(self.beside(&first, new.number()?.value)?)
                }
                (before, op) => Content::Number(before.number()?.binary(op, new.number()?)?),
            },
        };
        self.store.assign(&place, new)?;
        Ok(place)
    }

    /// An expression whose value nobody uses.
    pub(super) fn effect(
        &mut self,
        expr: &'u Expr,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<()> {
        match &expr.kind {
            ExprKind::Call(callee, args) => {
                self.deeper(|it| it.call(expr, callee, args, act, frame))?;
            }
            ExprKind::Binary(op, left, right) => {
                self.deeper(|it| it.binary(*op, left, right, act, frame))?;
            }
            ExprKind::Assign(_)
            | ExprKind::Unary(UnaryOp::PreIncrement | UnaryOp::PreDecrement, _) => {
                self.place(expr, act, frame)?;
            }
            ExprKind::Cast(_, ty, operand) if ty.as_plain_name() == Some("void") => {
                self.effect(operand, act, frame)?;
            }
            ExprKind::Name(_) => {}
            _ => {
                self.value(expr, act, frame)?;
            }
        }
        Ok(())
    }
}

/// Whether an expression names a place that another expression may change.
pub(super) fn is_placed(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Name(_)
        | ExprKind::Index(..)
        | ExprKind::Assign(_)
        | ExprKind::Unary(UnaryOp::Deref | UnaryOp::PreIncrement | UnaryOp::PreDecrement, _) => {
            true
        }
        ExprKind::Member { object, arrow, .. } => *arrow || is_placed(object),
        ExprKind::Ternary(_, then, otherwise) => is_placed(then) && is_placed(otherwise),
        _ => false,
    }
}

/// Whether an expression reads nothing that another one may change.
pub(super) fn is_literal(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Char(_) | ExprKind::Sizeof(_)
    )
}

/// The name of a segment without template arguments.
pub(super) fn plain(segment: &Segment) -> Option<&str> {
    segment.args.is_none().then_some(segment.name.name.as_str())
}
