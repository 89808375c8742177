//! Functions of numbers: those of Python itself, of `math` and of `operator`.

use tree_sitter_cute::script::{BinaryOp, CompareOp};

use super::comparisons::{is_number, number};
use super::dsl;
use super::machine::{Machine, Run, Stop};
use super::native::{Args, Given, Native, native};
use super::value::{Condition, Py};
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
        [only] if !is_number(only) && !only.is_run_time() => match machine.iterate(only)? {
            Ok(items) => items,
            Err(reason) => return Ok(Err(Py::Unknown(reason))),
        },
        items => items.to_vec(),
    };
    Ok(match items.iter().find_map(Py::reason) {
        Some(reason) => Err(Py::Unknown(reason.clone())),
        None => Ok(items),
    })
}

/// The larger or the smaller one of two numbers of which the kernel has one.
fn of_two(machine: &mut Machine<'_>, given: &Given, two: (&Py, &Py), largest: bool) -> Py {
    let ty = dsl::result_type(BinaryOp::Add, two.0, two.1);
    let (Some(a), Some(b)) = (two.0.as_int(), two.1.as_int()) else {
        return match ty {
            Some(_) => machine.numbers.number("v", ty),
            None => given.takes("numbers"),
        };
    };
    let result = if largest { a.max(&b) } else { a.min(&b) };
    match result {
        // The kernel's number may be 0 where a size would not be.
        Ok(int) if int.value().is_some() => machine.numbers.number("v", ty),
        Ok(int) => Py::of_type(int.to_dynamic(), ty),
        Err(_) => machine.numbers.number("v", ty),
    }
}

fn extreme(machine: &mut Machine<'_>, given: &Given, largest: bool) -> Run<Py> {
    let items = match numbers(machine, given)? {
        Ok(items) => items,
        Err(unknown) => return Ok(unknown),
    };
    let mut items = items.into_iter();
    let Some(mut best) = items.next() else {
        return match given.has(1) {
            true => Ok(given.arg(1).clone()),
            false => Err(Stop::error("ValueError", "the largest of no elements")),
        };
    };
    let op = if largest {
        CompareOp::Gt
    } else {
        CompareOp::Lt
    };
    let mut best_key = key_of(machine, given, &best)?;
    for item in items {
        let key = key_of(machine, given, &item)?;
        let is_better = machine.compare(op, &key, &best_key)?;
        match machine.condition(&is_better)? {
            Condition::Known(true) => (best, best_key) = (item, key),
            Condition::Known(false) => {}
            Condition::Unknown(reason) => return Ok(Py::Unknown(reason)),
            Condition::RunTime => {
                best = match given.arg(0) {
                    Py::None => of_two(machine, given, (&best, &item), largest),
                    _ => given.takes("keys of the trace"),
                };
                best_key = best.clone();
            }
        }
    }
    Ok(best)
}

/// The value that an element is compared by.
fn key_of(machine: &mut Machine<'_>, given: &Given, item: &Py) -> Run<Py> {
    match given.arg(0) {
        Py::None => Ok(item.clone()),
        function => machine.call(function, Args::of(vec![item.clone()], given.span)),
    }
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
    if let Some(method) = machine.method(given.arg(0), "__abs__")? {
        return machine.call(&method, Args::default());
    }
    if let Some(content) = machine.content_of(given.arg(0)) {
        return machine.call_native(&ABSOLUTE, Args::of(vec![content], given.span));
    }
    Ok(match given.arg(0) {
        Py::Int(value) => value.checked_abs().map_or_else(Py::out_of_range, Py::Int),
        Py::Bool(value) => Py::Int(i64::from(*value)),
        Py::Float(value) => Py::Float(value.abs()),
        Py::Leaf(Value::Int(int)) | Py::Whole(int, _) => {
            let ty = dsl::number_type(given.arg(0)).flatten();
            match int.abs() {
                Ok(int) => Py::of_type(int, ty),
                Err(_) => machine.numbers.number("v", ty),
            }
        }
        Py::Leaf(Value::Number(_)) => given.arg(0).clone(),
        _ => given.takes("a number"),
    })
}

