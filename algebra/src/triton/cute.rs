//! The layout of `CuTe` that is the same function as one of Triton's.

use super::encoding::{Encoding, Placement};
use super::linear::{Input, LinearLayout, bits_of_shape, number};
use super::shared::Padding;
use crate::composed::{AnyLayout, ComposedLayout};
use crate::f2::factor::swizzles_within;
use crate::f2::{BitMatrix, shared_bit};
use crate::int::Int;
use crate::layout::Layout;
use crate::refusal::{Refusal, Rule};
use crate::stride::Delta;
use crate::swizzle::Swizzle;
use crate::tuple::Tuple;
use crate::verdict::Verdict;

/// Bits of the column of an address of tensor memory, in words of 32 bits: the row is above them (PTX, "Tensor Memory
/// Addressing").
const COLUMN_BITS: u32 = 16;
/// Bits of a column of tensor memory.
const WORD_BITS: u64 = 32;
/// Bits of a row of tensor memory.
const ROW_BITS: u32 = 7;

/// Two bits of the coordinate whose offsets share a bit: no integer strides, and no swizzle after them, give their xor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NoIntegerStrides {
    /// The first coordinate, a power of two.
    pub first: u64,
    /// The second coordinate, a power of two.
    pub second: u64,
}

/// A layout of Triton as one of `CuTe`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CuteForm {
    /// Of registers `(thread, value)`, with more than one block `(thread, value, block)`, to the column-major index of the
    /// element; of memory the coordinate of an element to its offset, counted in elements, where block `b` of a cluster
    /// starts at `b` times the size of one block. Strides are integers, after a swizzle if need be, else xor strides.
    pub layout: AnyLayout,
    /// Why the strides are xor strides, which `CuTe` C++ does not have.
    pub no_integer_strides: Option<NoIntegerStrides>,
}

impl Encoding {
    /// `CuTe`'s layout of a tensor of this shape. Tensor memory counts in elements of 32 bits.
    ///
    /// Refused: as [`Encoding::linear`]; elements of memory without a place; padding behind a swizzle, which is neither
    /// linear nor a sum.
    pub fn to_cute(&self, shape: &[u64]) -> Result<CuteForm, Refusal> {
        self.to_cute_of(shape, WORD_BITS)
    }

    /// The same for elements of `element_bits`: the rows of tensor memory are 65536 words apart.
    pub fn to_cute_of(&self, shape: &[u64], element_bits: u64) -> Result<CuteForm, Refusal> {
        let linear = self.linear(shape)?;
        match self.placement() {
            Placement::Registers => of_registers(&linear),
            Placement::Shared => {
                let width = linear.bases(Input::Offset).len();
                let inputs = [(Input::Offset, 0), (Input::Block, width)];
                let modes = of_memory(&linear, &inputs)?;
                if self.paddings().is_empty() {
                    form(&modes)
                } else {
                    padded(&modes, self.paddings())
                }
            }
            Placement::TensorMemory => {
                let per_word = WORD_BITS / element_bits.clamp(1, WORD_BITS);
                let row = COLUMN_BITS + super::linear::bits_of(per_word)?;
                let row = row as usize;
                let inputs = [
                    (Input::Column, 0),
                    (Input::Row, row),
                    (Input::Block, row + ROW_BITS as usize),
                ];
                form(&of_memory(&linear, &inputs)?)
            }
        }
    }
}

/// The offsets of the bits of each mode.
type Modes = Vec<Vec<u64>>;

/// `(thread, value)`, with blocks `(thread, value, block)`, to the index of the element.
fn of_registers(linear: &LinearLayout) -> Result<CuteForm, Refusal> {
    let mode = |inputs: &[Input]| Ok::<_, Refusal>(linear.matrix(inputs)?.columns().to_vec());
    let mut modes = vec![
        mode(&[Input::Lane, Input::Warp])?,
        mode(&[Input::Register])?,
    ];
    if !linear.bases(Input::Block).is_empty() {
        modes.push(mode(&[Input::Block])?);
    }
    form(&modes)
}

/// The offset of each bit of the coordinate, dimension by dimension. Each input comes with the lowest bit of its
/// offset. Of places with the same element the one is taken that needs the first bits of the first inputs.
fn of_memory(linear: &LinearLayout, inputs: &[(Input, usize)]) -> Result<Modes, Refusal> {
    let names: Vec<Input> = inputs.iter().map(|(input, _)| *input).collect();
    let matrix = linear.matrix(&names)?;
    let places: Vec<u64> = inputs
        .iter()
        .flat_map(|(input, low)| (0..linear.bases(*input).len()).map(move |bit| low + bit))
        .map(|bit| 1_u64.checked_shl(u32::try_from(bit).unwrap_or(u32::MAX)))
        .collect::<Option<_>>()
        .ok_or_else(|| Refusal::limit("bits of a linear layout", crate::f2::WIDTH as usize))?;
    let offset = |coordinate: u64| {
        let bits = places.iter().enumerate();
        bits.filter(|(bit, _)| coordinate >> bit & 1 == 1)
            .fold(0, |sum, (_, place)| sum | place)
    };
    let mut low = 0;
    let widths = bits_of_shape(linear.shape())?;
    let mut modes = Vec::with_capacity(widths.len());
    for width in widths {
        let columns = (low..low + width).map(|bit| matrix.coordinate_of(1 << bit).map(offset));
        let columns: Option<Vec<u64>> = columns.collect();
        modes.push(columns.ok_or_else(|| {
            Refusal::new(Rule::NoSuchLayout, Verdict::Accepts)
                .with("elements", 1_i64 << matrix.rows())
                .with("elements_with_a_place", 1_i64 << matrix.rank())
        })?);
        low += width;
    }
    Ok(modes)
}

