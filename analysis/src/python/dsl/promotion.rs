//! The types of numbers of the DSL, and those of the results of operators on them.

use tree_sitter_cute::script::BinaryOp;

use super::super::value::Py;
use super::numbers::{dsl_bits, scalar_attribute};
use crate::types::Scalar;
use crate::value::Value;
use crate::vocabulary::python as vocabulary;

/// The type of a number as an operator of the DSL takes it, which is not always known; nothing for other values.
#[allow(clippy::option_option)] // A number whose type is not known, and a value that has none.
pub(crate) fn number_type(value: &Py) -> Option<Option<Scalar>> {
    let named = vocabulary::scalar;
    Some(match value {
        Py::Bool(_) | Py::Leaf(Value::Bool(_)) => named("Boolean"),
        Py::Int(number) => match i32::try_from(*number) {
            Ok(_) => named("Int32"),
            Err(_) => named("Int64"),
        },
        Py::Float(_) => named("Float32"),
        Py::Leaf(Value::Int(_)) => named("Int32"),
        Py::Leaf(Value::Number(scalar)) => Some(*scalar),
        Py::Whole(_, ty) => *ty,
        _ => return None,
    })
}

fn is_bool(scalar: Scalar) -> bool {
    scalar.name == "bool"
}

fn is_float(scalar: Scalar) -> bool {
    !scalar.is_integer() && !is_bool(scalar)
}

fn is_signed(scalar: Scalar) -> bool {
    !scalar.name.starts_with('u')
}

/// The type of the result of an operator on numbers of two types; nothing where it is not known or there is none.
pub(crate) fn result_type(op: BinaryOp, left: &Py, right: &Py) -> Option<Scalar> {
    let (a, b) = (number_type(left)??, number_type(right)??);
    let common = common_type(a, b)?;
    match op {
        BinaryOp::Div if !is_float(common) => vocabulary::scalar("Float32"),
        _ => Some(common),
    }
}

/// The type that numbers of two types are converted to.
pub(crate) fn common_type(a: Scalar, b: Scalar) -> Option<Scalar> {
    if a == b {
        return Some(a);
    }
    match (is_float(a), is_float(b)) {
        (true, true) => common_float(a, b),
        (true, false) => with_integer(a, b),
        (false, true) => with_integer(b, a),
        (false, false) => Some(common_integer(a, b)),
    }
}

/// Of an integer that is wider than the float, the result is the plain float of the integer's width.
fn with_integer(float: Scalar, integer: Scalar) -> Option<Scalar> {
    let (own, other) = (dsl_bits(&float), dsl_bits(&integer));
    match other {
        _ if own > other && own >= 16 => Some(float),
        32 if own <= 32 => vocabulary::scalar("Float32"),
        64 if own <= 64 => vocabulary::scalar("Float64"),
        _ => None,
    }
}

fn common_float(a: Scalar, b: Scalar) -> Option<Scalar> {
    let (wide, narrow) = match dsl_bits(&a) >= dsl_bits(&b) {
        true => (a, b),
        false => (b, a),
    };
    if dsl_bits(&wide) > dsl_bits(&narrow) {
        return (dsl_bits(&wide) >= 16).then_some(wide);
    }
    // Of two of one width, the one with the usual form.
    let usual = ["Float64", "Float32", "Float16"];
    usual
        .into_iter()
        .filter_map(vocabulary::scalar)
        .find(|it| *it == a || *it == b)
}

/// Of different signs the unsigned one, unless the signed one is wider.
fn common_integer(a: Scalar, b: Scalar) -> Scalar {
    let (bits_a, bits_b) = (dsl_bits(&a), dsl_bits(&b));
    match (is_signed(a), is_signed(b)) {
        (true, false) if bits_a > bits_b => a,
        (true, false) => b,
        (false, true) if bits_b > bits_a => b,
        (false, true) => a,
        _ if bits_a >= bits_b => a,
        _ => b,
    }
}

/// The attribute of a number that its type has; nothing for other names.
pub(crate) fn number_attribute(value: &Py, name: &str) -> Option<Py> {
    if !value.is_run_time() || !matches!(name, "width" | "dtype") {
        return None;
    }
    let scalar = number_type(value)?;
    Some(match (scalar, name) {
        (None, _) => Py::Unknown(super::type_not_known()),
        (Some(scalar), "dtype") => Py::Scalar(scalar),
        (Some(scalar), name) => scalar_attribute(&scalar, name)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_of_two_types_have_the_type_that_the_dsl_gives_them() {
        for (a, b, common) in [
            ("Int32", "Int64", Some("Int64")),
            ("Uint32", "Int32", Some("Uint32")),
            ("Uint8", "Int32", Some("Int32")),
            ("Boolean", "Int32", Some("Int32")),
            ("Float16", "Int32", Some("Float32")),
            ("Float32", "Int64", Some("Float64")),
            ("Float16", "BFloat16", Some("Float16")),
            ("TFloat32", "Float32", Some("Float32")),
            ("Float8E4M3FN", "Float8E5M2", None),
        ] {
            let named = |name| vocabulary::scalar(name).expect("a type");
            let both = [(a, b), (b, a)].map(|(a, b)| common_type(named(a), named(b)));
            assert_eq!(both, [common.map(named); 2], "{a} {b}");
        }
    }
}
