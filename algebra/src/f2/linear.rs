//! Correspondence of layouts and matrices over F2.

use super::matrix::{BitMatrix, WIDTH};
use crate::composed::{AnyLayout, ComposedLayout, Outer};
use crate::int::Int;
use crate::layout::Layout;
use crate::refusal::{Refusal, Rule};
use crate::stride::Delta;
use crate::swizzle::Swizzle;
use crate::tuple::Tuple;
use crate::verdict::Verdict;
use core::fmt;

/// Why a layout is not a matrix over F2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotLinear {
    /// An extent or the size is not a power of two.
    ExtentNotPowerOfTwo(i64),
    /// Adding the offsets of two coordinates carries: they share a bit.
    Carries {
        /// The first coordinate, a power of two; 0 is the offset before the layout.
        first: u64,
        /// The second coordinate, a power of two.
        second: u64,
    },
    /// An offset is negative or has more than 62 bits.
    OutOfRange,
    /// An extent or a step is a symbol.
    Unknown,
    /// Offsets are coordinates, or integers and bit strings are mixed.
    OtherCodomain,
}

impl fmt::Display for NotLinear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotLinear::ExtentNotPowerOfTwo(extent) => {
                write!(f, "the extent {extent} is not a power of two")
            }
            NotLinear::Carries { first: 0, second } => {
                write!(
                    f,
                    "adding the offset of coordinate {second} to the offset before the layout carries"
                )
            }
            NotLinear::Carries { first, second } => {
                write!(
                    f,
                    "adding the offsets of coordinates {first} and {second} carries"
                )
            }
            NotLinear::OutOfRange => f.write_str("an offset is negative or has more than 62 bits"),
            NotLinear::Unknown => f.write_str("an extent or a step is a symbol"),
            NotLinear::OtherCodomain => f.write_str("the offsets are not bit strings of one kind"),
        }
    }
}

impl core::error::Error for NotLinear {}

impl From<NotLinear> for Refusal {
    fn from(reason: NotLinear) -> Refusal {
        Refusal::new(Rule::Unsupported, Verdict::Accepts)
            .with("not_linear_because", reason.to_string())
    }
}

impl BitMatrix {
    /// The matrix of a layout: column `j` is the offset of coordinate `2^j`.
    ///
    /// Integer steps are linear when no addition carries, which is when no two columns share a bit.
    ///
    /// ```
    /// use cute_algebra::{Layout, f2::{BitMatrix, NotLinear}};
    /// let layout: Layout = "(_4,_2):(_1,_6)".parse()?;
    /// assert_eq!(BitMatrix::of_layout(&layout), Err(NotLinear::Carries { first: 2, second: 4 }));
    /// # Ok::<(), cute_algebra::Refusal>(())
    /// ```
    pub fn of_layout(layout: &Layout) -> Result<Self, NotLinear> {
        let view = layout.view();
        let mut columns = Vec::new();
        let mut sums_carry = false;
        let mut sums_xor = false;
        for (extent, step) in view.extents().iter().zip(view.steps()) {
            let bits = bits_of(extent)?;
            if bits == 0 {
                continue;
            }
            match step {
                Delta::Int(step) => {
                    sums_carry = true;
                    columns.extend(doublings(step.value().ok_or(NotLinear::Unknown)?, bits)?);
                }
                Delta::Xor(step) => {
                    sums_xor = true;
                    columns.extend(doublings(*step, bits)?);
                }
                Delta::Basis(_) => return Err(NotLinear::OtherCodomain),
            }
        }
        if sums_carry && sums_xor {
            return Err(NotLinear::OtherCodomain);
        }
        if sums_carry && let Some((first, second)) = shared_bit(&columns) {
            return Err(NotLinear::Carries {
                first: 1 << first,
                second: 1 << second,
            });
        }
        BitMatrix::with_columns(columns).ok_or(NotLinear::OutOfRange)
    }

    /// The matrix of a swizzle on offsets of `bits` bits; all swizzles are linear.
    pub fn of_swizzle(swizzle: Swizzle, bits: u32) -> Self {
        let mut matrix = BitMatrix::identity(bits);
        let columns = matrix
            .columns()
            .iter()
            .map(|unit| swizzle.apply(unit.cast_signed()).cast_unsigned())
            .collect();
        if let Some(swizzled) = BitMatrix::with_columns(columns) {
            matrix = swizzled.with_rows(bits);
        }
        matrix
    }

