//! Tiled operations: an atom repeated over threads and over values, and the part of a tensor for each thread.
//!
//! Every function computes the layout that CuTe computes, in CuTe's form. Tensors are layouts here; a partition also
//! has the offset at which a thread starts ([`Part`]).

pub mod coverage;
pub mod fragment;
pub mod partition;
mod tiled_copy;
mod tiled_mma;

pub use tiled_copy::TiledCopy;
pub use tiled_mma::{MmaSlice, Operand, TiledMma};

use crate::refusal::Refusal;
use cute_algebra::ops::swizzled_slice::slice_and_offset_any;
use cute_algebra::{AnyLayout, Coord, CoordLeaf, Int, IntTuple, Layout, Offset, Tiler, Tuple};

/// The part of a tensor that one thread, or one tile, has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Coordinates of the part to offsets, from the part's first element.
    pub layout: AnyLayout,
    /// The start of the part in the tensor.
    pub offset: Offset,
}

impl Part {
    pub(crate) fn of(coord: &Coord, layout: &AnyLayout) -> Result<Self, Refusal> {
        let (layout, offset) = slice_and_offset_any(coord, layout)?;
        Ok(Part { layout, offset })
    }
}

/// `_`.
pub(crate) fn everything() -> Coord {
    Tuple::leaf(CoordLeaf::Underscore)
}

/// `repeat<count>(_)`: `(_,_,...)`, and `_` itself for one mode.
pub(crate) fn everywhere(count: usize) -> Result<Coord, Refusal> {
    if count == 1 {
        return Ok(everything());
    }
    Ok(Tuple::flat(std::iter::repeat_n(
        CoordLeaf::Underscore,
        count,
    ))?)
}

/// A coordinate without `_`.
pub(crate) fn at(coordinate: &IntTuple) -> Coord {
    coordinate.map(|index| CoordLeaf::Int(index.clone()))
}

/// The tiler of these modes.
pub(crate) fn by_mode(modes: impl IntoIterator<Item = Tiler>) -> Tiler {
    Tiler::Modes(modes.into_iter().collect())
}

/// `make_layout(n)`: the layout `n:1`, with stride 0 for the static 1.
pub(crate) fn vector(extent: &Int) -> Result<Layout, Refusal> {
    Ok(Layout::left(Tuple::leaf(extent.clone()))?)
}
