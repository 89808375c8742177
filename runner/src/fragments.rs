//! `ldmatrix` and `stmatrix` on a tile of shared memory: which element of the tile each lane has in which register (PTX
//! "Warp-level matrix load instruction", "store").

use cute_algebra::{AnyLayout, Rule};
use cute_hardware::kernel::matrix::{COUNTS, ldmatrix_kernel, stmatrix_kernel};
use cute_hardware::memory::Wavefronts;
use cute_hardware::memory::banks::matrix_wavefronts;
use cute_hardware::{CopyAtom, Refusal, SharedLayout};

use crate::Failure;
use crate::job::{Argument, Buffer, Job, Launch, Outcome};
use crate::numbers::{contiguous_mode, matrix_extents, place, refusal};

/// Rows and columns of a matrix.
const EXTENT: i64 = 8;

/// Bytes of an element.
const WIDTH: usize = 2;

/// Lanes of a warp.
const LANES: i64 = 32;

/// A byte of shared memory that nothing was stored to.
const UNTOUCHED: u8 = 0xA5;

/// In which direction matrices move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `ldmatrix`.
    Load,
    /// `stmatrix`.
    Store,
}

impl Direction {
    /// The instruction.
    pub fn instruction(self) -> &'static str {
        match self {
            Self::Load => "ldmatrix",
            Self::Store => "stmatrix",
        }
    }
}

/// One instruction on the first matrices of a tile of 16-bit elements.
#[derive(Clone, Debug)]
pub struct Fragments {
    direction: Direction,
    shared: SharedLayout,
    place: AnyLayout,
    extents: [i64; 2],
    /// Matrices that the instruction moves.
    count: i64,
    /// Whether it transposes, because the first mode of the tile is contiguous.
    transposed: bool,
    /// The byte of the row that each lane names.
    rows: Vec<i64>,
    /// Bytes of shared memory.
    bytes: usize,
    /// The layouts of both sides.
    atom: CopyAtom,
}

/// An element that is not where the layout says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WrongElement {
    /// Its row in the tile.
    pub row: i64,
    /// Its column in the tile.
    pub column: i64,
    /// The expected value.
    pub expected: f64,
    /// The actual value.
    pub got: f64,
}

/// The comparison of the elements of an experiment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compared {
    /// Number of compared elements.
    pub elements: usize,
    /// The first that is wrong.
    pub wrong: Option<WrongElement>,
}

impl Fragments {
    /// The instruction for a tile: as many 8x8 matrices of it as one instruction moves, first mode fastest; transposed
    /// where the first mode is the contiguous one, so that the fragment is the same.
    ///
    /// # Errors
    /// `Unsupported` for elements of other than 16 bits, `RankMismatch` for a tile of another rank than 2, `OutOfRange` for
    /// one of less than a matrix, `MisalignedStart` for a row that is not 16 adjacent bytes at a multiple of 16.
    pub fn of(shared: &SharedLayout, direction: Direction) -> Result<Self, Refusal> {
        if shared.element_bits != 16 {
            return Err(refusal(Rule::Unsupported)
                .with("element_bits", shared.element_bits)
                .legal("16"));
        }
        let extents = matrix_extents(&shared.layout)?;
        let matrices = (extents[0] / EXTENT).saturating_mul(extents[1] / EXTENT);
        let count = COUNTS.into_iter().rev().find(|count| *count <= matrices);
        let count = count.ok_or_else(|| {
            refusal(cute_hardware::Rule::OutOfRange)
                .with("rows", extents[0])
                .with("columns", extents[1])
                .legal("8")
        })?;
        let transposed = contiguous_mode(&shared.layout)? == 0;
        let name = match (direction, transposed) {
            (Direction::Load, false) => format!("SM75_U32x{count}_LDSM_N"),
            (Direction::Load, true) => format!("SM75_U16x{}_LDSM_T", 2 * count),
            (Direction::Store, false) => format!("SM90_U32x{count}_STSM_N"),
            (Direction::Store, true) => format!("SM90_U16x{}_STSM_T", 2 * count),
        };
        let mut fragments = Self {
            direction,
            place: shared.position_independent()?,
            shared: shared.clone(),
            extents,
            count,
            transposed,
            rows: Vec::new(),
            bytes: 0,
            atom: CopyAtom::named(&name)?,
        };
        for lane in 0..EXTENT * count {
            let row = fragments.row(lane / EXTENT, lane % EXTENT)?;
            fragments.rows.push(row);
        }
        let end = fragments.rows.iter().max().copied().unwrap_or(0) as usize + 16;
        fragments.bytes = end.next_multiple_of(16);
        Ok(fragments)
    }

