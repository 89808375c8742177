//! The experiments of a `run`: an expression with its options, the orders of a source, the rows of the table.

use cute_hardware::descriptor::Generation;
use cute_runner::experiment::Experiment;
use cute_runner::fragments::Direction;
use cute_runner::product::Role;
use cute_runner::table::{Case, Scale, cases};
use cute_runner::watch::{Stop, Watch};

use crate::cli::Session;
use crate::cli::arguments::run::{AskedExperiment, AskedOperand, RunArguments};
use crate::cli::eval::{layout_of, shared_of};
use crate::cli::output::{Outcome, complain, shown};
use crate::cli::source::{FileLine, Source};
use crate::run::device::Device;
use crate::run::question::{Question, Subject, fresh_seed, tensor};
use crate::run::{orders, words};

/// Something to be run, and how it is announced.
pub(super) struct Asked {
    pub(super) heading: Option<String>,
    /// The experiment, or the reason why there is not one.
    pub(super) what: Result<What, String>,
}

/// Something that can be run.
pub(super) enum What {
    /// A question about a layout.
    Question(Box<(Subject, Question)>),
    /// A row of the table, with the seed of its inputs.
    Case(Case, u64),
}

impl What {
    /// The experiment, made here.
    pub(super) fn made(&self, watch: &dyn Watch) -> Result<Experiment, Stop> {
        match self {
            Self::Question(question) => question.1.of(&question.0, watch),
            Self::Case(case, seed) => case.experiment(*seed, watch),
        }
    }

    /// The arguments of `run` with which another process makes it.
    ///
    /// # Errors
    /// Why there is no experiment.
    pub(super) fn words(&self, watch: &dyn Watch) -> Result<Vec<String>, String> {
        match self {
            Self::Question(_) => {
                let experiment = self.made(watch).map_err(|stop| stop.to_string())?;
                Ok(words::of(&experiment))
            }
            // Made there only: it may be large.
            Self::Case(case, seed) => Ok(vec![
                "--case".to_owned(),
                case.name.clone(),
                "--seed".to_owned(),
                seed.to_string(),
            ]),
        }
    }
}

/// The experiments that the arguments request.
pub(super) fn of(arguments: &RunArguments, session: &Session) -> Result<Vec<Asked>, Outcome> {
    let seed = arguments.seed.unwrap_or_else(fresh_seed);
    // Only a device's memory makes the large table worthwhile.
    let scale = if arguments.device == Device::Cuda || arguments.in_process {
        Scale::Device
    } else {
        Scale::Small
    };
    let row = |case: Case| Asked {
        heading: Some(case.name.clone()),
        what: Ok(What::Case(case, seed)),
    };
    if arguments.table {
        return Ok(cases(scale).into_iter().map(row).collect());
    }
    let Some(expression) = &arguments.expression else {
        let case = arguments.case.as_deref().unwrap_or_default();
        let found = cases(scale).into_iter().find(|row| row.name == case);
        return found.map(|case| vec![row(case)]).ok_or_else(|| {
            complain(&format!("the table has no row `{case}`"));
            Outcome::Unusable
        });
    };
    match FileLine::of(expression) {
        Some(place) => ordered(&place, session),
        None => question(expression, arguments, seed, session).map(|question| {
            vec![Asked {
                heading: None,
                what: Ok(What::Question(Box::new(question))),
            }]
        }),
    }
}

/// The question that an expression and the options beside it are.
fn question(
    expression: &str,
    arguments: &RunArguments,
    seed: u64,
    session: &Session,
) -> Result<(Subject, Question), Outcome> {
    let subject = subject_of(expression, arguments, session)?;
    let other = arguments.times.as_ref();
    let other = other.map(|text| subject_of(text, arguments, session));
    let other = other.transpose()?;
    if let Some(destination) = &arguments.copy_to {
        return Ok((
            subject,
            Question::Copy(Box::new(layout_of(destination, session)?)),
        ));
    }
    if let (Some(other), Some(result)) = (&other, &arguments.into) {
        let layouts = [other.layout.clone(), layout_of(result, session)?];
        return Ok((subject, Question::Gemm(Box::new(layouts), seed)));
    }
    let generation = match arguments.experiment {
        AskedExperiment::Tcgen05 => Generation::Tcgen05,
        _ => Generation::Wgmma,
    };
    let question = match arguments.experiment {
        AskedExperiment::Offsets if other.is_some() => {
            complain("`--times` asks for a product: add `--into`, or `--experiment wgmma`");
            return Err(Outcome::Unusable);
        }
        AskedExperiment::Offsets => Question::Offsets(arguments.samples),
        AskedExperiment::Banks => Question::Banks,
        AskedExperiment::Tma => {
            let from = arguments.tensor.as_ref();
            let from = from.map(|text| layout_of(text, session)).transpose()?;
            let from = from.as_ref().map(tensor).transpose().map_err(refused)?;
            Question::Tma(from)
        }
        AskedExperiment::Ldmatrix => Question::Fragments(Direction::Load),
        AskedExperiment::Stmatrix => Question::Fragments(Direction::Store),
        AskedExperiment::Wgmma | AskedExperiment::Tcgen05 => match &other {
            Some(other) => Question::Product(generation, other.shared().map_err(refused)?, seed),
            None => Question::Identity(
                generation,
                match arguments.operand {
                    AskedOperand::A => Role::A,
                    AskedOperand::B => Role::B,
                },
            ),
        },
    };
    Ok((subject, question))
}

fn refused(refusal: cute_hardware::Refusal) -> Outcome {
    complain(&Stop::from(refusal).to_string());
    Outcome::Found
}

fn subject_of(text: &str, arguments: &RunArguments, session: &Session) -> Result<Subject, Outcome> {
    let element_bits = i64::from(arguments.element_bits);
    let Some(shared) = shared_of(text, session) else {
        return layout_of(text, session).map(|layout| Subject {
            layout,
            shared: None,
            element_bits,
        });
    };
    Ok(Subject {
        layout: shared.position_independent().map_err(refused)?,
        element_bits: shared.element_bits,
        shared: Some(shared),
    })
}

/// The orders of a file; for a line, those on it or about it.
fn ordered(place: &FileLine, session: &Session) -> Result<Vec<Asked>, Outcome> {
    let read = Source::read(&place.file).and_then(|source| Ok((session.analyse(&source)?, source)));
    let (analysis, source) = read.map_err(|error| {
        complain(&error.to_string());
        Outcome::Unusable
    })?;
    let line_of = |byte| source.lines.place(byte).line;
    let name = shown(&place.file);
    let mut found = Vec::new();
    for annotation in &analysis.orders {
        let line = line_of(annotation.line.start);
        let lines = line_of(annotation.span.start)..=line;
        if place.line.is_some_and(|line| !lines.contains(&line)) {
            continue;
        }
        let ordered = orders::of(annotation, &analysis);
        if ordered.is_empty() {
            found.push(Asked {
                heading: Some(format!("{name}:{line}")),
                what: Err("no layout follows `cute: run`".to_owned()),
            });
        }
        for one in ordered {
            found.push(Asked {
                heading: Some(format!("{name}:{line} {}", one.title())),
                what: one.asked.map(|question| What::Question(Box::new(question))),
            });
        }
    }
    if found.is_empty() {
        let place = place
            .line
            .map_or_else(|| name.clone(), |line| format!("{name}:{line}"));
        complain(&format!("{place}: no layout follows a `cute: run`"));
        return Err(Outcome::Found);
    }
    Ok(found)
}
