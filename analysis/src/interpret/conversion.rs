//! The value after it is stored under a declared type or constructed from arguments.

use cute_algebra::Int;
use tree_sitter_cute::tree::Expr;

use super::deduction::expands_open_pack;
use super::frame::Frame;
use super::{Interpreter, construct};
use crate::reason::Reason;
use crate::tensor::Tensor;
use crate::types::{Scalar, ScalarClass, Type, is_run_time};
use crate::value::{Truth, Value};
use crate::vocabulary;

impl<'u> Interpreter<'u> {
    /// `T{..}` and `T(..)` where `T` is an expression for a type.
    pub(super) fn eval_construct(
        &mut self,
        expr: &'u Expr,
        ty: &'u Expr,
        args: &'u [Expr],
        frame: &mut Frame<'u>,
    ) -> Value {
        let target = self.eval(ty, frame);
        let values = match &target {
            Value::Type(ty) if self.is_rust() => match &**ty {
                Type::Record(record) => self.fields_in_order(record, args, frame),
                _ => self.eval_all(args, frame),
            },
            Value::Type(ty) if self.has_designators(args) => match self.designated(ty, args, frame)
            {
                Some(Value::Tuple(values)) => values,
                _ => return construct("designated initialisers"),
            },
            _ => self.eval_all(args, frame),
        };
        let value = match expands_open_pack(&values) {
            Some(open) => Value::Unknown(open),
            None => self.constructed(expr, ty, target, &values, args, frame),
        };
        self.change_passed(ty, args, frame);
        value
    }

    fn constructed(
        &mut self,
        expr: &'u Expr,
        ty: &'u Expr,
        target: Value,
        values: &[Value],
        args: &'u [Expr],
        frame: &mut Frame<'u>,
    ) -> Value {
        match target {
            Value::Type(target) => match *target {
                Type::Placeholder => self.construct_deduced(expr, ty, values, args, frame),
                _ => self.construct_value(&target, values, frame),
            },
            Value::Unknown(reason) => Value::Unknown(reason),
            // `x{}` of something that is not a type, such as `_8{}` read as a value.
            other if values.is_empty() => other,
            other => self.call_value(expr, &other, values, args, frame),
        }
    }

    /// `T{args}` or `T(args)` for a class template, whose arguments the initialisers say.
    pub(super) fn construct_deduced(
        &mut self,
        expr: &'u Expr,
        ty: &'u Expr,
        values: &[Value],
        args: &'u [Expr],
        frame: &mut Frame<'u>,
    ) -> Value {
        if let Some(class) = self.class_of_initialisers(ty, values, frame) {
            return self.construct_value(&class, values, frame);
        }
        let name = super::names::last_ident(ty).map_or("", |ident| &ident.name);
        if let Some(answer) = vocabulary::deduced(name, values) {
            return self.answer(answer, Vec::new(), expr.span, args, frame);
        }
        match values {
            [only] if self.template_in_sight(ty, frame).is_none() => only.clone(),
            _ => construct("this construction"),
        }
    }

