//! Tensors in the tensor memory of Blackwell: 128 rows, columns of elements.

use super::build::{Builder, Parts, at_least, same_rank};
use super::linear::{Input, LinearLayout};
use crate::refusal::{Refusal, Rule};
use crate::verdict::Verdict;

/// The inputs of a layout of tensor memory.
const TENSOR_MEMORY: [Input; 3] = [Input::Row, Input::Column, Input::Block];

/// Bits of the row: tensor memory has 128 lanes (PTX, "Tensor Memory").
const ROW_BITS: usize = 7;
/// Rows of a warp that a block of 64 rows uses; the other half has other elements, or the same.
const HALF_WARP: u64 = 16;

/// `#ttng.tensor_memory_encoding`: accumulators and operands of `tcgen05.mma`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorMemory {
    /// Rows of one instruction in one block: 64 or 128.
    pub rows: u64,
    /// Columns of one instruction.
    pub columns: u64,
    /// Number of columns between neighbouring elements.
    pub column_stride: u64,
    /// The part of the tensor of each bit of the block, counted in parts.
    pub blocks: Vec<Vec<u64>>,
    /// Whether two blocks multiply together.
    pub two_blocks: bool,
    /// Whether each 4-bit element is stored in a byte.
    pub fp4_padded: bool,
}

impl TensorMemory {
    /// The layout of a tensor of this shape. Columns take one instruction, then further rows, then further columns.
    pub(super) fn linear(&self, shape: &[u64]) -> Result<LinearLayout, Refusal> {
        same_rank([2], shape.len())?;
        let parts = Parts::of(&self.blocks, shape)?;
        let (m, n) = extents(&parts.shape);
        at_least(m, self.rows, 0)?;
        at_least(n, self.columns, 1)?;
        let mut layout = Builder::new(2, &TENSOR_MEMORY);
        let columns = match (self.rows, self.two_blocks) {
            (128, _) => {
                layout.along(Input::Row, 0, 128)?;
                self.columns
            }
            (64, true) => {
                layout.along(Input::Row, 0, 64)?;
                layout.basis(Input::Row, vec![0, self.columns / 2])?;
                self.columns / 2
            }
            (64, false) => {
                self.half_warps(&mut layout, m, n)?;
                self.columns
            }
            (rows, _) => {
                return Err(Refusal::new(Rule::Unsupported, Verdict::Accepts)
                    .with("block_rows", super::linear::number(rows)));
            }
        };
        layout.broadcast(Input::Column, self.column_stride)?;
        layout.broadcast(Input::Column, if self.fp4_padded { 2 } else { 1 })?;
        // The bit of the row that steps along the columns was put in by itself.
        let ahead = layout.covered(1);
        layout.cover(1, 1);
        layout.along(Input::Column, 1, columns)?;
        layout.cover(1, ahead.max(self.columns));
        layout.repeat(Input::Column, &parts.shape, &[0, 1])?;
        layout.over(&parts, shape)
    }

    /// Each warp has 16 rows of a block; its other 16 lanes the next 64 rows, else the next columns, else the same.
    fn half_warps(&self, layout: &mut Builder, m: u64, n: u64) -> Result<(), Refusal> {
        layout.along(Input::Row, 0, HALF_WARP)?;
        if m > self.rows {
            layout.basis(Input::Row, vec![self.rows, 0])?;
        } else if n > self.columns {
            layout.basis(Input::Row, vec![0, self.columns])?;
            layout.cover(1, self.columns.saturating_mul(2));
        } else {
            layout.broadcast(Input::Row, 2)?;
        }
        layout.along(Input::Row, 0, self.rows / HALF_WARP)?;
        if m > self.rows {
            layout.cover(0, self.rows.saturating_mul(2));
        }
        Ok(())
    }
}

/// `#ttng.tensor_memory_scales_encoding`: the scales of a block-scaled product, the same for each warp.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorMemoryScales {
    /// The part of the tensor of each bit of the block, counted in parts.
    pub blocks: Vec<Vec<u64>>,
}

impl TensorMemoryScales {
    /// 32 rows that every warp has, four columns, the next 32 rows; further rows, then further columns. The bits that a
    /// smaller tensor lacks broadcast.
    pub(super) fn linear(&self, shape: &[u64]) -> Result<LinearLayout, Refusal> {
        same_rank([2], shape.len())?;
        let parts = Parts::of(&self.blocks, shape)?;
        let mut layout = Builder::new(2, &TENSOR_MEMORY);
        layout.along(Input::Row, 0, 32)?;
        layout.broadcast(Input::Row, 1 << (ROW_BITS - 5))?;
        layout.along(Input::Column, 1, 4)?;
        layout.along(Input::Column, 0, 2)?;
        layout.repeat(Input::Column, &parts.shape, &[0, 1])?;
        layout.clip(&parts.shape);
        layout.over(&parts, shape)
    }
}

fn extents(shape: &[u64]) -> (u64, u64) {
    match shape {
        [m, n] => (*m, *n),
        _ => (1, 1),
    }
}
