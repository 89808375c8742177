//! Matrices over F2, a column per input bit.

use core::fmt;

/// Most rows and most columns of a matrix: the bits of an offset, and of a coordinate of a layout whose size is an `i64`.
pub const WIDTH: u32 = 62;

/// A matrix over F2. Column `j` is the image of bit `j` of the coordinate, as a bit string: bit `i` of it is the entry
/// in row `i` (paper §2.4.4, Table 1).
///
/// Invariants: (1) at most [`WIDTH`] rows and as many columns; (2) no column has a bit at or above the number of rows.
///
/// ```
/// use cute_algebra::f2::BitMatrix;
/// let swizzle = BitMatrix::from_columns(4, [1, 2, 4 ^ 1, 8 ^ 2]).unwrap_or_else(|| BitMatrix::identity(4));
/// assert_eq!(swizzle.apply(0b0110), 0b0111);
/// assert_eq!(swizzle.then(&swizzle), Some(BitMatrix::identity(4)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BitMatrix {
    rows: u32,
    columns: Vec<u64>,
}

impl BitMatrix {
    /// The matrix with these columns; `None` when a column has a bit outside of the rows, or there are too many of either.
    pub fn from_columns(rows: u32, columns: impl IntoIterator<Item = u64>) -> Option<Self> {
        let columns: Vec<u64> = columns.into_iter().collect();
        let fits = rows <= WIDTH
            && columns.len() <= WIDTH as usize
            && columns.iter().all(|c| c >> rows == 0);
        fits.then_some(BitMatrix { rows, columns })
    }

    /// The matrix with these columns and just enough rows for them.
    pub(super) fn with_columns(columns: Vec<u64>) -> Option<Self> {
        let used = columns.iter().fold(0, |all, c| all | c);
        BitMatrix::from_columns(u64::BITS - used.leading_zeros(), columns)
    }

    /// The identity on `size` bits; on [`WIDTH`] bits when `size` is larger.
    pub fn identity(size: u32) -> Self {
        let rows = size.min(WIDTH);
        BitMatrix {
            rows,
            columns: (0..rows).map(|j| 1 << j).collect(),
        }
    }

    /// The number of rows: bits of an offset.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// The columns: the image of each bit of a coordinate.
    pub fn columns(&self) -> &[u64] {
        &self.columns
    }

    /// The same function into more bits; unchanged when it has them already.
    #[must_use]
    pub fn with_rows(mut self, rows: u32) -> Self {
        self.rows = self.rows.max(rows.min(WIDTH));
        self
    }

    /// The sum (xor) of the columns at the set bits of `vector`; bits beyond the last column add nothing.
    pub fn apply(&self, vector: u64) -> u64 {
        self.columns
            .iter()
            .enumerate()
            .filter(|(j, _)| vector >> j & 1 == 1)
            .fold(0, |sum, (_, column)| sum ^ column)
    }

    /// The matrix product `outer * self`: this function, then `outer`. `None` when `outer` has too few columns.
    pub fn then(&self, outer: &BitMatrix) -> Option<BitMatrix> {
        if (outer.columns.len() as u64) < u64::from(self.rows) {
            return None;
        }
        let columns = self.columns.iter().map(|c| outer.apply(*c)).collect();
        Some(BitMatrix {
            rows: outer.rows,
            columns,
        })
    }

    /// The dimension of the image: the logarithm of the number of different offsets.
    pub fn rank(&self) -> usize {
        self.eliminate()
            .iter()
            .filter(|pivot| pivot.is_some())
            .count()
    }

    /// Whether different coordinates have different offsets.
    pub fn is_injective(&self) -> bool {
        self.rank() == self.columns.len()
    }

    /// Whether every offset below `2^rows` is reached.
    pub fn is_surjective(&self) -> bool {
        self.rank() == self.rows as usize
    }

    /// The inverse function; `None` unless the matrix is square and of full rank.
    pub fn inverse(&self) -> Option<BitMatrix> {
        if self.rows as usize != self.columns.len() || !self.is_injective() {
            return None;
        }
        let columns = (0..self.rows)
            .map(|row| self.coordinate_of(1 << row))
            .collect::<Option<Vec<u64>>>()?;
        Some(BitMatrix {
            rows: self.rows,
            columns,
        })
    }

