//! Tensors in shared memory: explicit bases, swizzled rows, padding.

use super::build::{Builder, Parts, is_order, same_rank};
use super::linear::{Input, LinearLayout, bits_of, number};
use crate::refusal::{Refusal, Rule};
use crate::verdict::Verdict;

/// The inputs of a layout of shared memory.
pub(super) const SHARED: [Input; 2] = [Input::Offset, Input::Block];

/// The alignment in bytes where nothing else is said.
pub(super) const ALIGNMENT: u64 = 16;

/// `#ttg.shared_linear`: the bases of offsets, in elements, and of blocks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SharedLinear {
    /// The coordinate of each bit of the offset.
    pub offset: Vec<Vec<u64>>,
    /// The coordinate of each bit of the block.
    pub block: Vec<Vec<u64>>,
    /// The alignment of the address of the buffer, in bytes.
    pub alignment: u64,
}

impl SharedLinear {
    pub(super) fn linear(&self, shape: &[u64]) -> Result<LinearLayout, Refusal> {
        let inputs = vec![
            (Input::Offset, self.offset.clone()),
            (Input::Block, self.block.clone()),
        ];
        LinearLayout::new(inputs, shape)
    }
}

/// `#ttg.swizzled_shared`: rows of which groups of `vec` elements are exchanged by the phase of the row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Swizzled {
    /// Elements that stay side by side.
    pub vec: u64,
    /// Rows of one phase.
    pub per_phase: u64,
    /// Number of phases; 1 swizzles nothing.
    pub max_phase: u64,
    /// The dimensions, fastest first.
    pub order: Vec<usize>,
    /// The part of the tensor of each bit of the block, counted in parts.
    pub blocks: Vec<Vec<u64>>,
}

impl Swizzled {
    /// The element at row `r` and column `c` of a matrix is at column `c xor vec * (r / per_phase mod max_phase)`.
    pub(super) fn linear(&self, shape: &[u64]) -> Result<LinearLayout, Refusal> {
        let rank = shape.len();
        is_order(&self.order, rank)?;
        for size in [self.vec, self.per_phase, self.max_phase] {
            bits_of(size)?;
        }
        let parts = Parts::of(&self.blocks, shape)?;
        let mut layout = Builder::new(rank, &SHARED);
        let (matrix, outer) = self.order.split_at(rank.min(2));
        if let [column, row] = *matrix {
            let extent = |dimension: usize| parts.shape.get(dimension).copied().unwrap_or(1);
            layout.along(Input::Offset, column, extent(column))?;
            for bit in 0..bits_of(extent(row))? {
                let phase = ((1 << bit) / self.per_phase) % self.max_phase;
                let mut basis = vec![0; rank];
                if let Some(step) = basis.get_mut(column) {
                    *step = self.vec.saturating_mul(phase) % extent(column);
                }
                if let Some(step) = basis.get_mut(row) {
                    *step = 1 << bit;
                }
                layout.basis(Input::Offset, basis)?;
            }
            layout.cover(row, extent(row));
            layout.repeat(Input::Offset, &parts.shape, outer)?;
        } else {
            layout.repeat(Input::Offset, &parts.shape, &self.order)?;
        }
        layout.over(&parts, shape)
    }
}

/// Padding after each interval of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Padding {
    /// After how many elements, a power of two.
    pub interval: u64,
    /// Number of padding elements.
    pub padding: u64,
}

/// The map of offsets of a padded layout to coordinates before the padding.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Remapping {
    /// By bases: of offsets, of blocks.
    Bases {
        /// The coordinate of each bit of the offset.
        offset: Vec<Vec<u64>>,
        /// The coordinate of each bit of the block.
        block: Vec<Vec<u64>>,
    },
    /// One dimension after another.
    Order {
        /// The dimensions, fastest first.
        order: Vec<usize>,
        /// The extents of the tensor.
        shape: Vec<u64>,
        /// The part of the tensor of each bit of the block, counted in parts.
        blocks: Vec<Vec<u64>>,
    },
}

/// `#ttg.padded_shared`: a linear layout of which the offset `o` is at `o + sum(o / interval * padding)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Padded {
    /// The paddings with their intervals.
    pub paddings: Vec<Padding>,
    /// Coordinates of offsets.
    pub remapping: Remapping,
}

impl Padded {
    /// The layout before its padding.
    pub(super) fn linear(&self, shape: &[u64]) -> Result<LinearLayout, Refusal> {
        for padding in &self.paddings {
            bits_of(padding.interval)?;
        }
        match &self.remapping {
            Remapping::Bases { offset, block } => SharedLinear {
                offset: offset.clone(),
                block: block.clone(),
                alignment: ALIGNMENT,
            }
            .linear(shape),
            Remapping::Order {
                order,
                shape: own,
                blocks,
            } => {
                same_rank([own.len()], shape.len())?;
                is_order(order, shape.len())?;
                if let Some((&wanted, &extent)) = shape
                    .iter()
                    .zip(own)
                    .find(|(wanted, extent)| wanted != extent)
                {
                    return Err(Refusal::new(Rule::NotCongruent, Verdict::Accepts)
                        .with("extent", number(wanted))
                        .with("extent_of_encoding", number(extent)));
                }
                let parts = Parts::of(blocks, shape)?;
                let mut layout = Builder::new(shape.len(), &SHARED);
                layout.repeat(Input::Offset, &parts.shape, order)?;
                layout.over(&parts, shape)
            }
        }
    }
}