    /// The layout of the tile.
    pub fn shared(&self) -> &SharedLayout {
        &self.shared
    }

    /// In which direction matrices move.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// The instruction by CUTLASS's name.
    pub fn atom_name(&self) -> &str {
        &self.atom.name
    }

    /// Number of requests to the banks, by the model.
    ///
    /// # Errors
    /// None for rows that exist.
    pub fn wavefronts(&self) -> Result<Wavefronts, Refusal> {
        matrix_wavefronts(&self.rows)
    }

    /// The place of the first element of a matrix in the tile.
    fn origin(&self, matrix: i64) -> [i64; 2] {
        let down = (self.extents[0] / EXTENT).max(1);
        [matrix % down * EXTENT, matrix / down * EXTENT]
    }

    /// The byte at which an element of the tile is.
    fn byte(&self, [row, column]: [i64; 2]) -> Result<usize, Refusal> {
        Ok(place(&self.place, row + self.extents[0] * column)? * WIDTH)
    }

    /// The byte of one stored row of a matrix: a column of the tile, where the instruction transposes.
    fn row(&self, matrix: i64, number: i64) -> Result<i64, Refusal> {
        let [row, column] = self.origin(matrix);
        let at = |along: i64| {
            if self.transposed {
                self.byte([row + along, column + number])
            } else {
                self.byte([row + number, column + along])
            }
        };
        let start = at(0)?;
        for along in 1..EXTENT {
            let expected = start + WIDTH * along as usize;
            if at(along)? != expected || !start.is_multiple_of(16) {
                return Err(refusal(cute_hardware::Rule::MisalignedStart)
                    .with("matrix", matrix)
                    .with("row", number)
                    .with("address", start as i64)
                    .with("row_bytes", 16_i64));
            }
        }
        Ok(start as i64)
    }

    /// The content of the tile: a number for each element.
    fn tag(&self, [row, column]: [i64; 2]) -> u16 {
        ((row + self.extents[0] * column) as u16).wrapping_mul(0x9E37)
    }

    fn image(&self) -> Result<Vec<u8>, Refusal> {
        let mut image = vec![UNTOUCHED; self.bytes];
        if self.direction == Direction::Load {
            for (element, _) in self.elements() {
                let byte = self.byte(element)?;
                if let Some(target) = image.get_mut(byte..byte + WIDTH) {
                    target.copy_from_slice(&self.tag(element).to_le_bytes());
                }
            }
        }
        Ok(image)
    }

    /// The elements of all matrices, each with the lane, the register and the half that has it: lane `4 * row + column / 2`
    /// of register `matrix` (PTX, "Matrix fragments").
    fn elements(&self) -> impl Iterator<Item = ([i64; 2], [i64; 3])> {
        (0..self.count * EXTENT * EXTENT).map(|index| {
            let (matrix, row, column) = (index / 64, index / EXTENT % EXTENT, index % EXTENT);
            let [top, left] = self.origin(matrix);
            (
                [top + row, left + column],
                [4 * row + column / 2, matrix, column % 2],
            )
        })
    }

