//! `run EXPR`, `run FILE`, `run FILE:LINE`: a layout's program executed, on a GPU where there is one, and compared with the
//! algebra.

mod annotated;
mod experiment;

use std::io;

use cute_algebra::AnyLayout;
use cute_hardware::SharedLayout;
use cute_runner::cuda::{self, Device as Gpu};
use cute_runner::{Failure, child};

use super::Session;
use super::arguments::{AskedExperiment, Device, RunArguments, TableFormat};
use super::eval::{layout_of, shared_of};
use super::output::{Outcome, complain};
use experiment::{Experiment, Report};

/// The hidden flag of the process that runs a kernel and may be stopped.
const IN_PROCESS: &str = "--in-process";

pub(super) fn run(arguments: &RunArguments, session: &mut Session) -> io::Result<Outcome> {
    let asked = match annotated::place(&arguments.expression) {
        Some(place) => annotated::asked(&place, session),
        None => asked(arguments, session).map(|experiment| vec![Asked::alone(experiment)]),
    };
    let asked = match asked {
        Ok(asked) => asked,
        Err(outcome) => return Ok(outcome),
    };
    let device = if arguments.plan {
        Where::Shown
    } else {
        match device(arguments) {
            Ok(Where::Child) => return in_a_child(session),
            Ok(device) => device,
            Err(failure) => {
                complain(&format!("{failure}; `--device cpu` runs the same program"));
                return Ok(Outcome::Found);
            }
        }
    };
    let mut all = Outcome::Clean;
    for one in asked {
        if let (Some(heading), TableFormat::Text) = (&one.heading, arguments.format) {
            session.out.line(heading)?;
        }
        let outcome = match &one.experiment {
            Ok(experiment) => perform(experiment, &device, arguments.format, session)?,
            Err(reason) => {
                let place = one.heading.as_deref().unwrap_or("this layout");
                complain(&format!("{place}: {reason}"));
                Outcome::Found
            }
        };
        all = all.max(outcome);
    }
    Ok(all)
}

/// Something to be run, and how it is announced.
struct Asked {
    heading: Option<String>,
    /// The experiment, or why there is none.
    experiment: Result<Experiment, String>,
}

impl Asked {
    fn alone(experiment: Experiment) -> Self {
        Self {
            heading: None,
            experiment: Ok(experiment),
        }
    }
}

/// Where experiments are performed.
enum Where {
    /// On the CPU, and why.
    Cpu(String),
    /// On a GPU, in another process.
    Child,
    /// On a GPU, in this process.
    Gpu,
    /// Nowhere: what would be launched is printed.
    Shown,
}

fn device(arguments: &RunArguments) -> Result<Where, Failure> {
    match arguments.device {
        Device::Cpu => Ok(Where::Cpu("as asked".to_owned())),
        Device::Cuda | Device::Auto if arguments.in_process => Ok(Where::Gpu),
        Device::Cuda => cuda::device().map(|_| Where::Child),
        Device::Auto => Ok(match cuda::device() {
            Ok(_) => Where::Child,
            Err(failure) => Where::Cpu(failure.to_string()),
        }),
    }
}

fn perform(
    experiment: &Experiment,
    device: &Where,
    format: TableFormat,
    session: &mut Session,
) -> io::Result<Outcome> {
    let why = match device {
        Where::Shown => return shown(experiment, session),
        Where::Gpu | Where::Child => return on_gpu(experiment, format, session),
        Where::Cpu(why) => why,
    };
    match experiment.on_cpu() {
        Ok(report) => print(
            &report,
            "cpu",
            &format!("run on the CPU ({why})"),
            why,
            format,
            session,
        ),
        Err(refusal) => {
            complain(&format!("{}: {}", refusal.rule.name(), refusal.message()));
            Ok(Outcome::Found)
        }
    }
}

/// The experiment that the arguments describe.
fn asked(arguments: &RunArguments, session: &Session) -> Result<Experiment, Outcome> {
    let subject = subject_of(&arguments.expression, session)?;
    let bits = subject.element_bits(arguments);
    let experiment = match (&arguments.copy_to, arguments.experiment) {
        (Some(destination), _) => {
            let destination = layout_of(destination, session)?;
            Experiment::copy(&subject.layout, &destination, arguments.element_bits)
        }
        (None, AskedExperiment::Offsets) => Experiment::offsets(&subject.layout),
        (None, AskedExperiment::Banks) => Experiment::banks(&subject.layout, bits),
        (None, AskedExperiment::Tma) => match &subject.shared {
            Some(shared) => Experiment::tma(shared),
            None => SharedLayout::of_offsets(&subject.layout, bits)
                .and_then(|shared| Experiment::tma(&shared)),
        },
    };
    experiment.map_err(|refusal| {
        complain(&format!("{}: {}", refusal.rule.name(), refusal.message()));
        Outcome::Found
    })
}