    /// The layout with integer steps that is this matrix, coalesced; `None` when two columns share a bit.
    pub fn to_layout(&self) -> Option<Layout> {
        if shared_bit(self.columns()).is_some() {
            return None;
        }
        self.layout_of_runs(Delta::fixed)
    }

    /// The layout with xor steps that is this matrix, coalesced. Every matrix is one (paper §2.4.4).
    ///
    /// ```
    /// use cute_algebra::f2::BitMatrix;
    /// let text = BitMatrix::from_columns(4, [1, 2, 5, 10]).map(|matrix| matrix.to_xor_layout().to_string());
    /// assert_eq!(text.as_deref(), Some("(_4,_4):(f1,f5)"));
    /// ```
    pub fn to_xor_layout(&self) -> Layout {
        self.layout_of_runs(Delta::Xor).unwrap_or_else(Layout::unit)
    }

    /// One mode for each longest run of columns in which each is twice the one before.
    fn layout_of_runs(&self, delta: impl Fn(i64) -> Delta) -> Option<Layout> {
        let mut modes: Vec<(u32, u64)> = Vec::new();
        for &column in self.columns() {
            match modes.last_mut() {
                Some((bits, step)) if step.checked_mul(1 << *bits) == Some(column) => *bits += 1,
                _ => modes.push((1, column)),
            }
        }
        let extents = modes.iter().map(|(bits, _)| Int::fixed(1 << bits));
        let steps = modes.iter().map(|(_, step)| delta(step.cast_signed()));
        match modes.as_slice() {
            [] => Some(Layout::unit()),
            [(bits, step)] => Some(Layout::single(
                Int::fixed(1 << bits),
                delta(step.cast_signed()),
            )),
            _ => Layout::new(Tuple::flat(extents).ok()?, Tuple::flat(steps).ok()?).ok(),
        }
    }
}

/// `x -> matrix * x + constant` over F2 (paper, equation 8): a swizzled layout with an offset.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AffineMap {
    /// The linear part.
    pub matrix: BitMatrix,
    /// The value at coordinate 0.
    pub constant: u64,
}

impl AffineMap {
    /// The value at a coordinate.
    pub fn apply(&self, coordinate: u64) -> u64 {
        self.matrix.apply(coordinate) ^ self.constant
    }

    /// The map of `swizzle o offset o layout`, or of a composition of two layouts.
    pub fn of_composed(composed: &ComposedLayout) -> Result<Self, NotLinear> {
        let inner = BitMatrix::of_layout(&composed.inner)?;
        let offset = composed
            .offset
            .as_leaf()
            .ok_or(NotLinear::OtherCodomain)?
            .value()
            .ok_or(NotLinear::Unknown)?;
        let offset = u64::try_from(offset).map_err(|_| NotLinear::OutOfRange)?;
        if let Some(carrying) = inner
            .columns()
            .iter()
            .position(|column| column & offset != 0)
        {
            return Err(NotLinear::Carries {
                first: 0,
                second: 1 << carrying,
            });
        }
        let rows = inner.rows().max(u64::BITS - offset.leading_zeros());
        let inner = inner.with_rows(rows);
        let outer = match &composed.outer {
            Outer::Swizzle(swizzle) => BitMatrix::of_swizzle(*swizzle, rows),
            Outer::Layout(layout) => outer_matrix(layout, rows)?,
        };
        let constant = outer.apply(offset);
        let matrix = inner.then(&outer).ok_or(NotLinear::OutOfRange)?;
        Ok(AffineMap { matrix, constant })
    }

    /// The map of any layout.
    pub fn of_any(layout: &AnyLayout) -> Result<Self, NotLinear> {
        match layout {
            AnyLayout::Affine(layout) => Ok(AffineMap {
                matrix: BitMatrix::of_layout(layout)?,
                constant: 0,
            }),
            AnyLayout::Composed(composed) => AffineMap::of_composed(composed),
        }
    }

