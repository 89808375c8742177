//! Results of the evaluation of a file.

pub(crate) mod placed;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tree_sitter_cute::tree::Span;

use crate::access::Access;
use crate::access::beyond::STAGES;
use crate::cost::{Budget, Cost, Costs, Note};
use crate::fact::{Fact, Mention, Nominal, Word};
use crate::finding::Finding;
use crate::hash::{HashMap, HashSet};
use crate::shared_values::SharedValues;
use crate::shown::Makers;
use crate::sources::{Inclusion, SourceFile};
use placed::Placed;

/// Results of the evaluation of a file.
#[derive(Debug, Clone, Default)]
pub(crate) struct Output {
    pub(crate) facts: Vec<Fact>,
    pub(crate) mentions: Vec<Mention>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) unproved: Vec<Finding>,
    pub(crate) nominals: Vec<Nominal>,
    /// Spans of the initialisers of declared names, by the span of the name.
    pub(crate) initialisers: HashMap<Span, Span>,
    /// The declaration of the name at a span.
    pub(crate) declarations: HashMap<Span, Span>,
    /// The `#include`s that could not be read.
    pub(crate) inclusions: Vec<Inclusion>,
    /// The other files that were read.
    pub(crate) files: Vec<PathBuf>,
    /// Their places in the space of all files.
    pub(crate) bases: HashSet<usize>,
    /// The functions and classes of the file that were instantiated, by their names' spans.
    pub(crate) instantiated: HashSet<Span>,
    /// Whether something of it tells a line of the file.
    pub(crate) names_lines: bool,
    /// The run-time integers that were met: name, and byte of the declaration.
    pub(crate) asked: HashSet<(String, usize)>,
    /// CuTe's functions and instructions where the source names them.
    pub(crate) words: Vec<Word>,
    /// The run-time integers that are known to be multiples.
    pub(crate) multiples: Vec<cute_algebra::symbol::Multiple>,
    /// Costs of lines.
    pub(crate) notes: Vec<Note>,
    /// Resources of kernels.
    pub(crate) budgets: Vec<Budget>,
    /// Plain loads and stores.
    pub(crate) accesses: Vec<Access>,
    /// The translation units that made the instances.
    pub(crate) makers: Makers,
    /// The values and names of facts and mentions.
    pub(crate) shared: SharedValues,
    /// Steps that were not taken.
    pub(crate) steps_left: usize,
    /// Results of finished evaluations.
    pub(crate) settled: Settled,
    /// Earlier results: their mentions, words and settled parts were not added.
    later: Vec<Placed>,
}

/// Maps and sets gathered while a part of the file was evaluated. Afterwards it is only put elsewhere and put together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Settled {
    /// Spans of the initialisers of declared names, by the span of the name.
    pub(crate) initialisers: Vec<(Span, Span)>,
    /// The declaration of the name at a span.
    pub(crate) declarations: Vec<(Span, Span)>,
    /// The run-time integers that were met.
    pub(crate) asked: Vec<(Arc<str>, usize)>,
}

impl Output {
    /// Puts facts and mentions in the order of the source, outer ones first, each once.
    pub(crate) fn sort(&mut self) {
        self.facts.sort_by_key(|fact| fact.name_span.start);
        self.facts.dedup();
        self.mentions
            .sort_by_key(|mention| (mention.span.start, std::cmp::Reverse(mention.span.end)));
        self.mentions.dedup();
    }

    /// Notes that all evaluations so far are complete.
    pub(crate) fn settle(&mut self) {
        let settled = &mut self.settled;
        let asked = self.asked.drain();
        settled
            .asked
            .extend(asked.map(|(name, byte)| (name.into(), byte)));
        settled.initialisers.extend(self.initialisers.drain());
        settled.declarations.extend(self.declarations.drain());
        settled.asked.sort_unstable();
        settled.initialisers.sort_unstable();
        settled.declarations.sort_unstable();
        self.instantiated.clear();
        self.shared = SharedValues::default();
    }

    /// Adds the results of an island. Rarely needed parts are put off: [`gather`](Self::gather). `None`, and then
    /// `self` is of no use, where it has no place.
    pub(crate) fn append_known(&mut self, placed: Placed) -> Option<()> {
        placed.moved(|to| self.append_declared(placed.output(), to))?;
        self.later.push(placed);
        Some(())
    }

    /// Adds the parts that were put off.
    pub(crate) fn gather(&mut self) {
        let later = std::mem::take(&mut self.later);
        let count = later.iter().map(|placed| placed.output().mentions.len());
        self.mentions.reserve(count.sum());
        for placed in later {
            // Its declarations had their places before.
            let _ = placed.moved(|to| self.append_used(placed.output(), to));
        }
    }

    /// The run-time integers that were met.
    pub(crate) fn asked(&self) -> Vec<(Arc<str>, usize)> {
        let mut asked = self.settled.asked.clone();
        for placed in &self.later {
            let _ = placed.moved(|to| {
                for (name, byte) in &placed.output().settled.asked {
                    asked.push((Arc::clone(name), to(*byte)?));
                }
                Some(())
            });
        }
        asked
    }

