//! Assembly of the layouts of encodings: input after input, and to the shape of a tensor.

use super::linear::{Input, LinearLayout, bits_of, bits_of_shape, number};
use crate::f2::WIDTH;
use crate::refusal::{Refusal, Rule};
use crate::verdict::Verdict;

/// A layout that is being put together. `sizes` are the extents that it covers: an input that is added steps over it.
#[derive(Clone, Debug)]
pub(super) struct Builder {
    inputs: Vec<(Input, Vec<Vec<u64>>)>,
    sizes: Vec<u64>,
}

impl Builder {
    /// Nothing yet: these inputs have one value each.
    pub(super) fn new(rank: usize, inputs: &[Input]) -> Builder {
        Builder {
            inputs: inputs.iter().map(|&input| (input, Vec::new())).collect(),
            sizes: vec![1; rank],
        }
    }

    /// `size` further values of an input, along one dimension.
    pub(super) fn along(
        &mut self,
        input: Input,
        dimension: usize,
        size: u64,
    ) -> Result<(), Refusal> {
        for _ in 0..bits_of(size).map_err(|refusal| refusal.inside(dimension))? {
            let covered = self.size(dimension)?;
            let mut basis = vec![0; self.sizes.len()];
            if let Some(step) = basis.get_mut(dimension) {
                *step = covered;
            }
            self.basis(input, basis)?;
            self.cover(dimension, covered.saturating_mul(2));
        }
        Ok(())
    }

    /// `size` further values of an input that all are the same element.
    pub(super) fn broadcast(&mut self, input: Input, size: u64) -> Result<(), Refusal> {
        for _ in 0..bits_of(size)? {
            self.basis(input, vec![0; self.sizes.len()])?;
        }
        Ok(())
    }

    /// One more bit of an input, at this coordinate.
    pub(super) fn basis(&mut self, input: Input, basis: Vec<u64>) -> Result<(), Refusal> {
        let count: usize = self.inputs.iter().map(|(_, bases)| bases.len()).sum();
        if count >= WIDTH as usize {
            return Err(Refusal::limit("bases of a linear layout", WIDTH as usize));
        }
        match self.inputs.iter_mut().find(|(found, _)| *found == input) {
            Some((_, bases)) => bases.push(basis),
            None => self.inputs.push((input, vec![basis])),
        }
        Ok(())
    }

    /// States that a dimension is covered up to `size`, by bases that were added by themselves.
    pub(super) fn cover(&mut self, dimension: usize, size: u64) {
        if let Some(covered) = self.sizes.get_mut(dimension) {
            *covered = size;
        }
    }

    /// The covered extent of a dimension.
    pub(super) fn covered(&self, dimension: usize) -> u64 {
        self.sizes.get(dimension).copied().unwrap_or(1)
    }

    /// Repeats the layout over a larger shape by values of one input, along `order` one dimension after another.
    pub(super) fn repeat(
        &mut self,
        input: Input,
        shape: &[u64],
        order: &[usize],
    ) -> Result<(), Refusal> {
        for &dimension in order {
            let covered = self.size(dimension)?;
            let extent = shape.get(dimension).copied().unwrap_or(1);
            if extent > covered {
                self.along(input, dimension, extent / covered)?;
            }
        }
        Ok(())
    }

    /// Leaves out the bits of an input that step beyond a smaller shape.
    pub(super) fn drop_beyond(&mut self, input: Input, shape: &[u64]) {
        for (found, bases) in &mut self.inputs {
            if *found == input {
                bases.retain(|basis| basis.iter().zip(shape).all(|(step, extent)| step < extent));
            }
        }
    }

    /// Bits that step beyond a smaller shape broadcast.
    pub(super) fn clip(&mut self, shape: &[u64]) {
        for (_, bases) in &mut self.inputs {
            for basis in bases {
                for (step, extent) in basis.iter_mut().zip(shape) {
                    if *step >= *extent {
                        *step = 0;
                    }
                }
            }
        }
        self.sizes.clone_from_slice(shape);
    }

    /// Leaves out the bits of an input that broadcast.
    pub(super) fn drop_broadcasts(&mut self, input: Input) {
        for (found, bases) in &mut self.inputs {
            if *found == input {
                bases.retain(|basis| basis.iter().any(|&step| step != 0));
            }
        }
    }

