//! Quotients and remainders, reduced by whole-number identities.
//!
//! C++ rounds a quotient towards zero. The identities hold for quotients that are rounded down, so a numerator that may be
//! negative is taken apart only where the division is exact: `(M - 128)/64` is not `M/64 - 2` for M = 100.

use super::{Atom, Expression, Term};
use std::sync::Arc;

impl Expression {
    /// The quotient, rounded towards zero. `None` also for a known zero divisor.
    pub fn quotient(&self, divisor: &Self) -> Option<Self> {
        match divisor.as_known() {
            Some(0) => return None,
            Some(1) => return Some(self.clone()),
            Some(-1) => return self.scale(-1),
            Some(d) if d < 0 => {
                return match (self.as_known(), self.exact_quotient(divisor)) {
                    (Some(number), _) => number.checked_div(d).map(Expression::known),
                    (None, Some(exact)) => Some(exact),
                    (None, None) => Expression::opaque_quotient(self, divisor),
                };
            }
            _ => {}
        }
        match self.sign() {
            Some(Sign::NotNegative) => self.rounded_down_quotient(divisor),
            Some(Sign::NotPositive) => self.scale(-1)?.rounded_down_quotient(divisor)?.scale(-1),
            None => match self.exact_quotient(divisor) {
                Some(exact) => Some(exact),
                None => Expression::opaque_quotient(self, divisor),
            },
        }
    }

    /// The sign of the number, where its parts tell.
    fn sign(&self) -> Option<Sign> {
        match self.bounds() {
            (Some(low), _) if low >= 0 => Some(Sign::NotNegative),
            (_, Some(high)) if high <= 0 => Some(Sign::NotPositive),
            _ => None,
        }
    }

    /// The quotient where nothing is rounded: a number that divides every term, a symbol that is in every term, or a sum
    /// of which it is a multiple.
    fn exact_quotient(&self, divisor: &Self) -> Option<Self> {
        if let Some(d) = divisor.as_known() {
            let (whole, rest) = self.split_by_known(d.checked_abs()?);
            return (rest.as_known() == Some(0))
                .then(|| whole.scale(d.signum()))
                .flatten();
        }
        if let [
            Term {
                factors,
                coefficient: 1,
            },
        ] = divisor.terms.as_slice()
            && divisor.constant == 0
        {
            let (whole, rest) = self.split_by_factors(factors)?;
            return (rest.as_known() == Some(0)).then_some(whole);
        }
        self.multiple_of(divisor)
    }

    /// The quotient of numbers that are not negative.
    fn rounded_down_quotient(&self, divisor: &Self) -> Option<Self> {
        match divisor.as_known() {
            Some(1) => Some(self.clone()),
            Some(d) => self.quotient_by_known(d),
            None => self.quotient_by_symbol(divisor),
        }
    }

    pub(super) fn opaque_quotient(numerator: &Self, divisor: &Self) -> Option<Self> {
        let parts = (numerator.clone(), divisor.clone());
        Expression::operator(Atom::Quotient(Arc::new(parts)))
    }

    /// `whole * d + rest`, the constant of `rest` in `[0, d)`. A coefficient that `d` does not divide stays whole in the
    /// rest: 3*M/2 is not M + M/2 to a reader.
    fn split_by_known(&self, d: i64) -> (Self, Self) {
        let (divisible, rest): (Vec<Term>, Vec<Term>) = self
            .terms
            .iter()
            .cloned()
            .partition(|term| term.coefficient % d == 0);
        let whole = divisible
            .into_iter()
            .map(|term| Term {
                coefficient: term.coefficient / d,
                ..term
            })
            .collect();
        (
            Expression {
                terms: whole,
                constant: self.constant.div_euclid(d),
            },
            Expression {
                terms: rest,
                constant: self.constant.rem_euclid(d),
            },
        )
    }

    fn quotient_by_known(&self, d: i64) -> Option<Self> {
        let (whole, rest) = self.split_by_known(d);
        if rest.terms.is_empty() {
            return Some(whole);
        }
        // `64*A - M%64`: the rest is negative, and would be rounded up.
        if rest.sign() != Some(Sign::NotNegative) {
            return Expression::opaque_quotient(self, &Expression::known(d));
        }
        // floor((floor(n/a) + k) / d) = floor((n + k*a) / (a*d))
        if let [
            Term {
                factors,
                coefficient: 1,
            },
        ] = rest.terms.as_slice()
            && let [Atom::Quotient(inner)] = factors.as_slice()
            && let Some(a) = inner.1.as_known()
            && a > 0
            && inner.0.sign() == Some(Sign::NotNegative)
        {
            let numerator = inner
                .0
                .add(&Expression::known(rest.constant.checked_mul(a)?))?;
            let merged = numerator.quotient_by_known(a.checked_mul(d)?)?;
            return whole.add(&merged);
        }
        // floor((g*n + c) / (g*m)) = floor((n + floor(c/g)) / m)
        let g = rest.terms.iter().fold(d, |g, t| gcd(g, t.coefficient));
        if g > 1 {
            let mut reduced = rest.clone();
            for term in &mut reduced.terms {
                term.coefficient /= g;
            }
            reduced.constant = rest.constant.div_euclid(g);
            return whole.add(&reduced.quotient_by_known_unless_one(d / g)?);
        }
        whole.add(&Expression::opaque_quotient(&rest, &Expression::known(d))?)
    }

