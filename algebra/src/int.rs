//! A leaf integer: static (part of the type in CuTe), known at run time, or symbolic.
//!
//! CuTe's form of a result depends on *where* an integer is known: `_8` takes part in merging and cancelling, a run-time
//! `8` does not. So an [`Int`] carries this, and its arithmetic follows the operators of CuTe's integral constants:
//! static with static gives static; static 0 absorbs in products, quotients and remainders; everything else is run-time.

use crate::int_type::IntType;
use crate::limits;
use crate::refusal::{Refusal, Rule};
use crate::symbol::{Expression, gcd};
use crate::verdict::Verdict;
use core::fmt;
use std::sync::Arc;

/// A leaf integer of a shape, a stride or a coordinate.
///
/// Equality is of the form: `Int::fixed(8) != Int::dynamic(8)`, and an `unsigned` 8 is not an `int` 8. Use
/// [`Int::value`] to compare numbers.
///
/// ```
/// use cute_algebra::Int;
/// let tiles = Int::symbol("M").ceil_div(&Int::fixed(128))?;
/// assert_eq!(tiles.to_string(), "(M+127)/128");
/// assert_eq!(Int::fixed(0).mul(&Int::symbol("M"))?, Int::fixed(0));
/// # Ok::<(), cute_algebra::Refusal>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Int(Repr);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Repr {
    Fixed(IntType, i64),
    Dynamic(IntType, i64),
    /// CuTe's `MixedBits`: a 32-bit value below, and above it the mask of its run-time bits. Packed, so that an `Int`
    /// is two words, its type included.
    Mixed(u64),
    Symbolic(IntType, Arc<Expression>),
}

#[derive(Clone, Copy)]
enum Operation {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Min,
    Max,
    Gcd,
}

impl Operation {
    fn name(self) -> &'static str {
        match self {
            Operation::Add => "sum",
            Operation::Sub => "difference",
            Operation::Mul => "product",
            Operation::Div => "quotient",
            Operation::Rem => "remainder",
            Operation::Min => "minimum",
            Operation::Max => "maximum",
            Operation::Gcd => "greatest common divisor",
        }
    }

    fn on_numbers(self, a: i64, b: i64) -> Option<i64> {
        match self {
            Operation::Add => a.checked_add(b),
            Operation::Sub => a.checked_sub(b),
            Operation::Mul => a.checked_mul(b),
            Operation::Div => a.checked_div(b),
            Operation::Rem => a.checked_rem(b),
            Operation::Min => Some(a.min(b)),
            Operation::Max => Some(a.max(b)),
            Operation::Gcd => Some(gcd(a, b)),
        }
    }

    fn on_symbols(self, a: &Expression, b: &Expression) -> Option<Expression> {
        match self {
            Operation::Add => a.add(b),
            Operation::Sub => a.sub(b),
            Operation::Mul => a.mul(b),
            Operation::Div => a.quotient(b),
            Operation::Rem => a.remainder(b),
            Operation::Min => a.minimum(b),
            Operation::Max => a.maximum(b),
            Operation::Gcd => (a == b).then(|| a.clone()),
        }
    }
}

impl Int {
    /// The static 0.
    pub const ZERO: Int = Int::fixed(0);
    /// The static 1.
    pub const ONE: Int = Int::fixed(1);

    /// A static integer, CuTe's `Int<value>{}`, printed `_8`.
    #[inline]
    pub const fn fixed(value: i64) -> Self {
        Int(Repr::Fixed(IntType::Int, value))
    }

    /// A run-time integer whose value is known, printed `8`.
    #[inline]
    pub const fn dynamic(value: i64) -> Self {
        Int(Repr::Dynamic(IntType::Int, value))
    }

    /// A named run-time integer that is at least 1: an extent or a leading dimension.
    pub fn symbol(name: &str) -> Self {
        Int::expression(Expression::symbol(name, 1))
    }

