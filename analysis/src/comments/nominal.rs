//! Run-time sizes that count as the numbers they start with.

use std::collections::HashMap;

use cute_algebra::{Expression, Int};

use crate::fact::{Analysis, Nominal};
use crate::value::Value;

/// The initial values of run-time variables, by symbol.
pub(super) struct Nominals<'a> {
    /// `None` where two variables of one name start differently.
    by_symbol: HashMap<&'a str, Option<&'a Nominal>>,
}

impl<'a> Nominals<'a> {
    pub(super) fn of(analysis: &'a Analysis) -> Self {
        let mut by_symbol: HashMap<&str, Option<&Nominal>> = HashMap::new();
        for nominal in &analysis.nominals {
            by_symbol
                .entry(&nominal.symbol)
                .and_modify(|known| *known = known.filter(|known| known.value == nominal.value))
                .or_insert(Some(nominal));
        }
        Self { by_symbol }
    }

    fn get(&self, symbol: &str) -> Option<&'a Nominal> {
        self.by_symbol.get(symbol).copied().flatten()
    }

    /// The value with numbers for the symbols that start with one, and the variables that gave
    /// them, in the order in which they are needed.
    pub(super) fn applied(&self, value: &Value) -> (Value, Vec<&'a Nominal>) {
        let mut used: Vec<&'a Nominal> = Vec::new();
        for symbol in value.symbols() {
            if let Some(nominal) = self.get(&symbol)
                && !used.contains(&nominal)
            {
                used.push(nominal);
            }
        }
        if used.is_empty() {
            return (value.clone(), used);
        }
        let number = |symbol: &str| {
            self.get(symbol)
                .map(|nominal| Expression::known(nominal.value))
        };
        let mut replaced = |int: &Int| {
            let expression = int
                .as_expression()
                .and_then(|found| found.substitute(&number));
            match expression.as_ref().and_then(Expression::as_known) {
                Some(known) => Int::dynamic(known),
                None => expression.map_or_else(|| int.clone(), Int::expression),
            }
        };
        match value.map_run_time(&mut replaced) {
            Some(value) => (value, used),
            None => (value.clone(), Vec::new()),
        }
    }
}
