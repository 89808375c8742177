//! The arithmetic types of expressions, by their spelling ([expr.arith.conv]).

use cute_algebra::IntType;
use tree_sitter_cute::tree::{
    BinaryOp, Binding, Expr, ExprKind, Path, Segment, Span, TemplateParamKind, UnaryOp,
};

use super::Interpreter;
use super::frame::Frame;
use super::integers::{
    common, integral_type, is_arithmetic, is_beyond, is_truth, promoted, type_of_literal,
};
use super::locations::{Base, Location};
use super::names::Meaning;
use super::program::Constant;
use crate::reason::Reason;
use crate::types::{Scalar, Type};
use crate::value::Value;

impl<'u> Interpreter<'u> {
    /// The type in which arithmetic with the value of an expression is done.
    pub(super) fn arithmetic_type(
        &mut self,
        expr: &'u Expr,
        value: &Value,
        frame: &mut Frame<'u>,
    ) -> Option<IntType> {
        match value {
            // `c ? true : 1ul` is of the type of both.
            Value::Bool(_) if matches!(expr.kind, ExprKind::Ternary(..)) => {
                promoted(self.written_integer(expr, frame)?)?.arithmetic()
            }
            Value::Bool(_) => Some(IntType::Int),
            // An integral constant of CuTe's, `Int<8>`.
            Value::Int(int) if int.is_static() => Some(IntType::Int),
            _ => self.written_integer(expr, frame)?.arithmetic(),
        }
    }