    /// A named run-time integer that is at least 0: a coordinate such as `threadIdx.x`.
    pub fn coordinate(name: &str) -> Self {
        Int::expression(Expression::symbol(name, 0))
    }

    /// A symbolic expression; one without symbols becomes a run-time number.
    pub fn expression(expression: Expression) -> Self {
        match expression.as_known() {
            Some(value) => Int::dynamic(value),
            None => Int(Repr::Symbolic(IntType::Int, Arc::new(expression))),
        }
    }

    /// The C++ type of the integer; `int` unless [`typed`](Int::typed) says otherwise. The arithmetic of an [`Int`] finds
    /// the type of its result, and does not wrap.
    #[inline]
    pub fn int_type(&self) -> IntType {
        match &self.0 {
            Repr::Fixed(ty, _) | Repr::Dynamic(ty, _) | Repr::Symbolic(ty, _) => *ty,
            Repr::Mixed(_) => IntType::Int,
        }
    }

    /// The same number with another C++ type.
    #[must_use]
    pub fn typed(self, ty: IntType) -> Self {
        Int(match self.0 {
            Repr::Fixed(_, value) => Repr::Fixed(ty, value),
            Repr::Dynamic(_, value) => Repr::Dynamic(ty, value),
            Repr::Symbolic(_, expression) => Repr::Symbolic(ty, expression),
            mixed @ Repr::Mixed(_) => mixed,
        })
    }

    /// The least and the largest value that it can have, where its parts tell.
    pub fn bounds(&self) -> (Option<i64>, Option<i64>) {
        match self.value() {
            Some(value) => (Some(value), Some(value)),
            None => self.to_expression().bounds(),
        }
    }

    /// `known | (value & flags)`, where only the bits under `flags` are known only at run time (CuTe's `MixedBits`).
    pub(crate) fn mixed(known: u32, flags: u32, value: u32) -> Self {
        let flags = flags & !known;
        if flags == 0 {
            return Int::fixed(i64::from(known));
        }
        Int(Repr::Mixed(
            u64::from(flags) << 32 | u64::from(known | (value & flags)),
        ))
    }

    /// The known and the run-time bits `(known, flags, bits)` of a [mixed](Int::mixed) integer.
    pub(crate) fn as_mixed(&self) -> Option<(u32, u32, u32)> {
        match self.0 {
            Repr::Mixed(packed) => {
                let (value, flags) = (packed as u32, (packed >> 32) as u32);
                Some((value & !flags, flags, value & flags))
            }
            _ => None,
        }
    }

    /// A static boolean as CuTe's `true_type` and `false_type`.
    pub fn fixed_bool(value: bool) -> Self {
        Int::fixed(i64::from(value))
    }

    /// The number, when it is known (statically or at run time).
    #[inline]
    pub fn value(&self) -> Option<i64> {
        match &self.0 {
            Repr::Fixed(_, v) | Repr::Dynamic(_, v) => Some(*v),
            Repr::Mixed(packed) => Some(i64::from(*packed as u32)),
            Repr::Symbolic(..) => None,
        }
    }

    /// Whether it is part of the type.
    #[inline]
    pub fn is_static(&self) -> bool {
        matches!(self.0, Repr::Fixed(..))
    }

    /// The number, when it is static.
    #[inline]
    pub fn as_static(&self) -> Option<i64> {
        match self.0 {
            Repr::Fixed(_, v) => Some(v),
            _ => None,
        }
    }

    /// Whether it is this static number: CuTe's `is_constant<value, T>`.
    #[inline]
    pub fn is_constant(&self, value: i64) -> bool {
        self.as_static() == Some(value)
    }

    /// The symbolic expression, when it is one.
    pub fn as_expression(&self) -> Option<&Expression> {
        match &self.0 {
            Repr::Symbolic(_, e) => Some(e),
            _ => None,
        }
    }

