//! Type traits: names with template arguments that are questions about types, of CuTe, CUTLASS and
//! the standard library.

use cute_algebra::Int;

use super::call::number;
use super::names::{argument, type_of};
use super::{Evaluated, Problem};
use crate::reason::Reason;
use crate::tensor::Space;
use crate::types::{Scalar, ScalarClass, Type};
use crate::value::{Truth, Value};

/// The value or type of a trait with its arguments; `None` for a trait outside of the vocabulary.
///
/// `is_x<T>` is a type with a `::value`; `is_x_v<T>` is that value.
pub(super) fn of(name: &str, args: &[Value]) -> Option<Evaluated> {
    if let Some(trait_name) = name.strip_suffix("_v")
        && let Some(answer) = truth(trait_name, args).or_else(|| count(trait_name, args))
    {
        return Some(answer.map(run_time));
    }
    if let Some(answer) = truth(name, args).or_else(|| count(name, args)) {
        return Some(answer.map(type_of));
    }
    transformation(name, args)
}

/// A constant as the value of a `constexpr` variable.
fn run_time(value: Value) -> Value {
    match value {
        Value::Int(int) => Value::Int(int.to_dynamic()),
        Value::Bool(truth) => Value::Bool(Truth::run_time(truth.value)),
        other => other,
    }
}

/// Traits that are true or false.
fn truth(name: &str, args: &[Value]) -> Option<Evaluated> {
    let decided = match (name, args) {
        ("is_same", [a, b]) => same(a, b),
        ("is_any_of", [first, others @ ..]) => any_of(first, others),
        ("is_constant", [number, of]) => is_constant(number, of),
        ("is_void", [of]) => is_void(of),
        ("is_complex", [of]) => known(of, |ty| match ty {
            Type::Class(class) => Some(&*class.name == "complex"),
            Type::Scalar(_)
            | Type::Pointer(_)
            | Type::Array(..)
            | Type::Record(_)
            | Type::Template(..) => Some(false),
            // Tuples, layouts and values that have one.
            Type::Of(value) => Some(matches!(**value, Value::Unknown(_))).filter(|open| !open),
            Type::Named(name) if is_canonical(name) => Some(false),
            _ => None,
        }),
        ("conjunction", parts) => all_of(parts, true),
        ("disjunction", parts) => all_of(parts, false),
        ("negation", [of]) => truth_of(of).map(|known| known.map(|truth| !truth)),
        ("is_unsigned" | "is_signed", [of]) => known(of, |ty| match ty {
            Type::Scalar(scalar) => match scalar.class {
                ScalarClass::Unsigned | ScalarClass::Bool => Some(name == "is_unsigned"),
                ScalarClass::Signed => Some(name == "is_signed"),
                // The narrow ones are classes.
                ScalarClass::Float if matches!(scalar.name, "float" | "double") => {
                    Some(name == "is_signed")
                }
                ScalarClass::Float | ScalarClass::Void => Some(false),
                ScalarClass::Char => None,
            },
            ty => is_no_number(ty).then_some(false),
        }),
        ("is_pointer", [of]) => known(of, |ty| Some(matches!(ty, Type::Pointer(_)))),
        ("is_static", [of]) => known(of, |ty| match ty {
            Type::Of(value) if value.open_leaf().is_some() => None,
            Type::Of(value) => Some(value.is_static()),
            Type::Scalar(_) | Type::Pointer(_) | Type::Array(..) => Some(false),
            _ => None,
        }),
        ("is_layout", [of]) => value_trait(of, |value| {
            matches!(
                value,
                Value::Layout(_) | Value::Composed(_) | Value::Shared(_)
            )
        }),
        ("is_composed_layout", [of]) => value_trait(of, |value| {
            matches!(value, Value::Composed(_) | Value::Shared(_))
        }),
        ("is_swizzle", [of]) => value_trait(of, |value| matches!(value, Value::Swizzle(_))),
        ("is_tuple", [of]) => value_trait(of, |value| matches!(value, Value::Tuple(_))),
        ("is_tensor", [of]) => value_trait(of, |value| matches!(value, Value::Tensor(_))),
        ("is_underscore", [of]) => value_trait(of, |value| matches!(value, Value::Underscore)),
        ("is_tiled_copy", [of]) => value_trait(of, |value| matches!(value, Value::TiledCopy(_))),
        // CuTe's counts integral constants, the standard's does not.
        ("is_integral" | "is_std_integral", [of]) => known(of, |ty| match ty {
            Type::Scalar(scalar) => Some(is_integral(*scalar)),
            Type::Of(value) => {
                let is_constant = matches!(**value, Value::Int(_) | Value::Bool(_));
                Some(is_constant && name == "is_integral")
            }
            ty => is_no_number(ty).then_some(false),
        }),
        ("is_floating_point", [of]) => known(of, |ty| match ty {
            Type::Scalar(scalar) => Some(matches!(scalar.name, "float" | "double")),
            ty => is_no_number(ty).then_some(false),
        }),
        ("is_gmem" | "is_smem" | "is_rmem" | "is_tmem", [of]) => in_space(name, of),
        ("is_congruent" | "is_compatible" | "is_weakly_congruent", [a, b]) => {
            let function = name.strip_prefix("is_").unwrap_or(name);
            return Some(asked(function, &[a, b]).and_then(|answer| match answer {
                Value::Bool(truth) => Ok(Value::Bool(Truth::fixed(truth.value))),
                _ => Err(undecided(name)),
            }));
        }
        _ => return None,
    };
    Some(decided.and_then(|decided| match decided {
        Some(value) => Ok(Value::Bool(Truth::fixed(value))),
        None => Err(undecided(name)),
    }))
}

