//! The encoding that an attribute of Triton's IR gives a tensor, and its linear layout for a tensor of some shape.

use super::build::{Builder, Parts, row_major, same_rank};
use super::distributed::{Blocked, DISTRIBUTED, Slice};
use super::linear::{Input, LinearLayout, bits_of_shape};
use super::mma::{DotOperand, Mma};
use super::nvmma::NvmmaShared;
use super::shared::{ALIGNMENT, Padded, Padding, Remapping, SharedLinear, Swizzled};
use super::tensor_memory::{TensorMemory, TensorMemoryScales};
use crate::refusal::Refusal;

/// The bases of a distributed layout as they are written: those of each input, in the order of the attribute.
type Bases = Vec<(Input, Vec<Vec<u64>>)>;

/// The placement of the elements of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Placement {
    /// In registers: `(thread, value)` to elements.
    Registers,
    /// In shared memory: offsets to elements.
    Shared,
    /// In tensor memory: rows and columns to elements.
    TensorMemory,
}

/// A layout attribute of Triton's dialects `ttg` and `ttng` (Triton 3.9, `TritonGPUAttrDefs.td`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// `#ttg.linear`, by its bases.
    Linear(Bases),
    /// `#ttg.blocked`
    Blocked(Blocked),
    /// `#ttg.slice`
    Slice(Slice),
    /// `#ttg.dot_op`
    DotOperand(DotOperand),
    /// `#ttg.nvidia_mma`
    Mma(Mma),
    /// `#ttg.shared_linear`
    SharedLinear(SharedLinear),
    /// `#ttg.swizzled_shared`
    Swizzled(Swizzled),
    /// `#ttg.padded_shared`
    Padded(Padded),
    /// `#ttg.nvmma_shared`
    NvmmaShared(NvmmaShared),
    /// `#ttng.tensor_memory_encoding`
    TensorMemory(TensorMemory),
    /// `#ttng.tensor_memory_scales_encoding`
    TensorMemoryScales(TensorMemoryScales),
}

impl Encoding {
    /// The placement of its elements.
    pub fn placement(&self) -> Placement {
        match self {
            Self::Linear(_)
            | Self::Blocked(_)
            | Self::Slice(_)
            | Self::DotOperand(_)
            | Self::Mma(_) => Placement::Registers,
            Self::SharedLinear(_) | Self::Swizzled(_) | Self::Padded(_) | Self::NvmmaShared(_) => {
                Placement::Shared
            }
            Self::TensorMemory(_) | Self::TensorMemoryScales(_) => Placement::TensorMemory,
        }
    }

    /// The linear layout of a tensor of this shape; of a padded one that of the offsets before the padding.
    ///
    /// Refused, with the number: an extent that is not a power of two, lists of another rank, a tensor that is smaller
    /// than the encoding needs, versions and parents that are not known.
    ///
    /// ```
    /// use cute_algebra::triton::{Encoding, Input, Swizzled};
    /// let swizzled = Encoding::Swizzled(Swizzled {
    ///     vec: 4,
    ///     per_phase: 1,
    ///     max_phase: 2,
    ///     order: vec![1, 0],
    ///     blocks: Vec::new(),
    /// });
    /// let layout = swizzled.linear(&[2, 8])?;
    /// assert_eq!(layout.apply(&[(Input::Offset, 8)]), [1, 4]);
    /// assert!(swizzled.linear(&[3, 8]).is_err());
    /// # Ok::<(), cute_algebra::Refusal>(())
    /// ```
    pub fn linear(&self, shape: &[u64]) -> Result<LinearLayout, Refusal> {
        match self {
            Self::Linear(bases) => linear(bases, shape),
            Self::Blocked(encoding) => encoding.linear(shape),
            Self::Slice(encoding) => encoding.linear(shape),
            Self::DotOperand(encoding) => encoding.linear(shape),
            Self::Mma(encoding) => encoding.linear(shape),
            Self::SharedLinear(encoding) => encoding.linear(shape),
            Self::Swizzled(encoding) => encoding.linear(shape),
            Self::Padded(encoding) => encoding.linear(shape),
            Self::NvmmaShared(encoding) => encoding.linear(shape),
            Self::TensorMemory(encoding) => encoding.linear(shape),
            Self::TensorMemoryScales(encoding) => encoding.linear(shape),
        }
    }

    /// The shape that the attribute itself says: that of its bases, or the one that is written; none where a tensor has
    /// to say it.
    pub fn own_shape(&self) -> Option<Vec<u64>> {
        match self {
            Self::Linear(bases) => extents_of(bases.iter().flat_map(|(_, bases)| bases)),
            Self::SharedLinear(shared) => extents_of(shared.offset.iter().chain(&shared.block)),
            Self::Padded(padded) => match &padded.remapping {
                Remapping::Bases { offset, block } => extents_of(offset.iter().chain(block)),
                Remapping::Order { shape, .. } => Some(shape.clone()),
            },
            _ => None,
        }
    }

    /// The alignment of the address of a buffer in shared memory, in bytes.
    pub fn alignment(&self) -> u64 {
        match self {
            Self::SharedLinear(shared) => shared.alignment,
            Self::NvmmaShared(shared) => shared.alignment(),
            _ => ALIGNMENT,
        }
    }

    /// The paddings between elements.
    pub fn paddings(&self) -> &[Padding] {
        match self {
            Self::Padded(padded) => &padded.paddings,
            _ => &[],
        }
    }
}

/// `#ttg.linear` over a tensor of any shape: a larger one repeats it by registers, of a smaller
/// one the registers beyond it go and other inputs broadcast.
fn linear(bases: &Bases, shape: &[u64]) -> Result<LinearLayout, Refusal> {
    bits_of_shape(shape)?;
    let mut layout = Builder::new(shape.len(), &DISTRIBUTED);
    let all = || bases.iter().flat_map(|(_, bases)| bases);
    same_rank(all().map(Vec::len), shape.len())?;
    for (input, own) in bases {
        for basis in own {
            layout.basis(*input, basis.clone())?;
        }
    }
    for (dimension, extent) in extents_of(all())
        .unwrap_or_default()
        .into_iter()
        .enumerate()
    {
        layout.cover(dimension, extent);
    }
    layout.repeat(Input::Register, shape, &order_of(bases, shape.len()))?;
    layout.drop_beyond(Input::Register, shape);
    layout.clip(shape);
    layout.over(&Parts::of(&[], shape)?, shape)
}

/// The dimensions in the order in which registers step along them; then the others, the last first.
fn order_of(bases: &Bases, rank: usize) -> Vec<usize> {
    let registers = bases.iter().filter(|(input, _)| *input == Input::Register);
    let stepped = registers
        .flat_map(|(_, bases)| bases)
        .filter_map(|basis| basis.iter().position(|&step| step != 0));
    let mut order = Vec::with_capacity(rank);
    for dimension in stepped.chain(row_major(rank)) {
        if !order.contains(&dimension) {
            order.push(dimension);
        }
    }
    order
}

/// The smallest shape with these coordinates; none without any.
fn extents_of<'b>(bases: impl Iterator<Item = &'b Vec<u64>>) -> Option<Vec<u64>> {
    bases.fold(None, |extents: Option<Vec<u64>>, basis| {
        let mut extents = extents.unwrap_or_else(|| vec![1; basis.len()]);
        for (extent, step) in extents.iter_mut().zip(basis) {
            *extent = (*extent).max(
                step.saturating_add(1)
                    .checked_next_power_of_two()
                    .unwrap_or(u64::MAX),
            );
        }
        Some(extents)
    })
}
