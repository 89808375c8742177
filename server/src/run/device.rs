//! The device of a run: this processor, or a GPU in another process of this program, which may be stopped.

use std::ffi::OsString;
use std::fmt;
use std::time::Duration;

use cute_runner::cuda::{self, Device as Gpu};
use cute_runner::experiment::Experiment;
use cute_runner::watch::{Limited, Stop, Watch};
use cute_runner::{Failure, child};
use serde::{Deserialize, Serialize};

use super::report::{Processor, Report};

/// The hidden flag of the process that runs a kernel.
pub const IN_PROCESS: &str = "--in-process";

/// The device of a run.
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

/// The output of the other process.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Printed {
    /// An answer.
    Report(Report),
    /// The reason why there is no answer.
    Failure {
        /// For a person.
        message: String,
        /// The consequence for other experiments.
        kind: FailureKind,
    },
}

/// The consequence of a failure for other experiments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FailureKind {
    /// There is nothing to run on.
    Absent,
    /// The device lacks the instructions of this one.
    Incapable,
    /// This one did not end well.
    Failed,
}

/// Why an experiment has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unanswered {
    /// For a person.
    pub message: String,
    /// The consequence for other experiments.
    pub kind: FailureKind,
}

impl fmt::Display for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Unanswered {
    fn failed(message: impl fmt::Display) -> Self {
        Self {
            message: message.to_string(),
            kind: FailureKind::Failed,
        }
    }
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
    /// Why there is no answer.
    pub fn perform(
        &mut self,
        words: &[String],
        experiment: &dyn Fn(&dyn Watch) -> Result<Experiment, Stop>,
        watch: &dyn Watch,
    ) -> Result<Report, Unanswered> {
        let why = match (self.device, &self.absent) {
            (Device::Cpu, _) => "as asked".to_owned(),
            (Device::Auto, Some(absent)) => absent.clone(),
            (Device::Auto | Device::Cuda, _) => {
                match in_another_process(words, self.limit, watch)? {
                    Printed::Report(report) => return Ok(report),
                    Printed::Failure { message, kind } => self.instead(message, kind)?,
                }
            }
        };
        let watch = Limited::new(watch, self.limit);
        let experiment = experiment(&watch).map_err(Unanswered::failed)?;
        let answer = experiment.on_cpu(&watch).map_err(Unanswered::failed)?;
        Ok(Report::of(&experiment, &answer, None, Processor::Cpu(why)))
    }

    /// Why the CPU replaces the GPU, if it may.
    fn instead(&mut self, message: String, kind: FailureKind) -> Result<String, Unanswered> {
        if kind == FailureKind::Failed {
            return Err(Unanswered { message, kind });
        }
        if self.device == Device::Cuda {
            let message = format!("{message}; `--device cpu` runs the same program");
            return Err(Unanswered { message, kind });
        }
        if kind == FailureKind::Absent {
            self.absent = Some(message.clone());
        }
        Ok(message)
    }
}

fn in_another_process(
    words: &[String],
    limit: Duration,
    watch: &dyn Watch,
) -> Result<Printed, Unanswered> {
    let mut arguments: Vec<OsString> = vec!["run".into()];
    arguments.extend(words.iter().map(OsString::from));
    arguments.push(IN_PROCESS.into());
    let printed = child::run(&arguments, limit, watch).map_err(Unanswered::failed)?;
    serde_json::from_str(&printed.output).map_err(|_| {
        // It said on standard error why it has no answer.
        let said = printed.errors.trim();
        Unanswered::failed(Failure::Crashed(said.to_owned()))
    })
}

/// Performs an experiment on a GPU, in this very process.
pub fn on_gpu(experiment: &Experiment, watch: &dyn Watch) -> Printed {
    let failed = |failure: Failure| Printed::Failure {
        message: failure.to_string(),
        kind: match failure {
            failure if failure.is_absence() => FailureKind::Absent,
            failure if failure.is_incapability() => FailureKind::Incapable,
            _ => FailureKind::Failed,
        },
    };
    let jobs = match experiment.jobs() {
        Ok(jobs) => jobs,
        Err(refusal) => {
            return Printed::Failure {
                message: Stop::from(refusal).to_string(),
                kind: FailureKind::Failed,
            };
        }
    };
    let judged = cuda::execute(&jobs).and_then(|(device, outcomes)| {
        let answer = experiment.answer_of(&outcomes, watch)?;
        let registers = outcomes.first().and_then(|outcome| outcome.registers);
        let place = Processor::Gpu {
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
