//! Layouts of `CuTe` as Triton's linear layouts.

use super::cute::matrix_of;
use super::encoding::Encoding;
use super::linear::{Input, LinearLayout, bits_of, bits_of_shape, number, unpacked};
use super::shared::SharedLinear;
use crate::composed::AnyLayout;
use crate::f2::BitMatrix;
use crate::refusal::{Refusal, Rule};
use crate::tuple::Shape;
use crate::verdict::Verdict;

/// Bits of the lane: a warp has 32 threads.
const LANE_BITS: usize = 5;

/// `#ttg.shared_linear` of a layout from coordinates to offsets: the inverse of its function. Offsets at which there is
/// nothing broadcast.
///
/// Refused: an extent or a stride that is not linear ([`crate::f2::NotLinear`]), two coordinates at one offset, an offset
/// of coordinate 0.
///
/// ```
/// use cute_algebra::triton::{Encoding, shared_of};
/// let swizzled = shared_of(&"Sw<1,0,1> o 0 o (_2,_2):(_2,_1)".parse()?, 16)?;
/// assert_eq!(swizzled.offset, [[0, 1], [1, 1]]);
/// let form = Encoding::SharedLinear(swizzled).to_cute(&[2, 2])?;
/// assert_eq!(form.layout.to_string(), "Sw<1,0,1> o _0 o (_2,_2):(_2,_1)");
/// # Ok::<(), cute_algebra::Refusal>(())
/// ```
pub fn shared_of(layout: &AnyLayout, alignment: u64) -> Result<SharedLinear, Refusal> {
    let matrix = matrix_of(layout)?;
    let widths = bits_of_shape(&extents(&layout.shape())?)?;
    if !matrix.is_injective() {
        let coordinate = matrix.kernel().first().copied().unwrap_or(0);
        return Err(Refusal::new(Rule::NotInjective, Verdict::Accepts)
            .with("first_coordinate", 0_i64)
            .with("second_coordinate", number(coordinate)));
    }
    let coordinates = matrix.columns().len();
    let whole = completed(&matrix)
        .and_then(|whole| whole.inverse())
        .ok_or_else(|| Refusal::limit("bits of a linear layout", crate::f2::WIDTH as usize))?;
    let mask = (1_u64 << coordinates) - 1;
    let offset = whole
        .columns()
        .iter()
        .map(|coordinate| unpacked(coordinate & mask, &widths));
    Ok(SharedLinear {
        offset: offset.collect(),
        block: Vec::new(),
        alignment,
    })
}

/// A square matrix of full rank: an injective one with further columns for the offsets that it does not reach, one bit
/// each.
fn completed(matrix: &BitMatrix) -> Option<BitMatrix> {
    let mut whole = matrix.clone();
    for row in 0..matrix.rows() {
        if whole.coordinate_of(1 << row).is_none() {
            let columns = whole.columns().iter().copied().chain([1 << row]);
            whole = BitMatrix::from_columns(matrix.rows(), columns)?;
        }
    }
    Some(whole)
}

/// `#ttg.linear` of a thread-value layout over a tile: `(thread, value)` to the column-major index of the element, as
/// tiled copies and MMAs of `CuTe` have it. Threads beyond 32 are warps, missing lanes broadcast.
///
/// Refused: a layout that is not linear; a layout that is not `(thread, value)`; elements of the tile that no thread
/// has, or indices beyond it.
///
/// ```
/// use cute_algebra::triton::distributed_of;
/// let linear = distributed_of(&"((_4,_8),_2):((_16,_1),_8)".parse()?, &[8, 8])?;
/// assert_eq!(linear.to_cute(&[8, 8])?.layout.to_string(), "((_4,_8),_2):((_16,_1),_8)");
/// # Ok::<(), cute_algebra::Refusal>(())
/// ```
pub fn distributed_of(layout: &AnyLayout, tile: &[u64]) -> Result<Encoding, Refusal> {
    let groups = extents(&layout.shape())?;
    let [threads, values] = *groups.as_slice() else {
        return Err(Refusal::new(Rule::RankMismatch, Verdict::Accepts)
            .with("modes", groups.len())
            .with("modes_of_a_thread_value_layout", 2_i64));
    };
    let (threads, values) = (bits_of(threads)? as usize, bits_of(values)? as usize);
    let matrix = matrix_of(layout)?;
    let widths = bits_of_shape(tile)?;
    let cells: u32 = widths.iter().sum();
    if matrix.rows() > cells {
        return Err(Refusal::new(Rule::OverCovers, Verdict::Accepts)
            .with("cosize_bits", i64::from(matrix.rows()))
            .with("tile_bits", i64::from(cells)));
    }
    if matrix.rank() < cells as usize {
        return Err(Refusal::new(Rule::NoSuchLayout, Verdict::Accepts)
            .with("elements", 1_i64 << cells)
            .with("elements_that_a_thread_has", 1_i64 << matrix.rank()));
    }
    let mut columns = matrix.columns().iter().map(|&cell| unpacked(cell, &widths));
    let mut lane: Vec<Vec<u64>> = columns.by_ref().take(threads.min(LANE_BITS)).collect();
    lane.resize(LANE_BITS, vec![0; tile.len()]);
    let warp = columns
        .by_ref()
        .take(threads.saturating_sub(LANE_BITS))
        .collect();
    let register = columns.take(values).collect();
    let inputs = vec![
        (Input::Register, register),
        (Input::Lane, lane),
        (Input::Warp, warp),
        (Input::Block, Vec::new()),
    ];
    LinearLayout::new(inputs.clone(), tile)?;
    Ok(Encoding::Linear(inputs))
}

/// The extents of the modes of a shape.
fn extents(shape: &Shape) -> Result<Vec<u64>, Refusal> {
    let modes = shape.modes().map(|mode| {
        let size = mode.size()?;
        let value = size.value().and_then(|size| u64::try_from(size).ok());
        value
            .ok_or_else(|| Refusal::new(Rule::NoSuchLayout, Verdict::Accepts).with("extent", &size))
    });
    modes.collect()
}
