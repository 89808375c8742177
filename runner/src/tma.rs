//! TMA loads of a tile: boxes inside and across the bounds of a tensor, put into poisoned shared memory with the previewed
//! descriptor and compared byte for byte with the model and with the swizzled layout.

use std::collections::BTreeSet;

use cute_algebra::{Delta, Int, Layout, Rule, Tiler, Tuple};
use cute_hardware::kernel::tma::{POISON, load_kernel, multicast_kernel};
use cute_hardware::multiprocessor::shared_of_a_cta;
use cute_hardware::tma::encoding::{WORDS, differing_words, encode};
use cute_hardware::tma::load::{Move, load};
use cute_hardware::tma::{TmaAtom, TmaRequest};
use cute_hardware::{Element, Refusal, SharedLayout, TemplateId};

use crate::Failure;
use crate::job::{Argument, BUFFER_BYTES, Buffer, Job, Launch, Outcome};
use crate::numbers::{contiguous_mode, extents, known, refusal};

/// Alignment of every row of a tensor that TMA reads, in bytes (CUDA driver API,
/// `cuTensorMapEncodeTiled`).
const ROW_BYTES: i64 = 16;

/// Shared memory that a block may have (`sm_90`), in bytes.
const SHARED_BYTES: i64 = shared_of_a_cta(90);

/// The architecture whose descriptors are compared.
const ARCHITECTURE: u16 = 90;

/// Blocks of the cluster that one load fills.
const CLUSTER: u32 = 2;

/// Loads of a tile from a tensor.
#[derive(Clone, Debug)]
pub struct TmaLoad {
    shared: SharedLayout,
    global: Layout,
    atom: TmaAtom,
    element_bytes: i64,
}

/// A byte of shared memory with another content than expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongByte {
    /// Its place, from the start of the buffer.
    pub shared_byte: i64,
    /// The expected byte.
    pub expected: u8,
    /// The actual byte; `None` beyond the end.
    pub got: Option<u8>,
}

/// The place of a box in its tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// At the origin, inside.
    Inside,
    /// Half of it behind the end of every mode.
    AcrossTheEnd,
    /// Half of it before the start of every mode.
    AcrossTheStart,
    /// At the origin, loaded into every block of a cluster.
    Multicast,
}

impl Placement {
    /// All, in the order of [`TmaLoad::jobs`].
    pub const ALL: [Self; 4] = [
        Self::Inside,
        Self::AcrossTheEnd,
        Self::AcrossTheStart,
        Self::Multicast,
    ];

    /// For a person.
    pub fn name(self) -> &'static str {
        match self {
            Self::Inside => "at the origin",
            Self::AcrossTheEnd => "across the end",
            Self::AcrossTheStart => "across the start",
            Self::Multicast => "into a cluster",
        }
    }

    /// The blocks that receive it.
    fn blocks(self) -> u32 {
        match self {
            Self::Multicast => CLUSTER,
            _ => 1,
        }
    }
}

/// The comparison of the loads of a tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TmaAnswer {
    /// Elements of the tile that the box at the origin has, each compared with the shared layout.
    pub compared: usize,
    /// The first byte that is not where the shared layout says.
    pub wrong: Option<WrongByte>,
    /// For each placement the first byte that differs from the model.
    pub placements: Vec<(Placement, Option<WrongByte>)>,
    /// Words in which the driver's descriptor differs from the previewed one, unknown bits left out; `None` where no driver
    /// has encoded it.
    pub descriptor: Option<Vec<usize>>,
}

impl TmaAnswer {
    /// Whether all is as previewed.
    pub fn agrees(&self) -> bool {
        let placed = |(_, wrong): &(Placement, Option<WrongByte>)| wrong.is_none();
        self.wrong.is_none()
            && self.placements.iter().all(placed)
            && self.descriptor.as_ref().is_none_or(Vec::is_empty)
    }
}

impl TmaLoad {
    /// The load of a tile with a shared layout, from a tensor of its extents in which the mode that is contiguous in
    /// shared memory is contiguous too.
    ///
    /// # Errors
    /// As [`TmaLoad::from_tensor`].
    pub fn of(shared: &SharedLayout) -> Result<Self, Refusal> {
        let extents = extents(&shared.layout)?;
        let first = contiguous_mode(&shared.layout)?;
        let global = compact(&extents, first, shared.element_bits / 8)?;
        Self::from_tensor(shared, &global)
    }

