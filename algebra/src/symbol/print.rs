//! Expressions as C++ text with the fewest parentheses.

use super::{Atom, Expression};
use core::fmt;

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.terms.is_empty() {
            return write!(f, "{}", self.constant);
        }
        for (i, term) in self.terms.iter().enumerate() {
            let magnitude = term.coefficient.unsigned_abs();
            if term.coefficient < 0 {
                f.write_str("-")?;
            } else if i > 0 {
                f.write_str("+")?;
            }
            if magnitude != 1 {
                write!(f, "{magnitude}*")?;
            }
            for (j, atom) in term.factors.iter().enumerate() {
                if j > 0 {
                    f.write_str("*")?;
                }
                let alone = magnitude == 1 && term.factors.len() == 1;
                atom.print(f, alone)?;
            }
        }
        match self.constant {
            0 => Ok(()),
            c if c > 0 => write!(f, "+{c}"),
            c => write!(f, "{c}"),
        }
    }
}

impl Atom {
    /// `alone` is false inside a product, where a quotient needs parentheses.
    fn print(&self, f: &mut fmt::Formatter<'_>, alone: bool) -> fmt::Result {
        let operand = |f: &mut fmt::Formatter<'_>, e: &Expression, known_is_plain: bool| {
            if e.is_single_atom_without_operator()
                || (known_is_plain && e.as_known().is_some_and(|v| v >= 0))
            {
                write!(f, "{e}")
            } else {
                write!(f, "({e})")
            }
        };
        match self {
            // A number that another one is divided into: `n/64` alone has no parentheses.
            Atom::Symbol { name, .. } => f.write_str(if alone { bare(name) } else { name }),
            Atom::Quotient(p) | Atom::Remainder(p) => {
                if !alone {
                    f.write_str("(")?;
                }
                operand(f, &p.0, true)?;
                f.write_str(if matches!(self, Atom::Quotient(_)) {
                    "/"
                } else {
                    "%"
                })?;
                operand(f, &p.1, true)?;
                if !alone {
                    f.write_str(")")?;
                }
                Ok(())
            }
            Atom::Minimum(p) => write!(f, "min({},{})", p.0, p.1),
            Atom::Maximum(p) => write!(f, "max({},{})", p.0, p.1),
            Atom::Absolute(e) => write!(f, "abs({e})"),
            Atom::Signum(e) => write!(f, "signum({e})"),
        }
    }
}

/// A name that is a quotient in parentheses, without them.
fn bare(name: &str) -> &str {
    let inner = name
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'));
    // Other operators than these bind less than a sum: `(i | 1)+2`.
    let is_plain = |letter: char| {
        letter.is_alphanumeric()
            || matches!(letter, '_' | '.' | '\'' | '[' | ']' | ':' | '/' | '%' | '*')
    };
    inner
        .filter(|inner| inner.chars().all(is_plain))
        .unwrap_or(name)
}

impl Expression {
    fn is_single_atom_without_operator(&self) -> bool {
        self.is_single_atom()
            && self
                .terms
                .first()
                .and_then(|t| t.factors.first())
                .is_some_and(|a| match a {
                    Atom::Quotient(_) | Atom::Remainder(_) => false,
                    Atom::Symbol { name, .. } => bare(name) == &**name,
                    _ => true,
                })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_keeps_its_parentheses_unless_all_in_it_binds_as_a_product() {
        let sum = |name: &str| {
            let other = Expression::symbol("lda", 1);
            let sum = Expression::symbol(name, 0).add(&other);
            sum.map(|sum| sum.to_string()).unwrap_or_default()
        };
        assert!(sum("(n/64)").contains("n/64") && !sum("(n/64)").contains('('));
        for name in ["(i | 1)", "(3 < n)", "(i ^ j)", "(a - b)"] {
            assert!(sum(name).contains(name), "{}", sum(name));
        }
    }
}
