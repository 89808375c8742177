//! Operators: arithmetic, steps and assignments.

use tree_sitter_cute::tree::{Assignment, BinaryOp, Expr, ExprKind, UnaryOp};

use super::expressions::is_literal;
use super::given::{Given, Outcome};
use super::numbers::scalar;
use super::store::{Content, Followed, Location, Number, Stop};
use super::{Activation, Runner};
use crate::interpret::frame::Frame;
use crate::interpret::integers::is_truth;
use crate::types::Type;

impl<'u> Runner<'_, 'u> {
    pub(super) fn unary(
        &mut self,
        op: UnaryOp,
        operand: &'u Expr,
        expr: &'u Expr,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Content<'u>> {
        match op {
            UnaryOp::AddressOf => {
                if self.is_function(operand, act, frame) {
                    return self.value(operand, act, frame);
                }
                // `&Class::member` is not the address of an object.
                if operand
                    .as_path()
                    .is_some_and(|path| path.segments.len() > 1)
                {
                    return Err(Stop);
                }
                Ok(Content::Pointer(self.place(operand, act, frame)?))
            }
            UnaryOp::Deref | UnaryOp::PreIncrement | UnaryOp::PreDecrement => {
                let place = self.place(expr, act, frame)?;
                self.store.read(&place)
            }
            UnaryOp::PostIncrement | UnaryOp::PostDecrement => {
                let place = self.place(operand, act, frame)?;
                let before = self.store.read(&place)?;
                if let Content::Object(..) = before {
                    let sign = if op == UnaryOp::PostIncrement {
                        "++"
                    } else {
                        "--"
                    };
                    // With a number that tells it from the one in front.
                    let number = Content::Number(Number::int(0)?);
                    let given = vec![
                        Given::of(operand, before, Some(place)),
                        Given::of(operand, number, None),
                    ];
                    let found = self.operate(&format!("operator{sign}"), given, frame)?;
                    return self.read(found);
                }
                self.step(&place, op)?;
                Ok(before)
            }
            _ => {
                let given = self.evaluated(operand, act, frame)?;
                if let (Content::Object(..), Ok(sign)) = (&given.content, sign(op)) {
                    let found = self.operate(&format!("operator{sign}"), vec![given], frame)?;
                    return self.read(found);
                }
                let value = given.read()?;
                if op == UnaryOp::Not {
                    let truth = self.condition(value, frame)?;
                    return Ok(Content::Number(Number::truth(!truth)?));
                }
                Ok(Content::Number(value.number()?.unary(op)?))
            }
        }
    }

    /// `++` and `--`
    pub(super) fn step(&mut self, place: &Location, op: UnaryOp) -> Followed<()> {
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
                let first = self.value(left, act, frame)?;
                let first = self.condition(first, frame)?;
                let truth = if first == (op == BinaryOp::Or) {
                    first
                } else {
                    let second = self.value(right, act, frame)?;
                    self.condition(second, frame)?
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
        self.combined(op, a, b, frame)
    }

    /// An operator on two operands that were evaluated.
    pub(super) fn combined(
        &mut self,
        op: BinaryOp,
        a: Given<'u>,
        b: Given<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Outcome<'u>> {
        let is_object = |given: &Given<'u>| matches!(given.content, Content::Object(..));
        if is_object(&a) || is_object(&b) {
            let name = format!("operator{}", op.text());
            let given = [a, b];
            if let Some(truth) = self.compared(op, &given)? {
                return Ok(Outcome::Value(truth));
            }
            if op == BinaryOp::Ne || self.has_operator(&name, &given, frame)? {
                return self.operate(&name, given.into(), frame);
            }
            let [a, b] = given;
            let (a, b) = (self.operand(a, frame)?, self.operand(b, frame)?);
            return Ok(Outcome::Value(self.binary_of(op, &a, &b)?));
        }
        let value = self.binary_of(op, &a.read()?, &b.read()?)?;
        Ok(Outcome::Value(value))
    }

    /// An operator on two values that are not objects of classes.
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
            (BinaryOp::Add, _, Content::Pointer(first)) => {
                Ok(Content::Pointer(self.beside(first, a.number()?.value)?))
            }
            (_, Content::Pointer(a), Content::Pointer(b)) => {
                let ((a, x), (b, y)) = (a.array().ok_or(Stop)?, b.array().ok_or(Stop)?);
                let index = |at: usize| i64::try_from(at).map_err(|_| Stop);
                let ty = scalar("long")?;
                let number = |value| {
                    Ok::<_, Stop>(Number {
                        value: index(value)?,
                        ty,
                    })
                };
                if a != b || !matches!(self.store.at(&a)?, Content::Array(_)) {
                    return Err(Stop);
                }
                Ok(Content::Number(number(x)?.binary(op, number(y)?)?))
            }
            (BinaryOp::Sub, Content::Pointer(first), _) => {
                let by = b.number()?.value.checked_neg().ok_or(Stop)?;
                Ok(Content::Pointer(self.beside(first, by)?))
            }
            // Values of two enumerations do not mix.
            (_, Content::Enumerator(a), Content::Enumerator(b)) if is_truth(op) => {
                Ok(Content::Number(a.binary(op, *b)?))
            }
            // The result of two constants of types is one, too.
            (_, Content::Fixed(_), Content::Fixed(_)) => Err(Stop),
            _ => Ok(Content::Number(a.number()?.binary(op, b.number()?)?)),
        }
    }

    pub(super) fn assign(
        &mut self,
        assignment: &'u Assignment,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Location> {
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
        let place = self.store.target_of(&place)?;
        if let Content::Object(class, _) = self.store.at(&place)? {
            let class = class.clone();
            let name = match assignment.op {
                Some(op) => format!("operator{}=", op.text()),
                None => "operator=".to_owned(),
            };
            let has_own = self.it.inherited_methods(class.instance, &name).is_some();
            if has_own || assignment.op.is_some() {
                let object = self.store.at(&place)?.clone();
                let object = Given::of(&assignment.target, object, Some(place));
                let given = vec![object, new.ok_or(Stop)?];
                let found = self.operate(&name, given, frame)?;
                return self.placed(found);
            }
            let new = match (new, braced) {
                (Some(new), _) => self.converted_to(&Type::Record(class), new, frame)?,
                (None, Some(items)) => {
                    self.construct(&Type::Record(class), items, true, act, frame)?
                }
                _ => return Err(Stop),
            };
            self.store.assign(&place, new)?;
            return Ok(place);
        }
        let new = new.ok_or(Stop)?;
        let new = match (&new.content, self.store.at(&place)?) {
            (Content::Object(..), Content::Number(Number { ty, .. }) | Content::Unset(ty)) => {
                let ty = Type::Scalar(*ty);
                self.converted_to(&ty, new, frame)?
            }
            _ => new.read()?,
        };
        let new = match assignment.op {
            None => new,
            Some(op) => match (self.store.read(&place)?, op) {
                (Content::Pointer(first), BinaryOp::Add) => {
                    Content::Pointer(self.beside(&first, new.number()?.value)?)
                }
                (Content::Pointer(first), BinaryOp::Sub) => {
                    let by = new.number()?.value.checked_neg().ok_or(Stop)?;
                    Content::Pointer(self.beside(&first, by)?)
                }
                (before, op) => Content::Number(before.number()?.binary(op, new.number()?)?),
            },
        };
        self.store.assign(&place, new)?;
        Ok(place)
    }

    /// An expression whose value is not used.
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
            ExprKind::Fold(op, left, right) => {
                self.deeper(|it| it.fold(*op, left.as_deref(), right.as_deref(), act, frame))?;
            }
            _ => {
                self.value(expr, act, frame)?;
            }
        }
        Ok(())
    }
}

/// The sign of an operator that a class may have.
pub(super) fn sign(op: UnaryOp) -> Followed<&'static str> {
    Ok(match op {
        UnaryOp::Minus => "-",
        UnaryOp::Plus => "+",
        UnaryOp::Not => "!",
        UnaryOp::BitNot => "~",
        UnaryOp::PreIncrement => "++",
        UnaryOp::PreDecrement => "--",
        _ => return Err(Stop),
    })
}
