//! `run EXPR`, `run FILE`, `run FILE:LINE`, `run --table`: layouts run on a machine, a GPU where there is one, and compared with
//! the algebra.

mod asked;
mod plan;
mod progress;

use std::io;
use std::time::Duration;

use cute_runner::watch::{Limited, Unwatched};

use super::Session;
use super::arguments::formats::TableFormat;
use super::arguments::run::RunArguments;
use super::output::{Outcome, complain, shown};
use crate::run::device::{FailureKind, Performer, Unanswered, on_gpu};
use crate::run::history;
use crate::run::report::Report;
use asked::Asked;
use progress::Progress;

pub(super) fn run(arguments: &RunArguments, session: &mut Session) -> io::Result<Outcome> {
    let asked = match asked::of(arguments, session) {
        Ok(asked) => asked,
        Err(outcome) => return Ok(outcome),
    };
    let limit = Duration::from_secs(arguments.time_limit);
    if arguments.in_process {
        return in_process(&asked, limit, session);
    }
    if arguments.plan {
        return plan::show(&asked, arguments.format, limit, session);
    }
    let mut performer = Performer::new(arguments.device, limit);
    let mut tally = Tally::default();
    let mut all = Outcome::Clean;
    for one in &asked {
        if let (Some(heading), TableFormat::Text, false) =
            (&one.heading, arguments.format, arguments.table)
        {
            session.out.line(heading)?;
        }
        let outcome = match perform(one, &mut performer, limit) {
            Ok(report) => {
                tally.add(&report);
                print(one, &report, arguments, session)?
            }
            // A row that this device cannot run says nothing against it.
            Err(unanswered) if arguments.table && unanswered.kind == FailureKind::Incapable => {
                tally.skipped += 1;
                skip(one, &unanswered, arguments.format, session)?;
                Outcome::Clean
            }
            Err(unanswered) => {
                tally.failed += 1;
                let place = one.heading.as_ref().map(|heading| format!("{heading}: "));
                complain(&format!("{}{unanswered}", place.unwrap_or_default()));
                if arguments.table && unanswered.kind == FailureKind::Absent {
                    // All others would say the same.
                    return Ok(Outcome::Found);
                }
                Outcome::Found
            }
        };
        all = all.max(outcome);
        session.out.flush()?;
    }
    if arguments.table && arguments.format == TableFormat::Text {
        session.out.line(&tally.summary())?;
    }
    Ok(all)
}

/// The answers so far.
#[derive(Default)]
struct Tally {
    agreed: usize,
    differed: usize,
    failed: usize,
    skipped: usize,
    place: Option<String>,
}

impl Tally {
    fn add(&mut self, report: &Report) {
        if report.agrees {
            self.agreed += 1;
        } else {
            self.differed += 1;
        }
        self.place.get_or_insert_with(|| report.place());
    }

    fn summary(&self) -> String {
        let place = self.place.as_deref().unwrap_or("nowhere");
        format!(
            "{} agree, {} differ, {} failed, {} need another device; run {place}",
            self.agreed, self.differed, self.failed, self.skipped
        )
    }
}

fn perform(one: &Asked, performer: &mut Performer, limit: Duration) -> Result<Report, Unanswered> {
    let progress = Progress::new();
    let refused = |message| Unanswered {
        message,
        kind: FailureKind::Failed,
    };
    let what = one
        .what
        .as_ref()
        .map_err(|reason| refused(reason.clone()))?;
    let words = what
        .words(&Limited::new(&progress, limit))
        .map_err(refused)?;
    performer.perform(&words, &|watch| what.made(watch), &progress)
}

/// The process that another one of this program has started to run on a GPU: prints one line for it.
fn in_process(asked: &[Asked], limit: Duration, session: &mut Session) -> io::Result<Outcome> {
    let watch = Limited::new(&Unwatched, limit);
    for one in asked {
        let what = one.what.as_ref().map_err(Clone::clone);
        let made = what.and_then(|what| what.made(&watch).map_err(|stop| stop.to_string()));
        match made {
            Ok(experiment) => session.out.json(&on_gpu(&experiment, &watch))?,
            Err(reason) => {
                complain(&reason);
                return Ok(Outcome::Found);
            }
        }
    }
    Ok(Outcome::Clean)
}

fn print(
    one: &Asked,
    report: &Report,
    arguments: &RunArguments,
    session: &mut Session,
) -> io::Result<Outcome> {
    if let Some(file) = &arguments.history
        && let Err(error) = history::append(file, report)
    {
        complain(&format!("{}: {error}", shown(file)));
    }
    match (arguments.format, arguments.table) {
        (TableFormat::Json, true) => session.out.json(&row(one, report))?,
        (TableFormat::Json, false) => session.out.json(report)?,
        (TableFormat::Text, true) => {
            let mark = if report.agrees { "ok  " } else { "DIFF" };
            let name = one.heading.as_deref().unwrap_or(&report.subject);
            session
                .out
                .line(&format!("{mark} {name}: {}", report.brief))?;
        }
        (TableFormat::Text, false) => session.out.text(&report.text())?,
    }
    Ok(if report.agrees {
        Outcome::Clean
    } else {
        Outcome::Found
    })
}

/// Prints a row that the device cannot run.
fn skip(
    one: &Asked,
    unanswered: &Unanswered,
    format: TableFormat,
    session: &mut Session,
) -> io::Result<()> {
    let name = one.heading.as_deref().unwrap_or_default();
    match format {
        TableFormat::Json => {
            let skipped = serde_json::json!({"case": name, "skipped": unanswered.message});
            session.out.json(&skipped)
        }
        TableFormat::Text => session.out.line(&format!("--   {name}: {unanswered}")),
    }
}

/// A report with the name of its row.
fn row(one: &Asked, report: &Report) -> serde_json::Value {
    serde_json::json!({"case": one.heading, "report": report})
}
