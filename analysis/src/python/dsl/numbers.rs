//! The numeric types of the DSL.

use std::sync::Arc;

use super::super::value::{Builtin, Py};
use crate::types::Scalar;
use crate::value::Value;
use crate::vocabulary::python as vocabulary;

/// The numeric type in a module, by name.
pub(super) fn member(module: &str, name: &str) -> Option<Py> {
    if !matches!(module, "cutlass" | "cutlass.cute") {
        return None;
    }
    vocabulary::scalar(name).map(Py::Scalar)
}

/// All numeric types of a module.
pub(super) fn members(module: &str) -> Vec<(Arc<str>, Py)> {
    if module != "cutlass" {
        return Vec::new();
    }
    let names = vocabulary::scalar_names();
    names
        .filter_map(|name| Some((name.into(), Py::Scalar(vocabulary::scalar(name)?))))
        .collect()
}

/// The attribute of a numeric type.
pub(crate) fn scalar_attribute(scalar: &Scalar, name: &str) -> Option<Py> {
    Some(match name {
        "width" => Py::Int(i64::from(dsl_bits(scalar))),
        "is_integer" => Py::Bool(scalar.is_integer()),
        "is_float" => Py::Bool(!scalar.is_integer()),
        "signed" => Py::Bool(!scalar.name.starts_with('u')),
        "__name__" => Py::str(vocabulary::scalar_name(scalar).unwrap_or(scalar.name)),
        "zero" => Py::Int(0),
        "mlir_type" => Py::Scalar(*scalar),
        "inf" => Py::Float(f64::INFINITY),
        _ => return None,
    })
}

/// Bits of a value as the DSL counts them: a `Boolean` is one bit.
pub(crate) fn dsl_bits(scalar: &Scalar) -> u32 {
    match scalar.name {
        "bool" => 1,
        _ => scalar.bits,
    }
}

/// Whether a value is a number of a numeric type.
pub(crate) fn is_number_of(value: &Py, scalar: &Scalar) -> Option<bool> {
    Some(match value {
        Py::Unknown(_) => return None,
        Py::Whole(_, None) if scalar.is_integer() => return None,
        Py::Whole(_, None) => false,
        Py::Whole(..) | Py::Leaf(Value::Int(_) | Value::Number(_) | Value::Bool(_)) => {
            super::number_type(value).flatten() == Some(*scalar)
        }
        _ => false,
    })
}

/// Whether a numeric type is one of a class.
pub(crate) fn is_subclass(scalar: &Scalar, class: &Py) -> Option<bool> {
    Some(match class {
        Py::Builtin(Builtin::Dsl("Numeric")) => true,
        Py::Builtin(Builtin::Dsl("Integer")) => scalar.is_integer(),
        Py::Builtin(Builtin::Dsl("Float")) => !scalar.is_integer(),
        Py::Scalar(other) => scalar == other,
        Py::Unknown(_) => return None,
        _ => false,
    })
}
