//! Symbolic integers in a normal form: a sum of products, so that equal expressions compare equal.
//!
//! A product is a coefficient times *atoms*: symbols, quotients, remainders, minima, maxima. Sums and products are
//! expanded and sorted; quotients are reduced by whole-number identities: `(8*M + 7) / 8 = M`,
//! `((M + 7) / 8 + 15) / 16 = (M + 127) / 128`, `M*K / K = M`.
//!
//! Division rounds towards zero, as in C++. Every operation returns `None` when a coefficient leaves the range of
//! `i64`, or when the expression grows beyond [`crate::limits::TERMS`] or [`crate::limits::ATOMS`].

mod bounds;
mod division;
mod multiple;
mod print;

pub(crate) use division::gcd;
pub use multiple::Multiple;

use crate::limits;
use std::sync::Arc;

/// A number as a sum of products of atoms; see the module's text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Expression {
    /// Sorted by factors; no coefficient is zero, no factors are empty.
    terms: Vec<Term>,
    constant: i64,
}

/// A coefficient times a sorted, non-empty list of atoms (a repeated atom is a power).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Term {
    pub(crate) factors: Vec<Atom>,
    pub(crate) coefficient: i64,
}

/// A factor that cannot be taken apart further.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Atom {
    /// A named number that is at least `least`.
    Symbol { name: Arc<str>, least: i64 },
    /// `numerator / denominator`, rounded towards zero.
    Quotient(Arc<(Expression, Expression)>),
    /// `numerator % denominator`.
    Remainder(Arc<(Expression, Expression)>),
    /// The smaller of two.
    Minimum(Arc<(Expression, Expression)>),
    /// The larger of two.
    Maximum(Arc<(Expression, Expression)>),
    /// The absolute value of a number of unknown sign.
    Absolute(Arc<Expression>),
    /// -1, 0 or 1.
    Signum(Arc<Expression>),
}

impl Expression {
    /// Number of terms of the sum, besides its constant.
    pub(crate) fn term_count(&self) -> usize {
        self.terms.len()
    }

    /// A known number.
    pub fn known(value: i64) -> Self {
        Expression {
            terms: Vec::new(),
            constant: value,
        }
    }

    /// A named number that is at least `least`.
    pub fn symbol(name: &str, least: i64) -> Self {
        Expression::atom(Atom::Symbol {
            name: Arc::from(name),
            least,
        })
    }

    /// An operator over other expressions; `None` where it grows beyond [`limits::ATOMS`].
    fn operator(atom: Atom) -> Option<Self> {
        let mut left = limits::ATOMS;
        atom.take_atoms(&mut left).then(|| Expression::atom(atom))
    }

    /// Takes as many from `left` as there are atoms; `false` once nothing is left.
    fn take_atoms(&self, left: &mut usize) -> bool {
        let mut atoms = self.terms.iter().flat_map(|term| &term.factors);
        atoms.all(|atom| atom.take_atoms(left))
    }

    fn atom(atom: Atom) -> Self {
        Expression {
            terms: vec![Term {
                factors: vec![atom],
                coefficient: 1,
            }],
            constant: 0,
        }
    }

    /// The number, when nothing in it is unknown.
    pub fn as_known(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The products, without the constant.
    pub(crate) fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// The constant summand.
    pub(crate) fn constant(&self) -> i64 {
        self.constant
    }

    /// The names in it, each once, in order of appearance.
    pub fn symbols(&self) -> Vec<Arc<str>> {
        let mut names: Vec<Arc<str>> = Vec::new();
        self.collect_symbols(&mut names);
        names
    }

    fn collect_symbols(&self, names: &mut Vec<Arc<str>>) {
        for atom in self.terms.iter().flat_map(|term| &term.factors) {
            match atom {
                Atom::Symbol { name, .. } => {
                    if !names.contains(name) {
                        names.push(Arc::clone(name));
                    }
                }
                Atom::Quotient(p) | Atom::Remainder(p) | Atom::Minimum(p) | Atom::Maximum(p) => {
                    p.0.collect_symbols(names);
                    p.1.collect_symbols(names);
                }
                Atom::Absolute(e) | Atom::Signum(e) => e.collect_symbols(names),
            }
        }
    }

    /// The sum.
    pub fn add(&self, other: &Self) -> Option<Self> {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let order = match (left.peek(), right.peek()) {
                (None, None) => break,
                (Some(_), None) => core::cmp::Ordering::Less,
                (None, Some(_)) => core::cmp::Ordering::Greater,
                (Some(a), Some(b)) => a.factors.cmp(&b.factors),
            };
            match order {
                core::cmp::Ordering::Less => terms.extend(left.next().cloned()),
                core::cmp::Ordering::Greater => terms.extend(right.next().cloned()),
                core::cmp::Ordering::Equal => {
                    if let (Some(a), Some(b)) = (left.next(), right.next()) {
                        let coefficient = a.coefficient.checked_add(b.coefficient)?;
                        if coefficient != 0 {
                            terms.push(Term {
                                factors: a.factors.clone(),
                                coefficient,
                            });
                        }
                    }
                }
            }
        }
        if terms.len() > limits::TERMS {
            return None;
        }
        Some(Expression {
            terms,
            constant: self.constant.checked_add(other.constant)?,
        })
    }

