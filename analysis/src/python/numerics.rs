//! Methods of numbers and slices.

use super::machine::{Machine, Run};
use super::native::{Given, Native, native};
use super::value::Py;

fn bit_length(given: &Given) -> Py {
    match given.arg(0).as_index() {
        Some(value) => Py::Int(i64::from(64 - value.unsigned_abs().leading_zeros())),
        None => given.takes("an integer"),
    }
}

fn bit_count(given: &Given) -> Py {
    match given.arg(0).as_index() {
        Some(value) => Py::Int(i64::from(value.unsigned_abs().count_ones())),
        None => given.takes("an integer"),
    }
}

/// The numerator and the denominator of a number whose parts 64 bits hold.
fn ratio(given: &Given) -> Py {
    /// Halvings of a denominator.
    const STEPS: usize = 62;
    /// Beyond it a number is not one of 64 bits.
    const LARGEST: f64 = 9.0e18;
    let Py::Float(number) = given.arg(0) else {
        return match given.arg(0).as_index() {
            Some(number) => Py::tuple(vec![Py::Int(number), Py::Int(1)]),
            None => given.takes("a number"),
        };
    };
    let (mut numerator, mut denominator) = (*number, 1_i64);
    for _ in 0..STEPS {
        if numerator.fract() == 0.0 {
            break;
        }
        numerator *= 2.0;
        denominator *= 2;
    }
    #[allow(clippy::cast_possible_truncation)] // The bounds are checked.
    match numerator.fract() == 0.0 && numerator.abs() <= LARGEST {
        true => Py::tuple(vec![Py::Int(numerator as i64), Py::Int(denominator)]),
        false => Py::out_of_range(),
    }
}

fn is_integer(given: &Given) -> Py {
    match given.arg(0) {
        Py::Float(number) => Py::Bool(number.fract() == 0.0),
        Py::Int(_) | Py::Bool(_) => Py::Bool(true),
        _ => given.takes("a number"),
    }
}

/// The methods of numbers.
pub(super) static METHODS: &[Native] = &[
    native("int.bit_length", "self", |_, g| Ok(bit_length(g))),
    native("int.bit_count", "self", |_, g| Ok(bit_count(g))),
    native("int.conjugate", "self", |_, g| Ok(g.arg(0).clone())),
    native("int.is_integer", "self", |_, g| Ok(is_integer(g))),
    native("int.as_integer_ratio", "self", |_, g| Ok(ratio(g))),
    native("float.is_integer", "self", |_, g| Ok(is_integer(g))),
    native("float.as_integer_ratio", "self", |_, g| Ok(ratio(g))),
    native("slice.indices", "self length", indices),
];

/// `slice.indices(length)`: its bounds for a sequence.
fn indices(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let (Py::Slice(parts), Some(length)) = (given.arg(0), given.arg(1).as_index()) else {
        return Ok(given.takes("a slice and a length"));
    };
    let step = match &parts[2] {
        Py::None => Some(1),
        step => step.as_index(),
    };
    let Some(step) = step.filter(|step| *step != 0) else {
        return Ok(given.takes("a known step"));
    };
    let (least, most) = if step > 0 {
        (0, length)
    } else {
        (-1, length - 1)
    };
    let bound = |part: &Py, usual: i64| match part {
        Py::None => Some(usual),
        part => {
            let at = part.as_index()?;
            Some((if at < 0 { at + length } else { at }).clamp(least, most))
        }
    };
    let (first, last) = if step > 0 {
        (least, most)
    } else {
        (most, least)
    };
    Ok(match (bound(&parts[0], first), bound(&parts[1], last)) {
        (Some(start), Some(stop)) => Py::tuple(vec![Py::Int(start), Py::Int(stop), Py::Int(step)]),
        _ => given.takes("known bounds"),
    })
}
