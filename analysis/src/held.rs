//! Conditions that hold where a kernel is launched: checks of the host before it.

use std::sync::Arc;

use cute_algebra::{Expression, Int};

/// The comparison of two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    /// `a == b`
    Equal,
    /// `a != b`
    Unequal,
    /// `a < b`
    Less,
    /// `a <= b`
    LessOrEqual,
}

/// A condition that holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Held {
    /// Two numbers compare so.
    Compared(Comparison, Int, Int),
    /// All of these hold.
    All(Vec<Held>),
    /// One of these holds.
    Any(Vec<Held>),
    /// This does not hold.
    Not(Box<Held>),
    /// Something about these symbols that is not followed.
    About(Vec<Arc<str>>),
}

/// Conditions that all callers of a function instance have checked.
#[derive(Debug, Default)]
pub(crate) struct CallerGuards {
    /// In symbols of the function.
    pub(crate) held: Vec<Inherited>,
    /// The symbols of its parameters.
    pub(crate) symbols: Vec<Option<Arc<str>>>,
}

/// A condition that the caller has checked, or its callers.
#[derive(Debug, Clone)]
pub(crate) struct Inherited {
    /// The condition, in symbols of the instance.
    pub(crate) held: Held,
    /// The instance whose callers have checked it, with the condition in its symbols.
    pub(crate) from: Option<(usize, Held)>,
}

/// Conditions at the call of a function.
#[derive(Debug, Clone, Default)]
pub(crate) struct AtCall {
    /// Conditions checked in the function around it.
    pub(crate) held: Vec<Held>,
    /// The instance whose callers have checked something.
    pub(crate) guards: Option<usize>,
}

/// The knowledge of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bearing {
    True,
    False,
    /// It is about other numbers.
    Unrelated,
    /// It is about the number, and is not followed.
    Hidden,
}

impl Held {
    /// Whether a symbol does not have this value where the condition holds, or may not have it.
    pub(crate) fn may_exclude(&self, symbol: &str, value: i64) -> bool {
        matches!(self.known(symbol, value), Bearing::False | Bearing::Hidden)
    }

    /// Whether the condition is about a symbol.
    pub(crate) fn mentions(&self, symbol: &str) -> bool {
        let is_in = |int: &Int| {
            let expression = int.as_expression();
            expression.is_some_and(|known| known.symbols().iter().any(|name| **name == *symbol))
        };
        match self {
            Self::Compared(_, left, right) => is_in(left) || is_in(right),
            Self::All(parts) | Self::Any(parts) => parts.iter().any(|part| part.mentions(symbol)),
            Self::Not(part) => part.mentions(symbol),
            Self::About(symbols) => symbols.iter().any(|about| **about == *symbol),
        }
    }

    /// Whether the value of one symbol may decide the condition on another one.
    pub(crate) fn relates(&self, one: &str, other: &str) -> bool {
        match self {
            Self::All(parts) => parts.iter().any(|part| part.relates(one, other)),
            Self::Not(part) => match &**part {
                // None of them is certain: each is a separate condition.
                Self::Any(parts) => parts.iter().any(|part| part.relates(one, other)),
                part => part.mentions(one) && part.mentions(other),
            },
            _ => self.mentions(one) && self.mentions(other),
        }
    }

    fn known(&self, symbol: &str, value: i64) -> Bearing {
        match self {
            Self::Compared(comparison, left, right) => {
                let numbers = (at(left, symbol, value), at(right, symbol, value));
                let (Some(left), Some(right)) = numbers else {
                    return Bearing::Unrelated;
                };
                let holds = match comparison {
                    Comparison::Equal => left == right,
                    Comparison::Unequal => left != right,
                    Comparison::Less => left < right,
                    Comparison::LessOrEqual => left <= right,
                };
                if holds { Bearing::True } else { Bearing::False }
            }
            Self::All(parts) => joined(parts, symbol, value, Bearing::True, Bearing::False),
            Self::Any(parts) => joined(parts, symbol, value, Bearing::False, Bearing::True),
            Self::Not(part) => match part.known(symbol, value) {
                Bearing::True => Bearing::False,
                Bearing::False => Bearing::True,
                other => other,
            },
            Self::About(symbols) if symbols.iter().any(|about| **about == *symbol) => {
                Bearing::Hidden
            }
            Self::About(_) => Bearing::Unrelated,
        }
    }

