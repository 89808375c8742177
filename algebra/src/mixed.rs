//! Bitwise operations on integers of which some bits may be static and others run-time (CuTe's `MixedBits`).

use crate::int::Int;
use crate::refusal::{Refusal, Rule};
use crate::swizzle::shift_right;
use crate::verdict::Verdict;

/// The static bits, the run-time bits' positions, and their value.
struct Parts {
    known: u32,
    flags: u32,
    value: u32,
}

fn narrow(value: i64) -> Result<u32, Refusal> {
    // C++ converts an int to uint32_t, which keeps the bits of a negative number.
    u32::try_from(value)
        .or_else(|_| i32::try_from(value).map(i32::cast_unsigned))
        .map_err(|_| Refusal::overflow("bits").with("value", value))
}

fn as_bits(int: &Int) -> Result<Option<Parts>, Refusal> {
    if let Some((known, flags, bits)) = int.as_mixed() {
        return Ok(Some(Parts {
            known,
            flags,
            value: bits,
        }));
    }
    match int.as_static() {
        Some(value) => Ok(Some(Parts {
            known: narrow(value)?,
            flags: 0,
            value: 0,
        })),
        None => Ok(None),
    }
}

fn on_numbers(a: &Int, b: &Int, f: impl Fn(i64, i64) -> i64) -> Result<Int, Refusal> {
    match (a.value(), b.value()) {
        (Some(x), Some(y)) if a.is_static() && b.is_static() => Ok(Int::fixed(f(x, y))),
        (Some(x), Some(y)) => Ok(Int::dynamic(f(x, y))),
        _ => Err(Refusal::new(Rule::NotProvable, Verdict::Accepts)
            .with("left", a)
            .with("right", b)),
    }
}

/// `a & b`; a static 0 absorbs.
pub(crate) fn and(a: &Int, b: &Int) -> Result<Int, Refusal> {
    if a.is_constant(0) || b.is_constant(0) {
        return Ok(Int::ZERO);
    }
    if a.as_mixed().is_none() && b.as_mixed().is_none() {
        return on_numbers(a, b, |x, y| x & y);
    }
    match (as_bits(a)?, as_bits(b)?) {
        (Some(x), Some(y)) => Ok(Int::mixed(
            x.known & y.known,
            (y.known & x.flags) | (x.known & y.flags) | (x.flags & y.flags),
            (x.known | x.value) & (y.known | y.value),
        )),
        _ => on_numbers(a, b, |x, y| x & y),
    }
}

/// `a ^ b`.
pub(crate) fn xor(a: &Int, b: &Int) -> Result<Int, Refusal> {
    if a.as_mixed().is_none() && b.as_mixed().is_none() {
        return on_numbers(a, b, |x, y| x ^ y);
    }
    match (as_bits(a)?, as_bits(b)?) {
        (Some(x), Some(y)) => Ok(Int::mixed(
            (x.known ^ y.known) & !(x.flags | y.flags),
            x.flags | y.flags,
            (x.known | x.value) ^ (y.known | y.value),
        )),
        _ => on_numbers(a, b, |x, y| x ^ y),
    }
}

/// `a >> shift`, or `a << -shift`.
pub(crate) fn shifted(a: &Int, shift: i64) -> Result<Int, Refusal> {
    match a.as_mixed() {
        Some((known, flags, bits)) => {
            let part = |x: u32| narrow(shift_right(i64::from(x), shift));
            Ok(Int::mixed(part(known)?, part(flags)?, part(bits)?))
        }
        None => on_numbers(a, a, |x, _| shift_right(x, shift)),
    }
}

/// `(number & flags)` with the bits under `flags` known at run time only, unless the number is static.
pub(crate) fn from_coordinate(number: &Int, flags: i64) -> Result<Int, Refusal> {
    match number.value() {
        Some(value) if number.is_static() => Ok(Int::fixed(value & flags)),
        Some(value) => Ok(Int::mixed(0, narrow(flags)?, narrow(value & flags)?)),
        None => Err(Refusal::new(Rule::NotProvable, Verdict::Accepts).with("coordinate", number)),
    }
}
