//! The `tcgen05.ld` with which an epilogue brings an accumulator into registers, and the store to shared memory behind
//! it.

use super::MemoryOrder;
use super::epilogue::VECTORISED;
use super::mainloop::unsupported;
use crate::copy::widest_times;
use crate::refusal::Refusal;

/// A load, before it is repeated over the columns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct TensorMemoryLoad {
    /// Lanes of a warp.
    lanes: i64,
    /// Bits of a row that one repeat loads.
    bits: i64,
    /// Number of repetitions.
    times: i64,
    /// Whether values of 16 bits are packed.
    is_packed: bool,
}

impl TensorMemoryLoad {
    /// CUTLASS's choice for a warp's part of `lanes` x `columns` of the accumulator.
    pub(super) fn select(
        accumulator_bits: i64,
        output_bits: i64,
        order: MemoryOrder,
        [lanes, columns]: [i64; 2],
    ) -> Result<Self, Refusal> {
        if lanes != 16 && lanes != 32 {
            return Err(unsupported("Unsupported tmem datapath count")
                .with("lanes", lanes)
                .legal("32")
                .legal("16"));
        }
        let is_half = lanes == 16;
        let along_m = order == MemoryOrder::Column;
        let (lanes, bits) = match (accumulator_bits, output_bits) {
            (32, 32) if is_half => (16, if along_m { 256 } else { 128 }),
            (32, 16) if is_half || along_m => (16, 256),
            (32, 8) if is_half => (16, if along_m { 256 } else { 32 }),
            (16, 16) if is_half || along_m => (16, 128),
            (32, 4 | 6) if is_half => return Err(unsupported("num_dp == 32")),
            (32, 32 | 16 | 8 | 6 | 4) | (16, 16) => (32, 32),
            _ => {
                return Err(unsupported("Unsupported data types")
                    .with("accumulator_bits", accumulator_bits)
                    .with("output_bits", output_bits));
            }
        };
        let mut load = TensorMemoryLoad {
            lanes,
            bits,
            times: 1,
            is_packed: accumulator_bits == 16,
        };
        load.times = widest_times(&load.name(), columns * accumulator_bits).ok_or_else(|| {
            unsupported("the columns of a warp are not a multiple of one load")
                .with("columns", columns)
        })?;
        Ok(load)
    }

    /// CuTe's operation.
    pub(super) fn name(self) -> String {
        let packed = if self.is_packed { "_16b" } else { "" };
        format!(
            "SM100_TMEM_LOAD_{}dp{}b{}x{packed}",
            self.lanes, self.bits, self.times
        )
    }

    /// The widest store of these values to shared memory: `stmatrix` where a thread has the elements that it stores.
    pub(super) fn store(
        self,
        accumulator_bits: i64,
        bits: i64,
        order: MemoryOrder,
    ) -> &'static str {
        let along_n = order == MemoryOrder::Row;
        let words = match (accumulator_bits, bits, self.bits, self.lanes) {
            (32, 32, 128, 16) => along_n,
            (32, 16, 256, 16) | (16, 16, 128, 16) => true,
            _ => false,
        };
        if words {
            return match (self.times > 1, along_n) {
                (true, true) => "SM90_U32x4_STSM_N",
                (true, false) => "SM90_U16x8_STSM_T",
                (false, true) => "SM90_U32x2_STSM_N",
                (false, false) => "SM90_U16x4_STSM_T",
            };
        }
        match (accumulator_bits, bits, self.bits, self.times) {
            _ if along_n => VECTORISED,
            (32, 8, 256, 4..) => "SM100_U8x16_STSM_T",
            (32, 8, 256, 2) => "SM100_U8x8_STSM_T",
            (32, 8, 256, 1) => "SM100_U8x4_STSM_T",
            _ => VECTORISED,
        }
    }
}