    /// The load of the first tile of a tensor into a shared layout.
    ///
    /// # Errors
    /// `Unsupported` for elements that are not whole bytes, `Limit` for a tensor or a box that is too large, `RankMismatch`
    /// for a tensor of another rank, and everything that makes a TMA descriptor of the layouts impossible.
    pub fn from_tensor(shared: &SharedLayout, global: &Layout) -> Result<Self, Refusal> {
        let bits = shared.element_bits;
        let element = Element::unsigned_of_bits(bits)
            .filter(|_| bits % 8 == 0)
            .ok_or_else(|| refusal(Rule::Unsupported).with("element_bits", bits))?;
        let element_bytes = bits / 8;
        let extents = extents(&shared.layout)?;
        if global.rank() != extents.len() {
            return Err(refusal(Rule::RankMismatch)
                .with("tensor_rank", global.rank())
                .with("tile_rank", extents.len()));
        }
        let request = TmaRequest {
            operation: TemplateId::parse("SM90_TMA_LOAD")?,
            element,
            tma_element: None,
            global: global.clone(),
            shared: shared.clone(),
            tile: Tiler::of_shape(&shape_of(&extents)?),
            multicast: 1,
            cuts_boxes: false,
        };
        let bytes = known(&global.cosize()?)?.saturating_mul(element_bytes);
        refuse_above(bytes, BUFFER_BYTES as i64)?;
        let atom = TmaAtom::new(&request)?;
        refuse_above(atom.map.box_bytes(), SHARED_BYTES)?;
        Ok(Self {
            element_bytes,
            shared: shared.clone(),
            global: global.clone(),
            atom,
        })
    }

    /// The layout of shared memory.
    pub fn shared(&self) -> &SharedLayout {
        &self.shared
    }

    /// The layout of the tensor.
    pub fn tensor(&self) -> &Layout {
        &self.global
    }

    /// The descriptor and its boxes.
    pub fn atom(&self) -> &TmaAtom {
        &self.atom
    }

    /// The launches that load boxes on a GPU and show the shared memory, one for each [`Placement`].
    ///
    /// # Errors
    /// Those of the kernels, and extents that are not known.
    pub fn jobs(&self) -> Result<Vec<Job>, Refusal> {
        let jobs = Placement::ALL.iter().map(|place| self.job(*place));
        jobs.collect()
    }

    fn job(&self, placement: Placement) -> Result<Job, Refusal> {
        let rank = self.atom.map.rank();
        let is_multicast = placement == Placement::Multicast;
        let kernel = if is_multicast {
            multicast_kernel(rank)?
        } else {
            load_kernel(rank)?
        };
        let bytes = self.atom.map.box_bytes();
        let mut arguments = vec![
            Argument::TensorMap(0),
            Argument::Buffer(1),
            Argument::Buffer(2),
        ];
        let coordinates = self.coordinates(placement)?;
        // Negative coordinates are 32-bit numbers of two's complement.
        arguments.extend(coordinates.iter().map(|at| Argument::Word(*at as u32)));
        arguments.push(Argument::Word(bytes as u32));
        let blocks = placement.blocks();
        if is_multicast {
            arguments.push(Argument::Word((1 << blocks) - 1));
        }
        Ok(Job {
            buffers: vec![
                Buffer::input("tensor", self.tagged_tensor()?),
                Buffer::result("shared memory", bytes as u64 * u64::from(blocks), 0),
                Buffer::result("status", 4, 0),
            ],
            arguments,
            launch: Launch {
                blocks,
                cluster: blocks,
                ..Launch::one(kernel.threads, bytes as u32)
            },
            maps: vec![(0, self.atom.map.clone())],
            kernel,
            timing: None,
            driver_copy: None,
        })
    }

    /// The coordinates of a box, innermost mode first.
    fn coordinates(&self, placement: Placement) -> Result<Vec<i64>, Refusal> {
        let map = &self.atom.map;
        let of_mode = |(dim, extent): (&Int, &i64)| {
            let half = (extent + 1) / 2;
            Ok(match placement {
                Placement::Inside | Placement::Multicast => 0,
                Placement::AcrossTheEnd => known(dim)? - half,
                Placement::AcrossTheStart => half - extent,
            })
        };
        map.dims.iter().zip(&map.box_dims).map(of_mode).collect()
    }

