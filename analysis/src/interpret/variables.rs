//! Declarations of local variables.

use std::sync::Arc;

use tree_sitter_cute::tree::{Binding, Expr, ExprKind, Ident, Reference, Span, UnaryOp};

use super::Interpreter;
use super::declarations::is_open_to_machine;
use super::frame::{Frame, Variable};
use super::integers::is_beyond;
use crate::reason::Reason;
use crate::role::Role;
use crate::types::Type;
use crate::value::{Kind, Object, Value};

impl<'u> Interpreter<'u> {
    pub(super) fn exec_binding(&mut self, binding: &'u Binding, frame: &mut Frame<'u>) {
        let Some(name) = &binding.name else {
            return;
        };
        if binding.role == tree_sitter_cute::tree::Role::Alias {
            let ty = match &binding.init {
                Some(init) if binding.tparams.is_empty() => self.eval_type(init, frame),
                _ => Type::Unknown(Reason::NotEvaluated(name.name.as_str().into())),
            };
            let value = match ty {
                Type::Unknown(reason) => Value::Unknown(reason),
                ty => Value::Type(Box::new(ty)),
            };
            frame.locals.declare(name.span, binding, true);
            self.declare(
                name,
                Role::Alias,
                binding.span,
                value,
                binding.init.as_ref(),
                frame,
            );
            return;
        }
        if self.is_rust() {
            self.trace_shared_of_rust(binding, frame);
        } else {
            self.trace_shared(binding, frame);
        }
        let fields = super::pipelines::fields_of_params(binding, frame);
        let value = self.initial_value(binding, name, frame);
        let value = self.constant_of_block(value, binding, frame);
        let value = super::memory::of_own_place(value, binding, name.span);
        let fixed = binding.specifiers.constexpr || binding.specifiers.constant;
        let is_constant = fixed && !self.is_rust();
        frame.locals.declare(name.span, binding, is_constant);
        if !is_constant && binding.ty.is_some() {
            frame.locals.written_types.insert(name.span, binding);
        }
        if !self.is_rust() {
            self.note_reference(binding, frame);
        }
        self.trace_pipeline(binding, name, &value, fields, frame);
        self.note_address(binding, name, &value, frame);
        if self.is_rust() {
            self.note_launch_config(binding, name.span, frame);
        } else {
            self.note_launch_params(binding, name.span, frame);
            self.note_configuration(binding, name.span, frame);
        }
        self.note_reserved_at_object(binding, frame);
        // A variable that Rust declares `mut` is not followed: most of them change. A static variable has the value
        // that the last call left.
        let may_change = self.is_rust()
            || binding.specifiers.is_static
            || frame
                .changes
                .untraceable
                .changed
                .contains(name.name.as_str());
        let value = if !fixed && may_change {
            self.changeable(value, name, frame)
        } else {
            value
        };
        let value = frame.changes.begun(value, name.span);
        self.declare(
            name,
            Role::Var,
            binding.span,
            value,
            binding.init.as_ref(),
            frame,
        );
    }

    /// The value of a `constexpr` variable of a function that the evaluation does not know: the machine runs its
    /// initialiser.
    fn constant_of_block(
        &mut self,
        value: Value,
        binding: &'u Binding,
        frame: &Frame<'u>,
    ) -> Value {
        let is_constant = binding.specifiers.constexpr && self.settings.is_cpp();
        if !is_constant
            || binding.reference != Reference::None
            || frame.mode.open
            || self.nesting.in_machine
            || !is_open_to_machine(&value)
        {
            return value;
        }
        self.constant_by_machine(binding, frame).unwrap_or(value)
    }

