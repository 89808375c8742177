//! `decode < LOG`: what CuTe's static assertions in a compiler's log are about.

use std::io::{self, Read as _};
use std::path::Path;

use super::Session;
use super::arguments::TableFormat;
use super::output::{Outcome, complain};
use super::source::Source;
use crate::decode::{Assertion, assertions};
use crate::limits::LOG_BYTES;

pub(super) fn run(format: TableFormat, session: &mut Session) -> io::Result<Outcome> {
    let mut bytes = Vec::new();
    io::stdin().take(LOG_BYTES).read_to_end(&mut bytes)?;
    let log = String::from_utf8_lossy(&bytes);
    let mut outcome = Outcome::Clean;
    for mut assertion in assertions(&log) {
        outcome = Outcome::Found;
        explain(&mut assertion, session);
        match format {
            TableFormat::Json => session.out.json(&assertion)?,
            TableFormat::Text => session.out.text(&assertion.shown())?,
        }
    }
    if outcome == Outcome::Clean {
        complain("this log contains no static assertion of CuTe");
    }
    Ok(outcome)
}

/// Adds what the analysis knows of the line.
fn explain(assertion: &mut Assertion, session: &Session) {
    let analysed = Source::read(Path::new(&assertion.file))
        .and_then(|source| Ok((session.analyse(&source)?, source)));
    match analysed {
        Ok((analysis, source)) => assertion.explain(&analysis, &source.text, &source.lines),
        Err(error) => complain(&error.to_string()),
    }
}