    /// The difference.
    pub fn sub(&self, other: &Self) -> Option<Self> {
        self.add(&other.scale(-1)?)
    }

    /// The product with a known number.
    pub fn scale(&self, factor: i64) -> Option<Self> {
        if factor == 0 {
            return Some(Expression::known(0));
        }
        let terms = self
            .terms
            .iter()
            .map(|t| {
                Some(Term {
                    factors: t.factors.clone(),
                    coefficient: t.coefficient.checked_mul(factor)?,
                })
            })
            .collect::<Option<Vec<_>>>()?;
        Some(Expression {
            terms,
            constant: self.constant.checked_mul(factor)?,
        })
    }

    /// The product, expanded.
    pub fn mul(&self, other: &Self) -> Option<Self> {
        let mut sum = self.scale(other.constant)?;
        for term in &other.terms {
            let mut part = Expression::known(0);
            for own in &self.terms {
                let mut factors: Vec<Atom> =
                    own.factors.iter().chain(&term.factors).cloned().collect();
                factors.sort();
                let coefficient = own.coefficient.checked_mul(term.coefficient)?;
                part = part.add(&Expression {
                    terms: vec![Term {
                        factors,
                        coefficient,
                    }],
                    constant: 0,
                })?;
            }
            if self.constant != 0 {
                let coefficient = self.constant.checked_mul(term.coefficient)?;
                let single = Expression {
                    terms: vec![Term {
                        factors: term.factors.clone(),
                        coefficient,
                    }],
                    constant: 0,
                };
                part = part.add(&single)?;
            }
            sum = sum.add(&part)?;
        }
        Some(sum)
    }

    /// The smaller of the two.
    pub fn minimum(&self, other: &Self) -> Option<Self> {
        let (low, high) = self.sub(other)?.bounds();
        if high.is_some_and(|h| h <= 0) {
            return Some(self.clone());
        }
        if low.is_some_and(|l| l >= 0) {
            return Some(other.clone());
        }
        Expression::operator(Atom::Minimum(Arc::new(sorted(self, other))))
    }

    /// The larger of the two.
    pub fn maximum(&self, other: &Self) -> Option<Self> {
        let (low, high) = self.sub(other)?.bounds();
        if low.is_some_and(|l| l >= 0) {
            return Some(self.clone());
        }
        if high.is_some_and(|h| h <= 0) {
            return Some(other.clone());
        }
        Expression::operator(Atom::Maximum(Arc::new(sorted(self, other))))
    }

    /// The absolute value.
    pub fn absolute(&self) -> Option<Self> {
        match self.bounds() {
            (Some(low), _) if low >= 0 => Some(self.clone()),
            (_, Some(high)) if high <= 0 => self.scale(-1),
            _ => Expression::operator(Atom::Absolute(Arc::new(self.clone()))),
        }
    }

    /// -1, 0 or 1.
    pub fn signum(&self) -> Option<Self> {
        match self.bounds() {
            (Some(low), _) if low > 0 => Some(Expression::known(1)),
            (_, Some(high)) if high < 0 => Some(Expression::known(-1)),
            (Some(0), Some(0)) => Some(Expression::known(0)),
            _ => Expression::operator(Atom::Signum(Arc::new(self.clone()))),
        }
    }

    /// The number that a symbol in it is at least.
    pub fn least_of(&self, name: &str) -> Option<i64> {
        let mut atoms = self.terms.iter().flat_map(|term| &term.factors);
        atoms.find_map(|atom| match atom {
            Atom::Symbol { name: own, least } => (**own == *name).then_some(*least),
            Atom::Quotient(p) | Atom::Remainder(p) | Atom::Minimum(p) | Atom::Maximum(p) => {
                p.0.least_of(name).or_else(|| p.1.least_of(name))
            }
            Atom::Absolute(e) | Atom::Signum(e) => e.least_of(name),
        })
    }