    /// The value as an expression, known or not.
    pub fn to_expression(&self) -> Expression {
        match &self.0 {
            Repr::Symbolic(_, e) => Expression::clone(e),
            _ => Expression::known(self.value().unwrap_or_default()),
        }
    }

    /// The same number as a static integer; a symbol is unchanged.
    #[must_use]
    pub fn to_fixed(&self) -> Self {
        self.value().map_or_else(
            || self.clone(),
            |value| Int::fixed(value).typed(self.int_type()),
        )
    }

    /// The same number as a run-time integer; a symbol is unchanged.
    #[must_use]
    pub fn to_dynamic(&self) -> Self {
        self.value().map_or_else(
            || self.clone(),
            |value| Int::dynamic(value).typed(self.int_type()),
        )
    }

    #[inline]
    fn binary(&self, other: &Int, operation: Operation) -> Result<Int, Refusal> {
        if let (Repr::Fixed(left, a), Repr::Fixed(right, b)) = (&self.0, &other.0) {
            return match operation.on_numbers(*a, *b) {
                Some(value) => Ok(Int(Repr::Fixed(left.common(*right), value))),
                None => Err(self.cannot(other, operation)),
            };
        }
        self.binary_at_run_time(other, operation)
    }

    #[inline(never)]
    fn binary_at_run_time(&self, other: &Int, operation: Operation) -> Result<Int, Refusal> {
        let absorbs = match operation {
            Operation::Mul => self.is_constant(0) || other.is_constant(0),
            Operation::Div => self.is_constant(0),
            Operation::Rem => self.is_constant(0) || other.is_constant(1) || other.is_constant(-1),
            _ => false,
        };
        if absorbs {
            return Ok(Int::ZERO);
        }
        let common = self.int_type().common(other.int_type());
        if let (Some(a), Some(b)) = (self.value(), other.value()) {
            return match operation.on_numbers(a, b) {
                Some(value) => Ok(Int(Repr::Dynamic(common, value))),
                None => Err(self.cannot(other, operation)),
            };
        }
        match operation.on_symbols(&self.to_expression(), &other.to_expression()) {
            Some(e) => Ok(Int::expression(e).typed(common)),
            None => Err(self.cannot(other, operation)),
        }
    }

    /// Why `self operation other` has no value: overflow or a division by zero.
    #[cold]
    fn cannot(&self, other: &Int, operation: Operation) -> Refusal {
        let zero_divisor =
            matches!(operation, Operation::Div | Operation::Rem) && other.value() == Some(0);
        if zero_divisor {
            let cute = if self.is_static() && other.is_static() {
                Verdict::CompileError("division by zero in a constant expression")
            } else {
                Verdict::Traps
            };
            return Refusal::new(Rule::DivisionByZero, cute)
                .with("dividend", self)
                .with("divisor", other);
        }
        if matches!(operation, Operation::Gcd) {
            return Refusal::new(Rule::NotProvable, Verdict::Accepts)
                .with("left", self)
                .with("right", other);
        }
        let (left, right) = (self.to_expression(), other.to_expression());
        let terms = match operation {
            Operation::Mul => left.term_count() * right.term_count(),
            _ => left.term_count() + right.term_count(),
        };
        if terms > limits::TERMS {
            return Refusal::limit("symbolic terms", limits::TERMS).with("in", operation.name());
        }
        Refusal::overflow(operation.name())
            .with("left", self)
            .with("right", other)
    }

    /// The sum.
    #[inline]
    pub fn add(&self, other: &Int) -> Result<Int, Refusal> {
        self.binary(other, Operation::Add)
    }

    /// The difference.
    #[inline]
    pub fn sub(&self, other: &Int) -> Result<Int, Refusal> {
        self.binary(other, Operation::Sub)
    }

    /// The product; a static 0 absorbs.
    #[inline]
    pub fn mul(&self, other: &Int) -> Result<Int, Refusal> {
        self.binary(other, Operation::Mul)
    }

