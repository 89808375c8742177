//! Tiles and partitions of a tensor without an atom: CuTe's `local_tile`, `local_partition`, `inner_partition`,
//! `outer_partition`.

use super::{Part, at, everywhere};
use crate::refusal::Refusal;
use cute_algebra::coord::{crd2idx_colex, idx2crd_stride};
use cute_algebra::ops::divide::zipped_divide;
use cute_algebra::ops::shape_arithmetic::product_each;
use cute_algebra::{AnyLayout, Coord, CoordLeaf, Int, Layout, Tiler, Tuple, TupleView};

/// `(tile, rest)` of a tensor.
fn tiled(tensor: &AnyLayout, tiler: &Tiler) -> Result<AnyLayout, Refusal> {
    Ok(tensor.map_domain(|layout| zipped_divide(layout, tiler))?)
}

/// The coordinate with `_` for the modes that it does not name.
fn padded(coord: &Coord, rank: usize) -> Result<Coord, Refusal> {
    if coord.is_leaf() {
        return Ok(coord.clone());
    }
    let modes = coord.modes().map(TupleView::to_tuple);
    let missing = rank.saturating_sub(coord.rank());
    Ok(Tuple::group(modes.chain(std::iter::repeat_n(
        Tuple::leaf(CoordLeaf::Underscore),
        missing,
    )))?)
}

fn ranks(tiled: &AnyLayout) -> (usize, usize) {
    let rank = |mode: usize| tiled.shape().get(mode).map_or(0, TupleView::rank);
    (rank(0), rank(1))
}

/// The tile at a coordinate of the rest: CuTe's `inner_partition` and, for a CTA's coordinate, `local_tile`.
///
/// ```
/// use cute_hardware::tiled::partition::local_tile;
/// use cute_algebra::{AnyLayout, Layout, Shape, Tiler};
/// let tensor: Layout = "(512,1024):(1024,_1)".parse()?;
/// let tiler = Tiler::of_shape(&"(_128,_64)".parse::<Shape>()?);
/// let tile = local_tile(&tensor.into(), &tiler, &"(2,_)".parse()?)?;
/// assert_eq!(tile.layout.to_string(), "(_128,_64,16):(1024,_1,_64)");
/// assert_eq!(tile.offset.to_string(), "262144");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn local_tile(tensor: &AnyLayout, tiler: &Tiler, coord: &Coord) -> Result<Part, Refusal> {
    let tiled = tiled(tensor, tiler)?;
    let (inner, outer) = ranks(&tiled);
    let coord = Tuple::group([everywhere(inner)?, padded(coord, outer)?])?;
    Part::of(&coord, &tiled)
}

/// All elements at one coordinate of every tile: CuTe's `outer_partition`.
pub fn outer_partition(tensor: &AnyLayout, tiler: &Tiler, coord: &Coord) -> Result<Part, Refusal> {
    let tiled = tiled(tensor, tiler)?;
    let (inner, outer) = ranks(&tiled);
    let coord = Tuple::group([padded(coord, inner)?, everywhere(outer)?])?;
    Part::of(&coord, &tiled)
}

/// The part of every tile that a thread of a layout of threads has: CuTe's `local_partition`.
pub fn local_partition(
    tensor: &AnyLayout,
    threads: &Layout,
    thread: &Int,
) -> Result<Part, Refusal> {
    let shape = threads.shape();
    let stride = threads.stride();
    let coordinate = idx2crd_stride(
        Tuple::leaf(thread.clone()).view(),
        shape.view(),
        stride.view(),
    )?;
    let flat: Vec<Int> = if shape.is_leaf() {
        vec![crd2idx_colex(coordinate.view(), shape.view())?]
    } else {
        coordinate
            .modes()
            .zip(shape.modes())
            .map(|(c, s)| crd2idx_colex(c, s))
            .collect::<Result<_, _>>()?
    };
    let coordinate = if shape.is_leaf() {
        Tuple::leaf(flat.into_iter().next().unwrap_or(Int::ZERO))
    } else {
        Tuple::flat(flat)?
    };
    let extents = product_each(threads.shape_view())?;
    outer_partition(tensor, &Tiler::of_shape(&extents), &at(&coordinate))
}

/// Only the modes that a projection names, CuTe's `dice(proj, tiler)`: the form of `local_tile` with `Step<_1,X,_1>`,
/// where `X` drops a mode.
pub fn project(projection: &[bool], modes: &[Tiler]) -> Tiler {
    Tiler::Modes(
        projection
            .iter()
            .zip(modes)
            .filter(|(kept, _)| **kept)
            .map(|(_, mode)| mode.clone())
            .collect(),
    )
}

/// The modes of a coordinate that a projection names.
pub fn project_coord(projection: &[bool], coord: &Coord) -> Result<Coord, Refusal> {
    let kept = projection
        .iter()
        .zip(coord.modes())
        .filter(|(kept, _)| **kept)
        .map(|(_, mode)| mode.to_tuple());
    Ok(Tuple::group(kept)?)
}
