//! The values that threads store.

use std::fmt;
use std::sync::Arc;

use cute_algebra::symbol::Expression;

use super::describe::{At, Describer};
use super::lanes::Cell;
use super::terms::{TermId, Terms};
use super::{Memory, Met};
use crate::finding::Number;

/// The value that the threads store.
#[derive(Debug, Clone)]
pub(crate) enum StoredTerm {
    /// An integer.
    Number(TermId),
    /// An element of this memory, at these bytes from its start.
    Element(Arc<Memory>, TermId),
}

impl StoredTerm {
    /// The number, where it is a known one.
    pub(crate) fn as_number(&self, terms: &Terms) -> Option<i64> {
        match self {
            Self::Number(term) => terms.as_number(*term),
            Self::Element(..) => None,
        }
    }
}

/// The value that a thread stores.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum StoredValue {
    /// A number.
    Number(i64),
    /// An element of memory, by its name and the element's place.
    Element(Arc<str>, Expression),
}

impl StoredValue {
    /// It among the numbers of a finding.
    pub(super) fn to_number(&self) -> Number {
        match self {
            Self::Number(number) => Number::Integer(*number),
            Self::Element(memory, offset) => Number::Text(format!("{memory}[{offset}]")),
        }
    }
}

impl fmt::Display for StoredValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Element(memory, offset) => write!(f, "`{memory}[{offset}]`"),
        }
    }
}

impl Describer<'_> {
    /// The value that a thread stores, at one pass.
    pub(super) fn stored(&mut self, met: &Met, thread: usize, at: &At) -> Option<StoredValue> {
        let (memory, term) = match met.stored.as_ref()? {
            StoredTerm::Number(term) => (None, *term),
            StoredTerm::Element(memory, offset) => (Some(memory), *offset),
        };
        let lanes = self.lanes_of(&at.pass)?;
        let column = lanes.column(term);
        match (memory, column.at(thread)) {
            (None, Cell::Known(value)) => Some(StoredValue::Number(*value)),
            (None, Cell::Open(_)) | (_, Cell::Unknown(_)) => None,
            (Some(memory), cell) => {
                let size = memory.element;
                let size = size.and_then(|size| self.walked().terms.as_number(size));
                let offset = cell.expression()?.quotient(&Expression::known(size?))?;
                Some(StoredValue::Element(Arc::clone(&memory.name), offset))
            }
        }
    }
}
