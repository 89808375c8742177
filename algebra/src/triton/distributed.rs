//! Tensors in registers: blocked layouts, and slices of others.

use super::build::{Builder, Parts, is_order, same_rank};
use super::encoding::Encoding;
use super::linear::{Input, LinearLayout};
use crate::refusal::{Refusal, Rule};
use crate::verdict::Verdict;

/// The inputs of a distributed layout.
pub(super) const DISTRIBUTED: [Input; 4] =
    [Input::Register, Input::Lane, Input::Warp, Input::Block];

/// `#ttg.blocked`: each thread a small box, the boxes of a warp and of the warps side by side.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Blocked {
    /// The box of one thread, in elements.
    pub size_per_thread: Vec<u64>,
    /// The lanes along each dimension.
    pub threads_per_warp: Vec<u64>,
    /// The warps along each dimension.
    pub warps: Vec<u64>,
    /// The dimensions, fastest first.
    pub order: Vec<usize>,
    /// The part of the tensor of each bit of the block, counted in parts.
    pub blocks: Vec<Vec<u64>>,
}

impl Blocked {
    /// The layout of a tensor of this shape: boxes that do not fill it repeat by further registers, of boxes that
    /// are too large registers beyond it go, lanes and warps broadcast.
    pub(super) fn linear(&self, shape: &[u64]) -> Result<LinearLayout, Refusal> {
        let rank = shape.len();
        let lists = [&self.size_per_thread, &self.threads_per_warp, &self.warps];
        same_rank(lists.map(Vec::len), rank)?;
        is_order(&self.order, rank)?;
        let parts = Parts::of(&self.blocks, shape)?;
        let mut layout = Builder::new(rank, &DISTRIBUTED);
        let inputs = [Input::Register, Input::Lane, Input::Warp];
        for (input, sizes) in inputs.into_iter().zip(lists) {
            along_all(&mut layout, input, sizes, &self.order)?;
        }
        layout.repeat(Input::Register, &parts.shape, &self.order)?;
        layout.drop_beyond(Input::Register, &parts.shape);
        layout.clip(&parts.shape);
        layout.over(&parts, shape)
    }

    /// The operand of a dot product of scalars: all of K is in the registers of each thread.
    pub(super) fn dot_operand(
        &self,
        inner: usize,
        blocks: &[Vec<u64>],
        shape: &[u64],
    ) -> Result<LinearLayout, Refusal> {
        let rank = shape.len();
        let lists = [&self.size_per_thread, &self.threads_per_warp, &self.warps];
        same_rank(lists.map(Vec::len), rank)?;
        is_order(&self.order, rank)?;
        let parts = Parts::of(blocks, shape)?;
        let mut layout = Builder::new(rank, &DISTRIBUTED);
        let mut values = self.size_per_thread.clone();
        if let (Some(all), Some(extent)) = (values.get_mut(inner), shape.get(inner)) {
            *all = *extent;
        }
        along_all(&mut layout, Input::Register, &values, &self.order)?;
        for (input, sizes) in [(Input::Lane, lists[1]), (Input::Warp, lists[2])] {
            except(&mut layout, input, sizes, &self.order, inner)?;
        }
        layout.repeat(Input::Register, &parts.shape, &self.order)?;
        layout.clip(&parts.shape);
        layout.over(&parts, shape)
    }
}

/// All values of an input, the dimensions in this order.
pub(super) fn along_all(
    layout: &mut Builder,
    input: Input,
    sizes: &[u64],
    order: &[usize],
) -> Result<(), Refusal> {
    for &dimension in order {
        layout.along(input, dimension, sizes.get(dimension).copied().unwrap_or(1))?;
    }
    Ok(())
}

/// All values of an input; those along one dimension have the same elements.
pub(super) fn except(
    layout: &mut Builder,
    input: Input,
    sizes: &[u64],
    order: &[usize],
    broadcast: usize,
) -> Result<(), Refusal> {
    for &dimension in order {
        let size = sizes.get(dimension).copied().unwrap_or(1);
        if dimension == broadcast {
            layout.broadcast(input, size)?;
        } else {
            layout.along(input, dimension, size)?;
        }
    }
    Ok(())
}

/// `#ttg.slice`: a tensor without one dimension of its parent, as a reduction leaves it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Slice {
    /// The dimension that is not there.
    pub dimension: usize,
    /// The layout of the tensor that has it.
    pub parent: Box<Encoding>,
}

impl Slice {
    /// The parent's layout of a tensor of extent 1 there. Registers without an element then go; lanes and warps stay
    /// and broadcast.
    pub(super) fn linear(&self, shape: &[u64]) -> Result<LinearLayout, Refusal> {
        if self.dimension > shape.len() {
            return Err(Refusal::new(Rule::NoSuchMode, Verdict::Accepts)
                .with("dimension", self.dimension)
                .with("rank", shape.len() + 1));
        }
        let mut whole = shape.to_vec();
        whole.insert(self.dimension, 1);
        let parent = self.parent.linear(&whole)?;
        let mut layout = Builder::new(shape.len(), &DISTRIBUTED);
        for (input, bases) in parent.inputs() {
            for basis in bases {
                let mut kept = basis.clone();
                kept.remove(self.dimension);
                layout.basis(*input, kept)?;
            }
        }
        layout.drop_broadcasts(Input::Register);
        let whole_tensor = Parts::of(&[], shape)?;
        layout.over(&whole_tensor, shape)
    }
}
