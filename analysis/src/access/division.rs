//! Divisions by a number that an object has prepared: `(__umulhi(n, o.multiplier) + n) >> o.shift` is `n / d` (Granlund and
//! Montgomery, "Division by invariant integers using multiplication"; `FastDivmod` of CUTLASS, `IntDivider` of `PyTorch`).
//!
//! The numbers of such an object are the host's. It is taken for what it is made for: the quotient is one by a symbol,
//! `divisor(o)`.

use std::sync::Arc;

use super::numbers::Operator;
use super::terms::{Owner, SymbolKind, Term, TermId, Terms};

impl Terms {
    /// Notes that a symbol is a member of an object that the kernel is given.
    pub(crate) fn belongs(&mut self, term: TermId, object: &str) {
        self.give(term, object, false);
    }

    fn give(&mut self, term: TermId, object: &str, is_divisor: bool) {
        if let Some(symbol) = self.as_symbol(term) {
            let object = object.into();
            self.own(symbol, Owner { object, is_divisor });
        }
    }

    fn owner(&self, term: TermId) -> Option<&Owner> {
        let symbol = self.symbol(self.as_symbol(self.unconverted(term))?)?;
        symbol.owner.as_ref().filter(|_| symbol.is_lasting)
    }

    /// The object of a member.
    fn object_of(&self, term: TermId) -> Option<&Arc<str>> {
        Some(&self.owner(term)?.object)
    }

    fn unconverted(&self, id: TermId) -> TermId {
        match self.term(id) {
            Term::Convert(inner) => self.unconverted(*inner),
            _ => id,
        }
    }

    /// `n / divisor(o)`, where a term is the upper half of `n * o.multiplier`, plus `n` or a multiple of it by a member, and
    /// the other one is `o.shift`.
    pub(super) fn fast_quotient(&mut self, sum: TermId, shift: TermId) -> Option<TermId> {
        let object = Arc::clone(self.object_of(shift)?);
        let number = match *self.term(sum) {
            Term::Binary(Operator::Add, one, other) => {
                let of_one = self.multiplied(one, &object);
                let (number, added) = match of_one {
                    Some(number) => (number, other),
                    None => (self.multiplied(other, &object)?, one),
                };
                self.is_multiple(added, number, &object).then_some(number)?
            }
            _ => self.multiplied(sum, &object)?,
        };
        let kind = self.kind(number);
        let divisor = self.shared(&format!("divisor({object})"), SymbolKind::Uniform, kind, 1);
        self.give(divisor, &object, true);
        Some(self.binary(Operator::Div, number, divisor))
    }

    /// `n` of `__umulhi(n, o.multiplier)`.
    fn multiplied(&self, high: TermId, object: &str) -> Option<TermId> {
        let (one, other) = match *self.term(self.unconverted(high)) {
            Term::Binary(Operator::High, one, other) => (one, other),
            // `(uint64_t(n) * m) >> 32`
            Term::Binary(Operator::Shr, product, bits) if self.as_number(bits) == Some(32) => {
                match *self.term(product) {
                    Term::Binary(Operator::Mul, one, other) => {
                        (self.unconverted(one), self.unconverted(other))
                    }
                    _ => return None,
                }
            }
            _ => return None,
        };
        let is_member = |term| self.object_of(term).is_some_and(|of| **of == *object);
        match (is_member(one), is_member(other)) {
            (false, true) => Some(one),
            (true, false) => Some(other),
            _ => None,
        }
    }

    /// Whether a term is a number, or a multiple of it by a member of an object.
    fn is_multiple(&self, term: TermId, number: TermId, object: &str) -> bool {
        let is_member = |term| self.object_of(term).is_some_and(|of| **of == *object);
        match *self.term(term) {
            _ if term == number => true,
            Term::Binary(Operator::Mul, one, other) => {
                is_member(one) && other == number || is_member(other) && one == number
            }
            _ => false,
        }
    }

    /// The number and the divisor of a quotient.
    fn quotient(&self, term: TermId) -> Option<(TermId, TermId)> {
        match *self.term(self.unconverted(term)) {
            Term::Binary(Operator::Div, number, divisor) => Some((number, divisor)),
            _ => None,
        }
    }

    /// Whether two terms are one divisor: of an object, the symbol for its divisor and the member that has the number.
    fn is_divisor(&self, divisor: TermId, factor: TermId) -> bool {
        divisor == factor
            || self.is_prepared(divisor) && self.object_of(divisor) == self.object_of(factor)
    }

    /// Whether a term is the divisor of an object.
    fn is_prepared(&self, divisor: TermId) -> bool {
        self.owner(divisor).is_some_and(|owner| owner.is_divisor)
    }

    /// `d` where the second term is `n / d * d` of the first, `n`.
    pub(super) fn divisor_of_rest(&self, number: TermId, multiple: TermId) -> Option<TermId> {
        let Term::Binary(Operator::Mul, one, other) = *self.term(self.unconverted(multiple)) else {
            return None;
        };
        let divisor_of = |quotient: TermId, factor: TermId| {
            let (divided, divisor) = self.quotient(quotient)?;
            let is_exact = divided == number && quotient == self.unconverted(quotient);
            let is_same = is_exact && divisor == factor
                || self.is_prepared(divisor)
                    && self.unconverted(divided) == self.unconverted(number)
                    && self.is_divisor(divisor, factor);
            is_same.then_some(divisor)
        };
        divisor_of(one, other).or_else(|| divisor_of(other, one))
    }

    /// The quotient of `o.divisor == 1 ? n : n / divisor(o)`, in any order: the first one is a quotient by 1.
    pub(super) fn quotient_by_one_or_more(
        &self,
        condition: TermId,
        then: TermId,
        otherwise: TermId,
    ) -> Option<TermId> {
        let (is_negated, compared) = match *self.term(condition) {
            Term::Not(inner) => (true, inner),
            _ => (false, condition),
        };
        let (is_equal, one, other) = match *self.term(compared) {
            Term::Binary(Operator::Equal, one, other) => (!is_negated, one, other),
            Term::Binary(Operator::NotEqual, one, other) => (is_negated, one, other),
            _ => return None,
        };
        let member = match (self.as_number(one), self.as_number(other)) {
            (Some(1), None) => other,
            (None, Some(1)) => one,
            _ => return None,
        };
        let (number, quotient) = if is_equal {
            (then, otherwise)
        } else {
            (otherwise, then)
        };
        let (divided, divisor) = self.quotient(quotient)?;
        let is_it = self.is_prepared(divisor)
            && self.object_of(divisor) == self.object_of(member)
            && self.unconverted(divided) == self.unconverted(number);
        is_it.then_some(quotient)
    }
}
