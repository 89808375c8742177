//! Integer types and operators on numbers, as C++ has them.

/// An integer type of C++.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct IntKind {
    /// Bits of a value: 1 for `bool`.
    pub(crate) bits: u32,
    /// Whether there are values below 0.
    pub(crate) signed: bool,
}

impl IntKind {
    /// `bool`.
    pub(crate) const BOOL: Self = Self::new(1, false);
    /// `int`.
    pub(crate) const INT: Self = Self::new(32, true);
    /// `unsigned int`.
    pub(crate) const UNSIGNED: Self = Self::new(32, false);
    /// `long`, `ptrdiff_t`.
    pub(crate) const LONG: Self = Self::new(64, true);
    /// `unsigned long`, `size_t`.
    pub(crate) const UNSIGNED_LONG: Self = Self::new(64, false);

    /// An integer type.
    pub(crate) const fn new(bits: u32, signed: bool) -> Self {
        Self { bits, signed }
    }

    /// The type after the integral promotions ([conv.prom]).
    pub(crate) fn promoted(self) -> Self {
        if self.bits < 32 { Self::INT } else { self }
    }

    /// The type of an operator between the two ([expr.arith.conv]).
    pub(crate) fn common(self, other: Self) -> Self {
        let (a, b) = (self.promoted(), other.promoted());
        match a.bits.cmp(&b.bits) {
            std::cmp::Ordering::Greater => a,
            std::cmp::Ordering::Less => b,
            std::cmp::Ordering::Equal => Self::new(a.bits, a.signed && b.signed),
        }
    }

    /// The value of this type that a conversion of `value` gives ([conv.integral]); `None` beyond what we hold.
    pub(crate) fn converted(self, value: i64) -> Option<i64> {
        if self == Self::BOOL {
            return Some(i64::from(value != 0));
        }
        if self.bits >= 64 {
            return (self.signed || value >= 0).then_some(value);
        }
        let modulus = 1_i64.checked_shl(self.bits)?;
        let rest = value.rem_euclid(modulus);
        Some(if self.signed && rest >= modulus / 2 {
            rest - modulus
        } else {
            rest
        })
    }

    /// The least value.
    pub(crate) fn least(self) -> i64 {
        // Bounds of sums of 64-bit numbers stay far from the limits of our numbers.
        match (self.signed, self.bits) {
            (false, _) => 0,
            (true, bits) => -(1_i64 << (bits.min(48) - 1)),
        }
    }
}

/// An operator between two terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Operator {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    And,
    Or,
    Xor,
    Min,
    Max,
    /// The upper half of the bits of a product: `__umulhi`.
    High,
    Less,
    LessEqual,
    Equal,
    NotEqual,
    Both,
    Either,
}

impl Operator {
    /// Whether it is written as a function.
    pub(crate) fn is_call(self) -> bool {
        matches!(self, Self::Min | Self::Max | Self::High)
    }

    /// Whether the result is a truth value.
    pub(crate) fn is_truth(self) -> bool {
        matches!(
            self,
            Self::Less | Self::LessEqual | Self::Equal | Self::NotEqual | Self::Both | Self::Either
        )
    }
}

/// An operator on numbers of a type; `None` where C++ leaves it open or we do not hold the result.
pub(crate) fn on_numbers(operator: Operator, a: i64, b: i64, kind: IntKind) -> Option<i64> {
    let truth = |truth: bool| Some(i64::from(truth));
    let exact = match operator {
        Operator::Add => a.checked_add(b)?,
        Operator::Sub => a.checked_sub(b)?,
        Operator::Mul => a.checked_mul(b)?,
        Operator::Div => a.checked_div(b)?,
        Operator::Rem => a.checked_rem(b)?,
        Operator::Shl => {
            let by = u32::try_from(b).ok().filter(|by| *by < kind.bits)?;
            let wide = i128::from(a) << by;
            if kind.signed {
                i64::try_from(wide).ok()?
            } else {
                i64::try_from(wide & ((1_i128 << kind.bits) - 1)).ok()?
            }
        }
        Operator::Shr => a >> u32::try_from(b).ok().filter(|by| *by < kind.bits)?,
        Operator::And => a & b,
        Operator::Or => a | b,
        Operator::Xor => a ^ b,
        Operator::Min => a.min(b),
        Operator::Max => a.max(b),
        Operator::High => {
            let product = i128::from(a).checked_mul(i128::from(b))?;
            i64::try_from(product >> kind.bits).ok()?
        }
        Operator::Less => return truth(a < b),
        Operator::LessEqual => return truth(a <= b),
        Operator::Equal => return truth(a == b),
        Operator::NotEqual => return truth(a != b),
        Operator::Both => return truth(a != 0 && b != 0),
        Operator::Either => return truth(a != 0 || b != 0),
    };
    let held = kind.converted(exact)?;
    // A signed number that does not fit is undefined, an unsigned one begins anew.
    (!kind.signed || held == exact).then_some(held)
}
