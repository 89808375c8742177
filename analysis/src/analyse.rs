//! The analysis of one file.

use std::path::PathBuf;
use std::sync::Arc;

use tree_sitter_cute::tree::Span;
use tree_sitter_cute::{Budget, Host, Syntax};

use crate::arena::Arena;
use crate::blamed;
use crate::comments;
use crate::directive::{self, Directive, DirectiveKind, directives};
use crate::fact::{Analysis, DeclaredValue, Fact};
use crate::faults;
use crate::finding::Finding;
use crate::hash::HashSet;
use crate::instance_names::InstanceNames;
use crate::interpret::{Memo, interpret};
use crate::options::Options;
use crate::output::Output;
use crate::plain_names;
use crate::predicates;
use crate::python;
use crate::reached::Reached;
use crate::reason::Reason;
use crate::remedy::{self, Traces};
use crate::rules::Rule;
use crate::sources::{Inclusion, SourceFile, Sources};
use crate::twins;
use crate::uses::{Source, Uses};
use crate::value::Dialect;

/// Evaluates a file: the values of its names, the findings, and (if requested) the remedies.
///
/// Its includes and its includers come from `sources`; a file that others include shows one value for each instance
/// that they make. All spans of the result are in `file`. The result depends on nothing else; the work is bounded by
/// [`crate::limits`].
pub fn analyse(file: &SourceFile, sources: &dyn Sources, options: &Options) -> Analysis {
    if options.only_findings {
        let (analysis, _) = analyse_without_remedies(file, sources, options, None);
        if options.stop.is_wanted() || !analysis.findings.iter().any(|it| needs_more(it, options)) {
            return analysis;
        }
    }
    let parsed = (options.only_findings && options.remedies)
        .then(|| parsed(file, options))
        .flatten();
    let (file, options) = (parsed.as_ref().unwrap_or(file), &with_everything(options));
    // Remedies are proved by analysing edited copies.
    let mut memo = options.remedies.then(Memo::default);
    analyse_with(file, sources, options, memo.as_mut())
}

/// The modules of Python that were found where the project may not read.
fn refused_modules(sources: &dyn Sources) -> Vec<Inclusion> {
    let refused = sources.refused_modules().into_iter();
    let inclusion = |(name, leads_to): (String, PathBuf)| Inclusion {
        problem: Reason::outside(&name, &leads_to),
        span: Span::default(),
        path: name,
    };
    refused.map(inclusion).collect()
}

/// Whether a decision on a finding and its remedies requires the values of uses of names. Most files have no such
/// finding.
fn needs_more(finding: &Finding, options: &Options) -> bool {
    finding.rule == predicates::RULE || options.remedies && options.wanted.includes(finding)
}

/// The file with the syntax of its unit, where that was not kept.
fn parsed(file: &SourceFile, options: &Options) -> Option<SourceFile> {
    if file.syntax().is_some() {
        return None;
    }
    let syntax = Syntax::parse(options.host, file.text(), None, Budget::unlimited()).ok()?;
    let text = file.shared_text();
    Some(SourceFile::parsed(file.path(), text, Arc::new(syntax)))
}

