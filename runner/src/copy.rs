//! Copies between two layouts: element `c` of the source goes to element `c` of the destination, as
//! many adjacent elements at once as both allow (paper §2.4.1 and table 3, COPY; §3.4.2, vectors).

use cute_algebra::ops::complement::complement;
use cute_algebra::ops::composition::composition;
use cute_algebra::ops::swizzled::max_common_layout_any;
use cute_algebra::{AnyLayout, Delta, Int, Layout, Rule};
use cute_hardware::Refusal;
use cute_hardware::address::{Program, ptx::copy_kernel};
use cute_hardware::memory::access::vector_width;

use crate::job::{Argument, Buffer, Contents, Job, Launch, Timing};
use crate::numbers::{known, offset, refusal};

/// The most elements of a copy: each is checked.
pub const ELEMENTS: i64 = 1 << 24;

/// Bytes to which every allocation of the driver is aligned.
const ALIGNMENT_BYTES: i64 = 256;

/// The widest access of architectures up to `sm_90`, in bits.
const WIDEST_BITS: i64 = 128;

/// Blocks of a copy: a few for each multiprocessor of a large device; more elements are a loop.
const BLOCKS: i64 = 1056;

/// A byte that no element of the destination has by chance only.
const UNTOUCHED: u8 = 0xA5;

/// A copy that is ready to run.
#[derive(Clone, Debug)]
pub struct Copy {
    source: AnyLayout,
    destination: AnyLayout,
    element_bytes: i64,
    /// Elements that one access moves.
    vector: i64,
    /// Vectors in all.
    count: i64,
    /// Vector number to byte offset in the source, and in the destination.
    programs: [Program; 2],
    /// Bytes of the source, and of the destination.
    bytes: [i64; 2],
}

/// An element of the destination that does not hold what the source has at its coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Misplaced {
    /// The colexicographic index of the coordinate.
    pub coordinate: i64,
    /// Its offset in the source, in elements.
    pub from: i64,
    /// Its offset in the destination, in elements.
    pub to: i64,
}

impl Copy {
    /// The copy of elements of `element_bits` from one layout to another of the same size.
    ///
    /// # Errors
    /// `NotProvable` for what is not known, `RankMismatch` for different sizes, `Limit` for more than
    /// [`ELEMENTS`], `Unsupported` for elements of no whole power of two of bytes up to 16 and for
    /// offsets below zero, `NotInjective` for a destination in which two elements meet.
    pub fn between(
        source: &AnyLayout,
        destination: &AnyLayout,
        element_bits: i64,
    ) -> Result<Self, Refusal> {
        let (source, destination) = (
            &with_fixed_numbers(source)?,
            &with_fixed_numbers(destination)?,
        );
        let element_bytes = element_bits / 8;
        if element_bits % 8 != 0 || !matches!(element_bytes, 1 | 2 | 4 | 8 | 16) {
            return Err(refusal(Rule::Unsupported).with("element_bits", element_bits));
        }
        let (size, other) = (known(&source.size()?)?, known(&destination.size()?)?);
        if size != other {
            return Err(refusal(Rule::RankMismatch)
                .with("source_size", size)
                .with("destination_size", other));
        }
        if size > ELEMENTS {
            return Err(refusal(Rule::Limit)
                .with("size", size)
                .with("limit", ELEMENTS));
        }
        let (vector, starts) = vectors(source, destination, element_bits, size)?;
        let count = known(&starts.size()?)?;
        let starts = Program::of_index(&starts.into())?;
        let last = known(&Int::fixed(span(source)?.max(span(destination)?)))?;
        let to_bytes = Program::of_index(&scale(last, element_bytes)?)?;
        let program = |layout: &AnyLayout| -> Result<Program, Refusal> {
            Ok(starts.then(&Program::of_index(layout)?).then(&to_bytes))
        };
        let copy = Self {
            programs: [program(source)?, program(destination)?],
            bytes: [
                span(source)? * element_bytes,
                span(destination)? * element_bytes,
            ],
            source: source.clone(),
            destination: destination.clone(),
            element_bytes,
            vector,
            count,
        };
        copy.refuse_meetings()?;
        Ok(copy)
    }

    /// The copy of as many elements, in order: what a machine reaches at best.
    ///
    /// # Errors
    /// None for a copy that exists.
    pub fn identity(&self) -> Result<Self, Refusal> {
        let plain = scale(self.count * self.vector, 1)?;
        Self::between(&plain, &plain, self.element_bytes * 8)
    }

    /// Bytes that one access moves.
    pub fn vector_bytes(&self) -> i64 {
        self.vector * self.element_bytes
    }

    /// Bytes that are read, which are as many as are written.
    pub fn moved_bytes(&self) -> i64 {
        self.vector_bytes() * self.count
    }