/// Whether a type is a class of the sources or a pointer: such a type is not arithmetic.
fn is_no_number(ty: &Type) -> bool {
    matches!(ty, Type::Pointer(_) | Type::Array(..) | Type::Record(_))
}

/// Whether the standard counts a type among the integers; the narrow ones are classes.
fn is_integral(scalar: Scalar) -> bool {
    let is_word = matches!(scalar.bits, 8 | 16 | 32 | 64);
    is_word && !matches!(scalar.class, ScalarClass::Float | ScalarClass::Void)
}

fn truth_of(value: &Value) -> Decided {
    argument(value).map(|value| value.as_truth())
}

/// Whether all parts are true (`wanted`), or whether one is.
fn all_of(parts: &[Value], wanted: bool) -> Decided {
    let mut open = false;
    for part in parts {
        match truth_of(part)? {
            Some(truth) if truth != wanted => return Ok(Some(!wanted)),
            Some(_) => {}
            None => open = true,
        }
    }
    Ok((!open).then_some(wanted))
}

fn undecided(name: &str) -> Problem {
    Problem::Unknown(Reason::Unsuitable(name.into(), "known types"))
}

/// Traits that are numbers.
fn count(name: &str, args: &[Value]) -> Option<Evaluated> {
    let [of] = args else {
        return None;
    };
    let answer = match name {
        "tuple_size" => argument(of).and_then(|value| match value {
            Value::Tuple(items) => Ok(Value::Int(Int::fixed(items.len() as i64))),
            _ => Err(undecided(name)),
        }),
        "sizeof_bits" => super::tensors::bits_of(of)
            .map(|bits| Value::Int(Int::fixed(i64::from(bits))))
            .ok_or_else(|| unknown_bits(of)),
        "sizeof_bytes" => super::tensors::bits_of(of)
            .map(|bits| Value::Int(Int::fixed(i64::from(bits.div_ceil(8)))))
            .ok_or_else(|| unknown_bits(of)),
        _ => return None,
    };
    Some(answer)
}

fn unknown_bits(of: &Value) -> Problem {
    match argument(of) {
        Err(problem) => problem,
        Ok(_) => Problem::Unknown(Reason::Unsuitable(
            "sizeof_bits".into(),
            "a type of known size",
        )),
    }
}

/// Traits that give a type: `x_t<T>` is it, `x<T>` a class that has it as `type`.
fn transformation(name: &str, args: &[Value]) -> Option<Evaluated> {
    if name.ends_with("_t") {
        return transformed(name, args);
    }
    let alias = format!("{name}_t");
    Some(transformed(&alias, args)?.map(as_class))
}