    fn quotient_by_known_unless_one(&self, d: i64) -> Option<Self> {
        if d == 1 {
            Some(self.clone())
        } else {
            self.quotient_by_known(d)
        }
    }

    fn quotient_by_symbol(&self, divisor: &Self) -> Option<Self> {
        if self == divisor {
            return Some(Expression::known(1));
        }
        if self.as_known() == Some(0) {
            return Some(Expression::known(0));
        }
        let [
            Term {
                factors,
                coefficient: 1,
            },
        ] = divisor.terms.as_slice()
        else {
            return self.quotient_by_sum(divisor);
        };
        if divisor.constant != 0 {
            return self.quotient_by_sum(divisor);
        }
        let (whole, rest) = self.split_by_factors(factors)?;
        match rest.as_known() {
            Some(0) => Some(whole),
            // A divisor is at least 1, so the floor of -1 over it is -1.
            Some(-1) => whole.add(&Expression::known(-1)),
            _ if rest.sign() == Some(Sign::NotNegative) => {
                whole.add(&Expression::opaque_quotient(&rest, divisor)?)
            }
            _ => Expression::opaque_quotient(self, divisor),
        }
    }

    /// `whole * factors + rest`.
    fn split_by_factors(&self, factors: &[Atom]) -> Option<(Self, Self)> {
        let mut whole = Expression::known(0);
        let mut rest = Expression::known(self.constant);
        for term in &self.terms {
            let single = |factors: Vec<Atom>| {
                if factors.is_empty() {
                    Expression::known(term.coefficient)
                } else {
                    Expression {
                        terms: vec![Term {
                            factors,
                            coefficient: term.coefficient,
                        }],
                        constant: 0,
                    }
                }
            };
            match without(&term.factors, factors) {
                Some(left) => whole = whole.add(&single(left))?,
                None => rest = rest.add(&single(term.factors.clone()))?,
            }
        }
        Some((whole, rest))
    }

    /// Division by a sum of several terms: a known multiple of it, or an atom.
    fn quotient_by_sum(&self, divisor: &Self) -> Option<Self> {
        match self.multiple_of(divisor) {
            Some(factor) => Some(factor),
            None => Expression::opaque_quotient(self, divisor),
        }
    }

    /// The number that `divisor` is multiplied with, where it is one.
    fn multiple_of(&self, divisor: &Self) -> Option<Self> {
        let (own, theirs) = (self.terms.first()?, divisor.terms.first()?);
        let factor = own.coefficient.checked_div(theirs.coefficient)?;
        (divisor.scale(factor).as_ref() == Some(self)).then(|| Expression::known(factor))
    }

    /// The remainder of [`Expression::quotient`].
    pub fn remainder(&self, divisor: &Self) -> Option<Self> {
        let opaque =
            |rest: Self| Expression::operator(Atom::Remainder(Arc::new((rest, divisor.clone()))));
        match divisor.as_known() {
            Some(0) => None,
            Some(d) if d > 0 && self.sign() == Some(Sign::NotNegative) => {
                let rest = self.split_by_known(d).1;
                match rest.sign() {
                    _ if rest.as_known().is_some() => Some(rest),
                    Some(Sign::NotNegative) => opaque(rest),
                    _ => opaque(self.clone()),
                }
            }
            _ => {
                let rest = self.sub(&self.quotient(divisor)?.mul(divisor)?)?;
                if rest.as_known().is_some() {
                    Some(rest)
                } else {
                    opaque(self.clone())
                }
            }
        }
    }
}

/// The sign of a number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    NotNegative,
    NotPositive,
}

/// The multiset difference `all - part`, when `part` is contained.
fn without(all: &[Atom], part: &[Atom]) -> Option<Vec<Atom>> {
    let mut left = all.to_vec();
    for atom in part {
        let at = left.iter().position(|other| other == atom)?;
        left.remove(at);
    }
    Some(left)
}

/// The greatest common divisor, not negative.
pub(crate) fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}
