//! The generic matrix product of the paper (table 2, GEMM): `C(m,n) += A(m,k) * B(n,k)` for every m, n, k, whatever the three
//! layouts. With the layouts of a matrix, a transposed one, a tensor with several modes or the windows of an image it is BLAS,
//! a tensor contraction or a convolution.

use cute_algebra::{AnyLayout, Rule};
use cute_hardware::Refusal;
use cute_hardware::address::Program;
use cute_hardware::kernel::gemm::gemm_kernel;

use crate::copy::refuse_meetings;
use crate::fragments::{Compared, WrongElement};
use crate::job::{Argument, Buffer, Job, Launch};
use crate::numbers::{matrix_extents, place, refusal, span, with_fixed_numbers};
use crate::random::Random;
use crate::watch::{Stop, Watch, step};

/// The most products of one run: each is computed once by the executor and once by the reference.
pub const PRODUCTS: i64 = 1 << 26;

/// Bytes of an element, a 32-bit float.
const WIDTH: i64 = 4;

/// Inputs are integers of at most this size, so that sums are exact in 32-bit floats up to [`DEPTH`].
const MOST: i64 = 8;

/// The deepest K: `MOST * MOST * DEPTH` is below 2^24.
const DEPTH: i64 = 1 << 17;

/// Blocks of a launch.
const BLOCKS: u32 = 1056;

/// A product that is ready to run, with its inputs.
#[derive(Clone, Debug)]
pub struct Gemm {
    layouts: [AnyLayout; 3],
    programs: [Program; 3],
    mnk: [i64; 3],
    seed: u64,
    /// The contents of A, B and C, as integers, by offset.
    memory: [Vec<i8>; 3],
}

impl Gemm {
    /// The product of A, (M,K), and B, (N,K), added to C, (M,N); the top-level modes may have their own modes. Inputs are
    /// small integers, the same again for the same seed.
    ///
    /// # Errors
    /// `RankMismatch` for layouts that are not matrices or do not fit, `NotInjective` for a C in which two sums meet,
    /// `Limit` for more than [`PRODUCTS`] or too much memory, `NotProvable` for unknown numbers; the end by the watch.
    pub fn of(layouts: [&AnyLayout; 3], seed: u64, watch: &dyn Watch) -> Result<Self, Stop> {
        let [a, b, c] = layouts;
        let layouts = [
            with_fixed_numbers(a)?,
            with_fixed_numbers(b)?,
            with_fixed_numbers(c)?,
        ];
        let [[m, k], [n, also_k], result] = [
            matrix_extents(layouts[0].domain())?,
            matrix_extents(layouts[1].domain())?,
            matrix_extents(layouts[2].domain())?,
        ];
        if k != also_k || result != [m, n] {
            return Err(refusal(Rule::RankMismatch)
                .with("a", format!("({m},{k})"))
                .with("b", format!("({n},{also_k})"))
                .with("c", format!("({},{})", result[0], result[1]))
                .into());
        }
        let products = m.saturating_mul(n).saturating_mul(k);
        for (number, limit) in [(products, PRODUCTS), (k, DEPTH)] {
            if number > limit {
                return Err(refusal(Rule::Limit)
                    .with("products", products)
                    .with("k", k)
                    .with("limit", limit)
                    .into());
            }
        }
        let mut random = Random::new(seed);
        let mut filled = |layout: &AnyLayout| -> Result<Vec<i8>, Stop> {
            let elements = span(layout, WIDTH, watch)?;
            Ok((0..elements).map(|_| random.small(MOST) as i8).collect())
        };
        let memory = [
            filled(&layouts[0])?,
            filled(&layouts[1])?,
            filled(&layouts[2])?,
        ];
        refuse_meetings(&layouts[2], memory[2].len() as i64, watch)?;
        Ok(Self {
            programs: [
                Program::of_index(&layouts[0])?,
                Program::of_index(&layouts[1])?,
                Program::of_index(&layouts[2])?,
            ],
            layouts,
            mnk: [m, n, k],
            seed,
            memory,
        })
    }

    /// The layouts of A, B and C.
    pub fn layouts(&self) -> &[AnyLayout; 3] {
        &self.layouts
    }

    /// M, N and K.
    pub fn mnk(&self) -> [i64; 3] {
        self.mnk
    }

