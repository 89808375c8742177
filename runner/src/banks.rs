//! One warp's access to shared memory: the wavefronts that the model of banks counts, and the cycles
//! that a GPU takes for them.

use cute_algebra::{AnyLayout, Int, Layout, Rule};
use cute_hardware::Refusal;
use cute_hardware::kernel::banks::{CHAINS, LOADS_OF_A_CHAIN, bank_kernel};
use cute_hardware::memory::{Wavefronts, shared_wavefronts};
use cute_hardware::multiprocessor::shared_of_a_cta;

use crate::job::{Argument, Buffer, Job, Launch, Outcome};
use crate::numbers::{known, offset, refusal};

/// Threads of a warp.
const LANES: i64 = 32;

/// Warps that keep shared memory busy, so that the time of a load is that of its wavefronts.
const BUSY_WARPS: u32 = 32;

/// Bytes between the chains of loads: all banks once, so that every chain has the same conflicts.
const STEP_BYTES: i64 = 128;

/// Shared memory that a block may have (`sm_90`), in bytes.
const SHARED_BYTES: i64 = shared_of_a_cta(90);

/// The access of one warp in which lane `l` takes the element at coordinate `l` of a layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BankAccess {
    /// The layout that names them.
    layout: AnyLayout,
    /// Byte addresses of the lanes.
    lanes: Vec<i64>,
    /// Bytes of an element.
    width: i64,
    /// The count of the model.
    wavefronts: Wavefronts,
}

impl BankAccess {
    /// The access of the first 32 coordinates of a layout.
    ///
    /// # Errors
    /// `Unsupported` for offsets that are not numbers or below zero, those of the model of banks, and
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
            layout: layout.clone(),
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
        let side_by_side = Layout::left(Int::fixed(lanes.len() as i64).into())?;
        Ok(Self {
            layout: side_by_side.into(),
            wavefronts: shared_wavefronts(&addressed, self.width)?,
            lanes,
            width: self.width,
        })
    }

    /// The layout whose first coordinates are the lanes'.
    pub fn layout(&self) -> &AnyLayout {
        &self.layout
    }

    /// Bits of an element.
    pub fn element_bits(&self) -> i64 {
        self.width * 8
    }

    /// The count of the model for one instruction.
    pub fn wavefronts(&self) -> Wavefronts {
        self.wavefronts
    }

    /// The launches that time it: chains of loads in one warp, the same without conflicts, and in as many warps as a block
    /// may have.
    ///
    /// # Errors
    /// Those of the kernel, for a width that no load has.
    pub fn jobs(&self) -> Result<Vec<Job>, Refusal> {
        Ok(vec![
            self.job(1)?,
            self.without_conflicts()?.job(1)?,
            self.job(BUSY_WARPS)?,
        ])
    }

    fn job(&self, warps: u32) -> Result<Job, Refusal> {
        let kernel = bank_kernel(self.width)?;
        let lanes = (0..LANES as usize)
            // A lane without an element repeats the first one's, which costs nothing.
            .map(|lane| self.lanes.get(lane).or(self.lanes.first()).copied())
            .flat_map(|offset| (offset.unwrap_or(0) as u32).to_le_bytes());
        let offsets: Vec<u8> = lanes.collect();
        let bytes = self.bytes() as u32;
        let threads = u64::from(warps) * LANES as u64;
        Ok(Job {
            buffers: vec![
                Buffer::input("offsets of the lanes", offsets.repeat(warps as usize)),
                Buffer::result("cycles", threads * 8, 0),
                Buffer::result("sums", threads * 4, 0),
            ],
            arguments: vec![
                Argument::Buffer(0),
                Argument::Buffer(1),
                Argument::Buffer(2),
                Argument::Word(bytes),
                Argument::Word(STEP_BYTES as u32),
            ],
            maps: Vec::new(),
            launch: Launch::one(threads as u32, bytes),
            kernel,
            timing: None,
            driver_copy: None,
        })
    }

    /// Bytes of shared memory that all chains touch, in whole words.
    fn bytes(&self) -> i64 {
        let end = self.lanes.iter().max().copied().unwrap_or(0) + self.width;
        (end.saturating_add(STEP_BYTES * (CHAINS - 1)) + 3) / 4 * 4
    }
}

