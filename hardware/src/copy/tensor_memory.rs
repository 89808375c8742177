//! `tcgen05.ld`, `tcgen05.st` and `tcgen05.cp`: tensor memory of `sm_100a`.
//!
//! Bits are counted column-fastest inside the touched rectangle: 32 bits of a column, the columns, then the lanes
//! (CuTe's data path, `dp`).

use super::{CopyAtom, CopyOperands, Parts, TensorMemoryAccess, run_of_bits, unknown};
use crate::architecture::Architecture;
use crate::name::{Argument, TemplateId};
use crate::refusal::Refusal;
use crate::thread_value::{Mode, consecutive_threads, thread_id, thread_value};
use cute_algebra::Layout;

const ARCHITECTURE: Architecture = Architecture::specific(100);

/// The distance of two lanes in CuTe's addresses of tensor memory, in bits (`TMEM::DP_b`).
pub(crate) const BITS_OF_A_LANE: i64 = 1 << 21;

pub(super) fn atom(id: &TemplateId, _rest: &[Argument]) -> Result<Option<CopyAtom>, Refusal> {
    let words: Vec<&str> = id.base().split('_').collect();
    match words[..] {
        [
            "SM100",
            "TMEM",
            direction @ ("LOAD" | "STORE"),
            rectangle,
            ref packing @ ..,
        ] => {
            let access = Access::read(rectangle).filter(|_| matches!(packing, [] | ["16b"]));
            let access = access.ok_or_else(|| unknown(&id.to_string()))?;
            register_access(access, direction == "LOAD", !packing.is_empty()).map(Some)
        }
        ["SM100", "UTCCP", rectangle, ctas] => {
            let atom = shared_memory_copy(rectangle, ctas)?;
            atom.map_or_else(|| Err(unknown(&id.to_string())), |atom| Ok(Some(atom)))
        }
        _ => Ok(None),
    }
}

/// The rectangle of one `tcgen05.ld/st`: `16dp256b4x`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Access {
    lanes: i64,
    bits: i64,
    times: i64,
}

impl Access {
    fn read(word: &str) -> Option<Self> {
        let (lanes, rest) = word.split_once("dp")?;
        let (bits, times) = rest.strip_suffix('x')?.split_once('b')?;
        let access = Access {
            lanes: lanes.parse().ok()?,
            bits: bits.parse().ok()?,
            times: times.parse().ok()?,
        };
        let most = access.most_times()?;
        (access.times.count_ones() == 1 && (1..=most).contains(&access.times)).then_some(access)
    }

    /// The most repeats that an instruction of this kind has.
    fn most_times(self) -> Option<i64> {
        Some(match (self.lanes, self.bits) {
            (16, 256) => 32,
            (16, 128) => 64,
            (16, 64 | 32) | (32, 32) => 128,
            _ => return None,
        })
    }

    /// The bits of a lane. `16dp32b` reads two rectangles of 16 lanes.
    fn bits_of_lane(self) -> i64 {
        let is_split = (self.lanes, self.bits) == (16, 32);
        self.bits * self.times * if is_split { 2 } else { 1 }
    }

    /// The bits of the whole rectangle.
    fn total_bits(self) -> i64 {
        self.lanes * self.bits_of_lane()
    }

    /// The places of the bits of the rectangle in tensor memory; packed values take the lower half of each column.
    fn bits_in_memory(self, packed: bool) -> Result<Layout, Refusal> {
        let width = self.total_bits() / self.lanes;
        let columns = if packed {
            Mode::group(&[(16, 1), (width / 16, 32)])
        } else {
            Mode::Leaf(width, 1)
        };
        thread_value(&columns, &Mode::Leaf(self.lanes, BITS_OF_A_LANE))
    }

    /// The bits that each lane of the warp has in registers.
    fn registers(self) -> Result<Layout, Refusal> {
        let n = self.times;
        let (threads, values) = match (self.lanes, self.bits) {
            (16, 256) => (
                Mode::group(&[(4, 64), (8, 256 * n)]),
                Mode::squeezed(&[(64, 1), (2, 2048 * n), (n, 256)]),
            ),
            (16, 128) => (
                Mode::group(&[(4, 32), (8, 128 * n)]),
                Mode::squeezed(&[(32, 1), (2, 1024 * n), (n, 128)]),
            ),
            (16, 64) => (
                Mode::group(&[(2, 512 * n), (2, 32), (8, 64 * n)]),
                Mode::squeezed(&[(32, 1), (n, 64)]),
            ),
            (16, _) => (
                Mode::group(&[(16, 64 * n), (2, 32 * n)]),
                Mode::Leaf(32 * n, 1),
            ),
            _ => (Mode::Leaf(32, 32 * n), Mode::Leaf(32 * n, 1)),
        };
        thread_value(&threads, &values)
    }