/// What is run: a layout, and the swizzle of addresses if it has one.
struct Subject {
    layout: AnyLayout,
    shared: Option<SharedLayout>,
}

impl Subject {
    /// Bits of an element: what the layout says, else what the arguments say.
    fn element_bits(&self, arguments: &RunArguments) -> i64 {
        self.shared.as_ref().map_or_else(
            || i64::from(arguments.element_bits),
            |shared| shared.element_bits,
        )
    }
}

fn subject_of(text: &str, session: &Session) -> Result<Subject, Outcome> {
    let Some(shared) = shared_of(text, session) else {
        return layout_of(text, session).map(|layout| Subject {
            layout,
            shared: None,
        });
    };
    match shared.position_independent() {
        Ok(layout) => Ok(Subject {
            layout,
            shared: Some(shared),
        }),
        Err(refusal) => {
            complain(&format!("{}: {}", refusal.rule.name(), refusal.message()));
            Err(Outcome::Found)
        }
    }
}

/// `--plan`: what would be launched.
fn shown(experiment: &Experiment, session: &mut Session) -> io::Result<Outcome> {
    match experiment.jobs() {
        Ok(jobs) => {
            for job in jobs {
                session.out.text(&job.to_string())?;
            }
            Ok(Outcome::Clean)
        }
        Err(refusal) => {
            complain(&format!("{}: {}", refusal.rule.name(), refusal.message()));
            Ok(Outcome::Found)
        }
    }
}

/// Starts this program once more for the same question; a kernel that hangs is stopped with it.
fn in_a_child(session: &mut Session) -> io::Result<Outcome> {
    let mut arguments: Vec<_> = std::env::args_os().skip(1).collect();
    arguments.push(IN_PROCESS.into());
    match child::run(&arguments, child::TIME_LIMIT) {
        Ok(printed) => {
            session.out.text(&printed.output)?;
            if !printed.errors.is_empty() {
                complain(printed.errors.trim_end());
            }
            Ok(match printed.code {
                0 => Outcome::Clean,
                1 => Outcome::Found,
                _ => Outcome::Unusable,
            })
        }
        Err(failure) => {
            complain(&failure.to_string());
            Ok(Outcome::Found)
        }
    }
}

fn on_gpu(
    experiment: &Experiment,
    format: TableFormat,
    session: &mut Session,
) -> io::Result<Outcome> {
    let jobs = match experiment.jobs() {
        Ok(jobs) => jobs,
        Err(refusal) => {
            complain(&format!("{}: {}", refusal.rule.name(), refusal.message()));
            return Ok(Outcome::Found);
        }
    };
    let judged = cuda::execute(&jobs).and_then(|(device, outcomes)| {
        let report = experiment.on_gpu(&outcomes)?;
        Ok((device, report))
    });
    match judged {
        Ok((device, report)) => {
            let place = placed(&device);
            print(
                &report,
                "cuda",
                &format!("run on {place}"),
                &place,
                format,
                session,
            )
        }
        Err(failure) => {
            complain(&failure.to_string());
            Ok(Outcome::Found)
        }
    }
}

fn placed(device: &Gpu) -> String {
    let (major, minor) = device.capability;
    format!(
        "{} (sm_{major}{minor}, driver for CUDA {}.{})",
        device.name,
        device.driver_version / 1000,
        device.driver_version % 1000 / 10,
    )
}

fn print(
    report: &Report,
    device: &str,
    place: &str,
    why: &str,
    format: TableFormat,
    session: &mut Session,
) -> io::Result<Outcome> {
    match format {
        TableFormat::Text => session.out.text(&report.text(place))?,
        TableFormat::Json => session.out.json(&report.json(device, why))?,
    }
    Ok(if report.agrees {
        Outcome::Clean
    } else {
        Outcome::Found
    })
}

/// What the GPU answered cannot be judged.
impl From<Unjudged> for Failure {
    fn from(unjudged: Unjudged) -> Self {
        Self::Crashed(unjudged.0)
    }
}

/// Why an answer could not be compared.
#[derive(Debug)]
struct Unjudged(String);
