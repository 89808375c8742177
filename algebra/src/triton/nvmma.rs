//! Shared memory as TMA writes it and `wgmma` and `tcgen05.mma` read it.

use super::build::{Builder, Parts, at_least, same_rank};
use super::linear::{Input, LinearLayout, bits_of_shape};
use super::shared::SHARED;
use crate::refusal::{Refusal, Rule};
use crate::verdict::Verdict;

/// Rows of a swizzle atom (PTX, "Canonical Layouts").
const ATOM_ROWS: u64 = 8;
/// Bytes that stay side by side under a swizzle.
const CHUNK_BYTES: u64 = 16;
/// Bytes of a line of banks: rows of narrower atoms share one.
const LINE_BYTES: u64 = 128;
/// The largest extent of a TMA box (CUDA driver, `cuTensorMapEncodeTiled`).
const BOX_EXTENT: u64 = 256;
/// Adjacent stored bytes of 4-bit elements in 16 bytes, of which 8 are padding.
const FP4_STORED: u64 = 8;

/// `#ttg.nvmma_shared`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NvmmaShared {
    /// The row of a swizzle atom, in bytes: 128, 64, 32; 0 without swizzle.
    pub swizzle_bytes: u64,
    /// Whether dimension 0 is contiguous rather than the last.
    pub transposed: bool,
    /// Bits of an element.
    pub element_bits: u64,
    /// Whether 8 bytes of padding follow every 8 bytes, as 4-bit elements are stored for a product with 8-bit ones.
    pub fp4_padded: bool,
    /// The number of dimensions.
    pub rank: usize,
    /// The part of the tensor of each bit of the block, counted in parts.
    pub blocks: Vec<Vec<u64>>,
}

impl NvmmaShared {
    /// The alignment of the address of the buffer, in bytes: the swizzle's pattern.
    pub(super) fn alignment(&self) -> u64 {
        match self.swizzle_bytes {
            0 => LINE_BYTES,
            bytes => bytes.saturating_mul(ATOM_ROWS),
        }
    }

    /// The layout of a tensor of this shape: boxes of TMA one after another; a box is rows
    /// of a swizzle atom.
    pub(super) fn linear(&self, shape: &[u64]) -> Result<LinearLayout, Refusal> {
        let rank = shape.len();
        same_rank([self.rank], rank)?;
        self.is_known(rank)?;
        let parts = Parts::of(&self.blocks, shape)?;
        let order = self.order(rank);
        let contiguous = order.first().copied().unwrap_or(0);
        let mut boxes: Vec<u64> = parts.shape.iter().map(|e| (*e).min(BOX_EXTENT)).collect();
        let mut layout = Builder::new(rank, &SHARED);
        if rank == 1 && self.swizzle_bytes == 0 {
            layout.repeat(Input::Offset, &parts.shape, &order)?;
            return layout.over(&parts, shape);
        }
        if let (Some(extent), true) = (boxes.get_mut(contiguous), self.swizzle_bytes > 0) {
            let row = self.row_elements();
            at_least(*extent, row, contiguous)?;
            *extent = row;
        }
        let columns = boxes.get(contiguous).copied().unwrap_or(1);
        self.row(&mut layout, contiguous, columns)?;
        let rows = self.rows(&boxes)?;
        if self.swizzle_bytes > 0 && (1_u64 << rows.len()) < ATOM_ROWS {
            return Err(Refusal::new(Rule::TileDoesNotDivide, Verdict::Accepts)
                .with("rows", 1_i64 << rows.len())
                .with("at_least", super::linear::number(ATOM_ROWS)));
        }
        for (bit, mut basis) in rows.into_iter().enumerate() {
            if let Some(step) = basis.get_mut(contiguous) {
                *step = self.phase(1 << bit);
            }
            layout.basis(Input::Offset, basis)?;
        }
        for (dimension, &extent) in boxes.iter().enumerate() {
            layout.cover(dimension, extent);
        }
        layout.repeat(Input::Offset, &parts.shape, &self.order_of_boxes(rank))?;
        layout.over(&parts, shape)
    }