    /// The launch of one warp.
    ///
    /// # Errors
    /// None for a number of matrices that an instruction has.
    pub fn job(&self) -> Result<Job, Refusal> {
        let kernel = match self.direction {
            Direction::Load => ldmatrix_kernel(self.count, self.transposed)?,
            Direction::Store => stmatrix_kernel(self.count, self.transposed)?,
        };
        let rows = (0..LANES as usize)
            .map(|lane| self.rows.get(lane).or(self.rows.first()).copied())
            .flat_map(|row| (row.unwrap_or(0) as u32).to_le_bytes());
        let out = match self.direction {
            Direction::Load => (LANES * self.count * 4) as u64,
            Direction::Store => self.bytes as u64,
        };
        Ok(Job {
            buffers: vec![
                Buffer::input("shared memory", self.image()?),
                Buffer::input("rows", rows.collect()),
                Buffer::result("out", out, 0),
            ],
            arguments: vec![
                Argument::Buffer(0),
                Argument::Word(self.bytes as u32),
                Argument::Buffer(1),
                Argument::Buffer(2),
            ],
            maps: Vec::new(),
            launch: Launch::one(kernel.threads, self.bytes as u32),
            kernel,
            timing: None,
            driver_copy: None,
        })
    }

    /// The result of the instruction, by the layouts of its atom.
    ///
    /// # Errors
    /// Those of the evaluation of the layouts.
    pub fn on_cpu(&self) -> Result<Vec<u8>, Refusal> {
        let registers = match self.direction {
            Direction::Load => &self.atom.destination,
            Direction::Store => &self.atom.source,
        };
        let mut memory = self.image()?;
        let mut loaded = vec![0_u8; (LANES * self.count * 4) as usize];
        for lane in 0..LANES {
            for half in 0..2 * self.count {
                // Bits of the matrices: 128 of each row.
                let bit = registers.eval_number(lane + LANES * 16 * half)?;
                let row = self.rows.get((bit / 128) as usize).copied().unwrap_or(0);
                let byte = row as usize + (bit % 128 / 8) as usize;
                let (register, upper) = (half / 2, half % 2);
                let word = (LANES * register + lane) as usize * 4 + upper as usize * WIDTH;
                match self.direction {
                    Direction::Load => {
                        if let (Some(from), Some(to)) = (
                            memory.get(byte..byte + WIDTH),
                            loaded.get_mut(word..word + WIDTH),
                        ) {
                            to.copy_from_slice(from);
                        }
                    }
                    Direction::Store => {
                        if let Some(to) = memory.get_mut(byte..byte + WIDTH) {
                            to.copy_from_slice(&stored(lane, register).to_le_bytes());
                        }
                    }
                }
            }
        }
        Ok(match self.direction {
            Direction::Load => loaded,
            Direction::Store => memory,
        })
    }

    /// The comparison of the kernel's results with the layout of the tile.
    ///
    /// # Errors
    /// Nothing was left.
    pub fn answer_of(&self, outcomes: &[Outcome]) -> Result<Compared, Failure> {
        let out = outcomes.first().and_then(|outcome| outcome.results.first());
        let out = out.ok_or_else(|| Failure::Crashed("nothing was written".to_owned()))?;
        self.compared(out)
            .map_err(|refusal| Failure::Crashed(refusal.to_string()))
    }

    /// Compares registers, or the memory that was stored to, with the layout.
    ///
    /// # Errors
    /// Those of the evaluation of the layout.
    pub fn compared(&self, out: &[u8]) -> Result<Compared, Refusal> {
        let half_at = |byte: usize| -> Option<u16> {
            let (half, _) = out.get(byte..)?.split_first_chunk()?;
            Some(u16::from_le_bytes(*half))
        };
        let mut elements = 0;
        let mut expected_memory = vec![UNTOUCHED; self.bytes];
        for (element, [lane, register, half]) in self.elements() {
            let (byte, expected) = match self.direction {
                Direction::Load => {
                    let word = (LANES * register + lane) as usize * 4;
                    (word + half as usize * WIDTH, self.tag(element))
                }
                Direction::Store => (self.byte(element)?, stored(lane, register)),
            };
            elements += 1;
            if half_at(byte) != Some(expected) {
                let wrong = Some(WrongElement {
                    row: element[0],
                    column: element[1],
                    expected: f64::from(expected),
                    got: half_at(byte).map_or(f64::NAN, f64::from),
                });
                return Ok(Compared { elements, wrong });
            }
            if let Some(target) = expected_memory.get_mut(byte..byte + WIDTH) {
                target.copy_from_slice(&expected.to_le_bytes());
            }
        }
        // A value that was stored where nothing belongs.
        if self.direction == Direction::Store && expected_memory != out {
            let wrong = Some(WrongElement {
                row: self.extents[0],
                column: self.extents[1],
                expected: f64::from(UNTOUCHED),
                got: f64::NAN,
            });
            return Ok(Compared { elements, wrong });
        }
        Ok(Compared {
            elements,
            wrong: None,
        })
    }
}

