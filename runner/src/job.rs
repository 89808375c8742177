//! One launch of a generated kernel: the content of memory, the launch, and the data read back.

use std::fmt;

use cute_hardware::Kernel;
use cute_hardware::tma::TensorMap;

/// The most bytes that the buffers of one job may take together, on a device as in this process: far above a level of
/// cache, and far below the memory of a machine.
pub const BUFFER_BYTES: u64 = 1 << 30;

/// A launch that is complete in itself: nothing of it is looked up while it runs.
#[derive(Clone, Debug)]
pub struct Job {
    /// The generated kernel.
    pub kernel: Kernel,
    /// Device memory, in the order in which [`Argument::Buffer`] names it.
    pub buffers: Vec<Buffer>,
    /// The kernel's parameters in order.
    pub arguments: Vec<Argument>,
    /// Tensor maps, each with the buffer in which its tensor is; [`Argument::TensorMap`] names
    /// them by place.
    pub maps: Vec<(usize, TensorMap)>,
    /// Blocks and threads.
    pub launch: Launch,
    /// Its timing; `None` for one launch without a clock.
    pub timing: Option<Timing>,
    /// A copy from one buffer to another that the driver makes by itself, timed in the same way in the same run: the
    /// rate of the device's memory.
    pub driver_copy: Option<[usize; 2]>,
}

impl Buffer {
    /// Bytes that the kernel reads.
    pub fn input(name: &'static str, bytes: Vec<u8>) -> Self {
        Self {
            name,
            contents: Contents::Bytes(bytes),
            is_result: false,
        }
    }

    /// Bytes of one value, which are read back.
    pub fn result(name: &'static str, bytes: u64, value: u8) -> Self {
        Self {
            name,
            contents: Contents::Filled(bytes, value),
            is_result: true,
        }
    }
}

/// A piece of device memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// The name, for a person.
    pub name: &'static str,
    /// Its bytes before the launch.
    pub contents: Contents,
    /// Whether it is read back after the launch.
    pub is_result: bool,
}

/// The content of a buffer before the launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contents {
    /// This many bytes of this value.
    Filled(u64, u8),
    /// These bytes.
    Bytes(Vec<u8>),
}

impl Contents {
    /// Number of bytes.
    pub fn len(&self) -> u64 {
        match self {
            Self::Filled(bytes, _) => *bytes,
            Self::Bytes(bytes) => bytes.len() as u64,
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A parameter of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// The address of a buffer.
    Buffer(usize),
    /// A 32-bit number.
    Word(u32),
    /// A 64-bit number.
    Long(u64),
    /// A descriptor of 128 bytes, which the driver encodes.
    TensorMap(usize),
}

/// Blocks and threads of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Blocks, along x.
    pub blocks: u32,
    /// Threads of a block, along x.
    pub threads: u32,
    /// Bytes of shared memory that are requested at the launch.
    pub shared_bytes: u32,
    /// Blocks of a cluster, along x; 1 for none.
    pub cluster: u32,
}

impl Launch {
    /// One block.
    pub fn one(threads: u32, shared_bytes: u32) -> Self {
        Self {
            blocks: 1,
            threads,
            shared_bytes,
            cluster: 1,
        }
    }

    /// As many blocks of `threads` as there are `items`, up to `most`; the rest is a loop of the kernel.
    pub fn over(items: i64, threads: u32, most: u32) -> Self {
        let blocks = items
            .div_euclid(i64::from(threads.max(1)))
            .saturating_add(1);
        Self {
            blocks: u32::try_from(blocks).unwrap_or(most).clamp(1, most),
            ..Self::one(threads, 0)
        }
    }
}

/// The timing of a job: an event before some launches and one behind them, several times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Launches that are not counted.
    pub warm_ups: u32,
    /// Launches between two events; an event resolves about half a microsecond, so a batch should
    /// last a millisecond.
    pub launches: u32,
    /// Batches.
    pub repeats: u32,
}

impl Timing {
    /// The timing of bandwidths.
    pub const STANDARD: Self = Self {
        warm_ups: 3,
        launches: 20,
        repeats: 10,
    };
}

/// The results of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The result buffers, in order.
    pub results: Vec<Vec<u8>>,
    /// Milliseconds of one launch, one figure for each batch; empty where nothing was timed.
    pub milliseconds: Vec<f64>,
    /// The same of the driver's own copy.
    pub driver_copy_milliseconds: Vec<f64>,
    /// Registers of a thread, as the driver's compiler allotted them.
    pub registers: Option<u32>,
    /// The tensor maps as the driver encoded them, in words of 32 bits.
    pub maps: Vec<Vec<u32>>,
}

impl Job {
    /// Bytes of all buffers.
    pub fn bytes(&self) -> u64 {
        self.buffers
            .iter()
            .map(|buffer| buffer.contents.len())
            .fold(0, u64::saturating_add)
    }
}

impl fmt::Display for Job {
    /// A description of the job, for a person to read before the run.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, buffer) in self.buffers.iter().enumerate() {
            let direction = if buffer.is_result { "result" } else { "input" };
            writeln!(
                f,
                "buffer {place}: {} ({direction}), {} bytes",
                buffer.name,
                buffer.contents.len()
            )?;
        }
        write!(
            f,
            "launch {}<<<{}, {}, {}>>>(",
            self.kernel.name, self.launch.blocks, self.launch.threads, self.launch.shared_bytes
        )?;
        for (place, argument) in self.arguments.iter().enumerate() {
            let separator = if place == 0 { "" } else { ", " };
            match argument {
                Argument::Buffer(buffer) => write!(f, "{separator}buffer {buffer}")?,
                Argument::Word(word) => write!(f, "{separator}{word}")?,
                Argument::Long(long) => write!(f, "{separator}{long:#x}")?,
                Argument::TensorMap(map) => write!(f, "{separator}tensor map {map}")?,
            }
        }
        writeln!(f, ")")?;
        if self.launch.cluster > 1 {
            writeln!(f, "clusters of {} blocks", self.launch.cluster)?;
        }
        match self.timing {
            Some(timing) => writeln!(
                f,
                "timed: {} warm-ups, {} times {} launches",
                timing.warm_ups, timing.repeats, timing.launches
            )?,
            None => writeln!(f, "not timed")?,
        }
        if let Some([from, to]) = self.driver_copy {
            writeln!(
                f,
                "beside it, the driver copies buffer {from} to buffer {to}"
            )?;
        }
        write!(f, "{}", self.kernel.text)
    }
}
