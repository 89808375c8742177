//! Products of tiles of shared memory by `wgmma` and `tcgen05.mma`, read by the previewed matrix descriptors.
//!
//! With an identity as the other operand the result is the tile itself, so that every element shows where the descriptor made
//! the hardware look; with random operands it is the whole tile product.

use cute_algebra::Rule;
use cute_hardware::descriptor::Generation;
use cute_hardware::descriptor::instruction::{InstructionDescriptor, InstructionOptions};
use cute_hardware::kernel::tcgen05::tcgen05_tile_kernel;
use cute_hardware::kernel::wgmma::wgmma_tile_kernel;
use cute_hardware::multiprocessor::shared_of_a_cta;
use cute_hardware::smem_atom::tile_to_shape;
use cute_hardware::{Element, Major, MmaAtom, Refusal, SharedLayout, SmemAtom, Span};

use crate::Failure;
use crate::fragments::{Compared, WrongElement};
use crate::job::{Argument, Buffer, Job, Launch, Outcome};
use crate::numbers::{matrix_extents, refusal};
use crate::random::Random;
use crate::stored::Stored;
use crate::tile::Tile;

/// Threads of a warp group.
const THREADS: i64 = 128;

/// Shared memory that a block may have (`sm_90`, `sm_100`), in bytes.
const SHARED_BYTES: i64 = shared_of_a_cta(90);

/// Random inputs are integers of at most this size: sums of products are exact.
const MOST: i64 = 8;

/// The operand that a tile is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Rows of the result.
    A,
    /// Columns of the result.
    B,
}

/// The content of the operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inputs {
    /// The tile has its own number in every element to the extent that its type goes; the other operand is an identity.
    Identity(Role),
    /// Small integers from this seed.
    Random(u64),
}

/// A product that is ready to run.
#[derive(Clone, Debug)]
pub struct Product {
    generation: Generation,
    atom: MmaAtom,
    a: Tile,
    b: Tile,
    inputs: Inputs,
}

impl Product {
    /// The product of a tile with an identity.
    ///
    /// # Errors
    /// As [`Product::random`]; `Unsupported` for a tile whose identity no instruction has room for.
    pub fn identity(
        generation: Generation,
        shared: &SharedLayout,
        role: Role,
    ) -> Result<Self, Refusal> {
        let [rows, depth] = matrix_extents(&shared.layout)?;
        let inputs = Inputs::Identity(role);
        match role {
            Role::A => {
                let other = plain_tile(shared.element_bits, depth, depth)?;
                Self::of(generation, shared, &other, inputs)
            }
            Role::B => {
                let all = rows_of(generation);
                if depth > all {
                    return Err(refusal(Rule::Unsupported)
                        .with("rows", rows)
                        .with("depth", depth)
                        .with("most", all));
                }
                let other = plain_tile(shared.element_bits, all, depth)?;
                Self::of(generation, &other, shared, inputs)
            }
        }
    }

    /// The product of two tiles, A of (M,K) and B of (N,K), of random integers.
    ///
    /// # Errors
    /// `Unsupported` for elements other than of 8, 16 or 32 bits, `RankMismatch` for tiles that do not fit, `not-canonical`
    /// for a tile that no descriptor describes, `mma-shape` for extents that the instruction does not have, `mma-operand` for
    /// a major that it does not have, `Limit` for tiles that shared memory does not hold.
    pub fn random(
        generation: Generation,
        a: &SharedLayout,
        b: &SharedLayout,
        seed: u64,
    ) -> Result<Self, Refusal> {
        Self::of(generation, a, b, Inputs::Random(seed))
    }

