//! Divisions by a number that an object has prepared: `(__umulhi(n, o.multiplier) + n) >> o.shift` is `n / d` (Granlund and
//! Montgomery, "Division by invariant integers using multiplication"; `FastDivmod` of CUTLASS, `IntDivider` of `PyTorch`).
//!
//! The numbers of such an object are the host's. The two are taken for numbers that were made to divide: the quotient is one
//! by a symbol, `divisor(o.multiplier, o.shift)`.

use std::sync::Arc;

use super::numbers::Operator;
use super::terms::{Owner, SymbolId, SymbolKind, Term, TermId, Terms};

/// The most members of an object that is made to divide: divisor, multiplier, shift, and whether the number is added.
const OF_A_DIVIDER: usize = 4;

impl Terms {
    /// Notes that a symbol is one of the members of an object that the kernel is given.
    pub(crate) fn belongs(&mut self, term: TermId, object: &str, members: usize) {
        if let Some(symbol) = self.as_symbol(term) {
            let owner = Owner {
                object: object.into(),
                members,
                divides: None,
            };
            self.own(symbol, owner);
        }
    }

    fn owner(&self, term: TermId) -> Option<(SymbolId, &Owner)> {
        let symbol = self.as_symbol(self.unconverted(term))?;
        Some((symbol, self.symbol(symbol)?.owner.as_ref()?))
    }

    fn unconverted(&self, id: TermId) -> TermId {
        match self.term(id) {
            Term::Convert(inner) => self.unconverted(*inner),
            _ => id,
        }
    }

    /// `n / divisor`, where a term is the upper half of `n * o.multiplier`, plus `n` or a multiple of it by a member, and
    /// the other one is `o.shift`.
    pub(super) fn fast_quotient(&mut self, sum: TermId, shift: TermId) -> Option<TermId> {
        let (by, owner) = self.owner(shift)?;
        let (object, members) = (Arc::clone(&owner.object), owner.members);
        let (number, multiplier) = match *self.term(sum) {
            Term::Binary(Operator::Add, one, other) => {
                let (found, added) = match self.multiplied(one, &object) {
                    Some(found) => (found, other),
                    None => (self.multiplied(other, &object)?, one),
                };
                self.is_multiple(added, found.0, &object).then_some(found)?
            }
            _ => self.multiplied(sum, &object)?,
        };
        let kind = self.kind(number);
        let name_of = |id| self.symbol(id).map(|symbol| Arc::clone(&symbol.name));
        let name = format!("divisor({}, {})", name_of(multiplier)?, name_of(by)?);
        let divisor = self.shared(&name, SymbolKind::Uniform, kind, 1);
        let owner = Owner {
            object,
            members,
            divides: Some([multiplier, by]),
        };
        let symbol = self.as_symbol(divisor)?;
        self.own(symbol, owner);
        Some(self.binary(Operator::Div, number, divisor))
    }

    fn is_member(&self, term: TermId, object: &str) -> bool {
        self.owner(term)
            .is_some_and(|(_, owner)| *owner.object == *object)
    }

    /// `n` and the multiplier of `__umulhi(n, o.multiplier)`.
    fn multiplied(&self, high: TermId, object: &str) -> Option<(TermId, SymbolId)> {
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
        let (number, multiplier) =
            match (self.is_member(one, object), self.is_member(other, object)) {
                (false, true) => (one, other),
                (true, false) => (other, one),
                _ => return None,
            };
        Some((number, self.owner(multiplier)?.0))
    }

    /// Whether a term is a number, or a multiple of it by a member of an object.
    fn is_multiple(&self, term: TermId, number: TermId, object: &str) -> bool {
        match *self.term(term) {
            _ if term == number => true,
            Term::Binary(Operator::Mul, one, other) => {
                self.is_member(one, object) && other == number
                    || self.is_member(other, object) && one == number
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

    /// Whether a member is the number by which an object divides: a further one of an object that does nothing else.
    fn has_divisor(&self, divisor: TermId, member: TermId) -> bool {
        let (Some((_, made)), Some((id, of))) = (self.owner(divisor), self.owner(member)) else {
            return false;
        };
        made.object == of.object
            && of.members <= OF_A_DIVIDER
            && of.divides.is_none()
            && made.divides.is_some_and(|pair| !pair.contains(&id))
    }

    /// `d` where the second term is `n / d * d` of the first, `n`.
    pub(super) fn divisor_of_rest(&self, number: TermId, multiple: TermId) -> Option<TermId> {
        let is_exact = |divided, quotient: TermId, divisor, factor| {
            divided == number && quotient == self.unconverted(quotient) && divisor == factor
        };
        let is_prepared = |divided, divisor, factor| {
            self.unconverted(divided) == self.unconverted(number)
                && self.has_divisor(divisor, factor)
        };
        let Term::Binary(Operator::Mul, one, other) = *self.term(self.unconverted(multiple)) else {
            return None;
        };
        let divisor_of = |quotient: TermId, factor: TermId| {
            let (divided, divisor) = self.quotient(quotient)?;
            let is_it = is_exact(divided, quotient, divisor, factor)
                || is_prepared(divided, divisor, factor);
            is_it.then_some(divisor)
        };
        divisor_of(one, other).or_else(|| divisor_of(other, one))
    }

    /// The quotient of `o.divisor == 1 ? n : n / divisor`, in any order: the first one is a quotient by 1.
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
        let is_it = self.has_divisor(divisor, member)
            && self.unconverted(divided) == self.unconverted(number);
        is_it.then_some(quotient)
    }
}
