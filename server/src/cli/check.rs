//! `check PATH...`: the findings of sources, for people, scripts and code-scanning services.

use std::io;
use std::path::{Path, PathBuf};

use cute_analysis::{About, Analysis, Finding, Rule, Severity, Wanted};
use serde::Serialize;
use serde_json::{Map, Value};
use tree_sitter_cute::tree::Span;

use super::arguments::formats::ReportFormat;
use super::baseline::Baseline;
use super::output::{Outcome, Output, complain, shown};
use super::parallel::on_all_cores;
use super::source::{Source, Unreadable, files_of};
use super::{Session, github, json, sarif, stopped};
use crate::presentation::findings;

/// A source with its findings.
pub(super) struct Checked {
    pub(super) source: Source,
    pub(super) findings: Vec<Finding>,
}

/// Findings, over all sources.
#[derive(Default)]
struct Tally {
    files: usize,
    errors: usize,
    warnings: usize,
}

pub(super) fn run(
    paths: &[PathBuf],
    format: ReportFormat,
    all: bool,
    baseline: Option<&Path>,
    session: &mut Session,
) -> io::Result<Outcome> {
    let mut baseline = match baseline.map(Baseline::read).transpose() {
        Ok(baseline) => baseline.unwrap_or_default(),
        Err(mistake) => {
            complain(&mistake);
            return Ok(Outcome::Unusable);
        }
    };
    let (files, mut unreadable) = files_of(paths);
    let mut tally = Tally::default();
    let mut log = Vec::new();
    let Session { analyser, out, .. } = session;
    // A finding that is not shown needs no remedies.
    let rules = analyser.rules.clone();
    analyser.options.wanted = Wanted::those(move |finding| {
        let applied = rules.applied(vec![finding.clone()]);
        applied.iter().any(|finding| is_reported(finding, all))
    });
    analyser.options.only_findings = true;
    analyser.will_analyse(paths, &files);
    let checked = |path: &PathBuf| {
        let source = Source::read(path)?;
        let analysis = analyser.analyse(&source)?;
        stopped::say(&source, &analysis);
        let findings = reported(analysis, all);
        Ok(Checked { source, findings })
    };
    on_all_cores(&files, checked, |checked: Result<Checked, Unreadable>| {
        match checked {
            Ok(mut checked) => {
                baseline.take_out(&mut checked.findings, &checked.source);
                tally.count(&checked.findings);
                match format {
                    ReportFormat::Text => text(&checked, out)?,
                    ReportFormat::Json => json_lines(&checked, out)?,
                    ReportFormat::Sarif => log.push(checked),
                    ReportFormat::Github => {
                        for finding in &checked.findings {
                            out.line(&github::annotation(finding, &checked.source))?;
                        }
                    }
                }
            }
            Err(error) => unreadable.push(error),
        }
        Ok(())
    })?;
    if format == ReportFormat::Sarif {
        let text = serde_json::to_string_pretty(&sarif::log(&log, &unreadable))?;
        session.out.text(&text)?;
        session.out.text("\n")?;
    }
    for error in &unreadable {
        complain(&error.to_string());
    }
    if format == ReportFormat::Text {
        session.out.line(&tally.summary())?;
    }
    Ok(tally.outcome(&unreadable))
}

/// The findings that are shown, by default without mere information, in the order of the source. Those
/// on memory are there only if they were requested.
fn reported(analysis: Analysis, all: bool) -> Vec<Finding> {
    let mut findings = analysis.findings;
    findings.retain(|finding| is_reported(finding, all));
    findings.sort_by_key(|finding| (finding.span.start, finding.span.end, finding.rule));
    findings
}

fn is_reported(finding: &Finding, all: bool) -> bool {
    all || finding.severity > Severity::Information || Rule::is_about(finding.rule, About::Memory)
}

impl Tally {
    fn count(&mut self, findings: &[Finding]) {
        self.files += 1;
        let of = |severity| findings.iter().filter(|f| f.severity == severity).count();
        self.errors += of(Severity::Error);
        self.warnings += of(Severity::Warning);
    }

    fn summary(&self) -> String {
        format!(
            "{}, {} in {}",
            counted(self.errors, "error"),
            counted(self.warnings, "warning"),
            counted(self.files, "file")
        )
    }

    fn outcome(&self, unreadable: &[Unreadable]) -> Outcome {
        if !unreadable.is_empty() {
            Outcome::Unusable
        } else if self.errors > 0 {
            Outcome::Found
        } else {
            Outcome::Clean
        }
    }
}

fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

fn text(checked: &Checked, out: &mut Output) -> io::Result<()> {
    let file = shown(&checked.source.path);
    for finding in &checked.findings {
        let report = findings::render(finding, &file, &checked.source.lines);
        out.text(&report)?;
        out.line("")?;
    }
    Ok(())
}

fn json_lines(checked: &Checked, out: &mut Output) -> io::Result<()> {
    for finding in &checked.findings {
        out.json(&FindingRow::of(finding, &checked.source))?;
    }
    Ok(())
}

/// A finding as `check --format json` prints it.
#[derive(Serialize)]
struct FindingRow {
    #[serde(flatten)]
    range: Range,
    rule: &'static str,
    severity: &'static str,
    message: String,
    numbers: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    witness: Option<Value>,
    related: Vec<RelatedRow>,
    remedies: Vec<RemedyRow>,
}

/// A range of a file: lines and columns from 1, the end exclusive.
#[derive(Serialize)]
struct Range {
    file: String,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
}

#[derive(Serialize)]
struct RelatedRow {
    #[serde(flatten)]
    range: Range,
    message: String,
}

#[derive(Serialize)]
struct RemedyRow {
    title: String,
    edits: Vec<EditRow>,
}

#[derive(Serialize)]
struct EditRow {
    #[serde(flatten)]
    range: Range,
    new_text: String,
}

impl Range {
    fn of(span: Span, source: &Source) -> Self {
        let (start, end) = (source.lines.place(span.start), source.lines.place(span.end));
        Self {
            file: source.path.display().to_string(),
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
        }
    }
}

impl FindingRow {
    fn of(finding: &Finding, source: &Source) -> Self {
        let related = |related: &cute_analysis::Related| RelatedRow {
            range: Range::of(related.span, source),
            message: related.message.clone(),
        };
        let edit = |edit: &cute_analysis::Edit| EditRow {
            range: Range::of(edit.span, source),
            new_text: edit.new_text.clone(),
        };
        let remedy = |remedy: &cute_analysis::Remedy| RemedyRow {
            title: remedy.title.clone(),
            edits: remedy.edits.iter().map(edit).collect(),
        };
        Self {
            range: Range::of(finding.span, source),
            rule: finding.rule,
            severity: finding.severity.name(),
            message: finding.message.clone(),
            numbers: json::numbers(&finding.numbers),
            witness: finding.witness.as_ref().map(json::witness),
            related: finding.related.iter().map(related).collect(),
            remedies: finding.remedies.iter().map(remedy).collect(),
        }
    }
}
