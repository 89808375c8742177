//! Arithmetic on integers and on tuples of integers.

use cute_algebra::{Int, Refusal, ops};

use super::python_words::Takes::Argument;
use super::{Call, Evaluated, Function, Header, Problem, entry, python_words};
use crate::questions;
use crate::questions::answers;
use crate::reason::Reason;
use crate::value::{Truth, Value};

fn ceil_div(call: &Call<'_>) -> Evaluated {
    let (a, b) = (call.shape(0)?, call.shape(1)?);
    let tiles = ops::shape_arithmetic::ceil_div(a.view(), b.view())?;
    Ok(Value::of_shape(&tiles))
}

fn round_up(call: &Call<'_>) -> Evaluated {
    let (a, b) = (call.shape(0)?, call.shape(1)?);
    let rounded = ops::shape_arithmetic::round_up(a.view(), b.view())?;
    Ok(Value::of_shape(&rounded))
}

fn shape_div(call: &Call<'_>) -> Evaluated {
    let (a, b) = (call.shape(0)?, call.shape(1)?);
    let quotient = ops::shape_arithmetic::shape_div(a.view(), b.view())?;
    Ok(Value::of_shape(&quotient))
}

fn elem_scale(call: &Call<'_>) -> Evaluated {
    let (a, b) = (call.shape(0)?, call.shape(1)?);
    let scaled = ops::shape_arithmetic::elem_scale(a.view(), b.view())?;
    Ok(Value::of_shape(&scaled))
}

fn product(call: &Call<'_>) -> Evaluated {
    Ok(Value::Int(call.shape(0)?.size()?))
}

fn product_each(call: &Call<'_>) -> Evaluated {
    let products = ops::shape_arithmetic::product_each(call.shape(0)?.view())?;
    Ok(Value::of_shape(&products))
}

/// Folds the integers of all arguments.
fn fold(call: &Call<'_>, f: impl Fn(&Int, &Int) -> Result<Int, Refusal>) -> Evaluated {
    let mut all: Option<Int> = None;
    let mut symbolic = false;
    for index in 0..call.args.len() {
        let shape = call.shape(index)?;
        for int in shape.leaves() {
            symbolic |= int.value().is_none();
            all = Some(match all {
                None => int.clone(),
                Some(sum) => f(&sum, int)?,
            });
        }
    }
    match all {
        // An assumption about extents need not hold for the integers of a program.
        Some(int) if symbolic && int.value().is_some() => Err(Problem::Unknown(Reason::RunTime(
            format!("`{}` of run-time values", call.name).into(),
        ))),
        Some(int) => Ok(Value::Int(int)),
        None => Err(call.takes("integers")),
    }
}

fn minimum(call: &Call<'_>) -> Evaluated {
    fold(call, Int::min)
}

fn maximum(call: &Call<'_>) -> Evaluated {
    fold(call, Int::max)
}

fn gcd(call: &Call<'_>) -> Evaluated {
    fold(call, Int::gcd)
}

fn lcm(call: &Call<'_>) -> Evaluated {
    fold(call, |a, b| a.mul(b)?.div(&a.gcd(b)?))
}

/// `x << s`, which is `x >> -s` where s is negative.
fn shiftl(call: &Call<'_>) -> Evaluated {
    shift(call, call.int(0)?, call.int(1)?.neg()?.value())
}

/// `x >> s`, which is `x << -s` where s is negative.
fn shiftr(call: &Call<'_>) -> Evaluated {
    shift(call, call.int(0)?, call.int(1)?.value())
}

/// An integer without its last `down` bits, or with zeros behind it.
fn shift(call: &Call<'_>, int: &Int, down: Option<i64>) -> Evaluated {
    let is_static = int.is_static() && call.int(1)?.is_static();
    let down = down.filter(|down| (-31..=31).contains(down));
    let power = down.map(|down| Int::fixed(1 << down.abs()));
    let shifted = match (power, down) {
        (Some(power), Some(down)) if down <= 0 => int.mul(&power)?,
        (Some(power), _) if int.bounds().0 >= Some(0) => int.div(&power)?,
        _ => return Err(call.takes("a number that is not negative and a known number of bits")),
    };
    Ok(Value::Int(if is_static {
        shifted
    } else {
        shifted.to_dynamic()
    }))
}

fn absolute(call: &Call<'_>) -> Evaluated {
    let int = call.int(0)?;
    match int.value() {
        Some(_) => Ok(Value::Int(int.abs()?)),
        None => Err(Problem::Unknown(Reason::RunTime("a sign".into()))),
    }
}

