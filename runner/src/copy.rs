//! Copies between two layouts: element `c` of the source goes to element `c` of the destination, as
//! many adjacent elements at once as both allow (paper §2.4.1 and table 3, COPY; §3.4.2, vectors).

use cute_algebra::ops::complement::complement;
use cute_algebra::ops::composition::composition;
use cute_algebra::ops::swizzled::max_common_layout_any;
use cute_algebra::{AnyLayout, Delta, Int, Layout, Rule};
use cute_hardware::Refusal;
use cute_hardware::address::{Program, ptx::copy_kernel};
use cute_hardware::memory::access::vector_width;

use crate::job::{Argument, BUFFER_BYTES, Buffer, Job, Launch, Outcome, Timing};
use crate::numbers::{known, place, refusal, span, with_fixed_numbers};
use crate::watch::{Stop, Watch, step};

/// The most elements of a copy: each is checked.
pub const ELEMENTS: i64 = 1 << 24;

/// Bytes to which every allocation of the driver is aligned.
const ALIGNMENT_BYTES: i64 = 256;

/// The widest access of architectures up to `sm_90`, in bits.
const WIDEST_BITS: i64 = 128;

/// Blocks of a copy: a few for each multiprocessor of a large device; more elements are a loop.
const BLOCKS: u32 = 1056;

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

