//! Values of the DSL that have names: symbols, numbers made of numbers of Python, atoms.

use std::sync::Arc;

use super::value::Py;
use crate::hash::HashMap;
use crate::types::Scalar;
use crate::value::Value;

/// Number of symbols made of each name.
pub(super) type Counts = Arc<HashMap<Arc<str>, usize>>;

/// The values of the DSL that a run made.
#[derive(Debug, Clone, Default)]
pub(crate) struct Numbers {
    /// Number of symbols made of each name.
    symbols: Counts,
    /// Numbers of the DSL that were made of numbers of Python, by their symbols.
    constants: HashMap<Arc<str>, i64>,
    /// Atoms with the operation that each was made of, and the type of its values.
    pub(crate) operations: HashMap<Value, (Py, Py)>,
}

impl Numbers {
    /// A name for a value of the running kernel, another one each time.
    pub(crate) fn symbol(&mut self, name: &str) -> Py {
        let symbols = Arc::make_mut(&mut self.symbols);
        let count = symbols.entry(name.into()).or_default();
        *count += 1;
        match *count {
            1 => Py::run_time(name),
            count => Py::run_time(&format!("{name}_{count}")),
        }
    }

    /// A name for an integer of a type of the DSL, where that is known.
    pub(crate) fn number(&mut self, name: &str, ty: Option<Scalar>) -> Py {
        match self.symbol(name) {
            Py::Leaf(Value::Int(int)) => Py::of_type(int, ty),
            other => other,
        }
    }

    /// The number of symbols made of each name so far.
    pub(super) fn counts(&self) -> Counts {
        Arc::clone(&self.symbols)
    }

    /// Names the next symbols as if these had been made.
    pub(super) fn raise_to(&mut self, counts: &Counts) {
        let symbols = Arc::make_mut(&mut self.symbols);
        for (name, count) in counts.iter() {
            let known = symbols.entry(Arc::clone(name)).or_default();
            *known = (*known).max(*count);
        }
    }

    /// A number of the DSL that is made of one of Python: layouts have a symbol for it, tuples the number.
    pub(crate) fn constant(&mut self, number: i64) -> Py {
        let made = self.symbol("i");
        if let Py::Leaf(Value::Int(symbol)) = &made {
            self.constants.insert(symbol.to_string().into(), number);
        }
        made
    }

    /// The number of Python that a number of the DSL was made of.
    pub(crate) fn constant_of(&self, value: &cute_algebra::Int) -> Option<i64> {
        if value.is_static() {
            return None;
        }
        self.constants.get(&*value.to_string()).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_symbol_has_another_name_and_constants_are_found_by_theirs() {
        let mut numbers = Numbers::default();
        assert_eq!(numbers.symbol("x"), Py::run_time("x"));
        assert_eq!(numbers.symbol("x"), Py::run_time("x_2"));
        let made = numbers.constant(7);
        let Py::Leaf(Value::Int(int)) = &made else {
            panic!("{made:?}");
        };
        assert_eq!(numbers.constant_of(int), Some(7));
    }
}