    fn moves(&self, placement: Placement) -> Result<Vec<Move>, Refusal> {
        load(&self.atom.map, &self.coordinates(placement)?, 0)
    }

    /// The content of the shared memory of every block after a load, by the model of TMA.
    ///
    /// # Errors
    /// `Overflow` for a move beyond the buffers, which the model does not make.
    pub fn on_cpu(&self, placement: Placement) -> Result<Vec<u8>, Refusal> {
        let tensor = self.tagged_tensor()?;
        let bytes = self.atom.map.box_bytes() as usize;
        let mut memory = POISON.to_le_bytes().repeat(bytes / 4 + 1);
        memory.truncate(bytes);
        let width = self.element_bytes as usize;
        for element in self.moves(placement)? {
            let moved = (|| {
                let to = usize::try_from(element.shared_byte).ok()?;
                let target = memory.get_mut(to..to.checked_add(width)?)?;
                match element.global_byte {
                    None => target.fill(0),
                    Some(from) => {
                        let from = usize::try_from(from).ok()?;
                        target.copy_from_slice(tensor.get(from..from.checked_add(width)?)?);
                    }
                }
                Some(())
            })();
            moved
                .ok_or_else(|| refusal(Rule::Overflow).with("shared_byte", element.shared_byte))?;
        }
        Ok(memory.repeat(placement.blocks() as usize))
    }

    /// The answer of the model for all placements.
    ///
    /// # Errors
    /// Those of the model and of the evaluation of the layouts.
    pub fn answer_of_the_cpu(&self) -> Result<TmaAnswer, Refusal> {
        let memory = self.on_cpu(Placement::Inside)?;
        let (compared, wrong) = self.compared(&memory)?;
        Ok(TmaAnswer {
            compared,
            wrong,
            placements: Vec::new(),
            descriptor: None,
        })
    }

    /// The comparison of the jobs' results with the model, the layout and the preview.
    ///
    /// # Errors
    /// A load that did not arrive, and the refusals of the model.
    pub fn answer_of(&self, outcomes: &[Outcome]) -> Result<TmaAnswer, Failure> {
        let refused = |refusal: Refusal| Failure::Crashed(refusal.to_string());
        let mut placements = Vec::new();
        let mut compared = (0, None);
        for (placement, outcome) in Placement::ALL.into_iter().zip(outcomes) {
            let [memory, status] = outcome.results.as_slice() else {
                return Err(Failure::Crashed("no shared memory was shown".to_owned()));
            };
            if status.iter().any(|byte| *byte != 0) {
                return Err(Failure::GaveUp("the bytes of a TMA load"));
            }
            let expected = self.on_cpu(placement).map_err(refused)?;
            placements.push((placement, first_wrong_byte(&expected, memory)));
            if placement == Placement::Inside {
                compared = self.compared(memory).map_err(refused)?;
            }
        }
        let encoded = outcomes.first().and_then(|outcome| outcome.maps.first());
        Ok(TmaAnswer {
            compared: compared.0,
            wrong: compared.1,
            placements,
            descriptor: encoded.and_then(|words| self.departing_words(words)),
        })
    }

    /// The words in which a descriptor of the driver differs from the previewed one for the same address; `None` for a
    /// descriptor that cannot be previewed.
    fn departing_words(&self, encoded: &[u32]) -> Option<Vec<usize>> {
        let theirs: &[u32; WORDS] = encoded.first_chunk()?;
        let address = u64::from(theirs[0]) | u64::from(theirs[1]) << 32;
        let ours = encode(&self.atom.map, address, ARCHITECTURE).ok()?;
        Some(differing_words(&ours, theirs))
    }