    fn of(
        generation: Generation,
        a: &SharedLayout,
        b: &SharedLayout,
        inputs: Inputs,
    ) -> Result<Self, Refusal> {
        let stored = Stored::of_bits(a.element_bits)?;
        let ([m, k], [n, also_k]) = (matrix_extents(&a.layout)?, matrix_extents(&b.layout)?);
        if k != also_k || a.element_bits != b.element_bits {
            return Err(refusal(Rule::RankMismatch)
                .with("a", format!("({m},{k}) of {} bits", a.element_bits))
                .with("b", format!("({n},{also_k}) of {} bits", b.element_bits)));
        }
        let part = [rows_of(generation), 256 / a.element_bits];
        if m % part[0] != 0 || k % part[1] != 0 {
            return Err(refusal(cute_hardware::Rule::MmaShape)
                .with("m", m)
                .with("k", k)
                .legal(format!("a multiple of {} by {}", part[0], part[1])));
        }
        let (mut a, mut b) = (
            Tile::of(generation, a, part, stored)?,
            Tile::of(generation, b, [n, part[1]], stored)?,
        );
        let atom = MmaAtom::named(&atom_name(generation, stored, n, [a.major, b.major]))?;
        if let Some(refusal) = &atom.not_issuable {
            return Err(refusal.clone());
        }
        a.refuse_unless_major(&atom)?;
        b.refuse_unless_major(&atom)?;
        let bytes = a.image_bytes()? + b.image_bytes()?;
        if bytes > SHARED_BYTES {
            return Err(refusal(Rule::Limit)
                .with("bytes", bytes)
                .with("limit", SHARED_BYTES));
        }
        match inputs {
            Inputs::Identity(Role::A) => {
                a.number();
                b.become_identity();
            }
            Inputs::Identity(Role::B) => {
                a.become_identity();
                b.number();
            }
            Inputs::Random(seed) => {
                let mut random = Random::new(seed);
                a.fill(|_| random.small(MOST));
                b.fill(|_| random.small(MOST));
            }
        }
        Ok(Self {
            generation,
            atom,
            a,
            b,
            inputs,
        })
    }

    /// The instruction.
    pub fn generation(&self) -> Generation {
        self.generation
    }

    /// The instruction by CUTLASS's name.
    pub fn atom_name(&self) -> &str {
        &self.atom.name
    }

    /// The tiles, A and B.
    pub fn tiles(&self) -> [&SharedLayout; 2] {
        [&self.a.shared, &self.b.shared]
    }

    /// Their content.
    pub fn inputs(&self) -> Inputs {
        self.inputs
    }

    /// M, N and K of the tiles.
    pub fn mnk(&self) -> [i64; 3] {
        [self.a.extents[0], self.b.extents[0], self.a.extents[1]]
    }

    /// The descriptors of the first instruction, for images at address 0.
    ///
    /// # Errors
    /// None for descriptors that exist.
    pub fn descriptors(&self) -> Result<[u64; 2], Refusal> {
        Ok([self.a.descriptor.encode()?, self.b.descriptor.encode()?])
    }

    /// Blocks of rows, each of which one kernel multiplies.
    fn blocks(&self) -> i64 {
        self.a.extents[0] / self.a.part[0]
    }

    /// Instructions along K.
    fn slices(&self) -> i64 {
        self.a.extents[1] / self.a.part[1]
    }

    /// The launches, one for each block of rows of A.
    ///
    /// # Errors
    /// Those of the kernels, and addresses that no descriptor holds.
    pub fn jobs(&self) -> Result<Vec<Job>, Refusal> {
        (0..self.blocks()).map(|block| self.job(block)).collect()
    }

    fn job(&self, block: i64) -> Result<Job, Refusal> {
        let mut steps = Vec::new();
        for slice in 1..self.slices() {
            let unit = |tile: &Tile, block: i64| {
                Ok::<i64, Refusal>((tile.start(block, slice)? - tile.start(block, slice - 1)?) / 16)
            };
            steps.push([unit(&self.a, block)?, unit(&self.b, 0)?]);
        }
        let a = self.a.descriptor.advance(self.a.start(block, 0)?)?;
        let (image_a, image_b) = (self.a.image()?, self.b.image()?);
        let shared_bytes = (image_a.len() + image_b.len()) as u32;
        let [a_bytes, b_bytes] =
            [&image_a, &image_b].map(|image| Argument::Word(image.len() as u32));
        let words = (self.a.part[0] * self.b.part[0]) as u64;
        let mut arguments = vec![
            Argument::Buffer(0),
            a_bytes,
            Argument::Buffer(1),
            b_bytes,
            Argument::Long(a.encode()?),
            Argument::Long(self.b.descriptor.encode()?),
        ];
        let (kernel, last) = match self.generation {
            Generation::Wgmma => {
                arguments.extend([Argument::Buffer(2), Argument::Buffer(3), Argument::Word(1)]);
                let cycles = Buffer::result("cycles", THREADS as u64 * 8, 0);
                (wgmma_tile_kernel(&self.atom, &steps)?, cycles)
            }
            Generation::Tcgen05 => {
                let instruction =
                    InstructionDescriptor::of_atom(&self.atom, InstructionOptions::default())?;
                arguments.extend([
                    Argument::Word(instruction.encode()?),
                    Argument::Buffer(2),
                    Argument::Buffer(3),
                ]);
                let status = Buffer::result("status", 4, 0);
                (tcgen05_tile_kernel(&self.atom, &steps)?, status)
            }
        };
        Ok(Job {
            buffers: vec![
                Buffer::input("A", image_a),
                Buffer::input("B", image_b),
                Buffer::result("D", words * 4, 0xFF),
                last,
            ],
            arguments,
            maps: Vec::new(),
            launch: Launch::one(kernel.threads, shared_bytes),
            kernel,
            timing: None,
            driver_copy: None,
        })
    }

