//! `summary FILE...`: the path of a tile through each kernel.

use std::io;
use std::path::PathBuf;

use serde::Serialize;

use super::Session;
use super::arguments::formats::TableFormat;
use super::output::{Outcome, complain, shown};
use super::source::for_each_file;
use crate::presentation::summary::{self, Kernel};

/// A kernel as `summary --format json` prints it.
#[derive(Serialize)]
struct Row {
    file: String,
    line: usize,
    column: usize,
    #[serde(flatten)]
    kernel: Kernel,
}

pub(super) fn run(
    files: &[PathBuf],
    format: TableFormat,
    session: &mut Session,
) -> io::Result<Outcome> {
    for_each_file(files, session, |session, source, analysis| {
        let kernels = summary::of(analysis);
        if kernels.is_empty() {
            complain(&format!("{}: no kernel found", shown(&source.path)));
            return Ok(Outcome::Found);
        }
        for kernel in kernels {
            let place = source.lines.place(kernel.span.start);
            match format {
                TableFormat::Text => session.out.text(&kernel.plain(place.line))?,
                TableFormat::Json => session.out.json(&Row {
                    file: source.path.display().to_string(),
                    line: place.line,
                    column: place.column,
                    kernel,
                })?,
            }
        }
        Ok(Outcome::Clean)
    })
}
