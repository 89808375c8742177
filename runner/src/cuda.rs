//! The executor on an NVIDIA GPU, through the driver's library.
//!
//! The library is looked up when a run is requested: nothing is linked, no toolkit is needed, and a
//! machine without it answers [`Failure::NoLibrary`]. Kernels are handed over as PTX and compiled by
//! the driver. All `unsafe` code of the project is in its module `driver`, one function for each call.
//!
//! A kernel that misbehaves leaves its context unusable, so each run should have a separate process: see
//! [`crate::child`].

mod driver;
mod session;

use cute_hardware::Kernel;

pub use crate::failure::Failure;
use crate::job::{BUFFER_BYTES, Job, Outcome};
use driver::Driver;
use session::Session;

/// A device, as the driver describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// The name of the product.
    pub name: String,
    /// Major and minor compute capability: (9, 0).
    pub capability: (i32, i32),
    /// Streaming multiprocessors.
    pub multiprocessors: i32,
    /// Bytes of the second-level cache.
    pub l2_bytes: i32,
    /// The driver's version: 12080 for CUDA 12.8.
    pub driver_version: i32,
}

/// The first device that the driver finds.
///
/// # Errors
/// No library, a library without a function that is needed, no device.
pub fn device() -> Result<Device, Failure> {
    Session::open(Driver::load()?)?.device()
}

/// Runs jobs on the first device, one after the other.
///
/// # Errors
/// All of [`Failure`] but those of the process around it.
pub fn execute(jobs: &[Job]) -> Result<(Device, Vec<Outcome>), Failure> {
    let session = Session::open(Driver::load()?)?;
    let device = session.device()?;
    let outcomes: Result<Vec<Outcome>, Failure> =
        jobs.iter().map(|job| run(job, &session, &device)).collect();
    Ok((device, outcomes?))
}

fn run(job: &Job, session: &Session, device: &Device) -> Result<Outcome, Failure> {
    let asked = job.bytes();
    if asked > BUFFER_BYTES {
        return Err(Failure::TooMuchMemory {
            asked,
            available: BUFFER_BYTES,
        });
    }
    if !runs_on(&job.kernel, device.capability) {
        return Err(Failure::Architecture {
            device: format!(
                "{} (sm_{}{})",
                device.name, device.capability.0, device.capability.1
            ),
            needs: job.kernel.target.to_owned(),
        });
    }
    let free = session.free_memory()?;
    if asked > free {
        return Err(Failure::TooMuchMemory {
            asked,
            available: free,
        });
    }
    session.run(job)
}

/// Whether a kernel's target is this architecture or, where the target is not for one architecture
/// only (`sm_90a`), an older one.
fn runs_on(kernel: &Kernel, capability: (i32, i32)) -> bool {
    let target = kernel.target.trim_start_matches("sm_");
    let digits = target.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let Ok(number) = digits.parse::<i32>() else {
        return false;
    };
    let wanted = (number / 10, number % 10);
    if digits.len() == target.len() {
        wanted <= capability
    } else {
        wanted == capability
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_runs_on_its_architecture_and_plain_ones_on_later_ones() {
        let kernel = |target| Kernel {
            name: String::new(),
            text: String::new(),
            target,
            threads: 1,
            evidence: Vec::new(),
        };
        assert!(runs_on(&kernel("sm_80"), (9, 0)));
        assert!(runs_on(&kernel("sm_90"), (9, 0)));
        assert!(!runs_on(&kernel("sm_90"), (8, 9)));
        assert!(runs_on(&kernel("sm_90a"), (9, 0)));
        assert!(!runs_on(&kernel("sm_90a"), (10, 0)));
        assert!(runs_on(&kernel("sm_100a"), (10, 0)));
    }
}
