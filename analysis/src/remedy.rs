//! Remedies: edits that remove a finding, proved before they are offered.
//!
//! Candidates are operands near by that the rule allows, then small changes of one literal. Each
//! is written into a copy of the source, which is parsed and analysed again: it is offered only if
//! the finding is gone, no other has come, and the call still has a value.

mod candidates;
mod order;
mod proof;
mod sites;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tree_sitter_cute::tree::{Expr, Span, Unit};

use crate::analyse::analyse_without_remedies;
use crate::comments::{Judged, Verdict};
use crate::cost::boxes;
use crate::fact::Analysis;
use crate::finding::{Edit, Finding, Remedy};
use crate::interpret::Memo;
use crate::limits;
use crate::options::Options;
use crate::sources::{SourceFile, Sources};
use crate::walk;
use candidates::{Candidate, candidates};

/// What an analysis leaves for the search of remedies.
#[derive(Debug, Default)]
pub(crate) struct Traces {
    /// Where the name used at a span is declared.
    pub(crate) declarations: Arc<HashMap<Span, Span>>,
    /// Where what the name declared at a span is initialised with stands.
    pub(crate) initialisers: HashMap<Span, Span>,
    /// The comments that describe a variable.
    pub(crate) judged: Vec<Judged>,
}

/// Where the literals behind names stand.
#[derive(Debug, Default)]
pub(crate) struct Origins<'u> {
    /// Where the name used at a span is declared.
    declarations: Arc<HashMap<Span, Span>>,
    /// What the name declared at a span is initialised with.
    initialisers: HashMap<Span, &'u Expr>,
}

impl<'u> Origins<'u> {
    fn of(traces: &Traces, unit: &'u Unit) -> Self {
        let wanted: HashSet<Span> = traces.initialisers.values().copied().collect();
        let mut found: HashMap<Span, &Expr> = HashMap::new();
        walk::expressions(&unit.items, &mut |expr| {
            if wanted.contains(&expr.span) {
                found.entry(expr.span).or_insert(expr);
            }
        });
        let initialisers = traces.initialisers.iter();
        Self {
            declarations: Arc::clone(&traces.declarations),
            initialisers: initialisers
                .filter_map(|(name, init)| Some((*name, *found.get(init)?)))
                .collect(),
        }
    }
}

/// The proved remedies of one finding of a source: for editors, which ask when a menu is opened.
pub fn remedies(
    file: &SourceFile,
    sources: &dyn Sources,
    finding: &Finding,
    options: &Options,
) -> Vec<Remedy> {
    let mut memo = Memo::default();
    let (analysis, traces) = analyse_without_remedies(file, sources, options, Some(&mut memo));
    let mut search = Search {
        before: &analysis,
        file,
        sources,
        origins: Origins::of(&traces, file.unit()),
        judged: &traces.judged,
        options,
        memo,
        budget: limits::CANDIDATES_PER_FILE,
    };
    search.remedies_of(finding)
}

/// Adds proved remedies to the findings of an analysis.
pub(crate) fn add_remedies(
    analysis: &mut Analysis,
    file: &SourceFile,
    sources: &dyn Sources,
    traces: &Traces,
    options: &Options,
    memo: Memo,
) {
    if analysis.findings.is_empty() {
        return;
    }
    let mut search = Search {
        before: analysis,
        file,
        sources,
        origins: Origins::of(traces, file.unit()),
        judged: &traces.judged,
        options,
        memo,
        budget: limits::CANDIDATES_PER_FILE,
    };
    let found: Vec<Vec<Remedy>> = analysis
        .findings
        .iter()
        .map(|finding| search.remedies_of(finding))
        .collect();
    for (finding, remedies) in analysis.findings.iter_mut().zip(found) {
        finding.remedies = remedies;
    }
}

/// The search for the remedies of one file.
pub(crate) struct Search<'s> {
    /// What is known before any edit.
    before: &'s Analysis,
    file: &'s SourceFile,
    sources: &'s dyn Sources,
    origins: Origins<'s>,
    /// The comments that describe a variable.
    judged: &'s [Judged],
    options: &'s Options,
    /// What the edited copies have in common with the file.
    memo: Memo,
    /// Candidates that may still be tried.
    budget: usize,
}

impl Search<'_> {
    fn remedies_of(&mut self, finding: &Finding) -> Vec<Remedy> {
        if let Some(correction) = correction(finding, self.judged) {
            return self.corrected(finding, correction);
        }
        let Some(call) = expression_at(self.file.unit(), finding.span) else {
            return Vec::new();
        };
        if finding.rule == boxes::RULE {
            return self.reordered(finding, call);
        }
        let text = self.file.text();
        let mut remedies: Vec<Remedy> = Vec::new();
        for candidate in candidates(finding, call, &self.origins, text) {
            if remedies.len() >= limits::REMEDIES_PER_FINDING
                || self.budget == 0
                || self.options.stop.is_wanted()
            {
                break;
            }
            self.budget -= 1;
            let has_value = |after: &Analysis, _: &Traces, place: Span| {
                after.mentions.iter().any(|mention| mention.span == place)
            };
            if self.is_proved(&candidate.edits, finding, &has_value) {
                remedies.push(Remedy {
                    title: title(&candidate, text),
                    edits: candidate.edits,
                    preferred: remedies.is_empty(),
                });
            }
        }
        remedies
    }

    /// The corrected comment, if it is one that agrees with the source.
    fn corrected(&mut self, finding: &Finding, correction: Edit) -> Vec<Remedy> {
        if self.budget == 0 || self.options.stop.is_wanted() {
            return Vec::new();
        }
        self.budget -= 1;
        let start = correction.span.start;
        let agrees = |_: &Analysis, traces: &Traces, _: Span| {
            traces.judged.iter().any(|judged| {
                judged.literal.contains(start) && matches!(judged.verdict, Verdict::Agrees)
            })
        };
        let title = format!("Correct the comment: {}", correction.new_text);
        let edits = vec![correction];
        if !self.is_proved(&edits, finding, &agrees) {
            return Vec::new();
        }
        vec![Remedy {
            title,
            edits,
            preferred: true,
        }]
    }
}

/// What would make a stale comment right.
fn correction(finding: &Finding, judged: &[Judged]) -> Option<Edit> {
    judged.iter().find_map(|judged| match &judged.verdict {
        Verdict::Stale {
            finding: stale,
            correction,
        } if stale.rule == finding.rule
            && stale.span == finding.span
            && stale.message == finding.message =>
        {
            correction.clone()
        }
        _ => None,
    })
}

/// The outermost expression with exactly this span.
fn expression_at(unit: &Unit, span: Span) -> Option<&Expr> {
    let mut found = None;
    walk::expressions(&unit.items, &mut |expr| {
        if expr.span == span && found.is_none() {
            found = Some(expr);
        }
    });
    found
}

/// `Use (5,4): change 4 to 5 and 5 to 4 on line 43`.
fn title(candidate: &Candidate, text: &str) -> String {
    let changes: Vec<String> = candidate
        .edits
        .iter()
        .map(|edit| format!("{} to {}", edit.span.text(text), edit.new_text))
        .collect();
    let start = candidate.edits.first().map_or(0, |edit| edit.span.start);
    let before = text.get(..start).unwrap_or_default();
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let changes = format!("change {} on line {line}", changes.join(" and "));
    match &candidate.legal {
        Some(legal) => format!("Use {legal}: {changes}"),
        None => changes.replacen("change", "Change", 1),
    }
}
