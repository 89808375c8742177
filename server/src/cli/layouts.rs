//! `layouts FILE...`: every name with its value, one row per instantiation, or the first of them.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use cute_analysis::{Analysis, Dialect, Fact, Value};
use serde::Serialize;

use super::Session;
use super::arguments::formats::TableFormat;
use super::output::{Outcome, complain};
use super::source::{Source, for_each_file};
use crate::presentation::recorded::{Standing, origin, standing};
use crate::recorded::Placed;

/// A row as `layouts --format json` prints it.
#[derive(Serialize)]
struct Row {
    file: String,
    line: usize,
    column: usize,
    name: String,
    role: &'static str,
    function: Option<String>,
    kind: String,
    value: Option<String>,
    instance: Option<String>,
    /// Whether no source makes the instance.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    supposed: bool,
    /// Number of known instances of the name, where it has some.
    #[serde(skip_serializing_if = "Option::is_none")]
    instances: Option<usize>,
    /// Why the value is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// A tensor with its engine, as CuTe prints it.
    #[serde(skip_serializing_if = "Option::is_none")]
    print: Option<String>,
    /// Parts of a tiled copy, a tiled MMA or an atom, by CuTe's names.
    #[serde(flatten)]
    parts: BTreeMap<&'static str, String>,
}

pub(super) fn run(
    files: &[PathBuf],
    most: Option<usize>,
    format: TableFormat,
    session: &mut Session,
) -> io::Result<Outcome> {
    for_each_file(files, session, |session, source, analysis| {
        let names = analysis
            .facts
            .chunk_by(|one, other| one.name_span == other.name_span);
        for of_name in names {
            let count = of_name.len();
            for fact in of_name.iter().take(most.unwrap_or(count)) {
                let row = Row::of(fact, count, analysis.dialect, source);
                match format {
                    TableFormat::Text => session.out.line(&row.text())?,
                    TableFormat::Json => session.out.json(&row)?,
                }
            }
            if let Some(most) = most.filter(|most| count > *most)
                && matches!(format, TableFormat::Text)
            {
                let rest = Row::rest(of_name, count - most, source);
                session.out.line(&rest)?;
            }
        }
        let recorded = session.analyser.recorded(source);
        for placed in &recorded {
            if standing(placed, analysis) == Standing::Alone {
                for text in &placed.texts {
                    let row = Row::recorded(placed, text, source);
                    match format {
                        TableFormat::Text => session.out.line(&row.text())?,
                        TableFormat::Json => session.out.json(&row)?,
                    }
                }
            }
        }
        complain_of(&recorded, analysis, source);
        Ok(Outcome::Clean)
    })
}

/// Counts recorded values, apart from evaluated ones.
fn complain_of(recorded: &[Placed], analysis: &Analysis, source: &Source) {
    let Some(first) = recorded.first() else {
        return;
    };
    let count = |wanted| {
        let standings = recorded.iter().map(|placed| standing(placed, analysis));
        standings.filter(|standing| *standing == wanted).count()
    };
    let (file, all, origin) = (
        source.path.display(),
        recorded.len(),
        origin(&first.recording),
    );
    let (alone, wrong) = (count(Standing::Alone), count(Standing::Contradicted));
    let stale = if first.is_stale {
        "; the file has been edited since"
    } else {
        ""
    };
    complain(&format!(
        "{file}: {all} recorded names, {alone} known only from the recording, {wrong} different; {origin}{stale}"
    ));
}

impl Row {
    fn recorded(placed: &Placed, text: &str, source: &Source) -> Self {
        let place = source.lines.place(placed.span.start);
        Self {
            file: source.path.display().to_string(),
            line: place.line,
            column: place.column,
            name: placed.name.clone(),
            role: "recorded",
            function: None,
            kind: placed.kind.clone(),
            value: Some(text.to_owned()),
            instance: None,
            supposed: false,
            instances: None,
            reason: None,
            print: None,
            parts: BTreeMap::new(),
        }
    }

    /// The line in the place of the instances of a name that are not printed.
    fn rest(of_name: &[Fact], count: usize, source: &Source) -> String {
        let Some(fact) = of_name.first() else {
            return String::new();
        };
        let place = source.lines.place(fact.name_span.start);
        format!(
            "{}:{}:{}: {} {}: {count} more {}",
            source.path.display(),
            place.line,
            place.column,
            fact.role.name(),
            fact.name,
            if count == 1 { "instance" } else { "instances" }
        )
    }

    fn of(fact: &Fact, instances: usize, dialect: Dialect, source: &Source) -> Self {
        let place = source.lines.place(fact.name_span.start);
        let (value, print) = match &*fact.value {
            Value::Unknown(_) => (None, None),
            Value::Tensor(tensor) => (
                Some(dialect.text(&tensor.layout_value())),
                Some(dialect.text(&fact.value)),
            ),
            other => (Some(dialect.text(other)), None),
        };
        Self {
            file: source.path.display().to_string(),
            line: place.line,
            column: place.column,
            name: fact.name.to_string(),
            role: fact.role.name(),
            function: fact.function.as_deref().map(str::to_owned),
            kind: fact.kind().name().to_owned(),
            value,
            instance: fact.instance.as_deref().map(str::to_owned),
            supposed: fact.is_supposed(),
            instances: fact.instance.is_some().then_some(instances),
            reason: fact.reason().map(ToString::to_string),
            print,
            parts: cute_analysis::parts(&fact.value).into_iter().collect(),
        }
    }

    /// `file:line:column: role name: kind value`.
    fn text(&self) -> String {
        let value = match (&self.value, &self.reason) {
            (Some(value), _) => value.clone(),
            (None, Some(reason)) => format!("({reason})"),
            (None, None) => String::new(),
        };
        let instance = self
            .instance
            .as_ref()
            .map(|i| format!("  [{i}]"))
            .unwrap_or_default();
        format!(
            "{}:{}:{}: {} {}: {} {value}{instance}",
            self.file, self.line, self.column, self.role, self.name, self.kind
        )
    }
}