/// Integer strides, else a swizzle after integer strides, else xor strides.
fn form(modes: &Modes) -> Result<CuteForm, Refusal> {
    let columns: Vec<u64> = modes.iter().flatten().copied().collect();
    let Some((first, second)) = shared_bit(&columns) else {
        return Ok(CuteForm {
            layout: layout(modes, Delta::fixed)?.into(),
            no_integer_strides: None,
        });
    };
    let used = columns.iter().fold(0, |all, column| all | column);
    let width = u64::BITS - used.leading_zeros();
    let swizzled = swizzles_within(width)
        .map(|swizzle| (swizzle, after(swizzle, modes)))
        .find(|(_, inner)| shared_bit(&inner.concat()).is_none());
    if let Some((swizzle, inner)) = swizzled {
        let inner = layout(&inner, Delta::fixed)?;
        return Ok(CuteForm {
            layout: ComposedLayout::swizzled(swizzle, inner).into(),
            no_integer_strides: None,
        });
    }
    Ok(CuteForm {
        layout: layout(modes, Delta::Xor)?.into(),
        no_integer_strides: Some(NoIntegerStrides {
            first: 1 << first,
            second: 1 << second,
        }),
    })
}

/// The modes with a swizzle, its own inverse, applied.
fn after(swizzle: Swizzle, modes: &Modes) -> Modes {
    let apply = |column: &u64| swizzle.apply(column.cast_signed()).cast_unsigned();
    modes
        .iter()
        .map(|columns| columns.iter().map(apply).collect())
        .collect()
}

/// Integer strides with padding put in between: for offsets that share no bit padding adds up.
fn padded(modes: &Modes, paddings: &[Padding]) -> Result<CuteForm, Refusal> {
    if let Some((first, second)) = shared_bit(&modes.concat()) {
        return Err(Refusal::new(Rule::NoSuchLayout, Verdict::Accepts)
            .with("padding", "behind a swizzle")
            .with("first_coordinate", 1_i64 << first)
            .with("second_coordinate", 1_i64 << second));
    }
    let lies = |offset: u64| {
        paddings.iter().try_fold(offset, |sum, padding| {
            let left_out = (offset / padding.interval).checked_mul(padding.padding)?;
            sum.checked_add(left_out)
                .filter(|sum| number(*sum) != i64::MAX)
        })
    };
    let modes: Option<Modes> = modes
        .iter()
        .map(|columns| columns.iter().map(|column| lies(*column)).collect())
        .collect();
    let modes = modes.ok_or_else(|| Refusal::overflow("padding"))?;
    Ok(CuteForm {
        layout: layout(&modes, Delta::fixed)?.into(),
        no_integer_strides: None,
    })
}

/// One mode for each list of offsets of bits: its extents and strides, bits in a row that double put together.
fn layout(modes: &Modes, delta: impl Fn(i64) -> Delta) -> Result<Layout, Refusal> {
    let mut shape = Vec::with_capacity(modes.len());
    let mut stride = Vec::with_capacity(modes.len());
    for columns in modes {
        let runs = runs(columns);
        let extents = runs.iter().map(|(bits, _)| Int::fixed(1 << bits));
        let steps = runs.iter().map(|(_, step)| delta(step.cast_signed()));
        if runs.len() == 1 {
            shape.extend(extents.map(Tuple::leaf));
            stride.extend(steps.map(Tuple::leaf));
        } else {
            shape.push(Tuple::flat(extents)?);
            stride.push(Tuple::flat(steps)?);
        }
    }
    match (shape.as_slice(), stride.as_slice()) {
        ([extent], [step]) if extent.as_leaf().is_some() => {
            Layout::new(extent.clone(), step.clone())
        }
        _ => Layout::new(Tuple::group(shape)?, Tuple::group(stride)?),
    }
}

/// The longest runs in which each offset is twice the one before: bits and first offset; one of no bits where there is
/// none.
fn runs(columns: &[u64]) -> Vec<(u32, u64)> {
    let mut runs: Vec<(u32, u64)> = Vec::new();
    for &column in columns {
        match runs.last_mut() {
            Some((bits, step)) if step.checked_mul(1 << *bits) == Some(column) => *bits += 1,
            _ => runs.push((1, column)),
        }
    }
    if runs.is_empty() {
        runs.push((0, 0));
    }
    runs
}

/// The matrix of a layout, for the way back.
pub(super) fn matrix_of(layout: &AnyLayout) -> Result<BitMatrix, Refusal> {
    let map = crate::f2::AffineMap::of_any(layout)?;
    if map.constant == 0 {
        return Ok(map.matrix);
    }
    Err(Refusal::new(Rule::NoSuchLayout, Verdict::Accepts)
        .with("offset_of_coordinate_0", number(map.constant)))
}
