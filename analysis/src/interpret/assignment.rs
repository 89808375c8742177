//! Assignments that are separate statements: the value of a local variable, or of one of its members, after them.

use tree_sitter_cute::tree::{Assignment, BinaryOp, Binding, Expr, ExprKind, UnaryOp};

use super::Interpreter;
use super::frame::{Frame, Given};
use super::locations::{Base, Location, Part};
use super::references;
use crate::reason::Reason;
use crate::types::Type;
use crate::value::Value;

/// Members of the configuration of `cudaLaunchKernelEx`.
const OF_LAUNCHES: &[&str] = &["attrs", "blockDim", "dynamicSmemBytes", "gridDim"];

impl<'u> Interpreter<'u> {
    /// An assignment that is a statement.
    pub(super) fn assign_statement(
        &mut self,
        assignment: &'u Assignment,
        value: &Value,
        frame: &mut Frame<'u>,
    ) {
        if !self.settings.is_cpp() || assignment.op.is_some() {
            return;
        }
        self.assign_number(assignment, value, frame);
        match &assignment.target.kind {
            ExprKind::Member { object, member, .. } if frame.actions.run.is_some() => {
                // Only a launch is given the address of its configuration.
                let is_kept = |name: &&str| {
                    frame.is_straight(name)
                        || OF_LAUNCHES.contains(&member.name.name.as_str())
                            && frame.is_of_innermost_scope(name)
                };
                let Some(name) = object.as_plain_name().filter(is_kept) else {
                    return;
                };
                if let Some(declared) = frame.find(name).map(|variable| variable.declared) {
                    let given = Given {
                        value: value.clone(),
                        written: &assignment.value,
                    };
                    let fields = frame.locals.fields.entry(declared).or_default();
                    fields.assigned.insert(&member.name.name, Some(given));
                }
            }
            _ => {}
        }
    }

    /// The value of an assignment: that of its target afterwards ([expr.ass]).
    pub(super) fn assigned_value(
        &mut self,
        assignment: &'u Assignment,
        before: Value,
        given: Value,
        frame: &mut Frame<'u>,
    ) -> Value {
        let is_number = |value: &Value| matches!(value, Value::Int(_) | Value::Bool(_));
        let value = match assignment.op {
            _ if !self.settings.is_cpp() => return given,
            None => given,
            Some(op) if is_number(&before) && is_number(&given) => {
                let (target, value) = (&assignment.target, &assignment.value);
                self.typed_step(op, (target, &before), (Some(value), &given), frame)
                    .unwrap_or_else(|| super::on_values::binary(op, before, given))
            }
            Some(_) => {
                return match given {
                    given @ Value::Unknown(_) => given,
                    _ => Value::Unknown(Reason::RunTime("the result of an assignment".into())),
                };
            }
        };
        if !is_number(&value) || value.is_static() && assignment.op.is_none() {
            return value;
        }
        match self.written_integer(&assignment.target, frame) {
            Some(scalar) => super::conversion::convert(value, &Type::Scalar(scalar)),
            None => value,
        }
    }

    /// The known integer before a statement such as `n += 2;` or `++n;`.
    pub(super) fn before_step(
        &mut self,
        expr: &'u Expr,
        frame: &mut Frame<'u>,
    ) -> Option<(Location<'u>, Value)> {
        if !self.settings.is_cpp() {
            return None;
        }
        let target = match &expr.kind {
            ExprKind::Assign(assignment) if step_of(assignment.op?).is_some() => &assignment.target,
            ExprKind::Unary(op, target) if op.is_step() => target,
            _ => return None,
        };
        let location = self.location(target, frame)?;
        let before = references::read(&location, frame)?;
        let is_known = before.as_int().and_then(cute_algebra::Int::value).is_some();
        (is_known && is_straight(&location, frame)).then_some((location, before))
    }

