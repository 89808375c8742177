//! The analysis of one file.

use std::sync::Arc;

use tree_sitter_cute::tree::Span;

use crate::arena::Arena;
use crate::comments;
use crate::directive::{self, Directive, DirectiveKind, directives};
use crate::fact::Analysis;
use crate::finding::Finding;
use crate::hash::{HashMap, HashSet};
use crate::interpret::{Memo, Output, interpret};
use crate::options::Options;
use crate::places::Places;
use crate::predicates;
use crate::remedy::{self, Traces};
use crate::sources::{SourceFile, Sources};

/// Evaluates a file: the values of its names, what is wrong, and (if asked for) the remedies.
///
/// What it includes and who includes it comes from `sources`; a file that others include shows one
/// value for each instance that they make. All spans of the result are in `file`. The result
/// depends on nothing else; the work is bounded by [`crate::limits`].
pub fn analyse(file: &SourceFile, sources: &dyn Sources, options: &Options) -> Analysis {
    // Remedies are proved by analysing edited copies.
    let mut memo = options.remedies.then(Memo::default);
    analyse_with(file, sources, options, memo.as_mut())
}

/// As [`analyse`], for a file that is being edited: groups of declarations that `memo` knows from an
/// earlier version are not evaluated again, and `memo` knows those of this version afterwards. The
/// result is that of [`analyse`].
pub fn analyse_edited(
    file: &SourceFile,
    sources: &dyn Sources,
    options: &Options,
    memo: &mut Memo,
) -> Analysis {
    analyse_with(file, sources, options, Some(memo))
}

fn analyse_with(
    file: &SourceFile,
    sources: &dyn Sources,
    options: &Options,
    mut memo: Option<&mut Memo>,
) -> Analysis {
    let (mut analysis, traces) =
        analyse_without_remedies(file, sources, options, memo.as_deref_mut());
    if options.remedies {
        let memo = memo.map(|memo| memo.clone()).unwrap_or_default();
        remedy::add_remedies(&mut analysis, file, sources, &traces, options, memo);
    }
    analysis
}

/// The analysis, and where the literals behind each name stand.
pub(crate) fn analyse_without_remedies(
    file: &SourceFile,
    sources: &dyn Sources,
    options: &Options,
    mut memo: Option<&mut Memo>,
) -> (Analysis, Traces) {
    let directives = directives(file);
    let arena = Arena::default();
    let mut output: Output = interpret(file, sources, options, &arena, memo.as_deref_mut());
    output.restore_multiples();
    output.settle();
    let settled = output.settled;
    output
        .findings
        .extend(directive::findings(&directives, &settled.asked));
    let declarations = Arc::new(Places::of(settled.declarations));
    let mut analysis = Analysis {
        notes: output.notes,
        budgets: output.budgets,
        facts: output.facts,
        mentions: output.mentions,
        findings: output.findings,
        preconditions: merged(output.unproved, &directives),
        nominals: output.nominals,
        inclusions: output.inclusions,
        files: output.files,
        orders: directive::orders(&directives),
        words: output.words,
        mode_names: Vec::new(),
        declarations: Arc::clone(&declarations),
    };
    name_instances(&mut analysis);
    analysis.facts.sort_by_key(|fact| fact.name_span.start);
    analysis.facts.dedup();
    analysis
        .mentions
        .extend(comments::literals(file, memo.as_deref()));
    analysis
        .mentions
        .sort_by_key(|mention| (mention.span.start, std::cmp::Reverse(mention.span.end)));
    analysis.mentions.dedup();
    analysis.words.sort_by_key(|word| word.span.start);
    analysis.words.dedup();
    let described = comments::judge(file, options.host, &analysis, &directives);
    let judged = described.judged;
    analysis.mode_names = described.mode_names;
    let stale = judged.iter().filter_map(comments::Judged::finding).cloned();
    analysis.findings.extend(stale);
    let mut findings = std::mem::take(&mut analysis.findings);
    predicates::take_out(&mut findings, &analysis, file);
    analysis.findings = findings;
    analysis.findings = merged(std::mem::take(&mut analysis.findings), &directives);
    let traces = Traces {
        declarations,
        initialisers: Places::of(settled.initialisers),
        judged,
    };
    (analysis, traces)
}