/// An element of the destination that differs from the element of the source at its coordinate.
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
    /// `NotProvable` for unknown numbers, `RankMismatch` for different sizes, `Limit` for more than [`ELEMENTS`] or
    /// more memory than [`BUFFER_BYTES`], `Unsupported` for elements of no whole power of two of bytes up to 16 and for
    /// offsets below zero, `NotInjective` for a destination in which two elements meet; the end by the watch.
    pub fn between(
        source: &AnyLayout,
        destination: &AnyLayout,
        element_bits: i64,
        watch: &dyn Watch,
    ) -> Result<Self, Stop> {
        let (source, destination) = (
            &with_fixed_numbers(source)?,
            &with_fixed_numbers(destination)?,
        );
        let element_bytes = element_bits / 8;
        if element_bits % 8 != 0 || !matches!(element_bytes, 1 | 2 | 4 | 8 | 16) {
            return Err(refusal(Rule::Unsupported)
                .with("element_bits", element_bits)
                .into());
        }
        let (size, other) = (known(&source.size()?)?, known(&destination.size()?)?);
        if size != other {
            return Err(refusal(Rule::RankMismatch)
                .with("source_size", size)
                .with("destination_size", other)
                .into());
        }
        if size > ELEMENTS {
            return Err(refusal(Rule::Limit)
                .with("size", size)
                .with("limit", ELEMENTS)
                .into());
        }
        let spans = [
            span(source, element_bytes, watch)?,
            span(destination, element_bytes, watch)?,
        ];
        let bytes = spans.map(|elements| elements * element_bytes);
        let limit = BUFFER_BYTES as i64;
        if bytes[0] + bytes[1] > limit {
            return Err(refusal(Rule::Limit)
                .with("bytes", bytes[0] + bytes[1])
                .with("limit", limit)
                .into());
        }
        let (vector, starts) = vectors(source, destination, element_bits, size)?;
        let count = known(&starts.size()?)?;
        let starts = Program::of_index(&starts.into())?;
        let to_bytes = Program::of_index(&scale(spans[0].max(spans[1]), element_bytes)?)?;
        let program = |layout: &AnyLayout| -> Result<Program, Refusal> {
            Ok(starts.then(&Program::of_index(layout)?).then(&to_bytes))
        };
        refuse_meetings(destination, spans[1], watch)?;
        Ok(Self {
            programs: [program(source)?, program(destination)?],
            bytes,
            source: source.clone(),
            destination: destination.clone(),
            element_bytes,
            vector,
            count,
        })
    }

    /// The copy of as many elements, in order: the best rate of a machine.
    ///
    /// # Errors
    /// None for a copy that exists.
    pub fn identity(&self) -> Result<Self, Refusal> {
        let elements = self.count * self.vector;
        let plain = scale(elements, 1)?;
        let bits = self.element_bytes * 8;
        let (vector, starts) = vectors(&plain, &plain, bits, elements)?;
        let to_bytes = Program::of_index(&scale(elements, self.element_bytes)?)?;
        let program = Program::of_index(&starts.clone().into())?.then(&to_bytes);
        Ok(Self {
            count: known(&starts.size()?)?,
            programs: [program.clone(), program],
            bytes: [elements * self.element_bytes; 2],
            source: plain.clone(),
            destination: plain,
            element_bytes: self.element_bytes,
            vector,
        })
    }

    /// The layout of the source.
    pub fn source(&self) -> &AnyLayout {
        &self.source
    }

    /// The layout of the destination.
    pub fn destination(&self) -> &AnyLayout {
        &self.destination
    }

    /// Bits of an element.
    pub fn element_bits(&self) -> i64 {
        self.element_bytes * 8
    }

    /// Bytes that one access moves.
    pub fn vector_bytes(&self) -> i64 {
        self.vector * self.element_bytes
    }

    /// Bytes that are read, which are as many as are written.
    pub fn moved_bytes(&self) -> i64 {
        self.vector_bytes() * self.count
    }

    /// The launch that copies on a GPU; with `beside` the driver copies the same buffers, too, to be compared with.
    ///
    /// # Errors
    /// `Limit` for more vectors than 32 bits count.
    pub fn job(&self, timing: Option<Timing>, beside: bool) -> Result<Job, Refusal> {
        let words = |value: i64| {
            u32::try_from(value).map_err(|_| refusal(Rule::Limit).with("vectors", value))
        };
        let [source, destination] = &self.programs;
        let kernel = copy_kernel(source, destination, words(self.vector_bytes())?);
        Ok(Job {
            buffers: vec![
                Buffer::input("source", self.tagged_source()),
                Buffer::result("destination", self.bytes[1].max(1) as u64, UNTOUCHED),
            ],
            arguments: vec![
                Argument::Buffer(0),
                Argument::Buffer(1),
                Argument::Word(words(self.count)?),
            ],
            maps: Vec::new(),
            launch: Launch::over(self.count, kernel.threads, BLOCKS),
            kernel,
            timing,
            driver_copy: beside.then_some([0, 1]),
        })
    }

    /// The content of the destination after the copy, by interpreting the same programs here.
    ///
    /// # Errors
    /// `Overflow` where a program leaves 64-bit integers, or the buffers; the end by the watch.
    pub fn on_cpu(&self, watch: &dyn Watch) -> Result<Vec<u8>, Stop> {
        let source = self.tagged_source();
        let mut destination = vec![UNTOUCHED; self.bytes[1].max(1) as usize];
        let width = self.vector_bytes() as usize;
        for vector in 0..self.count {
            step(watch, vector, self.count)?;
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
    /// Those of the evaluation of the layouts; the end by the watch.
    pub fn first_misplaced(
        &self,
        destination: &[u8],
        watch: &dyn Watch,
    ) -> Result<Option<Misplaced>, Stop> {
        let source = self.tagged_source();
        let width = self.element_bytes as usize;
        let elements = self.count * self.vector;
        for coordinate in 0..elements {
            step(watch, coordinate, elements)?;
            let from = place(&self.source, coordinate)?;
            let to = place(&self.destination, coordinate)?;
            let expected = source.get(from * width..(from + 1) * width);
            let got = destination.get(to * width..(to + 1) * width);
            if expected.is_none() || expected != got {
                return Ok(Some(Misplaced {
                    coordinate,
                    from: from as i64,
                    to: to as i64,
                }));
            }
        }
        Ok(None)
    }

    /// Every element of the source holds its own offset, to the extent that its bytes go; larger elements
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
}

/// Refuses a destination in which two elements have one place.
pub(crate) fn refuse_meetings(
    destination: &AnyLayout,
    span: i64,
    watch: &dyn Watch,
) -> Result<(), Stop> {
    let size = known(&destination.size()?)?;
    let program = Program::of_index(destination)?;
    let at = |coordinate: i64| {
        program
            .run(&[coordinate])
            .and_then(|offset| usize::try_from(offset).ok())
    };
    // One bit for each place: the span may be far larger than the size.
    let mut taken = vec![0_u64; span as usize / 64 + 1];
    for coordinate in 0..size {
        step(watch, coordinate, size)?;
        let word = at(coordinate).and_then(|offset| Some((offset, taken.get_mut(offset / 64)?)));
        let (offset, word) =
            word.ok_or_else(|| refusal(Rule::Overflow).with("coordinate", coordinate))?;
        let bit = 1 << (offset % 64);
        if *word & bit != 0 {
            let first = (0..coordinate).find(|earlier| at(*earlier) == Some(offset));
            return Err(refusal(Rule::NotInjective)
                .with("first_coordinate", first.unwrap_or(0))
                .with("second_coordinate", coordinate)
                .with("offset", offset)
                .into());
        }
        *word |= bit;
    }
    Ok(())
}

/// Bytes read and written in a second, in gigabytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Of the fastest batch.
    pub best: f64,
    /// Of the batch in the middle.
    pub median: f64,
}