    /// The quotient, rounded towards zero as in C++.
    #[inline]
    pub fn div(&self, other: &Int) -> Result<Int, Refusal> {
        self.binary(other, Operation::Div)
    }

    /// The remainder of [`Int::div`].
    #[inline]
    pub fn rem(&self, other: &Int) -> Result<Int, Refusal> {
        self.binary(other, Operation::Rem)
    }

    /// The smaller of the two; static only if both are.
    #[inline]
    pub fn min(&self, other: &Int) -> Result<Int, Refusal> {
        self.binary(other, Operation::Min)
    }

    /// The larger of the two; static only if both are.
    #[inline]
    pub fn max(&self, other: &Int) -> Result<Int, Refusal> {
        self.binary(other, Operation::Max)
    }

    /// The greatest common divisor of two known numbers.
    pub fn gcd(&self, other: &Int) -> Result<Int, Refusal> {
        self.binary(other, Operation::Gcd)
    }

    /// `(self + other - 1) / other`: the number of tiles of `other` that cover `self`.
    #[inline]
    pub fn ceil_div(&self, other: &Int) -> Result<Int, Refusal> {
        if let (Repr::Fixed(left, a), Repr::Fixed(right, b)) = (&self.0, &other.0)
            && let Some(value) = a.checked_add(*b).and_then(|s| (s - 1).checked_div(*b))
        {
            return Ok(Int(Repr::Fixed(left.common(*right), value)));
        }
        self.add(other)?.sub(&Int::ONE)?.div(other)
    }

    /// The quotient of a division that has to be exact.
    pub fn div_exact(&self, other: &Int) -> Result<Int, Refusal> {
        let rest = self.rem(other)?;
        match rest.value() {
            Some(0) => self.div(other),
            Some(rest) => Err(Refusal::uncompilable(Rule::NotDivisible, "not divisible")
                .with("dividend", self)
                .with("divisor", other)
                .with("remainder", rest)),
            None => Err(Refusal::new(Rule::NotProvable, Verdict::Accepts)
                .with("dividend", self)
                .with("divisor", other)),
        }
    }

    /// The absolute value.
    #[inline]
    pub fn abs(&self) -> Result<Int, Refusal> {
        match &self.0 {
            Repr::Fixed(_, v) => v.checked_abs().map(Int::fixed),
            Repr::Symbolic(_, e) => e.absolute().map(Int::expression),
            _ => self.value().and_then(i64::checked_abs).map(Int::dynamic),
        }
        .map(|int| int.typed(self.int_type().promoted()))
        .ok_or_else(|| Refusal::overflow("absolute value").with("of", self))
    }

    /// -1, 0 or 1.
    #[inline]
    pub fn signum(&self) -> Result<Int, Refusal> {
        match &self.0 {
            Repr::Fixed(_, v) => Some(Int::fixed(v.signum())),
            Repr::Symbolic(_, e) => e.signum().map(Int::expression),
            _ => self.value().map(|v| Int::dynamic(v.signum())),
        }
        .ok_or_else(|| Refusal::overflow("sign").with("of", self))
    }

    /// The negative.
    pub fn neg(&self) -> Result<Int, Refusal> {
        match &self.0 {
            Repr::Fixed(_, v) => v.checked_neg().map(Int::fixed),
            Repr::Symbolic(_, e) => e.scale(-1).map(Int::expression),
            _ => self.value().and_then(i64::checked_neg).map(Int::dynamic),
        }
        .map(|int| int.typed(self.int_type().promoted()))
        .ok_or_else(|| Refusal::overflow("negative").with("of", self))
    }

    /// Whether the two are equal as numbers: `None` when symbols leave it open.
    pub fn equals(&self, other: &Int) -> Option<bool> {
        if let (Some(a), Some(b)) = (self.value(), other.value()) {
            Some(a == b)
        } else {
            let (low, high) = self.to_expression().sub(&other.to_expression())?.bounds();
            match (low, high) {
                (Some(0), Some(0)) => Some(true),
                (Some(l), _) if l > 0 => Some(false),
                (_, Some(h)) if h < 0 => Some(false),
                _ => None,
            }
        }
    }

