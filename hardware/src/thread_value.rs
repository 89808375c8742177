//! Thread-value layouts: which element of an operand a value of a thread is, `(thread, value) -> offset`.

use crate::refusal::Refusal;
use cute_algebra::{Delta, Int, Layout, Shape, Stride, Tuple};

/// One side of a thread-value layout: a single extent, or several below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// One extent with its stride.
    Leaf(i64, i64),
    /// Extents with their strides, leftmost fastest.
    Group(Vec<(i64, i64)>),
}

impl Mode {
    /// The mode of these extents and strides without those of extent 1, flat where one is left.
    pub(crate) fn squeezed(steps: &[(i64, i64)]) -> Self {
        let kept: Vec<(i64, i64)> = steps
            .iter()
            .copied()
            .filter(|&(extent, _)| extent != 1)
            .collect();
        match kept[..] {
            [] => Mode::Leaf(1, 0),
            [(extent, stride)] => Mode::Leaf(extent, stride),
            _ => Mode::Group(kept),
        }
    }

    /// The mode of exactly these extents and strides, a tuple also when there is only one.
    pub(crate) fn group(steps: &[(i64, i64)]) -> Self {
        Mode::Group(steps.to_vec())
    }

    fn part(&self, pick: impl Fn(&(i64, i64)) -> i64) -> Result<Tuple<i64>, Refusal> {
        Ok(match self {
            Mode::Leaf(extent, stride) => Tuple::leaf(pick(&(*extent, *stride))),
            Mode::Group(steps) => Tuple::flat(steps.iter().map(pick))?,
        })
    }
}

/// The static layout `(threads, values)`.
pub(crate) fn thread_value(threads: &Mode, values: &Mode) -> Result<Layout, Refusal> {
    let shape: Shape =
        Tuple::group([threads.part(|s| s.0)?, values.part(|s| s.0)?])?.map(|&n| Int::fixed(n));
    let stride: Stride =
        Tuple::group([threads.part(|s| s.1)?, values.part(|s| s.1)?])?.map(|&n| Delta::fixed(n));
    Ok(Layout::new(shape, stride)?)
}

/// The static layout of one thread mode without values, CuTe's `ThrID`.
pub(crate) fn thread_id(threads: &Mode) -> Result<Layout, Refusal> {
    let shape: Shape = threads.part(|s| s.0)?.map(|&n| Int::fixed(n));
    let stride: Stride = threads.part(|s| s.1)?.map(|&n| Delta::fixed(n));
    Ok(Layout::new(shape, stride)?)
}

/// `_n:_1`, with stride 0 when there is one thread only.
pub(crate) fn consecutive_threads(count: i64) -> Layout {
    Layout::single(Int::fixed(count), Delta::fixed(i64::from(count != 1)))
}

/// Number of operand elements along K in one 32-bit register of a `mma` fragment, for elements of this width; one for
/// 32 and for 64 bits.
pub(crate) fn elements_per_register(bits: i64) -> i64 {
    (32 / bits).max(1)
}

/// The fragment that `mma.sync` prescribes for a `rows x columns` operand of one warp (PTX, "Matrix Fragments for mma"):
/// four neighbouring lanes hold a row of `4 * packed` columns, eight such rows follow, then the same for the next eight
/// rows and the next columns. Offsets are column-major: `row + rows * column`.
pub(crate) fn warp_fragment(rows: i64, columns: i64, packed: i64) -> (Mode, Mode) {
    let threads = Mode::group(&[(4, packed * rows), (8, 1)]);
    let values = Mode::squeezed(&[
        (packed, rows),
        (rows / 8, 8),
        (columns / (4 * packed), 4 * packed * rows),
    ]);
    (threads, values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fragment_of_m16n8k16_is_the_one_of_the_ptx_manual() {
        let (threads, values) = warp_fragment(16, 16, 2);
        let layout = thread_value(&threads, &values).unwrap();
        assert_eq!(
            layout.to_string(),
            "((_4,_8),(_2,_2,_2)):((_32,_1),(_16,_8,_128))"
        );
        // Lane 5, register a1 (rows 8.. of the same columns), upper half: row 9, column 3.
        assert_eq!(layout.eval_number(5 + 32 * 3).unwrap(), 9 + 16 * 3);
    }
}
