//! Operators on integers, truth values and types.

use cute_algebra::{Int, IntType};
use tree_sitter_cute::tree::{Assignment, BinaryOp, Expr, ExprKind, Span, UnaryOp};

use super::frame::Frame;
use super::integers::{depends_on_types, integer, is_beyond, number, typed, unknown_type};
use super::locations::{Base, Location, Part};
use super::names::Meaning;
use super::on_values::{binary, no_operator, refused, run_time_truth};
use super::references;
use super::{Interpreter, construct};
use crate::options::Integers;
use crate::reason::Reason;
use crate::types::Type;
use crate::value::{Truth, Value};

/// The operator before the operand of a cast: `(ns::Index) - n` reads as a sum until the name is a type.
pub(super) fn cast_by_name(op: BinaryOp, left: &Expr) -> Option<UnaryOp> {
    let is_qualified = left.as_path().is_some_and(|path| path.segments.len() > 1);
    match op {
        _ if !is_qualified => None,
        BinaryOp::Add => Some(UnaryOp::Plus),
        BinaryOp::Sub => Some(UnaryOp::Minus),
        BinaryOp::Mul => Some(UnaryOp::Deref),
        _ => None,
    }
}

impl<'u> Interpreter<'u> {
    pub(super) fn eval_unary(
        &mut self,
        op: UnaryOp,
        operand: &'u Expr,
        frame: &mut Frame<'u>,
    ) -> Value {
        if let (UnaryOp::AddressOf, ExprKind::Index(object, _)) = (op, &operand.kind) {
            let pointer = self.eval(object, frame);
            self.eval(operand, frame);
            if matches!(pointer, Value::Pointer(_)) {
                return pointer.decayed();
            }
        }
        if op == UnaryOp::AddressOf && self.names_data_member(operand, frame) {
            return construct("a pointer to a member");
        }
        let value = self.eval(operand, frame);
        match op {
            // A `Result` or `Option` counts as its content.
            UnaryOp::Plus if matches!(&value, Value::Bool(truth) if !truth.fixed) => {
                number(&value).map_or(value, |number| Value::Int(Int::dynamic(number)))
            }
            UnaryOp::Plus => value.decayed(),
            UnaryOp::Try => value,
            UnaryOp::Minus | UnaryOp::BitNot if self.has_types(&value) => {
                self.typed_unary(op, operand, &value, frame)
            }
            // Minus an unsigned number is the difference to 2^32 or 2^64.
            UnaryOp::Minus if self.is_unsigned_symbol(operand, &value, frame) => {
                Value::Unknown(Reason::RunTime("minus an unsigned number".into()))
            }
            UnaryOp::Minus => match &value {
                Value::Int(int) => int
                    .neg()
                    .map_or_else(|refusal| refused(&refusal), Value::Int),
                _ => no_operator(value),
            },
            UnaryOp::Not => match &value {
                Value::Bool(truth) => Value::Bool(truth.not()),
                Value::Int(int) => match int.value() {
                    Some(number) => Value::Bool(Truth {
                        value: number == 0,
                        fixed: int.is_static(),
                    }),
                    None => run_time_truth(),
                },
                _ => no_operator(value),
            },
            UnaryOp::BitNot => match &value {
                Value::Int(int) => match int.value() {
                    Some(number) if int.is_static() => Value::Int(Int::fixed(!number)),
                    _ => Value::Unknown(Reason::RunTime("a bit pattern".into())),
                },
                _ => no_operator(value),
            },
            UnaryOp::AddressOf => match value {
                Value::Unknown(_) | Value::Callable(_) => value,
                other => Value::Pointer(crate::tensor::Pointer::generic(Some(
                    crate::types::Type::of(&other),
                ))),
            },
            // `this` is the object itself here, no pointer to it.
            UnaryOp::Deref if operand.as_plain_name() == Some("this") => value,
            // The pointee of a pointer to a function is called as the pointer is.
            UnaryOp::Deref if matches!(value, Value::Callable(_)) => value,
            UnaryOp::Deref => self.pointee(&value, Some(operand), frame),
            UnaryOp::PreIncrement
            | UnaryOp::PreDecrement
            | UnaryOp::PostIncrement
            | UnaryOp::PostDecrement => {
                self.change(operand, frame);
                self.change_called(operand, frame);
                Value::Unknown(Reason::RunTime("a counter".into()))
            }
        }
    }