    /// The launch that copies on a GPU.
    ///
    /// # Errors
    /// `Limit` for more vectors than 32 bits count.
    pub fn job(&self, timing: Option<Timing>) -> Result<Job, Refusal> {
        let words = |value: i64| {
            u32::try_from(value).map_err(|_| refusal(Rule::Limit).with("vectors", value))
        };
        let [source, destination] = &self.programs;
        let kernel = copy_kernel(source, destination, words(self.vector_bytes())?);
        let threads = kernel.threads;
        let blocks = (self.count + i64::from(threads) - 1) / i64::from(threads);
        Ok(Job {
            buffers: vec![
                Buffer {
                    name: "source",
                    contents: Contents::Bytes(self.tagged_source()),
                    is_result: false,
                },
                Buffer {
                    name: "destination",
                    contents: Contents::Filled(self.bytes[1].max(1) as u64, UNTOUCHED),
                    is_result: true,
                },
            ],
            arguments: vec![
                Argument::Buffer(0),
                Argument::Buffer(1),
                Argument::Word(words(self.count)?),
            ],
            maps: Vec::new(),
            launch: Launch {
                blocks: words(blocks.clamp(1, BLOCKS))?,
                threads,
                shared_bytes: 0,
            },
            kernel,
            timing,
        })
    }

    /// What the destination holds after the copy, by interpreting the same programs here.
    ///
    /// # Errors
    /// `Overflow` where a program leaves 64-bit integers, or the buffers.
    pub fn on_cpu(&self) -> Result<Vec<u8>, Refusal> {
        let source = self.tagged_source();
        let mut destination = vec![UNTOUCHED; self.bytes[1].max(1) as usize];
        let width = self.vector_bytes() as usize;
        for vector in 0..self.count {
            let place = |program: &Program| {
                let byte = program.run(&[vector])?;
                usize::try_from(byte).ok()
            };
            let moved = (|| {
                let from = place(&self.programs[0])?;
                let to = place(&self.programs[1])?;
                let taken = source.get(from..from.checked_add(width)?)?;
                destination
                    .get_mut(to..to.checked_add(width)?)?
                    .copy_from_slice(taken);
                Some(())
            })();
            moved.ok_or_else(|| refusal(Rule::Overflow).with("vector", vector))?;
        }
        Ok(destination)
    }

    /// The first element that is not where the algebra says; `None` for a right copy.
    ///
    /// # Errors
    /// Those of the evaluation of the layouts.
    pub fn first_misplaced(&self, destination: &[u8]) -> Result<Option<Misplaced>, Refusal> {
        let source = self.tagged_source();
        let element = |bytes: &[u8], offset: i64| -> Option<Vec<u8>> {
            let start = usize::try_from(offset * self.element_bytes).ok()?;
            bytes
                .get(start..start + self.element_bytes as usize)
                .map(<[u8]>::to_vec)
        };
        for coordinate in 0..self.count * self.vector {
            let from = offset(&self.source, coordinate)?;
            let to = offset(&self.destination, coordinate)?;
            let expected = element(&source, from);
            if expected.is_none() || expected != element(destination, to) {
                return Ok(Some(Misplaced {
                    coordinate,
                    from,
                    to,
                }));
            }
        }
        Ok(None)
    }

    /// Every element of the source holds its own offset, as far as its bytes go; larger elements
    /// repeat it.
    fn tagged_source(&self) -> Vec<u8> {
        let elements = self.bytes[0] / self.element_bytes;
        let width = self.element_bytes as usize;
        let mut bytes = Vec::with_capacity(self.bytes[0] as usize);
        for offset in 0..elements {
            // Neighbouring offsets differ in every byte, also where an element has only one.
            let tag = (offset as u32).wrapping_mul(0x9E37_79B1).to_be_bytes();
            bytes.extend(tag.iter().cycle().take(width));
        }
        bytes
    }

    fn refuse_meetings(&self) -> Result<(), Refusal> {
        let elements = self.bytes[1] / self.element_bytes;
        let mut taken: Vec<Option<i64>> = vec![None; elements as usize];
        for coordinate in 0..self.count * self.vector {
            let offset = offset(&self.destination, coordinate)?;
            let place = usize::try_from(offset)
                .ok()
                .and_then(|at| taken.get_mut(at));
            let place = place.ok_or_else(|| refusal(Rule::Overflow).with("offset", offset))?;
            if let Some(first) = place.replace(coordinate) {
                return Err(refusal(Rule::NotInjective)
                    .with("first_coordinate", first)
                    .with("second_coordinate", coordinate)
                    .with("offset", offset));
            }
        }
        Ok(())
    }
}

