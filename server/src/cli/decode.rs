//! `decode < LOG`: what CuTe's static assertions in a compiler's log are about.

use std::io::{self, Read as _};
use std::path::Path;

use serde::Serialize;

use super::Session;
use super::arguments::TableFormat;
use super::compiler_log::{CompileError, Place, errors};
use super::output::{Outcome, complain};
use super::source::Source;
use crate::limits::LOG_BYTES;
use crate::presentation::findings;
use crate::project::is_of_library;

/// The texts of CuTe's assertions, with the rule that each is about.
const ASSERTIONS: &[(&str, &str)] = &[
    ("Stride Divisibility Condition", "stride-divisibility"),
    ("Shape Divisibility Condition", "shape-divisibility"),
    ("Static shape_div failure", "not-divisible"),
    ("Left inverse divisibility condition", "not-divisible"),
    ("Divisibility Condition", "not-divisible"),
    ("Divisibility condition", "not-divisible"),
    (
        "Non-injective Layout detected in complement.",
        "not-injective",
    ),
    (
        "Dynamic-stride complement only for rank-1 layouts",
        "needs-static-strides",
    ),
    (
        "Left inverse requires static strides",
        "needs-static-strides",
    ),
    ("Too many modes in tiler", "rank-mismatch"),
    ("Mismatched ranks", "rank-mismatch"),
    ("Mismatched Ranks", "rank-mismatch"),
    ("CopyAtom rank-mismatch.", "rank-mismatch"),
    (
        "Downcast requires adjacent elements",
        "downcast-not-adjacent",
    ),
    (
        "tile_to_shape: block shape does not divide the target shape.",
        "tile-does-not-divide",
    ),
    ("abs(SShift) must be more than BBits.", "swizzle-illegal"),
];

/// A decoded assertion.
#[derive(Serialize)]
struct Row {
    file: String,
    line: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    rule: &'static str,
    /// What CuTe says.
    text: &'static str,
    /// What we say, with the numbers.
    findings: Vec<String>,
    /// What the expressions of the line are worth.
    operands: Vec<Operand>,
    /// The finding as people read it.
    #[serde(skip)]
    rendered: Vec<String>,
}

#[derive(Serialize)]
struct Operand {
    expression: String,
    value: String,
}

pub(super) fn run(format: TableFormat, session: &mut Session) -> io::Result<Outcome> {
    let mut bytes = Vec::new();
    io::stdin().take(LOG_BYTES).read_to_end(&mut bytes)?;
    let log = String::from_utf8_lossy(&bytes);
    let mut outcome = Outcome::Clean;
    for error in errors(&log) {
        let Some(mut row) = decoded(&error) else {
            continue;
        };
        outcome = Outcome::Found;
        explain(&mut row, session);
        match format {
            TableFormat::Json => session.out.json(&row)?,
            TableFormat::Text => session.out.text(&row.shown())?,
        }
    }
    if outcome == Outcome::Clean {
        complain("no static assertion of CuTe is in this log");
    }
    Ok(outcome)
}

/// The assertion that an error is, and the innermost place of it that is the user's.
fn decoded(error: &CompileError) -> Option<Row> {
    let (text, rule) = ASSERTIONS
        .iter()
        .find(|(text, _)| error.message.contains(text))?;
    let is_users = |place: &&Place| !is_of_library(Path::new(&place.file));
    let place = error
        .places
        .iter()
        .find(is_users)
        .or(error.places.first())?;
    Some(Row {
        file: place.file.clone(),
        line: place.line,
        column: place.column,
        rule,
        text,
        findings: Vec::new(),
        operands: Vec::new(),
        rendered: Vec::new(),
    })
}

/// Adds what the analysis knows of the line.
fn explain(row: &mut Row, session: &mut Session) {
    let analysed = Source::read(Path::new(&row.file))
        .and_then(|source| Ok((session.analyse(&source)?, source)));
    let (analysis, source) = match analysed {
        Ok(analysed) => analysed,
        Err(error) => return complain(&error.to_string()),
    };
    let on_line = |start: usize| source.lines.place(start).line == row.line;
    for finding in &analysis.findings {
        if finding.rule == row.rule && on_line(finding.span.start) {
            row.findings.push(finding.message.clone());
            let rendered = findings::render(finding, &row.file, &source.lines);
            row.rendered.push(rendered);
        }
    }
    for mention in &analysis.mentions {
        let expression = mention.span.text(&source.text);
        let is_new = row
            .operands
            .iter()
            .all(|known| known.expression != expression);
        if on_line(mention.span.start) && !expression.contains('\n') && is_new {
            row.operands.push(Operand {
                expression: expression.to_owned(),
                value: mention.value.to_string(),
            });
        }
    }
}

impl Row {
    fn shown(&self) -> String {
        use std::fmt::Write as _;
        let column = self
            .column
            .map(|column| format!(":{column}"))
            .unwrap_or_default();
        let mut shown = format!(
            "{}:{}{column}: error[{}]: CuTe says \"{}\"\n",
            self.file, self.line, self.rule, self.text
        );
        for operand in &self.operands {
            // Writing to a String cannot fail.
            let _ = writeln!(shown, "  {} = {}", operand.expression, operand.value);
        }
        for rendered in &self.rendered {
            shown.push_str(rendered);
        }
        shown.push('\n');
        shown
    }
}