    fn shape_name(self) -> &'static str {
        match (self.lanes, self.bits) {
            (16, 256) => "16x256b",
            (16, 128) => "16x128b",
            (16, 64) => "16x64b",
            (16, _) => "16x32bx2",
            _ => "32x32b",
        }
    }
}

/// `TMEM::op_repeater`: the load or store of tensor memory that repeats one as often as the bits of a row allow; `None`
/// where it is not one that is done once, or the bits are not a multiple of its bits.
///
/// ```
/// use cute_hardware::copy::widest_repeat;
/// let wide = widest_repeat("SM100_TMEM_LOAD_16dp256b1x", 64 * 32);
/// assert_eq!(wide.as_deref(), Some("SM100_TMEM_LOAD_16dp256b8x"));
/// assert_eq!(widest_repeat("SM100_TMEM_LOAD_16dp256b2x", 64 * 32), None);
/// ```
pub fn widest_repeat(operation: &str, bits_of_row: i64) -> Option<String> {
    let times = widest_times(operation, bits_of_row)?;
    Some(operation.replacen("b1x", &format!("b{times}x"), 1))
}

/// Number of repetitions of that operation.
pub(crate) fn widest_times(operation: &str, bits_of_row: i64) -> Option<i64> {
    let words: Vec<&str> = operation.split('_').collect();
    let ["SM100", "TMEM", "LOAD" | "STORE", rectangle, packing @ ..] = words.as_slice() else {
        return None;
    };
    let once = Access::read(rectangle)
        .filter(|access| access.times == 1 && matches!(packing, [] | ["16b"]))?;
    let most = once.most_times()?;
    std::iter::successors(Some(most), |times| (*times > 1).then_some(times / 2))
        .find(|times| bits_of_row % (once.bits_of_lane() * times) == 0)
}

fn register_access(access: Access, load: bool, packed: bool) -> Result<CopyAtom, Refusal> {
    // All lanes of the warp name the same rectangle of tensor memory.
    let tensor_memory = thread_value(&Mode::Leaf(32, 0), &Mode::Leaf(access.total_bits(), 1))?;
    let registers = access.registers()?;
    let touched = TensorMemoryAccess {
        lanes: access.lanes,
        columns: access.total_bits() / (32 * access.lanes),
        is_split: (access.lanes, access.bits) == (16, 32),
    };
    let (opcode, packing) = match (load, packed) {
        (true, true) => ("ld", ".pack::16b"),
        (true, false) => ("ld", ""),
        (false, true) => ("st", ".unpack::16b"),
        (false, false) => ("st", ""),
    };
    let mnemonic = format!(
        "tcgen05.{opcode}.sync.aligned.{}.x{}{packing}.b32",
        access.shape_name(),
        access.times
    );
    let (source, destination) = if load {
        (tensor_memory, registers)
    } else {
        (registers, tensor_memory)
    };
    let mut atom = Parts {
        architecture: ARCHITECTURE,
        mnemonic: Some(mnemonic),
        operands: if load {
            CopyOperands::TensorMemoryLoad(touched)
        } else {
            CopyOperands::TensorMemoryStore(touched)
        },
        thread_id: consecutive_threads(32),
        source,
        destination,
        refers_to_source: load,
    }
    .into_atom();
    atom.tensor_memory = Some(access.bits_in_memory(packed)?);
    Ok(atom)
}