    /// Whether a name is that of data in each object of a class: `&S::v` is not a pointer ([expr.unary.op]).
    fn names_data_member(&mut self, operand: &'u Expr, frame: &mut Frame<'u>) -> bool {
        let path = operand.as_path().filter(|_| self.settings.is_cpp());
        let Some((last, scopes @ [_, ..])) = path.and_then(|path| path.segments.split_last())
        else {
            return false;
        };
        let Meaning::Value(Value::Type(class)) = self.meaning_of_type_path(None, scopes, frame)
        else {
            return false;
        };
        let Type::Record(class) = *class else {
            return false;
        };
        let mut members = self.data_members(class.instance).into_iter();
        members.any(|member| {
            let name = member.name.as_ref();
            name.is_some_and(|name| name.name == last.name.name)
        })
    }

    pub(super) fn eval_binary(
        &mut self,
        op: BinaryOp,
        left: &'u Expr,
        right: &'u Expr,
        frame: &mut Frame<'u>,
    ) -> Value {
        let a = self.eval(left, frame);
        if let (Value::Type(ty), Some(in_front)) = (&a, cast_by_name(op, left)) {
            if matches!(right.kind, ExprKind::Binary(..)) {
                return Value::Unknown(Reason::Construct("a cast of the first part of a sum"));
            }
            let value = self.eval_unary(in_front, right, frame);
            let value = self.as_declared(value, ty);
            return super::conversion::cast(value, ty);
        }
        let b = self.eval(right, frame);
        if op == BinaryOp::Comma {
            let mut assigns = false;
            super::mutation::changes_in(left, &mut |change| {
                assigns |= matches!(change, super::mutation::Change::Target(_));
            });
            if assigns && self.settings.is_cpp() && number(&b).is_some() {
                return Value::Unknown(Reason::RunTime("a number behind an assignment".into()));
            }
            // An operand that is not a valid expression makes all of it invalid.
            return match a {
                Value::Unknown(Reason::NotEnabled | Reason::NoMember(..)) => a,
                _ if frame.mode.unevaluated && matches!(a, Value::Unknown(_)) => a,
                _ => b,
            };
        }
        let (a, b) = (a.decayed(), b.decayed());
        if op == BinaryOp::Shr && !matches!(a, Value::Int(_)) {
            self.change(right, frame);
        }
        self.change_operands(op, (left, &a), (right, &b), frame);
        if self.wraps_symbol(op, (left, &a), (right, &b), frame) {
            return Value::Unknown(Reason::RunTime(
                "a negative number in unsigned arithmetic".into(),
            ));
        }
        if op == BinaryOp::BitAnd
            && let Some(value) = self.without_bits((left, &a), (right, &b), frame)
        {
            return value;
        }
        self.typed_binary(op, (left, &a), (right, &b), frame)
            .unwrap_or_else(|| binary(op, a, b))
    }