fn on_float(given: &Given, f: impl FnOnce(f64) -> Py) -> Run<Py> {
    #[allow(clippy::cast_precision_loss)] // As Python converts.
    Ok(match given.arg(0) {
        Py::Int(value) => f(*value as f64),
        Py::Bool(value) => f(f64::from(u8::from(*value))),
        Py::Float(value) => f(*value),
        Py::Leaf(Value::Number(_) | Value::Int(_)) | Py::Whole(..) => {
            match Scalar::of_spelling("float") {
                Some(float) => Py::Leaf(Value::Number(float)),
                None => given.takes("a number"),
            }
        }
        _ => given.takes("a number"),
    })
}

#[allow(clippy::cast_possible_truncation)] // The bounds are checked.
fn rounded(value: f64) -> Py {
    // Beyond these a number is not one of 64 bits.
    const LARGEST: f64 = 9.0e18;
    if value.is_finite() && value.abs() <= LARGEST {
        return Py::Int(value as i64);
    }
    Py::out_of_range()
}

/// `round(number, digits)`: halves go to the even digit.
fn round(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    if let Some(method) = machine.method(given.arg(0), "__round__")? {
        let digits = match given.has(1) {
            true => vec![given.arg(1).clone()],
            false => Vec::new(),
        };
        return machine.call(&method, Args::of(digits, given.span));
    }
    let digits = match given.arg(1) {
        Py::None => return on_float(given, |x| rounded(x.round_ties_even())),
        digits => digits.as_index(),
    };
    Ok(match (given.arg(0), digits) {
        (Py::Int(number), Some(digits)) if digits < 0 => {
            let unit = u32::try_from(-digits)
                .ok()
                .and_then(|it| 10_i64.checked_pow(it));
            match unit {
                Some(unit) => {
                    let (whole, rest) = (number.div_euclid(unit), number.rem_euclid(unit));
                    let up = match (rest * 2).cmp(&unit) {
                        std::cmp::Ordering::Less => 0,
                        std::cmp::Ordering::Equal => whole.rem_euclid(2),
                        std::cmp::Ordering::Greater => 1,
                    };
                    Py::Int((whole + up) * unit)
                }
                None => Py::Int(0),
            }
        }
        (Py::Int(number), Some(_)) => Py::Int(*number),
        (Py::Float(number), Some(digits)) => match usize::try_from(digits) {
            // The exact decimal digits decide.
            Ok(digits) if digits <= 30 => {
                let text = format!("{number:.digits$}");
                text.parse()
                    .map_or_else(|_| given.takes("a number"), Py::Float)
            }
            _ => given.takes("a known number of digits"),
        },
        _ => given.takes("a number"),
    })
}

/// `pow(a, b, modulus)`
fn power(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    if !given.has(2) {
        return operator(machine, given, BinaryOp::Pow);
    }
    let all = [given.arg(0), given.arg(1), given.arg(2)].map(Py::as_index);
    let [Some(base), Some(exponent), Some(modulus)] = all else {
        return Ok(given.takes("integers"));
    };
    let modulus = i128::from(modulus);
    if modulus <= 0 {
        return Ok(given.takes("a positive modulus"));
    }
    let base = match exponent < 0 {
        true => match inverse(i128::from(base), modulus) {
            Some(inverse) => inverse,
            None => return Err(Stop::error("ValueError", "a base without an inverse")),
        },
        false => i128::from(base).rem_euclid(modulus),
    };
    let (mut power, mut square, mut left) = (1 % modulus, base, exponent.unsigned_abs());
    while left > 0 {
        if left & 1 == 1 {
            power = power * square % modulus;
        }
        square = square * square % modulus;
        left >>= 1;
    }
    Ok(i64::try_from(power).map_or_else(|_| Py::out_of_range(), Py::Int))
}

