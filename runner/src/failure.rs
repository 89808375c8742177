//! Why a job was not run on a GPU.

use std::fmt;

/// The reason why a run on a GPU stopped. Each is answered with an advice to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The driver's library is not on this machine; the names that were tried.
    NoLibrary(Vec<String>),
    /// The driver's library lacks a function.
    MissingSymbol(&'static str),
    /// The library is there, but no device is.
    NoDevice,
    /// The device is of an older architecture than the kernel needs.
    Architecture {
        /// The device and its compute capability.
        device: String,
        /// The target of the kernel.
        needs: String,
    },
    /// The driver's compiler refused the kernel; its message.
    NotCompiled(String),
    /// The job needs more memory than it may take.
    TooMuchMemory {
        /// Bytes of all buffers.
        asked: u64,
        /// Bytes that are free, or allowed.
        available: u64,
    },
    /// The driver refused a call.
    Driver {
        /// The call.
        call: &'static str,
        /// The number that it returned.
        code: i32,
        /// The driver's name of the number.
        name: String,
    },
    /// The process that ran it did not end in time and was stopped; seconds.
    TimedOut(u64),
    /// The one who asked wants no answer any more.
    Cancelled,
    /// The kernel waited in vain for something that it had ordered, and gave up.
    GaveUp(&'static str),
    /// The process that ran it ended without an answer; its message.
    Crashed(String),
}

impl Failure {
    /// Whether there is a device that does not have the instructions: others may, and it may run other kernels.
    pub fn is_incapability(&self) -> bool {
        matches!(self, Self::Architecture { .. })
    }

    /// Whether there is nothing here to run on, so that the CPU may replace it; other failures say something of the kernel.
    pub fn is_absence(&self) -> bool {
        matches!(
            self,
            Self::NoLibrary(_) | Self::MissingSymbol(_) | Self::NoDevice
        )
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLibrary(names) => write!(
                f,
                "no CUDA driver on this machine: none of {} can be loaded",
                names.join(", ")
            ),
            Self::MissingSymbol(symbol) => write!(
                f,
                "the CUDA driver is too old: it has no `{symbol}`; a driver for CUDA 12.0 or later has it"
            ),
            Self::NoDevice => write!(
                f,
                "the CUDA driver finds no device; `nvidia-smi` lists what it sees, CUDA_VISIBLE_DEVICES may hide it"
            ),
            Self::Architecture { device, needs } => {
                write!(f, "{device} cannot run this kernel: it needs {needs}")
            }
            Self::NotCompiled(log) => {
                write!(f, "the driver's compiler refuses the kernel: {log}")
            }
            Self::TooMuchMemory { asked, available } => write!(
                f,
                "the run needs {asked} bytes of device memory; {available} are available"
            ),
            Self::Driver { call, code, name } => write!(f, "{call} fails with {code} ({name})"),
            Self::TimedOut(seconds) => {
                write!(f, "stopped: the run took longer than {seconds} s")
            }
            Self::Cancelled => write!(f, "the run was cancelled"),
            Self::GaveUp(awaited) => {
                write!(f, "the kernel timed out waiting for {awaited}")
            }
            Self::Crashed(said) => {
                write!(f, "the process of the run ended without an answer: {said}")
            }
        }
    }
}

impl std::error::Error for Failure {}