/// The class that has a type as `type`.
pub(super) fn as_class(ty: Value) -> Value {
    match ty {
        Value::Unknown(_) => ty,
        Value::Type(_) => type_of(ty),
        object => type_of(Value::Type(Box::new(Type::of(&object)))),
    }
}

fn transformed(name: &str, args: &[Value]) -> Option<Evaluated> {
    let answer = match (name, args) {
        (
            "remove_cvref_t" | "remove_cv_t" | "remove_const_t" | "remove_reference_t"
            | "type_identity_t" | "add_const_t",
            [only],
        ) => Ok(only.clone()),
        ("decay_t" | "unwrap_decay_t", [only]) => Ok(match only {
            Value::Type(ty) => Value::Type(Box::new(Type::clone(ty).decayed())),
            _ => only.clone(),
        }),
        ("remove_pointer_t", [only]) => Ok(match only {
            Value::Type(ty) => match &**ty {
                Type::Pointer(target) => Value::Type(target.clone()),
                _ => only.clone(),
            },
            _ => only.clone(),
        }),
        ("add_pointer_t", [Value::Type(ty)]) => {
            Ok(Value::Type(Box::new(Type::Pointer(ty.clone()))))
        }
        ("enable_if_t", [condition]) => enabled(condition, &void()),
        ("enable_if_t", [condition, ty]) => enabled(condition, ty),
        ("void_t", parts) => well_formed(parts).map(|()| void()),
        ("uint_bit_t", [bits]) => integer_type("uint", bits, 1),
        ("int_bit_t", [bits]) => integer_type("int", bits, 1),
        ("uint_byte_t", [bytes]) => integer_type("uint", bytes, 8),
        ("int_byte_t", [bytes]) => integer_type("int", bytes, 8),
        _ => return None,
    };
    Some(answer)
}

/// Whether all types of a `void_t` are there: a class without such a member drops the declaration.
fn well_formed(parts: &[Value]) -> Result<(), Problem> {
    for part in parts {
        let unknown = match part {
            Value::Unknown(reason) => Some(reason),
            Value::Type(ty) => match &**ty {
                Type::Unknown(reason) => Some(reason),
                _ => None,
            },
            _ => None,
        };
        match unknown {
            Some(Reason::NoMember(..)) => return Err(Problem::Unknown(Reason::NotEnabled)),
            // A value known only at run time has a type: `decltype(node.is_zero())`.
            Some(Reason::RunTime(_)) | None => {}
            Some(reason) if *reason == Reason::UNDECLARED_INTEGER => {}
            Some(reason) => return Err(Problem::Unknown(reason.clone())),
        }
    }
    Ok(())
}

fn void() -> Value {
    Scalar::of_spelling("void").map_or(Value::Nothing, |scalar| {
        Value::Type(Box::new(Type::Scalar(scalar)))
    })
}

fn enabled(condition: &Value, ty: &Value) -> Evaluated {
    match argument(condition)?.as_truth() {
        Some(true) => Ok(ty.clone()),
        Some(false) => Err(Problem::Unknown(Reason::NotEnabled)),
        None => Err(Problem::Unknown(Reason::RunTime("this condition".into()))),
    }
}

/// `uint_bit_t<16>`, `uint_byte_t<2>`.
fn integer_type(prefix: &str, count: &Value, unit: i64) -> Evaluated {
    let bits = number(&argument(count)?).and_then(|count| count.checked_mul(unit));
    bits.and_then(|bits| Scalar::of_spelling(&format!("{prefix}{bits}_t")))
        .map(|scalar| Value::Type(Box::new(Type::Scalar(scalar))))
        .ok_or_else(|| {
            Problem::Unknown(Reason::Unsuitable(
                format!("{prefix}_bit_t").into(),
                "a width that integers have",
            ))
        })
}

type Decided = Result<Option<bool>, Problem>;