/// Each finding once, in the order of the source, without those that a directive allows.
fn merged(findings: Vec<Finding>, directives: &[Directive]) -> Vec<Finding> {
    let mut known: HashSet<(&'static str, Span, String)> = HashSet::default();
    let mut merged: Vec<Finding> = Vec::new();
    for finding in findings {
        let allowed = directives.iter().any(|directive| match &directive.kind {
            DirectiveKind::Allow(rules) => {
                rules.iter().any(|rule| rule == finding.rule)
                    && directive.covers(finding.span.start)
            }
            _ => false,
        });
        let what = || (finding.rule, finding.span, finding.message.clone());
        if !allowed && known.insert(what()) {
            merged.push(finding);
        }
    }
    merged.sort_by_key(|finding| (finding.span.start, finding.span.end));
    merged
}

/// How an instance of a function is named.
#[derive(Debug, Clone, Copy)]
enum Naming {
    /// Not at all: there is no other.
    No,
    /// By the nearest call.
    Nearest,
    /// By all calls that led to it.
    Whole,
}

/// An instance is named only where a function has several, and by the nearest call where that
/// tells them apart.
fn name_instances(analysis: &mut Analysis) {
    let mut labels: HashMap<&str, HashSet<&str>> = HashMap::default();
    for fact in &analysis.facts {
        if let (Some(function), Some(instance)) = (&fact.function, &fact.instance) {
            labels.entry(function).or_default().insert(instance);
        }
    }
    let namings: HashMap<Arc<str>, Naming> = labels
        .into_iter()
        .map(|(function, all)| (function.into(), naming(&all)))
        .collect();
    let naming_of = |function: Option<&str>| {
        let naming = function.and_then(|function| namings.get(function));
        naming.copied().unwrap_or(Naming::No)
    };
    // Names are shared by all that is known of an instance.
    let mut nearest: HashMap<Arc<str>, Arc<str>> = HashMap::default();
    let mut share = |function: Option<&str>, instance: &mut Option<Arc<str>>| {
        let Some(label) = instance.as_ref() else {
            return;
        };
        match naming_of(function) {
            Naming::Whole => {}
            Naming::Nearest => {
                let short = nearest
                    .entry(Arc::clone(label))
                    .or_insert_with(|| nearest_call(label).into());
                *instance = Some(Arc::clone(short));
            }
            Naming::No => *instance = None,
        }
    };
    for fact in &mut analysis.facts {
        share(fact.function.as_deref(), &mut fact.instance);
    }
    for mention in &mut analysis.mentions {
        share(mention.function.as_deref(), &mut mention.instance);
    }
    let name = |function: Option<&str>, instance: &mut Option<String>| {
        if let Some(label) = instance.as_mut() {
            match naming_of(function) {
                Naming::Whole => {}
                Naming::Nearest => label.truncate(nearest_call(label).len()),
                Naming::No => *instance = None,
            }
        }
    };
    for note in &mut analysis.notes {
        name(note.function.as_deref(), &mut note.instance);
    }
    for budget in &mut analysis.budgets {
        name(Some(&budget.function), &mut budget.instance);
    }
    analysis.notes.sort_by_key(|note| note.anchor.start);
    analysis.budgets.sort_by_key(|budget| budget.span.start);
}

fn naming(labels: &HashSet<&str>) -> Naming {
    if labels.len() < 2 {
        return Naming::No;
    }
    let nearest: HashSet<&str> = labels.iter().map(|label| nearest_call(label)).collect();
    if nearest.len() == labels.len() {
        Naming::Nearest
    } else {
        Naming::Whole
    }
}

/// The first part of `f, line 1, from g, line 2`.
fn nearest_call(label: &str) -> &str {
    label
        .split_once(", from ")
        .map_or(label, |(nearest, _)| nearest)
}
