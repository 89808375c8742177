//! The TMA load of a tile: the first box, put into shared memory with the previewed descriptor, byte
//! for byte against the swizzled layout.

use cute_algebra::{Delta, Int, Layout, Rule, Tiler, Tuple};
use cute_hardware::kernel::tma::{POISON, load_kernel};
use cute_hardware::tma::load::{Move, load};
use cute_hardware::tma::{TmaAtom, TmaRequest};
use cute_hardware::{Element, Refusal, SharedLayout, TemplateId};

use crate::job::{Argument, Buffer, Contents, Job, Launch};
use crate::numbers::{known, offset, refusal};

/// Alignment of every row of a tensor that TMA reads, in bytes (CUDA driver API,
/// `cuTensorMapEncodeTiled`).
const ROW_BYTES: i64 = 16;

/// A load of a tile from a compact tensor of its shape.
#[derive(Clone, Debug)]
pub struct TmaLoad {
    shared: SharedLayout,
    global: Layout,
    atom: TmaAtom,
    /// The bytes of the first box.
    moves: Vec<Move>,
    element_bytes: i64,
}

/// A byte of shared memory that does not hold what the layout says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongByte {
    /// Its place, from the start of the buffer.
    pub shared_byte: i64,
    /// What the layout puts there.
    pub expected: u8,
    /// What is there; `None` beyond the end.
    pub got: Option<u8>,
}

impl TmaLoad {
    /// The load of a tile with a shared layout, from a tensor in which the mode that is contiguous in
    /// shared memory is contiguous too.
    ///
    /// # Errors
    /// `Unsupported` for elements that are no whole bytes, and everything that makes a TMA descriptor
    /// of the layout impossible.
    pub fn of(shared: &SharedLayout) -> Result<Self, Refusal> {
        let bits = shared.element_bits;
        let element = Element::unsigned_of_bits(bits)
            .filter(|_| bits % 8 == 0)
            .ok_or_else(|| refusal(Rule::Unsupported).with("element_bits", bits))?;
        let extents = extents(&shared.layout)?;
        let global = compact(&extents, contiguous_mode(&shared.layout)?, bits / 8)?;
        let request = TmaRequest {
            operation: TemplateId::parse("SM90_TMA_LOAD")?,
            element,
            tma_element: None,
            global: global.clone(),
            shared: shared.clone(),
            tile: Tiler::of_shape(&shape_of(&extents)?),
            multicast: 1,
        };
        let atom = TmaAtom::new(&request)?;
        let origin = vec![0; atom.map.rank()];
        Ok(Self {
            moves: load(&atom.map, &origin, 0)?,
            element_bytes: bits / 8,
            shared: shared.clone(),
            global,
            atom,
        })
    }

    /// The descriptor and its boxes.
    pub fn atom(&self) -> &TmaAtom {
        &self.atom
    }

    /// The launch that loads the first box on a GPU and shows the shared memory.
    ///
    /// # Errors
    /// Those of the kernel.
    pub fn job(&self) -> Result<Job, Refusal> {
        let rank = self.atom.map.rank();
        let kernel = load_kernel(rank)?;
        let bytes = self.box_bytes();
        let mut arguments = vec![
            Argument::TensorMap(0),
            Argument::Buffer(1),
            Argument::Buffer(2),
        ];
        arguments.extend(std::iter::repeat_n(Argument::Word(0), rank));
        arguments.push(Argument::Word(bytes as u32));
        Ok(Job {
            buffers: vec![
                Buffer {
                    name: "tensor",
                    contents: Contents::Bytes(self.tagged_tensor()?),
                    is_result: false,
                },
                Buffer {
                    name: "shared memory",
                    contents: Contents::Filled(bytes as u64, 0),
                    is_result: true,
                },
                Buffer {
                    name: "status",
                    contents: Contents::Filled(4, 0),
                    is_result: true,
                },
            ],
            arguments,
            launch: Launch {
                blocks: 1,
                threads: kernel.threads,
                shared_bytes: bytes as u32,
            },
            maps: vec![(0, self.atom.map.clone())],
            kernel,
            timing: None,
        })
    }

