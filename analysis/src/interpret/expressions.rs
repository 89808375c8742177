//! The value of an expression.

use cute_algebra::Int;
use tree_sitter_cute::Host;
use tree_sitter_cute::tree::{BinaryOp, Expr, ExprKind, Span, UnaryOp};

use super::deduction::{TOO_MANY_VALUES, expands_open_pack, plain_name};
use super::frame::{Frame, Variable};
use super::integers::DEDUCED;
use super::launches::launch_of;
use super::object_layouts::gives_int;
use super::{Callable, Interpreter, construct};
use crate::limits;
use crate::options::Integers;
use crate::reason::Reason;
use crate::types::{Scalar, Type};
use crate::value::{Room, Truth, Value};
use crate::walk;

impl<'u> Interpreter<'u> {
    /// The value (or type) of an expression, kept for hovers where it is useful.
    pub(super) fn eval(&mut self, expr: &'u Expr, frame: &mut Frame<'u>) -> Value {
        if !self.budget.step(&mut frame.steps) {
            return Value::Unknown(if self.budget.steps == 0 {
                Reason::Limit("steps of this file")
            } else {
                Reason::Steps(limits::STEPS_PER_INSTANCE)
            });
        }
        let Some(value) = self.nested(|it| it.eval_kind(expr, frame)) else {
            return Value::Unknown(Reason::Limit("nesting of expressions"));
        };
        let value = self.within_room(value, frame);
        if !matches!(expr.kind, ExprKind::Name(_)) {
            self.recorder.mention(expr.span, &value, frame);
        }
        self.trace_constant(expr, &value, frame);
        value
    }

    /// A value that is not too large to be kept and copied; the larger, the more steps it takes.
    fn within_room(&mut self, value: Value, frame: &mut Frame<'u>) -> Value {
        let mut room = Room::ONE_VALUE;
        if !room.admits(&value) {
            return Value::Unknown(Reason::Limit("a value with too many parts"));
        }
        let steps = (limits::VALUE_PARTS - room.left()) / limits::PARTS_PER_STEP;
        self.budget.steps = self.budget.steps.saturating_sub(steps);
        frame.steps = frame.steps.saturating_sub(steps);
        value
    }