    /// The condition in other symbols; `None` where one of its symbols has no name there.
    pub(crate) fn renamed(&self, name_of: &dyn Fn(&str) -> Option<Arc<str>>) -> Option<Self> {
        let int = |int: &Int| -> Option<Int> {
            let Some(expression) = int.as_expression() else {
                return Some(int.clone());
            };
            let symbols = expression.symbols();
            symbols
                .iter()
                .try_for_each(|symbol| name_of(symbol).map(|_| ()))?;
            let new = expression.substitute(&|name| {
                let least = expression.least_of(name).unwrap_or(0);
                name_of(name).map(|name| Expression::symbol(&name, least))
            })?;
            Some(Int::expression(new))
        };
        Some(match self {
            Self::Compared(comparison, left, right) => {
                Self::Compared(*comparison, int(left)?, int(right)?)
            }
            // Without one of its parts a conjunction still holds.
            Self::All(parts) => {
                let parts = parts.iter().filter_map(|part| part.renamed(name_of));
                Self::All(parts.collect())
            }
            // With one more part of which nothing is known a disjunction still holds.
            Self::Any(parts) => {
                let part = |part: &Held| part.renamed(name_of).unwrap_or(Self::About(Vec::new()));
                Self::Any(parts.iter().map(part).collect())
            }
            Self::Not(part) => Self::Not(Box::new(match &**part {
                Self::Any(parts) => {
                    let parts = parts.iter().filter_map(|part| part.renamed(name_of));
                    Self::Any(parts.collect())
                }
                Self::All(parts) => {
                    let part =
                        |part: &Held| part.renamed(name_of).unwrap_or(Self::About(Vec::new()));
                    Self::All(parts.iter().map(part).collect())
                }
                other => other.renamed(name_of)?,
            })),
            Self::About(symbols) => Self::About(
                symbols
                    .iter()
                    .filter_map(|symbol| name_of(symbol))
                    .collect(),
            ),
        })
    }
}

/// Parts of which `deciding` decides, and `neutral` decides nothing.
fn joined(
    parts: &[Held],
    symbol: &str,
    value: i64,
    neutral: Bearing,
    deciding: Bearing,
) -> Bearing {
    let mut result = neutral;
    for part in parts {
        match part.known(symbol, value) {
            known if known == deciding => return deciding,
            Bearing::Hidden => result = Bearing::Hidden,
            Bearing::Unrelated if result != Bearing::Hidden => result = Bearing::Unrelated,
            _ => {}
        }
    }
    result
}

/// The number that an expression has for a value of one symbol; `None` where others decide.
pub(crate) fn at(int: &Int, symbol: &str, value: i64) -> Option<i64> {
    if int.value().is_some() {
        return int.value();
    }
    let value = Expression::known(value);
    int.to_expression()
        .substitute(&|name| (name == symbol).then(|| value.clone()))?
        .as_known()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    fn divides(symbol: &str, by: i64) -> Held {
        let rest = Int::symbol(symbol).rem(&Int::fixed(by)).unwrap();
        Held::Compared(Comparison::Equal, rest, Int::fixed(0))
    }

    #[test]
    fn a_part_about_other_numbers_decides_nothing() {
        let both = Held::All(vec![divides("m", 256), divides("n", 128)]);
        assert!(both.may_exclude("m", 128));
        assert!(!both.may_exclude("m", 512));
        assert!(both.may_exclude("n", 64));
        let either = Held::Any(vec![divides("m", 256), divides("n", 128)]);
        assert!(!either.may_exclude("m", 128));
        let neither = Held::Not(Box::new(Held::Any(vec![
            Held::Not(Box::new(divides("m", 256))),
            Held::Not(Box::new(divides("n", 128))),
        ])));
        assert!(neither.may_exclude("m", 128));
        assert!(!neither.may_exclude("m", 256));
    }

    #[test]
    fn parts_that_all_hold_relate_nothing_to_each_other() {
        let both = Held::All(vec![divides("m", 256), divides("n", 128)]);
        assert!(!both.relates("m", "n"));
        assert!(Held::Not(Box::new(both)).relates("m", "n"));
        let either = Held::Any(vec![divides("m", 256), divides("n", 128)]);
        assert!(either.relates("m", "n"));
        assert!(!Held::Not(Box::new(either)).relates("m", "n"));
        let equal = Held::Compared(Comparison::Equal, Int::symbol("m"), Int::symbol("n"));
        assert!(Held::All(vec![equal]).relates("m", "n"));
    }

    #[test]
    fn what_is_not_followed_may_exclude_any_value_of_its_symbols() {
        let hidden = Held::About(vec!["m".into()]);
        assert!(hidden.may_exclude("m", 256));
        assert!(!hidden.may_exclude("n", 256));
        assert!(!Held::Any(vec![hidden, divides("m", 8)]).may_exclude("m", 8));
    }

    #[test]
    fn in_other_symbols_it_says_no_more_than_before() {
        let name = |name: &str| (name == "m").then(|| Arc::from("rows"));
        let both = Held::All(vec![divides("m", 256), divides("n", 128)]);
        let renamed = both.renamed(&name).unwrap();
        assert!(renamed.may_exclude("rows", 128));
        assert!(!renamed.may_exclude("n", 64));
        let either = Held::Any(vec![divides("m", 256), divides("n", 128)]);
        assert!(!either.renamed(&name).unwrap().may_exclude("rows", 128));
        assert_eq!(divides("n", 128).renamed(&name), None);
    }
}
