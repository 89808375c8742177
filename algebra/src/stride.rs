//! Strides over integer-semimodules (paper §2.3): integers, scaled bases `k@p`, and bit strings under xor.

use crate::int::Int;
use crate::refusal::{Refusal, Rule};
use crate::tuple::{IntTuple, Tuple, TupleBuilder, TupleView};
use crate::verdict::Verdict;
use core::fmt;
use smallvec::SmallVec;
use std::sync::Arc;

/// The indices of a mode, outermost first: `E<0,1>` is mode 1 of mode 0.
pub type Path = SmallVec<[u16; 6]>;

/// A scaled basis element `value * E<path>`: a step in one coordinate of a codomain `Z^(*,...)`.
///
/// Printed as CuTe does, innermost index first: `2@1@0` is `2*E<0,1>`. A count may be rational while it is written
/// (`1/2@0`); arithmetic on it must come out integral.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ScaledBasis {
    /// The count (the numerator, when [`ScaledBasis::denominator`] is not 1).
    pub value: Int,
    /// 1, except for a rational count.
    pub denominator: i64,
    /// The coordinate it steps in, outermost index first; empty for the integers themselves.
    pub path: Path,
}

impl ScaledBasis {
    /// `value * E<path>`.
    pub fn new(value: Int, path: impl IntoIterator<Item = u16>) -> Self {
        ScaledBasis {
            value,
            denominator: 1,
            path: path.into_iter().collect(),
        }
    }

    /// `value/denominator * E<path>`, with the smallest denominator; a count that is not known is divided as integers are.
    ///
    /// Errors: those of the division.
    pub fn fraction(
        value: Int,
        denominator: i64,
        path: impl IntoIterator<Item = u16>,
    ) -> Result<Self, Refusal> {
        if value.value().is_none() {
            return Ok(ScaledBasis::new(value.div(&Int::fixed(denominator))?, path));
        }
        let fraction = ScaledBasis {
            denominator,
            ..ScaledBasis::new(value, path)
        };
        fraction.reduce()
    }

    /// The unit `E<path>`.
    pub fn unit(path: impl IntoIterator<Item = u16>) -> Self {
        ScaledBasis::new(Int::ONE, path)
    }

    fn scale(&self, factor: &Int) -> Result<Self, Refusal> {
        let value = self.value.mul(factor)?;
        if self.denominator == 1 {
            return Ok(ScaledBasis {
                value,
                denominator: 1,
                path: self.path.clone(),
            });
        }
        let reduced = ScaledBasis {
            value,
            denominator: self.denominator,
            path: self.path.clone(),
        }
        .reduce()?;
        Ok(reduced)
    }

    /// Divides numerator and denominator by their common divisor.
    fn reduce(mut self) -> Result<Self, Refusal> {
        if let Some(value) = self.value.value() {
            let shared = crate::symbol::gcd(value, self.denominator).max(1);
            self.value = self.value.div(&Int::fixed(shared))?;
            self.denominator /= shared;
        }
        Ok(self)
    }

    /// The count as an integer, or a refusal when it is a fraction.
    pub fn integral(&self) -> Result<Int, Refusal> {
        if self.denominator == 1 {
            return Ok(self.value.clone());
        }
        let whole = self.value.div_exact(&Int::fixed(self.denominator));
        whole.map_err(|_| {
            Refusal::uncompilable(Rule::NotDivisible, "a fractional count")
                .with("numerator", &self.value)
                .with("denominator", self.denominator)
        })
    }
}

impl fmt::Display for ScaledBasis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)?;
        if self.denominator != 1 {
            write!(f, "/{}", self.denominator)?;
        }
        self.path
            .iter()
            .rev()
            .try_for_each(|mode| write!(f, "@{mode}"))
    }
}

/// One leaf of a stride: an element of some integer-semimodule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Delta {
    /// An integer.
    Int(Int),
    /// A step in one coordinate.
    Basis(Arc<ScaledBasis>),
    /// A bit string; sums are xor and `c * f` is the carry-less product, printed `f5` (paper §2.3.1).
    Xor(i64),
}