/// The number whose product with another has the rest 1.
fn inverse(number: i128, modulus: i128) -> Option<i128> {
    let (mut a, mut b) = (number.rem_euclid(modulus), modulus);
    let (mut x, mut y) = (1_i128, 0_i128);
    while b != 0 {
        let quotient = a / b;
        (a, b) = (b, a % b);
        (x, y) = (y, x - quotient * y);
    }
    (a == 1).then(|| x.rem_euclid(modulus))
}

/// `math.factorial`, `math.comb`, `math.perm`: products of integers in a row.
fn product_of_row(given: &Given) -> Py {
    let Some(n) = given.arg(0).as_index().filter(|n| *n >= 0) else {
        return given.takes("integers");
    };
    let k = match given.arg(1) {
        Py::None => n,
        k => match k.as_index().filter(|k| *k >= 0) {
            Some(k) => k,
            None => return given.takes("integers"),
        },
    };
    if k > n {
        return Py::Int(0);
    }
    let is_choice = given.name == "math.comb";
    let k = if is_choice { k.min(n - k) } else { k };
    let mut product = 1_i128;
    for at in 0..k {
        product = match product.checked_mul(i128::from(n - at)) {
            Some(product) if is_choice => product / i128::from(at + 1),
            Some(product) => product,
            None => return Py::out_of_range(),
        };
        if i64::try_from(product).is_err() {
            return Py::out_of_range();
        }
    }
    i64::try_from(product).map_or_else(|_| Py::out_of_range(), Py::Int)
}

fn isqrt(given: &Given) -> Py {
    match given
        .arg(0)
        .as_index()
        .and_then(|it| u64::try_from(it).ok())
    {
        Some(number) => i64::try_from(number.isqrt()).map_or(Py::None, Py::Int),
        None => given.takes("an integer"),
    }
}

/// `math.log(x, base)`
fn log(given: &Given) -> Run<Py> {
    let base = match given.arg(1) {
        Py::None => None,
        base if is_number(base) => Some(number(base)),
        _ => return Ok(given.takes("numbers")),
    };
    on_float(given, |x| {
        Py::Float(match base {
            Some(base) => x.ln() / base.ln(),
            None => x.ln(),
        })
    })
}

/// `math.ceil`, `math.floor`, `math.trunc`: an integer stays what it is.
fn whole(machine: &mut Machine<'_>, given: &Given, name: &str, f: fn(f64) -> f64) -> Run<Py> {
    if let Some(method) = machine.method(given.arg(0), name)? {
        return machine.call(&method, Args::default());
    }
    match given.arg(0) {
        Py::Int(_) => Ok(given.arg(0).clone()),
        _ => on_float(given, |x| rounded(f(x))),
    }
}

/// A function of one floating-point number.
fn of_float(given: &Given, f: fn(f64) -> f64) -> Run<Py> {
    on_float(given, |x| Py::Float(f(x)))
}

/// A function of two floating-point numbers.
fn of_floats(given: &Given, f: fn(f64, f64) -> f64) -> Py {
    match (given.arg(0), given.arg(1)) {
        (a, b) if is_number(a) && is_number(b) => Py::Float(f(number(a), number(b))),
        _ => given.takes("numbers"),
    }
}

