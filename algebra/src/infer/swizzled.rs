//! Tables of `swizzle o offset o layout`, and of layouts with xor strides.
//!
//! A swizzle is its own inverse, so a table `f` is a swizzle `Sw` after a layout exactly when `Sw(f(x))` is a layout's
//! table. A table that is linear over F2 is factored as a matrix, whatever its size. For the others every swizzle of the
//! bits that occur is tried, then those that may have cleared bits above; a trial reads on where the swizzle first changes a
//! value, and most fail at once.

use super::flat_layout;
use super::reading::{Beginning, Reading, Table, modes};
use crate::composed::{ComposedLayout, Outer};
use crate::f2::AffineMap;
use crate::f2::factor::swizzles_within;
use crate::int::Int;
use crate::layout::Layout;
use crate::swizzle::Swizzle;
use crate::tuple::Tuple;

/// Values read per value of the table before the search for a swizzle is given up.
const READS_PER_VALUE: usize = 8;
/// Values read before the search is given up, however short the table is.
const READS_AT_LEAST: usize = 1 << 20;

/// Bits above those that occur which a swizzle may have cleared in all values.
const BITS_BEYOND: u32 = 16;

/// The completeness of the search: whether every swizzle was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Searched {
    /// A layout has the function, so none was tried.
    NotNeeded,
    /// One was found, or every legal one fails that reads bits of the table and changes those or some above.
    Exhausted,
    /// The budget was spent before all were tried: there may be one.
    GivenUp,
}

/// A swizzle with the fewest bits, an offset and a layout with this table.
pub(super) fn swizzled_layout_of(
    table: &[i64],
    plain: &Reading,
) -> (Option<ComposedLayout>, Searched) {
    let used = table.iter().fold(0, |all, value| all | value);
    if used < 0 || table.len() < 2 {
        return (None, Searched::Exhausted);
    }
    if let Some(map) = AffineMap::of_table(table) {
        let found = factored(&map);
        // Without an offset the matrix decides; with one, the addition of the offset may carry.
        if found.is_some() || map.constant == 0 {
            return (found, Searched::Exhausted);
        }
    }
    search(table, used, plain)
}

/// The layout with xor strides that has the function `f(x) ^ f(0)`, when the table is linear.
pub(super) fn xor_layout_of(table: &[i64]) -> Option<Layout> {
    AffineMap::of_table(table).map(|map| map.matrix.to_xor_layout())
}

/// `Sw o offset o L` from the matrix and the constant: `Sw(offset + L(x)) = Sw(offset) ^ Sw(L(x))` needs an offset whose
/// addition carries nothing.
fn factored(map: &AffineMap) -> Option<ComposedLayout> {
    let width = u64::BITS - map.constant.leading_zeros();
    let matrix = map.matrix.clone().with_rows(width);
    let (swizzle, inner) = matrix.factor()?;
    let offset = swizzle.apply(map.constant.cast_signed());
    let composed = composed(swizzle, offset, inner);
    (AffineMap::of_composed(&composed).ok()? == *map).then_some(composed)
}

fn composed(swizzle: Swizzle, offset: i64, inner: Layout) -> ComposedLayout {
    ComposedLayout {
        outer: Outer::Swizzle(swizzle),
        offset: Tuple::leaf(Int::fixed(offset)),
        inner,
    }
}

fn search(table: &[i64], used: i64, plain: &Reading) -> (Option<ComposedLayout>, Searched) {
    // The table itself fails here (or at its end), so a swizzle that is to help must change a value up to here.
    let fails_at = plain.contradiction.map_or(table.len(), |c| c.index + 1);
    let first_uses = first_use_of_bits(table.get(..fails_at).unwrap_or(table));
    let width = i64::BITS - used.leading_zeros();
    let mut budget = READS_AT_LEAST.max(table.len().saturating_mul(READS_PER_VALUE));
    // A bit that the swizzle always clears occurs in no value.
    let beyond = swizzles_within((width + BITS_BEYOND).min(i64::BITS - 2)).filter(|swizzle| {
        swizzle.source_mask() >> width == 0 && swizzle.target_mask() >> width != 0
    });
    for swizzle in swizzles_within(width).skip(1).chain(beyond) {
        let Some(changes_at) = first_change(swizzle, used, &first_uses) else {
            continue;
        };
        let view = Table::new(table, |value| swizzle.apply(value));
        let known: Vec<Beginning> = plain
            .beginnings
            .iter()
            .copied()
            .take_while(|b| b.at < changes_at)
            .collect();
        let reading = view.read_on(known, changes_at.max(1));
        let reached = reading.contradiction.map_or(table.len(), |c| c.index);
        if reading.contradiction.is_none() {
            let modes = modes(&reading.beginnings, table.len());
            let size = modes.iter().try_fold(1_usize, |size, mode| {
                size.checked_mul(usize::try_from(mode.0).ok()?)
            });
            if size == Some(table.len()) {
                let offset = table.first().map_or(0, |value| swizzle.apply(*value));
                return (
                    Some(composed(swizzle, offset, flat_layout(&modes))),
                    Searched::Exhausted,
                );
            }
        }
        match budget.checked_sub(reached.saturating_sub(changes_at) + 1) {
            Some(rest) => budget = rest,
            None => return (None, Searched::GivenUp),
        }
    }
    (None, Searched::Exhausted)
}

/// For each bit the first index whose value has it.
fn first_use_of_bits(values: &[i64]) -> [Option<usize>; 64] {
    let mut first = [None; 64];
    let mut seen = 0;
    for (index, value) in values.iter().enumerate() {
        let mut new = value & !seen;
        seen |= new;
        while new != 0 {
            if let Some(entry) = first.get_mut(new.trailing_zeros() as usize) {
                *entry = Some(index);
            }
            new &= new - 1;
        }
    }
    first
}

/// The first index whose value the swizzle changes; `None` when it changes none early enough, or when it reads a bit at
/// one of its ends that never occurs, for then a swizzle with fewer bits does the same.
fn first_change(swizzle: Swizzle, used: i64, first_uses: &[Option<usize>; 64]) -> Option<usize> {
    let source = swizzle.source_mask();
    let lowest = source & source.wrapping_neg();
    let highest = 1_i64 << (i64::BITS - 1 - source.leading_zeros());
    if used & lowest == 0 || used & highest == 0 {
        return None;
    }
    (source.trailing_zeros()..=highest.trailing_zeros())
        .filter_map(|bit| first_uses.get(bit as usize).copied().flatten())
        .min()
}
