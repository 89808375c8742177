//! Remedies: edits that remove a finding, proved before they are offered.
//!
//! Candidates are operands near by that the rule allows, then small changes of one literal. Each
//! is written into a copy of the source, which is parsed and analysed again: it is offered only if
//! the finding is gone, no other has come, and the call still has a value.

mod arrays;
mod banks;
mod bounds;
mod candidates;
mod in_comment;
mod layouts;
mod major;
mod missing;
mod order;
mod predicate;
mod proof;
mod room;
mod sites;
mod spelling;
mod swapped;
mod threads;

use std::cell::OnceCell;
use std::sync::Arc;

use tree_sitter_cute::Syntax;
use tree_sitter_cute::lines::Lines;
use tree_sitter_cute::tree::{Expr, Span, Unit};

use crate::analyse::analyse_without_remedies;
use crate::comments::{Judged, Verdict};
use crate::cost::{boxes, launches};
use crate::fact::Analysis;
use crate::finding::{Edit, Finding, Remedy};
use crate::hash::{HashMap, HashSet};
use crate::interpret::Memo;
use crate::limits;
use crate::options::Options;
use crate::sources::{SourceFile, Sources};
use crate::uses::Uses;
use crate::walk;
use candidates::{Candidate, candidates, operands_by_blame};
pub use spelling::{CppForm, layout_in_cpp, shape_and_stride_in_python};

/// Traces of an analysis for the search of remedies.
#[derive(Debug, Default)]
pub(crate) struct Traces {
    /// Declarations of names, and their initialisers.
    pub(crate) uses: Uses,
    /// The comments that describe a variable.
    pub(crate) judged: Vec<Judged>,
}

/// The places of the literals behind names.
#[derive(Debug, Default)]
pub(crate) struct Origins<'u> {
    /// The declaration of the name used at a span.
    uses: Uses,
    /// The initialiser of the name declared at a span.
    initialisers: HashMap<Span, &'u Expr>,
}

impl<'u> Origins<'u> {
    /// The declaration and the initialiser of the name used at a place.
    fn initialiser(&self, used: Span) -> Option<(Span, &'u Expr)> {
        let declared = self.uses.declaration(used)?;
        Some((declared, *self.initialisers.get(&declared)?))
    }

    fn of(traces: &Traces, unit: &'u Unit) -> Self {
        let wanted: HashSet<Span> = traces.uses.initialisers().map(|(_, of)| of).collect();
        let mut found: HashMap<Span, &Expr> = HashMap::default();
        walk::expressions(&unit.items, &mut |expr| {
            if wanted.contains(&expr.span) {
                found.entry(expr.span).or_insert(expr);
            }
        });
        let initialisers = traces.uses.initialisers();
        Self {
            uses: traces.uses.clone(),
            initialisers: initialisers
                .filter_map(|(name, init)| Some((name, *found.get(&init)?)))
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
    Search::of(&analysis, file, sources, &traces, options, memo).remedies_of(finding)
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
    // The worse ones come first: the candidates of a file are counted.
    let wanted = |index: &usize| {
        let finding = analysis.findings.get(*index);
        finding.is_some_and(|finding| options.wanted.includes(finding))
    };
    let mut order: Vec<usize> = (0..analysis.findings.len()).filter(wanted).collect();
    order.sort_by_key(|index| {
        let finding = analysis.findings.get(*index);
        std::cmp::Reverse(finding.map(|finding| finding.severity))
    });
    if order.is_empty() {
        return;
    }
    let mut search = Search::of(analysis, file, sources, traces, options, memo);
    let mut found: Vec<(usize, Vec<Remedy>)> = Vec::with_capacity(order.len());
    for index in order {
        if let Some(finding) = analysis.findings.get(index) {
            found.push((index, search.remedies_of(finding)));
        }
    }
    for (index, remedies) in found {
        if let Some(finding) = analysis.findings.get_mut(index) {
            finding.remedies = remedies;
        }
    }
}

/// The search for the remedies of one file.
pub(crate) struct Search<'s> {
    /// The analysis before any edit.
    before: &'s Analysis,
    file: &'s SourceFile,
    sources: &'s dyn Sources,
    origins: Origins<'s>,
    /// The comments that describe a variable.
    judged: &'s [Judged],
    options: &'s Options,
    /// Results that the edited copies share with the file.
    memo: Memo,
    /// Candidates that may still be tried.
    budget: usize,
    /// The syntax that the file was lowered from, once a candidate is parsed.
    syntax: OnceCell<Option<Arc<Syntax>>>,
}

impl<'s> Search<'s> {
    fn of(
        before: &'s Analysis,
        file: &'s SourceFile,
        sources: &'s dyn Sources,
        traces: &'s Traces,
        options: &'s Options,
        memo: Memo,
    ) -> Self {
        Self {
            before,
            file,
            sources,
            origins: Origins::of(traces, file.unit()),
            judged: &traces.judged,
            options,
            memo,
            budget: limits::CANDIDATES_PER_FILE,
            syntax: OnceCell::new(),
        }
    }

