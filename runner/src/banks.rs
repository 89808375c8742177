//! One warp's access to shared memory: the wavefronts that the model of banks counts, and the cycles
//! that a GPU takes for them.

use cute_algebra::{AnyLayout, Rule};
use cute_hardware::Refusal;
use cute_hardware::kernel::banks::{CHAINS, LOADS_OF_A_CHAIN, bank_kernel};
use cute_hardware::memory::{Wavefronts, shared_wavefronts};

use crate::job::{Argument, Buffer, Contents, Job, Launch, Outcome};
use crate::numbers::{known, offset, refusal};

/// Threads of a warp.
const LANES: i64 = 32;

/// Bytes between the chains of loads: all banks once, so that every chain has the same conflicts.
const STEP_BYTES: i64 = 128;

/// Shared memory that a block may have (`sm_90`).
const SHARED_BYTES: i64 = 227 << 10;

/// The access of one warp in which lane `l` takes the element at coordinate `l` of a layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BankAccess {
    /// Byte addresses of the lanes.
    lanes: Vec<i64>,
    /// Bytes of an element.
    width: i64,
    /// What the model counts.
    wavefronts: Wavefronts,
}

impl BankAccess {
    /// The access of the first 32 coordinates of a layout.
    ///
    /// # Errors
    /// `Unsupported` for offsets that are no numbers or below zero, those of the model of banks, and
    /// `Limit` for addresses that no shared memory has.
    pub fn of(layout: &AnyLayout, element_bits: i64) -> Result<Self, Refusal> {
        let width = element_bits / 8;
        let size = known(&layout.size()?)?;
        let mut lanes = Vec::new();
        for lane in 0..size.min(LANES) {
            let offset = offset(layout, lane)?;
            if offset < 0 {
                return Err(refusal(Rule::Unsupported).with("offset", offset));
            }
            lanes.push(offset.saturating_mul(width));
        }
        let addressed: Vec<Option<i64>> = lanes.iter().copied().map(Some).collect();
        let access = Self {
            wavefronts: shared_wavefronts(&addressed, width)?,
            lanes,
            width,
        };
        if access.bytes() > SHARED_BYTES {
            return Err(refusal(Rule::Limit)
                .with("bytes", access.bytes())
                .with("limit", SHARED_BYTES));
        }
        Ok(access)
    }

    /// The same number of lanes, side by side: no conflict.
    ///
    /// # Errors
    /// Those of the model of banks.
    pub fn without_conflicts(&self) -> Result<Self, Refusal> {
        let lanes: Vec<i64> = (0..self.lanes.len() as i64)
            .map(|lane| lane * self.width)
            .collect();
        let addressed: Vec<Option<i64>> = lanes.iter().copied().map(Some).collect();
        Ok(Self {
            wavefronts: shared_wavefronts(&addressed, self.width)?,
            lanes,
            width: self.width,
        })
    }

    /// What the model counts for one instruction.
    pub fn wavefronts(&self) -> Wavefronts {
        self.wavefronts
    }

    /// The launch that times it: a chain of loads in one warp.
    ///
    /// # Errors
    /// Those of the kernel, for a width that no load has.
    pub fn job(&self) -> Result<Job, Refusal> {
        let kernel = bank_kernel(self.width)?;
        let offsets = (0..LANES as usize)
            // A lane without an element repeats the first one's, which costs nothing.
            .map(|lane| self.lanes.get(lane).or(self.lanes.first()).copied())
            .flat_map(|offset| (offset.unwrap_or(0) as u32).to_le_bytes())
            .collect();
        let bytes = self.bytes() as u32;
        let filled = |name, bytes, is_result| Buffer {
            name,
            contents: Contents::Filled(bytes, 0),
            is_result,
        };
        Ok(Job {
            buffers: vec![
                Buffer {
                    name: "offsets of the lanes",
                    contents: Contents::Bytes(offsets),
                    is_result: false,
                },
                filled("cycles", LANES as u64 * 8, true),
                filled("sums", LANES as u64 * 4, false),
            ],
            arguments: vec![
                Argument::Buffer(0),
                Argument::Buffer(1),
                Argument::Buffer(2),
                Argument::Word(bytes),
                Argument::Word(STEP_BYTES as u32),
            ],
            maps: Vec::new(),
            launch: Launch {
                blocks: 1,
                threads: LANES as u32,
                shared_bytes: bytes,
            },
            kernel,
            timing: None,
        })
    }

    /// Cycles of one load, from what the job leaves; `None` for an outcome without figures.
    pub fn cycles_of_a_load(outcome: &Outcome) -> Option<f64> {
        let (first, _) = outcome.results.first()?.as_chunks::<8>().0.split_first()?;
        #[allow(clippy::cast_precision_loss)] // Some thousands.
        let cycles = u64::from_le_bytes(*first) as f64;
        #[allow(clippy::cast_precision_loss)]
        let loads = (CHAINS * LOADS_OF_A_CHAIN) as f64;
        Some(cycles / loads)
    }

    /// Bytes of shared memory that all chains touch, in whole words.
    fn bytes(&self) -> i64 {
        let end = self.lanes.iter().max().copied().unwrap_or(0) + self.width;
        (end.saturating_add(STEP_BYTES * (CHAINS - 1)) + 3) / 4 * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(layout: &str, bits: i64) -> Result<BankAccess, Refusal> {
        BankAccess::of(&layout.parse().unwrap(), bits)
    }

    #[test]
    fn a_column_of_words_meets_in_one_bank_and_a_padded_one_does_not() {
        let column = access("32:32", 32).unwrap();
        assert_eq!(column.wavefronts().waves, 32);
        assert_eq!(access("32:33", 32).unwrap().wavefronts().waves, 1);
        let side_by_side = column.without_conflicts().unwrap();
        assert_eq!(side_by_side.wavefronts().conflicts(), 0);
    }

    #[test]
    fn the_job_has_an_address_for_every_lane() {
        let job = access("8:8", 128).unwrap().job().unwrap();
        let Contents::Bytes(offsets) = &job.buffers[0].contents else {
            panic!("a table");
        };
        assert_eq!(offsets.len(), 128);
        assert_eq!(offsets[28..32], (7_u32 * 128).to_le_bytes());
        assert!(job.launch.shared_bytes >= 7 * 128 + 16 + 7 * 128);
        let outcome = Outcome {
            results: vec![1280_u64.to_le_bytes().repeat(32)],
            milliseconds: Vec::new(),
            registers: None,
            maps: Vec::new(),
        };
        assert_eq!(BankAccess::cycles_of_a_load(&outcome), Some(10.0));
    }

    #[test]
    fn addresses_beyond_shared_memory_are_refused() {
        assert_eq!(
            access("32:100000", 32).unwrap_err().rule,
            Rule::Limit.into()
        );
        assert_eq!(
            access("32:-1", 32).unwrap_err().rule,
            Rule::Unsupported.into()
        );
    }
}
