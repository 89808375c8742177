//! Calls of methods.

use cute_algebra::Int;
use tree_sitter_cute::tree::{Expr, ExprKind, Function, Segment};

use super::frame::Frame;
use super::heads::is_generic;
use super::overloads::{Asked, Named, Selection};
use super::site::{Caller, Site};
use super::written_arguments::is_constant;
use super::{Interpreter, construct};
use crate::fact::WordKind;
use crate::reason::{Kept, Reason};
use crate::tensor::Pointer;
use crate::types::Type;
use crate::value::{Truth, Value};
use crate::vocabulary::{self};

/// Methods of containers that give one of their elements.
pub(super) const ELEMENTS: &[&str] = &["at", "front", "back"];

impl<'u> Interpreter<'u> {
    pub(super) fn call_member(
        &mut self,
        expr: &'u Expr,
        object: &Value,
        member: &'u Segment,
        values: &[Value],
        args: &'u [Expr],
        frame: &mut Frame<'u>,
    ) -> Value {
        if let Value::Unknown(Reason::Uneven(even)) = object
            && let Some(even) = even.value::<Value>()
        {
            // The tensors of a copy are those without the modes that its layout has too much.
            return match self.call_member(expr, even, member, values, args, frame) {
                value @ Value::Tensor(_) => value,
                value @ Value::ThrCopy(_) => Value::Unknown(Reason::Uneven(Kept::of(value))),
                _ => object.clone(),
            };
        }
        let name = member.name.name.as_str();
        if let Some(written) = receiver(expr)
            && let Some(number) = self.state_of_pipeline(object, written, name, frame)
        {
            return number;
        }
        if let (Value::Callable(id), "operator()") = (object, name) {
            let explicit = self.template_arguments(Some(member), frame);
            return self.call_written(expr, *id, &explicit, (values, args), frame);
        }
        if self.is_rust() && !matches!(object, Value::Object(_)) {
            return self.call_library_method(expr, object, member, values, args, frame);
        }
        // `pointer->method()` of a class of the file.
        let pointed = match object {
            Value::Pointer(_) if ELEMENTS.contains(&name) => {
                return self.element(object, expr, frame);
            }
            Value::Pointer(pointer) if vocabulary::method(name).is_none() => {
                match pointer.element.as_deref() {
                    Some(Type::Record(_)) => Some(self.pointee(object, receiver(expr), frame)),
                    _ => None,
                }
            }
            // A plain pointer has no methods: `tma->get_tma_tensor(shape)`.
            Value::Pointer(pointer) if pointer.is_generic() && points_to_object(pointer) => {
                Some(self.pointee(object, receiver(expr), frame))
            }
            _ => None,
        };
        let object = pointed.as_ref().unwrap_or(object);
        let class = match vocabulary::method(name) {
            None => self.class_behind(object),
            Some(_) => None,
        };
        let made = class.map(|class| {
            let name = self.object_name(receiver(expr), frame);
            self.symbolic_object(&class, &name)
        });
        let object = made.as_ref().unwrap_or(object);
        if let Value::Tuple(items) = object
            && self.settings.is_cpp()
            && let Some(value) = method_of_array(items, name, values)
        {
            return value;
        }
        let unseen = self.unseen_object(object, member, expr, frame);
        let object = unseen.as_ref().unwrap_or(object);
        match object {
            Value::Unknown(_) => object.clone(),
            Value::Object(found) => {
                let record = found.class.instance;
                let Some((record, methods)) = self.inherited_methods(record, name) else {
                    let field = self.member(object, member, expr.span, frame);
                    return self.call_value(expr, &field, values, args, frame);
                };
                let value = self.call_methods(
                    expr,
                    record,
                    Some(object.clone()),
                    &methods,
                    Some(member),
                    (values, args),
                    frame,
                );
                match value {
                    // A number that only the library's object has takes the name of its variable.
                    Value::Int(int) if made.is_some() && int.value().is_none() => {
                        Value::Unknown(Reason::RunTime(format!("`{name}()`").into()))
                    }
                    value => value,
                }
            }
            // A number has no methods.
            Value::Bool(_) | Value::Number(_) if self.settings.is_cpp() => no_method(object, name),
            Value::Int(int) if self.has_types(object) && int.value().is_some() => {
                no_method(object, name)
            }
            _ => {
                let Some(method) = vocabulary::method(name) else {
                    return no_method(object, name);
                };
                self.recorder
                    .note_word(member.name.span, WordKind::Function(method.name), frame);
                let targs = self.template_arguments(Some(member), frame);
                let mut all = vec![object.clone()];
                all.extend(values.iter().cloned());
                let mut remarks = Vec::new();
                let answer = method.call_in(self.surroundings(), &targs, &all, &mut remarks);
                self.answer(answer, remarks, expr.span, args, frame)
            }
        }
    }

