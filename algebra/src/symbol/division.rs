//! Quotients and remainders, reduced as far as whole-number identities allow.

use super::{Atom, Expression, Term};
use std::sync::Arc;

impl Expression {
    /// The quotient, rounded down. `None` also for a known zero divisor.
    pub fn quotient(&self, divisor: &Self) -> Option<Self> {
        match divisor.as_known() {
            Some(0) => None,
            Some(1) => Some(self.clone()),
            Some(-1) => self.scale(-1),
            Some(d) if d > 0 => self.quotient_by_known(d),
            Some(_) => Expression::opaque_quotient(self, divisor),
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
        match rest.as_known() {
            Some(0) => Some(whole),
            // A divisor is at least 1, so the floor of -1 over it is -1.
            Some(-1) => whole.add(&Expression::known(-1)),
            _ => whole.add(&Expression::opaque_quotient(&rest, divisor)?),
        }
    }

    /// Division by a sum of several terms: a known multiple of it, or an atom.
    fn quotient_by_sum(&self, divisor: &Self) -> Option<Self> {
        if let (Some(own), Some(theirs)) = (self.terms.first(), divisor.terms.first())
            && own.coefficient % theirs.coefficient == 0
        {
            let factor = own.coefficient / theirs.coefficient;
            if divisor.scale(factor).as_ref() == Some(self) {
                return Some(Expression::known(factor));
            }
        }
        Expression::opaque_quotient(self, divisor)
    }

    /// The remainder of [`Expression::quotient`].
    pub fn remainder(&self, divisor: &Self) -> Option<Self> {
        let opaque =
            |rest: Self| Expression::operator(Atom::Remainder(Arc::new((rest, divisor.clone()))));
        match divisor.as_known() {
            Some(0) => None,
            Some(d) if d > 0 => {
                let rest = self.split_by_known(d).1;
                if rest.as_known().is_some() {
                    Some(rest)
                } else {
                    opaque(rest)
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
