//! Where a run is performed: on this processor, or on a GPU in another process of this program, which may be stopped.

use std::ffi::OsString;
use std::time::Duration;

use cute_runner::cuda::{self, Device as Gpu};
use cute_runner::experiment::Experiment;
use cute_runner::watch::{Limited, Stop, Watch};
use cute_runner::{Failure, child};
use serde::{Deserialize, Serialize};

use super::report::{Place, Report};

/// The hidden flag of the process that runs a kernel.
pub const IN_PROCESS: &str = "--in-process";

/// What a run is performed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Device {
    /// The best there is; the answer says which, and why
    #[default]
    Auto,
    /// This machine's processor
    Cpu,
    /// A CUDA device
    Cuda,
}

/// What the other process prints.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Printed {
    /// An answer.
    Report(Report),
    /// Why there is none.
    Failure {
        /// For a person.
        message: String,
        /// Whether there is nothing to run on.
        absent: bool,
    },
}

/// Performs experiments, one after the other, in one place.
#[derive(Debug, Clone)]
pub struct Performer {
    device: Device,
    limit: Duration,
    /// Why there is no GPU, once that is known.
    absent: Option<String>,
}

impl Performer {
    /// A performer on a device; each run may take as long as `limit`.
    pub fn new(device: Device, limit: Duration) -> Self {
        Self {
            device,
            limit,
            absent: None,
        }
    }

    /// Performs an experiment: `words` are the arguments of `run` with which another process makes it, `experiment` makes
    /// it here.
    ///
    /// # Errors
    /// Why there is no answer, for a person.
    pub fn perform(
        &mut self,
        words: &[String],
        experiment: &dyn Fn(&dyn Watch) -> Result<Experiment, Stop>,
        watch: &dyn Watch,
    ) -> Result<Report, String> {
        let why = match (self.device, &self.absent) {
            (Device::Cpu, _) => "as asked".to_owned(),
            (Device::Auto, Some(absent)) => absent.clone(),
            (Device::Auto | Device::Cuda, _) => match in_another_process(words, self.limit, watch)?
            {
                Printed::Report(report) => return Ok(report),
                Printed::Failure { message, absent } => {
                    if !absent {
                        return Err(message);
                    }
                    if self.device == Device::Cuda {
                        return Err(format!("{message}; `--device cpu` runs the same program"));
                    }
                    self.absent = Some(message.clone());
                    message
                }
            },
        };
        let watch = Limited::new(watch, self.limit);
        let experiment = experiment(&watch).map_err(|stop| stop.to_string())?;
        let answer = experiment.on_cpu(&watch).map_err(|stop| stop.to_string())?;
        Ok(Report::of(&experiment, &answer, None, Place::Cpu(why)))
    }
}

fn in_another_process(
    words: &[String],
    limit: Duration,
    watch: &dyn Watch,
) -> Result<Printed, String> {
    let mut arguments: Vec<OsString> = vec!["run".into()];
    arguments.extend(words.iter().map(OsString::from));
    arguments.push(IN_PROCESS.into());
    let printed = child::run(&arguments, limit, watch).map_err(|failure| failure.to_string())?;
    serde_json::from_str(&printed.output).map_err(|_| {
        // It said on standard error why it has no answer.
        let said = printed.errors.trim();
        Failure::Crashed(said.to_owned()).to_string()
    })
}

/// Performs an experiment on a GPU, in this very process.
pub fn on_gpu(experiment: &Experiment, watch: &dyn Watch) -> Printed {
    let failed = |failure: Failure| Printed::Failure {
        message: failure.to_string(),
        absent: failure.is_absence(),
    };
    let jobs = match experiment.jobs() {
        Ok(jobs) => jobs,
        Err(refusal) => {
            return Printed::Failure {
                message: Stop::from(refusal).to_string(),
                absent: false,
            };
        }
    };
    let judged = cuda::execute(&jobs).and_then(|(device, outcomes)| {
        let answer = experiment.answer_of(&outcomes, watch)?;
        let registers = outcomes.first().and_then(|outcome| outcome.registers);
        let place = Place::Gpu {
            device: described(&device),
            l2_bytes: device.l2_bytes.into(),
        };
        Ok(Report::of(experiment, &answer, registers, place))
    });
    judged.map_or_else(failed, Printed::Report)
}

fn described(device: &Gpu) -> String {
    let (major, minor) = device.capability;
    format!(
        "{} (sm_{major}{minor}, driver for CUDA {}.{})",
        device.name,
        device.driver_version / 1000,
        device.driver_version % 1000 / 10,
    )
}
