//! `layouts --unknown PATH...`: why values are not known, the commonest reasons first.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;

use cute_analysis::{Analysis, Dialect, Knowledge, LayoutNames, SourceFile};
use serde::Serialize;

use super::Session;
use super::arguments::formats::TableFormat;
use super::output::{Outcome, complain, shown};
use super::parallel::on_all_cores;
use super::source::{Source, Unreadable, files_of};
use super::stopped;
use crate::presentation::number::counted;
use crate::presentation::stopped::left_out;

/// The message about a declaration that no instance reaches.
const NOT_REACHED: &str = "no visible instance reaches the declaration";

/// A reason with how often it is the reason.
#[derive(Serialize)]
struct Row {
    reason: String,
    /// Declared layouts that are not known for it.
    layouts: usize,
    /// Declared names that are not known for it, in all instances.
    values: usize,
    /// In how many files.
    files: usize,
    /// One place, of a layout where one is not known for it.
    example: String,
}

/// Numbers of declarations: all numbers known, all but symbols, nothing.
#[derive(Default, Serialize)]
struct Count {
    concrete: usize,
    symbolic: usize,
    unknown: usize,
}

impl Count {
    fn add(&mut self, knowledge: Knowledge) {
        *match knowledge {
            Knowledge::Concrete => &mut self.concrete,
            Knowledge::Symbolic => &mut self.symbolic,
            Knowledge::Unknown => &mut self.unknown,
        } += 1;
    }
}

/// The totals of all files together.
#[derive(Default, Serialize)]
struct Total {
    /// Declarations of layouts, each once.
    layouts: Count,
    /// The unknown ones of them that have a value in an instance which is only supposed.
    supposed: usize,
    /// The known ones of them, in Python, that have a value only in such instances.
    known_supposed: usize,
    /// Declared names of any kind, once for each instance.
    values: Count,
    /// Sources that declare something.
    files: usize,
}

#[derive(Default)]
struct Ranking {
    rows: HashMap<String, Row>,
    total: Total,
}

pub(super) fn run(
    paths: &[PathBuf],
    format: TableFormat,
    session: &mut Session,
) -> io::Result<Outcome> {
    let (files, unreadable) = files_of(paths);
    for error in &unreadable {
        complain(&error.to_string());
    }
    // A name that is a layout in one file is one where another file imports it.
    let mut names = LayoutNames::default();
    let unit = |path: &PathBuf| Source::read(path).and_then(|source| source.unit());
    on_all_cores(&files, unit, |unit| {
        if let Ok(unit) = unit {
            names.add(&unit);
        }
        Ok(())
    })?;
    let mut ranking = Ranking::default();
    let analyser = &session.analyser;
    analyser.will_analyse(paths, &files);
    let analysed = |path: &PathBuf| {
        let source = Source::read(path)?;
        Ok((analyser.analyse_file(&source)?, source))
    };
    on_all_cores(&files, analysed, |analysed: Result<_, Unreadable>| {
        match analysed {
            Ok(((analysis, file), source)) => {
                stopped::say(&source, &analysis);
                ranking.add(&names, &analysis, &file, &source);
            }
            Err(error) => complain(&error.to_string()),
        }
        Ok(())
    })?;
    ranking.print(format, session)?;
    Ok(if unreadable.is_empty() {
        Outcome::Clean
    } else {
        Outcome::Unusable
    })
}

impl Ranking {
    fn add(
        &mut self,
        names: &LayoutNames,
        analysis: &Analysis,
        file: &SourceFile,
        source: &Source,
    ) {
        let mut seen: Vec<String> = Vec::new();
        for fact in &analysis.facts {
            if fact.is_supposed() && analysis.dialect == Dialect::Cute {
                continue;
            }
            let Some(reason) = fact.reason() else {
                self.total.values.add(if fact.value.is_known() {
                    Knowledge::Concrete
                } else {
                    Knowledge::Symbolic
                });
                continue;
            };
            self.total.values.add(Knowledge::Unknown);
            let reason = reason.to_string();
            self.row(&reason, &fact.name, fact.name_span.start, source)
                .values += 1;
            if !seen.contains(&reason) {
                self.row(&reason, &fact.name, fact.name_span.start, source)
                    .files += 1;
                seen.push(reason);
            }
        }
        for declaration in names.declarations(file, &analysis.facts) {
            self.total.layouts.add(declaration.knowledge);
            if declaration.knowledge != Knowledge::Unknown {
                self.total.known_supposed += usize::from(declaration.is_supposed);
                continue;
            }
            self.total.supposed += usize::from(declaration.is_supposed);
            let reason = declaration
                .reason
                .map_or_else(|| NOT_REACHED.to_owned(), |reason| reason.to_string());
            let (name, start) = (&declaration.name, declaration.span.start);
            let first = place(name, start, source);
            let row = self.row(&reason, name, start, source);
            if row.layouts == 0 {
                row.example = first;
            }
            row.layouts += 1;
            if reason == NOT_REACHED && !seen.contains(&reason) {
                self.row(&reason, name, start, source).files += 1;
                seen.push(reason);
            }
        }
        for limit in left_out(analysis) {
            let row = self.rows.entry(limit.clone()).or_insert_with(|| Row {
                reason: limit,
                layouts: 0,
                values: 0,
                files: 0,
                example: shown(&source.path),
            });
            row.files += 1;
        }
        self.total.files += 1;
    }

    /// The row of a reason; the first place that has it is its example.
    fn row(&mut self, reason: &str, name: &str, start: usize, source: &Source) -> &mut Row {
        self.rows.entry(reason.to_owned()).or_insert_with(|| Row {
            reason: reason.to_owned(),
            layouts: 0,
            values: 0,
            files: 0,
            example: place(name, start, source),
        })
    }

    fn print(self, format: TableFormat, session: &mut Session) -> io::Result<()> {
        let mut rows: Vec<Row> = self.rows.into_values().collect();
        rows.sort_by(|a, b| {
            let by_count = (b.layouts, b.values).cmp(&(a.layouts, a.values));
            by_count.then_with(|| a.reason.cmp(&b.reason))
        });
        let Total {
            layouts,
            supposed,
            known_supposed,
            values,
            files,
        } = &self.total;
        match format {
            TableFormat::Text => {
                if !rows.is_empty() {
                    session
                        .out
                        .line("layouts   values  files  reason (first place)")?;
                }
                for row in &rows {
                    session.out.line(&format!(
                        "{:>7}  {:>7}  {:>5}  {}  ({})",
                        row.layouts, row.values, row.files, row.reason, row.example
                    ))?;
                }
                let of_them = match supposed {
                    0 => String::new(),
                    count => format!(", of which {count} have a value in a supposed instance"),
                };
                let of_known = match known_supposed {
                    0 => String::new(),
                    count => format!("; {count} known ones only in supposed instances"),
                };
                session.out.line(&format!(
                    "layouts declared: {} known, {} symbolic, {} unknown{of_them}{of_known}",
                    layouts.concrete, layouts.symbolic, layouts.unknown
                ))?;
                session.out.line(&format!(
                    "values: {} known, {} symbolic, {} unknown in {}",
                    values.concrete,
                    values.symbolic,
                    values.unknown,
                    counted(*files as i64, "file", "files")
                ))
            }
            TableFormat::Json => {
                for row in &rows {
                    session.out.json(row)?;
                }
                session.out.json(&self.total)
            }
        }
    }
}

/// A name where it is declared.
fn place(name: &str, start: usize, source: &Source) -> String {
    let place = source.lines.place(start);
    let file = shown(&source.path);
    format!("{file}:{}:{} {name}", place.line, place.column)
}