    /// `T{args}` or `T(args)` for a type.
    pub(super) fn construct_value(
        &mut self,
        ty: &Type,
        args: &[Value],
        frame: &mut Frame<'u>,
    ) -> Value {
        match (ty, args) {
            (Type::Unknown(reason), _) => Value::Unknown(reason.clone()),
            (Type::Scalar(scalar), []) => zero(*scalar),
            // `cute::array<int, 3>`: three integers.
            (Type::Class(class), _) if class.short_array().is_some() => {
                let count = class.short_array().unwrap_or(0);
                let given = match args {
                    [Value::Tuple(items)] => items.as_slice(),
                    args => args,
                };
                if given.len() > count {
                    return construct("more initialisers than elements");
                }
                let zero = || Value::Int(Int::dynamic(0));
                Value::Tuple(
                    (0..count)
                        .map(|index| match given.get(index) {
                            Some(Value::Int(int)) => Value::Int(int.to_dynamic()),
                            Some(other) => other.clone(),
                            None => zero(),
                        })
                        .collect(),
                )
            }
            (Type::Record(record), _) => {
                let record = record.clone();
                self.construct_object(&record, args, frame)
            }
            (Type::Of(target), []) if frame.mode.open && leaves_numbers_open(target) => {
                construct("a value of a type whose template parameter may be a number")
            }
            (Type::Of(target), []) => default_of(target),
            (Type::Of(target), _) if target.is_static() => (**target).clone(),
            (Type::Of(target), _) => construct_of(target, args),
            (Type::Array(element, length), _) => {
                let element = Some((**element).clone());
                Value::Pointer(crate::tensor::Pointer::array(element, *length))
            }
            (Type::Pointer(_) | Type::Class(_), [] | [_, _, ..]) => match ty.pointee() {
                Some(element) => {
                    Value::Pointer(crate::tensor::Pointer::generic(Some(element.clone())))
                }
                None => Value::Instance(Box::new(ty.clone())),
            },
            (_, [only]) => convert(only.clone(), ty),
            (Type::Named(_) | Type::Parameter(_) | Type::Part(_), _) => {
                Value::Instance(Box::new(ty.clone()))
            }
            _ => construct("this construction"),
        }
    }
}

/// A value as a value of a type.
pub(super) fn convert(value: Value, ty: &Type) -> Value {
    match ty {
        Type::Placeholder | Type::Template(..) => value,
        Type::Scalar(scalar) => to_scalar(value, *scalar),
        Type::Of(target) => {
            if target.is_static() {
                // The type leaves nothing open.
                return (**target).clone();
            }
            match (&value, &**target) {
                (Value::Tuple(args), Value::Tuple(fields)) => fill(fields, args),
                // `dim3 block = 128;`: the other extents have defaults.
                (Value::Int(_), Value::Tuple(fields)) if !has_open_extents(fields) => {
                    fill(fields, &[value])
                }
                _ => value,
            }
        }
        Type::Class(class)
            if class.short_array().is_some()
                && matches!(value, Value::Tuple(_) | Value::Unknown(_)) =>
        {
            value
        }
        Type::Array(element, length) => match value {
            Value::Pointer(_) | Value::Unknown(_) => value,
            _ => {
                let element = Some((**element).clone());
                Value::Pointer(crate::tensor::Pointer::array(element, *length))
            }
        },
        Type::Pointer(_) | Type::Class(_) => match (value.decayed(), ty.pointee()) {
            // `half_t* p = nullptr;`, `Base* p = &derived;`
            (Value::Pointer(pointer), Some(element))
                if pointer.element.as_deref().is_none_or(|own| {
                    matches!((own, element), (Type::Record(own), Type::Record(of)) if own != of)
                }) =>
            {
                Value::Pointer(crate::tensor::Pointer {
                    element: Some(Box::new(element.clone())),
                    ..pointer
                })
            }
            (value @ (Value::Pointer(_) | Value::Callable(_) | Value::Instance(_)), _) => value,
            (_, Some(element)) => {
                Value::Pointer(crate::tensor::Pointer::generic(Some(element.clone())))
            }
            _ => Value::Instance(Box::new(ty.clone())),
        },
        Type::Record(_) => match value {
            Value::Object(_) | Value::Unknown(_) => value,
            _ => Value::Instance(Box::new(ty.clone())),
        },
        // `GMMA::Major::K` as a `GMMA::Major`.
        Type::Named(name) if is_enumerator_of(&value, name) => value,
        // An enumerator as a value of its enum: no class that has only a name is made of a number.
        Type::Named(name) if matches!(value, Value::Int(_)) => match name.holds() {
            Some(held) => as_number(to_scalar(value, held)),
            None => value,
        },
        Type::Named(_) | Type::Parameter(_) | Type::Part(_) => match value {
            Value::Instance(_) => value,
            _ => Value::Instance(Box::new(ty.clone())),
        },
        Type::Unknown(reason) => Value::Unknown(reason.clone()),
    }
}

/// A truth value as a number.
fn as_number(value: Value) -> Value {
    match value {
        Value::Bool(truth) => Value::Int(Int::dynamic(i64::from(truth.value))),
        other => other,
    }
}