/// A function of one known integer that keeps whether the compiler knows it.
fn known(call: &Call<'_>, f: impl FnOnce(i64) -> Option<i64>) -> Evaluated {
    let int = call.int(0)?;
    let Some(value) = int.value() else {
        return Err(Problem::Unknown(Reason::RunTime(
            format!("`{}` of run-time values", call.name).into(),
        )));
    };
    match f(value) {
        Some(value) if int.is_static() => Ok(Value::Int(Int::fixed(value))),
        Some(value) => Ok(Value::Int(Int::dynamic(value))),
        None => Err(call.takes("a number in its range")),
    }
}

fn unsigned(value: i64) -> Option<u64> {
    u64::try_from(value).ok()
}

fn bit_width(call: &Call<'_>) -> Evaluated {
    known(call, |value| {
        unsigned(value).map(|value| i64::from(64 - value.leading_zeros()))
    })
}

fn bit_ceil(call: &Call<'_>) -> Evaluated {
    known(call, |value| {
        let power = unsigned(value)?.checked_next_power_of_two()?;
        i64::try_from(power).ok()
    })
}

fn bit_floor(call: &Call<'_>) -> Evaluated {
    known(call, |value| match value {
        0 => Some(0),
        1.. => Some(1 << value.ilog2()),
        _ => None,
    })
}

fn popcount(call: &Call<'_>) -> Evaluated {
    known(call, |value| {
        unsigned(value).map(|value| i64::from(value.count_ones()))
    })
}

fn countr_zero(call: &Call<'_>) -> Evaluated {
    known(call, |value| {
        (value > 0).then(|| i64::from(value.trailing_zeros()))
    })
}

fn signum(call: &Call<'_>) -> Evaluated {
    known(call, |value| Some(value.signum()))
}

fn has_single_bit(call: &Call<'_>) -> Evaluated {
    match call.int(0)? {
        int if int.value().is_some_and(|value| value >= 0) => Ok(Value::Bool(Truth {
            value: int.value().is_some_and(|value| value.count_ones() == 1),
            fixed: int.is_static(),
        })),
        _ => Err(call.takes("a known number")),
    }
}

/// `bits_to_bytes(bits)`, rounded up.
fn bits_to_bytes(call: &Call<'_>) -> Evaluated {
    let bits = call.int(0)?;
    Ok(Value::Int(bits.ceil_div(&Int::fixed(8))?.to_dynamic()))
}

fn safe_div(call: &Call<'_>) -> Evaluated {
    Ok(Value::Int(call.int(0)?.div(call.int(1)?)?))
}

/// `log_2(n)`, rounded down, of a static integer.
fn log_2(call: &Call<'_>) -> Evaluated {
    match call.int(0)?.as_static() {
        Some(number) if number > 0 => Ok(Value::Int(Int::fixed(i64::from(number.ilog2())))),
        _ => Err(call.takes("a positive static integer")),
    }
}