impl Rate {
    /// The rate of batches of launches, each of which moves `bytes` to and fro.
    pub fn of(bytes: i64, milliseconds: &[f64]) -> Option<Self> {
        let mut sorted = milliseconds.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (best, median) = (sorted.first()?, sorted.get(sorted.len() / 2)?);
        #[allow(clippy::cast_precision_loss)] // Far below 2^53 bytes.
        let moved = 2.0 * bytes as f64;
        Some(Self {
            best: moved / best / 1e6,
            median: moved / median / 1e6,
        })
    }
}

/// The rates of a copy, and those that it is measured against in the same run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// The copy.
    pub copy: Rate,
    /// A copy of as many bytes, in order, by our kernel.
    pub identity: Rate,
    /// The same by the driver.
    pub driver: Option<Rate>,
}

impl Rates {
    /// The rates of a copy's job and of that of its identity.
    pub fn of(copy: &Copy, outcomes: &[Outcome]) -> Option<Self> {
        let [own, identity, ..] = outcomes else {
            return None;
        };
        let bytes = copy.moved_bytes();
        Some(Self {
            copy: Rate::of(bytes, &own.milliseconds)?,
            identity: Rate::of(bytes, &identity.milliseconds)?,
            driver: Rate::of(bytes, &identity.driver_copy_milliseconds),
        })
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

/// The layout that takes an offset below `count` to `factor` times it.
fn scale(count: i64, factor: i64) -> Result<AnyLayout, Refusal> {
    Ok(Layout::new(
        Int::fixed(count.max(1)).into(),
        Delta::from(Int::fixed(factor)).into(),
    )?
    .into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::Unwatched;

    fn copy(source: &str, destination: &str, bits: i64) -> Result<Copy, Refusal> {
        let (source, destination) = (source.parse().unwrap(), destination.parse().unwrap());
        match Copy::between(&source, &destination, bits, &Unwatched) {
            Err(Stop::Refused(refusal)) => Err(refusal),
            other => Ok(other.unwrap()),
        }
    }

    fn is_right(copy: &Copy) -> bool {
        let destination = copy.on_cpu(&Unwatched).unwrap();
        copy.first_misplaced(&destination, &Unwatched)
            .unwrap()
            .is_none()
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
        let mut destination = copy.on_cpu(&Unwatched).unwrap();
        destination.swap(4, 8);
        destination.swap(5, 9);
        destination.swap(6, 10);
        destination.swap(7, 11);
        let misplaced = copy.first_misplaced(&destination, &Unwatched).unwrap();
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
        let far = "(2,2):(1,1000000000000)";
        assert_eq!(rule("(2,2):(1,2)", far, 8), Rule::Limit.into());
        let half = "(2,2):(1,100000000)";
        assert_eq!(rule(half, half, 64), Rule::Limit.into());
    }

    #[test]
    fn the_identity_of_a_copy_moves_as_many_bytes() {
        let copy = copy("(16,64):(64,1)", "(16,64):(1,16)", 16).unwrap();
        let identity = copy.identity().unwrap();
        assert_eq!(identity.moved_bytes(), copy.moved_bytes());
        assert_eq!(identity.vector_bytes(), 16);
        assert!(is_right(&identity));
    }

    #[test]
    fn rates_are_bytes_to_and_fro() {
        let rate = Rate::of(1_000_000, &[2.0, 1.0, 4.0]).unwrap();
        assert_eq!((rate.best, rate.median), (2.0, 1.0));
        assert_eq!(Rate::of(1, &[]), None);
    }
}