/// The steps of a layout, congruent with its shape (paper §2.3).
pub type Stride = Tuple<Delta>;

impl Delta {
    /// The static stride 0.
    pub const ZERO: Delta = Delta::Int(Int::ZERO);
    /// The static stride 1.
    pub const ONE: Delta = Delta::Int(Int::ONE);

    /// A static integer stride.
    pub const fn fixed(value: i64) -> Self {
        Delta::Int(Int::fixed(value))
    }

    /// `value * E<path>`.
    pub fn basis(value: Int, path: impl IntoIterator<Item = u16>) -> Self {
        Delta::Basis(Arc::new(ScaledBasis::new(value, path)))
    }

    /// The integer, when it is one.
    #[inline]
    pub fn as_int(&self) -> Option<&Int> {
        match self {
            Delta::Int(int) => Some(int),
            _ => None,
        }
    }

    /// The scaled basis, when it is one.
    pub fn as_basis(&self) -> Option<&ScaledBasis> {
        match self {
            Delta::Basis(basis) => Some(basis),
            _ => None,
        }
    }

    /// The count of a basis, the integer itself, or the bits: CuTe's `basis_value`.
    pub fn value(&self) -> Int {
        match self {
            Delta::Int(int) => int.clone(),
            Delta::Basis(basis) => basis.value.clone(),
            Delta::Xor(bits) => Int::fixed(*bits),
        }
    }

    /// The static stride of this number: CuTe's `is_constant<value, T>`.
    #[inline]
    pub fn is_constant(&self, value: i64) -> bool {
        match self {
            Delta::Int(int) => int.is_constant(value),
            Delta::Basis(_) => false,
            Delta::Xor(bits) => *bits == 0 && value == 0,
        }
    }

    /// Whether it is part of the type.
    pub fn is_static(&self) -> bool {
        match self {
            Delta::Int(int) => int.is_static(),
            Delta::Basis(basis) => basis.value.is_static(),
            Delta::Xor(_) => true,
        }
    }

    /// The scalar product `factor * self`.
    #[inline]
    pub fn scale(&self, factor: &Int) -> Result<Delta, Refusal> {
        match self {
            Delta::Int(int) => factor.mul(int).map(Delta::Int),
            Delta::Basis(basis) => basis.scale(factor).map(|b| Delta::Basis(Arc::new(b))),
            Delta::Xor(bits) => match factor.value() {
                Some(number) => carryless_product(number, *bits).map(Delta::Xor),
                None => {
                    Err(Refusal::new(Rule::NotProvable, Verdict::Accepts).with("factor", factor))
                }
            },
        }
    }

    /// Whether CuTe sees both as equal at compile time.
    #[inline]
    pub(crate) fn statically_equals(&self, other: &Delta) -> bool {
        match (self, other) {
            (Delta::Int(a), Delta::Int(b)) => a.statically_equals(b),
            (Delta::Basis(a), Delta::Basis(b)) => {
                a.path == b.path
                    && a.denominator == b.denominator
                    && a.value.statically_equals(&b.value)
            }
            (Delta::Xor(a), Delta::Xor(b)) => a == b,
            _ => false,
        }
    }

    /// The absolute value of the count.
    pub fn abs(&self) -> Result<Delta, Refusal> {
        Ok(match self {
            Delta::Int(int) => Delta::Int(int.abs()?),
            Delta::Basis(basis) => Delta::Basis(Arc::new(ScaledBasis {
                value: basis.value.abs()?,
                ..ScaledBasis::clone(basis)
            })),
            Delta::Xor(bits) => Delta::Xor(*bits),
        })
    }

    /// The element of the codomain: an integer, or `(0,..,value,..)` nested along the path.
    pub fn to_point(&self) -> Result<IntTuple, Refusal> {
        match self {
            Delta::Int(int) => Ok(Tuple::leaf(int.clone())),
            Delta::Xor(bits) => Ok(Tuple::leaf(Int::fixed(*bits))),
            Delta::Basis(basis) => {
                let mut builder = TupleBuilder::new();
                for &mode in &basis.path {
                    let mark = builder.open();
                    builder.close(mark, usize::from(mode) + 1);
                    for _ in 0..mode {
                        builder.leaf(Int::ZERO);
                    }
                }
                builder.leaf(basis.integral()?);
                builder.finish()
            }
        }
    }