    /// Number of elements of the tile in the box at the origin, and the first byte of them that is not at its place in
    /// the shared layout.
    ///
    /// # Errors
    /// Those of the evaluation of the layouts.
    pub fn compared(&self, memory: &[u8]) -> Result<(usize, Option<WrongByte>), Refusal> {
        let place = self.shared.position_independent()?;
        let tensor = self.tagged_tensor()?;
        let in_box: BTreeSet<i64> = self
            .moves(Placement::Inside)?
            .iter()
            .filter_map(|element| element.global_byte)
            .collect();
        let size = known(&self.shared.layout.size()?)?;
        let mut compared = 0;
        for coordinate in 0..size {
            let from = self.global_offset(coordinate)? * self.element_bytes;
            if !in_box.contains(&from) {
                continue;
            }
            compared += 1;
            let to = crate::numbers::offset(&place, coordinate)? * self.element_bytes;
            for byte in 0..self.element_bytes {
                let at = |bytes: &[u8], start: i64| {
                    let at = usize::try_from(start + byte).ok()?;
                    bytes.get(at).copied()
                };
                let (expected, got) = (at(&tensor, from), at(memory, to));
                if got != expected {
                    let wrong = WrongByte {
                        shared_byte: to + byte,
                        expected: expected.unwrap_or(0),
                        got,
                    };
                    return Ok((compared, Some(wrong)));
                }
            }
        }
        Ok((compared, None))
    }

    /// The offset in the tensor of a coordinate of the tile.
    fn global_offset(&self, coordinate: i64) -> Result<i64, Refusal> {
        let mut rest = coordinate;
        let mut offset = 0;
        for (mode, extent) in extents(&self.shared.layout)?.into_iter().enumerate() {
            let of_mode = self.global.mode(mode)?.eval_number(rest % extent.max(1))?;
            offset += of_mode;
            rest /= extent.max(1);
        }
        Ok(offset)
    }

    /// A tensor whose every byte is told from its neighbours.
    fn tagged_tensor(&self) -> Result<Vec<u8>, Refusal> {
        let elements = known(&self.global.cosize()?)?;
        Ok((0..elements * self.element_bytes)
            .map(|byte| (byte.wrapping_mul(151) ^ (byte >> 8)) as u8)
            .collect())
    }
}

fn refuse_above(bytes: i64, limit: i64) -> Result<(), Refusal> {
    if bytes > limit {
        return Err(refusal(Rule::Limit)
            .with("bytes", bytes)
            .with("limit", limit));
    }
    Ok(())
}

/// The first byte that differs; one that is missing differs.
fn first_wrong_byte(expected: &[u8], got: &[u8]) -> Option<WrongByte> {
    let differs = |(place, expected): (usize, &u8)| {
        let got = got.get(place).copied();
        (got != Some(*expected)).then_some(WrongByte {
            shared_byte: place as i64,
            expected: *expected,
            got,
        })
    };
    expected.iter().enumerate().find_map(differs)
}

fn shape_of(extents: &[i64]) -> Result<Tuple<Int>, Refusal> {
    Ok(Tuple::flat(
        extents.iter().map(|extent| Int::fixed(*extent)),
    )?)
}