/// `tcgen05.cp`, shared memory to tensor memory; `None` for a rectangle that it does not have.
fn shared_memory_copy(rectangle: &str, ctas: &str) -> Result<Option<CopyAtom>, Refusal> {
    let ctas = match ctas {
        "1cta" => 1,
        "2cta" => 2,
        _ => return Ok(None),
    };
    let of_all = |values: Mode| thread_value(&Mode::Leaf(ctas, 0), &values);
    let run = |bits| {
        if ctas == 1 {
            run_of_bits(bits)
        } else {
            of_all(Mode::Leaf(bits, 1))
        }
    };
    let quarter = Mode::group(&[(4, 32), (256, 128)]);
    let (shape, source, destination) = match rectangle {
        "128dp256bit" => ("128x256b", run(32768)?, run(32768)?),
        "128dp128bit" => ("128x128b", run(16384)?, run(16384)?),
        "4dp256bit" => ("4x256b", of_all(quarter.clone())?, of_all(quarter)?),
        "4x32dp128bit" => (
            "32x128b.warpx4",
            of_all(Mode::group(&[(32, 1), (128, 32), (4, 0)]))?,
            run(16384)?,
        ),
        "2x64dp128bitlw0213" => (
            "64x128b.warpx2::02_13",
            of_all(Mode::group(&[(64, 1), (128, 64), (2, 0)]))?,
            run(16384)?,
        ),
        "2x64dp128bitlw0123" => (
            "64x128b.warpx2::01_23",
            of_all(Mode::group(&[(32, 1), (128, 32), (2, 4096), (2, 0)]))?,
            run(16384)?,
        ),
        _ => return Ok(None),
    };
    let mut atom = Parts {
        architecture: ARCHITECTURE,
        mnemonic: Some(format!("tcgen05.cp.cta_group::{ctas}.{shape}")),
        operands: CopyOperands::TensorMemoryCopy,
        thread_id: consecutive_threads(ctas),
        source,
        destination,
        refers_to_source: false,
    }
    .into_atom();
    atom.tensor_memory = Some(thread_id(&Mode::group(&written_bits(rectangle)))?);
    Ok(Some(atom))
}

/// The lanes, bits and copies in tensor memory that `tcgen05.cp` writes.
fn written_bits(rectangle: &str) -> Vec<(i64, i64)> {
    let lane = BITS_OF_A_LANE;
    match rectangle {
        "128dp128bit" => vec![(128, lane), (128, 1)],
        "4x32dp128bit" => vec![(32, lane), (128, 1), (4, 32 * lane)],
        "2x64dp128bitlw0213" => vec![(64, lane), (128, 1), (2, 64 * lane)],
        "2x64dp128bitlw0123" => vec![(32, lane), (128, 1), (2, 64 * lane), (2, 32 * lane)],
        // CuTe describes four lanes as it describes all of them.
        _ => vec![(128, lane), (256, 1)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::Rule;

    #[test]
    fn the_fragment_of_32x32b_is_a_row_for_each_lane() {
        let atom = CopyAtom::named("SM100_TMEM_LOAD_32dp32b4x").unwrap();
        assert_eq!(atom.destination.to_string(), "(_32,_128):(_128,_1)");
        assert_eq!(
            atom.mnemonic.unwrap(),
            "tcgen05.ld.sync.aligned.32x32b.x4.b32"
        );
    }

    #[test]
    fn an_operation_is_repeated_as_often_as_the_row_allows() {
        // The bits of a row, and the repeats that CuTe's `op_repeater` has for them.
        for (operation, bits, wide) in [
            ("LOAD_16dp256b1x", 256 * 32, Some("LOAD_16dp256b32x")),
            ("LOAD_16dp256b1x", 256 * 24, Some("LOAD_16dp256b8x")),
            (
                "STORE_16dp128b1x_16b",
                128 * 128,
                Some("STORE_16dp128b64x_16b"),
            ),
            ("LOAD_16dp64b1x", 64, Some("LOAD_16dp64b1x")),
            // Two rectangles for each repeat.
            ("LOAD_16dp32b1x", 64 * 16, Some("LOAD_16dp32b16x")),
            ("LOAD_16dp32b1x", 32, None),
            ("LOAD_32dp32b1x", 32 * 16, Some("LOAD_32dp32b16x")),
            ("LOAD_32dp32b1x", 24, None),
            ("LOAD_32dp32b2x", 32 * 16, None),
        ] {
            let found = widest_repeat(&format!("SM100_TMEM_{operation}"), bits);
            let expected = wide.map(|wide| format!("SM100_TMEM_{wide}"));
            assert_eq!(found, expected, "{operation} {bits}");
        }
    }

    #[test]
    fn repetitions_out_of_range_are_unknown() {
        for name in [
            "SM100_TMEM_LOAD_16dp256b64x",
            "SM100_TMEM_LOAD_16dp64b3x",
            "SM100_UTCCP_1dp1bit_1cta",
        ] {
            assert_eq!(
                CopyAtom::named(name).unwrap_err().rule,
                Rule::UnknownAtom,
                "{name}"
            );
        }
    }
}