    /// A coordinate with this offset; `None` when no coordinate has it.
    pub fn coordinate_of(&self, offset: u64) -> Option<u64> {
        let pivots = self.eliminate();
        let (mut rest, mut coordinate) = (offset, 0);
        while rest != 0 {
            let (vector, from) = (*pivots.get(rest.ilog2() as usize)?)?;
            rest ^= vector;
            coordinate ^= from;
        }
        Some(coordinate)
    }

    /// A basis of the coordinates with offset 0.
    pub fn kernel(&self) -> Vec<u64> {
        let mut pivots = [None; u64::BITS as usize];
        let combinations = self
            .columns
            .iter()
            .enumerate()
            .map(|(j, column)| (*column, 1 << j));
        combinations
            .filter_map(|(column, from)| insert(&mut pivots, column, from))
            .collect()
    }

    /// Gaussian elimination: for each leading bit the reduced column, and the coordinate that has it as its offset.
    fn eliminate(&self) -> [Option<(u64, u64)>; u64::BITS as usize] {
        let mut pivots = [None; u64::BITS as usize];
        for (j, column) in self.columns.iter().enumerate() {
            insert(&mut pivots, *column, 1 << j);
        }
        pivots
    }
}

/// Adds a column to an echelon form. Gives the combination of columns that vanishes, when it adds nothing new.
fn insert(
    pivots: &mut [Option<(u64, u64)>; u64::BITS as usize],
    mut column: u64,
    mut from: u64,
) -> Option<u64> {
    while column != 0 {
        match pivots.get_mut(column.ilog2() as usize) {
            Some(Some((vector, combination))) => {
                column ^= *vector;
                from ^= *combination;
            }
            Some(empty) => {
                *empty = Some((column, from));
                return None;
            }
            None => return None,
        }
    }
    Some(from)
}

impl fmt::Display for BitMatrix {
    /// A line per row, row 0 first, as the paper prints it in Table 1: `[1 0 1 0]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in 0..self.rows {
            if row > 0 {
                f.write_str("\n")?;
            }
            f.write_str("[")?;
            for (j, column) in self.columns.iter().enumerate() {
                let gap = if j > 0 { " " } else { "" };
                write!(f, "{gap}{}", column >> row & 1)?;
            }
            f.write_str("]")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn square() -> impl Strategy<Value = BitMatrix> {
        (1_u32..9).prop_flat_map(|size| {
            proptest::collection::vec(0..1_u64 << size, size as usize).prop_map(move |columns| {
                BitMatrix {
                    rows: size,
                    columns,
                }
            })
        })
    }

    proptest! {
        #[test]
        fn an_inverse_undoes_the_matrix_on_both_sides(matrix in square()) {
            let one = BitMatrix::identity(matrix.rows());
            match matrix.inverse() {
                Some(inverse) => {
                    prop_assert_eq!(matrix.then(&inverse), Some(one.clone()));
                    prop_assert_eq!(inverse.then(&matrix), Some(one));
                }
                None => prop_assert!(!matrix.is_injective()),
            }
        }

        #[test]
        fn rank_and_kernel_add_up(matrix in square()) {
            let kernel = matrix.kernel();
            prop_assert_eq!(matrix.rank() + kernel.len(), matrix.columns().len());
            prop_assert!(kernel.iter().all(|vector| *vector != 0 && matrix.apply(*vector) == 0));
            let reached: std::collections::BTreeSet<u64> =
                (0..1 << matrix.columns().len()).map(|v| matrix.apply(v)).collect();
            prop_assert_eq!(reached.len(), 1 << matrix.rank());
        }

        #[test]
        fn an_offset_is_found_exactly_when_it_is_reached(matrix in square(), offset in 0_u64..256) {
            let reached = (0..1 << matrix.columns().len()).any(|v| matrix.apply(v) == offset);
            match matrix.coordinate_of(offset) {
                Some(coordinate) => prop_assert_eq!(matrix.apply(coordinate), offset),
                None => prop_assert!(!reached),
            }
        }
    }

    #[test]
    fn a_column_outside_of_the_rows_is_refused() {
        assert_eq!(BitMatrix::from_columns(2, [4]), None);
        assert_eq!(BitMatrix::from_columns(WIDTH + 1, []), None);
        assert!(BitMatrix::from_columns(WIDTH, [1 << 61]).is_some());
    }
}
