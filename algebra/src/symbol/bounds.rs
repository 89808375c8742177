//! The range of an expression, from the ranges of its parts.

use super::{Atom, Expression};

impl Expression {
    /// The smallest and the largest value it can have, judged by its parts.
    pub fn bounds(&self) -> (Option<i64>, Option<i64>) {
        let mut range = (Some(self.constant), Some(self.constant));
        for term in &self.terms {
            let mut product = (Some(1_i64), Some(1_i64));
            for atom in &term.factors {
                product = multiply_ranges(product, atom.bounds());
            }
            let scaled = multiply_ranges(product, (Some(term.coefficient), Some(term.coefficient)));
            range = (add_bounds(range.0, scaled.0), add_bounds(range.1, scaled.1));
        }
        range
    }
}

impl Atom {
    fn bounds(&self) -> (Option<i64>, Option<i64>) {
        match self {
            Atom::Symbol { least, .. } => (Some(*least), None),
            Atom::Quotient(p) => match (p.0.bounds(), p.1.bounds()) {
                ((low, high), (Some(d), top)) if d > 0 => (
                    low.map(|l| {
                        if l < 0 {
                            l / d
                        } else {
                            top.map_or(0, |t| l.div_euclid(t))
                        }
                    }),
                    // Rounded towards zero, so that nothing negative is left of a small one.
                    high.map(|h| if h < 0 { 0 } else { h / d }),
                ),
                _ => (None, None),
            },
            Atom::Remainder(p) => match (p.0.bounds().0, p.1.bounds()) {
                (Some(low), (Some(d), top)) if low >= 0 && d > 0 => (Some(0), top.map(|t| t - 1)),
                _ => (None, None),
            },
            Atom::Minimum(p) => {
                let (a, b) = (p.0.bounds(), p.1.bounds());
                (both(a.0, b.0, i64::min), either(a.1, b.1, i64::min))
            }
            Atom::Maximum(p) => {
                let (a, b) = (p.0.bounds(), p.1.bounds());
                (either(a.0, b.0, i64::max), both(a.1, b.1, i64::max))
            }
            Atom::Absolute(_) => (Some(0), None),
            Atom::Signum(_) => (Some(-1), Some(1)),
        }
    }
}

fn both(a: Option<i64>, b: Option<i64>, f: fn(i64, i64) -> i64) -> Option<i64> {
    Some(f(a?, b?))
}

fn either(a: Option<i64>, b: Option<i64>, f: fn(i64, i64) -> i64) -> Option<i64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(f(a, b)),
        (one, other) => one.or(other),
    }
}

fn add_bounds(a: Option<i64>, b: Option<i64>) -> Option<i64> {
    a?.checked_add(b?)
}

type Range = (Option<i64>, Option<i64>);

/// The product of two ranges; exact where both are bounded, and for ranges on one side of zero.
fn multiply_ranges(a: Range, b: Range) -> Range {
    if let ((Some(al), Some(ah)), (Some(bl), Some(bh))) = (a, b) {
        let products = [
            al.checked_mul(bl),
            al.checked_mul(bh),
            ah.checked_mul(bl),
            ah.checked_mul(bh),
        ];
        if let [Some(p), Some(q), Some(r), Some(s)] = products {
            return (Some(p.min(q).min(r).min(s)), Some(p.max(q).max(r).max(s)));
        }
    }
    match (a, b) {
        ((Some(al), ah), (Some(bl), bh)) if al >= 0 && bl >= 0 => (
            al.checked_mul(bl),
            ah.and_then(|x| bh.and_then(|y| x.checked_mul(y))),
        ),
        // One side is a known negative number times something not negative.
        ((Some(al), ah), (_, Some(bh))) if al >= 0 && bh <= 0 => {
            let low = if b.0.is_some() {
                ah.and_then(|x| b.0.and_then(|y| x.checked_mul(y)))
            } else {
                None
            };
            (low, al.checked_mul(bh))
        }
        ((_, Some(ah)), (Some(bl), _)) if ah <= 0 && bl >= 0 => {
            let low = a.0.and_then(|x| b.1.and_then(|y| x.checked_mul(y)));
            (low, ah.checked_mul(bl))
        }
        _ => (None, None),
    }
}
