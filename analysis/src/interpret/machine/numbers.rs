//! Arithmetic of the machine: operators on numbers in the types of C++.

use tree_sitter_cute::tree::{BinaryOp, UnaryOp};

use super::store::{Content, Followed, Number, Stop};
use crate::interpret::integers::{common, is_truth, promoted, typed};
use crate::types::{Scalar, ScalarClass};
use crate::value::Value;

/// The type of C++ that is spelled so.
pub(super) fn scalar(name: &str) -> Followed<Scalar> {
    Scalar::of_spelling(name).ok_or(Stop)
}

impl Number {
    pub(super) fn truth(value: bool) -> Followed<Self> {
        Ok(Self {
            value: i64::from(value),
            ty: scalar("bool")?,
        })
    }

    pub(super) fn int(value: i64) -> Followed<Self> {
        Self {
            value,
            ty: scalar("long")?,
        }
        .converted(scalar("int")?)
    }

    /// The same number in another type ([conv.integral], [conv.bool]).
    pub(super) fn converted(self, ty: Scalar) -> Followed<Self> {
        let value = match ty.class {
            ScalarClass::Bool => i64::from(self.value != 0),
            // Where `char` is signed does not matter here.
            ScalarClass::Char => Some(self.value)
                .filter(|value| (0..128).contains(value))
                .ok_or(Stop)?,
            ScalarClass::Signed | ScalarClass::Unsigned => ty.converted(self.value).ok_or(Stop)?,
            _ => return Err(Stop),
        };
        Ok(Self { value, ty })
    }

    /// The value in a bit-field of this width ([class.bit]).
    pub(super) fn cut(self, width: u32) -> Followed<Self> {
        let unused = 64_u32
            .checked_sub(width)
            .filter(|_| width > 0)
            .ok_or(Stop)?;
        let value = match self.ty.class {
            ScalarClass::Signed => (self.value << unused) >> unused,
            ScalarClass::Unsigned if width < 64 => self.value & ((1 << width) - 1),
            ScalarClass::Bool => self.value,
            _ => return Err(Stop),
        };
        Ok(Self { value, ..self })
    }

    /// A bit-field as it is read in arithmetic: an `int` where that holds it ([conv.prom]).
    pub(super) fn of_bits(self, width: u32) -> Followed<Self> {
        let is_int = width < 32 || width == 32 && self.ty.class == ScalarClass::Signed;
        if is_int && self.ty.class != ScalarClass::Bool {
            return self.converted(scalar("int")?);
        }
        Ok(self)
    }

    /// In the type that it has in arithmetic.
    fn promoted(self) -> Followed<Self> {
        self.converted(promoted(self.ty).ok_or(Stop)?)
    }

    pub(super) fn unary(self, op: UnaryOp) -> Followed<Self> {
        let number = self.promoted()?;
        let zero = Self { value: 0, ..number };
        match op {
            UnaryOp::Plus => Ok(number),
            UnaryOp::Minus => zero.binary(BinaryOp::Sub, number),
            UnaryOp::Not => Self::truth(number.value == 0),
            UnaryOp::BitNot if number.ty.class == ScalarClass::Signed => Ok(Self {
                value: !number.value,
                ..number
            }),
            UnaryOp::BitNot => Self {
                value: !number.value,
                ..number
            }
            .converted(number.ty),
            _ => Err(Stop),
        }
    }

    pub(super) fn binary(self, op: BinaryOp, other: Self) -> Followed<Self> {
        let (left, right) = (self.promoted()?, other.promoted()?);
        let operand =
            |number: Self| Ok::<_, Stop>((number.ty.arithmetic().ok_or(Stop)?, number.value));
        let ty = match op {
            _ if is_truth(op) => scalar("bool")?,
            BinaryOp::Shl | BinaryOp::Shr => left.ty,
            _ => common(left.ty, right.ty).ok_or(Stop)?,
        };
        match typed(op, operand(left)?, operand(right)?) {
            Value::Int(int) => Ok(Self {
                value: int.value().ok_or(Stop)?,
                ty,
            }),
            Value::Bool(truth) => Self::truth(truth.value),
            _ => Err(Stop),
        }
    }
}

impl Content<'_> {
    /// The number that is here.
    pub(super) fn number(&self) -> Followed<Number> {
        match self {
            Self::Number(number) | Self::Enumerator(number) => Ok(*number),
            Self::Bits(number, width) => number.of_bits(*width),
            Self::Fixed(value) => {
                let int = value.as_int().and_then(cute_algebra::Int::value);
                Number::int(int.ok_or(Stop)?)
            }
            _ => Err(Stop),
        }
    }

    /// Its value as a condition.
    pub(super) fn truth(&self) -> Followed<bool> {
        match self {
            Self::Null => Ok(false),
            Self::Pointer(_) | Self::Function(_) => Ok(true),
            Self::Fixed(Value::Bool(truth)) => Ok(truth.value),
            content => Ok(content.number()?.value != 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(value: i64, name: &str) -> Number {
        let ty = Scalar::of_spelling(name).unwrap();
        Number { value, ty }
    }

    fn sum(a: Number, b: Number) -> Followed<Number> {
        a.binary(BinaryOp::Add, b)
    }

    #[test]
    fn operands_are_promoted_and_take_the_wider_type() {
        let bytes = sum(of(200, "unsigned char"), of(100, "unsigned char"));
        assert_eq!(bytes, Ok(of(300, "int")));
        assert_eq!(sum(of(-1, "int"), of(1, "long")), Ok(of(0, "long")));
        let wrapped = sum(of(-1, "int"), of(0, "unsigned int"));
        assert_eq!(wrapped, Ok(of(4_294_967_295, "unsigned int")));
    }

    #[test]
    fn a_number_wraps_in_an_unsigned_type_and_stops_beyond_a_signed_one() {
        let most = of(4_294_967_295, "unsigned int");
        assert_eq!(sum(most, of(1, "unsigned int")), Ok(of(0, "unsigned int")));
        assert_eq!(sum(of(2_147_483_647, "int"), of(1, "int")), Err(Stop));
        let quotient = of(1, "int").binary(BinaryOp::Div, of(0, "int"));
        assert_eq!(quotient, Err(Stop));
    }

    #[test]
    fn a_bit_field_keeps_its_low_bits() {
        assert_eq!(of(9, "unsigned int").cut(3).map(|it| it.value), Ok(1));
        assert_eq!(of(7, "int").cut(3).map(|it| it.value), Ok(-1));
    }
}
