//! Arithmetic on known integers in the types that C++ gives its operands: unsigned numbers wrap, narrow ones are
//! promoted, and an overflow of a signed type has no value.

use cute_algebra::{Int, IntType};
use tree_sitter_cute::tree::BinaryOp;

use crate::reason::Reason;
use crate::types::{Scalar, ScalarClass, Type};
use crate::value::{Truth, Value};

const BEYOND_64_BITS: &str = "a number beyond 64 bits";

/// The reason for a number that its type does not hold.
pub(super) const OUTSIDE_RANGE: &str = "a number outside the range of its type";

/// Whether a number is not known because it is negative or large: nothing like the symbols that are extents.
pub(super) fn is_beyond(reason: &Reason) -> bool {
    matches!(reason, Reason::RunTime(what) if [BEYOND_64_BITS, OUTSIDE_RANGE].contains(&&**what))
}

/// A known integer or truth value, as a number.
pub(super) fn number(value: &Value) -> Option<i64> {
    match value {
        Value::Int(int) => int.value(),
        Value::Bool(truth) => Some(i64::from(truth.value)),
        _ => None,
    }
}

pub(super) fn integer_type(ty: &Type) -> Option<Scalar> {
    match ty {
        Type::Scalar(scalar) if scalar.is_integer() => Some(*scalar),
        _ => None,
    }
}

/// The same with `bool` and `char`, which are promoted.
pub(super) fn integral_type(ty: &Type) -> Option<Scalar> {
    match ty {
        Type::Scalar(scalar) if matches!(scalar.class, ScalarClass::Bool | ScalarClass::Char) => {
            Some(*scalar)
        }
        ty => integer_type(ty),
    }
}

/// The type of a literal ([lex.icon]): the first that holds it, and only one without digits of ten may become unsigned.
pub(super) fn type_of_literal(text: &str, value: i64) -> Option<Scalar> {
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let suffix = text.trim_end_matches(['u', 'U', 'l', 'L', 'z', 'Z']);
    let suffix = text.get(suffix.len()..)?.to_ascii_lowercase();
    let is_decimal = !text.starts_with('0');
    let is_unsigned = suffix.contains('u');
    let is_int = !suffix.contains(['l', 'z']);
    if suffix.contains("ll") {
        let signed = Scalar::of_spelling("long long");
        let signed = signed.filter(|scalar| !is_unsigned && scalar.holds(value));
        return signed.or_else(|| Scalar::of_spelling("unsigned long long"));
    }
    let may_be = |name: &'static str, allowed: bool| {
        Scalar::of_spelling(name).filter(|scalar| allowed && scalar.holds(value))
    };
    may_be("int", is_int && !is_unsigned)
        .or_else(|| may_be("unsigned", is_int && (is_unsigned || !is_decimal)))
        .or_else(|| may_be("long", !is_unsigned))
        .or_else(|| may_be("unsigned long", true))
}

pub(super) fn promoted(scalar: Scalar) -> Option<Scalar> {
    if scalar.bits < 32 {
        Scalar::of_spelling("int")
    } else {
        Some(scalar)
    }
}

/// The type of a sum of two: of one width the unsigned one, else the wider one.
pub(super) fn common(left: Scalar, right: Scalar) -> Option<Scalar> {
    let (left, right) = (promoted(left)?, promoted(right)?);
    let is_unsigned = |scalar: Scalar| scalar.class == ScalarClass::Unsigned;
    let is_longest = |scalar: Scalar| scalar.name.ends_with("long long");
    if left.bits == right.bits && is_longest(left) != is_longest(right) {
        return Scalar::of_spelling(if is_unsigned(left) || is_unsigned(right) {
            "unsigned long long"
        } else {
            "long long"
        });
    }
    let rank = |scalar: Scalar| (scalar.bits, is_unsigned(scalar));
    Some(if rank(left) >= rank(right) {
        left
    } else {
        right
    })
}

/// Whether an operator on integers gives a truth value.
pub(super) fn is_truth(op: BinaryOp) -> bool {
    use BinaryOp::{And, Eq, Ge, Gt, Le, Lt, Ne, Or};
    matches!(op, And | Or | Eq | Ne | Lt | Le | Gt | Ge)
}

pub(super) fn is_arithmetic(op: BinaryOp) -> bool {
    use BinaryOp::{Add, BitAnd, BitOr, BitXor, Div, Mul, Rem, Sub};
    matches!(op, Add | Sub | Mul | Div | Rem | BitAnd | BitOr | BitXor)
}