    /// What shared memory holds after the load, by the model of TMA.
    ///
    /// # Errors
    /// `Overflow` for a move beyond the buffers, which the model does not make.
    pub fn on_cpu(&self) -> Result<Vec<u8>, Refusal> {
        let tensor = self.tagged_tensor()?;
        let mut memory = POISON
            .to_le_bytes()
            .repeat(self.box_bytes() as usize / 4 + 1);
        memory.truncate(self.box_bytes() as usize);
        let width = self.element_bytes as usize;
        for element in &self.moves {
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
        Ok(memory)
    }

    /// How many elements of the tile the first box has, and the first byte of them that is not where
    /// the shared layout says.
    ///
    /// # Errors
    /// Those of the evaluation of the layouts.
    pub fn compared(&self, memory: &[u8]) -> Result<(usize, Option<WrongByte>), Refusal> {
        let place = self.shared.position_independent()?;
        let tensor = self.tagged_tensor()?;
        let in_box: std::collections::BTreeSet<i64> = self
            .moves
            .iter()
            .filter_map(|element| element.global_byte)
            .collect();
        let size = known(&self.shared.layout.size()?)?;
        let mut compared = 0;
        for coordinate in 0..size {
            let from = offset(&self.global.clone().into(), coordinate)? * self.element_bytes;
            if !in_box.contains(&from) {
                continue;
            }
            compared += 1;
            let to = offset(&place, coordinate)? * self.element_bytes;
            for byte in 0..self.element_bytes {
                let expected = usize::try_from(from + byte)
                    .ok()
                    .and_then(|at| tensor.get(at));
                let got = usize::try_from(to + byte)
                    .ok()
                    .and_then(|at| memory.get(at));
                if got != expected {
                    return Ok((
                        compared,
                        Some(WrongByte {
                            shared_byte: to + byte,
                            expected: expected.copied().unwrap_or(0),
                            got: got.copied(),
                        }),
                    ));
                }
            }
        }
        Ok((compared, None))
    }

    fn box_bytes(&self) -> i64 {
        self.atom.map.box_bytes()
    }

    /// A tensor whose every byte is told from its neighbours.
    fn tagged_tensor(&self) -> Result<Vec<u8>, Refusal> {
        let elements = known(&self.global.cosize()?)?;
        Ok((0..elements * self.element_bytes)
            .map(|byte| (byte.wrapping_mul(151) ^ (byte >> 8)) as u8)
            .collect())
    }
}

/// The sizes of the top-level modes of a tile.
fn extents(layout: &Layout) -> Result<Vec<i64>, Refusal> {
    (0..layout.rank())
        .map(|mode| known(&layout.mode(mode)?.size()?))
        .collect()
}

fn shape_of(extents: &[i64]) -> Result<Tuple<Int>, Refusal> {
    Ok(Tuple::flat(
        extents.iter().map(|extent| Int::fixed(*extent)),
    )?)
}

/// The top-level mode along which shared memory is contiguous.
fn contiguous_mode(layout: &Layout) -> Result<usize, Refusal> {
    for mode in 0..layout.rank() {
        let part = layout.mode(mode)?;
        let is_contiguous = part
            .stride()
            .leaves()
            .iter()
            .zip(part.shape().leaves())
            .any(|(stride, extent)| stride.value().value() == Some(1) && extent.value() != Some(1));
        if is_contiguous {
            return Ok(mode);
        }
    }
    Ok(0)
}

/// A tensor of these extents, one mode contiguous, its rows padded to what TMA can read.
fn compact(extents: &[i64], first: usize, element_bytes: i64) -> Result<Layout, Refusal> {
    let mut strides = vec![1; extents.len()];
    let row = ROW_BYTES / element_bytes.min(ROW_BYTES);
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
            let memory = load.on_cpu().unwrap();
            assert_eq!(load.compared(&memory).unwrap(), (boxed, None), "{layout}");
        }
    }

    #[test]
    fn a_wrong_byte_is_noticed() {
        let load = of("Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)");
        let mut memory = load.on_cpu().unwrap();
        memory[130] ^= 1;
        let (_, wrong) = load.compared(&memory).unwrap();
        assert_eq!(wrong.map(|byte| byte.shared_byte), Some(130));
    }
}