    /// The seed of the inputs.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The launch that computes it on a GPU.
    ///
    /// # Errors
    /// `Limit` for extents that 32 bits do not hold.
    pub fn job(&self) -> Result<Job, Refusal> {
        let [a, b, c] = &self.programs;
        let kernel = gemm_kernel([a, b, c]);
        let words = |extent: i64| {
            u32::try_from(extent).map_err(|_| refusal(Rule::Limit).with("extent", extent))
        };
        let [m, n, k] = self.mnk;
        let bytes = |memory: &[i8]| -> Vec<u8> {
            let floats = memory.iter().map(|value| f32::from(*value));
            floats.flat_map(f32::to_le_bytes).collect()
        };
        let mut result = Buffer::input("C", bytes(&self.memory[2]));
        result.is_result = true;
        Ok(Job {
            buffers: vec![
                Buffer::input("A", bytes(&self.memory[0])),
                Buffer::input("B", bytes(&self.memory[1])),
                result,
            ],
            arguments: vec![
                Argument::Buffer(0),
                Argument::Buffer(1),
                Argument::Buffer(2),
                Argument::Word(words(m)?),
                Argument::Word(words(n)?),
                Argument::Word(words(k)?),
            ],
            maps: Vec::new(),
            launch: Launch::over(m * n, kernel.threads, BLOCKS),
            kernel,
            timing: None,
            driver_copy: None,
        })
    }

    /// The content of C in the end, by interpreting the same programs here.
    ///
    /// # Errors
    /// `Overflow` where a program leaves 64-bit integers, or its memory; the end by the watch.
    pub fn on_cpu(&self, watch: &dyn Watch) -> Result<Vec<f32>, Stop> {
        let [m, n, k] = self.mnk;
        let mut c: Vec<f32> = self.memory[2]
            .iter()
            .map(|value| f32::from(*value))
            .collect();
        let at = |operand: usize, index: i64| -> Option<usize> {
            usize::try_from(self.programs[operand].run(&[index])?).ok()
        };
        let value = |operand: usize, index: i64| -> Option<f32> {
            self.memory[operand]
                .get(at(operand, index)?)
                .map(|value| f32::from(*value))
        };
        for element in 0..m * n {
            let (row, column) = (element % m, element / m);
            let mut sum = || {
                let target = at(2, element)?;
                let mut sum = *c.get(target)?;
                for depth in 0..k {
                    sum += value(0, row + m * depth)? * value(1, column + n * depth)?;
                }
                *c.get_mut(target)? = sum;
                Some(())
            };
            watch.look((element * k).unsigned_abs(), (m * n * k).unsigned_abs())?;
            sum().ok_or_else(|| refusal(Rule::Overflow).with("element", element))?;
        }
        Ok(c)
    }

    /// The floats of the bytes that the job leaves.
    pub fn floats_in(bytes: &[u8]) -> Vec<f32> {
        let words = bytes.as_chunks::<4>().0.iter();
        words.map(|word| f32::from_le_bytes(*word)).collect()
    }

    /// Compares the whole memory of C with the definition, evaluated with the layouts as functions.
    ///
    /// # Errors
    /// Those of the evaluation of the layouts; the end by the watch.
    pub fn compared(&self, c: &[f32], watch: &dyn Watch) -> Result<Compared, Stop> {
        let [m, n, k] = self.mnk;
        let gathered = |operand: usize| -> Result<Vec<i32>, Stop> {
            let size = [m * k, n * k][operand];
            (0..size)
                .map(|index| {
                    step(watch, index, size)?;
                    let at = place(&self.layouts[operand], index)?;
                    Ok(self.memory[operand].get(at).copied().map_or(0, i32::from))
                })
                .collect()
        };
        let (a, b) = (gathered(0)?, gathered(1)?);
        let mut untouched: Vec<bool> = vec![true; self.memory[2].len()];
        for element in 0..m * n {
            step(watch, element, m * n)?;
            let (row, column) = (element % m, element / m);
            let of_a = a.iter().skip(row as usize).step_by(m as usize);
            let of_b = b.iter().skip(column as usize).step_by(n as usize);
            let product: i32 = of_a.zip(of_b).map(|(a, b)| a * b).sum();
            let at = place(&self.layouts[2], element)?;
            let before = self.memory[2].get(at).copied().map_or(0, i32::from);
            if let Some(touched) = untouched.get_mut(at) {
                *touched = false;
            }
            #[allow(clippy::cast_precision_loss)] // Below 2^24.
            let (expected, got) = ((before + product) as f32, c.get(at).copied());
            if got != Some(expected) {
                return Ok(Compared {
                    elements: element as usize + 1,
                    wrong: Some(wrong(row, column, expected, got)),
                });
            }
        }
        // The memory between the elements of C stays as it was.
        let stray = (0..)
            .zip(&untouched)
            .find_map(|(at, untouched): (usize, &bool)| {
                let before = f32::from(*self.memory[2].get(at)?);
                let got = c.get(at).copied();
                (*untouched && got != Some(before)).then(|| wrong(m, n, before, got))
            });
        Ok(Compared {
            elements: (m * n) as usize,
            wrong: stray,
        })
    }
}