    /// Refused: forms that no hardware has, and transposed tensors of more than two dimensions for which Triton 3.9
    /// turns the rows of a box so that some offsets have nothing (without swizzle), or in no order that we know (more
    /// than three).
    fn is_known(&self, rank: usize) -> Result<(), Refusal> {
        let known = matches!(self.swizzle_bytes, 0 | 32 | 64 | 128)
            && matches!(self.element_bits, 8 | 16 | 32 | 64)
            && rank >= 1
            && (rank >= 2 || self.swizzle_bytes == 0)
            && (!self.transposed || rank == 2 || (rank == 3 && self.swizzle_bytes > 0))
            && (!self.fp4_padded || (self.swizzle_bytes, self.element_bits) == (128, 8));
        if known {
            return Ok(());
        }
        Err(Refusal::new(Rule::Unsupported, Verdict::Accepts)
            .with("swizzle_bytes", super::linear::number(self.swizzle_bytes))
            .with("element_bits", super::linear::number(self.element_bits))
            .with("rank", rank)
            .with("transposed", if self.transposed { "true" } else { "false" }))
    }

    /// The dimensions along which boxes follow each other: the first first under a swizzle, else the last.
    fn order_of_boxes(&self, rank: usize) -> Vec<usize> {
        if self.swizzle_bytes > 0 {
            (0..rank).collect()
        } else {
            (0..rank).rev().collect()
        }
    }

    /// The dimensions, contiguous first.
    fn order(&self, rank: usize) -> Vec<usize> {
        if self.transposed {
            (0..rank).collect()
        } else {
            (0..rank).rev().collect()
        }
    }

    /// Elements of a row of a swizzle atom that are stored.
    fn row_elements(&self) -> u64 {
        let elements = self.swizzle_bytes * 8 / self.element_bits;
        if self.fp4_padded {
            elements / 2
        } else {
            elements
        }
    }

    /// The bits of the offset within a row.
    fn row(&self, layout: &mut Builder, dimension: usize, columns: u64) -> Result<(), Refusal> {
        if !self.fp4_padded {
            return layout.along(Input::Offset, dimension, columns);
        }
        layout.along(Input::Offset, dimension, FP4_STORED)?;
        layout.broadcast(Input::Offset, 2)?;
        layout.along(Input::Offset, dimension, columns / FP4_STORED)
    }

    /// The coordinate of each bit of the row of a box.
    fn rows(&self, boxes: &[u64]) -> Result<Vec<Vec<u64>>, Refusal> {
        let widths = bits_of_shape(boxes)?;
        let unit = |dimension: usize, bit: u32| {
            let mut basis = vec![0; boxes.len()];
            if let Some(step) = basis.get_mut(dimension) {
                *step = 1 << bit;
            }
            basis
        };
        let along = |dimension: usize| {
            let width = widths.get(dimension).copied().unwrap_or(0);
            (0..width).map(move |bit| unit(dimension, bit))
        };
        Ok(match (self.transposed, widths.as_slice()) {
            (false, _) => (0..boxes.len().saturating_sub(1))
                .rev()
                .flat_map(along)
                .collect(),
            // Triton flattens the rows of a transposed box once in one order and once in the other: the bits of
            // dimensions 2 and 1 in a row are turned by as many bits as dimension 1 has.
            (true, &[_, first, _]) => {
                let mut bits: Vec<Vec<u64>> = along(2).chain(along(1)).collect();
                bits.rotate_left(first as usize);
                bits
            }
            (true, _) => (1..boxes.len()).flat_map(along).collect(),
        })
    }

    /// The rotation of a row of an atom, in elements.
    fn phase(&self, row: u64) -> u64 {
        if self.swizzle_bytes == 0 {
            return 0;
        }
        let chunk = CHUNK_BYTES * 8 / self.element_bits;
        let chunk = if self.fp4_padded { chunk / 2 } else { chunk };
        let (per_phase, phases) = (
            LINE_BYTES / self.swizzle_bytes,
            self.swizzle_bytes / CHUNK_BYTES,
        );
        chunk * (row / per_phase % phases)
    }
}
