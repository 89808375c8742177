//! Functions of numbers: those of Python itself, of `math` and of `operator`.

use tree_sitter_cute::script::{BinaryOp, CompareOp};

use super::machine::{Machine, Run};
use super::native::{Args, Given, Native, native};
use super::value::Py;
use crate::types::Scalar;
use crate::value::Value;

/// `divmod(a, b)`
fn divmod(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let (a, b) = (given.arg(0), given.arg(1));
    for (object, name, other) in [(a, "__divmod__", b), (b, "__rdivmod__", a)] {
        if let Some(method) = machine.method(object, name)? {
            return machine.call(&method, Args::of(vec![other.clone()], given.span));
        }
    }
    let quotient = machine.binary(BinaryOp::FloorDiv, a.clone(), b.clone())?;
    let rest = machine.binary(BinaryOp::Mod, a.clone(), b.clone())?;
    Ok(Py::tuple(vec![quotient, rest]))
}

/// The numbers of one argument that is iterated over, or of all.
fn numbers(machine: &mut Machine<'_>, given: &Given) -> Run<Result<Vec<Py>, Py>> {
    let items = match given.rest.as_slice() {
        [only] if only.as_int().is_none() && !matches!(only, Py::Float(_)) => {
            match machine.iterate(only)? {
                Ok(items) => items,
                Err(reason) => return Ok(Err(Py::Unknown(reason))),
            }
        }
        items => items.to_vec(),
    };
    Ok(match items.iter().find_map(Py::reason) {
        Some(reason) => Err(Py::Unknown(reason.clone())),
        None => Ok(items),
    })
}

fn extreme(machine: &mut Machine<'_>, given: &Given, largest: bool) -> Run<Py> {
    let items = match numbers(machine, given)? {
        Ok(items) => items,
        Err(unknown) => return Ok(unknown),
    };
    let mut items = items.into_iter();
    let Some(mut best) = items.next() else {
        return Ok(given.takes("a value"));
    };
    let op = if largest {
        CompareOp::Gt
    } else {
        CompareOp::Lt
    };
    for item in items {
        match machine.compare(op, &item, &best)? {
            Py::Bool(true) => best = item,
            Py::Bool(false) => {}
            _ => {
                let (a, b) = (best.as_int(), item.as_int());
                best = match (a, b) {
                    (Some(a), Some(b)) => {
                        let result = if largest { a.max(&b) } else { a.min(&b) };
                        match result {
                            Ok(int) => Py::Leaf(Value::Int(int.to_dynamic())),
                            Err(_) => machine.numbers.symbol("v"),
                        }
                    }
                    _ => given.takes("numbers"),
                };
            }
        }
    }
    Ok(best)
}

fn sum(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let items = match machine.iterate(given.arg(0))? {
        Ok(items) => items,
        Err(reason) => return Ok(Py::Unknown(reason)),
    };
    let mut total = match given.has(1) {
        true => given.arg(1).clone(),
        false => Py::Int(0),
    };
    for item in items {
        total = machine.binary(BinaryOp::Add, total, item)?;
    }
    Ok(total)
}

fn absolute(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(match given.arg(0) {
        Py::Int(value) => Py::Int(value.abs()),
        Py::Float(value) => Py::Float(value.abs()),
        Py::Leaf(Value::Int(int)) => match int.abs() {
            Ok(int) => Py::Leaf(Value::Int(int)),
            Err(_) => machine.numbers.symbol("v"),
        },
        _ => given.takes("a number"),
    })
}

fn on_float(given: &Given, f: impl FnOnce(f64) -> Py) -> Run<Py> {
    #[allow(clippy::cast_precision_loss)] // As Python converts.
    Ok(match given.arg(0) {
        Py::Int(value) => f(*value as f64),
        Py::Float(value) => f(*value),
        Py::Leaf(Value::Number(_) | Value::Int(_)) => match Scalar::of_spelling("float") {
            Some(float) => Py::Leaf(Value::Number(float)),
            None => given.takes("a number"),
        },
        _ => given.takes("a number"),
    })
}

#[allow(clippy::cast_possible_truncation)] // Values beyond 64 bits saturate, and no shape has them.
fn rounded(value: f64) -> Py {
    Py::Int(value as i64)
}

fn gcd(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let mut result: i64 = 0;
    for value in &given.rest {
        let Some(value) = value.as_index() else {
            return Ok(given.takes("integers"));
        };
        let (mut a, mut b) = (result.unsigned_abs(), value.unsigned_abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        result = i64::try_from(a).unwrap_or(i64::MAX);
    }
    Ok(Py::Int(result))
}

fn lcm(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let mut result: i64 = 1;
    for value in &given.rest {
        let Some(value) = value.as_index() else {
            return Ok(given.takes("integers"));
        };
        let (mut a, mut b) = (result, value);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        if a == 0 {
            return Ok(Py::Int(0));
        }
        match (result / a).checked_mul(value) {
            Some(next) => result = next.abs(),
            None => return Ok(given.takes("smaller integers")),
        }
    }
    Ok(Py::Int(result))
}

fn operator(machine: &mut Machine<'_>, given: &Given, op: BinaryOp) -> Run<Py> {
    machine.binary(op, given.arg(0).clone(), given.arg(1).clone())
}

pub(super) static NATIVES: &[Native] = &[
    native("builtins.divmod", "a b", divmod),
    native("builtins.min", "*items", |m, g| extreme(m, g, false)),
    native("builtins.max", "*items", |m, g| extreme(m, g, true)),
    native("cutlass.min", "*items", |m, g| extreme(m, g, false)),
    native("cutlass.max", "*items", |m, g| extreme(m, g, true)),
    native("builtins.sum", "items start=", sum),
    native("builtins.abs", "x", absolute),
    native("builtins.round", "x digits=", |_, g| {
        on_float(g, |x| rounded(x.round_ties_even()))
    }),
    native("builtins.pow", "a b", |m, g| operator(m, g, BinaryOp::Pow)),
    native("operator.add", "a b", |m, g| operator(m, g, BinaryOp::Add)),
    native("operator.sub", "a b", |m, g| operator(m, g, BinaryOp::Sub)),
    native("operator.mul", "a b", |m, g| operator(m, g, BinaryOp::Mul)),
    native("operator.floordiv", "a b", |m, g| {
        operator(m, g, BinaryOp::FloorDiv)
    }),
    native("operator.mod", "a b", |m, g| operator(m, g, BinaryOp::Mod)),
    native("math.ceil", "x", |_, g| on_float(g, |x| rounded(x.ceil()))),
    native("math.floor", "x", |_, g| {
        on_float(g, |x| rounded(x.floor()))
    }),
    native("math.sqrt", "x", |_, g| {
        on_float(g, |x| Py::Float(x.sqrt()))
    }),
    native("math.log2", "x", |_, g| {
        on_float(g, |x| Py::Float(x.log2()))
    }),
    native("math.log", "x", |_, g| on_float(g, |x| Py::Float(x.ln()))),
    native("math.exp", "x", |_, g| on_float(g, |x| Py::Float(x.exp()))),
    native("math.gcd", "*values", gcd),
    native("math.lcm", "*values", lcm),
    native("math.prod", "items", |m, g| {
        let items = match m.iterate(g.arg(0))? {
            Ok(items) => items,
            Err(reason) => return Ok(Py::Unknown(reason)),
        };
        let mut total = Py::Int(1);
        for item in items {
            total = m.binary(BinaryOp::Mul, total, item)?;
        }
        Ok(total)
    }),
];
