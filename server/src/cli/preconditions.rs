//! `preconditions FILE`: the run-time conditions.

use std::io;
use std::path::PathBuf;

use serde::Serialize;

use super::Session;
use super::arguments::formats::TableFormat;
use super::output::Outcome;
use super::source::for_each_file;

/// A condition as `preconditions --format json` prints it.
#[derive(Serialize)]
struct Row<'a> {
    file: String,
    line: usize,
    column: usize,
    rule: &'static str,
    message: &'a str,
    instance: Option<&'a str>,
}

pub(super) fn run(
    files: &[PathBuf],
    format: TableFormat,
    session: &mut Session,
) -> io::Result<Outcome> {
    for_each_file(files, session, |session, source, analysis| {
        for needed in &analysis.preconditions {
            let place = source.lines.place(needed.span.start);
            let row = Row {
                file: source.path.display().to_string(),
                line: place.line,
                column: place.column,
                rule: needed.rule,
                message: &needed.message,
                instance: needed.instance.as_deref(),
            };
            match format {
                TableFormat::Text => session.out.line(&format!(
                    "{}:{}:{}: {}",
                    row.file, row.line, row.column, row.message
                ))?,
                TableFormat::Json => session.out.json(&row)?,
            }
        }
        Ok(Outcome::Clean)
    })
}