    /// The result of the kernel of each block, by the model: the descriptors are read back to tiles, and those from the
    /// images.
    ///
    /// # Errors
    /// `Overflow` for a descriptor that leads out of the images.
    pub fn on_cpu(&self) -> Result<Vec<Vec<u8>>, Refusal> {
        let (image_a, image_b) = (self.a.image()?, self.b.image()?);
        let mut left = Vec::new();
        for block in 0..self.blocks() {
            let [m, n] = [self.a.part[0], self.b.part[0]];
            let mut sums = vec![0_i64; (m * n) as usize];
            for slice in 0..self.slices() {
                let a = self.a.read(&image_a, block, slice)?;
                let b = self.b.read(&image_b, 0, slice)?;
                add_product(&mut sums, &a, &b, [m, n]);
            }
            let mut words = vec![0_u8; sums.len() * 4];
            for word in 0..m * n {
                let element = self.element_of_word(word)?;
                let sum = sums.get(element as usize).copied().unwrap_or(0);
                let at = word as usize * 4;
                if let Some(target) = words.get_mut(at..at + 4) {
                    target.copy_from_slice(&self.word_of(sum));
                }
            }
            left.push(words);
        }
        Ok(left)
    }

    /// The colexicographic index, in a block of the result, of the element that a kernel writes to a word.
    fn element_of_word(&self, word: i64) -> Result<i64, Refusal> {
        match self.generation {
            // Thread and register.
            Generation::Wgmma => Ok(self.atom.c.layout.eval_number(word)?),
            // Lane and column of tensor memory: 128 rows are its lanes (PTX, tcgen05 "Data path layout organization").
            Generation::Tcgen05 => Ok(word),
        }
    }

    fn word_of(&self, sum: i64) -> [u8; 4] {
        if self.atom.c.element == Element::S32 {
            (sum as i32).to_le_bytes()
        } else {
            #[allow(clippy::cast_precision_loss)] // Sums are below 2^24.
            let float = sum as f32;
            float.to_le_bytes()
        }
    }

    /// The comparison of the jobs' results with the product of the tiles.
    ///
    /// # Errors
    /// A product that did not end, and layouts that cannot be evaluated.
    pub fn answer_of(&self, outcomes: &[Outcome]) -> Result<Compared, Failure> {
        let mut left = Vec::new();
        for outcome in outcomes {
            let [words, last] = outcome.results.as_slice() else {
                return Err(Failure::Crashed("no product was written".to_owned()));
            };
            let is_status = self.generation == Generation::Tcgen05;
            if is_status && last.iter().any(|byte| *byte != 0) {
                return Err(Failure::GaveUp("the end of a tcgen05.mma"));
            }
            left.push(words.clone());
        }
        self.compared(&left)
            .map_err(|refusal| Failure::Crashed(refusal.to_string()))
    }