    /// The initial value of a variable.
    pub(super) fn initial_value(
        &mut self,
        binding: &'u Binding,
        name: &'u Ident,
        frame: &mut Frame<'u>,
    ) -> Value {
        let is_written_tuple = |ty: &Expr| matches!(ty.kind, ExprKind::Tuple(_));
        let is_tuple = self.is_rust() && binding.ty.as_ref().is_some_and(is_written_tuple);
        let ty = match &binding.ty {
            // A tuple has the types of its elements.
            Some(_) if is_tuple => Type::Placeholder,
            Some(ty) => {
                let ty = self.eval_type(ty, frame);
                self.annotated(ty)
            }
            None => Type::Placeholder,
        };
        let integral = matches!(&ty, Type::Scalar(scalar) if scalar.is_integer());
        let value = match &binding.init {
            Some(init) => {
                let designated = match &init.kind {
                    tree_sitter_cute::tree::ExprKind::Braced(items) => {
                        self.designated(&ty, items, frame)
                    }
                    _ => None,
                };
                let given = designated.unwrap_or_else(|| self.eval(init, frame));
                match (&given, &init.kind) {
                    (Value::Tuple(items), tree_sitter_cute::tree::ExprKind::Braced(_))
                        if !matches!(ty, Type::Placeholder) =>
                    {
                        self.construct_value(&ty, items, frame)
                    }
                    _ => {
                        let given = self.as_declared(given, &ty);
                        let given = match binding.reference {
                            Reference::None => self.copied(given, init),
                            _ => given,
                        };
                        super::conversion::convert(given, &ty)
                    }
                }
            }
            None if is_array(binding) => self.array(binding, &ty, frame),
            None if binding.specifiers.is_extern => self.symbolic_value(&ty, name, frame),
            None => match &ty {
                // Uninitialised: whatever memory holds.
                Type::Scalar(_) | Type::Pointer(_) | Type::Array(..) | Type::Class(_) => {
                    self.symbolic_value(&ty, name, frame)
                }
                Type::Of(value) if !value.is_static() => self.symbolic_value(&ty, name, frame),
                _ => self.construct_value(&ty, &[], frame),
            },
        };
        let is_copied = matches!(ty, Type::Placeholder)
            && !is_tuple
            && binding.reference == Reference::None
            && !binding.specifiers.constexpr;
        let is_choice = matches!(
            binding.init.as_ref().map(|init| &init.kind),
            Some(tree_sitter_cute::tree::ExprKind::Ternary(..))
        );
        match value {
            // One of two numbers is known by the name that it gets.
            Value::Int(int) if integral && is_choice && int.value().is_none() => {
                self.run_time_integer(&name.name, name.span, frame)
            }
            Value::Unknown(Reason::Unbound(_)) if integral => {
                self.run_time_integer(&name.name, name.span, frame)
            }
            Value::Unknown(reason) if is_beyond(&reason) => Value::Unknown(reason),
            Value::Unknown(_) if integral && !binding.specifiers.constexpr => {
                self.run_time_integer(&name.name, name.span, frame)
            }
            value => match &binding.init {
                Some(init) if is_copied => {
                    self.run_time_number(value, init, (&name.name, name.span), frame)
                }
                _ => value,
            },
        }
    }

    /// A value that a variable is given: of a copy of an object that its class makes only the type is known.
    pub(super) fn copied(&mut self, value: Value, init: &Expr) -> Value {
        let names_object = matches!(
            init.kind,
            ExprKind::Name(_)
                | ExprKind::Member { .. }
                | ExprKind::Index(..)
                | ExprKind::Unary(UnaryOp::Deref, _)
        );
        match &value {
            Value::Pointer(_) => value.decayed(),
            Value::Object(object)
                if names_object
                    && self.settings.is_cpp()
                    && self.copies_with_code(object.class.instance) =>
            {
                Value::Instance(Box::new(Type::Record(object.class.clone())))
            }
            _ => value,
        }
    }

    /// A C array: the memory it lives in and the type of its elements.
    pub(super) fn array(
        &mut self,
        binding: &'u Binding,
        ty: &Type,
        frame: &mut Frame<'u>,
    ) -> Value {
        if let Some(tree_sitter_cute::tree::ExprKind::Array(_, Some(length))) =
            binding.ty.as_ref().map(|ty| &ty.kind)
        {
            self.eval(length, frame);
        }
        let length = match ty {
            Type::Array(_, length) => *length,
            _ => None,
        };
        Value::Pointer(crate::tensor::Pointer::array(ty.pointee().cloned(), length))
    }

