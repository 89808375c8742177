//! A piece of a file after lowering, before it is put at its place.

use crate::limits;
use crate::tree::Span;
use crate::tree::{Item, Shift, Unit};

/// A piece of a file, lowered; spans count from the start of the piece.
#[derive(Debug)]
pub(crate) struct LoweredPiece {
    pub(crate) items: Vec<Item>,
    pub(crate) errors: Vec<Span>,
    pub(crate) nodes: usize,
    pub(crate) truncated: bool,
}

impl LoweredPiece {
    /// The items at their places in the file, where the piece starts at `start`; errors and limits
    /// go to `unit`. `nodes` counts those of the pieces so far.
    pub(crate) fn items_at(&self, start: usize, nodes: &mut usize, unit: &mut Unit) -> Vec<Item> {
        *nodes += self.nodes;
        unit.truncated |= self.truncated || *nodes > limits::NODES;
        unit.errors.extend(self.errors.iter().map(|span| {
            let mut span = *span;
            span.shift(start);
            span
        }));
        if *nodes > limits::NODES {
            return Vec::new();
        }
        let mut items = self.items.clone();
        items.shift(start);
        items
    }
}
