//! Functions of the CuTe DSL that act in a kernel and that no layout depends on, by subject.

mod mathematics;
mod memory;
mod numbers;
mod synchronisation;

use crate::vocabulary::Function;

/// The tables, by subject.
pub(in crate::vocabulary) const TABLES: [&[Function]; 4] = [
    mathematics::FUNCTIONS,
    memory::FUNCTIONS,
    numbers::FUNCTIONS,
    synchronisation::FUNCTIONS,
];