    /// Compares the results of the kernels, one after the other, with the product of the values.
    ///
    /// # Errors
    /// Those of the evaluation of the accumulator's layout.
    pub fn compared(&self, left: &[Vec<u8>]) -> Result<Compared, Refusal> {
        let [m, n] = [self.a.part[0], self.b.part[0]];
        let [all, depth] = self.a.extents;
        let mut elements = 0;
        for block in 0..self.blocks() {
            let words = left.get(block as usize).map_or(&[][..], Vec::as_slice);
            for word in 0..m * n {
                let element = self.element_of_word(word)?;
                let (row, column) = (block * m + element % m, element / m);
                let sum: i64 = (0..depth)
                    .map(|k| self.a.value(row + all * k) * self.b.value(column + n * k))
                    .sum();
                elements += 1;
                let expected = self.word_of(sum);
                let got = words
                    .get(word as usize * 4..)
                    .and_then(|rest| rest.first_chunk::<4>());
                if got != Some(&expected) {
                    let wrong = WrongElement {
                        row,
                        column,
                        expected: self.number_of(expected),
                        got: got.map_or(f64::NAN, |word| self.number_of(*word)),
                    };
                    return Ok(Compared {
                        elements,
                        wrong: Some(wrong),
                    });
                }
            }
        }
        Ok(Compared {
            elements,
            wrong: None,
        })
    }

    fn number_of(&self, word: [u8; 4]) -> f64 {
        if self.atom.c.element == Element::S32 {
            f64::from(i32::from_le_bytes(word))
        } else {
            f64::from(f32::from_le_bytes(word))
        }
    }
}

/// `sums(m,n) += a(m,k) * b(n,k)`, all of them first mode fastest.
fn add_product(sums: &mut [i64], a: &[i64], b: &[i64], [m, n]: [i64; 2]) {
    let (m, n) = (m as usize, n as usize);
    for (of_a, of_b) in a.chunks(m).zip(b.chunks(n)) {
        for (column, right) in sums.chunks_mut(m).zip(of_b) {
            for (sum, left) in column.iter_mut().zip(of_a) {
                *sum += left * right;
            }
        }
    }
}

/// Rows of one instruction.
fn rows_of(generation: Generation) -> i64 {
    match generation {
        Generation::Wgmma => 64,
        Generation::Tcgen05 => 128,
    }
}

/// A tile without swizzle that every instruction can read.
fn plain_tile(element_bits: i64, rows: i64, depth: i64) -> Result<SharedLayout, Refusal> {
    let atom = SmemAtom::dense(Major::K, Span::B16, element_bits).layout()?;
    tile_to_shape(&atom, &format!("(_{rows},_{depth})").parse()?, None)
}

