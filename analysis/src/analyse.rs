//! The analysis of one file.

use std::collections::{HashMap, HashSet};

use crate::arena::Arena;
use crate::comments;
use crate::directive::{self, Directive, DirectiveKind, directives};
use crate::fact::Analysis;
use crate::finding::Finding;
use crate::interpret::{Output, interpret};
use crate::options::Options;
use crate::remedy::{self, Origins};
use crate::sources::{SourceFile, Sources};

/// Evaluates a file: the values of its names, what is wrong, and (if asked for) the remedies.
///
/// What it includes and who includes it comes from `sources`; a file that others include shows one
/// value for each instance that they make. All spans of the result are in `file`. The result
/// depends on nothing else; the work is bounded by [`crate::limits`].
pub fn analyse(file: &SourceFile, sources: &dyn Sources, options: &Options) -> Analysis {
    let arena = Arena::default();
    let (mut analysis, origins) = analyse_without_remedies(file, sources, options, &arena);
    if options.remedies {
        remedy::add_remedies(&mut analysis, file, sources, &origins, options);
    }
    analysis
}

/// The analysis, and where the literals behind each name stand.
pub(crate) fn analyse_without_remedies<'u>(
    file: &'u SourceFile,
    sources: &'u dyn Sources,
    options: &Options,
    arena: &'u Arena,
) -> (Analysis, Origins<'u>) {
    let directives = directives(file);
    let mut output: Output<'u> = interpret(file, sources, options, arena);
    output
        .findings
        .extend(directive::findings(&directives, &output.asked));
    let mut analysis = Analysis {
        facts: output.facts,
        mentions: output.mentions,
        findings: output.findings,
        preconditions: merged(output.unproved, &directives),
        nominals: output.nominals,
        inclusions: output.inclusions,
        files: output.files,
        orders: directive::orders(&directives),
        declarations: output.declarations.clone(),
    };
    name_instances(&mut analysis);
    analysis.facts.sort_by_key(|fact| fact.name_span.start);
    analysis.facts.dedup();
    analysis
        .mentions
        .extend(comments::literals(file.unit(), file.text()));
    analysis
        .mentions
        .sort_by_key(|mention| (mention.span.start, std::cmp::Reverse(mention.span.end)));
    analysis.mentions.dedup();
    let judged = comments::judge(file.unit(), file.text(), &analysis, &directives);
    let stale = judged.iter().filter_map(comments::Judged::finding).cloned();
    analysis.findings.extend(stale);
    analysis.findings = merged(std::mem::take(&mut analysis.findings), &directives);
    let origins = Origins {
        declarations: output.declarations,
        initialisers: output.initialisers,
        judged,
    };
    (analysis, origins)
}

/// Each finding once, in the order of the source, without those that a directive allows.
fn merged(findings: Vec<Finding>, directives: &[Directive]) -> Vec<Finding> {
    let mut merged: Vec<Finding> = Vec::new();
    for finding in findings {
        let allowed = directives.iter().any(|directive| match &directive.kind {
            DirectiveKind::Allow(rules) => {
                rules.iter().any(|rule| rule == finding.rule)
                    && directive.covers(finding.span.start)
            }
            _ => false,
        });
        let known = merged.iter().any(|other| {
            other.rule == finding.rule
                && other.span == finding.span
                && other.message == finding.message
        });
        if !allowed && !known {
            merged.push(finding);
        }
    }
    merged.sort_by_key(|finding| (finding.span.start, finding.span.end));
    merged
}

/// An instance is named only where a function has several, and by the nearest call where that
/// tells them apart.
fn name_instances(analysis: &mut Analysis) {
    let mut labels: HashMap<String, HashSet<String>> = HashMap::new();
    for fact in &analysis.facts {
        if let (Some(function), Some(instance)) = (&fact.function, &fact.instance) {
            labels
                .entry(function.clone())
                .or_default()
                .insert(instance.clone());
        }
    }
    let shown = |function: &Option<String>, instance: &Option<String>| -> Option<String> {
        let instance = instance.as_ref()?;
        let all = labels.get(function.as_ref()?)?;
        if all.len() < 2 {
            return None;
        }
        let nearest: HashSet<&str> = all.iter().map(|label| nearest_call(label)).collect();
        Some(if nearest.len() == all.len() {
            nearest_call(instance).to_owned()
        } else {
            instance.clone()
        })
    };
    for fact in &mut analysis.facts {
        fact.instance = shown(&fact.function, &fact.instance);
    }
    for mention in &mut analysis.mentions {
        mention.instance = shown(&mention.function, &mention.instance);
    }
}

/// The first part of `f, line 1, from g, line 2`.
fn nearest_call(label: &str) -> &str {
    label
        .split_once(", from ")
        .map_or(label, |(nearest, _)| nearest)
}
