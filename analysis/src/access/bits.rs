//! The bits of a number that are the same wherever the kernel runs: the fields of a descriptor that code puts together of
//! shifts and masks, around an address that only the running kernel knows.

use super::numbers::Operator;
use super::terms::{Term, TermId, Terms};
use crate::hash::HashMap;

/// Terms inside one another that are looked at.
const DEPTH: usize = 48;

/// The known bits of a number of at most 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bits {
    /// The bits that are known.
    pub(crate) known: u64,
    /// The values of those; 0 where a bit is not known.
    pub(crate) ones: u64,
}

impl Bits {
    /// Nothing is known.
    const OPEN: Self = Self { known: 0, ones: 0 };

    /// All bits are known.
    fn of(ones: u64) -> Self {
        Self {
            known: u64::MAX,
            ones,
        }
    }

    /// The bits that may be 1.
    fn may_be_one(self) -> u64 {
        self.ones | !self.known
    }

    /// Bits outside of `mask` are 0.
    fn masked(self, mask: u64) -> Self {
        Self {
            known: self.known | !mask,
            ones: self.ones & mask,
        }
    }

    fn shifted_left(self, by: u32) -> Self {
        let filled = 1_u64.checked_shl(by).map_or(u64::MAX, |bit| bit - 1);
        Self {
            known: self.known.checked_shl(by).unwrap_or(0) | filled,
            ones: self.ones.checked_shl(by).unwrap_or(0),
        }
    }

    fn shifted_right(self, by: u32) -> Self {
        let left = u64::MAX.checked_shr(by).unwrap_or(0);
        Self {
            known: self.known.checked_shr(by).unwrap_or(0) | !left,
            ones: self.ones.checked_shr(by).unwrap_or(0),
        }
    }

    fn or(self, other: Self) -> Self {
        let ones = self.ones | other.ones;
        Self {
            known: self.known & other.known | ones,
            ones,
        }
    }

    fn and(self, other: Self) -> Self {
        let zeros = self.known & !self.ones | other.known & !other.ones;
        Self {
            known: self.known & other.known | zeros,
            ones: self.ones & other.ones,
        }
    }
}

/// The bits of a term.
pub(crate) fn bits_of(terms: &Terms, term: TermId) -> Bits {
    let mut reader = Reader {
        terms,
        known: HashMap::default(),
    };
    reader.bits(term, DEPTH)
}

/// The bits of terms, of which one may be a part of many: each is read once.
struct Reader<'t> {
    terms: &'t Terms,
    known: HashMap<TermId, Bits>,
}

impl Reader<'_> {
    fn bits(&mut self, term: TermId, depth: usize) -> Bits {
        if let Some(known) = self.known.get(&term) {
            return *known;
        }
        let bits = bits_within(self, term, depth);
        self.known.insert(term, bits);
        bits
    }
}

fn bits_within(reader: &mut Reader<'_>, term: TermId, depth: usize) -> Bits {
    let terms = reader.terms;
    let kind = terms.kind(term);
    let width = u64::MAX.checked_shr(64_u32.saturating_sub(kind.bits));
    // Bits above those of a type without a sign are 0.
    let own = |bits: Bits| match width {
        Some(width) if !kind.signed => bits.masked(width),
        _ => bits,
    };
    let Some(depth) = depth.checked_sub(1) else {
        return own(Bits::OPEN);
    };
    let mut of = |term: TermId| reader.bits(term, depth);
    let found = match terms.term(term) {
        Term::Number(number) => Bits::of(number.cast_unsigned()),
        Term::Convert(inner) => {
            let (bits, from) = (of(*inner), terms.kind(*inner));
            let sign = 1_u64.checked_shl(from.bits.saturating_sub(1)).unwrap_or(0);
            let is_not_below_zero = !from.signed || bits.known & sign != 0 && bits.ones & sign == 0;
            match (kind.bits > from.bits, is_not_below_zero) {
                (true, false) => Bits::OPEN,
                (true, true) => bits.masked(u64::MAX.checked_shr(64 - from.bits).unwrap_or(0)),
                (false, _) => bits.masked(width.unwrap_or(u64::MAX)),
            }
        }
        Term::Binary(operator, left, right) => {
            let by = terms.as_number(*right);
            let bits = by.and_then(|by| u32::try_from(by).ok());
            let power = by
                .and_then(|by| u64::try_from(by).ok())
                .filter(|by| by.is_power_of_two());
            let power = power.map(u64::trailing_zeros);
            let is_unsigned = !terms.kind(*left).signed;
            match operator {
                Operator::Or => of(*left).or(of(*right)),
                Operator::And => of(*left).and(of(*right)),
                Operator::Shl => bits.map_or(Bits::OPEN, |bits| of(*left).shifted_left(bits)),
                Operator::Shr if is_unsigned => {
                    bits.map_or(Bits::OPEN, |bits| of(*left).shifted_right(bits))
                }
                Operator::Mul => power.map_or(Bits::OPEN, |power| of(*left).shifted_left(power)),
                Operator::Div if is_unsigned => {
                    power.map_or(Bits::OPEN, |power| of(*left).shifted_right(power))
                }
                Operator::Rem if is_unsigned => match power {
                    Some(power) => of(*left).masked((1_u64 << power) - 1),
                    None => Bits::OPEN,
                },
                // Where no two bits meet, nothing is carried.
                Operator::Add | Operator::Xor => {
                    let (left, right) = (of(*left), of(*right));
                    match left.may_be_one() & right.may_be_one() {
                        0 => left.or(right),
                        _ => Bits::OPEN,
                    }
                }
                _ => Bits::OPEN,
            }
        }
        _ => Bits::OPEN,
    };
    own(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::terms::{IntKind, SymbolKind};

    #[test]
    fn the_fields_around_an_address_are_known() {
        let mut terms = Terms::default();
        let kind = IntKind::UNSIGNED_LONG;
        let address = terms.shared("address", SymbolKind::Uniform, kind, 0);
        let mut number = |value| terms.number(value, kind);
        let (four, mask, field, at) = (number(4), number(0x3fff), number(128), number(16));
        let shifted = terms.binary(Operator::Shr, address, four);
        let low = terms.binary(Operator::And, shifted, mask);
        let high = terms.binary(Operator::Shl, field, at);
        let whole = terms.binary(Operator::Or, low, high);
        let bits = bits_of(&terms, whole);
        assert_eq!(bits.known, !0x3fff);
        assert_eq!(bits.ones, 128 << 16);
        // A term that is a part of many is read once.
        let one = terms.number(1, kind);
        let mut mixed = address;
        for _ in 0..DEPTH {
            let moved = terms.binary(Operator::Shl, mixed, one);
            mixed = terms.binary(Operator::Xor, mixed, moved);
        }
        assert_eq!(bits_of(&terms, mixed), Bits::OPEN);
        // A sum that may carry into the field says nothing.
        let sum = terms.binary(Operator::Add, address, high);
        assert_eq!(bits_of(&terms, sum), Bits::OPEN);
    }
}