    fn eval_kind(&mut self, expr: &'u Expr, frame: &mut Frame<'u>) -> Value {
        if self.settings.host == Host::Python
            && let Some(value) = self.eval_python(expr, frame)
        {
            return value;
        }
        if is_operator(&expr.kind)
            && let Some(respelt) = self.respelt(expr, frame)
        {
            return match respelt {
                Ok(expr) => self.eval(expr, frame),
                Err(reason) => Value::Unknown(reason),
            };
        }
        match &expr.kind {
            ExprKind::Name(path) => self.eval_name(path, expr.span, frame),
            ExprKind::Call(callee, args) => match self.expansion(expr, callee, frame) {
                Some(expansion) => self.eval(expansion, frame),
                None => self.eval_call(expr, callee, args, frame),
            },
            ExprKind::Construct { ty, args, .. } => self.eval_construct(expr, ty, args, frame),
            ExprKind::Member { object, member, .. } => {
                let mut value = self.eval(object, frame);
                if matches!(value, Value::Pointer(_)) {
                    value = self.pointee(&value, Some(object), frame);
                }
                let value = self.with_members(value, object, frame);
                let value = self.member(&value, member, expr.span, frame);
                self.with_origin(value, expr, frame)
            }
            ExprKind::Unary(op, operand) => self.eval_unary(*op, operand, frame),
            ExprKind::Binary(op, left, right) => self.eval_binary(*op, left, right, frame),
            ExprKind::Assign(assignment) => self.eval_assignment(assignment, frame),
            ExprKind::Ternary(condition, then, otherwise) => {
                self.eval_ternary(condition, then, otherwise, frame)
            }
            ExprKind::Cast(_, ty, operand) => {
                if let Some(value) = self.eval_ambiguous_cast(ty, operand, frame) {
                    return value;
                }
                let value = self.eval(operand, frame);
                let written = ty;
                let ty = self.eval_type(ty, frame);
                if ty == Type::Unknown(DEDUCED) && is_own_type(operand, written, frame) {
                    return value;
                }
                let value = self.as_declared(value, &ty);
                let value = super::conversion::cast(value, &ty);
                self.trace_cast(expr, &value, frame);
                value
            }
            ExprKind::Macro(call) => self.eval_macro(expr, call, frame),
            ExprKind::Launch {
                callee,
                args,
                config,
            } => {
                if self.is_rust() {
                    return self
                        .launched_by_angles(expr, (callee, config), args, frame)
                        .unwrap_or(Value::Nothing);
                }
                let config: Vec<Value> = config.iter().map(|part| self.eval(part, frame)).collect();
                self.computed.reports.launch = Some(launch_of(expr.span, &config));
                self.eval_call(expr, callee, args, frame);
                self.computed.reports.launch = None;
                Value::Nothing
            }
            ExprKind::Lambda(lambda) => {
                let mut captured = frame.clone();
                captured.control.returns.clear();
                captured.control.ended = false;
                for capture in &lambda.captures {
                    if let Some(init) = &capture.init {
                        let value = self.eval(init, frame);
                        let name = &capture.name;
                        captured.declare(
                            &name.name,
                            super::frame::Variable {
                                value,
                                declared: name.span,
                                read: true,
                            },
                        );
                        if capture.by_reference
                            && let Some(location) = self.location(init, frame)
                        {
                            captured.changes.references.name(name.span, location);
                        }
                    }
                }
                self.callable(Callable::Lambda(lambda, Box::new(captured)))
            }
            _ if is_type(&expr.kind) => self.eval_type_form(expr, frame),
            _ if is_notation(&expr.kind) => self.eval_notation(expr, frame),
            _ => self.eval_literal(expr, frame),
        }
    }

    /// `(n) * 2`, which looks like a cast of `*2` until it is known that `n` is a number.
    fn eval_ambiguous_cast(
        &mut self,
        ty: &'u Expr,
        operand: &'u Expr,
        frame: &mut Frame<'u>,
    ) -> Option<Value> {
        let (ExprKind::Name(path), ExprKind::Unary(UnaryOp::Deref, inner)) =
            (&ty.kind, &operand.kind)
        else {
            return None;
        };
        // A number is not an address.
        if !matches!(inner.kind, ExprKind::Int(_) | ExprKind::Sizeof(_)) {
            return None;
        }
        let is_number = matches!(self.eval_name(path, ty.span, frame), Value::Int(_));
        is_number.then(|| self.eval_binary(BinaryOp::Mul, ty, inner, frame))
    }

