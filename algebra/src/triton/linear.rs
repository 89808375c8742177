//! Linear layouts with labelled inputs.

use crate::f2::{BitMatrix, WIDTH};
use crate::refusal::{Refusal, Rule};
use crate::verdict::Verdict;

/// The kind of an input of a linear layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Input {
    /// The values of one thread.
    Register,
    /// The threads of one warp.
    Lane,
    /// The warps of one block.
    Warp,
    /// The blocks of a cluster (CTAs of a CGA).
    Block,
    /// The elements of a buffer of shared memory.
    Offset,
    /// The lanes of tensor memory, 128 of them.
    Row,
    /// The columns of tensor memory, counted in elements.
    Column,
}

impl Input {
    /// Triton's name: `register`, `lane`, ..., `col`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Register => "register",
            Self::Lane => "lane",
            Self::Warp => "warp",
            Self::Block => "block",
            Self::Offset => "offset",
            Self::Row => "row",
            Self::Column => "col",
        }
    }
}

/// A linear map over F2 from labelled bit strings to the coordinates of a tensor.
///
/// Invariants: (1) every basis has as many coordinates as the tensor has dimensions, each below the extent there;
/// (2) extents are powers of two, and their product as well as the number of bases is within [`WIDTH`] bits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LinearLayout {
    inputs: Vec<(Input, Vec<Vec<u64>>)>,
    shape: Vec<u64>,
}

impl LinearLayout {
    /// The layout with these bases over a tensor of this shape.
    ///
    /// Refused: an extent that is not a power of two, a basis of another rank or outside of the shape, too many bits.
    pub fn new(
        inputs: Vec<(Input, Vec<Vec<u64>>)>,
        shape: &[u64],
    ) -> Result<LinearLayout, Refusal> {
        bits_of_shape(shape)?;
        let all = || inputs.iter().flat_map(|(_, bases)| bases);
        if all().count() > WIDTH as usize {
            return Err(Refusal::limit("bases of a linear layout", WIDTH as usize));
        }
        for basis in all() {
            if basis.len() != shape.len() {
                return Err(Refusal::new(Rule::RankMismatch, Verdict::Accepts)
                    .with("rank_of_basis", basis.len())
                    .with("rank_of_tensor", shape.len()));
            }
            for (dimension, (&step, &extent)) in basis.iter().zip(shape).enumerate() {
                if step >= extent {
                    return Err(Refusal::new(Rule::OverCovers, Verdict::Accepts)
                        .with("basis", number(step))
                        .with("extent", number(extent))
                        .inside(dimension));
                }
            }
        }
        Ok(LinearLayout {
            inputs,
            shape: shape.to_vec(),
        })
    }

    /// The inputs in order, each with the coordinates of its bits.
    pub fn inputs(&self) -> &[(Input, Vec<Vec<u64>>)] {
        &self.inputs
    }

    /// The bases of one input; empty for an input that the layout lacks.
    pub fn bases(&self, input: Input) -> &[Vec<u64>] {
        self.inputs
            .iter()
            .find(|(found, _)| *found == input)
            .map_or(&[], |(_, bases)| bases)
    }

    /// The extents of the tensor.
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// The coordinate at a place, which is given by the inputs; those that are not named are 0.
    pub fn apply(&self, place: &[(Input, u64)]) -> Vec<u64> {
        let mut sum = vec![0; self.shape.len()];
        for &(input, value) in place {
            for (bit, basis) in self.bases(input).iter().enumerate() {
                if value >> bit & 1 == 1 {
                    sum.iter_mut()
                        .zip(basis)
                        .for_each(|(sum, step)| *sum ^= step);
                }
            }
        }
        sum
    }

    /// The column-major index of the cell for each bit of some inputs, one input after another: dimension 0 is fastest,
    /// as in `CuTe`'s tiles.
    pub(super) fn matrix(&self, inputs: &[Input]) -> Result<BitMatrix, Refusal> {
        let widths = bits_of_shape(&self.shape)?;
        let columns: Vec<u64> = inputs
            .iter()
            .flat_map(|&input| self.bases(input))
            .map(|basis| packed(basis, &widths))
            .collect();
        BitMatrix::from_columns(widths.iter().sum(), columns)
            .ok_or_else(|| Refusal::limit("bits of a linear layout", WIDTH as usize))
    }
}

/// The bits of a coordinate side by side, those of dimension 0 lowest.
fn packed(basis: &[u64], widths: &[u32]) -> u64 {
    let mut low = 0;
    basis.iter().zip(widths).fold(0, |index, (step, width)| {
        let index = index | step << low;
        low += width;
        index
    })
}

/// The coordinate of a column-major index.
pub(super) fn unpacked(index: u64, widths: &[u32]) -> Vec<u64> {
    let mut rest = index;
    let coordinates = widths.iter().map(|&width| {
        let coordinate = rest & ((1 << width) - 1);
        rest >>= width;
        coordinate
    });
    coordinates.collect()
}

/// The logarithms of the extents. Refused: one that is not a power of two, more than [`WIDTH`] bits in all.
pub(super) fn bits_of_shape(shape: &[u64]) -> Result<Vec<u32>, Refusal> {
    let mut all = 0_u32;
    let mut widths = Vec::with_capacity(shape.len());
    for (dimension, &extent) in shape.iter().enumerate() {
        let width = bits_of(extent).map_err(|refusal| refusal.inside(dimension))?;
        all = all.saturating_add(width);
        widths.push(width);
    }
    if all > WIDTH {
        return Err(Refusal::limit("bits of a linear layout", WIDTH as usize));
    }
    Ok(widths)
}

/// The logarithm of an extent; refused where there is none.
pub(super) fn bits_of(extent: u64) -> Result<u32, Refusal> {
    if extent.is_power_of_two() {
        return Ok(extent.ilog2());
    }
    Err(Refusal::new(Rule::NoSuchLayout, Verdict::Accepts)
        .with("extent_that_is_no_power_of_two", number(extent)))
}

/// A number of a refusal.
pub(super) fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
