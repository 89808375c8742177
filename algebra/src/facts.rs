//! Assumptions about symbols, and their consequences.
//!
//! Operations compute CuTe's form, which no fact changes. Facts decide whether a condition that the form relies on holds
//! for every value of the symbols, and shorten expressions for a reader.

use crate::int::Int;
use crate::log::Condition;
use crate::refusal::{Refusal, Rule};
use crate::symbol::{Atom, Expression, gcd};
use crate::verdict::Verdict;
use std::collections::BTreeMap;

/// Facts about symbols: equal to a number, divisible by a number, at least a number.
///
/// ```
/// use cute_algebra::{Facts, Int};
/// let k = Int::symbol("K");
/// let tiles = k.ceil_div(&Int::fixed(64))?;
/// let mut facts = Facts::default();
/// assert_eq!(facts.divides(&Int::fixed(64), &k), None);
/// facts.assume_divisible("K", 64)?;
/// assert_eq!(facts.divides(&Int::fixed(64), &k), Some(true));
/// assert_eq!(facts.simplify(&tiles)?.to_string(), "K/64");
/// # Ok::<(), cute_algebra::Refusal>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    symbols: BTreeMap<String, SymbolFacts>,
}

/// Facts about one symbol.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct SymbolFacts {
    equal: Option<i64>,
    /// 0 when nothing is known.
    divisor: i64,
    least: Option<i64>,
}

impl Facts {
    /// Nothing is assumed.
    pub fn is_empty(&self) -> bool {
        self.symbols.is_empty()
    }

    /// The symbol is this number. Refused when that contradicts another fact.
    pub fn assume_equal(&mut self, name: &str, value: i64) -> Result<(), Refusal> {
        let known = self.symbols.entry(name.to_owned()).or_default();
        let contradicts = known.equal.is_some_and(|other| other != value)
            || (known.divisor != 0 && value % known.divisor != 0)
            || known.least.is_some_and(|least| value < least);
        if contradicts {
            return Err(contradiction(name, value));
        }
        known.equal = Some(value);
        Ok(())
    }

    /// The symbol is a multiple of `divisor`, which must be positive. Several divisors combine.
    pub fn assume_divisible(&mut self, name: &str, divisor: i64) -> Result<(), Refusal> {
        let known = self.symbols.entry(name.to_owned()).or_default();
        if divisor < 1 || known.equal.is_some_and(|value| value % divisor != 0) {
            return Err(contradiction(name, divisor));
        }
        let shared = gcd(known.divisor.max(1), divisor);
        let combined = (known.divisor.max(1) / shared).checked_mul(divisor);
        known.divisor = combined
            .ok_or_else(|| Refusal::overflow("common multiple").with("divisor", divisor))?;
        Ok(())
    }

    /// The symbol is at least `least`.
    pub fn assume_at_least(&mut self, name: &str, least: i64) -> Result<(), Refusal> {
        let known = self.symbols.entry(name.to_owned()).or_default();
        if known.equal.is_some_and(|value| value < least) {
            return Err(contradiction(name, least));
        }
        known.least = known.least.max(Some(least));
        Ok(())
    }

    /// The value with every symbol of known number replaced, and quotients carried out where a divisor is known.
    pub fn simplify(&self, int: &Int) -> Result<Int, Refusal> {
        let Some(expression) = int.as_expression() else {
            return Ok(int.clone());
        };
        let simplified = self.simplified(expression);
        simplified
            .map(|expression| Int::expression(expression).typed(int.int_type()))
            .ok_or_else(|| Refusal::overflow("expression").with("of", int))
    }

    /// Writes each symbol of known divisor `d` as `d` times its quotient, renormalises, and writes it back.
    fn simplified(&self, expression: &Expression) -> Option<Expression> {
        let as_multiple = |name: &str| {
            let known = self.symbols.get(name)?;
            if let Some(value) = known.equal {
                return Some(Expression::known(value));
            }
            let least = known.least.unwrap_or(1);
            if known.divisor > 1 {
                let least = least.max(1).div_euclid(known.divisor).max(1);
                return Expression::symbol(&quotient_name(name), least).scale(known.divisor);
            }
            Some(Expression::symbol(name, least))
        };
        let mut result = expression.substitute(&as_multiple)?;
        for (name, known) in self
            .symbols
            .iter()
            .filter(|(_, known)| known.divisor > 1 && known.equal.is_none())
        {
            let symbol = Expression::symbol(name, 1);
            result = result.restore(&quotient_name(name), known.divisor, &symbol)?;
        }
        Some(result)
    }