/// CUTLASS's name of the instruction.
fn atom_name(generation: Generation, stored: Stored, n: i64, [a, b]: [Major; 2]) -> String {
    let (a, b) = (a.name(), b.name());
    match (generation, stored) {
        (Generation::Wgmma, Stored::F16) => {
            format!("SM90_64x{n}x16_F32F16F16_SS<GMMA::Major::{a}, GMMA::Major::{b}>")
        }
        (Generation::Wgmma, Stored::Tf32) => format!("SM90_64x{n}x8_F32TF32TF32_SS_TN"),
        (Generation::Wgmma, Stored::S8) => format!("SM90_64x{n}x32_S32S8S8_SS_TN"),
        (Generation::Tcgen05, stored) => {
            let (kind, element, result) = match stored {
                Stored::F16 => ("F16BF16", "half_t", "float"),
                Stored::Tf32 => ("TF32", "tfloat32_t", "float"),
                Stored::S8 => ("S8", "int8_t", "int32_t"),
            };
            format!(
                "SM100_MMA_{kind}_SS<{element}, {element}, {result}, 128, {n}, UMMA::Major::{a}, UMMA::Major::{b}>"
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tile(atom: &str, shape: &str) -> SharedLayout {
        let atom = SmemAtom::named(atom).unwrap().layout().unwrap();
        tile_to_shape(&atom, &shape.parse().unwrap(), None).unwrap()
    }

    fn agrees(product: &Product) -> usize {
        let answer = product.compared(&product.on_cpu().unwrap()).unwrap();
        assert_eq!(
            answer.wrong,
            None,
            "{} {:?}",
            product.atom_name(),
            product.inputs
        );
        let jobs = product.jobs().unwrap();
        assert_eq!(jobs.len() as i64, product.blocks());
        answer.elements
    }

    #[test]
    fn every_canonical_tile_times_an_identity_is_itself() {
        for (atom, shape) in [
            ("GMMA::Layout_K_INTER_Atom<half_t>", "(_64,_16)"),
            ("GMMA::Layout_K_SW32_Atom<half_t>", "(_64,_64)"),
            ("GMMA::Layout_K_SW64_Atom<half_t>", "(_64,_32)"),
            ("GMMA::Layout_K_SW128_Atom<half_t>", "(_128,_64)"),
            ("GMMA::Layout_MN_INTER_Atom<half_t>", "(_64,_16)"),
            ("GMMA::Layout_MN_SW32_Atom<half_t>", "(_64,_32)"),
            ("GMMA::Layout_MN_SW64_Atom<half_t>", "(_64,_16)"),
            ("GMMA::Layout_MN_SW128_Atom<half_t>", "(_128,_64)"),
            ("GMMA::Layout_K_SW128_Atom<tfloat32_t>", "(_64,_32)"),
            ("GMMA::Layout_K_SW64_Atom<int8_t>", "(_64,_64)"),
        ] {
            let shared = tile(atom, shape);
            let product = Product::identity(Generation::Wgmma, &shared, Role::A).unwrap();
            let [m, n, k] = product.mnk();
            assert_eq!((agrees(&product) as i64, n), (m * k, k), "{atom}");
            if k <= 64 {
                agrees(&Product::identity(Generation::Wgmma, &shared, Role::B).unwrap());
            }
        }
    }

    #[test]
    fn a_tile_of_tcgen05_times_an_identity_is_itself() {
        for (atom, shape) in [
            ("UMMA::Layout_K_SW128_Atom<half_t>", "(_128,_64)"),
            ("UMMA::Layout_MN_SW128_Atom<half_t>", "(_128,_64)"),
            ("UMMA::Layout_K_SW32_Atom<tfloat32_t>", "(_128,_8)"),
            ("UMMA::Layout_K_SW64_Atom<int8_t>", "(_128,_64)"),
        ] {
            let shared = tile(atom, shape);
            for role in [Role::A, Role::B] {
                let product = Product::identity(Generation::Tcgen05, &shared, role).unwrap();
                agrees(&product);
                assert_eq!(product.jobs().unwrap()[0].kernel.target, "sm_100a");
            }
        }
    }

    #[test]
    fn a_whole_tile_of_random_integers_is_multiplied() {
        let a = tile("GMMA::Layout_K_SW128_Atom<half_t>", "(_128,_64)");
        let b = tile("GMMA::Layout_MN_SW128_Atom<half_t>", "(_256,_64)");
        let product = Product::random(Generation::Wgmma, &a, &b, 3).unwrap();
        assert_eq!(agrees(&product), 128 * 256);
        let kernel = &product.jobs().unwrap()[1].kernel;
        assert_eq!(kernel.text.matches("wgmma.mma_async").count(), 4);
    }

    #[test]
    fn a_descriptor_of_another_tile_is_noticed() {
        let shared = tile("GMMA::Layout_K_SW64_Atom<half_t>", "(_64,_32)");
        let mut product = Product::identity(Generation::Wgmma, &shared, Role::A).unwrap();
        product.a.descriptor.span = Span::B32;
        let answer = product.compared(&product.on_cpu().unwrap()).unwrap();
        assert!(answer.wrong.is_some());
    }

    #[test]
    fn what_no_instruction_multiplies_is_refused() {
        let rule = |shared: &SharedLayout, role| {
            Product::identity(Generation::Wgmma, shared, role)
                .unwrap_err()
                .rule
        };
        let shape = cute_hardware::Rule::MmaShape;
        let few = tile("GMMA::Layout_K_SW128_Atom<half_t>", "(_32,_64)");
        assert_eq!(rule(&few, Role::A), shape);
        let odd: SharedLayout = "smem_ptr[16b](unset) o (_64,_16):(_16,_1)".parse().unwrap();
        assert_eq!(rule(&odd, Role::A), cute_hardware::Rule::NotCanonical);
        let bits: SharedLayout = "smem_ptr[4b](unset) o (_64,_64):(_64,_1)".parse().unwrap();
        assert_eq!(rule(&bits, Role::A), Rule::Unsupported.into());
        let major = tile("GMMA::Layout_MN_SW128_Atom<int8_t>", "(_128,_32)");
        assert_eq!(rule(&major, Role::A), cute_hardware::Rule::MmaOperand);
    }
}