pub(super) const FUNCTIONS: &[Function] = &[
    entry(
        "ceil_div",
        "auto ceil_div(a, b)",
        "how many of the right shape cover the left one, mode by mode",
        ceil_div,
    )
    .takes(&["a", "b"])
    .header(Header::Cute("int_tuple.hpp"))
    .asked(answers(2, 2, questions::shapes::ceil_div))
    .python(&[
        python_words::word("ceil_div", &[("input", Argument), ("tiler", Argument)])
            .on_objects("input tiler"),
    ]),
    entry(
        "round_up",
        "auto round_up(a, b)",
        "the left rounded up to a multiple of the right, mode by mode",
        round_up,
    )
    .takes(&["a", "b"])
    .header(Header::Cute("int_tuple.hpp"))
    .asked(answers(2, 2, questions::shapes::round_up))
    .python(&[python_words::word("round_up", python_words::PAIR)]),
    entry(
        "shape_div",
        "auto shape_div(a, b)",
        "the shape a divided by b",
        shape_div,
    )
    .takes(&["a", "b"])
    .header(Header::Cute("int_tuple.hpp"))
    .asked(answers(2, 2, questions::shapes::shape_div))
    .python(&[python_words::word(
        "shape_div",
        &[("lhs", Argument), ("rhs", Argument)],
    )]),
    entry(
        "elem_scale",
        "auto elem_scale(a, b)",
        "leaf by leaf, the left times the size of the right",
        elem_scale,
    )
    .takes(&["a", "b"])
    .header(Header::Cute("int_tuple.hpp"))
    .asked(answers(2, 2, questions::shapes::elem_scale)),
    entry(
        "product",
        "auto product(t)",
        "the product of all integers",
        product,
    )
    .takes(&["t"])
    .header(Header::Cute("int_tuple.hpp"))
    .python(&[python_words::word("product", &[("a", Argument)])]),
    entry(
        "product_each",
        "auto product_each(t)",
        "the size of each mode",
        product_each,
    )
    .takes(&["t"])
    .header(Header::Cute("int_tuple.hpp"))
    .asked(answers(1, 1, questions::shapes::product_each))
    .python(&[python_words::word("product_each", &[("a", Argument)])]),
    entry("min", "auto min(a, b...)", "the smallest", minimum)
        .takes(&["a", "b..."])
        .header(Header::Cute("numeric/math.hpp"))
        .python(&[python_words::variadic("min").of("builtins")]),
    entry("max", "auto max(a, b...)", "the largest", maximum)
        .takes(&["a", "b..."])
        .header(Header::Cute("numeric/math.hpp"))
        .python(&[python_words::variadic("max").of("builtins")]),
    entry("gcd", "auto gcd(a, b)", "the greatest common divisor", gcd)
        .takes(&["a", "b"])
        .header(Header::Cute("numeric/math.hpp")),
    entry("lcm", "auto lcm(a, b)", "the least common multiple", lcm)
        .takes(&["a", "b"])
        .header(Header::Cute("numeric/math.hpp")),
    entry("abs", "auto abs(a)", "the absolute value", absolute)
        .takes(&["a"])
        .header(Header::Cute("numeric/math.hpp"))
        .python(&[python_words::word("abs", &[("x", Argument)]).of("builtins")]),
    entry(
        "shiftl",
        "auto shiftl(x, s)",
        "x << s; for a negative s x >> -s",
        shiftl,
    )
    .takes(&["x", "s"])
    .header(Header::Cute("numeric/math.hpp")),
    entry(
        "shiftr",
        "auto shiftr(x, s)",
        "x >> s; for a negative s x << -s",
        shiftr,
    )
    .takes(&["x", "s"])
    .header(Header::Cute("numeric/math.hpp")),
    entry(
        "log_2",
        "auto log_2(n)",
        "the logarithm to base 2, rounded down",
        log_2,
    )
    .takes(&["n"])
    .header(Header::Cute("numeric/math.hpp")),
    entry(
        "bit_width",
        "auto bit_width(n)",
        "the number of bits that n needs",
        bit_width,
    )
    .takes(&["n"])
    .header(Header::Cute("numeric/math.hpp")),
    entry(
        "bit_ceil",
        "auto bit_ceil(n)",
        "the smallest power of two that is not less",
        bit_ceil,
    )
    .takes(&["n"])
    .header(Header::Cute("numeric/math.hpp")),
    entry(
        "bit_floor",
        "auto bit_floor(n)",
        "the largest power of two that is not greater",
        bit_floor,
    )
    .takes(&["n"])
    .header(Header::Cute("numeric/math.hpp")),
    entry(
        "popcount",
        "auto popcount(n)",
        "the number of bits that are set",
        popcount,
    )
    .takes(&["n"])
    .header(Header::Cute("numeric/math.hpp")),
    entry(
        "countr_zero",
        "auto countr_zero(n)",
        "the number of zeros below the lowest set bit",
        countr_zero,
    )
    .takes(&["n"])
    .header(Header::Cute("numeric/math.hpp")),
    entry("signum", "auto signum(n)", "-1, 0 or 1", signum)
        .takes(&["n"])
        .header(Header::Cute("numeric/math.hpp")),
    entry(
        "has_single_bit",
        "bool has_single_bit(n)",
        "whether n is a power of two",
        has_single_bit,
    )
    .takes(&["n"])
    .header(Header::Cute("numeric/math.hpp")),
    entry(
        "bits_to_bytes",
        "auto bits_to_bytes(bits)",
        "the bytes that bits take",
        bits_to_bytes,
    )
    .takes(&["bits"])
    .header(Header::Cutlass("numeric_size.h")),
    entry(
        "safe_div",
        "auto safe_div(a, b)",
        "the quotient of a division without rest",
        safe_div,
    )
    .takes(&["a", "b"])
    .header(Header::Cute("numeric/math.hpp")),
];