    /// The layout of a tensor that blocks share: `blocks` has, for each bit of the block, the part of the tensor it
    /// selects, and the layout so far is that of one part.
    pub(super) fn over(mut self, parts: &Parts, shape: &[u64]) -> Result<LinearLayout, Refusal> {
        for basis in &parts.bases {
            self.basis(Input::Block, basis.clone())?;
        }
        LinearLayout::new(self.inputs, shape)
    }

    fn size(&self, dimension: usize) -> Result<u64, Refusal> {
        self.sizes.get(dimension).copied().ok_or_else(|| {
            Refusal::new(Rule::NoSuchMode, Verdict::Accepts)
                .with("dimension", dimension)
                .with("rank", self.sizes.len())
        })
    }
}

/// The part of a tensor that each block of a cluster has.
pub(super) struct Parts {
    /// The extents of a part.
    pub(super) shape: Vec<u64>,
    /// The coordinate of the part of each bit of the block.
    bases: Vec<Vec<u64>>,
}

impl Parts {
    /// Divides a tensor among blocks. `blocks` counts in parts: the basis `[0, 2]` is two parts further in dimension 1. A
    /// bit that would step beyond the tensor broadcasts.
    pub(super) fn of(blocks: &[Vec<u64>], shape: &[u64]) -> Result<Parts, Refusal> {
        bits_of_shape(shape)?;
        same_rank(blocks.iter().map(Vec::len), shape.len())?;
        let mut counts = vec![1_u64; shape.len()];
        for basis in blocks {
            for (count, step) in counts.iter_mut().zip(basis) {
                *count = (*count).max(step.saturating_add(1).next_power_of_two());
            }
        }
        for (count, extent) in counts.iter_mut().zip(shape) {
            *count = (*count).min(*extent);
        }
        let part: Vec<u64> = shape.iter().zip(&counts).map(|(e, c)| e / c).collect();
        let bases = blocks.iter().map(|basis| {
            let steps = basis.iter().zip(&counts).zip(&part);
            steps
                .map(|((&step, &count), extent)| if step < count { step * extent } else { 0 })
                .collect()
        });
        Ok(Parts {
            bases: bases.collect(),
            shape: part,
        })
    }
}

/// Refuses lists of other lengths than the rank of the tensor.
pub(super) fn same_rank(
    lengths: impl IntoIterator<Item = usize>,
    rank: usize,
) -> Result<(), Refusal> {
    match lengths.into_iter().find(|&length| length != rank) {
        None => Ok(()),
        Some(length) => Err(Refusal::new(Rule::RankMismatch, Verdict::Accepts)
            .with("rank", length)
            .with("rank_of_tensor", rank)),
    }
}

/// Refuses a list that is not a permutation of the dimensions.
pub(super) fn is_order(order: &[usize], rank: usize) -> Result<(), Refusal> {
    same_rank([order.len()], rank)?;
    match (0..rank).find(|dimension| !order.contains(dimension)) {
        None => Ok(()),
        Some(missing) => Err(Refusal::new(Rule::NoSuchMode, Verdict::Accepts)
            .with("dimension_missing_in_order", missing)),
    }
}

/// Refuses a dimension that is shorter than one piece.
pub(super) fn at_least(extent: u64, least: u64, dimension: usize) -> Result<(), Refusal> {
    if extent >= least {
        return Ok(());
    }
    Err(Refusal::new(Rule::TileDoesNotDivide, Verdict::Accepts)
        .with("extent", number(extent))
        .with("at_least", number(least))
        .inside(dimension))
}

/// The dimensions of a row-major tensor, fastest first.
pub(super) fn row_major(rank: usize) -> Vec<usize> {
    (0..rank).rev().collect()
}

/// The dimensions with the last two exchanged or not: matrices of a batch, fastest first.
pub(super) fn matrix_order(rank: usize, row_major_matrices: bool) -> Vec<usize> {
    let mut order = row_major(rank);
    if !row_major_matrices && rank >= 2 {
        order.swap(0, 1);
    }
    order
}