    /// Replaces each symbol that `value_of` knows.
    pub fn substitute(&self, value_of: &dyn Fn(&str) -> Option<Expression>) -> Option<Self> {
        let mut sum = Expression::known(self.constant);
        for term in &self.terms {
            let mut product = Expression::known(term.coefficient);
            for atom in &term.factors {
                product = product.mul(&atom.substitute(value_of)?)?;
            }
            sum = sum.add(&product)?;
        }
        Some(sum)
    }

    /// Undoes a substitution of `divisor * name` for `symbol`: whole multiples become `symbol` again, others a quotient.
    ///
    /// ```
    /// use cute_algebra::symbol::Expression;
    /// let (steps, k) = (Expression::symbol("(k/8)", 0), Expression::symbol("k", 0));
    /// let offset = steps.scale(8).and_then(|offset| offset.restored("(k/8)", 8, &k));
    /// assert_eq!(offset, Some(k));
    /// ```
    #[must_use]
    pub fn restored(&self, name: &str, divisor: i64, symbol: &Expression) -> Option<Self> {
        self.restore(name, divisor.max(1), symbol)
    }

    pub(crate) fn restore(&self, name: &str, divisor: i64, symbol: &Expression) -> Option<Self> {
        let quotient = Expression::opaque_quotient(symbol, &Expression::known(divisor))?;
        let mut sum = Expression::known(self.constant);
        for term in &self.terms {
            let mut product = Expression::known(term.coefficient);
            for atom in &term.factors {
                let is_named = matches!(atom, Atom::Symbol { name: own, .. } if **own == *name);
                let factor = match product.as_known() {
                    Some(number) if is_named && number % divisor == 0 => {
                        product = Expression::known(number / divisor);
                        symbol.clone()
                    }
                    // `4 * (K/256)` is `K/64`, as the division by 256 is exact.
                    Some(number) if is_named && number > 1 && divisor % number == 0 => {
                        product = Expression::known(1);
                        Expression::opaque_quotient(symbol, &Expression::known(divisor / number))?
                    }
                    _ if is_named => quotient.clone(),
                    _ => atom.restore(name, divisor, symbol)?,
                };
                product = product.mul(&factor)?;
            }
            sum = sum.add(&product)?;
        }
        Some(sum)
    }

    fn is_single_atom(&self) -> bool {
        self.constant == 0
            && matches!(self.terms.as_slice(), [Term { factors, coefficient: 1 }] if factors.len() == 1)
    }
}

impl Atom {
    /// See [`Expression::take_atoms`].
    fn take_atoms(&self, left: &mut usize) -> bool {
        let Some(rest) = left.checked_sub(1) else {
            return false;
        };
        *left = rest;
        match self {
            Atom::Symbol { .. } => true,
            Atom::Quotient(p) | Atom::Remainder(p) | Atom::Minimum(p) | Atom::Maximum(p) => {
                p.0.take_atoms(left) && p.1.take_atoms(left)
            }
            Atom::Absolute(e) | Atom::Signum(e) => e.take_atoms(left),
        }
    }

    /// See [`Expression::restore`]; the quotients that the substitution left are already in normal form.
    fn restore(&self, name: &str, divisor: i64, symbol: &Expression) -> Option<Expression> {
        let both = |p: &(Expression, Expression)| {
            Some((
                p.0.restore(name, divisor, symbol)?,
                p.1.restore(name, divisor, symbol)?,
            ))
        };
        match self {
            Atom::Symbol { .. } => Some(Expression::atom(self.clone())),
            Atom::Quotient(p) => both(p).and_then(|(n, d)| n.quotient(&d)),
            Atom::Remainder(p) => both(p).and_then(|(n, d)| n.remainder(&d)),
            Atom::Minimum(p) => both(p).and_then(|(a, b)| a.minimum(&b)),
            Atom::Maximum(p) => both(p).and_then(|(a, b)| a.maximum(&b)),
            Atom::Absolute(e) => e.restore(name, divisor, symbol)?.absolute(),
            Atom::Signum(e) => e.restore(name, divisor, symbol)?.signum(),
        }
    }

    fn substitute(&self, value_of: &dyn Fn(&str) -> Option<Expression>) -> Option<Expression> {
        let both = |p: &(Expression, Expression)| {
            Some((p.0.substitute(value_of)?, p.1.substitute(value_of)?))
        };
        match self {
            Atom::Symbol { name, .. } => {
                Some(value_of(name).unwrap_or_else(|| Expression::atom(self.clone())))
            }
            Atom::Quotient(p) => both(p).and_then(|(n, d)| n.quotient(&d)),
            Atom::Remainder(p) => both(p).and_then(|(n, d)| n.remainder(&d)),
            Atom::Minimum(p) => both(p).and_then(|(a, b)| a.minimum(&b)),
            Atom::Maximum(p) => both(p).and_then(|(a, b)| a.maximum(&b)),
            Atom::Absolute(e) => e.substitute(value_of)?.absolute(),
            Atom::Signum(e) => e.substitute(value_of)?.signum(),
        }
    }
}

