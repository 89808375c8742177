//! Expressions: their values, and the places that they name.

use tree_sitter_cute::tree::{Expr, ExprKind, Segment, UnaryOp};

use super::given::{Given, Outcome};
use super::numbers::scalar;
use super::operators::sign;
use super::store::{BASE, Content, Followed, Location, Number, Stop};
use super::{Activation, Runner};
use crate::interpret::frame::Frame;
use crate::interpret::integers::type_of_literal;
use crate::types::Type;

impl<'u> Runner<'_, 'u> {
    /// The value of an expression.
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
        if let Some(found) = self.respelt(expr, frame)? {
            return self.value(found, act, frame);
        }
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
            ExprKind::Name(_) => {
                if let Some(place) = self.named(expr, act, frame) {
                    self.store.read(&place)
                } else {
                    let found = self.constant(expr, frame)?;
                    self.read(found)
                }
            }
            ExprKind::Unary(op, operand) => self.unary(*op, operand, expr, act, frame),
            ExprKind::Binary(op, left, right) => {
                let found = self.binary(*op, left, right, act, frame)?;
                self.read(found)
            }
            ExprKind::Ternary(condition, then, otherwise) => {
                self.chosen_side(expr, condition, (then, otherwise), act, frame)
            }
            ExprKind::Cast(_, ty, operand) if !matches!(ty.kind, ExprKind::Reference(..)) => {
                self.cast(expr, ty, operand, act, frame)
            }
            ExprKind::Construct { ty, args, braces } => {
                if let ExprKind::Array(element, _) = &ty.kind {
                    return self.array(element, args.len(), Some(args), act, frame);
                }
                if let Some(items) = self.types_of_tuple(ty, frame) {
                    return self.tuple(&items?, args, act, frame);
                }
                let list = *braces;
                let ty = self.it.eval_type(ty, frame);
                self.construct(&ty, args, list, act, frame)
            }
            ExprKind::Fold(op, left, right) => {
                let found = self.fold(*op, left.as_deref(), right.as_deref(), act, frame)?;
                self.read(found)
            }
            ExprKind::Call(callee, args) => {
                let found = self.call(expr, callee, args, act, frame)?;
                self.read(found)
            }
            ExprKind::Lambda(lambda) => self.lambda(lambda, act, frame),
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

    /// `condition ? then : otherwise`
    fn chosen_side(
        &mut self,
        expr: &'u Expr,
        condition: &'u Expr,
        (then, otherwise): (&'u Expr, &'u Expr),
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Content<'u>> {
        let taken = self.value(condition, act, frame)?;
        let taken = self.condition(taken, frame)?;
        let value = self.value(if taken { then } else { otherwise }, act, frame)?;
        if matches!(value, Content::Fixed(_)) {
            // `c ? _4{} : n` is an `int`.
            let sides = [then, otherwise].map(|side| Type::of(&self.it.eval(side, frame)));
            let [then, otherwise] = sides;
            let is_one = then == otherwise && !matches!(then, Type::Unknown(_));
            return if is_one { Ok(value) } else { Err(Stop) };
        }
        let Content::Number(number) = &value else {
            return Ok(value);
        };
        // Both sides decide the type.
        let ty = self.it.written_integer(expr, frame).ok_or(Stop)?;
        Ok(Content::Number(number.converted(ty)?))
    }

    /// A cast to a type that is not a reference.
    fn cast(
        &mut self,
        expr: &'u Expr,
        ty: &'u Expr,
        operand: &'u Expr,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Content<'u>> {
        match self.it.eval_type(ty, frame) {
            target @ Type::Scalar(_) => {
                let given = self.evaluated(operand, act, frame)?;
                self.converted_to(&target, given, frame)
            }
            Type::Named(_) => {
                let number = self.value(operand, act, frame)?;
                self.as_enumerator(ty, &number, frame)
            }
            Type::Record(_) => {
                let place = self.place(expr, act, frame)?;
                self.store.read(&place)
            }
            _ => Err(Stop),
        }
    }

    /// The place of a variable, or of a member of the object whose method this is.
    pub(super) fn named(
        &mut self,
        expr: &Expr,
        act: &Activation<'u>,
        frame: &Frame<'u>,
    ) -> Option<Location> {
        let name = expr.as_plain_name()?;
        if let Some(variable) = frame.find(name) {
            let place = act.places.get(&variable.declared)?;
            return self.store.target_of(place).ok();
        }
        self.field(act.this.as_ref()?, name)
    }

    /// The place of a data member, of the class itself or of a base; none where two bases have one.
    pub(super) fn field(&self, object: &Location, name: &str) -> Option<Location> {
        let fields = match self.store.at(object).ok()? {
            Content::Object(_, fields) => fields,
            Content::Tuple(items) if items.len() == 2 => {
                let index = match name {
                    "first" => 0,
                    "second" => 1,
                    _ => return None,
                };
                return self.store.target_of(&object.part(index)).ok();
            }
            _ => return None,
        };
        if let Some(index) = fields.iter().position(|(field, _)| *field == name) {
            return self.store.target_of(&object.part(index)).ok();
        }
        let bases = fields.iter().enumerate();
        let bases = bases.filter(|(_, (field, _))| *field == BASE);
        let mut found = bases.filter_map(|(index, _)| self.field(&object.part(index), name));
        let first = found.next();
        first.filter(|_| found.next().is_none())
    }

    /// The place that an expression names; a result without one gets a new place.
    pub(super) fn place(
        &mut self,
        expr: &'u Expr,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Location> {
        self.deeper(|it| it.place_of(expr, act, frame))
    }

    fn place_of(
        &mut self,
        expr: &'u Expr,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Location> {
        if let Some(found) = self.respelt(expr, frame)? {
            return self.place(found, act, frame);
        }
        match &expr.kind {
            // A variable of a namespace may be changed by anyone.
            ExprKind::Name(_) => {
                if let Some(place) = self.named(expr, act, frame) {
                    Ok(place)
                } else {
                    let found = self.constant(expr, frame)?;
                    self.placed(found)
                }
            }
            ExprKind::Member {
                object,
                member,
                arrow,
            } => {
                let object = self.receiver(object, *arrow, act, frame)?;
                if let Some(place) = self.field(&object, &member.name.name) {
                    return Ok(place);
                }
                self.constant_of_object(&object, member)
            }
            ExprKind::Cast(_, ty, operand) => self.cast_place(expr, ty, operand, act, frame),
            ExprKind::Index(object, indices) => self.subscript(expr, object, indices, act, frame),
            ExprKind::Unary(UnaryOp::Deref, operand) => {
                let given = self.evaluated(operand, act, frame)?;
                if let Content::Object(..) = given.content {
                    let found = self.operate("operator*", vec![given], frame)?;
                    return self.placed(found);
                }
                match given.read()? {
                    Content::Pointer(place) => {
                        // The end of an array has no object.
                        self.store.at(&place)?;
                        Ok(place)
                    }
                    _ => Err(Stop),
                }
            }
            ExprKind::Unary(op @ (UnaryOp::PreIncrement | UnaryOp::PreDecrement), operand) => {
                let place = self.place(operand, act, frame)?;
                if let content @ Content::Object(..) = self.store.at(&place)?.clone() {
                    let given = vec![Given::of(operand, content, Some(place))];
                    let found = self.operate(&format!("operator{}", sign(*op)?), given, frame)?;
                    return self.placed(found);
                }
                self.step(&place, *op)?;
                Ok(place)
            }
            ExprKind::Assign(assignment) => self.assign(assignment, act, frame),
            ExprKind::Ternary(condition, then, otherwise)
                if is_placed(then) && is_placed(otherwise) =>
            {
                let taken = self.value(condition, act, frame)?;
                let taken = self.condition(taken, frame)?;
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

    /// `object[1][2]` that is written like the type of an array of arrays: the outermost length is the first index.
    pub(super) fn element_as_type(
        &mut self,
        expr: &'u Expr,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Location> {
        let (mut object, mut indices) = (expr, Vec::new());
        while let ExprKind::Array(inner, Some(index)) = &object.kind {
            indices.push(&**index);
            object = inner;
        }
        let mut place = self.place(object, act, frame)?;
        for index in indices {
            let index = self.value(index, act, frame)?;
            let index = self.integer(index, frame)?;
            place = self.element(&place, index)?;
        }
        Ok(place)
    }

    /// `object[index]`
    fn subscript(
        &mut self,
        expr: &'u Expr,
        object: &'u Expr,
        indices: &'u [Expr],
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Location> {
        let [index] = indices else {
            return Err(Stop);
        };
        let object = self.receiver(object, false, act, frame)?;
        match self.store.at(&object)? {
            Content::Array(_) => {
                let index = self.value(index, act, frame)?;
                let index = self.integer(index, frame)?;
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

    /// An object as one of a base, or of a class derived from it.
    fn cast_place(
        &mut self,
        expr: &'u Expr,
        ty: &'u Expr,
        operand: &'u Expr,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Location> {
        let target = match &ty.kind {
            ExprKind::Reference(inner, _) => inner,
            _ => ty,
        };
        let Type::Record(class) = self.it.eval_type(target, frame) else {
            let value = self.value(expr, act, frame)?;
            return self.store.add(value);
        };
        let object = self.place(operand, act, frame)?;
        let part = self.as_class(&object, class.instance)?;
        // `x.Base::f()` is read as a cast of `x`, whose type is behind it.
        let is_qualified = ty.span.start > operand.span.start;
        if is_qualified || matches!(ty.kind, ExprKind::Reference(..)) {
            return Ok(part);
        }
        self.store.copy(&part)
    }

    /// The result of a call or an operator, as a value.
    pub(super) fn read(&self, found: Outcome<'u>) -> Followed<Content<'u>> {
        match found {
            Outcome::Value(value) => Ok(value),
            Outcome::Location(place) => self.store.read(&place),
        }
    }

    pub(super) fn placed(&mut self, found: Outcome<'u>) -> Followed<Location> {
        match found {
            Outcome::Location(place) => Ok(place),
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
    ) -> Followed<Location> {
        if arrow {
            let given = self.evaluated(object, act, frame)?;
            let pointer = match given.content {
                Content::Object(..) => {
                    let found = self.operate("operator->", vec![given], frame)?;
                    self.read(found)?
                }
                _ => given.read()?,
            };
            return match pointer {
                Content::Pointer(place) => Ok(place),
                _ => Err(Stop),
            };
        }
        self.place(object, act, frame)
    }

    pub(super) fn element(&self, array: &Location, index: i64) -> Followed<Location> {
        let index = usize::try_from(index).map_err(|_| Stop)?;
        let place = array.part(index);
        self.store.at(&place)?;
        Ok(place)
    }

    /// The place this number of elements behind another one of an array; one behind the last has an address, too.
    pub(super) fn beside(&self, first: &Location, by: i64) -> Followed<Location> {
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
        ExprKind::Cast(_, ty, _) => matches!(ty.kind, ExprKind::Reference(..)),
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