/// The type of an argument; the type of a value.
fn as_type(value: &Value) -> Result<Type, Problem> {
    match value {
        Value::Unknown(reason) => Err(Problem::Unknown(reason.clone())),
        Value::Type(ty) => match &**ty {
            Type::Unknown(reason) => Err(Problem::Unknown(reason.clone())),
            Type::Parameter(name) => Err(Problem::Unknown(Reason::Unbound(name.clone()))),
            ty => Ok(ty.clone()),
        },
        other => Ok(Type::of(other)),
    }
}

fn known(of: &Value, decide: impl FnOnce(&Type) -> Option<bool>) -> Decided {
    as_type(of).map(|ty| decide(&ty))
}

fn value_trait(of: &Value, decide: impl FnOnce(&Value) -> bool) -> Decided {
    known(of, |ty| match ty {
        Type::Of(value) => Some(decide(value)),
        // No class of the sources is one of CuTe's templates, also where it is derived from one.
        Type::Scalar(_)
        | Type::Pointer(_)
        | Type::Array(..)
        | Type::Record(_)
        | Type::Template(..) => Some(false),
        Type::Named(name) if is_canonical(name) => Some(false),
        _ => None,
    })
}

/// Whether a name alone tells a type from others: an instruction or a tag, which is not an alias.
fn is_canonical(name: &str) -> bool {
    super::tags::is_tag(name)
        || super::collectives::is_tag(name)
        || name
            .strip_prefix("SM")
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Whether two names are those of instructions, or of their tags, and of different templates: their arguments do not
/// matter then.
fn are_other_templates(a: &str, b: &str) -> bool {
    let stem = |name: &str| name.split('<').next().map(str::to_owned);
    let is_operation = |name: &Option<String>| {
        name.as_deref().is_some_and(|name| {
            name == "AutoVectorizingCopyWithAssumedAlignment" || is_canonical(name)
        })
    };
    let (a, b) = (stem(a), stem(b));
    a != b && is_operation(&a) && is_operation(&b)
}

/// Whether two types are the same, where that can be told.
pub(crate) fn same_types(a: &Type, b: &Type) -> Option<bool> {
    let is_known = |ty: &Type| match ty {
        Type::Scalar(_) | Type::Record(_) | Type::Template(..) => true,
        Type::Of(value) => value.is_static(),
        Type::Named(name) => is_canonical(name),
        _ => false,
    };
    match (a, b) {
        (Type::Pointer(a), Type::Pointer(b)) => same_types(a, b),
        (Type::Pointer(_) | Type::Array(..), other)
        | (other, Type::Pointer(_) | Type::Array(..))
            if is_known(other) =>
        {
            Some(false)
        }
        // Their lengths may differ.
        (Type::Array(a, m), Type::Array(b, n)) => match (m, n) {
            (Some(m), Some(n)) if m == n => same_types(a, b),
            (Some(_), Some(_)) => Some(false),
            _ => same_types(a, b).filter(|same| !same),
        },
        (Type::Pointer(_), Type::Of(value)) | (Type::Of(value), Type::Pointer(_))
            if is_of_class(value) =>
        {
            Some(false)
        }
        (Type::Named(a), Type::Named(b)) if are_other_templates(a, b) => Some(false),
        (a, b) if is_known(a) && is_known(b) => Some(a == b),
        // A number that is fixed in one and not in the other tells them apart, and so does their form.
        (Type::Of(a), Type::Of(b)) if a != b && has_open_numbers(a) && has_open_numbers(b) => {
            Some(false)
        }
        (Type::Of(value), other) | (other, Type::Of(value))
            if has_open_numbers(value) && is_known(other) =>
        {
            Some(false)
        }
        (Type::Class(a), Type::Class(b)) if a.name != b.name => Some(false),
        (Type::Class(a), Type::Class(b)) if a.args.len() == b.args.len() => {
            let mut parts = a
                .args
                .iter()
                .zip(&b.args)
                .map(|(a, b)| same_arguments(a, b));
            // One part that differs is enough.
            if parts.clone().any(|same| same == Some(false)) {
                return Some(false);
            }
            parts.all(|same| same == Some(true)).then_some(true)
        }
        // A value that is a pointer here may be an object of an array.
        (Type::Class(class), Type::Pointer(_)) | (Type::Pointer(_), Type::Class(class))
            if class.element().is_some() =>
        {
            None
        }
        // A class is not an arithmetic type, nor a pointer, nor any of the others. A short array is a tuple to us.
        (Type::Class(class), other) | (other, Type::Class(class))
            if class.short_array().is_none()
                && (is_known(other) || matches!(other, Type::Pointer(_) | Type::Of(_))) =>
        {
            Some(false)
        }
        (Type::Of(value), other) | (other, Type::Of(value))
            if is_of_class(value) && matches!(other, Type::Scalar(_) | Type::Record(_)) =>
        {
            Some(false)
        }
        _ => None,
    }
}

/// Whether two template arguments are the same, where that can be told.
fn same_arguments(a: &Value, b: &Value) -> Option<bool> {
    match (a, b) {
        (Value::Type(a), Value::Type(b)) => same_types(a, b),
        (Value::Int(a), Value::Int(b)) => Some(a.value()? == b.value()?),
        (Value::Bool(a), Value::Bool(b)) => Some(a.value == b.value),
        _ => None,
    }
}

/// Whether a value is of one of CuTe's class templates, whatever its arguments are. A run-time integer has an
/// arithmetic type.
fn is_of_class(value: &Value) -> bool {
    !matches!(
        value,
        Value::Int(_)
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Pointer(_)
            | Value::Type(_)
            | Value::Instance(_)
            | Value::Unknown(_)
            | Value::Nothing
    )
}

/// Whether it is a tuple or layout whose numbers are known or those of a type, `?`.
pub(crate) fn has_open_numbers(value: &Value) -> bool {
    matches!(value, Value::Tuple(_) | Value::Layout(_))
        && value
            .symbols()
            .iter()
            .all(|symbol| crate::types::is_run_time(symbol))
}

fn same(a: &Value, b: &Value) -> Decided {
    Ok(same_types(&as_type(a)?, &as_type(b)?))
}

fn any_of(first: &Value, others: &[Value]) -> Decided {
    let mut all = true;
    for other in others {
        match same(first, other)? {
            Some(true) => return Ok(Some(true)),
            Some(false) => {}
            None => all = false,
        }
    }
    Ok(all.then_some(false))
}

fn is_constant(constant: &Value, of: &Value) -> Decided {
    let wanted = number(&argument(constant)?);
    let given = match as_type(of)? {
        Type::Of(value) => match &*value {
            Value::Int(int) => int.as_static(),
            Value::Bool(truth) if truth.fixed => Some(i64::from(truth.value)),
            _ => None,
        },
        Type::Scalar(_) => None,
        _ => return Ok(None),
    };
    Ok(wanted.map(|wanted| given == Some(wanted)))
}

fn is_void(of: &Value) -> Decided {
    known(of, |ty| match ty {
        Type::Scalar(scalar) => Some(scalar.name == "void"),
        Type::Placeholder | Type::Parameter(_) | Type::Unknown(_) => None,
        _ => Some(false),
    })
}

fn in_space(name: &str, of: &Value) -> Decided {
    let wanted = match name {
        "is_gmem" => Space::Global,
        "is_smem" => Space::Shared,
        "is_tmem" => Space::TensorMemory,
        _ => Space::Registers,
    };
    known(of, |ty| match ty {
        Type::Of(value) => match &**value {
            Value::Tensor(tensor) => Some(tensor.engine.space == wanted),
            Value::Pointer(pointer) => Some(pointer.space == wanted),
            _ => None,
        },
        _ => None,
    })
}

/// A function of the vocabulary on the values of types.
fn asked(function: &str, args: &[&Value]) -> Evaluated {
    let values: Vec<Value> = args
        .iter()
        .map(|value| argument(value))
        .collect::<Result<_, _>>()?;
    match super::function(function) {
        Some(found) => found.call(&[], &values, &mut Vec::new()),
        None => Err(Problem::Unknown(Reason::NotEvaluated(function.into()))),
    }
}