fn sorted(a: &Expression, b: &Expression) -> (Expression, Expression) {
    // Known numbers last: `min(M,128)`.
    let swap = match (a.as_known(), b.as_known()) {
        (Some(_), None) => true,
        (None, Some(_)) => false,
        _ => a > b,
    };
    if swap {
        (b.clone(), a.clone())
    } else {
        (a.clone(), b.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn m() -> Expression {
        Expression::symbol("M", 1)
    }

    fn known(v: i64) -> Expression {
        Expression::known(v)
    }

    fn ceil_div(a: &Expression, b: &Expression) -> Expression {
        a.add(b)
            .and_then(|s| s.sub(&known(1)))
            .and_then(|s| s.quotient(b))
            .expect("in range")
    }

    #[test]
    fn a_rounded_up_multiple_is_exact() {
        let eight_m = m().scale(8).expect("in range");
        assert_eq!(ceil_div(&eight_m, &known(8)), m());
    }

    #[test]
    fn nested_rounded_quotients_merge() {
        let inner = ceil_div(&m(), &known(8));
        assert_eq!(ceil_div(&inner, &known(16)).to_string(), "(M+127)/128");
    }

    #[test]
    fn a_common_factor_cancels() {
        let k = Expression::symbol("K", 1);
        let product = m().mul(&k).expect("in range");
        assert_eq!(product.quotient(&k), Some(m()));
        assert_eq!(ceil_div(&product, &k), m());
    }

    #[test]
    fn what_may_be_negative_is_divided_only_where_it_is_exact() {
        let less = |k: i64| m().sub(&known(k)).expect("in range");
        let quotient = |n: &Expression, d: i64| n.quotient(&known(d)).expect("in range");
        assert_eq!(quotient(&less(128), 64).to_string(), "(M-128)/64");
        assert_eq!(
            less(128)
                .remainder(&known(64))
                .expect("in range")
                .to_string(),
            "(M-128)%64"
        );
        let at = |n: &Expression, value: i64| {
            n.substitute(&|_| Some(known(value)))
                .and_then(|n| n.as_known())
        };
        for value in [1, 63, 64, 100, 127, 128, 129, 1000] {
            let (q, r) = (quotient(&less(128), 64), less(128).remainder(&known(64)));
            assert_eq!(at(&q, value), Some((value - 128) / 64), "{value}");
            assert_eq!(r.and_then(|r| at(&r, value)), Some((value - 128) % 64));
        }
        // Where the sign is known, or nothing is rounded, it is taken apart.
        let large = Expression::symbol("M", 128)
            .sub(&known(128))
            .expect("in range");
        assert_eq!(quotient(&large, 64).to_string(), "M/64-2");
        assert_eq!(quotient(&less(1), 64).to_string(), "(M+63)/64-1");
        let even = m()
            .scale(64)
            .and_then(|m| m.sub(&known(128)))
            .expect("in range");
        assert_eq!(quotient(&even, 64).to_string(), "M-2");
        let negative = known(-1)
            .sub(&m().scale(64).expect("in range"))
            .expect("in range");
        assert_eq!(quotient(&negative, 64).to_string(), "-M");
    }

    #[test]
    fn products_expand_and_sort() {
        let k = Expression::symbol("K", 1);
        let left = m().add(&k).and_then(|s| s.mul(&m())).expect("in range");
        let right = m()
            .mul(&m())
            .and_then(|s| s.add(&k.mul(&m())?))
            .expect("in range");
        assert_eq!(left, right);
    }

    #[test]
    fn bounds_decide_minima() {
        assert_eq!(m().minimum(&known(1)), Some(known(1)));
        assert_eq!(
            m().minimum(&known(128)).expect("in range").to_string(),
            "min(M,128)"
        );
    }

    /// Shared parts count as often as they are read: forty steps would be 2^40 atoms.
    #[test]
    fn an_expression_that_doubles_ends() {
        let (mut x, y) = (m(), Expression::symbol("Y", 1));
        let steps = (0..40).take_while(|_| {
            let doubled = x.quotient(&y).and_then(|q| q.add(&x.remainder(&y)?));
            doubled.is_some_and(|next| {
                x = next;
                true
            })
        });
        assert!((5..12).contains(&steps.count()));
        assert!(x.to_string().len() < 1_000_000);
    }

    #[test]
    fn overflow_is_none() {
        assert_eq!(m().scale(i64::MAX).and_then(|e| e.scale(2)), None);
    }
}