/// Whether a value is an enumerator of an enum of the hardware's.
fn is_enumerator_of(value: &Value, name: &str) -> bool {
    let of = |ty: &Type| match ty {
        Type::Named(known) => known
            .rsplit_once("::")
            .is_some_and(|(scope, _)| scope == name),
        _ => false,
    };
    matches!(value, Value::Type(ty) | Value::Instance(ty) if of(ty))
}

/// A value cast to a type: a pointer points to the type of the cast, in its former memory.
pub(super) fn cast(value: Value, ty: &Type) -> Value {
    match (value, ty) {
        (Value::Pointer(pointer), Type::Pointer(element)) => {
            Value::Pointer(crate::tensor::Pointer {
                element: Some(element.clone()),
                element_bits: None,
                ..pointer
            })
            .decayed()
        }
        (value, ty) => convert(value, ty),
    }
}

/// `Layout<S, D>{shape, stride}`, `Shape<int, _1>{m, {}}` with a type that leaves numbers open.
fn construct_of(target: &Value, args: &[Value]) -> Value {
    if let [Value::Unknown(reason)] = args {
        return Value::Unknown(reason.clone());
    }
    match target {
        Value::Tuple(fields) => match args {
            [Value::Tuple(inner)] if inner.len() == fields.len() && fields.len() != 1 => {
                fill(fields, inner)
            }
            _ => fill(fields, args),
        },
        Value::Layout(layout) => {
            let [shape, rest @ ..] = args else {
                return construct("this layout");
            };
            if matches!(shape, Value::Layout(_)) {
                return shape.clone();
            }
            let shape = refit(&Value::of_shape(&layout.shape()), shape);
            let stride = match rest {
                [] => Value::of_stride(&layout.stride()),
                [stride, ..] => refit(&Value::of_stride(&layout.stride()), stride),
            };
            vocabulary::layout_of(&shape, &stride)
        }
        Value::Composed(composed) => {
            let [outer, offset, inner] = args else {
                return match args {
                    [only @ Value::Composed(_)] => only.clone(),
                    _ => construct("this construction"),
                };
            };
            let offset = refit(&Value::of_shape(&composed.offset), offset);
            let inner = match inner {
                Value::Layout(_) => inner.clone(),
                _ => return construct("this construction"),
            };
            match vocabulary::deduced("ComposedLayout", &[outer.clone(), offset, inner]) {
                Some(Ok(value)) => value,
                _ => construct("this construction"),
            }
        }
        Value::Int(_) => args
            .first()
            .cloned()
            .unwrap_or_else(|| construct("this integer")),
        _ => match args {
            [only] => only.clone(),
            _ => construct("this construction"),
        },
    }
}

/// Whether a part of a tuple has no value where none is given.
fn has_open_extents(fields: &[Value]) -> bool {
    fields.is_empty()
        || fields
            .iter()
            .any(|field| field.as_int().is_none_or(|int| int.value().is_none()))
}

/// A value given for a part whose type may fix it.
fn refit(target: &Value, given: &Value) -> Value {
    match (target, given) {
        (Value::Tuple(fields), Value::Tuple(items)) => fill(fields, items),
        // `bool` and `float` are types of their argument.
        (Value::Type(ty), _) if matches!(**ty, Type::Scalar(_)) => convert(given.clone(), ty),
        (target, _) if target.is_static() => target.clone(),
        (Value::Int(_), Value::Int(int)) => Value::Int(int.to_dynamic()),
        _ => given.clone(),
    }
}

/// The elements of a tuple type from initialisers; a static element keeps its type's value.
fn fill(fields: &[Value], given: &[Value]) -> Value {
    if given.len() > fields.len() {
        return construct("more initialisers than elements");
    }
    let items = fields
        .iter()
        .enumerate()
        .map(|(index, field)| match given.get(index) {
            Some(value) => refit(field, value),
            None => match field {
                Value::Type(ty) => match **ty {
                    Type::Scalar(scalar) => zero(scalar),
                    _ => default_of(field),
                },
                field => default_of(field),
            },
        })
        .collect();
    Value::Tuple(items)
}