    /// Whether `divisor` divides `dividend` for every value of the symbols: `None` when nothing known decides it.
    pub fn divides(&self, divisor: &Int, dividend: &Int) -> Option<bool> {
        let (n, d) = (
            self.simplified(&dividend.to_expression())?,
            self.simplified(&divisor.to_expression())?,
        );
        if let Some(d) = d.as_known() {
            if d == 0 {
                return None;
            }
            let rest = n.constant() % d;
            if n.terms()
                .iter()
                .all(|term| self.divisor_of(&term.factors, term.coefficient) % d == 0)
            {
                return Some(rest == 0);
            }
            return None;
        }
        let remainder = n.remainder(&d)?;
        remainder.as_known().map(|r| r == 0)
    }

    /// A number that divides the product, whatever its symbols are.
    fn divisor_of(&self, factors: &[Atom], coefficient: i64) -> i64 {
        factors.iter().fold(coefficient, |product, atom| {
            let divisor = match atom {
                Atom::Symbol { name, .. } => self
                    .symbols
                    .get(&**name)
                    .map_or(1, |known| known.divisor.max(1)),
                _ => 1,
            };
            product.checked_mul(divisor).unwrap_or(product)
        })
    }

    /// Whether `a < b` for every value of the symbols: `None` when nothing known decides it.
    pub fn less(&self, a: &Int, b: &Int) -> Option<bool> {
        let (a, b) = (
            self.simplified(&a.to_expression())?,
            self.simplified(&b.to_expression())?,
        );
        match a.sub(&b)?.bounds() {
            (Some(low), _) if low >= 0 => Some(false),
            (_, Some(high)) if high < 0 => Some(true),
            _ => None,
        }
    }

    /// Whether a condition of an operation holds for every value of the symbols.
    pub fn decide(&self, condition: &Condition) -> Option<bool> {
        if let Some(holds) = condition.holds {
            return Some(holds);
        }
        match (
            condition.rule,
            self.divides(&condition.divisor, &condition.dividend),
        ) {
            (_, Some(true)) => Some(true),
            // A step that is smaller than the extent begins inside it.
            (Rule::StrideDivisibility, divides) => {
                match self.less(&condition.dividend, &condition.divisor) {
                    Some(true) => Some(true),
                    Some(false) => divides,
                    None => None,
                }
            }
            (_, divides) => divides,
        }
    }
}

fn quotient_name(name: &str) -> String {
    // No name in a text begins like this, so it cannot meet another symbol.
    format!("/{name}")
}

fn contradiction(name: &str, value: i64) -> Refusal {
    Refusal::new(Rule::Malformed, Verdict::Accepts)
        .with("contradicts_what_is_known_of", name)
        .with("value", value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_divisor_makes_rounding_exact() -> Result<(), Refusal> {
        let mut facts = Facts::default();
        facts.assume_divisible("M", 8)?;
        facts.assume_divisible("M", 12)?;
        let m = Int::symbol("M");
        assert_eq!(facts.divides(&Int::fixed(24), &m), Some(true));
        assert_eq!(facts.divides(&Int::fixed(48), &m), None);
        let tiles = m.ceil_div(&Int::fixed(24))?;
        assert_eq!(facts.simplify(&tiles)?.to_string(), "M/24");
        assert_eq!(facts.simplify(&tiles.mul(&Int::fixed(24))?)?, m);
        Ok(())
    }

    #[test]
    fn a_constant_rest_disproves_divisibility() -> Result<(), Refusal> {
        let mut facts = Facts::default();
        facts.assume_divisible("M", 8)?;
        let odd = Int::symbol("M").add(&Int::fixed(4))?;
        assert_eq!(facts.divides(&Int::fixed(8), &odd), Some(false));
        assert_eq!(facts.divides(&Int::fixed(4), &odd), Some(true));
        Ok(())
    }

    #[test]
    fn bounds_and_equalities_are_used() -> Result<(), Refusal> {
        let mut facts = Facts::default();
        facts.assume_at_least("K", 64)?;
        facts.assume_equal("N", 16)?;
        let (k, n) = (Int::symbol("K"), Int::symbol("N"));
        assert_eq!(facts.less(&n, &k), Some(true));
        assert_eq!(facts.simplify(&k.min(&Int::fixed(64))?)?, Int::dynamic(64));
        assert_eq!(facts.simplify(&n)?.value(), Some(16));
        assert!(facts.assume_equal("N", 17).is_err());
        assert!(facts.assume_divisible("N", 3).is_err());
        Ok(())
    }
}
