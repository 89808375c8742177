//! The fragments of NVIDIA's matrix instructions: accumulators and operands in registers.

use super::build::{Builder, Parts, matrix_order, row_major, same_rank};
use super::distributed::{DISTRIBUTED, along_all, except};
use super::encoding::Encoding;
use super::linear::{Input, LinearLayout};
use crate::refusal::{Refusal, Rule};
use crate::verdict::Verdict;

/// Lanes along a row of a fragment, and rows of lanes (PTX, "Matrix Fragments for mma").
const LANES_ALONG_ROW: u64 = 4;
const ROWS_OF_LANES: u64 = 8;

/// `#ttg.nvidia_mma`: the accumulators of `mma.sync` (version 2) and `wgmma` (version 3).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mma {
    /// 2 for `mma.sync`, 3 for `wgmma`.
    pub version: u64,
    /// The warps along each dimension.
    pub warps: Vec<u64>,
    /// The extents of one instruction, `[M, N]` or `[M, N, K]` after those of a batch.
    pub instruction: Vec<u64>,
    /// The part of the tensor of each bit of the block, counted in parts.
    pub blocks: Vec<Vec<u64>>,
}

impl Mma {
    /// The layout of accumulators of this shape.
    pub(super) fn linear(&self, shape: &[u64]) -> Result<LinearLayout, Refusal> {
        let rank = shape.len();
        self.is_known(rank)?;
        let parts = Parts::of(&self.blocks, shape)?;
        let order = row_major(rank);
        let mut layout = Builder::new(rank, &DISTRIBUTED);
        // `wgmma` names M, N and K, `mma.sync` the extents of each dimension.
        let [rows, columns] = match (self.version, self.instruction.as_slice()) {
            (3, [m, n, ..]) | (_, [.., m, n]) => [*m, *n],
            _ => return Err(self.unsupported()),
        };
        fragment(&mut layout, [rows, columns], 2, &order)?;
        let warps = matrix_order(rank, self.version != 3);
        along_all(&mut layout, Input::Warp, &self.warps, &warps)?;
        layout.repeat(Input::Register, &parts.shape, &order)?;
        layout.clip(&parts.shape);
        layout.over(&parts, shape)
    }

    fn is_known(&self, rank: usize) -> Result<(), Refusal> {
        if !(2..=3).contains(&rank) || !matches!(self.version, 2 | 3) {
            return Err(self.unsupported().with("rank", rank));
        }
        same_rank([self.warps.len()], rank)
    }

    fn unsupported(&self) -> Refusal {
        Refusal::new(Rule::Unsupported, Verdict::Accepts)
            .with("version_of_mma", super::linear::number(self.version))
    }
}

/// The fragment of a box of rows and columns: `packed` elements side by side, four lanes along a row, eight rows of lanes,
/// then by registers the rest, rows first. `order` names the dimension of the columns, then that of the rows.
fn fragment(
    layout: &mut Builder,
    [rows, columns]: [u64; 2],
    packed: u64,
    order: &[usize],
) -> Result<(), Refusal> {
    let (Some(&inner), Some(&outer)) = (order.first(), order.get(1)) else {
        return Err(Refusal::new(Rule::RankMismatch, Verdict::Accepts).with("rank", order.len()));
    };
    let too_small = rows < ROWS_OF_LANES || columns < packed.saturating_mul(LANES_ALONG_ROW);
    if too_small || packed == 0 {
        return Err(Refusal::new(Rule::TileDoesNotDivide, Verdict::Accepts)
            .with("rows", super::linear::number(rows))
            .with("columns", super::linear::number(columns))
            .with("packed", super::linear::number(packed)));
    }
    layout.along(Input::Register, inner, packed)?;
    layout.along(Input::Lane, inner, LANES_ALONG_ROW)?;
    layout.along(Input::Lane, outer, ROWS_OF_LANES)?;
    layout.along(Input::Register, outer, rows / ROWS_OF_LANES)?;
    layout.along(Input::Register, inner, columns / (packed * LANES_ALONG_ROW))
}

/// `#ttg.dot_op`: an operand of a matrix product whose accumulators have the layout `parent`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DotOperand {
    /// 0 for A, `(M, K)`; 1 for B, `(K, N)`.
    pub operand: u64,
    /// Neighbouring elements along K that a thread has, `kWidth`; 0 beside a blocked parent.
    pub packed: u64,
    /// The layout of the accumulators.
    pub parent: Box<Encoding>,
}

impl DotOperand {
    /// The layout of an operand of this shape.
    pub(super) fn linear(&self, shape: &[u64]) -> Result<LinearLayout, Refusal> {
        let rank = shape.len();
        if self.operand > 1 || rank < 2 {
            return Err(Refusal::new(Rule::Unsupported, Verdict::Accepts)
                .with("operand", super::linear::number(self.operand))
                .with("rank", rank));
        }
        let inner = if self.operand == 0 {
            rank - 1
        } else {
            rank - 2
        };
        match &*self.parent {
            Encoding::Blocked(parent) => {
                parent.dot_operand(inner, &without(&parent.blocks, inner), shape)
            }
            Encoding::Mma(parent) => self.of_mma(parent, inner, shape),
            _ => Err(Refusal::new(Rule::Unsupported, Verdict::Accepts)
                .with("parent", "neither #ttg.blocked nor #ttg.nvidia_mma")),
        }
    }

    /// 16 rows of A or 8 columns of B, and along K the elements of eight registers of the lanes of a row.
    fn of_mma(&self, parent: &Mma, inner: usize, shape: &[u64]) -> Result<LinearLayout, Refusal> {
        let rank = shape.len();
        parent.is_known(rank)?;
        let outer_extent = if self.operand == 0 { 16 } else { 8 };
        let inner_extent = self.packed.saturating_mul(8);
        let order = matrix_order(rank, self.operand == 0);
        let parts = Parts::of(&without(&parent.blocks, inner), shape)?;
        let mut layout = Builder::new(rank, &DISTRIBUTED);
        fragment(
            &mut layout,
            [outer_extent, inner_extent],
            self.packed,
            &order,
        )?;
        let warps = matrix_order(rank, parent.version != 3);
        except(&mut layout, Input::Warp, &parent.warps, &warps, inner)?;
        layout.repeat(Input::Register, &parts.shape, &order)?;
        layout.clip(&parts.shape);
        layout.over(&parts, shape)
    }
}

/// The parts of blocks where K is not divided: all blocks along it have the same operand.
fn without(blocks: &[Vec<u64>], inner: usize) -> Vec<Vec<u64>> {
    let mut blocks = blocks.to_vec();
    for basis in &mut blocks {
        if let Some(step) = basis.get_mut(inner) {
            *step = 0;
        }
    }
    blocks
}
