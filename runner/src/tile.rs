//! An operand of a product: a tile as it is in shared memory, and as a matrix descriptor makes the hardware read it.

use cute_algebra::ops::divide::zipped_divide;
use cute_algebra::{Delta, Int, Layout, Rule, Tiler};
use cute_hardware::descriptor::canonical::{describe, described_tile};
use cute_hardware::descriptor::{Generation, MatrixDescriptor};
use cute_hardware::{Major, MmaAtom, Refusal, SharedLayout};

use crate::numbers::{contiguous_mode, matrix_extents, place, refusal};
use crate::stored::Stored;

/// Images start at multiples of this many bytes, as every swizzle wants it.
const IMAGE_BYTES: i64 = 1024;

/// One operand: a tile in shared memory.
#[derive(Clone, Debug)]
pub(crate) struct Tile {
    pub(crate) shared: SharedLayout,
    pub(crate) major: Major,
    /// Rows of A or columns of the result for B, and the depth.
    pub(crate) extents: [i64; 2],
    /// Of one instruction: the same.
    pub(crate) part: [i64; 2],
    /// Of the first instruction, for an image at address 0.
    pub(crate) descriptor: MatrixDescriptor,
    /// The starts of each instruction's part, in bytes, the parts along the rows fastest.
    pub(crate) starts: Vec<i64>,
    /// By colexicographic coordinate.
    pub(crate) values: Vec<i64>,
    pub(crate) stored: Stored,
}

impl Tile {
    pub(crate) fn of(
        generation: Generation,
        shared: &SharedLayout,
        part: [i64; 2],
        stored: Stored,
    ) -> Result<Self, Refusal> {
        let extents = matrix_extents(&shared.layout)?;
        let tiler =
            part.map(|extent| Tiler::Layout(Layout::single(Int::fixed(extent), Delta::fixed(1))));
        let divided = zipped_divide(&shared.layout, &Tiler::Modes(tiler.to_vec()))?;
        let first = shared.with_layout(divided.mode(0)?);
        let major = if contiguous_mode(&first.layout)? == 0 {
            Major::Mn
        } else {
            Major::K
        };
        let rest = divided.mode(1)?;
        let mut starts = Vec::new();
        for index in 0..(extents[0] / part[0]) * (extents[1] / part[1]) {
            let byte = rest.eval_number(index)? * shared.element_bits / 8;
            if byte % 16 != 0 {
                return Err(refusal(cute_hardware::Rule::MisalignedStart)
                    .with("bytes", byte)
                    .with("multiple_of", 16_i64));
            }
            starts.push(byte);
        }
        Ok(Self {
            descriptor: describe(generation, major, &first)?,
            shared: shared.clone(),
            major,
            extents,
            part,
            starts,
            values: vec![0; (extents[0] * extents[1]) as usize],
            stored,
        })
    }

    /// Only 16-bit operands of `wgmma` may be contiguous along M or N.
    pub(crate) fn refuse_unless_major(&self, atom: &MmaAtom) -> Result<(), Refusal> {
        let is_fixed = atom.tcgen05.is_none() && self.stored != Stored::F16;
        if is_fixed && self.major == Major::Mn {
            return Err(refusal(cute_hardware::Rule::MmaOperand)
                .with("major", self.major.name())
                .with("element_bits", self.shared.element_bits)
                .legal(Major::K.name()));
        }
        Ok(())
    }

    pub(crate) fn start(&self, block: i64, slice: i64) -> Result<i64, Refusal> {
        let blocks = self.extents[0] / self.part[0];
        let start = usize::try_from(block + blocks * slice).ok();
        start
            .and_then(|index| self.starts.get(index).copied())
            .ok_or_else(|| refusal(Rule::Overflow).with("slice", slice))
    }

    pub(crate) fn value(&self, coordinate: i64) -> i64 {
        let index = usize::try_from(coordinate).ok();
        index
            .and_then(|index| self.values.get(index).copied())
            .unwrap_or(0)
    }

    pub(crate) fn fill(&mut self, mut value: impl FnMut(i64) -> i64) {
        for (coordinate, target) in (0..).zip(&mut self.values) {
            *target = value(coordinate);
        }
    }

    /// A number for each element, different as long as the type allows it.
    pub(crate) fn number(&mut self) {
        let most = self.stored.most();
        let all = 2 * most + 1;
        // 151 has no factor in common with 255 and 4095.
        self.fill(|coordinate| coordinate * 151 % all - most);
    }

    pub(crate) fn become_identity(&mut self) {
        let rows = self.extents[0];
        self.fill(|coordinate| i64::from(coordinate % rows == coordinate / rows));
    }

    /// Bytes of the image, whole patterns of the swizzle.
    pub(crate) fn image_bytes(&self) -> Result<i64, Refusal> {
        let size = self.values.len() as i64;
        let layout = self.shared.position_independent()?;
        let mut end = 0;
        for coordinate in 0..size {
            end = end.max(place(&layout, coordinate)? as i64 + 1);
        }
        let bytes = end.saturating_mul(self.shared.element_bits / 8);
        Ok(bytes.saturating_add(IMAGE_BYTES - 1) / IMAGE_BYTES * IMAGE_BYTES)
    }

    /// The bytes of shared memory, every element where the layout says.
    pub(crate) fn image(&self) -> Result<Vec<u8>, Refusal> {
        let layout = self.shared.position_independent()?;
        let mut image = vec![0; self.image_bytes()? as usize];
        let mut taken = vec![false; image.len()];
        let width = (self.shared.element_bits / 8) as usize;
        for (coordinate, value) in (0..).zip(&self.values) {
            let at = place(&layout, coordinate)? * width;
            let target = (image.get_mut(at..at + width), taken.get_mut(at));
            let (Some(target), Some(taken)) = target else {
                return Err(refusal(Rule::Overflow).with("coordinate", coordinate));
            };
            if std::mem::replace(taken, true) {
                return Err(refusal(Rule::NotInjective)
                    .with("coordinate", coordinate)
                    .with("offset", at / width));
            }
            target.copy_from_slice(&self.stored.bytes(*value));
        }
        Ok(image)
    }

    /// The values that an instruction reads of an image through its descriptor, by colexicographic coordinate.
    pub(crate) fn read(&self, image: &[u8], block: i64, slice: i64) -> Result<Vec<i64>, Refusal> {
        let descriptor = self.descriptor.advance(self.start(block, slice)?)?;
        let descriptor = MatrixDescriptor::decode(descriptor.generation, descriptor.encode()?)?;
        let [rows, depth] = self.part;
        let bits = self.shared.element_bits;
        let tile = described_tile(&descriptor, self.major, bits, rows, depth)?;
        (0..rows * depth)
            .map(|coordinate| {
                let byte =
                    descriptor.start_address * 16 + tile.layout.eval_number(coordinate)? * bits / 8;
                // The hardware swizzles addresses; the image starts at a whole pattern.
                let at = usize::try_from(tile.swizzle.apply(byte)).ok();
                at.and_then(|at| self.stored.value(image.get(at..)?))
                    .ok_or_else(|| refusal(Rule::Overflow).with("byte", byte))
            })
            .collect()
    }
}