/// The product of elements, of a start.
fn product(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let items = match machine.iterate(given.arg(0))? {
        Ok(items) => items,
        Err(reason) => return Ok(Py::Unknown(reason)),
    };
    let mut total = match given.has(1) {
        true => given.arg(1).clone(),
        false => Py::Int(1),
    };
    for item in items {
        total = machine.binary(BinaryOp::Mul, total, item)?;
    }
    Ok(total)
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

static ABSOLUTE: Native = native("builtins.abs", "x", absolute);

pub(super) static NATIVES: &[Native] = &[
    native("builtins.divmod", "a b", divmod),
    native("builtins.min", "*items key= default=", |m, g| {
        extreme(m, g, false)
    }),
    native("builtins.max", "*items key= default=", |m, g| {
        extreme(m, g, true)
    }),
    native("cutlass.min", "*items key= default=", |m, g| {
        extreme(m, g, false)
    }),
    native("cutlass.max", "*items key= default=", |m, g| {
        extreme(m, g, true)
    }),
    native("builtins.sum", "items start=", sum),
    native("builtins.abs", "x", absolute),
    native("builtins.round", "x ndigits=", round),
    native("builtins.pow", "base exp mod=", power),
    native("operator.add", "a b", |m, g| operator(m, g, BinaryOp::Add)),
    native("operator.sub", "a b", |m, g| operator(m, g, BinaryOp::Sub)),
    native("operator.mul", "a b", |m, g| operator(m, g, BinaryOp::Mul)),
    native("operator.floordiv", "a b", |m, g| {
        operator(m, g, BinaryOp::FloorDiv)
    }),
    native("operator.mod", "a b", |m, g| operator(m, g, BinaryOp::Mod)),
    native("operator.truediv", "a b", |m, g| {
        operator(m, g, BinaryOp::Div)
    }),
    native("operator.pow", "a b", |m, g| operator(m, g, BinaryOp::Pow)),
    native("operator.and_", "a b", |m, g| operator(m, g, BinaryOp::And)),
    native("operator.or_", "a b", |m, g| operator(m, g, BinaryOp::Or)),
    native("operator.xor", "a b", |m, g| operator(m, g, BinaryOp::Xor)),
    native("operator.lshift", "a b", |m, g| {
        operator(m, g, BinaryOp::Shl)
    }),
    native("operator.rshift", "a b", |m, g| {
        operator(m, g, BinaryOp::Shr)
    }),
    native("operator.matmul", "a b", |m, g| {
        operator(m, g, BinaryOp::MatMul)
    }),
    native("math.ceil", "x", |m, g| whole(m, g, "__ceil__", f64::ceil)),
    native("math.floor", "x", |m, g| {
        whole(m, g, "__floor__", f64::floor)
    }),
    native("math.trunc", "x", |m, g| {
        whole(m, g, "__trunc__", f64::trunc)
    }),
    native("math.sqrt", "x", |_, g| of_float(g, f64::sqrt)),
    native("math.log2", "x", |_, g| of_float(g, f64::log2)),
    native("math.log10", "x", |_, g| of_float(g, f64::log10)),
    native("math.log", "x base=", |_, g| log(g)),
    native("math.exp", "x", |_, g| of_float(g, f64::exp)),
    native("math.fabs", "x", |_, g| of_float(g, f64::abs)),
    native("math.pow", "x y", |_, g| Ok(of_floats(g, f64::powf))),
    native("math.hypot", "x y", |_, g| Ok(of_floats(g, f64::hypot))),
    native("math.fmod", "x y", |_, g| Ok(of_floats(g, |x, y| x % y))),
    native("math.isqrt", "n", |_, g| Ok(isqrt(g))),
    native("math.factorial", "n", |_, g| Ok(product_of_row(g))),
    native("math.comb", "n k", |_, g| Ok(product_of_row(g))),
    native("math.perm", "n k=", |_, g| Ok(product_of_row(g))),
    native("math.isinf", "x", |_, g| {
        on_float(g, |x| Py::Bool(x.is_infinite()))
    }),
    native("math.isnan", "x", |_, g| {
        on_float(g, |x| Py::Bool(x.is_nan()))
    }),
    native("math.isfinite", "x", |_, g| {
        on_float(g, |x| Py::Bool(x.is_finite()))
    }),
    native("math.gcd", "*values", gcd),
    native("math.lcm", "*values", lcm),
    native("math.prod", "items start=", product),
];