/// The value that the kernel of `stmatrix` stores from a register, in both halves.
fn stored(lane: i64, register: i64) -> u16 {
    (lane + LANES * register) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fragments(layout: &str, direction: Direction) -> Result<Fragments, Refusal> {
        Fragments::of(&layout.parse().unwrap(), direction)
    }

    #[test]
    fn a_fragment_is_the_same_of_both_majors_and_every_swizzle() {
        for (layout, count) in [
            ("smem_ptr[16b](unset) o (_8,_8):(_8,_1)", 1),
            ("smem_ptr[16b](unset) o (_16,_8):(_8,_1)", 2),
            ("smem_ptr[16b](unset) o (_16,_16):(_24,_1)", 4),
            ("Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)", 4),
            ("Sw<1,4,3> o smem_ptr[16b](unset) o (_8,_16):(_16,_1)", 2),
            ("Sw<3,4,3> o smem_ptr[16b](unset) o (_64,_8):(_1,_64)", 4),
            ("smem_ptr[16b](unset) o (_8,_16):(_1,_8)", 2),
            ("smem_ptr[16b](unset) o ((_8,_2),_8):((_8,_64),_1)", 2),
        ] {
            for direction in [Direction::Load, Direction::Store] {
                let fragments = fragments(layout, direction).unwrap();
                let answer = fragments.compared(&fragments.on_cpu().unwrap()).unwrap();
                let expected = 64 * count as usize;
                assert_eq!(
                    (answer.elements, answer.wrong),
                    (expected, None),
                    "{layout} {direction:?}"
                );
                let job = fragments.job().unwrap();
                let instruction = format!("{}.sync.aligned.m8n8.x{count}", direction.instruction());
                assert!(job.kernel.text.contains(&instruction), "{layout}");
            }
        }
    }

    #[test]
    fn wavefronts_are_those_of_the_rows() {
        let waves = |layout: &str| {
            let fragments = fragments(layout, Direction::Load).unwrap();
            fragments.wavefronts().unwrap().waves
        };
        assert_eq!(waves("smem_ptr[16b](unset) o (_8,_64):(_64,_1)"), 32);
        assert_eq!(
            waves("Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)"),
            4
        );
    }

    #[test]
    fn a_wrong_register_and_a_stray_store_are_noticed() {
        let layout = "smem_ptr[16b](unset) o (_8,_8):(_16,_1)";
        let load = fragments(layout, Direction::Load).unwrap();
        let mut registers = load.on_cpu().unwrap();
        registers[4 * 9 + 2] ^= 1;
        // Lane 9 has row 2, columns 2 and 3.
        let wrong = load.compared(&registers).unwrap().wrong.unwrap();
        assert_eq!((wrong.row, wrong.column), (2, 3));
        let store = fragments(layout, Direction::Store).unwrap();
        let mut memory = store.on_cpu().unwrap();
        memory[20] ^= 1;
        assert!(store.compared(&memory).unwrap().wrong.is_some());
    }

    #[test]
    fn what_is_no_matrix_is_refused() {
        let rule = |layout: &str| fragments(layout, Direction::Load).unwrap_err().rule;
        assert_eq!(
            rule("smem_ptr[16b](unset) o (_8,_4):(_4,_1)"),
            cute_hardware::Rule::OutOfRange
        );
        for layout in [
            "smem_ptr[16b](unset) o (_8,_8):(_9,_1)",
            "smem_ptr[16b](unset) o (_8,_8):(_16,_2)",
        ] {
            assert_eq!(
                rule(layout),
                cute_hardware::Rule::MisalignedStart,
                "{layout}"
            );
        }
        assert_eq!(
            rule("smem_ptr[32b](unset) o (_8,_8):(_8,_1)"),
            Rule::Unsupported.into()
        );
    }
}