    /// An object of a class of the sources of which only the type is known, such as one that changes or an element of a tuple
    /// that was declared: its members are symbols with separate names.
    pub(super) fn unseen_object(
        &mut self,
        object: &Value,
        member: &'u Segment,
        expr: &'u Expr,
        frame: &mut Frame<'u>,
    ) -> Option<Value> {
        let (Value::Instance(ty) | Value::Type(ty)) = object else {
            return None;
        };
        let Type::Record(class) = &**ty else {
            return None;
        };
        self.inherited_methods(class.instance, &member.name.name)?;
        let name = self.object_name(receiver(expr), frame);
        Some(self.symbolic_object(class, &name))
    }

    #[allow(clippy::too_many_arguments)] // A method call has this many parts.
    pub(super) fn call_methods(
        &mut self,
        expr: &'u Expr,
        record: usize,
        this: Option<Value>,
        methods: &[&'u Function],
        segment: Option<&'u Segment>,
        (values, args): (&[Value], &'u [Expr]),
        frame: &mut Frame<'u>,
    ) -> Value {
        let name = segment.map_or("operator()", |segment| &segment.name.name);
        let explicit = self.explicit_arguments(segment, frame);
        let arguments = self.arguments_of(args, values, frame);
        let constant = match receiver(expr) {
            Some(object) => is_constant(object, frame),
            None => match &expr.kind {
                ExprKind::Call(callee, _) if segment.is_none() => is_constant(callee, frame),
                _ => frame.owner.constant_object,
            },
        };
        let asked = Asked {
            explicit: &explicit,
            values,
            arguments: &arguments,
            constant,
        };
        if self.uses_name(record, name) {
            return Value::Unknown(Reason::Ambiguous(name.into()));
        }
        let module = self.module_of_record(record);
        let named: Vec<Named<'u>> = methods
            .iter()
            .map(|method| (None, *method, module))
            .collect();
        let chosen = match self.overload(&named, Some(record), &asked) {
            Selection::One(chosen) => chosen,
            Selection::Nothing => return Value::Unknown(Reason::NoBody(name.into())),
            Selection::Open(reason, _) => return Value::Unknown(reason),
        };
        let function = match self.specialised_method(record, chosen.function) {
            Ok(function) => function,
            Err(reason) => return Value::Unknown(reason),
        };
        // The class of the object that runs may be another one.
        if self.is_virtual(record, name) {
            return construct("a call of a virtual function");
        }
        let bound = chosen.bound;
        let site = Site {
            module,
            record: Some(record),
            this,
        };
        if function.body.is_none() {
            return Value::Unknown(Reason::NoBody(function.name.name.as_str().into()));
        }
        if frame.mode.recording && is_generic(function) {
            let span = segment.map_or(function.name.span, |segment| segment.name.span);
            let place = self.instance_name(span, frame);
            let caller = Caller::of(frame);
            self.record_method_of(function, &site, &bound, place, caller);
        }
        self.evaluate_called(expr, function, site, bound, frame)
    }
}

/// The object of a method call, as it is written.
pub(super) fn receiver(call: &Expr) -> Option<&Expr> {
    let ExprKind::Call(callee, _) = &call.kind else {
        return None;
    };
    match &callee.kind {
        ExprKind::Member { object, .. } => Some(object),
        _ => None,
    }
}

/// Whether the pointee of a pointer is an object of CuTe's that has methods, no number.
pub(super) fn points_to_object(pointer: &Pointer) -> bool {
    match pointer.element.as_deref() {
        Some(Type::Of(value)) => matches!(
            **value,
            Value::CopyAtom(_) | Value::MmaAtom(_) | Value::TiledCopy(_) | Value::TiledMma(_)
        ),
        _ => false,
    }
}

/// A method that is not known: CuTe's classes may have others.
pub(super) fn no_method(object: &Value, name: &str) -> Value {
    let is_number = match object {
        Value::Int(int) => !int.is_static(),
        Value::Bool(truth) => !truth.fixed,
        Value::Number(_) => true,
        _ => false,
    };
    let of = object.to_string().into();
    Value::Unknown(object.open_parameter().unwrap_or(if is_number {
        Reason::NoMember(name.into(), of)
    } else {
        Reason::MemberNotEvaluated(name.into(), of)
    }))
}

/// A method of `std::array` and `cute::array`, which are tuples here; CuTe's own tuples have none.
pub(super) fn method_of_array(items: &[Value], name: &str, args: &[Value]) -> Option<Value> {
    let count = || i64::try_from(items.len()).unwrap_or(i64::MAX);
    let element = |index: usize| {
        let item = items.get(index).cloned();
        item.unwrap_or_else(|| construct("an element outside an array"))
    };
    Some(match (name, args) {
        ("size" | "max_size" | "ssize", []) => Value::Int(Int::dynamic(count())),
        ("empty", []) => Value::Bool(Truth::run_time(items.is_empty())),
        ("front", []) => element(0),
        ("back", []) => element(items.len().wrapping_sub(1)),
        ("at", [index]) => {
            let index = index.as_int().and_then(Int::value);
            let index = index.and_then(|index| usize::try_from(index).ok())?;
            element(index)
        }
        ("fill" | "swap", _) => Value::Nothing,
        ("data" | "begin" | "end" | "cbegin" | "cend" | "rbegin" | "rend", _) => {
            construct("a pointer into an array")
        }
        _ => return None,
    })
}
