//! A symbol that is known to be a multiple of a number.

use super::Expression;
use crate::int::Int;

/// A symbol that is known to be a multiple of a number: written as that number times a quotient, every operation
/// finds the division exact.
///
/// ```
/// use cute_algebra::{Int, symbol::Multiple};
/// let k = Multiple::new("K", 64, 1).ok_or("overflow")?;
/// let tiles = k.int().ceil_div(&Int::fixed(64))?;
/// assert_eq!(k.int().div_exact(&Int::fixed(32))?, tiles.mul(&Int::fixed(2))?);
/// assert_eq!(k.restored(&tiles).to_string(), "K/64");
/// assert_eq!(k.restored(&k.int()), Int::symbol("K"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Multiple {
    quotient: String,
    divisor: i64,
    symbol: Expression,
    product: Expression,
}

impl Multiple {
    /// The symbol `name`, at least `least` and a multiple of `divisor`, which is at least 1; `None` where that leaves the
    /// range of 64-bit integers.
    pub fn new(name: &str, divisor: i64, least: i64) -> Option<Self> {
        let divisor = divisor.max(1);
        let least = least.max(divisor);
        // No name in a source is written so, and a reader of a message sees its meaning.
        let quotient = format!("({name}/{divisor})");
        let count = Expression::symbol(&quotient, least.checked_add(divisor - 1)? / divisor);
        Some(Self {
            divisor,
            symbol: Expression::symbol(name, 1),
            product: count.scale(divisor)?,
            quotient,
        })
    }

    /// The symbol as a multiple.
    pub fn int(&self) -> Int {
        Int::expression(self.product.clone())
    }

    /// A value computed from it, with the symbol written by its name again.
    #[must_use]
    pub fn restored(&self, int: &Int) -> Int {
        let restored = int
            .as_expression()
            .and_then(|found| found.restore(&self.quotient, self.divisor, &self.symbol));
        restored.map_or_else(
            || int.clone(),
            |expression| Int::expression(expression).typed(int.int_type()),
        )
    }
}
