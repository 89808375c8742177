//! `decode < LOG`: the subjects of CuTe's static assertions in a compiler's log, and where a kernel was stopped.

use std::io::{self, Read as _};
use std::path::Path;

use cute_analysis::Analysis;

use super::Session;
use super::arguments::formats::TableFormat;
use super::output::{Outcome, complain};
use super::source::Source;
use crate::decode::{assertions, crashes};
use crate::limits::LOG_BYTES;

pub(super) fn run(format: TableFormat, session: &mut Session) -> io::Result<Outcome> {
    let mut bytes = Vec::new();
    io::stdin().take(LOG_BYTES).read_to_end(&mut bytes)?;
    let log = String::from_utf8_lossy(&bytes);
    let mut outcome = Outcome::Clean;
    for mut assertion in assertions(&log) {
        outcome = Outcome::Found;
        analysed(&assertion.file.clone(), session, &mut |analysis, source| {
            assertion.explain(analysis, &source.text, &source.lines);
        });
        match format {
            TableFormat::Json => session.out.json(&assertion)?,
            TableFormat::Text => session.out.text(&assertion.shown())?,
        }
    }
    for mut crash in crashes(&log) {
        outcome = Outcome::Found;
        if let Some(file) = crash.file.clone() {
            analysed(&file, session, &mut |analysis, source| {
                crash.explain(analysis, &source.text, &source.lines);
            });
        }
        match format {
            TableFormat::Json => session.out.json(&crash)?,
            TableFormat::Text => session.out.text(&crash.shown())?,
        }
    }
    if outcome == Outcome::Clean {
        complain(
            "this log contains no static assertion, no line of compute-sanitizer and no error of CUDA",
        );
    }
    Ok(outcome)
}

/// Does something with the analysis of a file that a log names.
fn analysed(file: &str, session: &Session, then: &mut dyn FnMut(&Analysis, &Source)) {
    let analysed =
        Source::read(Path::new(file)).and_then(|source| Ok((session.analyse(&source)?, source)));
    match analysed {
        Ok((analysis, source)) => then(&analysis, &source),
        Err(error) => complain(&error.to_string()),
    }
}