    /// `bytes & ~size_t(127)`: the mask itself is a number beyond 63 bits, the result is not.
    fn without_bits(
        &mut self,
        (left, a): (&'u Expr, &Value),
        (right, b): (&'u Expr, &Value),
        frame: &mut Frame<'u>,
    ) -> Option<Value> {
        let is_mask = |value: &Value| matches!(value, Value::Unknown(why) if is_beyond(why));
        let (of, mask) = match (number(a), number(b)) {
            (Some(of), None) if is_mask(b) => (of, right),
            (None, Some(of)) if is_mask(a) => (of, left),
            _ => return None,
        };
        let ExprKind::Unary(UnaryOp::BitNot, inner) = &mask.kind else {
            return None;
        };
        let bits = number(&self.eval(inner, frame))?;
        (of >= 0 && bits >= 0).then(|| Value::Int(Int::dynamic(of & !bits)))
    }

    /// Whether a number that is or may be negative meets an unsigned one, and one of them is of run time: as unsigned it
    /// is 2^32 or 2^64 more, which counts in products, quotients and comparisons. `0 - n` is such a number itself.
    fn wraps_symbol(
        &mut self,
        op: BinaryOp,
        (left, a): (&'u Expr, &Value),
        (right, b): (&'u Expr, &Value),
        frame: &mut Frame<'u>,
    ) -> bool {
        use BinaryOp::{Div, Eq, Ge, Gt, Le, Lt, Mul, Ne, Rem, Shr, Sub};
        let is_symbol = |value: &Value| matches!(value, Value::Int(int) if int.value().is_none());
        if !is_symbol(a) && !is_symbol(b) {
            return false;
        }
        let may_be_negative = |value: &Value| match value {
            Value::Int(int) => int.bounds().0.is_none_or(|least| least < 0),
            _ => false,
        };
        let may_wrap = match op {
            Mul => [a, b]
                .iter()
                .any(|value| number(value).is_some_and(|it| it < 0)),
            Div | Rem | Eq | Ne | Lt | Le | Gt | Ge => may_be_negative(a) || may_be_negative(b),
            Shr => may_be_negative(a),
            Sub => number(a) == Some(0) && is_symbol(b),
            _ => false,
        };
        if !may_wrap || !self.settings.is_cpp() || self.settings.integers != Integers::Cute {
            return false;
        }
        let types = (
            self.arithmetic_type(left, a, frame),
            self.arithmetic_type(right, b, frame),
        );
        matches!(types, (Some(a), Some(b)) if !a.common(b).is_signed())
    }

    pub(super) fn eval_assignment(
        &mut self,
        assignment: &'u Assignment,
        frame: &mut Frame<'u>,
    ) -> Value {
        let given = self.eval(&assignment.value, frame);
        let before = self.eval(&assignment.target, frame);
        let value = self.assigned_value(assignment, before, given, frame);
        match &assignment.target.kind {
            // The other members keep their values.
            ExprKind::Member { object, member, .. } if object.as_plain_name().is_some() => {
                let fields = std::mem::take(&mut frame.locals.fields);
                self.change(&assignment.target, frame);
                frame.locals.fields = fields;
                Self::forget_field(object, &member.name.name, frame);
            }
            _ => self.change(&assignment.target, frame),
        }
        self.change_called(&assignment.target, frame);
        value
    }

    /// A value assigned to the result of a call of an object of the sources may become a part of the object: `c(0) =
    /// 4`.
    fn change_called(&mut self, target: &'u Expr, frame: &mut Frame<'u>) {
        let mut target = target;
        while let ExprKind::Member { object, .. } | ExprKind::Index(object, _) = &target.kind {
            target = object;
        }
        let ExprKind::Call(callee, _) = &target.kind else {
            return;
        };
        let value = callee.as_plain_name().and_then(|name| frame.find(name));
        let is_object = value.is_some_and(|variable| match &variable.value {
            Value::Object(_) => true,
            Value::Instance(ty) => matches!(**ty, Type::Record(_)),
            _ => false,
        });
        if is_object {
            self.change(callee, frame);
        }
    }

    /// Notes that the variable, or the member of the object, of a name has a new value: its next readers see another
    /// symbol than those before.
    pub(super) fn change_name(&mut self, name: &'u str, frame: &mut Frame<'u>) {
        // In Rust a variable that may change is a symbol or unknown from its declaration on.
        if self.is_rust() {
            return;
        }
        let Some(declared) = frame.find(name).map(|variable| variable.declared) else {
            let member = match name {
                "this" => Vec::new(),
                name => vec![Part::Field(name)],
            };
            let location = Location {
                base: Base::This,
                path: member,
            };
            if references::read(&location, frame).is_some() {
                self.change_location(&location, frame);
            }
            return;
        };
        let location = frame
            .changes
            .references
            .of(declared)
            .cloned()
            .unwrap_or_else(|| Location {
                base: Base::Variable(name, declared),
                path: Vec::new(),
            });
        self.change_location(&location, frame);
    }

    /// The same for a variable that is declared at a place.
    pub(super) fn change_variable(&mut self, name: &'u str, declared: Span, frame: &mut Frame<'u>) {
        if let Some(fields) = frame.locals.fields.get_mut(&declared) {
            fields.is_lost = true;
        }
        frame.locals.objects.remove(&declared);
        frame.changes.references.forget_pointer(declared);
        if frame.locals.is_constant(declared) {
            return;
        }
        let is_function = frame
            .find(name)
            .is_some_and(|variable| self.is_function(&variable.value));
        let Some(variable) = frame.find_declared_mut(name, declared) else {
            return;
        };
        // Another function may be called from here on.
        if is_function && self.settings.is_cpp() {
            variable.value = Value::Unknown(Reason::RunTime("a pointer to a function".into()));
            return;
        }
        // A separate symbol that was not used yet serves for the new value as well.
        let is_symbol = !variable.read && number(&variable.value).is_none();
        if is_symbol || variable.value.is_static() {
            return;
        }
        variable.read = false;
        let old = std::mem::replace(&mut variable.value, Value::Nothing);
        let new = self.fresh_copy(old, name, declared, frame);
        if let Some(variable) = frame.find_declared_mut(name, declared) {
            variable.value = new;
        }
    }

    /// Whether the type of a value decides the result of arithmetic with it: a known run-time integer of C++.
    pub(super) fn has_types(&self, value: &Value) -> bool {
        self.settings.is_cpp()
            && self.settings.integers == Integers::Cute
            && number(value).is_some()
            && !matches!(value, Value::Bool(truth) if truth.fixed)
            && !value.as_int().is_some_and(Int::is_static)
    }

    /// Whether a value is an unsigned number of C++ that is known only at run time.
    fn is_unsigned_symbol(
        &mut self,
        operand: &'u Expr,
        value: &Value,
        frame: &mut Frame<'u>,
    ) -> bool {
        let is_symbol = matches!(value, Value::Int(int) if int.value().is_none());
        self.settings.is_cpp()
            && self.settings.integers == Integers::Cute
            && is_symbol
            && self
                .arithmetic_type(operand, value, frame)
                .is_some_and(|ty| !ty.is_signed())
    }

    /// `-x` and `~x`.
    pub(super) fn typed_unary(
        &mut self,
        op: UnaryOp,
        operand: &'u Expr,
        value: &Value,
        frame: &mut Frame<'u>,
    ) -> Value {
        let Some(number) = number(value) else {
            return unknown_type();
        };
        if op == UnaryOp::Minus && number == 0 {
            return Value::Int(Int::dynamic(0));
        }
        let Some(ty) = self.arithmetic_type(operand, value, frame) else {
            return unknown_type();
        };
        let number = i128::from(number);
        let result = if op == UnaryOp::Minus {
            -number
        } else {
            !number
        };
        integer(ty, result)
    }

    /// An operator on two known integers where their types decide the result; `None` where every type gives the same.
    pub(super) fn typed_binary(
        &mut self,
        op: BinaryOp,
        (left, a): (&'u Expr, &Value),
        (right, b): (&'u Expr, &Value),
        frame: &mut Frame<'u>,
    ) -> Option<Value> {
        self.typed_step(op, (left, a), (Some(right), b), frame)
    }

    /// The same where the right side may be the 1 of `++x`, which is written nowhere.
    pub(super) fn typed_step(
        &mut self,
        op: BinaryOp,
        (left, a): (&'u Expr, &Value),
        (right, b): (Option<&'u Expr>, &Value),
        frame: &mut Frame<'u>,
    ) -> Option<Value> {
        let (x, y) = (number(a)?, number(b)?);
        let fixed = a.is_static() && b.is_static();
        if fixed || !(self.has_types(a) || self.has_types(b)) || !depends_on_types(op, x, y) {
            return None;
        }
        let types = (
            self.arithmetic_type(left, a, frame),
            match right {
                Some(right) => self.arithmetic_type(right, b, frame),
                None => Some(IntType::Int),
            },
        );
        Some(match types {
            (Some(left), Some(right)) => typed(op, (left, x), (right, y)),
            _ => unknown_type(),
        })
    }

    /// The side of `?:` that is taken, in the type of both sides; `None` where every type gives the same.
    pub(super) fn common_integer(
        &mut self,
        (then, otherwise): (&'u Expr, &'u Expr),
        (a, b): (&Value, &Value),
        taken: &Value,
        frame: &mut Frame<'u>,
    ) -> Option<Value> {
        let number = taken.as_int().and_then(Int::value).filter(|it| *it < 0)?;
        if !self.has_types(taken) {
            return None;
        }
        let then = self.arithmetic_type(then, a, frame);
        let ty = then.zip(self.arithmetic_type(otherwise, b, frame));
        Some(ty.map_or_else(unknown_type, |(then, otherwise)| {
            integer(then.common(otherwise), number.into())
        }))
    }
}
