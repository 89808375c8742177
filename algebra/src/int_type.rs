//! The C++ type of a leaf integer, which decides the result of arithmetic with it.

/// An integer type of C++ on 64-bit Linux (`long` has 64 bits, `char` is signed).
///
/// Layouts print the same for every type; a difference, a quotient or a comparison depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IntType {
    /// `bool`, as a number.
    Bool,
    /// `char`.
    Char,
    /// `signed char`.
    SignedChar,
    /// `unsigned char`.
    UnsignedChar,
    /// `short`.
    Short,
    /// `unsigned short`.
    UnsignedShort,
    /// `int`.
    #[default]
    Int,
    /// `unsigned int`.
    UnsignedInt,
    /// `long`.
    Long,
    /// `unsigned long`.
    UnsignedLong,
    /// `long long`.
    LongLong,
    /// `unsigned long long`.
    UnsignedLongLong,
}

impl IntType {
    /// Bits of one value.
    pub fn bits(self) -> u32 {
        match self {
            IntType::Bool => 1,
            IntType::Char | IntType::SignedChar | IntType::UnsignedChar => 8,
            IntType::Short | IntType::UnsignedShort => 16,
            IntType::Int | IntType::UnsignedInt => 32,
            _ => 64,
        }
    }

    /// Whether it has negative values.
    pub fn is_signed(self) -> bool {
        !matches!(
            self,
            IntType::Bool
                | IntType::UnsignedChar
                | IntType::UnsignedShort
                | IntType::UnsignedInt
                | IntType::UnsignedLong
                | IntType::UnsignedLongLong
        )
    }

    /// The type in which arithmetic is done: a narrower type than `int` becomes `int` ([conv.prom]).
    #[must_use]
    #[inline]
    pub fn promoted(self) -> Self {
        if self < IntType::Int {
            IntType::Int
        } else {
            self
        }
    }

    /// The type of a sum of two ([expr.arith.conv]).
    #[must_use]
    #[inline]
    pub fn common(self, other: Self) -> Self {
        if self == other {
            return self.promoted();
        }
        let (a, b) = (self.promoted(), other.promoted());
        let (low, high) = (a.min(b), a.max(b));
        // The order of declaration is that of the ranks, unsigned behind signed. Only `unsigned long` with `long long` has
        // a signed type of higher rank that cannot hold the other's values.
        match (low, high) {
            (IntType::UnsignedLong, IntType::LongLong) => IntType::UnsignedLongLong,
            _ => high,
        }
    }

    /// Whether it has this value.
    pub fn holds(self, value: i128) -> bool {
        self.wrapped(value) == value
    }

    /// The value of this type that is equal modulo its number of values: the result of a conversion.
    #[must_use]
    pub fn wrapped(self, value: i128) -> i128 {
        if self == IntType::Bool {
            return i128::from(value != 0);
        }
        let count = 1_i128 << self.bits();
        let rest = value.rem_euclid(count);
        if self.is_signed() && rest >= count / 2 {
            rest - count
        } else {
            rest
        }
    }
}

#[cfg(test)]
mod tests {
    use super::IntType::{
        Bool, Char, Int, Long, LongLong, Short, UnsignedChar, UnsignedInt, UnsignedLong,
        UnsignedLongLong,
    };

    #[test]
    fn arithmetic_is_done_in_the_common_type() {
        for (a, b, common) in [
            (Char, Bool, Int),
            (Short, UnsignedChar, Int),
            (Int, UnsignedInt, UnsignedInt),
            (UnsignedInt, Long, Long),
            (Long, UnsignedLong, UnsignedLong),
            (Long, LongLong, LongLong),
            (UnsignedLong, LongLong, UnsignedLongLong),
            (UnsignedLong, UnsignedInt, UnsignedLong),
        ] {
            assert_eq!((a.common(b), b.common(a)), (common, common), "{a:?} {b:?}");
        }
    }

    #[test]
    fn a_conversion_keeps_the_low_bits() {
        assert_eq!(UnsignedInt.wrapped(-1), 4_294_967_295);
        assert_eq!(UnsignedLong.wrapped(-1), i128::from(u64::MAX));
        assert_eq!(Char.wrapped(200), -56);
        assert_eq!(UnsignedChar.wrapped(256), 0);
        assert_eq!(Bool.wrapped(2), 1);
        assert!(Int.holds(-1) && !UnsignedInt.holds(-1) && !Int.holds(1 << 31));
    }
}