fn with_everything(options: &Options) -> Options {
    Options {
        only_findings: false,
        ..options.clone()
    }
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
    analyse_with(file, sources, &with_everything(options), Some(memo))
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

/// Findings without those that an operation does not apply: the value is not known, and the source may be right.
fn of_rules(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.retain(|finding| finding.rule != cute_algebra::Rule::Unsupported.name());
    findings
}

/// The analysis, and the places of the literals behind each name.
pub(crate) fn analyse_without_remedies(
    file: &SourceFile,
    sources: &dyn Sources,
    options: &Options,
    mut memo: Option<&mut Memo>,
) -> (Analysis, Traces) {
    let directives = directives(file);
    let arena = Arena::default();
    let mut output: Output = interpret(file, sources, options, &arena, memo.as_deref_mut());
    let traced = (options.host == Host::Python).then(|| python::trace(file, sources, options));
    if let Some(shown) = &options.shown
        && options.host != Host::Python
    {
        shown.retain(&mut output);
    }
    let makers = &mut output.makers;
    let choices = traced.as_ref().and_then(|it| it.note_makers(makers));
    output.restore_facts();
    output.settle();
    let (facts, findings) = (
        std::mem::take(&mut output.facts),
        std::mem::take(&mut output.findings),
    );
    // No finding and no comment is judged by supposed values.
    let (supposed, facts): (Vec<Fact>, Vec<Fact>) = facts
        .into_iter()
        .partition(|fact| options.host == Host::CudaCpp && fact.is_supposed());
    let (facts, findings) = match traced {
        Some(mut traced) => {
            output.files.append(&mut traced.files);
            output.add_inclusions(refused_modules(sources));
            output.notes.retain(|note| !traced.tells_of(note.anchor));
            output
                .unproved
                .retain(|needed| !traced.tells_of(needed.span));
            output.notes.append(&mut traced.costs.notes);
            output.budgets.append(&mut traced.costs.budgets);
            output.unproved.append(&mut traced.costs.preconditions);
            traced.over(facts, findings)
        }
        None => (facts, findings),
    };
    let mut analysis = Analysis {
        dialect: match options.host {
            Host::Python => Dialect::Dsl,
            _ => Dialect::Cute,
        },
        reached: Reached::of(file.unit(), sources.count_users(file)),
        notes: std::mem::take(&mut output.notes),
        budgets: std::mem::take(&mut output.budgets),
        accesses: std::mem::take(&mut output.accesses),
        facts,
        findings,
        preconditions: merged(std::mem::take(&mut output.unproved), &directives),
        nominals: std::mem::take(&mut output.nominals),
        inclusions: std::mem::take(&mut output.inclusions),
        files: std::mem::take(&mut output.files),
        missing_modules: sources.missing_modules(),
        missing_files: sources.missing_files(),
        orders: directive::orders(&directives),
        mode_names: Vec::new(),
        makers: std::mem::take(&mut output.makers),
        choices,
        uses: Uses::default(),
    };
    let about = directive::findings(&directives, || output.asked());
    analysis.findings.extend(about);
    let of_source = of_source(file, sources, options.host);
    analysis.findings.extend(of_source);
    let names = name_instances(&mut analysis);
    let literals = if options.only_findings {
        Vec::new()
    } else {
        comments::literals(file, memo.as_deref())
    };
    analysis.facts.sort_by_key(|fact| fact.name_span.start);
    analysis.facts.dedup();
    analysis.uses = Uses::from(Source {
        output,
        literals,
        names,
    });
    let described = comments::judge(file, options.host, &analysis, &directives);
    let judged = described.judged;
    analysis.mode_names = described.mode_names;
    let stale = judged.iter().filter_map(comments::Judged::finding).cloned();
    analysis.findings.extend(stale);
    let mut findings = of_rules(std::mem::take(&mut analysis.findings));
    predicates::take_out(&mut findings, &analysis, file);
    blamed::add_initialisers(&mut findings, &analysis.uses, file.text());
    analysis.findings = merged(findings, &directives);
    debug_assert!(
        analysis
            .findings
            .iter()
            .all(|finding| Rule::named(finding.rule).is_some()),
        "a rule is not declared in rules.rs: {:?}",
        analysis.findings
    );
    analysis.facts.extend(supposed);
    analysis.facts.sort_by_key(|fact| fact.name_span.start);
    plain_names::in_analysis(&mut analysis);
    let traces = Traces {
        uses: analysis.uses.clone(),
        judged,
    };
    (analysis, traces)
}

/// The findings that need no values.
fn of_source(file: &SourceFile, sources: &dyn Sources, host: Host) -> Vec<Finding> {
    let mut findings = match host {
        Host::Python => faults::findings(file, sources),
        _ => Vec::new(),
    };
    findings.extend(twins::findings(file));
    findings
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

/// Names the instances of functions.
fn name_instances(analysis: &mut Analysis) -> InstanceNames {
    let names = InstanceNames::of(&analysis.facts);
    let facts = analysis.facts.iter_mut();
    names.put_on(facts.map(|fact| {
        let content: &mut DeclaredValue = fact;
        (content.function.as_deref(), &mut content.instance)
    }));
    for note in &mut analysis.notes {
        names.put_on_one(note.function.as_deref(), &mut note.instance);
    }
    for budget in &mut analysis.budgets {
        names.put_on_one(Some(&budget.function), &mut budget.instance);
    }
    analysis.makers.rename(&names);
    analysis.notes.sort_by_key(|note| note.anchor.start);
    analysis.budgets.sort_by_key(|budget| budget.span.start);
    for access in &mut analysis.accesses {
        names.put_on_one(Some(&access.function), &mut access.instance);
    }
    analysis
        .accesses
        .sort_by_key(|access| (access.span.start, access.span.end));
    names
}