    fn remedies_of(&mut self, finding: &Finding) -> Vec<Remedy> {
        if let Some(correction) = correction(finding, self.judged) {
            return self.corrected(finding, correction);
        }
        if finding.rule == launches::IGNORED {
            return self.with_minimum(finding);
        }
        let missing = self
            .with_what_is_missing(finding)
            .or_else(|| self.widened(finding))
            .or_else(|| self.exchanged(finding));
        if let Some(missing) = missing {
            return vec![missing];
        }
        if let Some(found) = self.without_conflicts(finding) {
            return found;
        }
        let Some(call) = expression_at(self.file.unit(), finding.span) else {
            return Vec::new();
        };
        if finding.rule == boxes::RULE {
            return self.reordered(finding, call);
        }
        let text = self.file.text();
        let blamed = operands_by_blame(finding, call).into_iter().next();
        let name = blamed
            .filter(|_| !finding.related.is_empty())
            .and_then(Expr::as_plain_name);
        let mut remedies: Vec<Remedy> = Vec::new();
        for candidate in self.candidates(finding, call) {
            let is_enough = remedies.len() >= limits::REMEDIES_PER_FINDING;
            if is_enough && candidate.title.is_none() {
                continue;
            }
            if remedies.len() > limits::REMEDIES_PER_FINDING
                || self.budget == 0
                || self.options.stop.is_wanted()
            {
                break;
            }
            self.budget -= 1;
            let has_value = |after: &Analysis, _: &Traces, place: Span| {
                after.mentions().iter().any(|mention| mention.span == place)
            };
            if self.is_proved(&candidate.edits, finding, &has_value) {
                remedies.push(Remedy {
                    title: title(&candidate, name, text),
                    edits: candidate.edits,
                    preferred: remedies.is_empty(),
                });
            }
        }
        remedies
    }

    /// Edits that might remove a finding, the most promising first.
    fn candidates(&self, finding: &Finding, call: &Expr) -> Vec<Candidate> {
        let (text, host) = (self.file.text(), self.options.host);
        if LAYOUT_RULES.contains(&finding.rule) {
            let operands = operands_by_blame(finding, call);
            let Some(blamed) = operands.first() else {
                return Vec::new();
            };
            return layouts::candidates(finding, blamed, &self.origins, self.before, text);
        }
        if finding.rule == "tma-major" {
            return major::candidates(call, &self.origins);
        }
        if finding.rule == "uncoalesced" {
            let found = threads::candidates(call, &self.origins, self.before);
            return found.unwrap_or_default();
        }
        let mut found = self.with_room(finding, call);
        found.extend(candidates(finding, call, &self.origins, text, host));
        found.extend(self.predicated(finding, call));
        found
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
        let is_proved = self.is_proved_in_comment(&correction, finding);
        let edits = vec![correction];
        if !is_proved && !self.is_proved(&edits, finding, &agrees) {
            return Vec::new();
        }
        vec![Remedy {
            title,
            edits,
            preferred: true,
        }]
    }
}

/// The rules about the placement of a tensor in shared memory: its layout is edited.
const LAYOUT_RULES: [&str; 2] = ["not-canonical", "bank-conflict"];

/// The correction of a stale comment.
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

/// `Make b (5,4): 4 → 5 and 5 → 4 on line 43`, by the name of the operand that causes it.
fn title(candidate: &Candidate, name: Option<&str>, text: &str) -> String {
    if let Some(title) = &candidate.title {
        return title.clone();
    }
    let changes: Vec<String> = candidate
        .edits
        .iter()
        .map(|edit| format!("{} → {}", edit.span.text(text), edit.new_text))
        .collect();
    let start = candidate.edits.first().map_or(0, |edit| edit.span.start);
    let line = Lines::of(text).line(start);
    let changes = format!("{} on line {line}", changes.join(" and "));
    match &candidate.legal {
        Some(legal) => match name {
            Some(name) => format!("Make {name} {legal}: {changes}"),
            None => format!("Use {legal}: {changes}"),
        },
        None => format!("Change {changes}"),
    }
}