/// Whether a type has numbers that are known only at run time, or that it was not told.
fn leaves_numbers_open(target: &Value) -> bool {
    let mut symbols = target.symbols().into_iter();
    symbols.any(|symbol| is_run_time(&symbol))
}

/// The value of `T{}`: a number that the type leaves open is 0, unless it has another default, as the extents of `dim3`
/// have. A number that a template parameter leaves open is its symbol: `Int<N>{}` is N.
fn default_of(target: &Value) -> Value {
    let comes_at_run_time = |int: &Int| {
        int.as_expression().is_some_and(|expression| {
            let symbols = expression.symbols();
            symbols.iter().any(|symbol| is_run_time(symbol))
        })
    };
    let made = match target {
        Value::Tensor(tensor) => default_tensor(tensor),
        other => other.map_run_time(&mut |int| {
            if comes_at_run_time(int) {
                Int::dynamic(0)
            } else {
                int.clone()
            }
        }),
    };
    made.unwrap_or_else(|| construct("a default value of this type"))
}

/// The value of `Tensor{}`. It is made for its type alone, as the argument of a function inside of `decltype`: its run-time
/// numbers are not sizes of any data, and stay open.
fn default_tensor(tensor: &Tensor) -> Option<Value> {
    let mut count = 0;
    let layout = tensor.layout_value().map_run_time(&mut |_| {
        count += 1;
        Int::coordinate(&format!("tensor.{}", count - 1))
    });
    Some(Value::Tensor(Box::new(Tensor {
        engine: tensor.engine.clone(),
        layout: layout?.as_any_layout()?,
    })))
}

/// The value of `T{}` for an arithmetic type.
fn zero(scalar: Scalar) -> Value {
    match scalar.class {
        ScalarClass::Bool => Value::Bool(Truth::run_time(false)),
        _ if scalar.is_integer() => Value::Int(Int::dynamic(0)),
        ScalarClass::Void => Value::Nothing,
        _ => Value::Number(scalar),
    }
}

/// A value stored in an arithmetic type.
fn to_scalar(value: Value, scalar: Scalar) -> Value {
    let value = value.part_as_number().map_or(value, Value::Int);
    match (scalar.class, value) {
        (_, value @ Value::Unknown(_)) => value,
        (ScalarClass::Bool, value) => match value.as_truth() {
            Some(truth) => Value::Bool(Truth::run_time(truth)),
            None => super::on_values::run_time_truth(),
        },
        (ScalarClass::Signed | ScalarClass::Unsigned, Value::Int(int)) => to_integer(&int, scalar),
        (ScalarClass::Signed | ScalarClass::Unsigned, Value::Bool(truth)) => {
            Value::Int(Int::dynamic(i64::from(truth.value)))
        }
        (ScalarClass::Signed | ScalarClass::Unsigned, _) => {
            Value::Unknown(Reason::RunTime("an integer made from another type".into()))
        }
        _ => Value::Number(scalar),
    }
}

/// An integer stored in an integer type.
fn to_integer(int: &Int, scalar: Scalar) -> Value {
    let outside = || Value::Unknown(Reason::RunTime(super::integers::OUTSIDE_RANGE.into()));
    if let Some(number) = int.value() {
        return match scalar.converted(number) {
            Some(number) => Value::Int(Int::dynamic(number)),
            None => outside(),
        };
    }
    // A symbol is an `int`: a narrower type may not hold it.
    let fits = |bound: Option<i64>| bound.is_some_and(|bound| scalar.holds(bound));
    let (least, most) = int.bounds();
    if scalar.bits <= 32 && least.is_some_and(|least| least > 0 && !scalar.holds(least)) {
        return outside();
    }
    if scalar.bits < 32 && !(fits(least) && fits(most)) {
        return outside();
    }
    if scalar.class == ScalarClass::Unsigned && least.is_none_or(|least| least < 0) {
        let what = "a number that may be negative, as an unsigned one";
        return Value::Unknown(Reason::RunTime(what.into()));
    }
    Value::Int(int.to_dynamic())
}