/// The time that a GPU takes for an access.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BankTiming {
    /// Cycles of a load in one warp, a chain of loads that wait for each other included.
    pub cycles: f64,
    /// The same without conflicts.
    pub cycles_without_conflicts: f64,
    /// Cycles between the loads of a block that keeps shared memory busy: the wavefronts of a load, where one is served in
    /// a cycle.
    pub busy_cycles: f64,
}

/// The share by which cycles may differ from the model's wavefronts before it is reported.
const TOLERANCE: f64 = 0.2;

impl BankTiming {
    /// The figures of the outcomes of [`BankAccess::jobs`]; `None` for outcomes without figures.
    pub fn of(outcomes: &[Outcome]) -> Option<Self> {
        let [access, plain, busy] = outcomes else {
            return None;
        };
        Some(Self {
            cycles: cycles_of_a_load(access)?,
            cycles_without_conflicts: cycles_of_a_load(plain)?,
            busy_cycles: cycles_of_a_load(busy)? / f64::from(BUSY_WARPS),
        })
    }

    /// Whether the busy cycles are the wavefronts of the model, but for a fifth.
    pub fn confirms(&self, model: Wavefronts) -> bool {
        #[allow(clippy::cast_precision_loss)] // At most some hundreds.
        let waves = model.waves as f64;
        (self.busy_cycles - waves).abs() <= TOLERANCE * waves
    }
}

/// Cycles of one load: those of the slowest thread over all loads.
fn cycles_of_a_load(outcome: &Outcome) -> Option<f64> {
    let threads = outcome.results.first()?.as_chunks::<8>().0;
    let slowest = threads
        .iter()
        .map(|cycles| u64::from_le_bytes(*cycles))
        .max()?;
    #[allow(clippy::cast_precision_loss)] // Some thousands.
    let (cycles, loads) = (slowest as f64, (CHAINS * LOADS_OF_A_CHAIN) as f64);
    Some(cycles / loads)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Contents;

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
        let jobs = access("8:8", 128).unwrap().jobs().unwrap();
        assert_eq!(jobs[2].launch.threads, 1024);
        assert_eq!(jobs[2].bytes(), 32 * jobs[0].bytes());
        let job = &jobs[0];
        let Contents::Bytes(offsets) = &job.buffers[0].contents else {
            panic!("a table");
        };
        assert_eq!(offsets.len(), 128);
        assert_eq!(offsets[28..32], (7_u32 * 128).to_le_bytes());
        assert!(job.launch.shared_bytes >= 7 * 128 + 16 + 7 * 128);
    }

    #[test]
    fn cycles_are_compared_with_the_wavefronts_of_the_model() {
        let outcome = |cycles: u64| Outcome {
            results: vec![cycles.to_le_bytes().repeat(32), vec![0; 128]],
            milliseconds: Vec::new(),
            driver_copy_milliseconds: Vec::new(),
            registers: None,
            maps: Vec::new(),
        };
        let timing = BankTiming::of(&[outcome(1280), outcome(640), outcome(128 * 32 * 4)]);
        let timing = timing.unwrap();
        assert_eq!(
            (timing.cycles, timing.cycles_without_conflicts),
            (10.0, 5.0)
        );
        assert!((timing.busy_cycles - 4.0).abs() < 1e-9);
        assert!(!timing.confirms(access("8:8", 128).unwrap().wavefronts()));
        assert!(timing.confirms(access("32:4", 32).unwrap().wavefronts()));
        assert_eq!(BankTiming::of(&[outcome(1)]), None);
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