/// Elements of the widest access, and the layout of the coordinates at which the accesses start.
fn vectors(
    source: &AnyLayout,
    destination: &AnyLayout,
    element_bits: i64,
    size: i64,
) -> Result<(i64, Layout), Refusal> {
    let alignment = [ALIGNMENT_BYTES, ALIGNMENT_BYTES];
    let wide = vector_width(source, destination, element_bits, alignment, WIDEST_BITS)
        .map_or(1, |width| width.elements);
    if wide > 1
        && let Some(starts) = starts(source, destination, wide, size)
    {
        return Ok((wide, starts));
    }
    Ok((1, Layout::left(Int::fixed(size).into())?))
}

/// The coordinates at which vectors start: the complement of the coordinates within one vector.
fn starts(source: &AnyLayout, destination: &AnyLayout, wide: i64, size: i64) -> Option<Layout> {
    let common = max_common_layout_any(source, destination).ok()?;
    let first = Layout::left(Int::fixed(wide).into()).ok()?;
    let within = composition(&common, &first).ok()?;
    let starts = complement(&within, &Int::fixed(size).into()).ok()?;
    (starts.size().ok()?.value()? * wide == size).then_some(starts)
}

/// The same layout with every number that is known fixed: the program is made for these numbers,
/// whether or not a compiler would have known them.
fn with_fixed_numbers(layout: &AnyLayout) -> Result<AnyLayout, Refusal> {
    Ok(layout.map_domain(|domain| {
        let stride = domain.stride().map(|delta| match delta {
            Delta::Int(int) => Delta::Int(int.to_fixed()),
            other => other.clone(),
        });
        Layout::new(domain.shape().to_fixed(), stride)
    })?)
}

/// The layout that takes an offset below `count` to `factor` times it.
fn scale(count: i64, factor: i64) -> Result<AnyLayout, Refusal> {
    Ok(Layout::new(
        Int::fixed(count.max(1)).into(),
        Delta::from(Int::fixed(factor)).into(),
    )?
    .into())
}

/// Elements from offset 0 to the last offset.
fn span(layout: &AnyLayout) -> Result<i64, Refusal> {
    let size = known(&layout.size()?)?;
    let mut end = 0;
    for coordinate in 0..size.min(ELEMENTS) {
        let offset = offset(layout, coordinate)?;
        if offset < 0 {
            return Err(refusal(Rule::Unsupported)
                .with("coordinate", coordinate)
                .with("offset", offset));
        }
        end = end.max(offset + 1);
    }
    Ok(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy(source: &str, destination: &str, bits: i64) -> Result<Copy, Refusal> {
        Copy::between(
            &source.parse().unwrap(),
            &destination.parse().unwrap(),
            bits,
        )
    }

    fn is_right(copy: &Copy) -> bool {
        let destination = copy.on_cpu().unwrap();
        copy.first_misplaced(&destination).unwrap().is_none()
    }

    #[test]
    fn contiguous_rows_move_sixteen_bytes_at_once() {
        let same = copy("(16,64):(64,1)", "(16,64):(72,1)", 16).unwrap();
        assert_eq!(same.vector_bytes(), 16);
        assert!(is_right(&same));
        let transposed = copy("(16,64):(64,1)", "(16,64):(1,16)", 16).unwrap();
        assert_eq!(transposed.vector_bytes(), 2);
        assert!(is_right(&transposed));
    }

    #[test]
    fn a_swizzle_keeps_the_width_that_its_base_leaves() {
        let copy = copy("(8,64):(64,1)", "Sw<3,3,3> o 0 o (8,64):(64,1)", 16).unwrap();
        assert_eq!(copy.vector_bytes(), 16);
        assert!(is_right(&copy));
    }

    #[test]
    fn a_wrong_destination_is_noticed() {
        let copy = copy("(4,4):(4,1)", "(4,4):(1,4)", 32).unwrap();
        let mut destination = copy.on_cpu().unwrap();
        destination.swap(4, 8);
        destination.swap(5, 9);
        destination.swap(6, 10);
        destination.swap(7, 11);
        let misplaced = copy.first_misplaced(&destination).unwrap();
        assert_eq!(misplaced.map(|place| place.coordinate), Some(1));
    }

    #[test]
    fn what_cannot_be_copied_is_refused_with_numbers() {
        let rule = |source, destination, bits| copy(source, destination, bits).unwrap_err().rule;
        assert_eq!(rule("4:1", "5:1", 32), Rule::RankMismatch.into());
        assert_eq!(rule("4:1", "4:0", 32), Rule::NotInjective.into());
        assert_eq!(rule("4:1", "4:-1", 32), Rule::Unsupported.into());
        assert_eq!(rule("4:1", "4:1", 4), Rule::Unsupported.into());
        assert_eq!(rule("M:1", "4:1", 32), Rule::NotProvable.into());
    }
}