    /// Whether it is smaller than the other: `None` when symbols leave it open.
    pub fn less(&self, other: &Int) -> Option<bool> {
        if let (Some(a), Some(b)) = (self.value(), other.value()) {
            Some(a < b)
        } else {
            let (low, high) = self.to_expression().sub(&other.to_expression())?.bounds();
            match (low, high) {
                (Some(l), _) if l >= 0 => Some(false),
                (_, Some(h)) if h < 0 => Some(true),
                _ => None,
            }
        }
    }

    /// Whether CuTe sees both as equal at compile time.
    #[inline]
    pub(crate) fn statically_equals(&self, other: &Int) -> bool {
        matches!((&self.0, &other.0), (Repr::Fixed(_, a), Repr::Fixed(_, b)) if a == b)
    }
}

impl From<i64> for Int {
    /// A static integer.
    fn from(value: i64) -> Self {
        Int::fixed(value)
    }
}

impl fmt::Display for Int {
    /// As CuTe prints it: `_8`, `8`, `_-1`; a symbol by its expression. The alternate form `{:#}` omits the underscore.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Fixed(_, v) if f.alternate() => write!(f, "{v}"),
            Repr::Fixed(_, v) => write!(f, "_{v}"),
            Repr::Dynamic(_, v) => write!(f, "{v}"),
            Repr::Mixed(_) => match self.as_mixed() {
                Some((known, flags, bits)) => {
                    write!(f, "M_{known}|({bits}&{flags})={}", known | bits)
                }
                None => Ok(()),
            },
            Repr::Symbolic(_, e) => write!(f, "{e}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_int_is_two_words() {
        assert_eq!(size_of::<Int>(), 16);
    }

    #[test]
    fn only_static_with_static_is_static() -> Result<(), Refusal> {
        assert_eq!(Int::fixed(4).mul(&Int::fixed(2))?, Int::fixed(8));
        assert_eq!(Int::fixed(4).mul(&Int::dynamic(2))?, Int::dynamic(8));
        assert_eq!(Int::fixed(0).mul(&Int::dynamic(2))?, Int::fixed(0));
        assert_eq!(Int::dynamic(7).rem(&Int::fixed(1))?, Int::fixed(0));
        assert_eq!(Int::fixed(0).div(&Int::dynamic(2))?, Int::fixed(0));
        assert_eq!(Int::fixed(0).add(&Int::dynamic(2))?, Int::dynamic(2));
        Ok(())
    }

    #[test]
    fn a_result_has_the_type_of_cpp() -> Result<(), Refusal> {
        let bytes = Int::fixed(4).typed(IntType::UnsignedLong);
        let m = Int::symbol("M").typed(IntType::UnsignedInt);
        assert_eq!(bytes.sub(&Int::ONE)?.int_type(), IntType::UnsignedLong);
        assert_eq!(m.mul(&Int::dynamic(2))?.int_type(), IntType::UnsignedInt);
        assert_eq!(m.add(&bytes)?.int_type(), IntType::UnsignedLong);
        assert_ne!(bytes, Int::fixed(4));
        Ok(())
    }

    #[test]
    fn overflow_is_a_refusal() {
        let rule = Int::fixed(i64::MAX).add(&Int::ONE).map_err(|r| r.rule);
        assert_eq!(rule, Err(Rule::Overflow));
        let rule = Int::fixed(i64::MIN).abs().map_err(|r| r.rule);
        assert_eq!(rule, Err(Rule::Overflow));
    }

    #[test]
    fn division_by_a_run_time_zero_traps() {
        let cute = Int::fixed(8).div(&Int::dynamic(0)).map_err(|r| r.cute);
        assert_eq!(cute, Err(Verdict::Traps));
    }
}
