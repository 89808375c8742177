//! Parameters: their annotations, and the arguments that they take.

use tree_sitter_cute::tree::{Binding, ExprKind};

use super::super::Interpreter;
use super::super::conversion::convert;
use super::super::frame::{Frame, Variable};
use crate::limits;
use crate::reason::Reason;
use crate::role::Role;
use crate::types::{Scalar, Type};
use crate::value::Value;
use crate::vocabulary::python as words;

/// The type that an annotation gives a parameter.
#[derive(Debug, Default)]
struct Annotation {
    /// A constant of the trace.
    constant: bool,
    /// The arithmetic type of its values.
    scalar: Option<Scalar>,
}

impl<'u> Interpreter<'u> {
    fn annotation(&mut self, param: &'u Binding, frame: &mut Frame<'u>) -> Annotation {
        let Some(ty) = &param.ty else {
            return Annotation::default();
        };
        let is_constexpr =
            |value: &Value| matches!(value, Value::Function(name) if &**name == words::CONSTEXPR);
        if let ExprKind::Index(outer, args) = &ty.kind {
            let outer = self.eval(outer, frame);
            let inner = match args.as_slice() {
                [only] => Some(self.eval(only, frame)),
                _ => None,
            };
            return Annotation {
                constant: is_constexpr(&outer),
                scalar: inner.as_ref().and_then(scalar_of),
            };
        }
        let value = self.eval(ty, frame);
        Annotation {
            constant: is_constexpr(&value),
            scalar: scalar_of(&value),
        }
    }

    /// Declares a parameter. Without an argument it is a symbol where its annotation, its default or
    /// an assumption says that it is an integer.
    pub(in super::super) fn declare_python_parameter(
        &mut self,
        param: &'u Binding,
        given: Option<Value>,
        frame: &mut Frame<'u>,
    ) {
        let annotation = self.annotation(param, frame);
        let Some(name) = &param.name else {
            return;
        };
        let value = match given {
            Some(value) => {
                let value = match annotation.scalar {
                    Some(scalar) if !annotation.constant => convert(value, &Type::Scalar(scalar)),
                    _ => value,
                };
                match &value {
                    Value::Int(int) if frame.mode.recording && !int.is_static() => {
                        let number = int.value();
                        let symbol = self.run_time_integer(&name.name, name.span, frame);
                        if let Some(number) = number {
                            self.recorder.nominal(&symbol, number, name.span);
                        }
                        symbol
                    }
                    _ => value,
                }
            }
            None => self.unknown_argument(param, &annotation, frame),
        };
        self.recorder.note_declaration(name.span, name.span);
        self.declare_fact(name, Role::Param, param.span, &value, frame);
        frame.declare(
            &name.name,
            Variable {
                value,
                declared: name.span,
                read: true,
            },
        );
    }

    fn unknown_argument(
        &mut self,
        param: &'u Binding,
        annotation: &Annotation,
        frame: &mut Frame<'u>,
    ) -> Value {
        let Some(name) = &param.name else {
            return Value::Nothing;
        };
        let default = param.init.as_ref().map(|init| self.eval(init, frame));
        let number = match &default {
            Some(Value::Int(int)) => int.value(),
            _ => None,
        };
        let integral = annotation.scalar.is_some_and(Scalar::is_integer);
        let assumed = self.assumed_value(&name.name, name.span);
        if !param.specifiers.pack && (integral || number.is_some() || assumed.is_some()) {
            let value = self.run_time_integer(&name.name, name.span, frame);
            if let Some(number) = number {
                self.recorder.nominal(&value, number, name.span);
            }
            return match value {
                Value::Int(int) if annotation.constant => Value::Int(int.to_fixed()),
                value => value,
            };
        }
        match annotation.scalar {
            Some(scalar) if !scalar.is_integer() => Value::Number(scalar),
            _ => Value::Unknown(Reason::Parameter(name.name.as_str().into())),
        }
    }

    /// Binds arguments to the parameters of the function `name`. `from_host` says that the call starts a
    /// trace: integers arrive at run time then, but for constants.
    pub(super) fn bind_python(
        &mut self,
        declared: &'u [Binding],
        name: &str,
        given: words::Arguments<'_>,
        from_host: bool,
    ) -> Result<Vec<Option<Value>>, Reason> {
        let unsuitable = || Reason::Unsuitable(name.into(), "other arguments");
        let mut outer = Frame::new(0, limits::STEPS_PER_INSTANCE);
        outer.scopes = vec![self.script.globals.clone()];
        let mut positional = given.positional.into_iter();
        let mut named = given.named;
        let mut params = Vec::with_capacity(declared.len());
        for param in declared {
            let name = param.name.as_ref().map_or("", |name| name.name.as_str());
            if param.specifiers.pack {
                params.push(Some(Value::Tuple(positional.by_ref().collect())));
                continue;
            }
            let by_name = named.iter().position(|(given, _)| *given == name);
            let value = match (positional.next(), by_name) {
                (Some(_), Some(_)) => return Err(unsuitable()),
                (Some(value), None) => value,
                (None, Some(index)) => named.swap_remove(index).1,
                (None, None) => match &param.init {
                    Some(init) => self.eval(init, &mut outer),
                    None => return Err(unsuitable()),
                },
            };
            let constant = !from_host || self.annotation(param, &mut outer).constant;
            params.push(Some(if constant { value } else { at_run_time(value) }));
        }
        let takes_names = declared.last().is_some_and(|last| last.specifiers.pack);
        if positional.next().is_some() || (!named.is_empty() && !takes_names) {
            return Err(unsuitable());
        }
        Ok(params)
    }
}

/// The arithmetic type that an annotation names; Python's own `int` is one too.
fn scalar_of(value: &Value) -> Option<Scalar> {
    match value {
        Value::Type(ty) => match &**ty {
            Type::Scalar(scalar) => Some(*scalar),
            _ => None,
        },
        Value::Function(name) if &**name == words::BUILTIN_INT => Scalar::of_spelling("int"),
        _ => None,
    }
}

/// Integers of an argument as the program gets them.
fn at_run_time(value: Value) -> Value {
    match value {
        Value::Int(int) => Value::Int(int.to_dynamic()),
        Value::Tuple(items) => Value::Tuple(items.into_iter().map(at_run_time).collect()),
        other => other,
    }
}