fn wrong(row: i64, column: i64, expected: f32, got: Option<f32>) -> WrongElement {
    WrongElement {
        row,
        column,
        expected: f64::from(expected),
        got: f64::from(got.unwrap_or(f32::NAN)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::Unwatched;

    fn gemm(a: &str, b: &str, c: &str) -> Result<Gemm, Stop> {
        let layouts = [a, b, c].map(|text| text.parse::<AnyLayout>().unwrap());
        Gemm::of([&layouts[0], &layouts[1], &layouts[2]], 1, &Unwatched)
    }

    #[test]
    fn one_algorithm_is_every_product_of_the_table() {
        for [a, b, c] in [
            // Row-major, column-major, and mixed.
            ["(5,7):(7,1)", "(6,7):(7,1)", "(5,6):(6,1)"],
            ["(5,7):(1,5)", "(6,7):(1,6)", "(5,6):(1,5)"],
            ["(5,7):(9,1)", "(6,7):(1,8)", "(5,6):(8,1)"],
            // A contraction over two modes.
            [
                "((2,3),(4,2)):((1,8),(2,24))",
                "((5),(4,2)):((8),(1,4))",
                "((2,3),(5)):((1,2),(6))",
            ],
            // A convolution: windows of a row overlap.
            ["(10,3):(1,1)", "(4,3):(3,1)", "(10,4):(1,10)"],
            // A row that is used for all of them, and a swizzled C.
            ["(8,4):(0,1)", "(8,4):(1,8)", "Sw<2,0,3> o 0 o (8,8):(8,1)"],
        ] {
            let gemm = gemm(a, b, c).unwrap();
            let result = gemm.on_cpu(&Unwatched).unwrap();
            let [m, n, _] = gemm.mnk();
            let answer = gemm.compared(&result, &Unwatched).unwrap();
            assert_eq!(answer.wrong, None, "{a} {b} {c}");
            assert_eq!(answer.elements as i64, m * n);
            assert_eq!(gemm.job().unwrap().arguments.len(), 6);
        }
    }

    #[test]
    fn a_wrong_sum_and_a_stray_write_are_noticed() {
        let gemm = gemm("(4,4):(4,1)", "(4,4):(4,1)", "(4,4):(5,1)").unwrap();
        let right = gemm.on_cpu(&Unwatched).unwrap();
        let mut wrong = right.clone();
        wrong[6] += 1.0;
        let found = gemm.compared(&wrong, &Unwatched).unwrap().wrong.unwrap();
        assert_eq!((found.row, found.column), (1, 1));
        let mut stray = right;
        stray[4] += 1.0;
        assert!(gemm.compared(&stray, &Unwatched).unwrap().wrong.is_some());
    }

    #[test]
    fn what_is_no_product_is_refused() {
        let rule = |a, b, c| match gemm(a, b, c) {
            Err(Stop::Refused(refusal)) => refusal.rule,
            other => panic!("{other:?}"),
        };
        let square = "(4,4):(4,1)";
        assert_eq!(
            rule(square, "(4,5):(5,1)", square),
            Rule::RankMismatch.into()
        );
        assert_eq!(rule(square, square, "16:1"), Rule::RankMismatch.into());
        assert_eq!(
            rule(square, square, "(4,4):(0,1)"),
            Rule::NotInjective.into()
        );
        let vast = "(65536,4):(4,1)";
        let result = "(65536,65536):(65536,1)";
        assert_eq!(rule(vast, vast, result), Rule::Limit.into());
    }
}