    /// An operator with its macros replaced, as the machine sees it.
    pub(super) fn operator_respelt(
        &mut self,
        expr: &'u Expr,
        frame: &Frame<'u>,
    ) -> Option<Result<&'u Expr, Reason>> {
        if !is_operator(&expr.kind) {
            return None;
        }
        self.respelt(expr, frame)
    }

    /// A value that can be called later.
    pub(super) fn callable(&mut self, callable: Callable<'u>) -> Value {
        self.computed.add_callable(callable)
    }

    fn eval_literal(&mut self, expr: &'u Expr, frame: &mut Frame<'u>) -> Value {
        match &expr.kind {
            ExprKind::Int(value) => Value::Int(match self.settings.integers {
                Integers::Static => Int::fixed(*value),
                Integers::Cute => Int::dynamic(*value),
            }),
            ExprKind::UserLiteral(inner, suffix) if suffix == "_c" => {
                match self.eval(inner, frame).as_int().and_then(Int::value) {
                    Some(value) => Value::Int(Int::fixed(value)),
                    None => construct("a literal with the suffix `_c`"),
                }
            }
            ExprKind::UserLiteral(..) => construct("a user-defined literal"),
            ExprKind::Float(text) => Value::Number(float_type(text)),
            ExprKind::Char(_) => scalar("char").map_or(Value::Nothing, Value::Number),
            ExprKind::Bool(value) => Value::Bool(Truth::run_time(*value)),
            ExprKind::Str(_) => Value::Unknown(Reason::Construct("a string")),
            ExprKind::Null => Value::Pointer(crate::tensor::Pointer::generic(None)),
            ExprKind::Braced(items) if self.has_designators(items) => {
                for item in items {
                    self.eval(item, frame);
                }
                construct("designated initialisers")
            }
            ExprKind::Braced(items) => {
                let values = items.iter().map(|item| self.eval(item, frame)).collect();
                Value::Tuple(values)
            }
            ExprKind::Designated(_, inner) | ExprKind::Expand(inner) => self.eval(inner, frame),
            ExprKind::Index(object, args) => {
                let object = self.eval(object, frame);
                let indices: Vec<Value> = args.iter().map(|arg| self.eval(arg, frame)).collect();
                if let (Value::Tuple(items), [Value::Int(index)]) = (&object, indices.as_slice())
                    && let Some(item) = index
                        .value()
                        .and_then(|index| items.get(usize::try_from(index).ok()?))
                {
                    return item.clone();
                }
                match object {
                    Value::Pointer(_) => {
                        let element = self.element(&object, expr, frame);
                        self.with_origin(element, expr, frame)
                    }
                    _ => Value::Unknown(Reason::RunTime("an element in memory".into())),
                }
            }
            ExprKind::Sizeof(inner) => {
                // The operand is not evaluated: it does nothing.
                let run = frame.actions.run.take();
                let layout = if self.is_function_type(inner, frame) {
                    Err(Reason::Construct("the size of a function"))
                } else {
                    self.object_layout(inner, frame)
                };
                self.trace_size(run, expr.span, inner, frame);
                frame.actions.run = run;
                bytes(layout.map(|it| it.size))
            }
            ExprKind::Offsetof(ty, member) => {
                let layout = self.object_layout(ty, frame);
                bytes(layout.and_then(|layout| layout.offset_of(&member.name)))
            }
            ExprKind::SizeofPack(name) => match frame.find(&name.name).map(|found| &found.value) {
                Some(Value::Pack(values)) => match expands_open_pack(values) {
                    Some(reason) => Value::Unknown(reason),
                    None => Value::Int(Int::dynamic(
                        i64::try_from(values.len()).unwrap_or(i64::MAX),
                    )),
                },
                _ => construct("`sizeof...`"),
            },
            ExprKind::Alignof(inner) => bytes(self.object_layout(inner, frame).map(|it| it.align)),
            ExprKind::Fold(op, left, right) => {
                self.eval_fold(expr, *op, (left.as_deref(), right.as_deref()), frame)
            }
            ExprKind::Requires(requires) => self.eval_requires(requires, frame),
            ExprKind::Opaque(
                what @ ("struct_specifier" | "class_specifier" | "union_specifier"),
            ) => {
                let local = frame.find(self.written(expr.span));
                let local = local.filter(|class| class.declared == expr.span);
                local.map_or(Value::Unknown(Reason::Construct(what)), |class| {
                    class.value.clone()
                })
            }
            ExprKind::Opaque(what) => Value::Unknown(Reason::Construct(what)),
            _ => construct("this expression"),
        }
    }

    /// Types that are not names.
    fn eval_type_form(&mut self, expr: &'u Expr, frame: &mut Frame<'u>) -> Value {
        let ty = match &expr.kind {
            ExprKind::Auto => Type::Placeholder,
            ExprKind::Decltype(inner) => {
                let outer = (
                    frame.mode.recording,
                    frame.mode.in_type,
                    frame.mode.unevaluated,
                );
                frame.mode.in_type |= frame.mode.recording;
                frame.mode.recording = false;
                frame.mode.unevaluated = true;
                let value = self.eval(inner, frame);
                (
                    frame.mode.recording,
                    frame.mode.in_type,
                    frame.mode.unevaluated,
                ) = outer;
                let is_run_time = matches!(&value, Value::Int(int) if !int.is_static())
                    || matches!(&value, Value::Unknown(Reason::RunTime(_)));
                let written = (is_run_time && self.settings.is_cpp())
                    .then(|| self.written_integer(inner, frame))
                    .flatten();
                let is_computed = matches!(value, Value::Int(_)) && !gives_int(inner)
                    || matches!(
                        inner.kind,
                        ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Ternary(..)
                    );
                match written {
                    Some(scalar) => Type::Scalar(scalar),
                    None if is_run_time
                        && !matches!(value, Value::Unknown(_))
                        && self.measures_parameter(inner, frame) =>
                    {
                        Type::Of(Box::new(value))
                    }
                    None if is_computed && self.has_types(&value) => {
                        Type::Unknown(Reason::UNDECLARED_INTEGER)
                    }
                    None => Type::of(&value),
                }
            }
            ExprKind::Pointer(inner) => Type::Pointer(Box::new(self.eval_type(inner, frame))),
            ExprKind::Array(inner, length) => {
                let element = self.eval_type(inner, frame);
                let length = length.as_ref().map(|it| self.constant_number(it, frame));
                Type::Array(Box::new(element), length.and_then(Result::ok))
            }
            ExprKind::Reference(inner, _) | ExprKind::Const(inner) => self.eval_type(inner, frame),
            _ => Type::Unknown(Reason::Construct("a function type")),
        };
        Value::Type(Box::new(ty))
    }

    /// Whether an integer is a size of the value of a template parameter that nothing binds, `size(tiled_copy)`: its
    /// type may fix it, as `Int<N>` does.
    fn measures_parameter(&mut self, expr: &'u Expr, frame: &mut Frame<'u>) -> bool {
        let ExprKind::Call(_, args) = &expr.kind else {
            return false;
        };
        let outer = frame.mode.pause();
        let is_open = args
            .iter()
            .any(|arg| self.eval(arg, frame).open_parameter().is_some());
        frame.mode.recording = outer;
        is_open
    }

    /// An expression where a type is expected.
    pub(super) fn eval_type(&mut self, expr: &'u Expr, frame: &mut Frame<'u>) -> Type {
        match self.eval(expr, frame) {
            Value::Type(ty) => *ty,
            Value::Unknown(reason) => Type::Unknown(reason),
            value => Type::of(&value),
        }
    }

    /// The text of a piece of source.
    pub(super) fn written(&self, span: Span) -> &'u str {
        self.program
            .file_of(span)
            .map_or("", |file| file.slice(span))
    }

    /// Template arguments or call arguments, with packs expanded.
    pub(super) fn eval_all(&mut self, exprs: &'u [Expr], frame: &mut Frame<'u>) -> Vec<Value> {
        let mut values = Vec::with_capacity(exprs.len());
        let mut room = Room::ONE_VALUE;
        for expr in exprs {
            let more = match &expr.kind {
                ExprKind::Expand(pattern) => self.expanded(pattern, frame),
                _ => vec![self.eval(expr, frame)],
            };
            values.extend(more.into_iter().map(|value| {
                if room.admits(&value) {
                    value
                } else {
                    Value::Unknown(Reason::Limit("values with too many parts"))
                }
            }));
            if values.len() > limits::VALUE_PARTS {
                return vec![Value::Unknown(TOO_MANY_VALUES)];
            }
        }
        values
    }

    /// `pattern...`: the pattern for each element of the packs that it names.
    pub(super) fn expanded(&mut self, pattern: &'u Expr, frame: &mut Frame<'u>) -> Vec<Value> {
        let mut packs: Vec<(&'u str, Variable, Vec<Value>)> = Vec::new();
        if pattern.as_plain_name().is_none() {
            walk::subexpressions(pattern, &mut |part: &'u Expr| {
                let Some(first) = part.as_path().and_then(|path| path.segments.first()) else {
                    return;
                };
                let name = first.name.name.as_str();
                if let Some(variable) = frame.find(name)
                    && let Value::Pack(items) = &variable.value
                    && packs.iter().all(|(known, ..)| *known != name)
                {
                    let items = items.clone();
                    let one = Variable {
                        value: Value::Nothing,
                        ..*variable
                    };
                    packs.push((name, one, items));
                }
            });
        }
        if let Some(reason) = packs
            .iter()
            .find_map(|(.., items)| expands_open_pack(items))
        {
            return vec![Value::Unknown(reason)];
        }
        let Some(count) = packs.first().map(|(.., items)| items.len()) else {
            return match self.eval(pattern, frame) {
                Value::Pack(items) => items,
                value => vec![value],
            };
        };
        if packs.iter().any(|(.., items)| items.len() != count) {
            return vec![construct("packs of different lengths")];
        }
        let mut values = Vec::with_capacity(count);
        for index in 0..count {
            let elements = packs.iter().filter_map(|(name, pack, items)| {
                let value = items.get(index)?.clone();
                Some((
                    *name,
                    Variable {
                        value,
                        ..pack.clone()
                    },
                ))
            });
            frame.scopes.push(elements.collect());
            values.push(self.eval(pattern, frame));
            frame.scopes.pop();
        }
        values
    }
}