    /// The functions and instructions of CuTe that were met, in the order of the source.
    pub(crate) fn all_words(&self) -> Vec<Word> {
        let mut words = self.words.clone();
        for placed in &self.later {
            // Its declarations had their places before.
            let _ = placed.moved(|to| words_at(&placed.output().words, to, &mut words));
        }
        words.sort_by_key(|word| word.span.start);
        words.dedup();
        words
    }

    /// Adds results from elsewhere, at their new places: `to` gives the new place of a byte, `None` where it was
    /// removed. Then `self` is of no use.
    pub(crate) fn append_moved(
        &mut self,
        other: &Self,
        to: &dyn Fn(usize) -> Option<usize>,
    ) -> Option<()> {
        self.append_declared(other, to)?;
        self.append_used(other, to)
    }

    fn append_declared(&mut self, other: &Self, to: &dyn Fn(usize) -> Option<usize>) -> Option<()> {
        let at = |span: Span| moved(span, to);
        for fact in &other.facts {
            let mut fact = fact.clone();
            fact.name_span = at(fact.name_span)?;
            fact.span = at(fact.span)?;
            self.facts.push(fact);
        }
        for nominal in &other.nominals {
            self.nominals.push(Nominal {
                span: at(nominal.span)?,
                ..nominal.clone()
            });
        }
        for (all, others) in [
            (&mut self.findings, &other.findings),
            (&mut self.unproved, &other.unproved),
        ] {
            for finding in others {
                let mut finding = finding.clone();
                finding.span = at(finding.span)?;
                for related in &mut finding.related {
                    related.span = at(related.span)?;
                }
                all.push(finding);
            }
        }
        for note in &other.notes {
            self.notes.push(note.moved(&at)?);
        }
        for budget in &other.budgets {
            self.budgets.push(budget.moved(&at)?);
        }
        for access in &other.accesses {
            self.accesses.push(access.moved(&at)?);
        }
        self.add_multiples(&other.multiples);
        self.makers.join(&other.makers);
        Some(())
    }

    fn append_used(&mut self, other: &Self, to: &dyn Fn(usize) -> Option<usize>) -> Option<()> {
        let at = |span: Span| moved(span, to);
        for mention in &other.mentions {
            self.mentions.push(Mention {
                span: at(mention.span)?,
                ..mention.clone()
            });
        }
        words_at(&other.words, to, &mut self.words)?;
        for (name, of) in &other.initialisers {
            self.initialisers.insert(at(*name)?, at(*of)?);
        }
        for (name, of) in &other.declarations {
            self.declarations.insert(at(*name)?, at(*of)?);
        }
        for name in &other.instantiated {
            self.instantiated.insert(at(*name)?);
        }
        for (name, byte) in &other.asked {
            self.asked.insert((name.clone(), to(*byte)?));
        }
        let (settled, others) = (&mut self.settled, &other.settled);
        for (name, of) in &others.initialisers {
            settled.initialisers.push((at(*name)?, at(*of)?));
        }
        for (name, of) in &others.declarations {
            settled.declarations.push((at(*name)?, at(*of)?));
        }
        for (name, byte) in &others.asked {
            settled.asked.push((Arc::clone(name), to(*byte)?));
        }
        Some(())
    }

    fn add_multiples(&mut self, multiples: &[cute_algebra::symbol::Multiple]) {
        for multiple in multiples {
            if !self.multiples.contains(multiple) {
                self.multiples.push(multiple.clone());
            }
        }
    }

    /// Adds the results of another island.
    pub(crate) fn append(&mut self, other: Self) {
        self.facts.extend(other.facts);
        self.mentions.extend(other.mentions);
        self.findings.extend(other.findings);
        self.unproved.extend(other.unproved);
        self.nominals.extend(other.nominals);
        self.initialisers.extend(other.initialisers);
        self.declarations.extend(other.declarations);
        self.asked.extend(other.asked);
        self.words.extend(other.words);
        self.add_multiples(&other.multiples);
        self.makers.join(&other.makers);
        self.notes.extend(other.notes);
        self.budgets.extend(other.budgets);
        self.accesses.extend(other.accesses);
        let settled = &mut self.settled;
        settled.initialisers.extend(other.settled.initialisers);
        settled.declarations.extend(other.settled.declarations);
        settled.asked.extend(other.settled.asked);
        self.later.extend(other.later);
    }

    /// Adds the costs of functions.
    pub(crate) fn append_costs(&mut self, costs: Costs) {
        // A note of a barrier names the lines of its copies.
        self.names_lines |= costs
            .notes
            .iter()
            .any(|note| matches!(note.cost, Cost::Transaction(_)));
        self.notes.extend(costs.notes);
        self.budgets.extend(costs.budgets);
        // The trace of a kernel says more of a place than the walk of its addresses.
        self.findings.retain(|known| {
            known.rule != STAGES
                || !costs.findings.iter().any(|other| {
                    let mut places = other.related.iter().map(|related| related.span);
                    other.rule == STAGES
                        && (other.span == known.span || places.any(|span| span == known.span))
                })
        });
        self.findings.extend(costs.findings);
        for (rule, span, related) in costs.more {
            let findings = self.findings.iter_mut();
            for finding in findings.filter(|it| it.rule == rule && it.span == span) {
                if !finding.related.contains(&related) {
                    finding.related.push(related.clone());
                }
            }
        }
        self.unproved.extend(costs.preconditions);
    }

