//! One device while a job runs on it.

use std::sync::Arc;

use super::Device;
use super::driver::{Context, DeviceAttribute, Driver, EncodedMap, Memory, Module, Parameter};
use crate::failure::Failure;
use crate::job::{Argument, Buffer, Contents, Job, Outcome, Timing};

/// Dynamic shared memory that every kernel may have without saying so.
const PLAIN_SHARED_BYTES: u32 = 48 << 10;

/// The first device, with a context of this process.
pub(super) struct Session {
    driver: Arc<Driver>,
    context: Context,
}

impl Session {
    pub(super) fn open(driver: Arc<Driver>) -> Result<Self, Failure> {
        let context = Context::open(&driver)?;
        Ok(Self { driver, context })
    }

    pub(super) fn device(&self) -> Result<Device, Failure> {
        let attribute = |attribute| self.context.attribute(attribute);
        Ok(Device {
            name: self.context.device_name()?,
            capability: (
                attribute(DeviceAttribute::CapabilityMajor)?,
                attribute(DeviceAttribute::CapabilityMinor)?,
            ),
            multiprocessors: attribute(DeviceAttribute::Multiprocessors)?,
            l2_bytes: attribute(DeviceAttribute::L2Bytes)?,
            driver_version: self.driver.version()?,
        })
    }

    pub(super) fn free_memory(&self) -> Result<u64, Failure> {
        self.context.free_memory()
    }

    pub(super) fn run(&self, job: &Job) -> Result<Outcome, Failure> {
        let module = self.context.load(&job.kernel.text, &job.kernel.name)?;
        if job.launch.shared_bytes > PLAIN_SHARED_BYTES {
            module.allow_shared(job.launch.shared_bytes)?;
        }
        let memories = job
            .buffers
            .iter()
            .map(|buffer| self.filled(buffer))
            .collect::<Result<Vec<_>, _>>()?;
        let maps = job
            .maps
            .iter()
            .map(|(buffer, map)| {
                let address = memories.get(*buffer).map_or(0, Memory::address);
                self.context.encode(map, address)
            })
            .collect::<Result<Vec<_>, _>>()?;
        let parameters = parameters(job, &memories, &maps);
        let launch = || module.launch(job.launch, &parameters);
        launch()?;
        self.context.synchronize()?;
        let milliseconds = match job.timing {
            Some(timing) => self.timed(timing, &launch)?,
            None => Vec::new(),
        };
        let results = job
            .buffers
            .iter()
            .zip(&memories)
            .filter(|(buffer, _)| buffer.is_result)
            .map(|(_, memory)| memory.read())
            .collect::<Result<Vec<_>, _>>()?;
        let driver_copy_milliseconds = match (job.driver_copy, job.timing) {
            (Some([from, to]), Some(timing)) => match (memories.get(from), memories.get(to)) {
                (Some(from), Some(to)) => self.timed(timing, &|| to.copy_from(from))?,
                _ => Vec::new(),
            },
            _ => Vec::new(),
        };
        Ok(Outcome {
            results,
            milliseconds,
            driver_copy_milliseconds,
            registers: registers(&module),
            maps: maps.iter().map(EncodedMap::words).collect(),
        })
    }

    fn filled(&self, buffer: &Buffer) -> Result<Memory, Failure> {
        let bytes = buffer.contents.len();
        let size = usize::try_from(bytes).map_err(|_| Failure::TooMuchMemory {
            asked: bytes,
            available: usize::MAX as u64,
        })?;
        let memory = self.context.allocate(size)?;
        match &buffer.contents {
            Contents::Filled(_, value) => memory.fill(*value)?,
            Contents::Bytes(bytes) => memory.write(bytes)?,
        }
        Ok(memory)
    }

    /// Milliseconds of one launch in each batch.
    fn timed(
        &self,
        timing: Timing,
        launch: &dyn Fn() -> Result<(), Failure>,
    ) -> Result<Vec<f64>, Failure> {
        for _ in 0..timing.warm_ups {
            launch()?;
        }
        let (start, end) = (self.context.event()?, self.context.event()?);
        let mut milliseconds = Vec::new();
        for _ in 0..timing.repeats {
            start.record()?;
            for _ in 0..timing.launches {
                launch()?;
            }
            end.record()?;
            let batch = end.milliseconds_since(&start)?;
            milliseconds.push(batch / f64::from(timing.launches.max(1)));
        }
        Ok(milliseconds)
    }
}

fn parameters(job: &Job, memories: &[Memory], maps: &[EncodedMap]) -> Vec<Parameter> {
    job.arguments
        .iter()
        .map(|argument| match argument {
            Argument::Buffer(place) => {
                Parameter::Address(memories.get(*place).map_or(0, Memory::address))
            }
            Argument::Word(word) => Parameter::Word(*word),
            Argument::Long(long) => Parameter::Address(*long),
            Argument::TensorMap(place) => match maps.get(*place) {
                Some(map) => Parameter::Map(*map),
                None => Parameter::Word(0),
            },
        })
        .collect()
}

fn registers(module: &Module) -> Option<u32> {
    module
        .registers()
        .ok()
        .and_then(|count| u32::try_from(count).ok())
}
