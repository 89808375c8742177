//! `layouts --unknown PATH...`: why values are not known, the commonest reasons first.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;

use cute_analysis::Value;
use serde::Serialize;

use super::Session;
use super::arguments::TableFormat;
use super::output::{Outcome, complain};
use super::source::{Source, files_of};

/// A reason with how often it is the reason.
#[derive(Serialize)]
struct Row {
    reason: String,
    /// Declared names that are not known for it.
    values: usize,
    /// In how many files.
    files: usize,
    /// One place.
    example: String,
}

pub(super) fn run(
    paths: &[PathBuf],
    format: TableFormat,
    session: &mut Session,
) -> io::Result<Outcome> {
    let (files, unreadable) = files_of(paths);
    let mut rows: HashMap<String, Row> = HashMap::new();
    let (mut known, mut symbolic, mut unknown) = (0_usize, 0_usize, 0_usize);
    for error in &unreadable {
        complain(&error.to_string());
    }
    for path in &files {
        let analysed =
            Source::read(path).and_then(|source| Ok((session.analyse(&source)?, source)));
        let (analysis, source) = match analysed {
            Ok(analysed) => analysed,
            Err(error) => {
                complain(&error.to_string());
                continue;
            }
        };
        let mut seen: Vec<&str> = Vec::new();
        let reasons: Vec<Option<String>> = analysis
            .facts
            .iter()
            .map(|fact| fact.reason().map(ToString::to_string))
            .collect();
        for (fact, reason) in analysis.facts.iter().zip(&reasons) {
            let Some(reason) = reason else {
                let concrete = !matches!(fact.value, Value::Unknown(_)) && fact.value.is_known();
                known += usize::from(concrete);
                symbolic += usize::from(!concrete);
                continue;
            };
            unknown += 1;
            let row = rows.entry(reason.clone()).or_insert_with(|| {
                let place = source.lines.place(fact.name_span.start);
                let file = source.path.display();
                Row {
                    reason: reason.clone(),
                    values: 0,
                    files: 0,
                    example: format!("{file}:{}:{} {}", place.line, place.column, fact.name),
                }
            });
            row.values += 1;
            if !seen.contains(&reason.as_str()) {
                seen.push(reason);
                row.files += 1;
            }
        }
    }
    let mut rows: Vec<Row> = rows.into_values().collect();
    rows.sort_by(|a, b| b.values.cmp(&a.values).then(a.reason.cmp(&b.reason)));
    for row in &rows {
        match format {
            TableFormat::Text => session.out.line(&format!(
                "{:>7} in {:>4} files  {}  ({})",
                row.values, row.files, row.reason, row.example
            ))?,
            TableFormat::Json => session.out.json(row)?,
        }
    }
    if format == TableFormat::Text {
        session.out.line(&format!(
            "{known} known, {symbolic} symbolic, {unknown} unknown values in {} files",
            files.len()
        ))?;
    }
    Ok(if unreadable.is_empty() {
        Outcome::Clean
    } else {
        Outcome::Unusable
    })
}