    /// A variable that may change: its run-time integers are symbols from the start.
    pub(super) fn changeable(
        &mut self,
        value: Value,
        name: &'u Ident,
        frame: &mut Frame<'u>,
    ) -> Value {
        if value.is_static() {
            // A type fixes it, except in Rust, where all layouts are of one type.
            return match value.kind() {
                Kind::Layout | Kind::ComposedLayout | Kind::Swizzle | Kind::Tuple | Kind::Int
                    if self.is_rust() =>
                {
                    Value::Unknown(Reason::Changed(name.name.as_str().into()))
                }
                _ => value,
            };
        }
        let number = value.as_int().and_then(cute_algebra::Int::value);
        let copy = self.fresh_copy(value, &name.name, name.span, frame);
        if let Some(number) = number {
            self.recorder.nominal(&copy, number, name.span);
        }
        copy
    }

    /// A value of the same type with other run-time integers.
    pub(super) fn fresh_copy(
        &mut self,
        value: Value,
        name: &str,
        place: Span,
        frame: &mut Frame<'u>,
    ) -> Value {
        match &value {
            Value::Int(int) if !int.is_static() => self.run_time_integer(name, place, frame),
            Value::Bool(truth) if !truth.fixed => Value::Unknown(Reason::Changed(name.into())),
            Value::Tensor(tensor) => {
                let layout = self.fresh_copy(tensor.layout_value(), name, place, frame);
                match layout.as_any_layout() {
                    Some(layout) => Value::Tensor(Box::new(crate::tensor::Tensor {
                        engine: tensor.engine.clone(),
                        layout,
                    })),
                    None => Value::Unknown(Reason::Changed(name.into())),
                }
            }
            Value::Object(object) => {
                let fields = object
                    .fields
                    .iter()
                    .map(|(field, value)| {
                        let named = format!("{name}.{field}");
                        let copy = self.fresh_copy(value.clone(), &named, place, frame);
                        (field.clone(), copy)
                    })
                    .collect();
                Value::Object(Arc::new(Object {
                    class: object.class.clone(),
                    fields,
                }))
            }
            Value::Builtin(_) => Value::Unknown(Reason::Changed(name.into())),
            Value::Callable(_) if self.is_function(&value) => {
                Value::Unknown(Reason::RunTime("a pointer to a function".into()))
            }
            Value::Unknown(_) => value,
            _ => {
                let mut count = 0;
                let mut leaf = |_: &cute_algebra::Int| {
                    let unique = frame.symbol_name(&format!("{name}.{count}"));
                    count += 1;
                    cute_algebra::Int::symbol(&unique)
                };
                match (value.map_run_time(&mut leaf), value) {
                    (Some(copy), _) => copy,
                    // Each item keeps its type.
                    (None, Value::Tuple(items)) if self.settings.is_cpp() => {
                        let items = items.into_iter().enumerate().map(|(index, item)| {
                            let named = format!("{name}.{index}");
                            self.fresh_copy(item, &named, place, frame)
                        });
                        Value::Tuple(items.collect())
                    }
                    (None, _) => Value::Unknown(Reason::Changed(name.into())),
                }
            }
        }
    }

    /// Adds a name to the innermost scope and keeps its fact.
    pub(super) fn declare(
        &mut self,
        name: &'u Ident,
        role: Role,
        span: Span,
        value: Value,
        init: Option<&'u Expr>,
        frame: &mut Frame<'u>,
    ) {
        self.declare_fact(name, role, span, &value, frame);
        self.recorder.note_declaration(name.span, name.span);
        if let Some(init) = init {
            self.note_initialiser(name.span, init);
        }
        // Two branches of an `#if` that declare one name differently leave it open.
        let value = match frame
            .scopes
            .last()
            .and_then(|scope| scope.get(name.name.as_str()))
        {
            Some(known) if frame.control.conditional > 0 && known.value != value => {
                Value::Unknown(Reason::Ambiguous(name.name.as_str().into()))
            }
            _ => value,
        };
        let read = !frame
            .changes
            .untraceable
            .changed
            .contains(name.name.as_str());
        frame.declare(
            &name.name,
            Variable {
                value,
                declared: name.span,
                read,
            },
        );
    }
}

pub(super) fn is_array(binding: &Binding) -> bool {
    matches!(
        binding.ty.as_ref().map(|ty| &ty.kind),
        Some(tree_sitter_cute::tree::ExprKind::Array(..))
    )
}