    /// The arithmetic type of an integer expression, by its spelling.
    pub(super) fn written_integer(
        &mut self,
        expr: &'u Expr,
        frame: &mut Frame<'u>,
    ) -> Option<Scalar> {
        match &expr.kind {
            ExprKind::Int(value) => type_of_literal(self.program.slice(expr.span), *value),
            // `u8'a'` and `L'a'` have separate types.
            ExprKind::Char(_) if self.program.slice(expr.span).starts_with('\'') => {
                Scalar::of_spelling("char")
            }
            ExprKind::Name(_) | ExprKind::Member { .. } => {
                if let Some(ty) = self.template_type(expr, frame) {
                    return self.integer_named(ty, frame);
                }
                match self.location(expr, frame) {
                    Some(location) => match self.type_of_location(&location, frame)? {
                        Type::Placeholder => self.integer_of_initialiser(&location, frame),
                        ty => integral_type(&ty),
                    },
                    None => match &expr.kind {
                        ExprKind::Member { object, member, .. } => {
                            self.integer_member(object, member, frame)
                        }
                        ExprKind::Name(path) if path.segments.len() > 1 => {
                            self.integer_of_class(path, frame)
                        }
                        _ => self.global_integer(expr.as_plain_name()?, frame),
                    },
                }
            }
            ExprKind::Index(memory, _) => self.integer_in_memory(memory, frame),
            ExprKind::Sizeof(_) | ExprKind::SizeofPack(_) | ExprKind::Alignof(_) => {
                Scalar::of_spelling("unsigned long")
            }
            ExprKind::Unary(UnaryOp::Minus | UnaryOp::Plus | UnaryOp::BitNot, inner) => {
                promoted(self.written_integer(inner, frame)?)
            }
            ExprKind::Binary(BinaryOp::Shl | BinaryOp::Shr, left, _) => {
                promoted(self.written_integer(left, frame)?)
            }
            ExprKind::Binary(BinaryOp::Comma, _, last) => self.written_integer(last, frame),
            ExprKind::Binary(op, left, right) if is_arithmetic(*op) => {
                let left = self.written_integer(left, frame)?;
                common(left, self.written_integer(right, frame)?)
            }
            ExprKind::Bool(_) | ExprKind::Unary(UnaryOp::Not, _) => Scalar::of_spelling("bool"),
            ExprKind::Binary(op, ..) if is_truth(*op) => Scalar::of_spelling("bool"),
            ExprKind::Ternary(_, then, otherwise) => {
                // Two constants of one type stay one.
                if is_constant_int(then) && then.to_string() == otherwise.to_string() {
                    return None;
                }
                let mut side = |side: &'u Expr| {
                    if is_constant_int(side) {
                        return Scalar::of_spelling("int");
                    }
                    self.written_integer(side, frame)
                };
                let (then, otherwise) = (side(then)?, side(otherwise)?);
                // Two sides of one type are not promoted.
                if then == otherwise {
                    Some(then)
                } else {
                    common(then, otherwise)
                }
            }
            ExprKind::Cast(_, ty, _) | ExprKind::Construct { ty, .. } => {
                self.integer_named(ty, frame)
            }
            // `int64_t(x)` and `(size_t)(x)` read as calls of a name that only a look-up knows to be a type.
            ExprKind::Call(callee, args) if callee.as_path().is_some() => {
                if let Some(ty) = declared_by_declval(callee).filter(|_| args.is_empty()) {
                    return self.integer_named(ty, frame);
                }
                let named = (args.len() == 1)
                    .then(|| self.integer_named(callee, frame))
                    .flatten();
                named.or_else(|| self.integer_returned(callee, frame))
            }
            _ => None,
        }
    }

    /// The arithmetic type of a member of an object that is a constant.
    fn integer_member(
        &mut self,
        object: &'u Expr,
        member: &'u Segment,
        frame: &mut Frame<'u>,
    ) -> Option<Scalar> {
        let recording = frame.mode.pause();
        let object = self.eval(object, frame);
        frame.mode.recording = recording;
        let Value::Object(object) = object else {
            return None;
        };
        self.integer_declared(object.class.instance, &member.name.name)
    }

    /// The arithmetic type of a data member that is named with its class: `Shape::rows`.
    fn integer_of_class(&mut self, path: &'u Path, frame: &mut Frame<'u>) -> Option<Scalar> {
        let [class, member] = path.segments.as_slice() else {
            return None;
        };
        let recording = frame.mode.pause();
        let meaning = self.meaning_of_plain(class, frame);
        frame.mode.recording = recording;
        let Meaning::Value(Value::Type(class)) = meaning else {
            return None;
        };
        let Type::Record(class) = *class else {
            return None;
        };
        self.integer_declared(class.instance, &member.name.name)
    }

    fn integer_declared(&mut self, instance: usize, name: &str) -> Option<Scalar> {
        let members = self.data_members(instance);
        let found = members
            .iter()
            .find(|own| own.name.as_ref().is_some_and(|own| own.name == name))?;
        let ty = found.ty.as_ref()?.as_plain_name()?;
        integral_type(&Type::Scalar(Scalar::of_spelling(ty)?))
    }

    /// The arithmetic type of the elements that a pointer with a name points to.
    fn integer_in_memory(&mut self, memory: &'u Expr, frame: &mut Frame<'u>) -> Option<Scalar> {
        if !is_named(memory) {
            return None;
        }
        let recording = frame.mode.pause();
        let run = frame.actions.run.take();
        let memory = self.eval(memory, frame);
        frame.actions.run = run;
        frame.mode.recording = recording;
        match memory {
            Value::Pointer(pointer) => integral_type(pointer.element.as_deref()?),
            _ => None,
        }
    }

    /// A value that only the running program has: an integer where its expression is of such a type.
    pub(super) fn run_time_number(
        &mut self,
        value: Value,
        written: &'u Expr,
        (name, place): (&str, Span),
        frame: &mut Frame<'u>,
    ) -> Value {
        let Value::Unknown(reason @ Reason::RunTime(_)) = &value else {
            return value;
        };
        if is_beyond(reason) || !self.settings.is_cpp() {
            return value;
        }
        match self.written_integer(written, frame) {
            Some(scalar) if scalar.is_integer() => self.run_time_integer(name, place, frame),
            _ => value,
        }
    }

    /// The type of a variable that takes that of its initialiser.
    fn integer_of_initialiser(
        &mut self,
        location: &Location<'u>,
        frame: &mut Frame<'u>,
    ) -> Option<Scalar> {
        let Base::Variable(_, declared) = location.base else {
            return None;
        };
        if !location.path.is_empty() {
            return None;
        }
        if let Some(deduced) = frame.locals.deduced.get(&declared) {
            return Some(*deduced);
        }
        let init = frame.locals.declaration(declared)?.init.as_ref()?;
        self.nested(|it| it.written_integer(init, frame)).flatten()
    }

    /// The arithmetic type that all functions of a name give.
    fn integer_returned(&mut self, callee: &'u Expr, frame: &mut Frame<'u>) -> Option<Scalar> {
        let path = callee.as_path()?;
        let recording = frame.mode.pause();
        let meaning = self.meaning(path, frame);
        frame.mode.recording = recording;
        let Meaning::Functions(ids) = meaning else {
            return None;
        };
        let functions = self.named_functions(&ids).into_iter();
        let mut given = functions.map(|(_, it, _)| {
            let name = it.ret.as_ref()?.as_plain_name()?;
            integral_type(&Type::Scalar(Scalar::of_spelling(name)?))
        });
        let first = given.next()??;
        given.all(|other| other == Some(first)).then_some(first)
    }

    /// The arithmetic type that an expression names.
    fn integer_named(&mut self, ty: &'u Expr, frame: &mut Frame<'u>) -> Option<Scalar> {
        let recording = frame.mode.pause();
        let ty = self.eval_type(ty, frame);
        frame.mode.recording = recording;
        integral_type(&ty)
    }

    /// The type of a variable of a namespace.
    fn global_integer(&mut self, name: &str, frame: &Frame<'u>) -> Option<Scalar> {
        if frame.find(name).is_some() || frame.owner.record.is_some() {
            return None;
        }
        let mut next = Some(frame.owner.module);
        while let Some(id) = next {
            let module = self.program.module(id)?;
            if module.declared(name).is_some() {
                let Some(Constant::Binding(binding)) = module.constants.get(name) else {
                    return None;
                };
                let binding: &'u Binding = binding;
                let mut scope = Frame::new(id, frame.steps);
                return match self.eval_type(binding.ty.as_ref()?, &mut scope) {
                    Type::Placeholder => {
                        let init = binding.init.as_ref()?;
                        self.nested(|it| it.written_integer(init, &mut scope))
                            .flatten()
                    }
                    ty => integral_type(&ty),
                };
            }
            next = module.parent;
        }
        None
    }

    /// The type of a template parameter that is a value: of a function, or of a class around it.
    fn template_type(&self, expr: &Expr, frame: &Frame<'u>) -> Option<&'u Expr> {
        let declared = frame.find(expr.as_plain_name()?)?.declared;
        if let Some(known) = frame.locals.template_types.get(&declared) {
            return Some(known);
        }
        let mut around = frame.owner.record;
        while let Some(class) = around {
            let record = self.record_declaration(class)?;
            let tparam = record.tparams.iter().find(|tparam| {
                tparam
                    .name
                    .as_ref()
                    .is_some_and(|name| name.span == declared)
            });
            if let Some(tparam) = tparam {
                return match &tparam.kind {
                    TemplateParamKind::Value(ty) => Some(ty),
                    _ => None,
                };
            }
            around = self.computed.classes.around(class);
        }
        None
    }
}

/// Whether an expression is a name, or a member of one: to evaluate it does nothing.
fn is_named(expr: &Expr) -> bool {
    let mut inner = expr;
    while let ExprKind::Member { object, .. } = &inner.kind {
        inner = object;
    }
    inner.as_plain_name().is_some()
}

/// `T` of `std::declval<T>`.
fn declared_by_declval(callee: &Expr) -> Option<&Expr> {
    let last = callee.as_path()?.last()?;
    match last.args.as_deref() {
        Some([ty]) if last.name.name == "declval" => Some(ty),
        _ => None,
    }
}

/// Whether an expression is written as an integral constant of CuTe that holds an `int`: `_4{}`, `Int<4>{}`.
fn is_constant_int(expr: &Expr) -> bool {
    let ExprKind::Construct { ty, args, .. } = &expr.kind else {
        return false;
    };
    let name = ty.as_path().and_then(|path| path.last());
    args.is_empty()
        && name.is_some_and(|last| {
            let digits = last.name.name.strip_prefix('_');
            last.name.name == "Int"
                || digits.is_some_and(|it| !it.is_empty() && it.bytes().all(|b| b.is_ascii_digit()))
        })
}