    /// Adds the results of one more translation unit for the same file.
    pub(crate) fn append_unit(&mut self, mut unit: Self) {
        self.instantiated
            .extend(std::mem::take(&mut unit.instantiated));
        self.makers.take_deferred(&mut unit.makers);
        for fact in &mut unit.facts {
            self.shared.join(&mut fact.value);
        }
        for mention in &mut unit.mentions {
            self.shared.join(&mut mention.value);
        }
        self.append(unit);
    }

    /// Adds another file that was read.
    pub(crate) fn add_file(&mut self, base: usize, path: &Path) {
        if self.bases.insert(base) {
            self.files.push(path.to_owned());
        }
    }

    /// Adds unread inclusions, each once.
    pub(crate) fn add_inclusions(&mut self, inclusions: impl IntoIterator<Item = Inclusion>) {
        for inclusion in inclusions {
            if !self.inclusions.contains(&inclusion) {
                self.inclusions.push(inclusion);
            }
        }
    }

    /// Takes out the part that is about one file.
    pub(crate) fn take_part(&mut self, file: &SourceFile) -> Self {
        fn of<T>(all: &mut Vec<T>, is_here: impl Fn(&T) -> bool) -> Vec<T> {
            all.extract_if(.., |one| is_here(one)).collect()
        }
        let here = |span: Span| file.contains(span);
        let spans = |all: &HashMap<Span, Span>| {
            let own = all.iter().filter(|(name, _)| here(**name));
            own.map(|(name, of)| (*name, *of)).collect()
        };
        let facts = of(&mut self.facts, |fact| here(fact.name_span));
        Self {
            makers: self.makers.deferred_of(&facts),
            facts,
            mentions: of(&mut self.mentions, |mention| here(mention.span)),
            findings: of(&mut self.findings, |finding| here(finding.span)),
            unproved: of(&mut self.unproved, |finding| here(finding.span)),
            nominals: of(&mut self.nominals, |nominal| here(nominal.span)),
            initialisers: spans(&self.initialisers),
            declarations: spans(&self.declarations),
            instantiated: self.instantiated.extract_if(|name| here(*name)).collect(),
            asked: self
                .asked
                .extract_if(|(_, byte)| here(Span::new(*byte, *byte)))
                .collect(),
            words: of(&mut self.words, |word| here(word.span)),
            multiples: self.multiples.clone(),
            notes: of(&mut self.notes, |note| here(note.anchor)),
            budgets: of(&mut self.budgets, |budget| here(budget.span)),
            accesses: of(&mut self.accesses, |access| here(access.span)),
            ..Self::default()
        }
    }

    /// Forgets the results that findings do not depend on, here and in later evaluations.
    pub(crate) fn leave_findings(&mut self) {
        self.initialisers.clear();
        self.unproved.clear();
        self.notes.clear();
        self.budgets.clear();
        self.accesses.clear();
    }

    /// Gives the instances other names; facts about an instance share its name.
    pub(crate) fn rename_instances(&mut self, renamed: &mut dyn FnMut(&str) -> Arc<str>) {
        let facts = self.facts.iter_mut().map(|fact| &mut fact.instance);
        let mentions = self
            .mentions
            .iter_mut()
            .map(|mention| &mut mention.instance);
        for name in facts.chain(mentions).flatten() {
            *name = renamed(name);
        }
        self.makers.rename_deferred(renamed);
        let findings = self.findings.iter_mut().chain(&mut self.unproved);
        let findings = findings.map(|finding| &mut finding.instance);
        let notes = self.notes.iter_mut().map(|note| &mut note.instance);
        let budgets = self.budgets.iter_mut().map(|budget| &mut budget.instance);
        let accesses = self.accesses.iter_mut().map(|access| &mut access.instance);
        for name in findings
            .chain(notes)
            .chain(budgets)
            .chain(accesses)
            .flatten()
        {
            *name = renamed(name).to_string();
        }
    }
}

/// A span at its new place.
/// Adds words at their new places.
fn words_at(
    words: &[Word],
    to: &dyn Fn(usize) -> Option<usize>,
    all: &mut Vec<Word>,
) -> Option<()> {
    for word in words {
        let span = moved(word.span, to)?;
        all.push(Word {
            span,
            ..word.clone()
        });
    }
    Some(())
}

fn moved(span: Span, to: &dyn Fn(usize) -> Option<usize>) -> Option<Span> {
    let start = to(span.start)?;
    Some(Span::new(start, start + span.len()))
}