/// A tensor of these extents, one mode contiguous, its rows padded to a stride that TMA can read.
fn compact(extents: &[i64], first: usize, element_bytes: i64) -> Result<Layout, Refusal> {
    let mut strides = vec![1; extents.len()];
    let row = ROW_BYTES / element_bytes.clamp(1, ROW_BYTES);
    let length = extents.get(first).copied().unwrap_or(1);
    let mut next = (length + row - 1) / row * row;
    for (mode, extent) in extents.iter().enumerate() {
        if mode != first
            && let Some(stride) = strides.get_mut(mode)
        {
            *stride = next;
            next = next.saturating_mul(*extent);
        }
    }
    let stride = Tuple::flat(
        strides
            .iter()
            .map(|stride| Delta::from(Int::fixed(*stride))),
    )?;
    Ok(Layout::new(shape_of(extents)?, stride)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(layout: &str) -> TmaLoad {
        TmaLoad::of(&layout.parse().unwrap()).unwrap()
    }

    /// The results of a device that agrees with the model, and whose driver encodes as we do.
    fn outcomes(load: &TmaLoad) -> Vec<Outcome> {
        let words = encode(&load.atom.map, 0x7f00_0000_0100, ARCHITECTURE).unwrap();
        let outcome = |placement| Outcome {
            results: vec![load.on_cpu(placement).unwrap(), vec![0; 4]],
            milliseconds: Vec::new(),
            driver_copy_milliseconds: Vec::new(),
            registers: None,
            maps: vec![words.to_vec()],
        };
        Placement::ALL.into_iter().map(outcome).collect()
    }

    #[test]
    fn every_swizzle_puts_bytes_where_the_layout_says() {
        for (layout, boxed) in [
            (
                "Sw<3,4,3> o smem_ptr[16b](unset) o ((_8,_16),(_64,_1)):((_64,_512),(_1,_0))",
                128 * 64,
            ),
            (
                "Sw<2,4,3> o smem_ptr[16b](unset) o (_8,_32):(_32,_1)",
                8 * 32,
            ),
            (
                "Sw<1,4,3> o smem_ptr[8b](unset) o (_8,_32):(_32,_1)",
                8 * 32,
            ),
            (
                "Sw<3,4,3> o smem_ptr[32b](unset) o (_32,_8):(_1,_32)",
                32 * 8,
            ),
            ("smem_ptr[16b](unset) o (_64,_64):(_64,_1)", 64 * 64),
        ] {
            let load = of(layout);
            let answer = load.answer_of_the_cpu().unwrap();
            assert_eq!((answer.compared, answer.wrong), (boxed, None), "{layout}");
        }
    }

    #[test]
    fn a_box_across_the_bounds_is_filled_with_zeros_there() {
        let load = of("smem_ptr[16b](unset) o (_8,_64):(_64,_1)");
        for placement in [Placement::AcrossTheEnd, Placement::AcrossTheStart] {
            let memory = load.on_cpu(placement).unwrap();
            let zeros = memory
                .chunks(2)
                .filter(|element| *element == [0, 0])
                .count();
            // A quarter is inside; few elements of the tensor are zero themselves.
            assert!((384..390).contains(&zeros), "{placement:?}: {zeros}");
        }
        let both = load.on_cpu(Placement::Multicast).unwrap();
        assert_eq!(both.len(), 2 * 1024);
        assert_eq!(both[..1024], both[1024..]);
    }

    #[test]
    fn a_tile_of_a_larger_tensor_is_found_in_it() {
        let shared = "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)";
        let global = "(100,256):(256,_1)".parse().unwrap();
        let load = TmaLoad::from_tensor(&shared.parse().unwrap(), &global).unwrap();
        let answer = load.answer_of(&outcomes(&load)).unwrap();
        assert!(answer.agrees(), "{answer:?}");
        assert_eq!(answer.compared, 512);
    }

    #[test]
    fn a_wrong_byte_a_wrong_descriptor_and_a_missing_load_are_noticed() {
        let load = of("Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)");
        let right = outcomes(&load);
        let answer = load.answer_of(&right).unwrap();
        assert!(answer.agrees(), "{answer:?}");
        assert_eq!(
            (answer.placements.len(), answer.descriptor),
            (4, Some(vec![]))
        );

        let mut wrong = right.clone();
        wrong[0].results[0][130] ^= 1;
        wrong[2].results[0][7] ^= 1;
        let answer = load.answer_of(&wrong).unwrap();
        assert_eq!(answer.wrong.map(|byte| byte.shared_byte), Some(130));
        assert_eq!(answer.placements[2].1.map(|byte| byte.shared_byte), Some(7));

        let mut other = right.clone();
        other[0].maps[0][8] += 1;
        let answer = load.answer_of(&other).unwrap();
        assert_eq!((answer.agrees(), answer.descriptor), (false, Some(vec![8])));

        let mut late = right;
        late[1].results[1][0] = 1;
        assert!(matches!(load.answer_of(&late), Err(Failure::GaveUp(_))));
    }

    #[test]
    fn what_no_memory_holds_is_refused() {
        let shared: SharedLayout = "smem_ptr[32b](unset) o (_256,_256):(_256,_1)"
            .parse()
            .unwrap();
        assert_eq!(TmaLoad::of(&shared).unwrap_err().rule, Rule::Limit.into());
        let shared: SharedLayout = "smem_ptr[16b](unset) o (_8,_64):(_64,_1)".parse().unwrap();
        let vast = "(1048576,1048576):(1048576,_1)".parse().unwrap();
        assert_eq!(
            TmaLoad::from_tensor(&shared, &vast).unwrap_err().rule,
            Rule::Limit.into()
        );
    }
}