/// Whether the result on two numbers differs from type to type: not where neither they nor it are negative or beyond `int`.
pub(super) fn depends_on_types(op: BinaryOp, a: i64, b: i64) -> bool {
    use BinaryOp::{
        Add, BitAnd, BitOr, BitXor, Div, Eq, Ge, Gt, Le, Lt, Mul, Ne, Rem, Shl, Shr, Sub,
    };
    let is_outside =
        |number: Option<i64>| number.is_none_or(|it| !(0..=i64::from(i32::MAX)).contains(&it));
    let is_negative = a < 0 || b < 0;
    match op {
        Add => is_negative || is_outside(a.checked_add(b)),
        Sub => is_negative || is_outside(a.checked_sub(b)),
        Mul => is_negative || is_outside(a.checked_mul(b)),
        Shl => is_negative || b >= 31 || is_outside(a.checked_mul(1 << b)),
        Shr => is_negative || b >= 32,
        Div | Rem | BitAnd | BitOr | BitXor | Eq | Ne | Lt | Le | Gt | Ge => is_negative,
        _ => false,
    }
}

/// An operator on two numbers of known types.
pub(super) fn typed(op: BinaryOp, (left, a): (IntType, i64), (right, b): (IntType, i64)) -> Value {
    if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
        let Some(places) = u32::try_from(b).ok().filter(|places| *places < left.bits()) else {
            return Value::Unknown(Reason::Construct("a shift by more than the width"));
        };
        let a = i128::from(a);
        let shifted = if op == BinaryOp::Shl {
            a << places
        } else {
            a >> places
        };
        return integer(left, left.wrapped(shifted));
    }
    let ty = left.common(right);
    let (a, b) = (ty.wrapped(a.into()), ty.wrapped(b.into()));
    let truth = |value| Value::Bool(Truth::run_time(value));
    let result = match op {
        BinaryOp::Eq => return truth(a == b),
        BinaryOp::Ne => return truth(a != b),
        BinaryOp::Lt => return truth(a < b),
        BinaryOp::Le => return truth(a <= b),
        BinaryOp::Gt => return truth(a > b),
        BinaryOp::Ge => return truth(a >= b),
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::Div => a.checked_div(b),
        BinaryOp::Rem => a.checked_rem(b),
        BinaryOp::BitAnd => Some(a & b),
        BinaryOp::BitOr => Some(a | b),
        BinaryOp::BitXor => Some(a ^ b),
        _ => None,
    };
    match result {
        Some(result) => integer(ty, result),
        None => Value::Unknown(Reason::Construct(
            "an operator without a value for its operands",
        )),
    }
}

/// A result in its type: an unsigned one wraps, a signed one that overflows has no value.
pub(super) fn integer(ty: IntType, result: i128) -> Value {
    let result = if ty.is_signed() {
        result
    } else {
        ty.wrapped(result)
    };
    if !ty.holds(result) {
        return Value::Unknown(Reason::Construct("a signed integer that overflows"));
    }
    match i64::try_from(result) {
        Ok(number) => Value::Int(Int::dynamic(number)),
        Err(_) => Value::Unknown(Reason::RunTime(BEYOND_64_BITS.into())),
    }
}

pub(super) fn unknown_type() -> Value {
    Value::Unknown(Reason::UNDECLARED_INTEGER)
}

/// The value in `std::numeric_limits` of an integer type: of a constant, or of a function of this name.
pub(super) fn numeric_limit(ty: Scalar, member: &str) -> Option<Value> {
    let is_signed = match ty.class {
        ScalarClass::Signed => true,
        ScalarClass::Unsigned => false,
        // Where `char` is signed does not matter here.
        _ => return None,
    };
    if !matches!(ty.bits, 8 | 16 | 32 | 64) {
        return None;
    }
    let digits = ty.bits - u32::from(is_signed);
    let greatest = i64::MAX >> 63_u32.checked_sub(digits)?.min(62);
    let number = match member {
        "digits" => i64::from(digits),
        "max" if digits <= 63 => greatest,
        "min" | "lowest" if is_signed => -greatest - 1,
        "min" | "lowest" => 0,
        "is_signed" => return Some(Value::Bool(Truth::run_time(is_signed))),
        "is_integer" | "is_specialized" | "is_exact" => {
            return Some(Value::Bool(Truth::run_time(true)));
        }
        _ => return None,
    };
    Some(Value::Int(Int::dynamic(number)))
}

/// A type argument that is constant, a reference or an array, which types are not here.
pub(super) const QUALIFIED: Reason =
    Reason::Construct("a template with a type that may be constant, a reference or an array");

/// The type that an argument gives a template parameter, where it may be constant or a reference.
pub(super) const DEDUCED: Reason =
    Reason::Construct("a deduced type that may be constant or a reference");

/// Whether a value is an arithmetic type of the language: `int const` and `int` are easily asked about.
pub(super) fn is_arithmetic_type(value: &Value) -> bool {
    let Value::Type(ty) = value else {
        return false;
    };
    matches!(&**ty, Type::Scalar(scalar) if scalar.is_integer()
        || matches!(scalar.name, "bool" | "char" | "float" | "double"))
}