    /// The integer after the statement; `value` is the value of the statement.
    pub(super) fn step_on(
        &mut self,
        expr: &'u Expr,
        (location, before): (Location<'u>, Value),
        value: Value,
        frame: &mut Frame<'u>,
    ) {
        let after = match &expr.kind {
            ExprKind::Assign(_) => value,
            ExprKind::Unary(op, target) => {
                let by = Value::Int(cute_algebra::Int::dynamic(1));
                let op = match op {
                    UnaryOp::PreIncrement | UnaryOp::PostIncrement => BinaryOp::Add,
                    _ => BinaryOp::Sub,
                };
                self.typed_step(op, (target, &before), (None, &by), frame)
                    .unwrap_or_else(|| super::on_values::binary(op, before, by))
            }
            _ => return,
        };
        self.assign_known(&location, &after, frame);
    }

    /// A member of a local variable may have another value from here on.
    pub(super) fn forget_field(object: &Expr, member: &'u str, frame: &mut Frame<'u>) {
        let name = object
            .as_plain_name()
            .filter(|_| frame.actions.run.is_some());
        if let Some(declared) = name
            .and_then(|name| frame.find(name))
            .map(|variable| variable.declared)
        {
            let fields = frame.locals.fields.entry(declared).or_default();
            fields.assigned.insert(member, None);
        }
    }

    /// An integer that is given a known number is that number from here on: a local one where it is declared, not
    /// inside a branch or loop, or a part of such a variable or of the object whose method this is.
    fn assign_number(&mut self, assignment: &'u Assignment, value: &Value, frame: &mut Frame<'u>) {
        if let Some(location) = self.location(&assignment.target, frame) {
            self.assign_known(&location, value, frame);
        }
    }

    /// The same for the target of an assignment.
    pub(super) fn assign_known(
        &mut self,
        location: &Location<'u>,
        value: &Value,
        frame: &mut Frame<'u>,
    ) {
        let is_known = value.as_int().and_then(cute_algebra::Int::value).is_some();
        if !is_known || !is_straight(location, frame) {
            return;
        }
        let Some(ty) = self.type_of_location(location, frame) else {
            return;
        };
        if !matches!(&ty, Type::Scalar(scalar) if scalar.is_integer()) {
            return;
        }
        let converted = super::conversion::convert(value.clone(), &ty);
        let is_number = matches!(references::read(location, frame), Some(Value::Int(_)));
        if matches!(converted, Value::Int(_)) && is_number {
            references::write(location, converted, frame);
            if let Base::Variable(name, declared) = location.base
                && let Some(variable) = frame.find_declared_mut(name, declared)
            {
                variable.read = true;
            }
        }
    }

    /// The declared type of a variable or of a part of it.
    pub(super) fn type_of_location(
        &mut self,
        location: &Location<'u>,
        frame: &mut Frame<'u>,
    ) -> Option<Type> {
        let Some((last, around)) = location.path.split_last() else {
            let Base::Variable(_, declared) = location.base else {
                return None;
            };
            let ty = frame.locals.declaration(declared)?.ty.as_ref()?;
            let recording = frame.mode.pause();
            let ty = self.eval_type(ty, frame);
            frame.mode.recording = recording;
            return Some(ty);
        };
        let whole = Location {
            base: location.base,
            path: around.to_vec(),
        };
        match last {
            Part::Field(name) => {
                let Some(Value::Object(object)) = references::read(&whole, frame) else {
                    return None;
                };
                let instance = object.class.instance;
                let is_named = |member: &&'u Binding| {
                    member
                        .name
                        .as_ref()
                        .is_some_and(|found| found.name == **name)
                };
                let member = self.data_members(instance).into_iter().find(is_named)?;
                Some(self.known_type_of_member(instance, member))
            }
            Part::Element(_) => match self.type_of_location(&whole, frame)? {
                Type::Class(class) => class.element().cloned(),
                _ => None,
            },
        }
    }
}

/// The operators of assignments whose results are computed: `+=`, `-=`, `*=`.
fn step_of(op: BinaryOp) -> Option<BinaryOp> {
    matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul).then_some(op)
}

/// Whether control comes here whenever it comes to the declaration of a variable, or to the end of the method whose
/// object it is, and only assignments that can be followed change it.
pub(super) fn is_straight(location: &Location<'_>, frame: &Frame<'_>) -> bool {
    match location.base {
        Base::Variable(name, declared) => {
            frame.is_straight(name) && frame.find(name).is_some_and(|it| it.declared == declared)
        }
        Base::This => frame.control.conditional == 0 && frame.scopes.len() == frame.body_depth,
    }
}
