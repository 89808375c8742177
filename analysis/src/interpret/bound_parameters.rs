//! The parameters of a function instance, bound to arguments or symbols.

use tree_sitter_cute::Host;
use tree_sitter_cute::tree::Reference;

use super::Interpreter;
use super::conversion::convert;
use super::deduction::open_pack;
use super::frame::{Frame, Variable};
use super::integers::DEDUCED;
use crate::reason::Reason;
use crate::role::Role;
use crate::types::Type;
use crate::value::Value;

impl<'u> Interpreter<'u> {
    pub(super) fn report_template_parameters(
        &mut self,
        tparams: &'u [tree_sitter_cute::tree::TemplateParam],
        frame: &mut Frame<'u>,
    ) {
        for tparam in tparams {
            if let Some(name) = &tparam.name
                && let Some(variable) = frame.find(&name.name)
            {
                let value = variable.value.clone();
                self.declare_fact(name, Role::TParam, tparam.span, &value, frame);
            }
        }
    }

    pub(super) fn declare_parameter(
        &mut self,
        param: &'u tree_sitter_cute::tree::Binding,
        given: Option<Value>,
        frame: &mut Frame<'u>,
    ) {
        if self.settings.host == Host::Python {
            return self.declare_python_parameter(param, given, frame);
        }
        let ty = match &param.ty {
            Some(ty) => match self.eval_type(ty, frame) {
                // That of the argument.
                Type::Unknown(DEDUCED) => Type::Placeholder,
                ty => ty,
            },
            None => Type::Placeholder,
        };
        let Some(name) = &param.name else {
            return;
        };
        let value = match given {
            Some(Value::Pack(values)) => Value::Pack(values),
            None if param.specifiers.pack => open_pack(&name.name),
            Some(value) => {
                let value = self.as_declared(value, &ty);
                let value = convert(value, &self.annotated(ty.clone()));
                self.parameter_value(value, &ty, name, frame)
            }
            None => match &param.init {
                Some(init) if !frame.mode.recording => {
                    let value = self.eval(init, frame);
                    convert(value, &ty)
                }
                _ => self.symbolic_value(&ty, name, frame),
            },
        };
        self.enter_parameter(param, name, value, frame);
    }

    /// Declares a parameter with its argument, which has its type.
    pub(super) fn bind_parameter(
        &mut self,
        param: &'u tree_sitter_cute::tree::Binding,
        name: &'u tree_sitter_cute::tree::Ident,
        given: Value,
        ty: &Type,
        frame: &mut Frame<'u>,
    ) {
        let value = match given {
            Value::Pack(values) => Value::Pack(values),
            value => self.parameter_value(value, ty, name, frame),
        };
        self.enter_parameter(param, name, value, frame);
    }

    pub(super) fn enter_parameter(
        &mut self,
        param: &'u tree_sitter_cute::tree::Binding,
        name: &'u tree_sitter_cute::tree::Ident,
        value: Value,
        frame: &mut Frame<'u>,
    ) {
        let untraceable = if self.is_rust() {
            !param.specifiers.constant
        } else {
            frame
                .changes
                .untraceable
                .changed
                .contains(name.name.as_str())
        };
        let value = match param.reference {
            Reference::None => value.decayed(),
            _ => value,
        };
        let value = if untraceable {
            self.changeable(value, name, frame)
        } else {
            value
        };
        let is_constant = param.specifiers.constant && !self.is_rust();
        frame.locals.declare(name.span, param, is_constant);
        self.recorder.note_declaration(name.span, name.span);
        self.declare_fact(name, Role::Param, param.span, &value, frame);
        frame.declare(
            &name.name,
            Variable {
                value,
                declared: name.span,
                read: !untraceable,
            },
        );
    }

    /// In a reported instance a run-time integer parameter is the symbol of its name.
    pub(super) fn parameter_value(
        &mut self,
        value: Value,
        ty: &Type,
        name: &'u tree_sitter_cute::tree::Ident,
        frame: &mut Frame<'u>,
    ) -> Value {
        let integral = matches!(ty, Type::Scalar(scalar) if scalar.is_integer());
        match &value {
            Value::Int(int) if frame.mode.recording && !int.is_static() => {
                let number = int.value();
                let symbol = self.run_time_integer(&name.name, name.span, frame);
                if let Some(number) = number {
                    self.recorder.nominal(&symbol, number, name.span);
                }
                symbol
            }
            Value::Unknown(_) if integral => self.run_time_integer(&name.name, name.span, frame),
            // In Rust an argument has the type of its parameter.
            Value::Unknown(_) if self.is_rust() && matches!(ty, Type::Record(_)) => {
                self.symbolic_value(ty, name, frame)
            }
            _ => value,
        }
    }

    /// The value of a parameter of which only the type is known.
    pub(super) fn symbolic_value(
        &mut self,
        ty: &Type,
        name: &'u tree_sitter_cute::tree::Ident,
        frame: &mut Frame<'u>,
    ) -> Value {
        match ty {
            Type::Scalar(scalar) if scalar.is_integer() => {
                self.run_time_integer(&name.name, name.span, frame)
            }
            Type::Scalar(scalar) if scalar.class == crate::types::ScalarClass::Bool => {
                self.run_time_truth(&name.name, name.span)
            }
            Type::Scalar(scalar) => Value::Number(*scalar),
            Type::Of(value) => {
                let (value, place) = ((**value).clone(), name.span);
                self.fresh_copy(value, &name.name, place, frame)
            }
            Type::Class(class) if class.short_array().is_some() => {
                let count = class.short_array().unwrap_or(0);
                let items = (0..count).map(|index| {
                    self.run_time_integer(&format!("{}[{index}]", name.name), name.span, frame)
                });
                Value::Tuple(items.collect())
            }
            Type::Pointer(_) | Type::Class(_) => match ty.pointee() {
                Some(element) => {
                    Value::Pointer(crate::tensor::Pointer::generic(Some(element.clone())))
                }
                None => Value::Instance(Box::new(ty.clone())),
            },
            Type::Array(element, length) => {
                let element = Some((**element).clone());
                Value::Pointer(crate::tensor::Pointer::array(element, *length))
            }
            // Its parts are symbols where they are used as numbers.
            Type::Parameter(_) if self.settings.is_cpp() => Value::Instance(Box::new(ty.clone())),
            Type::Parameter(parameter) => Value::Unknown(Reason::Unbound(parameter.clone())),
            Type::Placeholder | Type::Template(..) => {
                Value::Unknown(Reason::Unbound(name.name.as_str().into()))
            }
            Type::Unknown(reason) => Value::Unknown(reason.clone()),
            Type::Named(_) | Type::Part(_) => Value::Instance(Box::new(ty.clone())),
            Type::Record(record) => {
                self.symbolic_object_at(&record.clone(), &name.name, Some(name.span))
            }
        }
    }
}