    /// The map of a table of `2^n` values; `None` when it is not one. One pass.
    pub fn of_table(table: &[i64]) -> Option<Self> {
        if !table.len().is_power_of_two() {
            return None;
        }
        let constant = u64::try_from(*table.first()?).ok()?;
        let image = |index: usize| Some(u64::try_from(*table.get(index)?).ok()? ^ constant);
        let columns = (0..table.len().ilog2())
            .map(|j| image(1 << j))
            .collect::<Option<Vec<u64>>>()?;
        for index in 1..table.len() {
            let low = index & index.wrapping_neg();
            if image(index)? != image(index ^ low)? ^ image(low)? {
                return None;
            }
        }
        Some(AffineMap {
            matrix: BitMatrix::with_columns(columns)?,
            constant,
        })
    }
}

/// The matrix of a layout that is applied to offsets of `rows` bits: its last mode goes on beyond its size.
fn outer_matrix(layout: &Layout, rows: u32) -> Result<BitMatrix, NotLinear> {
    let size = layout
        .size()
        .map_err(|_| NotLinear::OutOfRange)?
        .value()
        .ok_or(NotLinear::Unknown)?;
    if size < 1 << rows {
        return Err(NotLinear::OutOfRange);
    }
    BitMatrix::of_layout(layout)
}

/// The logarithm of an extent.
fn bits_of(extent: &Int) -> Result<u32, NotLinear> {
    let extent = extent.value().ok_or(NotLinear::Unknown)?;
    let positive = u64::try_from(extent).map_err(|_| NotLinear::ExtentNotPowerOfTwo(extent))?;
    if positive.is_power_of_two() {
        Ok(positive.ilog2())
    } else {
        Err(NotLinear::ExtentNotPowerOfTwo(extent))
    }
}

/// `step, 2*step, 4*step, ...`
fn doublings(step: i64, bits: u32) -> Result<Vec<u64>, NotLinear> {
    let step = u64::try_from(step).map_err(|_| NotLinear::OutOfRange)?;
    let width = u64::BITS - step.leading_zeros();
    if step != 0 && width + bits - 1 > WIDTH {
        return Err(NotLinear::OutOfRange);
    }
    Ok((0..bits)
        .map(|j| step.checked_shl(j).unwrap_or(0))
        .collect())
}

/// The first two columns that have a bit in common.
pub(crate) fn shared_bit(columns: &[u64]) -> Option<(usize, usize)> {
    let mut seen = 0;
    let second = columns.iter().position(|column| {
        let shares = column & seen != 0;
        seen |= column;
        shares
    })?;
    let column = columns.get(second)?;
    let first = columns.iter().position(|other| other & column != 0)?;
    Some((first, second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layout_of_many_equal_columns_keeps_its_size() -> Result<(), Box<dyn core::error::Error>> {
        for text in [
            "_16:_0",
            "(_2,_4):(_0,_1)",
            "(_4,_8):(_8,_1)",
            "(_2,_2,_4):(_1,_8,_2)",
        ] {
            let layout: Layout = text.parse()?;
            let matrix = BitMatrix::of_layout(&layout)?;
            assert_eq!(
                matrix.to_layout().map(|l| l.to_string()).as_deref(),
                Some(text)
            );
        }
        Ok(())
    }

    #[test]
    fn sizes_at_the_limit_are_linear_and_beyond_are_not() -> Result<(), Box<dyn core::error::Error>>
    {
        let widest = Layout::single(Int::fixed(1 << 62), Int::ONE);
        assert_eq!(BitMatrix::of_layout(&widest)?.columns().len(), 62);
        let beyond = Layout::single(Int::fixed(1 << 62), Int::fixed(4));
        assert_eq!(BitMatrix::of_layout(&beyond), Err(NotLinear::OutOfRange));
        Ok(())
    }

    #[test]
    fn what_is_not_linear_says_why() -> Result<(), Refusal> {
        let why = |text: &str| Ok::<_, Refusal>(BitMatrix::of_layout(&text.parse()?).err());
        assert_eq!(why("_3:_1")?, Some(NotLinear::ExtentNotPowerOfTwo(3)));
        assert_eq!(
            why("_4:_3")?,
            Some(NotLinear::Carries {
                first: 1,
                second: 2
            })
        );
        assert_eq!(why("_2:_-1")?, Some(NotLinear::OutOfRange));
        assert_eq!(why("M:_1")?, Some(NotLinear::Unknown));
        assert_eq!(why("_2:_1@0")?, Some(NotLinear::OtherCodomain));
        Ok(())
    }
}