/// Whether a cast is to the type of a parameter itself: `static_cast<T&&>(x)` of a parameter `T&& x`.
fn is_own_type(operand: &Expr, written: &Expr, frame: &Frame<'_>) -> bool {
    let variable = operand.as_plain_name().and_then(|name| frame.find(name));
    let binding = variable.and_then(|it| frame.locals.declaration(it.declared));
    let declared = binding.and_then(|binding| plain_name(binding.ty.as_ref()?));
    declared.is_some() && declared == plain_name(written)
}

fn is_operator(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Ternary(..)
            | ExprKind::Cast(..)
            | ExprKind::Member { .. }
            | ExprKind::Index(..)
    )
}

fn is_type(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::Auto
            | ExprKind::Decltype(_)
            | ExprKind::Pointer(_)
            | ExprKind::Reference(..)
            | ExprKind::Const(_)
            | ExprKind::Array(..)
            | ExprKind::FunctionType(..)
    )
}

fn is_notation(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::Tuple(_)
            | ExprKind::Layout(..)
            | ExprKind::Static(_)
            | ExprKind::Rational(_)
            | ExprKind::Basis(..)
            | ExprKind::Xor(_)
            | ExprKind::Unknown(_)
            | ExprKind::Underscore
            | ExprKind::Swizzle(..)
            | ExprKind::Composition(_)
            | ExprKind::Divide(..)
            | ExprKind::Product(..)
            | ExprKind::Tiler(_)
            | ExprKind::Engine(_)
            | ExprKind::Attribute(_)
    )
}

pub(super) fn scalar(name: &str) -> Option<Scalar> {
    Scalar::of_spelling(name)
}

fn float_type(text: &str) -> Scalar {
    let name = if text.ends_with(['f', 'F']) {
        "float"
    } else {
        "double"
    };
    Scalar::of_spelling(name).unwrap_or(Scalar {
        name: "double",
        bits: 64,
        class: crate::types::ScalarClass::Float,
    })
}

/// A number of bytes, or why it is not known.
fn bytes(count: Result<u64, Reason>) -> Value {
    match count.map(i64::try_from) {
        Ok(Ok(bytes)) => Value::Int(Int::dynamic(bytes)),
        Ok(Err(_)) => Value::Unknown(Reason::Limit("a type larger than memory")),
        Err(reason) => Value::Unknown(reason),
    }
}