    /// The same number as a static stride; a symbol is unchanged.
    #[must_use]
    pub fn to_fixed(&self) -> Delta {
        match self {
            Delta::Int(int) => Delta::Int(int.to_fixed()),
            Delta::Basis(basis) => Delta::Basis(Arc::new(ScaledBasis {
                value: basis.value.to_fixed(),
                ..ScaledBasis::clone(basis)
            })),
            Delta::Xor(bits) => Delta::Xor(*bits),
        }
    }
}

impl From<Int> for Delta {
    fn from(int: Int) -> Self {
        Delta::Int(int)
    }
}

impl fmt::Display for Delta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Delta::Int(int) => int.fmt(f),
            Delta::Basis(basis) => basis.fmt(f),
            Delta::Xor(bits) => write!(f, "f{bits}"),
        }
    }
}

/// The product of two polynomials over F2, whose coefficients are the bits.
pub(crate) fn carryless_product(a: i64, b: i64) -> Result<i64, Refusal> {
    let refuse = || {
        Refusal::overflow("carry-less product")
            .with("left", a)
            .with("right", b)
    };
    if a < 0 || b < 0 {
        return Err(refuse());
    }
    let mut product = 0_i64;
    let mut rest = a;
    while rest != 0 {
        let bit = rest.trailing_zeros();
        if b != 0 && b.leading_zeros() < bit + 1 {
            return Err(refuse());
        }
        product ^= b << bit;
        rest &= rest - 1;
    }
    Ok(product)
}

/// The sum of two elements of a codomain, as CuTe's arithmetic tuples add: a missing coordinate is a static 0.
///
/// Errors: `UnlikeCodomains` for a number and a tuple, `Overflow`.
///
/// ```
/// use cute_algebra::{Delta, Int, stride::add_points};
/// let (row, column) = (Delta::basis(Int::fixed(2), [0]), Delta::basis(Int::fixed(3), [1]));
/// let sum = add_points(row.to_point()?.view(), column.to_point()?.view())?;
/// assert_eq!(sum.to_string(), "(_2,_3)");
/// # Ok::<(), cute_algebra::Refusal>(())
/// ```
pub fn add_points(a: TupleView<'_, Int>, b: TupleView<'_, Int>) -> Result<IntTuple, Refusal> {
    match (a.as_leaf(), b.as_leaf()) {
        (Some(x), Some(y)) => return Ok(Tuple::leaf(x.add(y)?)),
        (Some(x), None) if x.is_constant(0) => return Ok(b.to_tuple()),
        (None, Some(y)) if y.is_constant(0) => return Ok(a.to_tuple()),
        (None, None) => {}
        _ => {
            return Err(Refusal::uncompilable(
                Rule::UnlikeCodomains,
                "strides of unlike codomains",
            )
            .with("left", a.to_string())
            .with("right", b.to_string()));
        }
    }
    let zero = Tuple::leaf(Int::ZERO);
    let rank = a.rank().max(b.rank());
    let mode = |t: TupleView<'_, Int>, i: usize| {
        t.get(i).map_or_else(|| zero.clone(), TupleView::to_tuple)
    };
    let modes = (0..rank)
        .map(|i| add_points(mode(a, i).view(), mode(b, i).view()))
        .collect::<Result<Vec<_>, _>>()?;
    Tuple::group(modes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delta_is_two_words() {
        assert_eq!(size_of::<Delta>(), 16);
    }

    #[test]
    fn carryless_products_follow_the_paper() {
        // Table 1: (4,4):(f1,f5) = ((2,2),(2,2)):((f1,f2),(f5,f10))
        let values: Vec<_> = (0..4).map(|c| carryless_product(c, 5)).collect();
        assert_eq!(values, [Ok(0), Ok(5), Ok(10), Ok(15)]);
        assert!(carryless_product(2, i64::MAX).is_err());
    }
}
